//! File formats, one in each file. The tables here decide which names a scene may have under `format`, which formats an
//! index may name, and which files in a cache folder are ours.
//!
//! A new format is a file, its `mod` line, and its row in the table of its kind of content.

mod mesh_obj;
mod mesh_ply;
mod particle_ply;
mod volume_vdb;

use crate::particle_table::ParticleTable;
use crate::read_fault::ReadFault;
use crate::{Attribute, EncodeError, OutputKind};
use dollop_sim::Frame;
use dollop_surface::{SurfaceMesh, Volume, VolumeOptions};
use dollop_vdb::{GridCompression, GridPrecision};
pub use mesh_obj::MeshObj;
pub use mesh_ply::MeshPly;
pub use particle_ply::ParticlePly;
use std::path::Path;
pub use volume_vdb::VolumeVdb;

/// The content of each file of a kind.
pub trait Content: Sized + 'static {
    /// The kind.
    const KIND: OutputKind;
    /// The formats that can hold it.
    const FORMATS: &'static [&'static dyn Format<Self>];
    /// The options of its files.
    type Settings;
}

impl Content for SurfaceMesh {
    const KIND: OutputKind = OutputKind::Mesh;
    const FORMATS: &'static [&'static dyn Format<Self>] = &[&MeshPly, &MeshObj];
    type Settings = MeshSettings;
}

impl Content for Volume {
    const KIND: OutputKind = OutputKind::Volume;
    const FORMATS: &'static [&'static dyn Format<Self>] = &[&VolumeVdb];
    type Settings = VolumeSettings;
}

impl Content for Frame {
    const KIND: OutputKind = OutputKind::Particles;
    const FORMATS: &'static [&'static dyn Format<Self>] = &[&ParticlePly];
    type Settings = ();
}

/// The options of mesh files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshSettings {
    /// Names of the attributes to write besides the position, as far as the format supports them.
    pub attributes: Vec<&'static str>,
}

/// The options of volume files.
#[derive(Debug, Clone)]
pub struct VolumeSettings {
    /// Bits per value.
    pub precision: GridPrecision,
    /// Compression of values.
    pub compression: GridCompression,
    /// The settings that the volumes were made with.
    pub options: VolumeOptions,
}

/// A file format for the contents of a kind.
pub trait Format<T: Content>: Send + Sync {
    /// Its name in scenes and indices, and the extension of its files: lower case letters.
    fn name(&self) -> &'static str;

    /// One or two sentences for users who choose between the formats.
    fn description(&self) -> &'static str;

    /// The attributes in the files of a bake, found from any of its frames.
    fn attributes(&self, settings: &T::Settings, frame: &Frame) -> Vec<Attribute>;

    /// The bytes of one file.
    ///
    /// # Errors
    /// When the content contradicts itself or the format cannot hold it.
    fn encode(&self, settings: &T::Settings, content: &T) -> Result<Vec<u8>, EncodeError>;

    /// The reader of particles, if a file keeps all of their data that surfaces and volumes need.
    fn reader(&self) -> Option<ParticleReader> {
        None
    }
}

/// Reads the particles in a file, as many as the index lists.
pub type ParticleReader = fn(&Path, usize) -> Result<ParticleTable, ReadFault>;

/// A name that no format has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} files cannot have the format {name:?}; there {}", listed(*.kind))]
pub struct UnknownFormat {
    /// The kind of the files.
    pub kind: OutputKind,
    /// The name as it was given.
    pub name: String,
}

/// The existing formats, as the end of a sentence.
fn listed(kind: OutputKind) -> String {
    let names: Vec<_> = kind.formats().iter().map(|(name, _)| format!("`{name}`")).collect();
    format!("{} {}", if names.len() == 1 { "is" } else { "are" }, names.join(", "))
}

/// The format of that name.
///
/// # Errors
/// When no format has that name.
pub fn format_named<T: Content>(name: &str) -> Result<&'static dyn Format<T>, UnknownFormat> {
    let found = T::FORMATS.iter().copied().find(|format| format.name() == name);
    found.ok_or_else(|| UnknownFormat { kind: T::KIND, name: name.to_owned() })
}

impl OutputKind {
    /// Name and description of each format for files of this kind.
    pub fn formats(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Mesh => told::<SurfaceMesh>(),
            Self::Volume => told::<Volume>(),
            Self::Particles => told::<Frame>(),
        }
    }

    /// Checks that a format of this kind has a name.
    ///
    /// # Errors
    /// When none has it: the name must not become part of a path.
    pub(crate) fn check_format(self, name: &str) -> Result<(), UnknownFormat> {
        let is_known = self.formats().iter().any(|(known, _)| *known == name);
        if is_known { Ok(()) } else { Err(UnknownFormat { kind: self, name: name.to_owned() }) }
    }
}

fn told<T: Content>() -> Vec<(&'static str, &'static str)> {
    T::FORMATS.iter().map(|format| (format.name(), format.description())).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_are_fit_for_files_and_each_is_there_once() {
        for kind in OutputKind::ALL {
            let formats = kind.formats();
            assert!(!formats.is_empty(), "{kind}");
            for (at, (name, description)) in formats.iter().enumerate() {
                assert!(!name.is_empty() && name.chars().all(|letter| letter.is_ascii_lowercase()), "{name}");
                assert!(description.ends_with('.'), "{description}");
                assert!(formats[..at].iter().all(|(other, _)| other != name), "{name}");
            }
        }
    }

    #[test]
    fn a_name_that_is_none_is_refused() {
        let error = format_named::<SurfaceMesh>("no/format").map(Format::name).unwrap_err();
        assert_eq!(error.to_string(), "mesh files cannot have the format \"no/format\"; there are `ply`, `obj`");
        let error = format_named::<Volume>("../a").map(Format::name).unwrap_err();
        assert_eq!(error.to_string(), "volume files cannot have the format \"../a\"; there is `vdb`");
        assert_eq!(OutputKind::Volume.check_format("../a"), Err(error));
        assert_eq!(format_named::<Frame>("ply").map(Format::name), Ok("ply"));
    }
}
