//! A prepared file is the canonical encoding of its pixels: decoding and encoding it again gives the same bytes,
//! whatever its source was.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hype_images::{
    ContentDigest, Decoding, Encoding, Framing, Original, Picture, PrepareRule, Prepared, Size, decode,
    encode, prepare,
};

use crate::support::bytes::{chunk, png_with};
use crate::support::proof::{row, sized};
use crate::support::sources::{KINDS, fixtures, source};

/// The number of images: as many of each kind of source, and as many of each fixture.
fn images() -> usize {
    sized(300, 10_000)
}

/// The sizes that images have after framing, some unchanged.
const FRAMINGS: [Framing; 4] = [
    Framing::Whole,
    Framing::Cover { width: 12, height: 9 },
    Framing::Within { width: 10, height: 10 },
    Framing::Exact { width: 7, height: 13 },
];

fn original(folder: &Path, number: usize, bytes: &[u8]) -> Original {
    let path = folder.join(format!("{number}"));
    fs::write(&path, bytes).unwrap();
    Original { name: format!("{number}").into(), path, digest: ContentDigest::of(bytes) }
}

fn pixels(bytes: &[u8]) -> Picture {
    decode("prepared", bytes, &Decoding::default()).unwrap().picture
}

/// Asserts that a prepared file is what its pixels are encoded to, by this crate's decoder and another.
fn assert_canonical(prepared: &Prepared, encoding: Encoding) {
    let file = prepared.read().unwrap();
    let picture = pixels(&file);
    assert_eq!(encode(&picture, encoding), file, "{}", prepared.path.display());
    let other = image::load_from_memory(&file).unwrap();
    let size = Size::new(other.width(), other.height()).unwrap();
    assert_eq!(Picture::new(size, other.into_rgb8().into_raw()).unwrap(), picture);
}

#[test]
fn decoding_and_encoding_again_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = fixtures();
    let all = images();
    // Two in five of the sources are files of other programs, among them lossy WebP and profiles, framed in many ways.
    let of_others = all * 2 / 5;
    let originals: Vec<Original> = (0..all - of_others)
        .map(|number| original(folder.path(), number, &source(number % KINDS, number as u64)))
        .collect();
    let mut proved = BTreeMap::new();
    for encoding in [Encoding::Png, Encoding::Webp] {
        let kept = folder.path().join("kept");
        let mut count = 0;
        for (part, framing) in originals.chunks(originals.len().div_ceil(FRAMINGS.len())).zip(FRAMINGS) {
            let rule = PrepareRule { framing, encoding, ..PrepareRule::default() };
            let prepared = prepare(part, &rule, &kept, &|_| {}).unwrap();
            prepared.iter().for_each(|one| assert_canonical(one, encoding));
            count += prepared.len();
        }
        let names: Vec<Original> = fixtures
            .iter()
            .enumerate()
            .map(|(number, file)| original(folder.path(), all + number, file))
            .collect();
        let mut side = 0;
        while count < all {
            side += 1;
            let framing = Framing::Cover { width: 3 + side % 29, height: 3 + side / 29 };
            let rule = PrepareRule { framing, encoding, ..PrepareRule::default() };
            let prepared = prepare(&names[..names.len().min(all - count)], &rule, &kept, &|_| {}).unwrap();
            prepared.iter().for_each(|one| assert_canonical(one, encoding));
            count += prepared.len();
        }
        proved.insert(encoding, count);
    }
    assert!(proved.values().all(|&count| count == all), "{proved:?}");
    row(&[&format!(
        "{all} images as PNG and as WebP, of {KINDS} kinds of sources and {} fixtures",
        fixtures.len()
    )]);
}

/// The same pixels from different containers, with and without metadata, become the same file.
#[test]
fn files_with_the_same_pixels_become_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    for encoding in [Encoding::Png, Encoding::Webp] {
        let mut files: BTreeMap<String, BTreeMap<Vec<u8>, Vec<usize>>> = BTreeMap::new();
        let originals: Vec<Original> =
            (0..KINDS).map(|kind| original(folder.path(), kind, &source(kind, 24))).collect();
        let rule = PrepareRule { encoding, ..PrepareRule::default() };
        let prepared = prepare(&originals, &rule, &folder.path().join("kept"), &|_| {}).unwrap();
        for (kind, one) in prepared.iter().enumerate() {
            let same = files.entry(one.pixels.to_string()).or_default();
            same.entry(one.read().unwrap()).or_default().push(kind);
        }
        assert!(files.values().all(|same| same.len() == 1), "one picture has several files");
        let most = files.values().flat_map(|same| same.values()).map(Vec::len).max();
        assert!(most >= Some(8), "the sources have too few pictures in common: {most:?}");
    }
}

/// The assertion finds files that say more than their pixels.
#[test]
fn files_with_anything_else_are_not_canonical() {
    let picture = Picture::from_fn(Size::new(20, 10).unwrap(), |x, y| [x as u8, (x * y) as u8, y as u8]);
    for file in [png_with(&picture, &[chunk(b"tEXt", b"Author\0me")]), png_with(&picture, &[])] {
        assert_eq!(pixels(&file), picture);
        assert_ne!(encode(&picture, Encoding::Png), file);
    }
    let mut simple = Vec::new();
    image_webp::WebPEncoder::new(&mut simple)
        .encode(picture.pixels(), 20, 10, image_webp::ColorType::Rgb8)
        .unwrap();
    assert_eq!(pixels(&simple), picture);
    assert_ne!(encode(&picture, Encoding::Webp), simple);
}
