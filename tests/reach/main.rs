//! The built-in engine, and the Boogie language that it reads. Its answers to small programs, a file each, are in
//! `programs.rs`.

mod command;
mod drivers;
mod marks;
mod random;
mod roundtrip;
mod session;
mod simulate;
mod unbounded;
