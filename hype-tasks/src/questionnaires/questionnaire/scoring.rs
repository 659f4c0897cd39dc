//! Scoring: from the log of a session to rows of scores.

use hype_core::model::score::Row;
use hype_core::{Role, ScoreError, ScoreTable, Scoring, SessionRecord, Stimuli};

use super::{CONSISTENCY, GOLD_CORRECT, Questionnaire};
use crate::questionnaires::presentations::{Presentation, of_session};

/// Adds the scores of a session: the questionnaire's own of each first presentation, and the measures of raters.
pub(super) fn score(
    questionnaire: &Questionnaire,
    session: &SessionRecord,
    context: &Scoring<'_>,
    into: &mut ScoreTable,
) -> Result<(), ScoreError> {
    let fault =
        |trial: u32, reason: String| ScoreError { rater: session.header.rater.to_string(), trial, reason };
    let presentations = of_session(session, context.stimuli)
        .map_err(|trial| fault(trial, "the log has no image under judgment for this trial".into()))?;
    for presentation in &presentations {
        let answered = presentation.answered;
        let mut push = |measure: &str, value: f64| {
            into.push(&Row {
                rater: &session.header.rater,
                model: &presentation.set.name,
                against: "",
                item: context.stimuli.label(presentation.stimulus),
                block: answered.shown.block,
                measure,
                value,
            });
        };
        if presentation.is_gold() {
            answered.correct.into_iter().for_each(|right| push(GOLD_CORRECT, f64::from(u8::from(right))));
        } else if presentation.repeats.is_some() {
            presentation.agreement().into_iter().for_each(|same| push(CONSISTENCY, same));
        } else {
            let values = values(questionnaire, presentation, &presentations, context.stimuli)
                .map_err(|reason| fault(answered.trial, reason))?;
            values.into_iter().for_each(|(measure, value)| push(measure, value));
        }
    }
    Ok(())
}

/// The measures of one response, in the order of the rules.
fn values<'a>(
    questionnaire: &'a Questionnaire,
    presentation: &Presentation<'_>,
    session: &[Presentation<'_>],
    stimuli: &Stimuli,
) -> Result<Vec<(&'a str, f64)>, String> {
    let item = stimuli.item_of(presentation.stimulus);
    if item.is_none() && !questionnaire.needs.is_empty() {
        return Err("the image has no item".into());
    }
    let mut values: Vec<(&str, f64)> = Vec::new();
    for rule in questionnaire.scores.iter() {
        let question = |id: &str| {
            let asked = questionnaire.questions.iter().find(|question| question.id == id);
            asked.ok_or_else(|| format!("the rubric asks no question `{id}`"))
        };
        let of_real = |id: &str| {
            let number = |of: &Presentation<'_>| stimuli.get(of.stimulus).and_then(|one| one.item);
            let is_real = |of: &Presentation<'_>| of.set.role == Role::Real && !of.is_gold();
            let is_its_real = |other: &&Presentation<'_>| {
                is_real(other) && other.repeats.is_none() && number(other) == number(presentation)
            };
            let is_output = !is_real(presentation) && number(presentation).is_some();
            let real = session.iter().find(is_its_real).filter(|_| is_output);
            real.map(|real| question(id)?.score(real.answered, item)).transpose()
        };
        let answer = || {
            let asked = question(&rule.measure)?;
            let score = asked.score(presentation.answered, item)?;
            // In a pair, the second is compared with the first.
            // Subtracted, since the negative of 0 would be written as -0.
            Ok(if asked.of_difference && presentation.first_of_pair { 0.0 - score } else { score })
        };
        let value_of = |name: &str| values.iter().find(|(known, _)| *known == name).map(|&(_, value)| value);
        if let Some(value) = rule.formula.value(answer, of_real, value_of)? {
            values.push((&rule.measure, value));
        }
    }
    Ok(values)
}
