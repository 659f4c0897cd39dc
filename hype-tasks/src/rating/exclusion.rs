//! Which raters are left out: those who miss gold images, or do not answer repeated images alike.

use hype_core::task::Excluded;
use hype_core::words::counted;
use hype_core::{SessionRecord, Stimuli};

use super::Rating;
use crate::rubrics::showings::{Showing, of_session};

/// Why a session's rater is left out, if there is a reason.
pub(super) fn of(rating: &Rating, session: &SessionRecord, stimuli: &Stimuli) -> Option<Excluded> {
    let showings = of_session(session, stimuli).ok()?;
    by_gold(rating, &showings).or_else(|| by_repeats(rating, &showings))
}

fn by_gold(rating: &Rating, showings: &[Showing<'_>]) -> Option<Excluded> {
    let pass = rating.gold.as_ref()?.pass;
    let verdicts = || showings.iter().filter(|one| one.is_gold()).filter_map(|one| one.answered.correct);
    let (right, of) = (verdicts().filter(|&right| right).count(), verdicts().count());
    let under = is_under(right as f64, pass, of);
    under.then(|| Excluded {
        rule: "gold".into(),
        reason: format!("{right} of {} right, under {pass}", counted(of, "gold image")).into(),
    })
}

fn by_repeats(rating: &Rating, showings: &[Showing<'_>]) -> Option<Excluded> {
    let least = rating.repeats.as_ref()?.min_agreement?;
    let shares: Vec<f64> = showings.iter().filter_map(Showing::agreement).collect();
    let alike: f64 = shares.iter().sum();
    let under = is_under(alike, least, shares.len());
    under.then(|| Excluded {
        rule: "repeats".into(),
        reason: format!(
            "{:.0} % of the answers to {} are the same, under {least}",
            100.0 * alike / shares.len() as f64,
            counted(shares.len(), "repeated image")
        )
        .into(),
    })
}

/// Whether a sum over some trials falls short of a share; never where there are none.
fn is_under(sum: f64, least: f64, of: usize) -> bool {
    // One part in 10^9 forgives the binary form of a decimal such as 0.7.
    of > 0 && sum + 1e-9 < least * of as f64
}
