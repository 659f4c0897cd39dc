//! The assumptions of a plan.

use std::sync::Arc;

use hype_core::study::backend::Unwatched;
use hype_core::words::counted;
use hype_core::{Measure, ScoreTable, Streams, Study, Wanted};
use hype_stats::describe::{mean, standard_deviation};
use schemars::JsonSchema;
use serde::Serialize;

use super::assumed_model::AssumedModel;
use super::means::Normals;
use super::sample::{Sample, Sessions};
use super::simulated::Pilot;
use super::{Compared, PlanError, SHARE, assumes_differences, cohort, with_raters};

/// Where the assumptions of a plan come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum AssumptionSource {
    /// From a pilot study.
    Pilot,
    /// From the section `plan` of the spec.
    Declared,
    /// From the spec's synthetic raters.
    Simulated,
    /// From the spread of raters in a published study; nothing is known about means.
    Published,
}

/// The assumptions of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Assumptions {
    /// Where they come from.
    pub source: AssumptionSource,
    /// The source in words.
    pub text: String,
    /// Whether the raters behind them are synthetic.
    pub synthetic: bool,
    /// The models, in the order of the spec; empty where the studies themselves are simulated.
    pub models: Vec<AssumedModel>,
}

/// The assumptions in the forms in which they are used.
pub(super) struct Assumed {
    pub(super) assumptions: Assumptions,
    pub(super) session: Sessions,
    /// Models with normal values, where they decide the plan.
    pub(super) normals: Option<Normals>,
    /// The same at the upper limits of a pilot's standard deviations.
    pub(super) limited: Option<Normals>,
}

/// The first source that this study has.
pub(super) fn source(
    study: &Study,
    measure: &Measure,
    pilot: Option<&Pilot<'_>>,
    has_closed_form: bool,
) -> Result<AssumptionSource, PlanError> {
    let spec = study.spec();
    let simulates = spec.collection.simulate.is_some();
    let is_expected = spec.analysis.plan.expected.contains_key(&*measure.name);
    let is_published =
        || study.rubric().published_spread().is_some_and(|spread| spread.measure == &*measure.name);
    if pilot.is_some() {
        Ok(AssumptionSource::Pilot)
    } else if is_expected && has_closed_form {
        Ok(AssumptionSource::Declared)
    } else if simulates {
        Ok(AssumptionSource::Simulated)
    } else if is_expected {
        Err(PlanError::NoClosedForm)
    } else if has_closed_form && is_published() {
        Ok(AssumptionSource::Published)
    } else {
        Err(PlanError::NoAssumptions)
    }
}

/// Synthetic raters for their time alone.
const TIMED: u32 = 6;

/// Assembles the assumptions about models, raters and sessions.
pub(super) fn assume(
    study: &Study,
    measure: &Measure,
    source: AssumptionSource,
    pilot: Option<&Pilot<'_>>,
    cohort: u32,
) -> Result<Assumed, PlanError> {
    let closed = Compared::of(study, measure).at(30).is_some();
    let name = &*measure.name;
    let (models, text, session) = match (source, pilot) {
        (AssumptionSource::Pilot, Some(pilot)) => {
            let models = if closed { observed(study, &pilot.sample, measure)? } else { Vec::new() };
            let session = pilot.sample.sessions("pilot").unwrap_or_else(|| Sessions::estimated(study));
            let session = if pilot.simulated { session.of_people(study) } else { session };
            (models, format!("the pilot {}", pilot.words()), session)
        }
        (AssumptionSource::Simulated, _) => {
            // Studies without a closed form are simulated themselves; here they say only what a session takes.
            let raters = if closed { cohort } else { TIMED };
            let sample = played(study, measure, raters)?;
            let session = duration(study, &sample);
            let mut models = if closed { observed(study, &sample, measure)? } else { Vec::new() };
            let of =
                if closed { format!(" ({} of each model)", counted(cohort, "rater")) } else { String::new() };
            let mut text = format!("the synthetic raters of `simulate`{of}");
            if !assumes_differences(study) && names(study).nth(1).is_some() {
                // Their means differ by chance alone.
                models.iter_mut().for_each(|model| model.mean = None);
                text.push_str(", for which all models are equal: `observers` or `plan: { expected: … }` says how they differ");
            }
            (models, text, session)
        }
        (AssumptionSource::Declared, _) => {
            let expected = study.spec().analysis.plan.expected.get(name).ok_or(PlanError::NoAssumptions)?;
            let sample = played(study, measure, TIMED)?;
            let models = names(study).filter_map(|model| {
                let values = expected.get(&*model)?;
                Some(AssumedModel {
                    mean: Some(values.mean),
                    sd: values.sd,
                    sd_limit: None,
                    raters: None,
                    answers: answers(&sample, measure, &model),
                    model,
                })
            });
            let text = "the section `plan` of the spec".to_owned();
            (models.collect(), text, duration(study, &sample))
        }
        (AssumptionSource::Published, _) | (AssumptionSource::Pilot, None) => {
            let spread = study.rubric().published_spread().ok_or(PlanError::NoAssumptions)?;
            let sample = played(study, measure, TIMED)?;
            let models = names(study).map(|model| AssumedModel {
                mean: None,
                sd: spread.sd,
                sd_limit: None,
                raters: None,
                answers: answers(&sample, measure, &model),
                model,
            });
            let text = format!("the spread of raters in {}; nothing is known about means", spread.source);
            (models.collect(), text, duration(study, &sample))
        }
    };
    assumed(source, text, models, session, pilot, Compared::of(study, measure).sign, closed)
}

fn assumed(
    source: AssumptionSource,
    text: String,
    mut models: Vec<AssumedModel>,
    session: Sessions,
    pilot: Option<&Pilot<'_>>,
    sign: Option<f64>,
    closed: bool,
) -> Result<Assumed, PlanError> {
    let normals = closed.then(|| Normals::new(&models, sign));
    let raters = |name: &str| {
        models.iter().find(|one| &*one.model == name).and_then(|one| one.raters).unwrap_or(2) as f64
    };
    let limited = match (&normals, source) {
        (Some(normals), AssumptionSource::Pilot) => Some(normals.limited(raters)?),
        _ => None,
    };
    if let Some(limited) = &limited {
        for one in &mut models {
            one.sd_limit = limited.deviation_of(&one.model);
        }
    }
    let synthetic = source == AssumptionSource::Simulated || pilot.is_some_and(|pilot| pilot.simulated);
    Ok(Assumed { assumptions: Assumptions { source, text, synthetic, models }, session, normals, limited })
}

/// The study's models, in the order of the spec.
fn names(study: &Study) -> impl Iterator<Item = Arc<str>> {
    study.models().iter().filter_map(|&model| Some(Arc::clone(&study.stimuli().set(model)?.name)))
}

/// Means and standard deviations of the raters of a sample.
fn observed(study: &Study, sample: &Sample, measure: &Measure) -> Result<Vec<AssumedModel>, PlanError> {
    names(study)
        .map(|model| {
            let values = sample.of_model(&model).means();
            if values.len() < 2 {
                return Err(PlanError::TooFewValues {
                    measure: measure.name.to_string(),
                    model: model.to_string(),
                });
            }
            Ok(AssumedModel {
                mean: Some(mean(&values)?),
                sd: standard_deviation(&values)?,
                sd_limit: None,
                raters: Some(values.len() as u64),
                answers: answers(sample, measure, &model),
                model,
            })
        })
        .collect()
}

/// Returns the number of answers of yes and no that are worth a rater's share of a model.
fn answers(sample: &Sample, measure: &Measure, model: &str) -> Option<f64> {
    sample.of_model(model).answers().filter(|_| &*measure.unit == SHARE)
}

/// Returns the duration of a session: the minutes of people, and what synthetic raters do in it.
fn duration(study: &Study, sample: &Sample) -> Sessions {
    sample.sessions("simulated").unwrap_or_else(|| Sessions::estimated(study)).of_people(study)
}

/// Returns the duration of a session and what the study's synthetic raters, or default ones, do in it: so many per model or item.
///
/// # Errors
/// If a simulated session fails, or the study does not allow this number of raters.
pub fn sessions(study: &Study, raters: u32) -> Result<Sessions, PlanError> {
    let measures = study.rubric().measures();
    let measure = measures.first().ok_or(PlanError::NoAssumptions)?;
    Ok(duration(study, &played(study, measure, raters)?))
}

/// Lets the study's synthetic raters, or default ones, complete sessions of each model.
fn played(study: &Study, measure: &Measure, raters: u32) -> Result<Sample, PlanError> {
    let study = with_raters(study, raters)?;
    let cohort = cohort(&study);
    let (mut sample, mut scores, mut failed) = (Sample::default(), ScoreTable::default(), None);
    let raters = |wanted: &Wanted<'_>, chance: &Streams| cohort.rater(wanted, chance);
    hype_backends::simulate(&study, &Unwatched, None, raters, |session| {
        scores.clear_rows();
        failed = study.rubric().score(&session.record, &study.scoring(), &mut scores).err();
        sample.add(&study, &session.record, &scores, &measure.name);
        failed.is_none()
    })?;
    match failed {
        Some(error) => Err(hype_core::AnalysisError::from(error).into()),
        None => Ok(sample),
    }
}
