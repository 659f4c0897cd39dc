//! The pictures of a first study are the same bytes everywhere, and sets look alike from outside.

#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]

use std::collections::BTreeSet;

use hype_images::sample::{self, Process};
use hype_images::{
    Cache, ContentDigest, Format, ImageError, ImageSet, Inspected, find, inspect_all, shortcuts,
};

#[test]
fn pictures_have_their_golden_pixels() {
    for (process, index, seed, size, want) in [
        (Process::Real, 0, 7, 64, "28cf566f4c6e2236f8a1dcc4e46559be2182987ee8aaa8ac8ae8b7abbeb17292"),
        (Process::Real, 5, 7, 48, "0383ce5f66dd3132cf19ca1cdb26fcdfe50c96c7cb2dd7264e5cafbe4f2bdb22"),
        (Process::Good, 1, 7, 64, "9608efba40f82b86d111e04b15952782a674cbf268ebf8e104d243afa02b1ebb"),
        (Process::Middling, 2, 7, 64, "b87dc5c7431bc5548eeffa4b2d598822bf63ebefd4150692899b11affa3a69cb"),
        (Process::Weak, 3, u64::MAX, 64, "efc6382d5c581e6e2e013d0626b3b0eab091734c3e469832399db357f20530e9"),
    ] {
        let picture = sample::draw(process, index, seed, size);
        let got = ContentDigest::of(picture.as_raw()).to_string();
        assert_eq!(got, want, "{process:?} {index}");
    }
}

#[test]
fn pictures_differ_by_process_index_and_seed() {
    let mut seen = BTreeSet::new();
    for process in Process::ALL {
        for index in 0..25 {
            for seed in [0, 1] {
                assert!(seen.insert(sample::draw(process, index, seed, 16).into_raw()));
            }
        }
    }
}

#[test]
fn sizes_are_kept_within_their_range() {
    assert_eq!(sample::draw(Process::Real, 0, 0, 0).width(), sample::MIN_SIZE);
    let folder = tempfile::tempdir().unwrap();
    for size in [0, sample::MIN_SIZE - 1, sample::MAX_SIZE + 1] {
        let outcome = sample::write_set(folder.path(), Process::Real, 1, 0, size, &|_| {});
        assert!(matches!(outcome, Err(ImageError::Size { .. })));
    }
    let taken = folder.path().join("file");
    std::fs::write(&taken, "x").unwrap();
    let outcome = sample::write_set(&taken, Process::Real, 1, 0, 64, &|_| {});
    assert!(matches!(outcome, Err(ImageError::Write { .. })));
}

#[test]
fn written_sets_have_no_copies_and_no_shortcuts() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    let names = ["real", "a", "b", "c"];
    let mut cache = Cache::open(&base.join("cache"));
    let sets: Vec<Vec<Inspected>> = Process::ALL
        .into_iter()
        .zip(names)
        .map(|(process, name)| {
            sample::write_set(&base.join(name), process, 40, 7, 64, &|_| {}).unwrap();
            let found = find(base, &[format!("{name}/*.png")]).unwrap();
            inspect_all(&found.images, &mut cache, &|_| {}).unwrap()
        })
        .collect();
    for (images, name) in sets.iter().zip(names) {
        assert_eq!(images.len(), 40);
        assert_eq!(&*images[0].path, format!("{name}/0001.png"));
        for image in images {
            assert_eq!((image.format, image.width, image.height), (Format::Png, 64, 64));
            assert!(image.bytes <= 4096, "{} has {} bytes", image.path, image.bytes);
        }
    }
    let sets: Vec<ImageSet<'_>> =
        sets.iter().zip(names).map(|(images, name)| ImageSet { name, images }).collect();
    let contents: BTreeSet<ContentDigest> =
        sets.iter().flat_map(|set| set.images.iter().map(|image| image.digest)).collect();
    assert_eq!(contents.len(), 4 * 40, "every image is another one");
    let found = shortcuts(&sets[..1], &sets[1..]);
    assert!(found.is_empty(), "{}", found[0]);
}

#[test]
fn files_hold_the_drawn_pixels() {
    let folder = tempfile::tempdir().unwrap();
    sample::write_set(folder.path(), Process::Weak, 2, 3, 64, &|_| {}).unwrap();
    let read = image::open(folder.path().join("0002.png")).unwrap().to_rgb8();
    assert_eq!(read, sample::draw(Process::Weak, 1, 3, 64));
}
