use crate::{Key, Shape, Transform};

/// An object of a scene.
pub trait Placed {
    /// A name for messages.
    fn name(&self) -> &str;

    /// Its shape, about its own origin.
    fn shape(&self) -> &Shape;

    /// Where it stands.
    fn transform(&self) -> &Transform;

    /// Placements at given frames, instead of `transform`; empty for an object that stays, or that forces move.
    fn motion(&self) -> &[Key] {
        &[]
    }
}

/// Implements [`Placed`] by the fields of a type: `name`, `shape`, `transform`, and `motion` where it has one.
macro_rules! placed_by_fields {
    ($name:ident $(, $motion:ident)?) => {
        impl Placed for $name {
            fn name(&self) -> &str {
                &self.name
            }

            fn shape(&self) -> &Shape {
                &self.shape
            }

            fn transform(&self) -> &Transform {
                &self.transform
            }

            $(fn motion(&self) -> &[Key] {
                &self.$motion
            })?
        }
    };
}
pub(crate) use placed_by_fields;

/// Declares an object that is placed in a scene and moves over the frames: first name, shape (with its own sentence),
/// transform and motion, then its other fields. A macro lists the fields, as with `flatten` of a common struct `serde`
/// would not refuse unknown fields.
macro_rules! placed {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $(#[$shape_about:meta])*
            shape,
            $( $(#[$field_about:meta])* pub $field:ident: $type:ty, )*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// A name for messages.
            #[schemars(extend("x-derived" = true))]
            pub name: String,
            $(#[$shape_about])*
            #[schemars(extend("x-derived" = true))]
            pub shape: Shape,
            /// Where it stands; the frame of reference when `motion` is empty.
            #[serde(default)]
            #[schemars(extend("x-derived" = true))]
            pub transform: Transform,
            /// Where it stands at given frames, in rising order: linear in between, held before and after. Replaces
            /// `transform`. The scale may change over the frames only by one factor for all three axes.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            #[schemars(extend("x-derived" = true))]
            pub motion: Vec<Key>,
            $( $(#[$field_about])* pub $field: $type, )*
        }

        $crate::placed::placed_by_fields!($name, motion);
    };
}
pub(crate) use placed;
