//! The classes of the two Contractor papers: the built-in engine gives their EPAs, and the faults that the papers
//! found by looking at them are there to be seen. What is expected is typed from the papers (`fixtures/README.md`).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tranquera::epa::{ConstructOptions, Epa, Exceptions, Strategy};

use crate::expected::{self, classes_in, construct, result};
use crate::support::program::root;

/// A transition without its states' numbers: the actions enabled before, the action (and `!` its exception), the
/// actions enabled after.
type Edge = (BTreeSet<String>, String, BTreeSet<String>);

fn folder(name: &str) -> PathBuf {
    root().join("fixtures").join(name)
}

/// The EPA of a class, as the expected ones were made: with all exceptions.
fn epa(path: &Path) -> Epa {
    let options = ConstructOptions {
        exceptions: Exceptions::All,
        ..expected::options(Strategy::Guided)
    };
    construct(path, "builtin", &options)
}

/// What is wrong with the EPA of each class of a folder.
fn wrong(name: &str) -> Vec<String> {
    let folder = folder(name);
    let mut wrong = Vec::new();
    for name in classes_in(&folder) {
        let epa = epa(&folder.join(format!("{name}.tq")));
        let expected = expected::expected(&folder.join(format!("{name}.epa.json")));
        if result(&epa) != result(&expected) {
            let text = serde_json::to_string_pretty(&result(&epa)).expect("plain data");
            wrong.push(format!("{name}: not the expected EPA, but {text}"));
        }
        let answers = epa.stats.queries;
        if answers.bound_hit + answers.unknown > 0 {
            wrong.push(format!("{name}: uncertain answers: {answers:?}"));
        }
    }
    wrong
}

#[test]
fn the_classes_of_tosem_2013_have_their_epas() {
    assert_eq!(classes_in(&folder("tosem-2013")).len(), 12);
    let wrong = wrong("tosem-2013");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_classes_of_tse_2012_have_their_epas() {
    assert_eq!(classes_in(&folder("tse-2012")).len(), 10);
    let wrong = wrong("tse-2012");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The transitions of a class.
struct Seen(BTreeSet<Edge>);

impl Seen {
    fn of(folder_name: &str, class: &str) -> Seen {
        let epa = epa(&folder(folder_name).join(format!("{class}.tq")));
        let enabled = |id: &str| -> BTreeSet<String> {
            let state = epa.state(id).expect("a state that is listed");
            state.enabled.iter().cloned().collect()
        };
        let edges = epa.transitions.iter().map(|t| {
            let exception = t.exception.iter().map(|e| format!("!{e}"));
            let label = t.action.clone() + &exception.collect::<String>();
            (enabled(&t.source), label, enabled(&t.target))
        });
        Seen(edges.collect())
    }

    fn edge(&self, source: &str, label: &str, target: &str) -> bool {
        let set = |names: &str| names.split_whitespace().map(str::to_owned).collect();
        self.0
            .contains(&(set(source), label.to_owned(), set(target)))
    }

    fn has(&self, source: &str, label: &str, target: &str) {
        let there = self.edge(source, label, target);
        assert!(there, "{{{source}}} -{label}-> {{{target}}} is missing");
    }

    fn lacks(&self, source: &str, label: &str, target: &str) {
        let there = self.edge(source, label, target);
        assert!(!there, "{{{source}}} -{label}-> {{{target}}} is there");
    }
}

/// TOSEM §2: no removal leads back to the empty list, for `remove` does not count down. The correction adds just
/// that transition.
#[test]
fn list_cannot_be_emptied() {
    let (buggy, fixed) = (
        Seen::of("tosem-2013", "list_buggy"),
        Seen::of("tosem-2013", "list_fixed"),
    );
    buggy.has("add remove destroy", "remove", "add remove destroy");
    buggy.lacks("add remove destroy", "remove", "add destroy");
    fixed.has("add remove destroy", "remove", "add destroy");
    assert_eq!(fixed.0.difference(&buggy.0).count(), 1);
    assert_eq!(buggy.0.difference(&fixed.0).count(), 0);
}

/// TOSEM §5.3.1: a stream that was closed before it is connected can be connected and written to.
#[test]
fn piped_output_stream_is_not_closed_by_close() {
    let stream = Seen::of("tosem-2013", "piped_output_stream");
    stream.has("connect flush close", "close", "connect flush close");
    stream.has("connect flush close", "connect", "write flush close");
    // Once connected, it is as the documentation says.
    stream.has("write flush close", "close", "flush close");
}

/// TOSEM §5.3.4: a stream can be shut down that cannot be got, and a new connection may have neither. The
/// state-specific properties of the second EPA make both go away.
#[test]
fn socket_shuts_down_a_stream_that_is_not_there() {
    let first = Seen::of("tosem-2013", "socket_first");
    first.has(
        "connect bind close",
        "connect",
        "close shutdownOutput shutdownInput",
    );
    first.has("connect bind close", "connect", "close");
    let unheard = |seen: &Seen| {
        let without = |state: &BTreeSet<String>, shut: &str, get: &str| {
            state.contains(shut) && !state.contains(get)
        };
        let states = seen.0.iter().map(|edge| &edge.0);
        states
            .filter(|s| {
                without(s, "shutdownInput", "getInputStream")
                    || without(s, "shutdownOutput", "getOutputStream")
            })
            .count()
    };
    assert_ne!(unheard(&first), 0);
    let second = Seen::of("tosem-2013", "socket_second");
    assert_eq!(unheard(&second), 0);
    second.has(
        "connect bind close",
        "connect",
        "getOutputStream getInputStream close shutdownOutput shutdownInput",
    );
    let connections = |seen: &Seen| seen.0.iter().filter(|e| e.1 == "connect").count();
    // One from a new socket, one from a bound one.
    assert_eq!(connections(&second), 2);
}

/// TOSEM §5.3.6: `noop` after `mail` enables `mail` again; after `data`, `mail` is not enabled until a `noop` or
/// `rset`.
#[test]
fn smtp_server_forgets_what_came_before() {
    let server = Seen::of("tosem-2013", "smtp_server");
    let always = |more: &str| format!("ehlo verify rset noop {more}");
    server.has(&always("mail"), "mail", &always("rcpt"));
    server.has(&always("rcpt"), "noop", &always("mail rcpt"));
    server.has(&always("rcpt data"), "data", &always(""));
    server.lacks(&always("rcpt data"), "data", &always("mail"));
    server.has(&always(""), "noop", &always("mail"));
    server.has(&always(""), "rset", &always("mail"));
}

/// TSE §5.3: `takeCard` does not take the password back, so that the ATM never again asks for one. The published
/// run of 11 calls is not possible.
#[test]
fn atm_keeps_the_password() {
    let atm = Seen::of("tse-2012", "atm");
    let run = [
        "displayMainScreen",
        "insertCard",
        "requestPassword",
        "enterPassword",
        "canceledMessage",
        "ejectCard",
        "requestTakeCard",
        "takeCard",
        "displayMainScreen",
        "insertCard",
        "requestPassword",
    ];
    let path = folder("tse-2012").join("atm.tq");
    let initial = epa(&path).states.into_iter().filter(|s| s.initial);
    let mut states: BTreeSet<BTreeSet<String>> =
        initial.map(|s| s.enabled.into_iter().collect()).collect();
    for (calls, action) in run.iter().enumerate() {
        states = atm
            .0
            .iter()
            .filter(|(source, label, _)| states.contains(source) && label == action)
            .map(|(.., target)| target.clone())
            .collect();
        // Only the last call, the second request for a password, is one too many.
        assert_eq!(states.is_empty(), calls + 1 == run.len(), "{action}");
    }
}

/// TSE §2: the buffer's invariant lacks `rp != wp`. A write seems to empty it and a read to fill it; `reset` makes
/// `rp == wp`, and then nothing but `reset` is enabled. The correction takes just those two transitions away.
#[test]
fn circular_buffer_with_equal_pointers() {
    let weak = Seen::of("tse-2012", "circular_buffer_weak");
    let strong = Seen::of("tse-2012", "circular_buffer_strong");
    weak.has("write read", "write", "write");
    weak.has("write read", "read", "read");
    strong.lacks("write read", "write", "write");
    strong.lacks("write read", "read", "read");
    assert_eq!(weak.0.difference(&strong.0).count(), 2);
    assert_eq!(strong.0.difference(&weak.0).count(), 0);
    let reset = Seen::of("tse-2012", "circular_buffer_weak_reset");
    reset.has("write read reset", "reset", "reset");
}
