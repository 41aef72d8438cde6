//! The `dollop` binary.
fn main() {}
