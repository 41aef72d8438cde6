use super::{Format, VolumeSettings};
use crate::{Attribute, AttributeKind, EncodeError};
use dollop_sim::Frame;
use dollop_sim::field::REST_POSITION;
use dollop_surface::{GridData, GridKind, LevelSet, SparseGrid, Volume, VoxelTile};
use dollop_vdb::{
    Grid, GridClass, GridPrecision, GridTransform, Leaf, TileEdge, Tree, VectorType, VoxelValue, to_bytes,
};

/// OpenVDB grids, each under its name: `density`, `velocity`, `surface`, and the names of fields.
#[derive(Debug, Clone, Copy)]
pub struct VolumeVdb;

impl Format<Volume> for VolumeVdb {
    fn name(&self) -> &'static str {
        "vdb"
    }

    fn description(&self) -> &'static str {
        "OpenVDB."
    }

    fn attributes(&self, settings: &VolumeSettings, frame: &Frame) -> Vec<Attribute> {
        settings.options.grids_of(frame).filter_map(|kind| attribute(frame, kind)).collect()
    }

    fn encode(&self, settings: &VolumeSettings, volume: &Volume) -> Result<Vec<u8>, EncodeError> {
        let grids = volume.grids.iter().map(|(kind, values)| grid_of(settings.precision, *kind, values));
        let (bytes, _) = to_bytes(&grids.collect::<Result<Vec<_>, _>>()?, settings.compression)?;
        Ok(bytes)
    }
}

/// The attribute in a grid of a frame.
fn attribute(frame: &Frame, kind: GridKind) -> Option<Attribute> {
    let plain = |unit, description| Some(Attribute::plain(name(kind), AttributeKind::Float, unit, description));
    let attribute = match kind {
        GridKind::Density => plain("", "Density relative to the matter at rest: about 1 inside, 0 outside."),
        GridKind::Surface => plain("m", "Distance to the surface of the matter, negative inside."),
        GridKind::Velocity => Some(Attribute::velocity()),
        GridKind::Field(name) => Attribute::field_of(frame, name),
    };
    // A grid holds a vector as one value.
    attribute.map(|attribute| Attribute { properties: Vec::new(), ..attribute })
}

fn name(kind: GridKind) -> &'static str {
    match kind {
        GridKind::Density => "density",
        GridKind::Velocity => "velocity",
        GridKind::Surface => "surface",
        GridKind::Field(name) => name,
    }
}

/// How the vectors of a grid change when the grid is moved: positions at rest and colours stay as they are.
fn vector_type(kind: GridKind) -> VectorType {
    if kind == GridKind::Velocity { VectorType::ContravariantRelative } else { VectorType::Invariant }
}

/// Only grids that are zero outside of matter are fog.
fn class(kind: GridKind) -> GridClass {
    match kind {
        GridKind::Density => GridClass::FogVolume,
        GridKind::Surface => GridClass::LevelSet,
        GridKind::Velocity | GridKind::Field(_) => GridClass::Unknown,
    }
}

fn grid_of(precision: GridPrecision, kind: GridKind, values: &GridData) -> Result<Grid<'_>, EncodeError> {
    let (name, class) = (name(kind), class(kind));
    let grid = match values {
        GridData::Scalar(grid) => Grid::scalar(name, class, GridTransform::uniform(grid.voxel_size), tree(grid)?),
        GridData::LevelSet(set) => Grid::scalar(name, class, GridTransform::uniform(set.voxel_size), band(set)?),
        // Sampled at voxel centres, so not staggered.
        GridData::Vector(grid) => {
            Grid::vector(name, class, GridTransform::uniform(grid.voxel_size), tree(grid)?, vector_type(kind))
        }
    };
    // Ten metres away a half float resolves a place to a centimetre only: too coarse for a texture that sticks.
    let precision = if kind == GridKind::Field(REST_POSITION.name) { GridPrecision::Full } else { precision };
    let creator = concat!("Dollop ", env!("CARGO_PKG_VERSION"));
    Ok(grid.with_precision(precision).with_metadata("creator", creator))
}

/// The blocks and tiles of a grid; zero everywhere else.
fn tree<T: VoxelValue + Default>(grid: &SparseGrid<T>) -> Result<Tree<'_, T>, EncodeError> {
    let leaves =
        grid.blocks.iter().map(|block| Leaf { origin: block.origin, active: block.active, values: &block.values });
    let tile = |tile: &VoxelTile<T>| dollop_vdb::Tile {
        origin: tile.origin,
        edge: TileEdge::Leaf,
        value: tile.value,
        active: true,
    };
    Ok(Tree::new(T::default(), leaves)?.with_tiles(grid.tiles.iter().map(tile))?)
}

/// The band of a level set and its interior: the sign is known everywhere.
fn band(set: &LevelSet) -> Result<Tree<'_, f32>, EncodeError> {
    let leaves =
        set.blocks.iter().map(|block| Leaf { origin: block.origin, active: block.active, values: &block.values });
    let inside =
        |origin: &[i32; 3]| dollop_vdb::Tile { origin: *origin, edge: TileEdge::Leaf, value: -set.band, active: false };
    Ok(Tree::new(set.band, leaves)?.with_tiles(set.inside.iter().map(inside))?.keep_inactive())
}
