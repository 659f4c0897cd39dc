//! Media: what kind of file a stimulus is.

use serde::{Deserialize, Serialize};

/// What kind of file a stimulus is, with what is known of every file of that kind.
///
/// The enum is exhaustive on purpose: a new kind of media has to be handled wherever a stimulus is checked, shown or
/// listed, and the compiler names those places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Media {
    /// A still image.
    Image {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
}
