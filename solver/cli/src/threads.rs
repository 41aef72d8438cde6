//! The common pool of threads.

use crate::failure::{ExitCode, Failure};
use rayon::ThreadPoolBuilder;

/// Reads the value of an option for the number of threads.
///
/// # Errors
/// A message that says how to write it.
pub fn threads(text: &str) -> Result<u16, String> {
    let count = text.parse().ok().filter(|count| (0..=1024).contains(count));
    count.ok_or_else(|| "write a whole number from 0 to 1024".into())
}

/// Starts the common pool of threads, which runs the loops of a bake and of rebuilt files.
///
/// # Errors
/// When they cannot be started.
pub fn start_threads(threads: u16) -> Result<(), Failure> {
    start_pool(ThreadPoolBuilder::new(), threads)
}

/// Starts the common pool of threads with this one as the first. Work of this thread is then never passed to the pool
/// as a whole, where a thread that waits for a part of other work might start it and delay that other work until it
/// ends.
///
/// # Errors
/// When they cannot be started.
pub fn start_threads_here(threads: u16) -> Result<(), Failure> {
    start_pool(ThreadPoolBuilder::new().use_current_thread(), threads)
}

fn start_pool(pool: ThreadPoolBuilder, threads: u16) -> Result<(), Failure> {
    let started = pool.num_threads(threads.into()).build_global();
    started.map_err(|error| Failure::new(ExitCode::Unexpected, format!("{threads} threads cannot be started: {error}")))
}
