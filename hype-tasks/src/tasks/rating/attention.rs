//! Attention checks: whether raters answer gold images correctly, repeated images consistently, and others not all the same.

use std::collections::BTreeMap;

use hype_core::words::counted;
use hype_core::{AnswerValue, Check, CheckState, Consequence, SessionRecord, Stimuli};

use super::settings::Rating;
use crate::questionnaires::presentations::{Presentation, of_session};

/// The attention checks of a session; raters who fail one are excluded.
pub(super) fn of(rating: &Rating, session: &SessionRecord, stimuli: &Stimuli) -> Vec<Check> {
    let Ok(presentations) = of_session(session, stimuli) else { return Vec::new() };
    let checks = [
        by_gold(rating, &presentations),
        by_repeats(rating, &presentations),
        by_variance(rating, &presentations),
    ];
    checks.into_iter().flatten().map(|check| check.with(Consequence::Exclude)).collect()
}

fn by_gold(rating: &Rating, presentations: &[Presentation<'_>]) -> Option<Check> {
    let pass = rating.gold.as_ref()?.pass;
    let verdicts = || presentations.iter().filter(|one| one.is_gold()).filter_map(|one| one.answered.correct);
    let (right, of) = (verdicts().filter(|&right| right).count(), verdicts().count());
    let state = reaches(right as f64, pass, of);
    let images = counted(of, "gold image");
    Some(Check::new(
        "gold",
        state,
        match state {
            CheckState::Fail => format!("{right} of {images} right, under {pass}"),
            CheckState::Pass => format!("{right} of {images} right"),
            CheckState::Unclear => "no gold image was answered".to_owned(),
        },
    ))
}

fn by_repeats(rating: &Rating, presentations: &[Presentation<'_>]) -> Option<Check> {
    let least = rating.repeats.as_ref()?.min_agreement?;
    let shares: Vec<f64> = presentations.iter().filter_map(Presentation::agreement).collect();
    let alike: f64 = shares.iter().sum();
    let state = reaches(alike, least, shares.len());
    let images = counted(shares.len(), "repeated image");
    let share =
        || format!("{:.0} % of the answers to {images} are the same", 100.0 * alike / shares.len() as f64);
    Some(Check::new(
        "repeats",
        state,
        match state {
            CheckState::Fail => format!("{}, under {least}", share()),
            CheckState::Pass => share(),
            CheckState::Unclear => "no image was answered twice".to_owned(),
        },
    ))
}

/// Of several questions that with the largest variance counts: a rater fails who varies in none.
fn by_variance(rating: &Rating, presentations: &[Presentation<'_>]) -> Option<Check> {
    let least = rating.variance_at_least?;
    let mut numbers: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for one in presentations.iter().filter(|one| !one.is_gold()) {
        for (question, answer) in one.answered.answer.entries() {
            numbers.entry(question).or_default().extend(number(answer));
        }
    }
    let found = numbers.values().filter_map(|values| variance(values)).max_by(f64::total_cmp);
    let (state, why) = match found {
        None => (CheckState::Unclear, "fewer than two answers are numbers".to_owned()),
        // A variance of decimals is rounded.
        Some(found) if found + 1e-9 < least => {
            (CheckState::Fail, format!("answers have a variance of {found:.2}, under {least}"))
        }
        Some(found) => (CheckState::Pass, format!("answers have a variance of {found:.2}")),
    };
    Some(Check::new("variance", state, why))
}

/// The number that an answer is, or that the chosen option is called by.
fn number(answer: &AnswerValue) -> Option<f64> {
    answer.as_f64().or_else(|| answer.as_str()?.parse().ok()).filter(|number: &f64| number.is_finite())
}

/// The sample variance; `None` of fewer than two numbers.
fn variance(numbers: &[f64]) -> Option<f64> {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|number| (number - mean) * (number - mean)).sum();
    (numbers.len() > 1).then(|| squares / (count - 1.0))
}

/// Whether a sum over some trials reaches a share of them; unclear without trials.
fn reaches(sum: f64, least: f64, of: usize) -> CheckState {
    // One part in 10^9 allows for the rounding of decimals such as 0.7.
    match of {
        0 => CheckState::Unclear,
        _ if sum + 1e-9 < least * of as f64 => CheckState::Fail,
        _ => CheckState::Pass,
    }
}
