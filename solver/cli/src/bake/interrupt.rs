//! Ctrl-C and termination signals. Until the bake begins there is nothing to keep, and the first ends the process. Then
//! the first asks for an end after the current frame, and the second ends the process at once.

use crate::console;
use crate::failure::ExitCode;
use std::sync::atomic::{AtomicU8, Ordering};

/// What a signal means now.
static STATE: AtomicU8 = AtomicU8::new(PREPARING);
const PREPARING: u8 = 0;
const BAKING: u8 = 1;
const REQUESTED: u8 = 2;
const ENDING: u8 = 3;

/// Listens from now on; `tell` says that the bake ended before it began. Where signals cannot be caught, they end the
/// process as ever; files with their final names are whole even then.
pub fn listen(tell: impl Fn() + Send + 'static) {
    let _ = ctrlc::set_handler(move || {
        let next = |state| Some(if state == BAKING { REQUESTED } else { ENDING });
        match STATE.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next) {
            Ok(BAKING) => console::error_line("stopping after this frame; once more to stop at once"),
            Ok(PREPARING) => {
                tell();
                end();
            }
            _ => end(),
        }
    });
}

fn end() -> ! {
    std::process::exit(ExitCode::Cancelled as i32)
}

/// From now on, signals wait for the end of a frame.
pub fn begin() {
    if STATE.compare_exchange(PREPARING, BAKING, Ordering::SeqCst, Ordering::SeqCst).is_err() {
        // A signal came just before, and its thread is about to end the process.
        loop {
            std::thread::park();
        }
    }
}

/// Whether an end was asked for.
pub fn requested() -> bool {
    STATE.load(Ordering::SeqCst) == REQUESTED
}
