//! How long the contracts of the literature take, from Solidity as it is, beside the times that have been published for them
//! (by tools that are told the guards by hand). Prints a table:
//!
//! ```sh
//! cargo bench --bench solidity              # every contract, the median of three runs
//! cargo bench --bench solidity -- auction   # those whose name or file contains this
//! ```
//!
//! Each run is a process of its own without kept answers, as somebody would start it: what is measured is all of it, reading and
//! lowering included.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// So often each pass is run; the median is told.
const RUNS: usize = 3;

/// A contract of the literature.
struct Benchmark {
    /// What it is called where it was published.
    name: &'static str,
    /// The file, without its end, and the contract.
    contract: (&'static str, &'static str),
    /// The words for what was published: guards, time.
    words: &'static [&'static str],
    /// Seconds that were published for it, on eight threads (PASCo, runs of up to eight calls).
    published: Option<f64>,
}

const fn benchmark(
    name: &'static str,
    contract: (&'static str, &'static str),
    words: &'static [&'static str],
    published: Option<f64>,
) -> Benchmark {
    Benchmark {
        name,
        contract,
        words,
        published,
    }
}

const STATE: &[&str] = &["--guards", "state"];
const STEP: &[&str] = &["--time", "step"];

const BENCHMARKS: &[Benchmark] = &[
    benchmark("HelloBlockchain", ("greeting", "Greeting"), &[], Some(7.3)),
    benchmark(
        "HelloBlockchain, fixed",
        ("greeting", "GreetingFixed"),
        &[],
        Some(6.9),
    ),
    benchmark(
        "SimpleMarketplace",
        ("marketplace", "Marketplace"),
        &[],
        Some(16.3),
    ),
    benchmark(
        "SimpleMarketplace, fixed",
        ("marketplace", "MarketplaceFixed"),
        &[],
        Some(15.9),
    ),
    benchmark("BasicProvenance", ("provenance", "Provenance"), &[], None),
    benchmark(
        "BasicProvenance, fixed",
        ("provenance", "ProvenanceFixed"),
        &[],
        None,
    ),
    benchmark(
        "BasicProvenance, fixed",
        ("provenance", "ProvenanceFixed"),
        STATE,
        Some(12.7),
    ),
    benchmark(
        "AssetTransfer",
        ("asset_transfer", "AssetTransfer"),
        &[],
        Some(524.5),
    ),
    benchmark(
        "AssetTransfer, by its enum",
        ("asset_transfer", "AssetTransfer"),
        &["--states", "step"],
        Some(524.5),
    ),
    benchmark(
        "DefectiveComponentCounter, fixed",
        ("defects", "Defects"),
        &[],
        None,
    ),
    benchmark(
        "RockPaperScissors",
        ("rock_paper_scissors", "RockPaperScissors"),
        &[],
        None,
    ),
    benchmark(
        "RockPaperScissors",
        ("rock_paper_scissors", "RockPaperScissors"),
        STATE,
        Some(18.7),
    ),
    benchmark("EscrowVault", ("escrow_vault", "EscrowVault"), &[], None),
    benchmark(
        "EscrowVault",
        ("escrow_vault", "EscrowVault"),
        STATE,
        Some(40.1),
    ),
    benchmark(
        "RefundEscrow",
        ("refund_escrow", "RefundEscrow"),
        &[],
        Some(29.6),
    ),
    benchmark(
        "RefundEscrow, one account",
        ("refund_escrow", "RefundEscrow"),
        &["--track", "deposits", "--others", "apart"],
        Some(64.3),
    ),
    benchmark(
        "RefundEscrow of OpenZeppelin 4.9",
        ("refund_escrow_owned", "RefundEscrowOwned"),
        &[],
        None,
    ),
    benchmark(
        "Crowdfunding",
        ("crowdfunding", "Crowdfunding"),
        &[],
        Some(23.9),
    ),
    benchmark(
        "Crowdfunding, with a balance",
        ("crowdfunding", "Crowdfunding"),
        &["--states", "balance > 0"],
        Some(74.3),
    ),
    benchmark("Auction", ("auction", "Auction"), STEP, Some(18.6)),
    benchmark(
        "SimpleAuction",
        ("auction", "SimpleAuction"),
        STEP,
        Some(61.7),
    ),
    benchmark(
        "SimpleAuction",
        ("auction", "SimpleAuction"),
        &[],
        Some(91.7),
    ),
    benchmark(
        "EPXCrowdsale",
        ("token_sale", "TokenSale"),
        &[],
        Some(108.7),
    ),
    benchmark(
        "Ownable2Step of OpenZeppelin 4.9",
        ("two_step", "TwoStep"),
        &[],
        None,
    ),
    benchmark(
        "TimelockController, one operation",
        ("timelock", "Timelock"),
        &["--track", "readyAt", "--guards", "state"],
        None,
    ),
];

fn main() {
    // Cargo passes `--bench`; what is left names contracts.
    let words = std::env::args().skip(1).filter(|a| !a.starts_with("--"));
    let wanted: Vec<String> = words.map(|word| word.to_lowercase()).collect();
    let is_wanted = |benchmark: &&Benchmark| {
        let (file, contract) = benchmark.contract;
        let all = format!("{} {file} {contract}", benchmark.name).to_lowercase();
        wanted.is_empty() || wanted.iter().any(|word| all.contains(word))
    };
    println!(
        "| contract | asked with | states, edges | first pass | both passes | confirmed, refuted, open | published |"
    );
    println!("|---|---|---|---|---|---|---|");
    for benchmark in BENCHMARKS.iter().filter(is_wanted) {
        row(benchmark);
    }
}

fn row(benchmark: &Benchmark) {
    let (_, first) = timed(benchmark, &[]);
    let (epa, both) = timed(benchmark, &["--confirm"]);
    let judged = |status: &str| {
        let is = |edge: &&Value| edge["confirmation"]["status"] == status;
        edges(&epa).filter(is).count()
    };
    let published = benchmark
        .published
        .map_or(String::new(), |seconds| format!("{seconds:.1} s"));
    println!(
        "| {} | {} | {}, {} | {:.2} s | {:.2} s | {}, {}, {} | {published} |",
        benchmark.name,
        match benchmark.words {
            [] => String::new(),
            words => format!("`{}`", words.join(" ")),
        },
        epa["states"].as_array().map_or(0, Vec::len),
        edges(&epa).count(),
        first.as_secs_f64(),
        both.as_secs_f64(),
        judged("confirmed"),
        edges(&epa["refuted"]).count(),
        judged("unconfirmed"),
    );
}

/// The edges of an EPA, or those that were refuted.
fn edges(of: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["constructors", "transitions"].into_iter();
    lists.flat_map(|list| of[list].as_array().into_iter().flatten())
}

/// The EPA of a contract, and how long it takes to make it.
fn timed(benchmark: &Benchmark, more: &[&str]) -> (Value, Duration) {
    let (file, contract) = benchmark.contract;
    let mut command = Command::new(env!("CARGO_BIN_EXE_tranquera"));
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("TRANQUERA_CACHE", "off")
        .arg("epa")
        .arg(format!("fixtures/solidity/benchmarks/{file}.json"))
        .args(["--contract", contract, "--format", "json"])
        .args(benchmark.words)
        .args(more)
        .stderr(Stdio::null());
    let mut times = Vec::new();
    let mut epa = Value::Null;
    for _ in 0..RUNS {
        let start = Instant::now();
        let output = command.output().expect("the program is run");
        times.push(start.elapsed());
        epa = serde_json::from_slice(&output.stdout).expect("JSON");
    }
    times.sort();
    (epa, times[RUNS / 2])
}
