//! Opens a study of 100,000 images that are in the cache; the aim is less than a second.

use std::fs::{self, File};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use criterion::{Criterion, criterion_group, criterion_main};
use hype_images::{Cache, find, inspect_all};

const IMAGES: usize = 100_000;

fn make(base: &Path) -> std::io::Result<()> {
    let long_ago = UNIX_EPOCH + Duration::from_secs(1_500_000_000);
    for folder in 0..10 {
        let folder = base.join(format!("images/model-{folder}"));
        fs::create_dir_all(&folder)?;
        for image in 0..IMAGES / 10 {
            let path = folder.join(format!("{image:06}.png"));
            // One picture for all files; the measured code does not read their content.
            let picture = image::RgbImage::from_pixel(1, 1, image::Rgb([1, 2, 3]));
            picture.save(&path).map_err(std::io::Error::other)?;
            File::options().write(true).open(&path)?.set_modified(long_ago)?;
        }
    }
    Ok(())
}

fn open(base: &Path) -> usize {
    let found = find(base, &["images/**/*.png"]).expect("the files were just made");
    let mut cache = Cache::open(&base.join("images.jsonl"));
    let images = inspect_all(&found.images, &mut cache, &|done| {
        black_box(done);
    })
    .expect("the files are whole");
    cache.save().expect("the folder was just made");
    images.len()
}

fn open_100k(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    make(folder.path()).expect("a hundred thousand small files fit");
    assert_eq!(open(folder.path()), IMAGES);
    let mut group = criterion.benchmark_group("a study of 100,000 images (about 1 s)");
    group.sample_size(10);
    group.bench_function("warm", |bencher| bencher.iter(|| open(black_box(folder.path()))));
    group.bench_function("cache_only", |bencher| {
        bencher.iter(|| Cache::open(&folder.path().join("images.jsonl")).len());
    });
    group.finish();
}

criterion_group!(benches, open_100k);
criterion_main!(benches);
