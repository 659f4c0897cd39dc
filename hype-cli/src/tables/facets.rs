//! Models over the levels of facets.

use hype_core::FacetScale;
use hype_core::model::findings::{
    Comparison, Estimate, FacetInteraction, FacetLevelFindings, FacetTrend, MeasureFindings, Test,
    WeightedMeans,
};
use hype_core::words::counted;

use crate::grid::{Grid, NO_BREAK};

use super::{
    Page, compared, degrees, estimate_cell, interval, label, number, optional, p_value, percent, test_on,
};

/// Writes the models of the score over the levels of facets.
pub(super) fn facets_on(page: &mut Page, found: &MeasureFindings) {
    for together in &found.interactions {
        let levels: Vec<&FacetLevelFindings> =
            found.facets.iter().filter(|level| level.facet == together.facet).collect();
        levels_on(page, found, together, &levels);
        tests_on(page, together, &levels);
        pairs_on(page, together, &levels);
        if let Some(weighted) = &together.weighted {
            weighted_on(page, together, weighted);
        }
        if let Some(test) = &together.test {
            test_on(page, test);
        }
    }
    trends_on(page, found);
}

/// Writes the estimates with a row for each level and a column for each model, and the means over levels.
fn levels_on(
    page: &mut Page,
    found: &MeasureFindings,
    together: &FacetInteraction,
    levels: &[&FacetLevelFindings],
) {
    let mut models: Vec<&str> = together.macro_means.iter().map(|mean| &*mean.model).collect();
    for estimate in levels.iter().flat_map(|level| &level.estimates) {
        if !models.contains(&&*estimate.model) {
            models.push(&estimate.model);
        }
    }
    let cell = |estimates: &[Estimate], model: &str| {
        let found = estimates.iter().find(|estimate| &*estimate.model == model);
        found.map_or_else(|| "-".into(), estimate_cell)
    };
    page.line(format_args!("\n{}, by {}", label(found), together.facet));
    let mut rows: Vec<(String, &[Estimate])> =
        levels.iter().map(|level| (level.level.to_string(), level.estimates.as_slice())).collect();
    if !together.macro_means.is_empty() {
        rows.push(("mean".into(), &together.macro_means));
    }
    if let Some(weighted) = &together.weighted {
        rows.push(("weighted mean".into(), &weighted.estimates));
    }
    let mut table = Grid::new([&[&*together.facet][..], &models].concat()).right_from(1);
    for (name, estimates) in &rows {
        table.row([name.clone()].into_iter().chain(models.iter().map(|model| cell(estimates, model))));
    }
    if !table.fits(page.width()) {
        table = Grid::new([&*together.facet, "model", "estimate", "interval"]).right_from(2);
        for (name, estimates) in &rows {
            for one in *estimates {
                table.row([
                    name.clone(),
                    one.model.to_string(),
                    number(one.value),
                    one.interval.as_ref().map_or_else(|| "-".into(), interval),
                ]);
            }
        }
    }
    page.table(&table);
    let estimates = levels.iter().flat_map(|level| &level.estimates).chain(&together.macro_means);
    let mut methods: Vec<String> = Vec::new();
    for found in estimates.filter_map(|estimate| estimate.interval.as_ref()) {
        let method = format!("{} %, {}", percent(found.level), found.method);
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    methods.iter().for_each(|method| page.line(format_args!("interval: {method}")));
}

/// Writes the tests at each level.
fn tests_on(page: &mut Page, together: &FacetInteraction, levels: &[&FacetLevelFindings]) {
    let tests = || levels.iter().flat_map(|level| level.tests.iter().map(move |test| (&*level.level, test)));
    if tests().next().is_none() {
        return;
    }
    let adjusted = tests().any(|(_, test)| test.p_adjusted.is_some());
    let mut header = vec![&*together.facet, "test", "statistic", "df", "p"];
    header.extend(adjusted.then_some("adjusted p"));
    let mut table = Grid::new(header).right_from(2);
    for (level, test) in tests() {
        let mut row = vec![level.to_owned(), test.name.to_string()];
        row.extend(statistic(test));
        row.push(p_value(test.p));
        row.extend(adjusted.then(|| p_value(test.p_adjusted)));
        table.row(row);
    }
    page.line(format_args!("\ntests at each level"));
    page.table(&table);
    if adjusted {
        page.line(format_args!(
            "adjusted p: Holm over {}, each kind of test by itself",
            counted(levels.len(), "level")
        ));
    }
}

/// The statistic of a test with its degrees of freedom, or why it is not defined.
fn statistic(test: &Test) -> [String; 2] {
    match &test.undefined {
        Some(reason) => [reason.to_string(), "-".into()],
        None => {
            let df: Vec<String> = test.df.iter().map(|&df| degrees(df)).collect();
            [format!("{}{NO_BREAK}{}", test.statistic_name, optional(test.statistic)), df.join(", ")]
        }
    }
}

/// Writes by which shares levels are weighted, what that costs, and the pairs of weighted means.
fn weighted_on(page: &mut Page, together: &FacetInteraction, weighted: &WeightedMeans) {
    let shares: Vec<String> = together
        .levels
        .iter()
        .zip(&weighted.shares)
        .map(|(level, &share)| format!("{level} {} %", percent(share)))
        .collect();
    page.line(format_args!("\nweighted mean: shares of the population: {}", shares.join(", ")));
    let effects: Vec<String> = weighted
        .design_effects
        .iter()
        .map(|(model, &effect)| format!("{model} {}", number(effect)))
        .collect();
    if !effects.is_empty() {
        page.line(format_args!("design effect of the weights (Kish): {}", effects.join(", ")));
    }
    let Some(first) = weighted.comparisons.first() else { return };
    let mut table = Grid::new(["pair", "difference", "interval", &first.statistic_name, "p"]).right_from(1);
    for pair in &weighted.comparisons {
        table.row(pair_cells(pair));
    }
    let family = weighted.family.as_ref().map(|family| format!("; family: {family}")).unwrap_or_default();
    page.line(format_args!("\npairs of weighted means: {}{family}", first.method));
    page.table(&table);
}

/// A pair of models with its difference, interval, statistic and p value.
fn pair_cells(pair: &Comparison) -> [String; 5] {
    let [name, difference, range] = compared(pair);
    [name, difference, range, optional(pair.statistic), p_value(pair.p)]
}

fn pairs_on(page: &mut Page, together: &FacetInteraction, levels: &[&FacetLevelFindings]) {
    let pairs =
        || levels.iter().flat_map(|level| level.comparisons.iter().map(move |pair| (&*level.level, pair)));
    let Some((_, first)) = pairs().next() else { return };
    let mut table =
        Grid::new(["level", "pair", "difference", "interval", &first.statistic_name, "p"]).right_from(2);
    for (level, pair) in pairs() {
        table.row([level.to_owned()].into_iter().chain(pair_cells(pair)));
    }
    let of_each = || levels.iter().find_map(|level| level.family.as_ref());
    let family = match &together.family {
        Some(family) => format!("; family: {family}"),
        None => of_each().map(|family| format!("; family: {family} at each level")).unwrap_or_default(),
    };
    page.line(format_args!("\npairs at each level: {}{family}", first.method));
    page.table(&table);
}

fn trends_on(page: &mut Page, found: &MeasureFindings) {
    let Some(first) = found.trends.first() else { return };
    let adjusted = found.trends.iter().any(|trend| trend.p_adjusted.is_some());
    page.line(format_args!("\n{}, trend along {}", label(found), first.facet));
    let mut header = vec!["model", "slope", "interval", "se", "t", "df", "p"];
    header.extend(adjusted.then_some("adjusted p"));
    let mut table = Grid::new(header).right_from(1);
    for trend in &found.trends {
        let mut row = vec![
            trend.model.to_string(),
            optional(trend.slope),
            match (&trend.interval, &trend.undefined) {
                (Some(found), _) => interval(found),
                (None, Some(reason)) => reason.to_string(),
                (None, None) => "-".into(),
            },
            optional(trend.se),
            optional(trend.t),
            trend.df.map_or_else(|| "-".into(), degrees),
            p_value(trend.p),
        ];
        row.extend(adjusted.then(|| p_value(trend.p_adjusted)));
        table.row(row);
    }
    page.table(&table);
    page.line(format_args!("slope: change for {}", unit(first)));
    if adjusted {
        page.line(format_args!("adjusted p: Holm over {}", counted(found.trends.len(), "trend")));
    }
    for trend in &found.trends {
        if let Some(departure) = &trend.departure {
            let named =
                Test { name: format!("{}, {}", trend.model, departure.name).into(), ..departure.clone() };
            test_on(page, &named);
        }
    }
}

/// Returns the unit of a slope.
fn unit(trend: &FacetTrend) -> String {
    match trend.scale {
        FacetScale::Linear => format!("1 more of {}", trend.facet),
        FacetScale::Log => format!("e times as much of {}; times 0.693 for twice as much", trend.facet),
    }
}
