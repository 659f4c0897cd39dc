//! Stopping rules: how often they find differences between equal models, and how many raters they save.

use hype_analyses::stopping::{BettingRule, SpendingKind, SpendingRule, Until, WidthRule};
use hype_core::model::findings::StoppingLook;
use hype_core::model::score::{Direction, Measure};
use hype_core::study::analysis::FALSE_ALARMS_OF_TWELVE_LOOKS;
use hype_core::{StoppingPlan, StoppingRule};
use hype_stats::ttest::{Alternative, welch};

use super::studies::{Share, Source};
use crate::proof::{self, sized};

const RATERS: u32 = 120;
const ANSWERS: u32 = 40;
const LOOKS: [u32; 12] = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120];

fn plan(models: usize, is_paired: bool) -> StoppingPlan {
    StoppingPlan {
        models: (0..models).map(|model| format!("m{model}").into()).collect(),
        is_paired,
        planned: RATERS,
        measure: Measure::new("share", "share", "proportion", Direction::Higher),
    }
}

/// The shares of 40 answers of raters whose own shares differ with this standard deviation on the logistic scale; where raters
/// judge all models, a rater's own share is that of all models.
fn shares(source: &mut Source, plan: &StoppingPlan, spread: f64) -> Vec<Vec<(u32, f64)>> {
    let mut values = vec![Vec::new(); plan.models.len()];
    for turn in 0..RATERS {
        let mut own = (1.0 + (-spread * source.normal()).exp()).recip();
        for (model, values) in values.iter_mut().enumerate() {
            if !plan.is_paired && model > 0 {
                own = (1.0 + (-spread * source.normal()).exp()).recip();
            }
            let right = (0..ANSWERS).filter(|_| source.happens(own)).count();
            values.push((turn, right as f64 / f64::from(ANSWERS)));
        }
    }
    values
}

/// Normal scores of models whose means differ from the next by `effect` standard deviations.
fn normal(source: &mut Source, plan: &StoppingPlan, effect: f64) -> Vec<Vec<(u32, f64)>> {
    let mut model = |mean: f64| (0..RATERS).map(|turn| (turn, mean + source.normal())).collect();
    (0..plan.models.len()).map(|place| model(effect * place as f64)).collect()
}

/// Whether anything was found, and the raters until the collection ended.
fn ended(looks: &[StoppingLook]) -> (bool, u32) {
    let found = looks.iter().flat_map(|look| &look.tests).any(|test| test.decided);
    (found, looks.iter().find(|look| look.stops).map_or(RATERS, |look| look.raters))
}

fn print(rule: &str, plan: &StoppingPlan, kind: &str, share: Share, raters: u32, studies: u32) {
    let design =
        format!("{} models, {}", plan.models.len(), if plan.is_paired { "within" } else { "between" });
    let mean = f64::from(raters) / f64::from(studies);
    proof::row(&[rule, &design, kind, &format!("{:.1} %", share.percent()), &format!("{mean:.1}")]);
}

#[track_caller]
fn holds(share: Share, percent: f64, what: &str) {
    assert!(share.percent() <= percent + share.slack(percent), "{what}: {} %", share.percent());
}

/// Equal models at twelve looks: any pair decided, at any look, is a false alarm.
#[test]
fn equal_models_are_told_apart_at_the_level() {
    let studies = sized(40, 10_000);
    let spending = |until: Until| SpendingRule { looks: LOOKS.to_vec(), until, ..SpendingRule::default() };
    let betting = |until: Until| BettingRule { until, ..BettingRule::default() };
    let pocock = SpendingRule { spend: SpendingKind::Pocock, ..spending(Until::Pair) };
    let rules: [(&str, Box<dyn StoppingRule>); 6] = [
        ("spending, all-pairs", Box::new(spending(Until::AllPairs))),
        ("spending, pair", Box::new(spending(Until::Pair))),
        ("spending, pair, Pocock type", Box::new(pocock)),
        ("spending, omnibus", Box::new(spending(Until::Omnibus))),
        ("betting, pair", Box::new(betting(Until::Pair))),
        ("betting, omnibus", Box::new(betting(Until::Omnibus))),
    ];
    let designs = sized(&[(3, false)][..], &[(2, false), (3, false), (5, false), (2, true), (5, true)]);
    for &(models, is_paired) in designs {
        let plan = plan(models, is_paired);
        for (name, rule) in &rules {
            let mut source = Source::new(&format!("stopping {name} {models} {is_paired}"));
            let (mut share, mut raters) = (Share::default(), 0);
            for _ in 0..studies {
                let values = shares(&mut source, &plan, 0.5);
                let (found, until) = ended(&rule.decide(&plan, &values, RATERS));
                share.count(found);
                raters += until;
            }
            print(name, &plan, "equal models, SD of raters 0.5 logits", share, raters, studies);
            // Pocock's boundary at the first looks is that of few raters, and t tests of ten shares are not exact.
            holds(share, if name.ends_with("type") { 5.5 } else { 5.0 }, name);
        }
    }
}

/// Welch's test of two equal models at twelve looks without a rule: the share of false alarms is the one that findings warn of, to
/// the half point of its rounding and 4.5 Monte-Carlo standard errors.
#[test]
fn looks_without_a_rule_alarm_as_often_as_findings_warn() {
    let studies = sized(1_200, 20_000);
    let plan = plan(2, false);
    let mut source = Source::new("looks without a rule");
    let (mut share, mut raters) = (Share::default(), 0);
    for _ in 0..studies {
        let values = normal(&mut source, &plan, 0.0);
        let values: Vec<Vec<f64>> =
            values.iter().map(|rows| rows.iter().map(|(_, value)| *value).collect()).collect();
        let stop = LOOKS.into_iter().find(|&look| {
            let [first, second] = [0, 1].map(|model: usize| &values[model][..look as usize]);
            welch(first, second, Alternative::TwoSided, 0.95).unwrap().p < 0.05
        });
        share.count(stop.is_some());
        raters += stop.unwrap_or(RATERS);
    }
    print("Welch's t at each look", &plan, "equal models, normal scores", share, raters, studies);
    let warned = 100.0 * FALSE_ALARMS_OF_TWELVE_LOOKS;
    assert!((share.percent() - warned).abs() < 0.5 + share.slack(warned), "{} %", share.percent());
}

/// The intervals of `width` at all twelve looks, which a small width keeps from ending: a study in which any of them misses the
/// mean of its model counts.
#[test]
fn no_look_at_a_width_misses_the_mean() {
    let studies = sized(120, 10_000);
    for &(models, is_paired) in sized(&[(2, false)][..], &[(1, false), (2, false), (5, false), (5, true)]) {
        let plan = plan(models, is_paired);
        let mut source = Source::new(&format!("stopping width {models} {is_paired}"));
        let rule = WidthRule::new(1e-9);
        let mut share = Share::default();
        for _ in 0..studies {
            let values = shares(&mut source, &plan, 0.5);
            let looks = rule.decide(&plan, &values, RATERS);
            let intervals =
                looks.iter().flat_map(|look| &look.tests).filter_map(|test| test.interval.as_ref());
            share.count(intervals.into_iter().any(|interval| interval.low > 0.5 || interval.high < 0.5));
        }
        print("width", &plan, "equal models, SD of raters 0.5 logits", share, RATERS * studies, studies);
        holds(share, 5.0, "width");
    }
}

/// Raters until the end with the default looks, by the difference between models in standard deviations of raters.
#[test]
fn clear_differences_save_raters() {
    let studies = sized(60, 10_000);
    for &(models, effect) in sized(
        &[(2, 0.8)][..],
        &[(2, 0.0), (2, 0.3), (2, 0.5), (2, 0.8), (2, 1.2), (3, 0.5), (3, 0.8), (3, 1.2)],
    ) {
        let plan = plan(models, false);
        let rule = SpendingRule::default();
        let mut source = Source::new(&format!("stopping saves {models} {effect}"));
        let (mut share, mut raters) = (Share::default(), 0);
        for _ in 0..studies {
            let looks = rule.decide(&plan, &normal(&mut source, &plan, effect), RATERS);
            let (_, until) = ended(&looks);
            share.count(looks.iter().any(|look| look.stops));
            raters += until;
        }
        print("spending, all-pairs", &plan, &format!("effect {effect} SD"), share, raters, studies);
        if effect >= 0.8 && models == 2 {
            let mean = f64::from(raters) / f64::from(studies);
            assert!(share.percent() > 99.0 && mean < 60.0, "{share:?} {mean}");
        }
    }
}
