//! The stack away: each block is run with expressions in the place of values.
//!
//! An expression stays on the stack until it is used, so that `a + b * c` comes out whole. It is put into a variable of
//! its own before something happens that could change its value or be told apart by the exception it may raise; then the
//! order in which things happen stays that of the machine. What is on the stack where a block ends is put into variables
//! that the next blocks begin with.

use std::collections::BTreeMap;

use super::blocks::{Blocks, RawBlock};
use super::error::Refused;
use super::frames::{Frame, Value, rearrange};
use super::graph::{Block, BlockId, Exit, Flow, Handler};
use super::sites::call_site;
use super::stack::{Places, element_type, temporary};
use super::variables::Variables;
use crate::front::java::classfile::{
    Against, Bootstrap, Code, Comparison, Instruction, InvokeKind, MethodRef, Operator, Pc,
    Relation, StackOp,
};
use crate::front::java::tree::{
    Call, DynamicCall, Expr, New, Operands, Place, Role, Step, StepKind, Variable, VariableId,
    joined, of_kind,
};
use crate::front::java::types::{Kind, Type};

/// What lies on the stack.
#[derive(Clone, Debug, PartialEq)]
enum Entry {
    /// A value and its kind.
    Value(Expr, Kind),
    /// An object whose constructor has yet to be called, by the instruction that made it.
    Fresh(Pc),
}

impl Entry {
    fn width(&self) -> usize {
        match self {
            Entry::Value(_, kind) => usize::from(kind.width()),
            Entry::Fresh(_) => 1,
        }
    }

    fn expression(&self) -> Option<&Expr> {
        match self {
            Entry::Value(expression, _) => Some(expression),
            Entry::Fresh(_) => None,
        }
    }
}

/// Deeper expressions are taken apart, for everything that walks a tree does it by recursion.
const DEEPEST: usize = 24;

/// Makes the graph of a body.
pub(super) fn lift(
    code: &Code,
    blocks: &Blocks,
    frames: &[Frame],
    variables: Variables,
    bootstraps: &[Bootstrap],
) -> Result<Flow, Refused> {
    let mut flow = Flow {
        blocks: Vec::new(),
        variables: variables.variables.clone(),
        parameters: variables.parameters.clone(),
    };
    let places = Places::of(code, blocks, frames, &mut flow)?;
    let mut lifter = Lifter {
        code,
        bootstraps,
        flow,
        variables,
        places,
        typed: Vec::new(),
        stack: Vec::new(),
        steps: Vec::new(),
        frame: Frame {
            locals: Vec::new(),
            stack: Vec::new(),
        },
        guarded: false,
        place: Place {
            pc: Pc(0),
            line: None,
        },
    };
    for (number, block) in blocks.blocks.iter().enumerate() {
        lifter.block(number, block, &frames[number])?;
    }
    lifter.finish_types();
    free_entry(&mut lifter.flow);
    Ok(lifter.flow)
}

/// Nothing leads to the entry but the call itself: a loop that begins with the method gets a block of its own.
fn free_entry(flow: &mut Flow) {
    if flow.predecessors().first().is_none_or(Vec::is_empty) {
        return;
    }
    let first = flow.block(BlockId::ENTRY).clone();
    let copy = flow.add(first);
    for block in &mut flow.blocks {
        let handlers = block.handlers.iter_mut().map(|handler| &mut handler.target);
        for target in block.exit.targets_mut().into_iter().chain(handlers) {
            if *target == BlockId::ENTRY {
                *target = copy;
            }
        }
    }
    let (steps, handlers) = (Vec::new(), Vec::new());
    *flow.block_mut(BlockId::ENTRY) = Block {
        steps,
        exit: Exit::Goto(copy),
        handlers,
    };
}

struct Lifter<'a> {
    code: &'a Code,
    bootstraps: &'a [Bootstrap],
    variables: Variables,
    flow: Flow,
    places: Places,
    /// What is assigned to variables of references of which the class file says nothing.
    typed: Vec<(VariableId, Option<Type>)>,
    stack: Vec<Entry>,
    steps: Vec<Step>,
    frame: Frame,
    /// Whether a handler stands guard over the block.
    guarded: bool,
    place: Place,
}

impl Lifter<'_> {
    fn block(&mut self, number: usize, block: &RawBlock, frame: &Frame) -> Result<(), Refused> {
        self.frame = frame.clone();
        self.guarded = !block.handlers.is_empty();
        self.stack = self.entries(number, frame);
        self.steps = Vec::new();
        let mut exit = None;
        for index in block.range.clone() {
            let Some((pc, instruction)) = self.code.instructions.get(index) else {
                continue;
            };
            self.place = Place {
                pc: *pc,
                line: self.code.line(*pc),
            };
            exit = self.instruction(index, instruction, block)?;
            self.frame
                .step(*pc, instruction, usize::from(self.code.max_stack))?;
        }
        let exit = match exit {
            Some(exit) => exit,
            None => {
                self.flush(number)?;
                self.next(block)?
            }
        };
        let handlers = block.handlers.iter().map(|(class, target)| {
            let variable = self.places.caught(*target);
            let variable = variable.ok_or_else(|| self.unverified("a handler takes nothing"))?;
            Ok(Handler {
                class: class.clone(),
                variable,
                target: *target,
            })
        });
        let handlers = handlers.collect::<Result<Vec<Handler>, Refused>>()?;
        let steps = std::mem::take(&mut self.steps);
        self.flow.add(Block {
            steps,
            exit,
            handlers,
        });
        Ok(())
    }

    /// What lies on the stack where a block begins.
    fn entries(&self, number: usize, frame: &Frame) -> Vec<Entry> {
        let places = self.places.entry(number).iter().zip(&frame.stack);
        let entries = places.map(|(variable, value)| match (variable, value) {
            (_, Value::Fresh(made, _)) => Entry::Fresh(*made),
            (Some(variable), value) => {
                Entry::Value(Expr::Variable(*variable), value.kind().unwrap_or(Kind::Int))
            }
            (None, _) => Entry::Value(Expr::int(0), Kind::Int),
        });
        entries.collect()
    }

    fn unverified(&self, what: &str) -> Refused {
        Refused::unverified(self.place.pc, what)
    }

    /// The only block that may come next.
    fn next(&self, block: &RawBlock) -> Result<Exit, Refused> {
        match block.successors.as_slice() {
            [next] => Ok(Exit::Goto(*next)),
            _ => Err(self.unverified("it goes on nowhere")),
        }
    }

    fn target(&self, block: &RawBlock, number: usize) -> Result<BlockId, Refused> {
        let target = block.successors.get(number).copied();
        target.ok_or_else(|| self.unverified("a jump to nowhere"))
    }

    // The stack.

    fn push(&mut self, expression: Expr, kind: Kind) {
        self.stack.push(Entry::Value(expression, kind));
        if self
            .stack
            .last()
            .and_then(Entry::expression)
            .is_some_and(|e| e.depth() > DEEPEST)
        {
            self.spill_at(self.stack.len() - 1);
        }
    }

    fn pop(&mut self) -> Result<Expr, Refused> {
        match self.stack.pop() {
            Some(Entry::Value(expression, _)) => Ok(expression),
            _ => Err(self.unverified("the stack holds no value")),
        }
    }

    fn pop_boxed(&mut self) -> Result<Box<Expr>, Refused> {
        self.pop().map(Box::new)
    }

    fn pop_many(&mut self, count: usize) -> Result<Vec<Expr>, Refused> {
        let mut found = Vec::with_capacity(count);
        for _ in 0..count {
            found.push(self.pop()?);
        }
        found.reverse();
        Ok(found)
    }

    fn temporary(&mut self, ty: Type) -> VariableId {
        temporary(&mut self.flow, ty)
    }

    /// Puts an entry of the stack into a variable of its own, with all below it that may raise an exception before.
    fn spill_at(&mut self, position: usize) {
        for at in 0..=position {
            let Some(Entry::Value(expression, kind)) = self.stack.get(at).cloned() else {
                continue;
            };
            let raises = expression.may_raise(&self.flow.variables);
            if at < position && !raises {
                continue;
            }
            let ty = expression
                .ty(&self.flow.variables)
                .unwrap_or_else(|| of_kind(kind));
            let variable = self.temporary(ty);
            let kind_of_step = StepKind::Assign(variable, expression);
            self.steps.push(Step {
                place: self.place,
                kind: kind_of_step,
            });
            self.stack[at] = Entry::Value(Expr::Variable(variable), kind);
        }
    }

    /// Spills whatever entry is such.
    fn spill(&mut self, is: impl Fn(&Expr, &[Variable]) -> bool) {
        let found = self.stack.iter().rposition(|entry| {
            entry
                .expression()
                .is_some_and(|expression| is(expression, &self.flow.variables))
        });
        let Some(last) = found else { return };
        for at in 0..=last {
            let spilled = self.stack.get(at).and_then(Entry::expression);
            if spilled.is_some_and(|expression| is(expression, &self.flow.variables)) {
                self.spill_at(at);
            }
        }
    }

    /// Adds a step. What is on the stack and could tell whether the step came first is put into variables before.
    fn emit(&mut self, kind: StepKind) {
        let raises = kind.may_raise(&self.flow.variables);
        let writes = kind.writes_memory();
        let defines = kind.defines();
        let shows = raises || writes || (self.guarded && defines.is_some());
        self.spill(|expression, variables| {
            (writes && expression.reads_memory())
                || (shows && expression.may_raise(variables))
                || defines.is_some_and(|variable| expression.mentions(variable))
        });
        self.steps.push(Step {
            place: self.place,
            kind,
        });
    }

    /// Pops a value into a variable.
    fn store(&mut self, variable: VariableId) -> Result<(), Refused> {
        let value = self.pop()?;
        let ty = value.ty(&self.flow.variables);
        self.typed.push((variable, ty));
        if !self.redirect(variable, &value) {
            self.emit(StepKind::Assign(variable, value));
        }
        Ok(())
    }

    /// Where the value is what the last step put into a temporary variable, the step puts it into this one instead.
    fn redirect(&mut self, variable: VariableId, value: &Expr) -> bool {
        let Expr::Variable(temporary) = value else {
            return false;
        };
        let is_temporary = |found: &Variable| found.role == Role::Temporary;
        let is_last = self
            .steps
            .last()
            .is_some_and(|step| step.kind.defines() == Some(*temporary));
        let mentioned = self
            .stack
            .iter()
            .filter_map(Entry::expression)
            .any(|e| e.mentions(variable));
        if !is_last
            || mentioned
            || !self
                .flow
                .variables
                .get(temporary.index())
                .is_some_and(is_temporary)
        {
            return false;
        }
        if let Some(step) = self.steps.last_mut() {
            step.kind.redefine(Some(variable));
        }
        for entry in &mut self.stack {
            if let Entry::Value(expression, _) = entry {
                expression.change(&mut |part| {
                    if *part == Expr::Variable(*temporary) {
                        *part = Expr::Variable(variable);
                    }
                });
            }
        }
        true
    }

    /// Puts what is on the stack where a block ends into the variables that the next blocks begin with.
    fn flush(&mut self, number: usize) -> Result<(), Refused> {
        let targets = self.places.exit(number).to_vec();
        if targets.len() != self.stack.len() {
            return Err(self.unverified("the stack has another height than before"));
        }
        // A value that speaks of one of these variables would be changed by those that are assigned before it.
        let assigned: Vec<VariableId> = targets.iter().flatten().copied().collect();
        for at in 0..self.stack.len() {
            let own = targets.get(at).copied().flatten();
            let hazard = self
                .stack
                .get(at)
                .and_then(Entry::expression)
                .is_some_and(|expression| {
                    own.is_none_or(|own| *expression != Expr::Variable(own))
                        && assigned
                            .iter()
                            .any(|variable| expression.mentions(*variable))
                });
            if hazard {
                self.spill_at(at);
            }
        }
        for (at, target) in targets.iter().enumerate() {
            let Some(Entry::Value(expression, kind)) = self.stack.get(at).cloned() else {
                continue;
            };
            let Some(target) = *target else { continue };
            if expression != Expr::Variable(target) {
                self.typed
                    .push((target, expression.ty(&self.flow.variables)));
                self.steps.push(Step {
                    place: self.place,
                    kind: StepKind::Assign(target, expression),
                });
                self.stack[at] = Entry::Value(Expr::Variable(target), kind);
            }
        }
        Ok(())
    }

    /// Before the method ends: what is still on the stack was evaluated, and may have raised an exception.
    fn evaluate_rest(&mut self) {
        let rest: Vec<Expr> = self
            .stack
            .drain(..)
            .filter_map(|entry| entry.expression().cloned())
            .collect();
        for expression in rest {
            if expression.may_raise(&self.flow.variables) {
                self.steps.push(Step {
                    place: self.place,
                    kind: StepKind::Evaluate(expression),
                });
            }
        }
    }

    // The instructions.

    /// Runs an instruction. An exit, where it ends the block by itself.
    fn instruction(
        &mut self,
        index: usize,
        instruction: &Instruction,
        block: &RawBlock,
    ) -> Result<Option<Exit>, Refused> {
        match instruction {
            Instruction::Nop | Instruction::Goto(_) => {}
            Instruction::Push(constant) => {
                let kind = constant.kind();
                self.push(Expr::Constant(constant.clone()), kind);
            }
            Instruction::Load(kind, _) => self.load(index, *kind)?,
            Instruction::Store(..) => self.store_local(index)?,
            Instruction::Increment(_, by) => {
                let variable = self.local(index)?;
                let (old, by) = (Expr::Variable(variable), Expr::int(i32::from(*by)));
                let (old, by) = (Box::new(old), Box::new(by));
                let sum = Expr::Binary(Operator::Add, Kind::Int, old, by);
                self.emit(StepKind::Assign(variable, sum));
            }
            Instruction::Stack(op) => self.stack_op(*op)?,
            Instruction::Return(kind) => return self.end(kind.is_some()).map(Some),
            Instruction::Throw => {
                let value = self.pop()?;
                self.evaluate_rest();
                return Ok(Some(Exit::Throw(self.place, value)));
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
            Instruction::New(_) => self.stack.push(Entry::Fresh(self.place.pc)),
            Instruction::NewArray(ty, lengths) => {
                let lengths = self.pop_many(usize::from(*lengths))?;
                let ty = ty.clone();
                let result = self.temporary(ty.clone());
                self.emit(StepKind::NewArray(result, ty, lengths));
                self.push(Expr::Variable(result), Kind::Reference);
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

    fn local(&self, index: usize) -> Result<VariableId, Refused> {
        let variable = self.variables.of(index);
        variable.ok_or_else(|| self.unverified("a local variable without a value"))
    }

    fn load(&mut self, index: usize, kind: Kind) -> Result<(), Refused> {
        let slot = match self.code.instructions.get(index) {
            Some((_, Instruction::Load(_, slot))) => usize::from(slot.0),
            _ => 0,
        };
        if let Some(Value::Fresh(made, _)) = self.frame.locals.get(slot) {
            self.stack.push(Entry::Fresh(*made));
        } else {
            let variable = self.local(index)?;
            self.push(Expr::Variable(variable), kind);
        }
        Ok(())
    }

    fn store_local(&mut self, index: usize) -> Result<(), Refused> {
        if let Some(Entry::Fresh(_)) = self.stack.last() {
            let what = "an object is kept in a variable before its constructor is called";
            return Err(Refused::unsupported(self.place.pc, what));
        }
        let variable = self.local(index)?;
        self.store(variable)
    }

    /// Copies and moves of the stack. What is not as good as a variable is made one, so that it is evaluated once, and
    /// where it was.
    fn stack_op(&mut self, op: StackOp) -> Result<(), Refused> {
        if matches!(op, StackOp::Pop | StackOp::Pop2) {
            return self.drop(if op == StackOp::Pop { 1 } else { 2 });
        }
        let mut touched = match op {
            StackOp::Dup => 1,
            StackOp::DupX1 | StackOp::Dup2 | StackOp::Swap => 2,
            StackOp::DupX2 | StackOp::Dup2X1 => 3,
            _ => 4,
        };
        for at in (0..self.stack.len()).rev() {
            if touched == 0 {
                break;
            }
            let Some(entry) = self.stack.get(at) else {
                break;
            };
            touched = usize::saturating_sub(touched, entry.width());
            let simple = match entry.expression() {
                Some(Expr::Variable(_)) | None => true,
                Some(Expr::Constant(constant)) => {
                    !Expr::Constant(constant.clone()).may_raise(&self.flow.variables)
                }
                Some(_) => false,
            };
            if !simple {
                self.spill_at(at);
            }
        }
        rearrange(&mut self.stack, op, Entry::width)
            .ok_or_else(|| self.unverified("the stack does not hold what is to be moved"))
    }

    /// Takes values away that nobody needs; they were evaluated all the same.
    fn drop(&mut self, mut entries: usize) -> Result<(), Refused> {
        while entries > 0 {
            let Some(entry) = self.stack.pop() else {
                return Err(self.unverified("the stack is empty"));
            };
            entries = entries.saturating_sub(entry.width());
            if let Entry::Value(expression, _) = entry
                && expression.may_raise(&self.flow.variables)
            {
                self.emit(StepKind::Evaluate(expression));
            }
        }
        Ok(())
    }

    fn end(&mut self, has_value: bool) -> Result<Exit, Refused> {
        let value = if has_value { Some(self.pop()?) } else { None };
        self.evaluate_rest();
        Ok(Exit::Return(self.place, value))
    }

    fn branch(&mut self, instruction: &Instruction, block: &RawBlock) -> Result<Exit, Refused> {
        let place = self.place;
        let exit = match instruction {
            Instruction::If(relation, against, _) => {
                let condition = self.condition(*relation, *against)?;
                let (then, otherwise) = (self.target(block, 0)?, self.target(block, 1)?);
                Exit::If {
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
                Exit::Switch {
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

    /// Puts what is left on the stack into variables; what decides was evaluated after it, but must not see them changed.
    fn flush_before(&mut self, mut exit: Exit) -> Result<Exit, Refused> {
        let number = self.flow.blocks.len();
        if let Some(value) = exit.expression_mut() {
            let assigned = self.places.exit(number).iter().flatten();
            if assigned
                .into_iter()
                .any(|variable| value.mentions(*variable))
            {
                let ty = value.ty(&self.flow.variables).unwrap_or(Type::Int);
                let expression = value.clone();
                self.spill(|expression, variables| expression.may_raise(variables));
                let variable = self.temporary(ty);
                self.steps.push(Step {
                    place: self.place,
                    kind: StepKind::Assign(variable, expression),
                });
                *value = Expr::Variable(variable);
            }
        }
        self.flush(number)?;
        Ok(exit)
    }

    fn condition(&mut self, relation: Relation, against: Against) -> Result<Expr, Refused> {
        let (operands, right) = match against {
            Against::Zero => (Operands::Numbers(Kind::Int), Some(Expr::int(0))),
            Against::Int => (Operands::Numbers(Kind::Int), None),
            Against::Null => (Operands::References, Some(Expr::null())),
            Against::Reference => (Operands::References, None),
        };
        let right = match right {
            Some(right) => right,
            None => self.pop()?,
        };
        let left = self.pop()?;
        if against == Against::Zero
            && let Expr::Compare(comparison, a, b) = left
        {
            return Ok(compared(relation, comparison, a, b));
        }
        Ok(Expr::Relation(
            relation,
            operands,
            Box::new(left),
            Box::new(right),
        ))
    }

    fn invoke(&mut self, kind: InvokeKind, method: &MethodRef) -> Result<(), Refused> {
        let arguments = self.pop_many(method.signature.parameters.len())?;
        if method.is_constructor()
            && let Some(Entry::Fresh(made)) = self.stack.last()
        {
            let made = *made;
            self.stack.pop();
            return self.construct(made, method, arguments);
        }
        let receiver = match kind {
            InvokeKind::Static => None,
            _ => Some(self.pop()?),
        };
        let call = Call {
            kind,
            method: method.clone(),
            receiver,
            arguments,
        };
        let result = method.signature.result.clone();
        self.with_result(result, |result| StepKind::Call(result, call));
        Ok(())
    }

    fn construct(
        &mut self,
        made: Pc,
        constructor: &MethodRef,
        arguments: Vec<Expr>,
    ) -> Result<(), Refused> {
        let class = match self
            .frame
            .stack
            .iter()
            .find(|value| matches!(value, Value::Fresh(pc, _) if *pc == made))
        {
            Some(Value::Fresh(_, class)) => class.clone(),
            _ => return Err(self.unverified("a constructor of nothing")),
        };
        let result = self.temporary(Type::Class(class.clone()));
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
            if *entry == Entry::Fresh(made) {
                *entry = Entry::Value(Expr::Variable(result), Kind::Reference);
            }
        }
        Ok(())
    }

    /// Adds a step whose result, if there is one, is pushed.
    fn with_result(&mut self, ty: Option<Type>, step: impl FnOnce(Option<VariableId>) -> StepKind) {
        let kind = ty.as_ref().map(Type::kind);
        let result = ty.map(|ty| self.temporary(ty));
        self.emit(step(result));
        if let (Some(result), Some(kind)) = (result, kind) {
            self.push(Expr::Variable(result), kind);
        }
    }

    fn write(&mut self, instruction: &Instruction) -> Result<(), Refused> {
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
    fn calculate(&mut self, instruction: &Instruction) -> Result<(), Refused> {
        let (expression, kind) = match instruction {
            Instruction::LoadElement(element) => {
                let index = self.pop_boxed()?;
                let array = self.pop_boxed()?;
                let array_type = self.frame.stack.iter().rev().nth(1);
                let ty = element_type(*element, array_type);
                (Expr::Element(array, index, ty), element.kind())
            }
            Instruction::Binary(operator, kind) => {
                let right = self.pop_boxed()?;
                (
                    Expr::Binary(*operator, *kind, self.pop_boxed()?, right),
                    *kind,
                )
            }
            Instruction::Negate(kind) => (Expr::Negate(*kind, self.pop_boxed()?), *kind),
            Instruction::Convert(kind, ty) => (
                Expr::Convert(*kind, ty.clone(), self.pop_boxed()?),
                ty.kind(),
            ),
            Instruction::Compare(comparison) => {
                let right = self.pop_boxed()?;
                (
                    Expr::Compare(*comparison, self.pop_boxed()?, right),
                    Kind::Int,
                )
            }
            Instruction::GetField(field) => (
                Expr::Field(self.pop_boxed()?, field.clone()),
                field.ty.kind(),
            ),
            Instruction::GetStatic(field) => (Expr::Static(field.clone()), field.ty.kind()),
            Instruction::Length => (Expr::Length(self.pop_boxed()?), Kind::Int),
            Instruction::Cast(ty) => (Expr::Cast(ty.clone(), self.pop_boxed()?), Kind::Reference),
            Instruction::InstanceOf(ty) => {
                (Expr::InstanceOf(ty.clone(), self.pop_boxed()?), Kind::Int)
            }
            _ => return Err(self.unverified("an instruction that makes no value")),
        };
        self.push(expression, kind);
        Ok(())
    }

    /// Gives variables of references, of which the class file says nothing, what their values have in common.
    fn finish_types(&mut self) {
        let mut common: BTreeMap<VariableId, Option<Type>> = BTreeMap::new();
        for (variable, ty) in std::mem::take(&mut self.typed) {
            let found = common.entry(variable).or_default();
            *found = joined(found.take(), ty);
        }
        for (variable, ty) in common {
            let Some(variable) = self.flow.variables.get_mut(variable.index()) else {
                continue;
            };
            let unknown = variable.ty == Type::object()
                && matches!(variable.role, Role::Local | Role::Temporary);
            if let Some(ty) = ty.filter(|ty| unknown && ty.kind() == Kind::Reference) {
                variable.ty = ty;
            }
        }
    }
}

/// What a jump on the result of a comparison asks: the relation itself where `NaN` agrees with it, else the negation of
/// its opposite.
fn compared(relation: Relation, comparison: Comparison, a: Box<Expr>, b: Box<Expr>) -> Expr {
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
        Expr::Relation(relation, operands, a, b)
    } else {
        Expr::Not(Box::new(Expr::Relation(relation.negated(), operands, a, b)))
    }
}
