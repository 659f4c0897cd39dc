//! The bytes of a stimulus reveal nothing of its file except the picture.

use hype_images::{Decoding, Encoding, PADDING_BYTES, Picture, PixelDigest, Size, decode, encode, pad};
use proptest::prelude::*;

const JPEG: Encoding = Encoding::Jpeg { quality: 85 };
const ALL: [Encoding; 3] = [Encoding::Png, Encoding::Webp, JPEG];

/// The kinds of a file's parts: chunks, or the markers of a JPEG's segments up to the compressed pixels.
fn kinds(file: &[u8]) -> Vec<String> {
    let big = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let little = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let text = |at: usize| String::from_utf8(file[at..at + 4].to_vec()).unwrap();
    let mut found = Vec::new();
    if file.starts_with(b"\x89PNG") {
        let mut at = 8;
        while at < file.len() {
            found.push(text(at + 4));
            at += big(at) + 12;
        }
    } else if file.starts_with(b"RIFF") {
        assert_eq!(little(4), file.len() - 8);
        assert_eq!(text(8), "WEBP");
        let mut at = 12;
        while at < file.len() {
            found.push(text(at));
            at += 8 + little(at + 4).next_multiple_of(2);
        }
        assert_eq!(at, file.len());
    } else {
        let mut at = 2;
        while found.last().is_none_or(|last| last != "da") {
            assert_eq!(file[at], 0xff);
            found.push(format!("{:x}", file[at + 1]));
            at += 2 + usize::from(u16::from_be_bytes([file[at + 2], file[at + 3]]));
        }
    }
    found
}

/// The kinds of parts of a file without padding, and with it.
fn parts(encoding: Encoding) -> [Vec<&'static str>; 2] {
    match encoding {
        Encoding::Png => [vec!["IHDR", "IDAT", "IEND"], vec!["IHDR", "IDAT", "paDs", "IEND"]],
        Encoding::Webp => [vec!["VP8X", "VP8L"], vec!["VP8X", "VP8L", "paDs"]],
        // JFIF, the frame, two tables of quantization, four Huffman tables, the scan; and a comment.
        _ => [
            vec!["e0", "c0", "db", "db", "c4", "c4", "c4", "c4", "da"],
            vec!["e0", "fe", "c0", "db", "db", "c4", "c4", "c4", "c4", "da"],
        ],
    }
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
    for encoding in ALL {
        let bytes = encode(&picture(33, 21, 4), encoding);
        assert_eq!(kinds(&bytes), parts(encoding)[0]);
        assert_eq!(encode(&picture(33, 21, 4), encoding), bytes);
    }
    let png = encode(&picture(33, 21, 4), Encoding::Png);
    assert_eq!(png[16..29], [0, 0, 0, 33, 0, 0, 0, 21, 8, 2, 0, 0, 0]);
    let webp = encode(&picture(33, 21, 4), Encoding::Webp);
    assert_eq!(webp[12..30], *b"VP8X\x0a\0\0\0\0\0\0\0\x20\0\0\x14\0\0");
}

#[test]
fn padded_stimuli_have_one_length_and_one_structure() {
    for encoding in ALL {
        let pictures: Vec<Picture> = (0..20).map(|seed| picture(40, 30, seed * 37)).collect();
        let encoded: Vec<Vec<u8>> = pictures.iter().map(|picture| encode(picture, encoding)).collect();
        let longest = encoded.iter().map(Vec::len).max().unwrap();
        for bytes in encoded {
            let padded = pad(bytes.clone(), longest + PADDING_BYTES).unwrap();
            assert_eq!(padded.len(), longest + PADDING_BYTES);
            assert_eq!(kinds(&padded), parts(encoding)[1]);
            assert_eq!(decoded(&padded), decoded(&bytes));
            // Another decoder accepts it as well.
            let other = |file| image::load_from_memory(file).unwrap().into_rgb8();
            assert_eq!(other(&padded), other(&bytes));
        }
        let bytes = encode(&pictures[0], encoding);
        assert_eq!(pad(bytes.clone(), bytes.len() + PADDING_BYTES - 1), None);
    }
    assert_eq!(pad(b"not a picture".to_vec(), 100), None);
    let webp = encode(&pictures_of_one_colour(), Encoding::Webp);
    let odd = webp.len() + PADDING_BYTES + 1;
    assert_eq!(pad(webp, odd), None, "the lengths of WebP files are even");
}

fn pictures_of_one_colour() -> Picture {
    Picture::from_fn(Size::new(9, 5).unwrap(), |_, _| [3, 2, 1])
}

#[test]
fn padding_of_any_length_leaves_a_jpeg_readable() {
    let bytes = encode(&picture(24, 16, 3), JPEG);
    for room in [12, 13, 65_536, 65_537, 65_538, 65_539, 65_540, 65_541, 65_542, 131_074, 131_075, 131_079] {
        let padded = pad(bytes.clone(), bytes.len() + room).unwrap();
        assert_eq!(padded.len(), bytes.len() + room);
        assert_eq!(decoded(&padded), decoded(&bytes), "{room}");
        assert!(image::load_from_memory(&padded).is_ok(), "{room}");
        let others: Vec<String> = kinds(&padded).into_iter().filter(|kind| kind != "fe").collect();
        assert_eq!(others, parts(JPEG)[0]);
    }
}

#[test]
fn higher_qualities_lose_less() {
    let original = picture(64, 64, 9);
    let loss = |quality| {
        let bytes = encode(&original, Encoding::Jpeg { quality });
        let read = decoded(&bytes);
        let levels = read.pixels().iter().zip(original.pixels());
        let sum: u64 = levels.map(|(&one, &other)| u64::from(one.abs_diff(other)).pow(2)).sum();
        (bytes.len(), sum)
    };
    let steps: Vec<(usize, u64)> = [10, 40, 70, 100].map(loss).into();
    assert!(steps.is_sorted_by(|one, other| one.0 < other.0 && one.1 > other.1), "{steps:?}");
    assert_eq!(loss(0), loss(1));
    assert_eq!(loss(255), loss(100));
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
        for encoding in [Encoding::Png, Encoding::Webp] {
            let bytes = encode(&picture, encoding);
            prop_assert_eq!(&decoded(&bytes), &picture);
            let other = image::load_from_memory(&bytes).unwrap().into_rgb8();
            prop_assert_eq!(other.as_raw(), picture.pixels());
            prop_assert_eq!(PixelDigest::of(&decoded(&bytes)), PixelDigest::of(&picture));
        }
    }
}
