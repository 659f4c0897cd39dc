//! The program's one tokio runtime.

use std::io;
use std::sync::OnceLock;

use tokio::runtime::{Builder, Runtime};

static RUNTIME: OnceLock<Runtime> = OnceLock::new();

/// The runtime that stores in databases and the rater page's server work on, which is started at the first call and
/// lives as long as the program.
///
/// Whoever has a runtime of their own does without: within it the server uses that one.
///
/// # Errors
/// If threads cannot be started.
pub fn runtime() -> io::Result<&'static Runtime> {
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let started = Builder::new_multi_thread().enable_all().build()?;
    Ok(RUNTIME.get_or_init(|| started))
}
