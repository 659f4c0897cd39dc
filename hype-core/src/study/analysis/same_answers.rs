//! Raters who always give the same answer where others vary.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::model::findings::{Exclusion, Note};
use crate::model::score::{Measure, Names, ScoreTable};
use crate::words::{counted, cut};

/// The answers beyond which none are kept: among so many, no rater matters much.
const MOST_ANSWERS: u64 = 200_000;
/// The different answers of a rater beyond which they are only counted.
const MOST_DIFFERENT: usize = 16;
/// The number of raters with the same answer each time that is expected by chance, from which on they are not named.
const BY_CHANCE: f64 = 0.01;
/// The mean share of raters' commonest answers from which on the measure does not vary enough.
const VARIES: f64 = 0.75;
/// The fewest answers of a rater for which it says something that all are the same.
const FEWEST_ANSWERS: u64 = 4;
/// The raters that a note names.
const NAMED: usize = 3;

/// The answers of raters to each measure.
#[derive(Debug, Default)]
pub(super) struct SameAnswers {
    measures: Vec<Measure>,
    raters: Names,
    /// By measure and rater; nothing beyond [`MOST_ANSWERS`].
    answers: Option<HashMap<(usize, u32), Answers, RandomState>>,
    all: u64,
}

/// The answers of one rater to one measure.
#[derive(Debug, Default)]
struct Answers {
    /// The different ones with their numbers; none if there are too many.
    counts: Vec<(f64, u64)>,
    has_many: bool,
    all: u64,
}

impl Answers {
    fn add(&mut self, value: f64) {
        self.all += 1;
        if self.has_many {
            return;
        }
        let known = self.counts.iter().position(|(known, _)| known.to_bits() == value.to_bits());
        match known {
            Some(place) => self.counts[place].1 += 1,
            None if self.counts.len() == MOST_DIFFERENT => {
                self.has_many = true;
                self.counts.clear();
            }
            None => self.counts.push((value, 1)),
        }
    }

    /// The shares of the answers; at least those of the commonest.
    fn shares(&self) -> Vec<f64> {
        if self.has_many {
            return vec![1.0 - MOST_DIFFERENT as f64 / self.all as f64];
        }
        self.counts.iter().map(|(_, count)| *count as f64 / self.all as f64).collect()
    }

    /// The probability that so many answers of such a rater are the same.
    #[expect(clippy::disallowed_methods, reason = "a probability of a note, which decides no trial")]
    fn all_same(&self, answers: u64) -> f64 {
        let answers = i32::try_from(answers).unwrap_or(i32::MAX);
        self.shares().iter().map(|share| share.powi(answers)).sum()
    }

    fn commonest(&self) -> f64 {
        self.shares().into_iter().fold(0.0, f64::max)
    }

    /// The answer that is always the same.
    fn same(&self) -> Option<f64> {
        match self.counts.as_slice() {
            [(value, _)] => Some(*value),
            _ => None,
        }
    }
}

/// A rater whose answers to a measure are all the same.
struct Same<'s> {
    measure: &'s Measure,
    answer: f64,
    answers: u64,
    /// The mean share of the commonest answer of the others.
    others: f64,
}

impl SameAnswers {
    pub(super) fn new(measures: &[Measure]) -> Self {
        Self {
            measures: measures.iter().filter(|measure| measure.is_judged()).cloned().collect(),
            answers: Some(HashMap::default()),
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, scores: &ScoreTable) {
        self.all += scores.len() as u64;
        if self.all > MOST_ANSWERS {
            self.answers = None;
        }
        let Some(answers) = &mut self.answers else { return };
        let place = |name: &Arc<str>| self.measures.iter().position(|measure| measure.name == *name);
        let places: Vec<Option<usize>> = scores.measures.all().iter().map(place).collect();
        let raters: Vec<u32> = scores.raters.all().iter().map(|name| self.raters.intern(name)).collect();
        let columns = scores.columns();
        for row in 0..scores.len() {
            if let Some(place) = places[columns.measure[row] as usize] {
                let rater = raters[columns.rater[row] as usize];
                answers.entry((place, rater)).or_default().add(columns.value[row]);
            }
        }
    }

    /// A warning about raters who gave the same answer each time, where that is improbable for raters like the others.
    pub(super) fn note(&self, exclusions: &[Exclusion]) -> Option<Note> {
        let excluded: HashSet<u32> =
            exclusions.iter().filter_map(|exclusion| self.raters.number(&exclusion.rater)).collect();
        let mut of_measure: BTreeMap<usize, Vec<(u32, &Answers)>> = BTreeMap::new();
        for (&(place, rater), answers) in self.answers.iter().flatten() {
            if !excluded.contains(&rater) {
                of_measure.entry(place).or_default().push((rater, answers));
            }
        }
        let mut found: BTreeMap<&str, Vec<Same<'_>>> = BTreeMap::new();
        for (place, raters) in &of_measure {
            for (rater, same) in always_the_same(&self.measures[*place], raters) {
                let name = self.raters.name(rater).map_or("", |name| &**name);
                found.entry(name).or_default().push(same);
            }
        }
        let (_, first) = found.first_key_value()?;
        let Same { measure, answer, answers, others } = first.first()?;
        let names = cut(found.keys().map(|name| format!("rater {name}")), NAMED, ", ");
        let each = if found.len() > 1 { ", the first" } else { "," };
        let measures = match first.len() {
            1 => String::new(),
            several => format!(" of each of {several} measures"),
        };
        let text = format!(
            "{names} gave the same answer each time{each} {answer} in all {}{measures}, where the commonest answer of others has \
             {:.0}% on average; report results without such raters too",
            counted(*answers, "answer"),
            100.0 * others
        );
        Some(Note::precision("same-answers", text).about(&measure.name))
    }
}

/// The raters of a measure whose answers are all the same, where fewer than [`BY_CHANCE`] such raters are expected.
fn always_the_same<'s>(measure: &'s Measure, raters: &[(u32, &Answers)]) -> Vec<(u32, Same<'s>)> {
    // Sums do not depend on the order of raters.
    let sum = |of: &dyn Fn(&Answers) -> f64| {
        let mut values: Vec<f64> = raters.iter().map(|(_, one)| of(one)).collect();
        values.sort_by(f64::total_cmp);
        values.iter().sum::<f64>()
    };
    let others = raters.len() as f64 - 1.0;
    let commonest = sum(&Answers::commonest);
    let mut by_number: HashMap<u64, f64> = HashMap::new();
    let mut found = Vec::new();
    for (rater, own) in raters.iter().filter(|(_, own)| own.all >= FEWEST_ANSWERS) {
        let Some(answer) = own.same() else { continue };
        let all_same = by_number.entry(own.all).or_insert_with(|| sum(&|one| one.all_same(own.all)));
        let (by_chance, commonest) = ((*all_same - 1.0) / others, (commonest - 1.0) / others);
        if raters.len() > 2 && raters.len() as f64 * by_chance <= BY_CHANCE && commonest <= VARIES {
            found.push((*rater, Same { measure, answer, answers: own.all, others: commonest }));
        }
    }
    found
}
