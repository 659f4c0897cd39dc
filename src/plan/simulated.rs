//! Studies without a closed form: played by synthetic raters or drawn from a pilot's raters, and analysed as the study itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::study::analysis::{Aggregating, Analysis, aggregation, visit_scores};
use hype_core::study::backend::Unwatched;
use hype_core::words::counted;
use hype_core::{Estimate, Measure, MeasureFindings, Row, ScoreTable, SessionRecord, Streams, Study, Wanted};

use super::assumptions::cohort;
use super::outlook::{Chance, Outlook};
use super::sample::Sample;
use super::{PilotStudy, PlanError, Progress, variant, with_raters};

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
    /// Raters are drawn from a pilot with replacement.
    Resampled(&'p Pilot<'p>),
}

/// The outlooks of simulated studies, by their number of raters.
pub(super) struct Simulated {
    pub(super) rows: Vec<(u32, Outlook)>,
    pub(super) closest: Option<[Arc<str>; 2]>,
}

/// Simulated studies of one design.
pub(super) struct Run<'a> {
    pub(super) study: &'a Study,
    pub(super) measure: &'a Measure,
    pub(super) studies: u32,
    pub(super) progress: Progress<'a>,
}

/// What one simulated study found.
struct Found {
    width: Option<f64>,
    /// The models in the order of their estimates, the best first.
    order: Vec<(Arc<str>, f64)>,
    /// P values of pairs.
    pairs: Vec<([Arc<str>; 2], Option<f64>)>,
    level: f64,
}

impl Found {
    fn of(findings: &MeasureFindings, study: &Study) -> Self {
        let is_model = |one: &&Estimate| {
            study
                .models()
                .iter()
                .any(|&set| study.stimuli().set(set).is_some_and(|set| set.name == one.model))
        };
        let models: Vec<&Estimate> = findings.estimates.iter().filter(is_model).collect();
        let intervals = || models.iter().filter_map(|one| one.interval.as_ref());
        let pairs = findings
            .comparisons
            .iter()
            .map(|pair| ([Arc::clone(&pair.a), Arc::clone(&pair.b)], pair.p))
            .collect();
        Self {
            width: intervals().map(|interval| interval.high - interval.low).max_by(f64::total_cmp),
            level: intervals().map(|interval| interval.level).next().unwrap_or(0.95),
            order: models.iter().map(|one| (Arc::clone(&one.model), one.value)).collect(),
            pairs,
        }
    }

    fn tells(&self, wanted: &[Arc<str>; 2]) -> bool {
        let [a, b] = wanted;
        self.pairs.iter().any(|([one, other], p)| {
            (one == a && other == b || one == b && other == a) && p.is_some_and(|p| p <= 1.0 - self.level)
        })
    }
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
        for number in 0..self.studies {
            let chance = self.study.chance().child("plan", u64::from(number));
            let one = match recipe {
                Recipe::Played => self.played(most, &places, &chance)?,
                Recipe::Resampled(pilot) => self.resampled(pilot, &places, &chance)?,
            };
            for (all, one) in found.iter_mut().zip(one) {
                all.extend(one);
            }
            (self.progress)(number + 1, self.studies);
        }
        let truth = self.truth(found.last());
        let closest = closest(&truth);
        let rows = counts
            .iter()
            .zip(&found)
            .map(|(&count, found)| (count, self.outlook(found, &truth, closest.as_ref())));
        Ok(Simulated { rows: rows.collect(), closest })
    }

    /// One study played to its end, and the findings of the first raters for each number of places.
    fn played(&self, most: u32, places: &[u32], chance: &Streams) -> Result<Vec<Option<Found>>, PlanError> {
        let study = variant(self.study, most, chance.seed("study"))?;
        let cohort = cohort(&study);
        let mut records: Vec<(Arc<str>, SessionRecord)> = Vec::new();
        let raters = |wanted: &Wanted<'_>, chance: &Streams| cohort.rater(wanted, chance);
        hype_backends::simulate(&study, &Unwatched, None, raters, |session| {
            records.push((session.session, session.record));
            true
        })?;
        records.sort_by(|(a, _), (b, _)| a.cmp(b));
        places
            .iter()
            .map(|&places| {
                let mut analysis = Analysis::begin(&study);
                for (_, record) in records.iter().filter(|(_, record)| record.header.place.number < places) {
                    analysis.add(record)?;
                }
                Ok(self.of(&analysis.findings()?.measures))
            })
            .collect()
    }

    /// One study of raters who are drawn from a pilot.
    fn resampled(
        &self,
        pilot: &Pilot<'_>,
        places: &[u32],
        chance: &Streams,
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
        let context = aggregation(self.study);
        places
            .iter()
            .map(|&places| {
                let mut scores = ScoreTable::default();
                for (number, of_rater) in drawn.iter().take(places as usize).enumerate() {
                    let rater = format!("r{number:06}");
                    of_rater.iter().for_each(|&row| scores.push(&Row { rater: &rater, ..rows[row] }));
                }
                let mut sums = Aggregating::begin(&self.study.spec().analysis.aggregate.0, &context);
                sums.add(&scores)?;
                Ok(self.of(&sums.findings(&[], chance)?.measures))
            })
            .collect()
    }

    fn of(&self, measures: &[MeasureFindings]) -> Option<Found> {
        let found = measures.iter().find(|found| found.measure.name == self.measure.name)?;
        Some(Found::of(found, self.study))
    }

    /// The mean of each model's estimates over the studies with the most raters, the best model first.
    fn truth(&self, found: Option<&Vec<Found>>) -> Vec<(Arc<str>, f64)> {
        let mut sums: Vec<(Arc<str>, f64, f64)> = Vec::new();
        for (model, value) in found.into_iter().flatten().flat_map(|found| &found.order) {
            match sums.iter_mut().find(|(name, ..)| name == model) {
                Some((_, sum, count)) => (*sum, *count) = (*sum + value, *count + 1.0),
                None => sums.push((Arc::clone(model), *value, 1.0)),
            }
        }
        let mut truth: Vec<_> = sums.into_iter().map(|(model, sum, count)| (model, sum / count)).collect();
        let sign = if self.measure.direction == hype_core::Direction::Lower { 1.0 } else { -1.0 };
        truth.sort_by(|(_, a), (_, b)| (sign * a).total_cmp(&(sign * b)));
        truth
    }

    fn outlook(
        &self,
        found: &[Found],
        truth: &[(Arc<str>, f64)],
        closest: Option<&[Arc<str>; 2]>,
    ) -> Outlook {
        let studies = self.studies;
        let share = |is: &dyn Fn(&Found) -> bool| {
            Some(Chance::share(found.iter().filter(|found| is(found)).count() as u32, studies))
        };
        let widths: Vec<f64> = found.iter().filter_map(|found| found.width).collect();
        let ordered = truth.len() > 1 && self.measure.is_compared();
        let compared = found.iter().any(|found| !found.pairs.is_empty());
        let right = |found: &Found| {
            found.order.len() == truth.len()
                && found.order.iter().zip(truth).all(|((one, _), (other, _))| one == other)
        };
        let first = |found: &Found| {
            found.order.first().map(|(model, _)| model) == truth.first().map(|(model, _)| model)
        };
        let all =
            |found: &Found| found.pairs.iter().all(|(pair, _)| found.tells(pair)) && !found.pairs.is_empty();
        Outlook {
            width: hype_stats::describe::mean(&widths).ok(),
            width_error: hype_stats::describe::standard_error(&widths).ok(),
            power: closest.filter(|_| compared).and_then(|pair| share(&|found| found.tells(pair))),
            all_pairs: if compared { share(&all) } else { None },
            best: if ordered { share(&first) } else { None },
            order: if ordered { share(&right) } else { None },
            ..Outlook::default()
        }
    }
}

/// The two neighbours in the true order whose values differ least.
fn closest(truth: &[(Arc<str>, f64)]) -> Option<[Arc<str>; 2]> {
    let gap = |pair: &&[(Arc<str>, f64)]| (pair[0].1 - pair[1].1).abs();
    let pair = truth.windows(2).min_by(|a, b| gap(a).total_cmp(&gap(b)))?;
    Some([Arc::clone(&pair[0].0), Arc::clone(&pair[1].0)])
}
