//! Files of every kind are decoded as by other decoders and published formulas.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

use hype_images::{Colours, Decoded, Decoding, ImageError, Picture, PixelDigest, Size, decode};
use image::ImageEncoder as _;
use serde::Deserialize;

use crate::support::bytes::{chunk, exif, png_of, png_with};

fn open(bytes: &[u8]) -> Decoded {
    decode("picture", bytes, &Decoding::default()).unwrap()
}

fn farthest(one: &[u8], other: &[u8]) -> u8 {
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).map(|(&one, &other)| one.abs_diff(other)).max().unwrap()
}

#[derive(Deserialize)]
struct Expected {
    made_by: String,
    pictures: BTreeMap<String, Pixels>,
}

#[derive(Deserialize)]
struct Pixels {
    width: u32,
    height: u32,
    pixels: String,
}

/// The largest difference of two correct decoders in levels, for one sample and in the mean.
fn tolerance(name: &str) -> (u8, f64) {
    match name {
        // JPEG decoders round in different ways, and the difference grows where a profile's curve
        // is steep, near black.
        "icc_p3.jpg" | "icc_adobe.jpg" => (10, 0.7),
        // There are several ways to interpolate between the nine or three levels of these tables:
        // along tetrahedra there, along edges here.
        "icc_lut.jpg" | "icc_cmyk.jpg" | "icc_lut.webp" => (6, 1.25),
        name if name.ends_with(".jpg") => (2, 0.5),
        name if name.starts_with("icc_") => (1, 0.2),
        _ => (0, 0.0),
    }
}

#[test]
fn files_of_every_kind_equal_pillow() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pictures");
    let expected: Expected =
        serde_json::from_slice(&std::fs::read(folder.join("pillow.json")).unwrap()).unwrap();
    assert!(expected.made_by.starts_with("Pillow 12.3.0 with LittleCMS 2."));
    assert_eq!(expected.pictures.len(), 34);
    let mut failed = Vec::new();
    for (name, want) in &expected.pictures {
        let decoded = open(&std::fs::read(folder.join(name)).unwrap());
        let picture = &decoded.picture;
        assert_eq!((picture.width(), picture.height()), (want.width, want.height), "{name}");
        let wanted: Vec<u8> = (0..want.pixels.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&want.pixels[at..at + 2], 16).unwrap())
            .collect();
        let off = farthest(picture.pixels(), &wanted);
        let total: u32 =
            picture.pixels().iter().zip(&wanted).map(|(&one, &other)| u32::from(one.abs_diff(other))).sum();
        let mean = f64::from(total) / wanted.len() as f64;
        println!("{name}: {off}, {mean:.3} in the mean");
        let (most, most_in_mean) = tolerance(name);
        if off > most || mean > most_in_mean {
            failed.push((name, off, mean));
        }
        let told = match name.as_str() {
            "icc_broken.png" => matches!(decoded.colours, Colours::Ignored { .. }),
            "srgb.png" => decoded.colours == Colours::Srgb,
            name if name.starts_with("icc_") => decoded.colours == Colours::Converted,
            _ => decoded.colours == Colours::Unstated,
        };
        assert!(told, "{name}: {:?}", decoded.colours);
        let through = matches!(
            name.as_str(),
            "rgba.png" | "la.png" | "palette_trns.png" | "alpha.webp" | "lossless_alpha.webp"
        );
        assert_eq!(decoded.transparent, through, "{name}");
    }
    assert!(failed.is_empty(), "too far off: {failed:?}");
}

/// Sixteen levels of each channel.
fn colours() -> Picture {
    Picture::from_fn(Size::new(64, 64).unwrap(), |x, y| {
        let level = |number: u32| (number * 17) as u8;
        [level(x % 16), level(y % 16), level(x / 16 + y / 16 * 4)]
    })
}

fn srgb_light(level: f64) -> f64 {
    if level <= 0.04045 { level / 12.92 } else { ((level + 0.055) / 1.055).powf(2.4) }
}

fn srgb_level(light: f64) -> f64 {
    let light = light.clamp(0.0, 1.0);
    let level = if light <= 0.0031308 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
    level * 255.0
}

/// From linear light of a space to that of sRGB, from CSS Color 4, §17.
const FROM_P3: [[f64; 3]; 3] = [
    [1.224_940_176_280_56, -0.224_940_176_280_56, 0.0],
    [-0.042_056_954_709_688, 1.042_056_954_709_688, 0.0],
    [-0.019_637_554_590_334, -0.078_636_045_550_632, 1.098_273_600_140_966],
];
const FROM_ADOBE: [[f64; 3]; 3] =
    [[1.398_355_74, -0.398_355_74, 0.0], [0.0, 1.0, 0.0], [0.0, -0.042_929_33, 1.042_929_33]];
const FROM_SRGB: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Checks that a file of [`colours`] comes out within a level of the formula.
fn follows(name: &str, bytes: &[u8], light: impl Fn(f64) -> f64, matrix: [[f64; 3]; 3]) {
    let decoded = open(bytes);
    assert_eq!(decoded.colours, Colours::Converted, "{name}");
    let mut worst: f64 = 0.0;
    let (stored, found) = (colours(), decoded.picture);
    let pairs = stored.pixels().as_chunks::<3>().0.iter().zip(found.pixels().as_chunks::<3>().0);
    for (levels, got) in pairs {
        let lit = levels.map(|level| light(f64::from(level) / 255.0));
        for (row, &got) in matrix.iter().zip(got) {
            let want = srgb_level(row[0] * lit[0] + row[1] * lit[1] + row[2] * lit[2]);
            worst = worst.max((want - f64::from(got)).abs());
        }
    }
    println!("{name}: {worst}");
    assert!(worst <= 1.0, "{name} is {worst} levels off");
}

/// An ICC profile in a PNG's chunk, without compression.
fn iccp(profile: &[u8]) -> Vec<u8> {
    let mut content = b"p\0\0\x78\x01".to_vec();
    let length = profile.len() as u16;
    content.push(1);
    content.extend(length.to_le_bytes());
    content.extend((!length).to_le_bytes());
    content.extend(profile);
    let (mut a, mut b) = (1_u32, 0_u32);
    for &byte in profile {
        a = (a + u32::from(byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    content.extend((b << 16 | a).to_be_bytes());
    chunk(b"iCCP", &content)
}

#[test]
fn profiles_follow_published_formulas() {
    let picture = colours();
    let p3 = moxcms::ColorProfile::new_display_p3().encode().unwrap();
    let adobe = moxcms::ColorProfile::new_adobe_rgb().encode().unwrap();
    let mut linear = moxcms::ColorProfile::new_srgb();
    linear.cicp = None;
    let straight = Some(moxcms::ToneReprCurve::Lut(Vec::new()));
    (linear.red_trc, linear.green_trc, linear.blue_trc) = (straight.clone(), straight.clone(), straight);
    // The colorants of published profiles of sRGB.
    linear.red_colorant = moxcms::Xyzd::new(0.43607, 0.22249, 0.01392);
    linear.green_colorant = moxcms::Xyzd::new(0.38515, 0.71687, 0.09708);
    linear.blue_colorant = moxcms::Xyzd::new(0.14307, 0.06061, 0.71410);
    let linear = linear.encode().unwrap();
    let adobe_light = |level: f64| level.powf(563.0 / 256.0);
    follows("Display P3", &png_with(&picture, &[iccp(&p3)]), srgb_light, FROM_P3);
    follows("Adobe RGB", &png_with(&picture, &[iccp(&adobe)]), adobe_light, FROM_ADOBE);
    follows("linear light", &png_with(&picture, &[iccp(&linear)]), |level| level, FROM_SRGB);

    let srgb = moxcms::ColorProfile::new_srgb().encode().unwrap();
    let decoded = open(&png_with(&picture, &[iccp(&srgb)]));
    assert_eq!((decoded.colours, decoded.picture), (Colours::Srgb, picture));
}

#[test]
fn chunks_about_colours_follow_published_formulas() {
    let picture = colours();
    let gama = |gamma: u32| chunk(b"gAMA", &gamma.to_be_bytes());
    let chrm = |numbers: [u32; 8]| chunk(b"cHRM", &numbers.map(u32::to_be_bytes).concat());
    let p3 = chrm([31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000]);
    let adobe = chrm([31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6_000]);
    let srgb = chrm([31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000]);
    let cicp = |points: [u8; 4]| chunk(b"cICP", &points);
    let power = |exponent: f64| move |level: f64| level.powf(exponent);
    follows("gAMA", &png_with(&picture, &[gama(100_000)]), |level| level, FROM_SRGB);
    follows("gAMA of 1.8", &png_with(&picture, &[gama(55_556)]), power(1.8), FROM_SRGB);
    follows("cHRM", &png_with(&picture, std::slice::from_ref(&p3)), srgb_light, FROM_P3);
    follows("both", &png_with(&picture, &[gama(50_000), adobe]), power(2.0), FROM_ADOBE);
    follows("cICP of P3", &png_with(&picture, &[cicp([12, 13, 0, 1])]), srgb_light, FROM_P3);
    follows("cICP linear", &png_with(&picture, &[cicp([1, 8, 0, 1])]), |level| level, FROM_SRGB);
    follows("cICP of 2.2", &png_with(&picture, &[cicp([1, 4, 0, 1])]), power(2.2), FROM_SRGB);
    let bt709 = |level: f64| {
        if level < 0.081_242_86 {
            level / 4.5
        } else {
            ((level + 0.099_296_83) / 1.099_296_83).powf(1.0 / 0.45)
        }
    };
    follows("cICP of BT.709", &png_with(&picture, &[cicp([1, 1, 0, 1])]), bt709, FROM_SRGB);
    // The information with higher precedence counts.
    let first = [cicp([1, 8, 0, 1]), chunk(b"sRGB", &[0]), gama(55_556)];
    follows("cICP before sRGB", &png_with(&picture, &first), |level| level, FROM_SRGB);

    let kept = |chunks: &[Vec<u8>]| {
        let decoded = open(&png_with(&picture, chunks));
        assert_eq!(decoded.picture, picture);
        decoded.colours
    };
    assert_eq!(kept(&[chunk(b"sRGB", &[0]), gama(100_000), p3]), Colours::Srgb);
    assert_eq!(kept(&[gama(45_455), srgb]), Colours::Srgb);
    assert_eq!(kept(&[cicp([1, 13, 0, 1])]), Colours::Srgb);
    for odd in [gama(0), gama(9_999_999), chrm([0; 8]), cicp([1, 200, 0, 1]), cicp([77, 13, 0, 1])] {
        // The decoder ignores some of them.
        assert!(matches!(kept(&[odd]), Colours::Ignored { .. } | Colours::Unstated));
    }
    for (points, reason) in [([9, 16, 0, 1], "HDR"), ([9, 18, 0, 1], "HDR"), ([1, 13, 0, 0], "full-range")] {
        let error = decode("x", &png_with(&picture, &[cicp(points)]), &Decoding::default()).unwrap_err();
        assert!(matches!(error, ImageError::Colours { .. }));
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn sixteen_bits_are_rounded_to_the_nearest_of_eight() {
    let levels: Vec<u16> = (0..65_536_u32).map(|level| level as u16).collect();
    let data: Vec<u8> = levels.iter().flat_map(|level| level.to_be_bytes()).collect();
    let grey = png_of((256, 256), png::ColorType::Grayscale, png::BitDepth::Sixteen, &data, &[]);
    let picture = open(&grey).picture;
    for (&level, pixel) in levels.iter().zip(picture.pixels().as_chunks::<3>().0) {
        let want = (f64::from(level) / 65_535.0 * 255.0).round() as u8;
        assert_eq!(*pixel, [want; 3], "{level}");
    }
    // The curve is the same as for sixteen bits.
    let linear = [chunk(b"gAMA", &100_000_u32.to_be_bytes())];
    let grey = png_of((256, 256), png::ColorType::Grayscale, png::BitDepth::Sixteen, &data, &linear);
    let picture = open(&grey).picture;
    for (&level, pixel) in levels.iter().zip(picture.pixels().as_chunks::<3>().0) {
        let want = srgb_level(f64::from(level) / 65_535.0);
        assert!((want - f64::from(pixel[1])).abs() <= 0.501, "{level}");
    }
}

#[test]
fn the_background_shows_through_transparent_pixels() {
    let data: Vec<u8> = [0, 64, 128, 255].iter().flat_map(|&alpha| [200, 100, 0, alpha]).collect();
    let bytes = png_of((4, 1), png::ColorType::Rgba, png::BitDepth::Eight, &data, &[]);
    let over = |background| {
        let decoding = Decoding { background, ..Decoding::default() };
        decode("x", &bytes, &decoding).unwrap().picture.into_pixels()
    };
    assert_eq!(over([255; 3]), [255, 255, 255, 241, 216, 191, 227, 177, 127, 200, 100, 0]);
    assert_eq!(over([0, 128, 255]), [0, 128, 255, 50, 121, 191, 100, 114, 127, 200, 100, 0]);
    let deep: Vec<u8> = [0_u16, 32_768, 65_535]
        .iter()
        .flat_map(|&alpha| [51_400, 25_700, 0, alpha].map(u16::to_be_bytes).concat())
        .collect();
    let bytes = png_of((3, 1), png::ColorType::Rgba, png::BitDepth::Sixteen, &deep, &[]);
    assert_eq!(open(&bytes).picture.pixels(), [255, 255, 255, 227, 177, 127, 200, 100, 0]);
}

/// `ABC / DEF` in Exif's eight orientations (CIPA DC-008, 4.6.5.1.6).
const UPRIGHT: [&[&str]; 8] = [
    &["ABC", "DEF"],
    &["CBA", "FED"],
    &["FED", "CBA"],
    &["DEF", "ABC"],
    &["AD", "BE", "CF"],
    &["DA", "EB", "FC"],
    &["FC", "EB", "DA"],
    &["CF", "BE", "AD"],
];

fn letter(letter: u8) -> [u8; 3] {
    let number = letter - b'A';
    [40 * number, 220 - 30 * number, if number.is_multiple_of(2) { 30 } else { 200 }]
}

/// Letters as squares of pixels.
fn letters(rows: &[&str], side: u32) -> Picture {
    let size = Size::new(rows[0].len() as u32 * side, rows.len() as u32 * side).unwrap();
    Picture::from_fn(size, |x, y| letter(rows[(y / side) as usize].as_bytes()[(x / side) as usize]))
}

fn jpeg(picture: &Picture, exif: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, 100);
    let (width, height) = (picture.width(), picture.height());
    encoder.write_image(picture.pixels(), width, height, image::ExtendedColorType::Rgb8).unwrap();
    let mut segment = vec![0xff, 0xe1];
    segment.extend((exif.len() as u16 + 8).to_be_bytes());
    segment.extend(b"Exif\0\0");
    segment.extend(exif);
    bytes.splice(2..2, segment);
    bytes
}

fn webp(picture: &Picture, exif: &[u8]) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let mut encoder = image::codecs::webp::WebPEncoder::new_lossless(&mut bytes);
    encoder.set_exif_metadata(exif.to_vec()).unwrap();
    let (width, height) = (picture.width(), picture.height());
    encoder.write_image(picture.pixels(), width, height, image::ExtendedColorType::Rgb8).unwrap();
    bytes.into_inner()
}

#[test]
fn pictures_are_upright() {
    let side = 16;
    let stored = letters(UPRIGHT[0], side);
    for (number, rows) in (1..=8).zip(UPRIGHT) {
        let upright = letters(rows, side);
        let prefixed = [b"Exif\0\0", exif(number).as_slice()].concat();
        for (name, bytes, off) in [
            ("png", png_with(&stored, &[chunk(b"eXIf", &exif(number))]), 0),
            ("webp", webp(&stored, &exif(number)), 0),
            ("webp with a prefix", webp(&stored, &prefixed), 0),
            ("jpeg", jpeg(&stored, &exif(number)), 3),
        ] {
            let decoded = open(&bytes);
            assert_eq!(decoded.orientation, number, "{name}");
            assert_eq!(decoded.picture.size(), upright.size(), "{name} {number}");
            assert!(farthest(decoded.picture.pixels(), upright.pixels()) <= off, "{name} {number}");
        }
    }
    for odd in [exif(0), exif(9), b"MM\0*\xff\xff\xff\xff".to_vec(), b"II".to_vec()] {
        let decoded = open(&png_with(&stored, &[chunk(b"eXIf", &odd)]));
        assert_eq!((decoded.orientation, decoded.picture), (1, stored.clone()));
    }
}

#[test]
fn one_picture_has_one_digest_in_any_container() {
    let picture = letters(UPRIGHT[0], 3);
    let digest = PixelDigest::of(&picture);
    let (plain, turned) = (png_with(&picture, &[]), webp(&picture, &exif(1)));
    for bytes in [&plain, &turned] {
        assert_eq!(PixelDigest::of(&open(bytes).picture), digest);
    }
    // The same pixels in rows of another length are another picture.
    let size = Size::new(picture.height(), picture.width()).unwrap();
    let other = Picture::new(size, picture.pixels().to_vec()).unwrap();
    assert_ne!(PixelDigest::of(&other), digest);
}
