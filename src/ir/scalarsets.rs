//! Scalar sets: numbers of which a program only asks whether two are the same, such as addresses and identifiers.
//!
//! ```text
//! action bid(sender: nat)  requires sender != 0 { leader := sender; }
//! action withdraw(sender: nat)  requires owed[sender] > 0 { owed[sender] := 0; }
//! ```
//!
//! Nothing here changes if everybody but 0 is called by another name. So of those whom nobody has spoken of yet, one is as good as
//! any other. (Ip, Dill: Better Verification Through Symmetry, 1996.)
//!
//! Two places hold numbers of one set where a value can go from one to the other, or the two are compared. Whether a value goes
//! there in some run is not asked, nor in which order.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use num_bigint::BigInt;
use petgraph::unionfind::UnionFind;

use super::effects::walk::{evaluated, place_operands, places, statements, visit};
use super::{
    ClassId, CompareOp, Expr, ExprKind, FieldRef, FunctionRef, Place, Program, Routine, RoutineRef,
    StmtKind, Type, VarId,
};

/// A scalar set of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScalarSet(usize);

/// Where values hold numbers, and of which scalar sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape<S> {
    /// A number.
    Number(S),
    /// A map: what its keys are, and its values.
    Map(Box<Shape<S>>, Box<Shape<S>>),
    /// An array: what its elements are.
    Array(Box<Shape<S>>),
    /// No number.
    Other,
}

impl<S> Shape<S> {
    /// The shape with something else of each number.
    fn map<T>(&self, of: impl Fn(&S) -> T + Copy) -> Shape<T> {
        // As deep as the type is, which is as deep as the parser let it be.
        match self {
            Shape::Number(number) => Shape::Number(of(number)),
            Shape::Map(keys, values) => {
                let keys = Box::new(keys.map(of));
                Shape::Map(keys, Box::new(values.map(of)))
            }
            Shape::Array(elements) => Shape::Array(Box::new(elements.map(of))),
            Shape::Other => Shape::Other,
        }
    }
}

/// The scalar sets of a program.
#[derive(Debug)]
pub struct ScalarSets {
    vars: BTreeMap<VarId, Shape<Option<ScalarSet>>>,
    fields: BTreeMap<FieldRef, Shape<Option<ScalarSet>>>,
    constants: BTreeMap<ScalarSet, BTreeSet<BigInt>>,
}

impl ScalarSets {
    /// Those of a program.
    pub fn of(program: &Program) -> ScalarSets {
        let mut finder = Finder::new(program);
        finder.look_at_all();
        let root = |place: &usize| finder.same.find(*place);
        let numbers: BTreeSet<usize> = finder.reckoned.iter().map(root).collect();
        let set_of = |place: &usize| {
            let root = root(place);
            (!numbers.contains(&root)).then_some(ScalarSet(root))
        };
        let vars = finder.vars.iter();
        let fields = finder.fields.iter();
        let mut constants: BTreeMap<ScalarSet, BTreeSet<BigInt>> = BTreeMap::new();
        for (place, n) in &finder.constants {
            if let Some(set) = set_of(place) {
                constants.entry(set).or_default().insert(n.clone());
            }
        }
        ScalarSets {
            vars: vars.map(|(id, shape)| (*id, shape.map(set_of))).collect(),
            fields: fields.map(|(id, shape)| (*id, shape.map(set_of))).collect(),
            constants,
        }
    }

    /// The scalar set that the values of a variable are in; none where they are not numbers, or more is asked of them.
    pub fn of_var(&self, var: VarId) -> Option<ScalarSet> {
        match self.vars.get(&var) {
            Some(Shape::Number(set)) => *set,
            _ => None,
        }
    }

    /// What a field holds.
    pub fn of_field(&self, field: FieldRef) -> &Shape<Option<ScalarSet>> {
        self.fields.get(&field).unwrap_or(&Shape::Other)
    }

    /// The members of a scalar set that the program has a word for.
    pub fn constants(&self, set: ScalarSet) -> impl Iterator<Item = &BigInt> {
        self.constants.get(&set).into_iter().flatten()
    }
}

/// Finds the scalar sets: each place that holds numbers is one of its own, until it is seen that two are the same.
struct Finder<'p> {
    program: &'p Program,
    same: UnionFind<usize>,
    vars: BTreeMap<VarId, Shape<usize>>,
    fields: BTreeMap<FieldRef, Shape<usize>>,
    results: BTreeMap<FunctionRef, Shape<usize>>,
    /// The constants, each with where it stands.
    constants: Vec<(usize, BigInt)>,
    /// Where numbers stand that are reckoned with, or put in an order.
    reckoned: Vec<usize>,
}

impl<'p> Finder<'p> {
    fn new(program: &'p Program) -> Self {
        let mut finder = Finder {
            program,
            same: UnionFind::new_empty(),
            vars: BTreeMap::new(),
            fields: BTreeMap::new(),
            results: BTreeMap::new(),
            constants: Vec::new(),
            reckoned: Vec::new(),
        };
        for (index, var) in program.vars.iter().enumerate() {
            let shape = finder.place(&var.ty);
            finder.vars.insert(VarId(index), shape);
        }
        for (class, declared) in program.classes.iter().enumerate() {
            let class = ClassId(class);
            for (index, field) in declared.fields.iter().enumerate() {
                let shape = finder.place(&field.ty);
                finder.fields.insert(FieldRef { class, index }, shape);
            }
            for (index, function) in declared.functions.iter().enumerate() {
                let shape = finder.place(&function.result);
                finder.results.insert(FunctionRef { class, index }, shape);
            }
        }
        finder
    }

    /// A place of its own for values of a type.
    fn place(&mut self, ty: &Type) -> Shape<usize> {
        match ty {
            Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_) => {
                Shape::Number(self.same.new_set())
            }
            Type::Map(keys, values) => {
                let keys = Box::new(self.place(keys));
                Shape::Map(keys, Box::new(self.place(values)))
            }
            Type::Array { element, .. } => Shape::Array(Box::new(self.place(element))),
            Type::Bool | Type::Enum(_) | Type::Opaque(_) | Type::Class { .. } | Type::Null => {
                Shape::Other
            }
        }
    }

    fn look_at_all(&mut self) {
        let program = self.program;
        for (class, declared) in program.classes.iter().enumerate() {
            let class = ClassId(class);
            for (index, field) in declared.fields.iter().enumerate() {
                if let Some(value) = &field.value {
                    let place = self.field(FieldRef { class, index });
                    let value = self.look_at(value);
                    self.unite(&place, &value);
                }
            }
            let clauses = declared.invariants.iter().chain(&declared.initially);
            let assumed = declared.states.iter().map(|state| &state.assumes);
            for clause in clauses.chain(assumed) {
                self.look_at(clause);
            }
            for (index, function) in declared.functions.iter().enumerate() {
                let value = self.look_at(&function.body);
                let result = self.result(FunctionRef { class, index });
                self.unite(&result, &value);
            }
            for routine in &declared.routines {
                self.look_at_routine(routine);
            }
        }
    }

    fn look_at_routine(&mut self, routine: &Routine) {
        let found = routine.from_body.as_ref().and_then(|f| f.certain.as_ref());
        let split = routine.split.over.iter().chain(&routine.split.under);
        let clauses = routine.requires.iter().chain(&routine.ensures);
        for clause in clauses.chain(split).chain(found) {
            self.look_at(clause);
        }
        for (param, value) in &routine.split.witness {
            self.assign(*param, value);
        }
        for stmt in statements(routine.body.as_deref()) {
            self.look_at_statement(&stmt.kind);
            let inside = places(stmt).into_iter().flat_map(place_operands);
            for e in evaluated(stmt).into_iter().chain(inside) {
                self.look_at(e);
            }
        }
    }

    /// What a statement moves from one place to another.
    fn look_at_statement(&mut self, stmt: &StmtKind) {
        match stmt {
            StmtKind::Assign(place, value) => {
                let (place, value) = (self.shape_of_place(place), self.look_at(value));
                self.unite(&place, &value);
            }
            StmtKind::Call {
                targets,
                routine,
                args,
                ..
            } => {
                self.pass(*routine, args);
                let results = self.program.routine(*routine).results.iter();
                for (target, result) in targets.iter().zip(results) {
                    let (target, result) = (self.shape_of_place(target), self.var(*result));
                    self.unite(&target, &result);
                }
            }
            StmtKind::New {
                constructor: Some(constructor),
                args,
                ..
            } => self.pass(*constructor, args),
            StmtKind::NewArray {
                target,
                length,
                fill,
                ..
            } => {
                let length = self.look_at(length);
                self.reckon(&length);
                let target = self.shape_of_place(target);
                if let (Shape::Array(elements), Some(fill)) = (target, fill) {
                    let fill = self.look_at(fill);
                    self.unite(&elements, &fill);
                }
            }
            StmtKind::While { invariants, .. } => {
                for clause in invariants {
                    self.look_at(clause);
                }
            }
            _ => {}
        }
    }

    /// Arguments go where parameters are.
    fn pass(&mut self, routine: RoutineRef, args: &[Expr]) {
        let params = &self.program.routine(routine).params;
        for (param, arg) in params.iter().zip(args) {
            self.assign(*param, arg);
        }
    }

    fn assign(&mut self, var: VarId, value: &Expr) {
        let (var, value) = (self.var(var), self.look_at(value));
        self.unite(&var, &value);
    }

    fn shape_of_place(&mut self, place: &Place) -> Shape<usize> {
        match place {
            Place::Var(var) => self.var(*var),
            Place::Field(_, field) => self.field(*field),
            Place::Element(array, index) => {
                let index = self.look_at(index);
                self.reckon(&index);
                elements(&self.look_at(array))
            }
        }
    }

    fn var(&self, var: VarId) -> Shape<usize> {
        self.vars.get(&var).cloned().unwrap_or(Shape::Other)
    }

    fn field(&self, field: FieldRef) -> Shape<usize> {
        self.fields.get(&field).cloned().unwrap_or(Shape::Other)
    }

    fn result(&self, function: FunctionRef) -> Shape<usize> {
        self.results.get(&function).cloned().unwrap_or(Shape::Other)
    }

    /// Looks at all that is in an expression, from the inside; gives where the value of the whole stands.
    fn look_at(&mut self, e: &Expr) -> Shape<usize> {
        let mut inside = Vec::new();
        visit(e, |e| inside.push(e));
        let mut shapes: HashMap<*const Expr, Shape<usize>> = HashMap::new();
        for part in inside.into_iter().rev() {
            let children = part.children().into_iter();
            let children = children.map(|child| shapes.remove(&std::ptr::from_ref(child)));
            let children: Vec<_> = children.map(|s| s.unwrap_or(Shape::Other)).collect();
            let shape = self.look_at_one(part, &children);
            shapes.insert(part, shape);
        }
        let whole = shapes.remove(&std::ptr::from_ref(e));
        whole.unwrap_or(Shape::Other)
    }

    /// One expression, with where the values of its operands stand.
    fn look_at_one(&mut self, e: &Expr, operands: &[Shape<usize>]) -> Shape<usize> {
        match (&*e.kind, operands) {
            (ExprKind::Int(n), _) => {
                let place = self.same.new_set();
                self.constants.push((place, n.clone()));
                Shape::Number(place)
            }
            (ExprKind::Var(var), _) => self.var(*var),
            (ExprKind::Field(_, field), _) => self.field(*field),
            (ExprKind::Element(..), [array, index]) => {
                self.reckon(index);
                elements(array)
            }
            (ExprKind::Select(..), [Shape::Map(keys, values), key]) => {
                self.unite(keys, key);
                (**values).clone()
            }
            (ExprKind::Everywhere(_), [value]) => {
                let map = self.place(&e.ty);
                if let Shape::Map(_, values) = &map {
                    self.unite(values, value);
                }
                map
            }
            (ExprKind::Store(..), [map, key, value]) => {
                if let Shape::Map(keys, values) = map {
                    self.unite(keys, key);
                    self.unite(values, value);
                }
                map.clone()
            }
            (ExprKind::Call { function, .. }, [_receiver, given @ ..]) => {
                let params = &self.program.function(*function).params;
                for (param, arg) in params.iter().zip(given) {
                    let param = self.var(*param);
                    self.unite(&param, arg);
                }
                self.result(*function)
            }
            (ExprKind::Compare(CompareOp::Eq | CompareOp::Ne, ..), [a, b]) => {
                self.unite(a, b);
                Shape::Other
            }
            (ExprKind::If(..), [_, yes, no]) => {
                self.unite(yes, no);
                yes.clone()
            }
            (ExprKind::Old(_), [same]) => same.clone(),
            _ => {
                for operand in operands {
                    self.reckon(operand);
                }
                let whole = self.place(&e.ty);
                self.reckon(&whole);
                whole
            }
        }
    }

    /// It is reckoned with such a number.
    fn reckon(&mut self, shape: &Shape<usize>) {
        if let Shape::Number(place) = shape {
            self.reckoned.push(*place);
        }
    }

    /// What stands at the one place can stand at the other.
    fn unite(&mut self, one: &Shape<usize>, other: &Shape<usize>) {
        match (one, other) {
            (Shape::Number(one), Shape::Number(other)) => {
                self.same.union(*one, *other);
            }
            (Shape::Map(keys, values), Shape::Map(other_keys, other_values)) => {
                self.unite(keys, other_keys);
                self.unite(values, other_values);
            }
            (Shape::Array(one), Shape::Array(other)) => self.unite(one, other),
            _ => {}
        }
    }
}

/// Where the elements of an array stand.
fn elements(array: &Shape<usize>) -> Shape<usize> {
    match array {
        Shape::Array(elements) => (**elements).clone(),
        _ => Shape::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The variables that hold members of scalar sets, each with the first variable that holds members of the same, and the
    /// constants among them.
    fn sets(members: &str) -> Vec<(String, String, Vec<String>)> {
        let text = format!("class C {{ {members} }}");
        let loaded = crate::front::tq::parse_text("test.tq", &text).expect("a class");
        let sets = ScalarSets::of(&loaded.program);
        let vars = (0..loaded.program.vars.len()).map(VarId);
        let found: Vec<_> = vars
            .filter_map(|var| Some((var, sets.of_var(var)?)))
            .collect();
        let name = |var: VarId| loaded.program.var(var).name.clone();
        let first = |set| found.iter().find(|(_, other)| *other == set);
        let told = found.iter().map(|(var, set)| {
            let first = first(*set).map_or(String::new(), |(var, _)| name(*var));
            let constants = sets.constants(*set).map(BigInt::to_string).collect();
            (name(*var), first, constants)
        });
        told.collect()
    }

    fn names(members: &str) -> Vec<String> {
        let all = sets(members).into_iter();
        all.map(|(name, first, constants)| format!("{name}~{first} {}", constants.join(" ")))
            .collect()
    }

    #[test]
    fn what_is_only_compared_is_a_member() {
        let members = "var owner: nat; var owed: map<nat, nat>;
            action bid(sender: nat, amount: nat) requires sender != 0 && amount > 3
            { owed[sender] := owed[owner] + amount; owner := sender; }
            action look(at: nat) requires owed[at] > 0 { }";
        assert_eq!(names(members), ["sender~sender 0", "at~sender 0"]);
    }

    #[test]
    fn sets_that_never_meet_are_two() {
        let members = "var owner: nat; var token: nat;
            action first(sender: nat, id: nat) requires sender == owner && id == token { }
            action second(id: nat) requires id != 7 { token := id; }";
        let expected = ["sender~sender ", "id~id 7", "id~id 7"];
        assert_eq!(names(members), expected);
    }

    /// By a function, a procedure, a local variable, an array, a map in a map, a choice, and what was before.
    #[test]
    fn values_go_round_corners() {
        let reckoned = [
            "function f(x: int): int { x } action m(a: int) requires f(a) > 3 { }",
            "var v: int; procedure p(x: int) { v := v + x; } action m(a: int) { p(a); }",
            "procedure p(x: int) returns (y: int) { y := x; } var v: int;
             action m(a: int) { var l: int; l := p(a); assume l < 7; }",
            "var l: array<int>; action m(a: int) requires l.length > 0 { l[0] := a; assume l[1] < 2; }",
            "var l: map<int, map<int, int>>; action m(a: int) { l[1] := l[1][2 := a]; assume l[3][4] == 1 + 2; }",
            "var v: int; action m(a: int) { v := if v == 1 then a else 5; v := -v; }",
            "var v: int; action m(a: int) ensures old(v) < 3 { v := a; }",
            "var l: array<int>; action m(a: int) requires 0 <= l[a] { }",
            "var v: int; invariant v > 2; action m(a: int) { v := a; }",
        ];
        for members in reckoned {
            let all = names(members);
            assert!(
                !all.iter().any(|name| name.starts_with("a~")),
                "{members}: {all:?}"
            );
        }
    }
}
