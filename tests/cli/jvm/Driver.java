import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Calls the methods of a class at random, and says which runs end normally.
 *
 * Arguments: the class, a seed, how many runs, how long they are at most. From standard input it reads the constructors
 * and the methods, one a line: a name, with the types of the parameters behind it. For each run it prints the number of
 * the constructor, and those of the calls behind it. A call that ends in an exception is no part of a run: the object is
 * made once more, by the calls before it.
 */
public class Driver {
    private static final long PATIENCE = 1000;
    private static final int MOST_HANGING = 8;

    /** A constructor or method, and what its arguments are made from. */
    private record Call(int number, long seed) { }

    private final Class<?> studied;
    /** Constructors, or methods of other classes that make the objects. */
    private final List<Executable> constructors = new ArrayList<>();
    private final List<Method> methods = new ArrayList<>();
    private ExecutorService thread = Executors.newSingleThreadExecutor(Driver::daemon);
    private int hanging;

    private Driver(Class<?> studied) {
        this.studied = studied;
    }

    public static void main(String[] arguments) throws Exception {
        Driver driver = new Driver(Class.forName(arguments[0]));
        for (String line : new String(System.in.readAllBytes()).split("\n")) {
            driver.find(line.trim());
        }
        Random random = new Random(Long.parseLong(arguments[1]));
        int runs = Integer.parseInt(arguments[2]);
        int length = Integer.parseInt(arguments[3]);
        // What the class itself prints is nobody's business.
        java.io.PrintStream out = System.out;
        System.setOut(new java.io.PrintStream(java.io.OutputStream.nullOutputStream()));
        System.setErr(System.out);
        for (int run = 0; run < runs && driver.hanging < MOST_HANGING; run++) {
            String found = driver.run(random, length);
            if (found != null) {
                out.println(found);
            }
        }
        out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }

    /** {@code <init>(int)}, {@code read(byte[],int,int)}, or {@code helpers.Spool feeler(int)} for a method that makes objects */
    private void find(String line) throws ClassNotFoundException {
        int space = line.indexOf(' ');
        if (space >= 0) {
            for (Method method : Class.forName(line.substring(0, space)).getDeclaredMethods()) {
                if (line.substring(space + 1).equals(method.getName() + types(method))) {
                    open(method);
                    constructors.add(method);
                    return;
                }
            }
        }
        for (Constructor<?> constructor : studied.getDeclaredConstructors()) {
            if (line.equals("<init>" + types(constructor))) {
                open(constructor);
                constructors.add(constructor);
                return;
            }
        }
        for (Class<?> from = studied; from != null; from = from.getSuperclass()) {
            for (Method method : from.getDeclaredMethods()) {
                if (!method.isBridge() && line.equals(method.getName() + types(method))) {
                    open(method);
                    methods.add(method);
                    return;
                }
            }
        }
        for (Method method : studied.getMethods()) {
            if (!method.isBridge() && line.equals(method.getName() + types(method))) {
                methods.add(method);
                return;
            }
        }
        throw new IllegalArgumentException(line);
    }

    /** What the tests wrote may be private; what the JDK has is called as it may be. */
    private static void open(Executable executable) {
        if (executable.getDeclaringClass().getClassLoader() == Driver.class.getClassLoader()) {
            executable.setAccessible(true);
        }
    }

    private static String types(Executable executable) {
        List<String> types = new ArrayList<>();
        for (Class<?> type : executable.getParameterTypes()) {
            types.add(type.getTypeName());
        }
        return "(" + String.join(",", types) + ")";
    }

    private String run(Random random, int length) {
        Call first = new Call(random.nextInt(constructors.size()), random.nextLong());
        List<Call> calls = new ArrayList<>();
        Object object = again(first, calls);
        if (object == null) {
            return null;
        }
        for (int at = 0; at < length && !methods.isEmpty(); at++) {
            Call next = new Call(random.nextInt(methods.size()), random.nextLong());
            if (ends(object, next)) {
                calls.add(next);
            } else {
                object = again(first, calls);
                if (object == null) {
                    break;
                }
            }
        }
        StringBuilder found = new StringBuilder().append(first.number());
        for (Call call : calls) {
            found.append(' ').append(call.number());
        }
        return found.toString();
    }

    /** An object after these calls; nothing where one of them does not do again what it did. */
    private Object again(Call first, List<Call> calls) {
        Object object = within(() -> {
            Executable maker = constructors.get(first.number());
            Random random = new Random(first.seed());
            Object[] values = values(maker.getParameterTypes(), random, 0);
            if (maker instanceof Constructor<?> constructor) {
                return constructor.newInstance(values);
            }
            boolean isStatic = Modifier.isStatic(maker.getModifiers());
            Object outer = isStatic ? null : object(maker.getDeclaringClass(), random, 0);
            Object made = ((Method) maker).invoke(outer, values);
            return made != null && made.getClass() == studied ? made : null;
        });
        for (Call call : calls) {
            if (object == null || !ends(object, call)) {
                return null;
            }
        }
        return object;
    }

    /** Whether a call ends normally. */
    private boolean ends(Object object, Call call) {
        return within(() -> {
            Method method = methods.get(call.number());
            Random random = new Random(call.seed());
            Object[] values = values(method.getParameterTypes(), random, 0);
            itself(object, method.getParameterTypes(), values, random);
            method.invoke(object, values);
            return object;
        }) != null;
    }

    /** Now and then the object is an argument of its own methods. */
    private static void itself(Object object, Class<?>[] types, Object[] values, Random random) {
        for (int at = 0; at < types.length; at++) {
            if (types[at] != Object.class && types[at].isInstance(object) && random.nextInt(3) == 0) {
                values[at] = object;
            }
        }
    }

    private interface Work {
        Object run() throws Exception;
    }

    /** What is given back; nothing where it ends in an exception, or not at all. */
    private Object within(Work work) {
        Future<Object> future = thread.submit(work::run);
        try {
            return future.get(PATIENCE, TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            hanging++;
            thread.shutdownNow();
            thread = Executors.newSingleThreadExecutor(Driver::daemon);
            return null;
        } catch (java.util.concurrent.ExecutionException | InterruptedException ended) {
            return null;
        }
    }

    private static Object[] values(Class<?>[] types, Random random, int depth) {
        Object[] values = new Object[types.length];
        for (int at = 0; at < types.length; at++) {
            values[at] = value(types[at], random, depth);
        }
        return values;
    }

    private static Object value(Class<?> type, Random random, int depth) {
        if (type.isPrimitive()) {
            return primitive(type, random);
        }
        if (depth > 3 || random.nextInt(6) == 0) {
            return null;
        }
        if (type == String.class || type == CharSequence.class || type == Comparable.class) {
            String[] some = {"", "a", "abc", "12", "%s"};
            return some[random.nextInt(some.length)];
        }
        if (type == Object.class) {
            return random.nextBoolean() ? "object" : (Object) random.nextInt(3);
        }
        if (type.isArray()) {
            Object array = Array.newInstance(type.getComponentType(), random.nextInt(5));
            for (int at = 0; at < Array.getLength(array); at++) {
                Array.set(array, at, value(type.getComponentType(), random, depth + 1));
            }
            return array;
        }
        if (type.isEnum()) {
            Object[] constants = type.getEnumConstants();
            return constants[random.nextInt(constants.length)];
        }
        if (type.isInterface()) {
            return proxy(type, new Random(random.nextLong()), depth);
        }
        return object(type, random, depth);
    }

    private static Object primitive(Class<?> type, Random random) {
        int[] some = {-1, 0, 1, 2, 3, 8, 100};
        int number = some[random.nextInt(some.length)];
        if (type == boolean.class) {
            return random.nextBoolean();
        } else if (type == byte.class) {
            return (byte) number;
        } else if (type == short.class) {
            return (short) number;
        } else if (type == char.class) {
            return (char) ('a' + random.nextInt(3));
        } else if (type == long.class) {
            return (long) number;
        } else if (type == float.class) {
            return number / 2f;
        } else if (type == double.class) {
            return number / 2.0;
        }
        return number;
    }

    /** Somebody else, who answers anything, and sometimes fails in a way that was declared. */
    private static Object proxy(Class<?> type, Random random, int depth) {
        ClassLoader loader = type.getClassLoader();
        return Proxy.newProxyInstance(loader, new Class<?>[] {type}, (self, method, arguments) -> {
            if (method.getDeclaringClass() == Object.class) {
                return switch (method.getName()) {
                    case "equals" -> self == arguments[0];
                    case "hashCode" -> 1;
                    default -> "somebody else";
                };
            }
            Class<?>[] failures = method.getExceptionTypes();
            if (failures.length > 0 && random.nextInt(4) == 0) {
                Class<?> failure = failures[random.nextInt(failures.length)];
                throw (Throwable) failure.getDeclaredConstructor().newInstance();
            }
            Class<?> result = method.getReturnType();
            return result == void.class ? null : value(result, random, depth + 1);
        });
    }

    /** An object by one of its constructors, of which some methods may have been called before. */
    private static Object object(Class<?> type, Random random, int depth) {
        Class<?> made = usual(type);
        Constructor<?>[] all = made.getDeclaredConstructors();
        if (Modifier.isAbstract(made.getModifiers()) || all.length == 0) {
            return null;
        }
        for (int attempt = 0; attempt < 4; attempt++) {
            Constructor<?> constructor = all[random.nextInt(all.length)];
            try {
                open(constructor);
                Object object =
                        constructor.newInstance(values(constructor.getParameterTypes(), random, depth + 1));
                live(object, random);
                return object;
            } catch (ReflectiveOperationException | RuntimeException | LinkageError refused) {
                // Another one may do.
            }
        }
        return null;
    }

    private static void live(Object object, Random random) {
        Method[] methods = object.getClass().getDeclaredMethods();
        if (methods.length == 0 || random.nextInt(3) != 0) {
            return;
        }
        Method method = methods[random.nextInt(methods.length)];
        boolean waits = method.getName().contains("read") || method.getName().contains("wait");
        if (Modifier.isPrivate(method.getModifiers()) || method.getParameterCount() > 0 || waits) {
            return;
        }
        try {
            open(method);
            method.invoke(object);
        } catch (ReflectiveOperationException | RuntimeException refused) {
            // Then it was not called.
        }
    }

    /** A class that stands for an abstract one. */
    private static Class<?> usual(Class<?> type) {
        if (type == java.io.InputStream.class) {
            return java.io.ByteArrayInputStream.class;
        } else if (type == java.io.OutputStream.class) {
            return java.io.ByteArrayOutputStream.class;
        } else if (type == java.io.Reader.class) {
            return java.io.StringReader.class;
        } else if (type == java.io.Writer.class) {
            return java.io.StringWriter.class;
        } else if (type == Number.class) {
            return Integer.class;
        }
        return type;
    }
}
