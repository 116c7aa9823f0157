//! Class files made by hand, byte by byte: what compilers do not make.

use std::collections::HashMap;

/// A class file with one static method.
#[derive(Default)]
pub struct Assembler {
    pool: Vec<u8>,
    entries: u16,
    known: HashMap<Vec<u8>, u16>,
    code: Vec<u8>,
    /// Where blocks begin.
    starts: HashMap<usize, usize>,
    /// Jumps to blocks: where the distance stands, from where it counts, and in how many bytes.
    jumps: Vec<(usize, usize, usize, usize)>,
    handlers: Vec<[u16; 4]>,
}

impl Assembler {
    fn entry(&mut self, bytes: Vec<u8>) -> u16 {
        if let Some(found) = self.known.get(&bytes) {
            return *found;
        }
        self.pool.extend(&bytes);
        self.entries += 1;
        self.known.insert(bytes, self.entries);
        self.entries
    }

    fn text(&mut self, text: &str) -> u16 {
        let length = u16::try_from(text.len()).expect("short");
        let mut bytes = vec![1];
        bytes.extend(length.to_be_bytes());
        bytes.extend(text.as_bytes());
        self.entry(bytes)
    }

    fn pair(&mut self, tag: u8, parts: &[u16]) -> u16 {
        let mut bytes = vec![tag];
        bytes.extend(parts.iter().flat_map(|part| part.to_be_bytes()));
        self.entry(bytes)
    }

    pub fn class(&mut self, name: &str) -> u16 {
        let name = self.text(name);
        self.pair(7, &[name])
    }

    /// A member: 9 for a field, 10 for a method.
    pub fn member(&mut self, tag: u8, class: &str, name: &str, descriptor: &str) -> u16 {
        let class = self.class(class);
        let (name, descriptor) = (self.text(name), self.text(descriptor));
        let member = self.pair(12, &[name, descriptor]);
        self.pair(tag, &[class, member])
    }

    pub fn start(&mut self, block: usize) {
        self.starts.insert(block, self.code.len());
    }

    pub fn op(&mut self, bytes: &[u8]) {
        self.code.extend(bytes);
    }

    pub fn op2(&mut self, opcode: u8, operand: u16) {
        self.code.push(opcode);
        self.code.extend(operand.to_be_bytes());
    }

    /// A jump of two bytes to a block.
    pub fn jump(&mut self, opcode: u8, block: usize) {
        let from = self.code.len();
        self.op2(opcode, 0);
        self.jumps.push((from + 1, from, block, 2));
    }

    /// A `lookupswitch`.
    pub fn switch(&mut self, cases: &[(i32, usize)], default: usize) {
        let from = self.code.len();
        self.code.push(0xab);
        while !self.code.len().is_multiple_of(4) {
            self.code.push(0);
        }
        let target = |code: &mut Vec<u8>, jumps: &mut Vec<_>, block: usize| {
            jumps.push((code.len(), from, block, 4));
            code.extend([0; 4]);
        };
        target(&mut self.code, &mut self.jumps, default);
        self.code.extend((cases.len() as u32).to_be_bytes());
        for (case, block) in cases {
            self.code.extend(case.to_be_bytes());
            target(&mut self.code, &mut self.jumps, *block);
        }
    }

    pub fn handler(&mut self, from: usize, to: usize, block: usize, class: Option<&str>) {
        let class = class.map_or(0, |class| self.class(class));
        self.handlers
            .push([from as u16, to as u16, block as u16, class]);
    }

    /// The class file: `Made`, with the static method `run` of that descriptor.
    pub fn finish(mut self, descriptor: &str, stack: u16, locals: u16) -> Vec<u8> {
        for (at, from, block, width) in std::mem::take(&mut self.jumps) {
            let distance = self.starts[&block] as i64 - from as i64;
            let bytes = (distance as i32).to_be_bytes();
            self.code[at..at + width].copy_from_slice(&bytes[4 - width..]);
        }
        let this = self.class("Made");
        let object = self.class("java/lang/Object");
        let name = self.text("run");
        let descriptor = self.text(descriptor);
        let attribute = self.text("Code");
        let mut method = Vec::new();
        for part in [0x0009, name, descriptor, 1, attribute] {
            method.extend(part.to_be_bytes());
        }
        let mut body = Vec::new();
        body.extend(stack.to_be_bytes());
        body.extend(locals.to_be_bytes());
        body.extend((self.code.len() as u32).to_be_bytes());
        body.extend(&self.code);
        body.extend((self.handlers.len() as u16).to_be_bytes());
        for [from, to, block, class] in &self.handlers {
            let start = |block: &u16| self.starts[&usize::from(*block)] as u16;
            for part in [start(from), start(to), start(block), *class] {
                body.extend(part.to_be_bytes());
            }
        }
        body.extend([0, 0]);
        method.extend((body.len() as u32).to_be_bytes());
        method.extend(body);
        let mut file = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 49];
        file.extend((self.entries + 1).to_be_bytes());
        file.extend(&self.pool);
        for part in [0x0021, this, object, 0, 0, 1] {
            file.extend(u16::to_be_bytes(part));
        }
        file.extend(method);
        file.extend([0, 0]);
        file
    }
}
