//! Where the page's images come from.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use hype_core::StimulusId;

/// A file that is sent to a rater.
#[derive(Debug)]
pub enum StimulusFile {
    /// Its bytes.
    Memory(Vec<u8>),
    /// A file of so many bytes, which is read while it is sent.
    Disk(File, u64),
}

impl StimulusFile {
    /// Opens a file to read it while it is sent.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Self::Disk(file, length))
    }
}

/// The images, clips or texts of a study as they are sent to raters. All images must come from one encoder and have the same
/// length, or their files reveal what they show.
///
/// [`PreparedImages`](super::prepared::PreparedImages) is the usual source; an embedding program may provide its own.
pub trait ImageSource: Send + Sync {
    /// The media type of all files: `image/png` unless the source says otherwise.
    fn media_type(&self) -> &'static str {
        "image/png"
    }

    /// The media type of a stimulus: that of all files unless the study shows clips or texts.
    fn media_type_of(&self, _id: StimulusId) -> &'static str {
        self.media_type()
    }

    /// The media type of masks: that of all files unless texts are masked.
    fn media_type_of_masks(&self) -> &'static str {
        self.media_type()
    }

    /// The file of a stimulus.
    ///
    /// # Errors
    /// If it cannot be read.
    fn stimulus(&self, id: StimulusId) -> std::io::Result<Vec<u8>>;

    /// The path of a stimulus that is sent as it lies on the disk, such as a clip: it is read in pieces while it is sent. `None` if
    /// the whole file is read first.
    fn path(&self, _id: StimulusId) -> Option<&Path> {
        None
    }

    /// The width and height of a stimulus in pixels, as sent; zeros for a text.
    fn size(&self, id: StimulusId) -> (u32, u32);

    /// The length of a plain text in characters (Unicode scalar values), as sent; 0 for everything else.
    fn characters(&self, _id: StimulusId) -> u32 {
        0
    }

    /// The masks that may follow a stimulus; empty if there are none.
    fn masks(&self, id: StimulusId) -> Range<u32>;

    /// The file of an example in the instructions, by its position in the settings.
    ///
    /// # Errors
    /// If no example has this position, or its file cannot be read.
    fn example(&self, _position: usize) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }

    /// The width and height of an example in pixels, as sent.
    fn example_size(&self, _position: usize) -> (u32, u32) {
        (0, 0)
    }

    /// The file of a mask.
    ///
    /// # Errors
    /// If it cannot be read.
    fn mask(&self, number: u32) -> std::io::Result<Vec<u8>>;
}
