//! The texts of a package for human readers.

use hype_core::words::counted;
use hype_core::{Direction, Form};
use serde_json::Value;

use super::anonymous::Anonymous;
use super::codebook::{Codebook, QuestionEntry};
use super::protocol::Protocol;
use crate::exchange::markdown::Markdown;

/// The option by which `hype aggregate` generalizes as the findings of all measures do. Without it, they are of raters alone.
fn generalized(findings: &Value) -> String {
    let measures = findings["measures"].as_array().map_or(&[][..], Vec::as_slice);
    let mut kinds = measures.iter().map(|measure| measure["generalize_to"].as_str().unwrap_or("raters"));
    let first = kinds.next().unwrap_or("raters");
    if first == "raters" || kinds.any(|kind| kind != first) {
        return String::new();
    }
    format!(" --generalize-to {first}")
}

/// The README: what the folder contains, and what was removed.
pub(super) fn readme(
    protocol: &Protocol,
    findings: &Value,
    anonymous: &Anonymous,
    files: &[(&str, &str)],
) -> String {
    let mut page = Markdown::default();
    page.line(format!("# {}: ratings and protocol", protocol.study.name));
    if let Some(description) = &protocol.description {
        page.line(format!("\n{description}"));
    }
    if protocol.simulated {
        page.line("\n**The raters are synthetic. No answer was given by a person.**");
    }
    page.line(format!(
        "\n{} in {}, task `{}`, written by {}.",
        counted(anonymous.raters(), "rater"),
        counted(anonymous.sessions().len(), "session"),
        protocol.study.task,
        protocol.software
    ));
    page.heading("## Files");
    page.header(&["file", "what"]);
    for (file, about) in files {
        let about = if file.ends_with(".csv") { format!("one row: {about}") } else { (*about).to_owned() };
        page.row(&[&format!("`{file}`"), &about]);
    }
    page.heading("## Usage");
    let several =
        protocol.aggregate.as_array().map_or(std::slice::from_ref(&protocol.aggregate), Vec::as_slice);
    let with: String = several.iter().map(|one| format!(" \\\n    --with '{one}'")).collect();
    let within = protocol.raters["design"] == "within";
    page.line(format!(
        "The tables are CSV in UTF-8 with a header; `codebook.md` explains every column. `scores.csv` contains the \
         scores of the raters who count. `trials.csv`, `answers.csv` and `sessions.csv` contain all raters, and \
         `sessions.csv` says who was excluded and why. Text that a spreadsheet would compute follows an apostrophe, which \
         `hype aggregate` leaves out. `datapackage.json` describes the tables for other programs, such as \
         `frictionless validate datapackage.json`. To recompute the statistics, with another bootstrap seed, \
         run\n\n```sh\n\
         hype aggregate scores.csv{}{}{with}\n```",
        if within { " --design within" } else { "" },
        generalized(findings)
    ));
    page.heading("## What was removed");
    page.line(
        "Raters are numbered in a random order that was drawn for this package and not stored, so the numbers cannot \
         be traced back to the keys under which raters took part. Anyone with the study's own log can still \
         recognize sessions by their answers. The package contains no worker ids, names, addresses or dates: times \
         are in microseconds since the start of a session. Paths are relative to the study's folder. Stimuli are \
         in the package only where their set declares a licence; `stimuli.csv` contains the digest of each, by which a copy can be \
         verified.",
    );
    page.heading("## Rights");
    page.line(
        "This package does not include a licence of the ratings, and `CITATION.cff` names no authors. Publishers should state the \
         terms under which it may be used, and who made it.",
    );
    let (first, rest) = protocol.study.media.plural().split_at(1);
    for set in &protocol.sets {
        if let Some(licence) = &set.licence {
            page.line(format!("\n{}{rest} of `{}`: {licence}.", first.to_uppercase(), set.name));
        }
    }
    page.text()
}

/// The codebook for human readers.
pub(super) fn codebook(codebook: &Codebook) -> String {
    let mut page = Markdown::default();
    page.line("# Codebook");
    for file in &codebook.files {
        page.heading(format!("## {}", file.name));
        page.line(format!("One row is {}. The file has {}.\n", file.row, counted(file.rows, "row")));
        page.header(&["column", "type", "unit", "meaning", "values"]);
        for column in &file.columns {
            page.row(&[
                &format!("`{}`", column.name),
                &format!("{:?}", column.kind).to_lowercase(),
                column.unit,
                column.meaning,
                &column.values.join(", "),
            ]);
        }
    }
    page.heading("## Measures");
    page.header(&["measure", "label", "unit", "better"]);
    for measure in &codebook.measures {
        let better = match measure.direction {
            Direction::Higher => "higher",
            Direction::Lower => "lower",
            Direction::Neither => "",
        };
        page.row(&[&format!("`{}`", measure.name), &measure.label, &measure.unit, better]);
    }
    page.heading("## Questions");
    codebook.questions.iter().for_each(|entry| question(&mut page, entry));
    page.text()
}

fn question(page: &mut Markdown, entry: &QuestionEntry) {
    let question = &entry.question;
    page.line(format!("### `{}`\n\n{}", question.id, question.text));
    if let Some(help) = &question.help {
        page.line(format!("\n{help}"));
    }
    page.line("");
    let given = |value: &str| entry.given.get(value).map(ToString::to_string).unwrap_or_default();
    match &question.form {
        Form::Choice { options } => {
            page.header(&["answer", "text shown", "times given"]);
            for option in options {
                page.row(&[&format!("`{}`", option.value), &option.label, &given(&option.value)]);
            }
        }
        Form::Number { minimum, maximum, whole } => {
            let kind = if *whole { "A whole number" } else { "A number" };
            page.line(format!("{kind} from {minimum} to {maximum}."));
        }
        Form::Ranking { candidates, ties } => {
            let names: Vec<&str> = candidates.iter().map(|candidate| &*candidate.value).collect();
            let ties = if *ties { "ties allowed" } else { "no ties" };
            page.line(format!("An order of {}: ranks from 1 for the best, {ties}.", names.join(", ")));
        }
        Form::Marks { .. } => page.line("Marked spans `[text, start, end]`, in characters of a text from 0."),
        _ => page.line("Another form of answer."),
    }
    page.line("");
}

/// Writes the identity of the study, and the facts of its protocol.
fn identity(page: &mut Markdown, protocol: &Protocol) {
    let card = &protocol.study;
    page.header(&["what", "value"]);
    let version = card.task_version.to_string();
    let seed = card.seed.to_string();
    let [study, spec, stimuli] = [card.study, card.spec, card.stimuli].map(|digest| digest.to_string());
    let items = protocol.items.to_string();
    for (what, value) in [
        ("task", &*card.task),
        ("version of the task", &version),
        ("rubric", &card.rubric),
        ("aggregator", &card.aggregator),
        ("raters", if protocol.simulated { "synthetic" } else { "people" }),
        ("backend", protocol.backend.as_deref().unwrap_or_default()),
        ("seed", &seed),
        ("random generator", &card.generator),
        ("items", &items),
        ("session digest", &study),
        ("digest of the spec", &spec),
        ("digest of the stimuli", &stimuli),
        ("software", &protocol.software),
    ] {
        page.row(&[what, value]);
    }
    if !card.protocol.is_empty() {
        page.heading("## Facts");
        page.header(&["what", "value"]);
        for fact in &card.protocol {
            page.row(&[&fact.label, &crate::exchange::rows::as_cell(&fact.value)]);
        }
    }
}

/// The protocol for human readers.
pub(super) fn protocol(protocol: &Protocol) -> String {
    let mut page = Markdown::default();
    let card = &protocol.study;
    page.line(format!("# Protocol of {}", card.name));
    if let Some(description) = &protocol.description {
        page.line(format!("\n{description}"));
    }
    page.line("");
    identity(&mut page, protocol);
    page.heading("## Stimuli");
    page.header(&["set", "role", "use", "images"]);
    for set in &protocol.sets {
        let words = [serde_json::json!(set.role), serde_json::json!(set.used_for)];
        let [role, used_for] = words.map(|word| crate::exchange::rows::as_cell(&word));
        page.row(&[&set.name, &role, &used_for, &set.images.to_string()]);
    }
    for (title, settings) in [
        ("Task", &protocol.task),
        ("Rubric", &protocol.rubric),
        ("Raters", &protocol.raters),
        ("Aggregation", &protocol.aggregate),
    ] {
        page.heading(format!("## {title}"));
        page.json(settings);
    }
    if !protocol.hypotheses.is_empty() {
        page.heading("## Hypotheses");
        protocol
            .hypotheses
            .iter()
            .for_each(|one| page.line(format!("- {}", one.text.trim().replace('\n', " "))));
    }
    if let Some(cohort) = &protocol.cohort {
        page.heading("## Synthetic raters");
        page.json(cohort);
    }
    if !protocol.guidance.is_empty() {
        page.heading("## What raters read");
        protocol.guidance.iter().for_each(|paragraph| page.line(format!("{paragraph}\n")));
    }
    page.heading("## Collected");
    page.header(&["what", "count"]);
    for (what, count) in protocol.collected.as_object().into_iter().flatten() {
        page.row(&[what, &crate::exchange::rows::as_cell(count)]);
    }
    for (rule, count) in &protocol.exclusions {
        page.row(&[&format!("excluded: {rule}"), &count.to_string()]);
    }
    let notes = protocol.notes.as_array().map(Vec::as_slice).unwrap_or_default();
    if !notes.is_empty() {
        page.heading("## Notes");
        for note in notes {
            let number = note["number"].as_u64().map(|number| format!("{number}: ")).unwrap_or_default();
            let text = note["text"].as_str().unwrap_or_default();
            page.line(format!("- {number}{text}"));
        }
    }
    page.text()
}
