//! The engines side by side, and how the built-in engine's cost grows. Prints the tables of `docs/performance.md`:
//!
//! ```sh
//! cargo bench --bench engines                 # everything
//! cargo bench --bench engines -- fixtures     # one table: fixtures, growth, hard or steady
//! cargo bench --bench engines -- steady long  # with the classes that take long
//! ```

mod growth;
mod hard;
mod measure;
mod steady;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use measure::{Measured, Timing, measure};
use tranquera::encode::Encoding;
use tranquera::engine::{self, EngineConfig};
use tranquera::epa::{self, ConstructOptions, Constructed, Exceptions, Strategy};
use tranquera::front::tq::{self, Loaded};
use tranquera::ir::ClassId;
use tranquera::query::{Limits, Subject};

fn main() {
    // Cargo passes `--bench`; what is left names the tables.
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with("--"))
        .collect();
    if let [growth::ROW, what, size] = wanted.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return growth::row(what, size);
    }
    let wants = |table: &str| wanted.is_empty() || wanted.iter().any(|w| w == table);
    if wants("fixtures") {
        fixtures();
    }
    if wants("growth") {
        growth::growth();
    }
    if wants("hard") {
        hard::hard();
    }
    if wants("steady") {
        steady::steady(wanted.iter().any(|w| w == "long"));
    }
}

/// The whole EPA of a class, at bound 3 and with one question at a time, and what it took.
pub fn epa_of(loaded: &Loaded, engine: &str) -> (Constructed, Measured<Timing>) {
    let program = Arc::clone(&loaded.program);
    let class = ClassId(program.classes.len() - 1);
    let subject = Subject::of_class(program, class);
    let encoding = Encoding::new(Arc::new(subject)).expect("the class can be encoded");
    let limits = Limits {
        timeout: Duration::from_secs(120),
        ..Limits::default()
    };
    let kind = engine::kind(engine).expect("there is such an engine");
    let config = EngineConfig {
        limits,
        ..EngineConfig::default()
    };
    let timed = measure::Timed::new((kind.make)(&config));
    let options = ConstructOptions {
        strategy: Strategy::Guided,
        jobs: 1,
        pure_shortcut: true,
        exceptions: Exceptions::Declared,
        violations: true,
        ..ConstructOptions::default()
    };
    let (constructed, measured) =
        measure(|| epa::construct(&encoding, &timed, &options).expect("there is an EPA"));
    let timing = Timing {
        wall: measured.value,
        questions: timed.times(),
    };
    (
        constructed,
        Measured {
            value: timing,
            peak_mib: measured.peak_mib,
        },
    )
}

fn fixtures() {
    println!("### Every class of the 2016 thesis\n");
    println!(
        "| class | questions | whole EPA: builtin | boogie | a question, median: builtin | boogie | ratio | peak memory: builtin | boogie |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut files: Vec<PathBuf> = std::fs::read_dir(fixtures_folder())
        .expect("the fixtures are there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "tq"))
        .collect();
    files.sort();
    let mut ratios = Vec::new();
    for file in files {
        let loaded = tq::load(&file).unwrap_or_else(|d| panic!("{}", d.render(false)));
        let (_, builtin) = epa_of(&loaded, "builtin");
        let (_, boogie) = epa_of(&loaded, "boogie");
        let (fast, slow) = (builtin.value.median(), boogie.value.median());
        let ratio = slow.as_secs_f64() / fast.as_secs_f64();
        ratios.push(ratio);
        println!(
            "| {} | {} / {} | {:.3} s | {:.1} s | {:.2} ms | {:.0} ms | {:.0} | {} MiB | {} MiB |",
            file.file_stem().unwrap_or_default().to_string_lossy(),
            builtin.value.questions.len(),
            boogie.value.questions.len(),
            builtin.value.wall.as_secs_f64(),
            boogie.value.wall.as_secs_f64(),
            fast.as_secs_f64() * 1e3,
            slow.as_secs_f64() * 1e3,
            ratio,
            builtin.peak_mib,
            boogie.peak_mib,
        );
    }
    ratios.sort_by(f64::total_cmp);
    println!(
        "\nThe median of the ratios is {:.0}.\n",
        ratios[ratios.len() / 2]
    );
}

fn fixtures_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corral-2016")
}
