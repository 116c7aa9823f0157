//! What each instruction makes of a frame.

use super::{Frame, VerificationType, rearrange};
use crate::front::java::classfile::{
    Against, Element, Instruction, InvokeKind, Pc, PoolConstant, StackOp,
};
use crate::front::java::flow::error::Refused;
use crate::front::java::types::{ComputationalType, JavaType, MethodSignature};

impl Frame {
    /// What an instruction makes of it.
    pub(crate) fn step(
        &mut self,
        pc: Pc,
        instruction: &Instruction,
        most: usize,
    ) -> Result<(), Refused> {
        let mut machine = FrameMachine { frame: self, pc };
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
struct FrameMachine<'a> {
    frame: &'a mut Frame,
    pc: Pc,
}

impl FrameMachine<'_> {
    fn wrong<T>(&self, what: &str) -> Result<T, Refused> {
        Err(Refused::unverified(self.pc, what))
    }

    fn push(&mut self, value: VerificationType) {
        self.frame.stack.push(value);
    }

    fn pop(&mut self) -> Result<VerificationType, Refused> {
        match self.frame.stack.pop() {
            Some(value) => Ok(value),
            None => self.wrong("the stack is empty"),
        }
    }

    fn pop_kind(&mut self, kind: ComputationalType) -> Result<VerificationType, Refused> {
        let value = self.pop()?;
        if value.kind() == Some(kind) {
            Ok(value)
        } else {
            self.wrong("a value of another kind is expected")
        }
    }

    /// Pops a reference to an object whose constructor was called.
    fn pop_object(&mut self) -> Result<VerificationType, Refused> {
        match self.pop_kind(ComputationalType::Reference)? {
            VerificationType::Fresh(..) => {
                self.wrong("an object is used before its constructor is called")
            }
            value => Ok(value),
        }
    }

    fn pop_arguments(&mut self, signature: &MethodSignature) -> Result<(), Refused> {
        for parameter in signature.parameters.iter().rev() {
            match parameter.kind() {
                ComputationalType::Reference => self.pop_object()?,
                kind => self.pop_kind(kind)?,
            };
        }
        Ok(())
    }

    fn local(&mut self, slot: usize) -> Result<&mut VerificationType, Refused> {
        let pc = self.pc;
        let local = self.frame.locals.get_mut(slot);
        local.ok_or_else(|| Refused::unverified(pc, "a local variable that is not there"))
    }

    fn load(&mut self, kind: ComputationalType, slot: usize) -> Result<(), Refused> {
        let value = self.local(slot)?.clone();
        if value.kind() != Some(kind) {
            return self.wrong("a local variable of another kind is expected");
        }
        self.push(value);
        Ok(())
    }

    fn store(&mut self, kind: ComputationalType, slot: usize) -> Result<(), Refused> {
        let value = self.pop_kind(kind)?;
        // It may overwrite half of what was there before.
        if let Some(before) = slot.checked_sub(1)
            && let Some(half) = self.frame.locals.get_mut(before)
            && half.width() == 2
        {
            *half = VerificationType::Unusable;
        }
        let width = value.width();
        *self.local(slot)? = value;
        if width == 2 {
            *self.local(slot + 1)? = VerificationType::Unusable;
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
                self.pop_kind(ComputationalType::Int)?;
                self.pop_object()?;
            }
            Instruction::Stack(op) => self.stack(*op)?,
            Instruction::Binary(operator, kind) => {
                self.pop_kind(if operator.is_shift() {
                    ComputationalType::Int
                } else {
                    *kind
                })?;
                self.pop_kind(*kind)?;
                self.push(VerificationType::of_kind(*kind));
            }
            Instruction::Negate(kind) => {
                self.pop_kind(*kind)?;
                self.push(VerificationType::of_kind(*kind));
            }
            Instruction::Increment(slot, _) => {
                if *self.local(slot.0.into())? != VerificationType::Int {
                    return self.wrong("an `int` is expected");
                }
            }
            Instruction::Convert(kind, ty) => {
                self.pop_kind(*kind)?;
                self.push(VerificationType::of(ty));
            }
            Instruction::Compare(comparison) => {
                self.pop_kind(comparison.kind())?;
                self.pop_kind(comparison.kind())?;
                self.push(VerificationType::Int);
            }
            Instruction::If(_, against, _) => self.compare(*against)?,
            Instruction::Switch(_) => {
                self.pop_kind(ComputationalType::Int)?;
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
            Against::Zero => self.pop_kind(ComputationalType::Int)?,
            Against::Null => self.pop_object()?,
            Against::Int => {
                self.pop_kind(ComputationalType::Int)?;
                self.pop_kind(ComputationalType::Int)?
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
            Instruction::Return(Some(ComputationalType::Reference))
            | Instruction::Throw
            | Instruction::Monitor(_) => {
                self.pop_object()?;
            }
            Instruction::Return(kind) => {
                kind.map(|kind| self.pop_kind(kind)).transpose()?;
            }
            Instruction::GetField(field) => {
                self.pop_object()?;
                self.push(VerificationType::of(&field.ty));
            }
            Instruction::PutField(field) => {
                self.pop_kind(field.ty.kind())?;
                self.pop_object()?;
            }
            Instruction::GetStatic(field) => self.push(VerificationType::of(&field.ty)),
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
            Instruction::New(class) => self.push(VerificationType::Fresh(self.pc, class.clone())),
            Instruction::NewArray(ty, lengths) => {
                for _ in 0..*lengths {
                    self.pop_kind(ComputationalType::Int)?;
                }
                self.push(VerificationType::Reference(ty.clone()));
            }
            Instruction::Length => {
                self.pop_object()?;
                self.push(VerificationType::Int);
            }
            Instruction::Cast(ty) => {
                self.pop_object()?;
                self.push(VerificationType::Reference(ty.clone()));
            }
            Instruction::InstanceOf(_) => {
                self.pop_object()?;
                self.push(VerificationType::Int);
            }
            // All others were dealt with before.
            _ => {}
        }
        Ok(())
    }

    fn push_result(&mut self, signature: &MethodSignature) {
        if let Some(result) = &signature.result {
            self.push(VerificationType::of(result));
        }
    }

    /// A constructor makes an object of what was fresh until then, wherever it lies. Of `this`, which a constructor
    /// calls another one on, nothing changes here.
    fn construct(&mut self) -> Result<(), Refused> {
        let receiver = self.pop_kind(ComputationalType::Reference)?;
        if let VerificationType::Fresh(_, class) = &receiver {
            let made = VerificationType::Reference(JavaType::Class(class.clone()));
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
        self.pop_kind(ComputationalType::Int)?;
        let array = self.pop_object()?;
        self.push(match (element, &array) {
            (Element::Reference, VerificationType::Reference(ty)) => match ty.element() {
                Some(element) if element.kind() == ComputationalType::Reference => {
                    VerificationType::of(element)
                }
                _ => VerificationType::of_kind(ComputationalType::Reference),
            },
            (Element::Reference, _) => VerificationType::Null,
            (element, _) => VerificationType::of_kind(element.kind()),
        });
        Ok(())
    }

    fn stack(&mut self, op: StackOp) -> Result<(), Refused> {
        let pc = self.pc;
        rearrange(&mut self.frame.stack, op, VerificationType::width)
            .ok_or_else(|| Refused::unverified(pc, "the stack does not hold what is to be moved"))
    }
}

fn of_constant(constant: &PoolConstant) -> VerificationType {
    constant
        .ty()
        .map_or(VerificationType::Null, |ty| VerificationType::of(&ty))
}
