//! Ctrl-C, termination signals and, on request, the end of standard input. Before the bake begins, the first of them
//! ends the process, as there are no files to keep. Later the first requests an early end, and a signal after it ends
//! the process at once.

use crate::console;
use crate::failure::{ExitCode, Failure};
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How a request to end is treated now.
static STATE: AtomicU8 = AtomicU8::new(PREPARING);
const PREPARING: u8 = 0;
const BAKING: u8 = 1;
const REQUESTED: u8 = 2;
const ENDING: u8 = 3;

/// The time of the request to end.
static ASKED: OnceLock<Instant> = OnceLock::new();

/// How long to wait for unfinished files after a request to end.
const PATIENCE: Duration = Duration::from_secs(3);

/// Maximum time for ending the process, mainly for a checkpoint: it must be over within five seconds, and freeing much
/// memory takes a moment, too.
const LIMIT: Duration = Duration::from_secs(4);

/// How long to wait for a step if the end needs nothing else.
const STEP: Duration = Duration::from_millis(500);

/// Starts to listen to signals; `tell` reports that the bake ended before it began. Where signals cannot be caught,
/// they end the process as usual; files with their final names are complete even then.
pub fn listen_to_signals(tell: impl Fn() + Send + 'static) {
    let _ = ctrlc::set_handler(move || {
        if !request(&tell, "stopping; once more to stop at once") {
            end();
        }
    });
}

/// Starts to read standard input, and treats its end as a first signal; `tell` as for signals.
///
/// # Errors
/// When no thread can be started.
pub fn listen_to_input(tell: impl Fn() + Send + 'static) -> io::Result<()> {
    let wait = move || {
        // An input that fails to read has ended, too.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        request(&tell, "standard input is closed: stopping");
    };
    thread::Builder::new().spawn(wait).map(drop)
}

/// Requests the end, and prints `words`; returns whether this was the first request.
fn request(tell: &impl Fn(), words: &str) -> bool {
    let next = |state| match state {
        PREPARING => Some(ENDING),
        BAKING => Some(REQUESTED),
        _ => None,
    };
    match STATE.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next) {
        Ok(PREPARING) => {
            // No later event may be reported.
            let _held = (io::stdout().lock(), io::stderr().lock());
            tell();
            end();
        }
        Ok(_) => {
            ASKED.get_or_init(Instant::now);
            console::error_line(words);
            true
        }
        Err(_) => false,
    }
}

/// Ends the process after a failure of the ending itself.
pub fn end_by(failure: &Failure) -> ! {
    console::error_line(&format!("error: {failure}"));
    std::process::exit(failure.code as i32)
}

/// Ends the process after a request.
pub fn end() -> ! {
    std::process::exit(ExitCode::Cancelled as i32)
}

/// From now on, a request to end waits until the kept files are complete.
pub fn begin() {
    if STATE.compare_exchange(PREPARING, BAKING, Ordering::SeqCst, Ordering::SeqCst).is_err() {
        // A request came just before, and its thread is about to end the process.
        wait_for_the_end();
    }
}

/// For a thread that must touch nothing more, as another is about to end the process.
pub fn wait_for_the_end() -> ! {
    loop {
        thread::park();
    }
}

/// Whether an end was requested.
pub fn requested() -> bool {
    STATE.load(Ordering::SeqCst) == REQUESTED
}

/// Whether the request is so long ago that the end no longer waits for unfinished files.
pub fn is_overdue() -> bool {
    ASKED.get().is_some_and(|asked| asked.elapsed() > PATIENCE)
}

/// Whether the request is so long ago that the end no longer waits for an unfinished step.
pub fn is_awaited() -> bool {
    ASKED.get().is_some_and(|asked| asked.elapsed() > STEP)
}

/// Time left for ending the process; none before a request.
pub fn time_left() -> Option<Duration> {
    ASKED.get().map(|asked| LIMIT.saturating_sub(asked.elapsed()))
}
