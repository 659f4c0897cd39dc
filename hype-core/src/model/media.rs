//! Media: the kinds of files that stimuli can be.

use serde::{Deserialize, Serialize};

/// The kind of file that a stimulus is, with the properties known of every such file.
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
