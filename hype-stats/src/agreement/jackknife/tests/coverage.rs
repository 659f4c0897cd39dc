//! How often intervals of agreement cover the truth.

use super::*;
use crate::agreement::GwetWeights;
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

/// Effects that outputs of a prompt share.
#[derive(Debug, Clone, Copy, Default)]
struct Prompt {
    category: f64,
    known: f64,
    quality: f64,
}

fn normal(draws: &mut Draws) -> f64 {
    normal_quantile(draws.unit().clamp(1e-12, 1.0 - 1e-12)).unwrap()
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

    /// Draws the effects shared by outputs of one prompt, or those of an item alone.
    fn prompt(&self, draws: &mut Draws) -> Prompt {
        match self.answers {
            Answers::Categories => Prompt {
                category: self.value(draws.unit()),
                known: if draws.unit() < 0.5 { 0.6 + 0.4 * self.clarity } else { 0.6 * self.clarity },
                quality: 0.0,
            },
            Answers::Scale => Prompt { quality: normal(draws), ..Prompt::default() },
        }
    }

    /// The ratings of an item, with the prompt's share of them.
    fn item(&self, prompt: &Prompt, share: f64, draws: &mut Draws, rate: &mut dyn FnMut(f64)) {
        match self.answers {
            Answers::Categories => {
                let is_common = share >= 1.0 || draws.unit() < share;
                let category = if is_common { prompt.category } else { self.value(draws.unit()) };
                for _ in 0..self.raters {
                    let guess = self.value(draws.unit());
                    rate(if draws.unit() < prompt.known { category } else { guess });
                }
            }
            Answers::Scale => {
                let own = if share < 1.0 { (1.0 - share).sqrt() * normal(draws) } else { 0.0 };
                let quality = self.clarity * (share.sqrt() * prompt.quality + own);
                let spread = self.clarity.hypot(1.0 - self.clarity);
                for _ in 0..self.raters {
                    let seen = (quality + (1.0 - self.clarity) * normal(draws)) / spread;
                    rate(self.value(crate::distributions::normal_cdf(seen)));
                }
            }
        }
    }

    fn study(&self, items: u32, draws: &mut Draws) -> ItemCounts {
        self.clustered([items, 1], 1.0, draws)
    }

    /// So many prompts with so many outputs each, of whose ratings a share is due to the prompt.
    fn clustered(&self, [prompts, outputs]: [u32; 2], share: f64, draws: &mut Draws) -> ItemCounts {
        let mut counts = ItemCounts::new();
        for prompt in 0..prompts {
            let common = self.prompt(draws);
            for output in 0..outputs {
                let item = prompt * outputs + output;
                self.item(&common, share, draws, &mut |value| counts.add(item, value).unwrap());
            }
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

impl Design {
    const fn coefficients(&self) -> [AgreementCoefficient; 3] {
        let weights = match self.answers {
            Answers::Categories => GwetWeights::Identity,
            Answers::Scale => GwetWeights::Quadratic,
        };
        [AgreementCoefficient::PercentAgreement, self.coefficient(), AgreementCoefficient::Gwet(weights)]
    }
}

const EVEN: [&[f64]; 3] = [&[0.5, 0.5], &[0.5, 0.3, 0.2], &[0.1, 0.2, 0.4, 0.2, 0.1]];
const UNEVEN: [&[f64]; 2] = [&[0.85, 0.15], &[0.8, 0.15, 0.05]];

/// Studies whose interval covers the coefficient of 100,000 items; those without an interval do not.
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

/// How often intervals cover the coefficient of many prompts.
struct OverPrompts {
    /// Of all studies, where outputs are taken for independent.
    independent: f64,
    /// Of those with an interval over prompts, if most have one.
    covered: Option<f64>,
    few: bool,
}

fn over_prompts(
    design: Design,
    coefficient: AgreementCoefficient,
    [prompts, outputs]: [u32; 2],
    studies: usize,
) -> OverPrompts {
    const SHARE: f64 = 0.7;
    let mut draws = Draws::new(7, u64::from(prompts));
    let many = design.clustered([sized(20_000, 50_000), 2], SHARE, &mut draws);
    let truth = coefficient.estimate(&many).unwrap();
    let covers = |counts: &ItemCounts| {
        let interval = AgreementOverItems::new(counts, coefficient).ok()?.interval(0.95).unwrap();
        Some(interval.lower <= truth && truth <= interval.upper)
    };
    let (mut independent, mut covered, mut stated, mut few) = (0.0, 0.0, 0.0, true);
    for _ in 0..studies {
        let study = design.clustered([prompts, outputs], SHARE, &mut draws);
        independent += f64::from(u8::from(covers(&study) == Some(true)));
        let study = study.with_clusters((0..prompts * outputs).map(|item| item / outputs).collect());
        few &= has_few_items(&study);
        if let Some(covers) = covers(&study) {
            covered += f64::from(u8::from(covers));
            stated += 1.0;
        }
    }
    let studies = studies as f64;
    let covered = (stated > 0.5 * studies).then(|| covered / stated);
    OverPrompts { independent: independent / studies, covered, few }
}

/// Coefficients of outputs of few prompts are those of other prompts: intervals over prompts cover them in at least 93.5 % of studies,
/// or there is none, or their few prompts are noted. Those that treat outputs as independent do not.
#[test]
fn agreement_over_outputs_of_prompts_is_covered() {
    let studies = sized(40, 1_000);
    let slack = 4.5 * (0.95_f64 * 0.05 / studies as f64).sqrt();
    let sizes: &[[u32; 2]] = sized(
        &[[10, 6], [30, 6], [120, 3]],
        &[[10, 10], [20, 2], [20, 10], [30, 6], [50, 4], [100, 3], [200, 2]],
    );
    let raters = sized(&[3][..], &[3, 10]);
    for answers in [Answers::Categories, Answers::Scale] {
        for (kind, all) in [("no value dominates", &EVEN[..]), ("one value dominates", &UNEVEN)] {
            let designs: Vec<Design> = all
                .iter()
                .flat_map(|&shares| raters.iter().map(move |&raters| (shares, raters)))
                .flat_map(|(shares, raters)| {
                    [0.6, 0.9].map(|clarity| Design { answers, shares, raters, clarity })
                })
                .collect();
            for &size in sizes {
                let (mut covers, mut independent) = (Vec::new(), Vec::new());
                for design in &designs {
                    for coefficient in design.coefficients() {
                        let found = over_prompts(*design, coefficient, size, studies);
                        let is_covered = found.covered.is_none_or(|covered| covered >= 0.935 - slack);
                        assert!(found.few || is_covered, "{design:?}, {coefficient:?}, {size:?}");
                        covers.extend(found.covered);
                        independent.push(found.independent);
                    }
                }
                covers.sort_by(f64::total_cmp);
                let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
                let percent = |share: f64| format!("{:.1} %", 100.0 * share);
                let least = covers.first().map_or("none".into(), |&least| percent(least));
                let [prompts, outputs] = size;
                row(&[
                    &format!("{answers:?}, {kind}"),
                    &format!("{prompts} × {outputs}"),
                    &percent(mean(&independent)),
                    &least,
                    &percent(mean(&covers)),
                ]);
            }
        }
    }
}
