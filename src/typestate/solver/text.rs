//! Formulas of the input language as SMT-LIB.
//!
//! References are integers, `null` is 0; a field is a function of the object. There are no writes: a formula
//! speaks of one heap.

use std::collections::BTreeSet;
use std::fmt::Write;

use num_bigint::{BigInt, Sign};

use crate::ir::{BinaryOp, CompareOp, Quantifier};
use crate::ir::{ClassId, Expr, ExprKind, FieldRef, Program, Type, VarId};
use crate::ir::{facts, facts::Fact};
use crate::ir::{formula, formula::Substitution};

/// Formulas being translated into one question.
pub(super) struct Translation<'p> {
    program: &'p Program,
    class: ClassId,
    /// Whether it is said what is read from `null`.
    null_cells: bool,
    declarations: Vec<String>,
    known: BTreeSet<String>,
    facts: Vec<String>,
    seen: BTreeSet<String>,
    asserted: Vec<String>,
    /// Variables of the quantifiers around the expression.
    bound: Vec<VarId>,
    /// Objects of other classes whose invariants are to be stated.
    objects: Vec<(ClassId, Expr)>,
}

impl<'p> Translation<'p> {
    pub(super) fn new(program: &'p Program, class: ClassId, null_cells: bool) -> Self {
        Translation {
            program,
            class,
            null_cells,
            declarations: Vec::new(),
            known: BTreeSet::new(),
            facts: Vec::new(),
            seen: BTreeSet::new(),
            asserted: Vec::new(),
            bound: Vec::new(),
            objects: Vec::new(),
        }
    }

    /// What has to be declared; it stays declared for later questions.
    pub(super) fn declarations(&self) -> &[String] {
        &self.declarations
    }

    /// The assertions of the question.
    pub(super) fn question(&mut self) -> String {
        let objects = std::mem::take(&mut self.objects);
        for (class, object) in objects {
            self.invariant_of(class, &object);
        }
        // Invariants may read further objects: of those, nothing is said.
        self.objects.clear();
        let mut text = String::new();
        for line in self.facts.iter().chain(&self.asserted) {
            let _ = writeln!(text, "(assert {line})");
        }
        text
    }

    /// Adds a formula.
    pub(super) fn assert(&mut self, e: &Expr) {
        let e = formula::inline_functions(self.program, e);
        if formula::is_bool(&e, true) {
            return;
        }
        let text = self.term(&e);
        self.asserted.push(text);
    }

    fn invariant_of(&mut self, class: ClassId, object: &Expr) {
        let substitution = Substitution {
            this: Some(object.clone()),
            ..Substitution::default()
        };
        let program = self.program;
        for clause in &program.class(class).invariants {
            let clause = formula::clause_under_invariant(program, clause);
            let clause = self.term(&substitution.apply(&clause));
            let object = self.term(object);
            self.fact(format!("(=> (not (= {object} 0)) {clause})"));
        }
    }

    fn fact(&mut self, text: String) {
        if self.seen.insert(text.clone()) {
            self.facts.push(text);
        }
    }

    fn declare(&mut self, text: String) {
        if self.known.insert(text.clone()) {
            self.declarations.push(text);
        }
    }

    /// What a declared type says of a value that is not under a quantifier.
    fn typed(&mut self, ty: &Type, value: &str, guard: Option<&str>) {
        if !self.bound.is_empty() {
            return;
        }
        if let Some(fact) = facts::typing(self.program, ty)
            && let Some(text) = fact_text(&fact, value)
        {
            self.fact(text);
        }
        if let Some(fact) = facts::invariant(ty)
            && let Some(text) = fact_text(&fact, value)
        {
            self.fact(match guard {
                Some(guard) => format!("(=> {guard} {text})"),
                None => text,
            });
        }
    }

    fn term(&mut self, e: &Expr) -> String {
        match &*e.kind {
            ExprKind::Int(value) => integer(value),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Member(_, index) => index.to_string(),
            ExprKind::Null => "0".into(),
            ExprKind::This => {
                self.declare("(declare-const this Int)".into());
                self.fact("(> this 0)".into());
                "this".into()
            }
            ExprKind::Var(id) => self.variable(*id),
            ExprKind::Field(object, field) => self.field(object, *field),
            ExprKind::Length(array) => {
                let array = self.term(array);
                self.declare("(declare-fun length (Int) Int)".into());
                if self.null_cells {
                    self.fact("(= (length 0) 0)".into());
                }
                let length = format!("(length {array})");
                if self.bound.is_empty() {
                    self.fact(format!("(>= {length} 0)"));
                }
                length
            }
            ExprKind::Element(array, index) => self.element(array, index, &e.ty),
            ExprKind::Select(map, key) => {
                let value = format!("(select {} {})", self.term(map), self.term(key));
                self.typed(&e.ty, &value, None);
                value
            }
            ExprKind::Store(map, key, value) => {
                let (map, key, value) = (self.term(map), self.term(key), self.term(value));
                format!("(store {map} {key} {value})")
            }
            // Inlined before; nothing is known of it otherwise.
            ExprKind::Call { .. } | ExprKind::Old(_) => self.anything(&e.ty),
            ExprKind::Convert(inner) => {
                let inner = self.term(inner);
                self.wrapped(&e.ty, inner)
            }
            ExprKind::Neg(inner) => {
                let inner = self.term(inner);
                self.wrapped(&e.ty, format!("(- {inner})"))
            }
            ExprKind::Not(inner) => format!("(not {})", self.term(inner)),
            ExprKind::Binary(op, a, b) => {
                let text = format!("({} {} {})", operator(*op), self.term(a), self.term(b));
                self.wrapped(&e.ty, text)
            }
            ExprKind::Compare(CompareOp::Ne, a, b) => {
                format!("(not (= {} {}))", self.term(a), self.term(b))
            }
            ExprKind::Compare(op, a, b) => {
                format!("({} {} {})", comparison(*op), self.term(a), self.term(b))
            }
            ExprKind::If(c, a, b) => {
                format!("(ite {} {} {})", self.term(c), self.term(a), self.term(b))
            }
            ExprKind::Quantified(quantifier, vars, body) => {
                self.quantified(*quantifier, vars, body)
            }
        }
    }

    fn variable(&mut self, id: VarId) -> String {
        let name = format!("v{}", id.0);
        if self.bound.contains(&id) {
            return name;
        }
        let Some(var) = self.program.vars.get(id.0) else {
            return name;
        };
        self.declare(format!("(declare-const {name} {})", sort(&var.ty)));
        self.typed(&var.ty, &name, None);
        name
    }

    fn field(&mut self, object: &Expr, field: FieldRef) -> String {
        let ty = &self.program.field(field).ty;
        let name = format!("f{}.{}", field.class.0, field.index);
        let this = matches!(*object.kind, ExprKind::This);
        let others = field.class != self.class && self.bound.is_empty();
        if others && !self.program.class(field.class).invariants.is_empty() {
            let known = |(_, o): &(ClassId, Expr)| formula::same(o, object);
            if !self.objects.iter().any(known) {
                self.objects.push((field.class, object.clone()));
            }
        }
        let object = self.term(object);
        self.declare(format!("(declare-fun {name} (Int) {})", sort(ty)));
        if self.null_cells
            && let Some(default) = first_value(ty)
        {
            self.fact(format!("(= ({name} 0) {default})"));
        }
        let value = format!("({name} {object})");
        let guard = format!("(not (= {object} 0))");
        self.typed(ty, &value, (!this).then_some(guard.as_str()));
        value
    }

    fn element(&mut self, array: &Expr, index: &Expr, ty: &Type) -> String {
        let declared = match &array.ty {
            Type::Array { element, .. } => (**element).clone(),
            _ => ty.clone(),
        };
        let (array, index) = (self.term(array), self.term(index));
        let name = format!("e.{}", type_word(&declared));
        self.declare(format!(
            "(declare-fun {name} (Int Int) {})",
            sort(&declared)
        ));
        self.declare("(declare-fun length (Int) Int)".into());
        let value = format!("({name} {array} {index})");
        let guard =
            format!("(and (not (= {array} 0)) (<= 0 {index}) (< {index} (length {array})))");
        self.typed(&declared, &value, Some(&guard));
        value
    }

    /// A value of which nothing is known.
    fn anything(&mut self, ty: &Type) -> String {
        let name = format!("any{}.{}", self.declarations.len(), type_word(ty));
        self.declare(format!("(declare-const {name} {})", sort(ty)));
        name
    }

    fn wrapped(&self, ty: &Type, value: String) -> String {
        let Type::Machine(m) = ty else {
            return value;
        };
        if m.signed {
            let half = m.modulus() / 2u32;
            format!("(- (mod (+ {value} {half}) {}) {half})", m.modulus())
        } else {
            format!("(mod {value} {})", m.modulus())
        }
    }

    fn quantified(&mut self, quantifier: Quantifier, vars: &[VarId], body: &Expr) -> String {
        let depth = self.bound.len();
        self.bound.extend(vars);
        let mut declarations = Vec::new();
        let mut facts = Vec::new();
        for id in vars {
            let ty = &self.program.var(*id).ty;
            let name = format!("v{}", id.0);
            declarations.push(format!("({name} {})", sort(ty)));
            let both = [facts::typing(self.program, ty), facts::invariant(ty)];
            facts.extend(both.iter().flatten().filter_map(|f| fact_text(f, &name)));
        }
        let body = self.term(body);
        self.bound.truncate(depth);
        let body = match (quantifier, facts.is_empty()) {
            (_, true) => body,
            (Quantifier::Forall, false) => format!("(=> (and {}) {body})", facts.join(" ")),
            (Quantifier::Exists, false) => format!("(and {} {body})", facts.join(" ")),
        };
        let word = match quantifier {
            Quantifier::Forall => "forall",
            Quantifier::Exists => "exists",
        };
        format!("({word} ({}) {body})", declarations.join(" "))
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "div",
        BinaryOp::Mod => "mod",
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Implies => "=>",
        BinaryOp::Iff => "=",
    }
}

fn comparison(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq | CompareOp::Ne => "=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}

fn integer(value: &BigInt) -> String {
    match value.sign() {
        Sign::Minus => format!("(- {})", value.magnitude()),
        _ => value.to_string(),
    }
}

/// A fact about a value; none for facts about all keys of a map, which would take a quantifier.
fn fact_text(fact: &Fact, value: &str) -> Option<String> {
    match fact {
        Fact::Range { low, high } => {
            let low = low
                .as_ref()
                .map(|low| format!("(<= {} {value})", integer(low)));
            let high = high
                .as_ref()
                .map(|high| format!("(<= {value} {})", integer(high)));
            let both: Vec<String> = low.into_iter().chain(high).collect();
            Some(format!("(and true {})", both.join(" ")))
        }
        Fact::Members(n) => Some(format!("(and (<= 0 {value}) (< {value} {n}))")),
        Fact::NonNull => Some(format!("(not (= {value} 0))")),
        Fact::EveryKey { .. } => None,
    }
}

/// What a field read from `null` is taken to be.
fn first_value(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Bool => Some("false"),
        Type::Opaque(_) | Type::Map(..) => None,
        _ => Some("0"),
    }
}

fn sort(ty: &Type) -> String {
    match ty {
        Type::Bool => "Bool".into(),
        Type::Map(key, value) => format!("(Array {} {})", sort(key), sort(value)),
        _ => "Int".into(),
    }
}

/// A type as part of a name.
fn type_word(ty: &Type) -> String {
    match ty {
        Type::Int | Type::Nat | Type::Within(_) => "int".into(),
        Type::Bool => "bool".into(),
        Type::Machine(m) => m.name(),
        Type::Enum(id) => format!("enum{}", id.0),
        Type::Opaque(id) => format!("opaque{}", id.0),
        Type::Class { class, nullable } => format!("class{}{}", class.0, mark(*nullable)),
        Type::Array { element, nullable } => {
            format!("array.{}{}", type_word(element), mark(*nullable))
        }
        Type::Map(key, value) => format!("map.{}.{}", type_word(key), type_word(value)),
        Type::Null => "null".into(),
    }
}

fn mark(nullable: bool) -> &'static str {
    if nullable { "?" } else { "" }
}
