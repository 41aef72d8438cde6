//! Formats numbers for messages.

/// A number in its shortest form: `0.5`, `1e8`, `1e-6`.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e6).contains(&size) { format!("{value:e}") } else { value.to_string() }
}

/// A measured or chosen length and the like: six digits in the shortest form, without the rounding errors of single
/// precision.
pub fn six_digits(value: f64) -> String {
    short(to_digits(value, 6))
}

/// A count with thin groups of three digits: `12 345 678`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A count of things: `1 frame`, `12 frames`.
pub fn counted(count: usize, thing: &str) -> String {
    format!("{} {thing}{}", grouped(count as u64), if count == 1 { "" } else { "s" })
}

/// The worst of some warnings about bodies, the first of equal ones, and how many others there are.
pub fn worst(all: impl Iterator<Item = (f64, String)>) -> Option<String> {
    let all: Vec<(f64, String)> = all.collect();
    let (_, worst) = all.iter().reduce(|worst, one| if one.0 > worst.0 { one } else { worst })?;
    Some(match all.len() - 1 {
        0 => worst.clone(),
        1 => format!("{worst}; so it is with another body"),
        others => format!("{worst}; so it is with {others} other bodies"),
    })
}

/// A size in bytes: `340 B`, `1.2 MB`.
pub fn bytes(size: u64) -> String {
    scaled(size as f64, &["B", "kB", "MB", "GB", "TB"])
}

/// A number to two digits.
pub fn two_digits(value: f64) -> f64 {
    to_digits(value, 2)
}

fn to_digits(value: f64, digits: usize) -> f64 {
    // By way of the text, so that the result is exactly the printed number.
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

/// A measured amount to four digits in its shortest form: `116.7`, `-0.001234`.
pub fn four_digits(value: f64) -> String {
    short(to_digits(value, 4))
}

/// A kind of thing with its article: `an outflow`, `a tool`.
pub fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}

/// A positive number rounded up to two digits.
pub fn rounded_up(value: f64) -> f64 {
    rounded_by(value, f64::ceil)
}

/// A positive number rounded down to two digits.
pub fn rounded_down(value: f64) -> f64 {
    rounded_by(value, f64::floor)
}

fn rounded_by(value: f64, round: fn(f64) -> f64) -> f64 {
    let power = value.log10().floor() as i32 - 1;
    // By way of the text, so that the result is exactly the printed number.
    format!("{}e{power}", round(value / 10_f64.powi(power))).parse().unwrap_or(value)
}

/// A number to two digits in its shortest form: `0.0021`, `-1.2e-5`, `0`.
pub fn rounded(value: f64) -> String {
    let size = value.abs();
    if size > 0.0 && size.is_finite() { short(rounded_by(size, f64::round).copysign(value)) } else { short(value) }
}

/// The factor by which a count is smaller than a larger one; none where nothing was counted.
pub fn times_fewer(count: u64, larger: u64) -> Option<f64> {
    (count > 0).then(|| larger as f64 / count as f64)
}

fn scaled(size: f64, units: &[&str]) -> String {
    let step = units.iter().enumerate().rposition(|(power, _)| size >= 1000_f64.powi(power as i32)).unwrap_or(0);
    let value = size / 1000_f64.powi(step as i32);
    if step == 0 { format!("{value} {}", units[0]) } else { format!("{value:.1} {}", units[step]) }
}

/// A duration in words short enough for a progress line: `8 s`, `3 min 5 s`, `2 h 4 min`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// A duration far below a minute: `1.5 s`, `42 ms`, `650 µs`.
pub fn short_duration(seconds: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")];
    let (size, unit) = units.into_iter().find(|(size, _)| seconds >= *size).unwrap_or((1e-9, "ns"));
    format!("{} {unit}", rounded(seconds / size))
}

/// Asserts that there is one warning, which has some words.
///
/// # Panics
/// Where that is not so.
#[cfg(test)]
#[track_caller]
pub fn assert_one(warnings: &[String], words: &[&str]) {
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    for word in words {
        assert!(warnings[0].contains(word), "{word:?} is not in {warnings:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([short(0.5), short(1e8), short(1e-6), short(-3.0), short(0.0)], ["0.5", "1e8", "1e-6", "-3", "0"]);
        let rounded = [rounded_up(0.012_34), rounded_up(151.0), rounded_down(0.0179)];
        assert_eq!(rounded.map(|value| value.to_string()), ["0.013", "160", "0.017"]);
        assert_eq!([0.3, 1234.0].map(|value| rounded_up(value).to_string()), ["0.3", "1300"]);
        assert_eq!([0.0, -0.0126, 1234.0].map(|value| two_digits(value).to_string()), ["0", "-0.013", "1200"]);
        let lengths = [0.012_500_000_186, 1.0 / 3.0, 24.0, 23.976_023_976, 1e-7, 0.0, 123_456_789.0];
        assert_eq!(lengths.map(six_digits), ["0.0125", "0.333333", "24", "23.976", "1e-7", "0", "1.23457e8"]);
        assert_eq!([grouped(5), grouped(1234), grouped(12_345_678)], ["5", "1 234", "12 345 678"]);
        assert_eq!([counted(1, "frame"), counted(1200, "frame")], ["1 frame", "1 200 frames"]);
        assert_eq!(
            [bytes(0), bytes(340), bytes(1_234_000), bytes(2_500_000_000)],
            ["0 B", "340 B", "1.2 MB", "2.5 GB"]
        );
        assert_eq!([0.002_14, -1.23e-5, 0.0, 1234.0].map(super::rounded), ["0.0021", "-1.2e-5", "0", "1200"]);
        assert_eq!([1.5, 1.0 / 24.0, 1.0 / 1536.0, 2.5e-9].map(short_duration), ["1.5 s", "42 ms", "650 µs", "2.5 ns"]);
        assert_eq!([times_fewer(4, 10), times_fewer(0, 10)], [Some(2.5), None]);
        assert_eq!([duration(7.6), duration(185.0), duration(7500.0)], ["8 s", "3 min 5 s", "2 h 5 min"]);
    }
}
