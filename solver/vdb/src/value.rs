//! The types of values that a grid can hold.

/// A value of a grid: `f32` or `[f32; 3]`.
pub trait VoxelValue: Layout {}
impl VoxelValue for f32 {}
impl VoxelValue for [f32; 3] {}

/// The interface that the writer needs. It cannot be named outside, so that the set of types stays closed.
pub trait Layout: Copy + PartialEq + Send + Sync + 'static {
    /// OpenVDB's name of the type.
    const TYPE_NAME: &'static str;
    const ZERO: Self;

    fn map(self, function: impl Fn(f32) -> f32) -> Self;

    /// The components of all values, one value after another.
    fn flatten(values: &[Self]) -> &[f32];

    fn negated(self) -> Self {
        self.map(|component| -component)
    }

    fn is_finite(self) -> bool {
        all_finite(Self::flatten(&[self]))
    }
}

impl Layout for f32 {
    const TYPE_NAME: &'static str = "float";
    const ZERO: Self = 0.0;

    fn map(self, function: impl Fn(f32) -> f32) -> Self {
        function(self)
    }

    fn flatten(values: &[Self]) -> &[f32] {
        values
    }
}

impl Layout for [f32; 3] {
    const TYPE_NAME: &'static str = "vec3s";
    const ZERO: Self = [0.0; 3];

    fn map(self, function: impl Fn(f32) -> f32) -> Self {
        self.map(function)
    }

    fn flatten(values: &[Self]) -> &[f32] {
        values.as_flattened()
    }
}

/// Whether all numbers are finite. It checks all of them, which vectorises.
pub(crate) fn all_finite(numbers: &[f32]) -> bool {
    numbers.iter().fold(true, |finite, number| finite & number.is_finite())
}
