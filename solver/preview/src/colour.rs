//! Colours, and maps from values to colours.

use glam::Vec3;

/// Converts sRGB bytes to linear light, 0 to 1.
pub(crate) fn from_srgb(bytes: [u8; 3]) -> Vec3 {
    let linear = |byte: u8| {
        let c = f32::from(byte) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    Vec3::from_array(bytes.map(linear))
}

/// Converts linear light to sRGB bytes.
pub(crate) fn to_srgb(light: Vec3) -> [u8; 3] {
    let encoded = |c: f32| if c <= 0.003_130_8 { c * 12.92 } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    light.to_array().map(|c| (encoded(c.clamp(0.0, 1.0)) * 255.0).round() as u8)
}

/// Packs a colour in linear light into a number: the bits of its sRGB bytes. Single precision holds them exactly.
pub(crate) fn to_number(light: Vec3) -> f32 {
    let [r, g, b] = to_srgb(light).map(u32::from);
    if light.is_nan() { f32::NAN } else { (r << 16 | g << 8 | b) as f32 }
}

/// Unpacks a number into a colour in linear light.
pub(crate) fn from_number(number: f32) -> Vec3 {
    from_srgb(bytes(number))
}

fn bytes(number: f32) -> [u8; 3] {
    let [_, r, g, b] = (number as u32).to_be_bytes();
    [r, g, b]
}

/// Colour of NaN.
const NAN_COLOUR: [u8; 3] = [128, 128, 128];

/// A map from values to colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColourMap {
    /// From white, cold, to red, hot (T92 section 6.1.1).
    Heat,
    /// From violet to green, with evenly rising brightness (Niccoli; hues by Bostock). Neither end is so dark that its
    /// shaded side would be black.
    Cool,
    /// One colour for each body, ten in all, repeated.
    Categorical,
    /// The value is the [packed](to_number) colour itself.
    Direct,
}

impl ColourMap {
    /// The map for the field with this name.
    pub fn for_field(name: &str) -> Self {
        match name {
            "temperature" => Self::Heat,
            "source" => Self::Categorical,
            "color" => Self::Direct,
            _ => Self::Cool,
        }
    }

    /// The sRGB colour of a value: a fraction from 0 to 1 of the range, the number of a body, or a packed colour.
    pub fn srgb(self, value: f32) -> [u8; 3] {
        if value.is_nan() {
            return NAN_COLOUR;
        }
        let fraction = value.clamp(0.0, 1.0);
        match self {
            Self::Direct => bytes(value),
            Self::Heat => {
                let green_and_blue = ((1.0 - fraction) * 255.0).round() as u8;
                [255, green_and_blue, green_and_blue]
            }
            Self::Cool => {
                let colorous::Color { r, g, b } = colorous::COOL.eval_continuous(f64::from(fraction));
                [r, g, b]
            }
            Self::Categorical => {
                let colorous::Color { r, g, b } = CATEGORIES[value.max(0.0) as usize % CATEGORIES.len()];
                [r, g, b]
            }
        }
    }
}

/// Tableau's categorical colours, ordered so that the first ones look best together on dark grey.
const CATEGORIES: [colorous::Color; 10] = {
    let all = colorous::TABLEAU10;
    [all[1], all[0], all[4], all[2], all[5], all[6], all[3], all[7], all[8], all[9]]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_bytes_survive_a_round_trip() {
        for byte in 0..=255 {
            assert_eq!(to_srgb(from_srgb([byte, 255 - byte, 7])), [byte, 255 - byte, 7]);
            let number = to_number(from_srgb([byte, 255 - byte, 7]));
            assert_eq!(ColourMap::Direct.srgb(number), [byte, 255 - byte, 7]);
        }
    }

    #[test]
    fn heat_map_goes_from_white_to_red() {
        let heat = |fraction| ColourMap::Heat.srgb(fraction);
        assert_eq!([heat(-1.0), heat(0.0), heat(1.0), heat(2.0)], [[255; 3], [255; 3], [255, 0, 0], [255, 0, 0]]);
        assert!(heat(0.5)[1] == heat(0.5)[2] && heat(0.5)[1] == 128);
        assert_eq!(heat(f32::NAN), NAN_COLOUR);
    }

    #[test]
    fn ten_bodies_have_ten_distinct_colours() {
        let colours: std::collections::BTreeSet<_> =
            (0..20).map(|body| ColourMap::Categorical.srgb(body as f32)).collect();
        assert_eq!(colours.len(), 10);
    }
}
