//! Replaces TLS in a program that was built without it.

use std::io;
use std::path::Path;

use tokio::net::TcpStream;

use super::TlsError;
use crate::web::settings::{TLS_ABSENT, TLS_REMEDY, Tls};

/// A certificate, which this program cannot use.
pub(crate) enum Certified {}

impl Certified {
    /// Fails with how to build a program with TLS.
    pub(crate) fn read(tls: &Tls, _: &Path) -> Result<Self, TlsError> {
        Err(TlsError { file: tls.certificate.to_string(), reason: format!("{}; {}", TLS_ABSENT, TLS_REMEDY) })
    }

    pub(crate) async fn accept(&self, _: TcpStream) -> io::Result<TcpStream> {
        match *self {}
    }
}
