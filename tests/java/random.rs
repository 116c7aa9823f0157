//! Random code: blocks that jump anywhere, with anything on the stack, under handlers of any range. No compiler makes
//! such code, and the machine runs it.

use proptest::prelude::*;
use tranquera::front::java::classfile::ClassFile;
use tranquera::front::java::flow::body_of;

use crate::assemble::Assembler;
use crate::bodies::compare;
use crate::support::random::cases;
use crate::support::tape::Tape;

/// What lies on the stack.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Int,
    Long,
    Array,
    Object,
    Exception,
}

use Kind::{Array, Exception, Int, Long, Object};

impl Kind {
    fn width(self) -> usize {
        if self == Long { 2 } else { 1 }
    }
}

/// The parameters: `run(int, int, int[], Made, long, boolean)`, and then local variables of the same kinds. The truth value
/// is used as a number, too, and numbers are put into it.
const DESCRIPTOR: &str = "(II[ILMade;JZ)I";
const INTS: [u8; 4] = [0, 1, 6, 7];
const LONGS: [u8; 2] = [4, 8];
const OBJECTS: [u8; 2] = [3, 10];
const ARRAYS: [u8; 2] = [2, 11];
const EXCEPTION: u8 = 12;
/// Holds something else in each block.
const SCRATCH: u8 = 13;
const LOCALS: u16 = 15;

/// What blocks may find on the stack.
const SHAPES: [&[Kind]; 6] = [&[], &[], &[Int], &[Object, Int], &[Long], &[Int, Array]];

struct Maker<'a> {
    tape: &'a mut Tape,
    code: Assembler,
    shapes: Vec<Vec<Kind>>,
    stack: Vec<Kind>,
}

fn class_file(tape: &mut Tape) -> Vec<u8> {
    let count = 2 + tape.below(9);
    let handlers = tape.below(3);
    let mut shapes = vec![Vec::new()];
    shapes.extend((0..count).map(|_| tape.pick(&SHAPES).to_vec()));
    shapes.extend((0..handlers).map(|_| vec![Exception]));
    let mut maker = Maker {
        tape,
        code: Assembler::default(),
        shapes,
        stack: Vec::new(),
    };
    maker.prologue();
    for block in 1..maker.shapes.len() {
        maker.block(block);
    }
    let end = maker.shapes.len();
    maker.code.start(end);
    for handler in 0..handlers {
        for _ in 0..1 + maker.tape.below(2) {
            let from = 1 + maker.tape.below(end - 1);
            let to = from + 1 + maker.tape.below(end - from);
            let classes = [
                None,
                Some("made/Up1"),
                Some("java/lang/RuntimeException"),
                Some("Made"),
            ];
            let class = *maker.tape.pick(&classes);
            maker.code.handler(from, to, count + 1 + handler, class);
        }
    }
    maker.code.finish(DESCRIPTOR, 40, LOCALS)
}

impl Maker<'_> {
    /// Gives all local variables a value, so that any may be read anywhere.
    fn prologue(&mut self) {
        self.code.start(0);
        self.code.op(&[0x03, 0x36, 7]);
        self.code.op(&[0x0a, 0x37, 8]);
        for slot in [10, 11, EXCEPTION] {
            self.code.op(&[0x01, 0x3a, slot]);
        }
        self.go(1);
    }

    fn push(&mut self, kind: Kind) {
        self.stack.push(kind);
    }

    fn block(&mut self, block: usize) {
        self.code.start(block);
        self.stack = self.shapes[block].clone();
        if self.stack == [Exception] && self.tape.chance(70) {
            self.code.op(&[0x3a, EXCEPTION]);
            self.stack.clear();
        }
        for _ in 0..self.tape.below(9) {
            self.instruction();
        }
        self.exit();
    }

    /// Something that has on the stack what it needs; else what is needed is put there.
    fn instruction(&mut self) {
        match self.tape.below(28) {
            0 => self.value(Int),
            1 => self.value(Long),
            2 => self.value(Object),
            3 => self.store(),
            4 => {
                let slot = *self.tape.pick(&INTS);
                let by = self.tape.number(-2, 2) as i8;
                self.code.op(&[0x84, slot, by as u8]);
            }
            5..=7 => {
                let op = *self.tape.pick(&[
                    0x60, 0x64, 0x68, 0x6c, 0x70, 0x78, 0x7a, 0x7c, 0x7e, 0x80, 0x82,
                ]);
                self.apply(&[Int, Int], &[op], &[Int]);
            }
            8 => {
                let op = *self.tape.pick(&[0x61, 0x65, 0x69, 0x6d, 0x7f, 0x81, 0x83]);
                self.apply(&[Long, Long], &[op], &[Long]);
            }
            9 => self.apply(&[Int], &[0x85], &[Long]),
            10 => self.apply(&[Long], &[0x88], &[Int]),
            11 => self.apply(&[Long, Long], &[0x94], &[Int]),
            12..=14 => self.rearrange(),
            15 => self.apply(&[Array, Int], &[0x2e], &[Int]),
            16 => self.apply(&[Array, Int, Int], &[0x4f], &[]),
            17 => self.apply(&[Array], &[0xbe], &[Int]),
            18 => {
                let field = self.code.member(9, "Made", "f", "I");
                self.apply2(&[Object], 0xb4, field, &[Int]);
            }
            19 => {
                let field = self.code.member(9, "Made", "f", "I");
                self.apply2(&[Object, Int], 0xb5, field, &[]);
            }
            20 => {
                let field = self.code.member(9, "Made", "next", "LMade;");
                self.apply2(&[Object], 0xb4, field, &[Object]);
            }
            21 => {
                let field = self.code.member(9, "Made", "flag", "Z");
                if self.tape.chance(50) {
                    self.apply2(&[], 0xb2, field, &[Int]);
                } else {
                    self.apply2(&[Int], 0xb3, field, &[]);
                }
            }
            22 => {
                let method = self.code.member(10, "Made", "call", "(ILMade;)I");
                self.apply2(&[Int, Object], 0xb8, method, &[Int]);
            }
            23 => {
                let method = self.code.member(10, "Made", "is", "(Z)Z");
                self.apply2(&[Object, Int], 0xb6, method, &[Int]);
            }
            24 => self.new_object(),
            25 => {
                let class = self.code.class("Made");
                self.apply2(&[Object], 0xc1, class, &[Int]);
            }
            26 => {
                let class = self.code.class("Made");
                self.apply2(&[Object], 0xc0, class, &[Object]);
            }
            _ => self.apply(&[Int], &[0xbc, 10], &[Array]),
        }
    }

    /// Puts what is needed on the stack, where it is not there already, and does something with it.
    fn apply(&mut self, needed: &[Kind], op: &[u8], made: &[Kind]) {
        self.need(needed);
        self.code.op(op);
        self.stack.truncate(self.stack.len() - needed.len());
        self.stack.extend(made);
    }

    fn apply2(&mut self, needed: &[Kind], opcode: u8, operand: u16, made: &[Kind]) {
        let [high, low] = operand.to_be_bytes();
        self.apply(needed, &[opcode, high, low], made);
    }

    fn need(&mut self, needed: &[Kind]) {
        // What is on the stack is used as far as it fits.
        let fitting = (0..=needed.len())
            .rev()
            .find(|length| self.stack.ends_with(&needed[..*length]));
        for kind in &needed[fitting.unwrap_or(0)..] {
            self.value(*kind);
        }
    }

    /// Pushes a value of a kind.
    fn value(&mut self, kind: Kind) {
        match kind {
            Int if self.tape.chance(50) => {
                let value = self.tape.number(-1, 5) as u8;
                self.code.op(&[3u8.wrapping_add(value)]);
            }
            Int => self.load(0x15, &INTS),
            Long if self.tape.chance(40) => self.code.op(&[0x09 + self.tape.below(2) as u8]),
            Long => self.load(0x16, &LONGS),
            Array => self.load(0x19, &ARRAYS),
            Object if self.tape.chance(10) => self.code.op(&[0x01]),
            Object => self.load(0x19, &OBJECTS),
            Exception => self.code.op(&[0x19, EXCEPTION]),
        }
        self.push(kind);
    }

    fn load(&mut self, opcode: u8, slots: &[u8]) {
        let slot = *self.tape.pick(slots);
        self.code.op(&[opcode, slot]);
    }

    fn store(&mut self) {
        let Some(kind) = self.stack.pop() else { return };
        let (opcode, load, slots): (u8, u8, &[u8]) = match kind {
            Int => (0x36, 0x15, &INTS),
            Long => (0x37, 0x16, &LONGS),
            Array => (0x3a, 0x19, &ARRAYS),
            Object => (0x3a, 0x19, &OBJECTS),
            Exception => (0x3a, 0x19, &[EXCEPTION]),
        };
        if self.tape.chance(30) {
            // There and back again.
            self.code.op(&[opcode, SCRATCH, load, SCRATCH]);
            self.push(kind);
        } else {
            let slot = *self.tape.pick(slots);
            self.code.op(&[opcode, slot]);
        }
    }

    fn new_object(&mut self) {
        let class = self.code.class("Made");
        let constructor = self.code.member(10, "Made", "<init>", "(I)V");
        self.code.op2(0xbb, class);
        self.code.op(&[0x59]);
        // Whatever the arguments are made of lies above the object that is not made yet.
        let below = std::mem::take(&mut self.stack);
        self.value(Int);
        for _ in 0..self.tape.below(3) {
            match self.tape.below(3) {
                0 => {
                    let method = self.code.member(10, "Made", "call", "(ILMade;)I");
                    self.apply2(&[Int, Object], 0xb8, method, &[Int]);
                }
                1 => self.apply(&[Int, Int], &[0x6c], &[Int]),
                _ => self.apply(&[Array, Int], &[0x2e], &[Int]),
            }
        }
        self.fit(&[Int]);
        self.code.op2(0xb7, constructor);
        self.stack = below;
        self.push(Object);
    }

    /// Moves what is on the stack, in one of the forms that fit.
    fn rearrange(&mut self) {
        let widths: Vec<usize> = self.stack.iter().rev().map(|kind| kind.width()).collect();
        let narrow = |at: usize| widths.get(at) == Some(&1);
        let mut forms: Vec<u8> = Vec::new();
        if narrow(0) {
            forms.extend([0x57, 0x59]);
            if narrow(1) {
                forms.extend([0x5a, 0x5c, 0x5f, 0x58]);
                if narrow(2) {
                    forms.extend([0x5b, 0x5d]);
                    if narrow(3) {
                        forms.push(0x5e);
                    }
                }
            } else if widths.len() > 1 {
                forms.push(0x5b);
            }
        } else if !widths.is_empty() {
            forms.extend([0x5c, 0x58]);
            if narrow(1) {
                forms.push(0x5d);
            } else if widths.len() > 1 {
                forms.push(0x5e);
            }
        }
        if forms.is_empty() || self.stack.len() > 12 {
            return;
        }
        let form = *self.tape.pick(&forms);
        self.code.op(&[form]);
        self.moved(form);
    }

    fn moved(&mut self, form: u8) {
        let mut take = |entries: usize| {
            let mut taken = Vec::new();
            let mut left = entries;
            while left > 0 {
                let kind = self.stack.pop().expect("a value");
                left -= kind.width();
                taken.insert(0, kind);
            }
            taken
        };
        let (copied, below) = match form {
            0x57 => return drop(take(1)),
            0x58 => return drop(take(2)),
            0x5f => {
                let (a, b) = (take(1), take(1));
                self.stack.extend(a.into_iter().chain(b));
                return;
            }
            0x59 => (1, 0),
            0x5a => (1, 1),
            0x5b => (1, 2),
            0x5c => (2, 0),
            0x5d => (2, 1),
            _ => (2, 2),
        };
        let a = take(copied);
        let b = take(below);
        self.stack
            .extend(a.iter().copied().chain(b).chain(a.iter().copied()));
    }

    /// Makes the stack what another block finds there.
    fn fit(&mut self, shape: &[Kind]) {
        let same = self
            .stack
            .iter()
            .zip(shape)
            .take_while(|(a, b)| a == b)
            .count();
        while self.stack.len() > same {
            let kind = self.stack.pop().expect("a value");
            self.code.op(&[if kind == Long { 0x58 } else { 0x57 }]);
        }
        for kind in &shape[same..] {
            self.value(*kind);
        }
    }

    fn go(&mut self, block: usize) {
        let shape = self.shapes[block].clone();
        self.fit(&shape);
        self.code.jump(0xa7, block);
    }

    /// A block that finds on the stack what this one does.
    fn like(&mut self, block: usize) -> usize {
        let shape = self.shapes[block].clone();
        let alike: Vec<usize> = (1..self.shapes.len())
            .filter(|b| self.shapes[*b] == shape)
            .collect();
        *self.tape.pick(&alike)
    }

    fn exit(&mut self) {
        let block = 1 + self.tape.below(self.shapes.len() - 1);
        let shape = self.shapes[block].clone();
        match self.tape.below(10) {
            0 => {
                self.need(&[Int]);
                self.code.op(&[0xac]);
            }
            1 => {
                self.need(&[Exception]);
                self.code.op(&[0xbf]);
            }
            2 => {
                self.fit(&shape);
                self.value(Int);
                let targets: Vec<usize> = (0..3).map(|_| self.like(block)).collect();
                self.code
                    .switch(&[(-1, targets[0]), (0, targets[1]), (2, targets[2])], block);
            }
            3..=7 => {
                self.fit(&shape);
                let other = self.like(block);
                let opcode = match self.tape.below(4) {
                    0 => {
                        self.value(Object);
                        *self.tape.pick(&[0xc6, 0xc7])
                    }
                    1 => {
                        self.value(Int);
                        self.value(Int);
                        *self.tape.pick(&[0x9f, 0xa1, 0xa4])
                    }
                    2 => {
                        self.value(Long);
                        self.value(Long);
                        self.code.op(&[0x94]);
                        *self.tape.pick(&[0x9b, 0x9d])
                    }
                    _ => {
                        self.value(Int);
                        *self.tape.pick(&[0x99, 0x9a, 0x9c])
                    }
                };
                self.code.jump(opcode, other);
                self.code.jump(0xa7, block);
            }
            _ => self.go(block),
        }
    }
}

/// Compares what the code of a random class does with what its tree does.
fn check(numbers: Vec<u16>) -> Result<(), String> {
    let bytes = class_file(&mut Tape::new(numbers));
    let class = ClassFile::read(bytes.into()).map_err(|error| error.to_string())?;
    let method = &class.methods[0];
    let code = class
        .code(method)
        .map_err(|error| error.to_string())?
        .expect("code");
    let body = body_of(&class, method)
        .map_err(|error| error.to_string())?
        .expect("a body");
    for seed in 0..6 {
        compare(&class.name, method, &code, &body, seed)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn trees_of_random_code_do_what_the_code_does(
        numbers in prop::collection::vec(any::<u16>(), 0..400)
    ) {
        if let Err(error) = check(numbers) {
            return Err(TestCaseError::fail(error));
        }
    }
}
