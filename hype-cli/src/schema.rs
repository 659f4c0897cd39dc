//! `hype schema`.

use hype_core::Registry;
use hype_core::study::spec::schema::{findings_schema, spec_schema};
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
        SchemaOf::Plan => schemars::schema_for!(hype::plan::StudyPlan).to_value(),
        SchemaOf::Diagnostics => schemars::schema_for!(Checked<'_>).to_value(),
        #[cfg(feature = "crowd")]
        SchemaOf::CrowdPlan => schemars::schema_for!(super::crowd::CrowdPlan).to_value(),
        #[cfg(feature = "crowd")]
        SchemaOf::CrowdStatus => {
            schemars::schema_for!(hype::backends::crowd::recruiter::CrowdStatus).to_value()
        }
        #[cfg(feature = "crowd")]
        SchemaOf::CrowdLedger => schemars::schema_for!(super::crowd::PrintedLedger<'_>).to_value(),
        #[cfg(feature = "crowd")]
        SchemaOf::CrowdAudit => schemars::schema_for!(hype::backends::crowd::recruiter::Audit).to_value(),
        #[cfg(feature = "board")]
        SchemaOf::Board => schemars::schema_for!(hype_board::BoardResults).to_value(),
    };
    print_json(&schema)
}
