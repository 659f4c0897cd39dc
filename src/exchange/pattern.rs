//! Tables with one row for each person, whose columns name items and models by a pattern.

use std::path::Path;

use hype_core::Row;
use hype_core::words::counted;

use super::answer::{Answer, AnswerCells};
use super::fault::ImportError;
use super::importing::{ImportReport, Importing, Sink};
use super::table::{Next, Table, TableFormat};

/// How the columns of answers are named: text, with placeholders for the item, the model and the measure.
///
/// `{item}_{model}` reads `img01_sdxl`; `{model:sdxl|dalle}` stands for these models alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnPattern {
    text: String,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Name { what: Name, allowed: Vec<String> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Item,
    Model,
    Measure,
}

/// What a column is about: item, model and measure.
type About = [String; 3];

impl ColumnPattern {
    /// Reads a pattern, which has to name the model.
    ///
    /// # Errors
    /// If a placeholder is unknown, repeated or not closed, or the model is not named; the error says what is right.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            let (inner, after) =
                after.split_once('}').ok_or("a placeholder is not closed: write `{model}`")?;
            let (name, allowed) = inner.split_once(':').unwrap_or((inner, ""));
            let what = match name {
                "item" => Name::Item,
                "model" => Name::Model,
                "measure" => Name::Measure,
                other => {
                    return Err(format!(
                        "`{{{other}}}` is unknown: write {{item}}, {{model}} or {{measure}}"
                    ));
                }
            };
            let has_it = |part: &Part| matches!(part, Part::Name { what: known, .. } if *known == what);
            if parts.iter().any(has_it) {
                return Err(format!("`{{{name}}}` is there twice"));
            }
            let allowed = allowed.split('|').filter(|name| !name.is_empty()).map(str::to_owned).collect();
            parts.push(Part::Name { what, allowed });
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        let names_model = parts.iter().any(|part| matches!(part, Part::Name { what: Name::Model, .. }));
        if !names_model {
            return Err("a pattern has to name the model, as in `{item}_{model}`".into());
        }
        Ok(Self { text: text.to_owned(), parts })
    }

    /// All ways in which a column's name can be read.
    fn ways(&self, name: &str) -> Vec<About> {
        let mut found = Vec::new();
        cut(&self.parts, name, &Default::default(), &mut found);
        found
    }
}

/// Adds all ways to read the rest of a name by the rest of a pattern.
fn cut(parts: &[Part], rest: &str, about: &About, found: &mut Vec<About>) {
    match parts {
        [] if rest.is_empty() => found.push(about.clone()),
        [] => {}
        [Part::Text(text), more @ ..] => {
            if let Some(rest) = rest.strip_prefix(text.as_str()) {
                cut(more, rest, about, found);
            }
        }
        [Part::Name { what, allowed }, more @ ..] => {
            let ends = rest.char_indices().skip(1).map(|(place, _)| place).chain([rest.len()]);
            for end in ends.filter(|&end| end > 0) {
                let (name, rest) = rest.split_at(end);
                if allowed.is_empty() || allowed.iter().any(|one| one == name) {
                    let mut about = about.clone();
                    name.trim().clone_into(&mut about[*what as usize]);
                    cut(more, rest, &about, found);
                }
            }
        }
    }
}

/// What is read of a table with one row for each person.
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_structs, reason = "programs describe their tables")]
pub struct WideColumns {
    /// The column of raters.
    pub rater: String,
    /// How the columns of answers are named.
    pub pattern: ColumnPattern,
    /// The measure of columns that name none.
    pub measure: String,
    /// The texts of answers in order, as for [`ColumnNames`](super::ColumnNames).
    pub options: Vec<String>,
}

/// A column of answers.
struct Answers {
    place: usize,
    about: About,
    cells: AnswerCells,
}

/// Reads a table with one row for each person, and passes on a value for each answer.
///
/// # Errors
/// If the table cannot be read, no column fits the pattern or one does in several ways, or cells are no answers. The error lists
/// the faults with their lines.
pub fn wide_table(
    path: &Path,
    columns: &WideColumns,
    format: TableFormat,
    sink: &mut Sink<'_>,
) -> Result<ImportReport, ImportError> {
    let mut table = Table::open(path, format)?;
    let rater_place = table.column_by(&columns.rater, "--rater")?;
    let mut importing = Importing::new("row", sink);
    let mut answers = answers(&table, columns, rater_place, &mut importing)?;
    loop {
        match table.read()? {
            Next::End => break,
            Next::Fault(fault) => importing.fault(fault),
            Next::Record => {
                importing.report.rows += 1;
                let (rater, line) = (table.cell(rater_place), table.line());
                if rater.is_empty() {
                    importing.fault(table.fault(Some(rater_place), "the rater is empty", "name one"));
                }
                for answer in &mut answers {
                    let text = table.cell(answer.place);
                    match answer.cells.read(text, line) {
                        Err((reason, help)) => {
                            importing.fault(table.fault(Some(answer.place), &reason, &help))
                        }
                        Ok(Answer::Missing) => importing.leave_out(missing(text)),
                        Ok(Answer::Value(value)) => {
                            let [item, model, measure] = &answer.about;
                            importing.row(&Row {
                                rater,
                                model,
                                against: "",
                                item,
                                block: 0,
                                measure,
                                value,
                            })?;
                        }
                    }
                }
            }
        }
    }
    importing.report.files = 1;
    table.notes().into_iter().for_each(|note| importing.note(note));
    let mut notes: Vec<String> = answers.iter().flat_map(|answer| answer.cells.notes()).collect();
    notes.truncate(1);
    notes.into_iter().for_each(|note| importing.note(note));
    importing.finish()
}

/// Why a cell is left out.
pub(super) fn missing(text: &str) -> String {
    if text.is_empty() { "empty cells".to_owned() } else { format!("missing values ({text})") }
}

/// The columns of answers.
fn answers(
    table: &Table,
    columns: &WideColumns,
    rater: usize,
    importing: &mut Importing<'_>,
) -> Result<Vec<Answers>, ImportError> {
    let pattern = &columns.pattern;
    let (mut answers, mut others) = (Vec::new(), Vec::new());
    for (place, header) in table.headers().iter().enumerate().filter(|&(place, _)| place != rater) {
        let mut ways = pattern.ways(header);
        match (ways.pop(), ways.len()) {
            (None, _) => others.push(&**header),
            (Some(mut about), 0) => {
                if about[Name::Measure as usize].is_empty() {
                    about[Name::Measure as usize].clone_from(&columns.measure);
                }
                let cells = AnswerCells::new(header, &columns.options, table.decimal_comma);
                answers.push(Answers { place, about, cells });
            }
            (Some(_), more) => {
                return Err(ImportError::Options(format!(
                    "{}, column `{header}`: `{}` reads it in {} ways: name the models, as in {{model:FIRST|SECOND}}",
                    table.name(),
                    pattern.text,
                    more + 1
                )));
            }
        }
    }
    if answers.is_empty() {
        return Err(ImportError::Options(format!(
            "{}: no column is named `{}`. The columns are {}",
            table.name(),
            pattern.text,
            table.listed_headers()
        )));
    }
    let not_read = match &others[..] {
        [] => String::new(),
        [some @ .., last] if some.len() < 5 => {
            format!("; not read: {}", [some, &[*last]].concat().join(", "))
        }
        many => format!("; not read: {} and {} more", many[..5].join(", "), many.len() - 5),
    };
    let [item, model, _] = &answers[0].about;
    let first = &table.headers()[answers[0].place];
    importing.note(format!(
        "{} are answers, such as `{first}` of the model `{model}` and the item `{item}`{not_read}",
        counted(answers.len(), "column")
    ));
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_by_the_pattern() {
        let ways = |pattern: &str, name: &str| ColumnPattern::parse(pattern).unwrap().ways(name).len();
        assert_eq!(ways("{item}_{model}", "img01_sdxl"), 1);
        assert_eq!(ways("{item}_{model}", "img_01_sdxl"), 2);
        assert_eq!(ways("{item}_{model:sdxl|dalle}", "img_01_sdxl"), 1);
        assert_eq!(ways("How real is it? [{model} - {item}]", "How real is it? [é - 1]"), 1);
        assert_eq!(ways("{item}[{model}]", "[x]"), 0);
        for wrong in ["{item}", "{model", "{models}", "{model}{model}", "img"] {
            assert!(ColumnPattern::parse(wrong).is_err(), "{wrong}");
        }
    }
}
