//! The table of models at each level of a facet.

use hype_core::model::findings::{
    Estimate, FacetInteraction, FacetLevelFindings, MeasureFindings, Test, WeightedMeans,
};

use super::{Entry, PaperTable, caution_first};
use crate::numbers::{Style, fixed, p_value};
use crate::separation::{Pair, Pairs};
use crate::source::ReportSource;
use crate::words::labelled;

/// More pairs of models are not printed.
const MOST_PAIRS: usize = 6;

/// The tables of a score by levels, one for each facet, as in Table 4 of the HYPE paper: levels by models, with the tests at each
/// level and its pairs of models.
pub(super) fn by_level(source: &ReportSource<'_>) -> Vec<PaperTable> {
    let Some(found) = source.score() else { return Vec::new() };
    let tables = found.interactions.iter().enumerate().map(|(number, together)| {
        let id = if number == 0 { "s2-by-level".to_owned() } else { format!("s2-by-level-{}", number + 1) };
        table(source, found, together, &id)
    });
    tables.collect()
}

fn table(
    source: &ReportSource<'_>,
    found: &MeasureFindings,
    together: &FacetInteraction,
    id: &str,
) -> PaperTable {
    let style = Style::of(found);
    let levels: Vec<&FacetLevelFindings> =
        found.facets.iter().filter(|level| level.facet == together.facet).collect();
    let mut caption = format!("{}: {} by {}.", source.name(), labelled(&found.measure), together.facet);
    if let Some(Test { statistic: Some(statistic), statistic_name, df, p: Some(p), name, .. }) =
        &together.test
    {
        let df: Vec<String> = df.iter().map(|df| fixed(*df, usize::from(df.fract() != 0.0))).collect();
        let p = p_value(*p);
        let is = if p.starts_with('<') { "p" } else { "p =" };
        let statistic = fixed(*statistic, 2);
        caption += &format!(" The {name}: {statistic_name}({}) = {statistic}, {is} {p}.", df.join(", "));
    }
    if let Some(family) = &together.family {
        caption += &format!(" Adjusted together: {family}.");
    }
    if let Some(caution) = source.caution() {
        caution_first(&mut caption, caution);
    }
    let mut table = PaperTable::new(id, caption);
    let weighted = together.weighted.as_ref();
    let means = (!together.macro_means.is_empty()).then_some(("mean", &*together.macro_means));
    let weighted_means = weighted.map(|found| ("weighted mean", &*found.estimates));
    // Rows of means come last and have no tests; that of weighted ones has pairs.
    let (names, rows): (Vec<&str>, Vec<&[Estimate]>) = levels
        .iter()
        .map(|level| (&*level.level, level.estimates.as_slice()))
        .chain(means)
        .chain(weighted_means)
        .unzip();
    table.column(&*together.facet, &*together.facet, names.into_iter().map(|name| Entry::new(name, name)));
    let mut models: Vec<&str> = Vec::new();
    for one in together.macro_means.iter().chain(rows.iter().copied().flatten()) {
        if !models.contains(&&*one.model) {
            models.push(&one.model);
        }
    }
    for &model in &models {
        let of = |row: &&[Estimate]| row.iter().find(|one| &*one.model == model).cloned();
        let shown = |one: Option<Estimate>| match one {
            None => Entry::number(style, None),
            Some(one) => match &one.interval {
                Some(ends) => {
                    let text = [one.value, ends.low, ends.high].map(|number| style.number(number));
                    Entry::new(one.value, format!("{} [{}, {}]", text[0], text[1], text[2]))
                }
                None => Entry::number(style, Some(one.value)),
            },
        };
        table.column(model, model, rows.iter().map(|row| shown(of(row))));
        let ends = |row: &&[Estimate]| of(row)?.interval;
        table.hidden(format!("{model}_low"), rows.iter().map(|row| Some(ends(row)?.low)));
        table.hidden(format!("{model}_high"), rows.iter().map(|row| Some(ends(row)?.high)));
        table
            .hidden(format!("{model}_se"), rows.iter().map(|row| of(row).and_then(|one| one.se.or(one.sem))));
    }
    tests(&mut table, &levels, rows.len() - levels.len());
    pairs(&mut table, &levels, usize::from(means.is_some()), weighted, &models, style);
    table
}

/// Adds the statistic and the p value of each test at the levels. The rows of means, weighted ones too, have none.
fn tests(table: &mut PaperTable, levels: &[&FacetLevelFindings], means: usize) {
    let mut names: Vec<&str> = Vec::new();
    for test in levels.iter().flat_map(|level| &level.tests) {
        if !names.contains(&&*test.name) {
            names.push(&test.name);
        }
    }
    for (number, name) in names.iter().enumerate() {
        let found: Vec<Option<&Test>> = levels
            .iter()
            .map(|level| level.tests.iter().find(|test| &*test.name == *name))
            .chain(std::iter::repeat_n(None, means))
            .collect();
        let Some(first) = found.iter().copied().flatten().next() else { continue };
        let key = |key: &str| if number == 0 { key.to_owned() } else { format!("{key}_{}", number + 1) };
        // A heading names its test if there are several.
        let text = |text: &str| if names.len() == 1 { text.to_owned() } else { format!("{name}: {text}") };
        let of = |get: fn(&Test) -> Option<f64>, text: &dyn Fn(f64) -> String| -> Vec<Entry> {
            let entry = |number: Option<f64>| Entry::new(number, number.map_or_else(|| "–".to_owned(), text));
            found.iter().map(|test| entry(test.and_then(get))).collect()
        };
        let statistic = of(|test| test.statistic, &|number| fixed(number, 2));
        table.column(key("statistic"), text(&first.statistic_name), statistic);
        table.hidden(key("df1"), found.iter().map(|test| test.and_then(|test| test.df.first().copied())));
        table.hidden(key("df2"), found.iter().map(|test| test.and_then(|test| test.df.get(1).copied())));
        table.column(key("p"), text("p"), of(|test| test.p, &p_value));
        if found.iter().flatten().any(|test| test.p_adjusted.is_some()) {
            table.column(key("p_adjusted"), text("adjusted p"), of(|test| test.p_adjusted, &p_value));
        }
    }
}

/// Adds the p value of each pair of models at the levels and of their weighted means, and in the CSV file its difference and
/// interval. Of many pairs, only the CSV file has the p values. `means` counts the rows of unweighted means.
fn pairs(
    table: &mut PaperTable,
    levels: &[&FacetLevelFindings],
    means: usize,
    weighted: Option<&WeightedMeans>,
    models: &[&str],
    style: Style,
) {
    let place = |name: &str| models.iter().position(|model| *model == name);
    let mut names: Vec<(&str, &str)> = Vec::new();
    let of_weighted = weighted.map_or(&[][..], |found| &found.comparisons);
    for one in levels.iter().flat_map(|level| &level.comparisons).chain(of_weighted) {
        let (a, b) = (&*one.a, &*one.b);
        // The model whose column is first is the first of the pair.
        let pair = if place(a) <= place(b) { (a, b) } else { (b, a) };
        if !names.contains(&pair) {
            names.push(pair);
        }
    }
    let is_printed = names.len() <= MOST_PAIRS;
    for (first, second) in names {
        let found: Vec<Option<Pair<'_>>> = levels
            .iter()
            .map(|level| Pairs::among(&level.comparisons).get(first, second))
            .chain(std::iter::repeat_with(|| None).take(means))
            .chain(weighted.map(|found| Pairs::among(&found.comparisons).get(first, second)))
            .collect();
        let key = |end: &str| format!("{first}_minus_{second}_{end}");
        let p = found.iter().map(|pair| pair.as_ref().and_then(|pair| pair.found.p));
        if is_printed {
            let text = |pair: &Pair<'_>| {
                let p = pair.found.p.map_or_else(|| "–".to_owned(), p_value);
                format!("{} ({p})", style.number(pair.difference()))
            };
            let shown = found.iter().map(|pair| pair.as_ref().map_or_else(|| "–".to_owned(), text));
            let entries = p.zip(shown).map(|(p, shown)| Entry::new(p, shown));
            table.column(key("p"), format!("{first} minus {second} (p)"), entries);
        } else {
            table.hidden(key("p"), p);
        }
        let difference = found.iter().map(|pair| pair.as_ref().map(Pair::difference));
        table.hidden(key("difference"), difference);
        let ends = || found.iter().map(|pair| pair.as_ref().and_then(Pair::interval));
        table.hidden(key("low"), ends().map(|ends| ends.map(|ends| ends.0)));
        table.hidden(key("high"), ends().map(|ends| ends.map(|ends| ends.1)));
    }
}
