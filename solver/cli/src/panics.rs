//! A panic is a fault in Dollop: one sentence reports it, and the code that catches it can still tidy up.

use crate::failure::{ExitCode, Failure};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, MutexGuard, PoisonError};

static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Replaces the usual output of a panic by a record of its place.
pub fn silence() {
    panic::set_hook(Box::new(|about| {
        let place = about.location().map(|place| format!("{}:{}", place.file(), place.line()));
        *lock(&PLACE) = place;
    }));
}

/// Locks a mutex, also after a panic of another thread: that thread reports the panic, and the data are intact.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a function; a panic inside becomes a failure.
///
/// # Errors
/// With exit code 70 after a panic.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        let place = lock(&PLACE).take().unwrap_or_default();
        Failure::new(ExitCode::Internal, format!("a fault in Dollop itself: {text} ({place})"))
            .with_help("please report this with the scene file")
    })
}
