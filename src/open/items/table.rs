//! Reads a table of items: one row for each item, in any form that tables have.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use hype_core::diagnostics::{Diagnostics, nearest};
use hype_core::study::spec::{ItemSpec, SubjectSpec};
use hype_core::words::{counted, listed};
use serde_json::{Map, Value};

use crate::exchange::{BETWEEN_TURNS, Next, Table, TableFormat};

/// The maximum number of listed faults.
const FAULTS_TOLD: usize = 5;

const COLUMNS: [&str; 6] = ["item", "prompt", "instruction", "source", "mask", "control"];
/// Other headers of the columns of items and of prompts, the usual ones first.
const OTHER_HEADERS: [(&str, &[&str]); 2] = [
    (
        "item",
        &[
            "id",
            "item_id",
            "prompt_id",
            "image_id",
            "key",
            "uid",
            "index",
            "idx",
            "name",
            "filename",
            "file_name",
            "file",
            "image",
            "question_id",
        ],
    ),
    ("prompt", &["text", "caption", "prompt_text", "description", "turns"]),
];

/// Headers whose cells may be names of files, as in ImagenHub's `dataset_lookup.csv`.
const OF_FILES: [&str; 6] = ["uid", "key", "filename", "file_name", "file", "image"];
/// The endings of such names.
const ENDINGS: [&str; 4] = [".png", ".jpg", ".jpeg", ".webp"];
/// Further endings of images and clips.
const OTHER_ENDINGS: [&str; 10] =
    [".mp4", ".m4v", ".mov", ".webm", ".gif", ".bmp", ".tif", ".tiff", ".avif", ".heic"];

/// Reads the table of this name in the spec's folder, in which items may have levels of some facets; `None` if it cannot be used.
pub(in crate::open) fn read(
    folder: &Path,
    name: &str,
    facets: &[&str],
    at: &mut Diagnostics,
) -> Option<Vec<ItemSpec>> {
    let path = &folder.join(name);
    let file = match File::open(path) {
        Ok(file) => BufReader::new(file),
        Err(error) => {
            at.error("unreadable", format!("{name} cannot be read: {error}"))
                .help("the path is relative to the spec's folder");
            return None;
        }
    };
    let is_lines = path.extension().is_some_and(|kind| kind == "jsonl" || kind == "ndjson");
    let mut found = Found::default();
    if is_lines {
        found.read_json_lines(file, facets);
    } else if let Err(fault) = found.read_table(path, facets) {
        at.error("unreadable", fault);
        return None;
    }
    tell(&found.faults, name, at);
    if found.items.is_empty() && found.faults.is_empty() {
        at.error("empty", format!("{name} has no items"));
    }
    if !found.faults.is_empty() {
        return None;
    }
    found.cut_endings();
    found.leave_out_words(folder);
    found.tell_of_columns(name, at);
    Some(found.items)
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

/// The contents of a table.
#[derive(Default)]
struct Found {
    items: Vec<ItemSpec>,
    faults: Faults,
    /// The columns that are read as others, and those.
    read_as: Vec<(String, &'static str)>,
    /// The columns that are not read.
    ignored: BTreeSet<String>,
    /// Whether keys were names of files, whose endings are cut.
    are_files: bool,
}

impl Found {
    /// Reads JSON Lines, in which subjects and levels may be objects.
    fn read_json_lines(&mut self, file: BufReader<File>, facets: &[&str]) {
        let mut fields: BTreeMap<String, Option<Field>> = BTreeMap::new();
        for (line, text) in (1..).zip(file.lines()) {
            let text = match text {
                Ok(text) if text.trim().is_empty() => continue,
                Ok(text) => text,
                Err(error) => {
                    self.faults.push((line, error.to_string()));
                    break;
                }
            };
            let row: Map<String, Value> = match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
                Ok(row) => row,
                Err(error) => {
                    self.faults.push((line, error.to_string()));
                    continue;
                }
            };
            if self.items.is_empty() && self.faults.is_empty() {
                let headers: Vec<&str> = row.keys().map(String::as_str).collect();
                let found = self.fields(&headers, facets);
                fields = headers.iter().map(|&header| header.to_owned()).zip(found).collect();
            }
            match self.of_object(row, &fields, facets) {
                Ok(item) => self.items.push(item),
                Err(fault) => self.faults.push((line, fault)),
            }
        }
    }

    fn of_object(
        &mut self,
        row: Map<String, Value>,
        fields: &BTreeMap<String, Option<Field>>,
        facets: &[&str],
    ) -> Result<ItemSpec, String> {
        let mut item = ItemSpec::default();
        for (name, value) in row {
            let nested = |error: serde_json::Error| format!("`{name}`: {error}");
            match name.as_str() {
                "subjects" => item.subjects = serde_json::from_value(value).map_err(nested)?,
                "levels" => item
                    .levels
                    .extend(serde_json::from_value::<BTreeMap<String, String>>(value).map_err(nested)?),
                _ => {
                    let field = match fields.get(&name) {
                        Some(field) => field.clone(),
                        None => Field::of(&name, facets),
                    };
                    let text = match value {
                        Value::Null => continue,
                        Value::String(text) => text.trim().to_owned(),
                        Value::Array(turns) if name == "turns" => turns_of(&turns),
                        other => other.to_string(),
                    };
                    match field {
                        Some(field) => field.set(&mut item, text),
                        None => {
                            self.ignored.insert(name);
                        }
                    }
                }
            }
        }
        Ok(item)
    }

    /// Reads a table of any other form.
    fn read_table(&mut self, path: &Path, facets: &[&str]) -> Result<(), String> {
        let mut table = Table::open(path, TableFormat::default()).map_err(|error| error.to_string())?;
        let headers: Vec<String> = table.headers().to_vec();
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        for (place, header) in headers.iter().enumerate() {
            if headers[..place].contains(header) && !header.is_empty() {
                self.faults.push((1, format!("the column `{header}` is repeated")));
            }
        }
        let fields = self.fields(&headers, facets);
        if !fields.contains(&Some(Field::Named("item"))) {
            let columns = table.listed_headers();
            self.faults.push((
                1,
                format!(
                    "there is no column `item` with the keys after which the files of outputs are named; the columns are {columns}"
                ),
            ));
        }
        if !self.faults.is_empty() {
            return Ok(());
        }
        loop {
            let line = match table.read().map_err(|error| error.to_string())? {
                Next::End => return Ok(()),
                Next::Fault(fault) => {
                    self.faults.push((table.line(), format!("{}; {}", fault.reason, fault.help)));
                    continue;
                }
                Next::Record => table.line(),
            };
            let mut item = ItemSpec::default();
            for (place, field) in fields.iter().enumerate() {
                let cell = table.cell(place);
                if let (Some(field), false) = (field, cell.is_empty()) {
                    field.set(&mut item, cell.to_owned());
                }
            }
            self.faults.extend(gap(&item).map(|fault| (line, fault)));
            self.items.push(item);
        }
    }

    /// Returns the field of each column; a column with another usual name is read where the right one is missing.
    fn fields(&mut self, headers: &[&str], facets: &[&str]) -> Vec<Option<Field>> {
        let mut fields: Vec<Option<Field>> = headers.iter().map(|header| Field::of(header, facets)).collect();
        for (name, others) in OTHER_HEADERS {
            if fields.contains(&Some(Field::Named(name))) {
                continue;
            }
            let is = |place: &usize, wanted: &str| {
                fields[*place].is_none() && headers[*place].eq_ignore_ascii_case(wanted)
            };
            let place = std::iter::once(&name)
                .chain(others)
                .find_map(|wanted| (0..headers.len()).find(|place| is(place, wanted)));
            if let Some(place) = place {
                fields[place] = Some(Field::Named(name));
                self.read_as.push((headers[place].to_owned(), name));
            }
        }
        let ignored =
            headers.iter().zip(&fields).filter(|(header, field)| field.is_none() && !header.is_empty());
        self.ignored.extend(ignored.map(|(header, _)| (*header).to_owned()));
        fields
    }

    /// Cuts the endings of keys that are all names of files, in a column that may have such names.
    fn cut_endings(&mut self) {
        let is_of_files = |(header, field): &(String, &str)| {
            *field == "item" && OF_FILES.iter().any(|known| header.eq_ignore_ascii_case(known))
        };
        let stem = |key: &str| {
            let (stem, _) = key.rsplit_once('.')?;
            let ending = key[stem.len()..].to_ascii_lowercase();
            ENDINGS.contains(&&*ending).then(|| stem.to_owned())
        };
        let stems: Option<Vec<String>> = self.items.iter().map(|item| stem(&item.item)).collect();
        if let Some(stems) = stems.filter(|_| self.read_as.iter().any(is_of_files)) {
            self.items.iter_mut().zip(stems).for_each(|(item, stem)| item.item = stem);
            self.are_files = true;
        }
    }

    /// Leaves out a column `source` without any file, such as one that says where prompts come from.
    fn leave_out_words(&mut self, folder: &Path) {
        let mut sources = self.items.iter().filter_map(|item| item.source.as_deref()).peekable();
        let is_file = |cell: &str| {
            let lower = cell.to_ascii_lowercase();
            let has_ending = ENDINGS.iter().chain(&OTHER_ENDINGS).any(|ending| lower.ends_with(ending));
            let is_path = cell.contains(['/', '\\']) && !cell.contains("://");
            has_ending || is_path || folder.join(cell).is_file()
        };
        if sources.peek().is_some() && !sources.any(is_file) {
            self.items.iter_mut().for_each(|item| item.source = None);
            self.ignored.insert("source".to_owned());
        }
    }

    /// Says in one note which columns are read as others, and which are not read.
    fn tell_of_columns(&self, name: &str, at: &mut Diagnostics) {
        let mut said: Vec<String> =
            self.read_as.iter().map(|(header, field)| format!("`{header}` is read as `{field}`")).collect();
        said.extend(self.are_files.then(|| "the endings of its files are left out".to_owned()));
        if !self.ignored.is_empty() {
            let missing =
                COLUMNS.into_iter().filter(|column| !self.items.iter().any(|item| has(item, column)));
            let missing: Vec<&str> = missing.collect();
            let named = self.ignored.iter().map(|header| match nearest(header, missing.iter().copied()) {
                Some("source") if header == "source" => {
                    "source (its cells are not files of images or clips)".to_owned()
                }
                Some(near) => format!("{header} (or is it `{near}`?)"),
                None => header.clone(),
            });
            said.push(format!("not read: {}", listed(named)));
        }
        if said.is_empty() {
            return;
        }
        let note = at.note("columns", format!("{name}: {}", said.join("; ")));
        if let Some(first) = self.ignored.first() {
            note.help(format!(
                "a facet of items reads a column, as in `facets: {{ {first}: {{ of: items }} }}`"
            ));
        }
    }
}

/// The questions of the turns of a conversation, as one text of Markdown.
fn turns_of(turns: &[Value]) -> String {
    let text = |turn: &Value| turn.as_str().map_or_else(|| turn.to_string(), str::to_owned);
    turns.iter().map(text).collect::<Vec<_>>().join(BETWEEN_TURNS)
}

/// Whether an item has something in a column.
fn has(item: &ItemSpec, column: &str) -> bool {
    match column {
        "item" => true,
        "prompt" => item.prompt.is_some(),
        "instruction" => item.instruction.is_some(),
        "source" => item.source.is_some(),
        "mask" => item.mask.is_some(),
        _ => item.control.is_some(),
    }
}

/// The field of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Field {
    /// One of [`COLUMNS`].
    Named(&'static str),
    /// The number of a subject, and whether the column contains its image.
    Subject(usize, bool),
    Facet(String),
}

impl Field {
    fn of(header: &str, facets: &[&str]) -> Option<Self> {
        if facets.contains(&header) {
            return Some(Self::Facet(header.to_owned()));
        }
        let named = COLUMNS.into_iter().find(|column| *column == header).map(Self::Named);
        named.or_else(|| subject_column(header).map(|(number, is_image)| Self::Subject(number, is_image)))
    }

    fn set(&self, item: &mut ItemSpec, cell: String) {
        match self {
            Self::Named("item") => item.item = cell,
            Self::Named("prompt") => item.prompt = Some(cell),
            Self::Named("instruction") => item.instruction = Some(cell),
            Self::Named("source") => item.source = Some(cell),
            Self::Named("mask") => item.mask = Some(cell),
            Self::Named(_) => item.control = Some(cell),
            Self::Facet(facet) => {
                item.levels.insert(facet.clone(), cell);
            }
            Self::Subject(number, is_image) => {
                if item.subjects.len() < *number {
                    item.subjects.resize(*number, SubjectSpec::default());
                }
                let subject = &mut item.subjects[number - 1];
                *(if *is_image { &mut subject.image } else { &mut subject.name }) = Some(cell);
            }
        }
    }
}

/// The number of a column's subject, and whether the column contains its image.
fn subject_column(header: &str) -> Option<(usize, bool)> {
    let rest = header.strip_prefix("subject_")?;
    let (number, is_image) = rest.strip_suffix("_image").map_or((rest, false), |number| (number, true));
    let number: usize = number.parse().ok()?;
    (1..=99).contains(&number).then_some((number, is_image))
}

/// Reports a subject that is missing before another one.
fn gap(item: &ItemSpec) -> Option<String> {
    let number = item.subjects.iter().position(|subject| *subject == SubjectSpec::default())? + 1;
    Some(format!("subject_{number} is empty, but subject_{} is not", item.subjects.len()))
}
