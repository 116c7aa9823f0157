//! Of which lines of the user's a text was made: a front end notes them at the statements of its tree, and they are handed on from
//! text to text, as long as these say the same statement by statement.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Loaded;
use super::ast::{BlockSyntax, FileSyntax, ItemSyntax, Member, StmtSyntax, all_statements};
use crate::ir::{Source, UserLine};

impl Loaded {
    /// The text that a tree was printed as, with what the tree notes of its statements.
    pub fn made_of(self, tree: &FileSyntax) -> Loaded {
        let pairs = pairs(tree, &self.file).into_iter();
        let origins = pairs.filter_map(|(tree, here)| Some((here, tree.origin.0.clone()?)));
        let origins = by_line(&self.source, origins);
        self.with_origins(origins)
    }

    /// A text with the same statements as another one, which was made of what that was.
    pub fn made_as(self, other: &Loaded) -> Loaded {
        let pairs = pairs(&other.file, &self.file).into_iter();
        let origins = pairs.filter_map(|(other_, here)| {
            let origin = other.source.origin(other_.span.start as usize)?;
            Some((here, origin.clone()))
        });
        let origins = by_line(&self.source, origins);
        self.with_origins(origins)
    }

    /// The text of a slice, which was written from statements at some places of another text.
    pub fn made_from(self, slice: &super::SlicedText, other: &Source) -> Loaded {
        let Ok(plain) = super::parse_syntax("", &slice.plain) else {
            return self;
        };
        let plain_source = Source::new("", slice.plain.as_str());
        let pairs = pairs(&plain, &self.file).into_iter();
        let origins = pairs.filter_map(|(written, here)| {
            let line = plain_source.line(written.span.start as usize);
            let origin = other.origin(*slice.written.get(&line)?)?;
            Some((here, origin.clone()))
        });
        let origins = by_line(&self.source, origins);
        self.with_origins(origins)
    }

    fn with_origins(self, origins: BTreeMap<usize, UserLine>) -> Loaded {
        let source = Source::clone(&self.source).made_of(origins);
        let mut file = self.file;
        for block in bodies_mut(&mut file) {
            note(block, &source);
        }
        Loaded {
            source: Arc::new(source),
            file,
            ..self
        }
    }
}

/// Notes in a tree what is known of the lines of its text.
fn note(block: &mut BlockSyntax, source: &Source) {
    for statement in &mut block.statements {
        let origin = source.origin(statement.span.start as usize);
        statement.origin.0 = origin.cloned();
        for block in statement.blocks_mut() {
            note(block, source);
        }
    }
}

/// What lines were made of; of several statements of a line, the first counts.
fn by_line<'s>(
    source: &Source,
    origins: impl Iterator<Item = (&'s StmtSyntax, UserLine)>,
) -> BTreeMap<usize, UserLine> {
    let mut found = BTreeMap::new();
    for (statement, origin) in origins {
        let line = source.line(statement.span.start as usize);
        found.entry(line).or_insert(origin);
    }
    found
}

/// The statements of two trees, pair by pair, of the routines in which there are equally many.
fn pairs<'t>(one: &'t FileSyntax, other: &'t FileSyntax) -> Vec<(&'t StmtSyntax, &'t StmtSyntax)> {
    let mut found = Vec::new();
    let (ones, others) = (bodies(one), bodies(other));
    for (class, ones) in &ones {
        let Some(others) = others
            .get(class)
            .filter(|others| others.len() == ones.len())
        else {
            continue;
        };
        for (one, other) in ones.iter().zip(others) {
            let (one, other) = (
                all_statements(&one.statements),
                all_statements(&other.statements),
            );
            if one.len() == other.len() {
                found.extend(one.into_iter().zip(other));
            }
        }
    }
    found
}

/// The bodies of the routines of each class, in order.
fn bodies(file: &FileSyntax) -> BTreeMap<&str, Vec<&BlockSyntax>> {
    let classes = file.items.iter().filter_map(|item| match item {
        ItemSyntax::Class(class) => Some(class),
        _ => None,
    });
    let bodies = classes.map(|class| {
        let bodies = class.members.iter().filter_map(|member| match member {
            Member::Routine(routine) => routine.body.as_ref(),
            _ => None,
        });
        (class.name.name.as_str(), bodies.collect())
    });
    bodies.collect()
}

fn bodies_mut(file: &mut FileSyntax) -> impl Iterator<Item = &mut BlockSyntax> {
    let members = file.items.iter_mut().flat_map(|item| match item {
        ItemSyntax::Class(class) => class.members.as_mut_slice(),
        _ => &mut [],
    });
    members.filter_map(|member| match member {
        Member::Routine(routine) => routine.body.as_mut(),
        _ => None,
    })
}
