//! Expressions of the input language as Boogie expressions.

use crate::ir::formula;
use crate::ir::{BinaryOp, CompareOp, Quantifier};
use crate::ir::{Expr, ExprKind, FieldRef, Type, VarId};

use super::names::{Names, identifier};
use super::storage::Storage;
use super::term::Term;

/// Turns expressions into Boogie, in one stretch of text.
#[derive(Clone, Copy)]
pub(super) struct ExprEncoder<'a> {
    /// Where values live.
    pub storage: &'a Storage,
    /// What variables are called.
    pub names: &'a Names,
    /// What is put before the globals' names: `old.` inside `old(…)`.
    pub globals: &'static str,
    /// The quantifiers around the expression.
    scope: Option<&'a Scope<'a>>,
}

/// The variables of a quantifier, and the quantifiers around it.
struct Scope<'a> {
    /// Those of a map that is the same everywhere have no name in the program.
    vars: Vec<(Option<VarId>, String)>,
    outer: Option<&'a Scope<'a>>,
}

impl<'a> Scope<'a> {
    /// All variables that are bound here, the innermost ones first.
    fn bound(scope: Option<&'a Scope<'a>>) -> impl Iterator<Item = &'a (Option<VarId>, String)> {
        std::iter::successors(scope, |scope| scope.outer).flat_map(|scope| &scope.vars)
    }
}

impl<'a> ExprEncoder<'a> {
    /// For the current state.
    pub(super) fn new(storage: &'a Storage, names: &'a Names) -> Self {
        ExprEncoder {
            storage,
            names,
            globals: "",
            scope: None,
        }
    }

    /// A global.
    pub(super) fn global(&self, name: &str) -> Term {
        Term::Atom(format!("{}{name}", self.globals))
    }

    /// A field of an object.
    pub(super) fn field(&self, object: &Expr, field: FieldRef) -> Term {
        let global = self.global(&self.storage.field(field));
        if !self.storage.in_heap(field.class) {
            return global;
        }
        let cell = Term::select(global, self.encode(object));
        self.storage
            .read_from_cell(&self.storage.program().field(field).ty, cell)
    }

    /// The length of an array; a cell that was never written stands for a length all the same.
    fn length(&self, array: &Expr) -> Term {
        let lengths = self.global(&format!("{}.length", self.array_of(array)));
        Term::Apply(
            "length.of".into(),
            vec![Term::select(lengths, self.encode(array))],
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
    fn cell(&self, elements: Term, array: &Expr, index: &Expr) -> Term {
        let (cells, index) = (self.encode(array), self.encode(index));
        match &array.ty {
            Type::Array { element, .. } => self.storage.cell(element, elements, cells, index),
            _ => Term::element(elements, cells, index),
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
    pub(super) fn encode(&self, e: &Expr) -> Term {
        match &*e.kind {
            ExprKind::Int(value) => Term::int(value),
            ExprKind::Bool(value) => Term::atom(value.to_string()),
            ExprKind::Member(id, index) => {
                let declared = &self.storage.program().enums[id.0];
                Term::atom(format!(
                    "{}.{}",
                    identifier(&declared.name),
                    declared.members[*index]
                ))
            }
            ExprKind::Named(id, index) => self.storage.named(*id, *index),
            ExprKind::Null => Term::atom("null"),
            ExprKind::This => Term::atom("this"),
            ExprKind::Var(id) => {
                let bound = Scope::bound(self.scope).find(|(var, _)| *var == Some(*id));
                Term::atom(match bound {
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
            ExprKind::Select(map, key) => self
                .storage
                .read_from_cell(&e.ty, Term::select(self.encode(map), self.encode(key))),
            ExprKind::Store(map, key, value) => Term::Store(
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
                self.wrap(&e.ty, Term::Unary("-", Box::new(self.encode(inner))))
            }
            ExprKind::Not(inner) => Term::not(self.encode(inner)),
            ExprKind::Binary(op, a, b) => {
                let term = Term::binary(binary_op(*op), self.encode(a), self.encode(b));
                if matches!(op, BinaryOp::Mod) {
                    term
                } else {
                    self.wrap(&e.ty, term)
                }
            }
            ExprKind::Compare(op, a, b) => {
                Term::binary(compare_op(*op), self.encode(a), self.encode(b))
            }
            ExprKind::If(c, a, b) => Term::If(
                Box::new(self.encode(c)),
                Box::new(self.encode(a)),
                Box::new(self.encode(b)),
            ),
            ExprKind::Quantified(quantifier, vars, body) => {
                self.quantified(*quantifier, vars, body)
            }
            ExprKind::Old(inner) => ExprEncoder {
                globals: "old.",
                ..*self
            }
            .encode(inner),
        }
    }

    /// That the references which the expression reads from objects and arrays led to objects that existed when
    /// the question started: said of each cell that is read, so that no quantifier over all of them is needed.
    pub(super) fn closed_reads(&self, e: &Expr) -> Vec<Term> {
        let e = formula::inline_functions(self.storage.program(), e);
        let mut facts = Vec::new();
        self.collect_reads(&e, &mut facts);
        facts
    }

    fn collect_reads(&self, e: &Expr, facts: &mut Vec<Term>) {
        if matches!(&*e.kind, ExprKind::Quantified(..)) {
            // The cells read there depend on the bound variables.
            return;
        }
        for child in e.children() {
            self.collect_reads(child, facts);
        }
        if !self.storage.is_allocated(&e.ty) {
            return;
        }
        let (container, cell) = match &*e.kind {
            ExprKind::Field(object, field) if self.storage.in_heap(field.class) => {
                let start = Term::atom(format!("start.{}", self.storage.field(*field)));
                (object, Term::select(start, self.encode(object)))
            }
            ExprKind::Element(array, index) => {
                let start = Term::atom(format!("start.{}.elements", self.array_of(array)));
                (array, self.cell(start, array, index))
            }
            _ => return,
        };
        let existed = Term::binary(
            "<=",
            self.encode(container),
            self.storage.counted_at_start(&container.ty.with_null()),
        );
        let led_to = Term::all([
            Term::binary("<=", Term::atom("0"), cell.clone()),
            Term::binary("<=", cell, self.storage.counted_at_start(&e.ty.with_null())),
        ]);
        let fact = Term::binary("==>", existed, led_to);
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }

    /// A value of a machine type wraps.
    fn wrap(&self, ty: &Type, value: Term) -> Term {
        match ty {
            Type::Machine(m) => Term::Apply(format!("wrap.{}", m.name()), vec![value]),
            _ => value,
        }
    }

    /// Makes a name of a bound variable one that none around has.
    fn make_distinct(&self, name: &mut String) {
        while Scope::bound(self.scope).any(|(_, outer)| outer == name) {
            name.push('#');
        }
    }

    /// A map with the same value at every key.
    pub(super) fn everywhere(&self, key: &str, value: &Expr) -> Term {
        let mut name = String::from("every#");
        self.make_distinct(&mut name);
        let vars = format!("{name}: {key}");
        let scope = Scope {
            vars: vec![(None, name)],
            outer: self.scope,
        };
        let inner = ExprEncoder {
            scope: Some(&scope),
            ..*self
        };
        Term::Quantified("lambda", vars, Box::new(inner.encode(value)))
    }

    fn quantified(&self, quantifier: Quantifier, vars: &[VarId], body: &Expr) -> Term {
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
            facts.extend(self.storage.typing(ty, &Term::atom(&name)));
            facts.extend(self.storage.promise(ty, &Term::atom(&name)));
            bound.push((Some(*id), name));
        }
        let scope = Scope {
            vars: bound,
            outer: self.scope,
        };
        let body = ExprEncoder {
            scope: Some(&scope),
            ..*self
        }
        .encode(body);
        let (word, body) = match quantifier {
            Quantifier::Forall if facts.is_empty() => ("forall", body),
            Quantifier::Exists if facts.is_empty() => ("exists", body),
            Quantifier::Forall => ("forall", Term::binary("==>", Term::all(facts), body)),
            Quantifier::Exists => ("exists", Term::binary("&&", Term::all(facts), body)),
        };
        Term::Quantified(word, declarations.join(", "), Box::new(body))
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
