//! The range of what is typical: a few values far from all others do not count.

/// Of so many values one at either end may be far from the others.
const ONE_IN: usize = 200;

/// How much further than the others such a value lies, over the range of these.
const FAR: f64 = 0.5;

/// Smallest and largest number that is not far from all others; none where there are none.
pub(crate) fn typical(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    let few = values.len() / ONE_IN;
    let last = values.len().checked_sub(1)?;
    let [low, high] = [few, last - few].map(|place| *values.select_nth_unstable_by(place, f64::total_cmp).1);
    let (low, high) = (low - FAR * (high - low), high + FAR * (high - low));
    let near = values.into_iter().filter(|value| (low..=high).contains(value));
    Some(near.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_few_values_are_all_of_them() {
        assert_eq!(typical([3.0, f64::NAN, -1.0, 1e9].into_iter()), Some([-1.0, 1e9]));
        assert_eq!(typical([2.0].into_iter()), Some([2.0, 2.0]));
        assert_eq!(typical([f64::NAN].into_iter()), None);
    }

    #[test]
    fn one_in_two_hundred_may_be_far_away() {
        let crowd = || (0..1000).map(f64::from);
        assert_eq!(typical(crowd()), Some([0.0, 999.0]));
        assert_eq!(typical(crowd().chain([1e6, -1e6, 1200.0])), Some([0.0, 1200.0]));
        let many = (0..20).map(|n| 1e6 + f64::from(n));
        assert_eq!(typical(crowd().chain(many)), Some([0.0, 1e6 + 19.0]), "too many to be left out");
    }
}
