//! Memory budget shared by several threads.

use crate::panics::lock;
use std::sync::{Condvar, Mutex, PoisonError};

/// A number of bytes to lend.
pub struct Budget {
    limit: f64,
    lent: Mutex<f64>,
    returned: Condvar,
}

/// Bytes in use while this lives.
pub struct MemoryReservation<'a> {
    budget: &'a Budget,
    bytes: f64,
}

impl Budget {
    /// A budget of so many bytes.
    pub fn new(limit: f64) -> Self {
        Self { limit, lent: Mutex::new(0.0), returned: Condvar::new() }
    }

    /// Lends bytes; waits until there are enough. A request larger than the whole budget is granted when no other loan
    /// exists.
    pub fn lend(&self, bytes: f64) -> MemoryReservation<'_> {
        let lent = lock(&self.lent);
        let is_short = |lent: &mut f64| *lent > 0.0 && *lent + bytes > self.limit;
        let mut lent = self.returned.wait_while(lent, is_short).unwrap_or_else(PoisonError::into_inner);
        *lent += bytes;
        MemoryReservation { budget: self, bytes }
    }
}

impl MemoryReservation<'_> {
    /// Corrects the bytes. Does not wait, so that borrowers never wait for each other.
    pub fn correct(&mut self, bytes: f64) {
        let mut lent = lock(&self.budget.lent);
        *lent = (*lent + bytes - self.bytes).max(0.0);
        self.bytes = bytes;
        self.budget.returned.notify_all();
    }
}

impl Drop for MemoryReservation<'_> {
    fn drop(&mut self) {
        let mut lent = lock(&self.budget.lent);
        // Sums of floats need not return to zero.
        *lent = (*lent - self.bytes).max(0.0);
        if *lent < 1.0 {
            *lent = 0.0;
        }
        self.budget.returned.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Peak number of parallel workers, of eight that need so many bytes each of a hundred.
    fn most_at_once(bytes: f64) -> usize {
        let (budget, now, most) = (Budget::new(100.0), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _loan = budget.lend(bytes);
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(std::time::Duration::from_millis(5));
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        most.into_inner()
    }

    #[test]
    fn a_corrected_loan_is_returned_in_full() {
        let budget = Budget::new(100.0);
        let (mut first, mut second) = (budget.lend(40.0), budget.lend(60.0));
        first.correct(1e9);
        second.correct(10.0);
        drop(first);
        // Would wait for ever if more than ten were still lent.
        let _third = budget.lend(90.0);
        drop(second);
        let _fourth = budget.lend(10.0);
    }

    #[test]
    fn no_more_is_lent_than_there_is() {
        assert_eq!(most_at_once(40.3), 2);
        assert_eq!(most_at_once(1e9), 1, "too much for all is lent to one after another");
    }
}
