//! Blind raters: nothing on a page except the pixels reveals the right answer or the model.
//!
//! Many sessions are simulated. From those of every other seed a rater learns, for each cue of a page by itself, which
//! answer is right most often at each value of the cue; in the other sessions it answers accordingly. It must not do better than
//! a rater who always gives the answer that is right most often overall.
//!
//! # Method
//! Of the trials that only one of the two raters gets right, the one with the cue has to win significantly more than
//! 55 % (one-sided binomial test; a share over one half allows for what was learned from a sample). Each check raises a
//! false alarm at most once in a million seeds: 1e-6 is divided by the number of cues. Trials are treated as
//! independent, which favours passing if answers are balanced within sessions. Seeds are fixed: results are
//! reproducible.

use std::collections::{BTreeMap, BTreeSet};

use hype_core::model::trial::Form;
use hype_core::{Phase, SetId, Trial, Truth, Use};
use hype_stats::proportion::binomial_test;
use hype_stats::ttest::Alternative;

use self::cues::{Cues, cues};
use self::leaks::{Observed, first_leak, most_frequent};
use super::subject::{Moment, Player, walk};
use super::{Subject, ensure};
use crate::population::right_entry;

mod cues;
mod leaks;

/// The probability of a false alarm of a check, over all seeds.
const FALSE_ALARM: f64 = 1e-6;

/// The maximum number of sessions that are simulated.
const SESSIONS: usize = 240;

/// The places of a plan that are simulated under each seed, evenly spread.
const PLACES: u32 = 24;

/// The number of relevant trials after which no further session is simulated.
const TRIALS: usize = 6_000;

/// The number of sessions without such trials after which the search ends.
const FIRST_SESSIONS: usize = 12;

/// The share of right answers of the simulated rater outside the qualification, whatever is shown.
const SHARE_RIGHT: f64 = 0.75;

/// One simulated trial.
struct Sight {
    session: usize,
    /// Whether it is used for learning or for testing.
    is_training: bool,
    phase: Phase,
    block: u16,
    cues: Cues,
    /// The right answer, if the task determines it; those of gold stimuli come from the spec.
    right: Option<Right>,
    model: Option<SetId>,
    /// The sets side by side, in the order shown.
    shown: Vec<SetId>,
}

/// The right answer to a trial.
struct Right {
    /// The answers to its questions, as text.
    values: String,
    /// The positions of the right options, as text; `None` if an answer is not an option.
    places: Option<String>,
    /// The position of the right option of the first question with options.
    first: Option<usize>,
    /// The number of possible answers to the questions that have a right answer.
    ways: usize,
}

impl Right {
    fn of(trial: &Trial, truth: &Truth) -> Option<Self> {
        let mut right = Self { values: String::new(), places: Some(String::new()), first: None, ways: 1 };
        let mut any = false;
        let mut options_met = false;
        for question in trial.questions.iter() {
            let options = match &question.form {
                Form::Choice { options } => Some(options),
                _ => None,
            };
            let entry = right_entry(question, Some(truth));
            let place = options.zip(entry).and_then(|(options, entry)| {
                options.iter().position(|option| entry.as_str() == Some(&*option.value))
            });
            if options.is_some() && !std::mem::replace(&mut options_met, true) {
                right.first = place;
            }
            let Some(entry) = entry else { continue };
            any = true;
            right.values += &format!("{} ", entry.to_json());
            right.ways *= options.map_or(2, Vec::len);
            right.places = right.places.zip(place).map(|(places, place)| format!("{places}{} ", place + 1));
        }
        any.then_some(right)
    }
}

/// Checks that no cue of a page reveals the right answer: not the trial's number, its parts and their times, the texts of
/// questions and conditions, their help, the order and the marks of options, or how many stimuli are to come.
pub(super) fn raters_without_eyes_guess(subject: &Subject) -> Result<(), String> {
    let sights = sights(subject, |_, truth| truth.answer.is_some())?;
    let observed: Vec<Observed<'_>> = sights
        .iter()
        .filter_map(|sight| {
            let right = sight.right.as_ref()?;
            Some(Observed {
                is_training: sight.is_training,
                target: &right.values,
                place: right.places.as_deref(),
                cues: &sight.cues.trial,
                options: right.first.map(|first| (sight.cues.options.as_slice(), first)),
            })
        })
        .collect();
    match first_leak(&observed) {
        Some(leak) => Err(format!("the right answer can be predicted without pixels: {leak}")),
        None => Ok(()),
    }
}

/// Checks that no single answer is nearly always right, and that the right answer cannot be predicted from the
/// previous one, by repetition or alternation.
///
/// # Method
/// A rater who always gives one answer must not be right significantly more often than halfway between guessing and
/// certainty; no more than three right answers in four may be predictable from the previous ones.
pub(super) fn right_answers_vary(subject: &Subject) -> Result<(), String> {
    let sights = sights(subject, |_, truth| truth.answer.is_some())?;
    let answered: Vec<(&Sight, &Right)> =
        sights.iter().filter_map(|sight| Some((sight, sight.right.as_ref()?))).collect();
    let Some(ways) = answered.iter().map(|(_, right)| right.ways).min() else {
        return Ok(());
    };
    let trials = answered.len() as u64;
    let halfway = 0.5 * (1.0 + 1.0 / ways as f64);
    for (what, key) in [
        ("", (|right| Some(right.values.as_str())) as fn(&Right) -> Option<&str>),
        ("the options at ", |right| right.places.as_deref()),
    ] {
        let most = most_frequent(answered.iter().filter_map(|(_, right)| key(right)));
        if let Some((answer, count)) = most {
            ensure(!is_more_than(halfway, count, trials), || {
                format!("always answering {what}{answer} is right in {count} of {trials} trials")
            })?;
        }
    }
    let mut same = 0;
    let mut pairs = 0;
    for pair in answered.windows(2) {
        let [(first, before), (second, after)] = [pair[0], pair[1]];
        let together = |sight: &Sight| (sight.session, sight.phase, sight.block);
        if together(first) == together(second) {
            pairs += 1;
            same += u64::from(before.values == after.values);
        }
    }
    ensure(!is_more_than(0.75, same, pairs), || {
        format!("in {same} of {pairs} trials the right answer is the same as in the previous trial")
    })?;
    let other = pairs - same;
    ensure(ways > 2 || !is_more_than(0.75, other, pairs), || {
        format!("in {other} of {pairs} trials the right answer differs from that of the previous trial")
    })
}

/// Checks that pages do not distinguish models: no text, form, label or time of a trial depends on the model
/// under judgment, and of two models side by side either comes first equally often.
///
/// # Method
/// Only one trial of each block counts, and only the first occurrence of two models in each session, since trials of
/// one block may be similar.
pub(super) fn pages_tell_no_model_from_another(subject: &Subject) -> Result<(), String> {
    let sights = sights(subject, |trial, truth| trial.in_block == 0 || !truth.shown.is_empty())?;
    let mut blocks = BTreeSet::new();
    let firsts: Vec<(&Sight, String)> = sights
        .iter()
        .filter(|sight| sight.shown.is_empty() && sight.phase == Phase::Main)
        .filter(|sight| blocks.insert((sight.session, sight.block)))
        .filter_map(|sight| Some((sight, sight.model?.0.to_string())))
        .collect();
    let observed: Vec<Observed<'_>> = firsts
        .iter()
        .map(|(sight, model)| Observed {
            is_training: sight.is_training,
            target: model,
            place: None,
            cues: &sight.cues.page,
            options: None,
        })
        .collect();
    if let Some(leak) = first_leak(&observed) {
        return Err(format!("the model can be predicted without pixels: {leak}"));
    }
    let mut met = BTreeSet::new();
    let mut orders: BTreeMap<(SetId, SetId), (u64, u64)> = BTreeMap::new();
    for sight in &sights {
        for (at, &first) in sight.shown.iter().enumerate() {
            for &second in &sight.shown[at + 1..] {
                let pair = (first.min(second), first.max(second));
                if first != second && met.insert((sight.session, pair)) {
                    let order = orders.entry(pair).or_default();
                    order.0 += u64::from(first < second);
                    order.1 += 1;
                }
            }
        }
    }
    let limit = FALSE_ALARM / orders.len().max(1) as f64;
    for ((one, other), (first, sessions)) in orders {
        let p = binomial_test(first, sessions, 0.5, Alternative::TwoSided).unwrap_or(1.0);
        ensure(p >= limit, || {
            format!(
                "of the models {} and {} side by side, the one comes first in {first} of {sessions} sessions",
                one.0, other.0
            )
        })?;
    }
    Ok(())
}

/// Whether a count is significantly greater than a share of all.
fn is_more_than(share: f64, count: u64, all: u64) -> bool {
    binomial_test(count, all, share, Alternative::Greater).is_ok_and(|p| p < FALSE_ALARM)
}

/// The `wanted` trials of sessions that are simulated with many seeds.
fn sights(subject: &Subject, wanted: impl Fn(&Trial, &Truth) -> bool) -> Result<Vec<Sight>, String> {
    let mut sights = Vec::new();
    let mut sessions = 0;
    for seed in 1_000.. {
        let study = subject.clone().with_seed(seed).study()?;
        let places = study.places();
        let of_seed = places.min(PLACES);
        for place in
            (0..of_seed).map(|index| (u64::from(index) * u64::from(places) / u64::from(of_seed)) as u32)
        {
            let has_none = sessions == FIRST_SESSIONS && sights.is_empty();
            if sessions == SESSIONS || sights.len() >= TRIALS || has_none {
                return Ok(sights);
            }
            let mut player = Player::indifferent(&study, place, SHARE_RIGHT)?;
            walk(&study, place, &mut player, |moment| {
                if wanted(moment.trial, moment.truth) {
                    sights.push(sight(sessions, seed % 2 == 0, moment));
                }
                Ok(())
            })?;
            sessions += 1;
        }
        if places == 0 {
            break;
        }
    }
    Ok(sights)
}

fn sight(session: usize, is_training: bool, moment: &Moment<'_>) -> Sight {
    let Moment { trial, truth, study, .. } = *moment;
    let is_gold = trial.stimuli().any(|id| {
        let set = study.stimuli().get(id).and_then(|stimulus| study.stimuli().set(stimulus.set));
        set.is_some_and(|set| set.used_for == Use::Gold)
    });
    Sight {
        session,
        is_training,
        phase: trial.phase,
        block: trial.block,
        cues: cues(trial, moment.machine.upcoming().len()),
        right: Right::of(trial, truth).filter(|_| !is_gold),
        model: truth.model,
        // Of a gold trial's images several may be of one set, so its order says nothing of models.
        shown: if is_gold { Vec::new() } else { truth.shown.clone() },
    }
}
