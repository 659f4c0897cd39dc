//! Tables as papers print them: with the digits that a reader needs in LaTeX and Markdown, and all of them in CSV.

use hype_core::model::findings::{Estimate, MeasureFindings};
use hype_core::model::score::Direction;

use crate::data::{Cell, csv_line};
use crate::numbers::Style;
use crate::source::{ReportSource, estimate_of};
use crate::text::{is_known_to_pdflatex, latex, markdown};
use crate::words::labelled;

mod by_level;
mod metrics;
mod raters;

/// A table for a paper.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperTable {
    /// Its key, such as `t1`, which names its files.
    pub id: String,
    /// Its caption.
    pub caption: String,
    columns: Vec<Heading>,
    rows: Vec<Vec<Entry>>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Heading {
    /// Its name in CSV.
    key: String,
    /// The heading for people.
    text: String,
    is_number: bool,
    /// Whether only the CSV file has it.
    is_hidden: bool,
}

/// A cell: the value, and how it is printed.
#[derive(Debug, Clone, PartialEq)]
struct Entry {
    exact: Cell,
    shown: String,
}

impl Entry {
    fn new(exact: impl Into<Cell>, shown: impl Into<String>) -> Self {
        Self { exact: exact.into(), shown: shown.into() }
    }

    /// A number in the style of a measure, or a dash if it is unknown.
    fn number(style: Style, number: Option<f64>) -> Self {
        Self::new(number, number.map_or_else(|| "–".to_owned(), |number| style.number(number)))
    }
}

impl PaperTable {
    fn new(id: &str, caption: String) -> Self {
        Self { id: id.to_owned(), caption, columns: Vec::new(), rows: Vec::new() }
    }

    fn column(
        &mut self,
        key: impl Into<String>,
        text: impl Into<String>,
        entries: impl IntoIterator<Item = Entry>,
    ) {
        let before = self.columns.len();
        let mut is_number = true;
        for (place, entry) in entries.into_iter().enumerate() {
            is_number &= !matches!(entry.exact, Cell::Text(_));
            match self.rows.get_mut(place) {
                Some(row) => row.push(entry),
                None if before == 0 => self.rows.push(vec![entry]),
                None => {}
            }
        }
        let mut key: String = key.into();
        while self.columns.iter().any(|column| column.key == key) {
            key.push_str("_2");
        }
        self.columns.push(Heading { key, text: text.into(), is_number, is_hidden: false });
    }

    /// Adds a column of numbers that only the CSV file has.
    fn hidden(&mut self, key: String, numbers: impl Iterator<Item = Option<f64>>) {
        self.column(key, "", numbers.map(|number| Entry::new(number, "")));
        if let Some(column) = self.columns.last_mut() {
            column.is_hidden = true;
        }
    }

    /// Its number, such as `1`.
    pub(crate) fn number(&self) -> &str {
        self.id.trim_start_matches('t')
    }

    /// The columns that are printed.
    fn printed(&self) -> impl Iterator<Item = (usize, &Heading)> {
        self.columns.iter().enumerate().filter(|(_, column)| !column.is_hidden)
    }

    /// The printed cells of a row.
    fn cells<'a>(&'a self, row: &'a [Entry]) -> impl Iterator<Item = &'a str> {
        self.printed().map(|(place, _)| &*row[place].shown)
    }

    /// The headings and the printed cells.
    pub(crate) fn shown(&self) -> (Vec<&str>, Vec<Vec<&str>>) {
        let headings = self.printed().map(|(_, column)| &*column.text).collect();
        let rows = self.rows.iter().map(|row| self.cells(row).collect()).collect();
        (headings, rows)
    }

    /// Whether a printed column has numbers.
    pub(crate) fn is_number(&self, column: usize) -> bool {
        self.printed().nth(column).is_some_and(|(_, column)| column.is_number)
    }

    /// The table as CSV, with all digits.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = String::new();
        csv_line(&mut text, self.columns.iter().map(|column| &column.key));
        for row in &self.rows {
            csv_line(&mut text, row.iter().map(|entry| entry.exact.exact()));
        }
        text
    }

    /// The table as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = format!("{}\n\n", markdown(&self.caption));
        text += &line(self.printed().map(|(_, column)| markdown(&column.text)).collect());
        let rule = |column: &Heading| if column.is_number { "---:" } else { "---" }.to_owned();
        text += &line(self.printed().map(|(_, column)| rule(column)).collect());
        for row in &self.rows {
            text += &line(self.cells(row).map(markdown).collect());
        }
        text
    }

    /// The table as LaTeX, for the package `booktabs`. It breaks over pages, with `longtable`, if it is long.
    #[must_use]
    pub fn latex(&self) -> String {
        const LONG: usize = 40;
        let align: String =
            self.printed().map(|(_, column)| if column.is_number { 'r' } else { 'l' }).collect();
        let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let head = line(self.printed().map(|(_, column)| latex(&column.text)).collect());
        let body: String = self.rows.iter().map(|row| line(self.cells(row).map(latex).collect())).collect();
        let (caption, label) = (latex(&self.caption), &self.id);
        let mut text = if self.rows.len() > LONG {
            format!(
                "% \\usepackage{{booktabs, longtable}}\n\\begin{{longtable}}{{{align}}}\n\\caption{{{caption}}}\\label{{tab:{label}}}\\\\\n\
                 \\toprule\n{head}\\midrule\n\\endfirsthead\n\\toprule\n{head}\\midrule\n\\endhead\n\\bottomrule\n\\endlastfoot\n\
                 {body}\\end{{longtable}}\n"
            )
        } else {
            format!(
                "% \\usepackage{{booktabs}}\n\\begin{{table}}\n\\centering\n\\caption{{{caption}}}\n\\label{{tab:{label}}}\n\
                 \\begin{{tabular}}{{{align}}}\n\\toprule\n{head}\\midrule\n{body}\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n"
            )
        };
        if !text.chars().all(is_known_to_pdflatex) {
            text.insert_str(0, "% Some letters need lualatex or xelatex, with a font that has them.\n");
        }
        text
    }
}

/// All tables of a report.
#[must_use]
pub fn tables(source: &ReportSource<'_>) -> Vec<PaperTable> {
    let main = source.score().map(|score| main_table(source, score));
    main.into_iter()
        .chain(published(source))
        .chain(by_level::by_level(source))
        .chain(metrics::metrics(source))
        .chain(raters::raters(source))
        .collect()
}

/// The form in which papers with questionnaires print their results: models by aspects, each mean with the half of its
/// interval.
fn published(source: &ReportSource<'_>) -> Option<PaperTable> {
    let score = source.score()?;
    let is_rating = source.findings.study.as_ref().is_some_and(|study| &*study.task == "rating");
    let aspects: Vec<&MeasureFindings> = source.compared().collect();
    if !is_rating || aspects.len() < 2 {
        return None;
    }
    let mut caption = format!("{}: means, with half of the width of their intervals.", source.name());
    if let Some(caution) = source.caution() {
        caution_first(&mut caption, caution);
    }
    let mut table = PaperTable::new("t2", caption);
    let models = source.models(score);
    table.column("model", "Model", models.iter().map(|model| Entry::new(model, &**model)));
    for found in aspects {
        let style = Style::of(found);
        let half =
            |one: &Estimate| one.interval.as_ref().map(|interval| (interval.high - interval.low) / 2.0);
        let shown = |one: &Estimate| match half(one) {
            Some(half) => format!("{} ± {}", style.number(one.value), style.number(half)),
            None => style.number(one.value),
        };
        let entry = |model: &std::sync::Arc<str>| match estimate_of(found, model) {
            Some(one) => Entry::new(one.value, shown(one)),
            None => Entry::number(style, None),
        };
        table.column(&*found.measure.name, labelled(&found.measure), models.iter().map(entry));
        let halves = models.iter().map(|model| estimate_of(found, model).and_then(half));
        table.hidden(format!("{}_half_width", found.measure.name), halves);
    }
    Some(table)
}

/// The paper's table: rank, score, interval, spread, and the other measures.
fn main_table(source: &ReportSource<'_>, score: &MeasureFindings) -> PaperTable {
    let mean = score.mean_over.map(|over| format!(", {}", over.words())).unwrap_or_default();
    let mut caption = format!("{}: {}{mean}.", source.name(), score.measure.label);
    if let Some(caution) = source.caution() {
        caution_first(&mut caption, caution);
    }
    let mut table = PaperTable::new("t1", caption);
    let models = source.models(score);
    let estimates: Vec<Option<&Estimate>> = models.iter().map(|model| estimate_of(score, model)).collect();
    let style = Style::of(score);
    if score.measure.direction != Direction::Neither {
        // Rankings have a measure of this name.
        let is_measure = source.findings.measures.iter().any(|found| &*found.measure.name == "rank");
        table.column(if is_measure { "place" } else { "rank" }, "Rank", ranks(&estimates));
    }
    table.column("model", "Model", models.iter().map(|model| Entry::new(model, &**model)));
    let of = |get: &dyn Fn(&Estimate) -> Option<f64>| -> Vec<Entry> {
        estimates.iter().map(|one| Entry::number(style, one.and_then(get))).collect()
    };
    let name = &score.measure.name;
    table.column(&**name, labelled(&score.measure), of(&|one| Some(one.value)));
    if estimates.iter().flatten().any(|one| one.interval.is_some()) {
        table.column("low", "Low", of(&|one| one.interval.as_ref().map(|interval| interval.low)));
        table.column("high", "High", of(&|one| one.interval.as_ref().map(|interval| interval.high)));
    }
    let mut spread = |key: &str, text: &str, get: &dyn Fn(&Estimate) -> Option<f64>| {
        if estimates.iter().flatten().any(|one| get(one).is_some()) {
            table.column(key, text, of(get));
        }
    };
    spread("bootstrap_sd", "Std.", &|one| one.bootstrap_sd);
    spread("se", "SE", &|one| one.se.or(one.sem));
    spread("sd", "SD", &|one| one.sd);
    let raters = |one: &Option<&Estimate>| match one {
        Some(one) => Entry::new(one.raters, one.raters.to_string()),
        None => Entry::new(0_u64, "0"),
    };
    table.column("raters", "Raters", estimates.iter().map(raters));
    for found in source.findings.measures[1..].iter().filter(|found| !found.estimates.is_empty()) {
        let style = Style::of(found);
        let entries =
            models.iter().map(|model| Entry::number(style, estimate_of(found, model).map(|one| one.value)));
        table.column(&*found.measure.name, labelled(&found.measure), entries);
    }
    for metric in &source.findings.metrics {
        let style = Style::of_metric(metric.known().map(|(_, value)| value));
        let entries = models.iter().map(|model| {
            let value = metric.known().find(|(known, _)| *known == model);
            Entry::number(style, value.map(|(_, value)| value))
        });
        table.column(&*metric.measure.name, &*metric.measure.label, entries);
    }
    table
}

fn caution_first(caption: &mut String, caution: &str) {
    *caption = format!("{caption} These are {caution}.");
}

/// Ranks from 1; models with the same estimate share the best of theirs.
fn ranks(estimates: &[Option<&Estimate>]) -> Vec<Entry> {
    let mut last: Option<(f64, u64)> = None;
    let rank = |(place, one): (usize, &Option<&Estimate>)| {
        let Some(one) = one else { return Entry::new(Cell::Empty, "–") };
        let rank = match last {
            Some((value, rank)) if value.total_cmp(&one.value).is_eq() => rank,
            _ => place as u64 + 1,
        };
        last = Some((one.value, rank));
        Entry::new(rank, rank.to_string())
    };
    estimates.iter().enumerate().map(rank).collect()
}
