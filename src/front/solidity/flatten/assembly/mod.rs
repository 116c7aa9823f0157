//! Inline assembly, as far as it can be understood.
//!
//! Words are integers of 256 bits that wrap around, and what computes with them is exact. Memory is not followed: what is
//! read there may be anything, and what is written into an object of the contract makes its contents anything. A call is a
//! question to the outside. Storage by its slots is understood where the slot is (`slot`). Foreign code on this contract's
//! storage, and ending the call from here, are not taken.

mod instruction;
mod slot;
mod word;

use std::collections::{BTreeMap, HashMap};

use num_traits::Zero;
pub(super) use slot::SlotKey;
use slot::StorageSlot;
use word::Word;

use super::writer::RoutineWriter;
use super::{Flat, Rejection};
use crate::front::solidity::ast::{Assembly, Reference, Yul, YulBlock, YulCase, YulExpression};
use crate::front::solidity::flat::{
    FlatExpr, FlatStmt, FlatStmtKind, FlatType, LabelId, LocalId, Why,
};
use crate::front::solidity::place::FileRange;

/// How deep functions of assembly may call each other.
const MAX_CALLS: u32 = 16;

/// A variable of assembly.
#[derive(Clone, Debug)]
enum AssemblyVariable {
    /// One that is known, with the objects whose address its value may have.
    Known(LocalId, Vec<FlatExpr>),
    /// One of which nothing is known, with the objects whose address its value may have.
    Unknown(Vec<FlatExpr>),
    /// A slot of storage. It is not set again.
    Slot(StorageSlot),
}

/// What names mean in assembly.
struct AssemblyScope<'a> {
    references: &'a [Reference],
    variables: Vec<HashMap<String, AssemblyVariable>>,
    functions: Vec<HashMap<String, AssemblyFunction<'a>>>,
    loops: Vec<(LabelId, LabelId)>,
    /// Where `leave` goes.
    leave: Option<LabelId>,
    calls: u32,
    /// What has been written to the first words of memory, which are nobody's.
    scratch: BTreeMap<u32, Word>,
}

impl<'a> AssemblyScope<'a> {
    /// A name that is no variable of assembly.
    fn reference(&self, name: &str, place: FileRange) -> Flat<&'a Reference> {
        let reference = self.references.iter().find(|known| known.name == name);
        reference.ok_or_else(|| {
            let what = format!("`{name}` is not understood in this assembly");
            Rejection::at(place, what)
        })
    }
}

/// A function of assembly: parameters, results, body.
type AssemblyFunction<'a> = (&'a [String], &'a [String], &'a YulBlock);

impl RoutineWriter<'_, '_> {
    pub(super) fn assembly(&mut self, assembly: &Assembly, place: FileRange) -> Flat<()> {
        let Some(block) = &assembly.block else {
            return Err(Rejection::at(place, "this assembly is not understood"));
        };
        let mut scope = AssemblyScope {
            references: &assembly.references,
            variables: Vec::new(),
            functions: Vec::new(),
            loops: Vec::new(),
            leave: None,
            calls: 0,
            scratch: BTreeMap::new(),
        };
        self.yul_block(&mut scope, block)
    }

    fn yul_block<'a>(&mut self, scope: &mut AssemblyScope<'a>, block: &'a YulBlock) -> Flat<()> {
        scope.variables.push(HashMap::new());
        scope.functions.push(HashMap::new());
        for (statement, _) in &block.0 {
            if let (Yul::Function(name, parameters, results, body), Some(functions)) =
                (statement, scope.functions.last_mut())
            {
                functions.insert(name.clone(), (parameters, results, body));
            }
        }
        let mut statements = block.0.iter();
        let result =
            statements.try_for_each(|(statement, place)| self.yul(scope, statement, *place));
        scope.variables.pop();
        scope.functions.pop();
        result
    }

    fn yul<'a>(
        &mut self,
        scope: &mut AssemblyScope<'a>,
        statement: &'a Yul,
        place: FileRange,
    ) -> Flat<()> {
        match statement {
            Yul::Block(block) => self.yul_block(scope, block),
            Yul::Let(names, value) => self.yul_let(scope, names, value.as_ref(), place),
            Yul::Assign(names, value) => {
                let words = self.words(scope, value, place)?;
                for (name, word) in names.iter().zip(words) {
                    self.yul_set(scope, name, word, place)?;
                }
                Ok(())
            }
            Yul::Expression(e) => self.words(scope, e, place).map(|_| ()),
            Yul::If(condition, block) => {
                let condition = self.condition(scope, condition, place)?;
                let (block, ()) = self.nested(|w| w.yul_block(scope, block))?;
                self.write(FlatStmtKind::If(condition, block, Vec::new()), place)
            }
            Yul::Switch(e, cases) => self.switch(scope, e, cases, place),
            Yul::For(before, condition, after, body) => {
                self.yul_for(scope, (before, condition, after, body), place)
            }
            Yul::Break => self.yul_leave(scope.loops.last().map(|(behind, _)| *behind), place),
            Yul::Continue => self.yul_leave(scope.loops.last().map(|(_, inside)| *inside), place),
            Yul::Leave => self.yul_leave(scope.leave, place),
            Yul::Function(..) => Ok(()),
        }
    }

    fn yul_leave(&mut self, label: Option<LabelId>, place: FileRange) -> Flat<()> {
        match label {
            Some(label) => self.write(FlatStmtKind::Leave(label), place),
            None => Err(Rejection::at(place, "this stands outside of a loop")),
        }
    }

    fn yul_let<'a>(
        &mut self,
        scope: &mut AssemblyScope<'a>,
        names: &'a [String],
        value: Option<&'a YulExpression>,
        place: FileRange,
    ) -> Flat<()> {
        let words = match value {
            Some(value) => self.words(scope, value, place)?,
            None => vec![Word::number(0, place); names.len()],
        };
        for (name, word) in names.iter().zip(words) {
            let variable = match word.value {
                None if word.slot.is_some() => match word.slot {
                    Some(slot) => AssemblyVariable::Slot(slot),
                    None => AssemblyVariable::Unknown(word.objects),
                },
                Some(value) => {
                    let local = self.local(name, FlatType::UINT, place);
                    self.write(FlatStmtKind::Declare(local, Some(value)), place)?;
                    AssemblyVariable::Known(local, word.objects)
                }
                None => AssemblyVariable::Unknown(word.objects),
            };
            if let Some(variables) = scope.variables.last_mut() {
                variables.insert(name.clone(), variable);
            }
        }
        Ok(())
    }

    /// Sets a variable of assembly, or one of the contract.
    fn yul_set(
        &mut self,
        scope: &mut AssemblyScope<'_>,
        name: &str,
        word: Word,
        place: FileRange,
    ) -> Flat<()> {
        let mut scopes = scope.variables.iter_mut().rev();
        let Some(variable) = scopes.find_map(|variables| variables.get_mut(name)) else {
            return self.set_reference(scope.reference(name, place)?, word, place);
        };
        match variable {
            AssemblyVariable::Slot(_) => Err(Rejection::at(
                place,
                "assembly sets a variable that holds a slot of storage again",
            )),
            AssemblyVariable::Unknown(objects) => {
                objects.extend(word.objects);
                Ok(())
            }
            AssemblyVariable::Known(local, objects) => {
                objects.extend(word.objects);
                let local = *local;
                match word.value {
                    Some(value) => self.set_local(local, value, place),
                    None => {
                        self.hidden = true;
                        self.write(FlatStmtKind::Havoc(local), place)
                    }
                }
            }
        }
    }

    /// A condition: anything but zero is true.
    fn condition<'a>(
        &mut self,
        scope: &mut AssemblyScope<'a>,
        e: &'a YulExpression,
        place: FileRange,
    ) -> Flat<FlatExpr> {
        let word = self.word(scope, e, place)?;
        let value = self.known(word, place)?;
        Ok(word::is_not_zero(value, place))
    }

    fn switch<'a>(
        &mut self,
        scope: &mut AssemblyScope<'a>,
        e: &'a YulExpression,
        cases: &'a [YulCase],
        place: FileRange,
    ) -> Flat<()> {
        let word = self.word(scope, e, place)?;
        let value = self.known(word, place)?;
        let value = self.keep(value)?;
        let default = cases.iter().find(|case| case.value.is_none());
        let mut otherwise = match default {
            Some(case) => self.nested(|w| w.yul_block(scope, &case.body))?.0,
            None => Vec::new(),
        };
        for case in cases.iter().rev() {
            let Some(number) = &case.value else { continue };
            let (body, ()) = self.nested(|w| w.yul_block(scope, &case.body))?;
            let is_it = word::equal(value.clone(), number, place);
            let choice = FlatStmtKind::If(is_it, body, std::mem::take(&mut otherwise));
            otherwise = vec![FlatStmt::new(choice, place)];
        }
        self.out.extend(otherwise);
        Ok(())
    }

    fn yul_for<'a>(
        &mut self,
        scope: &mut AssemblyScope<'a>,
        (before, condition, after, body): (
            &'a YulBlock,
            &'a YulExpression,
            &'a YulBlock,
            &'a YulBlock,
        ),
        place: FileRange,
    ) -> Flat<()> {
        // What is declared before belongs to the whole loop.
        scope.variables.push(HashMap::new());
        scope.functions.push(HashMap::new());
        for (statement, place) in &before.0 {
            self.yul(scope, statement, *place)?;
        }
        let (behind, inside) = (self.label(), self.label());
        let (mut round, condition) = self.nested(|w| w.condition(scope, condition, place))?;
        let leave = vec![FlatStmt::new(FlatStmtKind::Leave(behind), place)];
        let stop = FlatStmtKind::If(condition.negated(), leave, Vec::new());
        round.push(FlatStmt::new(stop, place));
        scope.loops.push((behind, inside));
        let (inner, ()) = self.nested(|w| w.yul_block(scope, body))?;
        scope.loops.pop();
        round.push(FlatStmt::new(FlatStmtKind::Labelled(inside, inner), place));
        round.extend(self.nested(|w| w.yul_block(scope, after))?.0);
        scope.variables.pop();
        scope.functions.pop();
        let forever = FlatExpr::bool(true, place);
        self.write(FlatStmtKind::While(behind, forever, round), place)
    }

    /// A call of a function of assembly: its body stands here.
    fn yul_call<'a>(
        &mut self,
        scope: &mut AssemblyScope<'a>,
        name: &str,
        arguments: Vec<Word>,
        place: FileRange,
    ) -> Flat<Vec<Word>> {
        let mut scopes = scope.functions.iter().enumerate().rev();
        let found = scopes.find_map(|(depth, functions)| Some((depth, *functions.get(name)?)));
        let Some((depth, (parameters, results, body))) = found else {
            return Err(Rejection::at(
                place,
                format!("the instruction `{name}` is not taken"),
            ));
        };
        if scope.calls >= MAX_CALLS {
            return Err(Rejection::at(
                place,
                "functions of assembly call each other too deeply",
            ));
        }
        let mut inner = AssemblyScope {
            // Variables around a function are not seen in it, functions are.
            references: &[],
            variables: vec![HashMap::new()],
            functions: scope.functions.iter().take(depth + 1).cloned().collect(),
            loops: Vec::new(),
            leave: Some(self.label()),
            calls: scope.calls + 1,
            scratch: BTreeMap::new(),
        };
        for (name, word) in parameters.iter().zip(arguments) {
            let value = self.known(word.clone(), place)?;
            let local = self.local(name, FlatType::UINT, place);
            self.write(FlatStmtKind::Declare(local, Some(value)), place)?;
            let variable = AssemblyVariable::Known(local, word.objects);
            if let Some(variables) = inner.variables.last_mut() {
                variables.insert(name.clone(), variable);
            }
        }
        let mut given = Vec::new();
        for name in results {
            let local = self.local(name, FlatType::UINT, place);
            self.write(FlatStmtKind::Declare(local, None), place)?;
            given.push(local);
            if let Some(variables) = inner.variables.last_mut() {
                variables.insert(name.clone(), AssemblyVariable::Known(local, Vec::new()));
            }
        }
        let (written, ()) = self.nested(|w| w.yul_block(&mut inner, body))?;
        if let Some(leave) = inner.leave {
            self.labelled(leave, written, place)?;
        }
        let words = given.into_iter();
        Ok(words
            .map(|local| Word::known(FlatExpr::local(local, FlatType::UINT, place)))
            .collect())
    }

    /// `revert(…)`
    fn revert_here(&mut self, place: FileRange) -> Flat<Vec<Word>> {
        self.write(FlatStmtKind::Revert(Why::Assembly), place)?;
        Ok(Vec::new())
    }
}

/// Whether an argument is literally zero.
fn is_zero(e: Option<&YulExpression>) -> bool {
    matches!(e, Some(YulExpression::Literal(value)) if value.is_zero())
}
