//! What an answer cost, as `-v` says it.

use crate::reach::search::{Replay, SearchAnswer, SearchStats};
use crate::time::millis;

/// Is it worth while to ask the solver for its own figures?
pub(super) fn are_wanted() -> bool {
    tracing::enabled!(tracing::Level::INFO)
}

/// Says them.
pub(super) fn say(answer: &SearchAnswer, stats: &SearchStats) {
    let efforts = [
        ("over", stats.over),
        ("under", stats.under),
        ("confirm", stats.confirming),
    ];
    for (what, effort) in efforts {
        let ms = millis(effort.time);
        tracing::info!(solver = what, checks = effort.checks, ms);
    }
    tracing::info!(inlined = stats.inlined, bytes = stats.bytes, "last search");
    if let SearchAnswer::Reached(execution) | SearchAnswer::Presumed(execution) = answer {
        match execution.replay {
            Replay::Done { assumed, unknown } => {
                tracing::info!(conditions = assumed, unknown, "executed");
            }
            Replay::GivenUp => tracing::info!("not executed to its end"),
            Replay::None => {}
        }
    }
    for (name, value) in &stats.solver {
        tracing::info!(z3 = %name, %value);
    }
}
