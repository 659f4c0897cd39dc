//! Intervals of coefficients and adjusted strengths cover the truth, and equal covariates are rarely found to matter.

use chacha20::ChaCha8Rng;
use hype_stats::clustered::{Clustered, ClusteredVariance, Target};
use hype_stats::distributions::{normal_cdf, normal_quantile};
use hype_stats::preference::{
    BradleyTerry, CellVotes, ComparisonOutcome, Comparisons, Covariance, Ties, relative_difference,
};
use rand_core::{Rng as _, SeedableRng as _};

use crate::proof;

const SEED: u64 = 20_261_128;
/// Strengths of the models, which sum to zero; the better write longer texts.
const STRENGTHS: [f64; 3] = [0.4, 0.0, -0.4];
/// By how much the logarithm of the length rises with the strength, and its standard deviation over outputs.
const LENGTHS: [f64; 2] = [0.75, 0.5];
const MODELS: usize = STRENGTHS.len();

/// A simulated study.
#[derive(Debug, Clone, Copy)]
struct Design {
    raters: usize,
    items: usize,
    /// The log odds of a text that is longer by one unit of the relative difference.
    beta: f64,
    target: Target,
}

/// Votes with the difference in length of each.
struct Study {
    cells: Vec<CellVotes>,
    lengths: Vec<f64>,
}

struct Source(ChaCha8Rng);

impl Source {
    fn unit(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        normal_quantile(self.unit()).unwrap()
    }

    fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    fn normals(&mut self, rows: usize) -> Vec<[f64; MODELS]> {
        (0..rows).map(|_| STRENGTHS.map(|_| self.normal())).collect()
    }
}

impl Design {
    /// Votes of raters of whom the last gives three times as many as the first.
    ///
    /// The noise of a vote is logistic, so that the truth is exactly that of the model. By its rank it is normal, and has in common a
    /// tenth of its variance with all votes of the rater on a model, a twentieth with those for longer texts, and, where items vary,
    /// a tenth with all votes on an output.
    fn study(&self, source: &mut Source) -> Study {
        let of_outputs: f64 = if self.target == Target::Raters { 0.0 } else { 0.1 };
        let shares = [0.05_f64, 0.05, 0.5 * of_outputs].map(f64::sqrt);
        let rest = (1.0 - 0.1 - 0.05 - of_outputs).sqrt();
        let (tastes, outputs) = (source.normals(self.raters), source.normals(self.items));
        let lengths: Vec<[f64; MODELS]> = source
            .normals(self.items)
            .into_iter()
            .map(|item| {
                let length = |model: usize| LENGTHS[0] * STRENGTHS[model] + LENGTHS[1] * item[model];
                [0, 1, 2].map(|model| 90.0 * length(model).exp())
            })
            .collect();
        let mut study = Study { cells: Vec::new(), lengths: Vec::new() };
        for (rater, tastes) in tastes.iter().enumerate() {
            let likes_long = source.normal();
            let votes = 30 + 60 * rater / (self.raters - 1);
            for _ in 0..votes {
                let (item, first) = (source.below(self.items), source.below(MODELS));
                let second = (first + 1 + source.below(MODELS - 1)) % MODELS;
                let length = relative_difference(lengths[item][first], lengths[item][second]);
                let noise = shares[0] * (tastes[first] - tastes[second])
                    + shares[1] * likes_long * length.signum()
                    + shares[2] * (outputs[item][first] - outputs[item][second])
                    + rest * source.normal();
                let rank = normal_cdf(noise);
                let lead = STRENGTHS[first] - STRENGTHS[second] + self.beta * length;
                let won = lead + (rank / (1.0 - rank)).ln() > 0.0;
                let [rater, item, first, second] = [rater, item, first, second].map(|number| number as u32);
                let counts = if won { [1, 0, 0] } else { [0, 1, 0] };
                study.cells.push(CellVotes { rater, item, first, second, counts });
                study.lengths.push(length);
            }
        }
        study
    }
}

/// Whether single intervals cover, of the coefficient, of strengths with it and of strengths without it; whether the coefficient
/// differs from 0; and the errors of the best model's strength with it and without it.
struct Found {
    beta: bool,
    strengths: [u32; 2],
    differs: bool,
    errors: [f64; 2],
}

impl Found {
    fn new(design: Design, Study { cells, lengths }: &Study) -> Self {
        let (model, differences) = (BradleyTerry::new(Ties::Half), [lengths.clone()]);
        let fit = model.fit_adjusted(MODELS, cells, &differences).unwrap();
        let with = fit.crossed(cells, &differences, design.target).unwrap();
        let beta = with.of(fit.place_of(0)).unwrap().at_least(fit.standard_error(0).powi(2));
        let mut table = Comparisons::new(MODELS).unwrap();
        for cell in cells {
            let outcome =
                if cell.counts[0] > 0 { ComparisonOutcome::First } else { ComparisonOutcome::Second };
            table.push(cell.first, cell.second, outcome).unwrap();
        }
        let plain = model.fit(&table).unwrap();
        let without = plain.crossed(cells.iter().copied(), design.target).unwrap();
        let covered = |errors: &Clustered, theta: &[f64], covariance: &Covariance| {
            let is_covered = |&place: &usize| {
                let error = errors.of(place).unwrap().at_least(covariance.of(place, place));
                covers(theta[place], STRENGTHS[place], &error)
            };
            (0..MODELS).filter(is_covered).count() as u32
        };
        Self {
            beta: covers(fit.beta[0], design.beta * fit.scales[0], &beta),
            strengths: [
                covered(&with, &fit.theta, &fit.covariance),
                covered(&without, &plain.theta, &plain.covariance),
            ],
            differs: beta.p(fit.beta[0]).unwrap() < 0.05,
            errors: [fit.theta[0] - STRENGTHS[0], plain.theta[0] - STRENGTHS[0]],
        }
    }
}

fn covers(estimate: f64, truth: f64, variance: &ClusteredVariance) -> bool {
    (estimate - truth).abs() <= variance.margin(0.95).unwrap()
}

#[test]
fn coefficients_and_strengths_are_covered() {
    let studies = proof::sized(200, 1_000);
    // Three standard errors of a share of 5 %.
    let error = 300.0 * (0.05 * 0.95 / f64::from(studies)).sqrt();
    let raters: &[usize] = proof::sized(&[5, 10], &[5, 10, 30]);
    for target in [Target::Raters, Target::RatersAndItems] {
        // A coefficient of 0.3 for each standard deviation, which is near 0.37.
        for (&raters, beta) in raters.iter().flat_map(|raters| [0.0, 0.3 / 0.37].map(|beta| (raters, beta))) {
            let design = Design { raters, items: 40, beta, target };
            let mut source = Source(ChaCha8Rng::seed_from_u64(SEED + raters as u64));
            let found: Vec<Found> =
                (0..studies).map(|_| Found::new(design, &design.study(&mut source))).collect();
            let percent = |count: u32, of: u32| 100.0 * f64::from(count) / f64::from(of);
            let share =
                |is: fn(&Found) -> bool| percent(found.iter().map(|one| u32::from(is(one))).sum(), studies);
            let (beta_covers, differs) = (share(|one| one.beta), share(|one| one.differs));
            let strengths: [f64; 2] = [0, 1]
                .map(|at| percent(found.iter().map(|one| one.strengths[at]).sum(), studies * MODELS as u32));
            let bias: [f64; 2] =
                [0, 1].map(|at| found.iter().map(|one| one.errors[at]).sum::<f64>() / f64::from(studies));
            proof::row(&[
                &format!("{raters} raters, {target:?}, beta {:.1}", 0.37 * beta),
                &format!("{beta_covers:.1} | {differs:.1} | {:.1}, {:.1}", strengths[0], strengths[1]),
                &format!("{:.3}, {:.3}", bias[0], bias[1]),
            ]);
            assert!(
                beta_covers >= 93.5 - error && strengths[0] >= 93.5 - error,
                "{design:?}: {beta_covers}, {strengths:?}"
            );
            assert!(beta > 0.0 || differs <= 6.0 + error, "{design:?}: {differs}");
            assert!(bias[0].abs() < 0.05 && (beta == 0.0 || bias[1] > 0.1), "{design:?}: {bias:?}");
        }
    }
}
