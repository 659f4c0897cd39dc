//! Reads reference data, and makes features.
//!
//! The reference data are not part of the repository: `metrics/README.md` among them names the implementations and
//! versions that computed them.

#![allow(clippy::disallowed_methods, reason = "reference data are files, where the environment says")]

use std::path::{Path, PathBuf};

use hype_chance::Streams;
use hype_metrics::Features;
use serde_json::Value;

/// The folder `metrics` of the reference data: under `HYPE_REFERENCE`, by default `../shared/reference` next to the
/// repository. `None`, said on standard error, if it is not there.
///
/// # Panics
/// If it is not there and `CI` is set: a run that has to prove everything cannot pass without the data.
pub(crate) fn reference() -> Option<Reference> {
    let folder = std::env::var_os("HYPE_REFERENCE")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/reference"), PathBuf::from)
        .join("metrics");
    if folder.exists() {
        return Some(Reference(folder));
    }
    let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(!is_ci, "no reference data at {}: set HYPE_REFERENCE to their folder", folder.display());
    eprintln!("skipped: no reference data at {}", folder.display());
    None
}

pub(crate) struct Reference(PathBuf);

impl Reference {
    pub(crate) fn json(&self, name: &str) -> Value {
        // Python writes NaN, which JSON does not know, where an implementation returned it.
        let text = String::from_utf8(self.bytes(name)).unwrap();
        serde_json::from_str(&text.replace("NaN,", "null,").replace("NaN\n", "null\n")).unwrap()
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        let file = self.0.join(name);
        std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    pub(crate) fn array(&self, name: &str) -> Array {
        Array::parse(&self.bytes(name)).unwrap_or_else(|| panic!("{name} is not an array of a known kind"))
    }

    /// Samples, width, height and channels of a PNG with eight bits.
    pub(crate) fn png(&self, name: &str) -> OwnedImage {
        let bytes = self.bytes(name);
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut samples = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut samples).unwrap();
        assert_eq!(info.bit_depth, png::BitDepth::Eight, "{name}");
        samples.truncate(info.buffer_size());
        OwnedImage {
            channels: info.color_type.samples(),
            samples,
            width: info.width as usize,
            height: info.height as usize,
        }
    }
}

pub(crate) struct OwnedImage {
    samples: Vec<u8>,
    width: usize,
    height: usize,
    channels: usize,
}

impl OwnedImage {
    pub(crate) fn view(&self) -> hype_metrics::pixels::Image<'_> {
        hype_metrics::pixels::Image::new(&self.samples, self.width, self.height, self.channels).unwrap()
    }
}

/// An array of the file format of numpy, row by row.
pub(crate) struct Array {
    pub(crate) columns: usize,
    pub(crate) floats: Vec<f32>,
    pub(crate) integers: Vec<usize>,
}

impl Array {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let length = usize::from(u16::from_le_bytes(bytes.get(8..10)?.try_into().ok()?));
        let header = std::str::from_utf8(bytes.get(10..10 + length)?).ok()?;
        assert!(header.contains("'fortran_order': False"), "{header}");
        let body = bytes.get(10 + length..)?;
        let shape = header.split('(').nth(1)?.split(')').next()?;
        let columns = shape.split(',').filter_map(|part| part.trim().parse().ok()).nth(1).unwrap_or(1);
        let (mut floats, mut integers) = (Vec::new(), Vec::new());
        if header.contains("'<f4'") {
            floats = body.as_chunks::<4>().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect();
        } else if header.contains("'<i8'") {
            integers =
                body.as_chunks::<8>().0.iter().map(|chunk| i64::from_le_bytes(*chunk) as usize).collect();
        } else if header.contains("'<i4'") {
            integers =
                body.as_chunks::<4>().0.iter().map(|chunk| i32::from_le_bytes(*chunk) as usize).collect();
        } else {
            return None;
        }
        Some(Self { columns, floats, integers })
    }

    pub(crate) fn features(&self) -> Features<'_> {
        Features::new(&self.floats, self.columns).unwrap()
    }

    /// The rows with these numbers.
    pub(crate) fn select(&self, rows: &[usize]) -> Vec<f32> {
        rows.iter()
            .flat_map(|row| &self.floats[row * self.columns..(row + 1) * self.columns])
            .copied()
            .collect()
    }
}

/// Asserts that a number is as wanted, within a relative and an absolute tolerance.
#[track_caller]
pub(crate) fn close(what: &str, got: f64, want: f64, relative: f64, absolute: f64) {
    let same = got == want || (got - want).abs() <= relative * want.abs() + absolute;
    assert!(same, "{what}: got {got:e}, want {want:e}, off by {:e}", (got - want).abs());
}

/// Normal features whose columns are correlated: each is its own draw, plus a share of the one before, plus a shift.
pub(crate) fn normal_features(seed: u64, rows: usize, width: usize, shift: f64) -> Vec<f64> {
    let mut stream = Streams::new(seed).stream("normal features");
    let mut values = Vec::with_capacity(rows * width);
    for _ in 0..rows {
        let mut before = 0.0;
        for _ in 0..width {
            // Box and Muller (1958); 1 - u is never 0.
            let radius = (-2.0 * (1.0 - stream.unit_f64()).ln()).sqrt();
            let normal = radius * (std::f64::consts::TAU * stream.unit_f64()).cos();
            before = 0.6 * before + normal;
            values.push(before + shift);
        }
    }
    values
}
