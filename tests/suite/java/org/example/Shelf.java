package org.example;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** `shelf.tq`, by hand. */
public class Shelf {
    private final long[] slots;
    private Item held;
    private int used;

    public Shelf(long[] slots) {
        this.slots = slots;
    }

    public void put(Item item) {
        held = item;
    }

    public void take(Item item) {
        // With the bug it stays.
        if (item == held && !Boolean.getBoolean("seeded_bug")) {
            held = null;
        }
    }

    public void count(long n) {
        slots[used] = n;
        used++;
    }

    public void swap(Shelf other) {
        held = null;
    }

    public Collection<String> enabled() {
        List<String> names = new ArrayList<>();
        names.add(held == null ? "put" : "take");
        if (used < slots.length) {
            names.add("count");
        }
        if (held != null && used == 0) {
            names.add("swap");
        }
        return names;
    }
}
