//! The overview of a study, as operators see it.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use hype_core::model::findings::{CheckFindings, MeasureFindings, StoppingFindings, TimingQuality};
use hype_core::protocol::places::PlaceCounts;
use hype_core::study::backend::{Downloads, LiveFigure};
use hype_core::{Amount, Micros, Study, Use};

use super::OperatorService;
use super::analysis::Analysis;
use crate::web::service::census::{Census, Totals, Visited, item_name};
use crate::web::settings::Access;
use crate::web::wire::status::{
    CheckCounts, CompletionPace, ControlState, Cost, Coverage, Download, ItemCoverage, MeasureEstimates,
    ModelEstimate, OpenProblem, Overview, SessionCounts, ShownFigure,
};

/// The most measures, models, items, screens, checks, looks and actions in a message.
const MEASURES: usize = 12;
const MODELS: usize = 24;
const ITEMS: usize = 8;
const SCREENS: usize = 8;
const CHECKS: usize = 12;
const LOOKS: usize = 24;
const ACTIONS: usize = 8;

/// The longest reason of a problem in a message, in characters.
const REASON: usize = 400;

/// How long a rater of whom nothing is heard counts as active.
const MINUTE: Micros = Micros(60_000_000);

/// The fewest completions from which a pace is estimated.
const COMPLETIONS: u64 = 3;

impl OperatorService {
    /// The overview, with counts of places and an analysis.
    pub(super) fn overview(&self, counts: PlaceCounts, analysis: &Analysis) -> Overview {
        let study = self.running.current();
        let now = self.context.now();
        let places = study.places();
        let open = places.saturating_sub(counts.settled());
        let census = self.census.census();
        let totals = census.totals();
        let findings = analysis.findings.as_deref();
        let measured: Vec<&MeasureFindings> = findings.map_or_else(Vec::new, |findings| {
            findings.measures.iter().filter(|measure| !measure.estimates.is_empty()).collect()
        });
        Overview {
            name: Arc::clone(&study.spec().name),
            unix_ms: now.0 / 1_000,
            places,
            done: counts.done,
            held: counts.held,
            active: active(&census, now),
            given_up: counts.given_up,
            free: open.saturating_sub(counts.held),
            waiting: study.waiting_room(waiting(&census, now)),
            counted: totals.map(session_counts),
            sessions_read: census.read_so_far(),
            sessions_unreadable: census.unreadable(),
            cost: cost(&study, totals, open),
            control: control_state(&study, self.context.page.access, self.downloads()),
            pace: pace(&census, open, now),
            estimates_age_us: findings.map(|_| Micros(now.0.saturating_sub(analysis.at.0))),
            measures_left_out: u32::try_from(measured.len().saturating_sub(MEASURES)).unwrap_or(u32::MAX),
            estimates: measured.into_iter().take(MEASURES).map(estimates).collect(),
            figures: analysis.figures.iter().map(shown).collect(),
            stopping: findings.and_then(|findings| findings.stopping.clone()).map(latest_looks),
            timing: findings.and_then(|findings| findings.timing.clone()).map(common_screens),
            checks: findings.map_or_else(Vec::new, |findings| {
                findings.checks.iter().take(CHECKS).map(check_counts).collect()
            }),
            models: model_coverage(&study, &census),
            items: item_coverage(&study, &census),
            problems: self.health.problems(now).into_iter().map(shortened).collect(),
            refused: self.context.traffic.refusals(),
            crowd: self.recruiting.get().map(|control| control.overview()),
        }
    }
}

fn control_state(study: &Study, access: Access, downloads: Option<Arc<dyn Downloads>>) -> ControlState {
    let control = study.control();
    let downloads = downloads.map_or_else(Vec::new, |downloads| downloads.files());
    ControlState {
        admission: control.admission(),
        extra_places: control.extra_places(),
        excluded: u32::try_from(control.excluded().len()).unwrap_or(u32::MAX),
        takes_links: access == Access::Links,
        downloads: downloads
            .into_iter()
            .map(|file| Download { file: file.name.into(), about: file.about.into() })
            .collect(),
        actions: control.log().len() as u64,
        recent: control.log().iter().rev().take(ACTIONS).cloned().collect(),
    }
}

fn cost(study: &Study, totals: Option<Totals>, open: u32) -> Option<Cost> {
    let payment = study.raters().payment.as_ref()?;
    let right = study.profile().effort.map_or(0.0, |effort| effort.correct);
    let bonus = Amount::from_units(payment.per_correct.as_units() * right).unwrap_or_default();
    Some(Cost {
        currency: Arc::clone(&payment.currency),
        so_far: totals.map(|totals| totals.earned),
        to_come: payment.base.plus(bonus).times(u64::from(open)),
    })
}

fn model_coverage(study: &Study, census: &Census) -> Vec<Coverage> {
    let answers = census.models();
    let mut models: Vec<Coverage> = study
        .models()
        .iter()
        .filter_map(|&set| {
            let name = Arc::clone(&study.stimuli().set(set)?.name);
            Some(Coverage { name, answers: answers.get(usize::from(set.0)).copied().unwrap_or(0) })
        })
        .collect();
    models.sort_by_key(|model| model.answers);
    models.truncate(MODELS);
    models
}

fn item_coverage(study: &Study, census: &Census) -> ItemCoverage {
    let mut items: Vec<(u64, usize)> = census
        .items()
        .iter()
        .enumerate()
        .filter(|(number, _)| is_judged(study, *number))
        .map(|(number, &answers)| (answers, number))
        .collect();
    items.sort_unstable();
    let at = |index: usize| items.get(index).map_or(0, |(answers, _)| *answers);
    ItemCoverage {
        items: u32::try_from(items.len()).unwrap_or(u32::MAX),
        fewest: at(0),
        median: at(items.len() / 2),
        most: at(items.len().saturating_sub(1)),
        least: items
            .iter()
            .take(ITEMS)
            .map(|&(answers, number)| Coverage { name: item_name(study, number), answers })
            .collect(),
    }
}

/// Whether raters judge an item: one in use, other than for practice or as a condition.
fn is_judged(study: &Study, number: usize) -> bool {
    let stimuli = study.stimuli();
    if !stimuli.items().is_empty() {
        return true;
    }
    let set = stimuli.all().get(number).and_then(|stimulus| stimuli.set(stimulus.set));
    set.is_some_and(|set| set.used_for == Use::Main)
}

fn session_counts(totals: Totals) -> SessionCounts {
    let Totals { sessions, completed, disqualified, screened_out, left, erased, answers, .. } = totals;
    let in_progress = sessions.saturating_sub(completed + disqualified + screened_out + left + erased);
    SessionCounts { sessions, completed, disqualified, screened_out, left, in_progress, erased, answers }
}

/// The number of raters who wait until the study begins.
fn waiting(census: &Census, now: Micros) -> u32 {
    let waiting = census.open().filter(|(_, visited)| visited.is_waiting(now)).count();
    u32::try_from(waiting).unwrap_or(u32::MAX)
}

/// The number of raters of whom something was heard lately, or who wait.
fn active(census: &Census, now: Micros) -> u32 {
    let is_active = |visited: &Visited| {
        visited.is_waiting(now)
            || visited.active_at().is_some_and(|at| now.0.saturating_sub(at.0) <= MINUTE.0)
    };
    let active = census.open().filter(|(_, visited)| is_active(visited)).count();
    u32::try_from(active).unwrap_or(u32::MAX)
}

/// The pace of the completions of the last ten minutes, or of the latest ones if these are few. It slows down while nobody
/// completes.
fn pace(census: &Census, open: u32, now: Micros) -> CompletionPace {
    let lately = Micros(now.0.saturating_sub(10 * MINUTE.0));
    let lately = census.completions(lately).filter(|(completed, _)| *completed >= COMPLETIONS);
    let per_hour = lately.or_else(|| census.completions(Micros(0))).and_then(|(completed, since)| {
        let hours = now.0.saturating_sub(since.0) as f64 / 3.6e9;
        (completed >= COMPLETIONS && hours > 0.0).then(|| completed as f64 / hours)
    });
    let ends = per_hour.filter(|_| open > 0).map(|per_hour| {
        let ms = f64::from(open) / per_hour * 3.6e6;
        (now.0 / 1_000).saturating_add(ms as u64)
    });
    CompletionPace { per_hour, ends_unix_ms: ends }
}

fn estimates(found: &MeasureFindings) -> MeasureEstimates {
    let estimates = found.estimates.iter().take(MODELS).map(|estimate| ModelEstimate {
        model: Arc::clone(&estimate.model),
        value: estimate.value,
        interval: estimate.interval.clone(),
        raters: estimate.raters,
        with_excluded: estimate.with_excluded.clone(),
    });
    MeasureEstimates {
        measure: found.measure.clone(),
        estimates: estimates.collect(),
        left_out: u32::try_from(found.estimates.len().saturating_sub(MODELS)).unwrap_or(u32::MAX),
    }
}

fn shown(figure: &LiveFigure) -> ShownFigure {
    let mut hasher = DefaultHasher::new();
    figure.svg.hash(&mut hasher);
    ShownFigure {
        key: Arc::clone(&figure.key),
        title: Arc::clone(&figure.title),
        about: Arc::clone(&figure.about),
        version: format!("{:016x}", hasher.finish()),
    }
}

fn check_counts(found: &CheckFindings) -> CheckCounts {
    let CheckFindings { name, consequence, passed, failed, unclear, .. } = found;
    CheckCounts {
        name: Arc::clone(name),
        consequence: *consequence,
        passed: *passed,
        failed: *failed,
        unclear: *unclear,
    }
}

/// The looks around the last one that was taken, with its tests only.
fn latest_looks(mut found: StoppingFindings) -> StoppingFindings {
    let last = found.looks.iter().rposition(|look| look.taken);
    for (place, look) in found.looks.iter_mut().enumerate() {
        look.tests.truncate(if Some(place) == last { MODELS } else { 0 });
    }
    let from = (last.unwrap_or(0) + 1).saturating_sub(LOOKS / 2).min(found.looks.len().saturating_sub(LOOKS));
    found.looks.drain(..from);
    found.looks.truncate(LOOKS);
    found
}

/// The refresh rates that most screens have.
fn common_screens(mut timing: TimingQuality) -> TimingQuality {
    let mut screens: Vec<(u64, u32)> =
        timing.refresh_hz.iter().map(|(&hertz, &raters)| (raters, hertz)).collect();
    screens.sort_unstable_by(|a, b| b.cmp(a));
    timing.refresh_hz = screens.into_iter().take(SCREENS).map(|(raters, hertz)| (hertz, raters)).collect();
    timing
}

fn shortened(problem: OpenProblem) -> OpenProblem {
    if problem.reason.chars().count() <= REASON {
        return problem;
    }
    let reason: String = problem.reason.chars().take(REASON).chain(['…']).collect();
    OpenProblem { reason: reason.into(), ..problem }
}
