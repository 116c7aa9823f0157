//! Plain fields in the place of those that are read and written through other objects.

use super::calls::{AtomicCall, atomic_call};
use super::names::Names;
use super::operation::{By, Gives, Operation};
use crate::front::java::classfile::{
    ArithmeticOp, AtomicFields, InvokeKind, JavaFieldRef, MethodRef, Pc, PoolConstant, Relation,
};
use crate::front::java::flow::graph::ControlFlowGraph;
use crate::front::java::flow::stack::temporary;
use crate::front::java::tree::{
    CallSite, CodePlace, Invocation, JavaExpr, JavaStep, Operands, StepKind, VariableId,
};
use crate::front::java::types::{ComputationalType, JavaType, MethodSignature};

/// Whether a method makes a text of its first argument, and does nothing else with it.
pub(super) fn takes_text(method: &MethodRef) -> bool {
    let of_object = method.signature.parameters == [JavaType::object()];
    let append = ["java/lang/StringBuilder", "java/lang/StringBuffer"];
    let appends = append.iter().any(|class| method.is(class, "append"));
    of_object && (appends || method.is("java/lang/String", "valueOf"))
}

/// Writes a body with plain fields.
pub(in crate::front::java::flow) fn rewrite(flow: &mut ControlFlowGraph, fields: &AtomicFields) {
    if fields.is_empty() {
        return;
    }
    let names = Names::of(flow, fields);
    let mut blocks = std::mem::take(&mut flow.blocks);
    for block in &mut blocks {
        let steps = std::mem::take(&mut block.steps);
        let mut rewriter = Rewriter {
            flow: &mut *flow,
            fields,
            names: &names,
            place: CodePlace {
                pc: Pc(0),
                line: None,
            },
            out: Vec::with_capacity(steps.len()),
        };
        for step in steps {
            rewriter.place = step.place;
            rewriter.step(step.kind);
        }
        block.steps = rewriter.out;
    }
    flow.blocks = blocks;
}

struct Rewriter<'a> {
    flow: &'a mut ControlFlowGraph,
    fields: &'a AtomicFields,
    names: &'a Names,
    place: CodePlace,
    out: Vec<JavaStep>,
}

/// A field of an object.
#[derive(Clone)]
struct PlainField {
    object: JavaExpr,
    field: JavaFieldRef,
}

impl PlainField {
    fn read(&self) -> JavaExpr {
        JavaExpr::Field(Box::new(self.object.clone()), self.field.clone())
    }

    fn written(self, value: JavaExpr) -> StepKind {
        StepKind::SetField(self.object, self.field, value)
    }
}

impl Rewriter<'_> {
    fn emit(&mut self, kind: StepKind) {
        let place = self.place;
        self.out.push(JavaStep { place, kind });
    }

    fn step(&mut self, step: StepKind) {
        match step {
            StepKind::Assign(to, value) if self.names.field(self.fields, &value).is_some() => {
                self.name(to, value);
            }
            StepKind::Evaluate(value) if self.holder(&value).is_some() => {
                let read = self.holder(&value).map_or(value, |held| held.read());
                self.emit(StepKind::Evaluate(read));
            }
            StepKind::New(variable, new) if self.names.fresh.contains_key(&variable) => {
                let Some(held) = self.fields.holders.get(&self.names.fresh[&variable]) else {
                    return;
                };
                let first = new.arguments.into_iter().next();
                let value = first.unwrap_or_else(|| zero(&held.ty));
                self.flow.variables[variable.index()].ty = held.ty.clone();
                self.emit(StepKind::Assign(variable, value));
            }
            StepKind::SetField(object, field, value) => {
                let field = self.fields.holders.get(&field).cloned().unwrap_or(field);
                self.emit(StepKind::SetField(object, field, value));
            }
            StepKind::Call(result, call) => self.call(result, call),
            StepKind::Dynamic(result, mut call) if matches!(call.site, CallSite::Concat(_)) => {
                for (at, e) in call.arguments.iter_mut().enumerate() {
                    if let Some(held) = self.holder(e) {
                        *e = held.read();
                        call.signature.parameters[at] = held.field.ty;
                    }
                }
                self.emit(StepKind::Dynamic(result, call));
            }
            step => self.emit(step),
        }
    }

    /// A variable that held what a field holds is the object whose field it is.
    fn name(&mut self, to: VariableId, value: JavaExpr) {
        match value {
            JavaExpr::Field(object, field) => {
                if !object.is_this(&self.flow.variables) {
                    let meant = self.fields.meant(&field).cloned().unwrap_or(field.clone());
                    let read = JavaExpr::Field(object.clone(), meant);
                    self.emit(StepKind::Evaluate(read));
                }
                self.flow.variables[to.index()].ty = JavaType::Class(field.class);
                self.emit(StepKind::Assign(to, *object));
            }
            JavaExpr::Variable(_) if self.holder(&value).is_some() => {
                let ty = self.holder(&value).map(|held| held.field.class);
                let ty = ty.map_or(JavaType::object(), JavaType::Class);
                self.flow.variables[to.index()].ty = ty;
                self.emit(StepKind::Assign(to, value));
            }
            // What fields of other objects are read and written through is no longer spoken of.
            _ => {}
        }
    }

    /// The plain field that stands for what a holder holds.
    fn holder(&self, e: &JavaExpr) -> Option<PlainField> {
        let field = self.fields.holders.get(self.names.field(self.fields, e)?)?;
        let object = match e {
            JavaExpr::Field(object, _) => (**object).clone(),
            other => other.clone(),
        };
        let field = field.clone();
        Some(PlainField { object, field })
    }

    fn call(&mut self, result: Option<VariableId>, mut call: Invocation) {
        if let Some(atomic) = atomic_call(&call, self.fields, self.names) {
            return self.atomic(result, &atomic);
        }
        if takes_text(&call.method)
            && let Some(held) = call.arguments.first().and_then(|e| self.holder(e))
        {
            let text = temporary(self.flow, JavaType::class("java/lang/String"));
            self.emit(text_of(text, &held));
            call.arguments[0] = JavaExpr::Variable(text);
        }
        self.emit(StepKind::Call(result, call));
    }

    fn atomic(&mut self, result: Option<VariableId>, call: &AtomicCall<'_>) {
        let Some(field) = self.fields.meant(&call.field).cloned() else {
            return;
        };
        for e in &call.rest {
            self.emit(StepKind::Evaluate((*e).clone()));
        }
        let object = call.object.clone();
        let at = self
            .holder(call.object)
            .unwrap_or(PlainField { object, field });
        let value = || {
            call.arguments
                .first()
                .cloned()
                .unwrap_or_else(JavaExpr::null)
        };
        match call.operation {
            Operation::Get => match result {
                Some(result) => self.give(Some(result), at.read(), &at),
                None => self.emit(StepKind::Evaluate(at.read())),
            },
            Operation::Set => self.emit(at.written(value())),
            Operation::GetAndSet => {
                let old = self.old(&at);
                self.emit(at.clone().written(value()));
                self.give(result, old, &at);
            }
            Operation::CompareAndSet => self.compare_and_set(result, call.arguments, at),
            Operation::CompareAndExchange => {
                let [expected, new] = call.arguments else {
                    return;
                };
                let [expected, new] = [expected, new].map(|e| self.evaluated(e, &at));
                let old = self.old(&at);
                let same = same(old.clone(), expected, &at.field.ty);
                let value = chosen(same, new, old.clone());
                self.emit(at.clone().written(value));
                self.give(result, old, &at);
            }
            Operation::Calculate(operator, by, gives) => {
                let by = match by {
                    By::One => one(&at.field.ty),
                    By::Argument => value(),
                };
                let old = self.old(&at);
                let new = calculated(operator, &at.field.ty, old.clone(), by);
                self.written_and_given(result, (old, new), gives, at);
            }
            Operation::Apply(gives) => {
                let old = self.old(&at);
                let new = self.applied(call.arguments, &old, &at.field.ty);
                self.written_and_given(result, (old, new), gives, at);
            }
            Operation::Text => {
                if let Some(result) = result {
                    self.emit(text_of(result, &at));
                }
            }
        }
    }

    /// An argument, which is evaluated in any case: under a name, where that may raise something.
    fn evaluated(&mut self, e: &JavaExpr, at: &PlainField) -> JavaExpr {
        if !e.may_raise(&self.flow.variables) {
            return e.clone();
        }
        let value = temporary(self.flow, at.field.ty.clone());
        self.emit(StepKind::Assign(value, e.clone()));
        JavaExpr::Variable(value)
    }

    /// What is there before something is written, under a name.
    fn old(&mut self, at: &PlainField) -> JavaExpr {
        let old = temporary(self.flow, at.field.ty.clone());
        self.emit(StepKind::Assign(old, at.read()));
        JavaExpr::Variable(old)
    }

    /// The result of a call, which is as the field: a holder of objects gives them as plain objects.
    fn give(&mut self, result: Option<VariableId>, value: JavaExpr, at: &PlainField) {
        if let Some(result) = result {
            self.flow.variables[result.index()].ty = at.field.ty.clone();
            self.emit(StepKind::Assign(result, value));
        }
    }

    fn written_and_given(
        &mut self,
        result: Option<VariableId>,
        (old, new): (JavaExpr, JavaExpr),
        gives: Gives,
        at: PlainField,
    ) {
        self.emit(at.clone().written(new));
        let given = match gives {
            Gives::Old => old,
            Gives::New => at.read(),
        };
        self.give(result, given, &at);
    }

    fn compare_and_set(
        &mut self,
        result: Option<VariableId>,
        arguments: &[JavaExpr],
        at: PlainField,
    ) {
        let [expected, new] = arguments else {
            return;
        };
        let [expected, new] = [expected, new].map(|e| self.evaluated(e, &at));
        let was = result.unwrap_or_else(|| temporary(self.flow, JavaType::Boolean));
        self.flow.variables[was.index()].ty = JavaType::Boolean;
        let same = same(at.read(), expected.clone(), &at.field.ty);
        self.emit(StepKind::Assign(was, same));
        // Of two truth values, the one is there afterwards in any case.
        let other = at.field.ty == JavaType::Boolean
            && matches!((&expected, &new), (JavaExpr::Constant(PoolConstant::Int(a)),
                JavaExpr::Constant(PoolConstant::Int(b))) if a != b);
        let value = match other {
            true => new,
            false => chosen(is_true(was), new, at.read()),
        };
        self.emit(at.written(value));
    }

    /// What a function makes of what is there.
    fn applied(&mut self, arguments: &[JavaExpr], old: &JavaExpr, ty: &JavaType) -> JavaExpr {
        let (function, more) = match arguments {
            [function] => (function, None),
            [more, function, ..] => (function, Some(more)),
            [] => return old.clone(),
        };
        let name = match ty {
            JavaType::Long => "applyAsLong",
            _ => "applyAsInt",
        };
        let kind = if *ty == JavaType::Long { "Long" } else { "Int" };
        let operator = if more.is_some() { "Binary" } else { "Unary" };
        let interface = format!("java/util/function/{kind}{operator}Operator");
        let parameters = vec![ty.clone(); 1 + usize::from(more.is_some())];
        let result = temporary(self.flow, ty.clone());
        let call = Invocation {
            kind: InvokeKind::Interface,
            method: MethodRef {
                owner: JavaType::class(&interface),
                name: name.into(),
                signature: MethodSignature {
                    parameters,
                    result: Some(ty.clone()),
                },
                of_interface: true,
            },
            receiver: Some(function.clone()),
            arguments: std::iter::once(old).chain(more).cloned().collect(),
        };
        self.emit(StepKind::Call(Some(result), call));
        JavaExpr::Variable(result)
    }
}

/// Whether two values are the same.
fn same(a: JavaExpr, b: JavaExpr, ty: &JavaType) -> JavaExpr {
    let operands = match ty.kind() {
        ComputationalType::Reference => Operands::References,
        kind => Operands::Numbers(kind),
    };
    JavaExpr::Relation(Relation::Equal, operands, Box::new(a), Box::new(b))
}

/// As a compiler asks it: truth values are numbers to the machine.
fn is_true(variable: VariableId) -> JavaExpr {
    let operands = Operands::Numbers(ComputationalType::Int);
    let (a, b) = (JavaExpr::Variable(variable), JavaExpr::int(0));
    JavaExpr::Relation(Relation::NotEqual, operands, Box::new(a), Box::new(b))
}

fn chosen(c: JavaExpr, a: JavaExpr, b: JavaExpr) -> JavaExpr {
    JavaExpr::Conditional(Box::new(c), Box::new(a), Box::new(b))
}

fn calculated(operator: ArithmeticOp, ty: &JavaType, a: JavaExpr, b: JavaExpr) -> JavaExpr {
    JavaExpr::Binary(operator, ty.kind(), Box::new(a), Box::new(b))
}

fn one(ty: &JavaType) -> JavaExpr {
    match ty {
        JavaType::Long => JavaExpr::Constant(PoolConstant::Long(1)),
        _ => JavaExpr::int(1),
    }
}

fn zero(ty: &JavaType) -> JavaExpr {
    match ty.kind() {
        ComputationalType::Reference => JavaExpr::null(),
        ComputationalType::Long => JavaExpr::Constant(PoolConstant::Long(0)),
        _ => JavaExpr::int(0),
    }
}

/// `String.valueOf` of what a holder holds, which is what the holder gives as its text.
fn text_of(result: VariableId, held: &PlainField) -> StepKind {
    let ty = match held.field.ty.kind() {
        ComputationalType::Reference => JavaType::object(),
        _ => held.field.ty.clone(),
    };
    let string = JavaType::class("java/lang/String");
    let call = Invocation {
        kind: InvokeKind::Static,
        method: MethodRef {
            owner: string.clone(),
            name: "valueOf".into(),
            signature: MethodSignature {
                parameters: vec![ty],
                result: Some(string),
            },
            of_interface: false,
        },
        receiver: None,
        arguments: vec![held.read()],
    };
    StepKind::Call(Some(result), call)
}
