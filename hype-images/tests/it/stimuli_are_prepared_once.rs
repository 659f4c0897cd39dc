//! Files are converted to stimuli of one kind, once, and stored results are checked.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use hype_images::{
    ContentDigest, Decoding, Encoding, Filter, Framing, ImageError, Original, Picture, PixelDigest,
    PrepareRule, Prepared, Size, decode, encode, prepare, smaller_lossless,
};

fn pictures() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pictures")
}

fn original(folder: &Path, name: &str, bytes: &[u8]) -> Original {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    Original { name: name.into(), path, digest: ContentDigest::of(bytes) }
}

/// Files of every kind, copied into a folder.
fn originals(folder: &Path) -> Vec<Original> {
    let mut names: Vec<String> = fs::read_dir(pictures())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with(".json"))
        .collect();
    names.sort();
    names.iter().map(|name| original(folder, name, &fs::read(pictures().join(name)).unwrap())).collect()
}

fn rule() -> PrepareRule {
    PrepareRule { framing: Framing::Cover { width: 8, height: 8 }, ..PrepareRule::default() }
}

fn quietly(originals: &[Original], folder: &Path) -> Vec<Prepared> {
    prepare(originals, &rule(), folder, &|_| {}).unwrap()
}

/// All files below a folder.
fn files(folder: &Path) -> BTreeSet<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { BTreeSet::from([path]) }).collect()
}

#[test]
fn files_of_every_kind_become_stimuli_of_one_kind() {
    let folder = tempfile::tempdir().unwrap();
    let originals = originals(folder.path());
    let kept = folder.path().join("kept");
    let heard = Mutex::new(Vec::new());
    let prepared = prepare(&originals, &rule(), &kept, &|done| heard.lock().unwrap().push(done)).unwrap();
    let mut heard = heard.into_inner().unwrap();
    heard.sort_unstable();
    assert!(heard.into_iter().eq(1..=originals.len()));
    assert!(prepared.iter().map(|one| one.original).eq(originals.iter().map(|one| one.digest)));
    for (one, original) in prepared.iter().zip(&originals) {
        let bytes = one.read().unwrap();
        assert_eq!((one.width, one.height, one.bytes), (8, 8, bytes.len() as u64));
        let decoding = Decoding::default();
        let whole = decode("x", &fs::read(&original.path).unwrap(), &decoding).unwrap().picture;
        let framed = rule().framing.frame(&whole, Filter::Bicubic).unwrap();
        assert_eq!(decode("x", &bytes, &decoding).unwrap().picture, framed, "{}", original.name);
    }
    // The same picture without loss in two containers is found.
    let pixels = |name: &str| prepared[originals.iter().position(|one| &*one.name == name).unwrap()].pixels;
    assert_eq!(pixels("rgb.png"), pixels("lossless.webp"));
    assert_ne!(pixels("rgb.png"), pixels("grey.png"));
    // One result and its note for each, and nothing else.
    let distinct: BTreeSet<_> = originals.iter().map(|one| one.digest).collect();
    assert_eq!(files(&kept).len(), 2 * distinct.len());
}

#[test]
fn prepared_files_are_reused_and_truncated_ones_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let originals = originals(folder.path());
    let kept = folder.path().join("kept");
    let first = quietly(&originals, &kept);
    for original in &originals {
        fs::remove_file(&original.path).unwrap();
    }
    assert_eq!(quietly(&originals, &kept), first);

    // Another rule has no results yet.
    let other = PrepareRule { background: [0; 3], ..rule() };
    let faults = prepare(&originals, &other, &kept, &|_| {}).unwrap_err();
    assert_eq!(faults.0.len(), originals.len());

    // The possible remains of a kill: a file without its note, a truncated note, a truncated file.
    fs::remove_file(first[0].path.with_extension("json")).unwrap();
    fs::write(first[1].path.with_extension("json"), b"{\"digest\":").unwrap();
    fs::write(&first[2].path, &first[2].read().unwrap()[..20]).unwrap();
    assert_eq!(prepare(&originals, &rule(), &kept, &|_| {}).unwrap_err().0.len(), 3);
    for original in &originals[..3] {
        fs::copy(pictures().join(&*original.name), &original.path).unwrap();
    }
    assert_eq!(quietly(&originals, &kept), first);
    for one in &first[..3] {
        one.read().unwrap();
    }
}

#[test]
fn changed_results_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let originals = originals(folder.path());
    let one = quietly(&originals[..1], folder.path()).remove(0);
    let mut bytes = one.read().unwrap();
    bytes[40] ^= 1;
    fs::write(&one.path, &bytes).unwrap();
    let error = one.read().unwrap_err();
    assert!(matches!(error, ImageError::OtherContent { wanted, .. } if wanted == one.digest), "{error}");
}

#[test]
fn repeated_content_is_made_once_and_all_faults_are_told_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    let whole = fs::read(pictures().join("rgb.png")).unwrap();
    let (one, two) = (original(base, "one.png", &whole), original(base, "two.png", &whole));
    fs::remove_file(&two.path).unwrap();
    let prepared = quietly(&[one.clone(), two], &base.join("kept"));
    assert_eq!(prepared[0], prepared[1]);

    let changed = Original { digest: ContentDigest::of(b"another"), ..one.clone() };
    let cut = original(base, "cut.png", &whole[..60]);
    let moving = original(base, "moving.webp", include_bytes!("../data/animated.webp"));
    let faults = prepare(&[changed, one, cut.clone(), cut, moving], &rule(), &base.join("more"), &|_| {});
    assert!(matches!(
        faults.unwrap_err().0.as_slice(),
        [
            ImageError::OtherContent { path: a, .. },
            ImageError::Truncated { path: b, .. },
            ImageError::Animated { path: c, .. }
        ] if a == "one.png" && b == "cut.png" && c == "moving.webp"
    ));

    let endless =
        PrepareRule { framing: Framing::Exact { width: 1 << 20, height: 1 }, ..PrepareRule::default() };
    let one = original(base, "one.png", &whole);
    let faults = prepare(&[one], &endless, &base.join("more"), &|_| {}).unwrap_err();
    assert!(matches!(&faults.0[..], [ImageError::Framing { .. }]), "{faults}");
}

#[test]
fn uncreatable_folders_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, b"").unwrap();
    let faults = prepare(&[], &rule(), &file, &|_| {}).unwrap_err();
    assert!(matches!(&faults.0[..], [ImageError::Write { .. }]), "{faults}");
}

#[test]
fn rules_are_written_and_read_as_one_way() {
    let rule = PrepareRule { filter: Filter::Lanczos, ..rule() };
    let json = serde_json::to_string(&rule).unwrap();
    assert_eq!(
        json,
        r#"{"framing":{"cover":{"width":8,"height":8}},"filter":"lanczos","background":[255,255,255]}"#
    );
    assert_eq!(serde_json::from_str::<PrepareRule>(&json).unwrap(), rule);
    assert_eq!(serde_json::from_str::<PrepareRule>("{}").unwrap(), PrepareRule::default());
    let other = PrepareRule { encoding: Encoding::Jpeg { quality: 90 }, ..rule };
    let json = serde_json::to_string(&other).unwrap();
    assert!(json.ends_with(r#","encoding":{"jpeg":{"quality":90}}}"#), "{json}");
    assert_eq!(serde_json::from_str::<PrepareRule>(&json).unwrap(), other);
}

/// Images of each encoding are in a folder of their own.
#[test]
fn encodings_do_not_share_files() {
    let folder = tempfile::tempdir().unwrap();
    let originals = originals(folder.path());
    let kept = folder.path().join("kept");
    let mut folders = BTreeSet::new();
    let mut pictures = Vec::new();
    for (encoding, extension) in
        [(Encoding::Png, "png"), (Encoding::Webp, "webp"), (Encoding::Jpeg { quality: 60 }, "jpg")]
    {
        let prepared = prepare(&originals, &PrepareRule { encoding, ..rule() }, &kept, &|_| {}).unwrap();
        for one in &prepared {
            assert!(one.path.extension().is_some_and(|found| found == extension));
            folders.insert(one.path.parent().unwrap().to_owned());
            let seen = decode("x", &one.read().unwrap(), &Decoding::default()).unwrap().picture;
            assert_eq!(PixelDigest::of(&seen), one.pixels, "the digest is of what raters see");
        }
        pictures.push(prepared.iter().map(|one| one.pixels).collect::<Vec<_>>());
    }
    assert_eq!(folders.len(), 3);
    assert_eq!(pictures[0], pictures[1]);
    assert_ne!(pictures[0], pictures[2]);
    assert!(folders.contains(&kept.join("7824717d8a09e3ae")), "{folders:?}");
}

#[test]
fn the_smaller_lossless_encoding_is_one_for_all() {
    let folder = tempfile::tempdir().unwrap();
    let written = |number: usize, picture: &Picture| {
        original(folder.path(), &number.to_string(), &encode(picture, Encoding::Png))
    };
    let size = Size::new(64, 64).unwrap();
    // Smooth shades with noise, as photographs have: WebP predicts each pixel from its neighbours.
    let photograph = |seed: u32| {
        let mut state = seed;
        Picture::from_fn(size, |x, y| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = (state >> 29) as u8;
            [x * 2, y * 2, x + y].map(|level| level as u8 + noise)
        })
    };
    // A pattern of noise that repeats: PNG refers to what came before.
    let pattern = Picture::from_fn(size, |x, y| {
        let mixed = ((x % 8) * 8 + y % 8 + 1).wrapping_mul(0x9e37_79b9);
        [mixed >> 24, mixed >> 16, mixed >> 8].map(|level| level as u8)
    });
    let photographs: Vec<Original> = (0..40).map(|seed| written(seed as usize, &photograph(seed))).collect();
    let patterns = [written(100, &pattern)];
    let kept = folder.path().join("kept");
    let rule = PrepareRule::default();
    assert_eq!(smaller_lossless(&photographs, &rule, &kept), Encoding::Webp);
    assert_eq!(smaller_lossless(&patterns, &rule, &kept), Encoding::Png);
    // The longest decides, since all are padded to it.
    let both = [&photographs[..3], &patterns].concat();
    assert_eq!(smaller_lossless(&both, &rule, &kept), Encoding::Webp);
    assert_eq!(smaller_lossless(&[], &rule, &kept), Encoding::Png);
    // No more than 16 are made twice, and what was made is not made again.
    let made = files(&kept).len();
    assert!(made <= 2 * 2 * (14 + 1 + 3), "{made} files");
    for one in photographs.iter().chain(&patterns) {
        fs::remove_file(&one.path).unwrap();
    }
    assert_eq!(smaller_lossless(&photographs, &rule, &kept), Encoding::Webp);
    assert_eq!(smaller_lossless(&photographs[1..2], &rule, &folder.path().join("other")), Encoding::Png);
}
