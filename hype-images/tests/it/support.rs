//! What several tests use.

pub(crate) mod bytes;
pub(crate) mod reference;
#[cfg(feature = "masks")]
pub(crate) mod textures;
