//! Batch files of Amazon Mechanical Turk.

use std::collections::HashMap;
use std::path::PathBuf;

use hype_core::words::{counted, listed};
use hype_core::{Digest, Row};

use self::answers::Asked;
use super::fault::ImportError;
use super::importing::{ImportReport, Importing, Sink};
use super::names::ModelOf;
use super::table::{Next, Table, TableFormat};
use crate::pseudonym::Pseudonyms;

mod answers;

/// How batch files are read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MTurk {
    /// Where the model is named: an `Input` column, with or without the prefix `Input.`.
    pub model: ModelOf,
    /// The `Input` column of items.
    pub item: Option<String>,
    /// The answers to import.
    pub answers: Vec<AnswerField>,
    /// The pseudonyms that replace worker ids.
    pub pseudonyms: Option<Pseudonyms>,
}

/// One answer of an assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnswerField {
    /// Its name in the column `Answer.NAME`, or in the columns `Answer.NAME.0.on` and so on.
    pub name: String,
    /// The measure that it becomes.
    pub measure: String,
    /// The texts of the options in order, scored from 1; empty if answers are numbers.
    pub options: Vec<String>,
}

impl AnswerField {
    /// An answer given as a number.
    #[must_use]
    pub fn number(name: &str, measure: &str) -> Self {
        Self { name: name.to_owned(), measure: measure.to_owned(), options: Vec::new() }
    }

    /// An answer given as text. The options score 1, 2, … in order.
    #[must_use]
    pub fn options(name: &str, measure: &str, options: Vec<String>) -> Self {
        Self { options, ..Self::number(name, measure) }
    }
}

impl MTurk {
    /// Creates options for the given answers and place of the model's name.
    #[must_use]
    pub fn new(model: ModelOf, answers: Vec<AnswerField>) -> Self {
        Self { model, item: None, answers, pseudonyms: None }
    }
}

/// The columns of one batch.
struct Batch {
    table: Table,
    assignment: usize,
    worker: usize,
    status: usize,
    model: Option<usize>,
    item: Option<usize>,
    asked: Vec<Asked>,
}

impl Batch {
    fn open(path: &std::path::Path, options: &MTurk) -> Result<Self, ImportError> {
        // Requesters fill in the last two columns to review an assignment; downloads may lack them.
        let table = Table::open(path, TableFormat::default())?.without_last(&["Approve", "Reject"]);
        let input = |name: &str| match table.has(name) {
            true => table.column(name),
            false => table.column(&format!("Input.{}", name.strip_prefix("Input.").unwrap_or(name))),
        };
        Ok(Self {
            assignment: table.column("AssignmentId")?,
            worker: table.column("WorkerId")?,
            status: table.column("AssignmentStatus")?,
            model: options.model.column().map(input).transpose()?,
            item: options.item.as_deref().map(input).transpose()?,
            asked: options
                .answers
                .iter()
                .map(|answer| Asked::find(&table, answer))
                .collect::<Result<_, _>>()?,
            table,
        })
    }
}

/// Reads batch files of Mechanical Turk as requesters download them, and passes on one value per answer. Rejected
/// assignments are left out. An assignment that occurs in several batches counts once.
///
/// # Errors
/// If a file cannot be read, lacks a column, or contains faults. The error lists the faults with their lines and
/// columns.
pub fn mturk_csv(
    files: &[PathBuf],
    options: &MTurk,
    sink: &mut Sink<'_>,
) -> Result<ImportReport, ImportError> {
    if options.answers.is_empty() {
        return Err(ImportError::Options(match files.first() {
            None => "no batch file is named".into(),
            Some(path) => {
                let known = answers::names(&mut Table::open(path, TableFormat::default())?)?;
                format!("select answers with --answer or --heim; the answers are {}", listed(&known))
            }
        }));
    }
    let mut importing = Importing::new("assignment", sink);
    let mut seen = HashMap::new();
    let mut repeated: Vec<String> = Vec::new();
    for path in files {
        let mut batch = Batch::open(path, options)?;
        loop {
            match batch.table.read()? {
                Next::End => break,
                Next::Fault(fault) => importing.fault(fault),
                Next::Record => {
                    importing.report.rows += 1;
                    batch.assignment(options, &mut importing, &mut seen, &mut repeated)?;
                }
            }
        }
        importing.report.files += 1;
        batch.table.notes().into_iter().for_each(|note| importing.note(note));
    }
    if let Some(first) = repeated.first() {
        let count = counted(repeated.len(), "assignment");
        importing.note(format!("{count} repeated and counted once, such as {first}"));
    }
    if options.pseudonyms.is_none() && importing.report.values > 0 {
        importing.note(
            "raters are identified by worker ids, which can reveal who they are: use --pseudonyms before sharing the \
             table",
        );
    }
    importing.finish()
}

/// Where an assignment was first read, and a digest of its content.
struct First {
    place: String,
    content: Digest,
}

impl Batch {
    fn assignment(
        &mut self,
        options: &MTurk,
        importing: &mut Importing<'_>,
        seen: &mut HashMap<String, First>,
        repeated: &mut Vec<String>,
    ) -> Result<(), ImportError> {
        let table = &self.table;
        let mut faults = Vec::new();
        for (place, what) in [(self.assignment, "assignment"), (self.worker, "worker")] {
            if table.cell(place).is_empty() {
                faults.push(table.fault(Some(place), &format!("the {what} has no id"), "restore it"));
            }
        }
        match &*table.cell(self.status).to_ascii_lowercase() {
            "approved" | "submitted" => {}
            "rejected" => {
                importing.leave_out("rejected assignments");
                return Ok(());
            }
            other => {
                let help = "write Submitted, Approved or Rejected";
                faults.push(table.fault(Some(self.status), &format!("the status is {other:?}"), help));
            }
        }
        let mut values = Vec::with_capacity(self.asked.len());
        for (asked, answer) in self.asked.iter().zip(&options.answers) {
            match asked.value(table, answer) {
                Ok(value) => values.push(value),
                Err(fault) => faults.push(fault),
            }
        }
        let cell = |place: Option<usize>| place.map_or("", |place| table.cell(place));
        let model = options.model.name(cell(self.model)).to_owned();
        if model.is_empty() {
            faults.push(table.fault(self.model, "no model is named", "name one, or choose another column"));
        }
        let item = cell(self.item).to_owned();
        if item.is_empty() && self.item.is_some() {
            faults.push(table.fault(self.item, "the item is empty", "name one, or choose another column"));
        }
        if !faults.is_empty() {
            faults.into_iter().for_each(|fault| importing.fault(fault));
            return Ok(());
        }
        let (id, worker) = (table.cell(self.assignment), table.cell(self.worker));
        let content = Digest::of_json(&serde_json::json!([worker, model, item, values]));
        let place = format!("{}, line {}", table.name(), table.line());
        if let Some(first) = seen.get(id) {
            if first.content == content {
                importing.leave_out("repeated assignments");
                repeated.push(format!("that of {} and {place}", first.place));
            } else {
                let reason = format!("assignment {id} has different content in {}", first.place);
                importing.fault(table.fault(Some(self.assignment), &reason, "leave out one of the two"));
            }
            return Ok(());
        }
        seen.insert(id.to_owned(), First { place, content });
        let rater = options.pseudonyms.as_ref().map_or_else(|| worker.to_owned(), |key| key.of(worker));
        for (value, answer) in values.iter().zip(&options.answers) {
            let Some(value) = *value else {
                importing.leave_out(format!("answers to `{}` that were not given", answer.name));
                continue;
            };
            let (rater, model, item, measure) = (&*rater, &*model, &*item, &*answer.measure);
            importing.row(&Row { rater, model, against: "", item, block: 0, measure, value })?;
        }
        Ok(())
    }
}
