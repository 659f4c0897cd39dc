//! Complete images are inspected, and everything else is refused with a reason.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::{LazyLock, Mutex};

use hype_images::{
    Cache, ContentDigest, FileFormat, FoundFile, ImageError, Inspected, inspect, inspect_all, limits,
};
use image::{DynamicImage, ImageFormat, RgbImage};
use proptest::prelude::*;

const PROGRESSIVE: &[u8] = include_bytes!("../data/progressive.jpg");
/// Colour at half the resolution and a restart marker every three blocks.
const RESTARTS: &[u8] = include_bytes!("../data/restarts.jpg");
const LOSSY: &[u8] = include_bytes!("../data/lossy.webp");

fn picture(width: u32, height: u32) -> DynamicImage {
    RgbImage::from_fn(width, height, |x, y| image::Rgb([(x * 9) as u8, (y * 7) as u8, (x * y * 5) as u8]))
        .into()
}

fn encoded(format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture(40, 30).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

thread_local! {
    /// One folder for each test, since some look at thousands of files.
    static FOLDER: tempfile::TempDir = tempfile::tempdir().unwrap();
}

fn look(bytes: &[u8]) -> Result<Inspected, ImageError> {
    FOLDER.with(|folder| {
        let path = folder.path().join("1.png");
        fs::write(&path, bytes).unwrap();
        inspect(&path)
    })
}

/// Complete files of every kind, by name.
static SAMPLES: LazyLock<Vec<(&str, FileFormat, Vec<u8>)>> = LazyLock::new(|| {
    vec![
        ("png", FileFormat::Png, encoded(ImageFormat::Png)),
        ("baseline jpeg", FileFormat::Jpeg, encoded(ImageFormat::Jpeg)),
        ("jpeg with restarts", FileFormat::Jpeg, RESTARTS.to_vec()),
        ("progressive jpeg", FileFormat::Jpeg, PROGRESSIVE.to_vec()),
        ("lossless webp", FileFormat::Webp, encoded(ImageFormat::WebP)),
        ("lossy webp", FileFormat::Webp, LOSSY.to_vec()),
    ]
});

fn chunk(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let mut bytes = (content.len() as u32).to_be_bytes().to_vec();
    bytes.extend(kind);
    bytes.extend(content);
    bytes.extend(crc32fast::hash(&bytes[4..]).to_be_bytes());
    bytes
}

/// A PNG with another chunk after its header.
fn png_with(extra: &[u8]) -> Vec<u8> {
    let mut bytes = encoded(ImageFormat::Png);
    bytes.splice(33..33, extra.iter().copied());
    bytes
}

fn riff(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut body = b"WEBP".to_vec();
    for (kind, content) in chunks {
        body.extend(*kind);
        body.extend((content.len() as u32).to_le_bytes());
        body.extend(*content);
        body.resize(body.len().next_multiple_of(2), 0);
    }
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((body.len() as u32).to_le_bytes());
    bytes.extend(body);
    bytes
}

#[test]
fn whole_images_are_measured() {
    for (name, format, bytes) in SAMPLES.iter() {
        let image = look(bytes).unwrap();
        let size = match *name {
            "jpeg with restarts" => (53, 37),
            "progressive jpeg" | "lossy webp" => (24, 20),
            _ => (40, 30),
        };
        assert_eq!((image.width, image.height), size, "{name}");
        assert_eq!(image.format, *format, "{name}");
        assert_eq!(image.bytes, bytes.len() as u64);
        assert_eq!(image.digest, ContentDigest::of(bytes));
        let promised = (*format != FileFormat::Png).then_some(FileFormat::Png);
        assert_eq!(image.misnamed(), promised, "{name}");
    }
    for color in [
        DynamicImage::ImageLuma8(picture(17, 5).to_luma8()),
        DynamicImage::ImageRgba16(picture(17, 5).to_rgba16()),
        DynamicImage::ImageLumaA8(picture(17, 5).to_luma_alpha8()),
    ] {
        let mut bytes = Cursor::new(Vec::new());
        color.write_to(&mut bytes, ImageFormat::Png).unwrap();
        assert_eq!(look(bytes.get_ref()).unwrap().width, 17);
    }
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    for (name, format, bytes) in SAMPLES.iter() {
        let edges = |length: &usize| *length < 64 || length + 64 > bytes.len() || length.is_multiple_of(5);
        for length in (0..bytes.len()).filter(edges) {
            let error = look(&bytes[..length]).expect_err(name);
            if length >= 12 {
                assert!(
                    matches!(&error, ImageError::Truncated { format: told, .. } if told == format),
                    "{name} cut at {length} of {}: {error}",
                    bytes.len()
                );
            }
        }
    }
}

#[test]
fn a_jpeg_that_lacks_data_before_its_end_is_refused() {
    let whole = encoded(ImageFormat::Jpeg);
    let scan = whole.windows(2).rposition(|pair| pair == [0xff, 0xda]).unwrap() + 14;
    let data = scan..whole.len() - 2;
    for from in data.clone() {
        // Everything from here to the end is missing.
        let mut holed = whole[..from].to_vec();
        holed.extend([0xff, 0xd9]);
        let error = look(&holed).expect_err("data are missing");
        assert!(matches!(error, ImageError::Corrupt { .. }), "{from}: {error}");
    }
    for from in data.clone().step_by(9).take_while(|from| from + 300 < data.end) {
        // An interrupted copy ends with zeros.
        let mut blank = whole.clone();
        blank[from..from + 200].fill(0);
        look(&blank).expect_err("data are overwritten");
    }
}

#[test]
fn a_jpeg_that_lacks_a_restart_interval_is_refused() {
    let second = RESTARTS.windows(2).position(|pair| pair == [0xff, 0xd1]);
    let third = RESTARTS.windows(2).position(|pair| pair == [0xff, 0xd2]);
    let mut holed = RESTARTS.to_vec();
    holed.drain(second.unwrap()..third.unwrap());
    let error = look(&holed).unwrap_err();
    assert!(matches!(error, ImageError::Corrupt { .. }), "{error}");
}

#[test]
fn a_png_with_a_byte_changed_is_refused() {
    let whole = png_with(&chunk(b"tEXt", b"Title\0a picture"));
    look(&whole).unwrap();
    let edges = |at: &usize| *at < 128 || at + 64 > whole.len() || at.is_multiple_of(7);
    for at in (0..whole.len()).filter(edges) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        look(&damaged).expect_err("a check sum covers every byte");
    }
}

#[test]
fn animations_are_refused() {
    let control = chunk(b"acTL", &[0, 0, 0, 2, 0, 0, 0, 0]);
    let flagged = [2, 0, 0, 0, 23, 0, 0, 19, 0, 0];
    let still = [0, 0, 0, 0, 23, 0, 0, 19, 0, 0];
    let image = &LOSSY[20..];
    for (bytes, format) in [
        (png_with(&control), FileFormat::Png),
        (riff(&[(b"VP8X", &flagged), (b"VP8 ", image)]), FileFormat::Webp),
        (riff(&[(b"VP8X", &still), (b"ANIM", &[0; 6]), (b"VP8 ", image)]), FileFormat::Webp),
    ] {
        let error = look(&bytes).unwrap_err();
        assert!(matches!(&error, ImageError::Animated { format: told, .. } if *told == format), "{error}");
    }
    assert_eq!(look(&riff(&[(b"VP8X", &still), (b"VP8 ", image)])).unwrap().width, 24);
}

#[test]
fn sizes_are_refused_by_the_header_alone() {
    let header = |width: u32, height: u32| {
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut content = width.to_be_bytes().to_vec();
        content.extend(height.to_be_bytes());
        content.extend([8, 6, 0, 0, 0]);
        bytes.extend(chunk(b"IHDR", &content));
        bytes
    };
    for (width, height) in [(limits::SIDE + 1, 1), (1, u32::MAX), (limits::SIDE, limits::SIDE)] {
        let error = look(&header(width, height)).unwrap_err();
        assert!(matches!(error, ImageError::TooLarge { .. }), "{error}");
    }
    assert!(matches!(look(&header(0, 5)), Err(ImageError::Corrupt { .. })));
    // Within the limits, but without any data.
    assert!(matches!(look(&header(8192, 8192)), Err(ImageError::Truncated { .. })));

    let mut jpeg = encoded(ImageFormat::Jpeg);
    let frame = jpeg.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
    assert!(matches!(look(&jpeg), Err(ImageError::TooLarge { width: 65_535, height: 65_535, .. })));
    let webp = riff(&[(b"VP8L", &[0x2f, 0xff, 0xff, 0xff, 0x0f])]);
    assert!(matches!(look(&webp), Err(ImageError::TooLarge { width: 16_384, .. })));
}

#[test]
fn files_other_than_images_are_reported() {
    for (bytes, resembles) in [
        (b"GIF89a...".as_slice(), "a GIF"),
        (b"\0\0\0\x20ftypavif....", "an AVIF"),
        (b"<!DOCTYPE html>", "a web page"),
        (b"version https://git-lfs.github.com/spec/v1", "a Git LFS pointer"),
        (b"RIFF....WAVE", "something else"),
    ] {
        let error = look(bytes).unwrap_err();
        assert!(matches!(error, ImageError::UnknownFormat { .. }), "{error}");
        assert!(error.to_string().contains(resembles), "{error}");
    }
    assert!(matches!(look(b""), Err(ImageError::Empty { .. })));

    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(inspect(folder.path()), Err(ImageError::NotAFile { .. })));
    let missing = folder.path().join("missing.png");
    assert!(matches!(inspect(&missing), Err(ImageError::Unreadable { .. })));
    let long = folder.path().join("long.png");
    fs::File::create(&long).unwrap().set_len(limits::FILE_BYTES + 1).unwrap();
    assert!(matches!(inspect(&long), Err(ImageError::TooManyBytes { .. })));
    #[cfg(unix)]
    {
        let link = folder.path().join("link.png");
        std::os::unix::fs::symlink("nothing", &link).unwrap();
        assert!(matches!(inspect(&link), Err(ImageError::BrokenLink { .. })));
    }
}

fn file(folder: &Path, name: &str, bytes: &[u8]) -> FoundFile {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    FoundFile { relative: name.into(), path }
}

#[test]
fn many_files_keep_their_order_and_tell_all_faults() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    let whole = encoded(ImageFormat::Png);
    let mut files: Vec<FoundFile> = (0..40)
        .rev()
        .map(|i| {
            let mut bytes = whole.clone();
            bytes.push(i);
            file(base, &format!("{i:02}.png"), &bytes)
        })
        .collect();
    let heard = Mutex::new(Vec::new());
    let mut cache = Cache::open(&base.join("cache"));
    let images = inspect_all(&files, &mut cache, &|done| heard.lock().unwrap().push(done)).unwrap();
    assert!(images.iter().map(|image| &image.path).eq(files.iter().map(|file| &file.relative)));
    let mut heard = heard.into_inner().unwrap();
    heard.sort_unstable();
    assert!(heard.into_iter().eq(1..=40));

    files.insert(3, file(base, "empty.png", b""));
    files.insert(30, file(base, "cut.png", &whole[..50]));
    files.push(file(base, "gif.png", b"GIF89a"));
    let faults = inspect_all(&files, &mut cache, &|_| {}).unwrap_err();
    assert!(matches!(
        faults.0.as_slice(),
        [
            ImageError::Empty { path: a },
            ImageError::Truncated { path: b, .. },
            ImageError::UnknownFormat { path: c, .. }
        ] if a == "empty.png" && b == "cut.png" && c == "gif.png"
    ));
    assert_eq!(
        faults.to_string(),
        "3 images cannot be used: empty.png is empty; \
         cut.png is a png cut short: it ends inside its IDAT chunk; \
         gif.png is neither a PNG, a JPEG nor a WebP: it looks like a GIF"
    );
    assert_eq!(inspect_all(&[], &mut cache, &|_| {}).unwrap(), []);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 400, ..ProptestConfig::default() })]

    /// Damaged and invented files are inspected without a panic that reaches the caller.
    #[test]
    fn hostile_files_are_judged(
        which in 0_usize..6,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
        tail in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut bytes = SAMPLES[which].2.clone();
        for (at, value) in edits {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        bytes.extend(&tail);
        if let Ok(image) = look(&bytes) {
            prop_assert!(image.width <= limits::SIDE && image.height <= limits::SIDE);
            prop_assert_eq!(image.digest, ContentDigest::of(&bytes));
        }
    }
}
