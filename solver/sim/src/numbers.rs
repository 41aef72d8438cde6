//! Small functions of numbers.

/// `f64::floor` without the call that machines without an instruction for it need; wrong beyond 2^63.
#[inline]
pub fn floor(value: f64) -> f64 {
    let near = value as i64 as f64;
    if near > value { near - 1.0 } else { near }
}

/// The smaller number; not a number if either is.
pub fn least(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}

/// The larger number; not a number if either is.
pub fn greatest(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// Interpolates between two numbers that may differ by orders of magnitude: by equal factors for equal parts, or
/// linearly where one of them is zero.
pub fn between((from, to): (f64, f64), part: f64) -> f64 {
    if part <= 0.0 {
        from
    } else if part >= 1.0 {
        to
    } else if from > 0.0 && to > 0.0 {
        from * (to / from).powf(part)
    } else {
        from + part * (to - from)
    }
}
