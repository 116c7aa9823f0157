//! A process group: a child, its children and theirs, started together and killed together. It does not outlive us.
//!
//! Where we are killed without a word, nobody is left who could end the group, and a solver goes on until its check is
//! done. So each group is led by a watchdog: a shell that waits for its standard input to end, and then kills its group,
//! itself included. Only we hold the other end of that pipe, and however we end, the kernel closes it. There is no
//! moment at which it does not work: the child is put into the watchdog's group before it runs. (Linux can send a
//! signal to a child whose parent ends, but means the thread that started it by its parent, and grandchildren get
//! none.)

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
};

/// How long to wait for killed processes to be gone. They are gone within a millisecond or so, unless the
/// kernel holds one back.
const DEATH: Duration = Duration::from_secs(2);

/// What a watchdog does. `read` ends at the end of its input, for nothing is ever written to it.
const WATCH: &str = "read -r _; kill -KILL 0";

/// A running process group. Dropping it kills what is left of it, and waits until it is gone; so does the end of this
/// process, whatever ends it.
///
/// A process that leaves the group (`setsid`) is out of reach; neither Boogie nor Corral nor Z3 does.
#[derive(Debug)]
pub(crate) struct Group {
    child: Child,
    /// It leads the group. `None` where there is no shell: then the child does, and may outlive us.
    watchdog: Option<Child>,
    id: Pid,
    reaped: Option<ExitStatus>,
}

/// What the kernel is asked to hold every process of a group to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ceiling {
    /// Address space of one process, in bytes.
    pub address_space: Option<u64>,
    /// Processor time of one process.
    pub processor: Duration,
    /// Size of a file it writes, in bytes.
    pub file: u64,
}

impl Group {
    /// Starts a command in a group of its own.
    ///
    /// # Errors
    /// The command cannot be started.
    pub(crate) fn spawn(command: &mut Command) -> std::io::Result<Group> {
        let watchdog = watchdog();
        let leader = watchdog.as_ref().map(Pid::from_child);
        let joined = command.process_group(leader.map_or(0, |id| id.as_raw_nonzero().get()));
        match joined.spawn() {
            Ok(child) => Ok(Group {
                id: leader.unwrap_or_else(|| Pid::from_child(&child)),
                child,
                watchdog,
                reaped: None,
            }),
            Err(error) => {
                dismiss(watchdog);
                Err(error)
            }
        }
    }

    /// Puts limits on the child; its children inherit them.
    pub(crate) fn limit(&self, ceiling: &Ceiling) {
        ceiling.put_on(Pid::from_child(&self.child));
    }

    /// The child, for its pipes.
    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Whether the child has ended. It stays a zombie until [`Group::end`], so that the group's id
    /// cannot become another group's before that is killed.
    ///
    /// # Errors
    /// The kernel refuses to say, which it does not for a child of ours.
    pub(crate) fn child_ended(&self) -> std::io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(Pid::from_child(&self.child)), options) {
                Ok(status) => return Ok(status.is_some()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The memory the group's processes hold together, in bytes. A page that two of them share counts twice.
    /// `None` where the system has no `/proc`.
    pub(crate) fn resident(&self) -> Option<u64> {
        let pages: u64 = members(self.id)?.iter().map(|member| member.pages).sum();
        Some(pages.saturating_mul(rustix::param::page_size() as u64))
    }

    /// The processor time that the child has used, to a few milliseconds. `None` where the system has no `/proc`.
    pub(crate) fn worked(&self) -> Option<Duration> {
        let stat = std::fs::read(format!("/proc/{}/stat", self.child.id())).ok()?;
        let ticks = ticks(&String::from_utf8_lossy(&stat))?;
        let a_second = rustix::param::clock_ticks_per_second();
        Some(Duration::from_millis(
            ticks.saturating_mul(1000) / a_second.max(1),
        ))
    }

    /// Kills the whole group, and waits until it is gone. The child's status is how it ended, before or now.
    ///
    /// # Errors
    /// The child cannot be waited for.
    pub(crate) fn end(&mut self) -> std::io::Result<ExitStatus> {
        if let Some(status) = self.reaped {
            return Ok(status);
        }
        // "No such group" is what we want, and nothing else can be done about another error.
        let _ = kill_process_group(self.id, Signal::KILL);
        dismiss(self.watchdog.take());
        let status = self.child.wait()?;
        self.reaped = Some(status);
        self.wait_for_the_rest();
        Ok(status)
    }

    /// Waits until no member but zombies is left: whoever inherits those reaps them.
    fn wait_for_the_rest(&self) {
        let start = Instant::now();
        while test_kill_process_group(self.id).is_ok() && start.elapsed() < DEATH {
            if members(self.id).is_some_and(|members| members.iter().all(|member| member.zombie)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Starts a watchdog as the leader of a group of its own.
fn watchdog() -> Option<Child> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", WATCH, "tranquera-watchdog"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    command.stderr(Stdio::null()).process_group(0).spawn().ok()
}

/// Ends a watchdog, and with it what is in its group.
fn dismiss(watchdog: Option<Child>) {
    if let Some(mut watchdog) = watchdog {
        // `wait` closes the pipe; a watchdog that is dead already needs no telling.
        let _ = watchdog.wait();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl Ceiling {
    /// Puts the limits on a process just started; its children inherit them. A system that has no such
    /// limits goes without: time and memory are watched from outside as well.
    #[cfg(target_os = "linux")]
    fn put_on(&self, id: Pid) {
        use rustix::process::{Resource, Rlimit, prlimit};
        let seconds = self.processor.as_secs().saturating_add(1);
        let limits = [
            (Resource::As, self.address_space),
            (Resource::Cpu, Some(seconds)),
            (Resource::Fsize, Some(self.file)),
            (Resource::Core, Some(0)),
        ];
        for (resource, limit) in limits {
            if limit.is_some() {
                let rlimit = Rlimit {
                    current: limit,
                    maximum: limit,
                };
                let _ = prlimit(Some(id), resource, rlimit);
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn put_on(&self, _: Pid) {}
}

/// A process of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Member {
    group: i32,
    zombie: bool,
    pages: u64,
}

/// The processes of a group, from `/proc`. One that ends meanwhile is left out.
fn members(group: Pid) -> Option<Vec<Member>> {
    let processes = std::fs::read_dir("/proc").ok()?;
    let stats = processes.filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name();
        let is_process = name.to_str()?.bytes().all(|byte| byte.is_ascii_digit());
        is_process
            .then(|| std::fs::read(entry.path().join("stat")).ok())
            .flatten()
    });
    let mut any = false;
    let members = stats
        .inspect(|_| any = true)
        .filter_map(|stat| member(&String::from_utf8_lossy(&stat)))
        .filter(|member| member.group == group.as_raw_nonzero().get())
        .collect();
    any.then_some(members)
}

/// Reads a line of `/proc/PID/stat` (proc(5)): `pid (name) state ppid pgrp …`, the resident pages as field 24.
/// The name may hold anything, so the fields are counted from its end.
fn member(stat: &str) -> Option<Member> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?;
    let group = fields.nth(1)?.parse().ok()?;
    let pages = fields.nth(18)?.parse().ok()?;
    Some(Member {
        group,
        zombie: matches!(state, "Z" | "X"),
        pages,
    })
}

/// The processor time in such a line: fields 14, as a user, and 15, in the kernel.
fn ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let kernel: u64 = fields.next()?.parse().ok()?;
    Some(user.saturating_add(kernel))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stat_line_is_read_from_behind_the_name() {
        let stat = "10328 (a) Z 7 (b) S 10230 10231 10230 34816 1 4194304 100 0 0 0 5 6 0 0 20 0 3 0 900 \
                    571658240 9398 18446744073709551615 1 1 0";
        let expected = Member {
            group: 10231,
            zombie: false,
            pages: 9398,
        };
        assert_eq!(member(stat), Some(expected));
        assert_eq!(member("10328 (a) S 1"), None);
        assert_eq!(ticks(stat), Some(11));
        assert_eq!(ticks("10328 (a) S 1"), None);
    }

    #[test]
    fn a_group_is_seen_and_ended() {
        let mut group = Group::spawn(Command::new("sleep").arg("100")).expect("sleep");
        assert!(!group.child_ended().expect("waiting"));
        let seen = |group: &Group| members(group.id).map(|members| members.len());
        assert_eq!(seen(&group), Some(2), "a watchdog and its sleep");
        let status = group.end().expect("ending");
        assert_eq!(
            std::os::unix::process::ExitStatusExt::signal(&status),
            Some(9)
        );
        assert_eq!(seen(&group), Some(0));
    }

    #[test]
    fn who_sleeps_has_not_worked() {
        let busy = [
            "-c",
            "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; sleep 100",
        ];
        let mut busy = Group::spawn(Command::new("sh").args(busy)).expect("sh");
        let mut idle = Group::spawn(Command::new("sleep").arg("100")).expect("sleep");
        let begin = Instant::now();
        while busy.worked().expect("/proc") < Duration::from_millis(20) {
            assert!(begin.elapsed() < Duration::from_secs(60), "it works");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(idle.worked().expect("/proc") < Duration::from_millis(20));
        busy.end().expect("ending");
        idle.end().expect("ending");
    }

    /// What the kernel does when we are killed: it closes the pipe.
    #[test]
    fn a_group_ends_with_the_pipe_of_its_watchdog() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 100 & trap '' TERM HUP INT; sleep 100"]);
        let mut group = Group::spawn(&mut command).expect("sh");
        let pipe = group.watchdog.as_mut().and_then(|dog| dog.stdin.take());
        assert!(pipe.is_some());
        assert!(!group.child_ended().expect("waiting"));
        drop(pipe);
        let status = group.child().wait().expect("waiting");
        assert_eq!(
            std::os::unix::process::ExitStatusExt::signal(&status),
            Some(9)
        );
        let start = Instant::now();
        while members(group.id).is_some_and(|members| members.iter().any(|m| !m.zombie)) {
            assert!(start.elapsed() < 20 * DEATH, "something is left");
        }
    }

    #[test]
    fn what_cannot_be_started_is_an_error() {
        let error = Group::spawn(&mut Command::new("/no/such/program")).expect_err("not there");
        assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    }
}
