//! Random programs too large to inline all of, whose answer is known by construction.
//!
//! Routines in levels call one or two of the next level and set globals; which way they take depends on a global. A bug is put
//! in by running the program on chosen values and asserting that the first globals do not end as they then do. In any case
//! every routine of the first level takes a lock and gives it back, which an assertion says.

use std::fmt::Write;

use super::generate::{Generated, Random};

const LEVELS: usize = 11;
const WIDTH: usize = 4;
const GLOBALS: usize = 6;
/// How many of them an assertion looks at.
const SEEN: usize = 3;

enum Step {
    Set(usize, i64),
    Call(usize),
}

/// `if (global == value) { then } else { otherwise }`
struct Routine {
    global: usize,
    value: i64,
    then: Vec<Step>,
    otherwise: Vec<Step>,
}

/// A program, with a bug put in or without any.
pub fn large(seed: u64, with_bug: bool) -> Generated {
    let mut random = Random::new(seed);
    let routines: Vec<Routine> = (0..LEVELS * WIDTH)
        .map(|number| routine(&mut random, number / WIDTH + 1))
        .collect();
    let mut end: Vec<i64> = (0..GLOBALS).map(|_| random.below(4) as i64).collect();
    (0..WIDTH).for_each(|first| run(&routines, first, &mut end));
    let mut program = String::from("var lock, twice: bool;\n");
    for global in 0..GLOBALS {
        let _ = writeln!(program, "var g{global}: int;");
    }
    for (number, routine) in routines.iter().enumerate() {
        write_routine(&mut program, number, routine);
    }
    Generated {
        program,
        entry: entry(with_bug.then(|| &end[..SEEN])),
    }
}

/// A routine whose callees are in that level.
fn routine(random: &mut Random, level: usize) -> Routine {
    let mut steps = || {
        let mut steps = Vec::new();
        for _ in 0..1 + u32::from(random.below(8) == 0) {
            let global = random.below(GLOBALS as u64) as usize;
            steps.push(Step::Set(global, random.below(4) as i64));
            if level < LEVELS {
                let callee = level * WIDTH + random.below(WIDTH as u64) as usize;
                steps.push(Step::Call(callee));
            }
        }
        steps
    };
    let (then, otherwise) = (steps(), steps());
    Routine {
        global: random.below(GLOBALS as u64) as usize,
        value: random.below(4) as i64,
        then,
        otherwise,
    }
}

/// What a routine does to the globals.
fn run(routines: &[Routine], number: usize, globals: &mut [i64]) {
    let routine = &routines[number];
    let steps = match globals[routine.global] == routine.value {
        true => &routine.then,
        false => &routine.otherwise,
    };
    for step in steps {
        match step {
            Step::Set(global, n) => globals[*global] = *n,
            Step::Call(callee) => run(routines, *callee, globals),
        }
    }
}

fn all_globals() -> String {
    let names: Vec<String> = (0..GLOBALS).map(|g| format!("g{g}")).collect();
    names.join(", ")
}

fn write_routine(out: &mut String, number: usize, routine: &Routine) {
    let locks = number < WIDTH;
    let modified = match locks {
        true => format!("{}, lock, twice", all_globals()),
        false => all_globals(),
    };
    let _ = writeln!(out, "procedure p{number}() modifies {modified};\n{{");
    if locks {
        out.push_str("  if (lock) { twice := true; }\n  lock := true;\n");
    }
    let _ = writeln!(out, "  if (g{} == {}) {{", routine.global, routine.value);
    write_steps(out, &routine.then);
    out.push_str("  } else {\n");
    write_steps(out, &routine.otherwise);
    out.push_str("  }\n");
    if locks {
        out.push_str("  lock := false;\n");
    }
    out.push_str("}\n");
}

fn write_steps(out: &mut String, steps: &[Step]) {
    for step in steps {
        let _ = match step {
            Step::Set(global, n) => writeln!(out, "    g{global} := {n};"),
            Step::Call(callee) => writeln!(out, "    call p{callee}();"),
        };
    }
}

/// The entry; `end` are the values with which the first globals must not end.
fn entry(end: Option<&[i64]>) -> String {
    let mut out = format!(
        "procedure {{:entrypoint}} q() modifies {}, lock, twice;\n{{\n  lock := false; twice := false;\n",
        all_globals()
    );
    for global in 0..GLOBALS {
        let _ = writeln!(out, "  assume 0 <= g{global} && g{global} < 4;");
    }
    for first in 0..WIDTH {
        let _ = writeln!(out, "  call p{first}();");
    }
    let mut bad = String::from("twice");
    if let Some(end) = end {
        let equal: Vec<String> = end
            .iter()
            .enumerate()
            .map(|(g, n)| format!("g{g} == {n}"))
            .collect();
        let _ = write!(bad, " || ({})", equal.join(" && "));
    }
    let _ = writeln!(out, "  if ({bad}) {{ assert {{:reached}} false; }}\n}}");
    out
}
