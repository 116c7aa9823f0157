//! How much of others' contracts is taken: on request, with packages from npm.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tranquera::front::solidity::ast::{ContractKind, Mutability};
use tranquera::front::solidity::flat::Lifetime;
use tranquera::front::solidity::{self, FlattenOptions, SolidityOptions};

use crate::fixture::with_extension;
use crate::support::epa::{list, states, text};

/// A package, and the folder in it that has the contracts.
const PACKAGES: [(&str, &str); 6] = [
    ("@openzeppelin/contracts@5.7.0", "@openzeppelin/contracts"),
    ("@openzeppelin/contracts@4.9.6", "@openzeppelin/contracts"),
    ("@openzeppelin/contracts@2.5.1", "@openzeppelin/contracts"),
    (
        "@openzeppelin/contracts-upgradeable@5.7.0",
        "@openzeppelin/contracts-upgradeable",
    ),
    ("solmate@6.8.0", "solmate/src"),
    ("@aave/core-v3@1.19.3", "@aave/core-v3/contracts"),
];

/// What came of a package.
#[derive(Default)]
struct Table {
    /// Files that the compiler does not take as they are here, such as tests of the package's own.
    unread: Vec<String>,
    /// Contracts with state and something that changes it; abstract ones count.
    contracts: usize,
    whole: usize,
    concrete: usize,
    whole_concrete: usize,
    /// Functions of a contract that can be called and change something, and those of them that are taken.
    functions: usize,
    taken: usize,
    opaque: usize,
    slowest: (Duration, String),
    /// Their files and names.
    listed: Vec<(String, String)>,
    /// Why, and of which contracts.
    reasons: BTreeMap<String, Vec<String>>,
}

fn install(package: &str, folder: &Path) {
    std::fs::write(folder.join("package.json"), "{\"private\": true}").expect("written");
    let installed = Command::new("npm")
        .args([
            "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            package,
        ])
        .current_dir(folder)
        .output()
        .expect("npm");
    assert!(
        installed.status.success(),
        "{}",
        String::from_utf8_lossy(&installed.stderr)
    );
}

/// A file that imports all others, so that the compiler runs once.
fn import_all(root: &Path, files: &[PathBuf]) -> PathBuf {
    let modules = root.join("node_modules");
    let mut text = String::new();
    for file in files {
        let name = file
            .strip_prefix(&modules)
            .expect("a module")
            .display()
            .to_string();
        text.push_str(&format!("import \"{name}\" as M{};\n", text.len()));
    }
    let all = root.join("All.sol");
    std::fs::write(&all, text).expect("written");
    all
}

fn cover(root: &Path, inside: &str, table: &mut Table) {
    let modules = root.join("node_modules");
    let mut files = with_extension(&modules.join(inside), "sol");
    // A package's own tests need what it does not come with.
    files.retain(|file| !file.iter().any(|part| part == "test"));
    files.sort();
    let mut options = SolidityOptions::default();
    options.layout.base_path = Some(root.to_owned());
    // What does not compile is left out, file by file.
    loop {
        let all = import_all(root, &files);
        match solidity::load(&all, &options) {
            Ok(loaded) => {
                for contract in loaded.program.contracts() {
                    let unit = &loaded
                        .program
                        .files
                        .get(contract.place.file)
                        .expect("a file")
                        .name;
                    if contract.kind == ContractKind::Contract && unit.starts_with(inside) {
                        count(&loaded.program, contract, table);
                    }
                }
                return;
            }
            Err(complaints) => {
                let named = |file: &PathBuf| {
                    let name = file
                        .strip_prefix(&modules)
                        .expect("a module")
                        .display()
                        .to_string();
                    let said = complaints.list.iter().take(1).any(|complaint| {
                        let places = complaint.places.first();
                        let place = places.and_then(|(place, _)| complaints.files.get(place.file));
                        place.is_some_and(|place| place.name == name)
                    });
                    said.then_some(name)
                };
                let before = files.len();
                files.retain(|file| match named(file) {
                    Some(name) => {
                        table.unread.push(name);
                        false
                    }
                    None => true,
                });
                assert!(files.len() < before, "{complaints}");
            }
        }
    }
}

fn count(
    program: &solidity::ast::SolidityProgram,
    contract: &solidity::ast::ContractDefinition,
    table: &mut Table,
) {
    let start = Instant::now();
    let flat = solidity::flatten(program, contract, &FlattenOptions::default()).expect("memory");
    let took = start.elapsed();
    let changes = |mutability: Mutability| mutability > Mutability::View;
    let refused = flat
        .refused
        .iter()
        .filter(|refused| changes(refused.mutability));
    let refused: Vec<_> = refused.collect();
    let taken = flat
        .entries
        .iter()
        .filter(|entry| changes(entry.mutability))
        .count();
    let has_state = flat
        .variables
        .iter()
        .any(|v| v.lifetime == Lifetime::Storage);
    if !has_state || taken + refused.len() == 0 {
        return;
    }
    table.contracts += 1;
    let file = program.files.get(contract.place.file).expect("a file");
    table
        .listed
        .push((file.name.clone(), contract.name.clone()));
    table.concrete += usize::from(!contract.is_abstract);
    table.functions += taken + refused.len();
    table.taken += taken;
    table.opaque += usize::from(!flat.opaque.is_empty());
    if took > table.slowest.0 {
        table.slowest = (took, contract.name.clone());
    }
    if refused.is_empty() {
        table.whole += 1;
        table.whole_concrete += usize::from(!contract.is_abstract);
    }
    let mut reasons: Vec<&str> = Vec::new();
    for refusal in refused.iter().flat_map(|refused| &refused.because) {
        if !reasons.contains(&refusal.what.as_str()) {
            reasons.push(&refusal.what);
        }
    }
    for reason in reasons {
        let names = table.reasons.entry(reason.to_owned()).or_default();
        names.push(contract.name.clone());
    }
}

#[test]
#[ignore = "installs packages from npm, and needs the compiler in several versions: scripts/setup solc"]
fn packages() {
    let only = std::env::var("TRANQUERA_SOLIDITY").ok();
    println!(
        "| package | contracts | whole | concrete | whole | functions | taken | with opaque | slowest |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut rest = String::new();
    for (package, inside) in PACKAGES {
        if only
            .as_ref()
            .is_some_and(|only| !package.contains(only.as_str()))
        {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("there");
        install(package, &root);
        let mut table = Table::default();
        cover(&root, inside, &mut table);
        println!(
            "| {package} | {} | {} | {} | {} | {} | {} | {} | {:.0?} ({}) |",
            table.contracts,
            table.whole,
            table.concrete,
            table.whole_concrete,
            table.functions,
            table.taken,
            table.opaque,
            table.slowest.0,
            table.slowest.1
        );
        rest.push_str(&format!(
            "{package}: not compiled: {}\n",
            table.unread.join(", ")
        ));
        for (reason, names) in table.reasons {
            rest.push_str(&format!("  {reason}: {}\n", names.join(", ")));
        }
        assert!(table.whole * 10 > table.contracts * 6, "{package}");
    }
    println!("{rest}");
}

/// The time for each EPA, that for reading the contract included.
const EACH: Duration = Duration::from_secs(10);

/// What came of the EPAs of a package.
#[derive(Default)]
struct EpaTable {
    contracts: usize,
    done: usize,
    /// Of those that are done, how many have no uncertain edge.
    certain: usize,
    late: Vec<String>,
    /// Made, but without a state: a mistake, or a contract that nobody can make.
    empty: Vec<String>,
    /// Ended in another way than with an EPA or a refusal.
    failed: Vec<String>,
    refused: BTreeMap<String, Vec<String>>,
}

impl EpaTable {
    fn add(&mut self, root: &Path, file: &str, contract: &str) {
        self.contracts += 1;
        let mut epa = Command::new(env!("CARGO_BIN_EXE_tranquera"))
            .current_dir(root)
            .args([
                "epa",
                &format!("node_modules/{file}"),
                "--contract",
                contract,
            ])
            .args([
                "--base-path",
                ".",
                "--format",
                "json",
                "--no-cache",
                "-j",
                "1",
            ])
            .args(["--output", "epa.json"])
            .stdout(std::process::Stdio::null())
            .stderr(std::fs::File::create(root.join("said")).expect("a file"))
            .spawn()
            .expect("tranquera");
        let start = Instant::now();
        let status = loop {
            match epa.try_wait().expect("its end") {
                Some(status) => break status,
                None if start.elapsed() > EACH => {
                    epa.kill().expect("killed");
                    epa.wait().expect("its end");
                    return self.late.push(contract.to_owned());
                }
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        let said = std::fs::read_to_string(root.join("said")).expect("read");
        match status.code() {
            Some(0) => {
                let epa = std::fs::read_to_string(root.join("epa.json")).expect("read");
                let epa: serde_json::Value = serde_json::from_str(&epa).expect("JSON");
                if list(&epa, "states").next().is_none() {
                    return self.empty.push(contract.to_owned());
                }
                self.done += 1;
                let mut edges = list(&epa, "constructors").chain(list(&epa, "transitions"));
                self.certain += usize::from(edges.all(|edge| text(edge, "verdict") == "reached"));
            }
            Some(2) => {
                let lines = said.lines().filter(|line| line.starts_with("error: "));
                let reasons = lines.filter_map(|line| line.split_once(" is not taken: "));
                for (_, reason) in reasons {
                    let names = self.refused.entry(reason.to_owned()).or_default();
                    if names.last().is_none_or(|last| last != contract) {
                        names.push(contract.to_owned());
                    }
                }
            }
            _ => self.failed.push(format!("{contract}: {said}")),
        }
    }
}

/// The EPAs of others' contracts, each within its time: abstract ones too, as who inherits from them would have them.
#[test]
#[ignore = "installs packages from npm, and takes ten seconds a contract: scripts/setup solc"]
fn epas_of_packages() {
    let only = std::env::var("TRANQUERA_SOLIDITY").ok();
    println!("| package | contracts | EPA in 10 s | all edges certain | out of time | refused |");
    println!("|---|---|---|---|---|---|");
    let mut rest = String::new();
    for (package, inside) in PACKAGES {
        if only
            .as_ref()
            .is_some_and(|only| !package.contains(only.as_str()))
        {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("there");
        install(package, &root);
        let mut known = Table::default();
        cover(&root, inside, &mut known);
        let mut table = EpaTable::default();
        for (file, contract) in &known.listed {
            table.add(&root, file, contract);
        }
        println!(
            "| {package} | {} | {} | {} | {} | {} |",
            table.contracts,
            table.done,
            table.certain,
            table.late.len(),
            table.contracts
                - table.done
                - table.late.len()
                - table.empty.len()
                - table.failed.len(),
        );
        rest.push_str(&format!(
            "{package}: out of time: {}\n",
            table.late.join(", ")
        ));
        for (reason, names) in &table.refused {
            rest.push_str(&format!("  {reason}: {}\n", names.join(", ")));
        }
        assert!(
            table.empty.is_empty(),
            "without a state: {:#?}",
            table.empty
        );
        assert!(table.failed.is_empty(), "{:#?}", table.failed);
    }
    println!("{rest}");
}

/// The states of one operation of OpenZeppelin's TimelockController, unchanged, are the four of its own `OperationState`, as far
/// as its state alone decides (who has which role does not).
#[test]
#[ignore = "installs OpenZeppelin from npm, and needs the compiler: scripts/setup solc"]
fn one_operation_of_a_real_timelock() {
    let folder = tempfile::tempdir().expect("a folder");
    install("@openzeppelin/contracts@5.7.0", folder.path());
    let file = "node_modules/@openzeppelin/contracts/governance/TimelockController.sol";
    let epa = Command::new(env!("CARGO_BIN_EXE_tranquera"))
        .current_dir(folder.path())
        .args(["epa", file, "--contract", "TimelockController"])
        .args(["--track", "_timestamps", "--others", "out"])
        .args(["--guards", "state", "--format", "json", "--no-cache"])
        .output()
        .expect("tranquera");
    let epa: serde_json::Value = serde_json::from_slice(&epa.stdout).expect("JSON");
    let of_operation = |action: &str| ["schedule", "cancel", "execute"].contains(&action);
    let states: BTreeMap<&str, String> = states(&epa)
        .map(|(id, enabled)| {
            let mut enabled: Vec<&str> = enabled.into_iter().filter(|a| of_operation(a)).collect();
            enabled.sort_unstable();
            (id, format!("{{{}}}", enabled.join(" ")))
        })
        .collect();
    let edges = list(&epa, "transitions").filter_map(|edge| {
        assert_eq!(text(edge, "verdict"), "reached", "{edge}");
        let (action, source) = (text(edge, "action"), text(edge, "source"));
        let (source, target) = (&states[source], &states[text(edge, "target")]);
        // All else leaves the operation as it is.
        assert!(
            source == target
                || action.contains("schedule")
                || of_operation(action)
                || action == "executeBatch"
                || action == "tick",
            "{edge}"
        );
        let is_told = of_operation(action) || action == "tick";
        is_told.then(|| format!("{source}: {action} -> {target}"))
    });
    let mut edges: Vec<String> = edges.collect();
    edges.sort();
    let mut expected = [
        "{schedule}: schedule -> {cancel}",
        "{schedule}: schedule -> {cancel execute}",
        "{schedule}: tick -> {schedule}",
        "{cancel}: cancel -> {schedule}",
        "{cancel}: tick -> {cancel}",
        "{cancel}: tick -> {cancel execute}",
        "{cancel execute}: cancel -> {schedule}",
        "{cancel execute}: execute -> {}",
        "{cancel execute}: tick -> {cancel execute}",
        "{}: tick -> {}",
    ];
    expected.sort_unstable();
    assert_eq!(edges, expected);
}

/// Contracts of OpenZeppelin 4.9, unchanged, as they were worked out by hand. Those that only others can use are used by two that
/// do nothing else: `Switch` lets everybody pause and unpause, and who makes `Members` is its administrator.
#[test]
#[ignore = "installs OpenZeppelin from npm, and needs the compiler: scripts/setup solc"]
fn contracts_of_openzeppelin_as_worked_out_by_hand() {
    let folder = tempfile::tempdir().expect("a folder");
    install("@openzeppelin/contracts@4.9.6", folder.path());
    let users = "pragma solidity ^0.8.0;
        import '@openzeppelin/contracts/security/Pausable.sol';
        import '@openzeppelin/contracts/access/AccessControl.sol';
        contract Switch is Pausable {
            function pause() external { _pause(); }
            function unpause() external { _unpause(); }
        }
        contract Members is AccessControl { constructor() { _grantRole(DEFAULT_ADMIN_ROLE, msg.sender); } }";
    std::fs::write(folder.path().join("users.sol"), users).expect("written");
    let package = "node_modules/@openzeppelin/contracts";
    let expected = [
        ("users.sol", "Switch", "init -> {pause}; {pause}: pause -> {unpause}; {unpause}: unpause -> {pause}"),
        // Roles may be given to nobody any more once the last administrator is gone. To give up what one does not have is allowed.
        ("users.sol", "Members", "init -> {grantRole renounceRole revokeRole};
            {grantRole renounceRole revokeRole}: grantRole -> {grantRole renounceRole revokeRole};
            {grantRole renounceRole revokeRole}: revokeRole -> {grantRole renounceRole revokeRole} | {renounceRole};
            {grantRole renounceRole revokeRole}: renounceRole -> {grantRole renounceRole revokeRole} | {renounceRole};
            {renounceRole}: renounceRole -> {renounceRole}"),
        ("access/AccessControl.sol", "AccessControl", "init -> {renounceRole}; {renounceRole}: renounceRole -> {renounceRole}"),
        // Section 7 of the reference.
        ("access/Ownable2Step.sol", "Ownable2Step", "init -> {renounceOwnership transferOwnership};
            {renounceOwnership transferOwnership}: transferOwnership -> {renounceOwnership transferOwnership}
              | {acceptOwnership renounceOwnership transferOwnership};
            {renounceOwnership transferOwnership}: renounceOwnership -> {};
            {acceptOwnership renounceOwnership transferOwnership}: transferOwnership -> {renounceOwnership transferOwnership}
              | {acceptOwnership renounceOwnership transferOwnership};
            {acceptOwnership renounceOwnership transferOwnership}: acceptOwnership -> {renounceOwnership transferOwnership};
            {acceptOwnership renounceOwnership transferOwnership}: renounceOwnership -> {}"),
        // The same; {} is where the deposits are locked for ever.
        ("utils/escrow/RefundEscrow.sol", "RefundEscrow", "init -> {close deposit enableRefunds renounceOwnership transferOwnership};
            {close deposit enableRefunds renounceOwnership transferOwnership}: deposit -> {close deposit enableRefunds renounceOwnership transferOwnership};
            {close deposit enableRefunds renounceOwnership transferOwnership}: transferOwnership -> {close deposit enableRefunds renounceOwnership transferOwnership};
            {close deposit enableRefunds renounceOwnership transferOwnership}: close -> {beneficiaryWithdraw renounceOwnership transferOwnership};
            {close deposit enableRefunds renounceOwnership transferOwnership}: enableRefunds -> {renounceOwnership transferOwnership withdraw};
            {close deposit enableRefunds renounceOwnership transferOwnership}: renounceOwnership -> {};
            {beneficiaryWithdraw renounceOwnership transferOwnership}: beneficiaryWithdraw -> {beneficiaryWithdraw renounceOwnership transferOwnership};
            {beneficiaryWithdraw renounceOwnership transferOwnership}: transferOwnership -> {beneficiaryWithdraw renounceOwnership transferOwnership};
            {beneficiaryWithdraw renounceOwnership transferOwnership}: renounceOwnership -> {beneficiaryWithdraw};
            {renounceOwnership transferOwnership withdraw}: withdraw -> {renounceOwnership transferOwnership withdraw};
            {renounceOwnership transferOwnership withdraw}: transferOwnership -> {renounceOwnership transferOwnership withdraw};
            {renounceOwnership transferOwnership withdraw}: renounceOwnership -> {};
            {beneficiaryWithdraw}: beneficiaryWithdraw -> {beneficiaryWithdraw}"),
        // Where nothing is to last (duration 0), what is due at the very start is a division by zero. That what was released
        // and what is there are together too much for 256 bits takes more ether than there is, many times over: one step
        // may lead there.
        ("finance/VestingWallet.sol", "VestingWallet", "init -> {receive tick} | {receive release release_address tick};
            {receive tick}: receive -> {receive tick}; {receive tick}: tick -> {receive release release_address tick} | {receive release_address tick};
            {receive release release_address tick}: receive -> {receive release release_address tick} | {receive release_address tick};
            {receive release release_address tick}: release -> {receive release release_address tick};
            {receive release release_address tick}: release_address -> {receive release release_address tick};
            {receive release release_address tick}: tick -> {receive release release_address tick} | {receive tick};
            {receive release_address tick}: receive -> {receive release release_address tick} | {receive release_address tick};
            {receive release_address tick}: release_address -> {receive release_address tick};
            {receive release_address tick}: tick -> {receive release release_address tick} | {receive release_address tick} | {receive tick}"),
        // Somebody has a part, always; of some token nothing was ever released, and a balance of it that is large enough may be
        // there. What may be released of the ether only grows, until it is released; but for 256 bits, as above.
        ("finance/PaymentSplitter.sol", "PaymentSplitter", "init -> {receive release_address_address} | {receive release_address release_address_address};
            {receive release_address_address}: receive -> {receive release_address_address} | {receive release_address release_address_address};
            {receive release_address_address}: release_address_address -> {receive release_address_address};
            {receive release_address release_address_address}: receive -> {receive release_address_address} | {receive release_address release_address_address};
            {receive release_address release_address_address}: release_address -> {receive release_address_address} | {receive release_address release_address_address};
            {receive release_address release_address_address}: release_address_address -> {receive release_address release_address_address}"),
    ];
    for (file, contract, edges) in expected {
        let file = match file {
            "users.sol" => file.to_owned(),
            _ => format!("{package}/{file}"),
        };
        let expected: BTreeSet<String> = edges.split(';').flat_map(written_edges).collect();
        assert_eq!(
            certain_edges(folder.path(), &file, contract),
            expected,
            "{contract}"
        );
    }
}

/// `S: a -> T | U` as an edge for each target.
fn written_edges(line: &str) -> Vec<String> {
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let (from, to) = line.split_once(" -> ").expect("an edge");
    let targets = to.split(" | ");
    targets.map(|to| format!("{from} -> {to}")).collect()
}

/// The edges of a contract's EPA, none of which may be uncertain.
fn certain_edges(root: &Path, file: &str, contract: &str) -> BTreeSet<String> {
    let epa = Command::new(env!("CARGO_BIN_EXE_tranquera"))
        .current_dir(root)
        .args(["epa", file, "--contract", contract])
        .args(["--format", "json", "--no-cache"])
        .output()
        .expect("tranquera");
    let epa: serde_json::Value = serde_json::from_slice(&epa.stdout).expect("JSON");
    let states: BTreeMap<&str, String> = states(&epa)
        .map(|(id, mut enabled)| {
            enabled.sort_unstable();
            (id, format!("{{{}}}", enabled.join(" ")))
        })
        .collect();
    let mut edges = BTreeSet::new();
    for edge in list(&epa, "constructors").chain(list(&epa, "transitions")) {
        assert_eq!(text(edge, "verdict"), "reached", "{edge}");
        let target = &states[text(edge, "target")];
        edges.insert(
            match edge.get("source").and_then(|source| source.as_str()) {
                Some(source) => format!("{}: {} -> {target}", states[source], text(edge, "action")),
                None => format!("init -> {target}"),
            },
        );
    }
    edges
}
