//! The superclasses of exceptions that every Java program knows, for where there is no JDK to look into.

/// An exception and its superclass, as the documentation of the class library has them.
const SUPERCLASSES: [(&str, &str); 42] = [
    ("java/io/EOFException", "java/io/IOException"),
    ("java/io/FileNotFoundException", "java/io/IOException"),
    ("java/io/IOException", "java/lang/Exception"),
    ("java/io/InterruptedIOException", "java/io/IOException"),
    ("java/io/UncheckedIOException", "java/lang/RuntimeException"),
    (
        "java/io/UnsupportedEncodingException",
        "java/io/IOException",
    ),
    (
        "java/lang/ArithmeticException",
        "java/lang/RuntimeException",
    ),
    (
        "java/lang/ArrayIndexOutOfBoundsException",
        "java/lang/IndexOutOfBoundsException",
    ),
    (
        "java/lang/ArrayStoreException",
        "java/lang/RuntimeException",
    ),
    ("java/lang/AssertionError", "java/lang/Error"),
    ("java/lang/ClassCastException", "java/lang/RuntimeException"),
    (
        "java/lang/ClassNotFoundException",
        "java/lang/ReflectiveOperationException",
    ),
    (
        "java/lang/CloneNotSupportedException",
        "java/lang/Exception",
    ),
    ("java/lang/Error", "java/lang/Throwable"),
    ("java/lang/Exception", "java/lang/Throwable"),
    (
        "java/lang/IllegalArgumentException",
        "java/lang/RuntimeException",
    ),
    (
        "java/lang/IllegalMonitorStateException",
        "java/lang/RuntimeException",
    ),
    (
        "java/lang/IllegalStateException",
        "java/lang/RuntimeException",
    ),
    (
        "java/lang/IndexOutOfBoundsException",
        "java/lang/RuntimeException",
    ),
    ("java/lang/InternalError", "java/lang/VirtualMachineError"),
    ("java/lang/InterruptedException", "java/lang/Exception"),
    ("java/lang/LinkageError", "java/lang/Error"),
    (
        "java/lang/NegativeArraySizeException",
        "java/lang/RuntimeException",
    ),
    ("java/lang/NoClassDefFoundError", "java/lang/LinkageError"),
    (
        "java/lang/NullPointerException",
        "java/lang/RuntimeException",
    ),
    (
        "java/lang/NumberFormatException",
        "java/lang/IllegalArgumentException",
    ),
    (
        "java/lang/OutOfMemoryError",
        "java/lang/VirtualMachineError",
    ),
    (
        "java/lang/ReflectiveOperationException",
        "java/lang/Exception",
    ),
    ("java/lang/RuntimeException", "java/lang/Exception"),
    ("java/lang/SecurityException", "java/lang/RuntimeException"),
    (
        "java/lang/StringIndexOutOfBoundsException",
        "java/lang/IndexOutOfBoundsException",
    ),
    ("java/lang/Throwable", "java/lang/Object"),
    (
        "java/lang/UnsupportedOperationException",
        "java/lang/RuntimeException",
    ),
    ("java/lang/VirtualMachineError", "java/lang/Error"),
    ("java/net/SocketException", "java/io/IOException"),
    (
        "java/net/SocketTimeoutException",
        "java/io/InterruptedIOException",
    ),
    ("java/net/UnknownHostException", "java/io/IOException"),
    (
        "java/util/ConcurrentModificationException",
        "java/lang/RuntimeException",
    ),
    (
        "java/util/EmptyStackException",
        "java/lang/RuntimeException",
    ),
    (
        "java/util/InputMismatchException",
        "java/util/NoSuchElementException",
    ),
    (
        "java/util/MissingResourceException",
        "java/lang/RuntimeException",
    ),
    (
        "java/util/NoSuchElementException",
        "java/lang/RuntimeException",
    ),
];

/// The superclass of a well-known exception.
pub(super) fn superclass(name: &str) -> Option<&'static str> {
    let position = SUPERCLASSES
        .binary_search_by_key(&name, |(class, _)| class)
        .ok()?;
    SUPERCLASSES
        .get(position)
        .map(|(_, superclass)| *superclass)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(SUPERCLASSES.is_sorted());
        assert_eq!(
            superclass("java/lang/IllegalStateException"),
            Some("java/lang/RuntimeException")
        );
        assert_eq!(superclass("java/lang/String"), None);
    }
}
