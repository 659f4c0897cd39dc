//! Planning a study: what a number of raters is expected to show, and to cost.
//!
//! A plan rests on assumptions about models and raters, the first that are found: a pilot study, the section `plan` of the spec,
//! its synthetic raters, or the spread that a published study found. Where models are compared by independent means over raters,
//! widths and powers have closed forms; other studies are simulated.

mod advice;
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
use hype_core::study::analysis::{AnalysisError, aggregation, software};
use hype_core::{
    AggregateError, BackendError, CohortSpec, Direction, Measure, PlannedComparisons, Store, StoreError,
    Study,
};
use hype_sim::Population;
use hype_stats::StatError;
use schemars::JsonSchema;
use serde::Serialize;

pub use self::assumptions::{AssumedModel, AssumptionSource, Assumptions};
pub use self::cost::{Fees, PlannedCost};
pub use self::curve::{Curve, CurveModel, CurveRow, curve};
pub use self::outlook::{Chance, Outlook};
pub use self::sample::Sessions;
pub use self::target::{PlanTarget, TargetError, TargetReached};

use self::simulated::{Pilot, Recipe};

/// The standard number of simulated studies where there is no closed form.
pub const STUDIES: u32 = 400;

/// The standard number of synthetic raters of each model from which means and spreads are taken.
pub const COHORT: u32 = 400;

/// What is asked of a plan.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "callers make it")]
pub struct PlanOptions {
    /// The numbers of raters of each model, or of each item where raters are counted by item.
    pub raters: Vec<u32>,
    /// The measure; `None` for the study's score.
    pub measure: Option<String>,
    /// What the study should reach.
    pub target: Option<PlanTarget>,
    /// What the panel takes for its service.
    pub fees: Vec<Fees>,
    /// The number of simulated studies. Without it, studies are simulated only where there is no closed form.
    pub studies: Option<u32>,
    /// The number of synthetic raters of each model from which means and spreads are taken.
    pub cohort: u32,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            raters: rater_counts(10, 120),
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

/// What a number of raters is expected to show, and to cost.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "A plan of hype")]
#[non_exhaustive]
pub struct StudyPlan {
    /// The program that made the plan, with its version.
    pub software: Arc<str>,
    /// The study's name.
    pub study: Arc<str>,
    /// The measure.
    pub measure: Measure,
    /// What the plan rests on.
    pub assumptions: Assumptions,
    /// What a session takes.
    pub session: Sessions,
    /// What raters are counted by: `model` or `item`.
    pub raters_by: &'static str,
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
    /// One row for each number of raters.
    pub rows: Vec<PlanRow>,
    /// Whether and with how many raters the target is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetReached>,
    /// One sentence of advice.
    pub advice: String,
    /// What the plan cannot say.
    pub warnings: Vec<String>,
}

/// What one number of raters is expected to show, and to cost.
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
    /// What raters are paid, without and with fees; empty if they are not paid, or their effort is not known.
    pub costs: Vec<PlannedCost>,
    /// What is expected.
    pub expected: Outlook,
    /// What is expected if raters differ as much as the 80 % upper limit of the pilot's standard deviations.
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
        "this study does not compare independent means over raters, so that the expected values of `plan` do not determine its \
         power: add `simulate` to the spec, or name a pilot study with --from"
    )]
    NoClosedForm,
    /// The rubric does not have the measure that was asked for.
    #[error("there is no measure `{measure}`; there are {known}")]
    UnknownMeasure {
        /// The measure.
        measure: String,
        /// The rubric's measures.
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
/// Means over independent raters are taken as normal: widths by Student's t or the normal percentiles of a bootstrap, the power of
/// the closest pair by the noncentral t distribution and, adjusted as the study adjusts it, by simulated means; orders by orthant
/// probabilities. Other studies are played by synthetic raters, or drawn from the pilot's raters, and analysed by the study's own
/// aggregators; smaller numbers of raters are the first raters of the largest.
///
/// # Errors
/// If nothing is known about models and raters, or the study does not allow the numbers of raters.
pub fn plan(
    study: &Study,
    pilot: Option<PilotStudy<'_>>,
    options: &PlanOptions,
    progress: PlanProgress<'_>,
) -> Result<StudyPlan, PlanError> {
    let measures = study.rubric().measures();
    let scored = score_name(study, options, pilot.is_none())?;
    let measure = measures.iter().find(|one| one.name == scored).cloned().ok_or_else(|| {
        let known: Vec<&str> = measures.iter().map(|one| &*one.name).collect();
        PlanError::UnknownMeasure { measure: scored.to_string(), known: known.join(", ") }
    })?;
    let compared = Compared::of(study, &measure);
    let has_closed_form = compared.at(30).is_some();
    let pilot = pilot.map(|pilot| Pilot::read(pilot, &measure)).transpose()?;
    let source = assumptions::source(study, &measure, pilot.as_ref(), has_closed_form)?;
    let found = assumptions::assume(study, &measure, source, pilot.as_ref(), options.cohort)?;
    let mut counts = options.raters.clone();
    let declared = study.raters().per_item.unwrap_or(study.raters().per_model);
    counts.push(declared);
    counts.retain(|&count| count > 1 || !has_closed_form);
    counts.sort_unstable();
    counts.dedup();
    let closed = has_closed_form && options.studies.is_none();
    let studies = options.studies.unwrap_or(STUDIES);
    let normals = found.normals.as_ref();
    let (outlooks, closest, reached) = if let (true, Some(normals)) = (closed, normals) {
        let target = options.target.map(|target| target.find(normals, &compared)).transpose()?;
        counts.extend(target.as_ref().and_then(TargetReached::shown));
        counts.sort_unstable();
        counts.dedup();
        let outlooks = counts
            .iter()
            .map(|&count| {
                let limited =
                    found.limited.as_ref().map(|limited| limited.outlook(&compared, count)).transpose()?;
                Ok((normals.outlook(&compared, count)?, limited))
            })
            .collect::<Result<Vec<_>, PlanError>>()?;
        (outlooks, normals.closest().map(|[a, b]| [normals.name(a), normals.name(b)]), target)
    } else {
        let recipe = match (&pilot, source) {
            (Some(pilot), _) => Recipe::Resampled(pilot),
            (None, AssumptionSource::Simulated) => Recipe::Played,
            (None, _) => return Err(PlanError::NoClosedForm),
        };
        let run = simulated::Run { study, measure: &measure, studies, progress };
        let simulated = run.outlooks(&recipe, &counts)?;
        let target = options.target.map(|target| target.among(&simulated.rows, &measure)).transpose()?;
        let outlooks = simulated.rows.into_iter().map(|(_, outlook)| (outlook, None)).collect();
        (outlooks, simulated.closest, target)
    };
    let rows = counts
        .iter()
        .zip(outlooks)
        .map(|(&raters, (expected, cautious))| {
            let sessions = with_raters(study, raters)?.places();
            Ok(PlanRow {
                raters,
                sessions,
                images: found.session.images_in(sessions),
                costs: cost::costs(study, &found.session, sessions, &options.fees),
                expected,
                cautious,
            })
        })
        .collect::<Result<Vec<_>, PlanError>>()?;
    let mut plan = StudyPlan {
        software: software(),
        study: Arc::clone(&study.spec().name),
        level: compared.at(declared.max(2)).map_or(0.95, |comparisons| comparisons.level),
        measure,
        assumptions: found.assumptions,
        session: found.session,
        raters_by: if study.raters().per_item.is_some() { "item" } else { "model" },
        declared,
        simulated_studies: (!closed).then_some(studies),
        closest,
        rows,
        target: reached,
        advice: String::new(),
        warnings: Vec::new(),
    };
    plan.advice = advice::sentence(&plan);
    plan.warnings = advice::warnings(&plan)?;
    Ok(plan)
}

/// The measure that is planned: the one that was asked for, the first one of which values are expected, or the study's score.
fn score_name(study: &Study, options: &PlanOptions, expects: bool) -> Result<Arc<str>, PlanError> {
    if let Some(name) = &options.measure {
        return Ok(name.as_str().into());
    }
    let measures = study.rubric().measures();
    let expected = &study.spec().analysis.plan.expected;
    let first_expected = measures.iter().find(|measure| expects && expected.contains_key(&*measure.name));
    let score = first_expected.or(measures.first()).ok_or(PlanError::NoAssumptions)?;
    Ok(Arc::clone(&score.name))
}

/// How the study compares models on the planned measure.
pub(crate) struct Compared<'a> {
    study: &'a Study,
    /// Better values are higher after multiplication with it; `None` if the measure has no better direction.
    sign: Option<f64>,
    reference: Option<f64>,
    models: usize,
    unit: Arc<str>,
}

impl<'a> Compared<'a> {
    fn of(study: &'a Study, measure: &Measure) -> Self {
        let sign = match measure.direction {
            Direction::Higher => Some(1.0),
            Direction::Lower => Some(-1.0),
            Direction::Neither => None,
        };
        Self {
            study,
            sign: sign.filter(|_| measure.is_compared()),
            reference: measure.reference.as_ref().map(|reference| reference.value),
            models: study.models().len(),
            unit: Arc::clone(&measure.unit),
        }
    }

    /// The measure's unit.
    fn unit(&self) -> &str {
        &self.unit
    }

    /// The comparisons with this many raters of each model; `None` if there is no closed form.
    fn at(&self, raters: u32) -> Option<PlannedComparisons> {
        if self.study.raters().per_item.is_some() {
            return None;
        }
        let first = self.study.spec().analysis.aggregate.0.first()?;
        first.planned_comparisons(&aggregation(self.study), self.models, raters)
    }
}

/// The study's synthetic raters, or default ones.
fn cohort(study: &Study) -> Box<dyn CohortSpec> {
    study.spec().collection.simulate.clone().unwrap_or_else(|| Box::new(Population::default()))
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
