//! The program `hype`.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests may panic"))]

mod cli;
mod snippet;

fn main() -> std::process::ExitCode {
    cli::run()
}
