//! Maps of a model as tables: entries and a default. A solver gives them as stores above a constant, and where quantified facts
//! speak of them as functions (`lambda`), which are tables as far as they compare an index with constants.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::smt::Sexp;

/// What the names of values have in them that are of types of which the solver knows nothing.
pub(super) const ELEMENT: &str = "!val!";

/// A map of some indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ModelMap {
    /// No index is left: a value.
    Value(Sexp),
    /// What is at the values of the first index.
    Table(Box<ModelTable>),
}

/// What is at the values of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ModelTable {
    /// What is at some of them, the last one that was stored first.
    pub entries: Vec<(Sexp, ModelMap)>,
    /// What is at all others that are less than a number, where that is something else.
    pub below: Option<(BigInt, ModelMap)>,
    /// What is at all others.
    pub default: ModelMap,
}

/// No more values of an index are told apart by order than these.
const MOST_ORDERED: usize = 256;

/// How many terms are looked at for one table: definitions (`let`) are looked at wherever they are used.
const FUEL: usize = 200_000;

/// The table that a term of a model is, for so many indices. None for what is no table.
pub(super) fn table(term: &Sexp, indices: usize) -> Option<ModelMap> {
    ModelEvaluator { fuel: FUEL }.map(term, &LetScope::Empty, indices)
}

impl ModelMap {
    /// The same everywhere.
    fn constant(value: Sexp, indices: usize) -> ModelMap {
        match indices.checked_sub(1) {
            None => ModelMap::Value(value),
            Some(fewer) => ModelMap::Table(Box::new(ModelTable {
                entries: vec![],
                below: None,
                default: ModelMap::constant(value, fewer),
            })),
        }
    }

    /// The table with another value at these indices.
    fn store(self, keys: &[Sexp], value: Sexp) -> Option<ModelMap> {
        let Some((first, rest)) = keys.split_first() else {
            return Some(ModelMap::Value(value));
        };
        let ModelMap::Table(mut table) = self else {
            return None;
        };
        let at = table.at(first).clone().store(rest, value)?;
        table.entries.retain(|(key, _)| key != first);
        table.entries.insert(0, (first.clone(), at));
        Some(ModelMap::Table(table))
    }
}

impl ModelTable {
    /// What is at a value of the index.
    fn at(&self, key: &Sexp) -> &ModelMap {
        let entry = self.entries.iter().find(|(known, _)| known == key);
        let is_less = |bound: &BigInt| integer(key).is_some_and(|key| key < *bound);
        match (entry, &self.below) {
            (Some((_, at)), _) => at,
            (None, Some((bound, below))) if is_less(bound) => below,
            (None, _) => &self.default,
        }
    }
}

/// What names stand for.
enum LetScope<'a> {
    Empty,
    /// Definitions (`(name term)` each), which know only what is outside of all of them.
    Let(&'a [Sexp], &'a LetScope<'a>),
    /// A value; none for an index that is no constant of the model.
    Value(&'a str, Option<Sexp>, &'a LetScope<'a>),
}

/// What a name stands for.
enum Meaning<'a> {
    /// A term, with what its own names stand for.
    Term(&'a Sexp, &'a LetScope<'a>),
    /// An index.
    Value(&'a Option<Sexp>),
    /// A constant of the model.
    Itself,
}

impl<'a> LetScope<'a> {
    fn of(&'a self, name: &str) -> Meaning<'a> {
        let mut at = self;
        loop {
            at = match at {
                LetScope::Empty => return Meaning::Itself,
                LetScope::Value(known, value, _) if *known == name => return Meaning::Value(value),
                LetScope::Value(_, _, outer) => outer,
                LetScope::Let(definitions, outer) => match defined(definitions, name) {
                    Some(term) => return Meaning::Term(term, outer),
                    None => outer,
                },
            };
        }
    }
}

/// The term of this name.
fn defined<'a>(definitions: &'a [Sexp], name: &str) -> Option<&'a Sexp> {
    definitions.iter().find_map(|definition| match definition {
        Sexp::List(pair) => match pair.as_slice() {
            [Sexp::Atom(known), term] if known == name => Some(term),
            _ => None,
        },
        Sexp::Atom(_) => None,
    })
}

struct ModelEvaluator {
    fuel: usize,
}

/// A value; inside, none is one that equals no constant.
type ModelValue = Option<Sexp>;

impl ModelEvaluator {
    fn spend(&mut self) -> Option<()> {
        self.fuel = self.fuel.checked_sub(1)?;
        Some(())
    }

    fn map(&mut self, term: &Sexp, scope: &LetScope<'_>, indices: usize) -> Option<ModelMap> {
        self.spend()?;
        if indices == 0 {
            return self.value(term, scope)?.map(ModelMap::Value);
        }
        let items = match term {
            Sexp::Atom(name) => {
                return match scope.of(name) {
                    Meaning::Term(term, outside) => self.map(term, outside, indices),
                    Meaning::Value(_) | Meaning::Itself => None,
                };
            }
            Sexp::List(items) => items,
        };
        match items.as_slice() {
            [Sexp::Atom(op), below, keys @ .., stored]
                if op == "store" && keys.len() == indices =>
            {
                let below = self.map(below, scope, indices)?;
                let keys = keys.iter().map(|key| self.value(key, scope)?);
                let keys: Vec<Sexp> = keys.collect::<Option<_>>()?;
                below.store(&keys, self.value(stored, scope)??)
            }
            [Sexp::List(head), value] if head.first() == Some(&Sexp::Atom("as".into())) => {
                Some(ModelMap::constant(self.value(value, scope)??, indices))
            }
            [Sexp::Atom(op), Sexp::List(variables), body] if op == "lambda" => {
                self.lambda(variables, body, scope)
            }
            [Sexp::Atom(op), Sexp::List(named), body] if op == "let" => {
                self.map(body, &LetScope::Let(named, scope), indices)
            }
            [Sexp::Atom(op), condition, then, otherwise] if op == "ite" => {
                let holds = self.truth(condition, scope)?;
                self.map(if holds { then } else { otherwise }, scope, indices)
            }
            _ => None,
        }
    }

    /// A function of the first of these variables, at each constant that its body compares it with, and at no such one.
    fn lambda(
        &mut self,
        variables: &[Sexp],
        body: &Sexp,
        scope: &LetScope<'_>,
    ) -> Option<ModelMap> {
        let Some((Sexp::List(variable), rest)) = variables.split_first() else {
            return self.value(body, scope)?.map(ModelMap::Value);
        };
        let [Sexp::Atom(name), sort] = variable.as_slice() else {
            return None;
        };
        let mut uses = Uses::default();
        uses.collect(body, name);
        let mut at = |value: ModelValue| {
            let inner = LetScope::Value(name, value, scope);
            self.lambda(rest, body, &inner)
        };
        let mut below = None;
        let (keys, default) = if *sort == Sexp::Atom("Bool".into()) {
            let truth = ["false", "true"].map(|b| Sexp::Atom(b.into()));
            (truth.to_vec(), at(Some(truth[0].clone()))?)
        } else if uses.are_others {
            return None;
        } else if uses.is_order {
            // Between two numbers that it is compared with, and beyond them, an index is like any other.
            let (first, last) = uses.ends()?;
            let count = (&last - &first).to_usize().filter(|n| *n < MOST_ORDERED)?;
            let keys = (0..=count).map(|n| numeral(&(&first + n))).collect();
            let (under, over) = (
                at(Some(numeral(&(&first - 1))))?,
                at(Some(numeral(&(&last + 1))))?,
            );
            below = (under != over).then_some((first, under));
            (keys, over)
        } else {
            (uses.constants, at(None)?)
        };
        let mut entries = Vec::new();
        for key in keys {
            let value = at(Some(key.clone()))?;
            if value != default {
                entries.push((key, value));
            }
        }
        Some(ModelMap::Table(Box::new(ModelTable {
            entries,
            below,
            default,
        })))
    }

    /// The value of a term that is no map. (Nothing outside is known of terms that this does not understand.)
    fn value(&mut self, term: &Sexp, scope: &LetScope<'_>) -> Option<ModelValue> {
        self.spend()?;
        let items = match term {
            Sexp::Atom(name) => return self.atom(name, scope),
            Sexp::List(items) => items,
        };
        let (head, arguments) = items.split_first()?;
        let op = match head {
            Sexp::Atom(op) => op.as_str(),
            Sexp::List(_) => "",
        };
        match (op, arguments) {
            // A map as a value of another one.
            ("" | "store" | "lambda", _) => is_closed(term, scope).then(|| Some(term.clone())),
            ("-", [Sexp::Atom(digits)]) if digits.starts_with(|c: char| c.is_ascii_digit()) => {
                Some(Some(term.clone()))
            }
            ("ite", [condition, then, otherwise]) => {
                let holds = self.truth(condition, scope)?;
                self.value(if holds { then } else { otherwise }, scope)
            }
            ("let", [Sexp::List(named), body]) => self.value(body, &LetScope::Let(named, scope)),
            ("=" | "<=" | "<" | ">=" | ">" | "not" | "and" | "or", _) => {
                let holds = self.truth(term, scope)?;
                Some(Some(Sexp::Atom(holds.to_string())))
            }
            _ => None,
        }
    }

    fn atom(&mut self, name: &str, scope: &LetScope<'_>) -> Option<ModelValue> {
        match scope.of(name) {
            Meaning::Term(term, outside) => self.value(term, outside),
            Meaning::Value(value) => Some(value.clone()),
            Meaning::Itself => Some(Some(Sexp::Atom(name.to_owned()))),
        }
    }

    fn truth(&mut self, term: &Sexp, scope: &LetScope<'_>) -> Option<bool> {
        self.spend()?;
        let Sexp::List(items) = term else {
            return match self.value(term, scope)?? {
                Sexp::Atom(word) => word.parse().ok(),
                Sexp::List(_) => None,
            };
        };
        let (head, arguments) = items.split_first()?;
        let Sexp::Atom(op) = head else { return None };
        match (op.as_str(), arguments) {
            ("not", [inner]) => Some(!self.truth(inner, scope)?),
            ("and", all) => {
                let all = all.iter().map(|one| self.truth(one, scope));
                Some(all.collect::<Option<Vec<bool>>>()?.into_iter().all(|b| b))
            }
            ("or", any) => {
                let any = any.iter().map(|one| self.truth(one, scope));
                Some(any.collect::<Option<Vec<bool>>>()?.into_iter().any(|b| b))
            }
            ("=", [a, b]) => match (self.value(a, scope)?, self.value(b, scope)?) {
                (Some(a), Some(b)) => Some(a == b),
                // One that equals no constant.
                (None, Some(_)) | (Some(_), None) => Some(false),
                (None, None) => None,
            },
            ("<=" | "<" | ">=" | ">", [a, b]) => {
                let a = integer(&self.value(a, scope)??)?;
                let b = integer(&self.value(b, scope)??)?;
                Some(match op.as_str() {
                    "<=" => a <= b,
                    "<" => a < b,
                    ">=" => a >= b,
                    _ => a > b,
                })
            }
            ("ite" | "let", _) => match self.value(term, scope)?? {
                Sexp::Atom(word) => word.parse().ok(),
                Sexp::List(_) => None,
            },
            _ => None,
        }
    }
}

/// Whether a term has none of the names that stand for something.
fn is_closed(term: &Sexp, scope: &LetScope<'_>) -> bool {
    match term {
        Sexp::List(items) => items.iter().all(|item| is_closed(item, scope)),
        Sexp::Atom(name) => matches!(scope.of(name), Meaning::Itself),
    }
}

/// What a variable is used for.
#[derive(Default)]
struct Uses {
    /// The constants that it is compared with, each once.
    constants: Vec<Sexp>,
    /// Whether it is asked if it is less than one of them.
    is_order: bool,
    /// Whether it is used for anything else.
    are_others: bool,
}

impl Uses {
    fn collect(&mut self, term: &Sexp, variable: &str) {
        let is_variable = |term: &Sexp| *term == Sexp::Atom(variable.to_owned());
        match term {
            Sexp::Atom(_) => self.are_others |= is_variable(term),
            Sexp::List(items) => match items.as_slice() {
                [Sexp::Atom(op), a, b]
                    if matches!(op.as_str(), "=" | "<=" | "<" | ">=" | ">")
                        && (is_variable(a) || is_variable(b)) =>
                {
                    self.is_order |= op != "=";
                    self.compared_with(if is_variable(a) { b } else { a });
                }
                items => items.iter().for_each(|item| self.collect(item, variable)),
            },
        }
    }

    fn compared_with(&mut self, constant: &Sexp) {
        if !is_constant(constant) {
            self.are_others = true;
        } else if !self.constants.contains(constant) {
            self.constants.push(constant.clone());
        }
    }

    /// The least and the greatest of the constants, where they are integers.
    fn ends(&self) -> Option<(BigInt, BigInt)> {
        let numbers: BTreeSet<BigInt> =
            self.constants.iter().map(integer).collect::<Option<_>>()?;
        Some((numbers.first()?.clone(), numbers.last()?.clone()))
    }
}

/// The integer that a term is.
pub(super) fn integer(term: &Sexp) -> Option<BigInt> {
    match term {
        Sexp::Atom(digits) => digits.parse().ok(),
        Sexp::List(items) => match items.as_slice() {
            [Sexp::Atom(minus), inner] if minus == "-" => Some(-integer(inner)?),
            _ => None,
        },
    }
}

/// An integer as the solver writes it.
fn numeral(n: &BigInt) -> Sexp {
    match n.sign() {
        num_bigint::Sign::Minus => {
            Sexp::List(vec![Sexp::Atom("-".into()), Sexp::Atom((-n).to_string())])
        }
        _ => Sexp::Atom(n.to_string()),
    }
}

/// Whether a term is a value: `5`, `(- 5)`, `true`, `T!val!0`. Names of variables and definitions have another `!`.
fn is_constant(term: &Sexp) -> bool {
    match term {
        Sexp::Atom(name) => {
            let is_number = name.starts_with(|c: char| c.is_ascii_digit() || c == '#');
            is_number || name == "true" || name == "false" || name.contains(ELEMENT)
        }
        Sexp::List(items) => {
            matches!(items.as_slice(), [Sexp::Atom(minus), Sexp::Atom(_)] if minus == "-")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::smt::parse;

    fn shown(table: &ModelMap) -> String {
        match table {
            ModelMap::Value(value) => value.to_string(),
            ModelMap::Table(table) => {
                let entries = table.entries.iter();
                let entries = entries.map(|(key, at)| format!("{key}:{} ", shown(at)));
                let below = table.below.iter();
                let below = below.map(|(bound, at)| format!("<{bound}:{} ", shown(at)));
                let all: String = entries.chain(below).collect();
                format!("[{all}*:{}]", shown(&table.default))
            }
        }
    }

    fn of(text: &str, indices: usize) -> Option<String> {
        let term = parse(text).expect("an expression");
        table(&term, indices).map(|table| shown(&table))
    }

    #[test]
    fn stores_above_a_constant() {
        let text = "(let ((a!1 (store ((as const (Array Int Int)) 0) 5 7))) (store (store a!1 6 8) 5 (- 9)))";
        assert_eq!(of(text, 1).as_deref(), Some("[5:(- 9) 6:8 *:0]"));
    }

    /// As Z3 gives maps of which quantified facts speak.
    #[test]
    fn functions_that_ask_for_constants() {
        let text = "(store (lambda ((x!1 Int)) (let ((a!1 (ite (and (not (= x!1 101)) (= x!1 2)) 8 6))) \
                    (ite (= x!1 101) 9 a!1))) 4 11)";
        assert_eq!(of(text, 1).as_deref(), Some("[4:11 101:9 2:8 *:6]"));
        let text = "(lambda ((x!1 Int) (x!2 Int)) (and (= x!1 1) (= x!2 2)))";
        assert_eq!(
            of(text, 2).as_deref(),
            Some("[1:[2:true *:false] *:[*:false]]")
        );
        let text = "(lambda ((x!1 Bool)) (ite x!1 3 4))";
        assert_eq!(of(text, 1).as_deref(), Some("[true:3 *:4]"));
    }

    #[test]
    fn functions_that_ask_for_order() {
        let text = "(lambda ((x!1 Int)) (<= x!1 7))";
        assert_eq!(of(text, 1).as_deref(), Some("[7:true <7:true *:false]"));
        let text = "(lambda ((x!1 Int)) (ite (and (<= (- 1) x!1) (not (<= 2 x!1))) 5 (ite (= x!1 3) 6 8)))";
        assert_eq!(of(text, 1).as_deref(), Some("[(- 1):5 0:5 1:5 3:6 *:8]"));
    }

    /// Between the numbers, by order, it is what the function says.
    #[test]
    fn a_store_into_what_is_below_leaves_the_rest() {
        let text = "(store (lambda ((x!1 Int) (x!2 Int)) (ite (< x!1 0) 1 2)) (- 4) 9 7)";
        assert_eq!(
            of(text, 2).as_deref(),
            Some("[(- 4):[9:7 *:1] <0:[*:1] *:[*:2]]")
        );
    }

    #[test]
    fn what_is_no_table_is_none() {
        assert_eq!(of("(lambda ((x!1 Int)) (<= x!1 (+ x!1 7)))", 1), None);
        assert_eq!(of("(lambda ((x!1 Int) (x!2 Int)) (= x!1 x!2))", 2), None);
        assert_eq!(of("(_ as-array k!3)", 1), None);
        assert_eq!(of("a!7", 1), None);
    }
}
