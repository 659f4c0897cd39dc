//! Simulated studies and what is counted in their findings.

use std::collections::BTreeSet;

use hype_core::model::findings::{Comparison, GeneralizeTo, MeasureFindings};
use hype_core::model::score::{Direction, Measure, Row};
use hype_core::plugin::aggregator::Aggregation;
use hype_core::protocol::chance::Stream;
use hype_core::{Aggregated, AggregatorSpec, RaterDesign, ScoreTable, Streams};
use hype_stats::distributions::normal_quantile;

use crate::proof;

/// The seed of all simulations.
const SEED: u64 = 20_261_123;

/// Random draws of one cell of a table.
pub(super) struct Source(Stream);

impl Source {
    pub(super) fn new(cell: &str) -> Self {
        Self(Streams::new(SEED).stream(cell))
    }

    pub(super) fn unit(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    pub(super) fn normal(&mut self) -> f64 {
        normal_quantile(self.unit()).unwrap()
    }

    pub(super) fn normals(&mut self, count: usize, sd: f64) -> Vec<f64> {
        if sd > 0.0 { (0..count).map(|_| sd * self.normal()).collect() } else { vec![0.0; count] }
    }

    /// A table of normal values with as many rows and columns.
    pub(super) fn table(&mut self, rows: usize, columns: usize, sd: f64) -> Vec<Vec<f64>> {
        (0..rows).map(|_| self.normals(columns, sd)).collect()
    }

    pub(super) fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A value of the standard logistic distribution.
    pub(super) fn logistic(&mut self) -> f64 {
        let unit = self.unit();
        (unit / (1.0 - unit)).ln()
    }

    /// A value of Gumbel's distribution, the noise of Plackett and Luce's model.
    pub(super) fn gumbel(&mut self) -> f64 {
        -(-self.unit().ln()).ln()
    }
}

/// Names by their numbers.
pub(super) struct Names {
    raters: Vec<String>,
    models: Vec<String>,
    items: Vec<String>,
}

impl Names {
    pub(super) fn new(raters: usize, models: usize, items: usize) -> Self {
        let named = |letter: char, count: usize| (0..count).map(|at| format!("{letter}{at:03}")).collect();
        Self { raters: named('r', raters), models: named('m', models), items: named('i', items) }
    }

    /// A row of one rater about one model, of an item if there is one.
    pub(super) fn row<'n>(
        &'n self,
        [rater, model]: [usize; 2],
        item: Option<usize>,
        measure: &'n str,
        value: f64,
    ) -> Row<'n> {
        let row = Row::new(&self.raters[rater], &self.models[model], measure, value);
        item.map_or(row, |item| row.of_item(&self.items[item]))
    }

    pub(super) fn rater(&self, number: usize) -> &str {
        &self.raters[number]
    }

    pub(super) fn item(&self, number: usize) -> &str {
        &self.items[number]
    }

    /// A vote of a rater between two models on an item.
    pub(super) fn vote(&self, rater: usize, pair: [usize; 2], item: usize, won: bool) -> Row<'_> {
        self.compared(rater, pair, item, "preference", if won { 1.0 } else { 0.0 })
    }

    /// Returns a rater's comparison of two models on an item by a measure.
    pub(super) fn compared<'n>(
        &'n self,
        rater: usize,
        [first, second]: [usize; 2],
        item: usize,
        measure: &'n str,
        value: f64,
    ) -> Row<'n> {
        Row { against: &self.models[second], ..self.row([rater, first], Some(item), measure, value) }
    }
}

/// Returns the context of a study that an aggregator gets.
pub(super) fn context(measures: &[(&str, &str)], design: RaterDesign, target: GeneralizeTo) -> Aggregation {
    let measures =
        measures.iter().map(|(name, unit)| Measure::new(name, name, unit, Direction::Higher)).collect();
    Aggregation::new(measures, design).generalizing_to(target)
}

/// The findings of one table, or `None` if the aggregator refuses it.
pub(super) fn analyse(
    by: &dyn AggregatorSpec,
    context: &Aggregation,
    table: &ScoreTable,
) -> Option<Aggregated> {
    let mut sums = by.begin(context);
    sums.add(table).unwrap();
    sums.findings(&[], &Streams::new(SEED)).ok()
}

/// A share of studies.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Share {
    hits: u32,
    pub(super) of: u32,
}

impl Share {
    pub(super) fn count(&mut self, hit: bool) {
        self.hits += u32::from(hit);
        self.of += 1;
    }

    pub(super) fn percent(self) -> f64 {
        100.0 * f64::from(self.hits) / f64::from(self.of)
    }

    /// 4.5 Monte-Carlo standard errors of a share of this size, in points: one of 100,000 shares is off by more.
    pub(super) fn slack(self, percent: f64) -> f64 {
        4.5 * (percent * (100.0 - percent) / f64::from(self.of)).sqrt()
    }

    /// The percentage, as tables have it.
    pub(super) fn cell(self) -> String {
        if self.of == 0 { "-".into() } else { format!("{:.1}", self.percent()) }
    }
}

/// Counts over the studies of one cell, whose models are all equal.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Studies in which any pair differs at the level 5 %.
    pub(super) pairs: Share,
    /// Studies in which a test over all models is significant at the level 5 %, by its place among the tests, with the names
    /// of those that studies had there.
    pub(super) tests: Vec<(BTreeSet<String>, Share)>,
    /// Studies in which all intervals of differences cover 0.
    pub(super) differences: Share,
    /// Estimates whose intervals cover the truth.
    pub(super) estimates: Share,
    /// Studies without findings, pairs without a test and estimates without an interval.
    pub(super) without: u32,
    /// Studies with a note of this code, and what the intervals of these and of the others cover.
    pub(super) noted: [Share; 2],
}

impl Counts {
    pub(super) fn of(
        studies: u32,
        truth: Option<f64>,
        note: Option<&str>,
        mut study: impl FnMut() -> Option<(MeasureFindings, Vec<String>)>,
    ) -> Self {
        let mut counts = Self::default();
        for _ in 0..studies {
            match study() {
                Some((found, notes)) => {
                    let is_noted = note.is_some_and(|note| notes.iter().any(|code| code == note));
                    counts.add(&found, truth, is_noted);
                }
                None => counts.without += 1,
            }
        }
        counts
    }

    fn add(&mut self, found: &MeasureFindings, truth: Option<f64>, is_noted: bool) {
        let tested: Vec<&Comparison> = found.comparisons.iter().filter(|pair| pair.p.is_some()).collect();
        if !found.comparisons.is_empty() {
            self.without += u32::from(tested.is_empty());
            self.pairs.count(tested.iter().any(|pair| pair.p.is_some_and(|p| p <= 0.05)));
            let covers = |pair: &Comparison| {
                pair.interval.as_ref().is_none_or(|range| range.low <= 0.0 && 0.0 <= range.high)
            };
            self.differences.count(found.comparisons.iter().all(covers));
        }
        for (place, test) in found.tests.iter().enumerate() {
            if self.tests.len() == place {
                self.tests.push(<_>::default());
            }
            let (names, share) = &mut self.tests[place];
            names.insert(test.name.split([',', '(']).next().unwrap_or_default().trim().to_owned());
            share.count(test.p.is_some_and(|p| p <= 0.05));
        }
        let Some(truth) = truth else { return };
        for estimate in &found.estimates {
            match &estimate.interval {
                Some(range) => {
                    let covers = range.low <= truth && truth <= range.high;
                    self.estimates.count(covers);
                    self.noted[usize::from(is_noted)].count(covers);
                }
                None => self.without += 1,
            }
        }
    }

    /// The worst of the tests over all models, in percent.
    pub(super) fn worst_test(&self) -> f64 {
        self.tests.iter().map(|(_, share)| share.percent()).fold(0.0, f64::max)
    }

    /// Prints a row: the cell, the studies in which pairs and tests reject, and what intervals cover.
    pub(super) fn print(&self, cell: &[&str]) {
        let tests: Vec<String> = self.tests.iter().map(|(_, share)| share.cell()).collect();
        let one =
            |(names, _): &(BTreeSet<String>, Share)| names.iter().cloned().collect::<Vec<_>>().join(" or ");
        let names: Vec<String> = self.tests.iter().map(one).collect();
        let tests = format!("{} ({})", tests.join(", "), names.join(", "));
        let noted = if self.noted[1].of == 0 {
            String::new()
        } else {
            let share = 100.0 * f64::from(self.noted[1].of) / f64::from(self.estimates.of);
            format!("{share:.0} % noted: {}, others {}", self.noted[1].cell(), self.noted[0].cell())
        };
        let (pairs, differences) = (self.pairs.cell(), self.differences.cell());
        let (estimates, without) = (self.estimates.cell(), self.without.to_string());
        let found: [&str; 6] = [&pairs, &tests, &differences, &estimates, &without, &noted];
        proof::row(&[cell, &found].concat());
    }

    /// Checks that pairs and tests reject at most so many percent.
    #[track_caller]
    pub(super) fn rejects_at_most(&self, percent: f64, cell: &str) {
        let slack = self.pairs.slack(percent);
        assert!(self.pairs.percent() <= percent + slack, "{cell}: pairs {}", self.pairs.percent());
        assert!(self.worst_test() <= percent + slack, "{cell}: tests {:?}", self.tests);
        let covers = self.differences.percent();
        assert!(covers >= 100.0 - percent - slack, "{cell}: differences {covers}");
    }

    /// Checks that intervals of estimates cover at least so many percent.
    #[track_caller]
    pub(super) fn covers_at_least(&self, percent: f64, cell: &str) {
        let covers = self.estimates.percent();
        assert!(covers >= percent - self.estimates.slack(percent), "{cell}: estimates {covers}");
    }
}

/// The findings of a measure and the codes of all notes.
pub(super) fn of_measure(found: Aggregated, name: &str) -> Option<(MeasureFindings, Vec<String>)> {
    let notes = found.notes.iter().map(|note| note.code.to_string()).collect();
    let found = found.measures.into_iter().find(|found| &*found.measure.name == name)?;
    Some((found, notes))
}
