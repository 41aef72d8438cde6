//! Frames made side by side.

use crate::failure::Failure;
use crate::panics;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Makes each of some things, several at a time, and takes what was made as it comes. Ends early, once those that were
/// begun are made, when `is_cancelled` says so; tells whether all were made.
///
/// # Errors
/// The first of making (a panic is one, too) or taking; nothing more is begun then.
pub fn side_by_side<T: Sync, M: Send>(
    things: &[T],
    at_once: usize,
    is_cancelled: fn() -> bool,
    make: impl Fn(&T) -> Result<M, Failure> + Sync,
    mut take: impl FnMut(M) -> Result<(), Failure>,
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
                while !has_failed.load(Ordering::SeqCst) && !is_cancelled() {
                    let Some(thing) = things.get(next.fetch_add(1, Ordering::SeqCst)) else { break };
                    // Nobody listens any more after a failure.
                    let _ = sender.send(panics::catch(|| make(thing)).and_then(|made| made));
                }
            });
        }
        drop(sender);
        for one in made {
            let taken = one.and_then(&mut take);
            match taken {
                Ok(()) => count += 1,
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
    use std::time::Duration;

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
            let take = |n| {
                found.push(n);
                Ok(())
            };
            assert!(side_by_side(&things, at_once, || false, failing(99), take).unwrap());
            found.sort_unstable();
            assert_eq!(found, things);
        }
        assert!(side_by_side(&[], 4, || false, failing(0), |_| Ok(())).unwrap());
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
        assert_eq!(side_by_side(&things, 3, || false, failing(5), take).unwrap_err().message, "5");
        assert!(count < 1000);
        let refuse = |n| Err(Failure::new(ExitCode::CannotWrite, format!("full at {n}")));
        assert!(side_by_side(&things, 1, || false, failing(5), refuse).unwrap_err().message.starts_with("full at 0"));
        let breaks = |&n: &usize| {
            assert_ne!(n, 3, "broken on purpose");
            Ok(n)
        };
        assert_eq!(side_by_side(&things, 2, || false, breaks, |_| Ok(())).unwrap_err().code, ExitCode::Internal);
    }

    #[test]
    fn what_was_begun_is_made_when_an_end_is_asked_for() {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let things: Vec<usize> = (0..1000).collect();
        let mut count = 0;
        let take = |_| {
            count += 1;
            Ok(())
        };
        let fifth = || ASKED.fetch_add(1, Ordering::Relaxed) >= 4;
        assert!(!side_by_side(&things, 2, fifth, failing(9999), take).unwrap());
        assert_eq!(count, 4);
    }
}
