//! The engine that all rubrics of single images share.

use hype_core::model::findings::Estimate;
use hype_core::model::score::{Direction, Measure, Row};
use hype_core::{
    Diagnostics, ErasedAggregator, ErasedTask, MeasureFindings, Note, Role, ScoreError, ScoreTable, Scoring,
    SessionRecord,
};

use super::showings::{Showing, of_session};
use crate::aggregators::agreement::{Over, RaterAgreement};
use crate::aggregators::by_model::ByModel;
use crate::tasks::rating::Rating;

/// Whether gold images were answered rightly.
pub(super) const GOLD_CORRECT: &str = "gold_correct";
/// How far repeated images were answered alike.
pub(super) const CONSISTENCY: &str = "consistency";

/// The measures of raters that every one of these rubrics reports after its own.
pub(super) fn measures_of_raters() -> [Measure; 2] {
    [
        Measure::new(GOLD_CORRECT, "gold images answered rightly", "proportion", Direction::Neither),
        Measure::new(
            CONSISTENCY,
            "answers to repeated images that are the same",
            "proportion",
            Direction::Neither,
        ),
    ]
}

/// The aggregators of graded answers: estimates for each model, and how far raters agree.
pub(super) fn graded() -> Vec<Box<dyn ErasedAggregator>> {
    let agreement = RaterAgreement { over: Over::All, ..RaterAgreement::default() };
    vec![Box::new(ByModel::default()), Box::new(agreement)]
}

/// Says that a rubric cannot score a task that does not show images one by one.
pub(super) fn check_task(kind: &str, task: &dyn ErasedTask, at: &mut Diagnostics) {
    if task.downcast_ref::<Rating>().is_none() {
        at.error("wrong-rubric", format!("the rubric {kind} cannot score the task {}", task.typetag_name()))
            .help("it scores the task `rating`; leave out `rubric` to take the task's own");
    }
}

/// Adds the scores of a session: for each first showing what `values` makes of it, by measure, and the measures of
/// raters.
pub(super) fn score(
    session: &SessionRecord,
    context: &Scoring<'_>,
    into: &mut ScoreTable,
    values: impl Fn(&Showing<'_>) -> Result<Vec<(String, f64)>, String>,
) -> Result<(), ScoreError> {
    let fault =
        |trial: u32, reason: String| ScoreError { rater: session.header.rater.to_string(), trial, reason };
    let showings = of_session(session, context.stimuli)
        .map_err(|trial| fault(trial, "the log has no image under judgment for this trial".into()))?;
    for showing in &showings {
        let scored = match (showing.is_gold(), showing.agreement()) {
            (true, _) => {
                let right = showing.answered.correct.map(|right| f64::from(u8::from(right)));
                right.map(|right| vec![(GOLD_CORRECT.to_owned(), right)]).unwrap_or_default()
            }
            (false, Some(same)) => vec![(CONSISTENCY.to_owned(), same)],
            (false, None) if showing.again.is_some() => Vec::new(),
            (false, None) => values(showing).map_err(|reason| fault(showing.answered.trial, reason))?,
        };
        for (measure, value) in scored {
            into.push(&Row {
                rater: &session.header.rater,
                model: &showing.set.name,
                against: "",
                item: context.stimuli.label(showing.image),
                block: showing.answered.shown.block,
                measure: &measure,
                value,
            });
        }
    }
    Ok(())
}

/// Tells which estimates are those of real images.
pub(super) fn real_rows(found: &[MeasureFindings], context: &Scoring<'_>) -> Option<Note> {
    let is_real = |estimate: &&Estimate| {
        let sets = context.stimuli.sets();
        sets.iter().any(|set| set.name == estimate.model && set.role == Role::Real)
    };
    let score = found.first()?;
    let real: Vec<&str> = score.estimates.iter().filter(is_real).map(|estimate| &*estimate.model).collect();
    (!real.is_empty()).then(|| {
        Note::remark(
            "real-images",
            format!("these are real images, rated beside the generated ones: {}", real.join(", ")),
        )
    })
}
