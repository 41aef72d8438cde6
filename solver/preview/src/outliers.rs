//! The range of values without outliers.

/// At either end, one in this many values may be an outlier.
const ONE_OUTLIER_IN: usize = 200;

/// Distance of an outlier from the other values, over their range.
const FAR_DISTANCE: f64 = 0.5;

/// Smallest and largest value without outliers; none if no value is finite.
pub(crate) fn range_without_outliers(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    let outliers = values.len() / ONE_OUTLIER_IN;
    let last = values.len().checked_sub(1)?;
    let [low, high] = [outliers, last - outliers].map(|index| *values.select_nth_unstable_by(index, f64::total_cmp).1);
    let (low, high) = (low - FAR_DISTANCE * (high - low), high + FAR_DISTANCE * (high - low));
    let near = values.into_iter().filter(|value| (low..=high).contains(value));
    Some(near.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_have_no_outliers() {
        assert_eq!(range_without_outliers([3.0, f64::NAN, -1.0, 1e9].into_iter()), Some([-1.0, 1e9]));
        assert_eq!(range_without_outliers([2.0].into_iter()), Some([2.0, 2.0]));
        assert_eq!(range_without_outliers([f64::NAN].into_iter()), None);
    }

    #[test]
    fn one_value_in_two_hundred_may_be_an_outlier() {
        let values = || (0..1000).map(f64::from);
        assert_eq!(range_without_outliers(values()), Some([0.0, 999.0]));
        assert_eq!(range_without_outliers(values().chain([1e6, -1e6, 1200.0])), Some([0.0, 1200.0]));
        let many = (0..20).map(|n| 1e6 + f64::from(n));
        assert_eq!(range_without_outliers(values().chain(many)), Some([0.0, 1e6 + 19.0]), "too many to be left out");
    }
}
