#![allow(clippy::unwrap_used)]
// The tests compare bit for bit.
#![allow(clippy::float_cmp)]

use crate::tests::{frame, index, record};
use crate::*;
use dollop_sim::field::Quantity;
use dollop_sim::field::{AGE, COLOR, FUSED, LUMP, OFFSET, PIECE, REST_POSITION, WALL};
use dollop_sim::frame::SoftField;
use dollop_sim::{Field, FieldData, Frame};
use glam::Vec3;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;
use tempfile::TempDir;

/// A cache with the particles of one frame.
struct Cache {
    root: TempDir,
    index: Index,
}

impl Cache {
    fn of(frame: &Frame) -> Self {
        Self::with(&ParticlePly.encode(&(), frame).unwrap(), frame)
    }

    fn with(bytes: &[u8], frame: &Frame) -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("particles")).unwrap();
        let done = FrameRecord {
            particles: frame.len(),
            time: frame.time,
            files: [(OutputKind::Particles, bytes.len() as u64)].into(),
            ..record(1, 0)
        };
        let body = |source| BodyRecord {
            source,
            name: "drop".into(),
            particles: 1,
            material: None,
            lasting: false,
            apart: false,
            skin: None,
        };
        let bodies = (0..8).map(body).collect();
        let outputs = vec![OutputRecord {
            kind: OutputKind::Particles,
            format: "ply".into(),
            pattern: pattern(OutputKind::Particles, "ply"),
            cell_size: None,
            settings: None,
            attributes: Vec::new(),
        }];
        let index = Index { kernel: Some(frame.kernel.into()), bodies, outputs, ..index(vec![done]) };
        let cache = Self { root, index };
        fs::write(cache.file(), bytes).unwrap();
        cache
    }

    fn file(&self) -> PathBuf {
        self.root.path().join("particles/particles_0001.ply")
    }

    fn read(&self) -> Result<Frame, CacheError> {
        read_particles(self.root.path(), &self.index, &self.index.done[0])
    }

    /// The read error; checks that it names the file and contains the words.
    #[track_caller]
    fn fails(&self, words: &str) {
        let error = self.read().unwrap_err().to_string();
        assert!(error.contains("particles_0001.ply") && error.contains(words), "{words:?} is not in {error}");
    }
}

/// A frame with all columns, of numbers that rounding would change.
fn full() -> Frame {
    let mut frame = frame(true);
    frame.positions = vec![Vec3::new(0.1, -0.0, 1e-40), Vec3::new(1.0 / 3.0, 16_777_217.0, -3.4e38)];
    frame.rest_volumes = vec![0.1_f32.powi(3), 1.0 / 3e6];
    frame.seams = vec![[0, 1]];
    frame.fields.push(AGE.with(FieldData::Scalar(vec![0.0, 1.0 / 24.0])));
    frame.fields.push(REST_POSITION.with(FieldData::Vector(vec![Vec3::splat(0.7), Vec3::new(-0.3, 0.2, 0.1)])));
    frame.fields.push(COLOR.with(FieldData::Vector(vec![Vec3::new(1.0, 0.5, 0.25), Vec3::splat(0.8)])));
    frame
}

fn bits(vectors: &[Vec3]) -> Vec<[u32; 3]> {
    vectors.iter().map(|vector| vector.to_array().map(f32::to_bits)).collect()
}

#[test]
fn particles_read_back_bit_for_bit() {
    let written = full();
    let read = Cache::of(&written).read().unwrap();
    assert_eq!(bits(&read.positions), bits(&written.positions));
    assert_eq!(bits(&read.velocities), bits(&written.velocities));
    let volumes = |frame: &Frame| frame.rest_volumes.iter().map(|volume| volume.to_bits()).collect::<Vec<_>>();
    assert_eq!(volumes(&read), volumes(&written));
    assert_eq!((&read.sources, read.kernel, read.number), (&written.sources, written.kernel, written.number));
    assert_eq!([read.interval, read.spacing, read.time], [written.interval, written.spacing, written.time]);
    let names = |frame: &Frame| frame.fields.iter().map(|field| field.name).collect::<Vec<_>>();
    assert_eq!(names(&read), ["density", "temperature", "age", "rest_position", "color"]);
    assert_eq!(read.seams, [[0, 1]]);
    assert!(read.fields.iter().zip(&written.fields).all(|(read, written)| read.data == written.data));
}

/// What has fused in a frame is told by its record, of all bodies or none, by the first of those that are one.
#[test]
fn fused_bodies_read_back_and_odd_ones_are_refused() {
    let mut cache = Cache::of(&full());
    let fused = [Some(0), Some(0), None, Some(3), Some(4), Some(3), Some(6), Some(7)];
    cache.index.done[0].fused_bodies = fused.to_vec();
    cache.index.bodies.iter_mut().for_each(|body| body.apart = true);
    let read = cache.read().unwrap();
    assert_eq!([0, 1, 2, 5].map(|body| read.solid(body)), [Some(0), Some(0), None, Some(3)]);
    for odd in [vec![Some(0); 7], vec![Some(1); 8], vec![None; 9]] {
        cache.index.done[0].fused_bodies = odd;
        let error = cache.read().unwrap_err().to_string();
        assert!(error.contains("fused in frame 1") && error.contains(INDEX_FILE), "{error}");
    }
}

#[test]
fn seams_that_bind_no_two_particles_are_refused() {
    for seam in [[1, 0], [1, 1], [0, 2]] {
        let words = format!("a seam binds particle {} to {}", seam[0], seam[1]);
        Cache::of(&Frame { seams: vec![seam], ..full() }).fails(&words);
    }
    Cache::of(&Frame { seams: vec![[0, u32::MAX]], ..full() }).fails("an edge has a number below 0");
    Cache::of(&Frame { seams: vec![[0, 1]; 2], ..full() }).fails("not in order, each once");
    let frame = full();
    let bytes = ParticlePly.encode(&(), &frame).unwrap();
    Cache::with(&bytes[..bytes.len() - 3], &frame).fails("2 rows of");
    Cache::with(&bytes[..bytes.len() - 3], &frame).fails("and 1 edges of 8");
    let at = bytes.windows(7).position(|word| word == b"vertex2").unwrap();
    let mut other = bytes;
    other[at + 6] = b'3';
    Cache::with(&other, &frame).fails("its edges have the properties");
}

#[test]
fn no_particles_read_back() {
    let none = Frame {
        ids: Vec::new(),
        positions: vec![],
        velocities: vec![],
        rest_volumes: vec![],
        sources: vec![],
        fields: vec![],
        seams: vec![],
        ..full()
    };
    assert!(Cache::of(&none).read().unwrap().is_empty());
}

#[test]
fn many_blocks_of_rows_are_read_in_order() {
    let count = 5000;
    let many = Frame {
        positions: (0..count).map(|n| Vec3::new(n as f32, 0.5, -(n as f32))).collect(),
        velocities: vec![Vec3::X; count],
        rest_volumes: vec![0.001; count],
        sources: (0..count as u32).map(|n| n % 8).collect(),
        fields: vec![],
        ..full()
    };
    let read = Cache::of(&many).read().unwrap();
    assert_eq!((read.positions, read.sources), (many.positions, many.sources));
}

/// A file of one particle with these properties and their bytes.
fn foreign(properties: &[(&str, &str, &[u8])]) -> Vec<u8> {
    let lines: Vec<_> = properties.iter().map(|(kind, name, _)| format!("property {kind} {name}\n")).collect();
    let header =
        format!("ply\r\nformat binary_little_endian 1.0\nobj_info x\nelement vertex 1\n{}end_header\n", lines.concat());
    let mut bytes = header.into_bytes();
    for (.., value) in properties {
        bytes.extend(*value);
    }
    bytes
}

#[test]
fn properties_may_be_of_any_order_and_kind() {
    let [one, two, body] = [1.5_f32.to_le_bytes(), (-2.5_f32).to_le_bytes(), 3_i32.to_le_bytes()];
    let volume = 0.002_f32.to_le_bytes();
    let (wide, small) = (0.25_f64.to_le_bytes(), [7_u8]);
    let bytes = foreign(&[
        ("int", "source", &body),
        ("uchar", "red", &small),
        ("double", "z", &wide),
        ("float32", "y", &two),
        ("float", "x", &one),
        ("float", "volume", &volume),
        ("int32", "vx", &body),
        ("uint8", "vy", &small),
        ("float64", "vz", &wide),
    ]);
    let one = Frame { positions: vec![Vec3::ZERO], ..full() };
    let read = Cache::with(&bytes, &one).read().unwrap();
    assert_eq!((read.positions[0], read.velocities[0]), (Vec3::new(1.5, -2.5, 0.25), Vec3::new(3.0, 7.0, 0.25)));
    assert_eq!((read.rest_volumes[0], read.sources[0], read.fields.len()), (0.002, 3, 0));
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let (frame, whole) = (full(), ParticlePly.encode(&(), &full()).unwrap());
    for length in [0, 2, 30, 200] {
        let cache = Cache::with(&whole[..length], &frame);
        cache.fails(if length < 4 { "it is no PLY file" } else { "its header does not end" });
    }
    Cache::with(&whole[..whole.len() - 1], &frame).fails("cut short");
    Cache::with(&[&whole[..], b"!"].concat(), &frame).fails("1 bytes more");
    let changed = |from: &str, to: &str| {
        let text = String::from_utf8_lossy(&whole).into_owned();
        let at = text.find(from).unwrap();
        let bytes = [&whole[..at], to.as_bytes(), &whole[at + from.len()..]].concat();
        Cache::with(&bytes, &frame)
    };
    changed("ply\n", "solid\n").fails("it is no PLY file");
    changed("binary_little_endian", "ascii").fails("format ascii 1.0");
    changed("vertex 2", "vertex 3").fails("cut short");
    changed("vertex 2", "vertex 18446744073709551615").fails("cut short");
    changed("vertex 2", "vertex 99999999999999999999").fails("99999999999999999999");
    changed("vertex 2", "vertex -2").fails("-2");
    changed("element vertex", "element face").fails("\"face\"");
    changed("property float vx", "property quux vx").fails("quux");
    changed("property float vx", "property list uchar int vx").fails("property list uchar int vx");
    changed("property float vx", "property float speed").fails("no property `vx`");
    changed("property float volume", "property float size").fails("no property `volume`");
}

#[test]
fn numbers_that_no_bake_writes_are_refused() {
    let changed = |change: &dyn Fn(&mut Frame)| {
        let mut frame = full();
        change(&mut frame);
        Cache::of(&frame)
    };
    changed(&|frame| frame.positions[1].y = f32::NAN).fails("`position` of particle 1");
    changed(&|frame| frame.velocities[0].z = f32::INFINITY).fails("`velocity` of particle 0");
    changed(&|frame| frame.rest_volumes[0] = f32::NAN).fails("`volume` of particle 0");
    for wild in [0.0, -0.001, 0.9e-9, 1.1e3, 1e33] {
        changed(&|frame| frame.rest_volumes[1] = wild).fails("`volume` of particle 1");
    }
    for odd in [1.1e-9, 0.9e3] {
        assert!(changed(&|frame| frame.rest_volumes[1] = odd).read().is_ok(), "{odd}");
    }
    changed(&|frame| frame.fields[1].data = FieldData::Scalar(vec![300.0, f32::NAN])).fails("`temperature`");
    changed(&|frame| frame.fields[4].data = FieldData::Vector(vec![Vec3::NAN; 2])).fails("`color`");
    changed(&|frame| frame.sources[1] = 8).fails("of body 8");
    changed(&|frame| frame.sources[1] = u32::MAX).fails("no number of a body");
}

#[test]
fn a_cache_without_needed_data_is_refused() {
    let mut cache = Cache::of(&full());
    cache.index.done[0].particles = 3;
    cache.fails("has 2 particles, and the index lists 3");
    cache.index.done[0].files.clear();
    assert!(matches!(cache.read(), Err(CacheError::NoParticles(_))));
    let mut cache = Cache::of(&full());
    cache.index.kernel = None;
    assert!(matches!(cache.read(), Err(CacheError::TooOld(..))));
    let kind = full().kernel.kind();
    let mut is_refused = |particle_spacing, smoothing_length| {
        (cache.index.particle_spacing, cache.index.kernel) =
            (particle_spacing, Some(KernelRecord { kind, smoothing_length }));
        matches!(cache.read(), Err(CacheError::Damaged { .. }))
    };
    for (spacing, length) in [(0.1, -1.0), (0.1, 0.04), (0.1, 0.5), (1e-6, 1e-6), (2e3, 2e3), (f64::NAN, 0.1)] {
        assert!(is_refused(spacing, length), "{spacing} m, {length} m");
    }
    assert!(!is_refused(0.1, 0.2));
    let cache = Cache::of(&full());
    fs::remove_file(cache.file()).unwrap();
    cache.fails("there is no such file");
    fs::create_dir(cache.file()).unwrap();
    cache.fails("it is no file");
}

#[test]
fn a_file_is_checked_without_reading_it() {
    let cache = Cache::of(&full());
    let check =
        || check_particles(cache.root.path(), &cache.index, &cache.index.done[0]).map_err(|error| error.to_string());
    check().unwrap();
    let size = fs::metadata(cache.file()).unwrap().len();
    for other in [0, size - 1, size + 1] {
        fs::write(cache.file(), vec![0; other as usize]).unwrap();
        let error = check().unwrap_err();
        let told = format!("it has {other} bytes, and the index lists {size}");
        assert!(error.contains("particles_0001.ply") && error.contains(&told), "{error}");
    }
    fs::remove_file(cache.file()).unwrap();
    assert!(check().unwrap_err().contains("there is no such file"));
    fs::create_dir(cache.file()).unwrap();
    assert!(check().unwrap_err().contains("it is no file"));
}

#[test]
#[ignore = "a timing: cargo test --release -p dollop-cache million -- --ignored --nocapture"]
#[allow(clippy::print_stdout)]
fn a_million_particles_read_fast() {
    let count = 1_000_000;
    let vectors = || vec![Vec3::new(0.1, 0.2, 0.3); count];
    let mut many = Frame {
        positions: vectors(),
        velocities: vectors(),
        rest_volumes: vec![0.001; count],
        sources: vec![1; count],
        fields: vec![],
        ..full()
    };
    many.fields.push(AGE.with(FieldData::Scalar(vec![1.0; count])));
    many.fields.push(REST_POSITION.with(FieldData::Vector(vectors())));
    many.fields.push(COLOR.with(FieldData::Vector(vectors())));
    let cache = Cache::of(&many);
    let mut seconds: Vec<f64> = (0..7)
        .map(|_| {
            let clock = Instant::now();
            assert_eq!(cache.read().unwrap().len(), count);
            clock.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    println!("a million particles in {:.3} s (median of 7)", seconds[3]);
    assert!(seconds[3] < 0.5, "{seconds:?}");
}

/// A skin is read back as written; values that no bake writes are refused.
#[test]
fn skins_are_read_back() {
    let soft = |pieces: [f32; 2], offsets: [f32; 2]| {
        let mut frame = full();
        frame.fields.push(PIECE.with(FieldData::Scalar(pieces.to_vec())));
        frame.fields.push(OFFSET.with(FieldData::Scalar(offsets.to_vec())));
        let mut cache = Cache::of(&frame);
        let skin =
            SkinRecord { field: SoftField::Blinn, reach: 1.3 * cache.index.particle_spacing, isovalue: 1.0 / 3.0 };
        cache.index.bodies.iter_mut().for_each(|body| body.skin = Some(skin));
        let written = serde_json::to_string(&cache.index).unwrap();
        cache.index = serde_json::from_str(&written).unwrap();
        (cache, skin)
    };
    let (mut cache, skin) = soft([0.0, 1.0], [0.0, 1e-9]);
    assert_eq!(cache.read().unwrap().skins[1], Some(skin.into()));
    for bad in [SkinRecord { reach: f64::INFINITY, ..skin }, SkinRecord { isovalue: 1e-300, ..skin }] {
        cache.index.bodies[1].skin = Some(bad);
        let error = cache.read().unwrap_err().to_string();
        assert!(error.contains("the skin of body 1"), "{error}");
    }
    for pieces in [[-1.0, 0.0], [0.0, 0.5], [0.0, 1e30]] {
        soft(pieces, [0.0; 2]).0.fails("the `piece` of particle");
    }
    soft([0.0; 2], [0.0, 1e30]).0.fails("the `offset` of particle 1");
    // Where matter is removed, pieces are named by identities.
    let named = |pieces: [f32; 2]| {
        let mut frame = Frame { ids: vec![7, 9], ..full() };
        frame.fields.push(PIECE.with(FieldData::Scalar(pieces.to_vec())));
        frame.fields.push(OFFSET.with(FieldData::Scalar(vec![0.0; 2])));
        let mut cache = Cache::of(&frame);
        let skin = SkinRecord { reach: 1.3 * cache.index.particle_spacing, ..skin };
        cache.index.bodies.iter_mut().for_each(|body| body.skin = Some(skin));
        cache
    };
    assert!(named([7.0, 9.0]).read().is_ok());
    named([0.0, 9.0]).fails("the `piece` of particle 0");
    cache.index.bodies[1].skin = Some(skin);
    // The field is 1 at a particle.
    for isovalue in [1.0, 500.0, -0.1, f64::NAN] {
        cache.index.bodies[1].skin = Some(SkinRecord { isovalue, ..skin });
        assert!(cache.read().unwrap_err().to_string().contains("the skin of body 1"), "{isovalue}");
    }
    let mut none = Cache::of(&full());
    none.index.bodies.iter_mut().for_each(|body| body.skin = Some(skin));
    none.fails("no property `piece`");
}

/// The columns of lumps, memberships and walls are read back together. A file without any of them, as before format
/// 1.7, is read; a file with only some of them is refused.
#[test]
fn columns_of_soft_matter_come_together() {
    let skin = SkinRecord { field: SoftField::Blinn, reach: 0.0, isovalue: 1.0 / 3.0 };
    let with = |fields: Vec<Field>| {
        let mut frame = full();
        frame.fields.push(PIECE.with(FieldData::Scalar(vec![0.0, 1.0])));
        frame.fields.extend(fields);
        frame.fields.push(OFFSET.with(FieldData::Scalar(vec![0.0; 2])));
        let mut cache = Cache::of(&frame);
        let reach = 1.3 * cache.index.particle_spacing;
        cache.index.bodies.iter_mut().for_each(|body| body.skin = Some(SkinRecord { reach, ..skin }));
        cache
    };
    let scalar = |quantity: Quantity, second: f32| quantity.with(FieldData::Scalar(vec![0.0, second]));
    let wall = |offset: Vec3| WALL.with(FieldData::Vector(vec![Vec3::ZERO, offset]));
    let all = |lump: f32, fused: f32, offset: Vec3| with(vec![scalar(LUMP, lump), scalar(FUSED, fused), wall(offset)]);
    let spacing = with(vec![]).index.particle_spacing as f32;
    assert!(with(vec![]).read().unwrap().scalar(LUMP.name).is_none());
    let offset = Vec3::new(0.0, 0.5, -0.5) * spacing;
    let read = all(1.0, 1.0, offset).read().unwrap();
    for name in [LUMP.name, FUSED.name] {
        assert_eq!(read.scalar(name), Some(&[0.0, 1.0][..]));
    }
    assert_eq!(read.vector(WALL.name), Some(&[Vec3::ZERO, offset][..]));
    for lump in [-1.0, 0.5, 2.0, 1e30] {
        all(lump, 0.0, Vec3::ZERO).fails("the `lump` of particle 1");
    }
    for fused in [-1.0, 0.5, 2.0] {
        all(0.0, fused, Vec3::ZERO).fails("the `fused` of particle 1");
    }
    all(0.0, 0.0, Vec3::X * 5.0 * spacing).fails("the `wall` of particle 1");
    for odd in [f32::NAN, f32::INFINITY] {
        all(0.0, 0.0, Vec3::Y * odd).fails("the `wall` of particle 1 is not a finite number");
        all(odd, 0.0, Vec3::ZERO).fails("the `lump` of particle 1 is not a finite number");
    }
    with(vec![scalar(FUSED, 0.0), wall(offset)]).fails("the property `fused`, but no `lump`");
    with(vec![scalar(LUMP, 0.0), wall(offset)]).fails("the property `lump`, but no `fused`");
    with(vec![scalar(LUMP, 0.0), scalar(FUSED, 0.0)]).fails("the property `lump`, but no `wall`");
}

#[test]
fn vectors_that_lack_a_component_are_refused() {
    let bytes = ParticlePly.encode(&(), &full()).unwrap();
    let at = bytes.windows(6).position(|word| word == b"rest_y").unwrap();
    let mut other = bytes;
    other[at + 5] = b'w';
    Cache::with(&other, &full()).fails("not all of the properties `rest_x`, `rest_y`, `rest_z`");
}
