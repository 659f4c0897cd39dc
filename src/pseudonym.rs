//! Pseudonyms: names that distinguish people without identifying them.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hmac::digest::KeyInit;
use hmac::{Hmac, Mac as _};
use hype_core::Digest;
use hype_images::replace_file;
use sha2::Sha256;

/// Replaces names by pseudonyms. They depend on a key, and cannot be traced back without it.
#[derive(Clone)]
pub struct Pseudonyms {
    key: [u8; 32],
}

impl std::fmt::Debug for Pseudonyms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pseudonyms(..)")
    }
}

/// The key cannot be read or created; the operator checks the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The file does not contain a key.
    #[error(
        "{} does not contain a key of 64 hexadecimal digits; name a file that does not exist to create a new key",
        path.display()
    )]
    NoKey {
        /// The file.
        path: PathBuf,
    },
    /// The system's source of random numbers failed.
    #[error("the system's source of random numbers failed: {0}")]
    NoChance(getrandom::Error),
}

impl Pseudonyms {
    /// Pseudonyms with a fresh random key that is not stored.
    ///
    /// # Errors
    /// If the system's source of random numbers fails.
    pub fn fresh() -> Result<Self, KeyError> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(KeyError::NoChance)?;
        Ok(Self { key })
    }

    /// Pseudonyms with the key in a file. If the file does not exist, it is created and readable only by its owner.
    ///
    /// # Errors
    /// If the file cannot be read or created, or does not contain a key.
    pub fn kept_in(path: &Path) -> Result<Self, KeyError> {
        let disk = |source| KeyError::Disk { path: path.to_owned(), source };
        match fs::read_to_string(path) {
            Ok(text) => {
                let key: Digest =
                    text.trim().parse().map_err(|_| KeyError::NoKey { path: path.to_owned() })?;
                Ok(Self { key: key.0 })
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let made = Self::fresh()?;
                let write = |mut file: &fs::File| {
                    #[cfg(unix)]
                    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
                    writeln!(file, "{}", Digest(made.key))?;
                    file.sync_all()
                };
                replace_file(path, write).map_err(disk)?;
                Ok(made)
            }
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                Err(KeyError::NoKey { path: path.to_owned() })
            }
            Err(source) => Err(disk(source)),
        }
    }

    /// The pseudonym of a name: `worker-` and 16 hexadecimal digits.
    ///
    /// # Method
    /// The first 64 bits of HMAC-SHA-256 (RFC 2104). Among a million names, two have the same pseudonym with a
    /// probability of 3·10⁻⁸.
    #[must_use]
    pub fn of(&self, name: &str) -> String {
        let mut text = self.digest(name).to_string();
        text.truncate(16);
        format!("worker-{text}")
    }

    /// The keyed digest of a name.
    #[must_use]
    pub fn digest(&self, name: &str) -> Digest {
        #[expect(clippy::unwrap_used, reason = "HMAC takes keys of any length")]
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.key).unwrap();
        mac.update(name.as_bytes());
        Digest(mac.finalize().into_bytes().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference value is Python's `hmac.new(bytes(range(32)), b"A2XYZ", "sha256")`, version 3.11.
    #[test]
    fn digests_match_the_standard() {
        let key = std::array::from_fn(|place| place as u8);
        let digest = Pseudonyms { key }.digest("A2XYZ").to_string();
        assert_eq!(digest, "be38ac0a8dabba645cb17a86d48595aeb93b2d4de11a0649b06a8d3069682da8");
    }

    #[test]
    fn a_kept_key_gives_the_same_pseudonyms_and_others_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let first = Pseudonyms::kept_in(&path).unwrap().of("A2XYZ");
        assert_eq!(Pseudonyms::kept_in(&path).unwrap().of("A2XYZ"), first);
        assert_ne!(Pseudonyms::fresh().unwrap().of("A2XYZ"), first);
        assert_eq!(first.len(), 23);
        fs::write(&path, "not a key").unwrap();
        assert!(matches!(Pseudonyms::kept_in(&path), Err(KeyError::NoKey { .. })));
    }
}
