//! The `dollop` binary.

mod console;
mod failure;
mod frame_range;
mod meshes;
mod number;
mod scene_file;
mod schema;

fn main() {
    let text = if std::env::args().any(|a| a == "--markdown") {
        schema::markdown(&schema::scene_schema())
    } else {
        schema::json()
    };
    console::line(text.trim_end());
}
