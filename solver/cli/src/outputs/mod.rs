//! The files of a frame, as the scene requests them.

mod footprint;

pub use footprint::MatterExtent;

use dollop_cache::{
    CacheError, CacheFolder, Content, EncodeError, Format, MeshRecord, MeshSettings, OutputKind, OutputRecord,
    UnknownFormat, VolumeSettings, file_name, format_named, pattern,
};
use dollop_scene::{
    Body, Compression, MeshAttribute, MeshOutput, Output, Precision, Scene, SurfaceField, SurfaceLevel, Surfaces,
    VolumeGrid, VolumeOutput,
};
use dollop_sim::Frame;
use dollop_sim::field::{AGE, COLOR, DAMAGE, REST_POSITION, TEMPERATURE};
use dollop_surface::{
    CARRIED, FieldKind, GridKind, LevelKind, SurfaceMesh, SurfaceOptions, Volume, VolumeOptions, extract_surface,
    rasterize,
};
use footprint::after_another;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// The outputs to write for each frame.
pub struct Outputs {
    parts: Vec<Box<dyn Part>>,
    /// The only kind of files to make; the other kinds are listed in the index and made by other commands.
    only: Option<OutputKind>,
}

/// The files of one frame.
#[derive(Debug, Default)]
pub struct WrittenFrame {
    /// Size of each file, bytes.
    pub sizes: BTreeMap<OutputKind, u64>,
    /// Names of the files, from the cache folder on.
    pub names: Vec<String>,
    /// The surface, if one was written.
    pub mesh: Option<MeshRecord>,
}

/// One kind of file.
trait Part: Send + Sync {
    fn kind(&self) -> OutputKind;

    fn record(&self, frame: &Frame) -> OutputRecord;

    /// The bytes of a frame's file, and the record of its surface.
    fn make(&self, frame: &Frame) -> Result<(Vec<u8>, Option<MeshRecord>), EncodeError>;

    /// Estimated bytes of memory for `make`.
    fn footprint(&self, matter: &MatterExtent) -> f64;
}

impl Outputs {
    /// The outputs in a scene of that particle spacing, m. `materials` holds for each body the first body of the same
    /// material. The surface in a volume uses the settings of `mesh`.
    ///
    /// # Errors
    /// When the scene requests an unknown format.
    pub fn new(
        output: &Output,
        mesh: Option<&MeshOutput>,
        spacing: f64,
        materials: &[u32],
    ) -> Result<Self, UnknownFormat> {
        let mut parts: Vec<Box<dyn Part>> = Vec::new();
        if let Some(mesh) = &output.mesh {
            let files = Files::new(&mesh.format.0, MeshSettings { attributes: attributes(mesh) }, settings(mesh))?;
            parts.push(Box::new(MeshPart { files, options: surface_options(mesh, spacing, materials) }));
        }
        if let Some(volume) = &output.volume {
            parts.push(Box::new(volume_part(volume, mesh, spacing)?));
        }
        if let Some(particles) = &output.particles {
            parts.push(Box::new(ParticlePart { files: Files::new(&particles.format.0, (), settings(particles))? }));
        }
        Ok(Self { parts, only: None })
    }

    /// The same outputs, but only files of one kind are made.
    pub fn making(self, kind: OutputKind) -> Self {
        Self { only: Some(kind), ..self }
    }

    /// The kinds of files that are made.
    pub fn kinds(&self) -> Vec<OutputKind> {
        self.made().map(Part::kind).collect()
    }

    fn made(&self) -> impl Iterator<Item = &dyn Part> {
        let is_made = |part: &&dyn Part| self.only.is_none_or(|only| part.kind() == only);
        self.parts.iter().map(|part| &**part).filter(is_made)
    }

    /// The attributes in the files, found from any frame of the bake.
    pub fn records(&self, frame: &Frame) -> Vec<OutputRecord> {
        self.parts.iter().map(|part| part.record(frame)).collect()
    }

    /// Estimated bytes for making the files of a frame, one kind after another.
    pub fn footprint(&self, matter: &MatterExtent) -> f64 {
        after_another(self.made().map(|part| part.footprint(matter)))
    }

    /// Writes the files of a frame.
    ///
    /// # Errors
    /// When one cannot be made or written. Files written before it stay.
    pub fn write(&self, folder: &CacheFolder, frame: &Frame) -> Result<WrittenFrame, CacheError> {
        let mut written = WrittenFrame::default();
        for part in self.made() {
            let OutputRecord { kind, format, .. } = part.record(frame);
            let (bytes, mesh) =
                part.make(frame).map_err(|source| CacheError::Encode { frame: frame.number, source })?;
            written.sizes.insert(kind, folder.write(kind, frame.number, &format, &bytes)?);
            written.names.push(file_name(kind, frame.number, &format));
            written.mesh = mesh.or(written.mesh);
        }
        Ok(written)
    }

    /// Removes the written files of a frame that will not be listed.
    pub fn remove(&self, folder: &CacheFolder, frame: &Frame) {
        for OutputRecord { kind, format, .. } in self.made().map(|part| part.record(frame)) {
            // Called after an error, and that error is the one to report.
            let _ = folder.remove(kind, frame.number, &format);
        }
    }
}

/// The outputs in a scene, but only the particles are made now.
///
/// # Errors
/// As [`outputs_of`].
pub fn particles_of(scene: &Scene) -> Result<Outputs, UnknownFormat> {
    let particles = scene.output.particles.clone().unwrap_or_default();
    let output = Output { particles: Some(particles), ..scene.output.clone() };
    let outputs = Outputs::new(&output, output.mesh.as_ref(), scene.particle_spacing, &materials(scene));
    Ok(outputs?.making(OutputKind::Particles))
}

/// The outputs in a scene.
///
/// # Errors
/// When the scene requests an unknown format.
pub fn outputs_of(scene: &Scene) -> Result<Outputs, UnknownFormat> {
    Outputs::new(&scene.output, scene.output.mesh.as_ref(), scene.particle_spacing, &materials(scene))
}

/// For each body the number of the first body of the same material.
pub fn materials(scene: &Scene) -> Vec<u32> {
    let mut firsts: HashMap<String, u32> = HashMap::new();
    let told = |body: &Body| serde_json::to_string(&body.material).unwrap_or_else(|_| body.name.clone());
    (0..).zip(&scene.bodies).map(|(number, body)| *firsts.entry(told(body)).or_insert(number)).collect()
}

/// Format and settings of the files of a kind.
struct Files<T: Content> {
    format: &'static dyn Format<T>,
    asked: T::Settings,
    /// The settings as stored in the index.
    told: Option<Value>,
}

impl<T: Content> Files<T> {
    fn new(format: &str, asked: T::Settings, told: Option<Value>) -> Result<Self, UnknownFormat> {
        Ok(Self { format: format_named(format)?, asked, told })
    }

    fn encode(&self, content: &T) -> Result<Vec<u8>, EncodeError> {
        self.format.encode(&self.asked, content)
    }

    fn record(&self, frame: &Frame, cell_size: Option<f64>) -> OutputRecord {
        let (kind, format) = (T::KIND, self.format.name());
        let (pattern, attributes) = (pattern(kind, format), self.format.attributes(&self.asked, frame));
        OutputRecord { kind, format: format.into(), pattern, cell_size, settings: self.told.clone(), attributes }
    }
}

/// Settings as stored in the index.
fn settings(of: &impl Serialize) -> Option<Value> {
    // The types of a scene always have a JSON form.
    serde_json::to_value(of).ok()
}

struct MeshPart {
    files: Files<SurfaceMesh>,
    options: SurfaceOptions,
}

/// Names of the vertex attributes of a mesh besides the position.
fn attributes(output: &MeshOutput) -> Vec<&'static str> {
    let name = |attribute: &MeshAttribute| match attribute {
        MeshAttribute::Velocity => "velocity",
        MeshAttribute::Temperature => TEMPERATURE.name,
        MeshAttribute::Damage => DAMAGE.name,
        MeshAttribute::Color => COLOR.name,
        MeshAttribute::Age => AGE.name,
        MeshAttribute::RestPosition => REST_POSITION.name,
        MeshAttribute::Source => "source",
        MeshAttribute::Normal => "normal",
    };
    // It distinguishes the surfaces in one file.
    let source = (output.surfaces != Surfaces::One).then_some("source");
    output.attributes.iter().map(name).chain(source).collect()
}

fn surface_options(output: &MeshOutput, spacing: f64, materials: &[u32]) -> SurfaceOptions {
    SurfaceOptions {
        cell_size: output.resolution * spacing,
        field: match output.field {
            SurfaceField::Anisotropic => FieldKind::Anisotropic,
            SurfaceField::Density => FieldKind::Density,
            SurfaceField::Blinn => FieldKind::Blinn,
            SurfaceField::Polynomial => FieldKind::Polynomial,
        },
        level: match output.level {
            SurfaceLevel::Component => LevelKind::Component,
            SurfaceLevel::Frame => LevelKind::Frame,
            SurfaceLevel::Interaction => LevelKind::Interaction,
        },
        smoothing: output.smoothing * spacing,
        deviation: output.adaptivity * spacing,
        least_particles: output.smallest_drop as usize,
        surfaces: match output.surfaces {
            Surfaces::One => vec![],
            Surfaces::Bodies => (0..materials.len() as u32).collect(),
            Surfaces::Materials => materials.to_vec(),
        },
        carried: attributes(output).into_iter().filter(|name| CARRIED.contains(name)).collect(),
    }
}

impl Part for MeshPart {
    fn kind(&self) -> OutputKind {
        OutputKind::Mesh
    }

    fn record(&self, frame: &Frame) -> OutputRecord {
        self.files.record(frame, Some(self.options.cell_size))
    }

    fn make(&self, frame: &Frame) -> Result<(Vec<u8>, Option<MeshRecord>), EncodeError> {
        let mesh = extract_surface(frame, &self.options);
        let about =
            MeshRecord { vertices: mesh.positions.len(), triangles: mesh.triangles.len(), volume: mesh.volume() };
        Ok((self.files.encode(&mesh)?, Some(about)))
    }

    fn footprint(&self, matter: &MatterExtent) -> f64 {
        matter.surface(self.options.cell_size)
    }
}

struct VolumePart {
    files: Files<Volume>,
}

impl VolumePart {
    fn options(&self) -> &VolumeOptions {
        &self.files.asked.options
    }
}

/// The widest surface cell for a level set, in spacings: the distances are measured to a mesh as fine as the default
/// one, however coarse the voxels are.
const WIDEST_CELL: f64 = 0.5;

fn volume_part(output: &VolumeOutput, mesh: Option<&MeshOutput>, spacing: f64) -> Result<VolumePart, UnknownFormat> {
    let surface = MeshOutput {
        resolution: output.resolution.min(WIDEST_CELL),
        // Distances are measured to the unmodified surface.
        adaptivity: 0.0,
        surfaces: Surfaces::One,
        attributes: vec![],
        ..mesh.cloned().unwrap_or_default()
    };
    let options = VolumeOptions {
        voxel_size: output.resolution * spacing,
        grids: output.grids.iter().copied().map(grid_kind).collect(),
        surface: surface_options(&surface, spacing, &[]),
    };
    let precision = match output.precision {
        Precision::Half => dollop_vdb::GridPrecision::Half,
        Precision::Full => dollop_vdb::GridPrecision::Full,
    };
    let compression = match output.compression {
        Compression::Blosc => dollop_vdb::GridCompression::Blosc,
        Compression::Zip => dollop_vdb::GridCompression::Zip,
        Compression::None => dollop_vdb::GridCompression::None,
    };
    let asked = VolumeSettings { precision, compression, options };
    Ok(VolumePart { files: Files::new(&output.format.0, asked, volume_settings(output, &surface))? })
}

/// The settings of a volume, and of the surface in it. The latter belong to a mesh, and may change without the
/// volume's.
fn volume_settings(output: &VolumeOutput, surface: &MeshOutput) -> Option<Value> {
    let mut all = settings(output)?;
    if output.grids.contains(&VolumeGrid::Surface) {
        let MeshOutput { resolution, field, level, smoothing, smallest_drop, .. } = surface;
        all["surface"] = json!({
            "resolution": resolution, "field": field, "level": level, "smoothing": smoothing, "smallest_drop": smallest_drop
        });
    }
    Some(all)
}

fn grid_kind(grid: VolumeGrid) -> GridKind {
    match grid {
        VolumeGrid::Density => GridKind::Density,
        VolumeGrid::Velocity => GridKind::Velocity,
        VolumeGrid::Surface => GridKind::Surface,
        VolumeGrid::Temperature => GridKind::Field(TEMPERATURE.name),
        VolumeGrid::Damage => GridKind::Field(DAMAGE.name),
        VolumeGrid::Color => GridKind::Field(COLOR.name),
        VolumeGrid::Age => GridKind::Field(AGE.name),
        VolumeGrid::RestPosition => GridKind::Field(REST_POSITION.name),
    }
}

impl Part for VolumePart {
    fn kind(&self) -> OutputKind {
        OutputKind::Volume
    }

    fn record(&self, frame: &Frame) -> OutputRecord {
        self.files.record(frame, Some(self.options().voxel_size))
    }

    fn make(&self, frame: &Frame) -> Result<(Vec<u8>, Option<MeshRecord>), EncodeError> {
        Ok((self.files.encode(&rasterize(frame, self.options()))?, None))
    }

    fn footprint(&self, matter: &MatterExtent) -> f64 {
        let VolumeOptions { voxel_size, grids, surface } = self.options();
        let numbers = |kind: &GridKind| match kind {
            GridKind::Velocity => 3.0,
            GridKind::Field(name) if *name == COLOR.name || *name == REST_POSITION.name => 3.0,
            GridKind::Density | GridKind::Field(_) => 1.0,
            GridKind::Surface => 0.0,
        };
        let sums = matter.volume(*voxel_size, grids.iter().map(numbers).sum());
        let has_surface = grids.contains(&GridKind::Surface);
        let level_set = if has_surface { matter.level_set(surface.cell_size, *voxel_size) } else { 0.0 };
        after_another([sums, level_set])
    }
}

struct ParticlePart {
    files: Files<Frame>,
}

impl Part for ParticlePart {
    fn kind(&self) -> OutputKind {
        OutputKind::Particles
    }

    fn record(&self, frame: &Frame) -> OutputRecord {
        self.files.record(frame, None)
    }

    fn make(&self, frame: &Frame) -> Result<(Vec<u8>, Option<MeshRecord>), EncodeError> {
        Ok((self.files.encode(frame)?, None))
    }

    fn footprint(&self, matter: &MatterExtent) -> f64 {
        matter.particle_file()
    }
}
