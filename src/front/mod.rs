//! Front ends: one folder a source language. Each reads its files into the typed program (`ir`), with every place
//! pointing into the text that the user wrote; nothing behind this room knows which language that was.

pub mod java;
mod json;
pub mod solidity;
pub mod tq;
