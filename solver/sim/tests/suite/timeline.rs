//! Integer time: powers of two, aligned, filling the frame.

use dollop_sim::timeline::{MAX_BIN, TICKS, TooShort, seconds, step};

const INTERVAL: f64 = 1.0 / 24.0;

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
            let step = step(tick, INTERVAL, wanted).unwrap();
            assert!(step.is_power_of_two() && tick % step == 0, "{step} at {tick}");
            assert!(seconds(step, INTERVAL) <= wanted);
            tick += step;
            count += 1;
        }
        assert_eq!(tick, TICKS);
    }
}

#[test]
fn a_step_is_the_longest_that_fits() {
    for bin in 0..=MAX_BIN {
        let exact = INTERVAL / f64::from(1_u32 << bin);
        assert_eq!(step(0, INTERVAL, exact), Ok(TICKS >> bin));
        if bin < MAX_BIN {
            assert_eq!(step(0, INTERVAL, exact * 0.999), Ok(TICKS >> (bin + 1)));
        }
    }
    assert_eq!(step(0, INTERVAL, f64::INFINITY), Ok(TICKS));
    assert_eq!(step(TICKS / 2 + 4, INTERVAL, f64::INFINITY), Ok(4));
}

#[test]
fn steps_beyond_the_shortest_bin_are_refused() {
    for wanted in [0.0, -1.0, f64::NAN, f64::NEG_INFINITY, INTERVAL / f64::from(1 << (MAX_BIN + 1))] {
        assert_eq!(step(0, INTERVAL, wanted), Err(TooShort), "{wanted}");
    }
}
