//! The machine's operations against arrays: the same bits.

use super::plain::Arrays;
use super::{Centre, Eight, LANES, Lanes, Task, columns, dispatch, named, numbers};
use crate::kernel::Real;
use crate::packed::PackedPosition;
use pulp::Arch;

/// All operations on some numbers, as bits.
struct All;

impl Task for All {
    type Output = Vec<u32>;

    fn run<E: Eight>(self, eight: E) -> Vec<u32> {
        let mut state = 1_u32;
        let mut number = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as i32 - (1 << 23)
        };
        let mut bits = Vec::new();
        for _ in 0..100 {
            let places: Vec<PackedPosition> = (0..16).map(|_| [0; 4].map(|_| number())).collect();
            let rows: Vec<[f32; 4]> = (0..16).map(|_| [0; 4].map(|_| number() as f32 * 1e-3)).collect();
            let group = [0; LANES].map(|_: u32| number() as u32 % 16);
            let turned @ [.., tags] = eight.turn_places(named(&places, &group));
            let centre = Centre::new(eight, 3, &places[3]);
            let offsets = centre.offsets(&group, turned);
            let near = offsets.squared.below(Lanes::splat(eight, 500.0));
            let (packed, count) = eight.pack(near, centre.is(&group), eight.load(&group.map(|slot| slot as i32)));
            bits.extend(packed[..count].iter().map(|&slot| slot as u32));
            let [a, b, c, d] = columns(eight, named(&rows, &group));
            let results = [
                a + b - c * d / a,
                offsets.squared.sqrt(),
                a.larger(c),
                b.negative(),
                d.positive(),
                a.keep(near),
                offsets.along[0],
                offsets.along[1],
                offsets.along[2],
                numbers(eight, tags),
                Lanes::load(eight, group.map(|slot| slot as f32)),
            ];
            for result in results {
                bits.extend(eight.store(result.numbers).map(f32::to_bits));
                bits.extend([result.sum(), result.max()].map(f32::to_bits));
            }
        }
        bits
    }
}

#[test]
fn vectors_and_arrays_have_the_same_bits() {
    let on_arrays = All.run(Arrays);
    assert_eq!(dispatch(Arch::new(), All), on_arrays);
    assert!(on_arrays.len() > 100 * 10 * 10 + 50, "nothing was packed");
}
