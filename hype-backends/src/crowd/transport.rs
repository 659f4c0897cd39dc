//! How platforms are reached: one HTTP client, and the addresses that it is used with.

use std::net::IpAddr;
use std::time::Duration;

use reqwest::Url;
use rustls::crypto::{CryptoProvider, ring};

use crate::clock::Clock;

/// How many times a request that may be repeated is sent.
pub const ATTEMPTS: u32 = 4;

/// The pause before the first repetition; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// The longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// The HTTP client cannot be made, usually because the system has no certificates. It is the operator's move.
#[derive(Debug, thiserror::Error)]
#[error("requests by HTTPS are not possible: {0}")]
pub struct TransportError(String);

/// The pause before a request is sent again after a number of attempts: twice as long after each, less up to a half. The share is the
/// moment within its millisecond, by which the pauses of different clients differ.
#[must_use]
pub fn pause(attempts: u32, clock: &dyn Clock) -> Duration {
    let longest = FIRST_PAUSE.saturating_mul(1 << attempts.saturating_sub(1).min(5));
    let share = (clock.now().0 % 1_000) as f64 / 1_000.0;
    longest.mul_f64(1.0 - share / 2.0)
}

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
    use hype_core::Micros;

    use super::*;

    #[derive(Debug)]
    struct At(u64);

    impl Clock for At {
        fn now(&self) -> Micros {
            Micros(self.0)
        }
    }

    #[test]
    fn pauses_double_and_differ_by_up_to_a_half() {
        let pauses = [1, 2, 3].map(|attempts| pause(attempts, &At(5_000)).as_millis());
        assert_eq!(pauses, [1_000, 2_000, 4_000]);
        assert_eq!(pause(1, &At(5_500)).as_millis(), 750);
        assert_eq!(pause(40, &At(0)).as_secs(), 32);
    }

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
