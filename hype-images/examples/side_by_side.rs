//! Draws images and their masks side by side: `side_by_side OUT.png MASKS SOURCE...`
//!
//! Each source is a row: the image first, then the requested number of masks. Sources are PNG,
//! JPEG, WebP or binary PGM files.

use std::error::Error;

use hype_images::texture::{MaskSource, Plane, Settings};
use hype_images::{Decoding, Encoding, Picture, Size, contact_sheet, decode, encode};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [out, masks, sources @ ..] = arguments.as_slice() else {
        return Err("usage: side_by_side OUT.png MASKS SOURCE...".into());
    };
    let masks: u32 = masks.parse()?;
    let mut pictures = Vec::new();
    for source in sources {
        let picture = read(source)?;
        let made = MaskSource::new(&channels(&picture)?, Settings::default())?;
        let size = picture.size();
        pictures.push(picture);
        pictures.extend((0..masks.into()).map(|seed| joined(size, &made.mask(seed))));
    }
    std::fs::write(out, encode(&contact_sheet(&pictures, masks + 1)?, Encoding::Png))?;
    Ok(())
}

fn channels(picture: &Picture) -> Result<Vec<Plane>, Box<dyn Error>> {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let channel = |number: usize| {
        let levels = picture.pixels().iter().skip(number).step_by(3).map(|&level| f64::from(level));
        Ok(Plane::new(width, height, levels.collect())?)
    };
    (0..3).map(channel).collect()
}

fn joined(size: Size, channels: &[Plane]) -> Picture {
    Picture::from_fn(size, |x, y| {
        let at = (y * size.width() + x) as usize;
        [0, 1, 2].map(|channel: usize| channels[channel].values()[at].round() as u8)
    })
}

fn read(source: &str) -> Result<Picture, Box<dyn Error>> {
    let bytes = std::fs::read(source)?;
    if !source.ends_with(".pgm") {
        return Ok(decode(source, &bytes, &Decoding::default())?.picture);
    }
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
    let size = Size::new(fields[1].parse()?, fields[2].parse()?)?;
    Ok(Picture::new(size, bytes[at..].iter().flat_map(|&level| [level; 3]).collect())?)
}
