//! The question that certifies preconditions: can a call end in a target without being in one of the target's cases?

use askama::Template;

use crate::ir::CompareOp;
use crate::ir::formula;
use crate::ir::{Expr, ExprKind, Type};
use crate::query::Entry;

use super::Encoding;
use super::question::name::question_name;
use super::question::{Builder, Frame, Question, Step, unique};
use super::term::Term;

/// What is claimed of a target.
#[derive(Clone, Debug)]
pub struct Cover {
    /// The target: where this holds of the object after a normal end, or none for any exception.
    pub target: Option<Expr>,
    /// A call that ends there was in this before.
    pub cases: Expr,
}

/// `templates/typestate/coverage.bpl`
#[derive(Template)]
#[template(path = "typestate/coverage.bpl")]
struct CoverageText<'q> {
    q: &'q Frame,
    covers: Vec<CoverText>,
}

struct CoverText {
    flag: String,
    cases: String,
    reached: String,
}

impl Encoding<'_> {
    /// Can the call end in one of the targets without being in one of its cases?
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn coverage(&self, step: &Step, covers: &[Cover]) -> Result<Entry, askama::Error> {
        let mut builder = Builder::new(self);
        let exit = Question::Exit(step.clone());
        builder.name_parameters(&exit);
        let mut frame = builder.frame(&exit);
        frame.name = format!("coverage.{}", question_name(self, &exit));
        frame.question = format!(
            "can {} end where no case of its preconditions says so?",
            self.called(step)
        );
        let of_null: Vec<Expr> = covers
            .iter()
            .flat_map(|c| c.target.iter().chain([&c.cases]))
            .flat_map(reads_of_null)
            .collect();
        let of_null = unique(of_null.iter().map(|e| builder.encode(e)).collect());
        frame.hypothesis.extend(of_null.iter().cloned());
        let throws = frame.locals.iter().any(|(name, _)| name == "thrown");
        let mut texts = Vec::new();
        for (index, cover) in covers.iter().enumerate() {
            let flag = format!("covered.{}", index + 1);
            frame.locals.push((flag.clone(), "bool".into()));
            let reached = match (&cover.target, throws) {
                (None, true) => "thrown != Exception.none".to_string(),
                (None, false) => "false".into(),
                (Some(target), throws) => {
                    let normally = Term::atom("thrown == Exception.none");
                    let target = Term::atom(format!("({})", builder.encode(target)));
                    Term::all(throws.then_some(normally).into_iter().chain([target])).to_string()
                }
            };
            texts.push(CoverText {
                flag,
                cases: builder.encode(&cover.cases),
                reached,
            });
        }
        frame.reads_after = unique(std::mem::take(&mut builder.reads));
        frame.reads_after.extend(of_null);
        let text = CoverageText {
            q: &frame,
            covers: texts,
        }
        .render()?;
        Ok(Entry {
            name: frame.name,
            text,
        })
    }
}

/// That what the formula reads from `null`, if it does, is the first value of its type: no execution reads it, so it
/// may be taken to be anything.
fn reads_of_null(e: &Expr) -> Vec<Expr> {
    let mut found = Vec::new();
    let mut open = vec![e];
    while let Some(e) = open.pop() {
        let (read, ty) = match &*e.kind {
            ExprKind::Field(object, field) if !matches!(*object.kind, ExprKind::This) => {
                let null = formula::expr(ExprKind::Null, object.ty.clone());
                (ExprKind::Field(null, *field), e.ty.clone())
            }
            ExprKind::Length(array) => {
                let null = formula::expr(ExprKind::Null, array.ty.clone());
                (ExprKind::Length(null), Type::Int)
            }
            _ => {
                open.extend(e.children());
                continue;
            }
        };
        open.extend(e.children());
        let first = match &ty {
            Type::Bool => formula::bool(false),
            Type::Int | Type::Nat | Type::Machine(_) => formula::int(0),
            Type::Enum(id) => formula::expr(ExprKind::Member(*id, 0), ty.clone()),
            Type::Class { .. } | Type::Array { .. } => formula::null(),
            Type::Opaque(_) | Type::Map(..) | Type::Null => continue,
        };
        let read = formula::expr(read, ty);
        found.push(formula::compare(CompareOp::Eq, read, first));
    }
    found
}
