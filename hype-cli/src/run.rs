//! `hype run` and `hype simulate`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hype::{OpenError, Opened, StudyFolder};
use hype_backends::Local;
use hype_core::study::spec::Spec;
use hype_core::words::counted;
use hype_core::{Backend, Cohort, Collected, Study, analyse};
use hype_store::MemoryStore;
use hype_tasks::HypeTime;

use super::args::{ProgressStyle, RunArguments, SimulateArguments};
use super::failure::{self, Failure};
use super::output::{self, begin, finish, print_json};
use super::progress::{CollectionWatch, PartBars};
use super::tables::print_findings;

pub(crate) fn run(arguments: &RunArguments) -> Result<(), Failure> {
    let simulated = arguments.simulate.is_some();
    let opened = open(&arguments.spec, arguments.report.json, |spec| {
        if let Some(Some(raters)) = arguments.simulate {
            ask_for(spec, raters);
        }
        if simulated {
            add_cohort(spec);
        }
        if arguments.allow_unreachable_target {
            allow_unreachable_target(spec);
        }
    })?;
    let study = &opened.study;
    let backend = match (&study.spec().backend, simulated) {
        (Some(backend), false) => backend.clone(),
        (Some(backend), true) => backend.with_cohort(cohort(study)?).ok_or_else(|| {
            Failure::Message(format!(
                "the backend {} serves people only: use `hype simulate`",
                backend.typetag_name()
            ))
        })?,
        (None, _) => return Err(Failure::Message("the spec names no backend".into())),
    };
    let simulated = backend.is_simulated();
    let folder = arguments.study.clone().unwrap_or_else(|| default_folder(&arguments.spec, simulated));
    let kept = StudyFolder::collect_into(&folder, study, simulated)?;
    let watch = CollectionWatch::new(arguments.progress, study.places());
    let backend = with_threads(backend, arguments.threads)?;
    let collected = collect(&*backend, study, &kept, watch)?;
    if collected.open > 0 {
        return Err(Failure::Message(format!(
            "stopped with {} of {} open: the same command goes on, and `hype score {}` reads what there is",
            collected.open,
            counted(study.places(), "place"),
            folder.display()
        )));
    }
    let mut findings = hype::block_on(analyse(study, kept.store()))?;
    kept.keep(&mut findings)?;
    if arguments.report.json {
        return print_json(&findings);
    }
    print_findings(&findings)?;
    output::print(format_args!("\nkept in {}; read it again with `hype score {0}`", folder.display()))?;
    Ok(())
}

/// Collects until the study is over or, where people come to a page, the operator wants an end.
fn collect(
    backend: &dyn Backend,
    study: &Study,
    kept: &StudyFolder,
    watch: CollectionWatch,
) -> Result<Collected, Failure> {
    #[cfg(feature = "web")]
    let (watch, _within) = if super::page::page_of(backend).is_some() {
        (watch.stopped_by(super::signals::stop_requested()?), Some(hype::runtime()?.enter()))
    } else {
        (watch, None)
    };
    let collected = hype::block_on(backend.collect(study, kept.shared_store(), &watch));
    watch.finish();
    Ok(collected?)
}

pub(crate) fn simulate(arguments: &SimulateArguments) -> Result<(), Failure> {
    let opened = open(&arguments.spec, arguments.report.json, |spec| {
        if let Some(raters) = arguments.raters {
            ask_for(spec, raters);
        }
        if let Some(seed) = arguments.seed {
            spec.seed = seed;
        }
        add_cohort(spec);
        if arguments.allow_unreachable_target {
            allow_unreachable_target(spec);
        }
    })?;
    let study = &opened.study;
    let local = Local::with_raters(cohort(study)?, threads(arguments.threads)?);
    let style = if arguments.report.json { ProgressStyle::None } else { ProgressStyle::Bar };
    let watch = CollectionWatch::new(style, study.places());
    let store = MemoryStore::new();
    let collected = hype::block_on(local.collect(study, Arc::new(store.clone()), &watch));
    watch.finish();
    collected?;
    if let Some(path) = &arguments.events {
        let mut out = begin(Some(path))?;
        hype::exchange::export::events(&store, &mut out)?;
        finish(out)?;
    }
    let mut findings = hype::block_on(analyse(study, &store))?;
    findings.notes.insert(0, hype::simulated_note());
    if arguments.report.json {
        return print_json(&findings);
    }
    print_findings(&findings)
}

/// Opens a study and prints its warnings.
pub(crate) fn open(path: &Path, quiet: bool, adjust: impl FnOnce(&mut Spec)) -> Result<Opened, Failure> {
    let bar = PartBars::new("reading", !quiet);
    let opened = hype::open_within(path, &bar, adjust);
    bar.finish();
    let opened: Result<Opened, OpenError> = opened;
    let opened = opened?;
    if !opened.warnings.is_empty() {
        failure::eprint(&opened.warnings, &path.display().to_string(), opened.document.text());
    }
    Ok(opened)
}

/// Puts another number of raters in place of the spec's.
fn ask_for(spec: &mut Spec, raters: u32) {
    match &mut spec.raters.per_item {
        Some(per_item) => *per_item = raters,
        None => spec.raters.per_model = raters,
    }
}

fn add_cohort(spec: &mut Spec) {
    if spec.simulate.is_none() {
        spec.simulate = Some(Box::new(hype_sim::Population::default()));
    }
}

fn cohort(study: &Study) -> Result<Box<dyn Cohort>, Failure> {
    study.spec().simulate.clone().ok_or_else(|| Failure::Message("the spec has no `simulate` section".into()))
}

/// Says in the spec what `--allow-unreachable-target` says on the command line.
fn allow_unreachable_target(spec: &mut Spec) {
    if let Some(task) = spec.task.downcast_ref::<HypeTime>() {
        let mut task = task.clone();
        task.staircase.allow_unreachable_target = true;
        spec.task = Box::new(task);
    }
}

fn threads(wanted: Option<usize>) -> Result<Option<NonZeroUsize>, Failure> {
    wanted
        .map(|threads| {
            NonZeroUsize::new(threads).ok_or_else(|| Failure::Message("--threads must be at least 1".into()))
        })
        .transpose()
}

/// The backend with this many threads, where it is the local one.
fn with_threads(
    backend: Box<dyn hype_core::Backend>,
    wanted: Option<usize>,
) -> Result<Box<dyn hype_core::Backend>, Failure> {
    let Some(wanted) = threads(wanted)? else { return Ok(backend) };
    let mut value = serde_json::to_value(&backend)?;
    match value.as_object_mut() {
        Some(settings) if backend.typetag_name() == "local" => {
            settings.insert("threads".into(), wanted.get().into());
            Ok(serde_json::from_value(value)?)
        }
        _ => Err(Failure::Message(format!(
            "--threads is for the local backend, not for {}",
            backend.typetag_name()
        ))),
    }
}

/// Where a study is kept unless it is told: beside its spec, under its spec's name.
pub(crate) fn default_folder(spec: &Path, simulated: bool) -> PathBuf {
    spec.with_extension(if simulated { "simulated" } else { "study" })
}
