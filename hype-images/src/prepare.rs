//! Converts every file of a study into what raters see, once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::decode::{Decoding, Examined, WHITE};
use crate::digest::{ContentDigest, PixelDigest};
use crate::encode::Encoding;
use crate::error::{Faults, ImageError};
use crate::framing::Framing;
use crate::inspect::budget::Budget;
use crate::inspect::load;
use crate::limits;
use crate::picture::{Picture, PictureError, Size};
use crate::resample::Filter;

mod length;
mod store;

pub use length::{estimated_length, smaller_lossless};
pub(crate) use store::Store;

/// How files are converted; the same for all of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PrepareRule {
    /// How sizes change.
    pub framing: Framing,
    /// How pictures are resampled.
    pub filter: Filter,
    /// The background behind transparent pixels: red, green and blue in sRGB.
    pub background: [u8; 3],
    /// How pictures are encoded.
    #[serde(skip_serializing_if = "Encoding::is_default")]
    pub encoding: Encoding,
}

/// Sizes are unchanged, transparent pixels become white, and files are PNGs.
impl Default for PrepareRule {
    fn default() -> Self {
        Self {
            framing: Framing::Whole,
            filter: Filter::Bicubic,
            background: WHITE,
            encoding: Encoding::default(),
        }
    }
}

/// A file that a study was made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// Its name in errors.
    pub name: Arc<str>,
    /// The path to open.
    pub path: PathBuf,
    /// The digest that its content must have.
    pub digest: ContentDigest,
}

/// A prepared original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The file in the folder, as [`encode`](crate::encode()) writes it.
    pub path: PathBuf,
    /// The digest of the original.
    pub original: ContentDigest,
    /// The digest of the file.
    pub digest: ContentDigest,
    /// The digest of its decoded pixels: two originals with the same digest look the same to raters.
    pub pixels: PixelDigest,
    /// The length of the file, in bytes.
    pub bytes: u64,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

impl Prepared {
    /// Reads the file and checks that it has not changed.
    ///
    /// # Errors
    /// [`ImageError::OtherContent`] if the file was changed, or the error of reading it. Removing the
    /// file and preparing again repairs it.
    pub fn read(&self) -> Result<Vec<u8>, ImageError> {
        let name: Arc<str> = self.path.display().to_string().into();
        let (bytes, _) = load(&self.path, &name)?;
        same(&name, &bytes, self.digest)?;
        Ok(bytes)
    }
}

/// Decodes, frames and encodes files in parallel, each content once, and keeps the results in a
/// folder.
///
/// Results that are already there are not made again: each rule has a folder, in which results are
/// named by the original's digest. Each is first written under another name: a kill at any
/// moment leaves no partial file. `progress` is called with the number of originals done, from several
/// threads and once for each number. Returns the prepared originals, in order.
///
/// Memory is bounded by [`limits::MEMORY`] for all threads together, and one file of at most
/// [`limits::FILE_BYTES`] for each thread.
///
/// # Errors
/// All faults, in the order of the originals. Originals without fault are prepared nevertheless.
pub fn prepare(
    originals: &[Original],
    rule: &PrepareRule,
    folder: &Path,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Prepared>, Faults> {
    let store = Store::open(folder, rule, rule.encoding).map_err(|fault| Faults(vec![fault]))?;
    let budget = Budget::new(limits::MEMORY);
    let mut first: HashMap<ContentDigest, &Original> = HashMap::new();
    for original in originals {
        first.entry(original.digest).or_insert(original);
    }
    let done = AtomicUsize::new(0);
    let tell = || progress(done.fetch_add(1, Ordering::Relaxed) + 1);
    let made: Vec<Option<Result<Prepared, ImageError>>> = originals
        .par_iter()
        .map(|original| {
            // Identical content under several names is prepared once, where it occurs first.
            let repeated = !std::ptr::eq(first[&original.digest], original);
            let result = (!repeated).then(|| one(original, rule, &store, &budget));
            tell();
            result
        })
        .collect();
    let mut prepared: Vec<Prepared> = Vec::with_capacity(originals.len());
    let mut faults = Vec::new();
    let mut by_digest: HashMap<ContentDigest, usize> = HashMap::new();
    for (original, result) in originals.iter().zip(made) {
        match result {
            Some(Ok(one)) => {
                by_digest.insert(original.digest, prepared.len());
                prepared.push(one);
            }
            Some(Err(fault)) => faults.push(fault),
            None => {
                // If the first file with this content failed, its fault applies to all of them.
                if let Some(&index) = by_digest.get(&original.digest) {
                    prepared.push(prepared[index].clone());
                }
            }
        }
    }
    if faults.is_empty() { Ok(prepared) } else { Err(Faults(faults)) }
}

fn one(
    original: &Original,
    rule: &PrepareRule,
    store: &Store,
    budget: &Budget,
) -> Result<Prepared, ImageError> {
    if let Some(known) = store.look_up(original.digest) {
        return Ok(known);
    }
    framed(original, rule, budget, |picture| store.keep(original.digest, picture))?
}

/// Decodes and frames an original, and passes the picture on while its memory is reserved.
fn framed<T>(
    original: &Original,
    rule: &PrepareRule,
    budget: &Budget,
    then: impl FnOnce(&Picture) -> T,
) -> Result<T, ImageError> {
    let (bytes, _) = load(&original.path, &original.name)?;
    same(&original.name, &bytes, original.digest)?;
    let decoding = Decoding { background: rule.background, ..Decoding::default() };
    let examined = Examined::of(&original.name, &bytes, &decoding)?;
    let refused = |source| ImageError::Framing { path: original.name.to_string(), source };
    // The memory of decoding is released before framing begins, except for the picture.
    let memory = examined.memory().max(framed_memory(&examined, rule).map_err(refused)?);
    let _share = budget.take(memory);
    let decoded = examined.decode(&original.name, &bytes, &decoding)?;
    let picture = rule.framing.frame(&decoded.picture, rule.filter).map_err(refused)?;
    drop(decoded);
    Ok(then(&picture))
}

/// The peak memory of framing and encoding, in bytes.
fn framed_memory(examined: &Examined, rule: &PrepareRule) -> Result<u64, PictureError> {
    let (width, height) = examined.size();
    let stored = Size::new(width, height)?;
    let pixels = |size: Size| size.pixels() as u64;
    // For any orientation.
    let (upright, turned) = (rule.framing.plan(stored)?, rule.framing.plan(stored.turned())?);
    let to = pixels(upright.1).max(pixels(turned.1));
    // The picture and the cropped part; for the result, sums of four bytes, levels, and bytes of the
    // encoder. What is encoded with losses is decoded again.
    let encoder = if rule.encoding.is_lossless() { 6 } else { 6 + 12 };
    Ok(pixels(stored) * (3 + 3) + to * (12 + 3 + encoder))
}

fn same(name: &str, bytes: &[u8], wanted: ContentDigest) -> Result<(), ImageError> {
    let found = ContentDigest::of(bytes);
    if found == wanted {
        Ok(())
    } else {
        Err(ImageError::OtherContent { path: name.to_owned(), wanted, found })
    }
}
