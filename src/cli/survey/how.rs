//! What the lines of a survey give as their options and limits: what has to be the same where an earlier line is to hold.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use crate::front::java::classpath::{Jdk, find_jdk};
use crate::survey::Examination;

use super::super::Failure;
use super::super::front::FrontArguments;

/// A hash of this program, its engine, and the options that an answer depends on.
///
/// # Errors
/// The engine cannot be run.
pub(super) fn options(how: &Examination, front: &FrontArguments) -> Result<Arc<str>, Failure> {
    let engine = how.choice.engine();
    let limits = how.choice.config.limits;
    let java = front.java();
    let told = format!(
        "{} {:?} {} {:?} {:?} {:?} {} {} {:?}",
        engine.name(),
        engine.version()?,
        limits.recursion_bound,
        how.choice.deepen,
        how.epa.exceptions,
        how.confirm
            .map(|extent| (extent.max_calls, extent.loop_bound)),
        how.coarse,
        java.whole,
        front.solidity(),
    );
    let mut hash = blake3::Hasher::new();
    hash.update(told.as_bytes());
    hash.update(this_program().as_bytes());
    hash.update(release(java.jdk.as_deref()).as_bytes());
    let hash: String = hash.finalize().to_hex().chars().take(16).collect();
    Ok(hash.into())
}

/// Two builds of one version may answer differently.
fn this_program() -> blake3::Hash {
    let mut hash = blake3::Hasher::new();
    let program = std::env::current_exe().and_then(File::open);
    // Piece by piece: as a whole it would be most of what a survey holds in memory.
    match program.and_then(|program| hash.update_reader(program).map(|hash| hash.finalize())) {
        Ok(hash) => hash,
        Err(_) => blake3::hash(&[]),
    }
}

/// What the JDK says it is; nothing where there is none.
fn release(named: Option<&Path>) -> String {
    let jdk = match named {
        Some(home) => Jdk::at(home).ok(),
        None => find_jdk(),
    };
    let release = jdk.and_then(|jdk| std::fs::read_to_string(jdk.home().join("release")).ok());
    release.unwrap_or_default()
}

/// The limits, in words.
pub(super) fn limits(how: &Examination) -> Arc<str> {
    let limits = how.choice.config.limits;
    let second = how
        .confirm
        .map(|extent| format!(", second pass {} s", extent.time.as_secs_f64()));
    let limits = format!(
        "class {} s, question {} s{}, {} MiB",
        how.each.as_secs_f64(),
        limits.timeout.as_secs_f64(),
        second.unwrap_or_default(),
        limits.memory_mib
    );
    limits.into()
}
