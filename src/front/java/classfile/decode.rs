//! Bytes of code into instructions.

use super::bytes::{Bytes, Malformed, Result};
use super::instruction::{
    Against, ArithmeticOp, Comparison, Element, Instruction, InvokeKind, LocalSlot, Monitor, Pc,
    Relation, StackOp, Switch,
};
use super::pool::{Index, Pool};
use super::reference::PoolConstant;
use crate::front::java::types::{ComputationalType, JavaType};

/// The kinds of operands in the order in which the families of instructions have them.
const KINDS: [ComputationalType; 5] = [
    ComputationalType::Int,
    ComputationalType::Long,
    ComputationalType::Float,
    ComputationalType::Double,
    ComputationalType::Reference,
];

const ELEMENTS: [Element; 8] = [
    Element::Int,
    Element::Long,
    Element::Float,
    Element::Double,
    Element::Reference,
    Element::ByteOrBoolean,
    Element::Char,
    Element::Short,
];

const STACK: [StackOp; 9] = [
    StackOp::Pop,
    StackOp::Pop2,
    StackOp::Dup,
    StackOp::DupX1,
    StackOp::DupX2,
    StackOp::Dup2,
    StackOp::Dup2X1,
    StackOp::Dup2X2,
    StackOp::Swap,
];

const ARITHMETIC: [ArithmeticOp; 5] = [
    ArithmeticOp::Add,
    ArithmeticOp::Subtract,
    ArithmeticOp::Multiply,
    ArithmeticOp::Divide,
    ArithmeticOp::Remainder,
];

const BITS: [ArithmeticOp; 6] = [
    ArithmeticOp::ShiftLeft,
    ArithmeticOp::ShiftRight,
    ArithmeticOp::ShiftRightUnsigned,
    ArithmeticOp::And,
    ArithmeticOp::Or,
    ArithmeticOp::Xor,
];

const COMPARISONS: [Comparison; 5] = [
    Comparison::Long,
    Comparison::FloatLess,
    Comparison::FloatGreater,
    Comparison::DoubleLess,
    Comparison::DoubleGreater,
];

const RELATIONS: [Relation; 6] = [
    Relation::Equal,
    Relation::NotEqual,
    Relation::Less,
    Relation::AtLeast,
    Relation::Greater,
    Relation::AtMost,
];

/// One method's code while it is decoded.
pub(super) struct Decoder<'a> {
    pub pool: &'a Pool,
    /// Where the code begins in the file.
    pub start: usize,
    pub bytes: Bytes<'a>,
}

/// The member of a table that belongs to an opcode, counted from the first opcode of its family.
fn nth<T: Copy>(table: &[T], opcode: u8, first: u8) -> Option<T> {
    table.get(usize::from(opcode.checked_sub(first)?)).copied()
}

/// The result of a method's end, without one for the `return` that has none.
fn returned(opcode: u8) -> Instruction {
    Instruction::Return(nth(&KINDS, opcode, 0xac))
}

impl Decoder<'_> {
    /// All instructions, each with its place.
    pub(super) fn all(&mut self) -> Result<Vec<(Pc, Instruction)>> {
        let mut found = Vec::with_capacity(self.bytes.left() / 2);
        while !self.bytes.is_empty() {
            let pc = self.pc()?;
            let instruction = self.one(pc)?;
            found.push((pc, instruction));
        }
        Ok(found)
    }

    fn pc(&self) -> Result<Pc> {
        let pc = self.bytes.offset() - self.start;
        u16::try_from(pc)
            .map(Pc)
            .map_err(|_| self.bytes.malformed("a method of more than 65535 bytes"))
    }

    fn one(&mut self, pc: Pc) -> Result<Instruction> {
        let at = self.bytes.offset();
        let opcode = self.bytes.u1()?;
        let found = match opcode {
            0x00 => Some(Instruction::Nop),
            0x01..=0x14 => Some(Instruction::Push(self.constant(opcode)?)),
            0x15..=0x2d => self.local(opcode, 0x15, Instruction::Load)?,
            0x2e..=0x35 => nth(&ELEMENTS, opcode, 0x2e).map(Instruction::LoadElement),
            0x36..=0x4e => self.local(opcode, 0x36, Instruction::Store)?,
            0x4f..=0x56 => nth(&ELEMENTS, opcode, 0x4f).map(Instruction::StoreElement),
            0x57..=0x5f => nth(&STACK, opcode, 0x57).map(Instruction::Stack),
            0x60..=0x83 => arithmetic(opcode),
            0x84 => {
                let slot = LocalSlot(self.bytes.u1()?.into());
                Some(Instruction::Increment(slot, self.bytes.i1()?.into()))
            }
            0x85..=0x93 => conversion(opcode),
            0x94..=0x98 => nth(&COMPARISONS, opcode, 0x94).map(Instruction::Compare),
            0x99..=0xa8 | 0xc6..=0xc9 => self.jump(opcode, pc)?,
            0xa9 => Some(Instruction::EndSubroutine(LocalSlot(
                self.bytes.u1()?.into(),
            ))),
            0xaa | 0xab => Some(Instruction::Switch(self.switch(opcode, pc)?)),
            0xac..=0xb1 => Some(returned(opcode)),
            0xb2..=0xba => self.member(opcode)?,
            0xbb..=0xc3 | 0xc5 => self.object(opcode)?,
            0xc4 => self.wide()?,
            _ => None,
        };
        found.ok_or_else(|| Malformed::at(at, format!("there is no instruction {opcode:#04x}")))
    }

    fn constant(&mut self, opcode: u8) -> Result<PoolConstant> {
        let small = i32::from(opcode);
        Ok(match opcode {
            0x01 => PoolConstant::Null,
            0x02..=0x08 => PoolConstant::Int(small - 3),
            0x09..=0x0a => PoolConstant::Long(i64::from(opcode) - 9),
            0x0b..=0x0d => PoolConstant::Float(f32::from(opcode) - 11.0),
            0x0e..=0x0f => PoolConstant::Double(f64::from(opcode) - 14.0),
            0x10 => PoolConstant::Int(self.bytes.i1()?.into()),
            0x11 => PoolConstant::Int(self.bytes.i2()?.into()),
            0x12 => {
                let index = Index(self.bytes.u1()?.into());
                self.pool.constant(index)?
            }
            _ => {
                let index = self.index()?;
                self.pool.constant(index)?
            }
        })
    }

    /// `xload n`, `xload_0`, and the same for stores.
    fn local(
        &mut self,
        opcode: u8,
        first: u8,
        make: fn(ComputationalType, LocalSlot) -> Instruction,
    ) -> Result<Option<Instruction>> {
        if let Some(kind) = nth(&KINDS, opcode, first) {
            return Ok(Some(make(kind, LocalSlot(self.bytes.u1()?.into()))));
        }
        // Behind the five with a number come five times the four with a small one.
        let short = opcode - first - 5;
        let kind = nth(&KINDS, short / 4, 0);
        Ok(kind.map(|kind| make(kind, LocalSlot((short % 4).into()))))
    }

    fn jump(&mut self, opcode: u8, pc: Pc) -> Result<Option<Instruction>> {
        let wide = matches!(opcode, 0xc8 | 0xc9);
        let distance = if wide {
            self.bytes.i4()?
        } else {
            self.bytes.i2()?.into()
        };
        let target = self.target(pc, distance)?;
        let against = |against: Against, first: u8| {
            nth(&RELATIONS, opcode, first)
                .map(|relation| Instruction::If(relation, against, target))
        };
        Ok(match opcode {
            0x99..=0x9e => against(Against::Zero, 0x99),
            0x9f..=0xa4 => against(Against::Int, 0x9f),
            0xa5..=0xa6 => against(Against::Reference, 0xa5),
            0xa7 | 0xc8 => Some(Instruction::Goto(target)),
            0xa8 | 0xc9 => Some(Instruction::Subroutine(target)),
            _ => against(Against::Null, 0xc6),
        })
    }

    fn target(&self, pc: Pc, distance: i32) -> Result<Pc> {
        let target = i64::from(pc.0) + i64::from(distance);
        let target = u16::try_from(target);
        target
            .map(Pc)
            .map_err(|_| self.bytes.malformed("a jump out of the method"))
    }

    fn switch(&mut self, opcode: u8, pc: Pc) -> Result<Switch> {
        let behind = self.bytes.offset() - self.start;
        self.bytes.take(behind.next_multiple_of(4) - behind)?;
        let default = self.bytes.i4()?;
        let cases = if opcode == 0xaa {
            self.table(pc)?
        } else {
            self.lookup(pc)?
        };
        let default = self.target(pc, default)?;
        Ok(Switch { cases, default })
    }

    fn table(&mut self, pc: Pc) -> Result<Vec<(i32, Pc)>> {
        let (low, high) = (self.bytes.i4()?, self.bytes.i4()?);
        let count = i64::from(high) - i64::from(low) + 1;
        let room = self.bytes.left() / 4;
        if usize::try_from(count).map_or(true, |count| count > room) {
            return Err(self
                .bytes
                .malformed(format!("a switch from {low} to {high}")));
        }
        let mut cases = Vec::with_capacity(room);
        for value in low..=high {
            let distance = self.bytes.i4()?;
            cases.push((value, self.target(pc, distance)?));
        }
        Ok(cases)
    }

    fn lookup(&mut self, pc: Pc) -> Result<Vec<(i32, Pc)>> {
        let count = self.bytes.i4()?;
        let room = self.bytes.left() / 8;
        let count = usize::try_from(count).ok().filter(|count| *count <= room);
        let count = count.ok_or_else(|| self.bytes.malformed("a switch with too many cases"))?;
        let mut cases: Vec<(i32, Pc)> = Vec::with_capacity(count);
        for _ in 0..count {
            let value = self.bytes.i4()?;
            let distance = self.bytes.i4()?;
            if cases.last().is_some_and(|(last, _)| *last >= value) {
                return Err(self
                    .bytes
                    .malformed("a switch whose cases are not in order"));
            }
            cases.push((value, self.target(pc, distance)?));
        }
        Ok(cases)
    }

    fn index(&mut self) -> Result<Index> {
        self.bytes.u2().map(Index)
    }

    fn member(&mut self, opcode: u8) -> Result<Option<Instruction>> {
        let index = self.index()?;
        let field = || self.pool.field(index);
        let method = |kind| Ok(Instruction::Invoke(kind, self.pool.method(index)?));
        Ok(Some(match opcode {
            0xb2 => Instruction::GetStatic(field()?),
            0xb3 => Instruction::PutStatic(field()?),
            0xb4 => Instruction::GetField(field()?),
            0xb5 => Instruction::PutField(field()?),
            0xb6 => method(InvokeKind::Virtual)?,
            0xb7 => method(InvokeKind::Special)?,
            0xb8 => method(InvokeKind::Static)?,
            0xb9 => {
                // How many stack entries the arguments take, which their types say as well, and a zero.
                self.bytes.u2()?;
                Instruction::Invoke(InvokeKind::Interface, self.pool.method(index)?)
            }
            0xba => {
                self.bytes.u2()?;
                Instruction::InvokeDynamic(self.pool.call_site(index)?)
            }
            _ => return Ok(None),
        }))
    }

    fn object(&mut self, opcode: u8) -> Result<Option<Instruction>> {
        Ok(Some(match opcode {
            0xbb => {
                let index = self.index()?;
                Instruction::New(self.pool.class(index)?)
            }
            0xbc => {
                let Some(element) = primitive(self.bytes.u1()?) else {
                    return Err(self.bytes.malformed("an array of unknown elements"));
                };
                Instruction::NewArray(JavaType::array_of(element), 1)
            }
            0xbd => Instruction::NewArray(JavaType::array_of(self.class_type()?), 1),
            0xbe => Instruction::Length,
            0xbf => Instruction::Throw,
            0xc0 => Instruction::Cast(self.class_type()?),
            0xc1 => Instruction::InstanceOf(self.class_type()?),
            0xc2 => Instruction::Monitor(Monitor::Enter),
            0xc3 => Instruction::Monitor(Monitor::Exit),
            0xc5 => {
                let array = self.class_type()?;
                let lengths = self.bytes.u1()?;
                if lengths == 0 || dimensions(&array) < usize::from(lengths) {
                    return Err(self
                        .bytes
                        .malformed("an array of another number of dimensions"));
                }
                Instruction::NewArray(array, lengths)
            }
            _ => return Ok(None),
        }))
    }

    fn class_type(&mut self) -> Result<JavaType> {
        let index = self.index()?;
        self.pool.class_type(index)
    }

    /// An instruction whose local variable has a number of two bytes.
    fn wide(&mut self) -> Result<Option<Instruction>> {
        let opcode = self.bytes.u1()?;
        let slot = LocalSlot(self.bytes.u2()?);
        Ok(match opcode {
            0x15..=0x19 => nth(&KINDS, opcode, 0x15).map(|kind| Instruction::Load(kind, slot)),
            0x36..=0x3a => nth(&KINDS, opcode, 0x36).map(|kind| Instruction::Store(kind, slot)),
            0x84 => Some(Instruction::Increment(slot, self.bytes.i2()?)),
            0xa9 => Some(Instruction::EndSubroutine(slot)),
            _ => None,
        })
    }
}

fn arithmetic(opcode: u8) -> Option<Instruction> {
    Some(match opcode {
        0x60..=0x73 => {
            let family = opcode - 0x60;
            let operator = nth(&ARITHMETIC, family / 4, 0)?;
            Instruction::Binary(operator, nth(&KINDS, family % 4, 0)?)
        }
        0x74..=0x77 => Instruction::Negate(nth(&KINDS, opcode, 0x74)?),
        _ => {
            let family = opcode.checked_sub(0x78)?;
            let operator = nth(&BITS, family / 2, 0)?;
            Instruction::Binary(operator, nth(&KINDS, family % 2, 0)?)
        }
    })
}

/// From each of the four kinds of numbers to the three others, and then from `int` to what is narrower.
fn conversion(opcode: u8) -> Option<Instruction> {
    const NUMBERS: [JavaType; 4] = [
        JavaType::Int,
        JavaType::Long,
        JavaType::Float,
        JavaType::Double,
    ];
    Some(match opcode {
        0x91 => Instruction::Convert(ComputationalType::Int, JavaType::Byte),
        0x92 => Instruction::Convert(ComputationalType::Int, JavaType::Char),
        0x93 => Instruction::Convert(ComputationalType::Int, JavaType::Short),
        _ => {
            let family = usize::from(opcode.checked_sub(0x85)?);
            let from = NUMBERS.get(family / 3)?.kind();
            let others = NUMBERS.iter().filter(|to| to.kind() != from);
            Instruction::Convert(from, others.clone().nth(family % 3)?.clone())
        }
    })
}

/// The element types of `newarray` (JVMS table 6.5.newarray-A).
fn primitive(number: u8) -> Option<JavaType> {
    Some(match number {
        4 => JavaType::Boolean,
        5 => JavaType::Char,
        6 => JavaType::Float,
        7 => JavaType::Double,
        8 => JavaType::Byte,
        9 => JavaType::Short,
        10 => JavaType::Int,
        11 => JavaType::Long,
        _ => return None,
    })
}

fn dimensions(array: &JavaType) -> usize {
    std::iter::successors(array.element(), |element| element.element()).count()
}
