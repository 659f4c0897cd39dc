//! The publications that describe a study's methods: those that it used, and no others.

use std::fmt::Write as _;

use hype_core::Study;
use hype_core::model::findings::{Findings, StudyCard};
use hype_core::plugin::registry::{Registry, SpecPart};
use hype_core::serde_json::{Value, to_value};

use crate::source::ReportSource;
use crate::text::{latex, listed};

/// The publications, in the order in which methods name them, in blocks of nine lines: key, form, authors, title, venue, year and
/// DOI as BibTeX has them, what it is the source of, and by what a study uses it.
const TABLE: &str = include_str!("sources.txt");
/// The crates whose sources are in the table.
const KNOWN: [&str; 3] = ["hype-tasks", "hype-analyses", "hype-pipeline"];
/// A field that a publication does not have.
const NONE: &str = "-";

/// A publication.
#[derive(Debug, Clone, Copy)]
struct Source<'a> {
    key: &'a str,
    form: &'a str,
    author: &'a str,
    title: &'a str,
    venue: &'a str,
    year: &'a str,
    doi: &'a str,
    of: &'a str,
    uses: &'a str,
}

/// The parts of a study that a publication may describe.
struct Used {
    /// The parts of the spec by their kinds.
    parts: Vec<(SpecPart, String)>,
    /// The names of tests, intervals and coefficients.
    names: Vec<String>,
    /// The facts of the protocol, with the kind or the value of each.
    facts: Vec<(String, String)>,
    measures: Vec<String>,
}

/// The sources of the methods, as BibTeX.
#[must_use]
pub fn references(source: &ReportSource<'_>) -> String {
    let used = Used::by(source);
    let mut text: String = used.sources().map(Source::entry).collect();
    for (kind, citation) in used.of_plugins() {
        let _ = write!(
            text,
            "@misc{{{key},\n  key = {{{key}}},\n  title = {{{{{}}}}},\n}}\n\n",
            latex(&citation),
            key = key_of(&kind)
        );
    }
    text
}

/// Cites the sources of the methods in a sentence; with the keys of BibTeX for those who write with them. `None` without sources.
pub(super) fn cited(source: &ReportSource<'_>, with_keys: bool) -> Option<String> {
    let used = Used::by(source);
    let mut about: Vec<(&str, Vec<String>)> = Vec::new();
    for one in used.sources() {
        let key = if with_keys { format!(", @{}", one.key) } else { String::new() };
        let cited = format!("{} ({}{key})", one.names(), one.year);
        match about.iter_mut().find(|(of, _)| *of == one.of) {
            Some((_, known)) => known.push(cited),
            None => about.push((one.of, vec![cited])),
        }
    }
    let mut parts: Vec<String> =
        about.into_iter().map(|(of, cited)| format!("{of}, {}", listed(&cited))).collect();
    parts.extend(used.of_plugins().into_iter().map(|(kind, citation)| {
        let key = if with_keys { format!(" (@{})", key_of(&kind)) } else { String::new() };
        format!("{kind}, {citation}{key}")
    }));
    (!parts.is_empty()).then(|| format!("Sources of methods: {}.", parts.join("; ")))
}

/// The key of a plugin in BibTeX.
fn key_of(kind: &str) -> String {
    kind.replace(['.', '_'], "-")
}

/// All publications of the table.
fn table() -> impl Iterator<Item = Source<'static>> {
    TABLE.trim_end().split("\n\n").filter_map(|block| {
        let lines: Vec<&str> = block.lines().collect();
        let [key, form, author, title, venue, year, doi, of, uses] = lines.try_into().ok()?;
        Some(Source { key, form, author, title, venue, year, doi, of, uses })
    })
}

impl Source<'_> {
    /// The entry in BibTeX.
    fn entry(self) -> String {
        let Self { key, form, author, title, venue, year, doi, .. } = self;
        let of_venue = match form {
            "article" => "journal",
            "inproceedings" => "booktitle",
            "book" => "publisher",
            _ => "institution",
        };
        let mut fields = vec![
            ("author", author.to_owned()),
            ("title", title.to_owned()),
            (of_venue, venue.replace('&', "\\&")),
            ("year", year.to_owned()),
        ];
        if doi != NONE {
            fields.push(("doi", doi.to_owned()));
        }
        let fields: String =
            fields.into_iter().map(|(name, value)| format!("  {name} = {{{value}}},\n")).collect();
        format!("@{form}{{{key},\n{fields}}}\n\n")
    }

    /// The family names of the authors.
    fn names(self) -> String {
        let families: Vec<&str> = self
            .author
            .split(" and ")
            .map(|one| one.split_once(", ").map_or(one, |(family, _)| family).trim_matches(['{', '}']))
            .collect();
        match families.as_slice() {
            [one] => (*one).to_owned(),
            [first, second] if *second != "others" => format!("{first} and {second}"),
            [first, ..] => format!("{first} et al."),
            [] => String::new(),
        }
    }
}

impl Used {
    fn by(source: &ReportSource<'_>) -> Self {
        let findings = source.findings;
        let mut parts = findings.study.as_ref().map(kinds).unwrap_or_default();
        parts.extend(source.study.map(kinds_of_spec).unwrap_or_default());
        let has_metric =
            |name: &str| parts.iter().any(|(part, kind)| *part == SpecPart::Metric && kind == name);
        let metrics: Vec<(SpecPart, String)> = findings
            .metrics
            .iter()
            .map(|metric| &*metric.measure.name)
            .filter(|name| !has_metric(name))
            .map(|name| (SpecPart::Metric, name.to_owned()))
            .collect();
        parts.extend(metrics);
        let facts = findings.study.iter().flat_map(|card| &card.protocol).map(|fact| {
            let value = fact.value.get("kind").unwrap_or(&fact.value);
            (fact.name.to_string(), value.as_str().unwrap_or_default().to_owned())
        });
        let measures = findings.measures.iter().map(|found| found.measure.name.to_string());
        Self { parts, names: names_in(findings), facts: facts.collect(), measures: measures.collect() }
    }

    /// The publications of the table that are used.
    fn sources(&self) -> impl Iterator<Item = Source<'static>> {
        table().filter(|source| source.uses.split("; ").any(|one| self.has(one)))
    }

    fn has(&self, what: &str) -> bool {
        let Some((kind, name)) = what.split_once(' ') else { return false };
        let is_part = |part: SpecPart| {
            self.parts.iter().any(|(known, kind)| {
                *known == part && (kind == name || name.ends_with('.') && kind.starts_with(name))
            })
        };
        match kind {
            "task" => is_part(SpecPart::Task),
            "rubric" => is_part(SpecPart::Rubric),
            "aggregator" => is_part(SpecPart::Aggregator),
            "stopping" => is_part(SpecPart::Stopping),
            "survey" => is_part(SpecPart::Survey),
            "metric" => is_part(SpecPart::Metric),
            "named" => self.names.iter().any(|known| known.contains(name)),
            "measure" => self.measures.iter().any(|known| known == name),
            _ => {
                let (fact, value) = name.split_once(' ').unwrap_or((name, ""));
                self.facts.iter().any(|(known, is)| known == fact && (value.is_empty() || is == value))
            }
        }
    }

    /// Returns the citations of plugins of other crates, by their kinds.
    fn of_plugins(&self) -> Vec<(String, String)> {
        let Ok(registry) = Registry::linked() else { return Vec::new() };
        let mut all: Vec<(String, String)> = Vec::new();
        for (part, kind) in &self.parts {
            let entry = registry.find(*part, kind);
            let cited =
                entry.filter(|entry| !entry.citation.is_empty() && !KNOWN.contains(&entry.crate_name));
            if let Some(entry) = cited.filter(|_| all.iter().all(|(known, _)| known != kind)) {
                all.push((kind.clone(), entry.citation.to_owned()));
            }
        }
        all
    }
}

/// The parts of a study by its card.
fn kinds(card: &StudyCard) -> Vec<(SpecPart, String)> {
    let aggregators = card.aggregator.split(" + ").map(|kind| (SpecPart::Aggregator, kind.to_owned()));
    let others = [(SpecPart::Task, card.task.to_string()), (SpecPart::Rubric, card.rubric.to_string())];
    others.into_iter().chain(aggregators).collect()
}

/// The parts that only the spec names.
fn kinds_of_spec(study: &Study) -> Vec<(SpecPart, String)> {
    let spec = study.spec();
    let surveys = spec.protocol.before.iter().chain(&spec.protocol.after);
    let surveys = surveys.map(|one| (SpecPart::Survey, one.typetag_name()));
    let metrics = spec.analysis.metrics.metrics.iter().map(|one| (SpecPart::Metric, one.typetag_name()));
    let stopping = spec.collection.stopping.iter().map(|one| (SpecPart::Stopping, one.typetag_name()));
    surveys.chain(metrics).chain(stopping).map(|(part, kind)| (part, kind.to_owned())).collect()
}

/// The names of all tests, intervals and coefficients, and what notes say of them.
fn names_in(findings: &Findings) -> Vec<String> {
    fn collect(value: &Value, key: &str, names: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                let is_test = fields.contains_key("statistic_name");
                for (name, value) in fields {
                    let name = if is_test && name == "name" { "method" } else { name };
                    collect(value, name, names);
                }
            }
            Value::Array(all) => all.iter().for_each(|one| collect(one, key, names)),
            Value::String(text)
                if ["method", "coefficient", "family"].contains(&key) && !names.contains(text) =>
            {
                names.push(text.clone());
            }
            _ => {}
        }
    }
    let mut names: Vec<String> = findings.notes.iter().map(|note| note.text.to_string()).collect();
    for value in [to_value(&findings.measures), to_value(&findings.stopping)].into_iter().flatten() {
        collect(&value, "", &mut names);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_of_the_table_is_a_publication_with_uses() {
        let blocks = TABLE.trim_end().split("\n\n").count();
        let all: Vec<Source<'_>> = table().collect();
        assert_eq!(all.len(), blocks);
        let uses =
            ["task", "rubric", "aggregator", "stopping", "survey", "metric", "named", "measure", "fact"];
        for (place, source) in all.iter().enumerate() {
            let Source { key, form, year, doi, .. } = source;
            assert!(all[..place].iter().all(|other| other.key != *key), "{key} stands twice");
            assert!(["article", "inproceedings", "book", "techreport"].contains(form), "{key}: {form}");
            assert!(year.parse::<u16>().is_ok_and(|year| key.contains(&year.to_string())), "{key}: {year}");
            assert!(*doi == NONE || doi.starts_with("10."), "{key}: {doi}");
            for one in source.uses.split("; ") {
                let kind = one.split(' ').next().unwrap();
                assert!(uses.contains(&kind), "{key}: {one}");
            }
        }
    }

    #[test]
    fn authors_are_named_as_in_texts() {
        let names = |key: &str| table().find(|source| source.key == key).unwrap().names();
        assert_eq!(names("holm1979"), "Holm");
        assert_eq!(names("bradley1952"), "Bradley and Terry");
        assert_eq!(names("kendall1939"), "Kendall and Babington Smith");
        assert_eq!(names("zhou2019"), "Zhou et al.");
        assert_eq!(names("itu2023"), "International Telecommunication Union");
        assert_eq!(names("student1908"), "Student");
    }
}
