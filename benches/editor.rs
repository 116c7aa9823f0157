//! How far the editor's server is behind who types: the time from an edit to all that is wrong with the text then, for each class
//! of `fixtures/`, while EPAs of the texts before are being computed. Prints the table of `docs/performance.md`:
//!
//! ```sh
//! cargo bench --bench editor
//! ```

#[path = "../tests/support/protocol.rs"]
mod protocol;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How many edits are made of a text: each takes a letter away, and the next one puts it back.
const EDITS: usize = 20;

/// How fast somebody types.
const PAUSE: Duration = Duration::from_millis(60);

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let files = ignore::WalkBuilder::new(&root)
        .sort_by_file_name(Ord::cmp)
        .build();
    let files = files
        .filter_map(Result::ok)
        .map(ignore::DirEntry::into_path);
    let files: Vec<PathBuf> = files
        .filter(|file| file.extension().is_some_and(|extension| extension == "tq"))
        .collect();
    let sessions = files.iter().map(|file| (session(file), file));
    let each = |(times, file): (Vec<Duration>, _)| times.into_iter().map(move |time| (time, file));
    let mut behind: Vec<(Duration, &PathBuf)> = sessions.flat_map(each).collect();
    behind.sort();
    let at = |part: usize| behind[(behind.len() - 1) * part / 1000];
    let ms = |part| at(part).0.as_secs_f64() * 1e3;
    println!("| texts | edits | median | 99 of 100 | the longest | of |");
    println!("|---|---|---|---|---|---|");
    let (texts, edits) = (files.len(), behind.len());
    let (median, most, longest) = (ms(500), ms(990), ms(1000));
    let slowest = at(1000).1.strip_prefix(&root).unwrap_or(at(1000).1);
    let slowest = slowest.display();
    println!(
        "| {texts} | {edits} | {median:.1} ms | {most:.1} ms | {longest:.1} ms | `{slowest}` |"
    );
}

/// Somebody opens a text and types; how long it took each time to say what is wrong.
fn session(file: &Path) -> Vec<Duration> {
    let text = std::fs::read_to_string(file).expect("a class");
    let uri = format!("file://{}", file.display());
    let mut program = Command::new(env!("CARGO_BIN_EXE_tranquera"));
    let (mut server, mut to, said) = protocol::start(&mut program);
    let mut tell = |message: Value| protocol::send(&mut to, &message).expect("it listens");
    tell(
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }),
    );
    tell(json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
    let document = json!({ "uri": uri, "languageId": "tranquera", "version": 0, "text": text });
    let params = json!({ "textDocument": document });
    tell(json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params }));
    wait(&said, 0);
    let mut behind = Vec::new();
    for edit in 1..=EDITS {
        std::thread::sleep(PAUSE);
        let whole = edit % 2 == 0;
        let edited = if whole {
            text.clone()
        } else {
            without_a_letter(&text, edit)
        };
        let document = json!({ "uri": uri, "version": edit });
        let changes = json!([{ "text": edited }]);
        let params = json!({ "textDocument": document, "contentChanges": changes });
        let start = Instant::now();
        tell(json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": params }));
        wait(&said, edit);
        behind.push(start.elapsed());
    }
    drop(to);
    server.wait().expect("it ends");
    behind
}

/// A text without its letter at so many parts of its length.
fn without_a_letter(text: &str, part: usize) -> String {
    let number = text.chars().count() * part / (EDITS + 1);
    let letters = text.chars().enumerate();
    letters
        .filter(|(at, _)| *at != number)
        .map(|(_, letter)| letter)
        .collect()
}

/// Waits until something is said of this state of the document.
fn wait(said: &Receiver<Value>, version: usize) {
    loop {
        let message = said.recv().expect("a server that goes on");
        if message["method"] == "textDocument/publishDiagnostics"
            && message["params"]["version"] == version
        {
            return;
        }
    }
}
