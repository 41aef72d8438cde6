//! Ctrl-C and termination signals: the first asks for an end after the current frame, the second ends at once.

use crate::console;
use crate::failure::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Listens from now on. Where signals cannot be caught, they end the process as ever; files with their final names are
/// whole even then.
pub fn listen() {
    let _ = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(ExitCode::Cancelled as i32);
        }
        console::error_line("stopping after this frame; once more to stop at once");
    });
}

/// Whether an end was asked for.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
