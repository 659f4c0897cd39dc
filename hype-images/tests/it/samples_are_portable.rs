//! The images of an example study have the same bytes everywhere, and sets do not differ in format
//! or size.

use std::collections::BTreeSet;

use hype_images::sample::{self, Process};
use hype_images::{
    Cache, ContentDigest, FileFormat, ImageError, ImageSet, Inspected, PixelDigest, find, inspect_all,
    shortcuts,
};

#[test]
fn pictures_have_their_golden_pixels() {
    for (process, index, seed, size, want) in [
        (Process::Real, 0, 7, 64, "a0b97f3a1b42c241344b91675d6ea6dc976a66315dada4775208270f78a8a49e"),
        (Process::Real, 5, 7, 48, "144c56166cd4334c46b6482dd1dde85a3930ffb56715906561f0761ec9378d5c"),
        (Process::Good, 1, 7, 64, "68c5b20a524d28095437798050e71e276a48fffa0315f1a387f652bfe88158ca"),
        (Process::Middling, 2, 7, 64, "79d5ab6d4a31ea746c8b501a4b8f7962050eb465947ef58791b8eda08e8fd23c"),
        (Process::Weak, 3, u64::MAX, 64, "5212ef6db80beb801017e9445bd2d087337a866319e565343eb40d6a48d63b19"),
    ] {
        let picture = sample::draw(process, index, seed, size).unwrap();
        assert_eq!(PixelDigest::of(&picture).to_string(), want, "{process:?} {index}");
    }
}

#[test]
fn pictures_differ_by_process_index_and_seed() {
    let mut seen = BTreeSet::new();
    for process in Process::ALL {
        for index in 0..25 {
            for seed in [0, 1] {
                assert!(seen.insert(sample::draw(process, index, seed, 16).unwrap().into_pixels()));
            }
        }
    }
}

#[test]
fn impossible_sizes_and_folders_are_refused() {
    for size in [0, 15, 1025] {
        let outcome = sample::draw(Process::Real, 0, 0, size);
        assert!(matches!(outcome, Err(ImageError::Size { least: 16, most: 1024, .. })));
    }
    let folder = tempfile::tempdir().unwrap();
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
            assert_eq!((image.format, image.width, image.height), (FileFormat::Png, 64, 64));
            assert!(image.bytes <= 8192, "{} has {} bytes", image.path, image.bytes);
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
    assert_eq!(read.as_raw(), sample::draw(Process::Weak, 1, 3, 64).unwrap().pixels());
}
