//! The source of a report.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use hype_core::model::findings::{
    Agreement, Estimate, Findings, MeasureFindings, Note, NoteClass, TimingQuality,
};
use hype_core::model::score::GRADE;
use hype_core::model::stimulus::Role;
use hype_core::{Answer, AnswerValue, Row, SessionRecord, SetId, StimulusId, Study};

use crate::figure::Tone;
use crate::pictures::Pictures;
use crate::words;

mod preferences;

pub(crate) use self::preferences::{Preferences, Triads};

/// The source of a report: findings, the records behind them, and the study if there is one.
#[derive(Debug, Clone, Copy)]
pub struct ReportSource<'a> {
    /// The findings.
    pub findings: &'a Findings,
    /// The raters' answers.
    pub records: &'a Records,
    /// The study; `None` for a bare table of scores.
    pub study: Option<&'a Study>,
    /// Whether the raters are synthetic.
    pub simulated: bool,
    /// The images, clips or texts in [`pictured`](crate::pictured), by their paths; `None` leaves them out.
    pub pictures: Option<&'a Pictures>,
}

impl<'a> ReportSource<'a> {
    /// The study's name.
    pub(crate) fn name(&self) -> &'a str {
        self.findings.study.as_ref().map_or("ratings", |study| &study.name)
    }

    /// The measure that comes first, which is the study's score.
    pub(crate) fn score(&self) -> Option<&'a MeasureFindings> {
        self.findings.measures.first()
    }

    /// The measures by which models are compared, and the score whatever it is.
    pub(crate) fn compared(&self) -> impl Iterator<Item = &'a MeasureFindings> {
        let is_shown = |(number, found): &(usize, &MeasureFindings)| {
            !found.estimates.is_empty() && (*number == 0 || found.measure.is_compared())
        };
        self.findings.measures.iter().enumerate().filter(is_shown).map(|(_, found)| found)
    }

    /// The models of a measure: those with an estimate in their order, then those of the study without.
    pub(crate) fn models(&self, found: &MeasureFindings) -> Vec<Arc<str>> {
        let mut models: Vec<Arc<str>> = found.estimates.iter().map(|one| Arc::clone(&one.model)).collect();
        if let Some(study) = self.study {
            let names = study.models().iter().filter_map(|&id| study.stimuli().set(id));
            for set in names {
                if !models.contains(&set.name) {
                    models.push(Arc::clone(&set.name));
                }
            }
        }
        models
    }

    /// The paths of a model's stimuli, by their names in scores; none without a study.
    pub(crate) fn paths_of(&self, model: &str) -> HashMap<&'a str, &'a str> {
        let Some(stimuli) = self.study.map(Study::stimuli) else { return HashMap::new() };
        let set = stimuli.sets().iter().position(|set| &*set.name == model);
        let set = set.and_then(|set| u16::try_from(set).ok());
        let members = set.map_or(&[][..], |set| stimuli.members(SetId(set)));
        let path = |id: &StimulusId| Some((stimuli.label(*id), &*stimuli.get(*id)?.path));
        members.iter().filter_map(path).collect()
    }

    /// The colour and shape of a model: by the order of sets in the spec, or of names in a table.
    pub(crate) fn tone(&self, model: &str) -> Tone {
        let tone = self.tone_by_order(model);
        let own = self.findings.models.get(model).and_then(|own| own.colour.as_ref());
        let hex = own.and_then(|own| u32::from_str_radix(own.trim_start_matches('#'), 16).ok());
        match (hex, tone) {
            (Some(rgb), Tone::Series(place)) => Tone::Own(rgb, place),
            (Some(rgb), _) => Tone::Own(rgb, 0),
            (None, tone) => tone,
        }
    }

    /// The colours and shapes of models, for the marks of a panel.
    pub(crate) fn tones<'m>(&self, models: impl IntoIterator<Item = &'m str>) -> Vec<(String, Tone)> {
        models.into_iter().map(|model| (model.to_owned(), self.tone(model))).collect()
    }

    fn tone_by_order(&self, model: &str) -> Tone {
        let Some(study) = self.study else {
            let mut names: Vec<&str> = self
                .findings
                .measures
                .iter()
                .flat_map(|found| found.estimates.iter().map(|one| &*one.model))
                .collect();
            names.sort_unstable();
            names.dedup();
            return names.iter().position(|name| *name == model).map_or(Tone::Ink, Tone::Series);
        };
        let sets = study.stimuli().sets();
        if sets.iter().any(|set| &*set.name == model && set.role == Role::Real) {
            return Tone::Real;
        }
        // A model at its levels is one model.
        let declared = sets.iter().find(|set| &*set.name == model).map_or(model, |set| set.declared_name());
        let mut names: Vec<&str> = Vec::new();
        for set in study.models().iter().filter_map(|&id| study.stimuli().set(id)) {
            if !names.contains(&set.declared_name()) {
                names.push(set.declared_name());
            }
        }
        let is_model = |name: &&str| *name == declared || declared.split('/').any(|part| part == *name);
        names.iter().position(is_model).map_or(Tone::Ink, Tone::Series)
    }

    /// Returns the label of a model.
    pub(crate) fn label_of(&self, model: &str) -> String {
        let own = self.findings.models.get(model).and_then(|own| own.label.as_deref());
        own.map_or_else(|| words::shortened_name(model), str::to_owned)
    }

    /// The shortest exposure, at which thresholds in milliseconds are censored.
    pub(crate) fn bound_of(&self, found: &MeasureFindings) -> Option<f64> {
        let shortest = self.records.trials.iter().filter_map(|trial| trial.exposure_ms).reduce(f64::min);
        shortest.filter(|_| found.measure.basis.is_some() && &*found.measure.unit == "ms")
    }

    /// The marks of notes that change what a number means, such as ` ①`; empty without any.
    pub(crate) fn marks(&self, measure: &str, model: &str) -> String {
        self.marks_of(measure, model, |note| note.class == NoteClass::Meaning)
    }

    /// The marks of all notes about a number and its interval.
    pub(crate) fn marks_of_interval(&self, measure: &str, model: &str) -> String {
        self.marks_of(measure, model, |note| note.class != NoteClass::Setting)
    }

    fn marks_of(&self, measure: &str, model: &str, is_asked: impl Fn(&Note) -> bool) -> String {
        let is_about = |note: &&Note| {
            let of_measure = note.measures.iter().any(|one| **one == *measure);
            of_measure && (note.models.is_empty() || note.models.iter().any(|one| **one == *model))
        };
        let numbers = self.findings.notes.iter().filter(|note| is_asked(note)).filter(is_about);
        let marks: String = numbers.filter_map(|note| note.number).map(mark).collect();
        if marks.is_empty() { marks } else { format!(" {marks}") }
    }

    /// Returns the caution above every figure of synthetic raters.
    #[must_use]
    pub fn caution(&self) -> Option<&'static str> {
        self.simulated.then_some("answers of synthetic raters, not of people")
    }
}

/// The mark of a note: its number in a circle.
#[must_use]
pub fn mark(number: u32) -> String {
    match number {
        1..=20 => char::from_u32(0x245f + number).map(String::from).unwrap_or_default(),
        number => format!("({number})"),
    }
}

/// The estimate for a model.
pub(crate) fn estimate_of<'f>(found: &'f MeasureFindings, model: &str) -> Option<&'f Estimate> {
    found.estimates.iter().find(|one| &*one.model == model)
}

/// The coefficient that is shown of a measure: Krippendorff's alpha where there is one, otherwise the first that corrects for chance,
/// of all models together before those of single ones.
pub(crate) fn main_agreement(all: &[Agreement]) -> Option<usize> {
    let rank = |one: &Agreement| {
        let kind = match &*one.coefficient {
            name if name.starts_with("Krippendorff") => 0,
            "percent agreement" => 2,
            _ => 1,
        };
        (one.value.is_none(), one.model.is_some(), kind)
    };
    all.iter().enumerate().min_by_key(|(place, one)| (rank(one), *place)).map(|(place, _)| place)
}

/// The confidence level of a measure's intervals.
pub(crate) fn level_of(found: &MeasureFindings) -> f64 {
    let pairs = found.comparisons.iter().filter_map(|pair| pair.interval.as_ref());
    let estimates = found.estimates.iter().filter_map(|one| one.interval.as_ref());
    estimates.chain(pairs).map(|interval| interval.level).next().unwrap_or(0.95)
}

/// A sum of values and their number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Sum {
    pub(crate) sum: f64,
    pub(crate) count: u64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    pub(crate) fn mean(self) -> f64 {
        self.sum / self.count as f64
    }
}

/// An answered trial of a rater who counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TrialRow {
    /// The number of the session, from 0.
    pub(crate) session: u32,
    /// The number of the model's set.
    pub(crate) model: Option<SetId>,
    pub(crate) block: u16,
    /// The place among the session's scored trials, from 0, and their number.
    pub(crate) place: u32,
    pub(crate) of: u32,
    pub(crate) exposure_ms: Option<f64>,
    pub(crate) correct: Option<bool>,
}

/// A single answer of a rater who counts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AnswerRow {
    /// The number of the session, from 0.
    pub(crate) session: u32,
    pub(crate) model: Option<SetId>,
    pub(crate) stimuli: Vec<StimulusId>,
    /// The answers to the questions, in words.
    pub(crate) answer: String,
    pub(crate) correct: Option<bool>,
    pub(crate) rt_ms: u64,
}

/// The single answers that are kept for viewing.
const MOST_ANSWERS: usize = 5_000;

/// An answer in words: what was chosen, after the question's key where there are several questions.
fn in_words(answer: &Answer) -> String {
    let several = answer.entries().count() > 1;
    let one = |(question, value): (&str, &AnswerValue)| {
        let value = value.as_str().map_or_else(|| value.to_json().to_string(), str::to_owned);
        if several { format!("{question}: {value}") } else { value }
    };
    answer.entries().map(one).collect::<Vec<_>>().join("; ")
}

/// How often each value of a measure was given, for a model.
pub(crate) type Counts = Vec<(f64, u64)>;

/// How often each pair of values was given.
pub(crate) type PairCounts = Vec<([f64; 2], u64)>;

/// The subject of an answer: the rater, the model, the item and the block.
type AnswerKey = (u32, Arc<str>, Arc<str>, u16);

/// Something for each measure and model.
type ByModel<T> = BTreeMap<Arc<str>, BTreeMap<Arc<str>, T>>;

/// The raters' answers, as far as figures need them. Figures receive values without the raters' names.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// The values of raters by the raters' numbers, by measure and model.
    by_rater: ByModel<BTreeMap<u32, Sum>>,
    /// The answers about each item, by measure, model and item.
    by_item: ByModel<BTreeMap<Arc<str>, Sum>>,
    /// How often each value was given, by measure and model; `None` where there are too many values.
    values: ByModel<Option<Counts>>,
    trials: Vec<TrialRow>,
    /// Whether the threshold of a block is censored, by session and block: at the shortest exposure, or at the longest.
    censored: BTreeMap<(u32, u16), Censored>,
    /// How often two values were given together, by model.
    together: BTreeMap<Arc<str>, PairCounts>,
    /// By measure.
    preferences: BTreeMap<Arc<str>, Preferences>,
    /// Which values the options of questions have as scores, by measure; `None` where that cannot be told.
    options: BTreeMap<Arc<str>, Option<BTreeMap<Arc<str>, f64>>>,
    /// How displays were measured, by the refresh rate of the rater's screen in hertz.
    displays: BTreeMap<u32, TimingQuality>,
    sessions: u32,
    /// The first single answers, and the number of all.
    answers: Vec<AnswerRow>,
    answered: u64,
    /// The numbers of raters, in the order of their first values.
    raters: HashMap<Arc<str>, u32>,
}

/// Measures with more different values are not counted by value.
const MOST_VALUES: usize = 101;
/// The measures of blocks that are censored.
const AT_FLOOR: &str = "at_floor";
const AT_CEILING: &str = "at_ceiling";
/// The measures whose values are counted together: semantic consistency and perceptual quality.
const TOGETHER: [&str; 2] = ["SC", "PQ"];

/// The bound at which a threshold is censored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Censored {
    Floor,
    Ceiling,
}

impl Records {
    /// The mean over raters of a measure about each output of a model, by the outputs' names in scores.
    pub fn means_of_outputs(&self, measure: &str, model: &str) -> impl Iterator<Item = (&Arc<str>, f64)> {
        let outputs = self.by_item.get(measure).and_then(|models| models.get(model));
        outputs.into_iter().flatten().map(|(output, sum)| (output, sum.sum / sum.count as f64))
    }

    /// Adds a session that counts, with its scores.
    pub fn add<'r>(&mut self, record: &SessionRecord, scores: impl IntoIterator<Item = Row<'r>>) {
        let of = record.main_trials().count() as u32;
        self.trials.extend(record.main_trials().zip(0..).map(|(trial, place)| TrialRow {
            session: self.sessions,
            model: trial.shown.model,
            block: trial.shown.block,
            place,
            of,
            exposure_ms: trial.shown.exposure_ms.map(|exposure| f64::from(exposure.0)),
            correct: trial.correct,
        }));
        self.answered += u64::from(of);
        let kept = record.main_trials().take(MOST_ANSWERS - self.answers.len());
        self.answers.extend(kept.map(|trial| AnswerRow {
            session: self.sessions,
            model: trial.shown.model,
            stimuli: trial.shown.stimuli.clone(),
            answer: in_words(&trial.answer),
            correct: trial.correct,
            rt_ms: trial.timing.rt.0 / 1_000,
        }));
        let scores: Vec<Row<'r>> = scores.into_iter().collect();
        for row in scores.iter().filter(|row| row.value > 0.0) {
            let bound = match row.measure {
                AT_FLOOR => Censored::Floor,
                AT_CEILING => Censored::Ceiling,
                _ => continue,
            };
            self.censored.insert((self.sessions, row.block), bound);
        }
        self.sessions += 1;
        let mut timing = TimingQuality::default();
        timing.count(record);
        if let Some((hertz, _)) = timing.refresh_hz.first_key_value() {
            self.displays.entry(*hertz).or_default().count(record);
        }
        self.learn_options(record, &scores);
        self.add_scores(scores);
    }

    /// Learns which score an option has: a question that is scored as it is answered has as many scores as answers, in their order.
    fn learn_options(&mut self, record: &SessionRecord, scores: &[Row<'_>]) {
        let mut measures: Vec<&str> = scores.iter().map(|row| row.measure).collect();
        measures.sort_unstable();
        measures.dedup();
        for measure in measures {
            // Answers about gold stimuli are right or wrong; of those that are shown again, the first is scored.
            let mut shown = BTreeSet::new();
            let scored = record
                .main_trials()
                .filter(|trial| trial.correct.is_none() && shown.insert(&trial.shown.stimuli));
            let answers: Vec<&str> = scored.filter_map(|trial| trial.answer.text(measure)).collect();
            let values: Vec<f64> =
                scores.iter().filter(|row| row.measure == measure).map(|row| row.value).collect();
            if answers.is_empty() {
                continue;
            }
            let known = self.options.entry(measure.into()).or_insert_with(|| Some(BTreeMap::new()));
            let Some(scored) = known else { continue };
            let mut is_consistent = answers.len() == values.len();
            for (option, value) in answers.into_iter().zip(values) {
                let before = scored.insert(option.into(), value);
                is_consistent &= before.is_none_or(|known| known.total_cmp(&value).is_eq());
            }
            if !is_consistent {
                *known = None;
            }
        }
    }

    /// The option of a measure's question that has a score.
    pub(crate) fn option_of(&self, measure: &str, value: f64) -> Option<&str> {
        let scored = self.options.get(measure)?.as_ref()?;
        let mut same = scored.iter().filter(|(_, score)| score.total_cmp(&value).is_eq());
        same.next().map(|(option, _)| &**option).filter(|_| same.next().is_none())
    }

    /// Adds scores of raters who count.
    pub fn add_scores<'r>(&mut self, scores: impl IntoIterator<Item = Row<'r>>) {
        let mut pairs: BTreeMap<AnswerKey, [Option<f64>; 2]> = BTreeMap::new();
        for row in scores.into_iter().filter(|row| row.value.is_finite()) {
            let rater = self.number_of(row.rater);
            if !row.against.is_empty() {
                entry(&mut self.preferences, row.measure).add(rater, row.model, row.against, row.value);
                continue;
            }
            let sums = entry(entry(&mut self.by_rater, row.measure), row.model);
            sums.entry(rater).or_default().add(row.value);
            if !row.item.is_empty() {
                entry(entry(entry(&mut self.by_item, row.measure), row.model), row.item).add(row.value);
                if let Some(place) = TOGETHER.iter().position(|name| *name == row.measure) {
                    let pair =
                        pairs.entry((rater, row.model.into(), row.item.into(), row.block)).or_default();
                    pair[place] = Some(row.value);
                }
            }
            let counts = entry(&mut self.values, row.measure);
            if !counts.contains_key(row.model) {
                counts.insert(row.model.into(), Some(Vec::new()));
            }
            if let Some(counts) = counts.get_mut(row.model) {
                count(counts, row.value);
            }
        }
        for ((_, model, ..), pair) in pairs {
            if let [Some(first), Some(second)] = pair {
                let counts = self.together.entry(model).or_default();
                match counts.iter_mut().find(|(known, _)| is_same(known, &[first, second])) {
                    Some((_, count)) => *count += 1,
                    None => counts.push(([first, second], 1)),
                }
            }
        }
    }

    /// The number of a rater, a new one for a new rater.
    fn number_of(&mut self, rater: &str) -> u32 {
        if let Some(number) = self.raters.get(rater) {
            return *number;
        }
        let next = self.raters.len() as u32;
        self.raters.insert(rater.into(), next);
        next
    }

    fn means(&self, measure: &str, model: &str) -> impl Iterator<Item = (u32, f64)> {
        let sums = self.by_rater.get(measure).and_then(|models| models.get(model));
        sums.into_iter().flatten().map(|(rater, sum)| (*rater, sum.mean()))
    }

    /// The means of the raters of a model who count, in ascending order.
    #[must_use]
    pub fn raters(&self, measure: &str, model: &str) -> Vec<f64> {
        let mut found: Vec<f64> = self.means(measure, model).map(|(_, mean)| mean).collect();
        found.sort_by(f64::total_cmp);
        found
    }

    /// The means of two measures for each rater of a model who has both, in ascending order.
    pub(crate) fn pairs(&self, first: &str, second: &str, model: &str) -> Vec<(f64, f64)> {
        let seconds: BTreeMap<u32, f64> = self.means(second, model).collect();
        let firsts = self.means(first, model);
        let mut found: Vec<(f64, f64)> =
            firsts.filter_map(|(rater, mean)| Some((mean, *seconds.get(&rater)?))).collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        found
    }

    /// The answers about the items of a model.
    pub(crate) fn items(&self, measure: &str, model: &str) -> Option<&BTreeMap<Arc<str>, Sum>> {
        self.by_item.get(measure)?.get(model)
    }

    /// The fewest and the most values of an item of a model; `None` if values are not by item.
    pub(crate) fn values_per_item(&self, measure: &str) -> Option<(u64, u64)> {
        let counts =
            || self.by_item.get(measure).into_iter().flat_map(BTreeMap::values).flat_map(BTreeMap::values);
        Some((counts().map(|sum| sum.count).min()?, counts().map(|sum| sum.count).max()?))
    }

    /// How often each value was given for a model, in ascending order.
    pub(crate) fn values(&self, measure: &str, model: &str) -> Option<Counts> {
        let mut counts = self.values.get(measure)?.get(model)?.clone()?;
        counts.sort_by(|a, b| a.0.total_cmp(&b.0));
        Some(counts)
    }

    /// How often values of semantic consistency and perceptual quality were given together, by model.
    pub(crate) const fn together(&self) -> &BTreeMap<Arc<str>, PairCounts> {
        &self.together
    }

    /// The votes of raters by a criterion, such as `.realism`; empty without criteria. Grades are not votes.
    pub(crate) fn preferences(&self, criterion: &str) -> Option<&Preferences> {
        let is_grade =
            |name: &str| name == GRADE || name.strip_prefix(GRADE).is_some_and(|rest| rest.starts_with('.'));
        let votes = || self.preferences.iter().filter(|(name, _)| !is_grade(name));
        let by_criterion = votes().find(|(name, _)| !criterion.is_empty() && name.ends_with(criterion));
        // Without criteria there is one kind of votes, whatever its name.
        by_criterion.or_else(|| votes().next().filter(|_| votes().count() == 1)).map(|(_, found)| found)
    }

    /// How displays were measured, by the refresh rate of the rater's screen in hertz.
    pub(crate) const fn displays(&self) -> &BTreeMap<u32, TimingQuality> {
        &self.displays
    }

    /// Whether the threshold of a block is censored.
    pub(crate) fn censored(&self, session: u32, block: u16) -> Option<Censored> {
        self.censored.get(&(session, block)).copied()
    }

    /// The first single answers, and the number of all.
    pub(crate) fn answers(&self) -> (&[AnswerRow], u64) {
        (&self.answers, self.answered)
    }

    /// The scored trials.
    pub(crate) fn trials(&self) -> &[TrialRow] {
        &self.trials
    }
}

/// Whether two pairs of values are the same.
pub(crate) fn is_same(a: &[f64; 2], b: &[f64; 2]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.total_cmp(b).is_eq())
}

fn entry<'m, V: Default>(map: &'m mut BTreeMap<Arc<str>, V>, key: &str) -> &'m mut V {
    if !map.contains_key(key) {
        map.insert(key.into(), V::default());
    }
    // The key was inserted above.
    map.entry(key.into()).or_default()
}

fn count(counts: &mut Option<Counts>, value: f64) {
    let Some(known) = counts else { return };
    let place = known.iter().position(|(other, _)| other.total_cmp(&value).is_eq());
    match place {
        Some(place) => known[place].1 += 1,
        None if known.len() == MOST_VALUES => *counts = None,
        None => known.push((value, 1)),
    }
}
