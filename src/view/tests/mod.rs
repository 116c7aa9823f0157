//! Tests of what every view must keep: formats, options, hostile names, determinism. The pictures' geometry has its
//! own tests in [`pictures`].

mod pictures;

use super::*;
use crate::epa::wire::Certainty;
use samples::HOSTILE;

fn show(epa: &Epa, format: EpaFormat) -> String {
    render(epa, format, &ViewOptions::default()).unwrap()
}

fn with(epa: &Epa, format: EpaFormat, change: fn(&mut ViewOptions)) -> String {
    let mut options = ViewOptions::default();
    change(&mut options);
    render(epa, format, &options).unwrap()
}

#[test]
fn texts_people_read() {
    for (name, epa) in [
        ("vending_machine", samples::vending_machine()),
        ("finite_stack", samples::finite_stack()),
        ("everything", samples::everything()),
    ] {
        // A page is looked at in a browser (`tests/page`), and holds the whole of its script.
        for format in EpaFormat::ALL.into_iter().filter(|f| *f != EpaFormat::Html) {
            insta::assert_snapshot!(format!("{name}_{format}"), show(&epa, format));
        }
    }
}

#[test]
fn texts_with_exceptional_edges() {
    for format in [
        EpaFormat::Text,
        EpaFormat::Dot,
        EpaFormat::Mermaid,
        EpaFormat::Svg,
    ] {
        let text = with(&samples::everything(), format, |o| o.exceptional = true);
        insta::assert_snapshot!(format!("exceptional_{format}"), text);
    }
}

#[test]
fn a_narrow_terminal() {
    let text = with(&samples::atm(), EpaFormat::Text, |o| o.width = 50);
    assert!(
        text.lines().all(|line| line.chars().count() <= 50),
        "{text}"
    );
    insta::assert_snapshot!(text);
}

#[test]
fn json_comes_back_as_it_went() {
    for (name, epa) in samples::all() {
        let text = show(&epa, EpaFormat::Json);
        let back: Epa = serde_json::from_str(&text).unwrap();
        assert_eq!(back, epa, "{name}");
        // The options of the views for people leave it alone.
        let bare = with(&epa, EpaFormat::Json, |o| o.idle_loops = false);
        assert_eq!(bare, text, "{name}");
    }
}

#[test]
fn json_has_the_fields_of_the_schema() {
    let json: serde_json::Value =
        serde_json::from_str(&show(&samples::vending_machine(), EpaFormat::Json)).unwrap();
    let keys = |value: &serde_json::Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    let top = [
        "actions",
        "class",
        "constructors",
        "findings",
        "schema",
        "states",
        "stats",
        "transitions",
    ];
    assert_eq!(keys(&json), top);
    assert_eq!(json["schema"], "tranquera/epa/1");
    assert_eq!(keys(&json["states"][0]), ["enabled", "id", "initial"]);
    let transition = [
        "action",
        "confirmation",
        "exception",
        "outcome",
        "reason",
        "source",
        "target",
        "verdict",
        "violates_invariant",
    ];
    assert_eq!(keys(&json["transitions"][0]), transition);
}

#[test]
fn every_text_ends_with_one_newline() {
    for (name, epa) in samples::all() {
        for format in EpaFormat::ALL {
            let text = show(&epa, format);
            assert!(
                text.ends_with('\n') && !text.ends_with("\n\n"),
                "{name} {format}"
            );
        }
    }
}

#[test]
fn the_same_epa_always_gives_the_same_text() {
    // `dagre` numbers helper nodes with a counter that lives as long as the process: it must not show.
    for epa in [samples::list_itr(), samples::scattered(16, 80, 7)] {
        let first = show(&epa, EpaFormat::Svg);
        for _ in 0..4 {
            assert!(show(&epa, EpaFormat::Svg) == first);
        }
    }
}

#[test]
fn formats_have_one_list_of_names() {
    for format in EpaFormat::ALL {
        assert_eq!(format.name().parse(), Ok(format));
        assert_eq!(format.to_string(), format.name());
        let value = clap::ValueEnum::to_possible_value(&format).unwrap();
        assert_eq!(value.get_name(), format.name());
    }
    let variants = <EpaFormat as clap::ValueEnum>::value_variants();
    assert_eq!(variants, EpaFormat::ALL);
    assert_eq!(EpaFormat::default(), EpaFormat::Text);
    let error = "pdf".parse::<EpaFormat>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no format `pdf` (there are: text, json, dot, svg, mermaid, xml, html)"
    );
}

#[test]
fn colour_only_where_asked() {
    let epa = samples::everything();
    let plain = show(&epa, EpaFormat::Text);
    let coloured = with(&epa, EpaFormat::Text, |o| o.colour = true);
    assert!(!plain.contains('\u{1b}'));
    assert!(coloured.contains('\u{1b}'));
    let codes = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    assert_eq!(codes.replace_all(&coloured, ""), plain);
}

#[test]
fn a_legend_only_for_marks_that_occur() {
    let legend = |epa: &Epa| Drawing::of(epa, &ViewOptions::default()).unwrap().legend;
    assert_eq!(legend(&samples::door()), []);
    assert_eq!(
        legend(&samples::everything()),
        [
            drawing::MAYBE,
            drawing::VIOLATES,
            drawing::UNCONFIRMED,
            drawing::REFUTED
        ]
    );
    assert!(!show(&samples::door(), EpaFormat::Text).contains("Legend"));
    let mut epa = samples::door();
    epa.transitions[0].verdict = Certainty::Maybe;
    assert_eq!(legend(&epa), [drawing::MAYBE]);
}

#[test]
fn edges_with_the_same_ends_and_look_are_one() {
    // The reference's ATM: 30 transitions between 8 states. S1, S2, S5, S8 have two loops each, S6 three, and no
    // two others share both ends: 30 - 4 - 2 = 24, and the constructor's.
    let drawing = Drawing::of(&samples::atm(), &ViewOptions::default()).unwrap();
    assert_eq!(drawing.edges.len(), 25);
    let labels: usize = drawing.edges.iter().map(|e| e.labels.len()).sum();
    assert_eq!(labels, 30);
}

#[test]
fn constructors_with_the_same_edges_share_a_start() {
    let drawing = Drawing::of(&samples::finite_stack(), &ViewOptions::default()).unwrap();
    let names = vec!["FiniteStack()".to_owned(), "FiniteStack(int)".to_owned()];
    assert_eq!(
        drawing.nodes[0],
        drawing::DrawnNode::Start {
            constructors: names
        }
    );
    assert_eq!(drawing.nodes.len(), 4);
    // One start for one constructor with four targets.
    let drawing = Drawing::of(&samples::list_itr(), &ViewOptions::default()).unwrap();
    assert_eq!(drawing.nodes.len(), 8);
    assert_eq!(drawing.edges.iter().filter(|e| e.source == 0).count(), 4);
}

#[test]
fn idle_loops_can_be_hidden_and_are_counted() {
    // get_N loops in each of the four states, and does nothing else.
    let epa = samples::linear();
    let options = ViewOptions {
        idle_loops: false,
        ..ViewOptions::default()
    };
    let drawing = Drawing::of(&epa, &options).unwrap();
    assert_eq!(drawing.hidden.idle_loops, 4);
    assert!(drawing.edges.iter().all(|e| e.source != e.target));
    // Pop and Push of FiniteStack loop in S2, but not only: these loops stay.
    let drawing = Drawing::of(&samples::finite_stack(), &options).unwrap();
    assert_eq!(drawing.hidden.idle_loops, 6);
    assert_eq!(
        drawing
            .edges
            .iter()
            .filter(|e| e.source == e.target)
            .count(),
        1
    );
    let text = with(&epa, EpaFormat::Text, |o| o.idle_loops = false);
    assert!(text.contains("not shown: 4 self loops"), "{text}");
}

#[test]
fn exceptional_edges_are_hidden_unless_asked_for_and_are_counted() {
    let epa = samples::everything();
    let drawing = Drawing::of(&epa, &ViewOptions::default()).unwrap();
    // `send ! Timeout`, and the constructor that ends in `Refused`.
    assert_eq!(drawing.hidden.exceptional, 2);
    for format in [
        EpaFormat::Text,
        EpaFormat::Dot,
        EpaFormat::Svg,
        EpaFormat::Mermaid,
    ] {
        assert!(!show(&epa, format).contains("Timeout"), "{format}");
        let all = with(&epa, format, |o| o.exceptional = true);
        assert!(
            all.contains("send ! Timeout") && all.contains("Refused"),
            "{format}"
        );
    }
}

#[test]
fn every_transition_is_in_every_view() {
    for (name, epa) in samples::all() {
        let options = ViewOptions {
            exceptional: true,
            ..ViewOptions::default()
        };
        let drawing = Drawing::of(&epa, &options).unwrap();
        let mut drawn: Vec<usize> = drawing
            .edges
            .iter()
            .flat_map(|e| &e.labels)
            .filter_map(|l| l.transition)
            .collect();
        drawn.sort_unstable();
        assert_eq!(
            drawn,
            (0..epa.transitions.len()).collect::<Vec<_>>(),
            "{name}"
        );
        let svg = render(&epa, EpaFormat::Svg, &options).unwrap();
        for index in drawn {
            assert!(
                svg.contains(&format!("data-transition=\"{index}\"")),
                "{name}"
            );
        }
    }
}

#[test]
fn an_edge_to_a_state_that_is_not_listed_is_an_error() {
    let mut epa = samples::door();
    epa.transitions
        .push(samples::transition("S1", "Open", "S9"));
    for format in [
        EpaFormat::Text,
        EpaFormat::Dot,
        EpaFormat::Svg,
        EpaFormat::Mermaid,
    ] {
        let error = render(&epa, format, &ViewOptions::default())
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "an edge of the EPA of Door ends at the state `S9`, which the EPA does not list"
        );
    }
}

#[test]
fn a_picture_too_large_is_an_error() {
    let epa = samples::scattered(400, 500, 3);
    let error = render(&epa, EpaFormat::Svg, &ViewOptions::default()).unwrap_err();
    assert!(matches!(error, ViewError::TooLarge { .. }), "{error}");
    assert!(error.to_string().contains("use `dot` or `json`"), "{error}");
    show(&epa, EpaFormat::Dot);
}

#[test]
fn no_view_for_people_prints_a_control_character() {
    let hidden = |c: &char| c.is_control() && *c != '\n' || matches!(c, '\u{202a}'..='\u{202e}');
    for format in [
        EpaFormat::Text,
        EpaFormat::Dot,
        EpaFormat::Svg,
        EpaFormat::Mermaid,
    ] {
        let text = with(&samples::hostile(), format, |o| o.exceptional = true);
        assert_eq!(text.chars().find(hidden), None, "{format}");
    }
}

#[test]
fn hostile_names_do_not_break_svg() {
    let svg = with(&samples::hostile(), EpaFormat::Svg, |o| {
        o.exceptional = true
    });
    // The only tags are ours, and each is closed: nothing a name holds became markup.
    let tag = regex::Regex::new(r#"<(/?)([a-z]+)((?: [a-zA-Z-]+="[^"<]*")*)(/?)>"#).unwrap();
    let style = svg.find("<style>").unwrap()..svg.find("</style>").unwrap();
    let mut open = Vec::new();
    let mut angle = 0;
    for found in tag.captures_iter(&svg) {
        angle += 1;
        let name = found[2].to_owned();
        let known = [
            "svg", "title", "desc", "style", "rect", "g", "path", "polygon", "text", "circle",
        ];
        assert!(known.contains(&name.as_str()), "{name}");
        match (&found[1], &found[4]) {
            ("", "") => open.push(name),
            ("/", _) => assert_eq!(open.pop(), Some(name)),
            _ => {}
        }
    }
    assert_eq!(open, Vec::<String>::new());
    assert_eq!(
        svg.matches('<').count(),
        angle,
        "a `<` that begins no tag of ours"
    );
    assert!(!svg[style].contains('"') || !svg.contains("<script"));
    // Every `&` begins an entity.
    let entity = regex::Regex::new(r"&(#[0-9]+|#x[0-9a-f]+|amp|lt|gt|quot);").unwrap();
    assert_eq!(svg.matches('&').count(), entity.find_iter(&svg).count());
}

#[test]
fn hostile_names_do_not_break_dot() {
    let dot = with(&samples::hostile(), EpaFormat::Dot, |o| {
        o.exceptional = true
    });
    // Every line that is not the frame is `"id" [key=…]` or `"id" -> "id" [key=…]` with well-formed strings.
    let string = r#""(?:[^"\\]|\\.)*""#;
    let line = regex::Regex::new(&format!(
        r#"^  (?:{string}|graph|node|edge)(?: -> {string})? \[(?:[a-z]+=(?:{string}|[A-Za-z0-9.]+)(?:, )?)*\]$"#
    ))
    .unwrap();
    let frame = regex::Regex::new(&format!(r"^(digraph {string} \{{|\}}|)$")).unwrap();
    for text in dot.lines() {
        assert!(line.is_match(text) || frame.is_match(text), "{text}");
    }
    // An entity in a name is shown as it is written.
    assert!(dot.contains("&amp;lt;b&amp;gt;"));
}

#[test]
fn hostile_names_do_not_break_mermaid() {
    let text = with(&samples::hostile(), EpaFormat::Mermaid, |o| {
        o.exceptional = true
    });
    let word = r"(?:[\w ,.()?!]|#[0-9]+;|<br>)*";
    let line = regex::Regex::new(&format!(
        r#"^    (?:direction TB|state "{word}" as \w+|(?:\w+|\[\*\]) --> \w+(?: : {word})?|classDef [a-z]+ [a-z0-9:# -]+|class [\w,]+ [a-z]+|%% {word})$"#
    ))
    .unwrap();
    let body = text.split_once("stateDiagram-v2\n").unwrap().1;
    for text in body.lines().filter(|l| !l.is_empty()) {
        assert!(line.is_match(text), "{text}");
    }
}

#[test]
fn escapes() {
    assert_eq!(escape::visible("a\tb\u{202e}ñ"), "a\\u{9}b\\u{202e}ñ");
    assert_eq!(
        escape::dot_label("a\"\\&lt;\n"),
        "a\\\"\\\\&amp;lt;\\\\u{a}"
    );
    assert_eq!(escape::dot_id("a&b"), "a&b");
    assert_eq!(
        escape::mermaid("a[b]: \"c\" ;#35;"),
        "a#91;b#93;#58; #34;c#34; #59;#35;35#59;"
    );
    assert_eq!(escape::mermaid("FiniteStack(int)"), "FiniteStack(int)");
    for name in HOSTILE {
        assert!(!escape::mermaid(name).contains(['"', ':', '<', '%', '\n']));
    }
}

#[test]
fn ids_stay_apart_and_no_word_of_mermaid_is_one() {
    let mut epa = samples::table(
        "C",
        "a",
        "end={a} S__1={} a-b={} state_={} start={a}",
        "C()->end",
        "end: a->S__1",
    );
    epa.states[1].enabled.push("a".to_owned());
    let drawing = Drawing::of(&epa, &ViewOptions::default()).unwrap();
    let mermaid = show(&epa, EpaFormat::Mermaid);
    for id in ["state_", "state__2", "state__3", "state__4", "start"] {
        assert_eq!(
            mermaid.matches(&format!(" as {id}\n")).count(),
            1,
            "{id}\n{mermaid}"
        );
    }
    let ids = drawing.node_ids(str::to_owned);
    assert_eq!(ids, ["start_2", "end", "S__1", "a-b", "state_", "start"]);
}
