//! `hype run` and `hype simulate`.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use hype::{Opening, StudyFolder};
use hype_backends::Local;
use hype_core::plugin::surroundings::Purpose;
use hype_core::protocol::control::Admission;
use hype_core::study::analysis::{Analysis, looks};
#[cfg(feature = "web")]
use hype_core::study::backend::view;
use hype_core::study::control::control;
use hype_core::study::spec::Spec;
use hype_core::words::counted;
use hype_core::{Backend, BackendSpec, CohortSpec, Collected, Findings, Streams, Study, Wanted, Watch};
use hype_report::Records;
use hype_store::MemoryStore;
use hype_tasks::HypeTime;

use super::args::{ProgressStyle, ReportArguments, RunArguments, SimulateArguments};
use super::failure::Failure;
use super::metrics;
use super::opening::open;
use super::output::{begin, finish, print_json};
use super::progress::CollectionWatch;
use super::report;
use super::study_folder::study_folder;
use super::tables::Told;
use super::terminal;
use super::threads::threads;

pub(crate) fn run(arguments: &RunArguments) -> Result<(), Failure> {
    #[cfg(feature = "web")]
    super::logging::start(&arguments.log);
    #[cfg(feature = "fakes")]
    let is_fake = arguments.fake;
    #[cfg(not(feature = "fakes"))]
    let is_fake = false;
    let simulated = arguments.simulate.is_some() || is_fake;
    let purpose = if simulated { Purpose::Simulate } else { Purpose::Collect };
    let opening = Opening::of(&arguments.spec).to(purpose);
    let opened = open(opening, arguments.report.json, |spec| {
        if let Some(Some(raters)) = arguments.simulate {
            spec.collection.raters.ask_for(raters);
        }
        if simulated {
            add_cohort(spec);
        }
        if arguments.allow_unreachable_target {
            allow_unreachable_target(spec);
        }
    })?;
    let study = &opened.study;
    #[cfg(feature = "fakes")]
    let mut _platform = None;
    let backend: Box<dyn Backend> = match (&study.spec().collection.backend, simulated) {
        #[cfg(feature = "fakes")]
        (Some(backend), true) if is_fake => {
            let faked = super::fake::faked(&**backend, cohort(study)?, arguments.after)?;
            if let Some(served) = &faked.served {
                terminal::report(format_args!(
                    "the platform is a fake at {}/, where you can take part yourself",
                    served.url()
                ));
            }
            _platform = faked.served;
            faked.backend
        }
        (Some(backend), false) => with_money(study, &**backend, arguments)?,
        (Some(backend), true) => with_synthetic(study, &**backend)?,
        (None, _) => return Err(Failure::Message("the spec has no backend".into())),
    };
    let simulated = backend.is_simulated();
    let folder = study_folder(&arguments.spec, arguments.study.as_deref(), simulated);
    let opened = opened_in(&arguments.spec, &folder, study, simulated)?;
    #[cfg(feature = "fakes")]
    if is_fake {
        super::fake::refuse_resumed(&opened)?;
    }
    #[cfg(feature = "crowd")]
    if !simulated {
        super::crowd::spend(&opened, &*backend, arguments.production)?;
    }
    let study = opened.study();
    let watch = CollectionWatch::new(arguments.progress, study.places())
        .offering(opened.downloads())
        .drawing(report::ReportFigures { simulated });
    say_held_open(&opened, &*backend, is_fake)?;
    let kind = study.spec().collection.backend.as_ref().map_or("", |backend| backend.typetag_name());
    let backend = with_threads(backend, kind, arguments.threads)?;
    let collected = collect(&*backend, study, &opened, watch)?;
    account_for_open(&opened, &folder, collected, &arguments.spec)?;
    let (mut findings, records) = report::analysed(&opened)?;
    metrics::add(&opened, None, &mut findings, &records)?;
    opened.save(&mut findings)?;
    if arguments.report.json {
        return print_json(&findings);
    }
    let cohort = backend.cohort().or(study.spec().collection.simulate.as_deref()).filter(|_| simulated);
    tell(&opened, &findings, &records, (assumptions(study, cohort), &arguments.report))?;
    if arguments.report.quiet {
        return Ok(());
    }
    #[cfg(feature = "crowd")]
    super::crowd::print_money(&opened)?;
    #[cfg(feature = "fakes")]
    if is_fake {
        super::crowd::audit_fake(&opened, &*backend)?;
    }
    Ok(())
}

/// Opens the folder of a study to collect into it, unless people's answers would be lost there or of no use to a board.
#[cfg_attr(not(feature = "board"), expect(unused_variables, reason = "only boards ask for the spec's place"))]
fn opened_in(spec: &Path, folder: &Path, study: &Study, simulated: bool) -> Result<StudyFolder, Failure> {
    #[cfg(feature = "board")]
    super::board::check_wave(spec, study)?;
    #[cfg(feature = "web")]
    if !simulated && study.spec().collection.store.is_none() {
        super::ephemeral::refuse(folder)?;
    }
    Ok(StudyFolder::collect_into(folder, study, simulated)?)
}

/// Writes the report of a collection, and prints its findings and where all of it is.
fn tell(
    opened: &StudyFolder,
    findings: &Findings,
    records: &Records,
    (assumptions, asked): (Vec<String>, &ReportArguments),
) -> Result<(), Failure> {
    let report = report::beside(opened, findings, records);
    let mut files = vec![format!("saved in {}; `hype score {0}` scores it again", opened.path().display())];
    files.extend(report.iter().map(|page| format!("report  {}", page.display())));
    Told { findings, study: Some(opened.study()), table: None, assumptions, files, report }.print(asked)
}

/// Reports the end of the wait, if the study is held open.
fn say_held_open(opened: &StudyFolder, backend: &dyn Backend, is_fake: bool) -> Result<(), Failure> {
    let decided = opened.study().under(hype::block_on(control(opened.store()))?);
    if let Some(retainer) = decided.held_open().filter(|_| backend.recruits().is_some()) {
        let who = match is_fake {
            true => "all of them wait",
            false => "you call `hype crowd call`, or press \"Begin now\" on the operator's page",
        };
        terminal::report(format_args!(
            "the study is held open: {} at most are let in, and wait up to {} until {who}",
            counted(retainer.raters.get(), "rater"),
            counted(retainer.minutes_at_most.get(), "minute")
        ));
    }
    Ok(())
}

/// Says why places are open, if the operator or the stopping rule ended the collection; fails otherwise.
fn account_for_open(
    opened: &StudyFolder,
    folder: &Path,
    collected: Collected,
    spec: &Path,
) -> Result<(), Failure> {
    let study = opened.study();
    let control = hype::block_on(control(opened.store()))?;
    let closed = control.admission() == Admission::Closed;
    let looks = hype::block_on(looks(&study.under(control), opened.store()))?;
    // The findings say where the rule ended the collection, and why.
    let stopped = looks.is_some_and(|mut looks| looks.stopped_at().is_some());
    if closed && !stopped && collected.open > 0 {
        terminal::report(format_args!(
            "the operator closed the study with {} open: `hype operator {} resume` lets raters in again",
            counted(collected.open, "place"),
            spec.display()
        ));
    } else if !stopped && collected.open > 0 {
        return Err(Failure::Message(format!(
            "stopped with {} of {} open: run the same command to continue, or `hype score {}` to score what was \
             collected",
            collected.open,
            counted(study.places(), "place"),
            folder.display()
        )));
    }
    Ok(())
}

/// The backend with the study's synthetic raters.
fn with_synthetic(study: &Study, backend: &dyn BackendSpec) -> Result<Box<dyn BackendSpec>, Failure> {
    backend.with_cohort(cohort(study)?).ok_or_else(|| {
        let name = backend.typetag_name();
        Failure::Message(format!("the backend {name} serves only people: use `hype simulate`"))
    })
}

/// The backend with real money if the command line says so.
fn with_money(
    study: &Study,
    backend: &dyn BackendSpec,
    arguments: &RunArguments,
) -> Result<Box<dyn Backend>, Failure> {
    #[cfg(feature = "crowd")]
    return super::crowd::in_effect(study, backend, arguments.production);
    #[cfg(not(feature = "crowd"))]
    {
        let _ = (study, arguments);
        Ok(backend.boxed_clone())
    }
}

/// Collects until the study is complete or, if people rate on a page, until the operator stops the program.
fn collect(
    backend: &dyn Backend,
    study: &Study,
    opened: &StudyFolder,
    watch: CollectionWatch,
) -> Result<Collected, Failure> {
    #[cfg(feature = "web")]
    let (watch, _within) = if view::<hype::backends::web::Page>(backend).is_some() {
        super::open_files::raise_limit();
        (watch.stopped_by(super::signals::stop_requested()?), Some(hype::runtime()?.enter()))
    } else {
        (watch, None)
    };
    let collected = hype::block_on(backend.collect(study, opened.shared_store(), &watch));
    watch.finish();
    Ok(collected?)
}

pub(crate) fn simulate(arguments: &SimulateArguments) -> Result<(), Failure> {
    let opening = Opening::of(&arguments.spec).to(Purpose::Simulate);
    let opened = open(opening, arguments.report.json, |spec| adjust(spec, arguments))?;
    let study = &opened.study;
    let style = if arguments.report.json { ProgressStyle::None } else { ProgressStyle::Bar };
    let watch = CollectionWatch::new(style, study.places());
    // Those of a report are kept in memory, as its figures show every rater.
    let keeps_logs = arguments.events.is_some() || arguments.output.is_some();
    let found = simulated(study, arguments, keeps_logs, &watch);
    watch.finish();
    let (findings, records) = found?;
    let report = match &arguments.output {
        Some(folder) => Some(report::of_simulation(study, &findings, &records, folder)?),
        None => None,
    };
    if arguments.report.json {
        return print_json(&findings);
    }
    let kept = match &arguments.events {
        Some(path) => format!("kept the events alone, in {}", path.display()),
        None => "kept nothing".to_owned(),
    };
    let writes = if report.is_some() { "" } else { " -o FOLDER writes the report," };
    let mut files =
        vec![format!("{kept};{writes} `hype run {} --simulate` keeps the study", arguments.spec.display())];
    files.extend(report.iter().map(|page| format!("report  {}", page.display())));
    let assumptions = assumptions(study, study.spec().collection.simulate.as_deref());
    Told { findings: &findings, study: Some(study), table: None, assumptions, files, report }
        .print(&arguments.report)
}

/// Applies the arguments of a simulation to its spec.
pub(crate) fn adjust(spec: &mut Spec, arguments: &SimulateArguments) {
    if let Some(raters) = arguments.raters {
        spec.collection.raters.ask_for(raters);
    }
    if let Some(seed) = arguments.seed {
        spec.protocol.seed = seed;
    }
    add_cohort(spec);
    if arguments.allow_unreachable_target {
        allow_unreachable_target(spec);
    }
}

/// The findings of synthetic raters, and with `with_records` what figures need of them.
pub(crate) fn simulated(
    study: &Study,
    arguments: &SimulateArguments,
    with_records: bool,
    watch: &dyn Watch,
) -> Result<(Findings, Records), Failure> {
    let (cohort, threads) = (cohort(study)?, threads(arguments.threads)?);
    // Findings need no logs, unless levels that raters give in answers are known after all sessions.
    let (mut findings, records) = if with_records || study.asks_levels() {
        simulate_logs(study, cohort, threads, watch, arguments.events.as_deref())?
    } else {
        (simulate_sessions(study, &*cohort, threads, watch)?, Records::default())
    };
    findings.add_notes([hype::simulated_note()]);
    Ok((findings, records))
}

/// Scores each session when it ends, and drops its log.
fn simulate_sessions(
    study: &Study,
    cohort: &dyn CohortSpec,
    threads: Option<NonZeroUsize>,
    watch: &dyn Watch,
) -> Result<Findings, Failure> {
    let mut analysis = Analysis::begin(study);
    let mut failed = None;
    let raters = |wanted: &Wanted<'_>, chance: &Streams| cohort.rater(wanted, chance);
    hype_backends::simulate(study, watch, threads, raters, |session| {
        failed = analysis.add(&session.record).err();
        failed.is_none()
    })?;
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(analysis.findings()?),
    }
}

/// Keeps all logs in memory, and writes them to a file if one is named.
fn simulate_logs(
    study: &Study,
    cohort: Box<dyn CohortSpec>,
    threads: Option<NonZeroUsize>,
    watch: &dyn Watch,
    path: Option<&Path>,
) -> Result<(Findings, Records), Failure> {
    let store = MemoryStore::new();
    let local = Local::with_raters(cohort, threads);
    hype::block_on(local.collect(study, Arc::new(store.clone()), watch))?;
    if path.is_some() {
        let mut out = begin(path)?;
        hype::exchange::export::events(&store, &mut out)?;
        finish(out)?;
    }
    Ok(report::analysed_in(study, &store)?)
}

/// The assumptions about a study's synthetic raters.
pub(crate) fn assumptions(study: &Study, cohort: Option<&dyn CohortSpec>) -> Vec<String> {
    cohort.map_or_else(Vec::new, |cohort| cohort.assumptions(&study.design()))
}

fn add_cohort(spec: &mut Spec) {
    if spec.collection.simulate.is_none() {
        spec.collection.simulate = Some(Box::new(hype_sim::Population::default()));
    }
}

fn cohort(study: &Study) -> Result<Box<dyn CohortSpec>, Failure> {
    study
        .spec()
        .collection
        .simulate
        .clone()
        .ok_or_else(|| Failure::Message("the spec has no `simulate` section".into()))
}

/// Applies `--allow-unreachable-target` to the spec.
fn allow_unreachable_target(spec: &mut Spec) {
    if let Some(task) = spec.protocol.task.downcast_ref::<HypeTime>() {
        let mut task = task.clone();
        task.staircase.allow_unreachable_target = true;
        spec.protocol.task = Box::new(task);
    }
}

/// The backend with this number of threads, if it decides that.
fn with_threads(
    backend: Box<dyn Backend>,
    kind: &str,
    wanted: Option<usize>,
) -> Result<Box<dyn Backend>, Failure> {
    let Some(wanted) = threads(wanted)? else { return Ok(backend) };
    let refused = || Failure::Message(format!("--threads is for the local backend, not for {kind}"));
    backend.in_threads(wanted).ok_or_else(refused)
}
