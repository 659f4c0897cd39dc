//! How each rater answered: how often the same, like the others, in the first half and in the second, and how fast.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::io::Write;

use hype_core::study::analysis::visit_scores;
use hype_core::{Answered, Row, SessionRecord, Store, Study};
use serde_json::{Value, json};

use super::counts;
use crate::exchange::error::ExportError;
use crate::exchange::rows::RowWriter;

/// The facts about one rater from the rater's own answers.
struct Rater {
    name: String,
    counts: bool,
    answers: usize,
    /// The numbers of each answer to a question.
    to_questions: BTreeMap<String, BTreeMap<String, u64>>,
    median_rt: Option<u64>,
    halves: [Option<f64>; 2],
    /// The values of scores, by what they are about.
    values: Vec<(About, f64)>,
}

/// A measure, the models and the item.
type About = [String; 4];

/// Writes how raters answered in the layout [`RATERS`](crate::exchange::layout::RATERS), by session. Memory grows with the scores.
///
/// # Errors
/// If the store fails, a session cannot be scored, or a row cannot be written.
pub fn raters<W: Write + Send>(
    study: &Study,
    store: &dyn Store,
    out: &mut RowWriter<W>,
) -> Result<(), ExportError> {
    let judged: Vec<_> = study.rubric().measures().into_iter().filter(|one| one.is_judged()).collect();
    let mut all: Vec<Rater> = Vec::new();
    crate::block_on(visit_scores(study, store, |record, scores| {
        let mut rater = Rater::of(study, record);
        let is_judged = |row: &Row<'_>| judged.iter().any(|measure| *measure.name == *row.measure);
        rater.values.extend(scores.rows().filter(is_judged).map(|row| about(&row)));
        all.push(rater);
        scores.clear_rows();
        true
    }))?;
    write(&all, out)
}

/// How raters answered by the values of a table, which tells neither order nor times. Memory grows with the values.
#[derive(Default)]
pub struct TableRaters {
    all: Vec<Rater>,
    places: HashMap<String, usize>,
}

impl TableRaters {
    /// Adds values.
    pub fn add<'r>(&mut self, rows: impl IntoIterator<Item = Row<'r>>) {
        for row in rows {
            let place = match self.places.entry(row.rater.to_owned()) {
                Entry::Occupied(place) => *place.get(),
                Entry::Vacant(place) => {
                    self.all.push(Rater::named(row.rater.to_owned(), true));
                    *place.insert(self.all.len() - 1)
                }
            };
            let rater = &mut self.all[place];
            rater.answers += 1;
            rater.count(row.measure, row.value.to_string());
            rater.values.push(about(&row));
        }
    }

    /// Writes the raters in the layout [`RATERS`](crate::exchange::layout::RATERS), in the order of their first values.
    ///
    /// # Errors
    /// If a row cannot be written.
    pub fn write<W: Write + Send>(&self, out: &mut RowWriter<W>) -> Result<(), ExportError> {
        write(&self.all, out)
    }
}

fn write<W: Write + Send>(all: &[Rater], out: &mut RowWriter<W>) -> Result<(), ExportError> {
    let mut sums: HashMap<&About, (f64, f64)> = HashMap::new();
    for (about, value) in all.iter().filter(|rater| rater.counts).flat_map(|rater| &rater.values) {
        let (sum, count) = sums.entry(about).or_default();
        (*sum, *count) = (*sum + value, *count + 1.0);
    }
    all.iter().try_for_each(|rater| out.write(&rater.row(&sums)))
}

/// Returns the subject of a score, with its value. A vote for the one of two models is one against the other.
fn about(row: &Row<'_>) -> (About, f64) {
    let (measure, item) = (row.measure.to_owned(), row.item.to_owned());
    if !row.against.is_empty() && row.against < row.model {
        let turned = if row.measure.starts_with("preference") { 1.0 - row.value } else { -row.value };
        ([measure, row.against.to_owned(), row.model.to_owned(), item], turned)
    } else {
        ([measure, row.model.to_owned(), row.against.to_owned(), item], row.value)
    }
}

impl Rater {
    fn named(name: String, counts: bool) -> Self {
        let (to_questions, values) = Default::default();
        Self { name, counts, answers: 0, to_questions, median_rt: None, halves: [None; 2], values }
    }

    fn count(&mut self, question: &str, answer: String) {
        *self.to_questions.entry(question.to_owned()).or_default().entry(answer).or_default() += 1;
    }

    fn of(study: &Study, record: &SessionRecord) -> Self {
        let trials: Vec<&Answered> = record.main_trials().collect();
        let (first, second) = trials.split_at(trials.len() / 2);
        let mut times: Vec<u64> = trials.iter().map(|trial| trial.timing.rt.0).collect();
        times.sort_unstable();
        let mut rater = Self {
            answers: trials.len(),
            median_rt: times.get(times.len() / 2).copied(),
            halves: [first, second].map(|half| mean(half.iter().filter_map(|trial| number(trial)))),
            ..Self::named(record.header.rater.to_string(), counts(study, record))
        };
        for (question, answer) in trials.iter().flat_map(|trial| trial.answer.entries()) {
            rater.count(question, answer.to_json().to_string());
        }
        rater
    }

    fn row(&self, sums: &HashMap<&About, (f64, f64)>) -> [Value; 7] {
        let [first, second] = self.halves;
        [
            json!(self.name),
            json!(self.counts),
            json!(self.answers),
            json!(self.commonest()),
            json!(self.agreement(sums)),
            json!(second.zip(first).map(|(second, first)| second - first)),
            json!(self.median_rt),
        ]
    }

    /// The share of answers that are the commonest one to their question.
    fn commonest(&self) -> Option<f64> {
        let all: u64 = self.to_questions.values().flat_map(BTreeMap::values).sum();
        let most: u64 = self.to_questions.values().filter_map(|answers| answers.values().max()).sum();
        (all > 0).then(|| most as f64 / all as f64)
    }

    /// Pearson's correlation of the values with the means of those of the other raters who count.
    fn agreement(&self, sums: &HashMap<&About, (f64, f64)>) -> Option<f64> {
        let own = if self.counts { 1.0 } else { 0.0 };
        let mut pairs = Vec::new();
        for (about, value) in &self.values {
            let (sum, count) = sums.get(about).copied().unwrap_or_default();
            let others = count - own;
            if others >= 1.0 {
                pairs.push((*value, (sum - own * value) / others));
            }
        }
        let mean_own = mean(pairs.iter().map(|(own, _)| *own))?;
        let mean_others = mean(pairs.iter().map(|(_, others)| *others))?;
        let (mut product, mut squares) = (0.0, [0.0, 0.0]);
        for (own, others) in &pairs {
            let (own, others) = (own - mean_own, others - mean_others);
            product += own * others;
            squares = [squares[0] + own * own, squares[1] + others * others];
        }
        let scale = (squares[0] * squares[1]).sqrt();
        (pairs.len() > 2 && scale > 0.0).then(|| product / scale)
    }
}

/// Whether an answer is right or, where none is, the mean of the numbers that it consists of.
fn number(trial: &Answered) -> Option<f64> {
    match trial.correct {
        Some(correct) => Some(f64::from(u8::from(correct))),
        None => mean(trial.answer.entries().filter_map(|(_, answer)| answer.as_f64())),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}
