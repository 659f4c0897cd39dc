//! Pseudonyms: names that tell people apart without saying who they are.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hype_core::Digest;

const BLOCK: usize = 64;

/// Replaces names by pseudonyms that stay the same as long as the key does, and lead nobody back without it.
#[derive(Clone)]
pub struct Pseudonyms {
    key: [u8; 32],
}

impl std::fmt::Debug for Pseudonyms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pseudonyms(..)")
    }
}

/// The key of pseudonyms cannot be read or made; the operator looks at the file.
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
    /// The file holds something else.
    #[error("{} holds no key: 64 hexadecimal digits; name a file that does not exist to have one made", path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
    },
    /// The system gives no random numbers.
    #[error("the system gives no random numbers: {0}")]
    NoChance(getrandom::Error),
}

impl Pseudonyms {
    /// Pseudonyms by a fresh random key that is kept nowhere.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub fn fresh() -> Result<Self, KeyError> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(KeyError::NoChance)?;
        Ok(Self { key })
    }

    /// Pseudonyms by the key in a file, which is made, for its owner alone, if it is not there.
    ///
    /// # Errors
    /// If the file cannot be read or made, or holds something else.
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
                let mut options = OpenOptions::new();
                options.write(true).create_new(true);
                #[cfg(unix)]
                std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
                let mut file = options.open(path).map_err(disk)?;
                writeln!(file, "{}", Digest(made.key)).map_err(disk)?;
                file.sync_all().map_err(disk)?;
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
    /// The first 64 bits of HMAC-SHA-256 (RFC 2104). Among a million names two share theirs with a probability of
    /// 3·10⁻⁸.
    #[must_use]
    pub fn of(&self, name: &str) -> String {
        let mut text = self.digest(name).to_string();
        text.truncate(16);
        format!("worker-{text}")
    }

    /// The keyed digest of a name.
    #[must_use]
    pub fn digest(&self, name: &str) -> Digest {
        authenticate(&self.key, name.as_bytes())
    }
}

/// HMAC-SHA-256 with a key of at most one block.
fn authenticate(key: &[u8], message: &[u8]) -> Digest {
    let padded = |pad: u8| {
        let mut block = [pad; BLOCK];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        block.to_vec()
    };
    let mut inner = padded(0x36);
    inner.extend_from_slice(message);
    let mut outer = padded(0x5c);
    outer.extend_from_slice(&Digest::of(&inner).0);
    Digest::of(&outer)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test cases 1 and 2.
    #[test]
    fn digests_are_those_of_the_standard() {
        let first = authenticate(&[0x0b; 20], b"Hi There");
        assert_eq!(first.to_string(), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
        let second = authenticate(b"Jefe", b"what do ya want for nothing?");
        assert_eq!(second.to_string(), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
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
