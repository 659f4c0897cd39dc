//! Draws the images of an example study: a real process, and three models of graded quality.
//!
//! Every image is a pure function of process, index, seed and size. Only integers and the operations
//! that IEEE 754 rounds exactly (`+ - * /`, square root, floor) are used: every machine draws
//! the same bytes.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::encode::{Encoding, encode};
use crate::error::ImageError;
use crate::picture::{Picture, Size};
use crate::splitmix::scramble;

mod scene;

use scene::Scene;

/// The smallest side that can be drawn, in pixels.
const MIN_SIZE: u32 = 16;

/// The greatest side that can be drawn, in pixels.
const MAX_SIZE: u32 = 1024;

/// The process that makes an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Process {
    /// Painted balls on a table, lit from one side.
    Real,
    /// A model that is nearly right: balls are not quite round, highlights are displaced.
    Good,
    /// A model that is visibly wrong: shadows fall towards the light, outlines waver.
    Middling,
    /// A model that is plainly wrong: torn and blocky as well.
    Weak,
}

impl Process {
    /// Every process, the best first.
    pub const ALL: [Self; 4] = [Self::Real, Self::Good, Self::Middling, Self::Weak];
}

/// Draws one image.
///
/// Different indices give different scenes, and so do different processes.
///
/// # Errors
/// [`ImageError::Size`] for a side of less than 16 or more than 1024 pixels.
///
/// # Examples
/// ```
/// use hype_images::sample::{self, Process};
///
/// let picture = sample::draw(Process::Real, 0, 7, 64)?;
/// assert_eq!((picture.width(), picture.height()), (64, 64));
/// assert_eq!(picture, sample::draw(Process::Real, 0, 7, 64)?);
/// # Ok::<(), hype_images::ImageError>(())
/// ```
pub fn draw(process: Process, index: u64, seed: u64, size: u32) -> Result<Picture, ImageError> {
    let refused = || ImageError::Size { size, least: MIN_SIZE, most: MAX_SIZE };
    if !(MIN_SIZE..=MAX_SIZE).contains(&size) {
        return Err(refused());
    }
    let square = Size::new(size, size).map_err(|_| refused())?;
    let scene = Scene::new(process, scramble(scramble(scramble(seed) ^ (process as u64 + 1)) ^ index));
    Ok(Picture::from_fn(square, |x, y| scene.pixel(x, y, size)))
}

/// Draws images `0..count` of a process into a folder as `0001.png`, `0002.png`, …
///
/// The folder is created if it does not exist; files of these names are replaced. `progress` is
/// called with the number of images done, from several threads.
///
/// # Errors
/// [`ImageError::Size`] as for [`draw`], and [`ImageError::Write`] if the folder or a file cannot be
/// written.
pub fn write_set(
    folder: &Path,
    process: Process,
    count: u64,
    seed: u64,
    size: u32,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<(), ImageError> {
    let failed =
        |path: &Path, source: std::io::Error| ImageError::Write { path: path.display().to_string(), source };
    std::fs::create_dir_all(folder).map_err(|source| failed(folder, source))?;
    let done = AtomicUsize::new(0);
    (0..count).into_par_iter().try_for_each(|index| {
        let path = folder.join(format!("{:04}.png", index + 1));
        let picture = draw(process, index, seed, size)?;
        std::fs::write(&path, encode(&picture, Encoding::Png)).map_err(|source| failed(&path, source))?;
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(())
    })
}
