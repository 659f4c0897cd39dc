//! Small files of every format, as programs and cameras write them.

use std::fs;
use std::path::Path;

use image::ExtendedColorType;
use image_webp::WebPEncoder;
use jpeg_encoder::{ColorType as Ink, Encoder as JpegEncoder, SamplingFactor};
use png::{BitDepth, ColorType};

use super::bytes::{chunk, exif, png_of};

/// The number of kinds of sources.
pub(crate) const KINDS: usize = 40;

/// Files of other programs: every format, with profiles, orientations, interlacing and lossy WebP.
pub(crate) fn fixtures() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pictures");
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension != "json"));
    names.sort();
    names.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// A small image whose pixels depend on its seed.
struct Image {
    width: usize,
    height: usize,
    seed: u64,
}

impl Image {
    fn new(seed: u64) -> Self {
        // Widths and heights that are not multiples of the block sizes of formats.
        Self { width: 9 + (seed % 11) as usize, height: 8 + (seed / 11 % 9) as usize, seed }
    }

    /// A level of a channel: gradients with noise of an amplitude that depends on the seed, and flat areas.
    fn level(&self, x: usize, y: usize, channel: usize) -> u8 {
        let mut mixed = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ ((x * 64 + y) * 4 + channel) as u64;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33;
        let noise = mixed % (1 << (self.seed % 7));
        let slope = x as u64 * (3 + self.seed % 5) + y as u64 * (channel as u64 + self.seed % 3);
        let flat = (x / 4 + y / 4 + self.seed as usize).is_multiple_of(3);
        if flat { (self.seed * 40 % 256) as u8 } else { ((self.seed * 7 + slope + noise) % 256) as u8 }
    }

    /// Levels of several channels, row by row.
    fn levels(&self, channels: usize) -> Vec<u8> {
        let (width, height) = (self.width, self.height);
        (0..height)
            .flat_map(|y| (0..width).flat_map(move |x| (0..channels).map(move |channel| (x, y, channel))))
            .map(|(x, y, channel)| self.level(x, y, channel))
            .collect()
    }

    /// The levels with 16 bits.
    fn wide(&self, channels: usize) -> Vec<u8> {
        self.levels(channels).iter().flat_map(|&level| [level, level.wrapping_mul(31)]).collect()
    }

    /// The levels of one channel with fewer bits, packed by rows.
    fn packed(&self, bits: usize) -> Vec<u8> {
        self.levels(1)
            .chunks(self.width)
            .flat_map(|row| {
                row.chunks(8 / bits)
                    .map(|pixels| {
                        let bytes = pixels.iter().enumerate();
                        bytes.fold(0, |byte, (place, level)| {
                            byte | level >> (8 - bits) << (8 - bits * (place + 1))
                        })
                    })
                    .collect::<Vec<u8>>()
            })
            .collect()
    }

    fn size(&self) -> (u32, u32) {
        (self.width as u32, self.height as u32)
    }
}

/// A file of a kind, below [`KINDS`].
pub(crate) fn source(kind: usize, seed: u64) -> Vec<u8> {
    let image = Image::new(seed);
    match kind {
        0..=19 => png(kind, &image),
        20..=31 => jpeg(kind - 20, &image),
        _ => webp(kind - 32, &image),
    }
}

fn png(kind: usize, image: &Image) -> Vec<u8> {
    let size = image.size();
    let rgb = |extra: &[Vec<u8>]| png_of(size, ColorType::Rgb, BitDepth::Eight, &image.levels(3), extra);
    let palette = |bits: BitDepth, count: usize, extra: &[Vec<u8>]| {
        let colours: Vec<u8> = (0..count * 3).map(|at| (at as u64 * 37 + image.seed) as u8).collect();
        let chunks = [&[chunk(b"PLTE", &colours)], extra].concat();
        let data = if bits == BitDepth::Eight { image.levels(1) } else { image.packed(bits as usize) };
        as_palette(png_of(size, ColorType::Grayscale, bits, &data, &[]), &chunks)
    };
    match kind {
        0 => rgb(&[]),
        1 => rgb(&[chunk(b"tEXt", format!("Prompt\0a lighthouse, seed {}", image.seed).as_bytes())]),
        2 => rgb(&[chunk(b"eXIf", &exif(1 + (image.seed % 8) as u8))]),
        3 => rgb(&[chunk(b"sRGB", &[0]), chunk(b"tIME", &[7, 232, 1, 2, 3, 4, 5])]),
        4 => rgb(&[chunk(b"gAMA", &(45_455_u32 + (image.seed % 3) as u32 * 9_000).to_be_bytes())]),
        5 => rgb(&[chunk(b"pHYs", &[0, 0, 11, 19, 0, 0, 11, 19, 1]), chunk(b"bKGD", &[0, 9, 0, 9, 0, 9])]),
        6 => png_of(size, ColorType::Rgba, BitDepth::Eight, &image.levels(4), &[]),
        7 => png_of(size, ColorType::Rgba, BitDepth::Sixteen, &image.wide(4), &[]),
        8 => png_of(size, ColorType::Rgb, BitDepth::Sixteen, &image.wide(3), &[]),
        9 => png_of(size, ColorType::Grayscale, BitDepth::Eight, &image.levels(1), &[]),
        10 => png_of(size, ColorType::Grayscale, BitDepth::Sixteen, &image.wide(1), &[]),
        11 => png_of(size, ColorType::GrayscaleAlpha, BitDepth::Eight, &image.levels(2), &[]),
        12 => png_of(size, ColorType::Grayscale, BitDepth::One, &image.packed(1), &[]),
        13 => png_of(size, ColorType::Grayscale, BitDepth::Two, &image.packed(2), &[]),
        14 => png_of(size, ColorType::Grayscale, BitDepth::Four, &image.packed(4), &[]),
        15 => palette(BitDepth::Eight, 256, &[]),
        16 => palette(BitDepth::Four, 16, &[chunk(b"tRNS", &[0, 90, 180])]),
        17 => interlaced(image, &[]),
        18 => interlaced(image, &[chunk(b"eXIf", &exif(1 + (image.seed % 8) as u8))]),
        _ => stored(image, &[chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta/>")]),
    }
}

/// A grey PNG made one with a palette, whose chunks follow the header.
fn as_palette(mut grey: Vec<u8>, chunks: &[Vec<u8>]) -> Vec<u8> {
    // The colour type, and the check sum of the header.
    grey[25] = 3;
    let check = crc32fast::hash(&grey[12..29]).to_be_bytes();
    grey[29..33].copy_from_slice(&check);
    grey.splice(33..33, chunks.concat());
    grey
}

/// A PNG of rows of bytes, each after its filter, without compression.
fn uncompressed(image: &Image, interlace: u8, rows: &[u8], extra: &[Vec<u8>]) -> Vec<u8> {
    let (width, height) = image.size();
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, interlace]].concat();
    let (mut low, mut high) = (1_u32, 0_u32);
    for &byte in rows {
        low = (low + u32::from(byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    let length = rows.len() as u16;
    // zlib's header, one block that is stored, and Adler-32 (RFC 1950 and 1951).
    let data = [
        &[0x78, 0x01, 0x01],
        &length.to_le_bytes()[..],
        &(!length).to_le_bytes(),
        rows,
        &(high << 16 | low).to_be_bytes(),
    ]
    .concat();
    // Pixels in several chunks.
    let (front, back) = data.split_at(data.len() / 3);
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &header),
        extra.concat(),
        chunk(b"IDAT", front),
        chunk(b"IDAT", back),
        chunk(b"IEND", &[]),
    ]
    .concat()
}

fn stored(image: &Image, extra: &[Vec<u8>]) -> Vec<u8> {
    let rows: Vec<u8> =
        image.levels(3).chunks(image.width * 3).flat_map(|row| [&[0], row].concat()).collect();
    uncompressed(image, 0, &rows, extra)
}

/// Adam7: seven passes over every eighth to every second pixel.
fn interlaced(image: &Image, extra: &[Vec<u8>]) -> Vec<u8> {
    let passes =
        [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)];
    let mut rows = Vec::new();
    for (left, top, across, down) in passes {
        for y in (top..image.height).step_by(down) {
            rows.push(0);
            for x in (left..image.width).step_by(across) {
                rows.extend((0..3).map(|channel| image.level(x, y, channel)));
            }
        }
    }
    uncompressed(image, 1, &rows, extra)
}

fn jpeg(kind: usize, image: &Image) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (width, height) = image.size();
    if kind == 0 {
        // Another encoder, with other tables.
        let mut encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, 77);
        encoder.encode(&image.levels(3), width, height, ExtendedColorType::Rgb8).unwrap();
        return bytes;
    }
    let quality = 30 + (image.seed % 71) as u8;
    let mut encoder = JpegEncoder::new(&mut bytes, quality);
    let sampling = [
        SamplingFactor::F_1_1,
        SamplingFactor::F_2_1,
        SamplingFactor::F_1_2,
        SamplingFactor::F_2_2,
        SamplingFactor::F_4_1,
    ];
    // Inks have full resolution.
    encoder.set_sampling_factor(sampling[if kind == 6 { 0 } else { kind % sampling.len() }]);
    encoder.set_progressive(kind.is_multiple_of(3));
    encoder.set_optimized_huffman_tables(kind.is_multiple_of(2));
    if kind == 7 {
        encoder.set_restart_interval(2);
    }
    if kind >= 8 {
        let orientation = 1 + (image.seed % 8) as u8;
        encoder.add_app_segment(1, [b"Exif\0\0".to_vec(), exif(orientation)].concat()).unwrap();
        encoder.add_app_segment(13, b"Photoshop 3.0\0".to_vec()).unwrap();
    }
    let (channels, ink) = match kind {
        5 => (1, Ink::Luma),
        6 => (4, Ink::Cmyk),
        10 => (4, Ink::Ycck),
        _ => (3, Ink::Rgb),
    };
    encoder.encode(&image.levels(channels), width as u16, height as u16, ink).unwrap();
    bytes
}

fn webp(kind: usize, image: &Image) -> Vec<u8> {
    use image_webp::ColorType;
    let mut bytes = Vec::new();
    let mut encoder = WebPEncoder::new(&mut bytes);
    if kind >= 4 {
        let orientation = 1 + (image.seed % 8) as u8;
        encoder.set_exif_metadata(exif(orientation));
        encoder.set_xmp_metadata(b"<x:xmpmeta/>".to_vec());
    }
    if kind % 4 == 3 {
        let mut parameters = image_webp::EncoderParams::default();
        parameters.use_predictor_transform = false;
        encoder.set_params(parameters);
    }
    let (channels, colours) =
        [(3, ColorType::Rgb8), (4, ColorType::Rgba8), (1, ColorType::L8), (2, ColorType::La8)][kind % 4];
    let (width, height) = image.size();
    encoder.encode(&image.levels(channels), width, height, colours).unwrap();
    bytes
}
