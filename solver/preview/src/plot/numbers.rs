//! Number labels of axis ticks.

use std::ops::Range;

/// Decimal places that distinguish the ticks of a range; none if scientific notation is shorter.
pub(super) fn digits(range: &Range<f64>) -> Option<usize> {
    let largest = range.start.abs().max(range.end.abs());
    let plain = largest == 0.0 || (1e-2..1e6).contains(&largest);
    // There are about six ticks, so their distance has its first digit one place below that of the range.
    let behind = 1.0 - (range.end - range.start).log10().floor();
    plain.then_some(behind.clamp(0.0, 9.0) as usize)
}

/// The label of a tick.
pub(super) fn tick(value: f64, digits: Option<usize>) -> String {
    let short = |digits: &str| {
        if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.').to_owned() } else { digits.into() }
    };
    let text = if let Some(digits) = digits {
        short(&format!("{value:.digits$}"))
    } else {
        let text = format!("{value:.2e}");
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
        if value == 0.0 { "0".into() } else { format!("{}e{power}", short(mantissa)) }
    };
    if text == "-0" { "0".into() } else { text.replace('-', "−") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tick_labels_are_short_and_distinct() {
        let label = |range: Range<f64>, value| tick(value, digits(&range));
        assert_eq!(label(0.0..2.0, 0.5), "0.5");
        assert_eq!(label(0.98..1.02, 0.99), "0.99");
        assert_eq!(label(0.0..50_000.0, 20_000.0), "20000");
        assert_eq!(label(0.0..5e7, 2.5e7), "2.5e7");
        assert_eq!(label(-1e-4..0.0, -5e-5), "−5e−5");
        assert_eq!(label(-1.0..1.0, -0.0), "0");
    }
}
