//! What each instruction makes of the stack: steps, expressions, and the exit of the block.

use super::Lifter;
use super::operands::Operand;
use crate::front::java::classfile::{
    Against, ArithmeticOp, Comparison, Instruction, InvokeKind, MethodRef, Pc, Relation,
};
use crate::front::java::flow::blocks::RawBlock;
use crate::front::java::flow::error::Refused;
use crate::front::java::flow::frames::VerificationType;
use crate::front::java::flow::graph::BlockExit;
use crate::front::java::flow::sites::call_site;
use crate::front::java::flow::stack::element_type;
use crate::front::java::tree::{
    DynamicCall, Invocation, JavaExpr, New, Operands, StepKind, VariableId,
};
use crate::front::java::types::{ComputationalType, JavaType};

impl Lifter<'_> {
    /// Runs an instruction. An exit, where it ends the block by itself.
    pub(super) fn instruction(
        &mut self,
        index: usize,
        instruction: &Instruction,
        block: &RawBlock,
    ) -> Result<Option<BlockExit>, Refused> {
        match instruction {
            Instruction::Nop | Instruction::Goto(_) => {}
            Instruction::Push(constant) => {
                let kind = constant.kind();
                self.push(JavaExpr::Constant(constant.clone()), kind);
            }
            Instruction::Load(kind, _) => self.load(index, *kind)?,
            Instruction::Store(..) => self.store_local(index)?,
            Instruction::Increment(_, by) => {
                let variable = self.local(index)?;
                let (old, by) = (JavaExpr::Variable(variable), JavaExpr::int(i32::from(*by)));
                let (old, by) = (Box::new(old), Box::new(by));
                let sum = JavaExpr::Binary(ArithmeticOp::Add, ComputationalType::Int, old, by);
                self.emit(StepKind::Assign(variable, sum));
            }
            Instruction::Stack(op) => self.stack_op(*op)?,
            Instruction::Return(kind) => return self.end(kind.is_some()).map(Some),
            Instruction::Throw => {
                let value = self.pop()?;
                self.evaluate_rest();
                return Ok(Some(BlockExit::Throw(self.place, value)));
            }
            Instruction::If(..) | Instruction::Switch(_) => {
                return self.branch(instruction, block).map(Some);
            }
            Instruction::Invoke(kind, method) => self.invoke(*kind, method)?,
            Instruction::InvokeDynamic(site) => {
                let arguments = self.pop_many(site.ty.parameters.len())?;
                let what = call_site(site, self.bootstraps);
                let call = DynamicCall {
                    site: what.ok_or_else(|| self.unverified("a call site of nothing"))?,
                    signature: site.ty.clone(),
                    arguments,
                };
                let result = site.ty.result.clone();
                self.with_result(result, |result| StepKind::Dynamic(result, call));
            }
            Instruction::New(_) => self.stack.push(Operand::Fresh(self.place.pc)),
            Instruction::NewArray(ty, lengths) => {
                let lengths = self.pop_many(usize::from(*lengths))?;
                let ty = ty.clone();
                let result = self.temporary(ty.clone());
                self.emit(StepKind::NewArray(result, ty, lengths));
                self.push(JavaExpr::Variable(result), ComputationalType::Reference);
            }
            Instruction::Monitor(monitor) => {
                let object = self.pop()?;
                self.emit(StepKind::Monitor(*monitor, object));
            }
            Instruction::PutField(_) | Instruction::PutStatic(_) | Instruction::StoreElement(_) => {
                self.write(instruction)?;
            }
            other => self.calculate(other)?,
        }
        Ok(None)
    }

    pub(super) fn local(&self, index: usize) -> Result<VariableId, Refused> {
        let variable = self.variables.of(index);
        variable.ok_or_else(|| self.unverified("a local variable without a value"))
    }

    pub(super) fn load(&mut self, index: usize, kind: ComputationalType) -> Result<(), Refused> {
        let slot = match self.code.instructions.get(index) {
            Some((_, Instruction::Load(_, slot))) => usize::from(slot.0),
            _ => 0,
        };
        if let Some(VerificationType::Fresh(made, _)) = self.frame.locals.get(slot) {
            self.stack.push(Operand::Fresh(*made));
        } else {
            let variable = self.local(index)?;
            self.push(JavaExpr::Variable(variable), kind);
        }
        Ok(())
    }

    pub(super) fn store_local(&mut self, index: usize) -> Result<(), Refused> {
        if let Some(Operand::Fresh(_)) = self.stack.last() {
            let what = "an object is kept in a variable before its constructor is called";
            return Err(Refused::unsupported(self.place.pc, what));
        }
        let variable = self.local(index)?;
        self.store(variable)
    }

    pub(super) fn end(&mut self, has_value: bool) -> Result<BlockExit, Refused> {
        let value = if has_value { Some(self.pop()?) } else { None };
        self.evaluate_rest();
        Ok(BlockExit::Return(self.place, value))
    }

    pub(super) fn branch(
        &mut self,
        instruction: &Instruction,
        block: &RawBlock,
    ) -> Result<BlockExit, Refused> {
        let place = self.place;
        let exit = match instruction {
            Instruction::If(relation, against, _) => {
                let condition = self.condition(*relation, *against)?;
                let (then, otherwise) = (self.target(block, 0)?, self.target(block, 1)?);
                BlockExit::If {
                    place,
                    condition,
                    then,
                    otherwise,
                }
            }
            Instruction::Switch(switch) => {
                let value = self.pop()?;
                let mut cases = Vec::with_capacity(switch.cases.len());
                for (number, (case, _)) in switch.cases.iter().enumerate() {
                    cases.push((*case, self.target(block, number)?));
                }
                let default = self.target(block, switch.cases.len())?;
                BlockExit::Switch {
                    place,
                    value,
                    cases,
                    default,
                }
            }
            _ => return Err(self.unverified("no branch")),
        };
        self.flush_before(exit)
    }

    pub(super) fn condition(
        &mut self,
        relation: Relation,
        against: Against,
    ) -> Result<JavaExpr, Refused> {
        let (operands, right) = match against {
            Against::Zero => (
                Operands::Numbers(ComputationalType::Int),
                Some(JavaExpr::int(0)),
            ),
            Against::Int => (Operands::Numbers(ComputationalType::Int), None),
            Against::Null => (Operands::References, Some(JavaExpr::null())),
            Against::Reference => (Operands::References, None),
        };
        let right = match right {
            Some(right) => right,
            None => self.pop()?,
        };
        let left = self.pop()?;
        if against == Against::Zero
            && let JavaExpr::Compare(comparison, a, b) = left
        {
            return Ok(compared(relation, comparison, a, b));
        }
        Ok(JavaExpr::Relation(
            relation,
            operands,
            Box::new(left),
            Box::new(right),
        ))
    }

    pub(super) fn invoke(&mut self, kind: InvokeKind, method: &MethodRef) -> Result<(), Refused> {
        let arguments = self.pop_many(method.signature.parameters.len())?;
        if method.is_constructor()
            && let Some(Operand::Fresh(made)) = self.stack.last()
        {
            let made = *made;
            self.stack.pop();
            return self.construct(made, method, arguments);
        }
        let receiver = match kind {
            InvokeKind::Static => None,
            _ => Some(self.pop()?),
        };
        let call = Invocation {
            kind,
            method: method.clone(),
            receiver,
            arguments,
        };
        let result = method.signature.result.clone();
        self.with_result(result, |result| StepKind::Call(result, call));
        Ok(())
    }

    pub(super) fn construct(
        &mut self,
        made: Pc,
        constructor: &MethodRef,
        arguments: Vec<JavaExpr>,
    ) -> Result<(), Refused> {
        let class = match self
            .frame
            .stack
            .iter()
            .find(|value| matches!(value, VerificationType::Fresh(pc, _) if *pc == made))
        {
            Some(VerificationType::Fresh(_, class)) => class.clone(),
            _ => return Err(self.unverified("a constructor of nothing")),
        };
        let result = self.temporary(JavaType::Class(class.clone()));
        let constructor = constructor.clone();
        self.emit(StepKind::New(
            result,
            New {
                class,
                constructor,
                arguments,
            },
        ));
        for entry in &mut self.stack {
            if *entry == Operand::Fresh(made) {
                *entry = Operand::Value(JavaExpr::Variable(result), ComputationalType::Reference);
            }
        }
        Ok(())
    }

    /// Adds a step whose result, if there is one, is pushed.
    pub(super) fn with_result(
        &mut self,
        ty: Option<JavaType>,
        step: impl FnOnce(Option<VariableId>) -> StepKind,
    ) {
        let kind = ty.as_ref().map(JavaType::kind);
        let result = ty.map(|ty| self.temporary(ty));
        self.emit(step(result));
        if let (Some(result), Some(kind)) = (result, kind) {
            self.push(JavaExpr::Variable(result), kind);
        }
    }

    pub(super) fn write(&mut self, instruction: &Instruction) -> Result<(), Refused> {
        let value = self.pop()?;
        let step = match instruction {
            Instruction::PutField(field) => StepKind::SetField(self.pop()?, field.clone(), value),
            Instruction::PutStatic(field) => StepKind::SetStatic(field.clone(), value),
            Instruction::StoreElement(element) => {
                let index = self.pop()?;
                let array = self.pop()?;
                // The frame is that before the instruction: array, index, value.
                let array_type = self.frame.stack.iter().rev().nth(2);
                let ty = element_type(*element, array_type);
                StepKind::SetElement(array, index, value, ty)
            }
            _ => return Err(self.unverified("nothing that is written to")),
        };
        self.emit(step);
        Ok(())
    }

    /// Instructions that make one value of others.
    pub(super) fn calculate(&mut self, instruction: &Instruction) -> Result<(), Refused> {
        let (expression, kind) = match instruction {
            Instruction::LoadElement(element) => {
                let index = self.pop_boxed()?;
                let array = self.pop_boxed()?;
                let array_type = self.frame.stack.iter().rev().nth(1);
                let ty = element_type(*element, array_type);
                (JavaExpr::Element(array, index, ty), element.kind())
            }
            Instruction::Binary(operator, kind) => {
                let right = self.pop_boxed()?;
                (
                    JavaExpr::Binary(*operator, *kind, self.pop_boxed()?, right),
                    *kind,
                )
            }
            Instruction::Negate(kind) => (JavaExpr::Negate(*kind, self.pop_boxed()?), *kind),
            Instruction::Convert(kind, ty) => (
                JavaExpr::Convert(*kind, ty.clone(), self.pop_boxed()?),
                ty.kind(),
            ),
            Instruction::Compare(comparison) => {
                let right = self.pop_boxed()?;
                (
                    JavaExpr::Compare(*comparison, self.pop_boxed()?, right),
                    ComputationalType::Int,
                )
            }
            Instruction::GetField(field) => (
                JavaExpr::Field(self.pop_boxed()?, field.clone()),
                field.ty.kind(),
            ),
            Instruction::GetStatic(field) => (JavaExpr::Static(field.clone()), field.ty.kind()),
            Instruction::Length => (JavaExpr::Length(self.pop_boxed()?), ComputationalType::Int),
            Instruction::Cast(ty) => (
                JavaExpr::Cast(ty.clone(), self.pop_boxed()?),
                ComputationalType::Reference,
            ),
            Instruction::InstanceOf(ty) => (
                JavaExpr::InstanceOf(ty.clone(), self.pop_boxed()?),
                ComputationalType::Int,
            ),
            _ => return Err(self.unverified("an instruction that makes no value")),
        };
        self.push(expression, kind);
        Ok(())
    }
}

/// What a jump on the result of a comparison asks: the relation itself where `NaN` agrees with it, else the negation of
/// its opposite.
fn compared(
    relation: Relation,
    comparison: Comparison,
    a: Box<JavaExpr>,
    b: Box<JavaExpr>,
) -> JavaExpr {
    let operands = Operands::Numbers(comparison.kind());
    let jumps_on_nan = comparison.of_nan().map(|result| match relation {
        Relation::Equal => result == 0,
        Relation::NotEqual => result != 0,
        Relation::Less => result < 0,
        Relation::AtLeast => result >= 0,
        Relation::Greater => result > 0,
        Relation::AtMost => result <= 0,
    });
    let holds_on_nan = relation == Relation::NotEqual;
    if jumps_on_nan.is_none_or(|jumps| jumps == holds_on_nan) {
        JavaExpr::Relation(relation, operands, a, b)
    } else {
        JavaExpr::Not(Box::new(JavaExpr::Relation(
            relation.negated(),
            operands,
            a,
            b,
        )))
    }
}
