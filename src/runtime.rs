//! The program's one tokio runtime.

use std::io;
use std::sync::OnceLock;

use tokio::runtime::{Builder, Runtime};

static RUNTIME: OnceLock<Runtime> = OnceLock::new();

/// The runtime of database stores and of the rater page's server. The first call starts it, and it runs until the
/// program ends.
///
/// A program with its own runtime does not need it, as the server uses the runtime in which it is called.
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
