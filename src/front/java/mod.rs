//! Java, from its class files.
//!
//! A class file holds what a front end for the source would have to work out: names, overloads, types, inner classes,
//! constants. The way from it to what a person can read:
//!
//! | module | what it holds |
//! |---|---|
//! | [`types`] | names and types, as class files spell them |
//! | [`classfile`] | a class file as data: its members, its attributes, its instructions |
//! | [`classpath`] | where class files come from: folders, jars, a JDK, a compiler |
//! | [`input`] | what a user names, as classes |
//! | [`flow`] | a body as a control-flow graph: types, variables, expressions in the place of the stack |
//! | `structure` | the graph as a tree: conditions, loops, handlers |
//! | [`tree`] | the tree: expressions, steps, statements |
//! | [`world`] | classes as they belong together: superclasses, members, what a class offers its callers |
//! | [`effects`] | what somebody else's code may do, and what authors wrote down |
//! | [`lower`] | a class as a text of the language |
//! | `memo` | what is worked out once, and kept |
//! | [`protocol`] | which classes refuse calls because of what was called before |

pub mod classfile;
pub mod classpath;
pub mod effects;
pub mod flow;
pub mod input;
pub mod lower;
mod memo;
pub mod protocol;
mod structure;
pub mod tree;
pub mod types;
pub mod world;
