//! Expressions. What the language cannot say is an unknown value of its type; what is evaluated only where something else
//! holds stays so, if need be as a statement before.

use super::body::Lowerer;
use super::exceptions::{INDEX, NULL, Raised};
use super::helpers::OwnerId;
use super::names::UniqueNames;
use super::shape::Shape;
use super::standard::MOST_CONSTANTS;
use crate::front::java::classfile::{ArithmeticOp, JavaFieldRef, PoolConstant, Relation};
use crate::front::java::tree::{JavaExpr, Operands, Role};
use crate::front::java::types::{ComputationalType, JavaType};
use crate::front::java::world::initialiser::{StaticValue, constants};
use crate::front::java::world::nesting::switch_map;
use crate::front::tq::ast::{self, ExprSyntaxKind, StmtSyntaxKind};
use crate::front::tq::build::{
    self, assign, assume, binary, bool, choice, compare, conditional, declare, dot, equal, expr,
    int, name, negate, not, stmt, this, throw,
};
use crate::ir::{BinaryOp, CompareOp};

/// A value in the language.
#[derive(Clone, Debug)]
pub(super) struct LoweredValue {
    /// The expression.
    pub e: ast::ExprSyntax,
    /// What it is.
    pub shape: Shape,
}

impl LoweredValue {
    fn new(e: ast::ExprSyntax, shape: Shape) -> LoweredValue {
        LoweredValue { e, shape }
    }

    fn int(e: ast::ExprSyntax) -> LoweredValue {
        LoweredValue::new(e, Shape::Int)
    }

    fn bool(e: ast::ExprSyntax) -> LoweredValue {
        LoweredValue::new(e, Shape::Bool)
    }
}

impl Lowerer<'_> {
    /// A value of which nothing is known but its type.
    pub(super) fn unknown(&mut self, shape: &Shape) -> LoweredValue {
        let shape = match shape {
            Shape::Null | Shape::This => Shape::Object,
            shape => shape.clone(),
        };
        let any = self.taken.give("any");
        let ty = self.class.types.ty(&shape);
        self.out.push(declare(&any, ty, None));
        LoweredValue::new(name(&any), shape)
    }

    /// The same, where it is ours that nothing is known: others did not choose it, so it may be none of those that it is taken for.
    /// What a helper decides by itself is as what other code decides.
    pub(super) fn guess(&mut self, shape: &Shape) -> LoweredValue {
        let found = self.unknown(shape);
        let is_own = self.owner == OwnerId::STUDIED;
        if is_own && !matches!(shape, Shape::Fraction) {
            let any = vec![found.e.clone()];
            self.out.push(stmt(StmtSyntaxKind::Guess(any)));
        }
        found
    }

    /// A value that is made of some others, of which nothing is known: where they are given, others choose it.
    fn made_of(&mut self, values: &[&JavaExpr], shape: &Shape) -> LoweredValue {
        let is_given = |e: &&JavaExpr| self.given.has(&self.context.given, e, self.body);
        match values.iter().any(is_given) {
            true => self.unknown(shape),
            false => self.guess(shape),
        }
    }

    /// Some object that is not null.
    pub(super) fn some_object(&mut self) -> LoweredValue {
        let any = self.taken.give("any");
        let ty = build::ty(super::shape::OBJECT);
        self.out.push(declare(&any, ty, None));
        LoweredValue::new(name(&any), Shape::Object)
    }

    /// Some object of a class that is not null.
    fn some(&mut self, class: &str) -> LoweredValue {
        match self.shape(&JavaType::class(class)) {
            shape @ Shape::Helper(_) => {
                let found = self.unknown(&shape);
                let is_null = self.class.types.is_null(found.e.clone(), &shape);
                self.out.push(assume(not(is_null)));
                found
            }
            _ => self.some_object(),
        }
    }

    /// The shape of a type.
    pub(super) fn shape(&mut self, ty: &JavaType) -> Shape {
        let world = self.context.world;
        self.class.types.shape(world, &mut self.class.names, ty)
    }

    /// An expression as a value of a shape.
    pub(super) fn value_as(&mut self, e: &JavaExpr, shape: &Shape) -> ast::ExprSyntax {
        let value = self.value(e);
        self.fit(value, shape)
    }

    /// An expression as a truth value.
    pub(super) fn condition(&mut self, e: &JavaExpr) -> ast::ExprSyntax {
        self.value_as(e, &Shape::Bool)
    }

    /// A value as one of another shape: of references that the language keeps apart only whether they are null stays.
    pub(super) fn fit(&mut self, value: LoweredValue, shape: &Shape) -> ast::ExprSyntax {
        match (&value.shape, shape) {
            (a, b) if a == b => value.e,
            (Shape::Null, wanted) if wanted.is_reference() => self.class.types.null(wanted),
            (Shape::This, Shape::Helper(helper)) if *helper == self.owner => value.e,
            (Shape::This, Shape::Object) => self.some_object().e,
            (a, wanted) if a.is_reference() && wanted.is_reference() => {
                let (from, wanted) = (a.clone(), wanted.clone());
                let found = self.unknown(&wanted);
                let was_null = self.class.types.is_null(value.e, &from);
                let is_null = self.class.types.is_null(found.e.clone(), &found.shape);
                self.out.push(assume(equal(is_null, was_null)));
                found.e
            }
            (Shape::Int, Shape::Bool) => compare(CompareOp::Ne, value.e, int(0)),
            (Shape::Bool, Shape::Int) => choice(value.e, int(1), int(0)),
            (_, wanted) => self.unknown(&wanted.clone()).e,
        }
    }

    /// Raises an exception where a reference is null that may be; of others it is taken for granted that they are not.
    pub(super) fn not_null(&mut self, object: &JavaExpr) -> LoweredValue {
        let value = self.value(object);
        let is_around = matches!(object, JavaExpr::Variable(id) if self.role(*id) == Role::Around);
        if value.shape == Shape::This || is_around {
            return value;
        }
        let is_null = self
            .class
            .types
            .is_null(value.e.clone(), &value.shape.clone());
        if self.nulls.may_be_null(object, self.body) {
            let raised = self.exception(&Raised::by_operation(NULL));
            self.out
                .push(conditional(is_null, vec![throw(&raised)], vec![]));
        } else if matches!(
            value.shape,
            Shape::Array | Shape::Enum(_) | Shape::Helper(_)
        ) {
            self.out.push(assume(not(is_null)));
        }
        value
    }

    /// An array whose operations raise the exceptions of Java's.
    pub(super) fn array(&mut self, array: &JavaExpr) -> ast::ExprSyntax {
        let value = self.value(array);
        let checked = self.nulls.may_be_null(array, self.body);
        let e = self.fit(value, &Shape::Array);
        if !checked {
            let is_null = self.class.types.is_null(e.clone(), &Shape::Array);
            self.out.push(assume(not(is_null)));
        }
        e
    }

    /// An expression.
    pub(super) fn value(&mut self, e: &JavaExpr) -> LoweredValue {
        match e {
            JavaExpr::Constant(constant) => self.constant(constant),
            JavaExpr::Boolean(value) => LoweredValue::bool(bool(*value)),
            JavaExpr::Variable(id) => match self.role(*id) {
                Role::This => LoweredValue::new(this(), Shape::This),
                _ => {
                    let (found, shape) = self.locals[id.index()].clone();
                    LoweredValue::new(name(&found), shape)
                }
            },
            JavaExpr::Field(object, field) => self.field(object, field),
            JavaExpr::Static(field) => self.static_field(field),
            JavaExpr::Element(array, index, ty) => self.element(array, index, ty),
            JavaExpr::Length(array) if !self.knows_array(array) => {
                self.unknown_of(&[array], &Shape::Int)
            }
            JavaExpr::Length(array) => LoweredValue::int(dot(self.array(array), "length")),
            JavaExpr::Binary(operator, kind, a, b) => self.arithmetic(*operator, *kind, a, b),
            JavaExpr::Logic(operator, a, b) => {
                let (a, b) = (self.condition(a), self.condition(b));
                LoweredValue::bool(match operator {
                    ArithmeticOp::And => binary(BinaryOp::And, a, b),
                    ArithmeticOp::Or => binary(BinaryOp::Or, a, b),
                    _ => compare(CompareOp::Ne, a, b),
                })
            }
            JavaExpr::Negate(ComputationalType::Int | ComputationalType::Long, a) => {
                let a = self.value_as(a, &Shape::Int);
                LoweredValue::int(negate(a))
            }
            JavaExpr::Negate(_, a) => self.unknown_of(&[a], &Shape::Fraction),
            JavaExpr::Convert(from, to, a) => self.convert(*from, to, a),
            JavaExpr::Compare(comparison, a, b) => self.comparison(comparison.kind(), a, b),
            JavaExpr::Relation(relation, operands, a, b) => {
                self.relation(*relation, *operands, a, b)
            }
            JavaExpr::Not(a) => LoweredValue::bool(not(self.condition(a))),
            JavaExpr::And(a, b) => LoweredValue::bool(self.shortcut(BinaryOp::And, a, b)),
            JavaExpr::Or(a, b) => LoweredValue::bool(self.shortcut(BinaryOp::Or, a, b)),
            JavaExpr::Conditional(c, a, b) => self.conditional(c, a, b, e),
            JavaExpr::Cast(ty, a) => {
                let value = self.value(a);
                let shape = self.shape(ty);
                if value.shape == Shape::This {
                    return value;
                }
                let e = self.fit(value, &shape);
                LoweredValue::new(e, shape)
            }
            JavaExpr::InstanceOf(ty, a) => self.instance_of(ty, a),
            JavaExpr::FromBoolean(a) => {
                let a = self.condition(a);
                LoweredValue::int(choice(a, int(1), int(0)))
            }
            JavaExpr::ToBoolean(a) => {
                let a = self.value_as(a, &Shape::Int);
                LoweredValue::bool(equal(binary(BinaryOp::Mod, a, int(2)), int(1)))
            }
        }
    }

    /// Evaluates operands for what they may raise; what is made of them is not known.
    fn unknown_of(&mut self, operands: &[&JavaExpr], shape: &Shape) -> LoweredValue {
        for operand in operands {
            self.value(operand);
        }
        self.made_of(operands, shape)
    }

    fn constant(&mut self, constant: &PoolConstant) -> LoweredValue {
        match constant {
            PoolConstant::Null => LoweredValue::new(build::null(), Shape::Null),
            PoolConstant::Int(value) => LoweredValue::int(int(*value)),
            PoolConstant::Long(value) => LoweredValue::int(int(*value)),
            PoolConstant::Float(_) | PoolConstant::Double(_) => self.unknown(&Shape::Fraction),
            PoolConstant::Dynamic(dynamic) => {
                let shape = self.shape(&dynamic.ty);
                self.unknown(&shape)
            }
            PoolConstant::String(_) => self.some("java/lang/String"),
            PoolConstant::Class(_) => self.some("java/lang/Class"),
            _ => self.some_object(),
        }
    }

    fn field(&mut self, object: &JavaExpr, field: &JavaFieldRef) -> LoweredValue {
        let shape = self.shape(&field.ty);
        if object.is_this(&self.body.variables) {
            let owner = self.context.methods.helpers.class(self.owner);
            let own = owner.own_field(field).map(|own| own.name.clone());
            if let Some(e) = own.and_then(|own| self.own_field(&own)) {
                return LoweredValue::new(e, shape);
            }
            return self.guess(&shape);
        }
        let known = self.helper_field(object, field);
        let is_of_helper = self.context.methods.helpers.of(object, self.body).is_some();
        let object = self.not_null(object);
        match known {
            Some(here) => LoweredValue::new(dot(object.e, &here), shape),
            None if is_of_helper => self.guess(&shape),
            None => self.unknown(&shape),
        }
    }

    /// One of the object's own fields, if its values are known.
    pub(super) fn own_field(&self, field: &str) -> Option<ast::ExprSyntax> {
        let known = self.class.fields.get(&(self.owner, field.to_owned()))?;
        Some(member(&self.taken, known))
    }

    /// What the field of an object of a helper class is called, if its values are known.
    pub(super) fn helper_field(&self, object: &JavaExpr, field: &JavaFieldRef) -> Option<String> {
        let helpers = &self.context.methods.helpers;
        let helper = helpers.of(object, self.body)?;
        let own = helpers.class(helper).own_field(field)?;
        self.class.fields.get(&(helper, own.name.clone())).cloned()
    }

    fn static_field(&mut self, field: &JavaFieldRef) -> LoweredValue {
        let shape = self.shape(&field.ty);
        let Some((class, found)) = self.context.world.field(field) else {
            return self.unknown(&shape);
        };
        if let Some(known) = self.class.types.get(&class.name) {
            let constant = known.constants.iter();
            if let Some((_, here)) = constant.clone().find(|(java, _)| **java == *field.name) {
                let e = dot(name(&known.name), here);
                return LoweredValue::new(e, Shape::Enum(class.name.clone()));
            }
        }
        if !found.access.is_final() {
            return self.unknown(&shape);
        }
        // `in`, `out` and `err` begin as null, and are set for all that they are final (JLS 17.5.4).
        if let (true, JavaType::Class(of)) = (class.name.is("java/lang/System"), &field.ty) {
            return self.some(of.internal());
        }
        match constants(&class).get(&field.name) {
            Some(StaticValue::Constant(
                constant @ (PoolConstant::Int(_) | PoolConstant::Long(_)),
            )) => {
                let value = self.constant(constant);
                let e = self.fit(value, &shape);
                LoweredValue::new(e, shape)
            }
            Some(StaticValue::Boolean(value)) => LoweredValue::bool(bool(*value)),
            Some(StaticValue::Constant(PoolConstant::Null)) => {
                LoweredValue::new(build::null(), Shape::Null)
            }
            known => {
                let named = (&class.name, &*field.name);
                let constant = self.class.constant(self.owner, named, &shape, known);
                let read = member(&self.taken, &constant.here);
                self.out
                    .extend(constant.known_where_read(&read).map(assume));
                LoweredValue::new(read, shape)
            }
        }
    }

    fn element(&mut self, array: &JavaExpr, index: &JavaExpr, ty: &JavaType) -> LoweredValue {
        if let Some(map) = self.switch_map(array) {
            let index = self.value_as(index, &Shape::Int);
            return LoweredValue::int(map.into_iter().rev().fold(int(0), |rest, (at, number)| {
                choice(equal(index.clone(), int(at)), int(number), rest)
            }));
        }
        if !self.context.methods.helpers.knows_arrays(self.owner) {
            self.index_of_helper(array, index);
            let shape = self.shape(ty);
            return self.made_of(&[array], &shape);
        }
        let of = array;
        let array = self.array(array);
        let index = self.value_as(index, &Shape::Int);
        let any = self.taken.give("element");
        let element = build::ty(super::shape::ELEMENT);
        let read = expr(ExprSyntaxKind::Index(array, index));
        self.out.push(declare(&any, element, Some(read)));
        let shape = self.shape(ty);
        self.made_of(&[of], &shape)
    }

    /// An element of an array is used by a helper, of whose arrays and numbers too little is known to say which there are.
    pub(super) fn index_of_helper(&mut self, array: &JavaExpr, index: &JavaExpr) {
        self.evaluate(index);
        if self.knows_array(array) {
            self.not_null(array);
        }
        let raised = self.exception(&Raised::by_operation(INDEX));
        self.out
            .push(conditional(build::star(), vec![throw(&raised)], vec![]));
    }

    /// Whether anything is known of an array: in a helper, of one that it was given.
    pub(super) fn knows_array(&self, array: &JavaExpr) -> bool {
        match array {
            _ if self.context.methods.helpers.knows_arrays(self.owner) => true,
            JavaExpr::Variable(id) => {
                matches!(self.role(*id), Role::Parameter(_))
            }
            _ => false,
        }
    }

    /// What a `switch` over an enum makes of the places of its constants, if the array is such a table.
    fn switch_map(&self, array: &JavaExpr) -> Option<Vec<(i32, i32)>> {
        let field = match array {
            JavaExpr::Static(field) => field,
            JavaExpr::Variable(id) => self.maps.get(id)?,
            _ => return None,
        };
        let map = switch_map(self.context.world, field)?;
        // The enum is the one whose name the table's name ends in.
        let enums = self.class.types.enums();
        let mut of = enums.filter(|(class, _)| {
            let suffix = class.internal().replace(['/', '$'], "$");
            field.name.ends_with(&suffix)
        });
        let (_, found) = of.next()?;
        let constants = found.constants.iter().enumerate();
        let numbers = constants.filter_map(|(at, (java, _))| {
            let number = map.get(java)?;
            Some((i32::try_from(at).ok()?, *number))
        });
        let numbers: Vec<(i32, i32)> = numbers.collect();
        (numbers.len() <= MOST_CONSTANTS).then_some(numbers)
    }

    fn arithmetic(
        &mut self,
        operator: ArithmeticOp,
        kind: ComputationalType,
        a: &JavaExpr,
        b: &JavaExpr,
    ) -> LoweredValue {
        if !matches!(kind, ComputationalType::Int | ComputationalType::Long) {
            return self.unknown_of(&[a, b], &Shape::Fraction);
        }
        let by = match b {
            JavaExpr::Constant(PoolConstant::Int(by)) => Some(i64::from(*by)),
            JavaExpr::Constant(PoolConstant::Long(by)) => Some(*by),
            _ => None,
        };
        let operands = [a, b];
        let (a, b) = (self.value_as(a, &Shape::Int), self.value_as(b, &Shape::Int));
        let power = |by: i64| int(num_bigint::BigInt::from(1) << by);
        let most = if kind == ComputationalType::Int {
            31
        } else {
            63
        };
        LoweredValue::int(match (operator, by) {
            (ArithmeticOp::Add, _) => binary(BinaryOp::Add, a, b),
            (ArithmeticOp::Subtract, _) => binary(BinaryOp::Sub, a, b),
            (ArithmeticOp::Multiply, _) => binary(BinaryOp::Mul, a, b),
            (ArithmeticOp::Divide, _) => self.towards_zero(BinaryOp::Div, a, b),
            (ArithmeticOp::Remainder, _) => self.towards_zero(BinaryOp::Mod, a, b),
            (ArithmeticOp::ShiftLeft, Some(by)) if (0..=most).contains(&by) => {
                binary(BinaryOp::Mul, a, power(by))
            }
            (ArithmeticOp::ShiftRight, Some(by)) if (0..=most).contains(&by) => {
                binary(BinaryOp::Div, a, power(by))
            }
            // The lowest bits, which are the same of negative numbers; or one bit.
            (ArithmeticOp::And, Some(by)) if by > 0 && (by as u64 + 1).is_power_of_two() => {
                binary(BinaryOp::Mod, a, int(i128::from(by) + 1))
            }
            (ArithmeticOp::And, Some(by)) if is_bit(by) => bit(a, by),
            // All bits but one.
            (ArithmeticOp::And, Some(by)) if is_bit(-1 - by) => {
                let a = self.held(a, &Shape::Int);
                binary(BinaryOp::Sub, a.clone(), bit(a, -1 - by))
            }
            (ArithmeticOp::Or, Some(by)) if is_bit(by) => {
                let a = self.held(a, &Shape::Int);
                let set = binary(BinaryOp::Add, a.clone(), int(by));
                binary(BinaryOp::Sub, set, bit(a, by))
            }
            _ => return self.made_of(&operands, &Shape::Int),
        })
    }

    /// Java's division goes towards zero, the language's leaves no negative remainder.
    fn towards_zero(
        &mut self,
        op: BinaryOp,
        a: ast::ExprSyntax,
        b: ast::ExprSyntax,
    ) -> ast::ExprSyntax {
        if matches!(*a.kind, ExprSyntaxKind::Int(_)) {
            return binary(op, a, b);
        }
        let a = self.held(a, &Shape::Int);
        let b = self.held(b, &Shape::Int);
        let plain = binary(op, a.clone(), b.clone());
        let mirrored = negate(binary(op, negate(a.clone()), b));
        choice(compare(CompareOp::Ge, a, int(0)), plain, mirrored)
    }

    /// A value that is spoken of more than once.
    pub(super) fn held(&mut self, e: ast::ExprSyntax, shape: &Shape) -> ast::ExprSyntax {
        match *e.kind {
            ExprSyntaxKind::Name(_) => e,
            _ => self.now(e, shape),
        }
    }

    /// A value as it is now, whatever is assigned after that.
    pub(super) fn now(&mut self, e: ast::ExprSyntax, shape: &Shape) -> ast::ExprSyntax {
        if matches!(*e.kind, ExprSyntaxKind::Int(_)) {
            return e;
        }
        let held = self.taken.give("held");
        let ty = self.class.types.ty(shape);
        self.out.push(declare(&held, ty, Some(e)));
        name(&held)
    }

    fn convert(&mut self, from: ComputationalType, to: &JavaType, a: &JavaExpr) -> LoweredValue {
        let shape = self.shape(to);
        if !matches!(from, ComputationalType::Int | ComputationalType::Long) || shape != Shape::Int
        {
            return self.unknown_of(&[a], &shape);
        }
        let a = self.value_as(a, &Shape::Int);
        let signed = |a, half: i64| {
            let moved = binary(BinaryOp::Add, a, int(half));
            let wrapped = binary(BinaryOp::Mod, moved, int(half * 2));
            binary(BinaryOp::Sub, wrapped, int(half))
        };
        LoweredValue::int(match to {
            JavaType::Byte => signed(a, 1 << 7),
            JavaType::Short => signed(a, 1 << 15),
            JavaType::Char => binary(BinaryOp::Mod, a, int(1 << 16)),
            _ => a,
        })
    }

    fn comparison(&mut self, kind: ComputationalType, a: &JavaExpr, b: &JavaExpr) -> LoweredValue {
        if kind != ComputationalType::Long {
            return self.unknown_of(&[a, b], &Shape::Int);
        }
        let (a, b) = (self.value_as(a, &Shape::Int), self.value_as(b, &Shape::Int));
        let (a, b) = (self.held(a, &Shape::Int), self.held(b, &Shape::Int));
        let greater = compare(CompareOp::Gt, a.clone(), b.clone());
        let rest = choice(greater, int(1), int(0));
        LoweredValue::int(choice(compare(CompareOp::Lt, a, b), int(-1), rest))
    }

    fn relation(
        &mut self,
        relation: Relation,
        operands: Operands,
        a: &JavaExpr,
        b: &JavaExpr,
    ) -> LoweredValue {
        let op = match relation {
            Relation::Equal => CompareOp::Eq,
            Relation::NotEqual => CompareOp::Ne,
            Relation::Less => CompareOp::Lt,
            Relation::AtLeast => CompareOp::Ge,
            Relation::Greater => CompareOp::Gt,
            Relation::AtMost => CompareOp::Le,
        };
        match operands {
            Operands::Numbers(ComputationalType::Int | ComputationalType::Long)
                if is_of_sign(relation, b) && in_bits(a).is_some() =>
            {
                let negative = self.is_negative(a);
                LoweredValue::bool(match relation {
                    Relation::Less => negative,
                    _ => not(negative),
                })
            }
            Operands::Numbers(ComputationalType::Int | ComputationalType::Long) => {
                let (a, b) = (self.value_as(a, &Shape::Int), self.value_as(b, &Shape::Int));
                LoweredValue::bool(compare(op, a, b))
            }
            Operands::Numbers(_) => self.unknown_of(&[a, b], &Shape::Bool),
            Operands::Booleans => {
                let (a, b) = (self.condition(a), self.condition(b));
                LoweredValue::bool(compare(op, a, b))
            }
            Operands::References => self.same(op, a, b),
        }
    }

    /// Whether a number is negative. `a | b | c` is where one of them is: so it is asked whether any of several numbers is.
    fn is_negative(&mut self, e: &JavaExpr) -> ast::ExprSyntax {
        match in_bits(e) {
            Some((op, a, b)) => {
                let (a, b) = (self.is_negative(a), self.is_negative(b));
                binary(op, a, b)
            }
            None => {
                let may_raise = e.may_raise(&self.body.variables);
                let mut value = self.value_as(e, &Shape::Int);
                // It is evaluated whatever the others are.
                if may_raise {
                    value = self.now(value, &Shape::Int);
                }
                compare(CompareOp::Lt, value, int(0))
            }
        }
    }

    /// Whether two references are the same, or are not.
    fn same(&mut self, op: CompareOp, a: &JavaExpr, b: &JavaExpr) -> LoweredValue {
        let operands = [a, b];
        let (a, b) = (self.value(a), self.value(b));
        let same = match (&a.shape, &b.shape) {
            (Shape::This, Shape::This) | (Shape::Null, Shape::Null) => bool(true),
            (Shape::This, Shape::Null) | (Shape::Null, Shape::This) => bool(false),
            (Shape::Null, shape) => {
                let shape = shape.clone();
                self.class.types.is_null(b.e, &shape)
            }
            (shape, Shape::Null) => {
                let shape = shape.clone();
                self.class.types.is_null(a.e, &shape)
            }
            (Shape::This, Shape::Helper(helper)) | (Shape::Helper(helper), Shape::This)
                if *helper == self.owner =>
            {
                equal(a.e, b.e)
            }
            (x, y) if x == y => equal(a.e, b.e),
            _ => self.made_of(&operands, &Shape::Bool).e,
        };
        LoweredValue::bool(match op {
            CompareOp::Eq => same,
            _ => not(same),
        })
    }

    /// `&&` and `||`. Where the second operand needs statements, these are run only where it is looked at.
    fn shortcut(&mut self, op: BinaryOp, a: &JavaExpr, b: &JavaExpr) -> ast::ExprSyntax {
        let a = self.condition(a);
        let (b, before) = self.apart(|lowerer| lowerer.condition(b));
        if before.is_empty() {
            return binary(op, a, b);
        }
        let holds = self.taken.give("holds");
        let ty = self.class.types.ty(&Shape::Bool);
        self.out.push(declare(&holds, ty, Some(a)));
        let mut second = before;
        second.push(assign(name(&holds), b));
        let looks = match op {
            BinaryOp::And => name(&holds),
            _ => not(name(&holds)),
        };
        self.out.push(conditional(looks, second, vec![]));
        name(&holds)
    }

    /// What is done, and the statements that it needs before, which are not put anywhere yet.
    pub(super) fn apart<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> T,
    ) -> (T, Vec<ast::StmtSyntax>) {
        let outer = std::mem::take(&mut self.out);
        let found = work(self);
        let before = std::mem::replace(&mut self.out, outer);
        (found, before)
    }

    fn conditional(
        &mut self,
        c: &JavaExpr,
        a: &JavaExpr,
        b: &JavaExpr,
        whole: &JavaExpr,
    ) -> LoweredValue {
        let c = self.condition(c);
        let shape = match whole.ty(&self.body.variables) {
            Some(ty) => self.shape(&ty),
            None => Shape::Null,
        };
        let (a, before_a) = self.apart(|lowerer| lowerer.value_as(a, &shape));
        let (b, before_b) = self.apart(|lowerer| lowerer.value_as(b, &shape));
        if before_a.is_empty() && before_b.is_empty() {
            return LoweredValue::new(choice(c, a, b), shape);
        }
        let chosen = self.taken.give("chosen");
        let ty = self.class.types.ty(&shape);
        self.out.push(declare(&chosen, ty, None));
        let ending = |mut before: Vec<ast::StmtSyntax>, value| {
            before.push(assign(name(&chosen), value));
            before
        };
        let choice = conditional(c, ending(before_a, a), ending(before_b, b));
        self.out.push(choice);
        LoweredValue::new(name(&chosen), shape)
    }

    fn instance_of(&mut self, ty: &JavaType, a: &JavaExpr) -> LoweredValue {
        let value = self.value(a);
        let is_null = self
            .class
            .types
            .is_null(value.e.clone(), &value.shape.clone());
        let known = match (ty, a.ty(&self.body.variables)) {
            (JavaType::Class(of), Some(JavaType::Class(class))) => {
                self.context.world.is_subclass(&class, of)
            }
            _ => None,
        };
        if known == Some(true) {
            return LoweredValue::bool(not(is_null));
        }
        let any = self.unknown(&Shape::Bool);
        LoweredValue::bool(binary(BinaryOp::And, not(is_null), any.e))
    }
}

/// A field or constant, which a variable may have the name of.
fn member(variables: &UniqueNames, member: &str) -> ast::ExprSyntax {
    match variables.has(member) {
        true => dot(this(), member),
        false => name(member),
    }
}

/// Whether a number is one bit, and not the one of the sign.
fn is_bit(number: i64) -> bool {
    number > 0 && (number as u64).is_power_of_two()
}

/// What one bit of a number counts: it, or nothing. So it is of negative numbers as well.
fn bit(number: ast::ExprSyntax, bit: i64) -> ast::ExprSyntax {
    let is_set = binary(
        BinaryOp::Mod,
        binary(BinaryOp::Div, number, int(bit)),
        int(2),
    );
    binary(BinaryOp::Mul, is_set, int(bit))
}

/// Whether a relation with a number asks for the sign of the other one.
fn is_of_sign(relation: Relation, with: &JavaExpr) -> bool {
    let is_zero = matches!(
        with,
        JavaExpr::Constant(PoolConstant::Int(0) | PoolConstant::Long(0))
    );
    is_zero && matches!(relation, Relation::Less | Relation::AtLeast)
}

/// How the sign of two numbers that are put together bit by bit comes from theirs, and these.
fn in_bits(e: &JavaExpr) -> Option<(BinaryOp, &JavaExpr, &JavaExpr)> {
    match e {
        JavaExpr::Binary(ArithmeticOp::Or, _, a, b) => Some((BinaryOp::Or, a, b)),
        JavaExpr::Binary(ArithmeticOp::And, _, a, b) => Some((BinaryOp::And, a, b)),
        _ => None,
    }
}
