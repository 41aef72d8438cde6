//! Numbers that JSON cannot represent. Writers of JSON put null in their place, and no reader of an index takes null
//! for a number.

use serde::Serialize;
use serde::ser::{
    Error, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
    SerializeTupleVariant, Serializer,
};
use std::fmt;

/// Finds an infinite or NaN number in a value before it is written.
///
/// # Errors
/// The place of the first such number: `done[3].mesh.volume`.
pub fn check_finite(value: &impl Serialize) -> Result<(), String> {
    value.serialize(Search).map_err(|Odd(place)| place.trim_start_matches('.').to_owned())
}

/// The place of an odd number within the value under search.
#[derive(Debug)]
struct Odd(String);

impl Odd {
    fn in_field(self, name: impl fmt::Display) -> Self {
        Self(format!(".{name}{}", self.0))
    }

    fn in_item(self, index: usize) -> Self {
        Self(format!("[{index}]{}", self.0))
    }
}

impl fmt::Display for Odd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Odd {}

impl Error for Odd {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// Visits a value and writes nothing.
struct Search;

/// Visits a list; holds the number of items visited.
struct Items(usize);

/// Visits named fields; holds the name of the last one.
struct Fields(String);

type Found = Result<(), Odd>;

macro_rules! sound {
    ($($name:ident($kind:ty)),*) => { $(fn $name(self, _: $kind) -> Found { Ok(()) })* };
}

macro_rules! opened {
    ($($name:ident($($kind:ty),*) -> $in:ident $made:expr;)*) => {
        $(fn $name(self, $(_: $kind),*) -> Result<$in, Odd> { Ok($made) })*
    };
}

impl Serializer for Search {
    type Ok = ();
    type Error = Odd;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Items;
    type SerializeMap = Fields;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Fields;

    fn serialize_f32(self, number: f32) -> Found {
        self.serialize_f64(number.into())
    }

    fn serialize_f64(self, number: f64) -> Found {
        if number.is_finite() { Ok(()) } else { Err(Odd(String::new())) }
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Found {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Found {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Found {
        value.serialize(self).map_err(|odd| odd.in_field(variant))
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Found {
        Ok(())
    }

    fn serialize_none(self) -> Found {
        Ok(())
    }

    fn serialize_unit(self) -> Found {
        Ok(())
    }

    sound!(
        serialize_bool(bool),
        serialize_i8(i8),
        serialize_i16(i16),
        serialize_i32(i32),
        serialize_i64(i64),
        serialize_u8(u8),
        serialize_u16(u16),
        serialize_u32(u32),
        serialize_u64(u64),
        serialize_char(char),
        serialize_str(&str),
        serialize_bytes(&[u8]),
        serialize_unit_struct(&'static str)
    );

    opened! {
        serialize_seq(Option<usize>) -> Items Items(0);
        serialize_tuple(usize) -> Items Items(0);
        serialize_tuple_struct(&'static str, usize) -> Items Items(0);
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Items Items(0);
        serialize_map(Option<usize>) -> Fields Fields(String::new());
        serialize_struct(&'static str, usize) -> Fields Fields(String::new());
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Fields Fields(String::new());
    }
}

macro_rules! list {
    ($($kind:ident $item:ident),*) => { $(impl $kind for Items {
        type Ok = ();
        type Error = Odd;

        fn $item<T: Serialize + ?Sized>(&mut self, value: &T) -> Found {
            self.0 += 1;
            value.serialize(Search).map_err(|odd| odd.in_item(self.0 - 1))
        }

        fn end(self) -> Found {
            Ok(())
        }
    })* };
}

list!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

macro_rules! named {
    ($($kind:ident),*) => { $(impl $kind for Fields {
        type Ok = ();
        type Error = Odd;

        fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Found {
            value.serialize(Search).map_err(|odd| odd.in_field(name))
        }

        fn end(self) -> Found {
            Ok(())
        }
    })* };
}

named!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Fields {
    type Ok = ();
    type Error = Odd;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Found {
        self.0 = serde_json::to_string(key).map_err(Odd::custom)?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Found {
        value.serialize(Search).map_err(|odd| odd.in_field(self.0.trim_matches('"')))
    }

    fn end(self) -> Found {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[derive(Serialize)]
    enum Shape {
        Ball(f64),
        Ring { radii: [f32; 2] },
        Point,
    }

    #[derive(Serialize)]
    struct Thing {
        shapes: Vec<Shape>,
        size: Option<f64>,
        sums: BTreeMap<&'static str, f64>,
    }

    fn found(shapes: Vec<Shape>, size: Option<f64>, sum: f64) -> Result<(), String> {
        check_finite(&Thing { shapes, size, sums: [("all", sum)].into() })
    }

    #[test]
    fn odd_numbers_are_found_wherever_they_are() {
        let rings = |radius| vec![Shape::Point, Shape::Ball(-1e300), Shape::Ring { radii: [1.0, radius] }];
        let place = |place: &str| Err(place.to_owned());
        assert_eq!(found(rings(2.0), None, 0.0), Ok(()));
        assert_eq!(found(rings(f32::NEG_INFINITY), None, 0.0), place("shapes[2].radii[1]"));
        assert_eq!(found(vec![Shape::Ball(f64::NAN)], None, 0.0), place("shapes[0].Ball"));
        assert_eq!(found(vec![], Some(f64::INFINITY), 0.0), place("size"));
        assert_eq!(found(vec![], Some(1.0), f64::NAN), place("sums.all"));
    }
}
