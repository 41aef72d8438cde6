//! Files that are made from the scene types must not lag behind them.

use crate::tools::Workplace;
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

#[test]
fn the_page_of_parameters_is_fresh() {
    is_fresh("docs/parameters.md", &["schema", "--markdown"]);
}
