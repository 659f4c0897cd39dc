//! The program `hype`.

mod cli;
mod snippet;

fn main() -> std::process::ExitCode {
    cli::run()
}
