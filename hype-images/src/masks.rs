//! Masks that follow a study's images: made once, stored in a folder, and checked to reveal nothing of the images.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::decode::{Decoding, decode};
use crate::digest::ContentDigest;
use crate::encode::Encoding;
use crate::error::{Faults, ImageError};
use crate::framing::Framing;
use crate::picture::{Picture, Size};
use crate::prepare::{Prepared, Store};
use crate::resample::Filter;
use crate::texture::{MaskSource, Plane, Pyramid, Settings, TextureError};

mod scrambled;
mod sheet;

pub use self::sheet::contact_sheet;

/// Raised whenever the same source, kind and seed would give different bytes.
const VERSION: u32 = 1;

/// The largest correlation, pixel by pixel, of a mask with the image that it is made from.
pub const OWN_CORRELATION: f64 = 0.1;

/// The largest correlation of a mask with any other image that masks are made from. Similar pictures, such as light
/// skies over dark ground or portraits, exceed the first limit by chance.
pub const OTHER_CORRELATION: f64 = 0.5;

/// The number of seeds that are tried for a source.
const TRIES: u64 = 64;

/// The kinds of masks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MaskKind {
    /// The texture of the source, by Portilla & Simoncelli (2000).
    PortillaSimoncelli {
        /// Iterations of the synthesis.
        iterations: u32,
    },
    /// The source with its amplitudes and random phases: one field of phases for all channels.
    PhaseScrambled,
    /// White noise: every level of every channel equally likely. Only its size comes from the source.
    Noise,
}

/// A mask to be made.
#[derive(Debug, Clone, Copy)]
pub struct MaskOrder<'a> {
    /// The image that it is made from.
    pub source: &'a Prepared,
    /// Its seed; the same seed gives the same bytes.
    pub seed: u64,
}

/// Makes masks in parallel, and stores them in a folder. Masks that are already there are not made again.
///
/// All masks have the same size: the largest width and height of their sources, which are resized to it first, so
/// that any mask covers any image. A mask whose correlation with its own source is not under [`OWN_CORRELATION`], or
/// with another source under [`OTHER_CORRELATION`], in magnitude and in every channel, is made again from another
/// seed. `progress` is called with the number done, from several threads and once for each number.
///
/// The bytes depend only on the orders, not on the number of threads. Memory holds all sources, and working space
/// for each thread.
///
/// # Errors
/// All sources that cannot be read, and those for which every mask reveals too much.
pub fn make_masks(
    orders: &[MaskOrder<'_>],
    kind: MaskKind,
    encoding: Encoding,
    folder: &Path,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Prepared>, Faults> {
    let Some(size) = largest(orders) else { return Ok(Vec::new()) };
    let one_fault = |fault| Faults(vec![fault]);
    let rule = ("masks", VERSION, kind, size.width(), size.height());
    let store = match encoding {
        Encoding::Png => Store::open(folder, &rule, encoding),
        other => Store::open(folder, &(rule, other), other),
    }
    .map_err(one_fault)?;
    let done = AtomicUsize::new(0);
    let tell = || progress(done.fetch_add(1, Ordering::Relaxed) + 1);
    let known: Vec<Option<Prepared>> = orders.iter().map(|order| store.look_up(key(order, orders))).collect();
    if known.iter().all(Option::is_some) {
        orders.iter().for_each(|_| tell());
        return Ok(known.into_iter().flatten().collect());
    }
    let sources = Sources::read(orders, size)?;
    let made: Vec<Result<Prepared, ImageError>> = orders
        .par_iter()
        .zip(known)
        .map(|(order, known)| {
            let made = match known {
                Some(known) => Ok(known),
                None => {
                    let picture = one(order, kind, size, &sources)?;
                    store.keep(key(order, orders), &picture)
                }
            };
            tell();
            made
        })
        .collect();
    let mut masks = Vec::with_capacity(made.len());
    let mut faults = Vec::new();
    for result in made {
        match result {
            Ok(mask) => masks.push(mask),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(masks) } else { Err(Faults(faults)) }
}

/// The key under which a mask is stored: its source and seed, and all sources that it was compared with.
fn key(order: &MaskOrder<'_>, orders: &[MaskOrder<'_>]) -> ContentDigest {
    let mut compared: Vec<_> = orders.iter().map(|order| order.source.pixels.to_string()).collect();
    compared.sort_unstable();
    compared.dedup();
    let text = format!("{} {} {}", order.source.pixels, order.seed, compared.join(" "));
    ContentDigest::of(text.as_bytes())
}

/// The largest width and height of all sources.
fn largest(orders: &[MaskOrder<'_>]) -> Option<Size> {
    let width = orders.iter().map(|order| order.source.width).max()?;
    let height = orders.iter().map(|order| order.source.height).max()?;
    Size::new(width, height).ok()
}

/// The sources, as pictures of one size, each content once.
struct Sources {
    by_digest: Vec<(ContentDigest, Picture, Moments)>,
    /// The pyramid of their size, which all textures share.
    pyramid: OnceLock<Arc<Pyramid>>,
}

impl Sources {
    fn read(orders: &[MaskOrder<'_>], size: Size) -> Result<Self, Faults> {
        let mut wanted: Vec<&Prepared> = orders.iter().map(|order| order.source).collect();
        wanted.sort_unstable_by_key(|source| source.digest);
        wanted.dedup_by_key(|source| source.digest);
        let read: Vec<Result<_, ImageError>> = wanted
            .into_par_iter()
            .map(|source| {
                let picture = picture(source, size)?;
                let moments = Moments::of(&picture);
                Ok((source.digest, picture, moments))
            })
            .collect();
        let (pictures, faults): (Vec<_>, Vec<_>) = read.into_iter().partition(Result::is_ok);
        if faults.is_empty() {
            let by_digest = pictures.into_iter().flatten().collect();
            return Ok(Self { by_digest, pyramid: OnceLock::new() });
        }
        Err(Faults(faults.into_iter().filter_map(Result::err).collect()))
    }

    fn of(&self, source: &Prepared) -> Option<&Picture> {
        let found = self.by_digest.binary_search_by_key(&source.digest, |(digest, ..)| *digest).ok()?;
        self.by_digest.get(found).map(|(_, picture, _)| picture)
    }

    /// The textures of a source.
    fn textures(&self, source: &Picture, settings: Settings) -> Result<MaskSource, TextureError> {
        let masks = MaskSource::sharing(&channels(source), settings, self.pyramid.get().cloned())?;
        self.pyramid.get_or_init(|| masks.pyramid());
        Ok(masks)
    }

    /// Whether a mask hides its own source and every other one.
    fn are_hidden_by(&self, mask: &Picture, own: ContentDigest) -> bool {
        let moments = Moments::of(mask);
        self.by_digest.iter().all(|(digest, picture, others)| {
            let most = if *digest == own { OWN_CORRELATION } else { OTHER_CORRELATION };
            let products = products(mask, picture);
            let pixels = picture.pixels().len() / 3;
            (0..3).all(|channel| {
                let moments = [moments.channel(channel), others.channel(channel)];
                correlation(pixels as f64, moments, products[channel] as f64).abs() < most
            })
        })
    }
}

/// Sums of the levels of each channel and of their squares, which are whole numbers.
struct Moments {
    sums: [u64; 3],
    squares: [u64; 3],
}

impl Moments {
    fn of(picture: &Picture) -> Self {
        let mut sums = [0; 3];
        for pixel in picture.pixels().chunks_exact(3) {
            for (sum, &level) in sums.iter_mut().zip(pixel) {
                *sum += u64::from(level);
            }
        }
        Self { sums, squares: products(picture, picture) }
    }

    fn channel(&self, channel: usize) -> [f64; 2] {
        [self.sums[channel] as f64, self.squares[channel] as f64]
    }
}

/// Sums of the products of two pictures' levels, channel by channel.
fn products(left: &Picture, right: &Picture) -> [u64; 3] {
    /// The number of products of levels that fit into 32 bits.
    const FITTING: usize = 3 * (1 << 15);
    let mut sums = [0; 3];
    for (left, right) in left.pixels().chunks(FITTING).zip(right.pixels().chunks(FITTING)) {
        let mut part = [0_u32; 3];
        for (left, right) in left.chunks_exact(3).zip(right.chunks_exact(3)) {
            for channel in 0..3 {
                part[channel] += u32::from(left[channel]) * u32::from(right[channel]);
            }
        }
        for (sum, part) in sums.iter_mut().zip(part) {
            *sum += u64::from(part);
        }
    }
    sums
}

/// Pearson's correlation from sums; zero if one side has no variance.
fn correlation(count: f64, [left, right]: [[f64; 2]; 2], products: f64) -> f64 {
    let spread = |[sum, square]: [f64; 2]| count * square - sum * sum;
    let both = spread(left) * spread(right);
    if both > 0.0 { (count * products - left[0] * right[0]) / both.sqrt() } else { 0.0 }
}

fn picture(source: &Prepared, size: Size) -> Result<Picture, ImageError> {
    let bytes = source.read()?;
    let name = source.path.display().to_string();
    let decoded = decode(&name, &bytes, &Decoding::default())?;
    let framing = Framing::Cover { width: size.width(), height: size.height() };
    framing
        .frame(&decoded.picture, Filter::Bicubic)
        .map_err(|source| ImageError::Framing { path: name, source })
}

fn one(order: &MaskOrder<'_>, kind: MaskKind, size: Size, sources: &Sources) -> Result<Picture, ImageError> {
    let name = || order.source.path.display().to_string();
    let Some(source) = sources.of(order.source) else {
        return Err(ImageError::Masked { path: name(), tries: 0 });
    };
    let textured = |source| ImageError::Texture { path: name(), source };
    let maker: Box<dyn Fn(u64) -> Picture> = match kind {
        MaskKind::PortillaSimoncelli { iterations } => {
            let settings = Settings { iterations: iterations as usize, ..Settings::default() };
            let masks = sources.textures(source, settings).map_err(textured)?;
            Box::new(move |seed| joined(size, &masks.mask(seed)))
        }
        MaskKind::PhaseScrambled => {
            let channels = channels(source);
            Box::new(move |seed| joined(size, &scrambled::scrambled(&channels, seed)))
        }
        MaskKind::Noise => Box::new(move |seed| scrambled::noise(size, seed)),
    };
    let seeds =
        (0..TRIES).map(|attempt| order.seed.wrapping_add(attempt.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    let mut masks = seeds.map(maker);
    masks
        .find(|mask| is_flat(source) || sources.are_hidden_by(mask, order.source.digest))
        .ok_or_else(|| ImageError::Masked { path: name(), tries: TRIES })
}

/// Whether a picture has one colour: a mask of it reveals nothing.
fn is_flat(picture: &Picture) -> bool {
    let pixels = picture.pixels();
    pixels.chunks_exact(3).all(|pixel| pixel == &pixels[..3])
}

/// Red, green and blue, from 0 to 255.
fn channels(picture: &Picture) -> Vec<Plane> {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    (0..3)
        .filter_map(|channel| {
            let levels = picture.pixels().iter().skip(channel).step_by(3).map(|&level| f64::from(level));
            // A picture has as many levels as its size requires.
            Plane::new(width, height, levels.collect()).ok()
        })
        .collect()
}

/// A picture from three channels, rounded to the nearest level.
fn joined(size: Size, channels: &[Plane]) -> Picture {
    let width = size.width() as usize;
    Picture::from_fn(size, |x, y| {
        std::array::from_fn(|channel| {
            let level =
                channels.get(channel).map_or(0.0, |plane| plane.values()[y as usize * width + x as usize]);
            level.round().clamp(0.0, 255.0) as u8
        })
    })
}
