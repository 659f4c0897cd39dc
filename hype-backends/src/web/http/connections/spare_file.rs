//! A file that is kept open, whose place a connection takes that has to be refused.

use std::fs::File;
use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use super::PAUSE;

/// Without a free file, no connection can be accepted, and so none can be closed either: clients would wait without an answer.
pub(super) struct SpareFile(Option<File>);

impl SpareFile {
    pub(super) fn new() -> Self {
        Self(open())
    }

    /// Accepts a connection after a failure to accept one, and closes it if the process can still open no more files. Waits a
    /// while if there is none, and after other failures.
    pub(super) async fn accept_after(
        &mut self,
        failed: &io::Error,
        listener: &TcpListener,
    ) -> Option<(TcpStream, SocketAddr)> {
        let had_one = self.0.take().is_some();
        if !is_out_of_files(failed) || !had_one {
            self.0 = open();
            sleep(PAUSE).await;
            return None;
        }
        let accepted = timeout(PAUSE, listener.accept()).await.ok().and_then(Result::ok);
        self.0 = open();
        if self.0.is_some() {
            return accepted;
        }
        drop(accepted);
        self.0 = open();
        None
    }
}

#[cfg(unix)]
fn open() -> Option<File> {
    File::open("/dev/null").ok()
}

#[cfg(unix)]
fn is_out_of_files(error: &io::Error) -> bool {
    use rustix::io::Errno;

    [Errno::MFILE, Errno::NFILE].iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// There is no such limit.
#[cfg(not(unix))]
fn open() -> Option<File> {
    None
}

#[cfg(not(unix))]
fn is_out_of_files(_: &io::Error) -> bool {
    false
}
