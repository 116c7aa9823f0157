//! Room for recursion over trees that others made.

/// Runs something on a thread with a stack of this many bytes; none if there is no such thread to be had.
pub(crate) fn on_large_stack<T: Send>(bytes: usize, run: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(bytes)
            .spawn_scoped(scope, run)
            .ok()?;
        match thread.join() {
            Ok(result) => Some(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
