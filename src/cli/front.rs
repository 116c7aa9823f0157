//! What the front ends need to be told, on the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::front::solidity::solc::{ProjectLayout, Version};
use crate::load;

/// How Solidity and Java are read.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct FrontArguments {
    #[command(flatten)]
    solidity: SolidityArguments,
    #[command(flatten)]
    java: JavaArguments,
    /// Keep all of a Java class, not only the part that its protocol depends on (see `tranquera slice`)
    #[arg(long, hide_short_help = true, help_heading = "Java")]
    whole: bool,
}

/// How Solidity is read.
#[derive(Clone, Debug, Default, clap::Args)]
struct SolidityArguments {
    /// The Solidity compiler: `solc`, or the folder of npm's package [default: TRANQUERA_SOLC, then PATH, installed
    /// versions by the file's pragma, node_modules]
    #[arg(
        long,
        value_name = "PATH",
        hide_short_help = true,
        help_heading = "Solidity"
    )]
    solc: Option<PathBuf>,
    /// The compiler's version, for trees that do not say it
    #[arg(long, value_name = "VERSION", value_parser = version, hide_short_help = true, help_heading = "Solidity")]
    solc_version: Option<Version>,
    /// The project's folder, that names of files are relative to
    #[arg(
        long,
        value_name = "FOLDER",
        hide_short_help = true,
        help_heading = "Solidity"
    )]
    base_path: Option<PathBuf>,
    /// Another folder in which imports are looked for
    #[arg(
        long,
        value_name = "FOLDER",
        hide_short_help = true,
        help_heading = "Solidity"
    )]
    include_path: Vec<PathBuf>,
    /// Another name for imports: context:prefix=target
    #[arg(
        long,
        value_name = "REMAPPING",
        hide_short_help = true,
        help_heading = "Solidity"
    )]
    remapping: Vec<String>,
    /// What decides when a function of a contract is enabled
    #[arg(
        long,
        value_name = "WHICH",
        value_enum,
        default_value_t,
        hide_short_help = true,
        help_heading = "Solidity"
    )]
    guards: Guards,
    /// How time goes on
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value_t,
        hide_short_help = true,
        help_heading = "Solidity"
    )]
    time: Time,
    /// Follow one key of this mapping: the life of one operation, auction, account
    #[arg(
        long,
        value_name = "MAPPING",
        hide_short_help = true,
        help_heading = "Solidity"
    )]
    track: Option<String>,
    /// How calls for other keys are drawn
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value_t,
        requires = "track",
        hide_short_help = true,
        help_heading = "Solidity"
    )]
    others: Others,
    /// Let what is called outside call back: a function that calls outside is an action until then, and one behind it
    #[arg(
        long,
        conflicts_with = "track",
        hide_short_help = true,
        help_heading = "Solidity"
    )]
    reentrant: bool,
}

/// How calls for other keys than the one that is followed are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Others {
    /// As one action of the environment, which can always happen
    #[default]
    Together,
    /// As actions of their own
    Apart,
    /// Not at all
    Out,
}

impl From<Others> for load::Others {
    fn from(how: Others) -> Self {
        match how {
            Others::Together => load::Others::Together,
            Others::Apart => load::Others::Apart,
            Others::Out => load::Others::Out,
        }
    }
}

/// How time goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Time {
    /// By an action of its own, `tick`, as far as it likes
    #[default]
    Tick,
    /// Each call is made at a time of its own, not before that of the last one
    Call,
    /// By a second, and a block, with each call
    Step,
}

impl From<Time> for load::Time {
    fn from(how: Time) -> Self {
        match how {
            Time::Tick => load::Time::Tick,
            Time::Call => load::Time::Call,
            Time::Step => load::Time::Step,
        }
    }
}

/// What decides when a function of a contract is enabled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Guards {
    /// That somebody can call it with some value and arguments so that it does not revert
    #[default]
    Exact,
    /// What it requires of the state alone, as published EPAs have it: nothing of the sender, the value and arguments
    State,
}

impl From<Guards> for load::GuardScope {
    fn from(which: Guards) -> Self {
        match which {
            Guards::Exact => load::GuardScope::Exact,
            Guards::State => load::GuardScope::State,
        }
    }
}

/// Where the classes are that Java classes refer to.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct JavaArguments {
    /// Where the classes are that these refer to: jars and folders, with `:` between them
    #[arg(
        long,
        alias = "classpath",
        value_name = "PATHS",
        hide_short_help = true,
        help_heading = "Java"
    )]
    class_path: Option<OsString>,
    /// The JDK [default: JAVA_HOME, then that of `javac` or `java`]
    #[arg(
        long,
        value_name = "DIR",
        hide_short_help = true,
        help_heading = "Java"
    )]
    jdk: Option<PathBuf>,
}

fn version(text: &str) -> Result<Version, String> {
    Version::parse(text).ok_or_else(|| format!("`{text}` is not a version such as 0.8.30"))
}

impl FrontArguments {
    /// What they say of Solidity.
    pub(super) fn solidity(&self) -> load::Solidity {
        let told = &self.solidity;
        load::Solidity {
            solc: told.solc.clone(),
            version: told.solc_version,
            layout: ProjectLayout {
                base_path: told.base_path.clone(),
                include_paths: told.include_path.clone(),
                remappings: told.remapping.clone(),
            },
            guards: told.guards.into(),
            lower: load::LowerOptions {
                time: told.time.into(),
                reentrant: told.reentrant,
                track: told.track.clone().map(|mapping| load::Track {
                    mapping,
                    others: told.others.into(),
                }),
            },
        }
    }

    /// What they say of Java.
    pub(super) fn java(&self) -> load::Java {
        load::Java {
            whole: self.whole,
            ..self.java.places()
        }
    }
}

impl JavaArguments {
    /// Where the classes are.
    pub(super) fn places(&self) -> load::Java {
        let paths = self.class_path.iter().flat_map(std::env::split_paths);
        load::Java {
            class_path: paths.filter(|path| !path.as_os_str().is_empty()).collect(),
            jdk: self.jdk.clone(),
            whole: false,
        }
    }
}
