//! Attention checks: whether raters answer gold images correctly and repeated images consistently.

use hype_core::words::counted;
use hype_core::{Check, CheckState, Consequence, SessionRecord, Stimuli};

use super::settings::Rating;
use crate::questionnaires::presentations::{Presentation, of_session};

/// The attention checks of a session; raters who fail one are excluded.
pub(super) fn of(rating: &Rating, session: &SessionRecord, stimuli: &Stimuli) -> Vec<Check> {
    let Ok(presentations) = of_session(session, stimuli) else { return Vec::new() };
    let checks = [by_gold(rating, &presentations), by_repeats(rating, &presentations)];
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

/// Whether a sum over some trials reaches a share of them; unclear without trials.
fn reaches(sum: f64, least: f64, of: usize) -> CheckState {
    // One part in 10^9 allows for the rounding of decimals such as 0.7.
    match of {
        0 => CheckState::Unclear,
        _ if sum + 1e-9 < least * of as f64 => CheckState::Fail,
        _ => CheckState::Pass,
    }
}
