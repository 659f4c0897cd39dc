//! Masks of a study's images are the same for the same seed, cover every image, and reveal none of them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use hype_images::texture::{Plane, pixel_correlation};
use hype_images::{
    ContentDigest, Decoding, Encoding, Faults, MaskKind, MaskOrder, OWN_CORRELATION, Original, Picture,
    PrepareRule, Prepared, Size, decode, encode, make_masks, prepare,
};

/// Discs, stripes and ramps of three sizes.
fn pictures() -> Vec<Picture> {
    let disc = Picture::from_fn(Size::new(64, 64).unwrap(), |x, y| {
        let near = (i64::from(x) - 30).pow(2) + (i64::from(y) - 36).pow(2) < 400;
        if near { [220, 140, 40] } else { [40, 60, 90 + (x as u8)] }
    });
    let stripes = Picture::from_fn(Size::new(48, 56).unwrap(), |x, y| {
        let level = if (x + 2 * y) / 5 % 2 == 0 { 200 } else { 60 };
        [level, level, 255 - level]
    });
    let ramp = Picture::from_fn(Size::new(64, 40).unwrap(), |x, y| {
        [(x * 4) as u8, (y * 6) as u8, ((x ^ y) * 3) as u8]
    });
    vec![disc, stripes, ramp]
}

fn prepared(folder: &Path, pictures: &[Picture]) -> Vec<Prepared> {
    let originals: Vec<Original> = pictures
        .iter()
        .enumerate()
        .map(|(number, picture)| {
            let bytes = encode(picture, Encoding::Png);
            let path = folder.join(format!("{number}.png"));
            fs::write(&path, &bytes).unwrap();
            let name: Arc<str> = format!("{number}.png").into();
            Original { name, path, digest: ContentDigest::of(&bytes) }
        })
        .collect();
    prepare(&originals, &PrepareRule::default(), &folder.join("prepared"), &|_| {}).unwrap()
}

fn orders(sources: &[Prepared], each: u64) -> Vec<MaskOrder<'_>> {
    let numbered = (0..each).flat_map(|round| sources.iter().map(move |source| (source, round)));
    numbered.map(|(source, seed)| MaskOrder { source, seed: 77 + seed }).collect()
}

fn made(sources: &[Prepared], kind: MaskKind, folder: &Path) -> Result<Vec<Prepared>, Faults> {
    make_masks(&orders(sources, 2), kind, Encoding::Png, folder, &|_| {})
}

fn picture(prepared: &Prepared) -> Picture {
    decode("mask", &prepared.read().unwrap(), &Decoding::default()).unwrap().picture
}

fn channel(picture: &Picture, channel: usize) -> Plane {
    let levels = picture.pixels().iter().skip(channel).step_by(3).map(|&level| f64::from(level)).collect();
    Plane::new(picture.width() as usize, picture.height() as usize, levels).unwrap()
}

const KINDS: [MaskKind; 3] =
    [MaskKind::PortillaSimoncelli { iterations: 4 }, MaskKind::PhaseScrambled, MaskKind::Noise];

#[test]
fn masks_cover_every_image_and_hide_their_own() {
    let folder = tempfile::tempdir().unwrap();
    // One size: sources can be compared with masks as they are.
    let disc = pictures().remove(0);
    let turned = Picture::from_fn(disc.size(), |x, y| {
        let at = ((y * 64 + (63 - x)) * 3) as usize;
        [disc.pixels()[at + 2], disc.pixels()[at], disc.pixels()[at + 1]]
    });
    let sources = prepared(folder.path(), &[disc, turned]);
    for kind in KINDS {
        let masks = made(&sources, kind, &folder.path().join("masks")).unwrap();
        assert_eq!(masks.len(), 4);
        for (order, mask) in orders(&sources, 2).iter().zip(&masks) {
            let (source, mask) = (picture(order.source), picture(mask));
            for number in 0..3 {
                let found = pixel_correlation(&channel(&mask, number), &channel(&source, number)).unwrap();
                assert!(found.abs() < OWN_CORRELATION, "{kind:?}, channel {number}: {found}");
            }
        }
    }
}

#[test]
fn masks_of_images_of_several_sizes_have_the_largest() {
    let folder = tempfile::tempdir().unwrap();
    let sources = prepared(folder.path(), &pictures());
    for kind in KINDS {
        for mask in made(&sources, kind, &folder.path().join("masks")).unwrap() {
            assert_eq!((mask.width, mask.height), (64, 64), "{kind:?}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let sources = prepared(folder.path(), &pictures());
    for kind in KINDS {
        let digests: Vec<Vec<ContentDigest>> = [1, 2, 3]
            .iter()
            .map(|&threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let to = folder.path().join(format!("masks {threads}"));
                let masks = pool.install(|| made(&sources, kind, &to)).unwrap();
                masks.iter().map(|mask| mask.digest).collect()
            })
            .collect();
        assert!(digests.iter().all(|one| *one == digests[0]), "{kind:?}");
        let mut different = digests[0].clone();
        different.sort_unstable();
        different.dedup();
        // Noise reveals nothing of its source, so the first seed is always used.
        let wanted = if kind == MaskKind::Noise { 2 } else { 6 };
        assert_eq!(different.len(), wanted, "{kind:?}");
    }
}

#[test]
fn existing_masks_are_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let sources = prepared(folder.path(), &pictures());
    let to = folder.path().join("masks");
    let first = made(&sources, MaskKind::Noise, &to).unwrap();
    for source in &sources {
        fs::remove_file(&source.path).unwrap();
    }
    assert_eq!(made(&sources, MaskKind::Noise, &to).unwrap(), first);
    let told = std::sync::atomic::AtomicUsize::new(0);
    let tell = |done: usize| {
        told.fetch_max(done, std::sync::atomic::Ordering::Relaxed);
    };
    make_masks(&orders(&sources, 2), MaskKind::Noise, Encoding::Png, &to, &tell).unwrap();
    assert_eq!(told.into_inner(), 6);
    assert_eq!(
        made(&sources, MaskKind::PhaseScrambled, &to).unwrap_err().0.len(),
        3,
        "every lost source is reported"
    );
}

#[test]
fn masks_have_the_same_pixels_in_every_lossless_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let sources = prepared(folder.path(), &pictures());
    let to = folder.path().join("masks");
    let as_png = made(&sources, MaskKind::PhaseScrambled, &to).unwrap();
    let orders = orders(&sources, 2);
    let as_webp = make_masks(&orders, MaskKind::PhaseScrambled, Encoding::Webp, &to, &|_| {}).unwrap();
    for (png, webp) in as_png.iter().zip(&as_webp) {
        assert_eq!(png.pixels, webp.pixels);
        assert_eq!(encode(&picture(webp), Encoding::Webp), webp.read().unwrap());
    }
    // What was made before is still there.
    assert_eq!(made(&sources, MaskKind::PhaseScrambled, &to).unwrap(), as_png);
}

#[test]
fn an_image_of_one_colour_has_masks_of_that_colour() {
    let folder = tempfile::tempdir().unwrap();
    let flat = Picture::from_fn(Size::new(32, 32).unwrap(), |_, _| [10, 200, 30]);
    let sources = prepared(folder.path(), &[flat]);
    for kind in [MaskKind::PortillaSimoncelli { iterations: 2 }, MaskKind::PhaseScrambled] {
        let masks = made(&sources, kind, &folder.path().join("masks")).unwrap();
        assert!(picture(&masks[0]).pixels().chunks_exact(3).all(|pixel| pixel == [10, 200, 30]), "{kind:?}");
    }
}
