//! Helpers of several tests.

pub(crate) mod bytes;
#[path = "../../../tests/it/support/proof.rs"]
pub(crate) mod proof;
pub(crate) mod reference;
pub(crate) mod sources;
#[cfg(feature = "masks")]
pub(crate) mod textures;
