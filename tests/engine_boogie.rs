//! The real Boogie. Where it is missing, these tests fail.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tranquera::engine::{EngineConfig, EngineError, Tool, kind};
use tranquera::query::{EntryProcedure, Limits, QuestionProgram, Reason, Verdict};

const PROGRAM: &str = "\
var g: int;
procedure boogie_si_record_int(x: int);
procedure inc(d: int) modifies g; { g := g + d; }
";

/// An entry named `C.q` with this body.
fn entry(body: &str) -> EntryProcedure {
    EntryProcedure {
        name: "C.q".into(),
        text: format!(
            "procedure {{:entrypoint}} C.q() modifies g;\n{{\n{body}  assert {{:reached}} false;\n}}\n"
        ),
        limit: None,
    }
}

fn bug() -> EntryProcedure {
    entry(
        "  var x: int;\n  assume x > 0;\n  g := 0;\n  call inc(x);\n  call inc(x);\n  \
         call {:cexpr \"g\"} boogie_si_record_int(g);\n  assume g == 10;\n",
    )
}

fn nobug() -> EntryProcedure {
    entry("  var x: int;\n  g := 0;\n  call inc(x);\n  call inc(x);\n  assume g == 11;\n")
}

fn looping(times: u32) -> EntryProcedure {
    entry(&format!(
        "  var i: int;\n  i := 0;\n  g := 0;\n  while (i < {times}) {{ call inc(1); i := i + 1; }}\n  assume g == {times};\n"
    ))
}

/// The solver says `unknown` to this at once.
fn incomplete() -> (QuestionProgram, EntryProcedure) {
    let axioms = "function f(x: int): int;\naxiom (forall x: int :: f(x) > f(x - 1));\n";
    let entry = entry(
        "  var x: int;\n  assume f(x) == 0;\n  assume (forall i: int :: f(f(i)) > 3 || i > 5);\n",
    );
    (program(&format!("{axioms}{PROGRAM}")), entry)
}

/// The solver takes for ever.
fn fermat() -> EntryProcedure {
    entry(
        "  var x, y, z: int;\n  assume x > 0 && y > 0 && z > 0;\n  assume x*x*x + y*y*y == z*z*z;\n",
    )
}

fn program(text: &str) -> QuestionProgram {
    QuestionProgram::new("C", text)
}

fn ask_with(config: &EngineConfig, program: &QuestionProgram, entry: &EntryProcedure) -> Verdict {
    for tool in [Tool::Boogie, Tool::Z3] {
        if let Err(error) = tool.locate("boogie", None) {
            panic!("{error}: this test needs the real one. {}", tool.hint());
        }
    }
    let engine = (kind("boogie").expect("known").make)(config);
    engine.open(program).expect("found").ask(entry)
}

fn ask(entry: &EntryProcedure) -> Verdict {
    ask_with(&EngineConfig::default(), &program(PROGRAM), entry)
}

fn reason(verdict: &Verdict) -> Option<Reason> {
    match verdict {
        Verdict::Unknown(unknown) => Some(unknown.reason),
        _ => None,
    }
}

fn is_ten(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Reached(trace) if trace.values.iter().map(|it| it.value.as_str()).eq(["10"]))
}

#[test]
fn bug_nobug_loop() {
    let verdict = ask(&bug());
    assert!(is_ten(&verdict), "{verdict:?}");
    assert_eq!(ask(&nobug()), Verdict::Unreachable);
    assert_eq!(ask(&looping(10)), Verdict::BoundHit { bound: 3 });
    let verdict = ask(&looping(2));
    assert!(matches!(verdict, Verdict::Reached(_)), "{verdict:?}");
}

#[test]
fn the_steps_count_the_lines_of_program_and_entry() {
    let Verdict::Reached(trace) = ask(&bug()) else {
        panic!("not reached");
    };
    let steps: Vec<_> = trace
        .steps
        .iter()
        .map(|step| (step.line, step.event.as_str(), step.depth))
        .collect();
    let inc = [(0, "call inc", 0), (3, "anon0", 1), (0, "return inc", 0)];
    // The entry starts in line 4, its first command is in line 7.
    let expected: Vec<_> = std::iter::once((7, "anon0", 0))
        .chain(inc)
        .chain(inc)
        .collect();
    assert_eq!(steps, expected);
}

#[test]
fn the_bound_is_passed_on() {
    let config = |recursion_bound| EngineConfig {
        limits: Limits {
            recursion_bound,
            ..Limits::default()
        },
        ..EngineConfig::default()
    };
    // 10 iterations need a bound of 11 (reference/engines.md).
    let of = |bound| ask_with(&config(bound), &program(PROGRAM), &looping(10));
    assert_eq!(of(10), Verdict::BoundHit { bound: 10 });
    assert!(matches!(of(11), Verdict::Reached(_)));
}

#[test]
fn an_unknown_of_the_solver_is_not_a_bug() {
    let (program, entry) = incomplete();
    let verdict = ask_with(&EngineConfig::default(), &program, &entry);
    assert_eq!(
        reason(&verdict),
        Some(Reason::SolverIncomplete),
        "{verdict:?}"
    );
}

#[test]
fn what_boogie_refuses_is_rejected() {
    let untyped = entry("  g := true;\n");
    let undeclared = entry("  h := 1;\n");
    let unparsed = entry("  g := := 1;\n");
    let early = entry("  if (g == 0) { return; }\n");
    let mut misnamed = bug();
    misnamed.name = "C.r".into();
    let required = "procedure p(x: int) requires x > 0; { }\n";
    for (text, entry) in [
        (PROGRAM.to_owned(), untyped),
        (PROGRAM.to_owned(), undeclared),
        (PROGRAM.to_owned(), unparsed),
        (PROGRAM.to_owned(), early),
        (PROGRAM.to_owned(), misnamed),
        (
            format!("{PROGRAM}{required}"),
            entry("  call p(g);\n  assume g > 10;\n"),
        ),
    ] {
        let verdict = ask_with(&EngineConfig::default(), &program(&text), &entry);
        assert_eq!(
            reason(&verdict),
            Some(Reason::Rejected),
            "{}\n{verdict:?}",
            entry.text
        );
    }
}

#[test]
fn a_slow_question_is_out_of_time_and_its_solver_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    // The link makes this test's solver known by its name.
    let z3 = folder.path().join("z3-of-this-test");
    link(Tool::Z3, &z3);
    let config = EngineConfig {
        limits: Limits {
            timeout: Duration::from_secs(2),
            ..Limits::default()
        },
        z3: Some(z3.clone()),
        ..EngineConfig::default()
    };
    let start = Instant::now();
    let verdict = ask_with(&config, &program(PROGRAM), &fermat());
    assert_eq!(reason(&verdict), Some(Reason::Timeout), "{verdict:?}");
    // As long as it is let, and the machine may be busy.
    assert!(start.elapsed() < Duration::from_secs(40));
    let alive = running(&z3);
    assert!(alive.is_empty(), "left: {alive:?}");
}

/// The processes that were started by this path.
fn running(executable: &Path) -> Vec<String> {
    let name = executable.to_string_lossy().into_owned();
    let processes = std::fs::read_dir("/proc").expect("/proc");
    processes
        .filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("cmdline")).ok())
        .filter(|line| line.contains(&name))
        .collect()
}

/// Makes a link to the real tool.
fn link(tool: Tool, path: &Path) {
    let real = tool
        .locate("boogie", None)
        .unwrap_or_else(|error| panic!("{error}: {}", tool.hint()));
    std::os::unix::fs::symlink(real.path, path).expect("a link");
}

#[test]
fn odd_paths_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let odd = folder.path().join("-a b\t\u{fc}\u{4e2d}'\"$(touch x);*");
    std::fs::create_dir(&odd).expect("made");
    link(Tool::Boogie, &odd.join("my boogie"));
    link(Tool::Z3, &odd.join("-z3"));
    let config = EngineConfig {
        boogie: Some(odd.join("my boogie")),
        z3: Some(odd.join("-z3")),
        keep_dir: Some(odd.join("-kept 'here'")),
        ..EngineConfig::default()
    };
    let mut odd_entry = bug();
    odd_entry.name = "A.b$c#d'e~f?g^h_".into();
    odd_entry.text = odd_entry.text.replace("C.q", &odd_entry.name);
    let verdict = ask_with(&config, &program(PROGRAM), &odd_entry);
    assert!(is_ten(&verdict), "{verdict:?}");
    let kept = std::fs::read_dir(odd.join("-kept 'here'")).expect("kept");
    assert_eq!(kept.count(), 2);
}

/// Runs another test of this file with its temporary files in an odd folder, and looks whether they go away.
#[test]
fn odd_temporary_folders_work_and_are_left_empty() {
    let folder = tempfile::tempdir().expect("a folder");
    let odd = folder.path().join("-a b \u{fc}'\"$(touch x);*");
    std::fs::create_dir(&odd).expect("made");
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "bug_nobug_loop"])
        .env("TMPDIR", &odd)
        .output()
        .expect("runs");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        stdout.contains("1 passed"),
        "{stdout}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(std::fs::read_dir(&odd).expect("there").count(), 0);
}

#[test]
fn a_question_and_its_output_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = EngineConfig {
        keep_dir: Some(folder.path().join("new/kept")),
        ..EngineConfig::default()
    };
    assert_eq!(
        ask_with(&config, &program(PROGRAM), &nobug()),
        Verdict::Unreachable
    );
    let read = |name: &str| {
        std::fs::read_to_string(folder.path().join("new/kept").join(name)).expect(name)
    };
    assert_eq!(read("C.q.bpl"), format!("{PROGRAM}{}", nobug().text));
    let report = read("C.q.boogie.txt");
    for part in [
        "\nargv: [\"/",
        "\"/recursionBound:3\",\"/proc:C.q\"",
        "\nended: exit status: 0\n",
        "\nverdict: \"unreachable\"\n",
        "finished with 1 verified, 0 errors\n--- stderr\n",
    ] {
        assert!(report.contains(part), "{part} is not in\n{report}");
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_told_before_any_question() {
    let config = EngineConfig {
        keep_dir: Some(PathBuf::from("/dev/null/kept")),
        ..EngineConfig::default()
    };
    let engine = (kind("boogie").expect("known").make)(&config);
    let opened = engine.open(&program(PROGRAM));
    assert!(matches!(opened, Err(EngineError::Io { .. })));
}

#[test]
fn questions_are_asked_from_several_threads() {
    let config = EngineConfig::default();
    let engine = (kind("boogie").expect("known").make)(&config);
    let session = engine
        .open(&program(PROGRAM))
        .expect("Boogie: apt-get install boogie z3");
    std::thread::scope(|scope| {
        let session = &session;
        let bugs: Vec<_> = (0..3)
            .map(|_| scope.spawn(move || session.ask(&bug())))
            .collect();
        let proofs: Vec<_> = (0..3)
            .map(|_| scope.spawn(move || session.ask(&nobug())))
            .collect();
        for handle in bugs {
            assert!(is_ten(&handle.join().expect("no panic")));
        }
        for handle in proofs {
            assert_eq!(handle.join().expect("no panic"), Verdict::Unreachable);
        }
    });
}

#[test]
fn a_solver_of_nonsense_is_no_verdict() {
    let config = EngineConfig {
        z3: Some(PathBuf::from("/bin/echo")),
        ..EngineConfig::default()
    };
    let verdict = ask_with(&config, &program(PROGRAM), &nobug());
    assert!(reason(&verdict).is_some(), "{verdict:?}");
}

#[test]
fn the_memory_of_the_solver_counts_too() {
    // Boogie on mono takes about 40 MiB, and Z3 about as much; neither alone is above the limit.
    let config = EngineConfig {
        limits: Limits {
            memory_mib: 64,
            timeout: Duration::from_secs(300),
            ..Limits::default()
        },
        ..EngineConfig::default()
    };
    let verdict = ask_with(&config, &program(PROGRAM), &fermat());
    assert_eq!(reason(&verdict), Some(Reason::Memory), "{verdict:?}");
}

#[test]
fn versions_are_told() {
    let engine = (kind("boogie").expect("known").make)(&EngineConfig::default());
    let version = engine
        .version()
        .unwrap_or_else(|error| panic!("{error}: apt-get install boogie z3"));
    assert!(version.starts_with("boogie 2."), "{version}");
    assert!(
        version.contains(", z3 4.") || version.contains(", z3 5."),
        "{version}"
    );
}

#[test]
fn a_missing_solver_is_told_before_any_question() {
    let config = EngineConfig {
        z3: Some(PathBuf::from("/no/where/z3")),
        ..EngineConfig::default()
    };
    let engine = (kind("boogie").expect("known").make)(&config);
    let Err(error) = engine.open(&program(PROGRAM)) else {
        panic!("opened");
    };
    let EngineError::Missing {
        executable, hint, ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(executable, "/no/where/z3");
    assert!(hint.contains("apt-get install z3"), "{hint}");
}
