//! Studies without a closed form: played by synthetic raters or drawn from a pilot's raters, and analysed as the study itself.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use hype_core::model::findings::Comparison;
use hype_core::study::analysis::{Aggregating, aggregation, visit_scores};
use hype_core::study::backend::Unwatched;
use hype_core::words::counted;
use hype_core::{
    AggregateError, Aggregation, AggregatorSpec, AnalysisError, Estimate, Measure, MeasureFindings, Row,
    ScoreTable, SessionRecord, Streams, Study, Wanted,
};

use super::means::DETECTED;
use super::outlook::{Chance, Outlook};
use super::sample::Sample;
use super::{
    PilotStudy, PlanError, PlanProgress, assumes_differences, cohort, variant, varies_items, with_raters,
};

/// A pilot study as a plan uses it.
pub(super) struct Pilot<'a> {
    name: &'a str,
    pub(super) simulated: bool,
    pub(super) sample: Sample,
    scores: ScoreTable,
    /// The rows of each rater, by the model if raters judged one model each.
    groups: Vec<Vec<Vec<usize>>>,
}

impl<'a> Pilot<'a> {
    /// Reads the sessions that count.
    pub(super) fn read(pilot: PilotStudy<'a>, measure: &Measure) -> Result<Self, PlanError> {
        let (study, mut sample, mut all) = (pilot.study, Sample::default(), ScoreTable::default());
        crate::block_on(visit_scores(study, pilot.store, |record, scores| {
            sample.add(study, record, scores, &measure.name);
            if study.fills_place(record) {
                scores.rows().for_each(|row| all.push(&row));
            }
            scores.clear_rows();
            true
        }))?;
        let groups = groups(&all);
        Ok(Self { name: pilot.name, simulated: pilot.simulated, sample, scores: all, groups })
    }

    /// The pilot in words.
    pub(super) fn words(&self) -> String {
        let raters: usize = self.groups.iter().map(Vec::len).sum();
        let synthetic = if self.simulated { "synthetic " } else { "" };
        format!("{} ({})", self.name, counted(raters, &format!("{synthetic}rater")))
    }
}

/// The rows of each rater. Raters who judged one model each are grouped by it.
fn groups(scores: &ScoreTable) -> Vec<Vec<Vec<usize>>> {
    let columns = scores.columns();
    let mut raters: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (row, &rater) in columns.rater.iter().enumerate() {
        raters.entry(rater).or_default().push(row);
    }
    let one_model = |rows: &Vec<usize>| rows.iter().all(|&row| columns.model[row] == columns.model[rows[0]]);
    if !raters.values().all(one_model) {
        return vec![raters.into_values().collect()];
    }
    let mut groups: BTreeMap<u32, Vec<Vec<usize>>> = BTreeMap::new();
    for rows in raters.into_values() {
        groups.entry(columns.model[rows[0]]).or_default().push(rows);
    }
    groups.into_values().collect()
}

/// Where simulated studies come from.
pub(super) enum Recipe<'p> {
    /// Synthetic raters play sessions.
    Played,
    /// Raters are drawn from a pilot with replacement; items as well, where results generalize to other items.
    Resampled(&'p Pilot<'p>),
}

/// The outlooks of simulated studies, by their number of raters.
pub(super) struct Simulated {
    pub(super) rows: Vec<(u32, Outlook)>,
    pub(super) closest: Option<[Arc<str>; 2]>,
    /// The measure as the findings have it.
    pub(super) measure: Measure,
    pub(super) level: f64,
}

/// Simulated studies of one design.
pub(super) struct Run<'a> {
    pub(super) study: &'a Study,
    /// The name of the measure in the findings.
    pub(super) measure: &'a str,
    pub(super) studies: u32,
    pub(super) progress: PlanProgress<'a>,
}

/// The results of one simulated study.
struct Found {
    /// The models with their estimates and the widths of their intervals, the best first.
    models: Vec<(Arc<str>, f64, Option<f64>)>,
    pairs: Vec<FoundPair>,
    level: f64,
}

/// The comparison of two models in one simulated study.
struct FoundPair {
    models: [Arc<str>; 2],
    p: Option<f64>,
    /// The limits of the interval of the difference, at the level of the test.
    interval: Option<[f64; 2]>,
}

/// The level of findings without intervals.
const LEVEL: f64 = 0.95;

impl Found {
    fn of(findings: &MeasureFindings, study: &Study) -> Self {
        let is_model = |one: &&Estimate| {
            study
                .models()
                .iter()
                .any(|&set| study.stimuli().set(set).is_some_and(|set| set.name == one.model))
        };
        let models: Vec<&Estimate> = findings.estimates.iter().filter(is_model).collect();
        let is_one = |model: &Arc<str>| models.iter().any(|one| one.model == *model);
        let pairs = findings.comparisons.iter().filter(|pair| is_one(&pair.a) && is_one(&pair.b));
        let width = |one: &Estimate| one.interval.as_ref().map(|interval| interval.high - interval.low);
        Self {
            pairs: pairs.map(FoundPair::of).collect(),
            level: models.iter().find_map(|one| one.interval.as_ref()).map_or(LEVEL, |found| found.level),
            models: models.iter().map(|one| (Arc::clone(&one.model), one.value, width(one))).collect(),
        }
    }

    fn tells(&self, wanted: &[Arc<str>; 2]) -> bool {
        let [a, b] = wanted;
        self.pairs.iter().any(|FoundPair { models: [one, other], p, .. }| {
            (one == a && other == b || one == b && other == a) && p.is_some_and(|p| p <= 1.0 - self.level)
        })
    }
}

impl FoundPair {
    fn of(pair: &Comparison) -> Self {
        Self {
            models: [Arc::clone(&pair.a), Arc::clone(&pair.b)],
            p: pair.p,
            interval: pair.interval.as_ref().map(|interval| [interval.low, interval.high]),
        }
    }
}

/// An aggregation of the scores that a plan is about.
struct Analyst<'a> {
    context: Aggregation,
    /// The aggregator that reports the measure, by itself.
    aggregator: &'a [Box<dyn AggregatorSpec>],
    measure: Measure,
}

impl Run<'_> {
    /// Simulates all studies and adds them up. Smaller numbers of raters are the first raters of the largest.
    pub(super) fn outlooks(&self, recipe: &Recipe<'_>, counts: &[u32]) -> Result<Simulated, PlanError> {
        let most = counts.iter().copied().max().unwrap_or(1);
        let places = counts
            .iter()
            .map(|&count| Ok(with_raters(self.study, count)?.places()))
            .collect::<Result<Vec<u32>, PlanError>>()?;
        let mut found: Vec<Vec<Found>> = counts.iter().map(|_| Vec::new()).collect();
        let mut analyst: Option<Analyst<'_>> = None;
        for number in 0..self.studies {
            let chance = self.study.chance().child("plan", u64::from(number));
            let one = match recipe {
                Recipe::Played => self.played(most, &places, &chance, &mut analyst)?,
                Recipe::Resampled(pilot) => self.resampled(pilot, &places, &chance, &mut analyst)?,
            };
            for (all, one) in found.iter_mut().zip(one) {
                all.extend(one);
            }
            (self.progress)(number + 1, self.studies);
        }
        let measure = analyst.map(|analyst| analyst.measure);
        let measure = measure.ok_or_else(|| self.unknown(&self.study.rubric().measures()))?;
        let truth = truth(found.last(), &measure);
        // Models that are assumed to be equal have no order, and no pair that is closest.
        let are_equal = matches!(recipe, Recipe::Played) && !assumes_differences(self.study);
        let closest = closest(&truth, found.last()).filter(|_| !are_equal);
        let outlook = |found: &Vec<Found>| match are_equal {
            true => outlook_of_equals(found, &truth),
            false => self.outlook(found, &truth, closest.as_ref(), &measure),
        };
        let rows: Vec<(u32, Outlook)> =
            counts.iter().zip(&found).map(|(&count, found)| (count, outlook(found))).collect();
        let level = found.iter().flatten().map(|found| found.level).next().unwrap_or(LEVEL);
        Ok(Simulated { rows, closest, level, measure })
    }

    /// One study played to its end, and the findings of the first raters for each number of places.
    fn played<'s>(
        &'s self,
        most: u32,
        places: &[u32],
        chance: &Streams,
        analyst: &mut Option<Analyst<'s>>,
    ) -> Result<Vec<Option<Found>>, PlanError> {
        let study = variant(self.study, most, chance.seed("study"))?;
        let cohort = cohort(&study);
        let mut records: Vec<SessionRecord> = Vec::new();
        let raters = |wanted: &Wanted<'_>, chance: &Streams| cohort.rater(wanted, chance);
        hype_backends::simulate(&study, &Unwatched, None, raters, |session| {
            records.extend(study.fills_place(&session.record).then_some(session.record));
            true
        })?;
        let context = study.scoring();
        let fill = |range: Range<u32>, scores: &mut ScoreTable| {
            records
                .iter()
                .filter(|record| range.contains(&record.header.place.number))
                .try_for_each(|record| study.rubric().score(record, &context, scores))
                .map_err(AnalysisError::from)
        };
        self.aggregated(places, fill, chance, analyst)
    }

    /// One study of raters who are drawn from a pilot.
    fn resampled<'s>(
        &'s self,
        pilot: &Pilot<'_>,
        places: &[u32],
        chance: &Streams,
        analyst: &mut Option<Analyst<'s>>,
    ) -> Result<Vec<Option<Found>>, PlanError> {
        let mut stream = chance.stream("raters");
        let most = places.iter().copied().max().unwrap_or(0);
        let groups = pilot.groups.len().max(1) as u32;
        let drawn: Vec<&[usize]> = (0..most)
            .filter_map(|place| {
                let group = pilot.groups.get((place % groups) as usize)?;
                let rater = stream.below(group.len() as u32);
                Some(group[rater as usize].as_slice())
            })
            .collect();
        let rows: Vec<Row<'_>> = pilot.scores.rows().collect();
        let items = varies_items(self.study).then(|| ItemDraw::of(&rows, chance));
        let fill = |range: Range<u32>, scores: &mut ScoreTable| {
            for number in range {
                let Some(of_rater) = drawn.get(number as usize) else { break };
                let rater = format!("r{number:06}");
                for &row in *of_rater {
                    let row = Row { rater: &rater, ..rows[row] };
                    match &items {
                        Some(items) if !row.item.is_empty() => {
                            items.copies(row.item).for_each(|item| scores.push(&row.of_item(item)));
                        }
                        _ => scores.push(&row),
                    }
                }
            }
            Ok(())
        };
        self.aggregated(places, fill, chance, analyst)
    }

    /// The findings about the first raters for each number of places, which grow. `fill` adds the scores of a range of places.
    fn aggregated<'s>(
        &'s self,
        places: &[u32],
        fill: impl Fn(Range<u32>, &mut ScoreTable) -> Result<(), AnalysisError>,
        chance: &Streams,
        analyst: &mut Option<Analyst<'s>>,
    ) -> Result<Vec<Option<Found>>, PlanError> {
        let mut scores = ScoreTable::default();
        let analyst = match analyst {
            Some(analyst) => analyst,
            None => {
                fill(0..places.last().copied().unwrap_or(0), &mut scores)?;
                analyst.insert(self.analyst(&scores, chance)?)
            }
        };
        let begin = |_: &u32| Aggregating::begin(analyst.aggregator, &analyst.context);
        let mut sums: Vec<Aggregating> = places.iter().map(begin).collect();
        let mut from = 0;
        for (place, &to) in places.iter().enumerate() {
            scores.clear_rows();
            fill(from..to, &mut scores)?;
            sums[place..].iter_mut().try_for_each(|sums| sums.add(&scores))?;
            from = to;
        }
        let name = &analyst.measure.name;
        let found = sums.into_iter().map(|sums| match sums.findings(&[], chance) {
            Ok(findings) => {
                let found = findings.measures.iter().find(|found| found.measure.name == *name);
                Ok(found.map(|found| Found::of(found, self.study)))
            }
            Err(AggregateError::NoScores { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        });
        found.collect()
    }

    /// The first aggregator whose findings have the measure.
    fn analyst(&self, scores: &ScoreTable, chance: &Streams) -> Result<Analyst<'_>, PlanError> {
        let context = aggregation(self.study);
        let mut known = Vec::new();
        for aggregator in self.study.spec().analysis.aggregate.0.chunks(1) {
            let mut sums = Aggregating::begin(aggregator, &context);
            sums.add(scores)?;
            let Ok(found) = sums.findings(&[], chance) else { continue };
            let measures = found.measures.into_iter().map(|found| found.measure);
            let reported = aggregator.iter().map(|one| {
                let score = context.measures.first();
                score.map(|score| one.reported(score))
            });
            let mut all: Vec<Measure> = measures.chain(reported.flatten()).collect();
            if let Some(place) = all.iter().position(|one| *one.name == *self.measure) {
                return Ok(Analyst { context, aggregator, measure: all.swap_remove(place) });
            }
            known.append(&mut all);
        }
        Err(self.unknown(&known))
    }

    fn unknown(&self, known: &[Measure]) -> PlanError {
        PlanError::unknown_measure(self.measure, known)
    }

    fn outlook(
        &self,
        found: &[Found],
        truth: &[(Arc<str>, f64)],
        closest: Option<&[Arc<str>; 2]>,
        measure: &Measure,
    ) -> Outlook {
        let studies = self.studies;
        let share = |is: &dyn Fn(&Found) -> bool| {
            Some(Chance::share(found.iter().filter(|found| is(found)).count() as u32, studies))
        };
        let ordered = truth.len() > 1 && measure.is_compared();
        let compared = found.iter().any(|found| !found.pairs.is_empty());
        let right = |found: &Found| {
            found.models.len() == truth.len()
                && found.models.iter().zip(truth).all(|((one, ..), (other, _))| one == other)
        };
        let first = |found: &Found| {
            found.models.first().map(|(model, ..)| model) == truth.first().map(|(model, _)| model)
        };
        let all = |found: &Found| {
            found.pairs.iter().all(|pair| found.tells(&pair.models)) && !found.pairs.is_empty()
        };
        Outlook {
            power: closest.filter(|_| compared).and_then(|pair| share(&|found| found.tells(pair))),
            all_pairs: if compared { share(&all) } else { None },
            best: if ordered { share(&first) } else { None },
            order: if ordered { share(&right) } else { None },
            ..widest(found, truth)
        }
    }
}

/// The outlook of models that are assumed to be equal.
fn outlook_of_equals(found: &[Found], truth: &[(Arc<str>, f64)]) -> Outlook {
    let intervals = found.iter().flat_map(|found| &found.pairs).map(|pair| pair.interval);
    Outlook { detectable: detectable(intervals), ..widest(found, truth) }
}

/// The smallest difference that is found with probability 0.8: the one by which as many of the intervals of the differences of equal
/// models would have to be shifted, up or down, to leave out 0. Pairs without an interval tell no difference.
fn detectable(intervals: impl Iterator<Item = Option<[f64; 2]>>) -> Option<f64> {
    let shifts = |interval: Option<[f64; 2]>| interval.map_or([f64::INFINITY; 2], |[low, high]| [-low, high]);
    let mut needed: Vec<f64> = intervals.flat_map(shifts).collect();
    needed.sort_by(f64::total_cmp);
    let enough = (DETECTED * needed.len() as f64).ceil() as usize;
    needed.get(enough.checked_sub(1)?).copied().filter(|least| least.is_finite() && *least > 0.0)
}

/// The width of the widest interval.
fn widest(found: &[Found], truth: &[(Arc<str>, f64)]) -> Outlook {
    let widest = truth
        .iter()
        .filter_map(|(model, _)| root_mean_square(found, model))
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    Outlook {
        width: widest.map(|(width, _)| width),
        width_error: widest.map(|(_, error)| error),
        ..Outlook::default()
    }
}

/// The root of the mean square of the widths of a model's intervals, with its Monte-Carlo standard error.
fn root_mean_square(found: &[Found], model: &Arc<str>) -> Option<(f64, f64)> {
    let squares: Vec<f64> = found
        .iter()
        .filter_map(|found| found.models.iter().find(|(one, ..)| one == model)?.2)
        .map(|width| width * width)
        .collect();
    let root = hype_stats::describe::mean(&squares).ok()?.sqrt();
    let error = hype_stats::describe::standard_error(&squares).unwrap_or(0.0);
    Some((root, if root > 0.0 { 0.5 * error / root } else { 0.0 }))
}

/// The mean of each model's estimates over the studies with the most raters, the best model first.
fn truth(found: Option<&Vec<Found>>, measure: &Measure) -> Vec<(Arc<str>, f64)> {
    let mut sums: Vec<(Arc<str>, f64, f64)> = Vec::new();
    for (model, value, _) in found.into_iter().flatten().flat_map(|found| &found.models) {
        match sums.iter_mut().find(|(name, ..)| name == model) {
            Some((_, sum, count)) => (*sum, *count) = (*sum + value, *count + 1.0),
            None => sums.push((Arc::clone(model), *value, 1.0)),
        }
    }
    let mut truth: Vec<_> = sums.into_iter().map(|(model, sum, count)| (model, sum / count)).collect();
    let sign = if measure.direction == hype_core::Direction::Lower { 1.0 } else { -1.0 };
    truth.sort_by(|(_, a), (_, b)| (sign * a).total_cmp(&(sign * b)));
    truth
}

/// The two models whose true values differ least, the better one first, among the pairs that any study compared; all pairs count if
/// none was.
fn closest(truth: &[(Arc<str>, f64)], found: Option<&Vec<Found>>) -> Option<[Arc<str>; 2]> {
    let pairs = found.into_iter().flatten().flat_map(|found| &found.pairs);
    let compared: HashSet<[&str; 2]> =
        pairs.flat_map(|FoundPair { models: [a, b], .. }| [[&**a, &**b], [&**b, &**a]]).collect();
    let of_pair = |(place, (better, one)): (usize, &'_ (Arc<str>, f64))| {
        let is_compared = |worse: &str| compared.is_empty() || compared.contains(&[&**better, worse]);
        let next = truth[place + 1..].iter().find(|(worse, _)| is_compared(worse))?;
        Some(((one - next.1).abs(), [Arc::clone(better), Arc::clone(&next.0)]))
    };
    let closest = truth.iter().enumerate().filter_map(of_pair).min_by(|(a, _), (b, _)| a.total_cmp(b));
    closest.map(|(_, pair)| pair)
}

/// Items that are drawn with replacement, together for all raters (Owen 2007).
struct ItemDraw<'r> {
    /// The names of the copies of each item that was drawn.
    copies: HashMap<&'r str, Vec<String>>,
}

impl<'r> ItemDraw<'r> {
    fn of(rows: &[Row<'r>], chance: &Streams) -> Self {
        let mut items: Vec<&str> = rows.iter().map(|row| row.item).filter(|item| !item.is_empty()).collect();
        items.sort_unstable();
        items.dedup();
        let mut stream = chance.stream("items");
        let mut copies: HashMap<&str, Vec<String>> = HashMap::new();
        for number in 0..items.len() {
            let item = items[stream.below(items.len() as u32) as usize];
            copies.entry(item).or_default().push(number.to_string());
        }
        Self { copies }
    }

    /// The names of the copies of an item; none if it was not drawn.
    fn copies(&self, item: &str) -> impl Iterator<Item = &str> {
        self.copies.get(item).into_iter().flatten().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_of_five_shifted_intervals_leave_out_zero() {
        let intervals = |count: u32| (1..=count).map(|half| Some([-f64::from(half), f64::from(half)]));
        assert_eq!(detectable(intervals(10)), Some(8.0));
        // An interval to one side of 0 is found without a shift to this side, and needs the longer one to the other.
        assert_eq!(detectable([Some([1.0, 3.0])].into_iter()), Some(3.0));
        // Two of ten pairs without an interval leave as many as are needed, three do not.
        assert_eq!(detectable(intervals(8).chain([None; 2])), Some(8.0));
        assert_eq!(detectable(intervals(7).chain([None; 3])), None);
        assert_eq!(detectable([].into_iter()), None);
    }
}
