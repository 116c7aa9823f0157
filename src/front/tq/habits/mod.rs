//! What people write who know other languages, and what to write here: tables of words, each with the sentence that
//! helps. The parser and the resolver look here where they found something else than the language has; which of the
//! words mean something in the language itself is not known here.

mod types;

pub(super) use types::{Container, container, type_named, type_sentence};

/// Words with their sentence, which is the same for all words of a row.
type HabitTable = &'static [(&'static str, &'static str)];

/// The sentence for a word, if there is one.
fn sentence(table: HabitTable, word: &str) -> Option<&'static str> {
    let row = table
        .iter()
        .find(|(words, _)| words.split(' ').any(|one| one == word))?;
    Some(row.1)
}

/// What to write for a word before a declaration that says who may use it, or how.
pub(super) fn modifier(word: &str) -> Option<&'static str> {
    sentence(
        &[
            (
                "public private protected internal external pub",
                "leave it out: callers can call every `action` and no `procedure`; fields are not hidden",
            ),
            (
                "static",
                "leave it out: each object has its own; a `const` with a value is the same for all",
            ),
            (
                "final readonly",
                "leave it out: what never changes is a `const`",
            ),
            (
                "mut mutable volatile",
                "leave it out: what is declared with `var` changes",
            ),
            (
                "abstract virtual override sealed",
                "leave it out: no class inherits from another",
            ),
            (
                "synchronized",
                "leave it out: calls come one after the other",
            ),
            ("ghost payable", "leave it out"),
        ],
        word,
    )
}

/// What a member is called here that starts with this word.
pub(super) fn member(word: &str) -> Option<&'static str> {
    sentence(
        &[
            (
                "method fn def func fun void sub proc event operation",
                "write `action` for what callers can call, `procedure` for what only bodies call",
            ),
            ("predicate", "write `function name(…): bool { … }`"),
            (
                "lemma theorem axiom",
                "there is nothing to prove by hand here: leave it out",
            ),
            (
                "let val mut field property attribute",
                "write `var name: T;`",
            ),
            ("define", "write `const NAME: T := …;`"),
            (
                "init __init__ initialize",
                "write `constructor(…)` to make objects, `initially` for what holds of them first",
            ),
            ("initial", "write `initially` and a condition"),
            ("enum type exception", "write it outside of the class"),
            (
                "struct record interface trait",
                "write a `class`, outside of this one",
            ),
            (
                "requires ensures modifies throws returns outcomes",
                "a contract stands between the header of its action and the body",
            ),
            (
                "assert assume",
                "what always holds of an object is an `invariant`",
            ),
            (
                "import include using open",
                "a file stands by itself: write what it needs into it",
            ),
        ],
        word,
    )
}

/// What to write for a declaration of a file that starts with this word.
pub(super) fn item(word: &str) -> Option<&'static str> {
    sentence(
        &[
            (
                "struct record object contract module interface trait actor component machine",
                "write `class Name { … }`",
            ),
            ("datatype data union", "write `enum Name { A, B }`"),
            ("error", "write `exception Name;`"),
            (
                "typedef alias newtype",
                "`type Name;` declares a type of which nothing is known; no type has a second name",
            ),
            (
                "namespace package",
                "leave it out: the classes of a file stand side by side",
            ),
            (
                "import include using require from use",
                "a file stands by itself: write what it needs into it",
            ),
            (
                "method fn def func fun void int bool",
                "write it inside a class: `class Name { … }`",
            ),
        ],
        word,
    )
}

/// What to write for a clause of a contract that starts with this word.
pub(super) fn clause(word: &str) -> Option<&'static str> {
    sentence(
        &[
            (
                "require precondition pre when where guard expects given if asserts",
                "write `requires` for the condition under which it can be called",
            ),
            (
                "ensure postcondition post guarantees establishes",
                "write `ensures` for what holds after the call",
            ),
            (
                "modify writes changes assigns assignable updates",
                "write `modifies` and the names of fields",
            ),
            (
                "throw raises raise signals",
                "write `throws` and the name of an exception",
            ),
            ("return", "write `returns (name: T)`"),
            (
                "decreases variant measure",
                "leave it out: that it ends is not asked here",
            ),
            (
                "reads accesses",
                "leave it out: what is read is not limited",
            ),
            (
                "invariant",
                "an `invariant` is a member of the class, or stands at a `while`",
            ),
            (
                "assert assume",
                "write `requires` before the body, or the statement in it",
            ),
        ],
        word,
    )
}

/// What to write for a statement that starts with this word.
pub(super) fn statement(word: &str) -> Option<&'static str> {
    sentence(
        &[
            (
                "foreach",
                "write `for i := 0 to a.length { … }` for the positions of an array",
            ),
            ("do repeat", "write a `while`, and its body once before it"),
            ("loop forever", "write `while (true) { … }`"),
            ("until", "write `while (!…) { … }`"),
            ("unless", "write `if (!…) { … }`"),
            (
                "match when select",
                "write `switch (e) { case A { … } default { … } }`",
            ),
            ("elif elsif elseif", "write `else if (…) { … }`"),
            ("let val auto const mut local", "write `var name: T := …;`"),
            ("pass skip noop nop", "leave it out: a block may be empty"),
            (
                "raise rethrow signal fail",
                "write `throw Name;`, with the name of an exception",
            ),
            (
                "revert panic abort exit",
                "write `throw Name;`, with the name of an exception",
            ),
            (
                "yield",
                "write `return …;`, or assign the result by its name",
            ),
            (
                "goto",
                "write `if` and `while`: there are no jumps but `break`, `continue`, `return` and `throw`",
            ),
            (
                "print println printf echo log emit console",
                "leave it out: nothing is printed",
            ),
            (
                "delete del free dispose",
                "leave it out: what nobody refers to is not there any more",
            ),
            (
                "lock synchronized await async atomic spawn",
                "leave it out: calls come one after the other",
            ),
            (
                "with using defer",
                "write its statements one after the other",
            ),
            (
                "except rescue",
                "write `catch Name { … }` behind a `try { … }`",
            ),
            (
                "nondet choose any pick random",
                "write `havoc x;` for any value of its type",
            ),
            (
                "call invoke",
                "leave the word out: a call is written `name(…);`",
            ),
            ("set put", "write `name := …;`"),
            (
                "require check ensure",
                "write `assert …;`, or `requires …` before the body",
            ),
            (
                "requires ensures modifies throws returns",
                "a contract stands between the header of its action and the body",
            ),
            (
                "invariant",
                "an `invariant` is a member of the class, or stands at a `while`",
            ),
        ],
        word,
    )
}

/// What to write for an operator that is a word, or a row of symbols that means something elsewhere.
pub(super) fn operator(word: &str) -> Option<&'static str> {
    sentence(
        &[
            (
                "in !in",
                "a map has a value for every key: write `m[k]`, with a `map<K, bool>` for a set",
            ),
            (
                "is isa instanceof",
                "write `== null` or `!= null`: nothing else is asked of what an object is",
            ),
            ("as", "a conversion of an integer is written `u8(…)`"),
            ("& |", "write arithmetic: there are no operations on bits"),
            (
                "^",
                "`!=` is exclusive or, and a power is written as a product: there are no operations on bits",
            ),
            ("** pow", "write a product: there are no powers"),
            (
                "<<",
                "write `*` and a power of two: there are no operations on bits",
            ),
            (
                ">>",
                "write `div` and a power of two: there are no operations on bits",
            ),
            ("..", "write two comparisons: `0 <= i < n`"),
            ("??", "write `if x != null then x else y`"),
        ],
        word,
    )
}

/// What to write for a function of other languages.
pub(super) fn function(name: &str) -> Option<&'static str> {
    sentence(
        &[
            ("min", "write `if a < b then a else b`"),
            ("max", "write `if a < b then b else a`"),
            ("abs", "write `if x < 0 then -x else x`"),
            (
                "pow sqrt sqr",
                "write a product: there are no powers and no roots",
            ),
            (
                "len size length sizeof count",
                "write `a.length` for the length of an array",
            ),
            ("not", "write `!`"),
            ("and", "write `&&`"),
            ("or", "write `||`"),
            (
                "print println printf log echo",
                "leave it out: nothing is printed",
            ),
            (
                "require check verify",
                "write `assert …;`, or `requires …` before the body",
            ),
            (
                "revert panic abort exit fail",
                "write `throw Name;`, with the name of an exception",
            ),
            (
                "free delete dispose",
                "leave it out: what nobody refers to is not there any more",
            ),
            (
                "nondet random rand any choose unknown",
                "write `havoc x;` for any value of its type, `x := *;` for a boolean",
            ),
            (
                "all every",
                "write `forall i: int :: 0 <= i < a.length ==> …`",
            ),
            ("some", "write `exists i: int :: 0 <= i < a.length && …`"),
            ("sum", "write a loop"),
            ("bool", "write a comparison: `… != 0`"),
            (
                "nat uint",
                "write the number itself: a `nat` is an `int` that is promised not to be negative",
            ),
            (
                "unchanged",
                "write `f == old(f)` for each field, or `modifies` with the others",
            ),
            (
                "fresh",
                "write `new` in a body: a contract cannot say that an object is new",
            ),
            ("implies", "write `==>`"),
            ("iff", "write `<==>`"),
        ],
        name,
    )
}

/// The literal that is meant by a name of other languages.
pub(super) fn literal(name: &str) -> Option<&'static str> {
    sentence(
        &[
            ("True TRUE yes YES", "true"),
            ("False FALSE no NO", "false"),
            (
                "None NONE nil NULL nullptr undefined Null Nothing nul",
                "null",
            ),
            ("self Self me", "this"),
        ],
        name,
    )
}

/// What to write for a name of other languages, where it is no literal.
pub(super) fn value(name: &str) -> Option<&'static str> {
    sentence(
        &[
            ("super base", "no class inherits from another"),
            (
                "Math",
                "there are no functions of numbers: write `if … then … else`",
            ),
            ("System console Console", "leave it out: nothing is printed"),
            (
                "int bool",
                "it is a type: an array is made with `new int[n]`",
            ),
            (
                "any random nondet unknown undef",
                "write `havoc x;` for any value of its type, `x := *;` for a boolean",
            ),
            (
                "infinity Infinity INT_MAX MAX_VALUE MaxValue",
                "an `int` has no bounds: there is no largest one",
            ),
        ],
        name,
    )
}

/// What to write for something that is asked of an array in other languages.
pub(super) fn of_array(name: &str) -> &'static str {
    match name {
        "length" | "Length" | "size" | "Size" | "len" | "count" | "Count" => {
            "write `length`, without parentheses"
        }
        "push" | "add" | "append" | "pop" | "remove" | "insert" | "Add" => {
            "the length of an array never changes: keep the number of its elements in a field"
        }
        "contains" | "Contains" | "includes" | "indexOf" => {
            "write `exists i: int :: 0 <= i < a.length && a[i] == x`"
        }
        "get" | "at" => "write `a[i]`",
        "set" => "write `a[i] := x;`",
        _ => "all that an array has is `length` and its elements, `a[i]`",
    }
}

/// What to write for something that is asked of a map in other languages.
pub(super) fn of_map(name: &str) -> &'static str {
    match name {
        "contains" | "Contains" | "containsKey" | "ContainsKey" | "has" | "include" => {
            "a map has a value for every key: write `m[k]`, with a `map<K, bool>` for a set"
        }
        "get" | "at" | "Get" => "write `m[k]`",
        "put" | "set" | "insert" | "add" | "Add" => {
            "write `m[k] := v;`, or `m[k := v]` for another map"
        }
        "remove" | "delete" | "Remove" => {
            "a map has a value for every key: give it one that means that nothing is there"
        }
        _ => "a map has a value for every key, `m[k]`: its keys have no number and no order",
    }
}
