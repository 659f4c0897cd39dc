//! Hash chains of logs: each entry's hash covers the entry and, through the previous hash, all entries before it.
//!
//! A chain reveals that an entry was altered, removed from the middle, or moved. It has no key, so anyone who alters a
//! log on purpose can recompute the hashes.

use sha2::{Digest as _, Sha256};

/// The hash of the last entry so far: the first 8 bytes of a SHA-256 digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chain([u8; 8]);

/// The hash of an entry's form, for stores that keep forms separately from values: the first 8 bytes of a SHA-256 digest, so an
/// entry of usual length is hashed in one block.
pub(crate) type Form = [u8; 8];

impl Chain {
    /// The chain of an empty log.
    pub(crate) fn of(session: &str) -> Self {
        Self(first(&Sha256::digest(session)))
    }

    /// The chain after one more entry.
    pub(crate) fn then(self, form: &Form, values: &[u8]) -> Self {
        let hash = Sha256::new().chain_update(self.0).chain_update(form).chain_update(values);
        Self(first(&hash.finalize()))
    }

    /// The chain of what replaces a log that ends here and is erased. It differs from that of a new log, so events that were
    /// deleted in any other way are found missing.
    pub(crate) fn erased(self) -> Self {
        self.then(&form("erased"), &[])
    }

    /// The hash as a database's integer.
    pub(crate) fn to_integer(self) -> i64 {
        i64::from_be_bytes(self.0)
    }

    /// The hash from a database's integer.
    pub(crate) fn from_integer(stored: i64) -> Self {
        Self(stored.to_be_bytes())
    }
}

/// The hash of a form.
pub(crate) fn form(text: &str) -> Form {
    first(&Sha256::digest(text))
}

fn first(hash: &[u8]) -> [u8; 8] {
    std::array::from_fn(|at| hash[at])
}
