//! Who can make which call in which state, where somebody is known to make it: the sender of a contract's messages.
//!
//! | file | what it holds |
//! |---|---|
//! | `roles` | what the calls ask of their sender: to be the one whom a field names, most often; that is a *role* |
//! | `cells` | for each call that a state enables, which roles let somebody make it, and whether none is needed |
//! | `stuck` | ether that nobody can get out any more |
//! | `runs` | where the EPA leads, and runs that get there |
//! | `lost` | roles that can become the zero address, which sends nothing, and what can never be called any more then |
//!
//! What is said of a state is said of all objects that may be in it: that somebody *cannot* call something is certain; that he
//! can is so for some object, of which no run need be known.

mod cells;
mod lost;
mod roles;
mod runs;
mod stuck;

use std::time::{Duration, Instant};

use serde::Serialize;

use super::Abstraction;
use super::findings::listed;
use crate::ask::{AskError, Desk, Disagreement, Named, words};
use crate::encode::Encoding;
use crate::engine::Engine;
use crate::ir::Messages;
use crate::query::Extent;

use roles::Callers;

/// The name and version of the JSON format.
pub const SCHEMA: &str = "tranquera/roles/1";

/// How far runs are looked for: what is found is told, and nothing depends on what is not.
pub const EXTENT: Extent = Extent {
    max_calls: 8,
    loop_bound: Extent::DEFAULT.loop_bound,
    time: Duration::from_secs(20),
};

/// Who can make which call in which state.
#[derive(Clone, Debug, Serialize)]
pub struct AccessMatrix {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The class.
    pub class: String,
    /// The roles, as they are written.
    pub roles: Vec<String>,
    /// The actions, with what they ask of their sender.
    pub actions: Vec<CallerRequirement>,
    /// The states, with who can make which call there.
    pub states: Vec<StateAccess>,
    /// What can be lost with a role.
    pub lost: Vec<LostRole>,
    /// Where ether is stuck.
    pub stuck: Vec<StuckEther>,
    /// The actions that take ether, where no call of the contract sends any, in whatever state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
}

/// What an action asks of who calls it.
#[derive(Clone, Debug, Serialize)]
pub struct CallerRequirement {
    /// The action.
    pub name: String,
    /// The roles that it asks for, or excludes.
    pub roles: Vec<String>,
    /// What else it requires that speaks of the sender.
    pub conditions: Vec<String>,
}

/// Who can make which call in a state.
#[derive(Clone, Debug, Serialize)]
pub struct StateAccess {
    /// The state's id.
    pub id: String,
    /// Whether a constructor may end in it.
    pub initial: bool,
    /// The calls that it enables; that time goes on is none.
    pub calls: Vec<CallAccess>,
}

/// Who can make a call in a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallAccess {
    /// The action.
    pub action: String,
    /// Whether somebody can who has none of the roles that the action speaks of.
    pub others: Possible,
    /// Whether somebody can who has just this one of them.
    pub roles: Vec<RoleAccess>,
    /// Where nobody can who has but one: the roles of those who have several and can.
    pub together: Vec<String>,
}

/// Whether a role lets somebody make a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RoleAccess {
    /// The role.
    pub role: String,
    /// Whether it does.
    pub can: Possible,
}

/// What is known of whether something can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Possible {
    /// It can.
    Yes,
    /// It cannot.
    No,
    /// That is not known.
    Maybe,
}

/// A role that can become the zero address, and then stays it, with what that ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LostRole {
    /// The role.
    pub role: String,
    /// What makes it the zero address: an action, or the constructor.
    pub by: String,
    /// Where that is called, and where it ends.
    pub ways: Vec<LosingWay>,
    /// The actions that can never be called any more behind it, whatever is called.
    pub never_again: Vec<String>,
    /// The calls of a run that gets there, the last of which loses the role; none where none was found.
    pub run: Option<Vec<ToldCall>>,
}

/// A state from which no call leads on that sends ether, and a run that leaves some there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StuckEther {
    /// The state's id.
    pub state: String,
    /// The calls of the run.
    pub run: Vec<ToldCall>,
}

/// Something in a matrix that is worth a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessFinding<'m> {
    /// `lost-role`, `stuck-ether`
    pub kind: &'static str,
    /// The state that it is about, if that is one.
    pub state: Option<&'m str>,
    /// What is so, as a sentence.
    pub message: String,
    /// The calls of a run that gets there; none where none was found, or none is needed.
    pub run: &'m [ToldCall],
}

/// Where a call loses a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LosingWay {
    /// The state that it is called in; none for the constructor.
    pub from: Option<String>,
    /// The state that it ends in.
    pub to: String,
}

/// A call of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToldCall {
    /// What is called.
    pub name: String,
    /// With what.
    pub arguments: Vec<Named>,
}

impl AccessFinding<'_> {
    /// What is so, with the run that gets there.
    pub fn whole(&self) -> String {
        let calls: Vec<String> = self
            .run
            .iter()
            .map(|call| format!("`{}`", call.words()))
            .collect();
        match calls.is_empty() {
            true => self.message.clone(),
            false => format!(
                "{}. A run that gets there: {}",
                self.message,
                calls.join(", ")
            ),
        }
    }
}

impl LostRole {
    /// Whether it says all that the other one does but for the role.
    fn covers(&self, other: &LostRole) -> bool {
        let has = |call: &String| self.never_again.contains(call);
        self.by == other.by
            && other.ways.iter().all(|way| self.ways.contains(way))
            && other.never_again.iter().all(has)
    }

    /// What is lost, as a sentence.
    pub fn message(&self) -> String {
        let by = match self.ways.iter().any(|way| way.from.is_some()) {
            true => format!("`{}`", self.by),
            false => "the constructor".to_owned(),
        };
        let ways = self.ways.iter().map(|way| match &way.from {
            Some(from) => format!("from {from} to {}", way.to),
            None => format!("into {}", way.to),
        });
        let ways: Vec<String> = ways.collect();
        let calls: Vec<String> = self.never_again.iter().map(|a| format!("`{a}`")).collect();
        let (can, run) = match &self.run {
            Some(_) => ("can", ""),
            None => ("may", "; no run was found that gets there"),
        };
        format!(
            "`{}` {can} become the zero address, by {by} {}, and stays it: {} can never be called any more{run}",
            self.role,
            listed(&ways),
            listed(&calls)
        )
    }
}

impl StuckEther {
    /// What is stuck, as a sentence.
    pub fn message(&self) -> String {
        format!(
            "from {} no call leads on that sends ether: what the contract has there can never be got out any more",
            self.state
        )
    }
}

impl AccessMatrix {
    /// Whether some call asks who makes it.
    pub fn asks_somebody(&self) -> bool {
        let mut actions = self.actions.iter();
        !self.roles.is_empty() || actions.any(|action| !action.conditions.is_empty())
    }

    /// What is worth a look.
    pub fn findings(&self) -> Vec<AccessFinding<'_>> {
        let lost = self.lost.iter().map(|lost| AccessFinding {
            kind: "lost-role",
            state: match lost.ways.as_slice() {
                [way] => Some(way.to.as_str()),
                _ => None,
            },
            message: lost.message(),
            run: lost.run.as_deref().unwrap_or_default(),
        });
        let stuck = self.stuck.iter().map(|stuck| AccessFinding {
            kind: "stuck-ether",
            state: Some(&stuck.state),
            message: stuck.message(),
            run: &stuck.run,
        });
        let kept = self.kept_message().map(|message| AccessFinding {
            kind: "stuck-ether",
            state: None,
            message,
            run: &[],
        });
        lost.chain(stuck).chain(kept).collect()
    }

    /// What is kept for ever, as a sentence; none where nothing is.
    fn kept_message(&self) -> Option<String> {
        let calls: Vec<String> = self.kept.iter().map(|a| format!("`{a}`")).collect();
        let takes = if calls.len() == 1 { "takes" } else { "take" };
        (!calls.is_empty()).then(|| {
            format!(
                "{} {takes} ether, and no call sends any: what comes with it can never be got out any more",
                listed(&calls)
            )
        })
    }
}

impl ToldCall {
    /// `transferOwnership(to = 0, msg_sender = 1)`
    pub fn words(&self) -> String {
        format!("{}({})", self.name, words(&self.arguments))
    }
}

/// Who can make which call in which state of an EPA, and the answers that were contradicted. The second engine is the one that
/// looks for runs.
///
/// # Errors
/// The engine cannot be run.
pub fn access(
    encoding: &Encoding,
    (engine, searcher): (&dyn Engine, &dyn Engine),
    epa: &Abstraction,
    messages: &Messages,
) -> Result<(AccessMatrix, Vec<Disagreement>), AskError> {
    let callers = Callers::of(&encoding.subject, messages);
    let desk = Desk::open(encoding, engine)?;
    let deadline = Instant::now().checked_add(EXTENT.time);
    let searcher = Desk::along(encoding, &epa.automaton, searcher)?.until(deadline);
    let asker = AccessAsker {
        desk: &desk,
        searcher: &searcher,
        epa,
        callers: &callers,
    };
    let initial = epa.initial();
    let states = epa.states().map(|(id, set)| StateAccess {
        id: epa.names.state(id).to_owned(),
        initial: initial.contains(&id),
        calls: set
            .iter()
            .filter(|action| callers.is_called(*action))
            .map(|action| asker.cell(set, action))
            .collect(),
    });
    let mut matrix = AccessMatrix {
        schema: SCHEMA,
        class: epa.names.class.clone(),
        roles: callers.roles.iter().map(|role| role.name.clone()).collect(),
        states: states.collect(),
        lost: asker.lost(),
        stuck: messages
            .balance
            .as_ref()
            .map_or_else(Vec::new, |balance| asker.stuck(balance)),
        kept: asker.kept(messages),
        actions: callers.requirements(&encoding.subject),
    };
    // Of an EPA that may lack states nothing is said.
    if desk.is_interrupted() {
        matrix.lost.clear();
        matrix.stuck.clear();
    }
    let desks = [&desk, &searcher];
    let disagreements = desks.iter().flat_map(|desk| desk.disagreements());
    Ok((matrix, disagreements.collect()))
}

/// Asks who can make calls.
struct AccessAsker<'a> {
    desk: &'a Desk<'a>,
    /// For runs.
    searcher: &'a Desk<'a>,
    epa: &'a Abstraction,
    callers: &'a Callers,
}
