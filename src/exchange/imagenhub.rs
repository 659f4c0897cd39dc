//! ImagenHub's tables: one file per rater, one row per item, one column per model.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use hype_core::Row;
use hype_core::words::counted;
use hype_tables::number_of;

use super::fault::{ImportError, ImportFault};
use super::importing::{ImportReport, Importing, Sink};
use super::lines::Lines;

/// The measures of a cell: semantic consistency, perceptual quality, and the overall score of the two.
const MEASURES: [&str; 3] = ["SC", "PQ", "O"];

const LEVELS: &str = "write 0, 0.5 or 1, or pass --any-values";

/// How ImagenHub's tables are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImagenHubOptions {
    /// Whether scores may be any non-negative numbers, not only 0, 0.5 and 1.
    pub any_values: bool,
}

/// Reads the files of one of ImagenHub's tasks, one per rater, and passes on SC, PQ and O = √(SC·PQ) of every cell. The
/// file name without extension names the rater, the `uid` names the item, and the column names the model.
///
/// # Method
/// Ku et al. 2023 (ImagenHub): tab-separated, header `uid<TAB>Model…`, cells `[SC, PQ]` with blanks anywhere. Empty
/// cells are missing values. They are left out and counted, as are items and models that a rater's file lacks.
///
/// # Errors
/// If a file cannot be read or contains faults. The error lists the faults with their lines and columns.
pub fn imagenhub(
    files: &[PathBuf],
    options: ImagenHubOptions,
    sink: &mut Sink<'_>,
) -> Result<ImportReport, ImportError> {
    let mut importing = Importing::new("row", sink);
    let mut raters: HashMap<String, String> = HashMap::new();
    let mut seen = Seen::default();
    for path in files {
        let name = path.display().to_string();
        let rater = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut file = RaterFile { name, rater, models: Vec::new(), lines: HashMap::new(), options };
        if let Some(other) = raters.insert(file.rater.clone(), file.name.clone()) {
            let reason = format!("the rater {} already has the file {other}", file.rater);
            importing.fault(file.fault(None, None, &reason, "name each file after its rater"));
        }
        let mut lines = Lines::open(path)?;
        while let Some((line, text)) = lines.next_line().map_err(ImportError::disk(path))? {
            let Some(text) = text else {
                importing.fault(file.fault(Some(line), None, "the text is not UTF-8", "save it as UTF-8"));
                continue;
            };
            if file.models.is_empty() {
                file.header(line, text, &mut importing);
                if file.models.is_empty() {
                    break;
                }
            } else if !text.trim().is_empty() {
                file.row(line, text, &mut importing)?;
            }
        }
        if file.models.is_empty() && importing.faults.is_empty() {
            let help = "begin with the header `uid<TAB>Model…`";
            importing.fault(file.fault(None, None, "the file is empty", help));
        }
        importing.report.files += 1;
        seen.add(file);
    }
    seen.note_gaps(&mut importing);
    importing.finish()
}

/// One rater's file.
struct RaterFile {
    name: String,
    rater: String,
    models: Vec<String>,
    /// The line of each item.
    lines: HashMap<String, u64>,
    options: ImagenHubOptions,
}

impl RaterFile {
    fn fault(&self, line: Option<u64>, column: Option<&str>, reason: &str, help: &str) -> ImportFault {
        ImportFault {
            file: self.name.clone(),
            place: line.map(|line| format!("line {line}")).unwrap_or_default(),
            column: column.map(str::to_owned),
            reason: reason.into(),
            help: help.into(),
        }
    }

    fn header(&mut self, line: u64, text: &str, importing: &mut Importing<'_>) {
        let mut cells = text.trim_end().split('\t').map(str::trim);
        let first = cells.next().unwrap_or_default();
        let models: Vec<String> = cells.map(str::to_owned).collect();
        let help = "begin with the header `uid<TAB>Model…`";
        if first != "uid" || models.is_empty() {
            importing.fault(self.fault(Some(line), None, &format!("the header is {text:?}"), help));
            return;
        }
        for (place, model) in models.iter().enumerate() {
            let number = place + 2;
            if model.is_empty() {
                importing.fault(self.fault(Some(line), None, &format!("column {number} has no name"), help));
            } else if models[..place].contains(model) {
                let reason = format!("there are two columns `{model}`");
                importing.fault(self.fault(Some(line), Some(model), &reason, "name each model once"));
            }
        }
        self.models = models;
    }

    fn row(&mut self, line: u64, text: &str, importing: &mut Importing<'_>) -> Result<(), ImportError> {
        importing.report.rows += 1;
        let mut cells = text.split('\t').map(str::trim);
        let uid = cells.next().unwrap_or_default();
        let cells: Vec<&str> = cells.collect();
        if uid.is_empty() {
            importing.fault(self.fault(Some(line), Some("uid"), "the item has no name", "write its uid"));
        } else if let Some(before) = self.lines.insert(uid.to_owned(), line) {
            let reason = format!("{uid} is already on line {before}");
            importing.fault(self.fault(Some(line), Some("uid"), &reason, "write each item once"));
        }
        let surplus = cells.iter().skip(self.models.len()).any(|cell| !cell.is_empty());
        if cells.len() < self.models.len() || surplus {
            let reason = format!(
                "the row has {} for {}",
                counted(cells.len(), "cell"),
                counted(self.models.len(), "model")
            );
            importing.fault(self.fault(
                Some(line),
                None,
                &reason,
                "write one cell for each model, empty if the value is missing",
            ));
            return Ok(());
        }
        for (model, cell) in self.models.iter().zip(&cells) {
            if cell.is_empty() {
                importing.leave_out("empty cells");
                continue;
            }
            match self.scores(cell) {
                Err((reason, help)) => importing.fault(self.fault(Some(line), Some(model), &reason, help)),
                Ok([consistency, quality]) => {
                    let overall = (consistency * quality).sqrt();
                    for (measure, value) in MEASURES.into_iter().zip([consistency, quality, overall]) {
                        let (rater, item) = (&*self.rater, uid);
                        importing.row(&Row { rater, model, against: "", item, block: 0, measure, value })?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The two scores of a cell, or the fault and how to mend it.
    fn scores(&self, cell: &str) -> Result<[f64; 2], (String, &'static str)> {
        const FORM: &str = "write [SC, PQ], such as [0.5, 1]";
        let inside = cell.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let parts: Vec<&str> = inside.into_iter().flat_map(|text| text.split(',')).map(str::trim).collect();
        let [consistency, quality] = parts[..] else { return Err((format!("the cell is {cell:?}"), FORM)) };
        let mut scores = [0.0; 2];
        for ((score, text), measure) in scores.iter_mut().zip([consistency, quality]).zip(MEASURES) {
            *score = number_of(text)
                .ok_or_else(|| (format!("{measure} is {text:?}, which is not a number"), FORM))?;
            let level = [0.0, 0.5, 1.0].iter().any(|level: &f64| level.total_cmp(&(*score + 0.0)).is_eq());
            if *score < 0.0 || !(level || self.options.any_values) {
                let help = if self.options.any_values { "write a number of at least 0" } else { LEVELS };
                return Err((format!("{measure} is {text}"), help));
            }
        }
        Ok(scores)
    }
}

/// The items and models of each file, to find those that some files lack.
#[derive(Default)]
struct Seen {
    files: Vec<RaterFile>,
}

impl Seen {
    fn add(&mut self, file: RaterFile) {
        self.files.push(file);
    }

    fn note_gaps(&self, importing: &mut Importing<'_>) {
        let gaps = |what: &str, of: &dyn Fn(&RaterFile) -> BTreeSet<String>| {
            let own: Vec<BTreeSet<String>> = self.files.iter().map(of).collect();
            let all: BTreeSet<String> = own.iter().flatten().cloned().collect();
            let lacking = self.files.iter().zip(&own).filter_map(|(file, own)| {
                let first = all.difference(own).next()?;
                let count = all.len() - own.len();
                Some(format!("{} lacks {count} of {} {what}, such as {first}", file.name, all.len()))
            });
            lacking.collect::<Vec<_>>()
        };
        let models = gaps("models", &|file| file.models.iter().cloned().collect());
        let items = gaps("items", &|file| file.lines.keys().cloned().collect());
        models.into_iter().chain(items).for_each(|gap| importing.note(gap));
    }
}
