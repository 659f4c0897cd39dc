//! Tables as papers print them: with the digits that a reader needs in LaTeX and Markdown, and all of them in CSV.

use std::fmt::Write as _;

use hype_core::model::findings::{Estimate, MeasureFindings};
use hype_core::model::score::Direction;

use crate::data::{Cell, csv_line};
use crate::draw::room;
use crate::figures::of_one_scale;
use crate::numbers::{Style, count, percent};
use crate::prose;
use crate::separation::{Pairs, letters, methods_of};
use crate::source::{ReportSource, estimate_of, level_of};
use crate::text::{is_known_to_pdflatex, latex, listed, markdown};
use crate::words;

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

    /// Its number, such as `1`; supplements have none.
    pub(crate) fn number(&self) -> Option<&str> {
        self.id.strip_prefix('t')
    }

    /// Returns the subject of a supplement, such as `measures`.
    pub(crate) fn about(&self) -> String {
        self.id.split_once('-').map_or(&*self.id, |(_, about)| about).replace('-', " ")
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
            // What no column of a paper has room for spans both.
            let table = if self.is_wide() { "table*" } else { "table" };
            format!(
                "% \\usepackage{{booktabs}}\n\\begin{{{table}}}\n\\centering\n\\footnotesize\n\\setlength{{\\tabcolsep}}{{3pt}}\n\\caption{{{caption}}}\n\\label{{tab:{label}}}\n\
                 \\begin{{tabular}}{{@{{}}{align}@{{}}}}\n\\toprule\n{head}\\midrule\n{body}\\bottomrule\n\\end{{tabular}}\n\\end{{{table}}}\n"
            )
        };
        if !text.chars().all(is_known_to_pdflatex) {
            text.insert_str(0, "% Some letters need lualatex or xelatex, with a font that has them.\n");
        }
        text
    }
}

impl PaperTable {
    /// Whether the table is wider than a column of 3.25 in, in letters of 8 pt.
    fn is_wide(&self) -> bool {
        const COLUMN: f64 = 234.0;
        const GAP: f64 = 8.0;
        // The letters of papers are narrower than those of the page.
        const NARROWER: f64 = 0.85;
        let cells = self.rows.iter().map(|row| self.cells(row).collect::<Vec<_>>());
        let head = self.printed().map(|(_, column)| &*column.text).collect();
        let mut widths = vec![0.0_f64; self.printed().count()];
        for row in cells.chain([head]) {
            for (widest, text) in widths.iter_mut().zip(row) {
                *widest = widest.max(NARROWER * room(text, 8.0));
            }
        }
        widths.iter().sum::<f64>() + GAP * (widths.len().max(1) - 1) as f64 > COLUMN
    }
}

/// All tables of a report: that of a paper first, then supplements.
#[must_use]
pub fn tables(source: &ReportSource<'_>) -> Vec<PaperTable> {
    let main = source.score().map(|score| main_table(source, score));
    main.into_iter()
        .chain(by_level::by_level(source))
        .chain(metrics::metrics(source))
        .chain(raters::raters(source))
        .chain((!source.findings.measures.is_empty()).then(|| every_measure(source)))
        .collect()
}

/// The paper's table: the estimates of the score with the differences from the best model, or of all measures of its scale.
fn main_table(source: &ReportSource<'_>, score: &MeasureFindings) -> PaperTable {
    let group = of_one_scale(source, score);
    let level = percent(level_of(score));
    let mean = score.mean_over.map(|over| format!(", {}", over.words())).unwrap_or_default();
    let labels: Vec<String> = group.iter().map(|found| words::panel(&found.measure)).collect();
    let what = if group.len() > 1 { listed(&labels) } else { words::label(&score.measure) };
    let has_interval = group.iter().flat_map(|found| &found.estimates).any(|one| one.interval.is_some());
    let intervals = if has_interval { format!("with {level}%") } else { "without".to_owned() };
    let mut caption = format!("{}: {what}{mean}, {intervals} intervals.", source.name());
    let methods = methods_of(&score.comparisons);
    if !methods.is_empty() && letters(score).is_some() {
        let _ = write!(caption, " Models without a common letter differ ({}).", listed(&methods));
    }
    if let Some(caution) = source.caution() {
        caution_first(&mut caption, caution);
    }
    let mut table = PaperTable::new("t1", caption);
    let models = source.models(score);
    table.column("model", "Model", models.iter().map(|model| Entry::new(model, source.label_of(model))));
    if group.len() > 1 {
        for found in group {
            criterion_column(&mut table, source, found, &models);
        }
        return table;
    }
    let style = Style::of(score);
    let estimates: Vec<Option<&Estimate>> = models.iter().map(|model| estimate_of(score, model)).collect();
    let ends = |one: &Estimate| one.interval.as_ref().map(|interval| (interval.low, interval.high));
    let heading = prose::capital(&words::labelled(&score.measure));
    let cells = estimates.iter().zip(&models).map(|(one, model)| match one {
        Some(one) => {
            let marks = source.marks_of_interval(&score.measure.name, model);
            Entry::new(one.value, format!("{}{marks}", style.cell(one.value, ends(one))))
        }
        None => Entry::new(Cell::Empty, "–"),
    });
    table.column(&*score.measure.name, heading, cells);
    table.hidden("low".to_owned(), estimates.iter().map(|one| one.and_then(|one| Some(ends(one)?.0))));
    table.hidden("high".to_owned(), estimates.iter().map(|one| one.and_then(|one| Some(ends(one)?.1))));
    difference_column(&mut table, score, &models);
    table.column(
        "raters",
        "n",
        estimates.iter().map(|one| {
            let raters = one.map_or(0, |one| one.raters);
            Entry::new(raters, count(raters))
        }),
    );
    group_column(&mut table, score, &models);
    table
}

/// The estimates of a measure of several, with the letters of groups.
fn criterion_column(
    table: &mut PaperTable,
    source: &ReportSource<'_>,
    found: &MeasureFindings,
    models: &[std::sync::Arc<str>],
) {
    let (style, groups) = (Style::of(found), letters(found));
    let entry = |model: &std::sync::Arc<str>| match estimate_of(found, model) {
        Some(one) => {
            let ends = one.interval.as_ref().map(|interval| (interval.low, interval.high));
            let place = found.estimates.iter().position(|other| other.model == *model);
            let letters = place.and_then(|place| groups.as_ref()?.get(place).cloned()).unwrap_or_default();
            let marks = source.marks_of_interval(&found.measure.name, model);
            Entry::new(one.value, format!("{}{marks} {letters}", style.cell(one.value, ends)).trim_end())
        }
        None => Entry::new(Cell::Empty, "–"),
    };
    let unit = words::Unit::of(&found.measure).name();
    let unit = if unit.is_empty() || unit == "%" { String::new() } else { format!(" ({unit})") };
    let heading = format!("{}{unit}", prose::capital(&words::panel(&found.measure)));
    table.column(&*found.measure.name, heading, models.iter().map(entry));
    let ends = |model: &std::sync::Arc<str>| estimate_of(found, model)?.interval.clone();
    let name = &found.measure.name;
    table.hidden(format!("{name}_low"), models.iter().map(|model| ends(model).map(|one| one.low)));
    table.hidden(format!("{name}_high"), models.iter().map(|model| ends(model).map(|one| one.high)));
}

/// The differences from the best model, unless none was tested.
fn difference_column(table: &mut PaperTable, score: &MeasureFindings, models: &[std::sync::Arc<str>]) {
    let Some(best) = score.estimates.first() else { return };
    let (pairs, style) = (Pairs::of(score), Style::of(score).of_differences());
    let found: Vec<_> = models.iter().map(|model| pairs.get(model, &best.model)).collect();
    if found.iter().all(Option::is_none) || score.measure.direction == Direction::Neither {
        return;
    }
    let cells = found.iter().map(|pair| match pair {
        Some(pair) => Entry::new(
            pair.difference(),
            pair.interval().map_or_else(
                || style.number(pair.difference()),
                |ends| format!("{} {}", style.number(pair.difference()), style.ends(ends)),
            ),
        ),
        None => Entry::new(Cell::Empty, "–"),
    });
    let unit = prose::unit_of_differences(score);
    let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
    table.column("difference", format!("Difference{unit}"), cells);
    let ends = |get: fn((f64, f64)) -> f64| {
        found.iter().map(move |pair| pair.and_then(|pair| pair.interval()).map(get))
    };
    table.hidden("difference_low".to_owned(), ends(|ends| ends.0));
    table.hidden("difference_high".to_owned(), ends(|ends| ends.1));
    table.hidden("p".to_owned(), found.iter().map(|pair| pair.and_then(|pair| pair.found.p)));
}

/// The letters of groups, if all pairs were compared.
fn group_column(table: &mut PaperTable, score: &MeasureFindings, models: &[std::sync::Arc<str>]) {
    let Some(groups) = letters(score) else { return };
    let entry = |model: &std::sync::Arc<str>| {
        let place = score.estimates.iter().position(|one| one.model == *model);
        let letters = place.and_then(|place| groups.get(place).cloned()).unwrap_or_default();
        Entry::new(letters.as_str(), letters.as_str())
    };
    table.column("group", "Group", models.iter().map(entry));
}

/// All measures with their spreads, a row for each estimate.
fn every_measure(source: &ReportSource<'_>) -> PaperTable {
    let caption = format!("{}: all measures.", source.name());
    let mut table = PaperTable::new("s1-all-measures", caption);
    let rows: Vec<(&MeasureFindings, &Estimate)> = source
        .findings
        .measures
        .iter()
        .flat_map(|found| found.estimates.iter().map(move |one| (found, one)))
        .collect();
    table.column(
        "measure",
        "Measure",
        rows.iter().map(|(found, _)| Entry::new(&found.measure.name, &*found.measure.label)),
    );
    table.column(
        "model",
        "Model",
        rows.iter().map(|(_, one)| Entry::new(&one.model, source.label_of(&one.model))),
    );
    table.column(
        "value",
        if rows.iter().any(|(_, one)| one.interval.is_some()) { "Estimate [CI]" } else { "Estimate" },
        rows.iter().map(|(found, one)| {
            let ends = one.interval.as_ref().map(|interval| (interval.low, interval.high));
            Entry::new(one.value, Style::of(found).cell(one.value, ends))
        }),
    );
    let mut hidden = |key: &str, get: fn(&Estimate) -> Option<f64>| {
        table.hidden(key.to_owned(), rows.iter().map(|(_, one)| get(one)));
    };
    hidden("low", |one| Some(one.interval.as_ref()?.low));
    hidden("high", |one| Some(one.interval.as_ref()?.high));
    hidden("bootstrap_sd", |one| one.bootstrap_sd);
    let mut spread = |key: &str, text: &str, get: fn(&Estimate) -> Option<f64>| {
        let entry = |(found, one): &(&MeasureFindings, &Estimate)| Entry::number(Style::of(found), get(one));
        table.column(key, text, rows.iter().map(entry));
    };
    spread("se", "SE", |one| one.se.or(one.sem));
    spread("sd", "SD", |one| one.sd);
    table.column("raters", "Raters", rows.iter().map(|(_, one)| Entry::new(one.raters, count(one.raters))));
    table.column(
        "answers",
        "Answers",
        rows.iter().map(|(_, one)| Entry::new(one.responses, count(one.responses))),
    );
    table
}

fn caution_first(caption: &mut String, caution: &str) {
    *caption = format!("{caption} These are {caution}.");
}
