//! `hype metrics`, and scores together with automated metrics.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hype::exchange::Metrics;
use hype::pipeline::extractors::{OnnxModel, OnnxPreset};
use hype::pipeline::features::{self, FolderFeatures};
use hype::pipeline::study::{ComputedMetrics, MetricProgress, Shard, StudyMetrics};
use hype::{Opening, StudyFolder};
use hype_core::model::findings::{MetricFindings, Note};
use hype_core::plugin::metric::MetricReads;
use hype_core::study::spec::MetricSpecs;
use hype_core::words::counted;
use hype_core::yaml::Document;
use hype_core::{Diagnostics, Findings, MetricSpec, Streams};
use hype_report::Records;

use super::args::{FolderResize, MetricsArguments, MetricsCommand};
use super::failure::Failure;
use super::opening;
use super::output::{self, Page, print_json};
use super::progress::PartBars;
use super::tables::metrics_on;
use super::terminal;
use super::threads::threads;

/// The bootstrap resamples and the confidence level for correlations.
const RESAMPLES: u32 = 10_000;
const LEVEL: f64 = 0.95;

/// The seed of random subsets of features that belong to no study.
const SEED: u64 = 0;

/// Adds the metrics of a study to its findings, those that were computed and those of a table, with their correlations with what
/// raters said.
pub(crate) fn add(
    opened: &StudyFolder,
    table: Option<&Path>,
    findings: &mut Findings,
    records: &Records,
) -> Result<(), Failure> {
    let study = opened.study();
    let folder = opened.path().with_extension("metrics");
    let mut metrics = table.map(Metrics::read).transpose()?.unwrap_or_default();
    match ComputedMetrics::read(&folder)? {
        Some(found) if found.stimuli == study.stimuli().digest() => {
            metrics = Metrics::computed(found).and(metrics);
        }
        Some(_) => {
            let text = format!(
                "the metrics in {} are of other stimuli and are left out: run `hype metrics` again",
                folder.display()
            );
            findings.add_notes([Note::precision("other-stimuli", text)]);
        }
        None if !study.spec().analysis.metrics.metrics.is_empty() => {
            let text = "the study's metrics are not computed: run `hype metrics` with its spec";
            findings.add_notes([Note::setting("metrics-not-computed", text)]);
        }
        None => {}
    }
    let means = |measure: &str, model: &str| {
        records.means_of_outputs(measure, model).map(|(output, mean)| (Arc::clone(output), mean)).collect()
    };
    metrics.correlate(findings, &means, RESAMPLES, LEVEL, study.chance());
    Ok(())
}

pub(crate) fn run(arguments: &MetricsArguments) -> Result<(), Failure> {
    if let Some(MetricsCommand::Merge(merge)) = &arguments.command {
        return of_spec(&merge.spec, Shard::ALL, &merge.folders, true, merge.json);
    }
    if let Some(threads) = threads(arguments.threads)? {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
        pool.build_global().map_err(|error| Failure::Message(format!("--threads {threads}: {error}")))?;
    }
    if let Some(path) = &arguments.features {
        return of_sets(&arguments.what, path, arguments.against.as_deref(), arguments);
    }
    let spec = match &arguments.what[..] {
        [spec] => spec,
        [metrics @ .., own, other] if !metrics.is_empty() && arguments.shard.is_none() => {
            return of_sets(metrics, Path::new(own), Some(Path::new(other)), arguments);
        }
        _ => {
            let reason = "name one spec, or kinds of metrics and two sets, such as `fid generated/ real/`";
            return Err(Failure::Message(reason.to_owned()));
        }
    };
    if arguments.resize.is_some() || arguments.model.is_some() {
        let reason = "--resize and --model are for folders of images: a spec has its `extractor`";
        return Err(Failure::Message(reason.to_owned()));
    }
    let shard = match &arguments.shard {
        None => Shard::ALL,
        Some(text) => text.parse().map_err(|error| Failure::Message(format!("--shard {text}: {error}")))?,
    };
    of_spec(Path::new(spec), shard, &[], false, arguments.json)
}

/// Metrics of files of features and of folders of images.
fn of_sets(
    metrics: &[String],
    own: &Path,
    other: Option<&Path>,
    arguments: &MetricsArguments,
) -> Result<(), Failure> {
    if metrics.is_empty() {
        return Err(Failure::Message(
            "name the metrics, such as `fid kid prdc`: see `hype list metrics`".into(),
        ));
    }
    let metrics = metrics.iter().map(|text| metric(text)).collect::<Result<Vec<_>, Failure>>()?;
    let model = arguments.model.clone().unwrap_or_else(default_model);
    let reads_features = |metric: &dyn MetricSpec| matches!(metric.inputs().reads, MetricReads::Features(_));
    let are_folders = own.is_dir() || other.is_some_and(Path::is_dir);
    if are_folders && metrics.iter().all(|metric| reads_features(&**metric)) {
        check_folders(&model)?;
    }
    let extractor = OnnxModel {
        preset: Some(match arguments.resize {
            None | Some(FolderResize::CleanFid) => OnnxPreset::Inception2015,
            Some(FolderResize::PytorchFid) => OnnxPreset::Inception2015PytorchFid,
        }),
        model: model.display().to_string(),
        ..OnnxModel::default()
    };
    let bars = Bars::new(!arguments.json);
    let folders = FolderFeatures { extractor: &extractor, progress: &bars };
    let found = features::of_files(own, other, folders, &metrics, &Streams::new(SEED));
    bars.finish();
    print(&found.map_err(|error| Failure::Message(error.to_string()))?, arguments.json)
}

/// Where `scripts/inception-to-onnx.py` writes the network of FID.
fn default_model() -> PathBuf {
    let named = env::var_os("XDG_CACHE_HOME").filter(|path| !path.is_empty()).map(PathBuf::from);
    let cache = named.or_else(|| Some(env::home_dir()?.join(".cache")));
    cache.unwrap_or_default().join("hype/inception-2015.onnx")
}

/// Says what is missing for features of images.
fn check_folders(model: &Path) -> Result<(), Failure> {
    let reason = if !cfg!(all(feature = "metrics", feature = "onnx")) {
        "this program cannot compute features of images: build it with the features `metrics` and `onnx`, or give files of \
         features"
            .to_owned()
    } else if !model.exists() {
        format!(
            "there is no Inception network at {}: make it from the weights that pytorch-fid publishes by \
             `scripts/inception-to-onnx.py --weights FILE`, or name one with --model",
            model.display()
        )
    } else {
        return Ok(());
    };
    Err(Failure::Message(reason))
}

/// A metric by its kind, or by its settings in YAML.
fn metric(text: &str) -> Result<Box<dyn MetricSpec>, Failure> {
    let faults = |diagnostics: Diagnostics| Failure::Faults {
        path: "the metric".to_owned(),
        text: text.to_owned(),
        diagnostics,
    };
    let document = Document::parse(text).map_err(faults)?;
    let mut found = Diagnostics::new();
    let metric = MetricSpecs::read_one(document.root(), &mut found);
    match metric {
        Some(metric) if !found.has_errors() => Ok(metric),
        _ => Err(faults(found)),
    }
}

/// Shows progress, and measures how long the rows of each source take.
struct Bars {
    bars: PartBars,
    shown: bool,
    sources: Mutex<Vec<Timed>>,
}

/// A source whose rows are computed.
struct Timed {
    name: String,
    /// How many rows were known at the beginning.
    known: usize,
    done: usize,
    begun: Instant,
    took: Duration,
}

impl Bars {
    fn new(shown: bool) -> Self {
        Self { bars: PartBars::new("measuring", shown), shown, sources: Mutex::default() }
    }

    /// Removes the bar, and says how long rows took that were not known before.
    fn finish(self) {
        self.bars.finish();
        let sources = self.sources.into_inner().unwrap_or_else(PoisonError::into_inner);
        for source in sources.iter().filter(|source| self.shown && source.done > source.known) {
            terminal::report(format_args!(
                "{}: {} in {:.1} s",
                source.name,
                counted(source.done - source.known, "row"),
                source.took.as_secs_f64()
            ));
        }
    }
}

impl MetricProgress for Bars {
    fn reached(&self, source: &str, done: usize, total: usize) {
        self.bars.reach(source, done, total);
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        match sources.last_mut().filter(|last| last.name == source) {
            Some(last) => {
                last.done = done;
                last.took = last.begun.elapsed();
            }
            None => sources.push(Timed {
                name: source.to_owned(),
                known: done,
                done,
                begun: Instant::now(),
                took: Duration::ZERO,
            }),
        }
    }
}

/// Metrics of a study.
fn of_spec(spec: &Path, shard: Shard, others: &[PathBuf], merges: bool, json: bool) -> Result<(), Failure> {
    let opened = opening::open(Opening::of(spec), json, |_| {})?;
    let specs = &opened.study.spec().analysis.metrics;
    if specs.metrics.is_empty() {
        let reason = format!("{} names no metrics: add the section `metrics`", spec.display());
        return Err(Failure::Message(reason));
    }
    let folder = spec.with_extension("metrics");
    let failed = |error: hype::pipeline::study::StudyMetricsError| Failure::Message(error.to_string());
    let chance = opened.study.chance().child("metrics", 0);
    let stimuli = opened.study.stimuli();
    let mut metrics =
        StudyMetrics::open(stimuli, specs, &opened.folder, &folder, others, chance).map_err(failed)?;
    if !merges {
        let bars = Bars::new(!json);
        let computed = metrics.compute_rows(shard, &bars);
        bars.finish();
        computed.map_err(failed)?;
    }
    if !shard.is_all() {
        return output::print(format_args!(
            "the rows of this shard are in {}: run `hype metrics merge {}` when all shards are done",
            folder.display(),
            spec.display()
        ));
    }
    let found = metrics.values().map_err(failed)?;
    let path = found.write(&folder)?;
    let found: Vec<MetricFindings> = found.metrics.into_iter().map(|metric| metric.findings).collect();
    print(&found, json)?;
    if json { Ok(()) } else { output::print(format_args!("\nmetrics: {}", path.display())) }
}

fn print(found: &[MetricFindings], json: bool) -> Result<(), Failure> {
    if json {
        return print_json(&found);
    }
    let mut page = Page::default();
    metrics_on(&mut page, found);
    page.print()
}
