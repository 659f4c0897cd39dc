//! Kinds of media: how files are found, and what is checked before a study begins.

use std::path::Path;

use hype_core::diagnostics::Diagnostics;
use hype_core::{SetId, Stimulus, StimulusSet};
use hype_images::FoundFile;

mod images;

pub(crate) use self::images::Images;

/// A kind of media. [`open`](crate::open) reads stimuli only through this trait.
pub(crate) trait Medium {
    /// The result of reading a file completely.
    type Inspected;
    /// Digests of files that were read earlier.
    type Cache;

    /// Opens the cache next to a spec; empty if the file does not exist.
    fn cache(folder: &Path) -> Self::Cache;

    /// Saves the cache. A failure is ignored, as a cache only saves time.
    fn keep(cache: Self::Cache);

    /// Finds the files of a set, and warns of files of other kinds.
    fn find(folder: &Path, patterns: &[String], at: &mut Diagnostics) -> Vec<FoundFile>;

    /// Reads the files of a set. Reports files that cannot be used or differ greatly from the others. Empty if any file
    /// cannot be used.
    fn inspect(
        files: &[FoundFile],
        cache: &mut Self::Cache,
        progress: &(dyn Fn(usize) + Sync),
        at: &mut Diagnostics,
    ) -> Vec<Self::Inspected>;

    /// Warns of features other than content by which raters could distinguish real from generated stimuli. `files` has
    /// one list for each set.
    fn compare(sets: &[StimulusSet], files: &[Vec<Self::Inspected>], at: &mut Diagnostics);

    /// Turns a file into a stimulus.
    fn stimulus(set: SetId, file: Self::Inspected) -> Stimulus;
}
