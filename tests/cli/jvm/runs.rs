//! Random runs of the real class never do what its EPA forbids. A Java program
//! (`Driver.java`) makes the runs; each of them has to be one of the EPA's.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::Value;
use tranquera::front::java::classfile::ClassFile;
use tranquera::front::java::classpath::{ClassPath, find_jdk};
use tranquera::front::java::types::{ClassName, JavaType, MethodSignature};
use tranquera::front::java::world::studied::Studied;
use tranquera::front::java::world::{MethodOf, World, methods_of};

use crate::support::epa::{list, text};
use crate::support::program::{root, stdout, tranquera};

/// How many runs of a class are made, and how many calls each has at most.
const RUNS: &str = "400";
const LENGTH: &str = "14";

/// The Java program, compiled.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Machine {
        let folder = tempfile::tempdir().expect("a folder");
        let driver = root().join("tests/cli/jvm/Driver.java");
        let compiled = Command::new("javac")
            .arg("-d")
            .arg(folder.path())
            .arg(driver)
            .status();
        assert!(compiled.expect("a JDK").success());
        Machine { folder }
    }

    /// Runs of a class: each a way to make an object and the actions behind it, by their places.
    fn runs(
        &self,
        classes: &Path,
        (studied, makers): (&Studied, &[MethodOf]),
        seed: u64,
    ) -> Vec<Vec<usize>> {
        let mut class_path = self.folder.path().as_os_str().to_owned();
        class_path.push(":");
        class_path.push(classes);
        let elsewhere = tempfile::tempdir().expect("a folder");
        let name = studied.class().name.to_string();
        let mut machine = Command::new("java")
            .current_dir(elsewhere.path())
            .arg("-cp")
            .arg(class_path)
            .args(["Driver", &name, &seed.to_string(), RUNS, LENGTH])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a JDK");
        let makers = makers
            .iter()
            .map(|maker| match maker.method().is_constructor() {
                true => line(maker),
                false => format!("{} {}", maker.class.name, line(maker)),
            });
        let lines: Vec<String> = makers.chain(studied.actions.iter().map(line)).collect();
        let mut input = machine.stdin.take().expect("a pipe");
        input.write_all(lines.join("\n").as_bytes()).expect("taken");
        drop(input);
        let output = machine.wait_with_output().expect("an answer");
        assert!(output.status.success(), "{name}");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let run = |line: &str| -> Vec<usize> {
            let numbers = line.split(' ').map(|n| n.parse().expect("a number"));
            numbers.collect()
        };
        text.lines().map(run).collect()
    }
}

/// `read(byte[],int,int)`
fn line(method: &MethodOf) -> String {
    let method = method.method();
    let types = method.signature.parameters.iter().map(written);
    let types: Vec<String> = types.collect();
    format!("{}({})", method.name, types.join(","))
}

/// A type as `Class.getTypeName()` has it.
fn written(ty: &JavaType) -> String {
    match ty {
        JavaType::Array(element) => format!("{}[]", written(element)),
        JavaType::Class(class) => class.internal().replace('/', "."),
        primitive => primitive.to_string(),
    }
}

/// What an EPA says of normal ends.
struct Epa {
    actions: Vec<String>,
    /// What the constructors are called.
    made_by: BTreeSet<String>,
    /// Where they end, by that.
    initial: BTreeMap<String, BTreeSet<String>>,
    edges: BTreeMap<(String, String), BTreeSet<String>>,
}

impl Epa {
    fn of(path: &str, class: &str) -> Epa {
        let mut command = tranquera(["epa", path, "--class", class, "--format", "json"]);
        if let Ok(seconds) = std::env::var("TRANQUERA_JAVA_TIME") {
            command.args(["--epa-time", &seconds]);
        }
        let run = command.assert().success();
        let epa: Value = serde_json::from_str(&stdout(&run)).expect("JSON");
        let mut initial: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut made_by = BTreeSet::new();
        for edge in list(&epa, "constructors") {
            made_by.insert(text(edge, "name").to_owned());
            if edge["exception"].is_null() {
                let name = text(edge, "name").to_owned();
                let target = text(edge, "target").to_owned();
                initial.entry(name).or_default().insert(target);
            }
        }
        let mut edges: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
        for edge in list(&epa, "transitions") {
            if edge["exception"].is_null() {
                let key = (text(edge, "source").into(), text(edge, "action").into());
                edges
                    .entry(key)
                    .or_default()
                    .insert(text(edge, "target").into());
            }
        }
        let actions = epa["actions"].as_array().expect("actions").iter();
        let actions = actions.filter_map(Value::as_str).map(str::to_owned);
        Epa {
            actions: actions.collect(),
            made_by,
            initial,
            edges,
        }
    }

    /// What makes objects: the constructors, or the methods of classes of the package that the EPA names.
    fn makers(&self, world: &World, studied: &Studied) -> Vec<MethodOf> {
        let is_method = |name: &String| name.split('(').next().is_some_and(|n| n.contains('.'));
        if !self.made_by.iter().any(is_method) {
            return studied.constructors.clone();
        }
        let package = studied.class().name.package();
        let all = world.class_path().classes().into_iter();
        let near = all.filter(|class| class.package() == package);
        let near: Vec<Arc<ClassFile>> = near.filter_map(|class| world.class(&class)).collect();
        let methods = near.iter().flat_map(methods_of);
        let makers = methods.filter(|method| self.made_by.contains(&maker_name(method)));
        makers.collect()
    }

    /// Where it may be after a call.
    fn after(&self, states: &BTreeSet<String>, action: &str) -> BTreeSet<String> {
        let next = states.iter();
        let next = next.filter_map(|state| self.edges.get(&(state.clone(), action.to_owned())));
        next.flatten().cloned().collect()
    }
}

/// What a constructor, or a method that makes objects, is called: with types, of which none here is told from another by its
/// package alone.
fn maker_name(maker: &MethodOf) -> String {
    let class = short(&JavaType::Class(maker.class.name.clone()));
    let MethodSignature { parameters, .. } = &maker.method().signature;
    let types: Vec<String> = parameters.iter().map(short).collect();
    let name = match maker.method().is_constructor() {
        true => class,
        false => format!("{class}.{}", maker.method().name),
    };
    format!("{name}({})", types.join(", "))
}

fn short(ty: &JavaType) -> String {
    match ty {
        JavaType::Array(element) => format!("{}[]", short(element)),
        JavaType::Class(class) => {
            let name = class.simple();
            let inner = name.rsplit('$').next().unwrap_or(name);
            let anonymous = inner.starts_with(|c: char| c.is_ascii_digit());
            if anonymous { name } else { inner }.to_owned()
        }
        primitive => primitive.to_string(),
    }
}

/// What became of the runs of a class.
#[derive(Debug, Default)]
struct Compared {
    runs: usize,
    calls: usize,
    /// Runs that the EPA does not have, each once.
    forbidden: BTreeSet<String>,
}

fn compare(
    machine: &Machine,
    world: &World,
    (classes, path): (&Path, &str),
    studied: &Studied,
) -> Compared {
    let name = studied.class().name.to_string();
    let epa = Epa::of(path, &name);
    let makers = epa.makers(world, studied);
    assert_eq!(epa.actions.len(), studied.actions.len(), "{name}");
    let mut compared = Compared::default();
    for run in machine.runs(classes, (studied, &makers), 1) {
        compared.runs += 1;
        let (constructor, calls) = run.split_first().expect("a constructor");
        let made_by = maker_name(&makers[*constructor]);
        let mut states = epa.initial.get(&made_by).cloned().unwrap_or_default();
        let mut done = vec![made_by];
        let mut at = 0;
        while !states.is_empty() && at < calls.len() {
            let action = &epa.actions[calls[at]];
            done.push(action.clone());
            states = epa.after(&states, action);
            at += 1;
        }
        compared.calls += at;
        if states.is_empty() {
            compared.forbidden.insert(done.join(" "));
        }
    }
    compared
}

/// The runs that no EPA has, of these classes; and that there are runs at all.
fn forbidden(world: &World, classes: &Path, path: &str, studied: &[Arc<ClassFile>]) {
    let machine = Machine::new();
    let (mut wrong, mut calls, mut silent) = (Vec::new(), 0, Vec::new());
    for class in studied {
        let studied = Studied::of(world, class);
        let compared = compare(&machine, world, (classes, path), &studied);
        println!(
            "{}: {} runs, {} calls",
            class.name, compared.runs, compared.calls
        );
        calls += compared.calls;
        if compared.runs == 0 {
            silent.push(class.name.to_string());
        }
        let shortest = compared.forbidden.iter().min_by_key(|run| run.len());
        if let Some(run) = shortest {
            wrong.push(format!("{}: {run}", class.name));
        }
    }
    println!("{calls} calls; no run of {silent:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The JDK, behind these classes.
fn with_jdk(mut class_path: ClassPath) -> (World, String) {
    let jdk = find_jdk().expect("a JDK");
    for archive in jdk.archives() {
        class_path.add(archive).expect("class files");
    }
    let home = jdk.home().to_str().expect("UTF-8").to_owned();
    (World::new(class_path), home)
}

/// Those of these classes whose objects can be made, exceptions left out, and classes of which it is written down when they may be called:
/// the machine does not ask for that.
fn made(world: &World, names: &[ClassName]) -> Vec<Arc<ClassFile>> {
    let classes = names.iter().filter_map(|name| world.class(name));
    let can_be_made = |class: &Arc<ClassFile>| {
        let access = class.access;
        !access.is_interface() && !access.is_abstract() && !access.is_enum()
    };
    let throwable = ClassName::new("java/lang/Throwable");
    let is_exception =
        |class: &Arc<ClassFile>| world.is_subclass(&class.name, &throwable) == Some(true);
    let offers = |class: &Arc<ClassFile>| {
        let studied = Studied::of(world, class);
        let written = &studied.written;
        let is_free = written.preconditions.is_empty()
            && written.invariants.is_empty()
            && written.texts.is_empty();
        is_free && !studied.actions.is_empty()
    };
    let classes = classes.filter(can_be_made).filter(offers);
    classes.filter(|class| !is_exception(class)).collect()
}

#[test]
#[ignore = "needs a JDK; takes minutes"]
fn real_runs_of_the_fixtures_are_runs_of_their_epas() {
    none_is_forbidden("fixtures/java/classes");
}

/// Of classes of which others have recorded the EPAs.
#[test]
#[ignore = "needs a JDK; takes minutes"]
fn real_runs_of_the_goldens_are_runs_of_their_epas() {
    none_is_forbidden("fixtures/java/goldens/classes");
}

fn none_is_forbidden(path: &str) {
    let classes = root().join(path);
    let mut class_path = ClassPath::new();
    let names = class_path.add(&classes).expect("class files");
    let (world, _) = with_jdk(class_path);
    forbidden(&world, &classes, path, &made(&world, &names));
}

/// Classes of the JDK that have a protocol, and can be called without a network, windows or other threads.
const OF_THE_JDK: [&str; 9] = [
    "java/io/PipedOutputStream",
    "java/io/StringReader",
    "java/io/StringWriter",
    "java/io/CharArrayReader",
    "java/io/PushbackReader",
    "java/security/KeyStore$PasswordProtection",
    "java/util/Formatter",
    "java/util/StringJoiner",
    "java/util/zip/CRC32",
];

#[test]
#[ignore = "needs a JDK; takes minutes"]
fn real_runs_of_classes_of_the_jdk_are_runs_of_their_epas() {
    let (world, home) = with_jdk(ClassPath::new());
    let named = std::env::var("TRANQUERA_JAVA_CLASSES").ok();
    let names: Vec<String> = match &named {
        Some(names) => names.split(',').map(str::to_owned).collect(),
        None => OF_THE_JDK.map(str::to_owned).to_vec(),
    };
    let classes = names.iter().map(|name| {
        world
            .class(&ClassName::new(name))
            .expect("a class of the JDK")
    });
    let classes: Vec<Arc<ClassFile>> = classes.collect();
    forbidden(&world, Path::new(""), &home, &classes);
}
