//! Integer time: powers of two, aligned, filling the frame.

use dollop_sim::timeline::{MAX_BIN, TICKS, TooShort, bin, end_after, longest_at, meets, seconds, ticks};

const INTERVAL: f64 = 1.0 / 24.0;

/// The bin of the longest step that is no longer than some seconds.
fn bin_of(wanted: f64) -> Result<u8, TooShort> {
    bin((INTERVAL / wanted).powi(2))
}

/// Wanted steps over twelve octaves, without order.
fn wanted(i: u64) -> f64 {
    INTERVAL * 2.0_f64.powf(-((i * 7919 % 1200) as f64) / 100.0)
}

#[test]
fn steps_are_aligned_powers_of_two_that_fill_the_frame() {
    for seed in 0..50 {
        let (mut tick, mut count) = (0, 0);
        while tick < TICKS {
            let wanted = wanted(seed + count);
            let bin = bin_of(wanted).unwrap().max(longest_at(tick));
            assert!(meets(bin, tick), "bin {bin} at {tick}");
            let end = end_after(bin, tick);
            assert!(end - tick == ticks(bin) && meets(bin, end));
            assert!(seconds(end - tick, INTERVAL) <= wanted);
            tick = end;
            count += 1;
        }
        assert_eq!(tick, TICKS);
    }
}

#[test]
fn a_step_is_the_longest_that_fits() {
    for expected in 0..=MAX_BIN {
        let exact = INTERVAL / f64::from(1_u32 << expected);
        assert_eq!(bin_of(exact), Ok(expected));
        if expected < MAX_BIN {
            assert_eq!(bin_of(exact * 0.999), Ok(expected + 1));
        }
    }
    assert_eq!(bin_of(f64::INFINITY), Ok(0));
    assert_eq!((longest_at(0), longest_at(TICKS / 2 + 4), longest_at(1)), (0, MAX_BIN - 2, MAX_BIN));
}

#[test]
fn a_step_that_is_cut_ends_where_the_shorter_ones_do() {
    assert_eq!(end_after(2, 0), TICKS / 4);
    assert_eq!(end_after(2, TICKS / 4), TICKS / 2);
    assert_eq!(end_after(4, TICKS / 4 + 3), TICKS / 4 + TICKS / 16);
}

#[test]
fn steps_beyond_the_shortest_bin_are_refused() {
    for wanted in [0.0, f64::NAN, INTERVAL / f64::from(1 << (MAX_BIN + 1))] {
        assert_eq!(bin_of(wanted), Err(TooShort), "{wanted}");
    }
}
