//! Draws images and masks of them side by side: `side_by_side OUT.png MASKS SOURCE...`
//!
//! Each source becomes a row, itself first, then as many masks as asked for. Sources are PNG, JPEG,
//! WebP or binary PGM files, or `sample:N` for picture `N` of the crate's own drawings.

use std::error::Error;

use hype_images::sample::{self, Process};
use hype_images::texture::{MaskSource, Plane, Settings};
use image::{GrayImage, Rgb, RgbImage};

/// White between the pictures, in pixels.
const GAP: u32 = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [out, masks, sources @ ..] = arguments.as_slice() else {
        return Err("usage: side_by_side OUT.png MASKS SOURCE...".into());
    };
    let rows = sources.iter().map(|source| row(source, masks.parse()?)).collect::<Result<Vec<_>, _>>()?;
    let width = rows.iter().map(RgbImage::width).max().unwrap_or(1);
    let height: u32 = rows.iter().map(|row| row.height() + GAP).sum::<u32>().max(GAP + 1) - GAP;
    let mut sheet = RgbImage::from_pixel(width, height, Rgb([255; 3]));
    let mut top = 0;
    for row in rows {
        image::imageops::replace(&mut sheet, &row, 0, i64::from(top));
        top += row.height() + GAP;
    }
    sheet.save(out)?;
    Ok(())
}

fn row(source: &str, masks: u64) -> Result<RgbImage, Box<dyn Error>> {
    let picture = read(source)?;
    let (width, height) = picture.dimensions();
    let channels = (0..3)
        .map(|channel| {
            let values = picture.pixels().map(|pixel| f64::from(pixel.0[channel])).collect();
            Plane::new(width as usize, height as usize, values)
        })
        .collect::<Result<Vec<Plane>, _>>()?;
    let made = MaskSource::new(&channels, Settings::default())?;
    let whole = (width + GAP) * (u32::try_from(masks)? + 1) - GAP;
    let mut row = RgbImage::from_pixel(whole, height, Rgb([255; 3]));
    image::imageops::replace(&mut row, &picture, 0, 0);
    for seed in 0..masks {
        let mask = made.mask(seed);
        let pixel = |x: u32, y: u32| {
            let at = (y * width + x) as usize;
            Rgb([0, 1, 2].map(|channel: usize| mask[channel].values()[at].round() as u8))
        };
        let left = (i64::try_from(seed)? + 1) * i64::from(width + GAP);
        image::imageops::replace(&mut row, &RgbImage::from_fn(width, height, pixel), left, 0);
    }
    Ok(row)
}

fn read(source: &str) -> Result<RgbImage, Box<dyn Error>> {
    if let Some(number) = source.strip_prefix("sample:") {
        return Ok(sample::draw(Process::Real, number.parse()?, 7, 256));
    }
    if !source.ends_with(".pgm") {
        return Ok(image::open(source)?.to_rgb8());
    }
    let bytes = std::fs::read(source)?;
    // Magic number, width, height and greatest value, with comments from # to the end of a line.
    let (mut at, mut fields) = (0, Vec::new());
    while fields.len() < 4 {
        let rest = bytes.get(at..).ok_or("the file ends within its header")?;
        let length = rest.iter().position(u8::is_ascii_whitespace).ok_or("the header never ends")?;
        if rest[0] == b'#' {
            at += rest.iter().position(|&byte| byte == b'\n').ok_or("a comment never ends")? + 1;
            continue;
        }
        if length > 0 {
            fields.push(std::str::from_utf8(&rest[..length])?.to_owned());
        }
        at += length + 1;
    }
    let (width, height) = (fields[1].parse()?, fields[2].parse()?);
    let grey = GrayImage::from_raw(width, height, bytes[at..].to_vec()).ok_or("pixels are missing")?;
    Ok(image::DynamicImage::ImageLuma8(grey).to_rgb8())
}
