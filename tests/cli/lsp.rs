//! `tranquera lsp`, as an editor meets it: the real protocol over pipes.

mod languages;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::program::{PROGRAM, root};
use crate::support::protocol;

/// No answer takes longer, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(300);

const URI: &str = "file:///gate.tq";

const GATE: &str = "class Gate {
  var open: bool;
  constructor() { open := false; }
  action lift() requires !open { open := true; }
  action lower() requires open { open := false; }
}
";

/// An editor, with the server as its child.
struct Editor {
    server: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    last: u64,
    /// The document that it has open, and the state of it that it last told.
    uri: String,
    version: u64,
    /// What was said of that state, and not yet looked at.
    said: VecDeque<Value>,
    /// What it was asked to show, and where it cannot, told.
    shown: Vec<Value>,
}

impl Editor {
    fn new() -> Editor {
        let refreshes = json!({ "codeLens": { "refreshSupport": true } });
        let shows = json!({ "showDocument": { "support": true } });
        Editor::that_can(json!({ "workspace": refreshes, "window": shows }))
    }

    fn that_can(capabilities: Value) -> Editor {
        Editor::with(&mut Command::new(PROGRAM), capabilities)
    }

    /// An editor whose server is run so.
    fn with(server: &mut Command, capabilities: Value) -> Editor {
        let (server, to, from) = protocol::start(server);
        let mut editor = Editor {
            server,
            to,
            from,
            last: 0,
            uri: URI.to_owned(),
            version: 0,
            said: VecDeque::new(),
            shown: Vec::new(),
        };
        let told = editor.ask("initialize", json!({ "capabilities": capabilities }));
        for provider in [
            "documentFormattingProvider",
            "hoverProvider",
            "codeLensProvider",
            "definitionProvider",
            "codeActionProvider",
            "executeCommandProvider",
        ] {
            assert!(!told["capabilities"][provider].is_null(), "{provider}");
        }
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        protocol::send(&mut self.to, message).expect("it listens");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn next(&mut self) -> Value {
        let message = self.from.recv_timeout(PATIENCE).expect("a message");
        let method = message["method"].as_str().unwrap_or_default();
        if matches!(method, "window/showDocument" | "window/showMessage") {
            self.shown.push(message["params"].clone());
        }
        if method == "textDocument/publishDiagnostics" {
            let said = &message["params"];
            assert_eq!(said["uri"], self.uri.as_str());
            // What was said of it before an edit may come behind the edit.
            if said["version"] == self.version {
                self.said.push_back(said["diagnostics"].clone());
            }
        }
        message
    }

    /// The whole answer to a request.
    fn answer(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.answer(method, params)["result"].take()
    }

    /// What is said next of the document as it is now.
    fn diagnostics(&mut self) -> Value {
        loop {
            if let Some(said) = self.said.pop_front() {
                return said;
            }
            self.next();
        }
    }

    /// There is another state of the document, of which nothing was said yet.
    fn has_edited(&mut self) {
        self.version += 1;
        self.said.clear();
    }

    fn open(&mut self, text: &str) -> Value {
        self.has_edited();
        let document = json!({
            "uri": self.uri, "languageId": "tranquera", "version": self.version, "text": text,
        });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        self.diagnostics()
    }

    fn change(&mut self, text: &str) -> Value {
        self.has_edited();
        let document = json!({ "uri": self.uri, "version": self.version });
        let changes = json!([{ "text": text }]);
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.tell("textDocument/didChange", params);
        self.diagnostics()
    }

    fn lenses(&mut self) -> Vec<Value> {
        let document = json!({ "uri": self.uri });
        let lenses = self.ask("textDocument/codeLens", json!({ "textDocument": document }));
        lenses.as_array().expect("a list").clone()
    }

    /// The lenses, once there are as many; each as its line and its title.
    fn titles(&mut self, number: usize) -> Vec<String> {
        loop {
            let lenses = self.lenses();
            if lenses.len() == number {
                let shown = lenses.iter().map(|lens| {
                    let title = lens["command"]["title"].as_str().expect("a title");
                    format!("{}: {title}", lens["range"]["start"]["line"])
                });
                return shown.collect();
            }
            while self.next()["method"] != "workspace/codeLens/refresh" {}
        }
    }

    /// The title of the only lens, once the server says that there is one.
    fn lens(&mut self) -> String {
        let title = self.lens_command()["title"].take();
        title.as_str().expect("a title").to_owned()
    }

    /// What the only lens does, once the server says that there is one.
    fn lens_command(&mut self) -> Value {
        loop {
            if let [lens] = self.lenses().as_slice() {
                return lens["command"].clone();
            }
            while self.next()["method"] != "workspace/codeLens/refresh" {}
        }
    }

    /// What it is asked to show next.
    fn is_shown(&mut self) -> Value {
        while self.shown.is_empty() {
            self.next();
        }
        self.shown.remove(0)
    }

    /// What can be done about the text at this line.
    fn actions(&mut self, line: u32) -> Vec<Value> {
        let place = json!({ "line": line, "character": 0 });
        let params = json!({
            "textDocument": { "uri": self.uri },
            "range": { "start": place, "end": place },
            "context": { "diagnostics": [] },
        });
        let actions = self.ask("textDocument/codeAction", params);
        actions.as_array().expect("a list").clone()
    }

    /// The place of what the name at a place stands for.
    fn definition(&mut self, line: u32, character: u32) -> Value {
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": self.uri }, "position": position });
        self.ask("textDocument/definition", params)
    }

    fn hover(&mut self, line: u32, character: u32) -> Value {
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": self.uri }, "position": position });
        self.ask("textDocument/hover", params)["contents"]["value"].take()
    }

    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        drop(self.to);
        assert!(self.server.wait().expect("it ends").success());
    }
}

#[test]
fn a_session() {
    let mut editor = Editor::new();
    assert_eq!(editor.open(GATE), json!([]));
    assert_eq!(editor.lens(), "2 states");
    assert_eq!(
        editor.hover(4, 10),
        "`lower` can be called\n\n- in `{lower}`, it leads to `{lift}`"
    );
    assert_eq!(editor.hover(1, 7), "```tq\nvar open: bool\n```");
    assert_eq!(editor.hover(40, 1), Value::Null);

    // An edit: what is wrong is said with its place, in UTF-16, and with the way out.
    let wrong = GATE.replace("requires open", "requires /* 🐎 */ opne");
    let said = editor.change(&wrong);
    assert_eq!(said.as_array().expect("a list").len(), 1, "{said}");
    assert_eq!(
        said[0]["range"]["start"],
        json!({ "line": 4, "character": 35 })
    );
    assert_eq!(
        said[0]["range"]["end"],
        json!({ "line": 4, "character": 39 })
    );
    let message = said[0]["message"].as_str().expect("a text");
    assert!(
        message.contains("`opne`") && message.contains("`open`"),
        "{message}"
    );
    assert_eq!(
        editor.lenses(),
        Vec::<Value>::new(),
        "nothing is said of a text that is wrong"
    );

    // Another one: after `lift` nothing can be called.
    let stuck = GATE.replace("requires open {", "requires open && !open {");
    assert_eq!(editor.change(&stuck), json!([]));
    assert_eq!(editor.lens(), "2 states · 1 deadlock");
    // Which is worth a look, and so is what can never be called.
    let said = editor.diagnostics();
    let told = said.as_array().expect("a list").iter();
    let told = told.map(|one| {
        (
            &one["code"],
            &one["severity"],
            &one["range"]["start"]["line"],
        )
    });
    let of = |kind, line| (json!(kind), json!(3), json!(line));
    let expected = [of("deadlock-state", 0), of("missing-action", 4)];
    let expected = expected.iter().map(|(kind, how, line)| (kind, how, line));
    assert_eq!(told.collect::<Vec<_>>(), expected.collect::<Vec<_>>());

    // Formatting, and nothing to do where all is well.
    let document = json!({ "uri": URI });
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let format = json!({ "textDocument": document, "options": options });
    assert_eq!(
        editor.ask("textDocument/formatting", format.clone()),
        json!([])
    );
    editor.change(&GATE.replace("  action", "action"));
    let edits = editor.ask("textDocument/formatting", format);
    assert_eq!(edits[0]["newText"], GATE);
    let start = json!({ "line": 0, "character": 0 });
    assert_eq!(edits[0]["range"]["start"], start);

    // What is not there is said not to be.
    let answer = editor.answer("textDocument/rename", json!({}));
    assert_eq!(answer["error"]["code"], -32601);
    let answer = editor.answer("textDocument/hover", json!({}));
    assert_eq!(answer["error"]["code"], -32602);

    editor.tell(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": URI } }),
    );
    assert_eq!(editor.diagnostics(), json!([]));
    editor.end();
}

/// An EPA that takes long keeps nobody waiting: the next text is answered for, and its own EPA comes.
#[test]
fn an_edit_ends_what_is_computed_of_the_text_before() {
    let mut editor = Editor::new();
    let slow = std::fs::read_to_string(root().join("tests/support/fermat.tq")).expect("there");
    editor.open(&slow);
    for _ in 0..3 {
        assert_eq!(editor.change(GATE), json!([]));
        editor.change(&slow);
    }
    editor.change(GATE);
    assert_eq!(editor.lens(), "2 states");
    editor.end();
}

/// An editor that dies leaves no server behind.
#[test]
fn without_an_editor_it_ends() {
    let Editor { mut server, to, .. } = Editor::new();
    drop(to);
    server.wait().expect("it ends");
}

/// A text after an edit, as an editor makes it; places count UTF-16.
fn edited(text: &str, edit: &Value) -> String {
    let units: Vec<u16> = text.encode_utf16().collect();
    let offset = |place: &Value| {
        let number = |name: &str| place[name].as_u64().expect("a number") as usize;
        let newlines = units.iter().enumerate();
        let newlines = newlines.filter(|(_, unit)| **unit == u16::from(b'\n'));
        let mut starts = std::iter::once(0).chain(newlines.map(|(at, _)| at + 1));
        starts.nth(number("line")).expect("a line") + number("character")
    };
    let (start, end) = (
        offset(&edit["range"]["start"]),
        offset(&edit["range"]["end"]),
    );
    let part = |units: &[u16]| String::from_utf16(units).expect("UTF-16");
    let new = edit["newText"].as_str().expect("a text");
    format!("{}{new}{}", part(&units[..start]), part(&units[end..]))
}

/// Each message that has a way out is taken away by an edit; those of other lines stay.
#[test]
fn what_is_wrong_is_mended_by_quick_fixes() {
    let mut text = "class Gate {
  public var open: boolean;
  constructor() { open := False; } // 🐎
  action lift() requires /* 🐎 */ not opne { opne = true }
  action lower() requires open and True { open := false; }
}
"
    .to_owned();
    let mut editor = Editor::new();
    editor.open(&text);
    assert_eq!(editor.actions(0), Vec::<Value>::new());
    let mut titles = Vec::new();
    for line in [1, 2, 3, 4] {
        while let Some(action) = editor.actions(line).first() {
            assert_eq!(action["kind"], "quickfix");
            assert_eq!(action["diagnostics"].as_array().map(Vec::len), Some(1));
            titles.push(action["title"].as_str().expect("a title").to_owned());
            let edits = action["edit"]["changes"][URI].as_array().expect("edits");
            text = edits.iter().fold(text, |text, edit| edited(&text, edit));
            editor.change(&text);
            assert!(titles.len() < 20, "{titles:?}");
        }
    }
    let mended = "class Gate {
  var open: bool;
  constructor() { open := false; } // 🐎
  action lift() requires /* 🐎 */ not open { open := true; }
  action lower() requires open && true { open := false; }
}
";
    assert_eq!(text, mended, "{titles:#?}");
    // `not` ends somewhere else than `!` would, so that a word for a word is not offered.
    let said = editor.change(&text);
    assert_eq!(said.as_array().map(Vec::len), Some(1), "{said}");
    let text = text.replace("not open", "!open");
    assert_eq!(editor.change(&text), json!([]));
    assert_eq!(editor.lens(), "2 states");
    editor.end();
}

/// Over a field, where it is declared and where it is named: its type, and all clauses that speak of it.
#[test]
fn a_field_is_told_with_its_invariants() {
    let till = "class Till {
  const limit: int;
  var money: int;
  var open: bool;
  fact limit > 0;
  invariant money >= 0 && money <= limit;
  invariant full() ==> !open;
  constructor() { money := 0; open := true; }
  function full(): bool { money == limit }
  action put(n: nat) requires open && money + n <= limit { money := money + n; open := !full(); }
}
";
    let mut editor = Editor::new();
    assert_eq!(editor.open(till), json!([]));
    let money = "```tq\nvar money: int\ninvariant money >= 0 && money <= limit\ninvariant full() ==> !open\n```";
    let limit = "```tq\nconst limit: int\nfact limit > 0\ninvariant money >= 0 && money <= limit\ninvariant full() ==> !open\n```";
    let open = "```tq\nvar open: bool\ninvariant full() ==> !open\n```";
    for (line, character, wanted) in [
        (1, 8, limit),
        (2, 6, money),
        (3, 6, open),
        (5, 12, money),
        (6, 24, open),
        (8, 38, limit),
        // In the header of an action, but on a field.
        (9, 30, open),
    ] {
        assert_eq!(editor.hover(line, character), wanted, "{line}:{character}");
    }
    // A parameter is no field, and a function is none.
    assert_eq!(editor.hover(6, 12), Value::Null);
    assert_eq!(editor.hover(9, 76), Value::Null);
    editor.end();
}

#[test]
fn it_goes_to_definitions() {
    let mut editor = Editor::new();
    editor.open(GATE);
    let open = json!({ "line": 1, "character": 6 });
    // `open` in the constructor, in a contract, and behind it.
    for (line, character) in [(2, 18), (3, 26), (3, 29)] {
        let place = editor.definition(line, character);
        assert_eq!(place["uri"], URI, "{line}:{character}");
        assert_eq!(place["range"]["start"], open, "{line}:{character}");
    }
    // A word of the language, and a place that is not there.
    assert_eq!(editor.definition(0, 2), Value::Null);
    assert_eq!(editor.definition(40, 2), Value::Null);
    // Nothing is said of a text that is wrong.
    editor.change(&GATE.replace("lower()", "lower("));
    assert_eq!(editor.definition(2, 18), Value::Null);
    editor.end();
}

/// The text of a page, once it holds this.
fn page_with(file: &PathBuf, wanted: &str) -> String {
    for _ in 0..PATIENCE.as_millis() / 20 {
        match std::fs::read_to_string(file) {
            Ok(page) if page.contains(wanted) => return page,
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    panic!("no page with {wanted}")
}

#[test]
fn the_lens_opens_a_page_that_follows_the_text() {
    let mut editor = Editor::new();
    editor.open(GATE);
    let lens = editor.lens_command();
    let execute = json!({ "command": lens["command"], "arguments": lens["arguments"] });
    assert_eq!(
        editor.ask("workspace/executeCommand", execute.clone()),
        Value::Null
    );
    let shown = editor.is_shown();
    assert_eq!(shown["external"], true);
    let uri = shown["uri"].as_str().expect("an address").to_owned();
    let file = PathBuf::from(uri.strip_prefix("file://").expect("a file"));
    let page = page_with(&file, "action lower");
    assert!(page.starts_with("<!doctype html>") && page.contains("lift"));

    // Another text, and a wrong one in between: the page is of the last right one.
    editor.change(&GATE.replace("lower()", "lower("));
    editor.change(&GATE.replace("lower", "let_down"));
    assert!(!page_with(&file, "action let_down").contains("action lower"));

    // It is opened again where it was.
    assert_eq!(editor.ask("workspace/executeCommand", execute), Value::Null);
    assert_eq!(editor.is_shown()["uri"], uri.as_str());

    // What is no class of the text, and what is no command of ours, is left alone.
    for arguments in [
        json!([URI, "Nobody"]),
        json!(["file:///other.tq", "Gate"]),
        json!([]),
    ] {
        let execute = json!({ "command": "tranquera.page", "arguments": arguments });
        assert_eq!(editor.ask("workspace/executeCommand", execute), Value::Null);
    }
    editor.end();
    assert!(!file.exists(), "it goes with the server");
}

#[test]
fn an_editor_that_opens_no_pages_is_told_where_they_are() {
    let mut editor = Editor::that_can(json!({}));
    editor.open(GATE);
    let execute = json!({ "command": "tranquera.page", "arguments": [URI, "Gate"] });
    editor.ask("workspace/executeCommand", execute);
    let told = editor.is_shown();
    let message = told["message"].as_str().expect("a message");
    let uri = message.rsplit(' ').next().expect("an address");
    page_with(
        &PathBuf::from(uri.strip_prefix("file://").expect("a file")),
        "lower",
    );
    editor.end();
}
