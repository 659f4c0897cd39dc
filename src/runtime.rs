//! The program's one tokio runtime.

use std::io;
use std::sync::OnceLock;

use tokio::runtime::{Builder, Runtime};

static RUNTIME: OnceLock<Runtime> = OnceLock::new();

/// The runtime of database stores and of the rater page's server. It is started by the first call and lives as long as the
/// program.
///
/// A program with a runtime of its own does not need it: the server uses the runtime that it is called in.
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
