//! The rubric of HYPE-time: thresholds by several estimators, censoring, and errors by class.

use hype_core::model::score::{Direction, Measure, Row};
use hype_core::plugin::rubric::Scoring;
use hype_core::{
    Basis, Description, Diagnostics, MeasureFindings, Note, PublishedSpread, Reads, Rubric, ScoreError,
    ScoreTable, SessionRecord, register_rubric,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod thresholds;

use self::thresholds::{BlockDesign, blocks};
use super::settings::{HypeTime, StaircaseDesign};
use crate::shared::judgment::{Errors, JUDGMENT};

/// The measure of blocks whose threshold is censored at the shortest exposure.
const AT_FLOOR: &str = "at_floor";
/// The measure of blocks whose threshold is censored at the longest exposure.
const AT_CEILING: &str = "at_ceiling";
/// The measure of blocks that have not arrived at a shorter threshold, between the bounds.
const STILL_FALLING: &str = "still_falling";
/// The measure of blocks that have not arrived at a longer threshold, between the bounds.
const STILL_RISING: &str = "still_rising";

/// The estimator of a block's threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Estimator {
    /// The exposure shown most often, the lowest if several are (HYPE).
    #[default]
    Mode,
    /// The mean exposure of the last half of the block.
    MeanLastHalf,
    /// The mean exposure at the reversals after the first four.
    MeanReversals,
    /// The most probable logistic psychometric function in log time by the block's answers, at the rule's target.
    Fit,
    /// The mean of the posterior of an adaptive procedure; the only estimator of its blocks.
    PosteriorMean,
}

impl Estimator {
    /// The estimators of staircases.
    const OF_STAIRCASES: [Self; 4] = [Self::Mode, Self::MeanLastHalf, Self::MeanReversals, Self::Fit];
    /// Every estimator.
    const ALL: [Self; 5] =
        [Self::Mode, Self::MeanLastHalf, Self::MeanReversals, Self::Fit, Self::PosteriorMean];

    /// The others that are reported beside this one.
    fn beside(self) -> impl Iterator<Item = Self> {
        let others: &[Self] = match self {
            Self::PosteriorMean => &[Self::Fit],
            _ => &Self::OF_STAIRCASES,
        };
        others.iter().copied().filter(move |&other| other != self)
    }

    fn measure(self) -> Measure {
        let (name, label) = match self {
            Self::Mode => ("mode_ms", "threshold (mode)"),
            Self::MeanLastHalf => ("mean_last_half_ms", "threshold (mean of last half)"),
            Self::MeanReversals => ("mean_reversals_ms", "threshold (mean of reversals)"),
            Self::Fit => ("fit_ms", "threshold (psychometric fit)"),
            Self::PosteriorMean => ("posterior_mean_ms", "threshold (posterior mean)"),
        };
        let measure = Measure::new(name, label, "ms", Direction::Higher);
        measure.based_on(Basis::Censoring {
            at_most: AT_FLOOR.into(),
            at_least: AT_CEILING.into(),
            falling: Some(STILL_FALLING.into()),
            rising: Some(STILL_RISING.into()),
        })
    }

    /// Why the share of right answers is no property of a model.
    const fn procedure(self) -> &'static str {
        match self {
            Self::PosteriorMean => "the adaptive procedure sets how long images are shown",
            _ => "the staircase sets how often answers are right",
        }
    }
}

/// The rubric of HYPE-time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HypeTimeRubric {
    /// The estimator of the study's score; the others are reported as well.
    pub estimator: Estimator,
}

impl Rubric for HypeTimeRubric {
    fn reads(&self) -> Reads {
        Reads::answers([JUDGMENT])
    }

    fn check(&self, task: &Description, at: &mut Diagnostics) {
        let of_posterior = self.estimator == Estimator::PosteriorMean;
        match BlockDesign::of(task) {
            None if task.asks().has(JUDGMENT) => {
                at.error("wrong-rubric", "the rubric hype_time cannot score a task without a staircase")
                    .help("omit `rubric` to use the task's own");
            }
            Some(BlockDesign::Staircase(_)) if of_posterior => {
                at.field("estimator")
                    .error("wrong-estimator", "a staircase has no posterior")
                    .help("use `mode`, `mean-last-half`, `mean-reversals` or `fit`");
            }
            Some(BlockDesign::QuestPlus(_)) if !of_posterior => {
                at.field("estimator")
                    .error(
                        "wrong-estimator",
                        "the blocks of an adaptive procedure are scored by their posterior",
                    )
                    .help("write `estimator: posterior-mean`, or omit `rubric` to use the task's own");
            }
            _ => {}
        }
    }

    fn published_spread(&self) -> Option<PublishedSpread> {
        // As for HYPE-infinity, of 32.1 and 29.9 ms. No study has published the spread of other estimators.
        let source = "Zhou et al. 2019, table 1 (HYPE-time, FFHQ, three blocks of 150 trials)";
        (self.estimator == Estimator::Mode).then_some(PublishedSpread {
            measure: "mode_ms",
            sd: 172.8,
            source,
        })
    }

    fn measures(&self) -> Vec<Measure> {
        let mut measures = vec![self.estimator.measure()];
        measures.extend(self.estimator.beside().map(Estimator::measure));
        if self.estimator == Estimator::PosteriorMean {
            let sd = "standard deviation of the posterior";
            let of_blocks = [
                Measure::new("posterior_sd_ms", sd, "ms", Direction::Neither),
                Measure::new("block_trials", "trials in a block", "trials", Direction::Neither),
            ];
            let reason = "the rule that ends a block sets how much is known of its threshold";
            measures.extend(of_blocks.map(|measure| measure.descriptive(reason)));
        }
        let mut bounds =
            vec![(AT_FLOOR, "blocks censored at the floor"), (AT_CEILING, "blocks censored at the ceiling")];
        if self.estimator != Estimator::PosteriorMean {
            bounds.push((STILL_FALLING, "blocks that still fell at their end"));
            bounds.push((STILL_RISING, "blocks that still rose at their end"));
        }
        let share = |(name, label)| Measure::new(name, label, "proportion", Direction::Neither);
        measures.extend(bounds.into_iter().map(share));
        let reason = self.estimator.procedure();
        measures.extend(Errors::measures().into_iter().map(|measure| measure.descriptive(reason)));
        measures
    }

    fn score(
        &self,
        session: &SessionRecord,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError> {
        let fault = |trial: u32, reason: &str| ScoreError {
            rater: session.header.rater.to_string(),
            trial,
            reason: reason.to_owned(),
        };
        let procedure = BlockDesign::of(context.task).ok_or_else(|| {
            fault(0, "the study's task has neither a valid staircase nor an adaptive procedure")
        })?;
        for block in blocks(session).map_err(|trial| {
            fault(trial, "the log has no exposure, model or verdict for this trial of the main phase")
        })? {
            let name = context.stimuli.set(block.model).map_or("", |set| &*set.name);
            let row = |measure, value| Row {
                rater: &session.header.rater,
                model: name,
                against: "",
                item: "",
                block: block.number,
                measure,
                value,
            };
            let first = block.trials.first().map_or(0, |answered| answered.trial);
            let found = procedure.thresholds(&block).ok_or_else(|| {
                fault(
                    first,
                    "the block that begins here has an exposure that the study's procedure never shows",
                )
            })?;
            for (measure, value) in found {
                into.push(&row(measure, value));
            }
        }
        Errors::score(session, context, into)
            .map_err(|trial| fault(trial, "the log has no judgment for this trial of the main phase"))
    }

    fn remarks(&self, found: &[MeasureFindings], context: &Scoring<'_>) -> Vec<Note> {
        let mut notes = Vec::new();
        for (measure, bound) in [(AT_FLOOR, "floor"), (AT_CEILING, "ceiling")] {
            notes.extend(censoring_note(found, self.estimator, measure, bound));
        }
        notes.extend(not_arrived_note(found));
        notes.extend(missing_note(found));
        if let Some(procedure) = BlockDesign::of(context.task) {
            if let BlockDesign::Staircase(design) = procedure {
                notes.extend(self.estimator_note(design));
            }
            notes.push(Note::remark(
                "staircase-target",
                format!(
                    "thresholds are exposures at which {:.1} % of answers are right; scores of rules with another target \
                     are not comparable",
                    procedure.target() * 100.0
                ),
            ));
        }
        notes
    }
}

impl HypeTimeRubric {
    /// The errors of the estimators, for the published block of 150 trials.
    fn estimator_note(&self, design: &StaircaseDesign) -> Option<Note> {
        let comparable = HypeTime::default().staircase_design().as_ref() == Some(design);
        match self.estimator {
            Estimator::Mode if comparable => Some(Note::remark(
                "estimator-error",
                "for a simulated observer at 250 ms the error of one block's mode is 27 ms, of the mean of the last \
                 half 22 ms, of a fit 19 ms; the mode is pulled towards the start of the block",
            )),
            Estimator::Mode => Some(Note::remark(
                "estimator-error",
                "the mode is the least precise of the four estimators and is pulled towards the start of the block; \
                 compare it with the others below",
            )),
            _ => None,
        }
    }
}

/// A warning about blocks for which an estimator has no threshold, and which its estimate omits.
fn missing_note(found: &[MeasureFindings]) -> Option<Note> {
    let estimators = Estimator::ALL.map(Estimator::measure);
    let thresholds = || found.iter().filter(|one| estimators.contains(&one.measure));
    let all = thresholds().map(|one| one.responses).max()?;
    let missing: Vec<String> = thresholds()
        .filter(|one| one.responses < all)
        .map(|one| format!("{} ({} of {all})", one.measure.label, all - one.responses))
        .collect();
    (!missing.is_empty()).then(|| {
        Note::warning(
            "blocks-without-estimate",
            format!(
                "blocks that had too few reversals, or whose answers fix no psychometric function, are not in the \
                 estimates of: {}",
                missing.join(", ")
            ),
        )
    })
}

/// A remark on blocks that were on their way to a threshold when they ended.
fn not_arrived_note(found: &[MeasureFindings]) -> Option<Note> {
    let of = |name: &str| found.iter().find(|findings| &*findings.measure.name == name);
    let (falling, rising) = (of(STILL_FALLING)?, of(STILL_RISING)?);
    let mut models = Vec::new();
    for falls in &falling.estimates {
        let rises = rising.estimates.iter().find(|estimate| estimate.model == falls.model);
        let blocks = |share: f64| (share * falls.responses as f64).round();
        let (down, up) = (blocks(falls.value), blocks(rises.map_or(0.0, |estimate| estimate.value)));
        if down + up > 0.0 {
            let of = falls.responses;
            models.push(format!("{} ({down} downwards and {up} upwards of {of} blocks)", falls.model));
        }
    }
    (!models.is_empty()).then(|| {
        Note::remark(
            "not-arrived",
            format!(
                "blocks that had not arrived at a threshold when they ended, which lies beyond what they showed; of honest \
                 blocks within reach at most 3 % are taken for such: {}",
                models.join(", ")
            ),
        )
    })
}

fn censoring_note(
    found: &[MeasureFindings],
    estimator: Estimator,
    measure: &str,
    bound: &str,
) -> Option<Note> {
    let found = found.iter().find(|findings| &*findings.measure.name == measure)?;
    let models: Vec<String> = found
        .estimates
        .iter()
        .filter(|estimate| estimate.value > 0.0)
        .map(|estimate| {
            let blocks = (estimate.value * estimate.responses as f64).round();
            format!("{} ({blocks} of {} blocks)", estimate.model, estimate.responses)
        })
        .collect();
    let meaning = if bound == "floor" { "at or under" } else { "at or over" };
    let what = match estimator {
        Estimator::PosteriorMean => "most of the posterior",
        _ => "the mode",
    };
    (!models.is_empty()).then(|| {
        Note::warning(
            "censored-thresholds",
            format!(
                "thresholds are censored at the {bound}: {what} lies on that bound, so the threshold is {meaning} it: \
                 {}",
                models.join(", ")
            ),
        )
    })
}

register_rubric!(
    HypeTimeRubric,
    "hype_time",
    summary = "Thresholds of a staircase by mode, mean of the last half, mean of reversals and fit, or of an adaptive procedure \
               by its posterior; errors by class",
    citation = "Zhou et al. 2019, HYPE, NeurIPS",
    example = "{ kind: hype_time, estimator: mode }",
);
