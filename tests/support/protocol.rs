//! Messages of the language server protocol, as they go over pipes.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::Value;

/// Starts a server: it, what it is told by, and what it says.
pub fn start(server: &mut Command) -> (Child, ChildStdin, Receiver<Value>) {
    let mut server = server
        .args(["lsp", "--stdio"])
        .env("TRANQUERA_CACHE", "off")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let (say, said) = channel();
    let mut output = BufReader::new(server.stdout.take().expect("piped"));
    std::thread::spawn(move || {
        while let Some(message) = message(&mut output) {
            if say.send(message).is_err() {
                return;
            }
        }
    });
    let to = server.stdin.take().expect("piped");
    (server, to, said)
}

/// Sends a message.
pub fn send(to: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(to, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    to.flush()
}

/// The next message; none where the other side is gone.
pub fn message(from: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().expect("a number"),
            None if line.trim_end().is_empty() => break,
            None => {}
        }
    }
    let mut text = vec![0; length];
    from.read_exact(&mut text).ok()?;
    Some(serde_json::from_slice(&text).expect("JSON"))
}
