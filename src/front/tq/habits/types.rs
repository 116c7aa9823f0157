//! Types of other languages.

use super::{HabitTable, sentence};

/// The type that is meant by a name of other languages.
pub(in super::super) fn type_named(name: &str) -> Option<&'static str> {
    const MEANT: HabitTable = &[
        ("array<int>", "array Array list List"),
        ("map<int, int>", "map Map dict mapping"),
        ("map<int, bool>", "set Set"),
        (
            "int",
            "integer Int Integer long Long BigInteger BigInt bigint int128 int256 number ssize_t",
        ),
        (
            "nat",
            "uint unsigned usize size_t uint128 uint256 natural Nat",
        ),
        ("bool", "boolean Bool Boolean"),
        ("u8", "byte uint8 uint8_t ubyte bv8"),
        ("i8", "sbyte int8 int8_t"),
        ("u16", "uint16 uint16_t ushort bv16 word"),
        ("i16", "int16 int16_t short Short"),
        ("u32", "uint32 uint32_t bv32"),
        ("i32", "int32 int32_t"),
        ("u64", "uint64 uint64_t ulong bv64"),
        ("i64", "int64 int64_t"),
    ];
    let row = MEANT
        .iter()
        .find(|(_, words)| words.split(' ').any(|one| one == name))?;
    Some(row.0)
}

/// What to do without a type of other languages.
pub(in super::super) fn type_sentence(name: &str) -> Option<&'static str> {
    sentence(
        &[
            (
                "float double real decimal Float Double Real fixed f32 f64",
                "there are only whole numbers: count in a smaller unit",
            ),
            (
                "string String str char Char text Text",
                "there are no strings: an `enum` has values with names, and those of `type Text;`, declared \
                 outside of the class, can be compared for equality",
            ),
            (
                "void unit Unit None",
                "leave it out: what gives nothing has no `returns`",
            ),
            (
                "object Object any Any dynamic var auto T address bytes32 bytes date Date DateTime uuid UUID",
                "write `type #;` outside of the class: its values are equal or not, and nothing else is known of them",
            ),
        ],
        name,
    )
}

/// What a type with others between angles is here.
#[derive(Clone, Copy)]
pub(in super::super) enum Container {
    /// `array<T>`
    Array,
    /// `map<K, V>`
    Map,
    /// A set, which is a map to `bool`.
    Set,
    /// A set that counts, which is a map to `nat`.
    Bag,
    /// `T?`
    Nullable,
}

/// What is meant by a type of this name with so many types between its angles.
pub(in super::super) fn container(name: &str, arguments: usize) -> Option<Container> {
    const MEANT: [(Container, usize, &str); 5] = [
        (
            Container::Array,
            1,
            "seq list List ArrayList LinkedList vector Vector Vec Array stack Stack queue Queue deque Deque IList Iterable",
        ),
        (
            Container::Set,
            1,
            "set Set iset HashSet TreeSet ISet Hashset",
        ),
        (Container::Bag, 1, "multiset bag Bag Multiset"),
        (
            Container::Nullable,
            1,
            "option Option Optional Nullable Maybe",
        ),
        (
            Container::Map,
            2,
            "imap Map HashMap TreeMap dict Dict Dictionary IDictionary mapping Mapping",
        ),
    ];
    let row = MEANT
        .iter()
        .find(|(_, count, words)| *count == arguments && words.split(' ').any(|w| w == name))?;
    Some(row.0)
}
