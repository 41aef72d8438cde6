//! Positions as the loops over pairs read them.

/// Bits of a position below one support: differences over three supports fit the 24 bits of a single-precision
/// mantissa.
pub const FRACTION_BITS: u32 = 20;

/// Factor from position differences in [`PackedPosition`]'s units to q = r / h.
pub const TO_Q: f32 = 2.0 / (1 << FRACTION_BITS) as f32;

/// A position in units of support / 2^20, modulo 2^32, and a tag of the caller's that pair loops read along with it.
pub type PackedPosition = [i32; 4];

/// The same place half the range away, where only places moved in the same way are near.
pub fn apart([x, y, z, tag]: PackedPosition) -> PackedPosition {
    [x.wrapping_add(i32::MIN), y, z, tag]
}
