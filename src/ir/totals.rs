//! Totals that a constructor keeps beside the sum of what it gives out.
//!
//! ```text
//! fact forall key: nat :: shares[key] <= sum;
//! constructor(…) { … while (…) { …  sum := sum - shares[who] + amount;  total := total + amount; … } … }
//! ```
//!
//! Both go up by the same, so that `sum == total` is worth a proof: what is shared out by `total` is then known to be no more than
//! there is.

use super::effects::walk::statements;
use super::formula::{compare, is_var, own_field, own_fields, same};
use super::{
    BinaryOp, ClassId, CompareOp, Expr, ExprKind, FieldRef, Place, Program, Quantifier,
    RoutineKind, Stmt, StmtKind, VarId,
};

/// The equations of a class's sums and totals that its constructors suggest.
pub fn equations(program: &Program, class: ClassId) -> Vec<Expr> {
    let declared = program.class(class);
    let sums: Vec<FieldRef> = declared.facts().iter().filter_map(sum_of).collect();
    let constructors = declared
        .routines
        .iter()
        .filter(|routine| routine.kind == RoutineKind::Constructor);
    let fields = own_fields(program, class);
    let mut found: Vec<Expr> = Vec::new();
    for body in constructors.filter_map(|routine| routine.body.as_deref()) {
        let raised = raised(body);
        for (sum, amount) in raised.iter().filter(|(field, _)| sums.contains(field)) {
            let totals = raised
                .iter()
                .filter(|(field, by)| !sums.contains(field) && same(by, amount));
            for (total, _) in totals {
                let sides = [sum, total].map(|field| fields.get(field.index).cloned());
                let [Some(sum), Some(total)] = sides else {
                    continue;
                };
                let equation = compare(CompareOp::Eq, sum, total);
                if !found.iter().any(|known| same(known, &equation)) {
                    found.push(equation);
                }
            }
        }
    }
    found
}

/// The field that no value of a map is more than, by a fact: `forall key :: map[key] <= sum`.
fn sum_of(fact: &Expr) -> Option<FieldRef> {
    let ExprKind::Quantified(Quantifier::Forall, vars, body) = &*fact.kind else {
        return None;
    };
    let ([key], ExprKind::Compare(CompareOp::Le, amount, sum)) = (vars.as_slice(), &*body.kind)
    else {
        return None;
    };
    is_at(amount, *key).then_some(())?;
    own_field(sum)
}

/// Whether an expression is what a map of the object has at a key.
fn is_at(e: &Expr, key: VarId) -> bool {
    match &*e.kind {
        ExprKind::Select(map, at) => own_field(map).is_some() && is_var(at, key),
        _ => false,
    }
}

/// The fields of the object that a body puts up by something, each with what it is. (A sum may first go down by what was there.)
fn raised(body: &[Stmt]) -> Vec<(FieldRef, Expr)> {
    let all = statements([body]).into_iter();
    let raised = all.filter_map(|stmt| {
        let StmtKind::Assign(Place::Field(object, field), value) = &stmt.kind else {
            return None;
        };
        let ExprKind::Binary(BinaryOp::Add, before, by) = &*value.kind else {
            return None;
        };
        let before = match &*before.kind {
            ExprKind::Binary(BinaryOp::Sub, before, _) => before,
            _ => before,
        };
        let is_raised = matches!(*object.kind, ExprKind::This) && own_field(before) == Some(*field);
        is_raised.then(|| (*field, by.clone()))
    });
    raised.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::expr_text;

    fn found(body: &str) -> Vec<String> {
        let text = format!(
            "class C {{ var shares: map<int, int>; var sum: int; var total: int; var count: int;
               fact forall key: int :: shares[key] <= sum;
               constructor(who: int, amount: int) {{ {body} }}
               action more(amount: int) {{ sum := sum + amount; count := count + amount; }} }}"
        );
        let loaded = crate::front::tq::parse_text("test.tq", &text).expect("a class");
        let class = ClassId(0);
        let all = equations(&loaded.program, class).into_iter();
        all.map(|e| expr_text(&loaded.program, class, &e)).collect()
    }

    #[test]
    fn a_total_that_goes_up_as_the_sum_does() {
        let both =
            "sum := sum - shares[who] + amount; shares[who] := amount; total := total + amount;";
        assert_eq!(found(both), ["sum == total"]);
        assert_eq!(
            found(&format!("while (*) {{ {both} }} {both}")),
            ["sum == total"]
        );
    }

    #[test]
    fn what_goes_up_by_something_else_is_no_total() {
        assert_eq!(found("sum := sum + amount; total := total + who;"), [""; 0]);
        assert_eq!(
            found("sum := sum + amount; total := amount + total;"),
            [""; 0]
        );
        assert_eq!(
            found("sum := total + amount; total := total + amount;"),
            [""; 0]
        );
        assert_eq!(
            found("count := count + amount; total := total + amount;"),
            [""; 0]
        );
    }
}
