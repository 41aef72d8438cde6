//! `dollop preview` and `dollop plot`: files, refusals, and an unchanged cache.

use crate::tools::{Workplace, drop_scene, tree};
use serde_json::json;
use std::fs;

/// A folder with the cache of a drop.
fn baked() -> Workplace {
    let place = Workplace::with_scene(&drop_scene());
    place.run(&["bake", "scene.json", "--cache", "cache", "--progress", "none"]).succeeds();
    place
}

/// Width and height in the header of a PNG or the screen of a GIF.
fn size(bytes: &[u8]) -> (u32, u32) {
    let big = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    let little = |at: usize| u32::from(u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()));
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return (big(16), big(20));
    }
    assert!(bytes.starts_with(b"GIF89a"), "{:?}", &bytes[..8]);
    (little(6), little(8))
}

#[test]
fn a_picture_a_frame_and_one_animation() {
    let place = baked();
    let before = tree(&place.path("cache"));
    let run = place.run(&["preview", "cache", "--out", "new/pictures", "--frames", "2-5:3", "--size", "320x200"]);
    assert_eq!(run.succeeds().out, "2 pictures in new/pictures\n");
    assert_eq!(tree(&place.path("new")), ["pictures/preview_0002.png", "pictures/preview_0005.png"]);
    assert_eq!(size(&fs::read(place.path("new/pictures/preview_0002.png")).unwrap()), (320, 200));
    for style in ["points", "stars", "discs", "hexagons", "links"] {
        let out = format!("{style}.GIF");
        let run = place.run(&["preview", "cache", "--out", &out, "--style", style, "--color", "temperature"]);
        assert_eq!(run.succeeds().out, format!("5 frames in {out}\n"));
        assert_eq!(size(&fs::read(place.path(&out)).unwrap()), (640, 360));
    }
    assert_eq!(tree(&place.path("cache")), before);
}

#[test]
fn pictures_are_the_same_for_any_number_of_threads() {
    let place = baked();
    for threads in ["1", "3"] {
        let out = format!("{threads}.gif");
        place.run(&["preview", "cache", "--out", &out, "--threads", threads, "--size", "160x120"]).succeeds();
    }
    assert!(fs::read(place.path("1.gif")).unwrap() == fs::read(place.path("3.gif")).unwrap());
}

#[test]
fn pictures_replace_nothing_unless_told() {
    let place = baked();
    fs::create_dir(place.path("out")).unwrap();
    place.write("out/preview_0003.png", "mine");
    place.write("out/notes.txt", "mine");
    let run = place.run(&["preview", "cache", "--out", "out"]);
    run.fails(4, &["out/preview_0003.png: is there already", "--overwrite"]);
    assert_eq!(tree(&place.path("out")).len(), 2, "nothing was written");
    place.run(&["preview", "cache", "--out", "out", "--frames", "3", "--overwrite"]).succeeds();
    assert_eq!(tree(&place.path("out")), ["notes.txt", "preview_0003.png"]);
    assert_eq!(size(&fs::read(place.path("out/preview_0003.png")).unwrap()), (640, 360));
    place.write("one.gif", "mine");
    place.run(&["preview", "cache", "--out", "one.gif"]).fails(4, &["one.gif: is there already"]);
    place.run(&["plot", "cache", "--out", "one.gif"]).fails(2, &["an SVG or a PNG file", "FILE.svg"]);
    place.write("file", "");
    place.run(&["preview", "cache", "--out", "file"]).fails(3, &["file: is a file, not a folder", "--out"]);
    fs::create_dir(place.path("a.gif")).unwrap();
    place.run(&["preview", "cache", "--out", "a.gif", "--overwrite"]).fails(4, &["a.gif: is a folder"]);
    for wrong in ["x.jpg", "p.PNG"] {
        place.run(&["preview", "cache", "--out", wrong]).fails(2, &["a folder with a PNG file a frame", "FILE.gif"]);
        assert!(!place.path(wrong).exists(), "{wrong}");
    }
}

#[test]
fn wrong_options_and_caches_are_refused() {
    let place = baked();
    let preview = |more: &[&str]| place.run(&[&["preview", "cache", "--out", "out"], more].concat());
    preview(&["--frames", "4-9"]).fails(2, &["--frames asks for"]);
    preview(&["--color", "colour"]).fails(2, &["no field \"colour\"", "temperature", "speed", "--color"]);
    preview(&["--size", "9x9"]).fails(2, &["WIDTHxHEIGHT"]);
    preview(&["--range", "3,2"]).fails(2, &["smaller and the larger"]);
    preview(&["--view", "0,91"]).fails(2, &["three-quarter"]);
    preview(&["--resolution", "0.01"]).fails(2, &["0.1 to 4"]);
    place.run(&["preview", "scene.json", "--out", "out"]).fails(2, &["not a Dollop cache"]);
    place.run(&["plot", "nowhere", "--out", "plot.svg"]).fails(2, &["not a Dollop cache"]);
    let file = place.path("cache/particles/particles_0002.ply");
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() - 5]).unwrap();
    preview(&[]).fails(2, &["particles_0002.ply", "--frames"]);
    assert!(!place.path("out").exists(), "nothing is made for pictures that cannot be");
    preview(&["--frames", "3-5"]).succeeds();
    let mut bare = drop_scene();
    bare["output"] = json!({"mesh": {}});
    place.write("bare.json", bare.to_string());
    place.run(&["bake", "bare.json", "--cache", "bare", "--frames", "1-2", "--progress", "none"]).succeeds();
    place
        .run(&["preview", "bare", "--out", "out2"])
        .fails(2, &["holds no particles", "made from", "\"particles\": {}"]);
}

#[test]
fn a_plot_needs_the_index_alone() {
    let place = baked();
    for kind in ["mesh", "volume", "particles"] {
        fs::remove_dir_all(place.path("cache").join(kind)).unwrap();
    }
    assert_eq!(place.run(&["plot", "cache", "--out", "plots/bake.svg"]).succeeds().out, "5 frames in plots/bake.svg\n");
    let svg = fs::read_to_string(place.path("plots/bake.svg")).unwrap();
    for title in
        ["energy, J", "volume in the mesh", "particles", "force evaluations", "steps", "largest compression, %"]
    {
        assert!(svg.contains(title), "{title:?} is not in the plot");
    }
    place.run(&["plot", "cache", "--out", "plots/bake.svg"]).fails(4, &["is there already", "--overwrite"]);
    place.run(&["plot", "cache", "--out", "plots/bake.svg", "--overwrite"]).succeeds();
    place.run(&["plot", "cache", "--out", "bake.png"]).succeeds();
    let (width, height) = size(&fs::read(place.path("bake.png")).unwrap());
    assert!(width > 1500 && height > 800, "{width} x {height}");
}
