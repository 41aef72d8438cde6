//! Resources of this machine.

use sysinfo::System;

/// Share of the machine's memory for frames, beside all other data.
const SHARE_OF_FRAMES: f64 = 0.5;

/// Memory for the frames that are processed in parallel, bytes.
pub fn memory_for_frames() -> f64 {
    memory().unwrap_or(f64::INFINITY) * SHARE_OF_FRAMES
}

/// Maximum memory of this process, bytes; none if the system does not report it.
pub fn memory() -> Option<f64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    // A container may be allowed less than the machine has.
    let allowed = system.cgroup_limits().map(|limits| limits.total_memory).filter(|&bytes| bytes > 0);
    let total = Some(system.total_memory()).filter(|&bytes| bytes > 0);
    allowed.into_iter().chain(total).min().map(|bytes| bytes as f64)
}
