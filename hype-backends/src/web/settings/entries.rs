//! How fast raters may enter, and which proxies say where they come from.

use std::net::IpAddr;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many raters may enter, by their network address and in all. An entry is a consent that opens a new session; those who
/// have a session, or come with a one-time link, are not limited.
///
/// The defaults let a course of 40 enter at once from one address of a university, with every second student starting
/// twice, and several hundred participants of a panel within a minute. A stranger who enters and leaves again by program
/// gets 20 entries a minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("x-removed" = { "burst": [600, "set `source_burst`: ten times as many may enter from all addresses"] }))]
pub struct EntryLimits {
    /// Entries at once from one address: an IPv4 address, or the first 64 bits of an IPv6 address. After that as many in three
    /// minutes. From all addresses together, ten times as many may enter at once, and after that as many in two minutes.
    #[schemars(range(min = 1))]
    pub source_burst: u32,
}

impl Default for EntryLimits {
    fn default() -> Self {
        Self { source_burst: 60 }
    }
}

impl EntryLimits {
    /// Entries a minute from one address after a burst.
    pub(crate) fn source_per_minute(&self) -> u32 {
        (self.source_burst / 3).max(1)
    }

    /// Entries at once from all addresses together.
    pub(crate) fn burst(&self) -> u32 {
        self.source_burst.saturating_mul(10)
    }

    /// Entries a minute from all addresses after a burst.
    pub(crate) fn per_minute(&self) -> u32 {
        self.burst() / 2
    }

    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// An address, or a network of addresses such as `10.0.0.0/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Network {
    address: IpAddr,
    bits: u8,
}

/// A text that is not a [`Network`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotANetwork;

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse().map_err(|_| NotANetwork)?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| NotANetwork)?;
        let all = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(all);
        if bits <= all { Ok(Self { address, bits }) } else { Err(NotANetwork) }
    }
}

impl Network {
    /// Whether an address belongs to the network. An IPv4 address that is written as an IPv6 address is the same address.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        match (self.address.to_canonical(), address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let differing = own.to_bits() ^ other.to_bits();
                differing.leading_zeros() >= u32::from(self.bits)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let differing = own.to_bits() ^ other.to_bits();
                differing.leading_zeros() >= u32::from(self.bits)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_contains_the_addresses_with_its_first_bits() {
        let contains = |network: &str, address: &str| {
            network.parse::<Network>().unwrap().contains(address.parse().unwrap())
        };
        assert!(contains("10.0.0.0/8", "10.255.1.2"));
        assert!(!contains("10.0.0.0/8", "11.0.0.1"));
        assert!(contains("192.0.2.7", "192.0.2.7") && contains("192.0.2.7", "::ffff:192.0.2.7"));
        assert!(!contains("192.0.2.7", "192.0.2.6"));
        assert!(contains("2001:db8::/32", "2001:db8:1::9") && !contains("2001:db8::/32", "2001:db9::1"));
        assert!(contains("0.0.0.0/0", "203.0.113.9") && !contains("0.0.0.0/0", "2001:db8::1"));
        for text in ["", "proxy", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "::/129"] {
            assert_eq!(text.parse::<Network>(), Err(NotANetwork), "{text}");
        }
    }
}
