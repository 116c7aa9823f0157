//! What states are told apart by besides what can be called in them: predicates, and the values of fields.

use super::{Input, LoadError};
use crate::front::tq::{Loaded, with_predicates};
use crate::ir::{ClassId, CompareOp, Diagnostics, Expr, Program, Type, expr_text, formula};
use crate::query::Predicate;

impl Input {
    /// The same, where states are also told apart by these: predicates, as they could stand in an invariant of the class, and
    /// fields of an enum, of which each value is a predicate of its own.
    ///
    /// # Errors
    /// What is wrong with the first that is neither, is there twice, or is called like an action.
    pub fn told_apart_by(mut self, marks: &[String]) -> Result<Self, LoadError> {
        self.predicates = read(&mut self.loaded, self.class, marks).map_err(LoadError::Text)?;
        self.marks = marks.to_vec();
        let names: Vec<&str> = self.predicates.iter().map(|p| p.name.as_str()).collect();
        let twice = (names.iter().enumerate()).find(|(at, name)| names[..*at].contains(name));
        if let Some((_, name)) = twice {
            return Err(LoadError::request(format!(
                "states are told apart by `{name}` twice"
            )));
        }
        let is_action = |name: &&&str| {
            let mut actions = self.actions.iter();
            actions.any(|action| self.loaded.program.routine(*action).shown() == **name)
        };
        match names.iter().find(is_action) {
            None => Ok(self),
            Some(name) => Err(LoadError::Request {
                message: format!(
                    "`{name}` is a field and an action, and states would show only one of them"
                ),
                help: Some(format!("`{name} == true` is the field")),
            }),
        }
    }
}

/// The predicates, of which the variables that they bind are put into the program.
pub(super) fn read(
    loaded: &mut Loaded,
    class: ClassId,
    marks: &[String],
) -> Result<Vec<Predicate>, Diagnostics> {
    if marks.is_empty() {
        return Ok(Vec::new());
    }
    let texts = marks.iter().flat_map(|mark| {
        let values = values_of(&loaded.program, class, mark.trim());
        values.unwrap_or_else(|| vec![mark.clone()])
    });
    let texts: Vec<String> = texts.collect();
    let read = with_predicates(loaded, class, ("--states", &texts))?;
    let predicates = read.exprs.iter().map(|e| {
        let name = expr_text(&read.program, class, e);
        let holds = formula::clause_under_invariant(&read.program, e);
        Predicate::new(name, holds)
    });
    let predicates = predicates.collect();
    loaded.program = read.program;
    Ok(predicates)
}

/// That a field of an enum has each of its values, as texts; none where the name is not that of one.
fn values_of(program: &Program, class: ClassId, name: &str) -> Option<Vec<String>> {
    let fields = program.class(class).fields.iter();
    let mut fields = fields.zip(formula::own_fields(program, class));
    let (_, field) = fields.find(|(field, _)| field.name == name)?;
    let Type::Enum(id) = field.ty else {
        return None;
    };
    let is = |value: Expr| formula::compare(CompareOp::Eq, field.clone(), value);
    let values = formula::members(program, id).into_iter().map(is);
    Some(values.map(|e| expr_text(program, class, &e)).collect())
}
