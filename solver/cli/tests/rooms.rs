//! Who may know whom (ARCHITECTURE.md), read off the manifests and sources.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

fn solver() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The names under `[dependencies]` of a room's manifest.
fn dependencies(room: &str) -> Vec<String> {
    let manifest = fs::read_to_string(solver().join(room).join("Cargo.toml")).unwrap();
    let section = manifest.split("[dependencies]\n").nth(1).unwrap().split("\n[").next().unwrap();
    let names = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// All the Rust files below a folder.
fn rust_files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

/// All the Rust sources below a folder, without tests.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    rust_files(folder).into_iter().filter(|(path, _)| !path.ends_with("tests.rs")).collect()
}

#[test]
fn each_room_knows_only_those_before_it() {
    let allowed: [(&str, &[&str]); 6] = [
        ("scene", &[]),
        ("sim", &["dollop-scene"]),
        ("surface", &["dollop-sim"]),
        ("preview", &["dollop-sim", "dollop-surface"]),
        ("vdb", &[]),
        ("cache", &["dollop-sim", "dollop-surface", "dollop-vdb"]),
    ];
    for (room, allowed) in allowed {
        let known = dependencies(room);
        assert!(!known.is_empty(), "no dependencies were read for {room}");
        for name in known.iter().filter(|name| name.starts_with("dollop")) {
            assert!(allowed.contains(&name.as_str()), "{room} must not know {name}");
        }
    }
}

#[test]
fn physics_surfaces_and_pictures_touch_no_file_and_print_nothing() {
    for room in ["sim", "surface", "preview"] {
        let known = dependencies(room);
        for name in ["serde_json", "clap", "tempfile", "tobj", "indicatif"] {
            assert!(!known.iter().any(|known| known == name), "{room} must not know {name}");
        }
        for (path, text) in sources(&solver().join(room).join("src")) {
            for word in ["std::fs", "std::io", "std::time", "std::env", "println!", "print!", "dbg!"] {
                assert!(!text.contains(word), "{} must not use {word}", path.display());
            }
        }
    }
}

#[test]
fn files_know_no_material() {
    for (path, text) in sources(&solver().join("cache/src")) {
        for word in ["material::", "Material", "Simulation", "dollop_sim::boundary"] {
            assert!(!text.contains(word), "{} must not use {word}", path.display());
        }
    }
}

/// Surfaces and pictures are of frames, whatever these are of.
#[test]
fn surfaces_and_pictures_know_no_model() {
    for room in ["surface", "preview"] {
        for (path, text) in sources(&solver().join(room).join("src")) {
            for word in ["dollop_sim::material", "dollop_sim::model", "Simulation"] {
                assert!(!text.contains(word), "{} must not use {word}", path.display());
            }
        }
    }
}

/// Within the solver each room knows those below it: pairs know no law, laws no model, frames neither; nothing knows the integrator
/// or the setup but these themselves and what runs them.
#[test]
fn what_is_below_knows_nothing_above() {
    let above: [(&str, &[&str]); 5] = [
        ("pairs", &["laws", "material", "integrator", "setup", "simulation"]),
        ("neighbours", &["pairs", "laws", "material", "integrator", "setup", "simulation"]),
        ("laws", &["integrator", "setup", "simulation", "heat", "boundary"]),
        ("frame", &["material", "integrator", "setup", "simulation", "heat", "boundary"]),
        ("material", &["integrator", "simulation", "heat", "reshape", "tools"]),
    ];
    for (room, above) in above {
        let all = sources(&solver().join("sim/src").join(room));
        assert!(!all.is_empty());
        for (path, text) in all {
            let code = text.split("#[cfg(test)]").next().unwrap();
            for name in above {
                assert!(!code.contains(&format!("crate::{name}::")), "{} must not know {name}", path.display());
            }
        }
    }
}

/// What depends on a material is asked of its model. Each of these may name itself.
#[test]
fn the_registry_alone_tells_materials_apart() {
    let mut registries = 0;
    for room in ["sim", "surface", "preview", "cache", "cli"] {
        for (path, text) in sources(&solver().join(room).join("src")) {
            if path.ends_with("sim/src/material/model.rs") {
                registries += text.matches("match material {").count();
                continue;
            }
            let code = text.split("#[cfg(test)]").next().unwrap();
            let named = ["Smoothed", "Thermal", "Oriented", "Soft"]
                .map(|name| code.matches(&format!("Material::{name}")).count());
            let own = usize::from(path.ends_with("model.rs"));
            assert!(named.iter().sum::<usize>() <= own, "{} must ask dollop_sim::model", path.display());
        }
    }
    assert_eq!(registries, 1);
}

/// Folders of the solver whose comments keep to the width of the code.
const NARROW: [&str; 3] = ["surface", "preview", "vdb"];

/// As `max_width` in rustfmt.toml, which leaves comments alone.
const WIDEST_COMMENT: usize = 120;

#[test]
fn comments_are_at_most_120_columns_wide() {
    for folder in NARROW {
        let files = rust_files(&solver().join(folder));
        assert!(!files.is_empty());
        for (path, text) in files {
            let comments = text.lines().zip(1..).filter(|(line, _)| line.trim_start().starts_with("//"));
            for (line, number) in comments {
                let width = line.chars().count();
                assert!(width <= WIDEST_COMMENT, "{}:{number} is {width} columns wide", path.display());
            }
        }
    }
}

/// Where a path in back quotes may start.
const ROOTS: [&str; 9] = [
    "",
    "solver",
    "addon",
    "solver/sim/src",
    "solver/sim/src/material",
    "solver/sim/src/integrator",
    "solver/surface/src",
    "solver/cli/src",
    "solver/preview/src",
];

/// Whether a path as documents have it, without the folder `src` and the end of the name, is there.
fn is_there(root: &Path, path: &str) -> bool {
    let (room, rest) = path.split_once('/').unwrap();
    let in_room = format!("solver/{room}/src/{rest}");
    let all = ROOTS.iter().map(|start| format!("{start}/{path}")).chain([in_room]);
    let ends = ["", ".rs", ".py", ".sh"];
    all.flat_map(|path| ends.map(|end| format!("{path}{end}")))
        .any(|path| root.join(path.trim_start_matches('/')).exists())
}

/// What the pages about the house name is where they say.
#[test]
fn pages_name_what_is_there() {
    let root = solver().parent().unwrap().to_owned();
    let mut pages = vec![root.join("ARCHITECTURE.md")];
    pages.extend(fs::read_dir(root.join("docs/decisions")).unwrap().map(|entry| entry.unwrap().path()));
    let is_path = |text: &&str| {
        text.contains('/')
            && text.chars().all(|c| c.is_ascii_lowercase() || "_/.".contains(c))
            && !text.starts_with('/')
    };
    let mut found = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for path in text.split('`').skip(1).step_by(2).filter(is_path) {
            assert!(is_there(&root, path), "{} names {path}, which is not there", page.display());
            found += 1;
        }
    }
    assert!(found > 100, "{found}");
}
