//! TLS by the server itself, for pages with a certificate in programs built with the feature `tls`.

use std::path::Path;

use hype_core::Diagnostics;

use crate::web::settings::Tls;

#[cfg(not(feature = "tls"))]
mod absent;
#[cfg(feature = "tls")]
mod server;

#[cfg(not(feature = "tls"))]
pub(crate) use self::absent::Certified;
#[cfg(feature = "tls")]
pub(super) use self::server::Certified;

/// A certificate or its key cannot be used. The operator corrects the named file.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {reason}")]
pub struct TlsError {
    file: String,
    reason: String,
}

/// Checks that the certificate of a page can be used, at the path of its section.
pub(crate) fn check(tls: &Tls, folder: &Path, at: &mut Diagnostics) {
    if let Some(error) = Certified::read(tls, folder).err() {
        let help = if cfg!(feature = "tls") {
            "paths are relative to the spec's folder; both files are in PEM form"
        } else {
            "leave `tls` out, and put a proxy that terminates HTTPS in front of the page"
        };
        at.error("bad-certificate", error.to_string()).help(help);
    }
}
