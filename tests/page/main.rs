//! The page of `tranquera epa --format html`, in a real Chromium: opened from a file, clicked, and read.

#[path = "../support/chromium.rs"]
mod chromium;
mod edges;
mod handling;
mod opened;
mod size;
mod walks;
