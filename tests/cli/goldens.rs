//! EPAs that others recorded, of Java classes that were written anew for this (`fixtures/java/goldens`): state for state and edge
//! for edge. What is expected stands in the reference of this project (java.md, §9; where said so, §7), and is restated here. Where
//! conditions were written by hand there, the bodies here throw by the same ones.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::epa::{list, states, text};
use crate::support::program::{stdout, tranquera};

/// The EPA of a class, as it is recorded.
struct Golden {
    class: &'static str,
    /// States and edges that end normally, constructors left out: as they are counted there.
    counts: (usize, usize),
    /// What can be called in every state, and stays there where no arrow says else.
    always: &'static str,
    /// A state a line, `NAME actions: action -> OTHER OTHER; action -> …`, with a star where an object may begin. What can be called
    /// and has no arrow stays there.
    states: &'static str,
}

/// What is compared.
#[derive(Debug, Default, PartialEq)]
struct Shape {
    /// `NAME actions`, with a star.
    states: BTreeSet<String>,
    /// `NAME: action -> OTHER`
    edges: BTreeSet<String>,
}

/// How sure the edges are that were expected.
#[derive(Clone, Copy, PartialEq)]
enum Pass {
    /// The first pass has no others.
    First,
    /// It has others, all of which the second pass refutes.
    Second,
}

impl Golden {
    /// The states: whether an object may begin there, name, actions, arrows.
    fn lines(&self) -> Vec<(bool, &str, BTreeSet<&str>, &str)> {
        let lines = self.states.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty()).map(|line| {
            let (state, arrows) = line.split_once(':').expect("a colon");
            let (name, actions) = state.split_once(' ').unwrap_or((state, ""));
            let actions = actions.split_whitespace();
            let actions = actions.chain(self.always.split_whitespace()).collect();
            let start = name.strip_prefix('*');
            (start.is_some(), start.unwrap_or(name), actions, arrows)
        });
        lines.collect()
    }

    fn shape(&self) -> Shape {
        let mut shape = Shape::default();
        let lines = self.lines();
        for (starts, name, actions, arrows) in &lines {
            shape.states.insert(state(*starts, name, actions));
            let mut stay = actions.clone();
            for arrow in arrows.split(';').filter(|arrow| !arrow.trim().is_empty()) {
                let (action, targets) = arrow.split_once("->").expect("an arrow");
                let action = action.trim();
                assert!(stay.remove(action), "{}: {name} {action}", self.class);
                for target in targets.split_whitespace() {
                    assert!(lines.iter().any(|line| line.1 == target), "{target}");
                    shape.edges.insert(edge(name, action, target));
                }
            }
            let stay = stay.iter().map(|action| edge(name, action, name));
            shape.edges.extend(stay);
        }
        let counted = (shape.states.len(), shape.edges.len());
        assert_eq!(counted, self.counts, "{}: restated wrongly", self.class);
        shape
    }

    /// The same of an EPA that was found.
    fn found(&self, epa: &Value) -> Shape {
        let lines = self.lines();
        let begun: BTreeSet<&str> = list(epa, "constructors")
            .filter(|made| made["exception"].is_null())
            .map(|made| text(made, "target"))
            .collect();
        let mut shape = Shape::default();
        let mut names: BTreeMap<&str, String> = BTreeMap::new();
        for (id, enabled) in states(epa) {
            let enabled: BTreeSet<String> = enabled.into_iter().map(without_blanks).collect();
            let enabled: BTreeSet<&str> = enabled.iter().map(String::as_str).collect();
            let known = lines.iter().find(|(_, _, actions, _)| *actions == enabled);
            let name = known.map_or(id, |line| line.1).to_owned();
            let begins = begun.contains(id);
            shape.states.insert(state(begins, &name, &enabled));
            names.insert(id, name);
        }
        for found in list(epa, "transitions").filter(|edge| edge["exception"].is_null()) {
            let (source, target) = (&names[text(found, "source")], &names[text(found, "target")]);
            let edge = edge(source, &without_blanks(text(found, "action")), target);
            shape.edges.insert(edge);
        }
        shape
    }

    /// That it comes out of the class file, and that each edge is confirmed or refuted by the second pass.
    fn comes_out(&self, pass: Pass) {
        let epa = self.epa();
        assert_eq!(self.found(&epa), self.shape(), "{}", self.class);
        assert_eq!(open(&epa), Vec::<&Value>::new(), "{}", self.class);
        let of_first_alone = ["states", "constructors", "transitions"]
            .map(|kind| epa["refuted"][kind].as_array().map_or(0, Vec::len));
        let is_exact = of_first_alone == [0; 3];
        assert_eq!(is_exact, pass == Pass::First, "{}", self.class);
    }

    fn epa(&self) -> Value {
        let class = format!("goldens.{}", self.class);
        let run = tranquera(["epa", "fixtures/java/goldens/classes", "--class", &class])
            .args(["--format", "json", "--confirm"])
            .assert()
            .success();
        serde_json::from_str(&stdout(&run)).expect("JSON")
    }
}

/// A name as it stands here: `write(byte[],int)`.
fn without_blanks(name: &str) -> String {
    name.replace(' ', "")
}

fn state(begins: bool, name: &str, actions: &BTreeSet<&str>) -> String {
    let star = if begins { "*" } else { "" };
    let actions: Vec<&str> = actions.iter().copied().collect();
    format!("{star}{name} {}", actions.join(" "))
}

fn edge(source: &str, action: &str, target: &str) -> String {
    format!("{source}: {action} -> {target}")
}

/// The edges that are not confirmed; those that are refuted are not there any more.
fn open(epa: &Value) -> Vec<&Value> {
    let edges = list(epa, "constructors").chain(list(epa, "transitions"));
    let is_open = |edge: &&Value| edge["confirmation"]["status"] != "confirmed";
    edges.filter(is_open).collect()
}

/// N: `next`; P: `previous`; R: `remove` and `set`. O: neither of them.
const LIST_ITERATOR: Golden = Golden {
    class: "ListItr6",
    counts: (7, 61),
    always: "add hasNext hasPrevious nextIndex previousIndex",
    states: "
        *O : add -> P
        *N next: add -> NP; next -> NPR PR
        *P previous: previous -> NPR NR
        *NP next previous: next -> NPR PR; previous -> NPR NR
        NPR next previous remove set: add -> NP; next -> NPR PR; previous -> NPR NR; remove -> NP N P
        PR previous remove set: add -> P; previous -> NPR NR; remove -> P O
        NR next remove set: add -> NP; next -> NPR PR; remove -> N O
    ",
};

#[test]
fn a_list_iterator() {
    LIST_ITERATOR.comes_out(Pass::Second);
}

/// Here `remove` goes to what was last come by, as in the recorded class. From the end of the list it never ends inside of it, since what
/// was last come by is right before the end: `lastRet >= 0 ==> cursor - lastRet <= 1`.
#[test]
fn a_list_iterator_that_goes_to_what_it_takes_out() {
    let golden = Golden {
        class: "ListItr",
        ..LIST_ITERATOR
    };
    golden.comes_out(Pass::Second);
}

/// §7: the list is an object of its own, whose `size` decides. What its own code keeps is found: `0 <= size <= data.length`.
#[test]
fn a_list_iterator_of_a_list_that_is_another_object() {
    let golden = Golden {
        class: "Sequence$Position",
        ..LIST_ITERATOR
    };
    golden.comes_out(Pass::Second);
}

#[test]
fn a_bounded_stack() {
    let golden = Golden {
        class: "MyBoundedStack",
        counts: (3, 12),
        always: "isEmpty isFull",
        states: "
            *Empty push: push -> Some
            Some push pop: push -> Some Full; pop -> Some Empty
            Full pop: pop -> Some
        ",
    };
    golden.comes_out(Pass::First);
}

const FINITE_STACK: Golden = Golden {
    class: "FiniteStack",
    counts: (3, 6),
    always: "",
    states: "
        *Empty Push: Push -> Some
        Some Push Pop: Push -> Some Full; Pop -> Some Empty
        Full Pop: Pop -> Some
    ",
};

#[test]
fn a_finite_stack() {
    FINITE_STACK.comes_out(Pass::First);
}

#[test]
fn a_signature() {
    let golden = Golden {
        class: "Signature",
        counts: (3, 19),
        always: "initSign initVerify getAlgorithm",
        states: "
            *I : initSign -> S; initVerify -> V
            S sign() sign(byte[],int,int) update(byte) update(byte[]) update(byte[],int,int): initVerify -> V
            V verify(byte[]) verify(byte[],int,int) update(byte) update(byte[]) update(byte[],int,int): initSign -> S
        ",
    };
    golden.comes_out(Pass::First);
}

/// O: connected; Q: its input is shut; N: its output is; D: both are, or it is closed. The first pass does not know that nothing is
/// shut before it is connected.
#[test]
fn a_socket_that_has_a_code_for_failure() {
    let golden = Golden {
        class: "Socket",
        counts: (6, 19),
        always: "",
        states: "
            *New connect bind close: bind -> Bound; connect -> O D; close -> D
            Bound connect close: connect -> O D; close -> D
            O getInputStream getOutputStream close shutdownInput shutdownOutput: shutdownInput -> Q; shutdownOutput -> N; close -> D
            Q getOutputStream close shutdownOutput: shutdownOutput -> D; close -> D
            N getInputStream close shutdownInput: shutdownInput -> D; close -> D
            D close:
        ",
    };
    golden.comes_out(Pass::Second);
}

/// As that of OpenJDK 17, which raises what was raised when it cannot connect (§7, too).
#[test]
fn a_socket_that_fails() {
    let golden = Golden {
        class: "Socket17",
        counts: (6, 17),
        always: "",
        states: "
            *New connect bind close: bind -> Bound; connect -> O; close -> D
            Bound connect close: connect -> O; close -> D
            O getInputStream getOutputStream close shutdownInput shutdownOutput: shutdownInput -> Q; shutdownOutput -> N; close -> D
            Q getOutputStream close shutdownOutput: shutdownOutput -> D; close -> D
            N getInputStream close shutdownInput: shutdownInput -> D; close -> D
            D close:
        ",
    };
    golden.comes_out(Pass::Second);
}

#[test]
fn an_archive_that_is_written() {
    let golden = Golden {
        class: "ZipOutputStream",
        counts: (3, 8),
        always: "",
        states: "
            *Open putNextEntry closeEntry close: putNextEntry -> Entry; close -> Closed
            Entry putNextEntry closeEntry close write: closeEntry -> Open; close -> Closed
            Closed close:
        ",
    };
    golden.comes_out(Pass::First);
}

/// §7: one byte can be written only inside of an entry, none anywhere; and `finish` does nothing the second time, so that an entry that was
/// begun in between stays open. The edges are worked out from this.
#[test]
fn an_archive_that_is_finished_once() {
    let golden = Golden {
        class: "ZipOutputStream17",
        counts: (3, 13),
        always: "",
        states: "
            *Open putNextEntry closeEntry finish close write(byte[],int,int): putNextEntry -> Entry; close -> Closed
            Entry putNextEntry closeEntry finish close write(byte[],int,int) write(int): closeEntry -> Open; finish -> Open Entry; close -> Closed
            Closed close:
        ",
    };
    golden.comes_out(Pass::First);
}

#[test]
fn a_writer_of_pages_that_takes_all_in_any_order() {
    let golden = Golden {
        class: "ToHTMLStream",
        counts: (1, 7),
        always: "setOutputFormat startDocumentInternal endDocument startElement endElement(String) endElement(String,String) characters",
        states: "*Any :",
    };
    golden.comes_out(Pass::First);
}

#[test]
fn a_connection_with_listeners() {
    let golden = Golden {
        class: "SftpConnection",
        counts: (4, 28),
        always: "",
        states: "
            *1 setConnectionListeners login: setConnectionListeners -> 2; login -> 3
            2 addConnectionListener getPWD login: login -> 4
            3 addConnectionListener setConnectionListeners disconnect isConnected getPWD: addConnectionListener -> 3 4; setConnectionListeners -> 4; disconnect -> 1
            4 disconnect list getPWD download removeFileOrDir upload setLocalPath sortLs chdir(String) chdir(String,boolean) getPermissions sortSize mkdir isConnected rename handleDownload handleUpload: disconnect -> 2
        ",
    };
    golden.comes_out(Pass::First);
}

const MAIL: Golden = Golden {
    class: "SMTPProcessor",
    counts: (4, 19),
    always: "",
    states: "
        *A HELO NOOP RSET QUIT MAIL_FROM: MAIL_FROM -> A B; QUIT -> D
        B HELO NOOP RSET QUIT RCPT_TO: HELO -> A; RSET -> A; RCPT_TO -> B C; QUIT -> D
        C HELO NOOP RSET QUIT RCPT_TO DATA: HELO -> A; RSET -> A; DATA -> A D; QUIT -> D
        D :
    ",
};

#[test]
fn a_mail_server() {
    MAIL.comes_out(Pass::First);
}

/// Two layers, before and after `auth`.
#[test]
fn a_mail_server_that_may_know_its_client() {
    let golden = Golden {
        class: "SMTPProcessor_h",
        counts: (11, 84),
        always: "",
        states: "
            *1 ehlo mail noop reset verify quit auth: ehlo -> 1 2; noop -> 1 2; verify -> 1 2; mail -> 3; reset -> 1; quit -> 11; auth -> 1 7
            2 ehlo mail noop reset verify quit auth rcpt: mail -> 3; rcpt -> 4; reset -> 1; quit -> 11; auth -> 2 8
            3 ehlo noop reset verify quit auth rcpt: ehlo -> 2; noop -> 2; verify -> 2; rcpt -> 4; reset -> 1; quit -> 11; auth -> 3 9
            4 ehlo noop reset verify quit auth rcpt data: ehlo -> 2; noop -> 2; verify -> 2; data -> 5; reset -> 1; quit -> 11; auth -> 4 10
            5 ehlo noop reset verify quit auth: ehlo -> 1 2; noop -> 1 2; verify -> 1 2; reset -> 1; quit -> 11; auth -> 5 6
            7 ehlo mail noop reset verify quit: ehlo -> 7 8; noop -> 7 8; verify -> 7 8; mail -> 9; quit -> 11
            8 ehlo mail noop reset verify quit rcpt: mail -> 9; rcpt -> 10; reset -> 7; quit -> 11
            9 ehlo noop reset verify quit rcpt: ehlo -> 8; noop -> 8; verify -> 8; rcpt -> 10; reset -> 7; quit -> 11
            10 ehlo noop reset verify quit rcpt data: ehlo -> 8; noop -> 8; verify -> 8; data -> 6; reset -> 7; quit -> 11
            6 ehlo noop reset verify quit: ehlo -> 7 8; noop -> 7 8; verify -> 7 8; reset -> 7; quit -> 11
            11 :
        ",
    };
    golden.comes_out(Pass::First);
}

/// W: somebody reads. An object that is made with its other end, which may be closed, begins there or where it is closed.
const PIPE: Golden = Golden {
    class: "PipedOutputStream",
    counts: (3, 10),
    always: "flush",
    states: "
        *New connect close: connect -> W Closed
        *W write(int) write(byte[],int,int) close: close -> Closed
        *Closed close:
    ",
};

#[test]
fn a_pipe() {
    PIPE.comes_out(Pass::First);
}

/// The condition of `connect` asks nothing of the other end.
#[test]
fn a_pipe_whose_conditions_are_methods() {
    let golden = Golden {
        class: "WrittenPipedOutputStream",
        // Without the constructor with an argument.
        states: "
            *New connect close: connect -> W Closed
            W write(int) write(byte[],int,int) close: close -> Closed
            Closed close:
        ",
        ..PIPE
    };
    golden.comes_out(Pass::First);
}

#[test]
fn a_finite_stack_whose_conditions_are_words() {
    let golden = Golden {
        class: "WrittenFiniteStack",
        ..FINITE_STACK
    };
    golden.comes_out(Pass::First);
}

#[test]
fn a_mail_server_whose_conditions_are_methods_with_the_names_of_actions() {
    let golden = Golden {
        class: "WrittenSMTPProcessor",
        ..MAIL
    };
    golden.comes_out(Pass::First);
}
