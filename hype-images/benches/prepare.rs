//! The cost of decoding, resampling and preparing pictures.

use std::hint::black_box;
use std::io::Cursor;
use std::path::Path;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use hype_images::{
    ContentDigest, Decoding, Encoding, Filter, Framing, Original, Picture, PrepareRule, Size, decode, encode,
    prepare,
};
use image::{ImageFormat, RgbImage};

/// A picture with edges, gradients and noise, as photographs have.
fn picture(side: u32, seed: u32) -> Picture {
    let mut state = seed;
    Picture::from_fn(Size::new(side, side).expect("within the limits"), |x, y| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = (state >> 29) as u8;
        let edge = if (x / 37 + y / 23) % 2 == 0 { 40 } else { 0 };
        [x * 150 / side, y * 150 / side, (x + y) * 75 / side].map(|level| level as u8 + edge + noise)
    })
}

fn written(picture: &Picture, format: ImageFormat) -> Vec<u8> {
    let image = RgbImage::from_raw(picture.width(), picture.height(), picture.pixels().to_vec());
    let mut bytes = Cursor::new(Vec::new());
    image.expect("as many samples").write_to(&mut bytes, format).expect("it can be written");
    bytes.into_inner()
}

fn pixels(criterion: &mut Criterion) {
    for side in [128, 1024] {
        let picture = picture(side, 1);
        let mut group = criterion.benchmark_group(format!("{side}x{side}"));
        group.throughput(Throughput::Elements(u64::from(side) * u64::from(side)));
        for (name, format) in
            [("png", ImageFormat::Png), ("jpeg", ImageFormat::Jpeg), ("webp", ImageFormat::WebP)]
        {
            let bytes = written(&picture, format);
            group.bench_function(format!("decode {name}"), |bencher| {
                bencher.iter(|| decode("x", black_box(&bytes), &Decoding::default()));
            });
        }
        for (name, encoding) in
            [("png", Encoding::Png), ("webp", Encoding::Webp), ("jpeg", Encoding::Jpeg { quality: 90 })]
        {
            group.bench_function(format!("encode {name}"), |bencher| {
                bencher.iter(|| encode(black_box(&picture), encoding));
            });
        }
        group.finish();
    }
    let large = picture(1024, 2);
    let to = Size::new(256, 256).expect("within the limits");
    let mut group = criterion.benchmark_group("1024x1024 to 256x256");
    for filter in [Filter::Bicubic, Filter::Lanczos] {
        group.bench_function(format!("{filter:?}"), |bencher| {
            bencher.iter(|| black_box(&large).resample(to, filter));
        });
    }
    group.finish();
}

fn originals(folder: &Path, count: u32, side: u32) -> Vec<Original> {
    (0..count)
        .map(|number| {
            let bytes = written(&picture(side, number), ImageFormat::Jpeg);
            let path = folder.join(format!("{number}.jpg"));
            std::fs::write(&path, &bytes).expect("a temporary file");
            Original { name: format!("{number}.jpg").into(), path, digest: ContentDigest::of(&bytes) }
        })
        .collect()
}

fn preparing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("prepare");
    group.sample_size(10);
    for (count, side) in [(256, 128), (16, 1024)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let originals = originals(folder.path(), count, side);
        let rule =
            PrepareRule { framing: Framing::Cover { width: 256, height: 256 }, ..PrepareRule::default() };
        group.throughput(Throughput::Elements(count.into()));
        group.bench_function(format!("{count} of {side}x{side} to 256x256"), |bencher| {
            bencher.iter_batched(
                || tempfile::tempdir().expect("a temporary folder"),
                |kept| prepare(&originals, &rule, kept.path(), &|_| {}).expect("whole files"),
                BatchSize::PerIteration,
            );
        });
        let kept = tempfile::tempdir().expect("a temporary folder");
        prepare(&originals, &rule, kept.path(), &|_| {}).expect("whole files");
        group.bench_function(format!("{count} of {side}x{side} that are kept"), |bencher| {
            bencher.iter(|| prepare(&originals, &rule, kept.path(), &|_| {}).expect("whole files"));
        });
    }
    group.finish();
}

criterion_group!(benches, pixels, preparing);
criterion_main!(benches);
