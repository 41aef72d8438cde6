//! Colours, and how values become some.

use glam::Vec3;

/// sRGB bytes in linear light, 0 to 1.
pub(crate) fn from_srgb(bytes: [u8; 3]) -> Vec3 {
    let linear = |byte: u8| {
        let c = f32::from(byte) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    Vec3::from_array(bytes.map(linear))
}

/// Linear light as sRGB bytes.
pub(crate) fn to_srgb(light: Vec3) -> [u8; 3] {
    let encoded = |c: f32| if c <= 0.003_130_8 { c * 12.92 } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    light.to_array().map(|c| (encoded(c.clamp(0.0, 1.0)) * 255.0).round() as u8)
}

/// The number of a colour in linear light: the bits of its sRGB bytes, which single precision holds.
pub(crate) fn to_number(light: Vec3) -> f32 {
    let [r, g, b] = to_srgb(light).map(u32::from);
    if light.is_nan() { f32::NAN } else { (r << 16 | g << 8 | b) as f32 }
}

/// The colour in linear light of a number.
pub(crate) fn from_number(number: f32) -> Vec3 {
    from_srgb(bytes(number))
}

fn bytes(number: f32) -> [u8; 3] {
    let [_, r, g, b] = (number as u32).to_be_bytes();
    [r, g, b]
}

/// Colour of a value that is no number.
const NO_NUMBER: [u8; 3] = [128, 128, 128];

/// How values become colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColourMap {
    /// From white, cold, to red, hot (T92 section 6.1.1).
    Heat,
    /// From violet to green, evenly brighter as the value is higher (Niccoli's, in the hues that Bostock gave it). No end is
    /// so dark that its shaded side would be black.
    Even,
    /// A colour of its own for each body, in a circle of ten.
    Bodies,
    /// The value is the [number](to_number) of a colour.
    Own,
}

impl ColourMap {
    /// The map for a field of that name.
    pub fn for_field(name: &str) -> Self {
        match name {
            "temperature" => Self::Heat,
            "source" => Self::Bodies,
            "color" => Self::Own,
            _ => Self::Even,
        }
    }

    /// The colour, sRGB, of a part from 0 to 1 of the range; of bodies and colours, that of a number.
    pub fn srgb(self, value: f32) -> [u8; 3] {
        if value.is_nan() {
            return NO_NUMBER;
        }
        let part = value.clamp(0.0, 1.0);
        match self {
            Self::Own => bytes(value),
            Self::Heat => {
                let fading = ((1.0 - part) * 255.0).round() as u8;
                [255, fading, fading]
            }
            Self::Even => {
                let colorous::Color { r, g, b } = colorous::COOL.eval_continuous(f64::from(part));
                [r, g, b]
            }
            Self::Bodies => {
                let colorous::Color { r, g, b } = BODIES[value.max(0.0) as usize % BODIES.len()];
                [r, g, b]
            }
        }
    }
}

/// Colours that are told apart, by Tableau, in the order that the first ones look best together on dark grey.
const BODIES: [colorous::Color; 10] = {
    let all = colorous::TABLEAU10;
    [all[1], all[0], all[4], all[2], all[5], all[6], all[3], all[7], all[8], all[9]]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        for byte in 0..=255 {
            assert_eq!(to_srgb(from_srgb([byte, 255 - byte, 7])), [byte, 255 - byte, 7]);
            let number = to_number(from_srgb([byte, 255 - byte, 7]));
            assert_eq!(ColourMap::Own.srgb(number), [byte, 255 - byte, 7]);
        }
    }

    #[test]
    fn heat_goes_from_white_to_red() {
        let heat = |part| ColourMap::Heat.srgb(part);
        assert_eq!([heat(-1.0), heat(0.0), heat(1.0), heat(2.0)], [[255; 3], [255; 3], [255, 0, 0], [255, 0, 0]]);
        assert!(heat(0.5)[1] == heat(0.5)[2] && heat(0.5)[1] == 128);
        assert_eq!(heat(f32::NAN), NO_NUMBER);
    }

    #[test]
    fn ten_bodies_have_ten_colours() {
        let colours: std::collections::BTreeSet<_> = (0..20).map(|body| ColourMap::Bodies.srgb(body as f32)).collect();
        assert_eq!(colours.len(), 10);
    }
}
