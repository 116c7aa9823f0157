//! Expressions of the input language as Boogie expressions.

use std::collections::BTreeMap;

use crate::ir::formula;
use crate::ir::shares::{Share, is_apart};
use crate::ir::{BinaryOp, CompareOp, Quantifier};
use crate::ir::{Expr, ExprKind, FieldRef, Type, VarId};

use super::changed::{ChangedField, led_to};
use super::names::{BoogieNames, identifier};
use super::range::IntegerRange;
use super::storage::Storage;
use super::term::BoogieTerm;

/// Turns expressions into Boogie, in one stretch of text.
#[derive(Clone, Copy)]
pub(super) struct ExprEncoder<'a> {
    /// Where values live.
    pub storage: &'a Storage,
    /// What variables are called.
    pub names: &'a BoogieNames,
    /// What is put before the globals' names: `old.` inside `old(…)`.
    pub globals: &'static str,
    /// The variables that hold shares, by what they are shares of.
    shares: Option<&'a BTreeMap<String, String>>,
    /// The quantifiers around the expression.
    scope: Option<&'a BinderScope<'a>>,
}

/// The variables of a quantifier, and the quantifiers around it.
struct BinderScope<'a> {
    /// Those of a map that is the same everywhere have no name in the program.
    vars: Vec<(Option<VarId>, String)>,
    outer: Option<&'a BinderScope<'a>>,
}

impl<'a> BinderScope<'a> {
    /// All variables that are bound here, the innermost ones first.
    fn bound(
        scope: Option<&'a BinderScope<'a>>,
    ) -> impl Iterator<Item = &'a (Option<VarId>, String)> {
        std::iter::successors(scope, |scope| scope.outer).flat_map(|scope| &scope.vars)
    }
}

impl<'a> ExprEncoder<'a> {
    /// For the current state.
    pub(super) fn new(storage: &'a Storage, names: &'a BoogieNames) -> Self {
        ExprEncoder {
            storage,
            names,
            globals: "",
            shares: None,
            scope: None,
        }
    }

    /// The same, where these variables hold shares.
    pub(super) fn with_shares(self, shares: &'a BTreeMap<String, String>) -> Self {
        ExprEncoder {
            shares: Some(shares),
            ..self
        }
    }

    /// A global.
    pub(super) fn global(&self, name: &str) -> BoogieTerm {
        BoogieTerm::Atom(format!("{}{name}", self.globals))
    }

    /// A field of an object.
    pub(super) fn field(&self, object: &Expr, field: FieldRef) -> BoogieTerm {
        let global = self.global(&self.storage.field(field));
        if !self.storage.in_heap(field.class) {
            return global;
        }
        let cell = BoogieTerm::select(global, self.encode(object));
        self.storage
            .read_from_cell(&self.storage.program().field(field).ty, cell)
    }

    /// The length of an array; a cell that was never written stands for a length all the same.
    fn length(&self, array: &Expr) -> BoogieTerm {
        let lengths = self.global(&format!("{}.length", self.array_of(array)));
        BoogieTerm::Apply(
            "length.of".into(),
            vec![BoogieTerm::select(lengths, self.encode(array))],
        )
    }

    /// The common name of the globals that hold an array expression's content.
    pub(super) fn array_of(&self, array: &Expr) -> String {
        match &array.ty {
            Type::Array { element, .. } => self.storage.array(element),
            // `null[i]`: never evaluated, since it raises an exception first.
            _ => self.storage.array(&Type::Int),
        }
    }

    /// The cell of an element.
    fn cell(&self, elements: BoogieTerm, array: &Expr, index: &Expr) -> BoogieTerm {
        let (cells, index) = (self.encode(array), self.encode(index));
        match &array.ty {
            Type::Array { element, .. } => self.storage.cell(element, elements, cells, index),
            _ => BoogieTerm::element(elements, cells, index),
        }
    }

    /// An element as the left-hand side of an assignment.
    pub(super) fn target(&self, element: &Expr) -> String {
        match &*element.kind {
            ExprKind::Element(array, index) => {
                let elements = self.global(&format!("{}.elements", self.array_of(array)));
                self.cell(elements, array, index).to_string()
            }
            _ => self.encode(element).to_string(),
        }
    }

    /// The expression in Boogie. Calls of functions are inlined; so the result has no hazards that
    /// [`formula::hazards`] would not find in the inlined expression.
    pub(super) fn encode(&self, e: &Expr) -> BoogieTerm {
        match &*e.kind {
            ExprKind::Int(value) => BoogieTerm::int(value),
            ExprKind::Bool(value) => BoogieTerm::atom(value.to_string()),
            ExprKind::Member(id, index) => {
                let declared = &self.storage.program().enums[id.0];
                BoogieTerm::atom(format!(
                    "{}.{}",
                    identifier(&declared.name),
                    declared.members[*index]
                ))
            }
            ExprKind::Named(id, index) => self.storage.named(*id, *index),
            ExprKind::Null => BoogieTerm::atom("null"),
            ExprKind::This => BoogieTerm::atom("this"),
            ExprKind::Var(id) => {
                let bound = BinderScope::bound(self.scope).find(|(var, _)| *var == Some(*id));
                BoogieTerm::atom(match bound {
                    Some((_, name)) => name.clone(),
                    None => self.names.of(self.storage.program(), *id),
                })
            }
            ExprKind::Field(object, field) => self.field(object, *field),
            ExprKind::Length(array) => self.length(array),
            ExprKind::Element(array, index) => {
                let elements = self.global(&format!("{}.elements", self.array_of(array)));
                let cell = self.cell(elements, array, index);
                self.storage.read_from_cell(&e.ty, cell)
            }
            ExprKind::Select(map, key) => self.storage.read_from_cell(
                &e.ty,
                BoogieTerm::select(self.encode(map), self.encode(key)),
            ),
            ExprKind::Store(map, key, value) => BoogieTerm::Store(
                Box::new(self.encode(map)),
                vec![self.encode(key)],
                Box::new(self.encode(value)),
            ),
            ExprKind::Everywhere(value) => {
                let key = match &e.ty {
                    Type::Map(key, _) => self.storage.boogie_type(key),
                    _ => "int".into(),
                };
                self.everywhere(&key, value)
            }
            ExprKind::Call { .. } => {
                self.encode(&formula::inline_functions(self.storage.program(), e))
            }
            ExprKind::Convert(inner) => self.wrap(&e.ty, self.encode(inner)),
            ExprKind::Neg(inner) => {
                self.wrap(&e.ty, BoogieTerm::Unary("-", Box::new(self.encode(inner))))
            }
            ExprKind::Not(inner) => BoogieTerm::not(self.encode(inner)),
            ExprKind::Binary(op, a, b) => {
                if let Some(share) = self.share(e) {
                    return match self
                        .shares
                        .and_then(|shares| shares.get(&share.to_string()))
                    {
                        Some(name) => BoogieTerm::atom(name),
                        None => share,
                    };
                }
                let term = BoogieTerm::binary(binary_op(*op), self.encode(a), self.encode(b));
                if matches!(op, BinaryOp::Mod) {
                    term
                } else {
                    self.wrap(&e.ty, term)
                }
            }
            ExprKind::Compare(op, a, b) => {
                BoogieTerm::binary(compare_op(*op), self.encode(a), self.encode(b))
            }
            ExprKind::If(c, a, b) => BoogieTerm::If(
                Box::new(self.encode(c)),
                Box::new(self.encode(a)),
                Box::new(self.encode(b)),
            ),
            ExprKind::Quantified(quantifier, vars, body) => {
                let whole = self.quantified(*quantifier, vars, body);
                self.short(*quantifier, vars, body, whole)
            }
            ExprKind::Old(inner) => ExprEncoder {
                globals: "old.",
                shares: None,
                ..*self
            }
            .encode(inner),
        }
    }

    /// That the references which the expression reads from objects and arrays led to objects that existed when
    /// the question started: said of each cell that is read, so that no quantifier over all of them is needed.
    pub(super) fn closed_reads(&self, e: &Expr) -> Vec<BoogieTerm> {
        let e = formula::inline_functions(self.storage.program(), e);
        let mut facts = Vec::new();
        self.collect_reads(&e, &mut facts);
        facts
    }

    /// The shares of which an expression speaks now, and not under a quantifier; those inside of others first.
    pub(super) fn shares_in(&self, e: &Expr) -> Vec<Expr> {
        let mut found = Vec::new();
        let e = formula::inline_functions(self.storage.program(), e);
        collect_shares(&e, &mut found);
        found
    }

    fn collect_reads(&self, e: &Expr, facts: &mut Vec<BoogieTerm>) {
        if matches!(&*e.kind, ExprKind::Quantified(..)) {
            // The cells read there depend on the bound variables.
            return;
        }
        for child in e.children() {
            self.collect_reads(child, facts);
        }
        if !self.storage.is_to_exist(&e.ty) {
            return;
        }
        let (container, cell) = match &*e.kind {
            ExprKind::Field(object, field) if self.storage.in_heap(field.class) => {
                if let Some(changed) = ChangedField::of(self.storage, *field) {
                    add(changed.led_to(self.encode(object)), facts);
                }
                let start = BoogieTerm::atom(format!("start.{}", self.storage.field(*field)));
                (object, BoogieTerm::select(start, self.encode(object)))
            }
            ExprKind::Element(array, index) => {
                let start = BoogieTerm::atom(format!("start.{}.elements", self.array_of(array)));
                (array, self.cell(start, array, index))
            }
            _ => return,
        };
        let containers = self.storage.counted_at_start(&container.ty.with_null());
        let targets = self.storage.counted_at_start(&e.ty.with_null());
        let fact = led_to((self.encode(container), containers), (cell, targets));
        add(fact, facts);
    }

    /// A share: a product that is divided or, where only what is linear of it is said, the value of a function of which nothing
    /// else is known.
    pub(super) fn share(&self, e: &Expr) -> Option<BoogieTerm> {
        Share::of(e)?;
        // A factor may be a function that is a number.
        let e = formula::inline_functions(self.storage.program(), e);
        let share = Share::of(&e)?;
        let [amount, part, whole] = [share.amount, share.part, share.whole].map(|e| self.encode(e));
        Some(match self.storage.linear_shares {
            true => BoogieTerm::Apply("share.of".into(), vec![amount, part, whole]),
            false => BoogieTerm::binary("div", BoogieTerm::binary("*", amount, part), whole),
        })
    }

    /// A value of a machine type wraps.
    fn wrap(&self, ty: &Type, value: BoogieTerm) -> BoogieTerm {
        match ty {
            Type::Machine(m) => BoogieTerm::Apply(format!("wrap.{}", m.name()), vec![value]),
            _ => value,
        }
    }

    /// Makes a name of a bound variable one that none around has.
    fn make_distinct(&self, name: &mut String) {
        while BinderScope::bound(self.scope).any(|(_, outer)| outer == name) {
            name.push('#');
        }
    }

    /// An expression in which these variables are bound, besides those around.
    fn encode_under(&self, vars: Vec<(Option<VarId>, String)>, e: &Expr) -> BoogieTerm {
        let scope = BinderScope {
            vars,
            outer: self.scope,
        };
        // The variables hold shares of what is read outside, which was looked at last.
        let inner = ExprEncoder {
            scope: Some(&scope),
            shares: None,
            ..*self
        };
        inner.encode(e)
    }

    /// A map with the same value at every key.
    pub(super) fn everywhere(&self, key: &str, value: &Expr) -> BoogieTerm {
        let mut name = String::from("every#");
        self.make_distinct(&mut name);
        let vars = format!("{name}: {key}");
        let value = self.encode_under(vec![(None, name)], value);
        BoogieTerm::Quantified("lambda", vars, Box::new(value))
    }

    /// A clause about all integers of a range, or some: of each of them, where there are but a few.
    fn short(
        &self,
        quantifier: Quantifier,
        vars: &[VarId],
        body: &Expr,
        whole: BoogieTerm,
    ) -> BoogieTerm {
        let program = self.storage.program();
        let Some((var, range)) = IntegerRange::of(program, quantifier, vars, body) else {
            return whole;
        };
        let each = range.integers().map(|n| {
            let integer = BoogieTerm::int(&n).to_string();
            self.encode_under(vec![(Some(var), integer)], body)
        });
        let of_each = match quantifier {
            Quantifier::Forall => BoogieTerm::all(each),
            Quantifier::Exists => BoogieTerm::any(each),
        };
        let is_short = range.is_short(|end| self.encode(end));
        BoogieTerm::If(Box::new(is_short), Box::new(of_each), Box::new(whole))
    }

    fn quantified(&self, quantifier: Quantifier, vars: &[VarId], body: &Expr) -> BoogieTerm {
        let program = self.storage.program();
        let mut declarations = Vec::new();
        let mut facts = Vec::new();
        let mut bound = Vec::new();
        for id in vars {
            let mut name = self.names.of_bound(program, *id);
            // A function that is called in an argument of itself brings the same variable twice.
            self.make_distinct(&mut name);
            let ty = &program.var(*id).ty;
            declarations.push(format!("{name}: {}", self.storage.boogie_type(ty)));
            facts.extend(self.storage.typing(ty, &BoogieTerm::atom(&name)));
            facts.extend(self.storage.promise(ty, &BoogieTerm::atom(&name)));
            bound.push((Some(*id), name));
        }
        let body = self.encode_under(bound, body);
        let (word, body) = match quantifier {
            Quantifier::Forall if facts.is_empty() => ("forall", body),
            Quantifier::Exists if facts.is_empty() => ("exists", body),
            Quantifier::Forall => (
                "forall",
                BoogieTerm::binary("==>", BoogieTerm::all(facts), body),
            ),
            Quantifier::Exists => (
                "exists",
                BoogieTerm::binary("&&", BoogieTerm::all(facts), body),
            ),
        };
        BoogieTerm::Quantified(word, declarations.join(", "), Box::new(body))
    }
}

fn collect_shares(e: &Expr, found: &mut Vec<Expr>) {
    if is_apart(e) {
        return;
    }
    for child in e.children() {
        collect_shares(child, found);
    }
    let is_new = || !found.iter().any(|other| formula::same(e, other));
    if Share::of(e).is_some() && is_new() {
        found.push(e.clone());
    }
}

/// Boogie's operator.
fn binary_op(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "div",
        BinaryOp::Mod => "mod",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::Implies => "==>",
        BinaryOp::Iff => "<==>",
    }
}

/// Boogie's comparison.
fn compare_op(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}

/// Adds a fact that is not there yet.
fn add(fact: BoogieTerm, facts: &mut Vec<BoogieTerm>) {
    if !facts.contains(&fact) {
        facts.push(fact);
    }
}
