//! What is written is read back; what other tools write is read; what is no EPA is refused, with its place.

use super::*;
use crate::epa::wire::{Certainty, ConstructorEdge, Epa, EpaFinding};
use crate::view::ViewError;
use crate::view::samples::{self, HOSTILE, constructor, table, transition};

/// What the format has a place for.
fn stripped(epa: &Epa) -> Epa {
    let mut epa = epa.clone();
    for edge in &mut epa.constructors {
        edge.reason = None;
        edge.confirmation = None;
    }
    for transition in &mut epa.transitions {
        transition.reason = None;
        transition.confirmation = None;
    }
    epa.refuted = None;
    epa.runs.clear();
    epa.findings.clear();
    epa.notes.clear();
    epa.stats = crate::epa::wire::EpaStats {
        precision: 1.0,
        ..Default::default()
    };
    epa
}

fn written(epa: &Epa) -> String {
    render(epa).unwrap()
}

#[test]
fn every_fixture_comes_back_as_it_went() {
    insta::glob!("../../..", "fixtures/*/*.epa.json", |path| {
        let text = std::fs::read_to_string(path).unwrap();
        let mut epa: Epa = serde_json::from_str(&text).unwrap();
        epa.stats.precision = 1.0;
        let back = read(&written(&epa)).unwrap();
        assert_eq!(back, stripped(&epa), "{}", path.display());
    });
}

#[test]
fn everything_comes_back_but_what_has_no_place() {
    let mut epa = samples::everything();
    epa.refuted = None;
    epa.runs.clear();
    epa.findings.clear();
    crate::epa::wire::sort_transitions(&mut epa);
    assert_eq!(read(&written(&epa)).unwrap(), stripped(&epa));
}

#[test]
fn hostile_names_come_back() {
    let mut epa = table("x", "", "", "", "");
    epa.class = HOSTILE.join(" ");
    // The last names hold characters that XML cannot; they are shown instead (see below).
    let names: Vec<&str> = HOSTILE.into_iter().filter(|n| xml_can_hold(n)).collect();
    epa.class = names.join(" ");
    assert!(names.len() > 10);
    for (i, name) in names.iter().enumerate() {
        epa.actions.push((*name).to_owned());
        epa.states.push(crate::epa::wire::EpaState {
            id: (*name).to_owned(),
            enabled: vec![(*name).to_owned()],
            initial: i == 0,
        });
        let mut edge = transition(name, name, names[0]);
        edge.outcome = Some((*name).to_owned());
        edge.exception = Some((*name).to_owned());
        epa.transitions.push(edge);
    }
    epa.constructors = vec![
        constructor("C(a\"b<&>)", names[0]),
        ConstructorEdge {
            target: None,
            exception: Some("E'\"".to_owned()),
            ..constructor("C(a\"b<&>)", "")
        },
    ];
    assert_eq!(read(&written(&epa)).unwrap(), stripped(&epa));
}

fn xml_can_hold(text: &str) -> bool {
    !text
        .chars()
        .any(|c| c < ' ' && !matches!(c, '\t' | '\n' | '\r'))
}

#[test]
fn characters_that_xml_cannot_hold_are_shown() {
    let mut epa = samples::linear();
    epa.class = "a\u{0}b\u{1b}[31m\u{ffff}".to_owned();
    let text = written(&epa);
    assert!(
        text.contains(r#"name="a\u{0}b\u{1b}[31m\u{ffff}""#),
        "{text}"
    );
    assert!(read(&text).is_ok());
}

#[test]
fn the_initial_state_and_the_error_state_keep_out_of_the_way() {
    // States that are called as the two are.
    let mut epa = table(
        "C",
        "a,b",
        "I={a} ERROR={b}",
        "C()->I",
        "I: a->ERROR\nERROR: b->I",
    );
    let text = written(&epa);
    assert!(text.contains(r#"initial_state="I_2""#), "{text}");
    assert!(text.contains(r#"<state name="ERROR_2">"#), "{text}");
    epa.states[1].id = "ERROR_2".to_owned();
    epa.transitions[0].target = "ERROR_2".to_owned();
    epa.transitions[1].source = "ERROR_2".to_owned();
    assert_eq!(read(&text).unwrap(), stripped(&epa));
}

#[test]
fn an_action_that_always_breaks_the_invariant_comes_back_as_a_finding() {
    let mut epa = table("C", "a,b", "S1={a,b}", "C()->S1", "S1: a->S1");
    let always = |state: Option<&str>, action: &str| EpaFinding {
        kind: ALWAYS.to_owned(),
        state: state.map(str::to_owned),
        action: Some(action.to_owned()),
        message: String::new(),
        run: None,
    };
    // That only one of its ends always breaks the invariant has no place in the format.
    epa.findings = vec![
        always(None, "D()"),
        always(Some("S1"), "b"),
        always(Some("S1"), "a"),
    ];
    let back = read(&written(&epa)).unwrap();
    let found: Vec<_> = back
        .findings
        .iter()
        .map(|f| (f.kind.as_str(), f.state.as_deref(), f.action.as_deref()))
        .collect();
    assert_eq!(
        found,
        [(ALWAYS, None, Some("D()")), (ALWAYS, Some("S1"), Some("b"))]
    );
    assert_eq!(back.states, epa.states);
    assert_eq!(back.transitions, epa.transitions);
    assert_eq!(back.constructors, epa.constructors);
}

const ALWAYS: &str = "always-violates";

#[test]
fn what_the_format_cannot_tell_apart_is_not_written() {
    let refused = |epa: &Epa| match render(epa) {
        Err(ViewError::NotInXml { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    let mut both = samples::linear();
    both.constructors[0].name = "a0".to_owned();
    assert_eq!(refused(&both), "`a0` is both an action and a constructor");
    let mut ok = samples::linear();
    ok.transitions[0].exception = Some("Ok".to_owned());
    assert_eq!(refused(&ok), "an exception is called `Ok`");
    let mut nowhere = samples::linear();
    nowhere.constructors[0].target = None;
    assert_eq!(refused(&nowhere), "the constructor `Linear()` ends nowhere");
    let mut dangling = samples::linear();
    dangling.transitions[0].target = "S9".to_owned();
    assert!(
        matches!(render(&dangling), Err(ViewError::UnknownState { state, .. }) if state == "S9")
    );
}

/// A text as Contractor.NET writes it: constructors without parentheses, getters, every attribute.
#[test]
fn a_text_in_the_manner_of_contractor_net() {
    let text = "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?>
<abstraction initial_state=\"0\" input_format=\"code-with-pre\" name=\"Shop.Gate\">
  <label name=\"Open\" />
  <label name=\"get_N\" />
  <label name=\"Gate\" />
  <state name=\"0\">
    <enabled_label name=\"Gate\" />
    <transition destination=\"1\" label=\"Gate\" uncertain=\"false\" violates_invariant=\"false\" />
  </state>
  <state name=\"1\">
    <enabled_label name=\"get_N\" />
    <enabled_label name=\"Open\" />
    <transition destination=\"1\" label=\"get_N\" uncertain=\"false\" violates_invariant=\"false\" />
    <transition destination=\"2\" label=\"Open\" uncertain=\"True\" violates_invariant=\"true\" />
  </state>
  <state name=\"2\">
    <enabled_label name=\"get_N\" />
    <transition destination=\"2\" label=\"get_N\" uncertain=\"false\" violates_invariant=\"false\" />
  </state>
</abstraction>";
    let mut wanted = table(
        "Shop.Gate",
        "Open,get_N",
        "1={Open,get_N} 2={get_N}",
        "Gate->1",
        "1: Open->2; get_N->1\n2: get_N->2",
    );
    wanted.transitions[0].verdict = Certainty::Maybe;
    wanted.transitions[0].violates_invariant = true;
    assert_eq!(read(text).unwrap(), stripped(&wanted));
}

/// A text as contractorj writes it: states named by what they enable, exceptional ends, the state ERROR.
#[test]
fn a_text_in_the_manner_of_contractorj() {
    let text = r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!DOCTYPE abstraction [ <!ENTITY x "y"> ]>
<abstraction initial_state="Pipe()" input_format="code-with-pre-methods" name="examples.Pipe">
    <label name="Pipe()"/>
    <label name="close()"/>
    <label name="write(int)"/>
    <label name="break()"/>
    <state name="close()$write(int)">
        <enabled_label name="close()"/>
        <enabled_label name="write(int)"/>
        <enabled_label name="break()"/>
        <transition destination="close()$write(int)" exitCode="Ok" label="write(int)" uncertain="false" violates_invariant="false"/>
        <transition destination="close()$write(int)" exitCode="Exception" label="write(int)" uncertain="false" violates_invariant="false"/>
        <transition destination="ERROR" exitCode="Exception" label="write(int)" uncertain="false" violates_invariant="true"/>
        <transition destination="ERROR" exitCode="Ok" label="break()" uncertain="false" violates_invariant="true"/>
    </state>
    <!-- a state in the middle -->
    <state name="Pipe()">
        <enabled_label name="Pipe()"/>
        <transition destination="close()$write(int)" exitCode="Ok" label="Pipe()" uncertain="false" violates_invariant="false"/>
        <transition destination="Pipe()" exitCode="Exception" label="Pipe()" uncertain="false" violates_invariant="false"/>
    </state>
    <state name="ERROR"/>
</abstraction>
"#;
    let epa = read(text).unwrap();
    assert_eq!(epa.actions, ["close()", "write(int)", "break()"]);
    assert_eq!(epa.states.len(), 1);
    assert!(epa.states[0].initial);
    let edges: Vec<_> = epa
        .transitions
        .iter()
        .map(|t| {
            (
                t.action.as_str(),
                t.exception.as_deref(),
                t.violates_invariant,
            )
        })
        .collect();
    assert_eq!(
        edges,
        [
            ("write(int)", None, false),
            ("write(int)", Some("Exception"), true)
        ]
    );
    let made: Vec<_> = epa
        .constructors
        .iter()
        .map(|c| (c.target.as_deref(), c.exception.as_deref()))
        .collect();
    assert_eq!(
        made,
        [
            (Some("close()$write(int)"), None),
            (None, Some("Exception"))
        ]
    );
    assert_eq!(epa.findings.len(), 1);
    assert_eq!(epa.findings[0].action.as_deref(), Some("break()"));
}

#[test]
fn little_is_needed() {
    // No header, no labels, no truth values, a prefix, unknown elements and attributes, text.
    let text = r#"<x:abstraction initial_state='i'>some text
        <history><state name="no"/><transition/></history>
        <state name="i"><transition label="C" destination="s" colour="red"/></state>
        <state name="s"><enabled_label name="b"/><enabled_label name="a"/><enabled_label name="a"/>
          <note><transition/></note><transition label="a" destination="s"/></state>
      </x:abstraction>"#;
    let epa = read(text).unwrap();
    let mut wanted = table("", "b,a", "s={b,a}", "C->s", "s: a->s");
    wanted.stats = epa.stats.clone();
    assert_eq!(epa, wanted);
}

#[test]
fn an_initial_state_that_is_entered_is_a_state() {
    let text = r#"<abstraction initial_state="s" name="C"><label name="a"/>
        <state name="s"><enabled_label name="a"/><transition label="a" destination="t"/></state>
        <state name="t"><enabled_label name="b"/><transition label="b" destination="s"/></state></abstraction>"#;
    let epa = read(text).unwrap();
    let wanted = table(
        "C",
        "a,b",
        "s={a} t={b}",
        "initially->s",
        "s: a->t\nt: b->s",
    );
    assert_eq!(epa, stripped(&wanted));
}

#[test]
fn a_state_called_error_may_be_one() {
    let text = r#"<abstraction initial_state="i"><state name="i"><transition label="C" destination="ERROR"/></state>
        <state name="ERROR"/></abstraction>"#;
    let epa = read(text).unwrap();
    assert_eq!(epa.states.len(), 1);
    assert_eq!(epa.states[0].id, "ERROR");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, offset, problem) in [
        ("", Some(0), "there is no element `abstraction`"),
        ("hello", Some(5), "there is no element `abstraction`"),
        ("<a/>", Some(0), "the root element is `a`"),
        (
            "<abstraction/>",
            Some(0),
            "`abstraction` has no attribute `initial_state`",
        ),
        (
            "<abstraction initial_state='i'/><b/>",
            Some(32),
            "the root element is `b`",
        ),
        (
            "<abstraction initial_state='i'>",
            Some(31),
            "ends before its last element",
        ),
        (
            "<abstraction initial_state='i'></b>",
            Some(31),
            "not well-formed",
        ),
        ("<abstraction initial_state='i'", Some(0), "not well-formed"),
        (
            "<abstraction initial_state='i' initial_state='j'/>",
            Some(0),
            "is there twice",
        ),
        (
            "<abstraction initial_state='&x;'/>",
            Some(0),
            "not well-formed",
        ),
        (
            "<abstraction initial_state='i'><state/></abstraction>",
            Some(31),
            "`state` has no attribute `name`",
        ),
        (
            "<abstraction initial_state='i'><state name='i'><transition label='a'/></state></abstraction>",
            Some(47),
            "`transition` has no attribute `destination`",
        ),
        (
            "<abstraction initial_state='i'><state name='i'><transition label='a' destination='i' uncertain='perhaps'/></state></abstraction>",
            Some(47),
            "`uncertain` is `perhaps`",
        ),
        (
            "<abstraction initial_state='i'/>",
            None,
            "the state `i`, which is not listed",
        ),
        (
            "<abstraction initial_state='i'><state name='i'><transition label='C' destination='s'/></state></abstraction>",
            None,
            "`C` begins or ends at the state `s`",
        ),
        (
            "<abstraction initial_state='i'><state name='i'/><state name='s'/><state name='s'/></abstraction>",
            None,
            "two states `s`",
        ),
        (
            "<abstraction initial_state='i'><state name='i'/><state name='s'/><state name='t'/></abstraction>",
            None,
            "`s` and `t` enable the same actions",
        ),
        (
            "<abstraction initial_state='i'><state name='i'><transition label='C' destination='s'/><transition label='C' destination='s' uncertain='1'/></state><state name='s'/></abstraction>",
            None,
            "is there twice",
        ),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.to_string().contains(problem), "{text}: {error}");
        assert_eq!(error.offset(), offset, "{text}: {error}");
    }
}

#[test]
fn deep_nesting_and_entities_do_no_harm() {
    let deep = format!("<abstraction initial_state='i'>{}", "<a>".repeat(200_000));
    assert!(read(&deep).is_err());
    let deep = format!(
        "<abstraction initial_state='i'><state name='i'>{}{}</state></abstraction>",
        "<a>".repeat(100_000),
        "</a>".repeat(100_000)
    );
    assert!(read(&deep).is_ok());
    let bomb =
        "<!DOCTYPE a [<!ENTITY b '&c;&c;'><!ENTITY c '&b;&b;'>]><abstraction initial_state='&b;'/>";
    assert!(read(bomb).is_err());
}
