//! Java, from its class files.

mod assemble;
mod bodies;
mod corpus;
mod hostile;
mod machine;
mod oracle;
mod random;
mod reader;
#[path = "../support"]
mod support {
    pub mod random;
    pub mod tape;
}
