//! Where the bytes of images come from.

use std::ops::Range;

use hype_core::StimulusId;

/// The images of a study as raters get them: each decoded and encoded again by one encoder, all of one length.
///
/// `hype_images` prepares such images; an embedding program may bring its own.
pub trait Pictures: Send + Sync {
    /// A stimulus as it is sent.
    ///
    /// # Errors
    /// If it cannot be read.
    fn stimulus(&self, id: StimulusId) -> std::io::Result<Vec<u8>>;

    /// Width and height of a stimulus as it is sent, in pixels.
    fn size(&self, id: StimulusId) -> (u32, u32);

    /// The numbers of the masks that may follow a stimulus; nothing where there are none.
    fn masks(&self, id: StimulusId) -> Range<u32>;

    /// A mask as it is sent.
    ///
    /// # Errors
    /// If it cannot be read.
    fn mask(&self, number: u32) -> std::io::Result<Vec<u8>>;
}
