//! TLS by the server itself, where the page names a certificate and the program was built with the feature `tls`.

#[cfg(not(feature = "tls"))]
mod absent;
#[cfg(feature = "tls")]
mod server;

#[cfg(not(feature = "tls"))]
pub(crate) use self::absent::Certified;
#[cfg(feature = "tls")]
pub(crate) use self::server::Certified;

/// A certificate or its key cannot be used; the operator corrects the file that is named.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {reason}")]
pub struct TlsError {
    file: String,
    reason: String,
}
