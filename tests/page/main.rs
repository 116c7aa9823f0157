//! The page of `tranquera epa --format html`, in a real Chromium: opened from a file, clicked, and read.

mod edges;
mod handling;
mod opened;
mod size;
#[path = "../support"]
mod support {
    pub mod chromium;
    pub mod program;
}
mod walks;
