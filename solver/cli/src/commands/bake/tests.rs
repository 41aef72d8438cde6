#![allow(clippy::unwrap_used)]
// A JSON literal is easier to read as an argument than a reference to it.
#![allow(clippy::needless_pass_by_value)]

use super::*;
use crate::commands::bake::source::Simulated;
use crate::failure::ExitCode;
use crate::frame_range::FrameList;
use crate::outputs::outputs_of;
use crate::progress::Event;
use dollop_cache::{Audit, FORMAT, FrameRange, OutputKind, SceneRecord, Status, VERSION, audit, read_index};
use dollop_scene::Scene;
use dollop_sim::{
    Field, FieldData, Frame, Halt, Interrupted, MeshLibrary, Simulation, SmoothingKernel, State, kernel::Kernel,
};
use glam::Vec3;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Instant;

/// A cloud of particles that rises by its spacing each frame.
struct Rising {
    frame: Frame,
    /// Panics instead of advancing to this frame.
    breaks_at: Option<i32>,
    /// Fails instead of advancing to this frame.
    ends_at: Option<i32>,
}

impl Rising {
    fn new(start: i32, particles: usize) -> Self {
        let positions: Vec<Vec3> =
            (0..particles).map(|i| Vec3::new((i % 3) as f32, (i / 3 % 3) as f32, (i / 9) as f32) * 0.1).collect();
        let temperature = FieldData::Scalar(vec![300.0; particles]);
        let frame = Frame {
            number: start,
            interval: 0.1,
            velocities: vec![Vec3::Z; particles],
            rest_volumes: vec![0.001; particles],
            source_names: vec!["cloud".into()],
            fields: vec![Field { name: "temperature", unit: "K", description: "Warmth.", data: temperature }],
            ..Frame::of_points(positions, 0.1, SmoothingKernel::new(Kernel::Spiky, 0.1))
        };
        Self { frame, breaks_at: None, ends_at: None }
    }
}

impl FrameSource for Rising {
    fn frame(&self) -> Frame {
        self.frame.clone()
    }

    fn advance(&mut self, _: &mut dyn FnMut(f64) -> Result<(), Interrupted>) -> Result<(), Halt<String>> {
        self.frame.number += 1;
        self.frame.time += self.frame.interval;
        self.frame.stats.steps = 4;
        self.frame.positions.iter_mut().for_each(|position| position.z += 0.1);
        assert_ne!(Some(self.frame.number), self.breaks_at, "broken on purpose");
        if Some(self.frame.number) == self.ends_at { Err(Halt::Failed("too fast to follow".into())) } else { Ok(()) }
    }
}

#[derive(Default)]
struct Recorder(Vec<Value>);

impl Progress for Recorder {
    fn tell(&mut self, event: &Event) {
        self.0.push(serde_json::to_value(event).unwrap());
    }
}

fn scene(output: Value) -> Scene {
    serde_json::from_value(json!({
        "version": 1, "frames": {"start": -1, "end": 4}, "particle_spacing": 0.1, "output": output,
        "bodies": [{"name": "cloud", "shape": {"type": "sphere", "radius": 1}}]
    }))
    .unwrap()
}

fn everything() -> Value {
    json!({"mesh": {}, "volume": {}, "particles": {}})
}

fn index(outputs: &Outputs, frame: &Frame) -> Index {
    Index {
        format: FORMAT.into(),
        version: VERSION,
        dollop: "0.0.0".into(),
        status: Status::Running,
        error: None,
        scene: SceneRecord { path: "scene.json".into(), sha256: String::new() },
        frames: FrameRange { start: -1, end: 4, rate: 10.0, requested: "all".into(), count: 6 },
        particle_spacing: 0.1,
        kernel: Some(frame.kernel.into()),
        bodies: vec![],
        colliders: Vec::new(),
        outputs: outputs.records(frame),
        done: vec![],
    }
}

fn from_start(start: i32) -> FrameSpan {
    FrameSpan { start, from: start, is_resumed: false, every: 2, goes_on: false }
}

/// Bakes frames -1 to 4 of a source into a folder.
fn bake(
    root: &Path,
    output: Value,
    frames: &str,
    source: &mut Rising,
    is_cancelled: fn() -> bool,
) -> (Result<Ending, Failure>, Vec<Value>) {
    let outputs = outputs_of(&scene(output)).unwrap();
    let index = index(&outputs, &source.frame());
    let wanted = frames.parse::<FrameList>().unwrap().within(-1, 4).unwrap();
    let mut recorder = Recorder::default();
    let folder = CacheFolder::create(root, false).unwrap();
    let way = from_start(-1);
    let result = Bake::new(&folder, outputs, index, wanted, way, &mut recorder, is_cancelled).run(source, "DIR");
    (result, recorder.0)
}

fn files(root: &Path, kind: &str) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(root.join(kind))
        .map(|entries| entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect())
        .unwrap_or_default();
    names.sort();
    names
}

#[test]
fn all_outputs_of_all_frames_are_written_and_listed() {
    let root = tempfile::tempdir().unwrap();
    let (result, events) = bake(root.path(), everything(), "-1..4", &mut Rising::new(-1, 27), || false);
    assert_eq!(result.unwrap(), Ending::Complete);
    assert_eq!(files(root.path(), "mesh").len(), 6);
    assert_eq!(files(root.path(), "volume")[0], "volume_-001.vdb");
    assert_eq!(files(root.path(), "particles")[5], "particles_0004.ply");
    let index = read_index(root.path()).unwrap();
    assert_eq!(index.status, Status::Complete);
    assert_eq!(audit(root.path(), &index).unwrap(), Audit::default());
    assert_eq!(index.done.iter().map(|frame| frame.frame).collect::<Vec<_>>(), [-1, 0, 1, 2, 3, 4]);
    let names = |kind: usize| index.outputs[kind].attributes.iter().map(|one| one.name.as_ref()).collect::<Vec<_>>();
    assert_eq!(names(0), ["position", "velocity", "temperature"]);
    assert_eq!(names(1), ["density", "temperature", "velocity"]);
    assert_eq!(names(2), ["position", "velocity", "temperature", "radius", "volume", "source"]);
    assert_eq!(index.outputs[0].cell_size, Some(0.05));
    let volume = index.done[3].mesh.unwrap().volume;
    assert!((0.01..0.06).contains(&volume), "27 particles of 0.1 m: {volume}");
    assert_eq!(events.len(), 7);
    assert_eq!(events[2]["event"], "frame");
    assert_eq!((&events[2]["frame"], &events[2]["index"], &events[2]["total"]), (&json!(1), &json!(3), &json!(6)));
    assert_eq!(events[2]["files"][0], "mesh/mesh_0001.ply");
    assert_eq!((&events[6]["event"], &events[6]["frames"]), (&json!("done"), &json!(6)));
}

#[test]
fn crushed_matter_is_warned_of_once() {
    let root = tempfile::tempdir().unwrap();
    let mut source = Rising::new(-1, 8);
    source.frame.stats.max_compression = 1.25;
    let (_, events) = bake(root.path(), json!({"particles": {}}), "-1..4", &mut source, || false);
    let warnings: Vec<_> = events.iter().filter(|event| event["event"] == "warning").collect();
    assert_eq!((warnings.len(), &warnings[0]["frame"]), (1, &json!(-1)));
    assert!(warnings[0]["message"].as_str().unwrap().contains("2.2 times"), "{}", warnings[0]);
}

#[test]
fn an_index_that_lags_lists_only_whole_frames_and_all_of_them_in_the_end() {
    struct Reader<'a>(&'a Path, Vec<usize>);
    impl Progress for Reader<'_> {
        fn tell(&mut self, event: &Event) {
            if let Event::Frame(_) = event {
                let index = read_index(self.0).unwrap();
                assert_eq!(audit(self.0, &index).unwrap().missing, [""; 0]);
                self.1.push(index.done.len());
            }
        }
    }
    let root = tempfile::tempdir().unwrap();
    let outputs = outputs_of(&scene(everything())).unwrap();
    let mut source = Rising::new(-1, 8);
    let index = index(&outputs, &source.frame());
    let folder = CacheFolder::create(root.path(), false).unwrap();
    let mut reader = Reader(root.path(), vec![]);
    let wanted = (-1..100).collect();
    Bake::new(&folder, outputs, index, wanted, from_start(-1), &mut reader, || false).run(&mut source, "DIR").unwrap();
    assert_eq!(reader.1[0], 1, "the first frame is listed at once");
    assert!(reader.1.iter().zip(1..).all(|(&listed, frame)| listed <= frame), "{:?}", reader.1);
    let index = read_index(root.path()).unwrap();
    assert_eq!((index.done.len(), audit(root.path(), &index).unwrap()), (101, Audit::default()));
}

#[test]
fn a_frame_is_simulated_while_the_one_before_is_kept_and_no_further() {
    static BEGUN: AtomicI32 = AtomicI32::new(0);
    static KEPT: AtomicI32 = AtomicI32::new(0);
    /// Records at which frame it resumes.
    struct Watched(Rising);
    impl FrameSource for Watched {
        fn frame(&self) -> Frame {
            self.0.frame()
        }
        fn advance(&mut self, tell: &mut dyn FnMut(f64) -> Result<(), Interrupted>) -> Result<(), Halt<String>> {
            let next = self.0.frame.number + 1;
            BEGUN.store(next, Ordering::SeqCst);
            assert!(next - KEPT.load(Ordering::SeqCst) <= 2, "no frame waits for another's files");
            self.0.advance(tell)
        }
    }
    /// Withholds a frame until the next one is begun.
    struct Slow;
    impl Progress for Slow {
        fn tell(&mut self, event: &Event) {
            if let Event::Frame(frame) = event {
                let begun = (0..500).any(|_| {
                    thread::sleep(Duration::from_millis(10));
                    frame.frame == 9 || BEGUN.load(Ordering::SeqCst) > frame.frame
                });
                assert!(begun, "frame {} was over before the next was begun", frame.frame);
                KEPT.store(frame.frame, Ordering::SeqCst);
            }
        }
    }
    let root = tempfile::tempdir().unwrap();
    let outputs = outputs_of(&scene(json!({"particles": {}}))).unwrap();
    let mut source = Watched(Rising::new(1, 8));
    let index = index(&outputs, &source.frame());
    let folder = CacheFolder::create(root.path(), false).unwrap();
    let mut slow = Slow;
    let ending = Bake::new(&folder, outputs, index, (1..10).collect(), from_start(1), &mut slow, || false)
        .run(&mut source, "DIR");
    assert_eq!((ending.unwrap(), KEPT.load(Ordering::SeqCst)), (Ending::Complete, 9));
}

#[test]
fn time_runs_from_the_start_whatever_frames_are_requested() {
    let (all, some) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    bake(all.path(), everything(), "-1..4", &mut Rising::new(-1, 27), || false).0.unwrap();
    let (result, events) = bake(some.path(), everything(), "0,2", &mut Rising::new(-1, 27), || false);
    result.unwrap();
    assert_eq!(files(some.path(), "mesh"), ["mesh_0000.ply", "mesh_0002.ply"]);
    let bytes = |root: &Path| fs::read(root.join("mesh/mesh_0002.ply")).unwrap();
    assert_eq!(bytes(all.path()), bytes(some.path()));
    assert_eq!(events.len(), 5, "four frames are simulated, the last ones are not needed");
    assert_eq!(events[0]["files"], json!([]));
}

#[test]
fn no_matter_gives_valid_files() {
    let root = tempfile::tempdir().unwrap();
    bake(root.path(), everything(), "4", &mut Rising::new(-1, 0), || false).0.unwrap();
    let mesh = fs::read(root.path().join("mesh/mesh_0004.ply")).unwrap();
    assert!(String::from_utf8(mesh).unwrap().contains("element vertex 0\n"));
    assert!(fs::metadata(root.path().join("volume/volume_0004.vdb")).unwrap().len() > 100);
}

#[test]
fn only_requested_outputs_are_made() {
    let root = tempfile::tempdir().unwrap();
    let output = json!({"mesh": {"format": "obj"}});
    bake(root.path(), output, "1", &mut Rising::new(-1, 27), || false).0.unwrap();
    assert_eq!(files(root.path(), "mesh"), ["mesh_0001.obj"]);
    assert!(!root.path().join("volume").exists() && !root.path().join("particles").exists());
}

#[test]
fn a_cancelled_bake_keeps_the_frames_it_has() {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let root = tempfile::tempdir().unwrap();
    let third = || ASKED.fetch_add(1, Ordering::Relaxed) >= 2;
    let (result, events) = bake(root.path(), everything(), "-1..4", &mut Rising::new(-1, 8), third);
    assert_eq!(result.unwrap(), Ending::Cancelled);
    let index = read_index(root.path()).unwrap();
    assert_eq!((index.status, index.done.len()), (Status::Cancelled, 2));
    assert_eq!(audit(root.path(), &index).unwrap(), Audit::default());
    assert_eq!(events.last().unwrap()["event"], "cancelled");
}

#[test]
fn a_fault_in_the_solver_leaves_a_valid_cache() {
    panics::silence();
    let root = tempfile::tempdir().unwrap();
    let mut source = Rising { breaks_at: Some(2), ..Rising::new(-1, 8) };
    let failure = bake(root.path(), everything(), "-1..4", &mut source, || false).0.unwrap_err();
    assert_eq!(failure.code, ExitCode::Internal);
    assert!(failure.message.contains("broken on purpose"), "{failure}");
    let index = read_index(root.path()).unwrap();
    assert_eq!((index.status, index.done.len()), (Status::Failed, 3));
    assert!(index.error.as_ref().unwrap().contains("broken on purpose"));
    assert_eq!(audit(root.path(), &index).unwrap(), Audit::default());
}

#[test]
fn a_failing_simulation_ends_the_bake() {
    let root = tempfile::tempdir().unwrap();
    let mut source = Rising { ends_at: Some(1), ..Rising::new(-1, 8) };
    let failure = bake(root.path(), everything(), "-1..4", &mut source, || false).0.unwrap_err();
    assert_eq!((failure.code, failure.message.as_str()), (ExitCode::BadInput, "too fast to follow"));
    let index = read_index(root.path()).unwrap();
    assert_eq!(
        (index.status, index.done.len(), index.error.as_deref()),
        (Status::Failed, 2, Some("too fast to follow"))
    );
}

/// A number that JSON cannot represent would make the whole index unreadable.
#[test]
fn a_frame_that_the_index_cannot_list_ends_the_bake() {
    /// Its energy drifts by infinity in one frame.
    struct Odd(Rising, i32);
    impl FrameSource for Odd {
        fn frame(&self) -> Frame {
            self.0.frame()
        }
        fn advance(&mut self, tell: &mut dyn FnMut(f64) -> Result<(), Interrupted>) -> Result<(), Halt<String>> {
            self.0.advance(tell)?;
            let is_odd = self.0.frame.number == self.1;
            self.0.frame.stats.energy_drift = if is_odd { f64::INFINITY } else { 0.0 };
            Ok(())
        }
    }
    let root = tempfile::tempdir().unwrap();
    let outputs = outputs_of(&scene(everything())).unwrap();
    let mut source = Odd(Rising::new(-1, 8), 2);
    let index = index(&outputs, &source.frame());
    let folder = CacheFolder::create(root.path(), false).unwrap();
    let mut recorder = Recorder::default();
    let wanted = (-1..=4).collect();
    let failure = Bake::new(&folder, outputs, index, wanted, from_start(-1), &mut recorder, || false)
        .run(&mut source, "DIR")
        .unwrap_err();
    assert_eq!(failure.code, ExitCode::Internal);
    assert!(failure.message.contains("energy_drift of frame 2 is not a finite number"), "{failure}");
    let index = read_index(root.path()).unwrap();
    assert_eq!((index.status, index.done.len()), (Status::Failed, 3));
    assert_eq!(index.error.as_ref(), Some(&failure.message));
    assert_eq!(audit(root.path(), &index).unwrap(), Audit::default(), "no files of that frame stay");
}

#[test]
fn a_folder_that_cannot_be_written_ends_the_bake() {
    let root = tempfile::tempdir().unwrap();
    let outputs = outputs_of(&scene(everything())).unwrap();
    let mut source = Rising::new(-1, 8);
    let index = index(&outputs, &source.frame());
    let folder = CacheFolder::create(root.path(), false).unwrap();
    // A file in place of a folder makes writing fail for every user, root included.
    fs::write(root.path().join("particles"), "in the way").unwrap();
    let mut recorder = Recorder::default();
    let failure = Bake::new(&folder, outputs, index, vec![-1, 0], from_start(-1), &mut recorder, || false)
        .run(&mut source, "DIR")
        .unwrap_err();
    assert_eq!(failure.code, ExitCode::Refused, "{failure}");
    let index = read_index(root.path()).unwrap();
    assert_eq!((index.status, index.done.len()), (Status::Failed, 0));
    assert_eq!(files(root.path(), "mesh"), [""; 0], "half a frame does not stay");
}

/// A full disk ends a bake within the frame that is being simulated, however long that takes.
#[test]
fn a_frame_is_not_simulated_to_its_end_when_the_one_before_cannot_be_written() {
    /// Runs until it is interrupted, or for much too long.
    struct Endless(Rising);
    impl FrameSource for Endless {
        fn frame(&self) -> Frame {
            self.0.frame()
        }
        fn advance(&mut self, tell: &mut dyn FnMut(f64) -> Result<(), Interrupted>) -> Result<(), Halt<String>> {
            for _ in 0..3000 {
                tell(0.5).map_err(Halt::Interrupted)?;
                thread::sleep(Duration::from_millis(10));
            }
            self.0.advance(tell)
        }
    }
    let root = tempfile::tempdir().unwrap();
    let outputs = outputs_of(&scene(json!({"particles": {}}))).unwrap();
    let mut source = Endless(Rising::new(-1, 8));
    let index = index(&outputs, &source.frame());
    let folder = CacheFolder::create(root.path(), false).unwrap();
    fs::write(root.path().join("particles"), "in the way").unwrap();
    let clock = Instant::now();
    let bake = || {
        let mut recorder = Recorder::default();
        Bake::new(&folder, outputs, index, vec![-1, 0], from_start(-1), &mut recorder, || false).run(&mut source, "DIR")
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    assert_eq!(pool.install(bake).unwrap_err().code, ExitCode::Refused);
    assert!(clock.elapsed() < Duration::from_secs(15), "{:?}", clock.elapsed());
}

fn some_state(scene: &Scene) -> State {
    Simulation::new(scene, &MeshLibrary::default()).unwrap().state()
}

/// A state is as large as the matter: a checkpoint and the held state share it.
#[test]
fn one_state_is_made_of_the_end_of_each_frame() {
    struct Counted(Rising, State, AtomicUsize);
    impl FrameSource for Counted {
        fn frame(&self) -> Frame {
            self.0.frame()
        }
        fn advance(&mut self, tell: &mut dyn FnMut(f64) -> Result<(), Interrupted>) -> Result<(), Halt<String>> {
            self.0.advance(tell)
        }
        fn state(&self) -> Option<State> {
            self.2.fetch_add(1, Ordering::SeqCst);
            Some(self.1.clone())
        }
    }
    let scene = scene(json!({"particles": {}}));
    // Starts at the first frame or from a checkpoint of it, and ends at the scene's end or a segment's.
    for (is_resumed, goes_on, states) in [(false, false, 5), (true, false, 5), (true, true, 6)] {
        let root = tempfile::tempdir().unwrap();
        let outputs = outputs_of(&scene).unwrap();
        let mut source = Counted(Rising::new(-1, 8), some_state(&scene), AtomicUsize::new(0));
        let index = index(&outputs, &source.frame());
        let folder = CacheFolder::create(root.path(), false).unwrap();
        let mut recorder = Recorder::default();
        let way = FrameSpan { is_resumed, goes_on, every: 1, ..from_start(-1) };
        let bake =
            Bake::new(&folder, outputs, index, (0..=4).collect(), way, &mut recorder, || false).run(&mut source, "DIR");
        assert_eq!(bake.unwrap(), Ending::Complete);
        assert_eq!(source.2.into_inner(), states);
        let kept = if goes_on { vec!["checkpoint_0003.state", "checkpoint_0004.state"] } else { vec![] };
        assert_eq!(files(root.path(), "checkpoints"), kept);
    }
}

/// A frame writer of frames -1 to 4 for tests of the end of a bake, and the state of some matter.
fn with_keeper(root: &Path, test: impl FnOnce(&mut FrameWriter<'_>, &Arc<State>)) {
    let scene = scene(json!({"mesh": {}, "particles": {}}));
    let outputs = outputs_of(&scene).unwrap();
    let index = index(&outputs, &Rising::new(-1, 8).frame());
    let folder = CacheFolder::create(root, false).unwrap();
    let mut recorder = Recorder::default();
    let state = Arc::new(some_state(&scene));
    let wanted = (-1..=4).collect();
    let mut bake = Bake::new(&folder, outputs, index, wanted, from_start(-1), &mut recorder, || false);
    test(&mut bake.frame_writer, &state);
}

#[test]
fn a_checkpoint_that_cannot_be_complete_in_time_is_not_begun() {
    let root = tempfile::tempdir().unwrap();
    with_keeper(root.path(), |frame_writer, state| {
        let mut keep = |frame, left: fn() -> Option<Duration>| {
            frame_writer.time_left = left;
            frame_writer.keep_state(state, frame).unwrap();
            files(root.path(), "checkpoints")
        };
        let none = || None;
        let short = || Some(Duration::ZERO);
        let long = || Some(Duration::from_mins(1));
        let names =
            |frames: &[i32]| frames.iter().map(|frame| format!("checkpoint_000{frame}.state")).collect::<Vec<_>>();
        assert_eq!(keep(0, long), names(&[0]), "how long it takes is not known before the first");
        assert_eq!(keep(1, short), names(&[0]), "the one before stays");
        assert_eq!(keep(2, long), names(&[0, 2]));
        assert_eq!(keep(3, none), names(&[2, 3]), "no end was asked for");
    });
}

#[test]
fn the_end_waits_for_a_checkpoint_that_is_being_written() {
    let root = tempfile::tempdir().unwrap();
    with_keeper(root.path(), |frame_writer, state| {
        // While another thread writes one.
        let writing = lock(&frame_writer.kept);
        let (sender, told) = mpsc::channel();
        thread::scope(|scope| {
            let frame_writer = &*frame_writer;
            scope.spawn(move || frame_writer.keep_last("DIR", &sender));
            assert!(matches!(told.recv().unwrap().unwrap(), Event::Cancelled { frames: 0, .. }));
            assert_eq!(told.recv_timeout(Duration::from_millis(300)).err(), Some(RecvTimeoutError::Timeout));
            assert_eq!(read_index(root.path()).unwrap().status, Status::Cancelled, "the index does not wait");
            drop(writing);
            assert_eq!(told.recv().err(), Some(mpsc::RecvError));
        });
        // No frame was wanted so far, so all wanted frames are listed, and a bake may resume from the held state.
        frame_writer.hold(Some(Arc::clone(state)), -2);
        frame_writer.keep_held().unwrap();
        assert_eq!(files(root.path(), "checkpoints"), ["checkpoint_-002.state"]);
    });
}

#[test]
fn the_end_does_not_wait_for_a_step_whose_first_state_is_held() {
    let root = tempfile::tempdir().unwrap();
    with_keeper(root.path(), |frame_writer, state| {
        frame_writer.hold(Some(Arc::clone(state)), -2);
        assert!(!frame_writer.has_all_but_a_step(), "files are made, or a frame is handed over");
        frame_writer.advances(true);
        assert!(frame_writer.has_all_but_a_step());
        frame_writer.hold(Some(Arc::clone(state)), -1);
        assert!(!frame_writer.has_all_but_a_step(), "the files of that frame are not listed yet");
    });
}

#[test]
fn unfinished_files_are_dropped_at_the_end() {
    let root = tempfile::tempdir().unwrap();
    with_keeper(root.path(), |frame_writer, _| {
        lock(&frame_writer.ledger).write().unwrap();
        // The first of the two files of a frame.
        frame_writer.folder.write(OutputKind::Mesh, -1, "ply", b"whole").unwrap();
        frame_writer.drop_at_hand().unwrap();
        assert_eq!(files(root.path(), "mesh"), [""; 0]);
        assert_eq!(files(root.path(), "."), ["bake.json", "mesh"]);
        assert!(frame_writer.write(&Simulated { frame: Rising::new(-1, 8).frame(), seconds: None }).is_err());
        assert_eq!(files(root.path(), "mesh"), [""; 0]);
    });
}
