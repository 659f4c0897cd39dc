//! How platforms are reached: one HTTP client, and the addresses that it is used with.

use std::net::IpAddr;
use std::time::Duration;

use reqwest::Url;
use rustls::crypto::{CryptoProvider, ring};

/// The longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// The HTTP client cannot be made, usually because the system has no certificates. It is the operator's move.
#[derive(Debug, thiserror::Error)]
#[error("requests by HTTPS are not possible: {0}")]
pub struct TransportError(String);

/// A client for requests to an address, without redirects and without repetitions.
///
/// # Errors
/// If the system's certificates cannot be read.
pub fn client(endpoint: &str) -> Result<reqwest::Client, TransportError> {
    // A program with another implementation of cryptography keeps it.
    if CryptoProvider::get_default().is_none() {
        let _ = ring::default_provider().install_default();
    }
    let mut client = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never());
    if Url::parse(endpoint).is_ok_and(|url| is_loopback(&url)) {
        client = client.no_proxy();
    }
    client.build().map_err(|error| TransportError(error.to_string()))
}

/// Whether an address can be that of a platform: by HTTPS, or on this machine, without a user, parameters or a fragment.
#[must_use]
pub fn is_endpoint(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        let is_safe = url.scheme() == "https" || (url.scheme() == "http" && is_loopback(&url));
        let is_plain = url.query().is_none() && url.fragment().is_none();
        is_safe && is_plain && url.username().is_empty() && url.password().is_none()
    })
}

/// Whether an address is one of this machine.
#[must_use]
pub fn is_on_this_machine(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| is_loopback(&url))
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_sent_by_https_or_to_this_machine() {
        for fine in [
            "https://api.example.org/api/v1",
            "http://127.0.0.1:7000",
            "http://[::1]:7000",
            "http://localhost",
        ] {
            assert!(is_endpoint(fine), "{fine}");
        }
        for none in [
            "http://example.org",
            "http://127.0.0.1.example.org",
            "https://user:secret@example.org",
            "https://example.org/?a=b",
            "https://example.org/#a",
            "ftp://localhost",
            "example.org",
            "",
        ] {
            assert!(!is_endpoint(none), "{none}");
        }
    }
}
