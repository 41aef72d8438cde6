//! Integer time: steps that divide the frame, aligned, filling it.

use dollop_sim::timeline::{MAX_BIN, TICKS, Timeline, TooShort, seconds};

const INTERVAL: f64 = 1.0 / 24.0;

/// The bin of the longest step that is no longer than some seconds.
fn bin_of(timeline: Timeline, wanted: f64) -> Result<u8, TooShort> {
    timeline.bin((INTERVAL / wanted).powi(2))
}

/// Wanted steps over twelve octaves, in no order.
fn wanted(i: u64) -> f64 {
    INTERVAL * 2.0_f64.powf(-((i * 7919 % 1200) as f64) / 100.0)
}

#[test]
fn steps_are_aligned_parts_that_fill_the_frame() {
    for (seed, timeline) in (0..50).flat_map(|seed| Timeline::ALL.map(|timeline| (seed, timeline))) {
        let (mut tick, mut count) = (0, 0);
        while tick < TICKS {
            let wanted = wanted(seed + count);
            let bin = bin_of(timeline, wanted).unwrap().max(timeline.longest_at(tick));
            assert!(timeline.meets(bin, tick), "bin {bin} at {tick}");
            let end = timeline.end_after(bin, tick);
            assert!(end - tick == timeline.ticks(bin) && timeline.meets(bin, end));
            assert!(seconds(end - tick, INTERVAL) <= wanted);
            tick = end;
            count += 1;
        }
        assert_eq!(tick, TICKS);
    }
}

#[test]
fn each_bin_holds_a_whole_number_of_shorter_steps() {
    for timeline in Timeline::ALL {
        assert_eq!(timeline.steps(0), 1);
        for bin in 0..=MAX_BIN {
            let steps = timeline.steps(bin);
            assert_eq!(timeline.ticks(bin) * steps, TICKS);
            assert!(bin == 1 || (1_u32 << bin..2 << bin).contains(&steps), "{steps}");
            let shorter = bin.saturating_add(1).min(MAX_BIN);
            assert!(timeline.ticks(bin).is_multiple_of(timeline.ticks(shorter)));
            // With an odd number of steps the first two bins are alike.
            let longest = (0..=bin).find(|&longer| timeline.steps(longer) == steps).unwrap();
            assert_eq!(timeline.longest_at(timeline.ticks(bin)), if bin == 0 { 0 } else { longest });
        }
    }
}

#[test]
fn a_step_is_the_longest_that_fits() {
    for (timeline, expected) in
        Timeline::ALL.into_iter().flat_map(|timeline| (2..=MAX_BIN).map(move |bin| (timeline, bin)))
    {
        let exact = INTERVAL / f64::from(timeline.steps(expected)) * (1.0 + 1e-12);
        let found = bin_of(timeline, exact).unwrap();
        assert!(found <= expected && timeline.steps(found) == timeline.steps(expected));
        if expected < MAX_BIN {
            assert_eq!(bin_of(timeline, exact * 0.999), Ok(expected + 1));
        }
        assert_eq!(bin_of(timeline, f64::INFINITY), Ok(0));
    }
    let halves = Timeline::HALVES;
    assert_eq!((halves.longest_at(0), halves.longest_at(halves.ticks(MAX_BIN))), (0, MAX_BIN));
    assert_eq!(halves.longest_at(TICKS / 2 + 4 * halves.ticks(MAX_BIN)), MAX_BIN - 2);
}

/// If a frame needs just above 2^n steps, the cheapest division has 5/4 of that, not twice as many.
#[test]
fn the_cheapest_division_rounds_by_a_quarter_at_most() {
    for n in 4..24 {
        for part in 0..100 {
            let wanted = f64::from(1_u32 << n) * (1.0 + f64::from(part) / 100.0);
            let timeline = Timeline::cheapest([wanted * wanted].into_iter());
            let steps = f64::from(timeline.steps(timeline.bin(wanted * wanted).unwrap()));
            assert!(steps >= wanted && steps < 1.25 * wanted * (1.0 + 1e-9), "{wanted} {steps}");
        }
    }
    // Many that need 5 steps count more than one that needs 8.
    let many = [5.0_f64; 9].into_iter().chain([8.0]).map(|wanted| wanted * wanted);
    let timeline = Timeline::cheapest(many);
    assert_eq!((timeline.steps(2), timeline.steps(3)), (5, 10));
}

#[test]
fn a_step_that_is_cut_ends_where_the_shorter_ones_do() {
    let halves = Timeline::HALVES;
    assert_eq!(halves.end_after(2, 0), TICKS / 4);
    assert_eq!(halves.end_after(2, TICKS / 4), TICKS / 2);
    assert_eq!(halves.end_after(4, TICKS / 4 + 3), TICKS / 4 + TICKS / 16);
}

#[test]
fn steps_beyond_the_shortest_bin_are_refused() {
    for wanted in [0.0, f64::NAN, INTERVAL / f64::from(1 << (MAX_BIN + 1))] {
        assert_eq!(bin_of(Timeline::HALVES, wanted), Err(TooShort), "{wanted}");
    }
}
