//! What cafebabe, another reader of class files, makes of code: its instructions as ours.

use cafebabe::attributes::{AttributeData, CodeData};
use cafebabe::bytecode::{Opcode, PrimitiveArrayType};
use cafebabe::constant_pool::{
    Dynamic as TheirDynamic, LiteralConstant, Loadable, MemberKind, MemberRef,
    MethodHandle as TheirHandle, NameAndType, ObjectArrayType, ReferenceKind,
};
use tranquera::front::java::classfile::{
    Against, ArithmeticOp, Code, Comparison, Dynamic, Element, HandleKind, HandleTarget, Handler,
    Instruction, InvokeKind, JavaFieldRef, LocalSlot, LocalVariable, MethodHandle, MethodRef,
    Monitor, Pc, PoolConstant, Relation, StackOp, Switch, Text,
};
use tranquera::front::java::types::{ClassName, ComputationalType, JavaType, MethodSignature};

fn class_type(name: &str) -> JavaType {
    JavaType::of_class_constant(name).expect("a class")
}

fn array_type(found: &ObjectArrayType) -> JavaType {
    match found {
        ObjectArrayType::ArrayType(descriptor) => {
            JavaType::parse(&descriptor.to_string()).expect("a type")
        }
        ObjectArrayType::BinaryName(name) => class_type(name),
    }
}

fn signature(descriptor: &str) -> MethodSignature {
    MethodSignature::parse(descriptor).expect("a descriptor")
}

fn field(found: &MemberRef) -> JavaFieldRef {
    field_of(&found.class_name, &found.name_and_type)
}

fn field_of(class: &str, member: &NameAndType) -> JavaFieldRef {
    JavaFieldRef {
        class: ClassName::new(class),
        name: (&*member.name).into(),
        ty: JavaType::parse(&member.descriptor).expect("a descriptor"),
    }
}

/// cafebabe does not say whether the owner is an interface.
fn method(found: &MemberRef) -> MethodRef {
    method_of(&found.class_name, &found.name_and_type)
}

fn method_of(class: &str, member: &NameAndType) -> MethodRef {
    MethodRef {
        owner: class_type(class),
        name: (&*member.name).into(),
        signature: signature(&member.descriptor),
        of_interface: false,
    }
}

pub fn literal(found: &LiteralConstant) -> PoolConstant {
    match found {
        LiteralConstant::Integer(value) => PoolConstant::Int(*value),
        LiteralConstant::Float(value) => PoolConstant::Float(*value),
        LiteralConstant::Long(value) => PoolConstant::Long(*value),
        LiteralConstant::Double(value) => PoolConstant::Double(*value),
        LiteralConstant::String(text) => PoolConstant::String(Text::Plain((&**text).into())),
        LiteralConstant::StringBytes(bytes) => PoolConstant::String(surrogates(bytes)),
    }
}

/// What is no Unicode text comes as bytes: three a unit, where it is a surrogate.
fn surrogates(bytes: &[u8]) -> Text {
    let mut units = Vec::new();
    let mut rest = bytes;
    while let Some((first, behind)) = rest.split_first() {
        let low = |at: usize| u16::from(behind[at] & 0x3f);
        let first = u16::from(*first);
        let (unit, length) = match first {
            0..0x80 => (first, 0),
            0x80..0xe0 => ((first & 0x1f) << 6 | low(0), 1),
            _ => (first << 12 | low(0) << 6 | low(1), 2),
        };
        units.push(unit);
        rest = &behind[length..];
    }
    Text::Units(units.into())
}

pub fn handle(found: &TheirHandle) -> MethodHandle {
    let kind = match found.kind {
        ReferenceKind::GetField => HandleKind::GetField,
        ReferenceKind::GetStatic => HandleKind::GetStatic,
        ReferenceKind::PutField => HandleKind::PutField,
        ReferenceKind::PutStatic => HandleKind::PutStatic,
        ReferenceKind::InvokeVirtual => HandleKind::InvokeVirtual,
        ReferenceKind::InvokeStatic => HandleKind::InvokeStatic,
        ReferenceKind::InvokeSpecial => HandleKind::InvokeSpecial,
        ReferenceKind::NewInvokeSpecial => HandleKind::NewInvokeSpecial,
        ReferenceKind::InvokeInterface => HandleKind::InvokeInterface,
    };
    let target = match found.member_kind {
        MemberKind::Field => HandleTarget::Field(field_of(&found.class_name, &found.member_ref)),
        _ => HandleTarget::Method(method_of(&found.class_name, &found.member_ref)),
    };
    MethodHandle { kind, target }
}

fn loadable(found: &Loadable) -> PoolConstant {
    match found {
        Loadable::LiteralConstant(found) => literal(found),
        Loadable::ClassInfo(name) => PoolConstant::Class(class_type(name)),
        Loadable::MethodHandle(found) => PoolConstant::MethodHandle(handle(found)),
        Loadable::MethodType(descriptor) => PoolConstant::MethodType(signature(descriptor)),
        Loadable::Dynamic(TheirDynamic {
            attr_index,
            name_and_type,
        }) => PoolConstant::Dynamic(Dynamic {
            bootstrap: *attr_index,
            name: (&*name_and_type.name).into(),
            ty: JavaType::parse(&name_and_type.descriptor).expect("a descriptor"),
        }),
    }
}

/// The code of a method as we would have it.
pub fn code(found: &CodeData) -> Code {
    let bytecode = found.bytecode.as_ref().expect("bytecode");
    let instructions = bytecode.opcodes.iter().map(|(pc, opcode)| {
        let pc = Pc((*pc).try_into().expect("small"));
        (pc, instruction(pc, opcode))
    });
    let handlers = found.exception_table.iter().map(|entry| Handler {
        start: Pc(entry.start_pc),
        end: entry.end_pc.into(),
        target: Pc(entry.handler_pc),
        class: entry.catch_type.as_deref().map(ClassName::new),
    });
    let mut lines = Vec::new();
    let mut variables = Vec::new();
    for attribute in &found.attributes {
        match &attribute.data {
            AttributeData::LineNumberTable(entries) => {
                lines.extend(
                    entries
                        .iter()
                        .map(|entry| (Pc(entry.start_pc), entry.line_number)),
                );
            }
            AttributeData::LocalVariableTable(entries) => {
                variables.extend(entries.iter().map(|entry| LocalVariable {
                    start: Pc(entry.start_pc),
                    end: usize::from(entry.start_pc) + usize::from(entry.length),
                    name: (&*entry.name).into(),
                    ty: JavaType::parse(&entry.descriptor.to_string()).expect("a descriptor"),
                    slot: LocalSlot(entry.index),
                }));
            }
            _ => {}
        }
    }
    lines.sort_by_key(|(pc, _)| *pc);
    Code {
        max_stack: found.max_stack,
        max_locals: found.max_locals,
        instructions: instructions.collect(),
        end: found.code.len(),
        handlers: handlers.collect(),
        lines,
        variables,
    }
}

/// One instruction.
fn instruction(pc: Pc, opcode: &Opcode) -> Instruction {
    use ComputationalType::{Double, Float, Int, Long, Reference};
    let to = |offset: &i32| Pc((i32::from(pc.0) + offset).try_into().expect("a place"));
    let int = |value: i32| Instruction::Push(PoolConstant::Int(value));
    let load = |kind, slot: &u16| Instruction::Load(kind, LocalSlot(*slot));
    let store = |kind, slot: &u16| Instruction::Store(kind, LocalSlot(*slot));
    let zero = |relation, offset: &i32| Instruction::If(relation, Against::Zero, to(offset));
    let ints = |relation, offset: &i32| Instruction::If(relation, Against::Int, to(offset));
    let same = |relation, offset: &i32| Instruction::If(relation, Against::Reference, to(offset));
    let null = |relation, offset: &i32| Instruction::If(relation, Against::Null, to(offset));
    match opcode {
        Opcode::Nop => Instruction::Nop,
        Opcode::AconstNull => Instruction::Push(PoolConstant::Null),
        Opcode::IconstM1 => int(-1),
        Opcode::Iconst0 => int(0),
        Opcode::Iconst1 => int(1),
        Opcode::Iconst2 => int(2),
        Opcode::Iconst3 => int(3),
        Opcode::Iconst4 => int(4),
        Opcode::Iconst5 => int(5),
        Opcode::Bipush(value) => int((*value).into()),
        Opcode::Sipush(value) => int((*value).into()),
        Opcode::Lconst0 => Instruction::Push(PoolConstant::Long(0)),
        Opcode::Lconst1 => Instruction::Push(PoolConstant::Long(1)),
        Opcode::Fconst0 => Instruction::Push(PoolConstant::Float(0.0)),
        Opcode::Fconst1 => Instruction::Push(PoolConstant::Float(1.0)),
        Opcode::Fconst2 => Instruction::Push(PoolConstant::Float(2.0)),
        Opcode::Dconst0 => Instruction::Push(PoolConstant::Double(0.0)),
        Opcode::Dconst1 => Instruction::Push(PoolConstant::Double(1.0)),
        Opcode::Ldc(found) | Opcode::LdcW(found) | Opcode::Ldc2W(found) => {
            Instruction::Push(loadable(found))
        }
        Opcode::Iload(slot) => load(Int, slot),
        Opcode::Lload(slot) => load(Long, slot),
        Opcode::Fload(slot) => load(Float, slot),
        Opcode::Dload(slot) => load(Double, slot),
        Opcode::Aload(slot) => load(Reference, slot),
        Opcode::Istore(slot) => store(Int, slot),
        Opcode::Lstore(slot) => store(Long, slot),
        Opcode::Fstore(slot) => store(Float, slot),
        Opcode::Dstore(slot) => store(Double, slot),
        Opcode::Astore(slot) => store(Reference, slot),
        Opcode::Iaload => Instruction::LoadElement(Element::Int),
        Opcode::Laload => Instruction::LoadElement(Element::Long),
        Opcode::Faload => Instruction::LoadElement(Element::Float),
        Opcode::Daload => Instruction::LoadElement(Element::Double),
        Opcode::Aaload => Instruction::LoadElement(Element::Reference),
        Opcode::Baload => Instruction::LoadElement(Element::ByteOrBoolean),
        Opcode::Caload => Instruction::LoadElement(Element::Char),
        Opcode::Saload => Instruction::LoadElement(Element::Short),
        Opcode::Iastore => Instruction::StoreElement(Element::Int),
        Opcode::Lastore => Instruction::StoreElement(Element::Long),
        Opcode::Fastore => Instruction::StoreElement(Element::Float),
        Opcode::Dastore => Instruction::StoreElement(Element::Double),
        Opcode::Aastore => Instruction::StoreElement(Element::Reference),
        Opcode::Bastore => Instruction::StoreElement(Element::ByteOrBoolean),
        Opcode::Castore => Instruction::StoreElement(Element::Char),
        Opcode::Sastore => Instruction::StoreElement(Element::Short),
        Opcode::Pop => Instruction::Stack(StackOp::Pop),
        Opcode::Pop2 => Instruction::Stack(StackOp::Pop2),
        Opcode::Dup => Instruction::Stack(StackOp::Dup),
        Opcode::DupX1 => Instruction::Stack(StackOp::DupX1),
        Opcode::DupX2 => Instruction::Stack(StackOp::DupX2),
        Opcode::Dup2 => Instruction::Stack(StackOp::Dup2),
        Opcode::Dup2X1 => Instruction::Stack(StackOp::Dup2X1),
        Opcode::Dup2X2 => Instruction::Stack(StackOp::Dup2X2),
        Opcode::Swap => Instruction::Stack(StackOp::Swap),
        Opcode::Iadd => Instruction::Binary(ArithmeticOp::Add, Int),
        Opcode::Ladd => Instruction::Binary(ArithmeticOp::Add, Long),
        Opcode::Fadd => Instruction::Binary(ArithmeticOp::Add, Float),
        Opcode::Dadd => Instruction::Binary(ArithmeticOp::Add, Double),
        Opcode::Isub => Instruction::Binary(ArithmeticOp::Subtract, Int),
        Opcode::Lsub => Instruction::Binary(ArithmeticOp::Subtract, Long),
        Opcode::Fsub => Instruction::Binary(ArithmeticOp::Subtract, Float),
        Opcode::Dsub => Instruction::Binary(ArithmeticOp::Subtract, Double),
        Opcode::Imul => Instruction::Binary(ArithmeticOp::Multiply, Int),
        Opcode::Lmul => Instruction::Binary(ArithmeticOp::Multiply, Long),
        Opcode::Fmul => Instruction::Binary(ArithmeticOp::Multiply, Float),
        Opcode::Dmul => Instruction::Binary(ArithmeticOp::Multiply, Double),
        Opcode::Idiv => Instruction::Binary(ArithmeticOp::Divide, Int),
        Opcode::Ldiv => Instruction::Binary(ArithmeticOp::Divide, Long),
        Opcode::Fdiv => Instruction::Binary(ArithmeticOp::Divide, Float),
        Opcode::Ddiv => Instruction::Binary(ArithmeticOp::Divide, Double),
        Opcode::Irem => Instruction::Binary(ArithmeticOp::Remainder, Int),
        Opcode::Lrem => Instruction::Binary(ArithmeticOp::Remainder, Long),
        Opcode::Frem => Instruction::Binary(ArithmeticOp::Remainder, Float),
        Opcode::Drem => Instruction::Binary(ArithmeticOp::Remainder, Double),
        Opcode::Ineg => Instruction::Negate(Int),
        Opcode::Lneg => Instruction::Negate(Long),
        Opcode::Fneg => Instruction::Negate(Float),
        Opcode::Dneg => Instruction::Negate(Double),
        Opcode::Ishl => Instruction::Binary(ArithmeticOp::ShiftLeft, Int),
        Opcode::Lshl => Instruction::Binary(ArithmeticOp::ShiftLeft, Long),
        Opcode::Ishr => Instruction::Binary(ArithmeticOp::ShiftRight, Int),
        Opcode::Lshr => Instruction::Binary(ArithmeticOp::ShiftRight, Long),
        Opcode::Iushr => Instruction::Binary(ArithmeticOp::ShiftRightUnsigned, Int),
        Opcode::Lushr => Instruction::Binary(ArithmeticOp::ShiftRightUnsigned, Long),
        Opcode::Iand => Instruction::Binary(ArithmeticOp::And, Int),
        Opcode::Land => Instruction::Binary(ArithmeticOp::And, Long),
        Opcode::Ior => Instruction::Binary(ArithmeticOp::Or, Int),
        Opcode::Lor => Instruction::Binary(ArithmeticOp::Or, Long),
        Opcode::Ixor => Instruction::Binary(ArithmeticOp::Xor, Int),
        Opcode::Lxor => Instruction::Binary(ArithmeticOp::Xor, Long),
        Opcode::Iinc(slot, by) => Instruction::Increment(LocalSlot(*slot), *by),
        Opcode::I2l => Instruction::Convert(Int, JavaType::Long),
        Opcode::I2f => Instruction::Convert(Int, JavaType::Float),
        Opcode::I2d => Instruction::Convert(Int, JavaType::Double),
        Opcode::L2i => Instruction::Convert(Long, JavaType::Int),
        Opcode::L2f => Instruction::Convert(Long, JavaType::Float),
        Opcode::L2d => Instruction::Convert(Long, JavaType::Double),
        Opcode::F2i => Instruction::Convert(Float, JavaType::Int),
        Opcode::F2l => Instruction::Convert(Float, JavaType::Long),
        Opcode::F2d => Instruction::Convert(Float, JavaType::Double),
        Opcode::D2i => Instruction::Convert(Double, JavaType::Int),
        Opcode::D2l => Instruction::Convert(Double, JavaType::Long),
        Opcode::D2f => Instruction::Convert(Double, JavaType::Float),
        Opcode::I2b => Instruction::Convert(Int, JavaType::Byte),
        Opcode::I2c => Instruction::Convert(Int, JavaType::Char),
        Opcode::I2s => Instruction::Convert(Int, JavaType::Short),
        Opcode::Lcmp => Instruction::Compare(Comparison::Long),
        Opcode::Fcmpl => Instruction::Compare(Comparison::FloatLess),
        Opcode::Fcmpg => Instruction::Compare(Comparison::FloatGreater),
        Opcode::Dcmpl => Instruction::Compare(Comparison::DoubleLess),
        Opcode::Dcmpg => Instruction::Compare(Comparison::DoubleGreater),
        Opcode::Ifeq(offset) => zero(Relation::Equal, offset),
        Opcode::Ifne(offset) => zero(Relation::NotEqual, offset),
        Opcode::Iflt(offset) => zero(Relation::Less, offset),
        Opcode::Ifge(offset) => zero(Relation::AtLeast, offset),
        Opcode::Ifgt(offset) => zero(Relation::Greater, offset),
        Opcode::Ifle(offset) => zero(Relation::AtMost, offset),
        Opcode::IfIcmpeq(offset) => ints(Relation::Equal, offset),
        Opcode::IfIcmpne(offset) => ints(Relation::NotEqual, offset),
        Opcode::IfIcmplt(offset) => ints(Relation::Less, offset),
        Opcode::IfIcmpge(offset) => ints(Relation::AtLeast, offset),
        Opcode::IfIcmpgt(offset) => ints(Relation::Greater, offset),
        Opcode::IfIcmple(offset) => ints(Relation::AtMost, offset),
        Opcode::IfAcmpeq(offset) => same(Relation::Equal, offset),
        Opcode::IfAcmpne(offset) => same(Relation::NotEqual, offset),
        Opcode::Ifnull(offset) => null(Relation::Equal, offset),
        Opcode::Ifnonnull(offset) => null(Relation::NotEqual, offset),
        Opcode::Goto(offset) => Instruction::Goto(to(offset)),
        Opcode::Jsr(offset) => Instruction::Subroutine(to(offset)),
        Opcode::Ret(slot) => Instruction::EndSubroutine(LocalSlot(*slot)),
        Opcode::Tableswitch(table) => Instruction::Switch(Switch {
            cases: (table.low..)
                .zip(&table.jumps)
                .map(|(case, offset)| (case, to(offset)))
                .collect(),
            default: to(&table.default),
        }),
        Opcode::Lookupswitch(table) => Instruction::Switch(Switch {
            cases: table
                .match_offsets
                .iter()
                .map(|(case, offset)| (*case, to(offset)))
                .collect(),
            default: to(&table.default),
        }),
        Opcode::Ireturn => Instruction::Return(Some(Int)),
        Opcode::Lreturn => Instruction::Return(Some(Long)),
        Opcode::Freturn => Instruction::Return(Some(Float)),
        Opcode::Dreturn => Instruction::Return(Some(Double)),
        Opcode::Areturn => Instruction::Return(Some(Reference)),
        Opcode::Return => Instruction::Return(None),
        Opcode::Getfield(found) => Instruction::GetField(field(found)),
        Opcode::Putfield(found) => Instruction::PutField(field(found)),
        Opcode::Getstatic(found) => Instruction::GetStatic(field(found)),
        Opcode::Putstatic(found) => Instruction::PutStatic(field(found)),
        Opcode::Invokevirtual(found) => Instruction::Invoke(InvokeKind::Virtual, method(found)),
        Opcode::Invokespecial(found) => Instruction::Invoke(InvokeKind::Special, method(found)),
        Opcode::Invokestatic(found) => Instruction::Invoke(InvokeKind::Static, method(found)),
        Opcode::Invokeinterface(found, _) => {
            Instruction::Invoke(InvokeKind::Interface, method(found))
        }
        Opcode::Invokedynamic(found) => Instruction::InvokeDynamic(Dynamic {
            bootstrap: found.attr_index,
            name: (&*found.name_and_type.name).into(),
            ty: signature(&found.name_and_type.descriptor),
        }),
        Opcode::New(name) => Instruction::New(ClassName::new(name)),
        Opcode::Newarray(element) => {
            let element = match element {
                PrimitiveArrayType::Boolean => JavaType::Boolean,
                PrimitiveArrayType::Char => JavaType::Char,
                PrimitiveArrayType::Float => JavaType::Float,
                PrimitiveArrayType::Double => JavaType::Double,
                PrimitiveArrayType::Byte => JavaType::Byte,
                PrimitiveArrayType::Short => JavaType::Short,
                PrimitiveArrayType::Int => JavaType::Int,
                PrimitiveArrayType::Long => JavaType::Long,
            };
            Instruction::NewArray(JavaType::array_of(element), 1)
        }
        Opcode::Anewarray(found) => Instruction::NewArray(JavaType::array_of(array_type(found)), 1),
        Opcode::Multianewarray(found, count) => Instruction::NewArray(array_type(found), *count),
        Opcode::Arraylength => Instruction::Length,
        Opcode::Athrow => Instruction::Throw,
        Opcode::Checkcast(found) => Instruction::Cast(array_type(found)),
        Opcode::Instanceof(found) => Instruction::InstanceOf(array_type(found)),
        Opcode::Monitorenter => Instruction::Monitor(Monitor::Enter),
        Opcode::Monitorexit => Instruction::Monitor(Monitor::Exit),
        Opcode::Breakpoint | Opcode::Impdep1 | Opcode::Impdep2 => panic!("{opcode:?}"),
    }
}
