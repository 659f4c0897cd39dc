//! `hype schema`.

use hype_core::Registry;
use hype_core::study::schema::{findings_schema, spec_schema};
use serde_json::Value;

use super::args::{SchemaArguments, SchemaOf};
use super::check::Checked;
use super::failure::Failure;
use super::output::print_json;
use super::staircase::Report;

pub(crate) fn run(arguments: &SchemaArguments) -> Result<(), Failure> {
    let schema: Value = match arguments.of {
        SchemaOf::Spec => spec_schema(&Registry::linked()?),
        SchemaOf::Findings => findings_schema(),
        SchemaOf::Staircase => schemars::schema_for!(Report).to_value(),
        SchemaOf::Plan => schemars::schema_for!(hype::plan::Plan).to_value(),
        SchemaOf::Diagnostics => schemars::schema_for!(Checked<'_>).to_value(),
    };
    print_json(&schema)
}
