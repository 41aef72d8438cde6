//! The savings by individual steps, and the effects of their inaccuracy.

use dollop_cache::{BinRecord, FrameRecord};
use dollop_sim::wording::{counted, grouped, rounded, short_duration, times_fewer};
use std::collections::BTreeMap;

/// Evaluations, steps and drifts of a bake; empty if its cache is too old to list them.
pub fn of_bake(done: &[FrameRecord]) -> Vec<String> {
    let stepped: Vec<_> = done.iter().filter(|frame| frame.force_evaluations > 0).collect();
    let sum = |value: fn(&FrameRecord) -> u64| stepped.iter().map(|frame| value(frame)).sum();
    let (evaluations, global) = (sum(|frame| frame.force_evaluations), sum(|frame| frame.global_force_evaluations));
    let Some(ratio) = times_fewer(evaluations, global) else { return Vec::new() };
    let forces = format!(
        "forces     {} in {}; one step for all takes {}, {ratio:.1} times as many",
        counted(evaluations as usize, "evaluation"),
        counted(stepped.len(), "frame"),
        grouped(global)
    );
    let steps = told(&mean_bins(done.iter().map(|frame| frame.bins.as_slice())))
        .map(|bins| format!("steps      particles by their step, on average: {bins}"));
    [forces].into_iter().chain(steps).chain([drift_line(done)]).collect()
}

/// The mean of the bins of all simulated frames.
fn mean_bins<'a>(frames: impl Iterator<Item = &'a [BinRecord]>) -> Vec<BinRecord> {
    let (mut bins, mut stepped) = (BTreeMap::<u8, BinRecord>::new(), 0.0);
    for frame in frames.filter(|bins| !bins.is_empty()) {
        stepped += 1.0;
        for bin in frame {
            bins.entry(bin.bin).and_modify(|sum| sum.particles += bin.particles).or_insert(*bin);
        }
    }
    bins.into_values().map(|sum| BinRecord { particles: sum.particles / stepped, ..sum }).collect()
}

fn drift_line(done: &[FrameRecord]) -> String {
    let sum = |drift: fn(&FrameRecord) -> f64| done.iter().map(drift).sum::<f64>();
    let most = |size: fn(&FrameRecord) -> f64| done.iter().map(size).fold(0.0, f64::max);
    let energy = drift(sum(|frame| frame.energy_drift), "J", most_energy(done));
    let momentum = drift(sum(|frame| frame.momentum_drift), "kg m/s", most(|frame| frame.momentum));
    format!("drift      energy {energy}, momentum {momentum}")
}

/// The largest energy during the bake, J. The energy of bonds counts from its minimum, which is far below zero.
fn most_energy(done: &[FrameRecord]) -> f64 {
    let energies = || done.iter().map(|frame| frame.elastic_energy);
    let bonds = energies().fold(0.0, f64::min);
    done.iter().map(|frame| frame.kinetic_energy + frame.elastic_energy - bonds).fold(0.0, f64::max)
}

/// A drift, absolute and relative to the maximum.
fn drift(sum: f64, unit: &str, most: f64) -> String {
    let part = (most > 0.0).then(|| format!(" ({} % of the most there was)", rounded(sum / most * 100.0)));
    format!("{} {unit}{}", rounded(sum), part.unwrap_or_default())
}

/// The step lengths of the particles before a frame; none at the first frame and for old caches.
pub fn of_frame(frame: &FrameRecord) -> Option<String> {
    told(&frame.bins).map(|bins| format!("steps      particles by their step: {bins}"))
}

fn told(bins: &[BinRecord]) -> Option<String> {
    (!bins.is_empty()).then(|| bins.iter().map(bin).collect::<Vec<_>>().join(", "))
}

fn bin(bin: &BinRecord) -> String {
    // The mean over a frame, in which a particle may have come and gone.
    let particles = if bin.particles < 0.5 { "less than 1".into() } else { grouped(bin.particles.round() as u64) };
    format!("{particles} at up to {}", short_duration(bin.step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drifts_are_reported_relative_to_the_maximum() {
        assert_eq!(drift(-0.0024, "J", 17.0), "-0.0024 J (-0.014 % of the most there was)");
        assert_eq!(drift(0.0, "J", 0.0), "0 J", "no part of nothing");
    }

    #[test]
    fn bins_are_averaged_over_the_simulated_frames() {
        let bin = |bin, particles| BinRecord { bin, step: 1.0 / f64::from(1 << bin), particles };
        let frames = [vec![], vec![bin(5, 30.0)], vec![bin(5, 10.0), bin(7, 20.0)]];
        assert_eq!(mean_bins(frames.iter().map(Vec::as_slice)), [bin(5, 20.0), bin(7, 10.0)]);
    }

    #[test]
    fn bins_are_reported_in_whole_particles() {
        let told = |particles| bin(&BinRecord { bin: 5, step: 1.0 / 768.0, particles });
        assert_eq!(
            [1234.4, 0.6, 0.25].map(told),
            ["1 234 at up to 1.3 ms", "1 at up to 1.3 ms", "less than 1 at up to 1.3 ms"]
        );
    }
}
