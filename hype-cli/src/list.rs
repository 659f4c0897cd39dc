//! `hype list`.

use hype_core::plugin::registry::Entry;
use hype_core::plugin::schema::{answer_schema, entry_yaml_schema};
use hype_core::{Part, Registry};
use serde_json::json;

use super::args::{ListArguments, ListPart};
use super::failure::Failure;
use super::output::{self, print_json};
use super::tables::table;

pub(crate) fn run(arguments: &ListArguments) -> Result<(), Failure> {
    let registry = Registry::linked()?;
    let wanted = arguments.part.map(part);
    let entries = registry.entries().iter().filter(|entry| wanted.is_none_or(|part| part == entry.part));
    if arguments.json {
        return print_json(&entries.map(as_json).collect::<Vec<_>>());
    }
    let mut table = table(&["part", "kind", "what it does", "source", "crate"]);
    for entry in entries {
        table.add_row([
            part_name(entry.part).to_owned(),
            entry.kind.to_owned(),
            entry.summary.to_owned(),
            entry.citation.to_owned(),
            format!("{} {}", entry.crate_name, entry.crate_version),
        ]);
    }
    output::print(format_args!("{table}"))?;
    Ok(())
}

fn as_json(entry: &Entry) -> serde_json::Value {
    json!({
        "part": part_name(entry.part),
        "kind": entry.kind,
        "summary": entry.summary,
        "citation": entry.citation,
        "example": entry.example,
        "crate": entry.crate_name,
        "version": entry.crate_version,
        "schema": entry_yaml_schema(entry),
        "answers": answer_schema(entry),
    })
}

fn part(wanted: ListPart) -> Part {
    match wanted {
        ListPart::Task => Part::Task,
        ListPart::Rubric => Part::Rubric,
        ListPart::Aggregator => Part::Aggregator,
        ListPart::Backend => Part::Backend,
        ListPart::Cohort => Part::Cohort,
    }
}

fn part_name(part: Part) -> &'static str {
    match part {
        Part::Task => "task",
        Part::Rubric => "rubric",
        Part::Aggregator => "aggregator",
        Part::Backend => "backend",
        Part::Cohort => "cohort",
        _ => "other",
    }
}
