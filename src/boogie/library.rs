//! Boogie's library of maps, options, finite sets and finite maps, which `/lib:base` asks for.
//!
//! Of its declarations a program gets those that it mentions, so that the axioms of the others are in nobody's way.

use std::collections::BTreeSet;

use super::ast::{BoogieProgram, Decl};
use super::error::{Error, Errors};
use super::lexer::{BoogieToken, tokens};
use super::parse_from;
use super::preprocess::preprocess;
use super::visible::introduced;

/// The library, in parts.
const BASE: &str = include_str!("../../boogie-prelude/lib/base.bpl");

/// What Boogie's library has and this one has not, by the beginnings of the names, and what to write instead.
const MISSING: &[(&str, &str)] = &[
    (
        "Vec",
        "its axioms contradict a vector made with other elements than its length tells; keep a map and a length",
    ),
    ("Seq", "keep a map and a length"),
    ("Set_Get", CIVL),
    ("Set_Put", CIVL),
    ("Set_Split", CIVL),
    ("One_Get", CIVL),
    ("One_Put", CIVL),
    ("One_Split", CIVL),
    ("One_To_Fractions", CIVL),
    ("Fractions_To_One", CIVL),
    ("Map_Get", CIVL),
    ("Map_Put", CIVL),
    ("Map_Split", CIVL),
    ("create_async", CIVL),
    ("create_multi_async", CIVL),
    ("set_choice", CIVL),
];

const CIVL: &str = "it belongs to the linear variables and asynchronous calls of Civl";

/// A part: its text, and what it declares.
struct Part {
    first_line: u32,
    text: String,
    declares: BTreeSet<String>,
}

/// A text of a program, with the number of its first line and the names of which `#if` is true.
pub type LibraryUser<'a> = (&'a str, u32, Vec<String>);

/// The declarations that a program mentions, and that these need. The library's first line gets this number.
///
/// # Errors
///
/// Something of Boogie's library that is not in this one.
pub fn library(
    program: &BoogieProgram,
    texts: &[LibraryUser<'_>],
    first_line: u32,
) -> Result<BoogieProgram, Errors> {
    let parts = parts(first_line)?;
    let mut there = declared(&program.decls);
    there.extend(parts.iter().flat_map(|p| &p.declares).cloned());
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    for (text, line, defines) in texts {
        let text = preprocess(text, defines, *line)?;
        for token in tokens(&text, *line)? {
            let BoogieToken::Ident(name) = token.token else {
                continue;
            };
            if let (false, Some(instead)) = (there.contains(&name), missing(&name)) {
                let what = format!("`{name}` of Boogie's library");
                return Err(Error::unsupported(token.pos, &what, instead).into());
            }
            wanted.insert(name);
        }
    }
    let mut taken = vec![false; parts.len()];
    let mut new = true;
    while new {
        new = false;
        for (part, taken) in parts.iter().zip(&mut taken) {
            if *taken || part.declares.is_disjoint(&wanted) {
                continue;
            }
            (*taken, new) = (true, true);
            for token in tokens(&part.text, part.first_line)? {
                if let BoogieToken::Ident(name) = token.token {
                    wanted.insert(name);
                }
            }
        }
    }
    let mut program = BoogieProgram::default();
    for (part, _) in parts.iter().zip(taken).filter(|(_, taken)| *taken) {
        program
            .decls
            .extend(parse_from(&part.text, part.first_line)?.decls);
    }
    Ok(program)
}

/// The parts between blank lines.
fn parts(first_line: u32) -> Result<Vec<Part>, Errors> {
    let mut parts = Vec::new();
    let mut at = first_line;
    for text in BASE.split("\n\n") {
        let declares = declared(&parse_from(text, at)?.decls);
        parts.push(Part {
            first_line: at,
            text: text.to_string(),
            declares,
        });
        at += text.matches('\n').count() as u32 + 2;
    }
    Ok(parts)
}

/// The names that these declare.
fn declared(decls: &[Decl]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for decl in decls {
        if let Decl::Datatype(d) = decl {
            names.extend(d.constructors.iter().map(|c| c.name.clone()));
        }
        let (named, _) = introduced(decl);
        names.extend(named.map(|(_, name)| name.to_string()));
    }
    names
}

/// What to write instead of a name of Boogie's library that is not in this one.
fn missing(name: &str) -> Option<&'static str> {
    let is = |known: &str| {
        let rest = name.strip_prefix(known);
        rest.is_some_and(|r| r.is_empty() || r == "s" || r.starts_with('_'))
    };
    let found = MISSING.iter().find(|(known, _)| is(known));
    found.map(|(_, instead)| *instead)
}
