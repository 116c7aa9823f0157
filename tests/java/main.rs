//! Java, from its class files.

mod assemble;
mod bodies;
mod corpus;
mod effects;
mod hostile;
mod lower;
mod machine;
mod oracle;
mod places;
mod print;
mod protocol;
mod random;
mod reader;
#[path = "../support"]
mod support {
    pub mod random;
    pub mod tape;
}
mod world;
