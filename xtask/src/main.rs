//! Chores of the repository: `cargo xtask <chore>`.

use std::path::Path;
use std::process::ExitCode;

mod fuzz;
mod schemas;
mod terminal;

const USAGE: &str = "\
usage: cargo xtask <chore>

chores:
  fuzz [--minutes <number>] [--target <name>]
      builds the fuzz targets with coverage and runs them for 10 minutes, or as many as are named, together
  schemas
      writes the committed schemas
  terminal
      writes what the terminal shows into docs/TERMINAL.md";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let done = match arguments.next().as_deref() {
        Some("fuzz") => fuzz::run(arguments),
        Some("schemas") => schemas::run(root),
        Some("terminal") => terminal::run(root),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}
