//! Ctrl-C, termination signals and, where asked for, the end of standard input. Until the bake begins there is nothing
//! to keep, and the first ends the process. Then the first asks for an end soon, and a signal after it ends the process
//! at once.

use crate::console;
use crate::failure::{ExitCode, Failure};
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What a wish to end means now.
static STATE: AtomicU8 = AtomicU8::new(PREPARING);
const PREPARING: u8 = 0;
const BAKING: u8 = 1;
const REQUESTED: u8 = 2;
const ENDING: u8 = 3;

/// When an end was asked for.
static ASKED: OnceLock<Instant> = OnceLock::new();

/// How long files at hand are waited for once an end was asked for.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long what ends the process may take in all, a checkpoint above all: it is to be over within five seconds, and to
/// give back much memory takes a moment, too.
const LIMIT: Duration = Duration::from_secs(4);

/// How long a step is waited for where the end needs nothing else.
const STEP: Duration = Duration::from_millis(500);

/// Listens to signals from now on; `tell` says that the bake ended before it began. Where signals cannot be caught,
/// they end the process as ever; files with their final names are whole even then.
pub fn listen_to_signals(tell: impl Fn() + Send + 'static) {
    let _ = ctrlc::set_handler(move || {
        if !request(&tell, "stopping; once more to stop at once") {
            end();
        }
    });
}

/// Reads standard input from now on, and takes its end as a first signal; `tell` as for signals.
///
/// # Errors
/// When no thread can be started.
pub fn listen_to_input(tell: impl Fn() + Send + 'static) -> io::Result<()> {
    let wait = move || {
        // What cannot be read any more has ended, too.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        request(&tell, "standard input is closed: stopping");
    };
    thread::Builder::new().spawn(wait).map(drop)
}

/// Asks for an end, and says so by `words`; tells whether it was the first to ask.
fn request(tell: &impl Fn(), words: &str) -> bool {
    let next = |state| match state {
        PREPARING => Some(ENDING),
        BAKING => Some(REQUESTED),
        _ => None,
    };
    match STATE.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next) {
        Ok(PREPARING) => {
            // Nothing is said after this.
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

/// Ends the process where the end itself fails.
pub fn end_by(failure: &Failure) -> ! {
    console::error_line(&format!("error: {failure}"));
    std::process::exit(failure.code as i32)
}

/// Ends the process as one that was asked to.
pub fn end() -> ! {
    std::process::exit(ExitCode::Cancelled as i32)
}

/// From now on, wishes to end wait until what is kept is whole.
pub fn begin() {
    if STATE.compare_exchange(PREPARING, BAKING, Ordering::SeqCst, Ordering::SeqCst).is_err() {
        // One came just before, and its thread is about to end the process.
        wait_for_the_end();
    }
}

/// For a thread that is to touch nothing any more: another is about to end the process.
pub fn wait_for_the_end() -> ! {
    loop {
        thread::park();
    }
}

/// Whether an end was asked for.
pub fn requested() -> bool {
    STATE.load(Ordering::SeqCst) == REQUESTED
}

/// Whether an end was asked for so long ago that files at hand are not waited for any more.
pub fn is_overdue() -> bool {
    ASKED.get().is_some_and(|asked| asked.elapsed() > PATIENCE)
}

/// Whether an end was asked for so long ago that a step at hand is not waited for any more.
pub fn is_awaited() -> bool {
    ASKED.get().is_some_and(|asked| asked.elapsed() > STEP)
}

/// How long what ends the process may still take; none before an end was asked for.
pub fn time_left() -> Option<Duration> {
    ASKED.get().map(|asked| LIMIT.saturating_sub(asked.elapsed()))
}
