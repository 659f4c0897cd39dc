//! Levels of raters weighted by their shares of a population, where those who took part are in other shares.

use hype_analyses::aggregators::facets::ByFacet;
use hype_core::model::findings::{GeneralizeTo, Interval};
use hype_core::{Facet, RaterDesign, ScoreTable};

use super::studies::{Names, Share, Source, analyse, context};
use crate::proof;

const LEVELS: [&str; 2] = ["young", "old"];
/// The shares of the levels in the population, and among the raters.
const POPULATION: [f64; 2] = [0.2, 0.8];
const OF_RATERS: f64 = 0.8;
/// Mean answers of raters of each level to each model: 11/30 in the population, of the first model 14/30 among the raters.
const MEANS: [[f64; 2]; 2] = [[0.5, 1.0 / 3.0], [11.0 / 30.0, 11.0 / 30.0]];
const TRUTH: f64 = 11.0 / 30.0;
const RAW: f64 = 14.0 / 30.0;

fn check(raters: usize, design: RaterDesign, studies: u32) {
    let cell = format!("population: {raters} raters, {design:?}");
    let mut source = Source::new(&cell);
    let young = (OF_RATERS * raters as f64).round() as usize;
    let people = match design {
        RaterDesign::Within => raters,
        RaterDesign::Between => MEANS.len() * raters,
    };
    let names = Names::new(people, MEANS.len(), 1);
    let level = |rater: usize| usize::from(rater % raters >= young);
    let levels = (0..people).map(|rater| {
        let level = [("age".into(), LEVELS[level(rater)].into())].into();
        (names.row([rater, 0], None, "score", 0.0).rater.into(), level)
    });
    let facet = Facet { name: "age".into(), levels: LEVELS.map(Into::into).to_vec(), scale: None };
    let context = context(&[("score", "")], design, GeneralizeTo::Raters)
        .with_facets(vec![facet], Vec::new())
        .with_rater_levels(levels.collect());
    let shares = LEVELS.iter().zip(POPULATION).map(|(&level, share)| (level.into(), share)).collect();
    let by = ByFacet { within: "age".into(), shares, ..ByFacet::default() };
    let [mut covers, mut pairs, mut raw_pairs] = [Share::default(); 3];
    let (mut sums, mut effect) = ([0.0; 2], 0.0);
    let contains = |range: &Interval| range.low <= TRUTH && TRUTH <= range.high;
    for _ in 0..studies {
        let mut table = ScoreTable::default();
        for rater in 0..people {
            let own = 0.1 * source.normal();
            for (model, means) in MEANS.iter().enumerate() {
                if design == RaterDesign::Within || rater / raters == model {
                    let value = means[level(rater)] + own + 0.1 * source.normal();
                    table.push(&names.row([rater, model], None, "score", value));
                }
            }
        }
        let found = analyse(&by, &context, &table).unwrap();
        assert!(!found.notes.iter().any(|note| &*note.code == "few-at-level"), "{cell}");
        let found = &found.measures[0];
        let weighted = found.interactions[0].weighted.as_ref().unwrap();
        for mean in &weighted.estimates {
            covers.count(contains(mean.interval.as_ref().unwrap()));
        }
        pairs.count(weighted.comparisons[0].p.unwrap() <= 0.05);
        raw_pairs.count(found.comparisons[0].p.unwrap() <= 0.05);
        effect = weighted.design_effects["m000"];
        let first = |all: &[hype_core::model::findings::Estimate]| {
            all.iter().find(|one| &*one.model == "m000").unwrap().value
        };
        sums[0] += first(&weighted.estimates);
        sums[1] += first(&found.estimates);
    }
    let [weighted, raw] = sums.map(|sum| sum / f64::from(studies));
    proof::row(&[
        &format!("{design:?}"),
        &raters.to_string(),
        &format!("{weighted:.4}"),
        &format!("{raw:.4}"),
        &format!("{:.1}", covers.percent()),
        &format!("{:.1}", pairs.percent()),
        &format!("{:.1}", raw_pairs.percent()),
        &format!("{effect:.2}"),
    ]);
    // Each mean has a standard deviation below 0.15 in one study of ten raters.
    let slack = 4.5 * 0.15 * (10.0 / raters as f64 / f64::from(studies)).sqrt();
    assert!((weighted - TRUTH).abs() < slack, "{cell}: {weighted} for {TRUTH}");
    assert!((raw - RAW).abs() < slack, "{cell}: {raw} for {RAW}");
    assert!(covers.percent() >= 93.5 - covers.slack(93.5), "{cell}: {}", covers.percent());
    assert!(pairs.percent() <= 6.0 + pairs.slack(6.0), "{cell}: {}", pairs.percent());
}

/// The weighted mean is right where the raw one is off by ten points, its interval covers, and models that are equal in the population
/// are told apart in no more studies than the level says.
#[test]
fn weights_of_a_population_remove_the_bias_of_a_sample() {
    for design in [RaterDesign::Within, RaterDesign::Between] {
        for &raters in proof::sized(&[10, 30][..], &[10, 15, 20, 30, 100]) {
            check(raters, design, proof::sized(70, 10_000));
        }
    }
}
