//! Draws the pictures of a first study: a real process and three models of graded quality.
//!
//! Everything here is a pure function of the process, the index, the seed and the size, and uses
//! only integer arithmetic and the operations that IEEE 754 rounds exactly (`+ - * /`, square
//! root, floor), so that every machine draws the same bytes.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use image::{Rgb, RgbImage};
use rayon::prelude::*;

use crate::error::ImageError;

mod chance;
mod palette;
mod scene;
mod space;

use chance::{Chance, noise};
use scene::{Departure, Scene};
use space::Triple;

/// The side of a picture unless the caller wants another, in pixels.
pub const DEFAULT_SIZE: u32 = 64;

/// The smallest side that can be drawn, in pixels.
pub const MIN_SIZE: u32 = 16;

/// The greatest side that can be drawn, in pixels.
pub const MAX_SIZE: u32 = 1024;

/// What makes a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Process {
    /// Light falls as it should: still lifes of painted balls on a table.
    Real,
    /// A model that is nearly right: hues a little off, balls not quite round, highlights astray.
    Good,
    /// A model that is visibly wrong: shadows fall to the wrong side, patterns run, outlines melt.
    Middling,
    /// A model that is plainly wrong: torn, blocky, noisy.
    Weak,
}

impl Process {
    /// Every process, the best first.
    pub const ALL: [Self; 4] = [Self::Real, Self::Good, Self::Middling, Self::Weak];

    const fn key(self) -> u64 {
        match self {
            Self::Real => 1,
            Self::Good => 2,
            Self::Middling => 3,
            Self::Weak => 4,
        }
    }
}

/// Draws one picture.
///
/// Different indices give different scenes, and so do different processes. A size outside
/// [`MIN_SIZE`] to [`MAX_SIZE`] is drawn at the nearer of the two.
///
/// # Examples
/// ```
/// use hype_images::sample::{self, Process};
///
/// let picture = sample::draw(Process::Real, 0, 7, 64);
/// assert_eq!(picture.dimensions(), (64, 64));
/// assert_eq!(picture, sample::draw(Process::Real, 0, 7, 64));
/// ```
#[must_use]
pub fn draw(process: Process, index: u64, seed: u64, size: u32) -> RgbImage {
    let size = size.clamp(MIN_SIZE, MAX_SIZE);
    let mut chance = Chance::new(seed, process.key(), index);
    let departure = depart(process, &mut chance);
    let scene = Scene::new(&mut chance, departure);
    let damage = (process == Process::Weak).then(|| Damage::new(&mut chance));

    let mut pixels: Vec<[u8; 3]> = Vec::with_capacity((size * size) as usize);
    for y in 0..size {
        for x in 0..size {
            let level = pixel(&scene, damage.as_ref(), x, y, f64::from(size));
            pixels.push(level.array().map(byte));
        }
    }
    palette::reduce(&mut pixels);
    RgbImage::from_fn(size, size, |x, y| Rgb(pixels[(y * size + x) as usize]))
}

/// Draws pictures `0..count` of a process into a folder as `0001.png`, `0002.png`, …
///
/// The folder is made where it is missing; files of these names are replaced. `progress` is told
/// how many are done, from several threads.
///
/// # Errors
/// [`ImageError::Size`] for a size outside [`MIN_SIZE`] to [`MAX_SIZE`], [`ImageError::Write`]
/// when the folder or a file cannot be written.
pub fn write_set(
    folder: &Path,
    process: Process,
    count: u64,
    seed: u64,
    size: u32,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<(), ImageError> {
    if !(MIN_SIZE..=MAX_SIZE).contains(&size) {
        return Err(ImageError::Size { size, least: MIN_SIZE, most: MAX_SIZE });
    }
    let failed =
        |path: &Path, source: std::io::Error| ImageError::Write { path: path.display().to_string(), source };
    std::fs::create_dir_all(folder).map_err(|source| failed(folder, source))?;
    let done = AtomicUsize::new(0);
    (0..count).into_par_iter().try_for_each(|index| {
        let path = folder.join(format!("{:04}.png", index + 1));
        encode(&draw(process, index, seed, size))
            .and_then(|bytes| std::fs::write(&path, bytes))
            .map_err(|source| failed(&path, source))?;
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(())
    })
}

/// Writes a picture of at most [`palette::COLOURS`] colours as a palette PNG of eight bits.
fn encode(picture: &RgbImage) -> std::io::Result<Vec<u8>> {
    let mut colours: Vec<[u8; 3]> = picture.pixels().map(|pixel| pixel.0).collect();
    // By brightness, so that neighbours in the picture have like numbers in the file.
    colours.sort_unstable_by_key(|colour| {
        let [red, green, blue] = colour.map(u32::from);
        (red * 3 + green * 6 + blue, *colour)
    });
    colours.dedup();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width(), picture.height());
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(colours.concat());
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    let numbers: Vec<u8> = picture
        .pixels()
        .map(|pixel| {
            let place = colours.iter().position(|colour| *colour == pixel.0);
            place.and_then(|at| u8::try_from(at).ok()).unwrap_or(0)
        })
        .collect();
    let mut writer = encoder.write_header().map_err(std::io::Error::other)?;
    writer.write_image_data(&numbers).map_err(std::io::Error::other)?;
    writer.finish().map_err(std::io::Error::other)?;
    Ok(bytes)
}

/// Decides how a picture of a process departs from a real one.
fn depart(process: Process, chance: &mut Chance) -> Departure {
    match process {
        Process::Real => Departure::NONE,
        Process::Good => {
            let tall = chance.sign() * chance.between(0.035, 0.07);
            Departure {
                stretch: Triple(1.0 - tall, 1.0 + tall, 1.0),
                hue: chance.sign() * chance.between(0.03, 0.08),
                highlight: Triple(chance.sign() * chance.between(0.3, 0.6), 0.0, 0.0),
                depth: chance.between(0.72, 0.95),
                ..Departure::NONE
            }
        }
        Process::Middling => {
            let tall = chance.sign() * chance.between(0.04, 0.1);
            Departure {
                stretch: Triple(1.0 - tall, 1.0 + tall, 1.0),
                hue: chance.sign() * chance.between(0.05, 0.14),
                highlight: Triple(chance.sign() * chance.between(0.4, 0.9), -0.3, 0.0),
                shadow: Triple(-1.0, 1.0, 1.0),
                depth: chance.between(0.7, 1.0),
                smear: chance.between(0.35, 0.6),
                melt: chance.between(0.02, 0.035),
            }
        }
        Process::Weak => Departure {
            stretch: Triple(
                1.0 + chance.sign() * chance.between(0.05, 0.2),
                1.0 + chance.sign() * chance.between(0.05, 0.2),
                1.0,
            ),
            hue: chance.sign() * chance.between(0.1, 0.3),
            highlight: Triple(chance.sign(), 0.0, 0.0),
            shadow: Triple(-1.0, 1.0, -0.5),
            depth: chance.between(0.3, 0.8),
            smear: chance.between(0.7, 1.1),
            melt: chance.between(0.06, 0.1),
        },
    }
}

/// What the weak model does to the finished picture.
struct Damage {
    key: u64,
    /// Blocks along a side.
    blocks: f64,
    grain: f64,
    tear: f64,
}

impl Damage {
    fn new(chance: &mut Chance) -> Self {
        Self {
            key: chance.bits(),
            blocks: chance.between(13.0, 17.0).floor(),
            grain: chance.between(0.08, 0.14),
            tear: chance.between(0.06, 0.12),
        }
    }
}

/// The display levels of one pixel, the mean over a grid of points inside it.
fn pixel(scene: &Scene, damage: Option<&Damage>, x: u32, y: u32, size: f64) -> Triple {
    const GRID: u32 = 4;
    let mut sum = Triple(0.0, 0.0, 0.0);
    for point in 0..GRID * GRID {
        let offset = |step: u32| (f64::from(step) + 0.5) / f64::from(GRID);
        let across = (f64::from(x) + offset(point % GRID)) / size;
        let down = (f64::from(y) + offset(point / GRID)) / size;
        sum = sum + look(scene, damage, across, down);
    }
    let level = sum * (1.0 / f64::from(GRID * GRID));
    damage.map_or(level, |damage| {
        let grain = |number: u64| {
            // Of the picture's width, so that it looks the same at every size; this many patches
            // also bring the files to the other processes' length.
            let at = [f64::from(x) / size * 13.0, f64::from(y) / size * 13.0, 0.0];
            (noise(damage.key ^ number, at.map(f64::floor)) - 0.5) * damage.grain
        };
        let common = grain(4);
        level + Triple(grain(1) + common, grain(2) + common, grain(3) + common)
    })
}

fn look(scene: &Scene, damage: Option<&Damage>, across: f64, down: f64) -> Triple {
    let Some(damage) = damage else {
        return scene.look(across, down);
    };
    let band = (down * 9.0).floor();
    let torn = noise(damage.key ^ 7, [band * 3.7, 0.5, 0.5]) - 0.5;
    let across = across + 2.0 * damage.tear * torn;
    let cell = |place: f64| (place * damage.blocks).floor() / damage.blocks;
    let corner = (cell(across), cell(down));
    // Some blocks lose their detail altogether, the others most of it.
    let lost = noise(damage.key ^ 8, [corner.0 * damage.blocks * 5.3, corner.1 * damage.blocks * 5.3, 0.5]);
    let middle = 0.5 / damage.blocks;
    let flat = scene.look(corner.0 + middle, corner.1 + middle);
    let share = if lost > 0.5 { 0.95 } else { 0.4 };
    scene.look(across, down).mix(flat, share)
}

fn byte(level: f64) -> u8 {
    (level.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}
