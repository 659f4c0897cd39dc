//! The cache is used only for unchanged files, and damage to it is harmless.

use std::fs::{self, File};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use hype_images::{Cache, ContentDigest, FoundFile, Inspected, inspect_all};
use image::{ImageFormat, RgbImage};

const LONG_AGO: Duration = Duration::from_nanos(1_500_000_000_123_456_789);

fn png(shade: u8) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    RgbImage::from_pixel(3, 2, image::Rgb([shade, 7, 9])).write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

fn write(path: &Path, bytes: &[u8], modified: Duration) {
    fs::write(path, bytes).unwrap();
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(UNIX_EPOCH + modified).unwrap();
}

struct Study {
    _folder: tempfile::TempDir,
    files: Vec<FoundFile>,
    cache: PathBuf,
}

fn study(images: u8) -> Study {
    let folder = tempfile::tempdir().unwrap();
    let files = (0..images)
        .map(|i| {
            let name = format!("{i} \"é\".png");
            let path = folder.path().join(&name);
            write(&path, &png(i), LONG_AGO);
            FoundFile { relative: name.as_str().into(), path }
        })
        .collect();
    Study { cache: folder.path().join("images.jsonl"), _folder: folder, files }
}

impl Study {
    /// Opens the study, and returns how many entries the cache had.
    fn open(&self) -> (usize, Vec<Inspected>) {
        let mut cache = Cache::open(&self.cache);
        let images = inspect_all(&self.files, &mut cache, &|_| {}).unwrap();
        let known = cache.len();
        cache.save().unwrap();
        (known, images)
    }

    /// Replaces a file's bytes by as many zeros without a change of its metadata, so that only a
    /// cache can still consider it an image.
    fn blank(&self, index: usize) {
        let path = &self.files[index].path;
        write(path, &vec![0; png(0).len()], LONG_AGO);
    }
}

#[test]
fn facts_of_other_files_are_kept_until_the_file_changes() {
    let study = study(1);
    let clip = study.files[0].path.with_file_name("a.mp4");
    write(&clip, b"clip", LONG_AGO);
    let clip = FoundFile { relative: "a.mp4".into(), path: clip };
    let digest = ContentDigest::of(b"clip");
    let facts = |found: Result<(u32, u32), &'static str>| {
        let mut cache = Cache::open(&study.cache);
        let kept = cache.facts_of(&clip, || found.map(|facts| (digest, facts)));
        inspect_all(&study.files, &mut cache, &|_| {}).unwrap();
        cache.save().unwrap();
        kept
    };
    assert_eq!(facts(Err("a fault")), Err("a fault"));
    assert_eq!(facts(Ok((8, 6))), Ok((digest, (8, 6))));
    assert_eq!(facts(Err("read again")), Ok((digest, (8, 6))));
    let mut cache = Cache::open(&study.cache);
    let reading = cache.facts_of(&clip, || Err::<(ContentDigest, String), _>("facts of another form"));
    assert_eq!(reading, Err("facts of another form"));
    assert!(inspect_all(std::slice::from_ref(&clip), &mut cache, &|_| {}).is_err(), "it is no image");
    write(&clip.path, b"another", LONG_AGO);
    assert_eq!(facts(Err("read again")), Err("read again"));
    assert_eq!(Cache::open(&study.cache).len(), 1, "what was not used is dropped");
}

#[test]
fn known_files_are_not_read_again() {
    let study = study(5);
    let (known, first) = study.open();
    assert_eq!(known, 0);
    for index in 0..5 {
        study.blank(index);
    }
    let (known, second) = study.open();
    assert_eq!(known, 5);
    assert_eq!(second, first);
}

#[test]
fn a_changed_length_or_time_is_read_again() {
    let study = study(3);
    let (_, first) = study.open();
    let mut longer = png(0);
    longer.extend(b"tail");
    write(&study.files[0].path, &longer, LONG_AGO);
    write(&study.files[1].path, &png(200), LONG_AGO + Duration::from_nanos(1));
    let (_, second) = study.open();
    assert_ne!(second[0], first[0]);
    assert_ne!(second[1].digest, first[1].digest);
    assert_eq!(second[2], first[2]);
    assert_eq!(study.open().1, second);
}

#[test]
fn recently_written_files_are_read_again() {
    let study = study(2);
    fs::write(&study.files[0].path, png(100)).unwrap();
    study.open();
    let (known, _) = study.open();
    assert_eq!(known, 1);
}

#[test]
fn damaged_lines_are_ignored_and_rebuilt() {
    let study = study(6);
    let (_, first) = study.open();
    let whole = fs::read(&study.cache).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
    assert_eq!(lines.len(), 7);

    let swap = |from: &str, to: &str| {
        let text = String::from_utf8(whole.clone()).unwrap();
        assert!(text.contains(from));
        text.replacen(from, to, 1).into_bytes()
    };
    for (damaged, left) in [
        (whole[..whole.len() - 30].to_vec(), 5),
        (whole[..whole.len() - 1].to_vec(), 6),
        (lines[..3].concat(), 2),
        ([lines[0], b"not json\n", lines[1], b"\xff\n"].concat(), 1),
        (swap("\"width\":3", "\"width\":4"), 5),
        (swap("\"format\":\"png\"", "\"format\":\"gif\""), 5),
        (swap("image_cache\":1", "image_cache\":2"), 0),
        (Vec::new(), 0),
    ] {
        fs::write(&study.cache, damaged).unwrap();
        let (known, images) = study.open();
        assert_eq!(known, left);
        assert_eq!(images, first);
        assert_eq!(fs::read(&study.cache).unwrap(), whole, "the cache is complete again");
    }
}

#[test]
fn any_changed_digit_makes_its_line_void() {
    let study = study(1);
    study.open();
    let whole = fs::read(&study.cache).unwrap();
    let start = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for at in start..whole.len() {
        let mut damaged = whole.clone();
        if !damaged[at].is_ascii_digit() {
            continue;
        }
        damaged[at] = if damaged[at] == b'7' { b'3' } else { b'7' };
        fs::write(&study.cache, damaged).unwrap();
        assert_eq!(Cache::open(&study.cache).len(), 0, "byte {at}");
    }
}

#[test]
fn files_no_longer_asked_for_are_forgotten_and_no_trace_is_left() {
    let mut study = study(4);
    study.open();
    study.files.truncate(2);
    study.open();
    assert_eq!(study.open().0, 2);
    let left: Vec<_> = fs::read_dir(study.cache.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name.to_string_lossy().contains("tmp"))
        .collect();
    assert_eq!(left, Vec::<std::ffi::OsString>::new());
}

#[test]
fn a_cache_that_cannot_be_written_says_so() {
    let study = study(1);
    let mut cache = Cache::open(Path::new("/nonexistent-folder/images.jsonl"));
    let images = inspect_all(&study.files, &mut cache, &|_| {}).unwrap();
    assert_eq!(images.len(), 1);
    let error = cache.save().unwrap_err().to_string();
    assert!(error.contains("cannot be written"), "{error}");
}
