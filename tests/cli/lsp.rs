//! `tranquera lsp`, as an editor meets it: the real protocol over pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::program::{PROGRAM, root};

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
}

impl Editor {
    fn new() -> Editor {
        let mut server = Command::new(PROGRAM)
            .args(["lsp", "--stdio"])
            .env("TRANQUERA_CACHE", "off")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        let (send, from) = channel();
        let mut output = BufReader::new(server.stdout.take().expect("piped"));
        std::thread::spawn(move || {
            while let Some(message) = message(&mut output) {
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        let to = server.stdin.take().expect("piped");
        let mut editor = Editor {
            server,
            to,
            from,
            last: 0,
        };
        let refreshes = json!({ "workspace": { "codeLens": { "refreshSupport": true } } });
        let told = editor.ask("initialize", json!({ "capabilities": refreshes }));
        for provider in [
            "documentFormattingProvider",
            "hoverProvider",
            "codeLensProvider",
        ] {
            assert!(!told["capabilities"][provider].is_null(), "{provider}");
        }
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it listens");
        self.to.flush().expect("it listens");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn next(&self) -> Value {
        self.from.recv_timeout(PATIENCE).expect("a message")
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

    /// What a text is said to have, after it was opened or changed.
    fn diagnostics(&mut self) -> Value {
        loop {
            let mut message = self.next();
            if message["method"] == "textDocument/publishDiagnostics" {
                assert_eq!(message["params"]["uri"], URI);
                return message["params"]["diagnostics"].take();
            }
        }
    }

    fn open(&mut self, text: &str) -> Value {
        let document = json!({ "uri": URI, "languageId": "tranquera", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        self.diagnostics()
    }

    fn change(&mut self, text: &str) -> Value {
        let document = json!({ "uri": URI, "version": 2 });
        let changes = json!([{ "text": text }]);
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.tell("textDocument/didChange", params);
        self.diagnostics()
    }

    /// The title of the only lens, once the server says that there is one.
    fn lens(&mut self) -> String {
        loop {
            let lenses = self.ask(
                "textDocument/codeLens",
                json!({ "textDocument": { "uri": URI } }),
            );
            if let [lens] = lenses.as_array().expect("a list").as_slice() {
                return lens["command"]["title"]
                    .as_str()
                    .expect("a title")
                    .to_owned();
            }
            while self.next()["method"] != "workspace/codeLens/refresh" {}
        }
    }

    fn hover(&mut self, line: u32, character: u32) -> Value {
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": URI }, "position": position });
        self.ask("textDocument/hover", params)["contents"]["value"].take()
    }

    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        drop(self.to);
        assert!(self.server.wait().expect("it ends").success());
    }
}

/// The next message of the server; none where it is gone.
fn message(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().expect("a number"),
            None if line.trim_end().is_empty() => break,
            None => {}
        }
    }
    let mut text = vec![0; length];
    output.read_exact(&mut text).ok()?;
    Some(serde_json::from_slice(&text).expect("JSON"))
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
    let lenses = editor.ask(
        "textDocument/codeLens",
        json!({ "textDocument": { "uri": URI } }),
    );
    assert_eq!(lenses, json!([]), "nothing is said of a text that is wrong");

    // Another one: after `lift` nothing can be called.
    let stuck = GATE.replace("requires open {", "requires open && !open {");
    assert_eq!(editor.change(&stuck), json!([]));
    assert_eq!(editor.lens(), "2 states · 1 deadlock");

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
