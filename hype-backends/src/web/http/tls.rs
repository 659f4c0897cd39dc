//! TLS by the server itself, where the page names a certificate and the program was built with the feature `tls`.

#[cfg(not(feature = "tls"))]
mod absent;
#[cfg(feature = "tls")]
mod server;

#[cfg(not(feature = "tls"))]
pub(crate) use self::absent::Certified;
#[cfg(feature = "tls")]
pub(crate) use self::server::Certified;

/// What a program without the feature says of a page with a certificate.
#[cfg(not(feature = "tls"))]
pub(crate) const NOT_BUILT: &str = "this program was built without TLS";

/// The remedy.
#[cfg(not(feature = "tls"))]
pub(crate) const HOW_TO_BUILD: &str = "build it with `cargo install --path hype-cli --features tls`, or leave `tls` out and put a proxy in front of it";

/// A certificate or its key cannot be used; the operator corrects the file that is named.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {reason}")]
pub struct TlsError {
    file: String,
    reason: String,
}
