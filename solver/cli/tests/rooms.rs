//! Which crates and modules may depend on which others (ARCHITECTURE.md), checked in the manifests and sources.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn solver() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The names under `[dependencies]` in the manifest of a crate.
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
    let is_tests = |path: &Path| path.file_name().unwrap().to_str().unwrap().ends_with("tests.rs");
    rust_files(folder).into_iter().filter(|(path, _)| !is_tests(path)).collect()
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

/// Surfaces and pictures are made of frames, whatever the matter in them.
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

/// The modules of each crate by floors, the lowest first.
const FLOORS: [(&str, &[&[&str]]); 4] = [
    ("scene/src", &SCENE_FLOORS),
    ("sim/src", &SIM_FLOORS),
    ("surface/src", &SURFACE_FLOORS),
    ("cache/src", &CACHE_FLOORS),
];

const SCENE_FLOORS: [&[&str]; 6] = [
    &["ambient", "discretization", "json_path", "material", "output", "shape"],
    &["key"],
    &["placed"],
    &["collider", "heat", "outflow", "tool"],
    &["body"],
    &["scene"],
];

const SIM_FLOORS: [&[&str]; 13] = [
    &["bounds", "columns", "cost", "hash_grid", "kernel", "numbers", "packed", "timeline", "union", "wording"],
    &["lanes", "lattice", "particles"],
    &["geometry", "grid", "neighbours"],
    &["boundary", "fault", "pairs"],
    &["laws"],
    &["frame", "region"],
    &["material"],
    &["heat", "pins"],
    &["integrator", "tools"],
    &["reshape", "setup"],
    &["stages"],
    &["simulation"],
    &["estimate"],
];

const SURFACE_FLOORS: [&[&str]; 7] = [
    &["lattice", "options"],
    &["carried"],
    &["field"],
    &["mesh"],
    &["level_set", "sheet", "skin"],
    &["fit", "surface"],
    &["volume"],
];

const CACHE_FLOORS: [&[&str]; 10] = [
    &["attribute", "bins", "encode_error", "finite", "names", "read_fault"],
    &["index", "particle_table", "ply"],
    &["index_text", "ply_table"],
    &["formats"],
    &["error"],
    &["entries", "lock", "particle_read"],
    &["audit", "checkpoint", "pending", "records", "stage"],
    &["index_read", "storage"],
    &["ownership"],
    &["farm", "folder"],
];

/// Each module of a crate depends only on modules of lower floors. In the solver: pairs on no law, laws on no model,
/// frames on no model either. In surfaces: fields on no mesh.
#[test]
fn lower_modules_do_not_depend_on_higher_ones() {
    for (folder, floors) in FLOORS {
        let known = modules_of(folder);
        let floor = |name: &str| {
            let at = floors.iter().position(|floor| floor.contains(&name));
            at.unwrap_or_else(|| panic!("{name} of {folder} is on no floor"))
        };
        assert_eq!(known.len(), floors.iter().map(|floor| floor.len()).sum::<usize>(), "{folder}: {:?}", known.keys());
        for (own, others) in &known {
            for other in others {
                assert!(floor(other) < floor(own), "{own} of {folder} must not know {other}");
            }
        }
    }
}

/// The names of the materials of a scene.
fn materials() -> Vec<String> {
    let text = fs::read_to_string(solver().join("scene/src/material.rs")).unwrap();
    let list = text.split("pub enum Material {").nth(1).unwrap().split("\n}").next().unwrap();
    let names = list.lines().filter_map(|line| Some(line.trim().split_once('(')?.0.to_owned()));
    names.filter(|name| name.starts_with(|first: char| first.is_uppercase())).collect()
}

/// Code asks the model of a material for its properties. Only the registry names all materials, and a model its own.
#[test]
fn only_the_registry_distinguishes_materials() {
    let (names, mut registries) = (materials(), 0);
    assert!(names.len() >= 4, "{names:?}");
    for room in ["sim", "surface", "preview", "cache", "cli"] {
        for (path, text) in sources(&solver().join(room).join("src")) {
            let code = without_tests(&text);
            let named: usize = names.iter().map(|name| code.matches(&format!("Material::{name}")).count()).sum();
            if path.ends_with("sim/src/material/model.rs") {
                registries += code.matches("match material {").count();
                assert_eq!(named, names.len(), "an arm each");
            } else {
                let own = usize::from(path.ends_with("model.rs"));
                assert!(named <= own, "{} must ask dollop_sim::model", path.display());
            }
        }
    }
    assert_eq!(registries, 1);
}

/// A source without the module of its tests, which is its last.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap()
}

/// The module of a crate that a path belongs to: `setup`, or a command, `commands/bake`.
fn module<'a>(mut parts: impl Iterator<Item = &'a str>) -> String {
    let first = parts.next().unwrap_or_default();
    match parts.next() {
        Some(second) if first == "commands" && second != "mod" => format!("{first}/{second}"),
        _ => first.to_owned(),
    }
}

/// The parts of a list in braces, or a single name, at the start of a code: `{a, b::{c, d}}` has `a` and `b`.
fn listed(code: &str) -> Vec<&str> {
    let is_end = |letter: char| !(letter.is_alphanumeric() || "_:".contains(letter));
    let Some(list) = code.strip_prefix('{') else { return vec![code.split(is_end).next().unwrap()] };
    let (mut depth, mut start, mut names) = (1, 0, Vec::new());
    for (at, letter) in list.char_indices() {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        if depth == 0 || depth == 1 && letter == ',' {
            names.push(list[start..at].trim());
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    names.into_iter().filter(|name| !name.is_empty()).collect()
}

/// What a crate shows at its root, by the module it comes from.
fn shown_at_root(root: &Path) -> BTreeMap<String, String> {
    let text = ["lib.rs", "main.rs"].iter().find_map(|file| fs::read_to_string(root.join(file)).ok()).unwrap();
    let mut shown = BTreeMap::new();
    for line in text.split("\npub use ").skip(1) {
        let (from, path) = line.split_once("::").unwrap();
        let list = path.find('{').filter(|at| *at < path.find(';').unwrap()).map_or(path, |at| &path[at..]);
        for name in listed(list) {
            shown.insert(name.rsplit("::").next().unwrap().to_owned(), from.to_owned());
        }
    }
    shown
}

/// The macros at the root of a crate.
const MACROS: [&str; 1] = ["with_shape"];

/// The modules of a crate, and the other modules of it that each names, also by what the root shows of them.
fn modules_of(folder: &str) -> BTreeMap<String, BTreeSet<String>> {
    let root = solver().join(folder);
    let shown = shown_at_root(&root);
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let is_root = |path: &Path| [root.join("main.rs"), root.join("lib.rs")].contains(&path.to_owned());
    for (path, text) in sources(&root).into_iter().filter(|(path, _)| !is_root(path)) {
        let own = path.strip_prefix(&root).unwrap().with_extension("");
        let own = module(own.iter().map(|part| part.to_str().unwrap()));
        let lines = without_tests(&text).lines().filter(|line| !line.trim_start().starts_with("//"));
        let code = lines.collect::<Vec<_>>().join(
            "
",
        );
        let named = code.split("crate::").skip(1).flat_map(listed).map(|name| module(name.split("::")));
        let named = named.map(|name| shown.get(&name).cloned().unwrap_or(name));
        known.entry(own.clone()).or_default().extend(named.filter(|other| *other != own));
    }
    // Macros stand at the root of a crate, wherever they are written.
    let modules: BTreeSet<String> = known.keys().cloned().collect();
    for (own, others) in &mut known {
        others.retain(|other| !MACROS.contains(&other.as_str()));
        assert!(others.is_subset(&modules), "{own} knows {others:?}");
    }
    known
}

/// Modules of the binary depend on each other one way, and on other commands only as listed here.
#[test]
fn modules_of_the_binary_know_each_other_one_way() {
    let mut known = modules_of("cli/src");
    assert!(known.len() > 30, "{known:?}");
    for (own, others) in &known {
        // The schema, which the extension reads, lists the engines, too.
        let is_told = |other: &str| own == "commands/schema" && other == "commands/farm";
        let is_command = |other: &&String| other.starts_with("commands") && !is_told(other);
        assert_eq!(others.iter().find(is_command), None, "{own} knows a command");
    }
    while !known.is_empty() {
        let rest: BTreeSet<String> = known.keys().cloned().collect();
        known.retain(|_, others| !others.is_disjoint(&rest));
        assert!(known.len() < rest.len(), "these know each other in a ring, or who is in one: {known:?}");
    }
}

#[test]
fn dependencies_are_found_however_they_are_written() {
    assert_eq!(listed("{a, b::{C, d}, E}; x"), ["a", "b::{C, d}", "E"]);
    assert_eq!(listed("setup::fill;"), ["setup::fill"]);
    let known = modules_of("sim/src");
    // By a name at the root (`crate::SetupError`), in a list (`use crate::{SetupError, SmoothingKernel}`), and after
    // code that is for tests alone.
    assert!(known["pins"].contains("fault") && known["estimate"].contains("kernel"), "{known:?}");
    assert!(known["stages"].contains("reshape"), "{known:?}");
    // And by a path of several modules at the root (`pub use frame::field::{self, Field}`).
    assert_eq!(shown_at_root(&solver().join("sim/src"))["Field"], "frame");
}

/// Folders of the solver whose comments keep to the width of the code.
const NARROW: [&str; 7] = ["cache", "cli", "preview", "scene", "sim", "surface", "vdb"];

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

/// Whether a path as written in documents, without the folder `src` and the extension, exists.
fn is_there(root: &Path, path: &str) -> bool {
    let (room, rest) = path.split_once('/').unwrap();
    let in_room = format!("solver/{room}/src/{rest}");
    let all = ROOTS.iter().map(|start| format!("{start}/{path}")).chain([in_room]);
    let ends = ["", ".rs", ".py", ".sh"];
    all.flat_map(|path| ends.map(|end| format!("{path}{end}")))
        .any(|path| root.join(path.trim_start_matches('/')).exists())
}

/// The architecture pages name only existing paths.
#[test]
fn pages_name_existing_paths() {
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
