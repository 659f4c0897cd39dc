//! Kinds of media: how files are found, and what is checked before a study begins.

#[cfg(feature = "media")]
use std::io::Read as _;
use std::path::Path;

use hype_core::diagnostics::Diagnostics;
use hype_core::{Item, SetId, Stimulus, StimulusSet};
use hype_images::{Cache, FoundFile};

#[cfg(feature = "media")]
mod clips;
mod images;
#[cfg(feature = "media")]
mod texts;

#[cfg(feature = "media")]
pub(crate) use self::clips::{Clips, refuse_slow};
pub(crate) use self::images::Images;
#[cfg(feature = "media")]
pub(crate) use self::texts::Texts;

/// The number of examples in a message.
const EXAMPLES: usize = 3;

/// A kind of media. [`open`](crate::open) reads stimuli only through this trait.
pub(crate) trait Medium {
    /// The result of reading a file completely.
    type Inspected;

    /// Finds the files of a set, and warns of files of other kinds.
    fn find(folder: &Path, patterns: &[String], at: &mut Diagnostics) -> Vec<FoundFile>;

    /// Whether the source of an item with this name is of this kind; by default it is an image, as other conditions are.
    fn is_source(_name: &str) -> bool {
        false
    }

    /// Reads the files of a set. Reports files that cannot be used or differ greatly from the others. Empty if any file
    /// cannot be used. The cache has the digests of files that were read earlier.
    fn inspect(
        files: &[FoundFile],
        cache: &mut Cache,
        progress: &(dyn Fn(usize) + Sync),
        at: &mut Diagnostics,
    ) -> Vec<Self::Inspected>;

    /// Warns of features other than content by which raters could distinguish real from generated stimuli. `files` has
    /// one list for each set, and `stimuli` what is shown of them, in their order.
    fn compare(
        sets: &[StimulusSet],
        files: &[Vec<Self::Inspected>],
        stimuli: &[Stimulus],
        at: &mut Diagnostics,
    );

    /// Turns a file into a stimulus.
    fn stimulus(set: SetId, file: &Self::Inspected) -> Stimulus;

    /// Shortens the outputs of each item to the shortest, where the media have a duration.
    fn cut(_folder: &Path, _items: &[Item], _stimuli: &mut [Stimulus], _at: &mut Diagnostics) {}
}

/// Finds files of a kind, and warns of others. The words are the field, the files in the plural, and the advice on others.
#[cfg(feature = "media")]
fn find_files(
    folder: &Path,
    patterns: &[String],
    (field, plural, advice): (&str, &str, &str),
    is_wanted: impl Fn(&str) -> bool,
    at: &mut Diagnostics,
) -> Vec<FoundFile> {
    let found = match hype_images::find_named(folder, patterns, is_wanted) {
        Ok(found) => found,
        Err(hype_images::ImageError::NoImages { pattern, files, kinds }) => {
            let message = format!(
                "{pattern} matches {}, but no {plural}: {kinds}",
                hype_core::words::counted(files, "file")
            );
            at.field(field).error("no-files", message).help(advice);
            return Vec::new();
        }
        Err(error) => {
            at.field(field).error("no-files", error.to_string()).help(
                "patterns are relative to the spec's folder; `*` stands for any name, `**` for any folders",
            );
            return Vec::new();
        }
    };
    if let Some(first) = found.others.first() {
        let count = hype_core::words::counted(found.others.len(), "file");
        at.field(field)
            .warning("other-files", format!("{count} skipped, such as {}", first.relative))
            .help(advice);
    }
    found.images
}

/// The bytes of a file that is not longer than a limit.
#[cfg(feature = "media")]
fn read_file(file: &FoundFile, limit: usize) -> Result<Vec<u8>, String> {
    let unreadable = |error: std::io::Error| format!("{} cannot be read: {error}", file.relative);
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(&file.path).map_err(unreadable)?;
    // The parser reports a file of one byte more as too long.
    opened.take(limit as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}
