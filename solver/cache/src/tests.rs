#![allow(clippy::unwrap_used)]
// The tests compare bit for bit.
#![allow(clippy::float_cmp)]

use crate::*;
use dollop_sim::field::TEMPERATURE;
use dollop_sim::frame::STATISTICS;
use dollop_sim::{Field, FieldData, Frame, SmoothingKernel};
use dollop_surface::{CARRIED, SurfaceMesh, Volume};
use dollop_surface::{GridData, GridKind, SparseGrid, VolumeOptions, VoxelBlock};
use dollop_vdb::{GridCompression, GridPrecision};
use glam::Vec3;
use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{DefaultElement, Ply, Property};
use std::fs;
use std::path::Path;
use walkdir::WalkDir;

pub fn frame(with_temperature: bool) -> Frame {
    let field =
        |name, unit, values| Field { name, unit, description: "As the frame says.", data: FieldData::Scalar(values) };
    let mut fields = vec![field("density", "kg/m^3", vec![1000.0, 990.0])];
    if with_temperature {
        fields.push(field("temperature", "K", vec![290.0, 310.0]));
    }
    Frame {
        velocities: vec![Vec3::X, Vec3::new(0.5, -0.25, 4.0)],
        rest_volumes: vec![0.001; 2],
        sources: vec![0, 7],
        source_names: vec!["drop".into()],
        fields,
        ..Frame::of_points(vec![Vec3::new(1.0, 2.0, 3.0), Vec3::NEG_ONE], 0.1, SmoothingKernel::new(spiky(), 0.1))
    }
}

fn spiky() -> dollop_sim::kernel::Kernel {
    dollop_sim::kernel::Kernel::Spiky
}

fn triangle(temperatures: Option<Vec<f32>>) -> SurfaceMesh {
    SurfaceMesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        normals: vec![Vec3::Z; 3],
        triangles: vec![[0, 1, 2]],
        velocities: vec![Vec3::new(1.0, 2.0, -3.5); 3],
        fields: temperatures.map(|values| TEMPERATURE.with(FieldData::Scalar(values))).into_iter().collect(),
        sources: vec![2; 3],
    }
}

/// A frame with all attributes.
fn full() -> MeshSettings {
    MeshSettings { attributes: ["normal", "velocity", "source"].into_iter().chain(CARRIED).collect() }
}

fn parse(bytes: &[u8]) -> Ply<DefaultElement> {
    Parser::<DefaultElement>::new().read_ply(&mut &bytes[..]).unwrap()
}

fn names(ply: &Ply<DefaultElement>, element: &str) -> String {
    ply.header.elements[element].properties.keys().cloned().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn float(element: &DefaultElement, name: &str) -> f32 {
    match element[name] {
        Property::Float(value) => value,
        ref other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn a_mesh_reads_back_from_ply() {
    let ply = parse(&MeshPly.encode(&full(), &triangle(Some(vec![280.0, 290.0, 300.5]))).unwrap());
    assert_eq!(names(&ply, "vertex"), "x y z nx ny nz vx vy vz temperature source");
    let vertices = &ply.payload["vertex"];
    assert_eq!(vertices.len(), 3);
    let last = &vertices[2];
    let found = ["x", "y", "z", "nz", "vx", "vy", "vz", "temperature"].map(|name| float(last, name));
    assert!(found == [0.0, 1.0, 0.0, 1.0, 1.0, 2.0, -3.5, 300.5], "{found:?}");
    assert_eq!(last["source"], Property::Int(2));
    assert_eq!(ply.payload["face"][0]["vertex_indices"], Property::ListInt(vec![0, 1, 2]));
}

#[test]
fn a_mesh_has_the_requested_attributes() {
    for (asked, found) in [
        (vec![], "x y z"),
        (vec!["velocity", "temperature"], "x y z vx vy vz temperature"),
        (vec!["source", "normal", "age"], "x y z nx ny nz source"),
    ] {
        let settings = MeshSettings { attributes: asked };
        let ply = parse(&MeshPly.encode(&settings, &triangle(Some(vec![280.0, 290.0, 300.5]))).unwrap());
        assert_eq!(names(&ply, "vertex"), found);
        let attributes = MeshPly.attributes(&settings, &frame(true));
        let told: Vec<_> = attributes.iter().flat_map(Attribute::columns).collect();
        assert_eq!(told.join(" "), found);
    }
}

#[test]
fn a_frame_without_matter_is_a_valid_file_without_elements() {
    let ply = parse(&MeshPly.encode(&full(), &SurfaceMesh::default()).unwrap());
    assert_eq!(names(&ply, "vertex"), "x y z nx ny nz vx vy vz source");
    assert_eq!((ply.payload["vertex"].len(), ply.payload["face"].len()), (0, 0));
    assert_eq!(MeshObj.encode(&full(), &SurfaceMesh::default()).unwrap(), b"# made by Dollop; metres, Z up\n");
}

#[test]
fn particles_read_back_from_ply() {
    let ply = parse(&ParticlePly.encode(&(), &frame(true)).unwrap());
    assert_eq!(names(&ply, "vertex"), "x y z vx vy vz density temperature radius volume source");
    let last = &ply.payload["vertex"][1];
    let found = ["x", "vy", "density", "temperature", "radius"].map(|name| float(last, name));
    assert!(found == [-1.0, -0.25, 990.0, 310.0, 0.05], "{found:?}");
    assert_eq!(last["source"], Property::Int(7));
    assert!(!ply.payload.contains_key("face"));
}

#[test]
fn an_obj_has_positions_normals_and_faces_from_one() {
    let text = String::from_utf8(MeshObj.encode(&full(), &triangle(None)).unwrap()).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[1..4], ["v 0 0 0", "v 1 0 0", "v 0 1 0"]);
    assert_eq!(lines[4..], ["vn 0 0 1", "vn 0 0 1", "vn 0 0 1", "f 1//1 2//2 3//3"]);
}

fn volume() -> Volume {
    let mut values = Box::new([0.0; 512]);
    let mut vectors = Box::new([[0.0; 3]; 512]);
    (values[5], vectors[5]) = (0.75, [1.0, -2.0, 3.0]);
    let (origin, active) = ([-8, 0, 16], [1 << 5, 0, 0, 0, 0, 0, 0, 0]);
    let grid = SparseGrid { voxel_size: 0.1, blocks: vec![VoxelBlock { origin, active, values }], tiles: vec![] };
    let tile = dollop_surface::VoxelTile { origin: [0, 0, 16], value: [4.0, 5.0, 6.0] };
    let velocity =
        SparseGrid { voxel_size: 0.1, blocks: vec![VoxelBlock { origin, active, values: vectors }], tiles: vec![tile] };
    let grids = [
        (GridKind::Density, GridData::Scalar(grid.clone())),
        (GridKind::Field("temperature"), GridData::Scalar(grid)),
        (GridKind::Velocity, GridData::Vector(velocity)),
    ];
    Volume { grids: grids.into() }
}

fn vdb(precision: GridPrecision) -> VolumeSettings {
    let grids = [GridKind::Density, GridKind::Field("temperature"), GridKind::Velocity];
    VolumeSettings { precision, compression: GridCompression::Blosc, options: VolumeOptions::new(0.1, &grids) }
}

#[test]
fn a_volume_reads_back_from_vdb() {
    let bytes = VolumeVdb.encode(&vdb(GridPrecision::Full), &volume()).unwrap();
    let mut reader = vdb_rs::VdbReader::new(std::io::Cursor::new(bytes)).unwrap();
    let mut names = reader.available_grids();
    names.sort();
    assert_eq!(names, ["density", "temperature", "velocity"]);
    let density = reader.read_grid::<f32>("density").unwrap();
    let found: Vec<_> = density
        .iter()
        .filter(|(_, value, _)| *value != 0.0)
        .map(|(place, value, _)| (place.to_array(), value))
        .collect();
    assert_eq!(found, [([-8.0, 0.0, 21.0], 0.75)]);
}

#[test]
fn a_volume_without_matter_is_a_valid_file() {
    let empty = || SparseGrid { voxel_size: 0.1, blocks: vec![], tiles: vec![] };
    let volume = Volume { grids: vec![(GridKind::Density, GridData::Scalar(empty()))] };
    let bytes = VolumeVdb.encode(&vdb(GridPrecision::Full), &volume).unwrap();
    let reader = vdb_rs::VdbReader::new(std::io::Cursor::new(bytes)).unwrap();
    assert_eq!(reader.available_grids(), ["density"]);
}

#[test]
fn only_existing_grids_are_described() {
    let names = |settings: VolumeSettings, frame: &Frame| {
        VolumeVdb.attributes(&settings, frame).into_iter().map(|grid| grid.name.into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(vdb(GridPrecision::Half), &frame(true)), ["density", "temperature", "velocity"]);
    assert_eq!(names(vdb(GridPrecision::Half), &frame(false)), ["density", "velocity"]);
    let fewer = VolumeOptions::new(0.1, &[GridKind::Surface, GridKind::Velocity]);
    assert_eq!(
        names(VolumeSettings { options: fewer, ..vdb(GridPrecision::Half) }, &frame(false)),
        ["surface", "velocity"]
    );
}

#[test]
fn a_column_of_another_length_is_refused() {
    let mesh = SurfaceMesh { sources: vec![], ..triangle(None) };
    assert!(MeshPly.encode(&full(), &mesh).unwrap_err().to_string().contains("`source` has 0 values for 3 points"));
}

#[test]
fn the_frame_describes_the_attributes_in_the_file() {
    let with = MeshPly.attributes(&full(), &frame(true));
    let temperature = with.iter().find(|attribute| attribute.name == "temperature").unwrap();
    assert_eq!((temperature.unit.as_ref(), temperature.description.as_ref()), ("K", "As the frame says."));
    let without = MeshPly.attributes(&full(), &frame(false));
    assert!(without.iter().all(|attribute| attribute.name != "temperature"));
    let columns: Vec<_> = without.iter().flat_map(Attribute::columns).collect();
    assert_eq!(columns.join(" "), "x y z nx ny nz vx vy vz source");
}

pub fn index(done: Vec<FrameRecord>) -> Index {
    Index {
        format: FORMAT.into(),
        version: VERSION,
        dollop: "0.1.0".into(),
        status: Status::Running,
        error: None,
        scene: SceneRecord { path: "scene.json".into(), sha256: "0".repeat(64) },
        frames: FrameRange { start: 1, end: 2, rate: 24.0, requested: "1-2".into(), count: 2 },
        particle_spacing: 0.1,
        kernel: None,
        bodies: vec![BodyRecord {
            source: 0,
            name: "drop".into(),
            particles: 2,
            material: Some(0),
            lasting: false,
            apart: false,
            skin: None,
        }],
        colliders: vec!["floor".into()],
        outputs: vec![OutputRecord {
            kind: OutputKind::Mesh,
            format: "ply".into(),
            pattern: pattern(OutputKind::Mesh, "ply"),
            cell_size: Some(0.05),
            settings: None,
            attributes: MeshPly.attributes(&full(), &frame(true)),
        }],
        done,
    }
}

pub fn record(frame: i32, bytes: u64) -> FrameRecord {
    FrameRecord {
        frame,
        time: 0.0,
        particles: 2,
        steps: 0,
        smallest_step: 0.0,
        force_evaluations: 12,
        global_force_evaluations: 30,
        bins: vec![BinRecord { bin: 2, step: 1.0 / 96.0, particles: 1.75 }],
        neighbours: 0.0,
        kinetic_energy: 0.0,
        elastic_energy: 0.0,
        energy_drift: -1e-3,
        momentum: 2.5,
        momentum_drift: 1e-5,
        max_speed: 0.0,
        max_compression: 0.0,
        heat: None,
        reactions: vec![ReactionRecord { collider: 0, force: [0.0, 0.5, -9.81], torque: [0.0; 3] }],
        simulate_seconds: 0.0,
        write_seconds: 0.0,
        fused_bodies: vec![],
        mesh: None,
        files: [(OutputKind::Mesh, bytes)].into(),
    }
}

/// A bake of two frames.
fn bake(root: &Path) -> Index {
    let folder = CacheFolder::create(root, false).unwrap();
    let done =
        (1..=2).map(|frame| record(frame, folder.write(OutputKind::Mesh, frame, "ply", b"1234").unwrap())).collect();
    let index = index(done);
    folder.write_index(&index).unwrap();
    index
}

fn tree(root: &Path) -> Vec<String> {
    let entries = WalkDir::new(root).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    files.map(|file| file.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn a_bake_reads_back_and_leaves_nothing_else() {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path().join("new/cache");
    let index = bake(&root);
    assert_eq!(read_index(&root).unwrap(), index);
    assert_eq!(tree(&root), ["bake.json", "mesh/mesh_0001.ply", "mesh/mesh_0002.ply"]);
    assert_eq!(audit(&root, &index).unwrap(), Audit::default());
}

#[test]
fn an_index_that_could_not_be_read_again_is_not_written() {
    let root = tempfile::tempdir().unwrap();
    let folder = CacheFolder::create(root.path(), false).unwrap();
    let with = |volume| {
        let mesh = Some(MeshRecord { vertices: 3, triangles: 1, volume });
        index(vec![record(1, 4), FrameRecord { mesh, ..record(2, 4) }])
    };
    let good = with(-1e-300);
    folder.write_index(&good).unwrap();
    for volume in [f64::INFINITY, f64::NAN] {
        let error = folder.write_index(&with(volume)).unwrap_err().to_string();
        assert!(error.ends_with("bake.json: is not written, as done[1].mesh.volume is not a finite number"), "{error}");
        assert_eq!(read_index(root.path()).unwrap(), good, "the one before stays");
    }
    let drifted = FrameRecord { energy_drift: f64::NAN, ..record(3, 4) };
    let error = folder.check_frame(&drifted).unwrap_err().to_string();
    assert!(error.contains("energy_drift of frame 3 is not a finite number"), "{error}");
    folder.check_frame(&record(3, 4)).unwrap();
    assert!(matches!(folder.write_index(&index(vec![drifted])), Err(CacheError::NotFinite { .. })));
    let odd = Index { particle_spacing: f64::INFINITY, ..good.clone() };
    assert!(
        matches!(folder.write_index(&odd), Err(CacheError::NotFinite { place, .. }) if place == "particle_spacing")
    );
    assert_eq!(read_index(root.path()).unwrap(), good);
}

#[test]
fn a_record_that_could_not_be_read_again_is_not_written() {
    let root = tempfile::tempdir().unwrap();
    let folder = CacheFolder::create(root.path(), false).unwrap();
    let record = |volume| FileRecord {
        kind: OutputKind::Mesh,
        frame: 2,
        bytes: 4,
        mesh: Some(MeshRecord { vertices: 3, triangles: 1, volume }),
        scene: String::new(),
        format: "ply".into(),
        settings: None,
    };
    let error = folder.write_record(&record(f64::NAN)).unwrap_err().to_string();
    assert!(error.contains("mesh_0002.json: is not written, as mesh.volume is not"), "{error}");
    drop(folder);
    assert_eq!(tree(root.path()), [""; 0]);
}

/// Damage of any kind, but not another program's file.
#[test]
fn a_bake_with_a_damaged_index_is_overwritten() {
    let root = tempfile::tempdir().unwrap();
    bake(root.path());
    let file = root.path().join(INDEX_FILE);
    let text = fs::read_to_string(&file).unwrap();
    let damages = [
        text.replace("\"energy_drift\":-0.001", "\"energy_drift\":null").into_bytes(),
        text.replace("\"rate\":24.0", "\"rate\":\"fast\"").into_bytes(),
        text.as_bytes()[..text.len() / 2].to_vec(),
        [text.as_bytes(), b"}"].concat(),
        [&text.as_bytes()[..100], &[0xff; 20], &text.as_bytes()[120..]].concat(),
    ];
    for damaged in damages {
        bake(&root.path().join("again"));
        let root = root.path().join("again");
        for (name, text) in [(INDEX_FILE, &damaged[..]), ("notes.txt", b"mine"), ("mesh/mesh_12.ply", b"mine")] {
            fs::write(root.join(name), text).unwrap();
        }
        let before = tree(&root);
        assert!(matches!(CacheFolder::check(&root, false), Err(CacheError::Damaged { .. })));
        assert!(matches!(CacheFolder::create(&root, false), Err(CacheError::Damaged { .. })));
        assert_eq!(tree(&root), before, "a refusal changes nothing");
        CacheFolder::check(&root, true).unwrap();
        let folder = CacheFolder::create(&root, true).unwrap();
        assert_eq!(tree(&root), [".dollop-lock", "bake.json", "mesh/mesh_12.ply", "notes.txt"]);
        folder.write_index(&index(vec![])).unwrap();
        assert_eq!(read_index(&root).unwrap(), index(vec![]));
        drop(folder);
        fs::remove_dir_all(&root).unwrap();
    }
}

#[test]
fn an_index_that_does_not_begin_as_ours_is_another_program_s() {
    let root = tempfile::tempdir().unwrap();
    bake(root.path());
    let file = root.path().join(INDEX_FILE);
    let text = fs::read_to_string(&file).unwrap();
    let foreign = [
        "",
        "\0\0\0\0",
        "[]",
        &text.replacen("dollop-bake", "dollop-bakery", 1),
        &text.replacen("\"major\":1", "\"major\":11", 1)[..100],
        &text[1..],
        "{\"recipe\": \"bread\", \"format\": \"dollop-bake\", \"version\": {\"major\": 1, ",
    ];
    for text in foreign {
        fs::write(&file, text).unwrap();
        for overwrite in [false, true] {
            let error = CacheFolder::create(root.path(), overwrite).unwrap_err();
            assert!(matches!(&error, CacheError::Foreign { example, .. } if example == INDEX_FILE), "{text} {error}");
        }
        assert_eq!(tree(root.path()), ["bake.json", "mesh/mesh_0001.ply", "mesh/mesh_0002.ply"]);
    }
}

#[test]
fn a_frame_adds_one_line_to_the_index() {
    let root = tempfile::tempdir().unwrap();
    bake(root.path());
    let text = fs::read_to_string(root.path().join(INDEX_FILE)).unwrap();
    let frames: Vec<_> = text.lines().skip_while(|line| *line != "\"done\":[").skip(1).collect();
    assert!(frames.len() == 3 && frames[2] == "}", "{text}");
    assert!(frames[0].starts_with("{\"frame\":1,") && frames[1].starts_with("{\"frame\":2,"), "{text}");
}

#[test]
fn an_index_of_format_1_0_reads_as_one_without_individual_steps() {
    let root = tempfile::tempdir().unwrap();
    let index = bake(root.path());
    let mut old = serde_json::to_value(&index).unwrap();
    old["version"]["minor"] = 0.into();
    let added = ["force_evaluations", "global_force_evaluations", "bins", "energy_drift", "momentum", "momentum_drift"];
    for record in old["done"].as_array_mut().unwrap() {
        for name in added {
            assert!(record.as_object_mut().unwrap().remove(name).is_some(), "{name}");
        }
    }
    fs::write(root.path().join(INDEX_FILE), old.to_string()).unwrap();
    let read = read_index(root.path()).unwrap().done.remove(1);
    let none = FrameRecord {
        force_evaluations: 0,
        global_force_evaluations: 0,
        bins: vec![],
        energy_drift: 0.0,
        momentum: 0.0,
        momentum_drift: 0.0,
        ..index.done[1].clone()
    };
    assert_eq!(read, none);
}

/// The text of an older release, from before the statistics became one list: same keys in the same order, and numbers
/// to the last digit.
#[test]
fn an_older_index_is_read_and_written_to_the_same_text() {
    let root = tempfile::tempdir().unwrap();
    let text = include_str!("index_1_7.json");
    fs::write(root.path().join(INDEX_FILE), text).unwrap();
    let (folder, index) = CacheFolder::open(root.path()).unwrap();
    let last = index.done.last().unwrap();
    assert!(last.steps > 0 && last.kinetic_energy > 0.0 && last.heat.is_some_and(|heat| heat.stored > 0.0));
    for statistic in STATISTICS {
        assert!(text.contains(&format!("\"{}\":", statistic.name)) && last.amount(statistic.name).is_some());
    }
    folder.write_index(&index).unwrap();
    assert_eq!(fs::read_to_string(root.path().join(INDEX_FILE)).unwrap(), text);
}

/// Formats become parts of paths.
#[test]
fn an_index_with_an_unknown_format_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let index = bake(root.path());
    for format in ["../../etc", "PLY", "vdb", "", "usd"] {
        let mut odd = index.clone();
        odd.outputs[0].format = format.into();
        fs::write(root.path().join(INDEX_FILE), serde_json::to_vec(&odd).unwrap()).unwrap();
        let error = read_index(root.path()).unwrap_err();
        assert!(matches!(&error, CacheError::Format { source, .. } if source.name == format), "{error}");
        // A later release may have files that this one does not recognise as its own.
        assert!(matches!(CacheFolder::create(root.path(), true), Err(CacheError::Format { .. })));
        assert!(root.path().join("mesh/mesh_0001.ply").exists());
    }
}

#[test]
fn empty_bins_are_left_out() {
    let mut frame = frame(false);
    assert_eq!(occupied_bins(&frame), [], "nothing has stepped yet");
    (frame.interval, frame.stats.particles_in_bins[0], frame.stats.particles_in_bins[3]) = (0.5, 1.25, 0.75);
    let bins = [(0, 0.5, 1.25), (3, 0.0625, 0.75)];
    assert_eq!(occupied_bins(&frame), bins.map(|(bin, step, particles)| BinRecord { bin, step, particles }));
}

#[test]
fn an_audit_lists_missing_cut_and_stray_files() {
    let root = tempfile::tempdir().unwrap();
    let index = bake(root.path());
    fs::remove_file(root.path().join("mesh/mesh_0001.ply")).unwrap();
    fs::write(root.path().join("mesh/mesh_0002.ply"), "1").unwrap();
    fs::write(root.path().join("mesh/mesh_0003.ply"), "1234").unwrap();
    let audit = audit(root.path(), &index).unwrap();
    assert_eq!(audit.missing, ["mesh/mesh_0001.ply", "mesh/mesh_0002.ply"]);
    assert_eq!(audit.stray, ["mesh/mesh_0003.ply"]);
}

#[test]
fn overwriting_needs_permission_and_spares_foreign_files() {
    let root = tempfile::tempdir().unwrap();
    bake(root.path());
    assert!(matches!(CacheFolder::create(root.path(), false), Err(CacheError::Exists(_))));
    assert_eq!(tree(root.path()).len(), 3, "a refusal changes nothing");
    for foreign in ["notes.txt", "mesh/mesh_12.ply", "mesh/.dollop-abc.tmp", "mesh/mesh_0099.obj"] {
        fs::write(root.path().join(foreign), "mine").unwrap();
    }
    drop(CacheFolder::create(root.path(), true).unwrap());
    assert_eq!(tree(root.path()), ["bake.json", "mesh/mesh_12.ply", "notes.txt"]);
}

#[test]
fn a_folder_of_foreign_files_is_left_alone() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("thesis.tex"), "").unwrap();
    for overwrite in [false, true] {
        let error = CacheFolder::create(root.path(), overwrite).unwrap_err();
        assert!(matches!(&error, CacheError::Foreign { example, .. } if example == "thesis.tex"), "{error}");
    }
    fs::write(root.path().join("bake.json"), "{\"recipe\": \"bread\"}").unwrap();
    assert!(matches!(CacheFolder::create(root.path(), true), Err(CacheError::Foreign { .. })));
    assert_eq!(tree(root.path()), ["bake.json", "thesis.tex"]);
}

#[test]
fn desktop_files_do_not_make_a_folder_foreign() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join(".DS_Store"), "").unwrap();
    assert!(CacheFolder::create(root.path(), false).is_ok());
}

#[test]
fn two_bakes_at_once_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let first = CacheFolder::create(root.path(), false).unwrap();
    assert!(matches!(CacheFolder::create(root.path(), true), Err(CacheError::Busy(_))));
    drop(first);
    assert!(CacheFolder::create(root.path(), true).is_ok());
}

#[test]
fn one_of_several_bakes_that_start_together_gets_the_folder() {
    for _ in 0..20 {
        let root = tempfile::tempdir().unwrap();
        let start = std::sync::Barrier::new(8);
        let bake = || {
            start.wait();
            let folder = CacheFolder::create(root.path(), false).ok()?;
            folder.write_index(&index(vec![])).ok()
        };
        let finished = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(bake)).collect();
            threads.into_iter().filter_map(|thread| thread.join().unwrap()).count()
        });
        assert_eq!(finished, 1);
        assert_eq!(tree(root.path()), ["bake.json"]);
    }
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_out() {
    use std::os::unix::fs::symlink;
    let (root, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(elsewhere.path().join("mesh_0001.ply"), "precious").unwrap();
    bake(root.path());
    fs::remove_dir_all(root.path().join("mesh")).unwrap();
    symlink(elsewhere.path(), root.path().join("mesh")).unwrap();
    let folder = CacheFolder::create(root.path(), true).unwrap();
    assert!(matches!(folder.write(OutputKind::Mesh, 1, "ply", b""), Err(CacheError::NotAFolder(_))));
    assert_eq!(fs::read(elsewhere.path().join("mesh_0001.ply")).unwrap(), b"precious");
}

#[cfg(unix)]
#[test]
fn a_file_can_be_read_by_others() {
    use std::os::unix::fs::PermissionsExt;
    let root = tempfile::tempdir().unwrap();
    bake(root.path());
    let usual = root.path().join("usual");
    fs::write(&usual, "").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&root.path().join("mesh/mesh_0001.ply")), mode(&usual));
}

#[test]
fn a_write_that_fails_leaves_no_part() {
    let root = tempfile::tempdir().unwrap();
    let folder = CacheFolder::create(root.path(), false).unwrap();
    fs::create_dir_all(root.path().join("mesh/mesh_0001.ply/in the way")).unwrap();
    assert!(matches!(folder.write(OutputKind::Mesh, 1, "ply", b"1234"), Err(CacheError::Write { .. })));
    assert_eq!(fs::read_dir(root.path().join("mesh")).unwrap().count(), 1);
}

#[test]
fn an_abandoned_folder_keeps_listed_files_and_gains_none() {
    let root = tempfile::tempdir().unwrap();
    let index = bake(root.path());
    let listed = tree(root.path());
    let (folder, _) = CacheFolder::open(root.path()).unwrap();
    folder.write(OutputKind::Mesh, 2, "ply", b"5678").unwrap();
    folder.write(OutputKind::Mesh, 3, "ply", b"1234").unwrap();
    folder.write(OutputKind::Mesh, 4, "ply", b"of another process").unwrap();
    folder.abandon(&index, &[OutputKind::Mesh], &[2, 3]).unwrap();
    assert!(folder.write(OutputKind::Mesh, 3, "ply", b"1234").is_err() && folder.write_index(&index).is_err());
    fs::remove_file(root.path().join("mesh/mesh_0004.ply")).unwrap();
    assert_eq!(tree(root.path()), listed);
}

#[test]
fn indices_of_other_versions_are_read_or_refused() {
    let root = tempfile::tempdir().unwrap();
    let index = bake(root.path());
    let file = root.path().join("bake.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("\"minor\":0", "\"minor\":10, \"why\": 1", 1).replacen('{', "{\"new\": [],", 1))
        .unwrap();
    assert_eq!(read_index(root.path()).unwrap().done, index.done, "a newer minor version is read");
    fs::write(&file, text.replacen("\"major\":1", "\"major\":2", 1)).unwrap();
    assert!(matches!(read_index(root.path()), Err(CacheError::Version { .. })));
    fs::write(&file, &text[..text.len() / 2]).unwrap();
    assert!(matches!(read_index(root.path()), Err(CacheError::Damaged { line, .. }) if line > 5));
    assert!(matches!(read_index(&root.path().join("none")), Err(CacheError::NotACache(_))));
}

#[test]
fn bytes_that_are_no_text_are_reported_with_their_place() {
    let root = tempfile::tempdir().unwrap();
    bake(root.path());
    let file = root.path().join(INDEX_FILE);
    for (text, place) in [(&b"\xff"[..], "1:1"), (b"{\n\"format\":\"\xe9\"", "2:11"), (b"{\n\n\xc3\xa9 \xc3", "3:4")] {
        fs::write(&file, text).unwrap();
        let error = read_index(root.path()).unwrap_err().to_string();
        assert!(error.ends_with(&format!("bake.json:{place}: the index is damaged: it is not UTF-8 text")), "{error}");
    }
}
