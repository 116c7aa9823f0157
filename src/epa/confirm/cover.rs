//! Clauses that hold of given configurations and of no others.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;

use crate::interp::{Keys, Value};
use crate::ir::CompareOp;
use crate::ir::formula;
use crate::ir::{Expr, ExprKind, Program, Type};

/// Of more combinations of values than this it is not said one by one that they do not occur.
const MOST_COMBINATIONS: usize = 4_096;

/// That the fields have these values; none where a value cannot be written.
pub(super) fn values_are(program: &Program, fields: &[Expr], values: &[Value]) -> Option<Expr> {
    let equalities = fields.iter().zip(values).map(|(f, v)| is(program, f, v));
    Some(formula::all(equalities.collect::<Option<Vec<_>>>()?))
}

/// Clauses that together hold exactly where the fields have one of these combinations of values: which values each
/// field has, and which of their combinations there are not, in as few fields as tell it. None where a value cannot be
/// written.
pub(super) fn cover(program: &Program, fields: &[Expr], rows: &[Vec<Value>]) -> Option<Vec<Expr>> {
    let columns: Vec<BTreeSet<&Value>> = (0..fields.len())
        .map(|column| rows.iter().filter_map(|row| row.get(column)).collect())
        .collect();
    let mut clauses = Vec::new();
    for (field, values) in fields.iter().zip(&columns) {
        clauses.extend(one_of(program, field, values)?);
    }
    let combinations = columns
        .iter()
        .try_fold(1_usize, |n, c| n.checked_mul(c.len()));
    if combinations.is_none_or(|n| n > MOST_COMBINATIONS) {
        let rows = rows.iter().map(|row| values_are(program, fields, row));
        clauses.push(formula::any(rows.collect::<Option<Vec<_>>>()?));
        return Some(clauses);
    }
    let columns: Vec<Vec<&Value>> = columns
        .iter()
        .map(|c| c.iter().copied().collect())
        .collect();
    let is_number = |column: &Vec<&Value>| matches!(column.first(), Some(Value::Int(_)));
    let numbers: Vec<bool> = columns.iter().map(is_number).collect();
    for hole in merged(holes(rows, &columns), &numbers) {
        let mut parts: Vec<Expr> = hole
            .iter()
            .map(|part| is_among(program, &fields[part.column], &columns[part.column], part))
            .collect::<Option<_>>()?;
        let last = parts.pop()?;
        clauses.push(formula::implies(formula::all(parts), formula::not(last)));
    }
    Some(clauses)
}

/// That the field has one of these of its values, which are in order and, of more than one, all integers.
fn is_among(program: &Program, field: &Expr, all: &[&Value], part: &Part) -> Option<Expr> {
    let (first, last) = (*all.get(part.first)?, *all.get(part.last)?);
    if part.first == part.last {
        return is(program, field, first);
    }
    let (Value::Int(low), Value::Int(high)) = (first, last) else {
        return None;
    };
    let bound = |op, n: &BigInt| formula::compare(op, field.clone(), formula::int(n.clone()));
    // The ends of all values need no bound: it is said already that there are no others.
    let low = (part.first > 0).then(|| bound(CompareOp::Ge, low));
    let high = (part.last + 1 < all.len()).then(|| bound(CompareOp::Le, high));
    Some(formula::all(low.into_iter().chain(high)))
}

/// Some values of a column, by their positions in the order of all that it has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    column: usize,
    first: usize,
    last: usize,
}

/// Values of some columns, by their positions.
type Hole = Vec<Part>;

/// What no row has: for each combination of the columns' values that is no row, the values of as few columns as no row
/// has together.
fn holes(rows: &[Vec<Value>], columns: &[Vec<&Value>]) -> Vec<Vec<(usize, usize)>> {
    let position = |(column, value): (&Vec<&Value>, &Value)| column.binary_search(&value).ok();
    let rows: BTreeSet<Vec<usize>> = (rows.iter())
        .filter_map(|row| columns.iter().zip(row).map(position).collect())
        .collect();
    let has = |row: &Vec<usize>, hole: &[(usize, usize)]| {
        hole.iter().all(|(column, v)| row.get(*column) == Some(v))
    };
    let mut found: Vec<Vec<(usize, usize)>> = Vec::new();
    for combination in product(columns) {
        let is_in = |hole: &Vec<(usize, usize)>| has(&combination, hole);
        if rows.contains(&combination) || found.iter().any(is_in) {
            continue;
        }
        let mut hole: Vec<(usize, usize)> = combination.iter().copied().enumerate().collect();
        for column in 0..columns.len() {
            let smaller: Vec<_> = hole.iter().copied().filter(|(c, _)| *c != column).collect();
            if !rows.iter().any(|row| has(row, &smaller)) {
                hole = smaller;
            }
        }
        found.push(hole);
    }
    found
}

/// The same holes, those put together that differ in one column only, in which their values are next to each other.
fn merged(holes: Vec<Vec<(usize, usize)>>, is_number: &[bool]) -> Vec<Hole> {
    let part = |(column, value): (usize, usize)| Part {
        column,
        first: value,
        last: value,
    };
    let mut holes: Vec<Hole> = (holes.into_iter())
        .map(|hole| hole.into_iter().map(part).collect())
        .collect();
    for (column, _) in is_number.iter().enumerate().filter(|(_, number)| **number) {
        let mut alike: BTreeMap<Hole, Vec<Part>> = BTreeMap::new();
        let mut left = Vec::new();
        for mut hole in holes {
            match hole.iter().position(|part| part.column == column) {
                Some(at) => {
                    let part = hole.remove(at);
                    alike.entry(hole).or_default().push(part);
                }
                None => left.push(hole),
            }
        }
        for (hole, mut parts) in alike {
            parts.sort();
            let mut together: Vec<Part> = Vec::new();
            for part in parts {
                match together.last_mut() {
                    Some(before) if before.last + 1 == part.first => before.last = part.last,
                    _ => together.push(part),
                }
            }
            // The last part is what the others exclude.
            let with = |part| [part].into_iter().chain(hole.iter().cloned()).collect();
            left.extend(together.into_iter().map(with));
        }
        holes = left;
    }
    holes
}

/// All combinations of positions.
fn product(columns: &[Vec<&Value>]) -> Vec<Vec<usize>> {
    columns.iter().fold(vec![vec![]], |rows, column| {
        let longer = |row: Vec<usize>| {
            let with = move |value| row.iter().copied().chain([value]).collect();
            (0..column.len()).map(with).collect::<Vec<Vec<usize>>>()
        };
        rows.into_iter().flat_map(longer).collect()
    })
}

/// That the field has one of these values, as short as it can be said.
fn one_of(program: &Program, field: &Expr, values: &BTreeSet<&Value>) -> Option<Vec<Expr>> {
    let all = match &field.ty {
        Type::Bool => 2,
        Type::Enum(id) => program.enums.get(id.0)?.members.len(),
        _ => usize::MAX,
    };
    if values.len() == all {
        return Some(vec![]);
    }
    if let (Some(Value::Int(low)), Some(Value::Int(high))) = (values.first(), values.last())
        && low != high
        && high - low < BigInt::from(values.len())
    {
        let bound = |op, n: &BigInt| formula::compare(op, field.clone(), formula::int(n.clone()));
        return Some(vec![bound(CompareOp::Ge, low), bound(CompareOp::Le, high)]);
    }
    let cases = values.iter().map(|value| is(program, field, value));
    Some(vec![formula::any(cases.collect::<Option<Vec<_>>>()?)])
}

/// That an expression has this value; none where the value cannot be written.
pub(super) fn is(program: &Program, e: &Expr, value: &Value) -> Option<Expr> {
    Some(match (value, &e.ty) {
        (Value::Bool(true), _) => e.clone(),
        (Value::Bool(false), _) => formula::not(e.clone()),
        // What a map has for keys that there are not is nothing to speak of.
        (Value::Map(map), Type::Map(key, of)) if matches!(**key, Type::Bool | Type::Enum(_)) => {
            let keys = Keys::of(program, key);
            let at = keys.all()?.iter().map(|at| {
                let select = ExprKind::Select(e.clone(), written(program, key, at)?);
                is(program, &formula::expr(select, of.of_value()), map.get(at))
            });
            formula::all(at.collect::<Option<Vec<_>>>()?)
        }
        (_, ty) => formula::compare(CompareOp::Eq, e.clone(), written(program, ty, value)?),
    })
}

/// A value of this type as an expression; none where it has no name.
fn written(program: &Program, ty: &Type, value: &Value) -> Option<Expr> {
    let kind = match (value, ty) {
        (Value::Bool(value), _) => ExprKind::Bool(*value),
        (Value::Int(n), _) => ExprKind::Int(n.clone()),
        (Value::Member(id, index), _) => ExprKind::Member(*id, *index),
        (Value::Null, _) => return Some(formula::null()),
        (Value::Opaque(id, index), _) => {
            let named = &program.opaques.get(id.0)?.values;
            let index = usize::try_from(*index).ok();
            ExprKind::Named(*id, index.filter(|index| *index < named.len())?)
        }
        (Value::Map(map), Type::Map(key, of)) => {
            let default = written(program, of, map.default_value())?;
            let everywhere = formula::expr(ExprKind::Everywhere(default), ty.clone());
            let mut entries = map.exceptions().iter();
            return entries.try_fold(everywhere, |map, (at, value)| {
                let at = written(program, key, at)?;
                let store = ExprKind::Store(map, at, written(program, of, value)?);
                Some(formula::expr(store, ty.clone()))
            });
        }
        (Value::Ref(_) | Value::Map(_), _) => return None,
    };
    Some(formula::expr(kind, ty.of_value()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tq::parse_text;
    use crate::interp::{Configuration, Interpreter};
    use crate::ir::ClassId;
    use crate::ir::expr_text;

    const CLASS: &str = "
        enum Mode { Off, On, Broken }
        class C { var n: int; var on: bool; var mode: Mode; constructor() {} }";

    /// The clauses for rows of `n`, `on`, and a mode by its number, which hold of the rows and of no other combination
    /// of values around them.
    fn clauses_of(rows: &[(i64, bool, usize)]) -> Vec<String> {
        let program = parse_text("c.tq", CLASS).expect("a class").program;
        let Type::Enum(mode) = program.class(ClassId(0)).fields[2].ty else {
            panic!("a mode is an enum");
        };
        let row = |(n, on, m): &(i64, bool, usize)| {
            vec![Value::int(*n), Value::Bool(*on), Value::Member(mode, *m)]
        };
        let rows: Vec<Vec<Value>> = rows.iter().map(row).collect();
        let fields = formula::own_fields(&program, ClassId(0));
        let clauses = cover(&program, &fields, &rows).expect("all can be written");
        let interpreter = Interpreter::new(&program);
        for n in -1..6 {
            for on in [false, true] {
                for m in 0..3 {
                    let values = row(&(n, on, m));
                    let is_row = rows.contains(&values);
                    let here = Configuration::with_this(ClassId(0), values);
                    let this = here.this.expect("an object");
                    let holds = interpreter.all_hold(&here, this, &clauses);
                    assert_eq!(holds.expect("it can be decided"), is_row, "{n} {on} {m}");
                }
            }
        }
        let text = |c| expr_text(&program, ClassId(0), c);
        clauses.iter().map(text).collect()
    }

    #[test]
    fn what_every_row_has_is_a_bound() {
        let clauses = clauses_of(&[(2, true, 1)]);
        assert_eq!(clauses, ["n == 2", "on", "mode == Mode.On"]);
    }

    #[test]
    fn what_no_row_has_is_said_in_few_fields() {
        let clauses = clauses_of(&[(0, false, 0), (1, true, 1), (2, true, 1), (2, true, 2)]);
        assert_eq!(clauses[..2], ["n >= 0", "n <= 2"]);
        // Two fields tell each combination that does not occur.
        assert!(clauses.iter().all(|c| !c.contains("&&")), "{clauses:?}");
        assert!(clauses.contains(&"on ==> mode != Mode.Off".to_owned()));
    }

    #[test]
    fn numbers_with_gaps_are_told_one_by_one() {
        let clauses = clauses_of(&[(0, true, 0), (0, false, 0), (4, true, 0)]);
        assert_eq!(
            clauses,
            ["n == 0 || n == 4", "mode == Mode.Off", "n == 4 ==> on"]
        );
    }
}
