//! The program `hype`.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests may panic"))]

mod cli;
mod snippet;

/// The page's server allocates for every answer.
#[cfg(feature = "web")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::run()
}
