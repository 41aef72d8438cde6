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
