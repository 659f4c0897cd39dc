//! Whether cues leak the right answer or the model.

use std::collections::BTreeMap;
use std::fmt;

use hype_stats::proportion::binomial_test;
use hype_stats::ttest::Alternative;

use super::FALSE_ALARM;
use super::cues::Cue;

/// The share of decided trials that a cue without information may win.
const BY_CHANCE: f64 = 0.55;

/// One trial, with the target and the cues to it.
pub(super) struct Observed<'a> {
    /// Whether it is used for learning or for testing.
    pub(super) is_training: bool,
    /// The target to guess.
    pub(super) target: &'a str,
    /// Its position, if it is an option.
    pub(super) place: Option<&'a str>,
    pub(super) cues: &'a [Cue],
    /// The marks of each option, and which option is right.
    pub(super) options: Option<(&'a [Vec<Cue>], usize)>,
}

/// A cue that predicts better than the most frequent answer.
pub(super) struct Leak {
    cue: &'static str,
    right: usize,
    by_frequency: usize,
    trials: usize,
}

impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "by {} alone {} of {} trials are answered correctly, by the most frequent answer {}",
            self.cue, self.right, self.trials, self.by_frequency
        )
    }
}

/// The first cue by which a rater does significantly better than by the most frequent answer.
pub(super) fn first_leak(observed: &[Observed<'_>]) -> Option<Leak> {
    let (training, test): (Vec<&Observed<'_>>, Vec<&Observed<'_>>) =
        observed.iter().partition(|one| one.is_training);
    let cues: Vec<&'static str> = observed.first()?.cues.iter().map(|&(name, _)| name).collect();
    let marks: Vec<&'static str> = match observed.first()?.options {
        Some((options, _)) => options.first()?.iter().map(|&(name, _)| name).collect(),
        None => Vec::new(),
    };
    let limit = FALSE_ALARM / (2 * cues.len() + marks.len()) as f64;
    let baseline = by_frequency(&training, &test);
    let judge = |cue: &'static str, right: &[bool]| -> Option<Leak> {
        let only = |one: &[bool], other: &[bool]| {
            one.iter().zip(other).filter(|&(one, other)| *one && !other).count()
        };
        let (won, lost) = (only(right, &baseline), only(&baseline, right));
        let p = binomial_test(won as u64, (won + lost) as u64, BY_CHANCE, Alternative::Greater).ok()?;
        let count = |of: &[bool]| of.iter().filter(|&&right| right).count();
        (p < limit).then(|| Leak {
            cue,
            right: count(right),
            by_frequency: count(&baseline),
            trials: test.len(),
        })
    };
    let by_cue = cues.iter().enumerate().find_map(|(index, &cue)| {
        judge(cue, &by_table(&training, &test, index, |one| Some(one.target)))
            .or_else(|| judge(cue, &by_table(&training, &test, index, |one| one.place)))
    });
    by_cue.or_else(|| {
        marks.iter().enumerate().find_map(|(index, &mark)| judge(mark, &by_mark(&training, &test, index)))
    })
}

/// The most frequent of some texts, the first in order if tied, with its count.
pub(super) fn most_frequent<'a>(texts: impl Iterator<Item = &'a str>) -> Option<(&'a str, u64)> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    counts.into_iter().rev().max_by_key(|&(_, count)| count)
}

/// Which trials are answered correctly by the answer, or else by the position, that is most often
/// right.
fn by_frequency(training: &[&Observed<'_>], test: &[&Observed<'_>]) -> Vec<bool> {
    let target = most_frequent(training.iter().map(|one| one.target));
    let place = most_frequent(training.iter().filter_map(|one| one.place));
    let count = |most: Option<(&str, u64)>| most.map_or(0, |(_, count)| count);
    if count(place) > count(target) {
        test.iter().map(|one| one.place == place.map(|(text, _)| text)).collect()
    } else {
        test.iter().map(|one| Some(one.target) == target.map(|(text, _)| text)).collect()
    }
}

/// Which trials are answered correctly by the target that is most frequent for the same value of a
/// cue.
fn by_table<'a>(
    training: &[&'a Observed<'_>],
    test: &[&'a Observed<'_>],
    cue: usize,
    of: impl Fn(&'a Observed<'_>) -> Option<&'a str>,
) -> Vec<bool> {
    let mut right: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for one in training {
        right.entry(&one.cues[cue].1).or_default().extend(of(one));
    }
    let overall = most_frequent(training.iter().filter_map(|one| of(one))).map(|(text, _)| text);
    let table: BTreeMap<&str, Option<&str>> = right
        .into_iter()
        .map(|(value, texts)| (value, most_frequent(texts.into_iter()).map(|(text, _)| text)))
        .collect();
    test.iter()
        .map(|one| {
            let guess = table.get(one.cues[cue].1.as_str()).copied().flatten().or(overall);
            guess.is_some() && guess == of(one)
        })
        .collect()
}

/// Which trials are answered correctly by the option whose mark is most often that of the right
/// one.
fn by_mark(training: &[&Observed<'_>], test: &[&Observed<'_>], mark: usize) -> Vec<bool> {
    let mut seen: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for one in training {
        let Some((options, right)) = one.options else { continue };
        for (place, marks) in options.iter().enumerate() {
            let (times, shown) = seen.entry(&marks[mark].1).or_default();
            *times += u64::from(place == right);
            *shown += 1;
        }
    }
    let share = |marks: &[Cue]| {
        seen.get(marks[mark].1.as_str()).map_or(0.0, |&(times, shown)| times as f64 / shown as f64)
    };
    test.iter()
        .map(|one| {
            let Some((options, right)) = one.options else { return false };
            // The first of equally likely options.
            let guess =
                (0..options.len()).rev().max_by(|&a, &b| share(&options[a]).total_cmp(&share(&options[b])));
            guess == Some(right)
        })
        .collect()
}
