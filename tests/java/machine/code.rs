//! Code run as it stands, instruction by instruction (JVMS 6.5).

use tranquera::front::java::classfile::{
    Against, Code, Element, Instruction, InvokeKind, LocalSlot, Pc, StackOp,
};
use tranquera::front::java::types::{JavaType, MethodSignature};

use super::{FUEL, Outside, Result, Stop, Value, calculate, compare, convert, negate, related};

/// What lies on the stack: an object has a place there before it has an identity.
#[derive(Clone, Copy, Debug)]
enum Entry {
    Value(Value),
    Fresh(Pc),
}

struct Run<'a> {
    outside: &'a mut Outside,
    locals: Vec<Option<Entry>>,
    stack: Vec<Entry>,
}

enum Next {
    Behind,
    At(Pc),
    Return(Option<Value>),
}

/// Runs a body.
pub fn run(code: &Code, outside: &mut Outside, arguments: &[Value]) -> Result<Option<Value>> {
    let mut locals = Vec::new();
    for value in arguments {
        locals.push(Some(Entry::Value(*value)));
        if matches!(value, Value::Long(_) | Value::Double(_)) {
            locals.push(None);
        }
    }
    locals.resize(locals.len().max(usize::from(code.max_locals)), None);
    let mut run = Run {
        outside,
        locals,
        stack: Vec::new(),
    };
    let mut at = 0;
    for _ in 0..FUEL {
        let (pc, instruction) = &code.instructions[at];
        match run.step(*pc, instruction) {
            Ok(Next::Behind) => at += 1,
            Ok(Next::At(pc)) => at = code.position(pc).expect("an instruction"),
            Ok(Next::Return(value)) => return Ok(value),
            Err(Stop::Raised(exception)) => {
                let handler = code.handlers.iter().find(|handler| {
                    handler.covers(*pc)
                        && handler.class.as_ref().is_none_or(|class| {
                            class.is("java/lang/Throwable")
                                || run
                                    .outside
                                    .is_instance(exception, &JavaType::Class(class.clone()))
                        })
                });
                let Some(handler) = handler else {
                    return Err(Stop::Raised(exception));
                };
                run.stack = vec![Entry::Value(Value::Reference(exception))];
                at = code.position(handler.target).expect("an instruction");
            }
            Err(other) => return Err(other),
        }
    }
    Err(Stop::Fuel)
}

impl Run<'_> {
    fn push(&mut self, value: Value) {
        self.stack.push(Entry::Value(value));
    }

    fn pop(&mut self) -> Value {
        match self.stack.pop().expect("a value") {
            Entry::Value(value) => value,
            Entry::Fresh(_) => panic!("an object that is not made yet"),
        }
    }

    fn object(&mut self) -> Result<u64> {
        match self.pop().reference() {
            0 => Err(self.outside.raise("NullPointerException")),
            object => Ok(object),
        }
    }

    fn arguments(&mut self, signature: &MethodSignature) -> Vec<Value> {
        let mut values: Vec<Value> = signature.parameters.iter().map(|_| self.pop()).collect();
        values.reverse();
        // What is narrower than it looks is cut where it is handed over.
        for (value, ty) in values.iter_mut().zip(&signature.parameters) {
            if let (Value::Int(number), JavaType::Boolean) = (*value, ty) {
                *value = self.outside.narrow(ty, number);
            }
        }
        values
    }

    fn store(&mut self, slot: LocalSlot, entry: Entry) {
        let at = usize::from(slot.0);
        let wide = matches!(entry, Entry::Value(Value::Long(_) | Value::Double(_)));
        self.locals[at] = Some(entry);
        if wide {
            self.locals[at + 1] = None;
        }
    }

    fn step(&mut self, pc: Pc, instruction: &Instruction) -> Result<Next> {
        match instruction {
            Instruction::Nop => {}
            Instruction::Push(constant) => {
                let value = self.outside.constant(constant);
                self.push(value);
            }
            Instruction::Load(_, slot) => {
                let entry = self.locals[usize::from(slot.0)].expect("a local variable");
                self.stack.push(entry);
            }
            Instruction::Store(_, slot) => {
                let entry = self.stack.pop().expect("a value");
                self.store(*slot, entry);
            }
            Instruction::LoadElement(element) => {
                let index = self.pop().int();
                let array = self.pop().reference();
                let value = self.outside.element(array, index, &said(*element))?;
                self.push(value);
            }
            Instruction::StoreElement(element) => {
                let value = self.pop();
                let index = self.pop().int();
                let array = self.pop().reference();
                self.outside
                    .set_element(array, index, &said(*element), value)?;
            }
            Instruction::Stack(op) => self.rearrange(*op),
            Instruction::Binary(operator, _) => {
                let b = self.pop();
                let a = self.pop();
                match calculate(*operator, a, b) {
                    Some(value) => self.push(value),
                    None => return Err(self.outside.raise("ArithmeticException")),
                }
            }
            Instruction::Negate(_) => {
                let value = self.pop();
                self.push(negate(value));
            }
            Instruction::Increment(slot, by) => {
                let Some(Entry::Value(Value::Int(old))) = self.locals[usize::from(slot.0)] else {
                    panic!("no int");
                };
                let new = Value::Int(old.wrapping_add(i32::from(*by)));
                self.store(*slot, Entry::Value(new));
            }
            Instruction::Convert(_, ty) => {
                let value = self.pop();
                self.push(convert(value, ty));
            }
            Instruction::Compare(comparison) => {
                let b = self.pop();
                let a = self.pop();
                self.push(Value::Int(compare(*comparison, a, b)));
            }
            Instruction::If(relation, against, target) => {
                let b = match against {
                    Against::Zero => Value::Int(0),
                    Against::Null => Value::Reference(0),
                    Against::Int | Against::Reference => self.pop(),
                };
                let holds = match (self.pop(), b) {
                    (Value::Int(a), Value::Int(b)) => related(*relation, a, b),
                    (Value::Reference(a), Value::Reference(b)) => related(*relation, a, b),
                    (a, b) => panic!("{a:?} and {b:?}"),
                };
                return Ok(if holds {
                    Next::At(*target)
                } else {
                    Next::Behind
                });
            }
            Instruction::Goto(target) => return Ok(Next::At(*target)),
            Instruction::Switch(switch) => {
                let value = self.pop().int();
                let case = switch.cases.iter().find(|(case, _)| *case == value);
                return Ok(Next::At(case.map_or(switch.default, |(_, target)| *target)));
            }
            Instruction::Return(kind) => return Ok(Next::Return(kind.map(|_| self.pop()))),
            other => self.step_with_objects(pc, other)?,
        }
        Ok(Next::Behind)
    }

    fn step_with_objects(&mut self, pc: Pc, instruction: &Instruction) -> Result<()> {
        match instruction {
            Instruction::GetField(field) => {
                let object = self.object()?;
                let value = self.outside.field(object, &field.to_string(), &field.ty);
                self.push(value);
            }
            Instruction::PutField(field) => {
                let value = self.pop();
                let object = self.object()?;
                self.outside
                    .set_field(object, &field.to_string(), &field.ty, value)?;
            }
            Instruction::GetStatic(field) => {
                let value = self.outside.field(7, &field.to_string(), &field.ty);
                self.push(value);
            }
            Instruction::PutStatic(field) => {
                let value = self.pop();
                self.outside
                    .set_field(7, &field.to_string(), &field.ty, value)?;
            }
            Instruction::Invoke(kind, method) => {
                let mut arguments = self.arguments(&method.signature);
                let what = format!("{kind:?} {method}");
                if *kind != InvokeKind::Static {
                    if method.is_constructor()
                        && let Some(Entry::Fresh(made)) = self.stack.last()
                    {
                        let made = *made;
                        self.stack.pop();
                        return self.construct(
                            made,
                            &method.owner,
                            &method.to_string(),
                            &arguments,
                        );
                    }
                    let object = self.object()?;
                    arguments.insert(0, Value::Reference(object));
                }
                let result = method.signature.result.as_ref();
                let result = self.outside.call(&what, &arguments, result)?;
                self.stack.extend(result.map(Entry::Value));
            }
            Instruction::InvokeDynamic(site) => {
                let arguments = self.arguments(&site.ty);
                let what = format!("dynamic {}", site.ty.descriptor());
                let result = self
                    .outside
                    .call(&what, &arguments, site.ty.result.as_ref())?;
                self.stack.extend(result.map(Entry::Value));
            }
            Instruction::New(_) => self.stack.push(Entry::Fresh(pc)),
            Instruction::NewArray(ty, count) => {
                let mut lengths: Vec<i32> = (0..*count).map(|_| self.pop().int()).collect();
                lengths.reverse();
                let array = self.outside.new_array(ty, &lengths)?;
                self.push(Value::Reference(array));
            }
            Instruction::Length => {
                let array = self.object()?;
                self.push(Value::Int(self.outside.length(array)));
            }
            Instruction::Throw => {
                let exception = self.object()?;
                return Err(Stop::Raised(exception));
            }
            Instruction::Cast(ty) => {
                let object = self.pop().reference();
                self.outside.cast(object, ty)?;
                self.push(Value::Reference(object));
            }
            Instruction::InstanceOf(ty) => {
                let object = self.pop().reference();
                let is = object != 0 && self.outside.is_instance(object, ty);
                self.push(Value::Int(i32::from(is)));
            }
            Instruction::Monitor(monitor) => {
                // Leaving one never fails in code that a compiler made; then it has an object.
                let object = self.pop().reference();
                let enters = format!("{monitor:?}") == "Enter";
                if object == 0 && enters {
                    return Err(self.outside.raise("NullPointerException"));
                }
                self.outside.event(format!("{monitor:?} {object:x}"))?;
            }
            other => panic!("{other:?}"),
        }
        Ok(())
    }

    fn construct(
        &mut self,
        made: Pc,
        class: &JavaType,
        what: &str,
        arguments: &[Value],
    ) -> Result<()> {
        let object = self.outside.construct(class, what, arguments)?;
        let is = |entry: &Entry| matches!(entry, Entry::Fresh(pc) if *pc == made);
        let locals = self.locals.iter_mut().flatten();
        for entry in locals.chain(&mut self.stack).filter(|entry| is(entry)) {
            *entry = Entry::Value(Value::Reference(object));
        }
        Ok(())
    }

    /// As JVMS 6.5 lists the forms.
    fn rearrange(&mut self, op: StackOp) {
        let wide = |entry: &Entry| matches!(entry, Entry::Value(Value::Long(_) | Value::Double(_)));
        let mut take = |entries: usize| {
            let mut taken = Vec::new();
            let mut left = entries;
            while left > 0 {
                let entry = self.stack.pop().expect("an entry");
                left -= if wide(&entry) { 2 } else { 1 };
                taken.insert(0, entry);
            }
            taken
        };
        let order: Vec<Vec<Entry>> = match op {
            StackOp::Pop => {
                take(1);
                vec![]
            }
            StackOp::Pop2 => {
                take(2);
                vec![]
            }
            StackOp::Dup => {
                let a = take(1);
                vec![a.clone(), a]
            }
            StackOp::DupX1 => {
                let (a, b) = (take(1), take(1));
                vec![a.clone(), b, a]
            }
            StackOp::DupX2 => {
                let (a, b) = (take(1), take(2));
                vec![a.clone(), b, a]
            }
            StackOp::Dup2 => {
                let a = take(2);
                vec![a.clone(), a]
            }
            StackOp::Dup2X1 => {
                let (a, b) = (take(2), take(1));
                vec![a.clone(), b, a]
            }
            StackOp::Dup2X2 => {
                let (a, b) = (take(2), take(2));
                vec![a.clone(), b, a]
            }
            StackOp::Swap => {
                let (a, b) = (take(1), take(1));
                vec![a, b]
            }
        };
        self.stack.extend(order.into_iter().flatten());
    }
}

/// What an instruction says of an array's elements.
fn said(element: Element) -> JavaType {
    match element {
        Element::Int => JavaType::Int,
        Element::Long => JavaType::Long,
        Element::Float => JavaType::Float,
        Element::Double => JavaType::Double,
        Element::Reference => JavaType::object(),
        Element::ByteOrBoolean => JavaType::Byte,
        Element::Char => JavaType::Char,
        Element::Short => JavaType::Short,
    }
}
