//! Makes frames in parallel.

use crate::failure::Failure;
use crate::panics;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// The conditions that end the work early.
#[derive(Clone, Copy)]
pub struct Ends {
    /// Whether an end was requested: then no more work is begun.
    pub is_cancelled: fn() -> bool,
    /// Whether the request is so long ago that the work must stop waiting.
    pub is_overdue: fn() -> bool,
}

/// How often to check whether the end is overdue.
const WATCH: Duration = Duration::from_millis(100);

/// Makes a result from each thing, several in parallel, and passes the results to `take` as they come. After a request
/// to end, begins no more and waits for those begun; once that is overdue, calls `take` with none, again and again, so
/// that it can end the process. Returns whether all were made.
///
/// # Errors
/// The first failure of making (a panic counts) or taking; then no more work is begun.
pub fn side_by_side<T: Sync, M: Send>(
    things: &[T],
    at_once: usize,
    ends: Ends,
    make: impl Fn(&T) -> Result<M, Failure> + Sync,
    mut take: impl FnMut(Option<M>) -> Result<(), Failure>,
) -> Result<bool, Failure> {
    let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, made) = mpsc::channel();
    let mut result = Ok(());
    let mut count = 0;
    std::thread::scope(|scope| {
        for _ in 0..at_once.clamp(1, things.len().max(1)) {
            let sender = sender.clone();
            scope.spawn(|| {
                let sender = sender;
                while !has_failed.load(Ordering::SeqCst) && !(ends.is_cancelled)() {
                    let Some(thing) = things.get(next.fetch_add(1, Ordering::SeqCst)) else { break };
                    // The receiver is gone after a failure.
                    let _ = sender.send(panics::catch(|| make(thing)).and_then(|made| made));
                }
            });
        }
        drop(sender);
        loop {
            let one = match made.recv_timeout(WATCH) {
                Ok(one) => one.map(Some),
                Err(RecvTimeoutError::Timeout) if (ends.is_overdue)() => Ok(None),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let made = usize::from(matches!(one, Ok(Some(_))));
            match one.and_then(&mut take) {
                Ok(()) => count += made,
                Err(failure) => {
                    has_failed.store(true, Ordering::SeqCst);
                    if result.is_ok() {
                        result = Err(failure);
                    }
                }
            }
        }
    });
    result.map(|()| count == things.len())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::failure::ExitCode;

    const NEVER: Ends = Ends { is_cancelled: || false, is_overdue: || false };

    fn failing(at: usize) -> impl Fn(&usize) -> Result<usize, Failure> {
        move |&n| {
            std::thread::sleep(Duration::from_millis(1));
            if n == at { Err(Failure::new(ExitCode::BadInput, n.to_string())) } else { Ok(n) }
        }
    }

    #[test]
    fn each_is_made_once() {
        let things: Vec<usize> = (0..50).collect();
        for at_once in [0, 1, 7, 100] {
            let mut found = Vec::new();
            let take = |n: Option<usize>| {
                found.extend(n);
                Ok(())
            };
            assert!(side_by_side(&things, at_once, NEVER, failing(99), take).unwrap());
            found.sort_unstable();
            assert_eq!(found, things);
        }
        assert!(side_by_side(&[], 4, NEVER, failing(0), |_| Ok(())).unwrap());
    }

    #[test]
    fn a_failure_ends_the_rest() {
        panics::silence();
        let things: Vec<usize> = (0..1000).collect();
        let mut count = 0;
        let take = |_| {
            count += 1;
            Ok(())
        };
        assert_eq!(side_by_side(&things, 3, NEVER, failing(5), take).unwrap_err().message, "5");
        assert!(count < 1000);
        let refuse = |n: Option<usize>| Err(Failure::new(ExitCode::CannotWrite, format!("full at {}", n.unwrap())));
        assert!(side_by_side(&things, 1, NEVER, failing(5), refuse).unwrap_err().message.starts_with("full at 0"));
        let breaks = |&n: &usize| {
            assert_ne!(n, 3, "broken on purpose");
            Ok(n)
        };
        assert_eq!(side_by_side(&things, 2, NEVER, breaks, |_| Ok(())).unwrap_err().code, ExitCode::Internal);
    }

    #[test]
    fn begun_work_is_finished_after_a_request_to_end() {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let things: Vec<usize> = (0..1000).collect();
        let mut count = 0;
        let take = |_| {
            count += 1;
            Ok(())
        };
        let fifth = || ASKED.fetch_add(1, Ordering::Relaxed) >= 4;
        assert!(!side_by_side(&things, 2, Ends { is_cancelled: fifth, ..NEVER }, failing(9999), take).unwrap());
        assert_eq!(count, 4);
    }

    #[test]
    fn work_that_takes_too_long_is_not_awaited() {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let ends = Ends { is_cancelled: || true, is_overdue: || true };
        let begins = Ends { is_cancelled: || ASKED.fetch_add(1, Ordering::Relaxed) > 0, ..ends };
        let slow = |&n: &usize| {
            std::thread::sleep(5 * WATCH);
            Ok(n)
        };
        let mut taken = Vec::new();
        let take = |n| {
            taken.push(n);
            Ok(())
        };
        assert!(!side_by_side(&[1, 2], 1, begins, slow, take).unwrap());
        assert!(taken[0].is_none() && taken.last() == Some(&Some(1)), "{taken:?}");
    }
}
