//! The rubric of HYPE-time: thresholds by several estimators, censoring, and errors by class.

use hype_core::model::score::{Direction, Measure, Row};
use hype_core::plugin::rubric::Scoring;
use hype_core::words::first_few;
use hype_core::{
    Basis, Description, Diagnostics, Estimate, MeasureFindings, Note, PublishedSpread, Reads, Rubric,
    ScoreError, ScoreTable, SessionRecord, register_rubric,
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

    /// The others that are reported with this one.
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
        let measure = Measure { bias: self.bias_ms(), ..Measure::new(name, label, "ms", Direction::Higher) };
        measure.based_on(Basis::Censoring {
            at_most: AT_FLOOR.into(),
            at_least: AT_CEILING.into(),
            falling: Some(STILL_FALLING.into()),
            rising: Some(STILL_RISING.into()),
        })
    }

    /// How far a block of 150 trials pulls the estimate to its start at most (docs/measured/coverage.md, question 17).
    const fn bias_ms(self) -> Option<f64> {
        match self {
            Self::Mode => Some(8.0),
            Self::MeanLastHalf => Some(5.0),
            Self::MeanReversals => Some(10.0),
            Self::Fit | Self::PosteriorMean => None,
        }
    }

    /// Why the share of right answers is not a property of a model.
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
        notes.extend(not_arrived_note(found));
        notes.extend(missing_note(found));
        if let Some(procedure) = BlockDesign::of(context.task) {
            let [floor, ceiling] = procedure.bounds();
            notes.extend(self.censoring_notes(found, AT_FLOOR, ("upper", "shortest", floor)));
            notes.extend(self.censoring_notes(found, AT_CEILING, ("lower", "longest", ceiling)));
            if let BlockDesign::Staircase(design) = procedure {
                notes.extend(self.estimator_note(design));
            }
            let text = format!(
                "thresholds are exposures at which {:.1}% of answers are right: those of rules with another target do not compare",
                procedure.target() * 100.0
            );
            notes.push(Note::setting("staircase-target", text));
        }
        notes
    }
}

impl HypeTimeRubric {
    /// The errors of the estimators, for the published block of 150 trials.
    fn estimator_note(&self, design: &StaircaseDesign) -> Option<Note> {
        let is_published = HypeTime::default().staircase_design().as_ref() == Some(design);
        let text = match self.estimator {
            Estimator::Mode if is_published => {
                "for a simulated observer at 250 ms the error of one block's mode is 27 ms, of the mean of the last half 22 ms, of a \
                 fit 19 ms; the mode is pulled towards the start of the block, which its interval allows for"
            }
            Estimator::Mode => {
                "the mode is the least precise of the four estimators and is pulled towards the start of the block: compare them"
            }
            _ => return None,
        };
        Some(Note::setting("estimator-error", text))
    }
}

/// A note on blocks for which an estimator has no threshold, and which its estimate omits.
fn missing_note(found: &[MeasureFindings]) -> Option<Note> {
    let estimators = Estimator::ALL.map(Estimator::measure);
    let thresholds = || found.iter().filter(|one| estimators.contains(&one.measure));
    let all = thresholds().map(|one| one.responses).max()?;
    let missing: Vec<&MeasureFindings> = thresholds().filter(|one| one.responses < all).collect();
    let counts: Vec<String> = missing.iter().map(|one| (all - one.responses).to_string()).collect();
    (!missing.is_empty()).then(|| {
        let text = format!(
            "left out: {} of {all} blocks with too few reversals, or whose answers fix no psychometric function",
            first_few(&counts)
        );
        let note = Note::precision("blocks-without-estimate", text);
        missing.iter().fold(note, |note, one| note.about(&one.measure.name))
    })
}

/// A note on blocks that were on their way to a threshold when they ended.
fn not_arrived_note(found: &[MeasureFindings]) -> Option<Note> {
    let of = |name: &str| found.iter().find(|findings| &*findings.measure.name == name);
    let (falling, rising) = (of(STILL_FALLING)?, of(STILL_RISING)?);
    let (mut models, mut counts) = (Vec::new(), Vec::new());
    for falls in &falling.estimates {
        let rises = rising.estimates.iter().find(|estimate| estimate.model == falls.model);
        let blocks = |share: f64| (share * falls.responses as f64).round();
        let (down, up) = (blocks(falls.value), blocks(rises.map_or(0.0, |estimate| estimate.value)));
        if down + up > 0.0 {
            models.push(&falls.model);
            counts.push(format!("{} ({} of {} blocks)", falls.model, down + up, falls.responses));
        }
    }
    (!models.is_empty()).then(|| {
        let text = format!(
            "blocks ended before they arrived at a threshold, which lies beyond what they showed: {}",
            first_few(&counts)
        );
        Note::precision("not-arrived", text).on_models(models)
    })
}

/// The share of a model's blocks at a bound from which its mean threshold is a bound itself.
const MANY_BOUNDS: f64 = 0.1;

impl HypeTimeRubric {
    /// Notes on the models with blocks on a bound: that their threshold is a bound, or that few of their blocks are. Of models
    /// without an interval the aggregator says why.
    fn censoring_notes(
        &self,
        found: &[MeasureFindings],
        at_bound: &str,
        (limit, exposure, ms): (&str, &str, u32),
    ) -> Vec<Note> {
        let of = |name: &str| found.iter().find(|findings| *findings.measure.name == *name);
        let score = self.estimator.measure().name;
        let (Some(scores), Some(shares)) = (of(&score), of(at_bound)) else { return Vec::new() };
        let is_bounded = |one: &&Estimate| one.value > 0.0;
        let (many, few): (Vec<&Estimate>, Vec<&Estimate>) =
            shares.estimates.iter().filter(is_bounded).partition(|one| one.value >= MANY_BOUNDS);
        let has_interval = |one: &&&Estimate| {
            scores.estimates.iter().any(|score| score.model == one.model && score.interval.is_some())
        };
        let blocks = |one: &Estimate| (one.value * one.responses as f64).round();
        let mut notes: Vec<Note> = many
            .iter()
            .filter(has_interval)
            .map(|one| {
                let text = format!(
                    "{} is an {limit} limit: {} of its {} blocks ended at the {exposure} exposure, {ms} ms; {}",
                    one.model,
                    blocks(one),
                    one.responses,
                    self.order_by_others(found)
                );
                Note::meaning("censored-thresholds", text).about(&score).on_models([&one.model])
            })
            .collect();
        if !few.is_empty() {
            let counts: Vec<String> = few
                .iter()
                .map(|one| format!("{} ({} of {})", one.model, blocks(one), one.responses))
                .collect();
            let text = format!(
                "few blocks ended at the {exposure} exposure, {ms} ms, and count as {limit} limits: {}",
                first_few(&counts)
            );
            let models = few.iter().map(|one| &one.model);
            notes.push(Note::precision("few-censored", text).about(&score).on_models(models));
        }
        notes
    }

    /// Whether the other estimators order models as the study's does.
    fn order_by_others(&self, found: &[MeasureFindings]) -> &'static str {
        let order = |estimator: Estimator| {
            let measure = estimator.measure();
            let found = found.iter().find(|one| one.measure == measure)?;
            Some(found.estimates.iter().map(|one| &one.model).collect::<Vec<_>>())
        };
        let own = order(self.estimator);
        match self.estimator.beside().filter_map(order).all(|other| Some(other) == own) {
            true => "the order is the same by other estimators",
            false => "the order differs by other estimators",
        }
    }
}

register_rubric!(
    HypeTimeRubric,
    "hype_time",
    summary = "Thresholds of a staircase by mode, mean of the last half, mean of reversals and fit, or of an adaptive procedure \
               by its posterior; errors by class",
    citation = "Zhou et al. 2019, HYPE, NeurIPS",
    example = "{ kind: hype_time, estimator: mode }",
);
