//! Reads a table of items: CSV or JSON Lines with one row for each item.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use csv::{ReaderBuilder, StringRecord};
use hype_core::diagnostics::{Diagnostics, nearest};
use hype_core::study::spec::{ItemSpec, SubjectSpec};
use hype_core::words::counted;

use crate::separator;

/// The maximum number of listed faults.
const FAULTS_TOLD: usize = 5;

const COLUMNS: [&str; 6] = ["item", "prompt", "instruction", "source", "mask", "control"];

/// Reads the table at a path, in which items may have levels of some facets; `None` if it cannot be used. `name` is its name in
/// diagnostics.
pub(super) fn read(path: &Path, name: &str, facets: &[&str], at: &mut Diagnostics) -> Option<Vec<ItemSpec>> {
    let file = match File::open(path) {
        Ok(file) => BufReader::new(file),
        Err(error) => {
            at.error("unreadable", format!("{name} cannot be read: {error}"))
                .help("the path is relative to the spec's folder");
            return None;
        }
    };
    let is_json = path.extension().is_some_and(|kind| kind == "jsonl" || kind == "ndjson");
    let (items, faults) = if is_json { read_json_lines(file) } else { read_csv(file, facets) };
    tell(&faults, name, at);
    if items.is_empty() && faults.is_empty() {
        at.error("empty", format!("{name} has no items"));
    }
    faults.is_empty().then_some(items)
}

/// The faults of a table, by line.
pub(in crate::open) type Faults = Vec<(u64, String)>;

/// Reports the first faults of a table, and how many more there are.
pub(in crate::open) fn tell(faults: &Faults, name: &str, at: &mut Diagnostics) {
    for (line, fault) in faults.iter().take(FAULTS_TOLD) {
        at.error("bad-row", format!("{name}, line {line}: {fault}"));
    }
    if faults.len() > FAULTS_TOLD {
        at.error("bad-row", format!("{name} has {}", counted(faults.len() - FAULTS_TOLD, "more fault")));
    }
}

fn read_json_lines(file: BufReader<File>) -> (Vec<ItemSpec>, Faults) {
    let (mut items, mut faults) = (Vec::new(), Faults::new());
    for (index, line) in file.lines().enumerate() {
        let number = index as u64 + 1;
        match line {
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => match serde_json::from_str(&line) {
                Ok(item) => items.push(item),
                Err(error) => faults.push((number, error.to_string())),
            },
            Err(error) => {
                faults.push((number, error.to_string()));
                break;
            }
        }
    }
    (items, faults)
}

fn read_csv(file: BufReader<File>, facets: &[&str]) -> (Vec<ItemSpec>, Faults) {
    let mut reader = ReaderBuilder::new().trim(csv::Trim::All).from_reader(file);
    let headers = match reader.headers() {
        Ok(headers) => headers.clone(),
        Err(error) => return (Vec::new(), vec![row_fault(&error)]),
    };
    let faults = header_faults(&headers, facets);
    if !faults.is_empty() {
        return (Vec::new(), faults);
    }
    let (mut items, mut faults) = (Vec::new(), Faults::new());
    for record in reader.records() {
        match record {
            Ok(record) => {
                let line = record.position().map_or(0, csv::Position::line);
                let item = item(&headers, &record, facets);
                faults.extend(gap(&item).map(|fault| (line, fault)));
                items.push(item);
            }
            Err(error) => faults.push(row_fault(&error)),
        }
    }
    (items, faults)
}

/// The line and the text of a fault that prevents a row from being read.
pub(in crate::open) fn row_fault(error: &csv::Error) -> (u64, String) {
    let line = error.position().map_or(1, csv::Position::line);
    let text = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => format!(
            "the row has {}, but the first row has {expected_len}; quote cells that contain commas",
            counted(*len, "cell")
        ),
        csv::ErrorKind::Utf8 { err, .. } => format!("cell {} is not UTF-8", err.field() + 1),
        _ => error.to_string(),
    };
    (line, text)
}

fn header_faults(headers: &StringRecord, facets: &[&str]) -> Faults {
    let mut faults = Faults::new();
    if let Some(found) = separator::in_header(headers) {
        faults.push((
            1,
            format!(
                "the cells are separated by {found}, but a comma was expected; save the table with commas"
            ),
        ));
        return faults;
    }
    if !headers.iter().any(|header| header == "item") {
        faults.push((1, "there is no column `item`".into()));
    }
    for (place, header) in headers.iter().enumerate() {
        if headers.iter().take(place).any(|before| before == header) {
            faults.push((1, format!("the column `{header}` is repeated")));
        }
        if !COLUMNS.contains(&header) && !facets.contains(&header) && subject_column(header).is_none() {
            let hint = nearest(header, COLUMNS.iter().chain(facets).copied())
                .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            faults.push((
                1,
                format!(
                    "unknown column `{header}`{hint} The columns are {}, subject_1, subject_1_image, …, and those of facets of \
                     items",
                    [&COLUMNS, facets].concat().join(", ")
                ),
            ));
        }
    }
    faults
}

/// The number of a column's subject, and whether the column contains its image.
fn subject_column(header: &str) -> Option<(usize, bool)> {
    let rest = header.strip_prefix("subject_")?;
    let (number, is_image) = rest.strip_suffix("_image").map_or((rest, false), |number| (number, true));
    let number: usize = number.parse().ok()?;
    (1..=99).contains(&number).then_some((number, is_image))
}

fn item(headers: &StringRecord, record: &StringRecord, facets: &[&str]) -> ItemSpec {
    let mut item = ItemSpec::default();
    for (header, cell) in headers.iter().zip(record).filter(|(_, cell)| !cell.is_empty()) {
        let cell = cell.to_owned();
        match header {
            "item" => item.item = cell,
            "prompt" => item.prompt = Some(cell),
            "instruction" => item.instruction = Some(cell),
            "source" => item.source = Some(cell),
            "mask" => item.mask = Some(cell),
            "control" => item.control = Some(cell),
            facet if facets.contains(&facet) => {
                item.levels.insert(facet.to_owned(), cell);
            }
            other => {
                let Some((number, is_image)) = subject_column(other) else { continue };
                if item.subjects.len() < number {
                    item.subjects.resize(number, SubjectSpec::default());
                }
                let subject = &mut item.subjects[number - 1];
                *(if is_image { &mut subject.image } else { &mut subject.name }) = Some(cell);
            }
        }
    }
    item
}

/// Reports a subject that is missing before another one.
fn gap(item: &ItemSpec) -> Option<String> {
    let number = item.subjects.iter().position(|subject| *subject == SubjectSpec::default())? + 1;
    Some(format!("subject_{number} is empty, but subject_{} is not", item.subjects.len()))
}
