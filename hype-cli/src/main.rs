//! The program `hype`.

/// The page's server allocates for every answer.
#[cfg(feature = "web")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    hype_cli::main()
}
