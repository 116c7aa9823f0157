//! What lies on the stack and in the local variables, by data flow (JVMS 4.10.2).
//!
//! The machine's own verifier does the same. It knows the hierarchy of classes; here, two classes have only `Object` in
//! common. That is enough: what is lost is a name, never the kind of a value.

use super::blocks::{Blocks, RawBlock};
use super::error::Refused;
use super::graph::BlockId;
use crate::front::java::classfile::{
    Against, Code, Constant, Element, Instruction, InvokeKind, Pc, StackOp,
};
use crate::front::java::types::{ClassName, Kind, Signature, Type};

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Nothing; it cannot be used.
    Unusable,
    Int,
    Long,
    Float,
    Double,
    /// `null`
    Null,
    Reference(Type),
    /// An object made by the instruction there, whose constructor has yet to be called.
    Fresh(Pc, ClassName),
}

impl Value {
    pub fn of(ty: &Type) -> Value {
        match ty.kind() {
            Kind::Int => Value::Int,
            Kind::Long => Value::Long,
            Kind::Float => Value::Float,
            Kind::Double => Value::Double,
            Kind::Reference => Value::Reference(ty.clone()),
        }
    }

    fn of_kind(kind: Kind) -> Value {
        match kind {
            Kind::Int => Value::Int,
            Kind::Long => Value::Long,
            Kind::Float => Value::Float,
            Kind::Double => Value::Double,
            Kind::Reference => Value::Reference(Type::object()),
        }
    }

    pub fn kind(&self) -> Option<Kind> {
        Some(match self {
            Value::Unusable => return None,
            Value::Int => Kind::Int,
            Value::Long => Kind::Long,
            Value::Float => Kind::Float,
            Value::Double => Kind::Double,
            Value::Null | Value::Reference(_) | Value::Fresh(..) => Kind::Reference,
        })
    }

    /// How many entries it takes.
    pub fn width(&self) -> usize {
        self.kind().map_or(1, |kind| usize::from(kind.width()))
    }

    /// What both have in common.
    fn join(&self, other: &Value) -> Value {
        match (self, other) {
            (a, b) if a == b => a.clone(),
            (Value::Null, Value::Reference(ty)) | (Value::Reference(ty), Value::Null) => {
                Value::Reference(ty.clone())
            }
            (Value::Reference(_), Value::Reference(_)) => Value::Reference(Type::object()),
            _ => Value::Unusable,
        }
    }
}

/// What is known at a place. A `long` or `double` is one entry of the stack, and two local variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub locals: Vec<Value>,
    pub stack: Vec<Value>,
}

/// All steps of the data flow together, to come to an end with code that was made to take long.
const MOST_WORK: usize = 100_000_000;
/// All values of all frames together; the largest bodies of real programs need a few hundred thousand.
const MOST_VALUES: usize = 4_000_000;

impl Frame {
    /// The frame in which a method begins.
    pub fn entry(receiver: Option<&ClassName>, signature: &Signature, locals: u16) -> Frame {
        let receiver = receiver.map(|class| Type::Class(class.clone()));
        let mut found = Vec::new();
        for ty in receiver.iter().chain(&signature.parameters) {
            let value = Value::of(ty);
            let width = value.width();
            found.push(value);
            found.resize(found.len() + width - 1, Value::Unusable);
        }
        found.resize(found.len().max(locals.into()), Value::Unusable);
        Frame {
            locals: found,
            stack: Vec::new(),
        }
    }

    /// Joins what is known on another way to the same place. Whether something changed.
    fn join(&mut self, other: &Frame, pc: Pc) -> Result<bool, Refused> {
        if self.stack.len() != other.stack.len() {
            return Err(Refused::unverified(
                pc,
                "the stack is of another height on another way here",
            ));
        }
        let mut changed = join_all(&mut self.locals, &other.locals);
        for (own, other) in self.stack.iter_mut().zip(&other.stack) {
            let joined = own.join(other);
            if joined == Value::Unusable {
                return Err(Refused::unverified(
                    pc,
                    "the stack holds another kind of value on another way here",
                ));
            }
            changed |= joined != *own;
            *own = joined;
        }
        Ok(changed)
    }
}

fn join_all(own: &mut [Value], other: &[Value]) -> bool {
    let mut changed = false;
    for (own, other) in own.iter_mut().zip(other) {
        let joined = own.join(other);
        if joined != *own {
            changed = true;
            *own = joined;
        }
    }
    changed
}

/// The frames in which the blocks begin.
pub(super) fn frames(code: &Code, blocks: &Blocks, entry: Frame) -> Result<Vec<Frame>, Refused> {
    let room = entry.locals.len() + usize::from(code.max_stack);
    if room.saturating_mul(blocks.blocks.len()) > MOST_VALUES {
        let message = format!("{room} values in each of {} blocks", blocks.blocks.len());
        return Err(Refused::TooLarge(message));
    }
    let mut analysis = Analysis {
        code,
        frames: vec![None; blocks.blocks.len()],
        waiting: vec![false; blocks.blocks.len()],
        queue: std::collections::VecDeque::new(),
        work: 0,
    };
    analysis.arrive(BlockId::ENTRY, &entry, Pc(0))?;
    while let Some(id) = analysis.queue.pop_front() {
        analysis.waiting[id.index()] = false;
        analysis.block(id, &blocks.blocks[id.index()])?;
    }
    // Every block is reached, so every one has a frame.
    let frames = analysis.frames.into_iter().collect::<Option<Vec<Frame>>>();
    frames.ok_or_else(|| Refused::unverified(Pc(0), "a block that is not reached"))
}

struct Analysis<'a> {
    code: &'a Code,
    frames: Vec<Option<Frame>>,
    waiting: Vec<bool>,
    queue: std::collections::VecDeque<BlockId>,
    work: usize,
}

impl Analysis<'_> {
    fn arrive(&mut self, id: BlockId, frame: &Frame, pc: Pc) -> Result<(), Refused> {
        self.work += frame.locals.len() + frame.stack.len() + 1;
        if self.work > MOST_WORK {
            return Err(Refused::TooLarge(
                "its types do not settle in time".to_owned(),
            ));
        }
        let changed = match &mut self.frames[id.index()] {
            Some(own) => own.join(frame, pc)?,
            unknown => {
                *unknown = Some(frame.clone());
                true
            }
        };
        if changed && !self.waiting[id.index()] {
            self.waiting[id.index()] = true;
            self.queue.push_back(id);
        }
        Ok(())
    }

    fn block(&mut self, id: BlockId, block: &RawBlock) -> Result<(), Refused> {
        let Some(mut frame) = self.frames[id.index()].clone() else {
            return Ok(());
        };
        // What handlers may find in the local variables: what is there before any of the instructions.
        let mut guarded = frame.locals.clone();
        let instructions = self
            .code
            .instructions
            .get(block.range.clone())
            .unwrap_or_default();
        let mut last = Pc(0);
        for (pc, instruction) in instructions {
            frame.step(*pc, instruction, usize::from(self.code.max_stack))?;
            if matches!(
                instruction,
                Instruction::Store(..) | Instruction::Invoke(..)
            ) {
                join_all(&mut guarded, &frame.locals);
                self.work += guarded.len();
            }
            last = *pc;
        }
        self.work += instructions.len();
        for next in &block.successors {
            self.arrive(*next, &frame, last)?;
        }
        for (class, target) in &block.handlers {
            let throwable = || ClassName::new("java/lang/Throwable");
            let caught = Type::Class(class.clone().unwrap_or_else(throwable));
            let handler = Frame {
                locals: guarded.clone(),
                stack: vec![Value::Reference(caught)],
            };
            self.arrive(*target, &handler, last)?;
        }
        Ok(())
    }
}

impl Frame {
    /// What an instruction makes of it.
    pub fn step(&mut self, pc: Pc, instruction: &Instruction, most: usize) -> Result<(), Refused> {
        let mut machine = Machine { frame: self, pc };
        machine.step(instruction)?;
        // `most` counts entries of one word; it is a bound of values all the more.
        if self.stack.len() > most {
            return Err(Refused::unverified(
                pc,
                "the stack is higher than the method says",
            ));
        }
        Ok(())
    }
}

/// A frame at an instruction.
struct Machine<'a> {
    frame: &'a mut Frame,
    pc: Pc,
}

impl Machine<'_> {
    fn wrong<T>(&self, what: &str) -> Result<T, Refused> {
        Err(Refused::unverified(self.pc, what))
    }

    fn push(&mut self, value: Value) {
        self.frame.stack.push(value);
    }

    fn pop(&mut self) -> Result<Value, Refused> {
        match self.frame.stack.pop() {
            Some(value) => Ok(value),
            None => self.wrong("the stack is empty"),
        }
    }

    fn pop_kind(&mut self, kind: Kind) -> Result<Value, Refused> {
        let value = self.pop()?;
        if value.kind() == Some(kind) {
            Ok(value)
        } else {
            self.wrong("a value of another kind is expected")
        }
    }

    /// Pops a reference to an object whose constructor was called.
    fn pop_object(&mut self) -> Result<Value, Refused> {
        match self.pop_kind(Kind::Reference)? {
            Value::Fresh(..) => self.wrong("an object is used before its constructor is called"),
            value => Ok(value),
        }
    }

    fn pop_arguments(&mut self, signature: &Signature) -> Result<(), Refused> {
        for parameter in signature.parameters.iter().rev() {
            match parameter.kind() {
                Kind::Reference => self.pop_object()?,
                kind => self.pop_kind(kind)?,
            };
        }
        Ok(())
    }

    fn local(&mut self, slot: usize) -> Result<&mut Value, Refused> {
        let pc = self.pc;
        let local = self.frame.locals.get_mut(slot);
        local.ok_or_else(|| Refused::unverified(pc, "a local variable that is not there"))
    }

    fn load(&mut self, kind: Kind, slot: usize) -> Result<(), Refused> {
        let value = self.local(slot)?.clone();
        if value.kind() != Some(kind) {
            return self.wrong("a local variable of another kind is expected");
        }
        self.push(value);
        Ok(())
    }

    fn store(&mut self, kind: Kind, slot: usize) -> Result<(), Refused> {
        let value = self.pop_kind(kind)?;
        // It may overwrite half of what was there before.
        if let Some(before) = slot.checked_sub(1)
            && let Some(half) = self.frame.locals.get_mut(before)
            && half.width() == 2
        {
            *half = Value::Unusable;
        }
        let width = value.width();
        *self.local(slot)? = value;
        if width == 2 {
            *self.local(slot + 1)? = Value::Unusable;
        }
        Ok(())
    }

    fn step(&mut self, instruction: &Instruction) -> Result<(), Refused> {
        match instruction {
            Instruction::Nop | Instruction::Goto(_) => {}
            Instruction::Push(constant) => self.push(of_constant(constant)),
            Instruction::Load(kind, slot) => self.load(*kind, slot.0.into())?,
            Instruction::Store(kind, slot) => self.store(*kind, slot.0.into())?,
            Instruction::LoadElement(element) => self.load_element(*element)?,
            Instruction::StoreElement(element) => {
                self.pop_kind(element.kind())?;
                self.pop_kind(Kind::Int)?;
                self.pop_object()?;
            }
            Instruction::Stack(op) => self.stack(*op)?,
            Instruction::Binary(operator, kind) => {
                self.pop_kind(if operator.is_shift() {
                    Kind::Int
                } else {
                    *kind
                })?;
                self.pop_kind(*kind)?;
                self.push(Value::of_kind(*kind));
            }
            Instruction::Negate(kind) => {
                self.pop_kind(*kind)?;
                self.push(Value::of_kind(*kind));
            }
            Instruction::Increment(slot, _) => {
                if *self.local(slot.0.into())? != Value::Int {
                    return self.wrong("an `int` is expected");
                }
            }
            Instruction::Convert(kind, ty) => {
                self.pop_kind(*kind)?;
                self.push(Value::of(ty));
            }
            Instruction::Compare(comparison) => {
                self.pop_kind(comparison.kind())?;
                self.pop_kind(comparison.kind())?;
                self.push(Value::Int);
            }
            Instruction::If(_, against, _) => self.compare(*against)?,
            Instruction::Switch(_) => {
                self.pop_kind(Kind::Int)?;
            }
            Instruction::Subroutine(_) | Instruction::EndSubroutine(_) => {
                let what = "subroutines, which compilers made until Java 5";
                return Err(Refused::unsupported(self.pc, what));
            }
            other => self.step_with_objects(other)?,
        }
        Ok(())
    }

    fn compare(&mut self, against: Against) -> Result<(), Refused> {
        match against {
            Against::Zero => self.pop_kind(Kind::Int)?,
            Against::Null => self.pop_object()?,
            Against::Int => {
                self.pop_kind(Kind::Int)?;
                self.pop_kind(Kind::Int)?
            }
            Against::Reference => {
                self.pop_object()?;
                self.pop_object()?
            }
        };
        Ok(())
    }

    fn step_with_objects(&mut self, instruction: &Instruction) -> Result<(), Refused> {
        match instruction {
            Instruction::Return(Some(Kind::Reference))
            | Instruction::Throw
            | Instruction::Monitor(_) => {
                self.pop_object()?;
            }
            Instruction::Return(kind) => {
                kind.map(|kind| self.pop_kind(kind)).transpose()?;
            }
            Instruction::GetField(field) => {
                self.pop_object()?;
                self.push(Value::of(&field.ty));
            }
            Instruction::PutField(field) => {
                self.pop_kind(field.ty.kind())?;
                self.pop_object()?;
            }
            Instruction::GetStatic(field) => self.push(Value::of(&field.ty)),
            Instruction::PutStatic(field) => {
                self.pop_kind(field.ty.kind())?;
            }
            Instruction::Invoke(kind, method) => {
                self.pop_arguments(&method.signature)?;
                if method.is_constructor() {
                    return self.construct();
                }
                if *kind != InvokeKind::Static {
                    self.pop_object()?;
                }
                self.push_result(&method.signature);
            }
            Instruction::InvokeDynamic(site) => {
                self.pop_arguments(&site.ty)?;
                self.push_result(&site.ty);
            }
            Instruction::New(class) => self.push(Value::Fresh(self.pc, class.clone())),
            Instruction::NewArray(ty, lengths) => {
                for _ in 0..*lengths {
                    self.pop_kind(Kind::Int)?;
                }
                self.push(Value::Reference(ty.clone()));
            }
            Instruction::Length => {
                self.pop_object()?;
                self.push(Value::Int);
            }
            Instruction::Cast(ty) => {
                self.pop_object()?;
                self.push(Value::Reference(ty.clone()));
            }
            Instruction::InstanceOf(_) => {
                self.pop_object()?;
                self.push(Value::Int);
            }
            // All others were dealt with before.
            _ => {}
        }
        Ok(())
    }

    fn push_result(&mut self, signature: &Signature) {
        if let Some(result) = &signature.result {
            self.push(Value::of(result));
        }
    }

    /// A constructor makes an object of what was fresh until then, wherever it lies. Of `this`, which a constructor
    /// calls another one on, nothing changes here.
    fn construct(&mut self) -> Result<(), Refused> {
        let receiver = self.pop_kind(Kind::Reference)?;
        if let Value::Fresh(_, class) = &receiver {
            let made = Value::Reference(Type::Class(class.clone()));
            let frame = &mut *self.frame;
            for value in frame.locals.iter_mut().chain(&mut frame.stack) {
                if *value == receiver {
                    *value = made.clone();
                }
            }
        }
        Ok(())
    }

    fn load_element(&mut self, element: Element) -> Result<(), Refused> {
        self.pop_kind(Kind::Int)?;
        let array = self.pop_object()?;
        self.push(match (element, &array) {
            (Element::Reference, Value::Reference(ty)) => match ty.element() {
                Some(element) if element.kind() == Kind::Reference => Value::of(element),
                _ => Value::of_kind(Kind::Reference),
            },
            (Element::Reference, _) => Value::Null,
            (element, _) => Value::of_kind(element.kind()),
        });
        Ok(())
    }

    fn stack(&mut self, op: StackOp) -> Result<(), Refused> {
        let pc = self.pc;
        rearrange(&mut self.frame.stack, op, Value::width)
            .ok_or_else(|| Refused::unverified(pc, "the stack does not hold what is to be moved"))
    }
}

fn of_constant(constant: &Constant) -> Value {
    constant.ty().map_or(Value::Null, |ty| Value::of(&ty))
}

/// Moves the values of a stack, of which some are two entries wide. Nothing where there are too few, or one would be cut.
pub(super) fn rearrange<T: Clone>(
    stack: &mut Vec<T>,
    op: StackOp,
    width: impl Fn(&T) -> usize,
) -> Option<()> {
    // What is copied, in entries, and what it is put below.
    let (copied, below) = match op {
        StackOp::Pop => return take(stack, 1, &width).map(|_| ()),
        StackOp::Pop2 => return take(stack, 2, &width).map(|_| ()),
        StackOp::Swap => {
            let top = take(stack, 1, &width)?;
            let under = take(stack, 1, &width)?;
            stack.extend(top);
            stack.extend(under);
            return Some(());
        }
        StackOp::Dup => (1, 0),
        StackOp::DupX1 => (1, 1),
        StackOp::DupX2 => (1, 2),
        StackOp::Dup2 => (2, 0),
        StackOp::Dup2X1 => (2, 1),
        StackOp::Dup2X2 => (2, 2),
    };
    let top = take(stack, copied, &width)?;
    let under = take(stack, below, &width)?;
    stack.extend(top.iter().cloned());
    stack.extend(under);
    stack.extend(top);
    Some(())
}

/// Takes values of so many entries from the top.
fn take<T>(stack: &mut Vec<T>, entries: usize, width: impl Fn(&T) -> usize) -> Option<Vec<T>> {
    let mut taken = 0;
    let mut at = stack.len();
    while taken < entries {
        at = at.checked_sub(1)?;
        taken += width(stack.get(at)?);
    }
    (taken == entries).then(|| stack.split_off(at))
}

/// How many values an instruction takes from the stack at most, those that it puts back included.
pub(super) fn taken(instruction: &Instruction) -> usize {
    match instruction {
        Instruction::Invoke(kind, method) => {
            method.signature.parameters.len() + usize::from(*kind != InvokeKind::Static)
        }
        Instruction::InvokeDynamic(site) => site.ty.parameters.len(),
        Instruction::NewArray(_, lengths) => usize::from(*lengths),
        Instruction::Nop
        | Instruction::Push(_)
        | Instruction::Load(..)
        | Instruction::Increment(..)
        | Instruction::Goto(_)
        | Instruction::GetStatic(_)
        | Instruction::New(_)
        | Instruction::Return(None) => 0,
        // `dup2_x2` is the one that reaches deepest.
        Instruction::Stack(_) => 4,
        _ => 3,
    }
}
