//! Covariates of outputs in tables made elsewhere, such as the length of answers.

use hype_core::model::output_facts::OutputFacts;
use hype_tables::number_of;

use super::fault::{Faults, ImportError};
use super::source::TableSource;
use super::table::{Next, Table, TableFormat};

/// Reads covariates from a table with a row for each output: the columns `model` and `item`, and one for each covariate. Outputs with
/// an empty cell are left out, as unknown.
///
/// # Errors
/// If the table cannot be read, lacks a column, or contains faults: a cell that is not a number, or an output on two lines.
pub fn output_facts(
    source: impl Into<TableSource>,
    covariates: &[String],
    format: TableFormat,
) -> Result<OutputFacts, ImportError> {
    let mut table = Table::open(source, format)?;
    let (model, item) = (table.column("model")?, table.column("item")?);
    let places: Vec<usize> = covariates.iter().map(|name| table.column(name)).collect::<Result<_, _>>()?;
    let (mut found, mut faults) = (OutputFacts::default(), Faults::default());
    loop {
        match table.read()? {
            Next::End => break,
            Next::Fault(fault) => faults.push(fault),
            Next::Record => {
                let mut facts = Vec::with_capacity(places.len());
                for (name, &place) in covariates.iter().zip(&places) {
                    match (table.cell(place), number_of(table.cell(place))) {
                        (_, Some(value)) => facts.push((name.as_str(), value)),
                        ("", None) => {}
                        (text, None) => {
                            let reason = format!("{text:?} is not a finite number");
                            faults.push(table.fault(Some(place), &reason, "leave unknown numbers empty"));
                        }
                    }
                }
                let (model, name) = (table.cell(model), table.cell(item));
                if facts.len() == places.len() && !found.insert(model, name, facts) {
                    let reason = format!("the output of {model} for {name} is on an earlier line, too");
                    faults.push(table.fault(Some(item), &reason, "write each output once"));
                }
            }
        }
    }
    if faults.is_empty() { Ok(found) } else { Err(faults.into_error()) }
}
