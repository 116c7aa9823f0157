//! How far numbers come that go up by little at a time.
//!
//! ```text
//! count := count + 1;                   an action
//! received := received + msg_value;     another one
//!
//! fact count <= BELOW_2_65;
//! fact received <= BELOW_2_161;
//! ```
//!
//! That `count` may be any number of its type makes states in which nobody can count any more, and edges to them, which a second
//! pass looks for in vain: nobody lives to pay for so many calls. So it is asked what a number can come to if no more than
//! [`STEPS`] statements are ever executed.
//!
//! It does not matter in which order statements are executed: a variable has what one of its statements gave it, which is made of
//! what others had. Variables that are made of each other are one group (a component of that graph); of what their statements add,
//! no more than one part may be of the group itself, or they might double each time. Then
//!
//! ```text
//! group <= the most that comes from outside of it + STEPS * the most that one statement adds
//! ```

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use super::class::{LAST, LoweredClass, UINT, most_ether};
use super::memory::MOST_ELEMENTS;
use crate::front::solidity::flat::FlatType;
use crate::front::tq::ast::{
    self, ContractClause, ExprSyntax, ExprSyntaxKind, Ident, Member, Rhs, RoutineSyntax,
    StmtSyntaxKind, TypeSyntax, all_statements,
};
use crate::front::tq::build::{compare, ident, name};
use crate::ir::{BinaryOp, CompareOp, MessagePart, RoutineKind};

/// Two to the power of this: the most statements that are ever executed. At a million each second that is half a million years.
const STEPS: u32 = 64;

/// What remains of a division by a number with no more bits than this is small by itself; by a larger one, it is what was divided.
const SMALL: u64 = 64;

/// What parameters come to, by the action's name and their own. A constructor has no name.
pub(super) type MostGiven = BTreeMap<(Option<String>, String), BigInt>;

impl LoweredClass<'_> {
    /// The parameters that are the ether which comes with a call, by the action's name and their own.
    pub(super) fn sent(&self, routines: &[ast::RoutineSyntax]) -> MostGiven {
        let mut sent = BTreeMap::new();
        for (routine, form) in routines.iter().zip(&self.forms) {
            for (param, part) in routine.params.iter().zip(&form.parts) {
                if *part == MessagePart::Value {
                    let action = routine.name.as_ref().map(|known| known.name.clone());
                    sent.insert((action, param.name.name.clone()), most_ether());
                }
            }
        }
        sent
    }

    /// What goes up by little at a time never comes to the largest number of its type.
    pub(super) fn growth_facts(
        &mut self,
        fields: &[Member],
        routines: &[ast::RoutineSyntax],
        params: MostGiven,
    ) -> Vec<ast::ExprSyntax> {
        let ghosts = self.ghosts.iter().map(|(ghost, known)| {
            let most = ghost.clock().map_or_else(most_ether, |_| LAST.into());
            (known.clone(), most)
        });
        let lengths = self.leaves.values().filter(|leaf| leaf.is_length);
        let lengths = lengths.map(|leaf| (leaf.name.clone(), MOST_ELEMENTS.into()));
        let known = Known {
            fields: ghosts.chain(lengths).collect(),
            params,
        };
        let constants = self
            .constants
            .values()
            .map(|(known, ty, value)| Member::Const {
                name: ident(known),
                ty: ty.clone(),
                value: value.clone(),
            });
        let members: Vec<Member> = constants.chain(fields.iter().cloned()).collect();
        let highest = highest(&members, routines, &known);
        let amounts = self.sums.values().map(|sum| (sum.clone(), UINT.bits));
        let numbers = self.leaves.values().filter_map(|leaf| {
            let FlatType::Int(ty) = self.underlying(&leaf.value) else {
                return None;
            };
            let is_number = !ty.signed && leaf.indices.is_empty();
            is_number.then(|| (leaf.name.clone(), ty.bits))
        });
        let limited: Vec<(String, u16)> = numbers.chain(amounts).collect();
        let facts = limited.into_iter().filter_map(|(field, bits)| {
            let most = highest.get(&field)?.bits();
            if most >= u64::from(bits) {
                return None;
            }
            let most = self.number((BigInt::one() << most) - 1, &format!("BELOW_2_{most}"));
            Some(compare(CompareOp::Le, name(field), most))
        });
        facts.collect()
    }
}

/// The place of the names that are no routine's own, but the class's.
const OF_CLASS: usize = 0;

/// What is known beforehand: no value of these is more than the number.
#[derive(Debug, Default)]
struct Known {
    /// Of fields.
    fields: BTreeMap<String, BigInt>,
    /// Of parameters.
    params: MostGiven,
}

/// The most that fields come to of which some have grown step by step, or are made of such; of those that may come to anything,
/// nothing is said.
fn highest(
    members: &[Member],
    routines: &[RoutineSyntax],
    known: &Known,
) -> BTreeMap<String, BigInt> {
    let mut numbers = Numbers::of_members(members, known);
    for routine in routines {
        numbers.read(routine, known);
    }
    for variable in std::mem::take(&mut numbers.unset) {
        numbers.gets(variable, None);
    }
    numbers.find_what_is_never_negative();
    numbers.find_limits();
    let fields = numbers.fields.iter().filter_map(|(field, meaning)| {
        let Meaning::Variable(at) = meaning else {
            return None;
        };
        let limit = numbers.variables[*at].limit.as_ref()?;
        limit
            .has_grown
            .then(|| (field.to_string(), limit.most.clone()))
    });
    fields.collect()
}

/// What a name stands for.
#[derive(Clone, Debug)]
enum Meaning {
    /// The variable at this place.
    Variable(usize),
    /// Something between zero and this.
    UpTo(BigInt),
    /// A number.
    Number(BigInt),
    /// Anything, but no negative number.
    Natural,
}

/// Names of a routine.
type Names<'a> = BTreeMap<&'a str, Meaning>;

/// A number that changes; or a map, for all of its values.
#[derive(Debug, Default)]
struct Variable<'a> {
    /// What statements give it, with the place of the routine whose names these are.
    values: Vec<(&'a ExprSyntax, usize)>,
    /// Whether it may have any value.
    is_any: bool,
    /// Whether it is never negative.
    is_natural: bool,
    /// What it comes to; none where that may be anything.
    limit: Option<Limit>,
}

/// What a variable comes to.
#[derive(Clone, Debug)]
struct Limit {
    most: BigInt,
    /// Whether it came to that by steps, or is made of what did.
    has_grown: bool,
}

/// What a value comes to: no more than `fixed`, or than what variables of the group under way have and `added`.
#[derive(Clone, Debug, Default)]
struct Most {
    fixed: Option<BigInt>,
    added: Option<BigInt>,
    has_grown: bool,
}

impl Most {
    fn fixed(most: BigInt) -> Most {
        Most {
            fixed: Some(most),
            ..Most::default()
        }
    }

    /// The most of two.
    fn or(self, other: Most) -> Most {
        Most {
            fixed: self.fixed.max(other.fixed),
            added: self.added.max(other.added),
            has_grown: self.has_grown || other.has_grown,
        }
    }

    /// Of the sum of two; none where both are made of the group.
    fn plus(self, other: Most) -> Option<Most> {
        if self.added.is_some() && other.added.is_some() {
            return None;
        }
        let has_grown = self.has_grown || other.has_grown;
        let sum = |a: &Option<BigInt>, b: &Option<BigInt>| Some(a.as_ref()? + b.as_ref()?);
        Some(Most {
            fixed: sum(&self.fixed, &other.fixed),
            added: sum(&self.added, &other.fixed).max(sum(&self.fixed, &other.added)),
            has_grown,
        })
    }

    /// Of the product of two that are not negative; none where one of them is made of the group.
    fn times(self, other: Most) -> Option<Most> {
        if self.added.is_some() || other.added.is_some() {
            return None;
        }
        Some(Most {
            fixed: Some(self.fixed? * other.fixed?),
            added: None,
            has_grown: self.has_grown || other.has_grown,
        })
    }
}

/// All that changes.
#[derive(Debug, Default)]
struct Numbers<'a> {
    variables: Vec<Variable<'a>>,
    fields: Names<'a>,
    /// The names of each routine; the first are those of none.
    routines: Vec<Names<'a>>,
    /// Maps that nothing is known to have filled so far.
    unset: BTreeSet<usize>,
}

impl<'a> Numbers<'a> {
    /// The class's own names.
    fn of_members(members: &'a [Member], known: &Known) -> Numbers<'a> {
        let mut numbers = Numbers {
            routines: vec![Names::new()],
            ..Numbers::default()
        };
        for member in members {
            match member {
                Member::Const {
                    name,
                    value: Some(value),
                    ..
                } => {
                    if let ExprSyntaxKind::Int(number) = &*value.kind {
                        let number = Meaning::Number(number.clone());
                        numbers.fields.insert(&name.name, number);
                    }
                }
                Member::Var { name, ty, value } => {
                    let meaning = match known.fields.get(&name.name) {
                        Some(most) => Meaning::UpTo(most.clone()),
                        None => {
                            let variable = numbers.variable(is_natural(ty));
                            match value {
                                Some(value) => numbers.gets(variable, Some((value, OF_CLASS))),
                                // What a map has at first, the constructor says.
                                None if matches!(ty, TypeSyntax::Map(..)) => {
                                    numbers.unset.insert(variable);
                                }
                                None => numbers.gets(variable, None),
                            }
                            Meaning::Variable(variable)
                        }
                    };
                    numbers.fields.insert(&name.name, meaning);
                }
                _ => {}
            }
        }
        numbers
    }

    /// A new variable.
    fn variable(&mut self, is_natural: bool) -> usize {
        self.variables.push(Variable {
            is_natural,
            ..Variable::default()
        });
        self.variables.len() - 1
    }

    /// A variable gets a value, or any.
    fn gets(&mut self, variable: usize, value: Option<(&'a ExprSyntax, usize)>) {
        let variable = &mut self.variables[variable];
        match value {
            Some(value) => variable.values.push(value),
            None => variable.is_any = true,
        }
    }

    /// What a routine gives its variables, and the fields.
    fn read(&mut self, routine: &'a RoutineSyntax, known: &Known) {
        let at = self.routines.len();
        let mut names = Names::new();
        for param in &routine.params {
            if let Some(meaning) = self.param(routine, &param.name, &param.ty, known) {
                names.insert(&param.name.name, meaning);
            }
        }
        let statements: &[_] = routine.body.as_ref().map_or(&[], |body| &body.statements);
        for result in &routine.returns {
            let variable = self.variable(is_natural(&result.ty));
            names.insert(&result.name.name, Meaning::Variable(variable));
            let mut first = statements
                .iter()
                .map_while(|statement| match &statement.kind {
                    StmtSyntaxKind::Assign { targets, .. } => Some(targets),
                    _ => None,
                });
            // Before that it has any value.
            if !first.any(|targets| targets.iter().any(|to| to.is_name(&result.name.name))) {
                self.gets(variable, None);
            }
        }
        for statement in all_statements(statements) {
            if let StmtSyntaxKind::Var { name, ty, .. } = &statement.kind {
                let variable = self.variable(is_natural(ty));
                names.insert(&name.name, Meaning::Variable(variable));
            }
        }
        self.routines.push(names);
        if routine.body.is_none() {
            // It says what it changes, and not by what.
            self.variables.iter_mut().for_each(|v| v.is_any = true);
        }
        for statement in all_statements(statements) {
            match &statement.kind {
                StmtSyntaxKind::Var { name, value, .. } => {
                    let value = value.as_ref().and_then(Rhs::expression);
                    self.assigned(&name.name, value, at);
                }
                StmtSyntaxKind::Assign { targets, value } => {
                    let value = value.expression().filter(|_| targets.len() == 1);
                    targets.iter().for_each(|target| self.filled(target, at));
                    let roots = targets.iter().filter_map(root);
                    roots.for_each(|name| self.assigned(name, value, at));
                }
                StmtSyntaxKind::Havoc(places) | StmtSyntaxKind::Guess(places) => {
                    let roots = places.iter().filter_map(root);
                    roots.for_each(|name| self.assigned(name, None, at));
                }
                StmtSyntaxKind::For(counting) => self.assigned(&counting.name.name, None, at),
                _ => {}
            }
        }
    }

    /// What a parameter is; none where it may be anything.
    fn param(
        &self,
        routine: &RoutineSyntax,
        name: &Ident,
        ty: &TypeSyntax,
        known: &Known,
    ) -> Option<Meaning> {
        if !is_natural(ty) {
            return None;
        }
        let of = (
            routine.name.as_ref().map(|name| name.name.clone()),
            name.name.clone(),
        );
        let known = known.params.get(&of).cloned();
        // What a procedure requires is not looked at where it is called.
        let is_called = routine.kind != RoutineKind::Procedure;
        let required = routine.contract.iter().filter_map(|clause| match clause {
            ContractClause::Requires(e) if is_called => self.required(e, &name.name),
            _ => None,
        });
        Some(match required.chain(known).min() {
            Some(most) => Meaning::UpTo(most),
            None => Meaning::Natural,
        })
    }

    /// The number that this is no more than, where that is all that is said.
    fn required(&self, clause: &ExprSyntax, name: &str) -> Option<BigInt> {
        let ExprSyntaxKind::Compare(first, rest) = &*clause.kind else {
            return None;
        };
        match rest.as_slice() {
            [(CompareOp::Le, most)] if first.is_name(name) => self.number(most, OF_CLASS),
            _ => None,
        }
    }

    fn meaning(&self, name: &str, at: usize) -> Option<&Meaning> {
        let own = self.routines.get(at).and_then(|names| names.get(name));
        own.or_else(|| self.fields.get(name))
    }

    /// A routine gives what has this name a value, or any.
    fn assigned(&mut self, name: &str, value: Option<&'a ExprSyntax>, at: usize) {
        if let Some(Meaning::Variable(variable)) = self.meaning(name, at) {
            let variable = *variable;
            self.gets(variable, value.map(|value| (value, at)));
        }
    }

    /// A place gets a value; a map that it is the whole of has none of those any more that it had before anything.
    fn filled(&mut self, place: &ExprSyntax, at: usize) {
        if let ExprSyntaxKind::Name(name) = &*place.kind
            && let Some(Meaning::Variable(variable)) = self.meaning(&name.name, at)
        {
            let variable = *variable;
            self.unset.remove(&variable);
        }
    }

    /// Variables are taken for natural numbers until one of their values is none.
    fn find_what_is_never_negative(&mut self) {
        let declared: BTreeSet<usize> = (0..self.variables.len())
            .filter(|at| self.variables[*at].is_natural)
            .collect();
        for variable in &mut self.variables {
            variable.is_natural |= !variable.is_any;
        }
        loop {
            let is_not = |at: &usize| {
                let variable = &self.variables[*at];
                let mut values = variable.values.iter();
                variable.is_natural
                    && !declared.contains(at)
                    && !values.all(|(value, names)| self.is_natural(value, *names))
            };
            let not: Vec<usize> = (0..self.variables.len()).filter(is_not).collect();
            if not.is_empty() {
                return;
            }
            not.iter()
                .for_each(|at| self.variables[*at].is_natural = false);
        }
    }

    /// Whether a value is never negative.
    fn is_natural(&self, value: &ExprSyntax, at: usize) -> bool {
        let is = |part: &ExprSyntax| self.is_natural(part, at);
        match &*value.kind {
            ExprSyntaxKind::Int(_) => true,
            ExprSyntaxKind::Name(name) => match self.meaning(&name.name, at) {
                Some(Meaning::Variable(variable)) => self.variables[*variable].is_natural,
                Some(Meaning::Number(number)) => !number.is_negative(),
                Some(Meaning::UpTo(_) | Meaning::Natural) => true,
                None => false,
            },
            ExprSyntaxKind::Index(map, _) => is(map),
            ExprSyntaxKind::Everywhere { everywhere, .. } => is(everywhere),
            ExprSyntaxKind::Update(map, _, value) => is(map) && is(value),
            ExprSyntaxKind::If(_, then, otherwise) => is(then) && is(otherwise),
            ExprSyntaxKind::Binary(op, left, right) => match op {
                BinaryOp::Add | BinaryOp::Mul | BinaryOp::Div => is(left) && is(right),
                BinaryOp::Mod => true,
                _ => false,
            },
            _ => false,
        }
    }

    /// Goes through the groups, those first that others are made of.
    fn find_limits(&mut self) {
        let mut made_of: DiGraphMap<usize, ()> = DiGraphMap::new();
        for (at, variable) in self.variables.iter().enumerate() {
            made_of.add_node(at);
            for (value, names) in &variable.values {
                let mut mentioned = BTreeSet::new();
                value.names(&mut mentioned);
                for name in mentioned {
                    if let Some(Meaning::Variable(other)) = self.meaning(&name, *names) {
                        made_of.add_edge(at, *other, ());
                    }
                }
            }
        }
        for group in tarjan_scc(&made_of) {
            let group: BTreeSet<usize> = group.into_iter().collect();
            let limit = self.limit(&group);
            for at in group {
                self.variables[at].limit.clone_from(&limit);
            }
        }
    }

    /// What the variables of a group come to.
    fn limit(&self, group: &BTreeSet<usize>) -> Option<Limit> {
        let mut all = Most::fixed(BigInt::zero());
        for at in group {
            let variable = &self.variables[*at];
            if variable.is_any {
                return None;
            }
            for (value, names) in &variable.values {
                all = all.or(self.most(value, *names, group)?);
            }
        }
        let added = all.added.unwrap_or_default().max(BigInt::zero());
        let fixed = all.fixed.unwrap_or_default();
        Some(Limit {
            has_grown: all.has_grown || added.is_positive(),
            most: fixed + added * (BigInt::one() << STEPS),
        })
    }

    /// What a value comes to, told by what a group has; none where that may be anything.
    fn most(&self, value: &ExprSyntax, at: usize, group: &BTreeSet<usize>) -> Option<Most> {
        let most = |part: &ExprSyntax| self.most(part, at, group);
        match &*value.kind {
            ExprSyntaxKind::Int(number) => Some(Most::fixed(number.clone())),
            ExprSyntaxKind::Name(name) => match self.meaning(&name.name, at)? {
                Meaning::Variable(variable) if group.contains(variable) => Some(Most {
                    added: Some(BigInt::zero()),
                    ..Most::default()
                }),
                Meaning::Variable(variable) => {
                    let limit = self.variables[*variable].limit.as_ref()?;
                    Some(Most {
                        has_grown: limit.has_grown,
                        ..Most::fixed(limit.most.clone())
                    })
                }
                Meaning::UpTo(number) | Meaning::Number(number) => {
                    Some(Most::fixed(number.clone()))
                }
                Meaning::Natural => None,
            },
            ExprSyntaxKind::Index(map, _) => most(map),
            ExprSyntaxKind::Everywhere { everywhere, .. } => most(everywhere),
            ExprSyntaxKind::Update(map, _, value) => Some(most(map)?.or(most(value)?)),
            ExprSyntaxKind::If(_, then, otherwise) => Some(most(then)?.or(most(otherwise)?)),
            ExprSyntaxKind::Binary(op, left, right) => {
                let is_natural = |part: &ExprSyntax| self.is_natural(part, at);
                match op {
                    BinaryOp::Add => most(left)?.plus(most(right)?),
                    BinaryOp::Sub if is_natural(right) => most(left),
                    BinaryOp::Mul if is_natural(left) && is_natural(right) => {
                        most(left)?.times(most(right)?)
                    }
                    BinaryOp::Div if is_natural(left) && is_natural(right) => most(left),
                    BinaryOp::Mod => {
                        let by = self.number(right, at).filter(Signed::is_positive);
                        match by {
                            Some(by) if by.bits() <= SMALL => Some(Most::fixed(by - 1)),
                            _ if is_natural(left) => most(left),
                            Some(by) => Some(Most::fixed(by - 1)),
                            None => None,
                        }
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The number that is written.
    fn number(&self, value: &ExprSyntax, at: usize) -> Option<BigInt> {
        match &*value.kind {
            ExprSyntaxKind::Int(number) => Some(number.clone()),
            ExprSyntaxKind::Name(name) => match self.meaning(&name.name, at)? {
                Meaning::Number(number) => Some(number.clone()),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Whether all values of a type are natural numbers, or maps to such.
fn is_natural(ty: &TypeSyntax) -> bool {
    match ty {
        TypeSyntax::Name(name) => name.name == "nat",
        TypeSyntax::Map(_, value) => is_natural(value),
        _ => false,
    }
}

/// The name of the variable that a place is of.
fn root(place: &ExprSyntax) -> Option<&str> {
    match &*place.kind {
        ExprSyntaxKind::Name(name) => Some(&name.name),
        ExprSyntaxKind::Index(map, _) => root(map),
        // `this.f`
        ExprSyntaxKind::Dot(_, field) => Some(&field.name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tq::ast::ItemSyntax;
    use crate::front::tq::parse_syntax;

    /// What is known of the fields of a class with these members: `field <= 2^bits - 1`, by as few bits as it takes.
    fn found(members: &str) -> Vec<String> {
        let text = format!("class C {{ const MANY: int := 1000; {members} }}");
        let file = parse_syntax("test.tq", &text).expect("a class");
        let Some(ItemSyntax::Class(class)) = file.items.into_iter().next() else {
            panic!("a class");
        };
        let routines = class.members.iter().filter_map(|member| match member {
            Member::Routine(routine) => Some(routine.clone()),
            _ => None,
        });
        let known = Known {
            fields: BTreeMap::from([("balance".to_owned(), BigInt::from(u64::MAX))]),
            params: BTreeMap::from([(
                (Some("pay".to_owned()), "sent".to_owned()),
                BigInt::from(255),
            )]),
        };
        let highest = highest(&class.members, &routines.collect::<Vec<_>>(), &known);
        let told = highest.iter();
        told.map(|(field, most)| format!("{field}: {}", most.bits()))
            .collect()
    }

    #[test]
    fn what_is_counted_comes_to_as_many_as_there_are_steps() {
        let count = "var n: nat := 0; constructor() { }";
        assert_eq!(
            found(&format!("{count} action up() {{ n := n + 1; }}")),
            ["n: 65"]
        );
        let less =
            "action up() { n := n + 3; } action down() { n := n - 1; } action set() { n := 500; }";
        assert_eq!(found(&format!("{count} {less}")), ["n: 66"]);
        // What is taken away by halves is no more afterwards; nor is what wraps.
        let wraps = "action up() { n := (n + 1) mod 18446744073709551616; } action half() { n := n div 2; }";
        assert_eq!(found(&format!("{count} {wraps}")), ["n: 65"]);
        let by_hand =
            "action up() returns (r: nat) { r := 0; var t: int := n; n := t + 1; r := t; }";
        assert_eq!(found(&format!("{count} {by_hand}")), ["n: 65"]);
    }

    #[test]
    fn what_comes_with_calls_is_as_much_as_is_known_of_it() {
        let sums = "var n: nat := 0; var balance: nat := 0; constructor() { }";
        let add = |requires: &str, name: &str| {
            format!(
                "{sums} action {name}(sent: nat) {requires} {{ n := n + sent; balance := balance + sent; }}"
            )
        };
        assert_eq!(found(&add("", "add")), [""; 0]);
        assert_eq!(found(&add("", "pay")), ["n: 72"]);
        assert_eq!(found(&add("requires sent <= 15", "add")), ["n: 68"]);
        assert_eq!(found(&add("requires sent <= MANY", "add")), ["n: 74"]);
        // What an operation of the class requires of itself is not looked at.
        let within = "procedure more(by: nat) requires by <= 15 { n := n + by; }";
        assert_eq!(found(&format!("{sums} {within}")), [""; 0]);
        let balance = "action keep() { n := n + balance; }";
        assert_eq!(found(&format!("{sums} {balance}")), ["n: 128"]);
    }

    #[test]
    fn what_is_made_of_what_grows_grows_as_well() {
        let two = "var n: nat := 0; var m: nat := 0; constructor() { } action up() { n := n + 1; }";
        assert_eq!(
            found(&format!("{two} action copy() {{ m := n; }}")),
            ["m: 65", "n: 65"]
        );
        assert_eq!(
            found(&format!("{two} action add() {{ m := m + n; }}")),
            ["m: 129", "n: 65"]
        );
        assert_eq!(
            found(&format!("{two} action times() {{ m := n * 4; }}")),
            ["m: 67", "n: 65"]
        );
        assert_eq!(
            found(&format!("{two} action rest() {{ m := m + n mod 8; }}")),
            ["m: 67", "n: 65"]
        );
    }

    #[test]
    fn what_doubles_may_come_to_anything() {
        let two = "var n: nat := 1; var m: nat := 1; constructor() { }";
        assert_eq!(
            found(&format!("{two} action twice() {{ n := n + n; }}")),
            [""; 0]
        );
        assert_eq!(
            found(&format!("{two} action twice() {{ n := 2 * n; }}")),
            [""; 0]
        );
        // Each by the other.
        let both = "action first() { n := n + m; } action second() { m := m + n; }";
        assert_eq!(found(&format!("{two} {both}")), [""; 0]);
    }

    #[test]
    fn of_what_may_be_anything_nothing_is_said() {
        let count = "var n: nat := 0; constructor() { } action up() { n := n + 1; }";
        let others = [
            "action any() { havoc n; }",
            "action set(to: nat) { n := to; }",
            "action wrap() { n := n - 1 + MANY; var below: int := 0; below := below - 1; n := n - below; }",
            "action outside() modifies n;",
            "action local() { var t: nat; n := t; }",
            "action result() returns (r: nat) { n := r; }",
        ];
        for other in others {
            assert_eq!(found(&format!("{count} {other}")), [""; 0], "{other}");
        }
        assert_eq!(
            found("var n: nat; constructor() { } action up() { n := n + 1; }"),
            [""; 0]
        );
    }

    #[test]
    fn a_map_is_one_number_for_all_of_its_values() {
        let map =
            "var of: map<nat, nat>; var most: nat := 0; action up(k: nat) { of[k] := of[k] + 1; }
                   action keep(k: nat) { most := of[k]; }";
        let set = "constructor() { of := map<nat, nat>(0); }";
        assert_eq!(found(&format!("{map} {set}")), ["most: 65", "of: 65"]);
        // What it has at first, nobody knows.
        assert_eq!(found(&format!("{map} constructor() {{ }}")), [""; 0]);
    }
}
