//! `tranquera reach` as its users meet it: flags, files, what is printed, the exit status.

use std::path::PathBuf;
use std::process::Command;

/// What `tranquera reach` says of a program: `bug`, `none`, `bound`, or the whole output.
fn reach(text: &str, flags: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.bpl");
    std::fs::write(&file, text).expect("a file");
    word(&said(&[file], flags))
}

/// All that it prints.
fn said(files: &[PathBuf], flags: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tranquera"))
        .arg("reach")
        .args(files)
        .args(flags)
        .output();
    String::from_utf8(output.expect("it runs").stdout).expect("text")
}

/// The answer as a word; the whole output, where there is none.
fn word(text: &str) -> String {
    let says = |line: &str| text.lines().any(|l| l == line);
    let bounded = text.contains("Reached recursion bound of");
    if says("Program has a potential bug: True bug") {
        "bug".into()
    } else if says("Program has no bugs") {
        if bounded { "bound" } else { "none" }.into()
    } else {
        text.into()
    }
}

/// A program whose `main` has this body.
fn main_with(decls: &str, body: &str) -> String {
    format!("{decls}\nprocedure {{:entrypoint}} main() {{ {body} }}\n")
}

/// Twelve procedures, each called twice by the one before, so that not all calls can be inlined; the last takes a lock and
/// gives it back, and calls one that calls itself.
fn too_many_calls(last: &str) -> String {
    let mut text = format!(
        "var lock, n: int; procedure deep(k: int) modifies n; {{ n := n + k; if (*) {{ call deep(k + 1); }} }}
         procedure p12() modifies lock, n; {{ assert lock == 0; lock := 1; call deep(n); {last} }}"
    );
    for k in (0..12).rev() {
        let next = k + 1;
        text +=
            &format!("procedure p{k}() modifies lock, n; {{ call p{next}(); call p{next}(); }}\n");
    }
    text + "procedure main() modifies lock, n; { lock := 0; call p0(); }"
}

/// No bound is said to be hit: what is shown is shown of every recursion.
#[test]
fn a_large_program_is_gone_through_all_executions_at_once() {
    for (last, answer, shown) in [
        ("lock := 0;", "none", "is_unreachable=true"),
        ("", "bug", "is_unreachable=false"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("p.bpl");
        std::fs::write(&file, too_many_calls(last)).expect("a file");
        let output = Command::new(env!("CARGO_BIN_EXE_tranquera"))
            .arg("reach")
            .arg(file)
            .args(["/main:main", "/recursionBound:2", "-v"])
            .output()
            .expect("it runs");
        let said = String::from_utf8(output.stdout).expect("text");
        assert_eq!(word(&said), answer);
        let figures = String::from_utf8(output.stderr).expect("text");
        assert!(figures.contains(shown), "{figures}");
    }
}

#[test]
fn usage_and_status() {
    let run = |args: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_tranquera"))
            .arg("reach")
            .args(args)
            .output()
            .expect("it runs")
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.bpl");
    let path = file.to_str().expect("a path");
    let cases: [(&str, &[&str], i32, &str); 8] = [
        (
            "procedure main() { }",
            &[],
            1,
            "Error, Invalid input: Main procedure not specified",
        ),
        (
            "procedure main() { }",
            &["/main:P"],
            1,
            "Error, Invalid input: Implementation of main procedure not found",
        ),
        (
            "procedure main() { }",
            &["/main:main", "/nonsense"],
            1,
            "Usage error: Invalid flag: /nonsense",
        ),
        (
            "procedure main() { }",
            &["/main:main"],
            0,
            "Warning: Using default recursion bound of 1\nProgram has no bugs",
        ),
        (
            "procedure main() { ",
            &["/main:main"],
            1,
            "p.bpl(1,20): error: expected a statement or `}`, found the end of the text",
        ),
        (
            "procedure main() { x := 1; }",
            &["/main:main"],
            1,
            "p.bpl(1,20): Error: undeclared identifier: x",
        ),
        (
            "procedure main() { assert false; }",
            &["/main:main", "/recursionBound:1", "/z3:/no/such/z3"],
            1,
            "Error, builtin: cannot find `/no/such/z3`",
        ),
        (
            "procedure main() { assert false; }",
            &["--main=main", "--json"],
            0,
            "\"result\": \"bug\"",
        ),
    ];
    for (text, flags, status, wanted) in cases {
        std::fs::write(&file, text).expect("a file");
        let arguments: Vec<&str> = std::iter::once(path).chain(flags.iter().copied()).collect();
        let output = run(&arguments);
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{said}");
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn a_file_of_flags_is_corrals() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    // The second file of the program has the procedure that makes the assertion fail.
    write(
        "main.bpl",
        "procedure go() { var x: int; call x := one(); assert x != 1; }",
    );
    write("one.bpl", "procedure one() returns (r: int) { r := 1; }");
    let lines = [
        "# found from the folder of this file",
        "/concat:one.bpl",
        "TrackVars = x, y",
        "/k:1 /fwdBck /fwdBckInRef",
        "/main:go",
        "/assertVar:failed",
        "/assertVarIsInt",
    ];
    write("config", &lines.join("\n"));
    let flags = format!("/flags:{}", folder.path().join("config").display());
    let said = said(&[folder.path().join("main.bpl")], &[&flags]);
    assert_eq!(word(&said), "bug");
}

#[test]
fn flags_for_another_program_are_refused() {
    for flag in ["/unifyMaps", "/unfoldRecursion", "/dainst:p.bpl"] {
        let said = reach(&main_with("", "assert false;"), &[flag]);
        let why = "is not supported: it asks for another program, not for an answer";
        assert!(said.contains(why), "{said}");
    }
}

/// Both streams, and the exit status.
fn whole(files: &[PathBuf], flags: &[&str], folder: &std::path::Path) -> (String, String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_tranquera"))
        .current_dir(folder)
        .arg("reach")
        .args(files)
        .args(flags)
        .output()
        .expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let status = output.status.code().expect("a status");
    (text(output.stdout), text(output.stderr), status)
}

#[test]
fn a_flag_without_a_meaning_gets_a_word() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.bpl");
    std::fs::write(&file, main_with("", "assert true;")).expect("a file");
    let files = [file];
    // What SMACK passes.
    let smacks = "/tryCTrace /noTraceOnDisk /printDataValues:1 /k:1 /useProverEvaluate /timeLimit:1200 /cex:1 \
        /maxStaticLoopBound:1 /recursionBound:1 /bopt:proverOpt:O:smt.qi.eager_threshold=100 \
        /bopt:proverOpt:O:smt.arith.solver=2 /k:1";
    let mut flags: Vec<&str> = smacks.split_whitespace().collect();
    let (said, noted, status) = whole(&files, &flags, folder.path());
    assert_eq!((word(&said).as_str(), status), ("none", 0));
    insta::assert_snapshot!(noted, @r"
    note: /k:1 has no meaning here: programs have one thread
    note: /useProverEvaluate, /bopt:proverOpt:O:smt.qi.eager_threshold=100, /bopt:proverOpt:O:smt.arith.solver=2 have no meaning here: the solver is asked in this engine's own way
    ");
    flags.push("--quiet");
    let (_, noted, _) = whole(&files, &flags, folder.path());
    assert_eq!(noted, "");
    for (flag, wanted) in [
        (
            "/trackAlVars",
            "Invalid flag: /trackAlVars (did you mean /trackAllVars?)",
        ),
        (
            "/recursionBoud:3",
            "Invalid flag: /recursionBoud:3 (did you mean /recursionBound?)",
        ),
        ("/bopt:nonsense", "Invalid flag: /bopt:nonsense\n"),
        (
            "/bopt:smoke",
            "/smoke is not supported: use an `assert false`",
        ),
        (
            "/lib:node",
            "/lib:node is not supported: of Boogie's libraries there is `base`",
        ),
        ("/tryCTrace:html", "Invalid flag: /tryCTrace:html"),
    ] {
        let (said, _, status) = whole(&files, &[flag], folder.path());
        assert!(said.contains(wanted), "{said}");
        assert_eq!(status, 1);
    }
}

/// A program that was made from others.
const MADE: &str = "procedure boogie_si_record_i32(x: int);
procedure {:entrypoint} main() {
  var x: int;
  assume {:sourceloc \"dir/prog.c\", 10, 3} true;
  havoc x;
  assume x == 6;
  call {:cexpr \"x\"} boogie_si_record_i32(x);
  assert {:sourceloc \"prog.c\", 11, 5} true;
  if (x > 3) {
    assert {:sourcefile \"prog.c\"} {:sourceline 13} {:print \"Call \\\"main\\\" \\\"foo\\\"\"} true;
    call foo(x);
  }
}
procedure foo(z: int) {
  assert {:sourceloc \"lib.c\", 3, 9} {:abortM \"boom\"} z <= 5;
}
";

#[test]
fn traces_are_told_in_the_sources() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("made.bpl");
    std::fs::write(&file, MADE).expect("a file");
    let files = [file];
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name));
    let flags = ["/recursionBound:3", "/tryCTrace", "/printDataValues:1"];
    let (said, _, status) = whole(&files, &flags, folder.path());
    assert_eq!(status, 0);
    insta::assert_snapshot!(said);
    let flags = ["/recursionBound:3", "/tryCTrace:sdv", "/noTraceOnDisk"];
    whole(&files, &flags, folder.path());
    assert!(read("defect.tt").is_err());
    let (said, _, status) = whole(&files, &["/recursionBound:3", "/sdv"], folder.path());
    assert_eq!((said.as_str(), status), ("Program has bugs\n", 0));
    let written = ["defect.tt", "stack.txt"].map(|name| read(name).expect("a file"));
    insta::assert_snapshot!(written.join("---\n"));
}

#[test]
fn last_lines_and_statuses_are_corrals() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.bpl");
    let says = |text: &str, flags: &[&str]| {
        std::fs::write(&file, text).expect("a file");
        let (said, _, status) = whole(std::slice::from_ref(&file), flags, folder.path());
        (said, status)
    };
    let (bug, none) = (
        main_with("", "assert false;"),
        main_with("", "assert true;"),
    );
    let bound = main_with(
        "",
        "var i: int; i := 0; while (i < 9) { i := i + 1; } assert i != 9;",
    );
    let end = "\nNumber of procedures inlined: 1\n\nStopping: Done\n";
    let cases = [
        (
            &bug,
            "Return status: NOK\nProgram has bugs\nmain did not verify",
        ),
        (&none, "Return status: OK\nNo bugs found"),
        (&bound, "Return status: ReachedBound\nNo bugs found\n"),
    ];
    for (text, wanted) in cases {
        let (said, status) = says(text, &["/recursionBound:1", "/si", "/noTrace"]);
        assert!(said.starts_with(wanted), "{said}");
        assert!(said.ends_with("\n\nStopping: Done\n"), "{said}");
        assert_eq!(status, 1);
    }
    let (said, _) = says(&bug, &["/recursionBound:1", "/si", "/noTrace"]);
    assert!(said.ends_with(end), "{said}");
    let sdv = ["/recursionBound:1", "/sdv"];
    assert_eq!(
        says(&none, &sdv),
        ("No bugs found\nProof computed\n".into(), 0)
    );
    assert_eq!(
        says(&bound, &sdv),
        ("No bugs found\nProof not computed\n".into(), 0)
    );
    // A solver that never answers.
    let slow = folder.path().join("z3");
    std::fs::write(&slow, "#!/bin/sh\nsleep 60\n").expect("a file");
    let mut permissions = std::fs::metadata(&slow).expect("a file").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    std::fs::set_permissions(&slow, permissions).expect("permissions");
    let z3 = format!("/z3:{}", slow.display());
    let flags = ["/recursionBound:1", "/killAfter:1", z3.as_str()];
    assert_eq!(says(&bug, &flags), ("Corral timed out\n".into(), 137));
}

#[test]
fn programs_are_printed_where_flags_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.bpl");
    let text = "var g: int;\nprocedure {:entrypoint} main() { while (*) { g := g + 1; } assert {:text \"g\"} g < 3; }\n";
    std::fs::write(&file, text).expect("a file");
    let files = [file];
    let flags = [
        "/recursionBound:1",
        "/noTrace",
        "/print:read.bpl",
        "/printFinalProg:final.bpl",
    ];
    let (said, _, _) = whole(&files, &flags, folder.path());
    assert_eq!(word(&said), "bug");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    insta::assert_snapshot!([read("read.bpl"), read("final.bpl")].join("---\n"));
    // Not over what it is made from.
    let (said, _, status) = whole(&files, &["/print:p.bpl"], folder.path());
    assert_eq!((read("p.bpl").as_str(), status), (text, 1), "{said}");
}

/// What a prelude and a program both declare is an error that names both places, as it is for Boogie, which names one.
#[test]
fn what_is_declared_in_two_files_is_named_in_both() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two) = (folder.path().join("one.bpl"), folder.path().join("two.bpl"));
    std::fs::write(
        &one,
        "// a prelude\ntype T; const c: T;\nfunction f(x: int): int;\n",
    )
    .expect("a file");
    let text = "function f(x: int): int;\nconst c: int; type T;\nprocedure P();\nprocedure P();\n";
    std::fs::write(&two, text).expect("a file");
    insta::assert_snapshot!(said(&[one.clone(), two], &["/main:P"]), @r"
    two.bpl(2,20): Error: more than one declaration of type: T (the first is at one.bpl(2,6))
    two.bpl(1,10): Error: more than one declaration of function: f (the first is at one.bpl(3,10))
    two.bpl(2,7): Error: more than one declaration of constant or variable: c (the first is at one.bpl(2,15))
    two.bpl(4,11): Error: more than one declaration of procedure: P (the first is at two.bpl(3,11))
    4 name resolution or type checking errors detected in one.bpl
    ");
}

#[test]
fn verbosity_is_no_flag_of_corrals() {
    let text = main_with("", "assert true;");
    for flag in [
        "-v",
        "-vv",
        "--verbose",
        "--quiet",
        "-q",
        "--log-json",
        "/v:1",
    ] {
        assert_eq!(reach(&text, &[flag]), "none", "{flag}");
    }
    assert!(reach(&text, &["-vx"]).contains("Invalid flag: -vx"));
}

#[test]
fn traces_are_corrals() {
    let text = "var g: int;
procedure {:entrypoint} main()
  modifies g;
{
  var x: int;

  havoc x;
  assume x == 5;
    g := 0;
  call inc(x);
  call {:cexpr \"g\"} boogie_si_record_int(g);
  assert g != 5;
}
procedure boogie_si_record_int(x: int);

procedure inc(d: int)
  modifies g;
{
    g := g + d;
}
";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bug.bpl");
    std::fs::write(&file, text).expect("a file");
    insta::assert_snapshot!(said(&[file], &["/recursionBound:3", "/printDataValues:1"]));
}

#[test]
fn several_executions_are_asked_for() {
    let text = main_with(
        "",
        "var x: int; assert x == 2; assert x > 0; assert x > 2; while (x < 5) invariant x < 4; { x := x + 1; }",
    );
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.bpl");
    std::fs::write(&file, text).expect("a file");
    let says = |n: &str| {
        let text = said(
            std::slice::from_ref(&file),
            &["/recursionBound:5", "/noTrace", n],
        );
        text.matches("Program has a potential bug: True bug")
            .count()
    };
    // What failed is taken for granted: x is 2, and so not over 2, and then nothing is left.
    assert_eq!(says("/cex:9"), 2);
    assert_eq!(says("/cex:1"), 1);
}

#[test]
fn several_files_are_one_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two) = (folder.path().join("one.bpl"), folder.path().join("two.bpl"));
    std::fs::write(&one, "\nprocedure {:entrypoint} main() { call P(3); }\n").expect("a file");
    std::fs::write(
        &two,
        "#if FILE_1\nprocedure P(x: int) {\n  assert x > 3;\n}\n#endif\n",
    )
    .expect("a file");
    insta::assert_snapshot!(said(&[one, two], &["/recursionBound:1"]));
}

#[test]
fn values_are_shown_as_they_are_written() {
    let text = "datatype Option<T> { None(), Some(t: T) } datatype D { D(o: Option int, p: Option bool, x: float24e8) } \
        procedure boogie_si_record_D(d: D); procedure boogie_si_record_float(x: float24e8); \
        procedure {:entrypoint} main() { \
          call {:cexpr \"d\"} boogie_si_record_D(D(Some(-3), None(), -0x1.8e0f24e8)); \
          call {:cexpr \"x\"} boogie_si_record_float(0x2.4e0f24e8); \
          call {:cexpr \"nan\"} boogie_si_record_float(0NaN24e8); \
          call {:cexpr \"low\"} boogie_si_record_float(0x8.0e-38f24e8); \
          assert false; }";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.bpl");
    std::fs::write(&file, text).expect("a file");
    let said = said(&[file], &["/printDataValues:1"]);
    // -1.5 is -C00000 (hexadecimal) times 16 to the -6 and 2 to the 1.
    for shown in [
        "(d = D(Some(-3), None(), -0x1800000.0e-6f24e8))",
        "(x = 0x2400000.0e-6f24e8)",
        "(nan = 0NaN24e8)",
        "(low = 0x8.0e-38f24e8)",
    ] {
        assert!(said.contains(shown), "{shown} in {said}");
    }
}

/// At 1 this function has no value at all, so there is no world in which anything happens.
#[test]
fn a_function_without_a_value_makes_no_execution() {
    let decls = "function Up(n: int): int { if n == 0 then 0 else Up(n) + 1 }";
    let text = main_with(decls, "assert Up(0) == 1;");
    assert_ne!(reach(&text, &["/timeLimit:10"]), "bug");
}

/// That no pair is a part of itself follows from no axiom here: a proof must not come from the models that are tried.
#[test]
fn values_may_contain_themselves() {
    let decls = "type Chain;
        function Link(n: int, c: Chain): Chain;
        function Next(c: Chain): Chain;
        axiom (forall n: int, c: Chain :: Next(Link(n, c)) == c);";
    let text = main_with(decls, "var c: Chain; assert c != Link(1, c);");
    let said = reach(&text, &["/timeLimit:8"]);
    assert!(!said.starts_with("none"), "{said}");
}

#[test]
fn a_stage_that_there_is_not_is_named_with_those_that_there_are() {
    let said = reach("procedure main() { }", &["/main:main", "--print", "parsed"]);
    assert_eq!(
        said,
        "Usage error: /print takes lowered, loops, passive, vc or smt, not parsed\n"
    );
    // Boogie's flag of that name says where to print the program.
    let said = reach("procedure main() { }", &["/main:main", "/print:-"]);
    assert_eq!(said, "none");
}
