//! Files generated from the scene types must be up to date.

use crate::tools::Workplace;
use dollop_sim::frame::STATISTICS;
use std::fs;

#[track_caller]
fn is_fresh(file: &str, arguments: &[&str]) {
    let path = format!("{}/../../{file}", env!("CARGO_MANIFEST_DIR"));
    let kept = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    let run = Workplace::new().run(arguments);
    let made = &run.succeeds().out;
    assert!(&kept == made, "{file} is stale; refresh it: cargo run -p dollop -- {} > {file}", arguments.join(" "));
}

#[test]
fn the_schema_of_the_add_on_is_fresh() {
    is_fresh("addon/schema.json", &["schema"]);
}

/// Its rows match the statistics, in their order.
#[test]
fn the_page_of_the_command_line_lists_all_statistics() {
    let rows = STATISTICS.iter().map(|one| format!("| `{}` | {} | {} |\n", one.name, one.unit, one.description));
    let page = fs::read_to_string(format!("{}/../../docs/command-line.md", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let table = rows.collect::<String>();
    assert!(page.replace("\r\n", "\n").contains(&table), "docs/command-line.md is stale; its statistics are\n{table}");
}

#[test]
fn the_page_of_parameters_is_fresh() {
    is_fresh("docs/parameters.md", &["schema", "--markdown"]);
}

/// The lines that a page of diffs adds, each with its file, but for those that it leaves out.
fn added(page: &str) -> Vec<(String, String)> {
    let (mut file, mut added, mut in_diff) = (String::new(), Vec::new(), false);
    for line in page.lines() {
        if line.starts_with("```") {
            in_diff = line == "```diff";
        } else if let Some(path) = line.strip_prefix("+++ b/").filter(|_| in_diff) {
            path.clone_into(&mut file);
        } else if let Some(code) = line.strip_prefix('+').filter(|code| in_diff && *code != "..." && !code.is_empty()) {
            added.push((file.clone(), code.to_owned()));
        }
    }
    added
}

/// The diffs of the page on extensions are those of code that exists.
#[test]
fn the_page_of_extensions_shows_the_code() {
    let root = format!("{}/../..", env!("CARGO_MANIFEST_DIR"));
    let added = added(&fs::read_to_string(format!("{root}/docs/extending.md")).unwrap());
    assert!(added.len() > 80, "{added:?}");
    for (file, line) in added {
        let code = fs::read_to_string(format!("{root}/{file}")).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(code.lines().any(|other| other == line), "docs/extending.md: {file} has no line {line:?}");
    }
}
