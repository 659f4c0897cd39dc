//! Inspects many files at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::cache::Cache;
use crate::error::{Faults, ImageError};
use crate::find::FoundFile;
use crate::inspect::budget::Budget;
use crate::inspect::{Inspected, Stamp, read, stamp};
use crate::limits;

/// Inspects files in parallel, in the order given, and stores the results in the cache.
///
/// A file whose length and modification time are in the cache is not opened. `progress` is called
/// with the number of files done, from several threads and once for each number. Valid files are
/// stored even if others are not valid.
///
/// # Errors
/// All faults, in the order of the files.
pub fn inspect_all(
    files: &[FoundFile],
    cache: &mut Cache,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Inspected>, Faults> {
    let known = &*cache;
    let budget = Budget::new(limits::MEMORY);
    let done = AtomicUsize::new(0);
    let results: Vec<_> = files
        .par_iter()
        .map(|file| {
            let result = one(file, known, &budget);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1);
            result
        })
        .collect();
    let mut images = Vec::with_capacity(files.len());
    let mut faults = Vec::new();
    let horizon = cache.horizon();
    for result in results {
        match result {
            Ok((image, stamp)) => {
                cache.remember(&image, stamp, horizon);
                images.push(image);
            }
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(images) } else { Err(Faults(faults)) }
}

fn one(file: &FoundFile, cache: &Cache, budget: &Budget) -> Result<(Inspected, Stamp), ImageError> {
    let now = stamp(&file.path, &file.relative)?;
    if let Some(image) = cache.look_up(&file.relative, now) {
        return Ok((image, now));
    }
    read(&file.path, &Arc::clone(&file.relative), budget)
}
