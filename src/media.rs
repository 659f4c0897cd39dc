//! What opening a study takes for each kind of media: how its files are found, and what is proved of them.

use std::path::Path;

use hype_core::diagnostics::Diagnostics;
use hype_core::{SetId, Stimulus, StimulusSet};
use hype_images::FoundFile;

mod images;

pub(crate) use self::images::Images;

/// A kind of media. [`open`](crate::open) reads stimuli through this trait alone.
pub(crate) trait Medium {
    /// What is known of a file that was read to its end.
    type Inspected;
    /// The digests of files that were read before.
    type Cache;

    /// Opens the cache beside a spec; an empty one if there is none.
    fn cache(folder: &Path) -> Self::Cache;

    /// Keeps the cache for the next time. A cache only saves time, so that a failure is ignored.
    fn keep(cache: Self::Cache);

    /// Finds the files of a set, and warns of files that are of no medium of this kind.
    fn find(folder: &Path, patterns: &[String], at: &mut Diagnostics) -> Vec<FoundFile>;

    /// Reads the files of a set, and reports those that cannot be used or do not fit the others; empty if any cannot be
    /// used.
    fn inspect(
        files: &[FoundFile],
        cache: &mut Self::Cache,
        progress: &(dyn Fn(usize) + Sync),
        at: &mut Diagnostics,
    ) -> Vec<Self::Inspected>;

    /// Warns of features other than the content by which raters could tell real from generated stimuli. There is a list
    /// of files for each set.
    fn compare(sets: &[StimulusSet], files: &[Vec<Self::Inspected>], at: &mut Diagnostics);

    /// The stimulus that a file is.
    fn stimulus(set: SetId, file: Self::Inspected) -> Stimulus;
}
