//! Files that nobody means well with: whatever they are, there is an answer, and soon.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tranquera::front::java::classfile::ClassFile;
use tranquera::front::java::flow::{Refused, body_of};

use crate::assemble::Assembler;
use crate::corpus;
use crate::print::print;

/// A sequence of numbers that looks random (xorshift64*).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize
    }

    fn below(&mut self, count: usize) -> usize {
        self.next() % count.max(1)
    }
}

/// Changes a few bytes, or the length.
fn mutate(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    for _ in 0..1 + numbers.below(4) {
        let at = numbers.below(bytes.len());
        match numbers.below(8) {
            0 => bytes.truncate(at.max(8)),
            1 => {
                let value = [0, 1, 0x7f, 0x80, 0xff][numbers.below(5)];
                for byte in bytes.iter_mut().skip(at).take(1 + numbers.below(4)) {
                    *byte = value;
                }
            }
            2 => {
                let from = numbers.below(bytes.len());
                let length = numbers
                    .below(40)
                    .min(bytes.len() - from)
                    .min(bytes.len() - at);
                bytes.copy_within(from..from + length, at);
            }
            3 => bytes[at] ^= 1 << numbers.below(8),
            _ => bytes[at] = numbers.next() as u8,
        }
    }
}

/// Reads a class as far as it goes. How many bodies became trees.
fn read(bytes: Vec<u8>) -> usize {
    let Ok(class) = ClassFile::read(bytes.into()) else {
        return 0;
    };
    let mut trees = 0;
    for method in &class.methods {
        if let Ok(Some(body)) = body_of(&class, method) {
            trees += usize::from(!print(&body).is_empty());
        }
    }
    trees
}

fn mutated(files: &[Arc<[u8]>], count: usize, seed: u64) -> (usize, Duration) {
    let mut numbers = Numbers(seed);
    let mut trees = 0;
    let mut longest = Duration::ZERO;
    for _ in 0..count {
        let mut bytes = files[numbers.below(files.len())].to_vec();
        mutate(&mut bytes, &mut numbers);
        let start = Instant::now();
        trees += read(bytes);
        longest = longest.max(start.elapsed());
    }
    (trees, longest)
}

fn fixtures() -> Vec<Arc<[u8]>> {
    let (class_path, names) = corpus::fixtures();
    names
        .iter()
        .map(|name| corpus::bytes(&class_path, name))
        .collect()
}

#[test]
fn mutated_files_have_an_answer() {
    let (trees, longest) = mutated(&fixtures(), 2_000, 1);
    assert!(trees > 500, "{trees}");
    assert!(longest < Duration::from_secs(20), "{longest:?}");
}

#[test]
#[ignore = "takes minutes; class files of what is installed, or of what TRANQUERA_JAVA names"]
fn a_hundred_thousand_mutated_files_have_an_answer() {
    let (class_path, names) = corpus::installed();
    let some = names.iter().step_by(names.len() / 400 + 1);
    let mut files: Vec<Arc<[u8]>> = some.map(|name| corpus::bytes(&class_path, name)).collect();
    files.retain(|file| file.len() < 30_000);
    files.extend(fixtures());
    let (trees, longest) = mutated(&files, 100_000, 7);
    println!("{trees} trees, the longest file took {longest:?}");
}

#[test]
fn a_file_of_nested_annotations_is_read() {
    // An array in an array in an array …, 40,000 of them.
    let mut value = Vec::new();
    for _ in 0..40_000 {
        value.extend([b'[', 0, 1]);
    }
    value.extend([b'[', 0, 0]);
    let class = with_annotations(&value);
    let class = ClassFile::read(class.into()).expect("a class");
    assert!(class.annotations.is_empty());
    let shallow = with_annotations(&[b'[', 0, 1, b'[', 0, 0]);
    let class = ClassFile::read(shallow.into()).expect("a class");
    assert_eq!(class.annotations.len(), 1);
}

/// A class with one annotation, whose only element has this value.
fn with_annotations(value: &[u8]) -> Vec<u8> {
    let texts = [
        "Made",
        "java/lang/Object",
        "RuntimeVisibleAnnotations",
        "LA;",
        "e",
    ];
    let mut file = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0, 8];
    for text in texts {
        file.extend([1, 0, text.len() as u8]);
        file.extend(text.as_bytes());
    }
    file.extend([7, 0, 1, 7, 0, 2]);
    file.extend([0, 0x21, 0, 6, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1]);
    // One annotation of type 4, with one element named 5.
    let mut body = vec![0, 1, 0, 4, 0, 1, 0, 5];
    body.extend(value);
    file.extend([0, 3]);
    file.extend((body.len() as u32).to_be_bytes());
    file.extend(body);
    file
}

/// The answer for a class with one method, made by hand.
fn answer(bytes: Vec<u8>) -> Result<String, Refused> {
    let class = ClassFile::read(bytes.into()).expect("a class");
    let body = body_of(&class, &class.methods[0])?.expect("code");
    Ok(print(&body))
}

#[test]
fn deep_bodies_have_an_answer() {
    // if (a) { if (a) { … one in the other, and each goes on behind itself.
    let mut code = Assembler::default();
    let count = 4_000;
    for block in 0..count {
        code.op(&[0x1a]);
        code.jump(0x99, 2 * count - block);
    }
    for block in count..2 * count {
        code.start(block + 1);
        code.op(&[0x84, 0, 1]);
    }
    code.op(&[0xb1]);
    let found = answer(code.finish("(I)V", 1, 1));
    assert!(matches!(found, Err(Refused::TooLarge(_))), "{found:?}");
}

#[test]
fn long_bodies_have_an_answer() {
    // a + a + a + …
    let mut sum = Assembler::default();
    sum.op(&[0x1a]);
    for _ in 0..15_000 {
        sum.op(&[0x1a, 0x60]);
    }
    sum.op(&[0xac]);
    assert!(answer(sum.finish("(I)I", 2, 1)).is_ok());

    // One loop behind the other, each of which may go back to the first.
    let mut loops = Assembler::default();
    let count = 3_000;
    for block in 0..count {
        loops.start(block);
        loops.op(&[0x1a]);
        loops.jump(0x99, block);
        loops.op(&[0x84, 0, 1]);
    }
    loops.op(&[0x1a]);
    loops.jump(0x9a, 0);
    loops.op(&[0xb1]);
    assert!(answer(loops.finish("(I)V", 1, 1)).is_ok());

    // A switch of which each case goes on into the next.
    let mut switch = Assembler::default();
    let count = 3_000;
    let cases: Vec<(i32, usize)> = (0..count).map(|block| (block as i32, block)).collect();
    switch.op(&[0x1a]);
    switch.switch(&cases, 0);
    for block in 0..count {
        switch.start(block);
        switch.op(&[0x84, 0, 1]);
    }
    switch.op(&[0xb1]);
    let found = answer(switch.finish("(I)V", 1, 1));
    assert!(matches!(found, Err(Refused::TooLarge(_))), "{found:?}");
}

#[test]
fn many_handlers_have_an_answer() {
    let mut code = Assembler::default();
    let count = 2_000;
    let method = code.member(10, "Made", "call", "()V");
    for block in 0..count {
        code.start(block);
        code.op2(0xb8, method);
    }
    code.start(count);
    code.op(&[0xb1]);
    code.start(count + 1);
    code.op(&[0x57, 0xb1]);
    for block in 0..count {
        code.handler(block, count, count + 1, Some(&format!("E{block}")));
    }
    let found = answer(code.finish("()V", 1, 1));
    assert!(
        found.is_ok() || matches!(found, Err(Refused::TooLarge(_))),
        "{found:?}"
    );
}
