package org.example;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** `gate.tq`, by hand. */
public class Gate {
    private Light light;
    private int passed;

    public Gate(int width) throws TooNarrow {
        if (width < 1) {
            throw new TooNarrow();
        }
        light = Light.Red;
    }

    private Gate() {
        light = Light.Green;
    }

    public static Gate open() {
        return new Gate();
    }

    public Light type(Light next) {
        Light before = light;
        light = next;
        passed = 0;
        return before;
    }

    public boolean passThrough(boolean force) throws Jammed {
        boolean ok = passed < 2;
        if (ok) {
            passed++;
        } else if (force) {
            light = Light.Red;
            // The gate forgets to say that it is jammed.
            if (!Boolean.getBoolean("seeded_bug")) {
                throw new Jammed();
            }
        }
        return ok;
    }

    public Object count() {
        return passed;
    }

    public Collection<String> enabled() {
        List<String> names = new ArrayList<>(List.of("type"));
        names.add(light == Light.Green ? "passThrough" : "count");
        if (passed == 2) {
            names.add("enabled");
        }
        return names;
    }
}
