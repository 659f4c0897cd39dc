//! `hype list`: one line for each plugin, or all details of one kind.

use hype_core::diagnostics::nearest;
use hype_core::plugin::registry::PluginEntry;
use hype_core::plugin::schema::{answer_schema, entry_yaml_schema};
use hype_core::{Registry, SpecPart};
use serde_json::json;

use self::settings::settings;
use super::args::ListArguments;
use super::failure::Failure;
use super::grid::wrapped;
use super::output::{Page, print_json};

mod settings;

/// The parts of a spec that plugins fill in the order of the listing, with singular and plural names.
const PARTS: [(SpecPart, &str, &str); 9] = [
    (SpecPart::Task, "task", "tasks"),
    (SpecPart::Rubric, "rubric", "rubrics"),
    (SpecPart::Aggregator, "aggregator", "aggregators"),
    (SpecPart::Backend, "backend", "backends"),
    (SpecPart::Cohort, "cohort", "cohorts"),
    (SpecPart::Stopping, "stopping", "stopping rules"),
    (SpecPart::Metric, "metric", "metrics"),
    (SpecPart::Extractor, "extractor", "extractors"),
    (SpecPart::Survey, "survey", "surveys"),
];

/// The indentation below a heading, in columns.
const INDENT: usize = 2;

pub(crate) fn run(arguments: &ListArguments) -> Result<(), Failure> {
    let registry = Registry::linked()?;
    let (entries, is_kind) = match &arguments.what {
        None => (registry.entries().iter().collect(), false),
        Some(what) => named(&registry, what)?,
    };
    if arguments.json {
        return print_json(&entries.iter().map(|entry| as_json(entry)).collect::<Vec<_>>());
    }
    let mut page = Page::default();
    if is_kind {
        for (number, entry) in entries.iter().enumerate() {
            if number > 0 {
                page.line("");
            }
            whole_on(&mut page, entry);
        }
    } else {
        summary_on(&mut page, &entries);
    }
    page.print()
}

/// The plugins of a part or of a kind, and whether `what` is a kind. Several parts may have a plugin of the same kind.
fn named<'r>(registry: &'r Registry, what: &str) -> Result<(Vec<&'r PluginEntry>, bool), Failure> {
    if let Some((part, ..)) = PARTS.iter().find(|(_, one, many)| [one, many].contains(&&what)) {
        return Ok((registry.of(*part).collect(), false));
    }
    let entries: Vec<&PluginEntry> = registry.entries().iter().filter(|entry| entry.kind == what).collect();
    if entries.is_empty() {
        let parts = PARTS.iter().map(|(_, one, _)| *one);
        let known = parts.chain(registry.entries().iter().map(|entry| entry.kind));
        let hint = nearest(what, known)
            .map_or_else(|| "see `hype list`".into(), |near| format!("did you mean `{near}`?"));
        return Err(Failure::Message(format!("there is no part and no linked kind `{what}`: {hint}")));
    }
    Ok((entries, true))
}

/// Writes one line for each kind, grouped by part.
fn summary_on(page: &mut Page, entries: &[&PluginEntry]) {
    for (part, _, title) in PARTS {
        let of_part = entries.iter().filter(|entry| entry.part == part);
        let Some(longest) = of_part.clone().map(|entry| entry.kind.len()).max() else { continue };
        let begin = INDENT + longest + 3;
        page.line(title);
        for entry in of_part {
            let width = page.width().saturating_sub(begin);
            for (number, line) in wrapped(entry.summary, width).iter().enumerate() {
                let kind = if number == 0 { entry.kind } else { "" };
                page.line(format_args!("{0:INDENT$}{kind:<1$}{line}", "", begin - INDENT));
            }
        }
    }
    if entries.len() > 1 {
        page.line("\n`hype list KIND` shows the settings of a kind, with an example and its source");
    }
}

/// Writes all details of one plugin: summary, source, settings, example and answers.
fn whole_on(page: &mut Page, entry: &PluginEntry) {
    page.line(format_args!(
        "{} {}, of {} {}",
        part_name(entry.part),
        entry.kind,
        entry.crate_name,
        entry.crate_version
    ));
    text_on(page, entry.summary, INDENT);
    if !entry.citation.is_empty() {
        text_on(page, &format!("source: {}", entry.citation), INDENT);
    }
    page.line("\nexample");
    text_on(page, entry.example, INDENT);
    settings_on(page, "settings", &entry_yaml_schema(entry));
    if let Some(schema) = answer_schema(entry) {
        settings_on(page, "answers", &schema);
    }
}

fn settings_on(page: &mut Page, title: &str, schema: &serde_json::Value) {
    let settings = settings(schema);
    if settings.is_empty() {
        return;
    }
    page.line(format_args!("\n{title}"));
    for setting in settings {
        text_on(page, &format!("{}: {}", setting.path, setting.values), INDENT);
        text_on(page, &setting.description, 3 * INDENT);
    }
}

/// A paragraph, wrapped and indented.
fn text_on(page: &mut Page, text: &str, indent: usize) {
    if text.is_empty() {
        return;
    }
    for line in wrapped(text, page.width().saturating_sub(indent)) {
        page.line(format_args!("{:indent$}{line}", ""));
    }
}

fn as_json(entry: &PluginEntry) -> serde_json::Value {
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

fn part_name(part: SpecPart) -> &'static str {
    PARTS.iter().find(|(known, ..)| *known == part).map_or("other", |(_, name, _)| name)
}
