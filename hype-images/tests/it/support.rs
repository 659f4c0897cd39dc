//! Helpers of several tests.

pub(crate) mod bytes;
#[cfg(feature = "masks")]
#[path = "../../../tests/it/support/proof.rs"]
pub(crate) mod proof;
pub(crate) mod reference;
#[cfg(feature = "masks")]
pub(crate) mod textures;
