//! Replaces TLS in a program that was built without it.

use std::io;
use std::path::Path;

use tokio::net::TcpListener;

use super::TlsError;
use crate::web::settings::{TLS_ABSENT, TLS_REMEDY, Tls};

/// A certificate, which this program cannot use.
pub(crate) enum Certified {}

impl Certified {
    /// Says how to build a program that reads certificates.
    pub(in crate::web::http) fn read(tls: &Tls, _: &Path) -> Result<Self, TlsError> {
        Err(TlsError {
            file: tls.certificate.to_string(),
            reason: "this program was built without TLS: build it with `cargo install --path hype-cli --features tls`".into(),
        })
    }

    pub(crate) fn listen(self, _: TcpListener) -> io::Result<TcpListener> {
        match self {}
    }
}
