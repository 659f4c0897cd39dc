//! Limits on a client's use of a server.

use std::time::Duration;

/// The most connections of a process, whatever the operating system allows: they take up to 50 kB each.
const AT_MOST: usize = 16_384;

/// The most files that are kept for the store, for images and for the program itself. Images are read on up to 512 threads.
const RESERVED: usize = 640;

/// The limit assumed where the operating system names none.
const USUAL: usize = 1_024;

/// Bounds of connections.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The number of connections.
    pub(crate) connections: usize,
    /// The time for a TLS handshake.
    pub(crate) handshake: Duration,
    /// The time until the head of a request has arrived, which is also how long a connection may be idle. It is longer than
    /// the minute for which proxies keep idle connections: they must not use one that is about to be closed.
    pub(crate) head: Duration,
    /// The time between the head of a request and the end of its body.
    pub(crate) body: Duration,
    /// The time in which a client has to take some of a response.
    pub(crate) write: Duration,
}

impl Limits {
    /// The limits of this process, with as many connections as its limit of open files allows.
    pub(crate) fn of_process() -> Self {
        Self {
            connections: connections(open_files()),
            handshake: Duration::from_secs(10),
            head: Duration::from_secs(75),
            body: Duration::from_secs(30),
            write: Duration::from_secs(30),
        }
    }
}

/// The number of connections for a limit of open files: all but those reserved, or three quarters if there are few.
fn connections(files: usize) -> usize {
    (files - RESERVED.min(files / 4)).clamp(1, AT_MOST)
}

#[cfg(unix)]
fn open_files() -> usize {
    use rustix::process::{Resource, getrlimit};

    let limit = getrlimit(Resource::Nofile).current;
    limit.map_or(AT_MOST + RESERVED, |files| usize::try_from(files).unwrap_or(USUAL))
}

#[cfg(not(unix))]
fn open_files() -> usize {
    AT_MOST + RESERVED
}

#[cfg(test)]
mod tests {
    use super::connections;

    #[test]
    fn files_are_left_for_the_store_and_for_images() {
        for (files, expected) in
            [(1, 1), (256, 192), (1_024, 768), (20_000, 16_384), (4_096, 3_456), (usize::MAX, 16_384)]
        {
            assert_eq!(connections(files), expected, "{files}");
        }
    }
}
