//! Formulas of the input language as terms of the built-in engine.
//!
//! References are integers, `null` is 0; a field is a function of the object. There are no writes: a formula
//! speaks of one heap.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use petgraph::unionfind::UnionFind;

use crate::ir::shares::Share;
use crate::ir::{BinaryOp, CompareOp, Quantifier};
use crate::ir::{ClassId, Expr, ExprKind, FieldRef, Program, Type, VarId};
use crate::ir::{facts, facts::Fact};
use crate::ir::{formula, formula::Substitution};
use crate::reach::term::{Template, Term};

/// The object itself, which there is.
const THIS: &str = "this";

/// What is between the words of a term's text.
const BETWEEN_WORDS: [char; 4] = [' ', '(', ')', '\n'];

/// Formulas being translated into one question.
pub(super) struct Translation<'p> {
    program: &'p Program,
    class: ClassId,
    /// Whether it is said what is read from `null`.
    null_cells: bool,
    declarations: Vec<String>,
    known: BTreeSet<String>,
    facts: Vec<Term>,
    asserted: Vec<Term>,
    /// Variables of the quantifiers around the expression.
    bound: Vec<VarId>,
    /// Objects of other classes whose invariants are to be stated.
    objects: Vec<(ClassId, Expr)>,
    /// The shares of which it is said what is linear.
    shares: Vec<Expr>,
    says_less: bool,
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
            asserted: Vec::new(),
            bound: Vec::new(),
            objects: Vec::new(),
            shares: Vec::new(),
            says_less: false,
        }
    }

    /// Whether the formulas say more than the question.
    pub(super) fn says_less(&self) -> bool {
        self.says_less
    }

    /// What has to be declared; it stays declared for later questions.
    pub(super) fn declarations(&self) -> &[String] {
        &self.declarations
    }

    /// The question, as questions that can be asked apart: what they speak of is not the same, but for the object itself, and so
    /// all of it can hold together where each can. (That there is an object of which two of them speak does not bind them: whatever
    /// fields the one speaks of, the other does not. After the independence of constraints in KLEE; Cadar, Dunbar, Engler 2008,
    /// section 3.3.)
    pub(super) fn questions(&mut self) -> Vec<String> {
        let objects = std::mem::take(&mut self.objects);
        for (class, object) in objects {
            self.invariant_of(class, &object);
        }
        // Invariants may read further objects: of those, nothing is said.
        self.objects.clear();
        let names = self.declarations.iter().filter_map(|declaration| {
            let words = declaration.split(BETWEEN_WORDS);
            let mut words = words.filter(|word| !word.is_empty());
            words.nth(1).filter(|name| *name != THIS)
        });
        let names: BTreeSet<&str> = names.collect();
        let names: HashMap<&str, usize> = names.into_iter().zip(0..).collect();
        let formulas = self.facts.iter().chain(&self.asserted);
        let texts: Vec<String> = formulas.map(asserted).collect();
        // The formulas come behind the names that bind them to each other.
        let mut bound: UnionFind<usize> = UnionFind::new(names.len() + texts.len());
        for (text, formula) in texts.iter().zip(names.len()..) {
            for name in text.split(BETWEEN_WORDS).filter_map(|word| names.get(word)) {
                bound.union(*name, formula);
            }
        }
        let mut parts: HashMap<usize, (usize, String)> = HashMap::new();
        for (text, formula) in texts.iter().zip(names.len()..) {
            let (last, part) = parts.entry(bound.find(formula)).or_default();
            *last = formula;
            part.push_str(text);
        }
        let parts: BTreeMap<usize, String> = parts.into_values().collect();
        let questions = parts.into_values().map(|mut text| {
            if text.split(BETWEEN_WORDS).any(|word| word == THIS) {
                text.push_str(&format!("(assert (> {THIS} 0))\n"));
            }
            text
        });
        questions.collect()
    }

    /// Adds a formula.
    pub(super) fn assert(&mut self, e: &Expr) {
        let e = formula::inline_functions(self.program, e);
        if formula::is_bool(&e, true) {
            return;
        }
        let term = self.term(&e);
        self.asserted.push(term);
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
            self.fact(is_object(&object).implies(&clause));
        }
    }

    fn fact(&mut self, fact: Term) {
        if fact.as_bool() != Some(true) && !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
    }

    fn declare(&mut self, text: String) {
        if self.known.insert(text.clone()) {
            self.declarations.push(text);
        }
    }

    /// What a declared type says of a value that is not under a quantifier; what it promises only where the guard holds.
    fn typed(&mut self, ty: &Type, value: &Term, guard: &Term) {
        if !self.bound.is_empty() {
            return;
        }
        let typing = facts::typing(self.program, ty);
        if let Some(fact) = typing.and_then(|fact| fact_of(&fact, value)) {
            self.fact(fact);
        }
        let promise = facts::invariant(ty);
        if let Some(fact) = promise.and_then(|fact| fact_of(&fact, value)) {
            self.fact(guard.implies(&fact));
        }
    }

    fn term(&mut self, e: &Expr) -> Term {
        match &*e.kind {
            ExprKind::Int(value) => Term::int(value.clone()),
            ExprKind::Bool(value) => Term::bool(*value),
            ExprKind::Member(_, index) | ExprKind::Named(_, index) => Term::int(*index),
            ExprKind::Null => Term::int(0),
            ExprKind::This => {
                self.declare(format!("(declare-const {THIS} Int)"));
                Term::atom(THIS)
            }
            ExprKind::Var(id) => self.variable(*id),
            ExprKind::Field(object, field) => self.field(object, *field),
            ExprKind::Length(array) => {
                let array = self.term(array);
                self.length(array)
            }
            ExprKind::Element(array, index) => self.element(array, index, &e.ty),
            ExprKind::Select(map, key) => {
                let value = Term::app("select", vec![self.term(map), self.term(key)]);
                self.typed(&e.ty, &value, &Term::bool(true));
                value
            }
            ExprKind::Everywhere(value) => {
                let head = format!("(as const {})", sort(&e.ty));
                Term::app(head, vec![self.term(value)])
            }
            ExprKind::Store(map, key, value) => {
                let (map, key, value) = (self.term(map), self.term(key), self.term(value));
                Term::app("store", vec![map, key, value])
            }
            // Inlined before; nothing is known of it otherwise.
            ExprKind::Call { .. } | ExprKind::Old(_) => self.anything(&e.ty),
            ExprKind::Convert(inner) => wrapped(&e.ty, self.term(inner)),
            ExprKind::Neg(inner) => {
                let inner = self.term(inner);
                wrapped(&e.ty, Term::arithmetic("-", Term::int(0), inner))
            }
            ExprKind::Not(inner) => self.term(inner).not(),
            ExprKind::Binary(op, a, b) => {
                if let Some(share) = Share::of(e) {
                    return self.share(e, share);
                }
                let (a, b) = (self.term(a), self.term(b));
                wrapped(&e.ty, operation(*op, a, b))
            }
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.term(a), self.term(b));
                comparison(*op, a, b)
            }
            ExprKind::If(c, a, b) => {
                let (c, a, b) = (self.term(c), self.term(a), self.term(b));
                c.ite(a, b)
            }
            ExprKind::Quantified(quantifier, vars, body) => {
                self.quantified(*quantifier, vars, body)
            }
        }
    }

    /// A share: the value of a function of which what is linear is known.
    fn share(&mut self, e: &Expr, share: Share<'_>) -> Term {
        self.says_less = true;
        let is_known = || self.shares.iter().any(|known| formula::same(known, e));
        if self.bound.is_empty() && !is_known() {
            self.shares.push(e.clone());
            let known = self.term(&share.linear(e));
            self.fact(known);
        }
        self.declare("(declare-fun share (Int Int Int) Int)".into());
        let operands = [share.amount, share.part, share.whole].map(|e| self.term(e));
        Term::app("share", operands.to_vec())
    }

    fn length(&mut self, array: Term) -> Term {
        self.declare("(declare-fun length (Int) Int)".into());
        let length_of = |array: Term| Term::app("length", vec![array]);
        if self.null_cells {
            self.fact(length_of(Term::int(0)).equal(&Term::int(0)));
        }
        let length = length_of(array);
        if self.bound.is_empty() {
            self.fact(Term::compare(">=", length.clone(), Term::int(0)));
        }
        length
    }

    fn variable(&mut self, id: VarId) -> Term {
        let name = format!("v{}", id.0);
        let term = Term::atom(name.as_str());
        if self.bound.contains(&id) {
            return term;
        }
        let Some(var) = self.program.vars.get(id.0) else {
            return term;
        };
        self.declare(format!("(declare-const {name} {})", sort(&var.ty)));
        self.typed(&var.ty, &term, &Term::bool(true));
        term
    }

    fn field(&mut self, object: &Expr, field: FieldRef) -> Term {
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
        let of = |object: Term| Term::app(name.as_str(), vec![object]);
        if self.null_cells
            && let Some(first) = first_value(ty)
        {
            self.fact(of(Term::int(0)).equal(&first));
        }
        let guard = match this {
            true => Term::bool(true),
            false => is_object(&object),
        };
        let value = of(object);
        self.typed(ty, &value, &guard);
        value
    }

    fn element(&mut self, array: &Expr, index: &Expr, ty: &Type) -> Term {
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
        let length = Term::app("length", vec![array.clone()]);
        let guard = Term::and([
            is_object(&array),
            Term::compare("<=", Term::int(0), index.clone()),
            Term::compare("<", index.clone(), length),
        ]);
        let value = Term::app(name, vec![array, index]);
        self.typed(&declared, &value, &guard);
        value
    }

    /// A value of which nothing is known.
    fn anything(&mut self, ty: &Type) -> Term {
        let name = format!("any{}.{}", self.declarations.len(), type_word(ty));
        self.declare(format!("(declare-const {name} {})", sort(ty)));
        Term::atom(name)
    }

    fn quantified(&mut self, quantifier: Quantifier, vars: &[VarId], body: &Expr) -> Term {
        let depth = self.bound.len();
        self.bound.extend(vars);
        let mut declarations = Vec::new();
        let mut facts = Vec::new();
        for id in vars {
            let ty = &self.program.var(*id).ty;
            let name = format!("v{}", id.0);
            declarations.push(format!("({name} {})", sort(ty)));
            let both = [facts::typing(self.program, ty), facts::invariant(ty)];
            let value = Term::atom(name);
            facts.extend(both.iter().flatten().filter_map(|f| fact_of(f, &value)));
        }
        let body = self.term(body);
        self.bound.truncate(depth);
        let facts = Term::and(facts);
        let (word, body) = match quantifier {
            Quantifier::Forall => ("forall", facts.implies(&body)),
            Quantifier::Exists => ("exists", Term::and([facts, body])),
        };
        let head = format!("{word} ({})", declarations.join(" "));
        Term::binder(head, Vec::new(), body)
    }
}

/// A formula as a command.
fn asserted(formula: &Term) -> String {
    let mut text = Template::default();
    text.text("(assert ");
    text.term(formula);
    text.text(")\n");
    text.to_string()
}

/// The value of a machine type that an integer wraps to.
fn wrapped(ty: &Type, value: Term) -> Term {
    let Type::Machine(m) = ty else {
        return value;
    };
    let modulo = |value: Term| Term::app("mod", vec![value, Term::int(m.modulus())]);
    match m.signed {
        false => modulo(value),
        true => {
            let half = Term::int(m.modulus() / 2u32);
            let raised = modulo(Term::arithmetic("+", value, half.clone()));
            Term::arithmetic("-", raised, half)
        }
    }
}

fn operation(op: BinaryOp, a: Term, b: Term) -> Term {
    match op {
        BinaryOp::Add => Term::arithmetic("+", a, b),
        BinaryOp::Sub => Term::arithmetic("-", a, b),
        BinaryOp::Mul => Term::arithmetic("*", a, b),
        BinaryOp::Div => Term::app("div", vec![a, b]),
        BinaryOp::Mod => Term::app("mod", vec![a, b]),
        BinaryOp::And => Term::and([a, b]),
        BinaryOp::Or => Term::or([a, b]),
        BinaryOp::Implies => a.implies(&b),
        BinaryOp::Iff => a.equal(&b),
    }
}

fn comparison(op: CompareOp, a: Term, b: Term) -> Term {
    match op {
        CompareOp::Eq => a.equal(&b),
        CompareOp::Ne => a.equal(&b).not(),
        CompareOp::Lt => Term::compare("<", a, b),
        CompareOp::Le => Term::compare("<=", a, b),
        CompareOp::Gt => Term::compare(">", a, b),
        CompareOp::Ge => Term::compare(">=", a, b),
    }
}

/// That a reference is not `null`.
fn is_object(reference: &Term) -> Term {
    reference.equal(&Term::int(0)).not()
}

/// A fact about a value; none for facts about all keys of a map, which would take a quantifier.
fn fact_of(fact: &Fact, value: &Term) -> Option<Term> {
    let between = |low: Option<Term>, op: &str, high: Option<Term>| {
        let low = low.map(|low| Term::compare("<=", low, value.clone()));
        let high = high.map(|high| Term::compare(op, value.clone(), high));
        Term::and(low.into_iter().chain(high))
    };
    match fact {
        Fact::Range { low, high } => {
            let (low, high) = (low.clone().map(Term::int), high.clone().map(Term::int));
            Some(between(low, "<=", high))
        }
        Fact::Members(n) => Some(between(Some(Term::int(0)), "<", Some(Term::int(*n)))),
        Fact::NonNull => Some(is_object(value)),
        Fact::EveryKey { .. } => None,
    }
}

/// What a field read from `null` is taken to be.
fn first_value(ty: &Type) -> Option<Term> {
    match ty {
        Type::Bool => Some(Term::bool(false)),
        Type::Opaque(_) | Type::Map(..) => None,
        _ => Some(Term::int(0)),
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
