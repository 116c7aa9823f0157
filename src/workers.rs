//! Work that several do at once, each with what it needs for that: a solver's process, for one.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};

/// As much stack as a program's first thread has: bodies and formulas are walked recursively.
const STACK: usize = 8 << 20;

/// One worker for each core.
pub(crate) fn a_core_each() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// What is made of each of `all`, in their order, by at most so many workers. Each worker takes the next one that nobody has
/// taken, with the tools that it made for itself at the beginning.
///
/// # Errors
/// There are no threads to be had (`no_threads` says what that is), or some worker has no tools.
pub(crate) fn each<T: Sync, W, R: Send, E: Send>(
    (all, most): (&[T], usize),
    no_threads: impl FnOnce(ThreadPoolBuildError) -> E,
    tools: impl Fn() -> Result<W, E> + Sync,
    make: impl Fn(&mut W, &T) -> R + Sync,
) -> Result<Vec<R>, E> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<(usize, R)>, E> {
        let mut with = tools()?;
        let mut made = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(at) else {
                return Ok(made);
            };
            made.push((at, make(&mut with, one)));
        }
    };
    let workers = most.min(all.len());
    if workers <= 1 {
        return Ok(work()?.into_iter().map(|(_, made)| made).collect());
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(workers)
        .stack_size(STACK)
        .build()
        .map_err(no_threads)?;
    let parts: Result<Vec<_>, E> = pool.broadcast(|_| work()).into_iter().collect();
    let mut made: Vec<(usize, R)> = parts?.into_iter().flatten().collect();
    made.sort_by_key(|(at, _)| *at);
    Ok(made.into_iter().map(|(_, made)| made).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(most: usize) -> Result<Vec<u64>, String> {
        let all: Vec<u64> = (0..100).collect();
        let no_threads = |error: ThreadPoolBuildError| error.to_string();
        each((&all, most), no_threads, || Ok(()), |(), n| n * n)
    }

    #[test]
    fn whoever_does_it_it_is_in_order() {
        let expected: Vec<u64> = (0..100).map(|n| n * n).collect();
        for most in [0, 1, 2, 7, 200] {
            assert_eq!(squares(most), Ok(expected.clone()), "{most}");
        }
    }

    #[test]
    fn without_tools_nothing_is_done() {
        for most in [1, 4] {
            let no_threads = |error: ThreadPoolBuildError| error.to_string();
            let tools = || Err::<(), _>("no hammer".to_string());
            let made = each((&[1, 2, 3, 4, 5], most), no_threads, tools, |(), n| *n);
            assert_eq!(made, Err("no hammer".to_string()));
        }
    }
}
