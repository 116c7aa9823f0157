//! SMT terms of one procedure, simplified as they are built.

use std::fmt::{self, Write};
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::Signed;

use crate::ids::{Id, id};
use crate::internal::{Internal, Sure};

id! {
    /// A symbol of a procedure's formula; its name differs from instance to instance.
    pub Symbol;
}

/// A term. Cheap to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term(Arc<TermKind>);

/// What a term is.
#[derive(Debug, PartialEq, Eq)]
pub enum TermKind {
    /// A symbol of the procedure.
    Symbol(Symbol),
    /// A name or literal that is the same everywhere.
    Atom(String),
    /// An integer.
    Int(BigInt),
    /// A Boolean.
    Bool(bool),
    /// An operator or function, which may be an indexed one such as `(_ extract 3 0)`.
    App(String, Vec<Term>, u32),
    /// `(forall ((x Int)) …)`: the text before the body, triggers, the body.
    Binder(String, Vec<Vec<Term>>, Term, u32),
    /// `(let ((x e)) …)`.
    Let(Vec<(String, Term)>, Term, u32),
}

impl Term {
    /// What it is.
    pub fn kind(&self) -> &TermKind {
        &self.0
    }

    /// A symbol of the procedure.
    pub fn symbol(symbol: Symbol) -> Self {
        Term(Arc::new(TermKind::Symbol(symbol)))
    }

    /// A name or literal that is the same everywhere.
    pub fn atom(text: impl Into<String>) -> Self {
        Term(Arc::new(TermKind::Atom(text.into())))
    }

    /// An integer.
    pub fn int(value: impl Into<BigInt>) -> Self {
        Term(Arc::new(TermKind::Int(value.into())))
    }

    /// A Boolean.
    pub fn bool(value: bool) -> Self {
        Term(Arc::new(TermKind::Bool(value)))
    }

    /// An application, as it is.
    pub fn app(op: impl Into<String>, args: Vec<Term>) -> Self {
        let size = args.iter().fold(1u32, |n, a| n.saturating_add(a.size()));
        Term(Arc::new(TermKind::App(op.into(), args, size)))
    }

    /// A quantifier or lambda.
    pub fn binder(head: String, triggers: Vec<Vec<Term>>, body: Term) -> Self {
        let size = triggers
            .iter()
            .flatten()
            .fold(body.size(), |n, t| n.saturating_add(t.size()));
        Term(Arc::new(TermKind::Binder(
            head,
            triggers,
            body,
            size.saturating_add(1),
        )))
    }

    /// Names for terms, in a term.
    pub fn let_in(binds: Vec<(String, Term)>, body: Term) -> Self {
        if binds.is_empty() {
            return body;
        }
        let size = binds
            .iter()
            .fold(body.size(), |n, (_, t)| n.saturating_add(t.size()));
        Term(Arc::new(TermKind::Let(binds, body, size.saturating_add(1))))
    }

    /// How many symbols it is written with.
    pub fn size(&self) -> u32 {
        match &*self.0 {
            TermKind::App(_, _, size)
            | TermKind::Binder(_, _, _, size)
            | TermKind::Let(_, _, size) => *size,
            _ => 1,
        }
    }

    /// Is it written as a single name or literal?
    pub fn is_atomic(&self) -> bool {
        matches!(
            &*self.0,
            TermKind::Symbol(_) | TermKind::Atom(_) | TermKind::Int(_) | TermKind::Bool(_)
        )
    }

    /// Its value, if it is a Boolean literal.
    pub fn as_bool(&self) -> Option<bool> {
        match &*self.0 {
            TermKind::Bool(b) => Some(*b),
            _ => None,
        }
    }

    fn as_int(&self) -> Option<&BigInt> {
        match &*self.0 {
            TermKind::Int(n) => Some(n),
            _ => None,
        }
    }

    /// The term as something plus a constant.
    pub fn offset(&self) -> (Option<Term>, BigInt) {
        match &*self.0 {
            TermKind::Int(n) => (None, n.clone()),
            TermKind::App(op, args, _) if op == "+" => {
                let last = args.split_last();
                match last.and_then(|(last, rest)| Some((last.as_int()?, rest))) {
                    Some((n, [base])) => (Some(base.clone()), n.clone()),
                    Some((n, rest)) => (Some(Term::app("+", rest.to_vec())), n.clone()),
                    None => (Some(self.clone()), BigInt::ZERO),
                }
            }
            _ => (Some(self.clone()), BigInt::ZERO),
        }
    }

    /// `base + n`.
    pub fn plus(base: Option<Term>, n: BigInt) -> Term {
        match base {
            None => Term::int(n),
            Some(base) if n == BigInt::ZERO => base,
            Some(base) => {
                let mut operands = match base.kind() {
                    TermKind::App(op, args, _) if op == "+" => args.clone(),
                    _ => vec![base],
                };
                operands.push(Term::int(n));
                Term::app("+", operands)
            }
        }
    }

    /// Negation.
    pub fn not(&self) -> Term {
        match &*self.0 {
            TermKind::Bool(b) => Term::bool(!b),
            TermKind::App(op, args, _) if op == "not" => {
                args.first().cloned().unwrap_or_else(|| Term::bool(true))
            }
            _ => Term::app("not", vec![self.clone()]),
        }
    }

    /// Conjunction.
    pub fn and(operands: impl IntoIterator<Item = Term>) -> Term {
        Term::junction("and", false, operands)
    }

    /// Disjunction.
    pub fn or(operands: impl IntoIterator<Item = Term>) -> Term {
        Term::junction("or", true, operands)
    }

    fn junction(op: &str, absorbing: bool, operands: impl IntoIterator<Item = Term>) -> Term {
        let mut kept = Vec::new();
        for operand in operands {
            match operand.as_bool() {
                Some(b) if b == absorbing => return operand,
                Some(_) => {}
                None => kept.push(operand),
            }
        }
        match (kept.len(), kept.pop()) {
            (1, Some(one)) => one,
            (_, None) => Term::bool(!absorbing),
            (_, Some(last)) => {
                kept.push(last);
                Term::app(op, kept)
            }
        }
    }

    /// `self ==> other`.
    pub fn implies(&self, other: &Term) -> Term {
        match (self.as_bool(), other.as_bool()) {
            (Some(false), _) | (_, Some(true)) => Term::bool(true),
            (Some(true), _) => other.clone(),
            (_, Some(false)) => self.not(),
            _ => Term::app("=>", vec![self.clone(), other.clone()]),
        }
    }

    /// Equality.
    pub fn equal(&self, other: &Term) -> Term {
        if self == other && self.size() < 64 {
            return Term::bool(true);
        }
        match (&*self.0, &*other.0) {
            (TermKind::Int(_), TermKind::Int(_)) => Term::bool(false),
            (TermKind::Bool(true), _) => other.clone(),
            (_, TermKind::Bool(true)) => self.clone(),
            (TermKind::Bool(false), _) => other.not(),
            (_, TermKind::Bool(false)) => self.not(),
            _ => Term::app("=", vec![self.clone(), other.clone()]),
        }
    }

    /// `if self then a else b`.
    pub fn ite(&self, a: Term, b: Term) -> Term {
        match self.as_bool() {
            Some(true) => a,
            Some(false) => b,
            None if a == b && a.size() < 64 => a,
            None => Term::app("ite", vec![self.clone(), a, b]),
        }
    }

    /// Integer addition, subtraction or multiplication.
    pub fn arithmetic(op: &str, l: Term, r: Term) -> Term {
        match (op, l.as_int(), r.as_int()) {
            ("+", Some(a), Some(b)) => Term::int(a + b),
            ("-", Some(a), Some(b)) => Term::int(a - b),
            ("*", Some(a), Some(b)) => Term::int(a * b),
            ("+", _, Some(b)) => {
                let (base, n) = l.offset();
                Term::plus(base, n + b)
            }
            ("+", Some(a), _) => {
                let (base, n) = r.offset();
                Term::plus(base, n + a)
            }
            ("-", _, Some(b)) => {
                let (base, n) = l.offset();
                Term::plus(base, n - b)
            }
            _ => Term::app(op, vec![l, r]),
        }
    }

    /// An integer comparison: `<`, `<=`, `>`, `>=`.
    pub fn compare(op: &str, l: Term, r: Term) -> Term {
        match (op, l.as_int(), r.as_int()) {
            ("<", Some(a), Some(b)) => Term::bool(a < b),
            ("<=", Some(a), Some(b)) => Term::bool(a <= b),
            (">", Some(a), Some(b)) => Term::bool(a > b),
            (">=", Some(a), Some(b)) => Term::bool(a >= b),
            _ => Term::app(op, vec![l, r]),
        }
    }
}

/// Writes the name of a symbol.
pub type Naming<'a> = dyn Fn(Symbol, &mut String) -> Result<(), Internal> + 'a;

/// Text with places for the names of symbols.
#[derive(Clone, Debug, Default)]
pub struct Template {
    text: String,
    /// Where a symbol's name goes, in order: byte offset and symbol.
    places: Vec<(usize, Symbol)>,
}

impl Template {
    /// The text of a term.
    pub fn of(term: &Term) -> Self {
        let mut template = Template::default();
        template.term(term);
        template
    }

    /// Appends text.
    pub fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Appends the name of a symbol.
    pub fn symbol(&mut self, symbol: Symbol) {
        self.places.push((self.text.len(), symbol));
    }

    /// Appends a term.
    pub fn term(&mut self, term: &Term) {
        match term.kind() {
            TermKind::Symbol(n) => self.symbol(*n),
            TermKind::Atom(text) => self.text(text),
            TermKind::Int(n) if n.is_negative() => self.text(&format!("(- {})", n.magnitude())),
            TermKind::Int(n) => self.text(&n.to_string()),
            TermKind::Bool(b) => self.text(if *b { "true" } else { "false" }),
            TermKind::App(op, args, _) if args.is_empty() => self.text(op),
            TermKind::App(op, args, _) => {
                self.text("(");
                self.text(op);
                for arg in args {
                    self.text(" ");
                    self.term(arg);
                }
                self.text(")");
            }
            TermKind::Binder(head, triggers, body, _) => {
                self.text("(");
                self.text(head);
                self.text(if triggers.is_empty() { " " } else { " (! " });
                self.term(body);
                for trigger in triggers {
                    self.text(" :pattern (");
                    for (i, t) in trigger.iter().enumerate() {
                        self.text(if i > 0 { " " } else { "" });
                        self.term(t);
                    }
                    self.text(")");
                }
                self.text(if triggers.is_empty() { ")" } else { "))" });
            }
            TermKind::Let(binds, body, _) => {
                self.text("(let (");
                for (name, value) in binds {
                    self.text("(");
                    self.text(name);
                    self.text(" ");
                    self.term(value);
                    self.text(")");
                }
                self.text(") ");
                self.term(body);
                self.text(")");
            }
        }
    }

    /// The text with names filled in.
    ///
    /// # Errors
    ///
    /// A symbol without a name, which cannot be.
    pub fn render(&self, out: &mut String, name: &Naming<'_>) -> Result<(), Internal> {
        let mut from = 0;
        for (at, symbol) in &self.places {
            out.push_str(self.text.get(from..*at).sure()?);
            name(*symbol, out)?;
            from = *at;
        }
        out.push_str(self.text.get(from..).sure()?);
        Ok(())
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Template::of(self))
    }
}

impl fmt::Display for Template {
    /// With `?` and a number for each symbol.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        let written = self.render(&mut text, &|symbol, out| {
            // Writing to a string does not fail.
            let _ = write!(out, "?{}", symbol.index());
            Ok(())
        });
        match written {
            Ok(()) => f.write_str(&text),
            Err(bug) => write!(f, "{bug}"),
        }
    }
}
