//! `tranquera survey --launcher`: by a scheduler that misbehaves, which is a shell script here, and on request by real ones.

mod real;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use assert_cmd::assert::Assert;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::program::{PROGRAM, root, stderr, tranquera};
use crate::support::running::{On, Running};

/// A folder with three classes, and programs that go before those of the machine.
struct Place {
    folder: TempDir,
}

/// Runs the parts in `parts`, a line each, as a scheduler would.
const RUN: &str = "while read -r part; do sh \"$script\" \"$part\" 2>> messages; done < parts";

impl Place {
    fn new() -> Place {
        let place = Place {
            folder: tempfile::tempdir().expect("a folder"),
        };
        for class in ["door", "vending_machine", "linked_list"] {
            let from = root().join(format!("fixtures/corral-2016/{class}.tq"));
            std::fs::create_dir_all(place.path("code")).expect("made");
            std::fs::copy(from, place.path(&format!("code/{class}.tq"))).expect("copied");
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Puts a program on the path.
    fn program(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        std::fs::create_dir_all(self.path("bin")).expect("made");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, executable).expect("executable");
    }

    /// A Slurm that does this with the script `$script` and `parts` on the `$round`th submission, and says this of its jobs.
    fn slurm(&self, submitted: &str, said: &str) {
        let sbatch = format!(
            "for word; do case $word in --array=*) array=${{word#--array=}};; esac; script=$word; done\n\
             echo \"$*\" >> submissions; round=$(wc -l < submissions)\n\
             for range in $(echo \"$array\" | tr , ' '); do seq \"${{range%-*}}\" \"${{range#*-}}\"; done > parts\n\
             {submitted}\necho \"$round\""
        );
        self.program("sbatch", &sbatch);
        self.program("squeue", said);
        self.program("scancel", "echo \"$*\" >> canceled");
    }

    fn search_path(&self) -> String {
        let rest = std::env::var("PATH").expect("a path");
        format!("{}:{rest}", self.path("bin").display())
    }

    /// A survey of the classes, with these arguments more.
    fn survey(&self, arguments: &[&str]) -> assert_cmd::Command {
        let mut command = tranquera(["survey", "code", "--each", "600s"]);
        command
            .current_dir(self.folder.path())
            .env("PATH", self.search_path())
            .args(arguments);
        command
    }

    fn launch(&self, arguments: &[&str]) -> Assert {
        let launch = ["--launcher", "slurm", "--parts", "3", "--output", "lines"];
        self.survey(&[&launch[..], arguments].concat()).assert()
    }

    /// What was said, without the name of the folder.
    fn said(&self, run: &Assert) -> String {
        let folder = self.folder.path().canonicalize().expect("there");
        stderr(run).replace(folder.to_str().expect("UTF-8"), "FOLDER")
    }
}

/// The lines of a file in the order of their classes, without their times.
fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("lines");
    let mut lines: Vec<String> = text.lines().map(without_time).collect();
    lines.sort();
    lines
}

/// A line, byte for byte but for its time.
fn without_time(line: &str) -> String {
    let (before, ms) = line.rsplit_once("\"ms\":").expect("a time");
    assert!(
        ms.trim_end_matches('}').bytes().all(|b| b.is_ascii_digit()),
        "{line}"
    );
    before.to_owned()
}

fn outcomes(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("lines");
    let outcome = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let kind = line["reason"]["kind"].as_str().unwrap_or("-");
        format!("{} {} {kind}", line["class"], line["outcome"])
    };
    let mut outcomes: Vec<String> = text.lines().map(outcome).collect();
    outcomes.sort();
    outcomes
}

#[test]
fn what_a_job_did_not_finish_is_submitted_again() {
    let place = Place::new();
    place.survey(&["--output", "here"]).assert().success();
    // The first job is lost before its second part begins.
    let lost = format!("[ \"$round\" -gt 1 ] || sed -i 1q parts\n{RUN}");
    place.slurm(&lost, "true");
    let run = place
        .launch(&["--launcher-arg=--partition=long", "--jobs", "2"])
        .success();
    assert_eq!(lines(&place.path("lines")), lines(&place.path("here")));
    let submissions = place.text("submissions");
    let submissions: Vec<&str> = submissions.lines().collect();
    assert_eq!(submissions.len(), 2, "{submissions:?}");
    for word in ["--cpus-per-task=2", "--partition=long", "--requeue"] {
        assert!(
            submissions.iter().all(|line| line.contains(word)),
            "{submissions:?}"
        );
    }
    // The first part is done; it is not in the second job.
    assert!(!submissions[1].contains("--array=1"), "{submissions:?}");
    let said = place.said(&run);
    assert!(
        said.contains("not examined when the job ended: submitted again"),
        "{said}"
    );
    // Once more: all is there, and nothing is submitted.
    let run = place.launch(&["--jobs", "2"]).success();
    assert!(
        place.said(&run).contains("3 from an earlier run"),
        "{}",
        place.said(&run)
    );
    assert_eq!(lines(&place.path("lines")), lines(&place.path("here")));
    assert_eq!(place.text("submissions").lines().count(), 2);
}

#[test]
fn what_no_job_finishes_is_said() {
    let place = Place::new();
    place.slurm(
        "mkdir -p survey-job/messages; echo 'slurmstepd: no' > survey-job/messages/slurm-1-1.txt",
        "true",
    );
    let run = place.launch(&[]).code(3);
    insta::assert_snapshot!("launch_lost", place.said(&run));
    let failed = |class| format!("\"{class}\" \"failed\" lost");
    let expected = ["Door", "LinkedList", "VendingMachine"].map(failed);
    assert_eq!(outcomes(&place.path("lines")), expected);
    // What failed is asked again.
    place.slurm(RUN, "true");
    place.launch(&["--resume", "lines"]).success();
    assert!(
        outcomes(&place.path("lines"))
            .iter()
            .all(|line| line.contains("done"))
    );
}

#[test]
fn lines_of_another_program_are_not_taken() {
    let place = Place::new();
    place.survey(&["--output", "here"]).assert().success();
    let other = "sed -E 's/\"options\":\"[0-9a-f]+\"/\"options\":\"0\"/' here > survey-job/parts/1-of-3.jsonl";
    place.slurm(other, "true");
    let said = place.said(&place.launch(&[]).code(3));
    assert!(said.contains("another build of Tranquera"), "{said}");
}

#[test]
fn a_scheduler_that_does_not_answer_is_waited_for() {
    let place = Place::new();
    let later = format!("({RUN}; touch ended) > /dev/null &");
    let said = "[ -e asked ] && [ -e ended ] && exit; touch asked; echo 'Unable to contact slurm controller' >&2; exit 1";
    place.slurm(&later, said);
    let run = place.launch(&[]).success();
    assert_eq!(place.text("submissions").lines().count(), 1);
    // It may be done before anybody asks.
    if place.path("asked").exists() {
        let said = place.said(&run);
        assert!(
            said.contains("does not say how far it is: Unable to contact"),
            "{said}"
        );
    }
}

#[test]
fn ctrl_c_cancels_the_job_and_keeps_what_is_done() {
    let place = Place::new();
    place.slurm(
        &format!("sed -i 1q parts; {RUN}"),
        "echo 1_2 PENDING Resources",
    );
    let mut command = Command::new(PROGRAM);
    let launch = "survey code --each 600s --launcher slurm --parts 3 --output lines";
    command
        .args(launch.split(' '))
        .current_dir(place.folder.path())
        .env("PATH", place.search_path())
        .env("TRANQUERA_CACHE", "off");
    let mut running = Running::of(On::Pipes, command);
    running.wait_until("the first part", || place.text("lines").contains('\n'));
    let submitted = || place.text("survey-job/submitted");
    running.wait_until("a note of it", || submitted() == "1");
    // Meanwhile another one in this folder would do all twice.
    let second = place.said(&place.launch(&[]).code(2));
    assert!(
        second.contains("job 1 of an earlier run is still at work"),
        "{second}"
    );
    assert!(second.contains("`scancel 1`"), "{second}");
    assert!(place.text("lines").contains('\n'));
    running.interrupt();
    assert_eq!(running.end().code(), Some(130));
    assert_eq!(place.text("canceled"), "1\n");
    assert_eq!(submitted(), "");
    assert!(
        running.printed().contains("interrupted: "),
        "{}",
        running.printed()
    );
    assert!(
        outcomes(&place.path("lines"))
            .iter()
            .all(|line| line.contains("done"))
    );
}

#[test]
fn what_cannot_be_launched_is_said() {
    let place = Place::new();
    place.program("parallel", "echo 'parallel from moreutils'");
    let refused = |arguments: &[&str], status: i32| {
        let mut command = place.survey(arguments);
        command.env("PATH", place.path("bin"));
        place.said(&command.assert().code(status))
    };
    let said = [
        refused(&["--launcher", "slurm"], 3),
        refused(&["--launcher", "hyperqueue"], 3),
        refused(&["--launcher", "parallel"], 3),
        refused(&["--launcher", "slurm", "--sshlogin", "host"], 2),
        refused(&["--launcher", "slurm", "--shard", "1/2"], 2),
        refused(&["--parts", "3"], 2),
        refused(&["--launcher", "slurm", "--parts", "0"], 2),
    ];
    let mut said = said.join("\n");
    place.slurm(
        "echo 'Invalid partition name specified' >&2; exit 1",
        "true",
    );
    said += &place.said(&place.launch(&[]).code(3));
    insta::assert_snapshot!("launch_refused", said);
}
