//! Chores of the repository: `cargo xtask <chore>`.

use std::process::ExitCode;

mod fuzz;

const USAGE: &str = "\
usage: cargo xtask <chore>

chores:
  fuzz [--minutes <number>] [--target <name>]
      builds the fuzz targets with coverage and runs them for 10 minutes, or as many as are named, together";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let done = match arguments.next().as_deref() {
        Some("fuzz") => fuzz::run(arguments),
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
