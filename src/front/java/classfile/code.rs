//! A method's code (JVMS 4.7.3): instructions, handlers, and what a debugger is told of lines and variables.

use std::sync::Arc;

use super::attribute::each_attribute;
use super::bytes::{Bytes, Malformed, Result};
use super::decode::Decoder;
use super::instruction::{Instruction, LocalSlot, Pc};
use super::pool::{Index, Pool};
use crate::front::java::types::{ClassName, JavaType};

/// The code of a method.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    /// How many entries the stack may have.
    pub max_stack: u16,
    /// How many local variables there are.
    pub max_locals: u16,
    /// The instructions in order, each with its place.
    pub instructions: Vec<(Pc, Instruction)>,
    /// Where the code ends.
    pub end: usize,
    /// What is run where an exception is raised; the first that fits is taken.
    pub handlers: Vec<Handler>,
    /// Where the code of a line begins, in rising order of places.
    pub lines: Vec<(Pc, u16)>,
    /// The names that local variables have in the source.
    pub variables: Vec<LocalVariable>,
}

/// An entry of the exception table: from `start` to before `end`, exceptions of this class go to `target`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// Where it begins.
    pub start: Pc,
    /// Where it has ended; this may be behind the last instruction.
    pub end: usize,
    /// The handler.
    pub target: Pc,
    /// What it catches; nothing for everything.
    pub class: Option<ClassName>,
}

impl Handler {
    /// Whether it stands guard there.
    pub fn covers(&self, pc: Pc) -> bool {
        self.start <= pc && usize::from(pc.0) < self.end
    }
}

/// A variable of the source, and where it lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalVariable {
    /// Where it begins to have a value.
    pub start: Pc,
    /// Where its scope has ended.
    pub end: usize,
    /// Its name in the source.
    pub name: Arc<str>,
    /// Its type.
    pub ty: JavaType,
    /// The local variable of the machine that holds it.
    pub slot: LocalSlot,
}

impl LocalVariable {
    /// Whether it lives in that slot at that place.
    pub fn lives(&self, slot: LocalSlot, pc: usize) -> bool {
        self.slot == slot && usize::from(self.start.0) <= pc && pc < self.end
    }
}

impl Code {
    /// Reads a `Code` attribute.
    pub(super) fn read(pool: &Pool, bytes: &mut Bytes) -> Result<Code> {
        let (max_stack, max_locals) = (bytes.u2()?, bytes.u2()?);
        let length = bytes.u4()? as usize;
        if length == 0 || length > usize::from(u16::MAX) {
            return Err(bytes.malformed(format!("a method of {length} bytes")));
        }
        let body = bytes.take(length)?;
        let start = body.offset();
        let mut decoder = Decoder {
            pool,
            start,
            bytes: body,
        };
        let mut code = Code {
            max_stack,
            max_locals,
            instructions: decoder.all()?,
            end: length,
            handlers: bytes.list(|bytes| read_handler(pool, bytes))?,
            lines: Vec::new(),
            variables: Vec::new(),
        };
        code.read_attributes(pool, bytes)?;
        code.check(start)?;
        Ok(code)
    }

    fn read_attributes(&mut self, pool: &Pool, bytes: &mut Bytes) -> Result<()> {
        each_attribute(pool, bytes, |name, bytes| {
            match name {
                "LineNumberTable" => {
                    let lines = bytes.list(|bytes| Ok((Pc(bytes.u2()?), bytes.u2()?)))?;
                    self.lines.extend(lines);
                }
                "LocalVariableTable" => {
                    let variables = bytes.list(|bytes| read_variable(pool, bytes))?;
                    self.variables.extend(variables);
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        self.lines.sort_by_key(|(pc, _)| *pc);
        Ok(())
    }

    /// Jumps and handlers begin where instructions do.
    fn check(&self, start: usize) -> Result<()> {
        let wrong = |pc: Pc, what: &str| {
            let message = format!("{what} {pc} is not where an instruction begins");
            Err(Malformed::at(start, message))
        };
        for (pc, instruction) in &self.instructions {
            if let Some(target) = instruction.targets().into_iter().find(|t| !self.begins(*t)) {
                return wrong(target, &format!("the jump from {pc} to"));
            }
        }
        for handler in &self.handlers {
            if usize::from(handler.start.0) >= handler.end || handler.end > self.end {
                return Err(Malformed::at(start, "a handler with an impossible range"));
            }
            if let Some(pc) = [handler.start, handler.target]
                .into_iter()
                .find(|pc| !self.begins(*pc))
            {
                return wrong(pc, "a handler's");
            }
        }
        Ok(())
    }

    fn begins(&self, pc: Pc) -> bool {
        self.position(pc).is_some()
    }

    /// The number of the instruction that begins there.
    pub fn position(&self, pc: Pc) -> Option<usize> {
        self.instructions
            .binary_search_by_key(&pc, |(at, _)| *at)
            .ok()
    }

    /// The line of the source that an instruction belongs to, where the class file says so.
    pub fn line(&self, pc: Pc) -> Option<u16> {
        let behind = self.lines.partition_point(|(start, _)| *start <= pc);
        let (_, line) = self.lines.get(behind.checked_sub(1)?)?;
        Some(*line)
    }
}

fn read_handler(pool: &Pool, bytes: &mut Bytes) -> Result<Handler> {
    Ok(Handler {
        start: Pc(bytes.u2()?),
        end: bytes.u2()?.into(),
        target: Pc(bytes.u2()?),
        class: pool.optional_class(bytes.u2()?)?,
    })
}

fn read_variable(pool: &Pool, bytes: &mut Bytes) -> Result<LocalVariable> {
    let start = Pc(bytes.u2()?);
    let length = usize::from(bytes.u2()?);
    Ok(LocalVariable {
        start,
        end: usize::from(start.0) + length,
        name: pool.name(Index(bytes.u2()?))?,
        ty: pool.field_type(Index(bytes.u2()?))?,
        slot: LocalSlot(bytes.u2()?),
    })
}
