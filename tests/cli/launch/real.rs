//! Real schedulers on this machine, on request: a survey of all classes that are here, with a machine lost in the middle, gives
//! the lines of a survey without any. `TRANQUERA_LAUNCH` names other paths.

use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tempfile::TempDir;

use super::lines;
use crate::support::program::{PROGRAM, root};
use crate::support::running::{On, Running};

/// A survey of all that is here takes no longer: a few classes have no EPA, and take all of their time.
const WHOLE: Duration = Duration::from_secs(3600);
/// One of these tests at once: they are about what a machine loses, not about how busy it is.
static ALONE: Mutex<()> = Mutex::new(());
/// The lines of the survey that no scheduler is asked for.
static HERE: OnceLock<Vec<String>> = OnceLock::new();

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The command, with a time that is far from what any class takes that is here: less than half of it, or more than twice as much.
fn survey(output: &Path) -> Command {
    let paths = std::env::var("TRANQUERA_LAUNCH");
    let paths = paths.unwrap_or_else(|_| "fixtures tests/classes".to_owned());
    let mut command = Command::new(PROGRAM);
    command
        .current_dir(root())
        .env("TRANQUERA_CACHE", "off")
        .args(["survey", "--each", "30s", "--output"])
        .arg(output)
        .args(paths.split_whitespace());
    command
}

fn here() -> &'static [String] {
    HERE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let output = folder.path().join("lines");
        let status = survey(&output).args(["--jobs", "2"]).status();
        assert!(status.expect("it runs").success());
        lines(&output)
    })
}

/// A survey by a scheduler, on which something is lost when a third of the lines have come. What it said.
fn launched(
    arguments: &[&str],
    environment: &[(&str, String)],
    lose: impl FnOnce(&Path),
) -> String {
    let here = here();
    let folder = tempfile::tempdir().expect("a folder");
    let (output, job) = (folder.path().join("lines"), folder.path().join("job"));
    let mut command = survey(&output);
    command.args(["--parts", "8", "--job-folder"]).arg(&job);
    command
        .arg("--launcher")
        .args(arguments)
        .envs(environment.iter().cloned());
    let mut running = Running::of(On::Pipes, command).with_patience(WHOLE);
    let come = || {
        std::fs::read_to_string(&output)
            .unwrap_or_default()
            .lines()
            .count()
    };
    running.wait_until("a third of the lines", || come() * 3 >= here.len());
    lose(&job);
    let status = running.end();
    let said = running.printed();
    assert!(status.success(), "{status}: {said}");
    let there = lines(&output);
    let missing: Vec<&String> = here.iter().filter(|line| !there.contains(line)).collect();
    assert!(missing.is_empty(), "{missing:#?}\n{said}");
    assert_eq!(here.len(), there.len());
    eprintln!("{arguments:?}: {} lines\n{said}", there.len());
    said
}

/// Kills a part, as a machine does that has no memory left. What it started ends with it.
fn kill_a_part(job: &Path) {
    let script = "pid=$(pgrep -f -- \"survey --task=[0-9]+/8 .*--job-folder $1 \" | head -n 1); kill -KILL \"$pid\"";
    let killed = Command::new("sh")
        .args(["-c", script, "kill"])
        .arg(job)
        .status();
    assert!(killed.expect("sh").success(), "no part runs");
}

/// A scheduler that a script of the project starts and stops.
struct Started {
    script: &'static str,
    folder: TempDir,
}

impl Started {
    fn new(script: &'static str) -> Started {
        let folder = tempfile::tempdir().expect("a folder");
        let started = Started { script, folder };
        started.run("start", &[]);
        started
    }

    fn path(&self, name: &str) -> String {
        let path = self.folder.path().join(name);
        path.to_str().expect("UTF-8").to_owned()
    }

    fn run(&self, what: &str, more: &[&str]) {
        let mut command = Command::new(root().join(self.script));
        command.arg(what).arg(self.folder.path()).args(more);
        let status = command.status().expect("it runs");
        assert!(status.success(), "{} {what}: {status}", self.script);
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = Command::new(root().join(self.script))
            .arg("stop")
            .arg(self.folder.path())
            .status();
    }
}

#[test]
#[ignore = "needs GNU parallel; takes minutes: apt-get install parallel"]
fn gnu_parallel_gives_the_same_lines() {
    let _alone = alone();
    let said = launched(&["parallel"], &[], kill_a_part);
    assert!(said.contains("submitted again"), "{said}");
}

/// A machine is lost, and does not come back: its parts go to the other one.
#[test]
#[ignore = "needs GNU parallel and an ssh server; takes minutes: apt-get install parallel openssh-server"]
fn gnu_parallel_over_ssh_gives_the_same_lines() {
    let _alone = alone();
    let ssh = Started::new("scripts/ssh");
    let host = |node: &str| format!("1/ssh -F {} {node}", ssh.path("config"));
    let (one, two) = (host("one"), host("two"));
    let arguments = ["parallel", "--sshlogin", &one, "--sshlogin", &two];
    let said = launched(&arguments, &[], |_| ssh.run("lose", &["one"]));
    assert!(!said.contains("submitted again"), "{said}");
}

/// What a node did not finish is begun again by Slurm.
#[test]
#[ignore = "needs Slurm, and root; takes minutes: apt-get install slurm-wlm munge"]
fn slurm_gives_the_same_lines() {
    let said = by_slurm(&["slurm"]);
    assert!(!said.contains("submitted again"), "{said}");
}

/// Where Slurm may not begin it again, it is submitted again.
#[test]
#[ignore = "needs Slurm, and root; takes minutes: apt-get install slurm-wlm munge"]
fn slurm_that_begins_nothing_again_gives_the_same_lines() {
    let said = by_slurm(&["slurm", "--launcher-arg=--no-requeue"]);
    assert!(said.contains("submitted again"), "{said}");
}

/// With two nodes, of which one is lost.
fn by_slurm(arguments: &[&str]) -> String {
    let _alone = alone();
    let slurm = Started::new("scripts/slurm");
    let conf = slurm.path("slurm.conf");
    let lose = |_: &Path| slurm.run("lose", &["one"]);
    launched(arguments, &[("SLURM_CONF", conf)], lose)
}

/// A part dies.
#[test]
#[ignore = "needs HyperQueue's package of PyPI, and takes minutes"]
fn hyperqueue_gives_the_same_lines() {
    let said = by_hyperqueue(|_, job| kill_a_part(job));
    assert!(said.contains("submitted again"), "{said}");
}

/// All machines are lost, the server's too, which knows nothing when it is back.
#[test]
#[ignore = "needs HyperQueue's package of PyPI, and takes minutes"]
fn hyperqueue_that_forgets_gives_the_same_lines() {
    let said = by_hyperqueue(|hq, _| {
        hq.run("lose", &[]);
        hq.run("start", &[]);
    });
    assert!(said.contains("submitted again"), "{said}");
}

fn by_hyperqueue(lose: impl FnOnce(&Started, &Path)) -> String {
    let _alone = alone();
    let hq = Started::new("scripts/hyperqueue");
    let rest = std::env::var("PATH").expect("a path");
    let environment = [
        ("PATH", format!("{}:{rest}", hq.path("bin"))),
        ("HQ_SERVER_DIR", hq.path("server")),
    ];
    launched(&["hyperqueue"], &environment, |job| lose(&hq, job))
}
