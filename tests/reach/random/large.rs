//! Random programs too large to inline all of, whose answer is known by construction.
//!
//! Routines in levels call one or two of the next level and set globals; which way they take depends on a global. A bug is put
//! in by running the program on chosen values and asserting that the first globals do not end as they then do. In any case
//! every routine of the first level takes a lock and gives it back, which an assertion says.

use std::fmt::Write;

use super::generate::{Generated, Random};

/// How many globals an assertion looks at.
const SEEN: usize = 3;

/// How large a program is.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// How many levels of routines there are.
    pub levels: usize,
    /// How many routines a level has.
    pub width: usize,
    /// How many globals they read and set.
    pub globals: usize,
}

impl Shape {
    /// A few routines that call each other often.
    pub const DENSE: Shape = Shape {
        levels: 11,
        width: 4,
        globals: 6,
    };

    /// 50 to 500 routines and 100 to 400 globals.
    pub fn wide(seed: u64) -> Shape {
        let mut random = Random::new(seed ^ 0x5ca1e);
        let mut between = |least: u64, most: u64| (least + random.below(most - least + 1)) as usize;
        let levels = between(5, 25);
        Shape {
            levels,
            width: between(50u64.div_ceil(levels as u64), 500 / levels as u64),
            globals: between(100, 400),
        }
    }
}

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
pub fn large(seed: u64, shape: Shape, with_bug: bool) -> Generated {
    let mut random = Random::new(seed);
    let routines: Vec<Routine> = (0..shape.levels * shape.width)
        .map(|number| routine(&mut random, shape, number / shape.width + 1))
        .collect();
    let mut end: Vec<i64> = (0..shape.globals).map(|_| random.below(4) as i64).collect();
    (0..shape.width).for_each(|first| run(&routines, first, &mut end));
    // A procedure without a body and without effects gives no variable any value.
    let mut program = String::from("procedure log();\nvar lock, twice: bool;\n");
    for global in 0..shape.globals {
        let _ = writeln!(program, "var g{global}: int;");
    }
    for (number, routine) in routines.iter().enumerate() {
        write_routine(&mut program, shape, number, routine);
    }
    Generated {
        program,
        entry: entry(shape, with_bug.then(|| &end[..SEEN])),
    }
}

/// A routine whose callees are in that level.
fn routine(random: &mut Random, shape: Shape, level: usize) -> Routine {
    let mut steps = || {
        let mut steps = Vec::new();
        for _ in 0..1 + u32::from(random.below(8) == 0) {
            let global = random.below(shape.globals as u64) as usize;
            steps.push(Step::Set(global, random.below(4) as i64));
            if level < shape.levels {
                let callee = level * shape.width + random.below(shape.width as u64) as usize;
                steps.push(Step::Call(callee));
            }
        }
        steps
    };
    let (then, otherwise) = (steps(), steps());
    Routine {
        global: random.below(shape.globals as u64) as usize,
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

fn all_globals(shape: Shape) -> String {
    let names: Vec<String> = (0..shape.globals).map(|g| format!("g{g}")).collect();
    names.join(", ")
}

fn write_routine(out: &mut String, shape: Shape, number: usize, routine: &Routine) {
    let locks = number < shape.width;
    let modified = match locks {
        true => format!("{}, lock, twice", all_globals(shape)),
        false => all_globals(shape),
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
fn entry(shape: Shape, end: Option<&[i64]>) -> String {
    let mut out = format!(
        "procedure {{:entrypoint}} q() modifies {}, lock, twice;\n{{\n  call log();\n  lock := false; twice := false;\n",
        all_globals(shape)
    );
    for global in 0..shape.globals {
        let _ = writeln!(out, "  assume 0 <= g{global} && g{global} < 4;");
    }
    for first in 0..shape.width {
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
