//! `--invariant`: clauses that are put into the class under analysis, as if they had been written there.

use std::io;

use crate::front::tq;
use crate::ir::Diagnostics;

use super::Failure;
use super::input::{ClassArguments, Input};

/// The same input, where the class has these invariants besides its own.
pub fn with_invariants(
    arguments: &ClassArguments,
    input: &Input,
    clauses: &[String],
) -> Result<Input, Failure> {
    let coloured = arguments.color.on(&io::stderr());
    let bad = |diagnostics: Diagnostics| Failure::BadInput(diagnostics.render(coloured));
    let mut members = String::new();
    for clause in clauses {
        let member = format!("invariant {clause};");
        // By itself first, so that what is wrong with it is not shown in the middle of the file.
        tq::parse_syntax("--invariant", &format!("class C {{ {member} }}")).map_err(bad)?;
        members.push(' ');
        members.push_str(&member);
    }
    let source = &input.loaded.source;
    let class = input.loaded.program.class(input.class);
    let after_name = class.span.end as usize;
    let rest = source.text.get(after_name..).unwrap_or_default();
    let Some(brace) = rest.find('{') else {
        return Err(Failure::BadInput(format!(
            "error: cannot find where class `{}` begins",
            class.name
        )));
    };
    let mut text = source.text.clone();
    text.insert_str(after_name + brace + 1, &members);
    let loaded = tq::parse_text(&source.name, &text).map_err(bad)?;
    Ok(Input {
        loaded,
        class: input.class,
        actions: input.actions.clone(),
        notes: input.notes.clone(),
    })
}
