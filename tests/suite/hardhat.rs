//! Tests for Hardhat that are made from confirmed runs, run by Hardhat itself: each passes on its contract, and some test fails on
//! a contract without a guard that its states depend on.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::support::program::root;
use super::tests;

/// A contract of the benchmarks.
struct Tested {
    file: &'static str,
    contract: &'static str,
    /// Guards that states depend on, as they are written.
    guards: &'static [&'static str],
}

const fn all_of(file: &'static str, contract: &'static str) -> Tested {
    without(file, contract, &[])
}

const fn without(
    file: &'static str,
    contract: &'static str,
    guards: &'static [&'static str],
) -> Tested {
    Tested {
        file,
        contract,
        guards,
    }
}

const TESTED: &[Tested] = &[
    without(
        "benchmarks/asset_transfer",
        "AssetTransfer",
        &["require(step == Step.Offered);"],
    ),
    all_of("benchmarks/auction", "Auction"),
    all_of("benchmarks/auction", "SimpleAuction"),
    without(
        "benchmarks/crowdfunding",
        "Crowdfunding",
        &["require(block.number > deadline);"],
    ),
    all_of("benchmarks/crowdfunding", "CrowdfundingFixed"),
    all_of("benchmarks/defects", "Defects"),
    without(
        "benchmarks/escrow_vault",
        "EscrowVault",
        &["require(phase == Phase.Refunding);"],
    ),
    all_of("benchmarks/greeting", "Greeting"),
    without(
        "benchmarks/greeting",
        "GreetingFixed",
        &["require(turn == Turn.Asked);"],
    ),
    all_of("benchmarks/marketplace", "Marketplace"),
    all_of("benchmarks/marketplace", "MarketplaceFixed"),
    all_of("benchmarks/provenance", "Provenance"),
    all_of("benchmarks/provenance", "ProvenanceFixed"),
    all_of("benchmarks/refund_escrow", "RefundEscrow"),
    without(
        "benchmarks/refund_escrow_owned",
        "RefundEscrowOwned",
        &["require(sent);"],
    ),
    all_of("benchmarks/rock_paper_scissors", "RockPaperScissors"),
    all_of("benchmarks/timelock", "Timelock"),
    without(
        "benchmarks/token_sale",
        "TokenSale",
        &["require(block.number >= start && block.number <= end);"],
    ),
    without(
        "benchmarks/two_step",
        "TwoStep",
        &[
            "require(owner == msg.sender);",
            "require(pending == msg.sender);",
        ],
    ),
    without(
        "prize",
        "Prize",
        // That the prize is taken is asked where it was not taken before, which Hardhat cannot do.
        &["require(step == Step.Decided, \"nobody has won\");"],
    ),
    without(
        "savings",
        "Savings",
        &[
            "require(block.timestamp < until);",
            "require(block.timestamp >= until);",
        ],
    ),
];

/// The compiler, as `scripts/setup solc` installs it.
const SOLC: &str = "0.8.37";

/// What `scripts/setup` has installed from npm.
fn installed() -> PathBuf {
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/share"));
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    data.or(home).expect("a home").join("tranquera")
}

/// The versions of Hardhat that are there.
fn versions() -> Vec<PathBuf> {
    let folders = std::fs::read_dir(installed().join("hardhat"));
    let folders = folders.expect("scripts/setup hardhat").flatten();
    let mut versions: Vec<PathBuf> = folders.map(|folder| folder.path()).collect();
    versions.sort();
    versions
}

/// What Hardhat is told of the compiler, so that it does not download one.
fn configuration(hardhat: &Path) -> [(&'static str, String); 2] {
    let solc = installed().join(format!("solc/{SOLC}/node_modules/solc/soljson.js"));
    assert!(solc.is_file(), "scripts/setup solc");
    let name = hardhat.file_name().expect("a version").to_string_lossy();
    if name.starts_with("2.") {
        let config = format!(
            "const {{ subtask }} = require(\"hardhat/config\");\n\
             const {{ TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD: build }} = require(\"hardhat/builtin-tasks/task-names\");\n\
             const compiler = {{ version: \"{SOLC}\", longVersion: \"{SOLC}\", compilerPath: {solc:?}, isSolcJs: true }};\n\
             subtask(build, async () => compiler);\n\
             module.exports = {{ solidity: \"{SOLC}\" }};\n"
        );
        return [
            ("hardhat.config.js", config),
            ("package.json", "{}".to_owned()),
        ];
    }
    let config = format!(
        "import mocha from \"@nomicfoundation/hardhat-mocha\";\n\
         export default {{ plugins: [mocha], solidity: {{ version: \"{SOLC}\", path: {solc:?} }} }};\n"
    );
    [
        ("hardhat.config.js", config),
        ("package.json", "{\"type\": \"module\"}".to_owned()),
    ]
}

/// A project with contracts and their tests, each with its name.
struct Project {
    folder: tempfile::TempDir,
    program: PathBuf,
}

impl Project {
    fn new(hardhat: &Path) -> Project {
        let folder = tempfile::tempdir().expect("a folder");
        let modules = hardhat.join("node_modules");
        std::os::unix::fs::symlink(&modules, folder.path().join("node_modules")).expect("linked");
        let project = Project {
            folder,
            program: modules.join(".bin/hardhat"),
        };
        for (name, text) in configuration(hardhat) {
            project.write(name, &text);
        }
        project
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }

    /// A contract's file, and its tests.
    fn add(&self, tested: &Tested, source: &str, suite: &str) {
        let name = tested.file.rsplit('/').next().unwrap_or_default();
        self.write(&format!("contracts/{name}.sol"), source);
        self.write(&format!("test/{}.js", tested.contract), suite);
    }

    /// How many tests pass, how many fail, and all that is said.
    fn run(&self) -> (usize, usize, String) {
        let output = Command::new(&self.program)
            .arg("test")
            .current_dir(self.folder.path())
            .env("HARDHAT_DISABLE_TELEMETRY_PROMPT", "true")
            .output()
            .expect("node");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        let count = |what: &str| {
            let mut lines = said
                .lines()
                .map(|line| line.trim().trim_start_matches(['\u{2714}', ' ']));
            let number = lines.find_map(|line| line.split_once(what)?.0.trim().parse().ok());
            number.unwrap_or(0)
        };
        (count(" passing"), count(" failing"), said)
    }
}

/// Tests of the benchmarks, and of those without a guard. `TRANQUERA_SOLIDITY` says of which.
#[test]
#[ignore = "needs Hardhat and the compiler, and takes many minutes: scripts/setup solc hardhat"]
fn hardhat_runs_the_suites() {
    let installed = versions();
    let only = std::env::var("TRANQUERA_SOLIDITY").unwrap_or_default();
    let tested = TESTED.iter().filter(|tested| tested.file.contains(&only));
    let suites = tested.map(|tested| {
        let path = format!("fixtures/solidity/{}", tested.file);
        let source = std::fs::read_to_string(root().join(format!("{path}.sol"))).expect("read");
        let class = format!("{path}.json");
        let contract = [class.as_str(), "--contract", tested.contract];
        let suite = tests(&[&contract[..], &["--format", "hardhat"]].concat());
        (tested, source, suite)
    });
    let suites: Vec<(&Tested, String, String)> = suites.collect();
    for hardhat in installed {
        let project = Project::new(&hardhat);
        let mut wanted = 0;
        for (tested, source, suite) in &suites {
            wanted += suite.matches("\n  it(").count();
            project.add(tested, source, suite);
        }
        let (passing, failing, said) = project.run();
        println!("{}: {passing} tests pass", hardhat.display());
        assert_eq!((passing, failing), (wanted, 0), "{said}");
        for (tested, source, suite) in &suites {
            for guard in tested.guards {
                assert!(source.contains(guard), "{guard}");
                let project = Project::new(&hardhat);
                project.add(tested, &source.replace(guard, ""), suite);
                let (_, failing, said) = project.run();
                println!("{} without {guard}: {failing} tests fail", tested.contract);
                assert!(failing > 0, "{} without {guard}: {said}", tested.contract);
            }
        }
    }
}
