//! A process that is spoken to over its pipes, line by line.
//!
//! One thread writes and reads, whichever the process is ready for, so that neither side can block the other: a thread for each
//! pipe would do as well, but a small question would then wait for four threads to wake in turn, which takes longer than a
//! solver needs to answer it.

use std::io::{ErrorKind, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};

use crate::process;

/// Both ends of what a process hears and says.
#[derive(Debug)]
pub(super) struct Talk {
    /// None when it hears nothing any more.
    input: Option<ChildStdin>,
    output: ChildStdout,
    /// What is said to it, and how much of that it has taken.
    said: Vec<u8>,
    taken: usize,
    /// What it said that nobody has asked for yet.
    heard: Vec<u8>,
}

/// Why there is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    /// There was none in that time.
    Yet,
    /// There will be none: it has ended, or closed its pipe.
    Forever,
}

impl Talk {
    /// Talks over the pipes.
    ///
    /// # Errors
    /// The pipe to the process cannot be made one that does not wait.
    pub(super) fn over(input: ChildStdin, output: ChildStdout) -> std::io::Result<Self> {
        // Writing only as much as the pipe takes. (What is read is there: the pipe from the process may wait.)
        rustix::io::ioctl_fionbio(&input, true)?;
        Ok(Talk {
            input: Some(input),
            output,
            said: Vec::new(),
            taken: 0,
            heard: Vec::new(),
        })
    }

    /// Says this. It is sent while lines are waited for.
    pub(super) fn say(&mut self, text: &str) {
        self.said.extend(text.as_bytes());
    }

    /// The next line, without its end, if there is one in that time.
    pub(super) fn line(&mut self, wait: Duration) -> Result<String, Silence> {
        let until = Instant::now() + wait;
        loop {
            if let Some(end) = self.heard.iter().position(|&byte| byte == b'\n') {
                let rest = self.heard.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.heard, rest);
                line.truncate(end);
                return String::from_utf8(line).map_err(|_| Silence::Forever);
            }
            self.send();
            let left = until.saturating_duration_since(Instant::now());
            let (hears, speaks) = self.ready(left).map_err(|_| Silence::Forever)?;
            if speaks {
                self.hear()?;
            } else if !hears && left.is_zero() {
                return Err(Silence::Yet);
            }
        }
    }

    /// Whether the process takes what is left to say, and whether it has something to say, be it that it has ended.
    fn ready(&self, wait: Duration) -> std::io::Result<(bool, bool)> {
        let mut pipes = vec![PollFd::new(&self.output, PollFlags::IN)];
        let unheard = self.input.as_ref().filter(|_| !self.said.is_empty());
        pipes.extend(unheard.map(|input| PollFd::new(input, PollFlags::OUT)));
        process::wait_for(&mut pipes, wait)?;
        let mut ready = pipes.iter().map(|pipe| !pipe.revents().is_empty());
        let speaks = ready.next().unwrap_or(false);
        Ok((ready.next().unwrap_or(false), speaks))
    }

    /// Sends what the process takes now.
    fn send(&mut self) {
        while let (Some(input), Some(left)) = (&mut self.input, self.said.get(self.taken..))
            && !left.is_empty()
        {
            match input.write(left) {
                Ok(0) => self.input = None,
                Ok(taken) => self.taken += taken,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // It is heard that it has ended.
                Err(_) => self.input = None,
            }
        }
        self.said.clear();
        self.taken = 0;
    }

    /// Hears what the process has said.
    fn hear(&mut self) -> Result<(), Silence> {
        let mut buffer = [0; 1 << 14];
        match self.output.read(&mut buffer) {
            Ok(0) => Err(Silence::Forever),
            Ok(length) => {
                self.heard.extend(buffer.iter().take(length));
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            Err(_) => Err(Silence::Forever),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    const LONG: Duration = Duration::from_secs(300);

    fn with(script: &str) -> (Child, Talk) {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("sh runs");
        let input = child.stdin.take().expect("a pipe");
        let output = child.stdout.take().expect("a pipe");
        (child, Talk::over(input, output).expect("a talk"))
    }

    #[test]
    fn lines_come_one_by_one() {
        let (mut child, mut talk) =
            with("printf 'one\\ntwo\\n'; read line; echo \"$line\"; printf last");
        assert_eq!(talk.line(LONG).as_deref(), Ok("one"));
        assert_eq!(talk.line(LONG).as_deref(), Ok("two"));
        assert_eq!(talk.line(Duration::from_millis(20)), Err(Silence::Yet));
        talk.say("three\n");
        assert_eq!(talk.line(LONG).as_deref(), Ok("three"));
        assert_eq!(talk.line(LONG), Err(Silence::Forever), "no whole line");
        child.wait().expect("it has ended");
    }

    /// More than the pipes hold, both ways at once.
    #[test]
    fn neither_side_blocks_the_other() {
        let (mut child, mut talk) = with("cat");
        let line = "x".repeat(999);
        for _ in 0..1000 {
            talk.say(&line);
            talk.say("\n");
        }
        for _ in 0..1000 {
            assert_eq!(talk.line(LONG).as_deref(), Ok(line.as_str()));
        }
        drop(talk);
        child.wait().expect("it has ended");
    }

    #[test]
    fn nothing_is_said_to_the_dead() {
        let (mut child, mut talk) = with("exit 0");
        child.wait().expect("it has ended");
        talk.say("hello\n");
        assert_eq!(talk.line(LONG), Err(Silence::Forever));
    }
}
