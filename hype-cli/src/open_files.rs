//! The limit of open files, which bounds the connections of the page's server.

/// The number of open files that a server needs at most.
#[cfg(unix)]
const ENOUGH: u64 = 20_000;

/// Raises the limit as far as the operating system allows and a server needs. Shells and service managers begin programs
/// with a low one, for the sake of programs that no longer exist.
#[cfg(unix)]
pub(crate) fn raise_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(ENOUGH, |maximum| maximum.min(ENOUGH));
    if current.is_some_and(|current| current < wanted) {
        // Without it, the server has fewer connections.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}

/// There is no such limit.
#[cfg(not(unix))]
pub(crate) fn raise_limit() {}
