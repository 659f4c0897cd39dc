//! How the levels of facets were tested.

use hype_core::FacetScale;
use hype_core::model::findings::{
    FacetInteraction, FacetLevelFindings, FacetTrend, MeasureFindings, WeightedMeans,
};

use crate::numbers::{fixed, percent};
use crate::separation::methods_of;
use crate::text::listed;

/// The tests of levels and of trends along facets, a sentence for each.
pub(super) fn tested(found: &MeasureFindings) -> Vec<String> {
    let mut all = Vec::new();
    for together in &found.interactions {
        let levels: Vec<&FacetLevelFindings> =
            found.facets.iter().filter(|level| level.facet == together.facet).collect();
        all.extend(of_levels(together, &levels));
        all.extend(together.weighted.as_ref().map(|weighted| of_shares(together, weighted)));
        all.extend(together.test.as_ref().filter(|test| test.undefined.is_none()).map(|test| {
            // The words in brackets say how, where there are several ways.
            let how = test.name.split_once(" (").and_then(|(_, how)| how.strip_suffix(')'));
            let how = how.map(|how| format!(": {how}")).unwrap_or_default();
            format!(
                "Whether models differ in the same way at all levels of {} is tested by their interaction{how}.",
                together.facet
            )
        }));
    }
    let mut facets: Vec<&str> = Vec::new();
    for trend in &found.trends {
        if !facets.contains(&&*trend.facet) {
            facets.push(&trend.facet);
        }
    }
    all.extend(facets.into_iter().map(|facet| {
        let trends: Vec<&FacetTrend> = found.trends.iter().filter(|trend| &*trend.facet == facet).collect();
        of_trends(facet, &trends)
    }));
    all
}

/// How models were compared at the levels of a facet.
fn of_levels(together: &FacetInteraction, levels: &[&FacetLevelFindings]) -> Option<String> {
    let mut tests: Vec<&str> = Vec::new();
    let defined = || levels.iter().flat_map(|level| &level.tests).filter(|test| test.undefined.is_none());
    for test in defined() {
        if !tests.contains(&&*test.name) {
            tests.push(&test.name);
        }
    }
    let pairs = methods_of(levels.iter().flat_map(|level| &level.comparisons));
    let adjusted = match defined().any(|test| test.p_adjusted.is_some()) {
        true => ", with p values adjusted over levels by Holm's method",
        false => "",
    };
    let tests = (!tests.is_empty()).then(|| format!("all models by {}{adjusted}", listed(&tests)));
    let pairs = (!pairs.is_empty()).then(|| format!("pairs of models by {}", listed(&pairs)));
    let parts: Vec<String> = tests.into_iter().chain(pairs).collect();
    let family = match &together.family {
        Some(family) => format!("; p values are adjusted for all of them together ({family})"),
        None => String::new(),
    };
    (!parts.is_empty()).then(|| {
        format!("At each level of {}, {} were compared{family}.", together.facet, parts.join(", and "))
    })
}

/// By which shares of a population levels were weighted.
fn of_shares(together: &FacetInteraction, weighted: &WeightedMeans) -> String {
    let shares: Vec<String> = together
        .levels
        .iter()
        .zip(&weighted.shares)
        .map(|(level, &share)| format!("{level} {}%", percent(share)))
        .collect();
    let effects: Vec<String> = weighted
        .design_effects
        .iter()
        .map(|(model, effect)| format!("{} for {model}", fixed(*effect, 2)))
        .collect();
    let effects = if effects.is_empty() {
        String::new()
    } else {
        format!("; the weights' design effects (Kish) are {}", listed(&effects))
    };
    let methods = methods_of(&weighted.comparisons);
    let pairs =
        if methods.is_empty() { String::new() } else { format!(", compared by {}", listed(&methods)) };
    format!(
        "Means weighted by shares of a population ({}: {}) are by post-stratification{pairs}{effects}.",
        together.facet,
        listed(&shares)
    )
}

/// How the trends along a facet were tested.
fn of_trends(facet: &str, trends: &[&FacetTrend]) -> String {
    let is_log = trends.iter().any(|trend| trend.scale == FacetScale::Log);
    let scale = if is_log { " on a logarithmic scale" } else { "" };
    let has_adjusted = trends.iter().any(|trend| trend.p_adjusted.is_some());
    let adjusted = if has_adjusted { ", with p values adjusted over models by Holm's method" } else { "" };
    let departs =
        trends.iter().filter_map(|trend| trend.departure.as_ref()).any(|test| test.undefined.is_none());
    let departure = if departs { ", and departures from a line by the remaining contrasts" } else { "" };
    format!("Trends along {facet} are linear contrasts{scale}, tested by Student's t{adjusted}{departure}.")
}

#[cfg(test)]
mod tests {
    use hype_core::serde_json::json;
    use hype_core::{Direction, Measure};

    use super::*;

    #[test]
    fn levels_and_trends_are_in_the_methods() {
        let measure = Measure::new("share", "share", "proportion", Direction::Higher);
        let mut found = MeasureFindings::new(measure);
        assert!(tested(&found).is_empty());
        let read = |value| hype_core::serde_json::from_value(value).unwrap();
        let anova = json!({ "name": "one-way ANOVA", "p": 0.01, "p_adjusted": 0.02, "df": [], "statistic_name": "F" });
        found.interactions = read(json!([{
            "facet": "class", "levels": ["lemon"], "macro_means": [],
            "test": { "name": "interaction of class and model", "p": 0.01, "df": [], "statistic_name": "F" },
        }]));
        found.facets = vec![FacetLevelFindings {
            facet: "class".into(),
            level: "lemon".into(),
            raters: 3,
            estimates: Vec::new(),
            tests: hype_core::serde_json::from_value(json!([anova, anova])).unwrap(),
            comparisons: hype_core::serde_json::from_value(
                json!([{ "method": "Tukey-Kramer", "a": "a", "b": "b", "difference": 0.1, "statistic_name": "q" }]),
            )
            .unwrap(),
            family: None,
        }];
        assert_eq!(
            tested(&found),
            [
                "At each level of class, all models by one-way ANOVA, with p values adjusted over levels by Holm's method, and \
                 pairs of models by Tukey-Kramer were compared.",
                "Whether models differ in the same way at all levels of class is tested by their interaction."
            ]
        );
    }
}
