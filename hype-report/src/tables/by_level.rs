//! The table of models at each level of a facet.

use hype_core::model::findings::{Estimate, FacetInteraction, FacetLevelFindings, MeasureFindings, Test};

use super::{Entry, PaperTable, caution_first};
use crate::source::ReportSource;
use crate::text::{Style, fixed, labelled, p_value};

/// The tables of a score by levels, one for each facet, as in Table 4 of the HYPE paper: levels by models, with the test at each
/// level.
pub(super) fn by_level(source: &ReportSource<'_>) -> Vec<PaperTable> {
    let Some(found) = source.score() else { return Vec::new() };
    let tables = found.interactions.iter().enumerate().map(|(number, together)| {
        let id = if number == 0 { "t3".to_owned() } else { format!("t3-{}", number + 1) };
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
    let mut caption = format!("{}: {} by {}.", source.name(), labelled(found), together.facet);
    if let Some(Test { statistic: Some(statistic), statistic_name, df, p: Some(p), name, .. }) =
        &together.test
    {
        let df: Vec<String> = df.iter().map(|df| fixed(*df, usize::from(df.fract() != 0.0))).collect();
        let p = p_value(*p);
        let is = if p.starts_with('<') { "p" } else { "p =" };
        let statistic = fixed(*statistic, 2);
        caption += &format!(" The {name}: {statistic_name}({}) = {statistic}, {is} {p}.", df.join(", "));
    }
    if let Some(caution) = source.caution() {
        caution_first(&mut caption, caution);
    }
    let mut table = PaperTable::new(id, caption);
    let names = levels.iter().map(|level| &*level.level).chain(["mean"]);
    table.column(&*together.facet, &*together.facet, names.map(|name| Entry::new(name, name)));
    let rows: Vec<&[Estimate]> =
        levels.iter().map(|level| level.estimates.as_slice()).chain([&*together.macro_means]).collect();
    let mut models: Vec<&str> = Vec::new();
    for one in together.macro_means.iter().chain(rows.iter().copied().flatten()) {
        if !models.contains(&&*one.model) {
            models.push(&one.model);
        }
    }
    for model in models {
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
    let tests: Vec<Option<&Test>> = levels.iter().map(|level| level.tests.first()).chain([None]).collect();
    if let Some(first) = tests.iter().copied().flatten().next() {
        let of = |get: fn(&Test) -> Option<f64>, text: &dyn Fn(f64) -> String| -> Vec<Entry> {
            let entry = |number: Option<f64>| Entry::new(number, number.map_or_else(|| "–".to_owned(), text));
            tests.iter().map(|test| entry(test.and_then(get))).collect()
        };
        table.column(
            "statistic",
            &*first.statistic_name,
            of(|test| test.statistic, &|number| fixed(number, 2)),
        );
        table.hidden("df1".into(), tests.iter().map(|test| test.and_then(|test| test.df.first().copied())));
        table.hidden("df2".into(), tests.iter().map(|test| test.and_then(|test| test.df.get(1).copied())));
        table.column("p", "p", of(|test| test.p, &p_value));
        if tests.iter().flatten().any(|test| test.p_adjusted.is_some()) {
            table.column("p_adjusted", "adjusted p", of(|test| test.p_adjusted, &p_value));
        }
    }
    table
}
