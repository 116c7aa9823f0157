//! One child process, run within limits: time, memory, output. Whatever happens, it and its children are gone
//! when the run is over.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::group::{Ceiling, Group};

/// How often the limits are looked at while nothing happens.
const TICK: Duration = Duration::from_millis(10);
/// How often, once both pipes are closed and the end is near.
const SHORT_TICK: Duration = Duration::from_millis(1);
/// How often the group's memory is added up.
const SAMPLE: Duration = Duration::from_millis(50);
/// How long a child may take to end once it has said its last word. mono and .NET usually need a few
/// milliseconds, and sometimes half a minute (`reference/engines.md`, fact 9).
const GRACE: Duration = Duration::from_millis(250);
/// How long pipes are read after the group is dead. More than a moment means that somebody outside the group
/// holds them.
const AFTERLIFE: Duration = Duration::from_millis(100);
/// How large a file a child may write.
const FILE: u64 = 4 << 30;

/// Ends the processes that run, from another thread. Clones are the same token.
///
/// Child processes run in process groups of their own, so that Ctrl-C in a terminal does not reach them: whoever
/// handles that signal sets this, and waits for them to end. (Where we are killed without a word, a watchdog in
/// each group ends it.)
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    /// Those that end it as well.
    others: Vec<Arc<AtomicBool>>,
    /// When it ends by itself.
    deadline: Option<Instant>,
}

impl Interrupt {
    /// One of its own, which is set where this one is.
    #[must_use]
    pub fn child(&self) -> Self {
        Interrupt {
            flag: Arc::default(),
            others: self.others.iter().chain([&self.flag]).cloned().collect(),
            deadline: self.deadline,
        }
    }

    /// One of its own that is set where this one is, and after this time by itself. The time begins now.
    #[must_use]
    pub fn within(&self, time: Duration) -> Self {
        // Whoever gives more time than there is gives as much as there is.
        self.until(Instant::now().checked_add(time))
    }

    /// One of its own that is set where this one is, and from then on.
    #[must_use]
    pub fn until(&self, deadline: Option<Instant>) -> Self {
        Interrupt {
            deadline: self.deadline.into_iter().chain(deadline).min(),
            ..self.child()
        }
    }

    /// Ends them all, those started from now on included. The verdict of a question that was asked of one is unknown
    /// ([`Reason::Interrupted`](crate::query::Reason::Interrupted)).
    pub fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether it was set.
    pub fn is_set(&self) -> bool {
        let mut flags = self.others.iter().chain([&self.flag]);
        flags.any(|flag| flag.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|at| Instant::now() >= at)
    }
}

/// How much of each stream is kept where nothing else is said, in bytes.
pub(crate) const OUTPUT: usize = 8 << 20;

/// What to run, and within which limits.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    /// The executable.
    pub executable: &'a Path,
    /// Its arguments. They reach it as they are: there is no shell.
    pub arguments: &'a [OsString],
    /// Where it runs.
    pub directory: &'a Path,
    /// The file that it reads as its standard input; none is an empty one.
    pub input: Option<&'a Path>,
    /// Wall-clock time.
    pub timeout: Duration,
    /// Resident memory of the whole group, in MiB. Watched every 50 ms.
    pub memory_mib: u64,
    /// How much of each output stream is kept, in bytes. A child that prints more is ended.
    pub output: usize,
    /// Whether each process's address space is limited as well (to 1 GiB more), which catches what grows
    /// between two looks. mono takes 0.55 GiB of it and Z3 little more than it uses; .NET reserves hundreds
    /// of GiB, and would not start.
    pub limit_address_space: bool,
    /// Whether this line of standard output is the last one to expect.
    pub closes: fn(&str) -> bool,
    /// Ends the run early.
    pub interrupt: &'a Interrupt,
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct ProcessOutput {
    /// Standard output, as far as kept.
    pub stdout: String,
    /// Standard error, as far as kept.
    pub stderr: String,
    /// How it ended.
    pub ending: Ending,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// By itself.
    Exited(ExitStatus),
    /// It had said its last word, and was killed because it did not exit.
    Lingered,
    /// Out of time.
    Timeout,
    /// Out of memory.
    Memory,
    /// It printed more than is kept.
    Flooded,
    /// Interrupted.
    Interrupted,
}

impl Job<'_> {
    /// Runs it, and blocks until it and all of its group are gone.
    ///
    /// # Errors
    /// The child cannot be started or watched. Nothing is left running then either.
    pub(crate) fn run(&self) -> std::io::Result<ProcessOutput> {
        let start = Instant::now();
        let input = match self.input {
            Some(path) => File::open(path)?.into(),
            None => Stdio::null(),
        };
        let mut command = Command::new(self.executable);
        command
            .args(self.arguments)
            .current_dir(self.directory)
            // What it leaves behind when it is killed goes with the folder: .NET puts a file there to see how names compare.
            .env("TMPDIR", self.directory)
            // Messages in English, numbers with points, names in UTF-8.
            .env("LC_ALL", "C.UTF-8")
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut group = Group::spawn(&mut command)?;
        group.limit(&self.ceiling());
        let mut stdout = Stream::new(group.child().stdout.take(), self.output);
        let mut stderr = Stream::new(group.child().stderr.take(), self.output);

        let broken_off = self.watch(&group, &mut stdout, &mut stderr, start)?;
        let status = group.end()?;
        drain(&mut stdout, &mut stderr)?;
        let ending = match broken_off {
            Some(ending) => ending,
            None if stdout.flooded() || stderr.flooded() => Ending::Flooded,
            None => Ending::Exited(status),
        };
        Ok(ProcessOutput {
            stdout: stdout.text(),
            stderr: stderr.text(),
            ending,
        })
    }

    fn ceiling(&self) -> Ceiling {
        let mib = self.memory_mib.saturating_add(1024);
        Ceiling {
            address_space: self
                .limit_address_space
                .then(|| mib.saturating_mul(1 << 20)),
            // The group may compute on several processors at once.
            processor: self
                .timeout
                .saturating_mul(8)
                .saturating_add(Duration::from_secs(10)),
            file: FILE,
        }
    }

    /// Reads until the child ends by itself (`None`), or until there is a reason to end it.
    fn watch(
        &self,
        group: &Group,
        stdout: &mut Stream<std::process::ChildStdout>,
        stderr: &mut Stream<std::process::ChildStderr>,
        start: Instant,
    ) -> std::io::Result<Option<Ending>> {
        let mut closed: Option<Instant> = None;
        let mut sampled = start;
        loop {
            if group.child_ended()? {
                return Ok(None);
            }
            if self.interrupt.is_set() {
                return Ok(Some(Ending::Interrupted));
            }
            if stdout.flooded() || stderr.flooded() {
                return Ok(Some(Ending::Flooded));
            }
            match closed {
                Some(closed) if closed.elapsed() >= GRACE => return Ok(Some(Ending::Lingered)),
                Some(_) => {}
                None if start.elapsed() >= self.timeout => return Ok(Some(Ending::Timeout)),
                None if sampled.elapsed() >= SAMPLE => {
                    sampled = Instant::now();
                    let limit = self.memory_mib.saturating_mul(1 << 20);
                    if group.resident().is_some_and(|resident| resident > limit) {
                        return Ok(Some(Ending::Memory));
                    }
                }
                None => {}
            }
            let tick = if stdout.open() || stderr.open() {
                TICK
            } else {
                SHORT_TICK
            };
            read_some(stdout, stderr, tick)?;
            if closed.is_none() && stdout.last_line().is_some_and(self.closes) {
                closed = Some(Instant::now());
            }
        }
    }
}

/// Reads what the dead have left in the pipes.
fn drain(
    stdout: &mut Stream<std::process::ChildStdout>,
    stderr: &mut Stream<std::process::ChildStderr>,
) -> std::io::Result<()> {
    let start = Instant::now();
    while (stdout.open() || stderr.open())
        && !stdout.flooded()
        && !stderr.flooded()
        && start.elapsed() < AFTERLIFE
    {
        read_some(stdout, stderr, TICK)?;
    }
    Ok(())
}

/// Waits at most a tick for one of the pipes, and reads what is there. One thread does for both pipes, so
/// none is left behind when a pipe never closes.
fn read_some(
    stdout: &mut Stream<impl Read + AsFd>,
    stderr: &mut Stream<impl Read + AsFd>,
    tick: Duration,
) -> std::io::Result<()> {
    let (out_ready, err_ready) = ready(stdout, stderr, tick)?;
    if out_ready {
        stdout.read()?;
    }
    if err_ready {
        stderr.read()?;
    }
    Ok(())
}

/// Which of two streams have something to say, be it that they are closed.
fn ready(
    stdout: &Stream<impl AsFd>,
    stderr: &Stream<impl AsFd>,
    tick: Duration,
) -> std::io::Result<(bool, bool)> {
    let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(2);
    fds.extend(
        stdout
            .pipe
            .as_ref()
            .map(|pipe| PollFd::new(pipe, PollFlags::IN)),
    );
    fds.extend(
        stderr
            .pipe
            .as_ref()
            .map(|pipe| PollFd::new(pipe, PollFlags::IN)),
    );
    wait_for(&mut fds, tick)?;
    let mut ready = fds.iter().map(|fd| !fd.revents().is_empty());
    let out_ready = stdout.open() && ready.next().unwrap_or(false);
    let err_ready = stderr.open() && ready.next().unwrap_or(false);
    Ok((out_ready, err_ready))
}

/// Waits at most so long, to the nanosecond, until one of these is ready, or a signal comes.
///
/// # Errors
/// They cannot be waited for.
pub(crate) fn wait_for(fds: &mut [PollFd<'_>], at_most: Duration) -> std::io::Result<()> {
    // Longer than a time can be is for ever.
    let timeout = Timespec::try_from(at_most).ok();
    match poll(fds, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// One of a child's output streams, and what came through it.
#[derive(Debug)]
struct Stream<P> {
    /// `None` once it is closed.
    pipe: Option<P>,
    kept: Vec<u8>,
    /// How much is kept, in bytes.
    limit: usize,
}

impl<P> Stream<P> {
    fn new(pipe: Option<P>, limit: usize) -> Self {
        Stream {
            pipe,
            kept: Vec::new(),
            limit,
        }
    }

    fn open(&self) -> bool {
        self.pipe.is_some()
    }

    fn flooded(&self) -> bool {
        self.kept.len() >= self.limit
    }

    /// The last line so far, if it is whole.
    fn last_line(&self) -> Option<&str> {
        let text = self.kept.strip_suffix(b"\n")?;
        let line = text.rsplit(|&byte| byte == b'\n').next()?;
        std::str::from_utf8(line).ok()
    }

    fn text(self) -> String {
        String::from_utf8_lossy(&self.kept).into_owned()
    }
}

impl<P: Read> Stream<P> {
    /// Reads once. The pipe must be ready, else this blocks.
    fn read(&mut self) -> std::io::Result<()> {
        let Some(pipe) = &mut self.pipe else {
            return Ok(());
        };
        let mut buffer = [0; 1 << 16];
        match pipe.read(&mut buffer) {
            Ok(0) => self.pipe = None,
            Ok(length) => self.kept.extend(buffer.iter().take(length)),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, timeout: Duration) -> (ProcessOutput, Duration) {
        let arguments = ["-c", script].map(OsString::from);
        let directory = tempfile::tempdir().expect("a folder");
        let job = Job {
            executable: Path::new("/bin/sh"),
            arguments: &arguments,
            directory: directory.path(),
            timeout,
            input: None,
            memory_mib: 100,
            output: OUTPUT,
            limit_address_space: true,
            closes: |line| line == "the end",
            interrupt: &Interrupt::default(),
        };
        let start = Instant::now();
        (job.run().expect("sh runs"), start.elapsed())
    }

    /// Nothing here takes so long.
    const LONG: Duration = Duration::from_secs(300);

    /// Before what sleeps would be awake: a busy machine needs its time too.
    const SOON: Duration = Duration::from_secs(50);

    #[test]
    fn both_streams_are_read() {
        let script = "i=0; while [ $i -lt 3000 ]; do echo oooooooooooooooooooooooooooooooooooooooooooo; \
                      echo eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee >&2; i=$((i+1)); done; exit 3";
        let (run, _) = sh(script, LONG);
        assert_eq!((run.stdout.len(), run.stderr.len()), (3000 * 45, 3000 * 44));
        assert!(matches!(run.ending, Ending::Exited(status) if status.code() == Some(3)));
    }

    #[test]
    fn what_a_dead_child_said_is_read() {
        let (run, _) = sh("printf 'last words'; kill -9 $$", LONG);
        assert_eq!(run.stdout, "last words");
        assert!(matches!(run.ending, Ending::Exited(status) if !status.success()));
    }

    #[test]
    fn time_is_limited() {
        let (run, took) = sh("echo x; sleep 100", Duration::from_secs(1));
        assert_eq!(run.ending, Ending::Timeout);
        assert_eq!(run.stdout, "x\n");
        assert!(took < SOON, "{took:?}");
    }

    #[test]
    fn after_the_last_word_there_is_a_short_grace() {
        let (run, took) = sh("echo the end; sleep 100", LONG);
        assert_eq!(run.ending, Ending::Lingered);
        assert!(took < SOON, "{took:?}");
        // It ends by itself, within the grace if the machine is not too busy: once in a few tries.
        let ends = || sh("echo the end", LONG).0.ending;
        let within = |_| matches!(ends(), Ending::Exited(status) if status.success());
        assert!((0..20).any(within));
    }

    #[test]
    fn a_flood_is_stopped() {
        for script in ["yes", "yes >&2", "tr '\\0' x < /dev/zero"] {
            let (run, took) = sh(script, LONG);
            assert_eq!(run.ending, Ending::Flooded, "{script}");
            assert!(run.stdout.len() + run.stderr.len() < OUTPUT + (1 << 20));
            assert!(took < SOON, "{took:?}");
        }
    }

    #[test]
    fn memory_is_limited_together() {
        // Three processes of 40 MiB or more: none is above 100 MiB alone.
        let eater = "head -c 41943040 /dev/zero | tail -c 41943040 | (sleep 100; cat >/dev/null) &";
        let script = format!("{eater} {eater} {eater} sleep 100");
        let (run, took) = sh(&script, LONG);
        assert_eq!(run.ending, Ending::Memory);
        assert!(took < SOON, "{took:?}");
    }
}
