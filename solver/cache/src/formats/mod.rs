//! File formats, a file each. All else follows from the tables here: which names a scene may have under `format`, which
//! ones are taken from an index, and what in a cache folder is a file of ours.
//!
//! A new format is a file with its `mod` line, and its place in the table of what it holds.

mod mesh_obj;
mod mesh_ply;
mod particle_ply;
mod volume_vdb;

use crate::particle_read::ParticleTable;
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

/// What the files of a kind hold, one a file.
pub trait Content: Sized + 'static {
    /// The kind.
    const KIND: OutputKind;
    /// The formats that it can be written in.
    const FORMATS: &'static [&'static dyn Format<Self>];
    /// What is asked of its files.
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

/// What is asked of the files of meshes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshSettings {
    /// Names of the attributes to write besides the position, as far as the format has room for them.
    pub attributes: Vec<&'static str>,
}

/// What is asked of the files of volumes.
#[derive(Debug, Clone)]
pub struct VolumeSettings {
    /// Bits a value.
    pub precision: GridPrecision,
    /// How values are packed.
    pub compression: GridCompression,
    /// What the volumes are made with.
    pub options: VolumeOptions,
}

/// A file format for the contents of a kind.
pub trait Format<T: Content>: Send + Sync {
    /// Its name in scenes and indices, which is the extension of its files, too: lower case letters.
    fn name(&self) -> &'static str;

    /// A sentence or two for whoever chooses between the formats.
    fn description(&self) -> &'static str;

    /// What the files of a bake hold, told by any of its frames.
    fn attributes(&self, settings: &T::Settings, frame: &Frame) -> Vec<Attribute>;

    /// The bytes of one file.
    ///
    /// # Errors
    /// When the content contradicts itself or the format cannot hold it.
    fn encode(&self, settings: &T::Settings, content: &T) -> Result<Vec<u8>, EncodeError>;

    /// How particles are read back from a file, where it keeps all of them that surfaces and volumes are made of.
    fn reader(&self) -> Option<ParticleReader> {
        None
    }
}

/// Reads the particles in a file, as many as the index lists.
pub type ParticleReader = fn(&Path, usize) -> Result<ParticleTable, ReadFault>;

/// A name that is none of a format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} files cannot have the format {name:?}; there {}", listed(*.kind))]
pub struct UnknownFormat {
    /// Of the files.
    pub kind: OutputKind,
    /// As it was given.
    pub name: String,
}

/// The formats that there are, as the end of a sentence.
fn listed(kind: OutputKind) -> String {
    let names: Vec<_> = kind.formats().iter().map(|(name, _)| format!("`{name}`")).collect();
    format!("{} {}", if names.len() == 1 { "is" } else { "are" }, names.join(", "))
}

/// The format of that name.
///
/// # Errors
/// When there is none.
pub fn format_named<T: Content>(name: &str) -> Result<&'static dyn Format<T>, UnknownFormat> {
    let found = T::FORMATS.iter().copied().find(|format| format.name() == name);
    found.ok_or_else(|| UnknownFormat { kind: T::KIND, name: name.to_owned() })
}

impl OutputKind {
    /// Name and description of each format that files of this kind can have.
    pub fn formats(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Mesh => told::<SurfaceMesh>(),
            Self::Volume => told::<Volume>(),
            Self::Particles => told::<Frame>(),
        }
    }

    /// Checks that a name is that of a format of this kind.
    ///
    /// # Errors
    /// When it is not: no path is to be made of it.
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
        let error = format_named::<SurfaceMesh>("stl").map(Format::name).unwrap_err();
        assert_eq!(error.to_string(), "mesh files cannot have the format \"stl\"; there are `ply`, `obj`");
        let error = format_named::<Volume>("../a").map(Format::name).unwrap_err();
        assert_eq!(error.to_string(), "volume files cannot have the format \"../a\"; there is `vdb`");
        assert_eq!(OutputKind::Volume.check_format("../a"), Err(error));
        assert_eq!(format_named::<Frame>("ply").map(Format::name), Ok("ply"));
    }
}
