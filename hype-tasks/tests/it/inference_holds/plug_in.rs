//! Corrections by the distribution of the greatest |t| whose correlations are those of the data, next to the default: why pairs are not
//! corrected by them.

use hype_analyses::aggregators::ByModel;
use hype_core::model::findings::GeneralizeTo;
use hype_core::{RaterDesign, ScoreTable};

use super::studies::{Names, Share, Source, analyse, context};
use crate::proof;

/// The draws of the greatest |t| by which one study is corrected.
const DRAWS: usize = 1_000;

/// The differences of all pairs of models by rater, less their means and over their standard deviations, with the greatest |t|.
fn standardized(values: &[Vec<f64>]) -> (Vec<Vec<f64>>, f64) {
    let (raters, models) = (values.len() as f64, values[0].len());
    let mut greatest: f64 = 0.0;
    let pairs = (0..models).flat_map(|a| (a + 1..models).map(move |b| [a, b]));
    let columns = pairs.map(|[a, b]| {
        let differences: Vec<f64> = values.iter().map(|of_rater| of_rater[a] - of_rater[b]).collect();
        let mean = differences.iter().sum::<f64>() / raters;
        let squares: f64 = differences.iter().map(|difference| (difference - mean).powi(2)).sum();
        let sd = (squares / (raters - 1.0)).sqrt();
        greatest = greatest.max(mean.abs() * raters.sqrt() / sd);
        differences.into_iter().map(|difference| (difference - mean) / sd).collect()
    });
    (columns.collect(), greatest)
}

/// Whether the greatest |t| is beyond the 95 % quantile of multivariate t values with the correlations of the data.
fn rejects(values: &[Vec<f64>], source: &mut Source) -> bool {
    let (columns, greatest) = standardized(values);
    let degrees = values.len() - 1;
    let mut draw = || {
        let chi_squared: f64 = source.normals(degrees, 1.0).iter().map(|normal| normal * normal).sum();
        let normals = source.normals(values.len(), 1.0);
        let of = |column: &Vec<f64>| -> f64 {
            column.iter().zip(&normals).map(|(one, normal)| one * normal).sum()
        };
        columns.iter().map(|column| of(column).abs()).fold(0.0, f64::max) / chi_squared.sqrt()
    };
    let beyond = (0..DRAWS).filter(|_| draw() >= greatest).count();
    beyond * 20 <= DRAWS
}

#[test]
fn plug_in_corrections_reject_too_often() {
    let all = [3, 5, 10, 30].into_iter().flat_map(|raters| [3, 5, 10].map(|models| [raters, models]));
    for [raters, models] in proof::sized(vec![[3, 10]], all.collect()) {
        let mut source = Source::new(&format!("plug-in: {raters} raters, {models} models"));
        let names = Names::new(raters, models, 0);
        let context = context(&[("score", "")], RaterDesign::Within, GeneralizeTo::Raters);
        let [mut plug_in, mut ours] = [Share::default(); 2];
        for _ in 0..proof::sized(60, 2_000) {
            let values = source.table(raters, models, 1.0);
            let mut table = ScoreTable::default();
            for (rater, of_rater) in values.iter().enumerate() {
                of_rater.iter().enumerate().for_each(|(model, value)| {
                    table.push(&names.row([rater, model], None, "score", *value));
                });
            }
            let found = analyse(&ByModel::default(), &context, &table).unwrap();
            let is_small = |p: Option<f64>| p.is_some_and(|p| p <= 0.05);
            ours.count(found.measures[0].comparisons.iter().any(|pair| is_small(pair.p)));
            plug_in.count(rejects(&values, &mut source));
        }
        proof::row(&[&raters.to_string(), &models.to_string(), &plug_in.cell(), &ours.cell()]);
        assert!(
            ours.percent() <= 6.0 + ours.slack(6.0),
            "{raters} raters, {models} models: {} %",
            ours.percent()
        );
        if models == 10 && raters <= 5 {
            assert!(plug_in.percent() > 20.0, "{raters} raters: {} %", plug_in.percent());
        }
    }
}
