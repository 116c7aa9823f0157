//! A program that runs beside the test, on a terminal or on pipes, and what it has printed so far.
#![allow(dead_code)] // Each group of tests needs a part of it.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::program::{PROGRAM, root};

/// Longer than anything takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// What a program's output goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// A terminal with a keyboard.
    Terminal,
    /// Nothing that a person looks at.
    Pipes,
}

/// The running program.
pub struct Running {
    on: On,
    child: Child,
    printed: Arc<Mutex<String>>,
    patience: Duration,
}

impl Running {
    /// Starts `tranquera` with these arguments, which have no blanks in them.
    pub fn start(on: On, arguments: &[String], answers: &Path) -> Running {
        let mut command = match on {
            On::Terminal => {
                // From util-linux: runs a command on a terminal, and is keyboard and screen to it.
                let line = format!("{PROGRAM} {}", arguments.join(" "));
                let mut command = Command::new("script");
                command.args(["-q", "-e", "-f", "-c", &line, "/dev/null"]);
                command
            }
            On::Pipes => {
                let mut command = Command::new(PROGRAM);
                command.args(arguments);
                command
            }
        };
        command
            .current_dir(root())
            .env("TRANQUERA_CACHE", answers)
            .env("TERM", "xterm");
        Running::of(on, command)
    }

    /// Starts this command.
    pub fn of(on: On, mut command: Command) -> Running {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let printed = Arc::new(Mutex::new(String::new()));
        let out: Box<dyn Read + Send> = Box::new(child.stdout.take().expect("piped"));
        let err: Box<dyn Read + Send> = Box::new(child.stderr.take().expect("piped"));
        for mut stream in [out, err] {
            let printed = printed.clone();
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(length @ 1..) = stream.read(&mut buffer) {
                    let text = String::from_utf8_lossy(&buffer[..length]);
                    printed.lock().expect("no panic").push_str(&text);
                }
            });
        }
        Running {
            on,
            child,
            printed,
            patience: PATIENCE,
        }
    }

    /// What is waited for may take this long.
    pub fn with_patience(mut self, patience: Duration) -> Running {
        self.patience = patience;
        self
    }

    /// Whether it has started a process of this name, which runs.
    pub fn runs(&self, name: &str) -> bool {
        has_descendant(self.child.id(), name)
    }

    /// All that it has printed.
    pub fn printed(&self) -> String {
        self.printed.lock().expect("no panic").clone()
    }

    /// Waits until this holds.
    pub fn wait_until(&self, what: &str, holds: impl Fn() -> bool) {
        let start = Instant::now();
        while !holds() {
            let printed = self.printed();
            assert!(
                start.elapsed() < self.patience,
                "never: {what} in\n{printed}"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// What Ctrl-C does: on a terminal it is typed.
    pub fn interrupt(&mut self) {
        match self.on {
            On::Terminal => self.type_in("\x03"),
            On::Pipes => {
                let id = Pid::from_raw(self.child.id() as i32).expect("a process");
                kill_process(id, Signal::INT).expect("sent");
            }
        }
    }

    /// Types something on its keyboard.
    pub fn type_in(&mut self, text: &str) {
        let keyboard = self.child.stdin.as_mut().expect("piped");
        keyboard.write_all(text.as_bytes()).expect("typed");
        keyboard.flush().expect("typed");
    }

    /// How it ends.
    pub fn end(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("waited for") {
                return status;
            }
            assert!(start.elapsed() < self.patience, "it goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn has_descendant(id: u32, name: &str) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{id}/task"));
    let children = threads.into_iter().flatten().flatten().map(|thread| {
        let children = std::fs::read_to_string(thread.path().join("children"));
        children.unwrap_or_default()
    });
    let children: String = children.collect();
    children.split_whitespace().any(|child| {
        let called = std::fs::read_to_string(format!("/proc/{child}/comm"));
        called.is_ok_and(|called| called.trim_end() == name)
            || child.parse().is_ok_and(|child| has_descendant(child, name))
    })
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended; where a test fails it has not.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
