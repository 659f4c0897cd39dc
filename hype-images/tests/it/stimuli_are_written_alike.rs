//! The bytes of a stimulus reveal nothing of its file except the picture.

use hype_images::{Decoding, PADDING_BYTES, Picture, PixelDigest, Size, decode, encode, pad};
use proptest::prelude::*;

/// The kinds and lengths of a PNG's chunks.
fn chunks(png: &[u8]) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut at = 8;
    while at < png.len() {
        let length = u32::from_be_bytes(png[at..at + 4].try_into().unwrap()) as usize;
        found.push((String::from_utf8(png[at + 4..at + 8].to_vec()).unwrap(), length));
        at += length + 12;
    }
    found
}

fn kinds(png: &[u8]) -> Vec<String> {
    chunks(png).into_iter().map(|(kind, _)| kind).collect()
}

fn picture(width: u32, height: u32, seed: u32) -> Picture {
    Picture::from_fn(Size::new(width, height).unwrap(), |x, y| {
        [(x * 9 + seed) as u8, (y * 7) as u8, (x * y * 5 + seed * 3) as u8]
    })
}

fn decoded(bytes: &[u8]) -> Picture {
    decode("stimulus", bytes, &Decoding::default()).unwrap().picture
}

#[test]
fn nothing_but_the_picture_is_written() {
    let bytes = encode(&picture(33, 21, 4));
    assert_eq!(kinds(&bytes), ["IHDR", "IDAT", "IEND"]);
    assert_eq!(bytes[16..29], [0, 0, 0, 33, 0, 0, 0, 21, 8, 2, 0, 0, 0]);
    assert_eq!(encode(&picture(33, 21, 4)), bytes);
}

#[test]
fn padded_stimuli_have_one_length_and_one_structure() {
    let pictures: Vec<Picture> = (0..20).map(|seed| picture(40, 30, seed * 37)).collect();
    let encoded: Vec<Vec<u8>> = pictures.iter().map(encode).collect();
    let longest = encoded.iter().map(Vec::len).max().unwrap();
    for (picture, bytes) in pictures.iter().zip(encoded) {
        let padded = pad(bytes, longest + PADDING_BYTES).unwrap();
        assert_eq!(padded.len(), longest + PADDING_BYTES);
        assert_eq!(kinds(&padded), ["IHDR", "IDAT", "paDs", "IEND"]);
        // Another decoder accepts it as well.
        let other = image::load_from_memory(&padded).unwrap();
        assert_eq!(other.into_rgb8().as_raw(), picture.pixels());
        assert_eq!(&decoded(&padded), picture);
    }
    let bytes = encode(&pictures[0]);
    assert_eq!(pad(bytes.clone(), bytes.len() + PADDING_BYTES - 1), None);
    assert_eq!(pad(b"not a picture".to_vec(), 100), None);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn every_pixel_survives(width in 1_u32..50, height in 1_u32..50, seed: u32, samples: [u8; 97]) {
        let mut state = seed;
        let picture = Picture::from_fn(Size::new(width, height).unwrap(), |x, y| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            [samples[(x % 97) as usize], samples[(y * 3 % 97) as usize], (state >> 24) as u8]
        });
        let bytes = encode(&picture);
        prop_assert_eq!(&decoded(&bytes), &picture);
        let other = image::load_from_memory(&bytes).unwrap().into_rgb8();
        prop_assert_eq!(other.as_raw(), picture.pixels());
        prop_assert_eq!(PixelDigest::of(&decoded(&bytes)), PixelDigest::of(&picture));
    }
}
