//! The rubric of HYPE-time: thresholds by four estimators, censoring, and errors by class.

use hype_core::model::score::{Direction, Measure, Row};
use hype_core::plugin::rubric::Scoring;
use hype_core::{
    Answered, Description, Diagnostics, MeasureFindings, Note, Reads, Rubric, ScoreError, ScoreTable,
    SessionRecord, SetId, register_rubric,
};
use hype_stats::psychometric::{self, Axis, FitOptions, Lapse, Sigmoid, Tally};
use hype_stats::staircase::{self, Censoring, Range, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::settings::{GUESS, HypeTime, StaircaseDesign};
use crate::shared::judgment::{Errors, JUDGMENT};

/// The largest lapse rate that a fit allows.
const LAPSE_AT_MOST: f64 = 0.06;

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
    /// A logistic psychometric function in log time fitted to the block, at the rule's target.
    Fit,
}

impl Estimator {
    const ALL: [Self; 4] = [Self::Mode, Self::MeanLastHalf, Self::MeanReversals, Self::Fit];

    fn measure(self) -> Measure {
        let (name, label) = match self {
            Self::Mode => ("mode_ms", "threshold (mode)"),
            Self::MeanLastHalf => ("mean_last_half_ms", "threshold (mean of last half)"),
            Self::MeanReversals => ("mean_reversals_ms", "threshold (mean of reversals)"),
            Self::Fit => ("fit_ms", "threshold (psychometric fit)"),
        };
        Measure::new(name, label, "ms", Direction::Higher)
    }
}

/// The rubric of HYPE-time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HypeTimeRubric {
    /// The estimator of the study's score; the others are reported as well.
    pub estimator: Estimator,
}

/// One complete block as logged.
struct Block<'a> {
    model: SetId,
    number: u16,
    trials: Vec<&'a Answered>,
}

impl Rubric for HypeTimeRubric {
    fn reads(&self) -> Reads {
        Reads::answers([JUDGMENT])
    }

    fn check(&self, task: &Description, at: &mut Diagnostics) {
        if task.asks().has(JUDGMENT) && task.get::<StaircaseDesign>().is_none() {
            at.error("wrong-rubric", "the rubric hype_time cannot score a task without a staircase")
                .help("omit `rubric` to use the task's own");
        }
    }

    fn measures(&self) -> Vec<Measure> {
        let mut measures = vec![self.estimator.measure()];
        measures.extend(
            Estimator::ALL.into_iter().filter(|&other| other != self.estimator).map(Estimator::measure),
        );
        measures.push(Measure::new(
            "at_floor",
            "blocks censored at the floor",
            "proportion",
            Direction::Neither,
        ));
        measures.push(Measure::new(
            "at_ceiling",
            "blocks censored at the ceiling",
            "proportion",
            Direction::Neither,
        ));
        measures.extend(Errors::measures());
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
        let &StaircaseDesign { rule, range, trials_per_block } =
            context.task.get().ok_or_else(|| fault(0, "the study's task has no valid staircase"))?;
        for block in complete_blocks(session, trials_per_block as usize).map_err(|trial| {
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
            for (measure, value) in thresholds(&block, rule, range) {
                into.push(&row(measure, value));
            }
        }
        Errors::score(session, context, into)
            .map_err(|trial| fault(trial, "the log has no judgment for this trial of the main phase"))
    }

    fn remarks(&self, found: &[MeasureFindings], context: &Scoring<'_>) -> Vec<Note> {
        let mut notes = Vec::new();
        for (measure, bound) in [("at_floor", "floor"), ("at_ceiling", "ceiling")] {
            notes.extend(censoring_note(found, measure, bound));
        }
        notes.extend(missing_note(found));
        if let Some(design) = context.task.get::<StaircaseDesign>() {
            notes.extend(self.estimator_note(design));
            notes.push(Note::remark(
                "staircase-target",
                format!(
                    "thresholds are exposures at which {:.1} % of answers are right; scores of rules with another target \
                     are not comparable",
                    design.rule.target() * 100.0
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

fn censoring_note(found: &[MeasureFindings], measure: &str, bound: &str) -> Option<Note> {
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
    (!models.is_empty()).then(|| {
        Note::warning(
            "censored-thresholds",
            format!(
                "thresholds are censored at the {bound}: the mode lies on that bound, so the threshold is {meaning} it: \
                 {}",
                models.join(", ")
            ),
        )
    })
}

/// The complete blocks of the main phase. Fails with a trial's number if the log is incomplete.
fn complete_blocks(session: &SessionRecord, trials: usize) -> Result<Vec<Block<'_>>, u32> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    for answered in session.main_trials() {
        let shown = &answered.shown;
        let (Some(model), Some(_), Some(_)) = (shown.model, shown.exposure_ms, answered.correct) else {
            return Err(answered.trial);
        };
        match blocks.last_mut() {
            Some(block) if block.number == shown.block => block.trials.push(answered),
            _ => blocks.push(Block { model, number: shown.block, trials: vec![answered] }),
        }
    }
    blocks.retain(|block| block.trials.len() == trials);
    Ok(blocks)
}

/// The thresholds of one block and whether they are censored. Undefined thresholds have no row.
fn thresholds(block: &Block<'_>, rule: Rule, range: Range) -> impl Iterator<Item = (&'static str, f64)> {
    let levels: Vec<u32> =
        block.trials.iter().map(|trial| trial.shown.exposure_ms.map_or(0, |exposure| exposure.0)).collect();
    let correct: Vec<bool> = block.trials.iter().map(|trial| trial.correct == Some(true)).collect();
    let mode = staircase::mode(&levels).ok();
    let censoring = mode.as_ref().map(|mode| mode.censoring(range));
    let share = |bound| censoring.map(|found| f64::from(u8::from(found == bound)));
    [
        ("mode_ms", mode.as_ref().map(|mode| f64::from(mode.level_ms))),
        ("mean_last_half_ms", staircase::mean_last_half(&levels).ok()),
        (
            "mean_reversals_ms",
            staircase::mean_reversals(rule, &levels, &correct).ok().map(|mean| mean.mean_ms),
        ),
        ("fit_ms", fitted_threshold(&levels, &correct, rule, range)),
        ("at_floor", share(Censoring::Floor)),
        ("at_ceiling", share(Censoring::Ceiling)),
    ]
    .into_iter()
    .filter_map(|(measure, value)| value.map(|value| (measure, value)))
}

/// The exposure at which a logistic function of ln time, fitted to the block with a guess rate of 0.5 and a free
/// lapse rate, is right as often as the rule's target. A threshold beyond the range is taken as the bound, as the
/// block has no exposure there; blocks that do not identify the function have no threshold.
fn fitted_threshold(levels: &[u32], correct: &[bool], rule: Rule, range: Range) -> Option<f64> {
    let options =
        FitOptions::new(Sigmoid::Logistic, Axis::Logarithmic, GUESS, Lapse::Free { greatest: LAPSE_AT_MOST })
            .ok()?;
    let answers = levels.iter().zip(correct).map(|(&level, &correct)| (f64::from(level), correct));
    let fit = psychometric::fit(&Tally::count(answers), &options).ok()?;
    if !fit.is_identified() {
        return None;
    }
    let threshold = fit.function.inverse(rule.target()).ok()?;
    Some(threshold.clamp(f64::from(range.floor_ms()), f64::from(range.ceiling_ms())))
}

register_rubric!(
    HypeTimeRubric,
    "hype_time",
    summary = "Thresholds of a staircase by mode, mean of the last half, mean of reversals and fit; errors by class",
    citation = "Zhou et al. 2019, HYPE, NeurIPS",
    example = "{ kind: hype_time, estimator: mode }",
);
