//! What the routines of a class are called with on a chain, where the class was made of a contract: messages. A run of the
//! class is told as a transaction a call with them.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;

use super::{Class, Routine, RoutineKind};

/// The messages that the routines of a contract's class stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Messages {
    /// The contract's name, as its language writes it.
    pub contract: String,
    /// The file it stands in, as the compiler names it.
    pub file: String,
    /// What makes it.
    pub constructor: MessageForm,
    /// Its actions, by their names. Time, which goes on by itself, is none of them.
    pub actions: BTreeMap<String, MessageForm>,
    /// The action that is any of several calls; none where each has its own.
    pub others: Option<String>,
    /// The actions that are parts of a call: until something outside is called, and from then on.
    pub parts: BTreeSet<String>,
    /// The fields that hold what a clock of the chain shows.
    pub clocks: BTreeMap<Clock, String>,
    /// The field that holds the contract's ether; none where it neither asks for it nor sends any.
    pub balance: Option<String>,
    /// The addresses that the contract names.
    pub addresses: BTreeSet<BigInt>,
    /// The bytes of the strings that have a name.
    pub texts: BTreeMap<String, Vec<u8>>,
}

impl Messages {
    /// The form of the messages that a routine of the class stands for; none where it is time that goes on, or any of
    /// several calls.
    pub fn form(&self, routine: &Routine) -> Option<&MessageForm> {
        match routine.kind {
            RoutineKind::Constructor => Some(&self.constructor),
            _ => self.actions.get(&routine.name),
        }
    }

    /// All forms of messages, that of the constructor first.
    pub fn forms(&self) -> impl Iterator<Item = &MessageForm> {
        [&self.constructor].into_iter().chain(self.actions.values())
    }

    /// The same, of a class of which nobody has found out yet what its routines refuse: all that they require is what messages
    /// are.
    #[must_use]
    pub fn required_by(mut self, class: &Class) -> Messages {
        for routine in &class.routines {
            let form = match routine.kind {
                RoutineKind::Constructor => Some(&mut self.constructor),
                _ => self.actions.get_mut(&routine.name),
            };
            if let Some(form) = form {
                form.clauses = routine.requires.len();
            }
        }
        self
    }

    /// Whether a routine of the class is no call, but any of several, which its runs do not tell, or a part of one.
    pub fn is_no_call(&self, routine: &Routine) -> bool {
        self.others.as_ref() == Some(&routine.name) || self.parts.contains(&routine.name)
    }
}

/// How messages of a kind are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageForm {
    /// What takes them.
    pub to: Addressee,
    /// Whether ether may come with them.
    pub payable: bool,
    /// What each of the routine's parameters is of them.
    pub parts: Vec<MessagePart>,
    /// What has to be known of those that are called while they are handled.
    pub called: Called,
    /// How many of the routine's `requires` clauses, the first ones, say what such messages are; with the others, they are not
    /// refused.
    pub clauses: usize,
}

/// What has to be known of those that a contract calls: the more, the later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Called {
    /// Nothing: what is sent, anybody can take.
    #[default]
    Anybody,
    /// That they have code, which takes what comes: functions of theirs are called that return nothing.
    Code,
    /// What they answer, or who they are: it is not told by the message.
    Unknown,
}

/// What takes a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addressee {
    /// The constructor.
    Constructor,
    /// The function of this name, with the types by which calls of it are encoded: `transfer(address,uint256)`.
    Function(String),
    /// What gets ether that comes without a call.
    Receive,
    /// What gets calls of anything else.
    Fallback,
}

/// What a parameter is of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessagePart {
    /// An argument, in the order of the function's own.
    Argument(ArgumentType),
    /// What is somewhere inside of an argument that is an array or a struct.
    Inside,
    /// Who sends it.
    Sender,
    /// The ether that comes with it.
    Value,
    /// Who began the transaction.
    Origin,
    /// What a clock shows when the contract is made.
    Now(Clock),
    /// What else the block is: the price of gas, who made it.
    Block,
    /// Whether those who are called take it. They are among those whom the messages name.
    Taken,
    /// What the outside answers.
    Answer,
}

/// A clock of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clock {
    /// The time of the block, in seconds.
    Timestamp,
    /// Its number.
    Number,
}

/// The type of an argument, as far as it says how a value is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentType {
    /// `bool`
    Bool,
    /// An integer of any size.
    Integer,
    /// `address`
    Address,
    /// The contract or interface of this name, which is an address.
    Contract(String),
    /// `bytes1` to `bytes32`
    FixedBytes(u8),
    /// The enum of this name, with its members.
    Enum(String, Vec<String>),
    /// `bytes`
    Bytes,
    /// `string`
    String,
    /// A value type of the user's, with what its values are.
    Alias(String, Box<ArgumentType>),
}
