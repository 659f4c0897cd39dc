//! Commands as functions, for programs that embed this one, such as the Python package: they return what the commands print, and
//! write nothing to the terminal.
//!
//! Options are given in the words of the command line, and have the names, bounds and defaults of the commands.

use std::path::Path;

use clap::Parser as _;
use hype::exchange::{Facts, TableSource, Winner, layout};
use hype::{Opening, Quiet};
use hype_core::plugin::surroundings::Purpose;
use hype_core::{Diagnostic, Diagnostics, Row, Watch};
use serde_json::Value;

use super::args::{AggregateArguments, Arguments, Command};
use super::check;
use super::failure::Failure;
use super::import;
use super::plan;
use super::run;
use super::snippet;

mod folder;
mod found;
mod rows;

pub use self::folder::OpenedFolder;
pub use self::found::CalledFindings;
pub use self::rows::ExportedRows;

/// A call failed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CallError {
    /// The error and its solution, for people: faults in a spec have their lines and carets.
    pub text: String,
    /// The faults in a spec, if it has any.
    pub diagnostics: Vec<Diagnostic>,
}

impl CallError {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), diagnostics: Vec::new() }
    }
}

impl From<Failure> for CallError {
    fn from(failure: Failure) -> Self {
        match failure {
            // Imports say on the command line that no file was made.
            Failure::Message(text) => Self::new(text.trim_end_matches("\nnothing was written")),
            Failure::Faults { path, text, diagnostics } => {
                Self { text: rendered(&diagnostics, &path, &text), diagnostics: diagnostics.into_vec() }
            }
            Failure::Printed | Failure::Unread => Self::new("the output could not be written"),
        }
    }
}

/// Diagnostics with the lines to which they refer.
fn rendered(diagnostics: &Diagnostics, path: &str, text: &str) -> String {
    snippet::render(diagnostics.as_slice(), path, text, false).trim_end().to_owned()
}

/// Reads the words of a command.
fn command(name: &str, words: &[String]) -> Result<Command, CallError> {
    let words = ["hype", name].into_iter().chain(words.iter().map(String::as_str));
    match Arguments::try_parse_from(words) {
        Ok(arguments) => Ok(arguments.command),
        Err(error) => {
            let text = error.render().to_string();
            // Below the reason, the command line is explained.
            let reason = text.split("\n\nUsage:").next().unwrap_or(&text).split("\n\nFor more").next();
            Err(CallError::new(reason.unwrap_or_default().trim_start_matches("error: ").trim_end()))
        }
    }
}

/// A table whose statistics are computed.
#[derive(Debug, Clone)]
pub struct TableToAggregate {
    source: TableSource,
    winner: Option<Winner>,
    options: Vec<String>,
}

impl TableToAggregate {
    /// A table with a column of values.
    #[must_use]
    pub const fn new(source: TableSource) -> Self {
        Self { source, winner: None, options: Vec::new() }
    }

    /// A table of comparisons, with a column that says which of the two models won, in place of values.
    #[must_use]
    pub fn with_winner(self, winner: Winner) -> Self {
        Self { winner: Some(winner), ..self }
    }

    /// A table whose values are these texts, in order, which become 1, 2 and so on.
    #[must_use]
    pub fn with_options(self, texts: &[String]) -> Self {
        Self { options: vec![texts.join("|")], ..self }
    }
}

/// Computes the statistics of a table, as `hype aggregate` does with these options. Where `stopped` is true, it ends with an error.
///
/// # Errors
/// If the options or the table are faulty.
pub fn aggregate(
    table: TableToAggregate,
    words: &[String],
    stopped: &dyn Fn() -> bool,
) -> Result<CalledFindings, CallError> {
    // The source stands for the file.
    let words: Vec<String> = ["-".to_owned()].iter().chain(words).cloned().collect();
    let Command::Aggregate(arguments) = command("aggregate", &words)? else {
        return Err(CallError::new("these are not the options of `aggregate`"));
    };
    let arguments = AggregateArguments {
        rows: Some(table.source),
        winner: table.winner,
        options: table.options,
        ..*arguments
    };
    CalledFindings::of_table(arguments, stopped)
}

/// Runs a study with synthetic raters in memory, as `hype simulate SPEC` does with these options.
///
/// # Errors
/// If the options or the spec are faulty, or the watch stops it.
pub fn simulate_spec(spec: &Path, words: &[String], watch: &dyn Watch) -> Result<CalledFindings, CallError> {
    let words: Vec<String> = [spec.display().to_string()].iter().chain(words).cloned().collect();
    let Command::Simulate(arguments) = command("simulate", &words)? else {
        return Err(CallError::new("these are not the options of `simulate`"));
    };
    let opening = Opening::of(spec).to(Purpose::Simulate);
    let opened = opening.open(|spec| run::adjust(spec, &arguments)).map_err(Failure::from)?;
    CalledFindings::of_simulation(opened, arguments, watch)
}

/// A plan, as `hype plan` prints it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Planned {
    /// The output of `--json`.
    pub json: Value,
    /// The output without `--json`.
    pub text: String,
    /// The warnings of its spec.
    pub warnings: Vec<Diagnostic>,
}

/// Plans a study, as `hype plan SPEC` does with these options.
///
/// # Errors
/// If the options or the spec are faulty, or nothing is known about models and raters.
pub fn plan_spec(spec: &Path, words: &[String]) -> Result<Planned, CallError> {
    let words: Vec<String> = [spec.display().to_string()].iter().chain(words).cloned().collect();
    let Command::Plan(arguments) = command("plan", &words)? else {
        return Err(CallError::new("these are not the options of `plan`"));
    };
    let opened = Opening::of(spec).to(Purpose::Simulate).open(|_| {}).map_err(Failure::from)?;
    let planned = plan::planned(&opened.study, &arguments, &|_, _| {})?;
    Ok(Planned { json: json(&planned)?, text: plan::text(&planned), warnings: opened.warnings.into_vec() })
}

/// The result of `hype check` for a spec.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SpecCheck {
    /// All diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// The same with the lines to which they refer.
    pub text: String,
    /// A summary of the study, if it can run.
    pub summary: Option<String>,
}

/// Checks a spec, its stimuli and the requirements of a run.
///
/// # Errors
/// If it cannot be read.
pub fn check_spec(spec: &Path) -> Result<SpecCheck, CallError> {
    let (text, found, summary) = check::check(spec, &Quiet)?;
    let text = rendered(&found, &spec.display().to_string(), &text);
    Ok(SpecCheck { text, summary, diagnostics: found.into_vec() })
}

/// Reads ratings made elsewhere, as `hype import FORMAT` does with these words, and what was assumed and left out.
///
/// # Errors
/// If the words or the files are faulty.
pub fn import(words: &[String]) -> Result<(ExportedRows, Vec<String>), CallError> {
    let Command::Import(arguments) = command("import", words)? else {
        return Err(CallError::new("these are not the options of `import`"));
    };
    let mut rows = ExportedRows { columns: layout::SCORES.columns.to_vec(), rows: Vec::new() };
    let mut sink = |row: &Row<'_>, facts: Option<Facts>| {
        if facts.is_some() && rows.rows.is_empty() {
            rows.columns.extend(layout::FACTS);
        }
        let mut cells = hype::exchange::export::score_row(row).to_vec();
        cells.extend(facts.into_iter().flat_map(Facts::cells).map(Value::from));
        rows.rows.push(cells);
        Ok(())
    };
    let report = import::read(&arguments, &mut sink)?;
    let left_out = report.left_out.iter().map(|(reason, count)| format!("left out: {reason}: {count}"));
    let said = left_out.chain(report.notes.iter().cloned()).collect();
    Ok((rows, said))
}

fn json<T: serde::Serialize>(value: &T) -> Result<Value, CallError> {
    serde_json::to_value(value).map_err(|error| CallError::new(error.to_string()))
}
