use crate::{Attribute, AttributeKind, EncodeError, Format};
use dollop_sim::Frame;
use dollop_surface::{ScalarGrid, SparseGrid, Tile, VectorGrid, Volume};
use dollop_vdb::{
    Compression, Grid, GridClass, Leaf, Precision, TileEdge, Transform, Tree, Value, VectorType, to_bytes,
};

/// Grids as OpenVDB: `density`, `temperature` and `velocity`, whichever the volume has.
#[derive(Debug, Clone, Copy)]
pub struct VolumeVdb {
    /// Bits a value.
    pub precision: Precision,
    /// How values are packed.
    pub compression: Compression,
    /// Whether the volumes have a density.
    pub density: bool,
    /// Whether they have a temperature where their frame has.
    pub temperature: bool,
    /// Whether they have a velocity.
    pub velocity: bool,
}

impl Format<Volume> for VolumeVdb {
    fn extension(&self) -> &'static str {
        "vdb"
    }

    fn attributes(&self, frame: &Frame) -> Vec<Attribute> {
        let density = || {
            let description = "Density relative to the matter at rest: about 1 inside, 0 outside.";
            Attribute::plain("density", AttributeKind::Float, "", description)
        };
        // A grid holds the vector as one value.
        let velocity = || Attribute { properties: Vec::new(), ..Attribute::velocity() };
        let temperature = Attribute::field_of(frame, "temperature").filter(|_| self.temperature);
        let grids = [self.density.then(density), temperature, self.velocity.then(velocity)];
        grids.into_iter().flatten().collect()
    }

    fn encode(&self, volume: &Volume) -> Result<Vec<u8>, EncodeError> {
        let density = volume.density.as_ref().map(|grid| self.scalar("density", grid));
        let temperature = volume.temperature.as_ref().map(|grid| self.scalar("temperature", grid));
        let velocity = volume.velocity.as_ref().map(|grid| self.vector("velocity", grid));
        let grids = [density, temperature, velocity].into_iter().flatten().collect::<Result<Vec<_>, _>>()?;
        let (bytes, _) = to_bytes(&grids, self.compression)?;
        Ok(bytes)
    }
}

impl VolumeVdb {
    fn scalar<'a>(self, name: &str, grid: &'a ScalarGrid) -> Result<Grid<'a>, EncodeError> {
        let grid = Grid::scalar(name, GridClass::FogVolume, Transform::uniform(grid.voxel_size), tree(grid)?);
        Ok(self.signed(grid))
    }

    fn vector<'a>(self, name: &str, grid: &'a VectorGrid) -> Result<Grid<'a>, EncodeError> {
        let transform = Transform::uniform(grid.voxel_size);
        // Sampled at voxel centres, so not staggered.
        let grid = Grid::vector(name, GridClass::Unknown, transform, tree(grid)?, VectorType::ContravariantRelative);
        Ok(self.signed(grid))
    }

    fn signed(self, grid: Grid) -> Grid {
        grid.with_precision(self.precision).with_metadata("creator", concat!("Dollop ", env!("CARGO_PKG_VERSION")))
    }
}

/// The blocks and tiles of a grid; zero everywhere else.
fn tree<T: Value + Default>(grid: &SparseGrid<T>) -> Result<Tree<'_, T>, EncodeError> {
    let leaves =
        grid.blocks.iter().map(|block| Leaf { origin: block.origin, active: block.active, values: &block.values });
    let tile = |tile: &Tile<T>| dollop_vdb::Tile {
        origin: tile.origin,
        edge: TileEdge::Leaf,
        value: tile.value,
        active: true,
    };
    Ok(Tree::new(T::default(), leaves)?.with_tiles(grid.tiles.iter().map(tile))?)
}
