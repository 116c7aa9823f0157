//! Somebody who does what a document says, and notes what does not go as it says.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::markdown::{self, Block, Document};
use crate::support::program::{PROGRAM, root};

/// How long a command may take, in seconds: one that waits for something fails.
const PATIENCE: &str = "900";

/// Somebody who does what a document says.
pub struct Reader<'a> {
    path: &'a Path,
    folder: tempfile::TempDir,
    /// Commands that are left out, and why.
    not_run: &'a [(&'a str, &'a str)],
    /// The exit status of the last command.
    status: i32,
}

impl<'a> Reader<'a> {
    /// Somebody with a folder of their own, who leaves some commands out.
    pub fn new(path: &'a Path, not_run: &'a [(&'a str, &'a str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let copied = Command::new("cp")
            .arg("-r")
            .arg(root().join("fixtures"))
            .arg(folder.path())
            .status();
        assert!(copied.expect("cp runs").success());
        let editor = folder.path().join(".vscode/extensions");
        std::fs::create_dir_all(editor).expect("a folder");
        Reader {
            path,
            folder,
            not_run,
            status: 0,
        }
    }

    /// Does all of it; what does not go as it says.
    pub fn follow(mut self, document: &Document) -> Vec<String> {
        let mut wrong = Vec::new();
        for block in &document.blocks {
            let place = format!("{}:{}", self.path.display(), block.line);
            match block.language.as_str() {
                "diff" => wrong.extend(self.change(block).err().map(|e| format!("{place}: {e}"))),
                _ => self.run(block, &place, &mut wrong),
            }
        }
        if self.status != 0 {
            let path = self.path.display();
            wrong.push(format!(
                "{path}: the last exit status, {}, is not told",
                self.status
            ));
        }
        wrong.extend(self.wrong_pictures());
        wrong
    }

    fn run(&mut self, block: &Block, place: &str, wrong: &mut Vec<String>) {
        for command in markdown::commands(block) {
            if self.not_run.iter().any(|(text, _)| *text == command.text) {
                continue;
            }
            let tells = command.text == "echo $?";
            if self.status != 0 && !tells {
                wrong.push(format!("{place}: exit status {} is not told", self.status));
            }
            // What goes on until Ctrl-C is asked for help, before which it reads its arguments.
            let is_endless = command.text.contains(" --watch");
            let more = if is_endless { " --help" } else { "" };
            let printed = self.output(&format!("{}{more}", command.text));
            if block.language != "console" && self.status != 0 {
                wrong.push(format!("{place}: `{}` failed:\n{printed}", command.text));
                self.status = 0;
            }
            let lines: Vec<&str> = printed.lines().collect();
            if command
                .output
                .is_some_and(|shown| !markdown::shows(&shown, &lines))
            {
                wrong.push(format!("{place}: `{}` prints:\n{printed}", command.text));
            }
        }
    }

    /// What a command prints, errors included.
    fn output(&mut self, command: &str) -> String {
        let program = Path::new(PROGRAM).parent().expect("a folder");
        let path = std::env::var("PATH").expect("PATH");
        let script = format!("exec 2>&1; (exit {}); {command}", self.status);
        let run = Command::new("timeout")
            .args([PATIENCE, "sh", "-c", &script])
            .current_dir(self.folder.path())
            .env("PATH", format!("{}:{path}", program.display()))
            .env("HOME", self.folder.path())
            .env("TRANQUERA_CACHE", self.folder.path().join(".cache"))
            .env_remove("NO_COLOR")
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        self.status = run.status.code().unwrap_or(-1);
        String::from_utf8(run.stdout).expect("UTF-8")
    }

    /// Changes a file as a block of `diff` says: `+++ FILE`, then lines to find and lines to put there.
    fn change(&self, block: &Block) -> Result<(), String> {
        let (mut old, mut new, mut file) = (String::new(), String::new(), None);
        for line in block.text.lines() {
            let (mark, rest) = line.split_at_checked(1).unwrap_or((" ", ""));
            match mark {
                _ if line.starts_with("--- ") || line.starts_with("@@") => {}
                _ if line.starts_with("+++ ") => file = Some(&line[4..]),
                "-" => writeln!(old, "{rest}").expect("written"),
                "+" => writeln!(new, "{rest}").expect("written"),
                _ => [&mut old, &mut new]
                    .into_iter()
                    .for_each(|t| writeln!(t, "{rest}").expect("written")),
            }
        }
        let file = self
            .folder
            .path()
            .join(file.ok_or("a diff without a file")?);
        let text =
            std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        if text.matches(&old).count() != 1 {
            return Err(format!("the lines to change are not there once:\n{old}"));
        }
        std::fs::write(&file, text.replace(&old, &new)).map_err(|e| e.to_string())
    }

    /// Pictures beside the documents that are not those that the commands have made.
    fn wrong_pictures(&self) -> Vec<String> {
        let made = std::fs::read_dir(self.folder.path()).expect("a folder");
        let names = made.map(|file| file.expect("a file").file_name());
        let is_wrong = |name: &std::ffi::OsString| {
            let shown = root().join("docs").join(name);
            let is_picture = Path::new(name).extension().is_some_and(|e| e == "svg");
            is_picture
                && shown.exists()
                && std::fs::read(shown).ok() != std::fs::read(self.folder.path().join(name)).ok()
        };
        names
            .filter(is_wrong)
            .map(|name| {
                format!(
                    "{}: makes another docs/{}",
                    self.path.display(),
                    name.display()
                )
            })
            .collect()
    }
}
