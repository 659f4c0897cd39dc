//! How often intervals of agreement cover the truth.

use super::*;
use crate::bootstrap::draws::Draws;
use crate::distributions::normal_quantile;
use crate::proof::{row, sized};

/// How the raters of a study answer.
#[derive(Debug, Clone, Copy)]
enum Answers {
    /// Each item has a category, which raters recognize in easy items more often than in hard ones; otherwise they guess.
    Categories,
    /// Each item has a quality, which raters see with an error and answer on a scale.
    Scale,
}

/// A population of items and raters.
#[derive(Debug, Clone, Copy)]
struct Design {
    answers: Answers,
    /// The probability of each value.
    shares: &'static [f64],
    raters: usize,
    /// How much of an answer is due to the item, between 0 and 1.
    clarity: f64,
}

impl Design {
    fn value(&self, unit: f64) -> f64 {
        let mut below = 0.0;
        let place = self.shares.iter().position(|share| {
            below += share;
            unit < below
        });
        place.unwrap_or(self.shares.len() - 1) as f64
    }

    fn item(&self, draws: &mut Draws, rate: &mut dyn FnMut(f64)) {
        let normal = |draws: &mut Draws| normal_quantile(draws.unit().clamp(1e-12, 1.0 - 1e-12)).unwrap();
        match self.answers {
            Answers::Categories => {
                let category = self.value(draws.unit());
                let known = if draws.unit() < 0.5 { 0.6 + 0.4 * self.clarity } else { 0.6 * self.clarity };
                for _ in 0..self.raters {
                    let guess = self.value(draws.unit());
                    rate(if draws.unit() < known { category } else { guess });
                }
            }
            Answers::Scale => {
                let quality = self.clarity * normal(draws);
                let spread = self.clarity.hypot(1.0 - self.clarity);
                for _ in 0..self.raters {
                    let seen = (quality + (1.0 - self.clarity) * normal(draws)) / spread;
                    rate(self.value(crate::distributions::normal_cdf(seen)));
                }
            }
        }
    }

    fn study(&self, items: u32, draws: &mut Draws) -> ItemCounts {
        let mut counts = ItemCounts::new();
        for item in 0..items {
            self.item(draws, &mut |value| counts.add(item, value).unwrap());
        }
        counts
    }

    const fn coefficient(&self) -> AgreementCoefficient {
        match self.answers {
            Answers::Categories => AgreementCoefficient::FleissKappa,
            Answers::Scale => AgreementCoefficient::KrippendorffAlpha(ScaleDifference::Interval),
        }
    }
}

const EVEN: [&[f64]; 3] = [&[0.5, 0.5], &[0.5, 0.3, 0.2], &[0.1, 0.2, 0.4, 0.2, 0.1]];
const UNEVEN: [&[f64]; 2] = [&[0.85, 0.15], &[0.8, 0.15, 0.05]];

/// Studies of which the interval covers the coefficient of 100,000 items; those without an interval do not.
fn cell(design: Design, items: u32, studies: usize) -> (f64, bool) {
    let mut draws = Draws::new(7, u64::from(items));
    let truth = design.coefficient().estimate(&design.study(100_000, &mut draws)).unwrap();
    let (mut covered, mut few) = (0.0, true);
    for _ in 0..studies {
        let study = design.study(items, &mut draws);
        let found = AgreementOverItems::new(&study, design.coefficient());
        few &= has_few_items(&study);
        let covers = |found: AgreementOverItems| {
            let interval = found.interval(0.95).unwrap();
            interval.lower <= truth && truth <= interval.upper
        };
        covered += f64::from(u8::from(found.is_ok_and(covers)));
    }
    (covered / studies as f64, few)
}

/// Intervals cover in at least 93.5 % of studies, or their few items are noted.
#[test]
fn agreement_over_items_is_covered() {
    let studies = sized(400, 5_000);
    let slack = 4.5 * (0.95_f64 * 0.05 / studies as f64).sqrt();
    let raters = sized(&[3][..], &[3, 5, 10]);
    let clarities = sized(&[0.6][..], &[0.3, 0.6, 0.9]);
    for answers in [Answers::Categories, Answers::Scale] {
        for &items in sized(&[20, 120][..], &[10, 20, 50, 120, 250]) {
            for (kind, all) in [("no value dominates", &EVEN[..]), ("one value dominates", &UNEVEN)] {
                let mut covers = Vec::new();
                let designs = all.iter().flat_map(|&shares| {
                    raters.iter().flat_map(move |&raters| {
                        clarities.iter().map(move |&clarity| Design { answers, shares, raters, clarity })
                    })
                });
                for design in designs {
                    let (covered, few) = cell(design, items, studies);
                    assert!(few || covered >= 0.935 - slack, "{design:?}, {items} items: {covered}");
                    covers.push(covered);
                }
                covers.sort_by(f64::total_cmp);
                let percent = |share: f64| format!("{:.1} %", 100.0 * share);
                let mean = covers.iter().sum::<f64>() / covers.len() as f64;
                let what = match answers {
                    Answers::Categories => "Fleiss' kappa",
                    Answers::Scale => "Krippendorff's alpha (interval)",
                };
                row(&[
                    what,
                    kind,
                    &items.to_string(),
                    &percent(covers[0]),
                    &percent(mean),
                    &percent(covers[covers.len() - 1]),
                ]);
            }
        }
    }
}
