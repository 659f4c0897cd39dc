//! Files that would take more memory or time than allowed are refused before they are decoded.

use std::path::Path;

use hype_images::{Colours, Decoded, Decoding, ImageError, Picture, Size, decode, limits};
use proptest::prelude::*;

use crate::support::bytes::{chunk, exif, png_of, png_with};

const PROGRESSIVE: &[u8] = include_bytes!("../data/progressive.jpg");

fn attempt(bytes: &[u8]) -> Result<Decoded, ImageError> {
    decode("hostile", bytes, &Decoding::default())
}

fn small() -> Picture {
    Picture::from_fn(Size::new(5, 4).unwrap(), |x, y| [x as u8 * 50, y as u8 * 60, 9])
}

/// 64 MiB of zeros as a zlib stream of about 64 KiB, the content of an image of that size.
fn zeros() -> Vec<u8> {
    let png = png_of((8192, 8192), png::ColorType::Grayscale, png::BitDepth::Eight, &vec![0; 1 << 26], &[]);
    let length = u32::from_be_bytes(png[33..37].try_into().unwrap()) as usize;
    png[41..41 + length].to_vec()
}

#[test]
fn a_huge_size_is_refused_by_the_header() {
    let mut ihdr = [60_000_u32.to_be_bytes(), 60_000_u32.to_be_bytes()].concat();
    ihdr.extend([8, 2, 0, 0, 0]);
    let png = [b"\x89PNG\r\n\x1a\n".to_vec(), chunk(b"IHDR", &ihdr)].concat();
    let mut jpeg = PROGRESSIVE.to_vec();
    let frame = jpeg.windows(2).position(|pair| pair == [0xff, 0xc2]).unwrap();
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0xff; 4]);
    let webp = b"RIFF\x12\0\0\0WEBPVP8L\x05\0\0\0\x2f\xff\xff\xff\x0f\0".to_vec();
    let extended = b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff".to_vec();
    for bytes in [png, jpeg, webp, extended] {
        let error = attempt(&bytes).unwrap_err();
        assert!(matches!(error, ImageError::TooLarge { .. }), "{error}");
    }
}

#[test]
fn callers_may_allow_less() {
    let bytes = png_with(&small(), &[]);
    let allowed = Decoding::default();
    decode("x", &bytes, &Decoding { pixels: 20, work: 20, ..allowed }).unwrap();
    let refused = |decoding: Decoding| decode("x", &bytes, &decoding).unwrap_err();
    let error = refused(Decoding { pixels: 19, ..allowed });
    assert!(matches!(error, ImageError::TooLarge { pixels: 19, width: 5, height: 4, .. }), "{error}");
    let error = refused(Decoding { bytes: 10, ..allowed });
    assert!(matches!(error, ImageError::TooManyBytes { limit: 10, .. }), "{error}");
    for decoding in [Decoding { work: 19, ..allowed }, Decoding { memory: 1000, ..allowed }] {
        let error = refused(decoding);
        assert!(matches!(error, ImageError::Greedy { .. }), "{error}");
    }
}

#[test]
fn metadata_that_unpack_a_thousandfold_do_no_harm() {
    let picture = small();
    let zeros = zeros();
    let with = |kind: &[u8; 4], prefix: &[u8]| {
        attempt(&png_with(&picture, &[chunk(kind, &[prefix, &zeros].concat())])).unwrap()
    };
    let profile = with(b"iCCP", b"p\0\0");
    assert_eq!(profile.picture, picture);
    assert!(matches!(profile.colours, Colours::Ignored { .. }), "{:?}", profile.colours);
    assert_eq!(with(b"zTXt", b"p\0\0").picture, picture);
    assert_eq!(with(b"iTXt", b"p\0\x01\0\0\0").picture, picture);
}

#[test]
fn image_data_beyond_the_image_are_not_unpacked_into_memory() {
    let mut png = png_with(&small(), &[]);
    let length = u32::from_be_bytes(png[33..37].try_into().unwrap()) as usize;
    png.splice(33..33 + length + 12, chunk(b"IDAT", &zeros()));
    // Its first rows are present, so it is either a picture with surplus data or a damaged file.
    if let Ok(decoded) = attempt(&png) {
        assert_eq!(decoded.picture.size(), small().size());
    }
}

#[test]
fn a_jpeg_of_countless_scans_is_refused() {
    let scan = PROGRESSIVE.windows(2).rposition(|pair| pair == [0xff, 0xda]).unwrap();
    let end = PROGRESSIVE.len() - 2;
    let mut bytes = PROGRESSIVE[..end].to_vec();
    for _ in 0..90 {
        bytes.extend(&PROGRESSIVE[scan..end]);
    }
    bytes.extend(&PROGRESSIVE[end..]);
    let frame = bytes.windows(2).position(|pair| pair == [0xff, 0xc2]).unwrap();
    bytes[frame + 5..frame + 9].copy_from_slice(&[0x20, 0, 0x20, 0]);
    let error = attempt(&bytes).unwrap_err();
    let ImageError::Greedy { wanted, limit: limits::WORK, .. } = error else {
        panic!("{error}");
    };
    assert!(wanted > 90 * limits::PIXELS);
}

/// A profile whose table has one node of 16 dimensions, or more nodes than bytes.
#[test]
fn hostile_profiles_are_passed_over() {
    let picture = small();
    let whole = moxcms::ColorProfile::new_display_p3().encode().unwrap();
    let mut described = 0;
    for at in (0..whole.len()).step_by(3) {
        let mut profile = whole.clone();
        profile[at] ^= 0xff;
        let mut segment = vec![0xff, 0xe2];
        segment.extend((profile.len() as u16 + 16).to_be_bytes());
        segment.extend(b"ICC_PROFILE\0\x01\x01");
        segment.extend(&profile);
        let mut bytes = PROGRESSIVE.to_vec();
        bytes.splice(2..2, segment);
        described += usize::from(attempt(&bytes).unwrap().colours != Colours::Unstated);
    }
    assert_eq!(described, whole.len().div_ceil(3));
    let huge = vec![0; limits::PROFILE_BYTES + 1];
    let webp = include_bytes!("../data/lossy.webp");
    let mut body = b"WEBPVP8X\x0a\0\0\0\x20\0\0\0\x17\0\0\x13\0\0ICCP".to_vec();
    body.extend((huge.len() as u32).to_le_bytes());
    body.extend(&huge);
    body.push(0);
    body.extend(&webp[12..]);
    let bytes = [b"RIFF".to_vec(), (body.len() as u32).to_le_bytes().to_vec(), body].concat();
    assert!(matches!(attempt(&bytes).unwrap().colours, Colours::Ignored { .. }));
    assert_eq!(attempt(&png_with(&picture, &[chunk(b"eXIf", &exif(1))])).unwrap().picture, picture);
}

#[test]
fn a_picture_cannot_be_cut_or_made_beyond_its_bounds() {
    let picture = small();
    let size = Size::new(3, 3).unwrap();
    for (left, top) in [(3, 0), (0, 2), (u32::MAX, 0)] {
        assert!(picture.cut(hype_images::Region { left, top, size }).is_err());
    }
    let part = picture.cut(hype_images::Region { left: 2, top: 1, size }).unwrap();
    assert_eq!(part.pixels()[..3], [100, 60, 9]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 300, ..ProptestConfig::default() })]

    /// Damaged files of every kind are decoded or refused.
    #[test]
    fn damaged_files_are_judged(
        which: prop::sample::Index,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pictures");
        let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.sort();
        let mut bytes = std::fs::read(&names[which.index(names.len())]).unwrap();
        for (at, value) in edits {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(decoded) = attempt(&bytes) {
            prop_assert_eq!(decoded.picture.pixels().len(), decoded.picture.size().pixels() * 3);
        }
    }
}
