//! The extension of the Python package `hype_eval`: arguments in, `hype` called, findings out.
//!
//! This crate has no statistics, no defaults and no messages of its own but those on frames that cannot be read. The Python files
//! next to it make the words of the command line from keyword arguments, and classes from what comes back.

mod calls;
mod errors;
mod metrics;
mod table;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use hype_cli::embed;
use hype_core::Watch;
use pyo3::prelude::*;

use self::calls::in_background;
use self::values::{Batch, FoundFindings, FoundStudy, dictionaries};

/// Ends a collection when the caller is interrupted.
struct StoppedBy<'a>(&'a AtomicBool);

impl Watch for StoppedBy<'_> {
    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The labels of the first model, the second one and a tie, after the name of their column.
type Labels = (String, Vec<String>, Vec<String>, Vec<String>);

/// Statistics of a table, as `hype aggregate` computes them with these options.
#[pyfunction]
#[pyo3(signature = (table, words, winner=None, texts=None, constants=Vec::new(), threads=None))]
fn aggregate(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    words: Vec<String>,
    winner: Option<Labels>,
    texts: Option<Vec<String>>,
    constants: Vec<(String, String)>,
    threads: Option<usize>,
) -> PyResult<FoundFindings> {
    let mut table = embed::TableToAggregate::new(table::source(table, constants)?);
    if let Some((column, first, second, tie)) = winner {
        let mut winner = hype::exchange::Winner::new(&column);
        (winner.first, winner.second, winner.tie) = (first, second, tie);
        table = table.with_winner(winner);
    }
    if let Some(texts) = texts {
        table = table.with_options(&texts);
    }
    let found = in_background(py, threads, move |stop| {
        embed::aggregate(table, &words, &|| stop.load(Ordering::Relaxed))
    });
    found.map(FoundFindings::from)
}

/// A study with synthetic raters, as `hype simulate` runs it with these options.
#[pyfunction]
#[pyo3(signature = (spec, words, threads=None))]
fn simulate(
    py: Python<'_>,
    spec: PathBuf,
    words: Vec<String>,
    threads: Option<usize>,
) -> PyResult<FoundFindings> {
    let found = in_background(py, threads, move |stop| embed::simulate_spec(&spec, &words, &StoppedBy(stop)));
    found.map(FoundFindings::from)
}

/// A plan as JSON and as text, and the warnings of its spec, as `hype plan` makes it with these options.
#[pyfunction]
#[pyo3(signature = (spec, words, threads=None))]
fn plan(
    py: Python<'_>,
    spec: PathBuf,
    words: Vec<String>,
    threads: Option<usize>,
) -> PyResult<(String, String, String)> {
    let planned = in_background(py, threads, move |_| embed::plan_spec(&spec, &words))?;
    Ok((planned.json.to_string(), planned.text, dictionaries(&planned.warnings)))
}

/// The diagnostics of a spec as JSON and as text, and what the study is, if it can run.
#[pyfunction]
fn check(py: Python<'_>, spec: PathBuf) -> PyResult<(String, String, Option<String>)> {
    let checked = in_background(py, None, move |_| embed::check_spec(&spec))?;
    Ok((dictionaries(&checked.diagnostics), checked.text, checked.summary))
}

/// Ratings made elsewhere, as `hype import` reads them with these words, and what was assumed and left out.
#[pyfunction]
fn read(py: Python<'_>, words: Vec<String>) -> PyResult<(Batch, Vec<String>)> {
    let (rows, said) = in_background(py, None, move |_| embed::import(&words))?;
    Ok((Batch::of(&rows)?, said))
}

/// A study that was collected, given its folder or its spec.
#[pyfunction]
fn open(py: Python<'_>, path: PathBuf) -> PyResult<FoundStudy> {
    in_background(py, None, move |_| embed::OpenedFolder::open(&path)).map(FoundStudy::from)
}

/// The different texts of a column, in the order of the alphabet; `None` if all are numbers.
#[pyfunction]
fn texts_of(table: &Bound<'_, PyAny>, column: &str) -> PyResult<Option<Vec<String>>> {
    table::texts_of(table, column)
}

/// Runs the program `hype` with these words, beginning with its name, and returns its exit status.
#[pyfunction]
fn program(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| hype_cli::main_with(words))
}

/// The native half of `hype_eval`.
#[pymodule]
fn _hype(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Batch>()?;
    module.add_class::<FoundFindings>()?;
    module.add_class::<FoundStudy>()?;
    module.add_function(wrap_pyfunction!(aggregate, module)?)?;
    module.add_function(wrap_pyfunction!(simulate, module)?)?;
    module.add_function(wrap_pyfunction!(plan, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(program, module)?)?;
    module.add_function(wrap_pyfunction!(read, module)?)?;
    module.add_function(wrap_pyfunction!(open, module)?)?;
    module.add_function(wrap_pyfunction!(metrics::fid, module)?)?;
    module.add_function(wrap_pyfunction!(metrics::kid, module)?)?;
    module.add_function(wrap_pyfunction!(metrics::precision_recall, module)?)?;
    module.add_function(wrap_pyfunction!(texts_of, module)?)
}
