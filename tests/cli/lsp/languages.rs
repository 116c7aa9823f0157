//! Files of other languages in an editor: lenses, findings and hover, of the file as it was last saved. The Solidity compiler is
//! a script that says what the compiler once said.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::Editor;
use crate::support::program::{PROGRAM, root};

/// What the compiler says of a text with this word in it.
const WRONG: &str = "broken";

/// An editor that can all, with a document of its own.
fn editor_of(file: &Path, server: &mut Command) -> Editor {
    let refreshes = json!({ "codeLens": { "refreshSupport": true } });
    let mut editor = Editor::with(server, json!({ "workspace": refreshes }));
    editor.uri = format!("file://{}", file.display());
    editor
}

/// A folder with a contract, and with a compiler that knows it.
struct Contract {
    folder: TempDir,
    text: String,
}

impl Contract {
    fn refund_escrow() -> Contract {
        let benchmarks = root().join("fixtures/solidity/benchmarks");
        let read = |name: &str| fs::read_to_string(benchmarks.join(name)).expect("there");
        let text = read("refund_escrow.sol");
        let written: Value = serde_json::from_str(&read("refund_escrow.json")).expect("JSON");
        let start = text.find("pool -= amount").expect("there");
        let place = json!({ "file": "refund_escrow.sol", "start": start, "end": start + 14 });
        let wrong = json!({ "errors": [{
            "severity": "error", "message": "Undeclared identifier.", "sourceLocation": place,
        }]});
        let contract = Contract {
            folder: tempfile::tempdir().expect("a folder"),
            text,
        };
        contract.write("right.json", &written["output"].to_string());
        contract.write("wrong.json", &wrong.to_string());
        contract.write("refund_escrow.sol", &contract.text);
        let said = contract.folder.path().display();
        let script = format!(
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'Version: 0.8.37+commit.0'; exit; fi\n\
             if grep -c {WRONG} >/dev/null; then cat '{said}/wrong.json'; else cat '{said}/right.json'; fi\n"
        );
        contract.write("solc", &script);
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(contract.path("solc"), executable).expect("set");
        contract
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    fn editor(&self) -> Editor {
        let mut server = Command::new(PROGRAM);
        server.env("TRANQUERA_SOLC", self.path("solc"));
        editor_of(&self.path("refund_escrow.sol"), &mut server)
    }

    /// Saves a text, as an editor does.
    fn save(&self, editor: &mut Editor, text: &str) {
        self.write("refund_escrow.sol", text);
        let document = json!({ "uri": editor.uri });
        editor.said.clear();
        editor.tell("textDocument/didSave", json!({ "textDocument": document }));
        assert_eq!(editor.diagnostics(), json!([]));
    }
}

/// Where something is said, which it is, and how it begins.
fn told(said: &Value) -> Vec<String> {
    let said = said.as_array().expect("a list").iter();
    let shown = said.map(|one| {
        let message = one["message"].as_str().expect("a text");
        let place = &one["range"]["start"];
        let kind = one["code"].as_str().unwrap_or("-");
        let (line, column) = (&place["line"], &place["character"]);
        let words: Vec<&str> = message.split(' ').take(4).collect();
        format!(
            "{line}:{column} {} {kind} {}",
            one["severity"],
            words.join(" ")
        )
    });
    shown.collect()
}

#[test]
fn a_session_with_a_contract() {
    let contract = Contract::refund_escrow();
    let mut editor = contract.editor();
    assert_eq!(editor.open(&contract.text), json!([]));
    // Open, refunding, closed with ether and closed without.
    assert_eq!(editor.titles(1), ["4: 4 states"]);
    let sink = "4:0 3 sink-state S2 is never left:";
    let per_key = "4:0 3 per-key whether `deposit` and `withdraw`";
    let said = editor.diagnostics();
    assert_eq!(told(&said), [sink, per_key]);
    let message = said[0]["message"].as_str().expect("a text");
    assert!(message.ends_with("\nS2 is {transferPrimary}"), "{message}");
    let withdraw = "`beneficiaryWithdraw` can be called\n\n\
                    - in `{beneficiaryWithdraw, transferPrimary}`, it leads to `{transferPrimary}`";
    assert_eq!(editor.hover(26, 10), withdraw);
    // In its body, and nowhere.
    assert_eq!(editor.hover(28, 10), Value::Null);
    assert_eq!(editor.hover(1, 3), Value::Null);

    // What is typed above moves all of it; what is typed into a header leaves nothing to say of it, until it is saved.
    let longer = contract.text.replace("pragma", "// 🐎\n\npragma");
    assert_eq!(
        told(&editor.change(&longer)),
        [
            "6:0 3 sink-state S2 is never left:",
            "6:0 3 per-key whether `deposit` and `withdraw`"
        ]
    );
    assert_eq!(editor.titles(1), ["6: 4 states"]);
    assert_eq!(editor.hover(28, 10), withdraw);
    let renamed = longer.replace("beneficiaryWithdraw", "take");
    assert_eq!(editor.change(&renamed).as_array().map(Vec::len), Some(2));
    assert_eq!(editor.hover(28, 10), Value::Null);

    // Saved wrong: what the compiler says, where it says it.
    let wrong = contract
        .text
        .replace("0.8.0;", &format!("0.8.0; // {WRONG}"));
    editor.change(&wrong);
    contract.save(&mut editor, &wrong);
    let line = contract
        .text
        .lines()
        .position(|line| line.contains("pool -= amount"));
    let said = editor.diagnostics();
    let start = &said[0]["range"]["start"];
    // The compiler of this test knows the place in the text that was right.
    assert_eq!(start["line"], line.expect("there") - 1);
    assert_eq!(said[0]["severity"], 2);
    assert_eq!(said[0]["message"], "solc: Undeclared identifier.");
    assert_eq!(editor.lenses(), Vec::<Value>::new());

    // Saved right.
    editor.change(&contract.text);
    contract.save(&mut editor, &contract.text);
    assert_eq!(editor.titles(1), ["4: 4 states"]);

    // It is formatted by others, and others know where names are declared.
    let document = json!({ "uri": editor.uri });
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let format = json!({ "textDocument": document, "options": options });
    assert_eq!(editor.ask("textDocument/formatting", format), Value::Null);
    assert_eq!(editor.definition(18, 10), Value::Null);
    assert_eq!(editor.actions(18), Vec::<Value>::new());
    editor.end();
}

#[test]
fn the_lens_of_a_contract_opens_its_page() {
    let contract = Contract::refund_escrow();
    let mut editor = contract.editor();
    editor.open(&contract.text);
    let lens = editor.lens_command();
    let execute = json!({ "command": lens["command"], "arguments": lens["arguments"] });
    editor.ask("workspace/executeCommand", execute);
    let message = editor.is_shown()["message"].take();
    let uri = message.as_str().and_then(|said| said.rsplit(' ').next());
    let file = uri
        .and_then(|uri| uri.strip_prefix("file://"))
        .expect("a file");
    super::page_with(&PathBuf::from(file), "enableRefunds");
    editor.end();
}

/// What a compiler has written of a contract points into another file than the one that is open.
#[test]
fn a_file_without_places_has_its_lens_at_the_top() {
    let file = root().join("fixtures/solidity/benchmarks/refund_escrow.json");
    let mut editor = editor_of(&file, &mut Command::new(PROGRAM));
    editor.open(&fs::read_to_string(&file).expect("there"));
    assert_eq!(editor.titles(1), ["0: RefundEscrow: 4 states"]);
    assert_eq!(
        told(&editor.diagnostics()),
        [
            "0:0 3 sink-state S2 is never left:",
            "0:0 3 per-key whether `deposit` and `withdraw`"
        ]
    );
    editor.end();
}

#[test]
fn a_file_that_cannot_be_read_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut editor = editor_of(&folder.path().join("gone.sol"), &mut Command::new(PROGRAM));
    assert_eq!(editor.open("contract Gone {}\n"), json!([]));
    let said = editor.diagnostics();
    let message = said[0]["message"].as_str().expect("a text");
    assert!(message.starts_with("cannot read `"), "{message}");
    assert_eq!(said[0]["severity"], 2);
    editor.end();
}

/// Classes of Java come without places: an action is known by its name.
#[test]
fn a_session_with_a_java_source() {
    let file = root().join("fixtures/java/protocols/Gate.java");
    let mut editor = editor_of(&file, &mut Command::new(PROGRAM));
    let text = fs::read_to_string(&file).expect("there");
    assert_eq!(editor.open(&text), json!([]));
    // Nothing is of the class that it extends, which is compiled with it.
    assert_eq!(editor.titles(1), ["0: protocols.Gate: 3 states"]);
    let line = text.lines().position(|line| line.contains("void pass()"));
    let line = u32::try_from(line.expect("there")).expect("a line");
    let said = editor.hover(line, 17);
    let said = said.as_str().expect("a text");
    let open = "- in `{pass, close, passed, lock}`, it leads to ";
    assert!(
        said.starts_with("`protocols.Gate.pass` can be called\n\n"),
        "{said}"
    );
    assert!(said.contains(open) && said.lines().count() == 3, "{said}");
    assert_eq!(editor.hover(line, 5), Value::Null);
    editor.end();
}
