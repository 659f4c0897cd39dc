//! Whether strengths depend on the level of a facet.

use std::sync::Arc;

use hype_core::Facet;
use hype_core::model::findings::{Column, Effect, Note, Table, Test};
use hype_core::words::{counted, first_few};
use hype_stats::StatError;
use hype_stats::clustered::ClusteredVariance;
use hype_stats::preference::Departure;
use serde_json::json;

use super::Words;
use crate::aggregators::by_model::no_test;
use crate::aggregators::strengths::explain;

/// The number of raters up to which simulated studies rarely show an interaction (docs/measured/coverage.md).
const FEW: u64 = 5;

/// The test of the interaction of levels and models, with what it is computed from.
pub(in crate::aggregators) struct Interaction {
    pub(in crate::aggregators) test: Test,
    /// How each model fares at each level, compared with the prediction from all levels' strengths; `None` if these are unknown.
    pub(in crate::aggregators) table: Option<Table>,
}

/// The comparison made at the levels of a facet.
#[derive(Clone, Copy)]
pub(in crate::aggregators) struct LevelComparison<'c> {
    pub(in crate::aggregators) facet: &'c Facet,
    /// The name of the measure.
    pub(in crate::aggregators) measure: &'c str,
    pub(in crate::aggregators) models: &'c [Arc<str>],
    pub(in crate::aggregators) words: &'c Words,
    /// The number of raters that errors are based on; `None` if raters do not vary.
    pub(in crate::aggregators) raters: Option<u64>,
    /// The units that errors are over, in words.
    pub(in crate::aggregators) over: &'static str,
}

/// Tests whether strengths depend on the level: the smallest p value of all departures, times their number.
pub(in crate::aggregators) fn interaction(
    of: LevelComparison<'_>,
    departures: Result<Vec<Departure>, StatError>,
    notes: &mut Vec<Note>,
) -> Interaction {
    let name = format!("interaction of {} and model ({}, Bonferroni)", of.facet.name, of.words.tested);
    let bare = no_test(&name, "t", None);
    let undefined = |why: String| Test { undefined: Some(why.into()), ..bare.clone() };
    let departures = match departures {
        Ok(departures) => departures,
        Err(error) => {
            let why = explain(&error, of.models);
            return Interaction { test: undefined(why), table: None };
        }
    };
    if departures.is_empty() {
        let why = format!("there are {} at fewer than two levels of {}", of.words.many, of.facet.name);
        return Interaction { test: undefined(why), table: None };
    }
    let tested: Vec<(&Departure, Result<f64, StatError>)> =
        departures.iter().map(|one| (one, one.p())).collect();
    let own = || tested.iter().filter(|(one, _)| !one.is_mirrored);
    let count = own().filter(|(_, p)| p.is_ok()).count();
    let least = own()
        .filter_map(|(one, p)| Some((*one, *p.as_ref().ok()?)))
        .min_by(|(_, one), (_, other)| one.total_cmp(other));
    let test = match (least, own().find_map(|(_, p)| p.as_ref().err())) {
        (Some((one, p)), _) => {
            let variance = one.variance.as_ref().ok();
            Test {
                statistic: variance.map(|variance| one.excess() / variance.standard_error()),
                df: variance.map(ClusteredVariance::degrees_of_freedom).unwrap_or_default(),
                p: Some((p * count as f64).min(1.0)),
                effects: vec![Effect { name: "departures tested".into(), value: count as f64 }],
                ..bare.clone()
            }
        }
        (None, Some(error)) => undefined(error.to_string()),
        (None, None) => undefined("there are no departures".into()),
    };
    notes.extend(untested(of, &tested));
    notes.extend(little_power(of, &test));
    Interaction { test, table: Some(table(of, &tested, count)) }
}

/// The departures with their p values, adjusted for the number of those tested.
fn table(of: LevelComparison<'_>, tested: &[(&Departure, Result<f64, StatError>)], count: usize) -> Table {
    let LevelComparison { facet, words, .. } = of;
    let row = |(one, p): &(&Departure, Result<f64, StatError>)| {
        vec![
            json!(facet.levels.get(one.level)),
            json!(of.models[one.model]),
            json!(one.comparisons),
            json!(one.observed),
            json!(one.expected),
            json!(one.excess()),
            json!(one.variance.as_ref().ok().map(ClusteredVariance::standard_error)),
            json!(p.as_ref().ok().map(|p| (p * count as f64).min(1.0))),
        ]
    };
    let [name, label, unit] = words.observed;
    Table {
        name: "departures".into(),
        label: format!(
            "{} at each level of {}, compared with the prediction from strengths of all levels (errors over {}; p: Bonferroni over {})",
            words.shown,
            facet.name,
            of.over,
            counted(count, "departure")
        )
        .into(),
        rows: tested.iter().map(row).collect(),
        columns: vec![
            Column::new("level", &facet.name, ""),
            Column::new("model", "model", ""),
            Column::new(words.many, words.many, ""),
            Column::new(name, label, unit),
            Column::new("expected", "expected", unit),
            Column::new("difference", "difference", unit),
            Column::new("se", "standard error", unit),
            Column::new("p", "adjusted p", ""),
        ],
    }
}

/// A remark that an interaction which is not significant says little, where so few raters vary.
fn little_power(of: LevelComparison<'_>, test: &Test) -> Option<Note> {
    let raters = of.raters.filter(|&raters| raters <= FEW && test.p.is_some_and(|p| p > 0.05))?;
    let text = format!(
        "whether models fare otherwise at single levels of {} remains open: with {}, an interaction of 1 logit was significant \
         in at most a tenth of simulated studies; ask ten or more",
        of.facet.name,
        counted(raters as usize, "rater")
    );
    Some(Note::precision("little-power", text).about(of.measure))
}

/// A warning about the levels at which no departure can be tested.
fn untested(of: LevelComparison<'_>, tested: &[(&Departure, Result<f64, StatError>)]) -> Option<Note> {
    let mut levels: Vec<&Arc<str>> = Vec::new();
    let mut why = None;
    for (one, p) in tested {
        let (Err(error), Some(level)) = (p, of.facet.levels.get(one.level)) else { continue };
        why = why.or(Some(error));
        if !levels.contains(&level) {
            levels.push(level);
        }
    }
    let why = why?;
    let names: Vec<&str> = levels.iter().map(|level| &***level).collect();
    let text = format!(
        "whether models fare otherwise at levels of {} is not tested: {} ({why})",
        of.facet.name,
        first_few(&names)
    );
    Some(Note::precision("untested-levels", text).about(of.measure))
}
