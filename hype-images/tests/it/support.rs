//! What several tests use.
//!
//! Tests that take long are shorter by default, and whole with `HYPE_PROVE=1`.

pub(crate) mod bytes;
pub(crate) mod reference;
#[cfg(feature = "masks")]
pub(crate) mod textures;

/// Whether tests take their whole length.
#[cfg(feature = "masks")]
pub(crate) fn prove() -> bool {
    std::env::var_os("HYPE_PROVE").is_some_and(|value| value == "1")
}
