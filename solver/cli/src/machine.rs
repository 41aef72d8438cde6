//! What this machine has.

use sysinfo::System;

/// Part of the machine's memory that frames may take together, beside what else is in it.
const SHARE_OF_FRAMES: f64 = 0.5;

/// Memory that frames which are worked on side by side may take together, bytes.
pub fn memory_for_frames() -> f64 {
    memory().unwrap_or(f64::INFINITY) * SHARE_OF_FRAMES
}

/// Memory that this process may use at most, bytes; none where the system does not tell.
pub fn memory() -> Option<f64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    // A container may be allowed less than the machine has.
    let allowed = system.cgroup_limits().map(|limits| limits.total_memory).filter(|&bytes| bytes > 0);
    let total = Some(system.total_memory()).filter(|&bytes| bytes > 0);
    allowed.into_iter().chain(total).min().map(|bytes| bytes as f64)
}
