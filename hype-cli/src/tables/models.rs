//! Tables of models for one screen: the study's score with its intervals drawn, other measures, and criteria next to each other.

use hype_core::model::findings::{Estimate, Findings, MeasureFindings};
use hype_core::model::score::Direction;
use hype_report::letters;
use hype_report::numbers::{Style, percent};
use hype_report::words::{self, Unit, criterion};

use super::strip::Strip;
use crate::terminal::{columns, is_utf8, shortened};

/// More models are not all shown: the first ones and the last ones are.
const MODELS: usize = 12;
const FIRST: usize = 5;
const LAST: usize = 3;
/// The columns from which on intervals are drawn, and that an axis takes at least.
const DRAWN: usize = 90;
const LEAST: usize = 24;
/// The columns between two others.
const GAP: usize = 2;

/// Names and marks of models, and the columns that lines may take.
pub(super) struct Sheet<'a, 's> {
    pub(super) findings: &'a Findings,
    /// The marks of notes on the number of a model by a measure.
    pub(super) mark: &'s dyn Fn(&MeasureFindings, &str) -> String,
    pub(super) width: usize,
}

/// A line, with the model that it draws.
pub(super) type Line<'a> = (String, Option<&'a str>);

/// A column: its heading, its cells, and whether they stand at its right end.
struct Column {
    cells: Vec<String>,
    right: bool,
}

impl Column {
    fn new(heading: impl Into<String>, cells: impl IntoIterator<Item = String>) -> Self {
        Self { cells: std::iter::once(heading.into()).chain(cells).collect(), right: true }
    }

    fn left(self) -> Self {
        Self { right: false, ..self }
    }

    fn width(&self) -> usize {
        self.cells.iter().map(|cell| columns(cell)).max().unwrap_or(0)
    }
}

/// The lines of columns next to each other; the first is the head.
fn lines(all: &[Column]) -> Vec<String> {
    let count = all.first().map_or(0, |column| column.cells.len());
    let line = |place: usize| {
        let mut line = " ".to_owned();
        for (number, column) in all.iter().enumerate().filter(|(_, column)| column.width() > 0) {
            let cell = &column.cells[place];
            let blanks = " ".repeat(column.width() - columns(cell));
            line.push_str(&" ".repeat(if number > 0 { GAP } else { 0 }));
            let parts = if column.right { [&*blanks, cell] } else { [&**cell, &blanks] };
            line.extend(parts);
        }
        line.trim_end().to_owned()
    };
    (0..count).map(line).collect()
}

fn total(all: &[Column]) -> usize {
    1 + all.iter().map(Column::width).filter(|width| *width > 0).map(|width| width + GAP).sum::<usize>()
}

impl<'a> Sheet<'a, '_> {
    /// Returns the name of a model as it is shown.
    pub(super) fn name(&self, model: &str) -> String {
        let own = self.findings.models.get(model).and_then(|own| own.label.as_deref());
        shortened(own.unwrap_or(model), words::LONGEST.min(self.width / 4))
    }

    /// The models of a measure that are shown, and how many between them are not.
    fn shown(&self, found: &'a MeasureFindings) -> (Vec<&'a Estimate>, usize) {
        let all: Vec<&Estimate> = found.estimates.iter().collect();
        let hidden = if all.len() > MODELS { all.len() - FIRST - LAST } else { 0 };
        let is_shown = |place: usize| hidden == 0 || place < FIRST || place >= FIRST + hidden;
        (
            all.into_iter().enumerate().filter(|(place, _)| is_shown(*place)).map(|(_, one)| one).collect(),
            hidden,
        )
    }

    /// The table of the study's score; `title` has the marks of notes on all of it.
    pub(super) fn score(&self, found: &'a MeasureFindings, marks: &str) -> Vec<Line<'a>> {
        let (shown, hidden) = self.shown(found);
        let style = Style::of(found);
        let of = |cell: &dyn Fn(&Estimate) -> String| shown.iter().map(|one| cell(one)).collect::<Vec<_>>();
        let level = shown.iter().find_map(|one| Some(percent(one.interval.as_ref()?.level)));
        let range = |one: &Estimate| one.interval.as_ref().map(|range| (range.low, range.high));
        let groups = letters(found).unwrap_or_default();
        let group = |one: &Estimate| {
            let place = found.estimates.iter().position(|other| other.model == one.model);
            place
                .and_then(|place| groups.get(place))
                .map_or_else(String::new, |letters| shortened(letters, 8))
        };
        let mut all = vec![
            Column::new(title(found), of(&|one| self.name(&one.model))).left(),
            Column::new("", of(&|one| style.cell(one.value, None))),
            Column::new(
                level.map_or_else(String::new, |level| format!("{level}% CI")),
                of(&|one| range(one).map_or_else(String::new, |ends| style.ends(ends))),
            ),
            Column::new(
                marks.trim_start(),
                of(&|one| (self.mark)(found, &one.model).trim_start().to_owned()),
            )
            .left(),
            Column::new("n", of(&|one| one.raters.to_string())),
            Column::new(if groups.is_empty() { "" } else { "group" }, of(&group)).left(),
        ];
        let room = self.width.saturating_sub(total(&all) + GAP);
        if self.width >= DRAWN && is_utf8() && room >= LEAST {
            let ends = |one: &&Estimate| {
                let (low, high) = range(one).unwrap_or((one.value, one.value));
                [low, one.value, high]
            };
            if let Some(strip) = Strip::new(style, found.estimates.iter().flat_map(|one| ends(&one)), room) {
                let drawn = Column::new(strip.ticks(), of(&|one| strip.row(one.value, range(one)))).left();
                all.insert(4, drawn);
            }
        }
        let models = std::iter::once(None).chain(shown.iter().map(|one| Some(&*one.model)));
        let mut table: Vec<Line<'a>> = lines(&all).into_iter().zip(models).collect();
        if hidden > 0 {
            table.insert(1 + FIRST, (format!(" … {hidden} more"), None));
        }
        table
    }

    /// Other measures, a line each, with the best models next to each other.
    pub(super) fn others(&self, score: &'a MeasureFindings, others: &[&'a MeasureFindings]) -> Vec<String> {
        let models: Vec<&str> = score.estimates.iter().map(|one| &*one.model).collect();
        let tested = others.iter().any(|found| !found.comparisons.is_empty());
        let title = if tested { "also" } else { "also (differences not tested)" };
        for with_ends in [true, false] {
            for count in (1..=models.len().min(MODELS)).rev() {
                let table = self.of_models(title, score, others, &models[..count], with_ends);
                let fits = total(&table) - GAP <= self.width;
                if fits && (!with_ends || count == models.len()) {
                    let mut table = lines(&table);
                    if count < models.len() {
                        table[0].push_str(&format!("  … {} more", models.len() - count));
                    }
                    if columns(&table[0]) <= self.width {
                        return table;
                    }
                }
            }
        }
        Vec::new()
    }

    fn of_models(
        &self,
        title: &str,
        score: &MeasureFindings,
        others: &[&MeasureFindings],
        models: &[&str],
        with_ends: bool,
    ) -> Vec<Column> {
        let named = others.iter().map(|found| named(score, found));
        let mut all = vec![Column::new(title, named).left()];
        all.extend(models.iter().map(|model| {
            let cell = |found: &&MeasureFindings| {
                let Some(one) = found.estimates.iter().find(|one| *one.model == **model) else {
                    return "–".to_owned();
                };
                let is_same = words::label(&found.measure) == words::label(&score.measure);
                let ends = one.interval.as_ref().map(|range| (range.low, range.high));
                let ends = ends.filter(|_| with_ends && !is_same);
                let of_score = score.estimates.iter().find(|other| other.model == one.model);
                let fewer = of_score.is_some_and(|other| other.raters != one.raters);
                let n = if is_same && fewer { format!(" n {}", one.raters) } else { String::new() };
                format!("{}{n}{}", Style::of(found).cell(one.value, ends), (self.mark)(found, model))
            };
            Column::new(self.name(model), others.iter().map(cell))
        }));
        all
    }

    /// Criteria of one scale next to each other, as many as fit; with the number of those.
    pub(super) fn criteria(&self, all: &[&'a MeasureFindings]) -> (Vec<Line<'a>>, usize) {
        let (shown, hidden) = self.shown(all[0]);
        let names = shown.iter().map(|one| self.name(&one.model));
        let mut table = vec![Column::new(title(all[0]), names).left()];
        let mut count = 0;
        for found in all {
            let (style, groups) = (Style::of(found), letters(found).unwrap_or_default());
            let place = |model: &str| found.estimates.iter().position(|one| *one.model == *model);
            let cell = |one: &&Estimate| {
                let Some(place) = place(&one.model) else { return "–".to_owned() };
                let own = &found.estimates[place];
                let ends = own.interval.as_ref().map(|range| (range.low, range.high));
                let mark = (self.mark)(found, &one.model);
                format!(
                    "{}{mark} {:>5}",
                    style.cell(own.value, ends),
                    groups.get(place).map_or("", |group| group)
                )
            };
            let column =
                Column::new(format!("{} group", words::panel(&found.measure)), shown.iter().map(cell));
            if count > 0 && total(&table) + column.width() > self.width {
                break;
            }
            table.push(column);
            count += 1;
        }
        let models = std::iter::once(None).chain(shown.iter().map(|one| Some(&*one.model)));
        let mut table: Vec<Line<'a>> = lines(&table).into_iter().zip(models).collect();
        if hidden > 0 {
            table.insert(1 + FIRST, (format!(" … {hidden} more"), None));
        }
        (table, count)
    }

    /// How often models beat each other by a criterion, if the votes are known and few models were compared.
    pub(super) fn wins(&self, score: &'a MeasureFindings) -> Vec<String> {
        let own = self
            .findings
            .measures
            .iter()
            .filter(|found| criterion(&found.measure) == criterion(&score.measure));
        let Some(votes) = own.flat_map(|found| &found.tables).find(|table| &*table.name == "votes") else {
            return Vec::new();
        };
        let place = |name: &str| votes.columns.iter().position(|column| &*column.name == name);
        let (Some(a), Some(b), Some(rate)) = (place("a"), place("b"), place("win_rate")) else {
            return Vec::new();
        };
        let models: Vec<&str> = score.estimates.iter().map(|one| &*one.model).collect();
        let share = |row: &str, column: &str| {
            votes.rows.iter().find_map(|cells| {
                let share = cells[rate].as_f64()?;
                match (cells[a].as_str()?, cells[b].as_str()?) {
                    (first, second) if (first, second) == (row, column) => Some(share),
                    (first, second) if (second, first) == (row, column) => Some(1.0 - share),
                    _ => None,
                }
            })
        };
        let cell = |row: &str, column: &str| {
            share(row, column).map_or_else(|| "·".to_owned(), |share| format!("{:.0}%", 100.0 * share))
        };
        let title = format!("{}, row beats column", words::panel(&score.measure));
        let mut table = vec![Column::new(title, models.iter().map(|model| self.name(model))).left()];
        for column in &models {
            table.push(Column::new(self.name(column), models.iter().map(|row| cell(row, column))));
        }
        if models.len() > MODELS / 2 || total(&table) - GAP > self.width { Vec::new() } else { lines(&table) }
    }
}

/// The measures that are compared and have estimates.
pub(super) fn compared(findings: &Findings) -> Vec<&MeasureFindings> {
    let is_shown = |found: &&MeasureFindings| {
        let measure = &found.measure;
        !found.estimates.is_empty()
            && measure.direction != Direction::Neither
            && measure.descriptive.is_none()
    };
    findings.measures.iter().filter(is_shown).collect()
}

/// The name of the column of models.
fn title(found: &MeasureFindings) -> String {
    match Unit::of(&found.measure) {
        unit @ (Unit::Ms | Unit::LogOdds) if found.measure.shown.is_none() => unit.name(),
        _ => words::label(&found.measure),
    }
}

/// The name of another measure, with its criterion or estimator and its scale.
fn named(score: &MeasureFindings, found: &MeasureFindings) -> String {
    let (label, panel) = (words::label(&found.measure), words::panel(&found.measure));
    let name = match criterion(&found.measure) {
        _ if label == words::label(&score.measure) => panel,
        Some(_) => format!("{label}, {panel}"),
        None => label,
    };
    let name = shortened(&name, words::LONGEST + 8);
    match Unit::of(&found.measure) {
        Unit::Scale(low, high) => format!("{name}, {low} to {high}"),
        _ => name,
    }
}
