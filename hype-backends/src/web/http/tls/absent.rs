//! What stands in for TLS in a program that was built without it.

use std::io;
use std::path::Path;

use tokio::net::TcpListener;

use super::TlsError;
use crate::web::settings::Tls;

/// A certificate, which this program cannot have.
pub(crate) enum Certified {}

impl Certified {
    /// Says how to build a program that reads certificates.
    pub(crate) fn read(tls: &Tls, _: &Path) -> Result<Self, TlsError> {
        Err(TlsError {
            file: tls.certificate.to_string(),
            reason: format!("{}; {}", super::NOT_BUILT, super::HOW_TO_BUILD),
        })
    }

    pub(crate) fn listen(self, _: TcpListener) -> io::Result<TcpListener> {
        match self {}
    }
}
