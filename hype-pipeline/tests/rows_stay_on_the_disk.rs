//! Values of sets that are larger than the memory should be: rows are read from the disk in blocks, and values keep their bits.
//! Alone in its process, whose memory it measures.

#![cfg(feature = "linalg")]
#![allow(clippy::unwrap_used, clippy::float_cmp, missing_docs, reason = "a test")]

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

use flate2::Crc;
use hype_core::model::stimulus::{Role, Use};
use hype_core::plugin::extractor::{
    ExtractedLayer, Extractor, ExtractorError, ExtractorReads, OpenExtractor, ToExtract,
};
use hype_core::plugin::metric::{BesideRows, Metric as _, MetricRows, MetricSample};
use hype_core::study::spec::MetricSpecs;
use hype_core::{Digest, Fact, Streams, register_extractor};
use hype_pipeline::metrics::Fid;
use hype_pipeline::study::{MetricProgress, Shard, StudyMetrics};
use hype_sim::fixtures::{SetOf, sets};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[path = "../../tests/it/support/proof.rs"]
mod proof;

/// Columns.
const WIDTH: usize = 512;

/// A model whose rows are all known.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Known {}

impl Extractor for Known {
    fn open(&self, _: &Path) -> Result<Box<dyn OpenExtractor>, ExtractorError> {
        Ok(Box::new(self.clone()))
    }
}

impl OpenExtractor for Known {
    fn name(&self) -> &str {
        "known"
    }

    fn pipeline(&self) -> Vec<Fact> {
        Vec::new()
    }

    fn digest(&self) -> Digest {
        Digest::of(b"known")
    }

    fn reads(&self) -> ExtractorReads {
        ExtractorReads::Pixels
    }

    fn extract(&mut self, _: &[ToExtract<'_>]) -> Result<Vec<Vec<ExtractedLayer>>, ExtractorError> {
        Err(ExtractorError::Unavailable("every row is known".to_owned()))
    }
}

register_extractor!(
    Known,
    "known",
    summary = "Rows that are all known",
    citation = "",
    example = "{ kind: known }",
);

struct Quiet;

impl MetricProgress for Quiet {
    fn reached(&self, _: &str, _: usize, _: usize) {}
}

/// Features as a rectifier leaves them: half of them zero, so rows begin the same way.
fn row(number: u64, to: &mut [f32]) {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for value in to {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let uniform = (state >> 40) as f32 / (1_u32 << 24) as f32 - 0.5;
        *value = uniform.max(0.0);
    }
}

/// The most memory that the process has held, in bytes; `None` where the system does not say.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? << 10)
}

#[test]
fn fid_reads_its_rows_in_blocks() {
    let images = proof::sized(20_000, 1_000_000);
    let set = |name, role| SetOf { name, role, used_for: Use::Main, size: images };
    let stimuli = sets(&[set("real", Role::Real), set("gan", Role::Generated)]);
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("study.metrics");
    fs::create_dir(&kept).unwrap();
    let file = File::create(kept.join(format!("{}.rows", Digest::of(b"known")))).unwrap();
    let mut rows = BufWriter::new(file);
    rows.write_all(b"hype rows 1\n").unwrap();
    let mut values = [0.0; WIDTH];
    for (number, stimulus) in stimuli.all().iter().enumerate() {
        row(number as u64, &mut values);
        let mut record = stimulus.digest.0.to_vec();
        record.push(4);
        record.extend((WIDTH as u32).to_le_bytes());
        record.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        let mut sum = Crc::new();
        sum.update(&record);
        record.extend(sum.sum().to_le_bytes());
        rows.write_all(&record).unwrap();
    }
    rows.into_inner().unwrap().sync_all().unwrap();

    let before = peak_memory();
    let fid = Fid::default();
    let specs = MetricSpecs {
        metrics: vec![Box::new(fid.clone())],
        extractor: Some(Box::new(Known {})),
        ..MetricSpecs::default()
    };
    let chance = Streams::new(7);
    let mut metrics =
        StudyMetrics::open(&stimuli, &specs, folder.path(), &kept, &[], chance.clone()).unwrap();
    metrics.compute_rows(Shard::ALL, &Quiet).unwrap();
    let computed = metrics.values().unwrap();
    let found = computed.metrics[0].findings.values[0].value.unwrap();
    assert!(found > 0.0 && found < 1.0, "{found}");
    if let (Some(before), Some(after)) = (before, peak_memory()) {
        let (grown, held) = ((after - before) >> 20, (8 * u64::from(images) * WIDTH as u64) >> 20);
        // Only the index of rows grows.
        let allowed = 40 + ((800 * u64::from(images)) >> 20);
        println!("{grown} MiB for {held} MiB of rows");
        assert!(
            grown <= allowed && allowed < held,
            "{grown} MiB more, of {allowed} allowed and {held} of rows"
        );
        proof::row(&[&images.to_string(), &format!("{grown} MiB"), &format!("{held} MiB")]);
    }
    if proof::is_proof() {
        return;
    }
    let mut number = 0;
    let [real, gan] = [(); 2].map(|()| {
        let mut rows = MetricRows::single();
        for _ in 0..images {
            row(number, &mut values);
            rows.push_single(&values);
            number += 1;
        }
        rows
    });
    let sample = MetricSample { rows: &gan, beside: Some(BesideRows::Rows(&real)), origins: &[] };
    let whole = fid.compute(&sample, &chance).unwrap();
    assert_eq!(whole[0].value, Some(found), "rows from the disk give other bits");
}
