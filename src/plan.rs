//! Planning a study: what a number of raters is expected to show, and to cost.
//!
//! A plan rests on assumptions about models and raters, the first that are found: a pilot study, the section `plan` of the spec,
//! its synthetic raters, or the spread that a published study found. Where models are compared by independent means over raters,
//! widths and powers have closed forms; other studies are simulated.

mod advice;
mod assumed_model;
mod assumptions;
mod cost;
mod curve;
mod means;
mod outlook;
mod sample;
mod simulated;
mod target;

use std::sync::Arc;

use hype_core::diagnostics::Diagnostics;
use hype_core::model::findings::GeneralizeTo;
use hype_core::protocol::fees::Fees;
use hype_core::study::analysis::{AnalysisError, aggregation, software};
use hype_core::words::listed;
use hype_core::{
    AggregateError, BackendError, CohortSpec, Direction, Measure, MediaKind, PlannedComparisons, Store,
    StoreError, Study,
};
use hype_sim::Population;
use hype_stats::StatError;
use schemars::JsonSchema;
use serde::Serialize;

pub use self::assumed_model::AssumedModel;
pub use self::assumptions::{AssumptionSource, Assumptions, sessions};
pub use self::cost::PlannedCost;
pub use self::curve::{Curve, CurveModel, CurveRow, curve};
pub use self::outlook::{Chance, Outlook};
pub use self::sample::Sessions;
pub use self::target::{PlanTarget, TargetError, TargetReached};

use self::means::Normals;
use self::simulated::{Pilot, Recipe};

/// The standard number of simulated studies where there is no closed form. More would take minutes: see docs/measured/plan.md.
pub const STUDIES: u32 = 200;

/// The standard number of synthetic raters of each model from which means and spreads are taken.
pub const COHORT: u32 = 400;

/// The options of a plan.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "callers make it")]
pub struct PlanOptions {
    /// The numbers of raters of each model, or of each item where raters are counted by item. Empty for round numbers from a third
    /// of what the spec asks for to four times as many.
    pub raters: Vec<u32>,
    /// The measure, by its name in the rubric or in the findings; `None` for the study's score.
    pub measure: Option<String>,
    /// The target of the study.
    pub target: Option<PlanTarget>,
    /// The panels' fees.
    pub fees: Vec<Fees>,
    /// The number of simulated studies. Without it, studies are simulated only where there is no closed form.
    pub studies: Option<u32>,
    /// The number of synthetic raters of each model from which means and spreads are taken.
    pub cohort: u32,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            raters: Vec::new(),
            measure: None,
            target: None,
            fees: Vec::new(),
            studies: None,
            cohort: COHORT,
        }
    }
}

/// The numbers of raters that a plan lists from `least` to `most`: both ends, and round numbers between them.
#[must_use]
pub fn rater_counts(least: u32, most: u32) -> Vec<u32> {
    let round =
        |power: u32| [10, 12, 15, 20, 30, 40, 60, 80].map(|tenths: u32| tenths * 10_u32.pow(power) / 10);
    let mut counts: Vec<u32> =
        (0..7).flat_map(round).filter(|count| (least..=most).contains(count)).collect();
    counts.extend([least, most]);
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// The expected results of numbers of raters, and their costs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "A plan of hype")]
#[non_exhaustive]
pub struct StudyPlan {
    /// The program that made the plan, with its version.
    pub software: Arc<str>,
    /// The study's name.
    pub study: Arc<str>,
    /// The measure, as findings have it: preferences, for example, become strengths.
    pub measure: Measure,
    /// The assumptions of the plan.
    pub assumptions: Assumptions,
    /// The effort of a session.
    pub session: Sessions,
    /// The unit by which raters are counted: `model` or `item`.
    pub raters_by: &'static str,
    /// The kind of media that raters judge; absent for images.
    #[serde(skip_serializing_if = "MediaKind::is_image")]
    #[schemars(default)]
    pub media: MediaKind,
    /// The number of raters that the spec asks for.
    pub declared: u32,
    /// The level of intervals, and of all pairs together.
    pub level: f64,
    /// The number of simulated studies; absent if the outlooks are computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated_studies: Option<u32>,
    /// The two models that are hardest to tell apart, the better one first; absent if nothing is assumed about means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closest: Option<[Arc<str>; 2]>,
    /// The model that is to be shown equivalent to the measure's reference value; absent if the study declares no margin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equivalence: Option<PlannedEquivalence>,
    /// One row for each number of raters.
    pub rows: Vec<PlanRow>,
    /// Whether and with how many raters the target is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetReached>,
    /// One sentence of advice.
    pub advice: String,
    /// Warnings about questions that the plan cannot answer.
    pub warnings: Vec<String>,
}

impl StudyPlan {
    /// The words for what raters are counted by: `a model` or `an item`.
    #[must_use]
    pub fn each(&self) -> &'static str {
        if self.raters_by == "item" { "an item" } else { "a model" }
    }
}

/// A test of equivalence that a study declares.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PlannedEquivalence {
    /// The model that is assumed to be nearest to the reference value.
    pub model: Arc<str>,
    /// The declared margin, in the measure's unit.
    pub margin: f64,
}

/// The expected results of one number of raters, and its cost.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PlanRow {
    /// Raters of each model or item.
    pub raters: u32,
    /// Sessions that have to be completed.
    pub sessions: u32,
    /// Images shown in all of them; absent if their number is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<u64>,
    /// The raters' pay, without and with fees; empty if they are not paid, or their effort is not known.
    pub costs: Vec<PlannedCost>,
    /// The expected results.
    pub expected: Outlook,
    /// The expected results if raters differ as much as the 80 % upper limit of the pilot's standard deviations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cautious: Option<Outlook>,
}

/// A study cannot be planned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// Nothing is known about models and raters; the author adds assumptions.
    #[error(
        "nothing is known about how much raters differ: add `plan: {{ expected: … }}` or `simulate` to the spec, or name a \
         pilot study with --from"
    )]
    NoAssumptions,
    /// The spec expects values, but the study does not compare independent means over raters.
    #[error(
        "this study does not compare independent means over raters, and the expected values of `plan` do not determine its \
         power: add `simulate` to the spec, or name a pilot study with --from"
    )]
    NoClosedForm,
    /// Neither the rubric nor the findings have the measure that was asked for.
    #[error("there is no measure `{measure}`; there are {known}")]
    UnknownMeasure {
        /// The measure.
        measure: String,
        /// The known measures.
        known: String,
    },
    /// The measure has too few values.
    #[error("`{measure}` has fewer than two raters with values for {model}")]
    TooFewValues {
        /// The measure.
        measure: String,
        /// The model.
        model: String,
    },
    /// The measure is about pairs of models.
    #[error(
        "`{measure}` compares pairs of models, and curves are of single ones: `hype plan SPEC --from STUDY` plans with its raters"
    )]
    Pairs {
        /// The measure.
        measure: String,
    },
    /// The pilot judged other models; the operator names another pilot.
    #[error("the pilot has no values of `{measure}` for {missing}")]
    OtherModels {
        /// The measure.
        measure: String,
        /// The models without values.
        missing: String,
    },
    /// The study does not allow this number of raters.
    #[error("{raters} raters are too many or too few for this study: {faults}")]
    Design {
        /// The number of raters.
        raters: u32,
        /// The faults.
        faults: Diagnostics,
    },
    /// A target cannot be asked of this study.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A simulated session failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// Sessions cannot be scored.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// Scores cannot be aggregated.
    #[error(transparent)]
    Aggregate(#[from] AggregateError),
    /// The pilot's store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A statistic is not defined for the assumptions.
    #[error(transparent)]
    Statistic(#[from] StatError),
}

impl PlanError {
    /// A measure is not among those that are known.
    fn unknown_measure(measure: &str, known: &[Measure]) -> Self {
        let known: Vec<&str> = known.iter().map(|one| &*one.name).collect();
        Self::UnknownMeasure { measure: measure.to_owned(), known: listed(&known) }
    }
}

/// Receives the progress of simulated studies: how many of how many are done.
pub type PlanProgress<'a> = &'a (dyn Fn(u32, u32) + 'a);

/// A pilot study to plan from.
#[derive(Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "callers make it")]
pub struct PilotStudy<'a> {
    /// Its name for people, such as its folder.
    pub name: &'a str,
    /// The study.
    pub study: &'a Study,
    /// Its logs.
    pub store: &'a dyn Store,
    /// Whether its raters were synthetic.
    pub simulated: bool,
}

impl std::fmt::Debug for PilotStudy<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PilotStudy").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Plans a study.
///
/// # Method
/// Means over independent raters are taken as normal. Widths are those of the findings' own intervals (Student's t, Wilson's for
/// shares, or the normal percentiles of a bootstrap) at the assumed mean and standard deviation. The power of the closest pair
/// follows from the noncentral t distribution and, adjusted as the study adjusts it, from simulated means; so does the power of a
/// declared test of equivalence. Orders have orthant probabilities.
///
/// Other studies are played by synthetic raters, or drawn from the pilot's raters (and items, where results generalize to other
/// items), and analysed by the study's own aggregator; smaller numbers of raters are the first raters of the largest.
///
/// # Errors
/// If nothing is known about models and raters, or the study does not allow the numbers of raters.
pub fn plan(
    study: &Study,
    pilot: Option<PilotStudy<'_>>,
    options: &PlanOptions,
    progress: PlanProgress<'_>,
) -> Result<StudyPlan, PlanError> {
    let (measure, reported) = planned_measure(study, options, pilot.is_none())?;
    let compared = Compared::of(study, &measure);
    let has_closed_form = compared.at(30).is_some();
    let pilot = pilot.map(|pilot| Pilot::read(pilot, &measure)).transpose()?;
    let source = assumptions::source(study, &measure, pilot.as_ref(), has_closed_form)?;
    let found = assumptions::assume(study, &measure, source, pilot.as_ref(), options.cohort)?;
    let declared = study.raters().per_item.unwrap_or(study.raters().per_model);
    let mut counts = counts(options, declared, has_closed_form);
    let closed = found.normals.as_ref().filter(|_| has_closed_form && options.studies.is_none());
    let studies = options.studies.unwrap_or(STUDIES);
    let expected = if let Some(normals) = closed {
        let target = options.target.map(|target| target.find(normals, &compared)).transpose()?;
        counts.extend(target.as_ref().and_then(TargetReached::shown));
        counts.sort_unstable();
        counts.dedup();
        let outlooks = counts.iter().map(|&count| {
            let limited = found.limited.as_ref().map(|limited| limited.outlook(&compared, count));
            Ok((normals.outlook(&compared, count)?, limited.transpose()?))
        });
        Expected {
            outlooks: outlooks.collect::<Result<_, PlanError>>()?,
            closest: normals.closest().map(|pair| pair.map(|model| normals.name(model))),
            equivalence: compared.equivalence(normals, declared),
            target,
            level: compared.at(declared).map_or(LEVEL, |comparisons| comparisons.level),
            measure,
        }
    } else {
        let recipe = match (&pilot, source) {
            (Some(pilot), _) => Recipe::Resampled(pilot),
            (None, AssumptionSource::Simulated) => Recipe::Played,
            (None, _) => return Err(PlanError::NoClosedForm),
        };
        let simulated =
            simulated::Run { study, measure: &reported, studies, progress }.outlooks(&recipe, &counts)?;
        Expected {
            target: options
                .target
                .map(|target| target.among(&simulated.rows, &simulated.measure))
                .transpose()?,
            outlooks: simulated.rows.into_iter().map(|(_, outlook)| (outlook, None)).collect(),
            closest: simulated.closest,
            equivalence: None,
            level: simulated.level,
            measure: simulated.measure,
        }
    };
    let rows = rows(study, &found, &counts, expected.outlooks, &options.fees)?;
    let mut plan = StudyPlan {
        software: software(),
        study: Arc::clone(&study.spec().name),
        level: expected.level,
        measure: expected.measure,
        simulated_studies: closed.is_none().then_some(studies),
        assumptions: found.assumptions,
        session: found.session,
        media: study.stimuli().kind(),
        raters_by: if study.raters().per_item.is_some() { "item" } else { "model" },
        declared,
        closest: expected.closest,
        equivalence: expected.equivalence,
        rows,
        target: expected.target,
        advice: String::new(),
        warnings: Vec::new(),
    };
    plan.advice = advice::sentence(&plan);
    let items = varies_items(study).then(|| study.stimuli().items().len() as u32);
    plan.warnings = advice::warnings(&plan, items, !options.raters.is_empty())?;
    Ok(plan)
}

/// The numbers of raters to plan, in ascending order: those that were asked for, or some around the declared one.
fn counts(options: &PlanOptions, declared: u32, has_closed_form: bool) -> Vec<u32> {
    let mut counts = options.raters.clone();
    if counts.is_empty() {
        counts = rater_counts((declared / 3).clamp(1, declared), declared.saturating_mul(4));
    }
    counts.push(declared);
    counts.retain(|&count| count > 1 || !has_closed_form);
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// A row for each number of raters.
fn rows(
    study: &Study,
    found: &assumptions::Assumed,
    counts: &[u32],
    outlooks: Vec<(Outlook, Option<Outlook>)>,
    fees: &[Fees],
) -> Result<Vec<PlanRow>, PlanError> {
    let rows = counts.iter().zip(outlooks).map(|(&raters, (expected, cautious))| {
        let sessions = with_raters(study, raters)?.places();
        Ok(PlanRow {
            raters,
            sessions,
            images: found.session.images_in(sessions),
            costs: cost::costs(study, &found.session, sessions, fees),
            expected,
            cautious,
        })
    });
    rows.collect()
}

/// The level of intervals where the study does not say.
const LEVEL: f64 = 0.95;

/// The unit of measures that lie between 0 and 1.
const SHARE: &str = "proportion";

/// The expected results by numbers of raters, and their models and measure.
struct Expected {
    outlooks: Vec<(Outlook, Option<Outlook>)>,
    closest: Option<[Arc<str>; 2]>,
    equivalence: Option<PlannedEquivalence>,
    target: Option<TargetReached>,
    level: f64,
    measure: Measure,
}

/// The measure of the rubric that is planned, and its name in the findings: the one that was asked for, the first one with values
/// are expected, or the study's score.
fn planned_measure(
    study: &Study,
    options: &PlanOptions,
    expects: bool,
) -> Result<(Measure, Arc<str>), PlanError> {
    let measures = study.rubric().measures();
    let first = measures.first().ok_or(PlanError::NoAssumptions)?;
    let aggregators = &study.spec().analysis.aggregate.0;
    let reported = |measure: &Measure| {
        aggregators.first().map_or_else(|| measure.clone(), |first| first.reported(measure)).name
    };
    if let Some(name) = &options.measure {
        return match measures.iter().find(|measure| *measure.name == **name) {
            Some(measure) => Ok((measure.clone(), reported(measure))),
            None if Compared::of(study, first).at(30).is_some() => {
                Err(PlanError::unknown_measure(name, &measures))
            }
            None => Ok((first.clone(), name.as_str().into())),
        };
    }
    let expected = &study.spec().analysis.plan.expected;
    let first_expected = measures.iter().find(|measure| expects && expected.contains_key(&*measure.name));
    let score = first_expected.unwrap_or(first);
    Ok((score.clone(), reported(score)))
}

/// How the study compares models on the planned measure.
pub(crate) struct Compared<'a> {
    study: &'a Study,
    measure: &'a Measure,
    /// Better values are higher after multiplication with it; `None` if the measure has no better direction.
    sign: Option<f64>,
    reference: Option<f64>,
    models: usize,
}

impl<'a> Compared<'a> {
    fn of(study: &'a Study, measure: &'a Measure) -> Self {
        let sign = match measure.direction {
            Direction::Higher => Some(1.0),
            Direction::Lower => Some(-1.0),
            Direction::Neither => None,
        };
        Self {
            study,
            measure,
            sign: sign.filter(|_| measure.is_compared()),
            reference: measure.reference.as_ref().map(|reference| reference.value),
            models: study.models().len(),
        }
    }

    /// Whether values lie between 0 and 1.
    fn is_share(&self) -> bool {
        &*self.measure.unit == SHARE
    }

    /// The comparisons with this many raters of each model; `None` if there is no closed form.
    fn at(&self, raters: u32) -> Option<PlannedComparisons> {
        if self.study.raters().per_item.is_some() {
            return None;
        }
        let first = self.study.spec().analysis.aggregate.0.first()?;
        first.planned_comparisons(&aggregation(self.study), self.measure, self.models, raters)
    }

    /// The test of equivalence that the study declares.
    fn equivalence(&self, normals: &Normals, raters: u32) -> Option<PlannedEquivalence> {
        let (model, margin) = (normals.nearest(self.reference?)?, self.at(raters)?.margin?);
        Some(PlannedEquivalence { model, margin })
    }
}

/// Whether results generalize to other items.
fn varies_items(study: &Study) -> bool {
    let first = study.spec().analysis.aggregate.0.first();
    let said = first.and_then(|first| first.generalizes_to());
    said.unwrap_or(aggregation(study).generalize_to) != GeneralizeTo::Raters
}

/// The study's synthetic raters, or default ones.
fn cohort(study: &Study) -> Box<dyn CohortSpec> {
    study.spec().collection.simulate.clone().unwrap_or_else(|| Box::new(Population::default()))
}

/// Whether the study's synthetic raters are assumed to tell its models apart.
fn assumes_differences(study: &Study) -> bool {
    cohort(study).tells_apart(study.stimuli())
}

/// The study with another number of raters of each model or item.
fn with_raters(study: &Study, raters: u32) -> Result<Study, PlanError> {
    variant(study, raters, study.spec().protocol.seed)
}

/// The study with another number of raters and another seed.
fn variant(study: &Study, raters: u32, seed: u64) -> Result<Study, PlanError> {
    let mut spec = study.spec().clone();
    spec.collection.raters.ask_for(raters);
    spec.protocol.seed = seed;
    // Plans are about complete studies.
    spec.collection.stopping = None;
    let made = Study::new(spec, study.stimuli().clone());
    Ok(made.map_err(|faults| PlanError::Design { raters, faults })?.in_folder(study.folder()))
}

#[cfg(test)]
mod tests;
