import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Runs all there is of small classes: every call with every argument, from every configuration that calls lead to.
 *
 * Arguments: the classes. A configuration is what the private fields hold: truth values, numbers, constants of an enum, and
 * objects of which it is only looked whether they are null, or the same. An exception refuses a call, and an {@code Error} is
 * one of its ends. Of each class it prints its name, and behind it, parted by blanks, {@code new}, the constructor's types,
 * and where it ends; and {@code call}, where it begins, the method, how it ends, and where. A place is what can be called there.
 */
public class Explorer {
    /** Around all constants of the classes, with two numbers on either side that can be told apart. */
    private static final int LEAST = -3;
    private static final int MOST = 5;
    private static final int TOO_MANY = 20_000;

    /** A call that is not refused: how it ends, and what the fields hold then. */
    private record Outcome(String method, String end, List<Object> key) { }

    /** What the fields hold, and what can be done there. */
    private static final class Configuration {
        final Object[] values;
        final List<Outcome> outcomes = new ArrayList<>();
        final TreeSet<String> enabled = new TreeSet<>();

        Configuration(Object[] values) {
            this.values = values;
        }

        String place() {
            return "{" + String.join(",", enabled) + "}";
        }
    }

    private interface Work {
        void with(Object[] arguments) throws ReflectiveOperationException;
    }

    private final Class<?> studied;
    private final List<Field> fields = new ArrayList<>();
    private final List<Method> methods = new ArrayList<>();
    private final Map<List<Object>, Configuration> found = new LinkedHashMap<>();
    private final Deque<Configuration> open = new ArrayDeque<>();
    private final TreeSet<String> lines = new TreeSet<>();
    /** Arguments with which an object is made, to be put into any configuration. */
    private Constructor<?> maker;
    private Object[] made;

    private Explorer(Class<?> studied) {
        this.studied = studied;
        for (Field field : studied.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                field.setAccessible(true);
                fields.add(field);
            }
        }
        for (Method method : studied.getDeclaredMethods()) {
            if (Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()) {
                method.setAccessible(true);
                methods.add(method);
            }
        }
    }

    public static void main(String[] names) throws ReflectiveOperationException {
        for (String name : names) {
            Explorer explorer = new Explorer(Class.forName(name));
            explorer.explore();
            System.out.println(name);
            explorer.lines.forEach(System.out::println);
        }
    }

    private void explore() throws ReflectiveOperationException {
        List<Runnable> told = new ArrayList<>();
        for (Constructor<?> constructor : studied.getDeclaredConstructors()) {
            constructor.setAccessible(true);
            each(constructor, List.of(), arguments -> {
                Object object;
                try {
                    object = constructor.newInstance(arguments);
                } catch (InvocationTargetException refused) {
                    return;
                }
                maker = constructor;
                made = arguments;
                Configuration begin = found.get(reach(object));
                told.add(() -> lines.add("new " + types(constructor) + " " + begin.place()));
            });
        }
        while (!open.isEmpty()) {
            expand(open.poll());
        }
        told.forEach(Runnable::run);
        for (Configuration from : found.values()) {
            for (Outcome outcome : from.outcomes) {
                String to = found.get(outcome.key()).place();
                lines.add(String.join(" ", "call", from.place(), outcome.method(), outcome.end(), to));
            }
        }
    }

    private void expand(Configuration from) throws ReflectiveOperationException {
        List<Object> around = new ArrayList<>();
        for (Object value : from.values) {
            if (value != null && value.getClass() == Object.class) {
                around.add(value);
            }
        }
        for (Method method : methods) {
            each(method, around, arguments -> {
                Object object = put(from);
                String end = "normally";
                try {
                    method.invoke(object, arguments);
                } catch (InvocationTargetException ended) {
                    if (!(ended.getCause() instanceof Error)) {
                        return;
                    }
                    end = ended.getCause().getClass().getSimpleName();
                }
                from.enabled.add(method.getName());
                from.outcomes.add(new Outcome(method.getName(), end, reach(object)));
            });
        }
    }

    /** An object of which the fields hold this. */
    private Object put(Configuration configuration) throws ReflectiveOperationException {
        Object object = maker.newInstance(made);
        for (int at = 0; at < fields.size(); at++) {
            fields.get(at).set(object, configuration.values[at]);
        }
        return object;
    }

    /** What is known of an object; where it is new, it is looked at later. */
    private List<Object> reach(Object object) throws ReflectiveOperationException {
        Object[] values = new Object[fields.size()];
        for (int at = 0; at < values.length; at++) {
            values[at] = fields.get(at).get(object);
        }
        List<Object> key = key(values);
        if (!found.containsKey(key)) {
            if (found.size() == TOO_MANY) {
                throw new IllegalStateException(studied + " is not small");
            }
            Configuration configuration = new Configuration(values);
            found.put(key, configuration);
            open.add(configuration);
        }
        return key;
    }

    /** The same for configurations that no code can tell apart: of an object, the first field that holds it. */
    private static List<Object> key(Object[] values) {
        List<Object> key = new ArrayList<>();
        for (Object value : values) {
            if (value != null && value.getClass() == Object.class) {
                int first = 0;
                while (values[first] != value) {
                    first++;
                }
                key.add("object " + first);
            } else {
                key.add(value);
            }
        }
        return key;
    }

    /** Does this with all arguments that there are, where these objects are around. */
    private static void each(Executable executable, List<Object> around, Work work)
            throws ReflectiveOperationException {
        Class<?>[] types = executable.getParameterTypes();
        // Objects that are in no field are as good as these: two, where two are given that are not the same.
        List<Object> objects = new ArrayList<>(around);
        Collections.addAll(objects, null, new Object(), new Object());
        List<List<Object>> domains = new ArrayList<>();
        for (Class<?> type : types) {
            domains.add(domain(type, objects));
        }
        int[] at = new int[types.length];
        while (true) {
            Object[] arguments = new Object[types.length];
            for (int which = 0; which < types.length; which++) {
                arguments[which] = domains.get(which).get(at[which]);
            }
            work.with(arguments);
            int last = types.length - 1;
            while (last >= 0 && ++at[last] == domains.get(last).size()) {
                at[last--] = 0;
            }
            if (last < 0) {
                return;
            }
        }
    }

    private static List<Object> domain(Class<?> type, List<Object> objects) {
        List<Object> domain = new ArrayList<>();
        if (type == int.class) {
            for (int number = LEAST; number <= MOST; number++) {
                domain.add(number);
            }
        } else if (type == boolean.class) {
            Collections.addAll(domain, false, true);
        } else if (type.isEnum()) {
            domain.add(null);
            Collections.addAll(domain, type.getEnumConstants());
        } else {
            domain.addAll(objects);
        }
        return domain;
    }

    private static String types(Executable executable) {
        List<String> types = new ArrayList<>();
        for (Class<?> type : executable.getParameterTypes()) {
            types.add(type.getSimpleName());
        }
        return "(" + String.join(",", types) + ")";
    }
}
