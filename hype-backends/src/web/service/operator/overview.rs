//! The overview of a study, as operators see it.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};

use hype_core::model::findings::{CheckFindings, MeasureFindings, StoppingFindings, TimingQuality};
use hype_core::protocol::places::PlaceCounts;
use hype_core::study::backend::{Downloads, LiveFigure};
use hype_core::{Amount, Micros, SetId, Study, Use};

use super::OperatorService;
use super::alerts::{AlertLog, Situation};
use super::analysis::Analysis;
use super::raters::Listing;
use crate::web::service::census::{Census, Totals, item_name};
use crate::web::settings::Access;
use crate::web::wire::status::{
    Alert, CheckCounts, CompletionPace, ControlState, Cost, Coverage, Download, ItemBin, ItemCoverage,
    MeasureEstimates, ModelCoverage, ModelEstimate, Overview, SessionCounts, ShownFigure,
};

/// The most measures, models, items, screens, checks, looks, actions and alerts in a message.
const MEASURES: usize = 12;
const MODELS: usize = 24;
const ITEMS: usize = 8;
const SCREENS: usize = 8;
const CHECKS: usize = 12;
const LOOKS: usize = 24;
const ACTIONS: usize = 8;
const ALERTS: usize = 8;

/// The most ranges of answers by item.
const BINS: u64 = 8;

impl OperatorService {
    /// The overview, with counts of places and an analysis.
    pub(super) fn overview(&self, counts: PlaceCounts, analysis: &Analysis) -> Overview {
        let study = self.running.current();
        let now = self.context.now();
        let places = study.places();
        let open = places.saturating_sub(counts.settled());
        let census = self.census.census();
        let totals = census.totals();
        let opened = census.opened_at().map_or(self.started, |first| first.min(self.started));
        let findings = analysis.findings.as_deref();
        let measured: Vec<&MeasureFindings> = findings.map_or_else(Vec::new, |findings| {
            findings.measures.iter().filter(|measure| !measure.estimates.is_empty()).collect()
        });
        let items = item_coverage(&study, &census);
        let crowd = self.recruiting.get().map(|control| control.overview());
        let stopping = findings.and_then(|findings| findings.stopping.clone());
        let situation = Situation {
            study: &study,
            census: totals.map(|_| &*census),
            crowd: crowd.as_deref(),
            items: &items,
            problems: self.health.problems(now),
            open,
            is_stopped: stopping.as_ref().is_some_and(|stopping| stopping.stopped_at.is_some()),
            opened,
            now,
        };
        let (alerts, alerts_left_out, alerts_resolved) = followed(&self.alerts, situation.alerts());
        Overview {
            name: Arc::clone(&study.spec().name),
            task: study.task().typetag_name().into(),
            opened_unix_ms: opened.0 / 1_000,
            unix_ms: now.0 / 1_000,
            places,
            done: counts.done,
            held: counts.held,
            raters: Listing::of(self, &study).groups(&census, totals.unwrap_or_default()),
            given_up: counts.given_up,
            free: open.saturating_sub(counts.held),
            waiting: study.waiting_room(waiting(&census, now)),
            counted: totals.map(session_counts),
            sessions_read: census.read_so_far(),
            sessions_unreadable: census.unreadable(),
            cost: cost(&study, totals, open),
            control: control_state(&study, self.context.page.access, self.downloads()),
            pace: pace(&census, opened, now),
            estimates_age_us: findings.map(|_| Micros(now.0.saturating_sub(analysis.at.0))),
            measures_left_out: u32::try_from(measured.len().saturating_sub(MEASURES)).unwrap_or(u32::MAX),
            estimates: measured.into_iter().take(MEASURES).map(estimates).collect(),
            figures: analysis.figures.iter().map(shown).collect(),
            stopping: stopping.map(latest_looks),
            timing: findings.and_then(|findings| findings.timing.clone()).map(common_screens),
            checks: findings.map_or_else(Vec::new, |findings| {
                findings.checks.iter().take(CHECKS).map(check_counts).collect()
            }),
            models: model_coverage(&study, &census),
            items,
            alerts,
            alerts_left_out,
            alerts_resolved,
            refused: self.context.traffic.refusals(),
            crowd,
        }
    }
}

/// Alerts as far as they fit a message, the number of the others, and how many are over. A poisoned lock is safe to use: at worst an
/// alert is counted twice.
fn followed(log: &Mutex<AlertLog>, mut alerts: Vec<Alert>) -> (Vec<Alert>, u32, u64) {
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    log.follow(&alerts);
    let left_out = u32::try_from(alerts.len().saturating_sub(ALERTS)).unwrap_or(u32::MAX);
    alerts.truncate(ALERTS);
    (alerts, left_out, log.resolved)
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
    let each = payment.base.plus(bonus);
    Some(Cost {
        currency: Arc::clone(&payment.currency),
        so_far: totals.map(|totals| totals.earned),
        to_come: each.times(u64::from(open)),
        each,
    })
}

fn model_coverage(study: &Study, census: &Census) -> Vec<ModelCoverage> {
    let of = |counts: &[u64], set: SetId| counts.get(usize::from(set.0)).copied().unwrap_or(0);
    let planned = planned(study);
    let mut models: Vec<ModelCoverage> = (0..)
        .zip(study.models())
        .filter_map(|(place, &set)| {
            Some(ModelCoverage {
                name: Arc::clone(&study.stimuli().set(set)?.name),
                place,
                answers: of(census.models(), set),
                raters: of(census.raters(), set),
                places: planned.get(&set).copied().unwrap_or(0),
            })
        })
        .collect();
    models.sort_by_key(|model| model.answers);
    models.truncate(MODELS);
    models
}

/// The places of the plan by model. Groups of models take turns.
fn planned(study: &Study) -> BTreeMap<SetId, u32> {
    let groups = study.raters().groups(study.stimuli());
    let turns = u32::try_from(groups.len()).unwrap_or(u32::MAX).max(1);
    let mut planned = BTreeMap::new();
    if study.raters().per_item.is_some() {
        planned.extend(study.models().iter().map(|&set| (set, study.places())));
        return planned;
    }
    for (turn, group) in (0..).zip(&groups) {
        let places = study.places() / turns + u32::from(turn < study.places() % turns);
        planned.extend(group.iter().map(|&set| (set, places)));
    }
    planned
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
    let (fewest, median, most) = (at(0), at(items.len() / 2), at(items.len().saturating_sub(1)));
    let below = |answers: u64| items.partition_point(|(of, _)| *of < answers);
    let bin = |from: u64, to: u64| ItemBin {
        from,
        to,
        items: u32::try_from(below(to.saturating_add(1)) - below(from)).unwrap_or(u32::MAX),
    };
    let width = (most - fewest + 1).div_ceil(BINS);
    let bins = (fewest..=most).step_by(width as usize).map(|from| bin(from, from + width - 1));
    ItemCoverage {
        items: u32::try_from(items.len()).unwrap_or(u32::MAX),
        median,
        bins: if items.is_empty() { Vec::new() } else { bins.collect() },
        few: (median > 0).then(|| bin(0, median.div_ceil(2) - 1)),
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

fn pace(census: &Census, opened: Micros, now: Micros) -> CompletionPace {
    let completions = census.completions();
    CompletionPace {
        ten_minutes: completions.within(10, now),
        hour: completions.within(60, now),
        bins: completions.bins(opened, now),
    }
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
    figure.wide.hash(&mut hasher);
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
