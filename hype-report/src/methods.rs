//! The facts of a methods section, from the findings and the study.

use std::fmt::Write as _;

use hype_core::Study;
use hype_core::model::findings::{GeneralizeTo, MeanOver, MeasureFindings, StoppingFindings};
use hype_core::plugin::registry::{Registry, SpecPart};
use hype_core::protocol::raters::RaterDesign;
use hype_core::serde_json::Value;
use hype_core::words::counted;

use crate::numbers::percent;
use crate::separation::methods_of;
use crate::source::{ReportSource, level_of};
use crate::text::{listed, markdown};

mod about_raters;
mod asked;
mod checklist;
mod facets;
mod metrics;
mod sources;

use self::asked::{Asked, exposures};
pub use self::checklist::{ChecklistItem, checklist};
pub use self::sources::references;

/// Where the program cannot know an answer.
pub(crate) const BLANK: &str = "[to be filled in]";

/// The methods section and the checklist, as Markdown.
#[must_use]
pub fn methods(source: &ReportSource<'_>) -> String {
    let mut text = String::from("# Methods\n\n");
    if let Some(caution) = source.caution() {
        let _ = writeln!(text, "**These are {caution}.**\n");
    }
    for paragraph in described(source).into_iter().chain(sources::cited(source, true)) {
        let _ = writeln!(text, "{}\n", markdown(&paragraph));
    }
    text.push_str("# Checklist\n\n");
    let mut section = "";
    for item in checklist(source) {
        if item.section != section {
            let before = if section.is_empty() { "" } else { "\n" };
            section = item.section;
            let _ = writeln!(text, "{before}## {section}\n");
        }
        let answer = item.answer.as_deref().unwrap_or(BLANK);
        let _ = writeln!(text, "- **{}** {}", item.question, markdown(answer));
    }
    text
}

/// The paragraphs of the methods section.
pub(crate) fn paragraphs(source: &ReportSource<'_>) -> Vec<String> {
    described(source).into_iter().chain(sources::cited(source, false)).collect()
}

/// The methods without their sources.
fn described(source: &ReportSource<'_>) -> Vec<String> {
    let mut all = Vec::new();
    all.extend(source.study.map(design));
    all.extend(source.study.map(|study| task(source, study)).filter(|text| !text.is_empty()));
    all.extend(participants(source));
    all.extend(source.findings.stopping.as_ref().map(stopping));
    all.extend(source.score().map(analysis));
    all.extend(metrics::pipelines(&source.findings.metrics));
    all.extend(source.findings.study.as_ref().map(|card| {
        format!(
            "The study was run with {}; its session digest is {}, that of its stimuli {}, and its seed {}.",
            source.findings.software, card.study, card.stimuli, card.seed
        )
    }));
    all
}

fn design(study: &Study) -> String {
    let stimuli = study.stimuli();
    let models: Vec<String> = study
        .models()
        .iter()
        .filter_map(|&id| {
            let count = stimuli.members(id).len();
            let unit = if count == 1 { "stimulus" } else { "stimuli" };
            Some(format!("{} ({count} {unit})", stimuli.set(id)?.name))
        })
        .collect();
    let task = study.spec().protocol.task.typetag_name();
    let summary = summary_of(SpecPart::Task, task)
        .map_or_else(String::new, |summary| format!(" ({})", study.words().worded(summary)));
    let mut text = format!("The task was {task}{summary}.");
    let _ = write!(
        text,
        " {} {} judged: {}.",
        counted(models.len(), "model"),
        were(models.len() as u64),
        listed(&models)
    );
    let raters = study.raters();
    let has_cells = stimuli.cells().next().is_some();
    let of_all_levels = has_cells && matches!(raters.cells, RaterDesign::Within);
    let at_all_levels = if of_all_levels { " at all levels" } else { "" };
    match per_item(study) {
        Some(planned) => {
            let _ = write!(text, " {planned}");
        }
        None => {
            let count =
                format!("{} {}", counted(raters.per_model, "rater"), were(u64::from(raters.per_model)));
            let _ = match raters.design {
                RaterDesign::Within if has_cells && !of_all_levels => {
                    write!(
                        text,
                        " {count} to judge all models at each level, and each rater those of one level."
                    )
                }
                RaterDesign::Within => {
                    let each = if raters.per_model == 1 { "" } else { "Each of " };
                    let all = counted(raters.per_model, "rater");
                    write!(text, " {each}{all} was to judge all models{at_all_levels}.")
                }
                RaterDesign::Between => {
                    write!(text, " {count} to judge each model, and each rater one model{at_all_levels}.")
                }
            };
        }
    }
    if let Some(other) = &raters.recruitment.qualified_by {
        let _ = write!(text, " Raters were screened by the qualification of the study {other}.");
    } else if let Some(one) = &raters.qualification {
        let _ = write!(text, " Raters were screened by {}.", about_raters::qualification(one));
    }
    text
}

/// The verb after a count.
const fn were(count: u64) -> &'static str {
    if count == 1 { "was" } else { "were" }
}

/// Describes the plan of a study that counts raters by item.
fn per_item(study: &Study) -> Option<String> {
    let (per_item, by_item) = (study.raters().per_item?, study.task().by_item()?);
    let sessions = counted(study.places(), "session");
    Some(format!("The plan counted {} for each {}: {sessions}.", counted(per_item, "rater"), by_item.unit()))
}

/// Describes what raters were asked and shown, and what else the protocol fixes.
fn task(source: &ReportSource<'_>, study: &Study) -> String {
    let asked = Asked::of(study);
    let wording = asked.wording().map(|text| format!("Raters were asked {text}"));
    let parts: Vec<String> = wording
        .into_iter()
        .chain(exposures(source))
        .chain(asked.practice())
        .chain(study.profile().settings.iter().map(|setting| asked.worded(setting)))
        .collect();
    parts.join(" ")
}

/// A JSON value without its punctuation.
fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(in_words).collect::<Vec<_>>().join(", "),
        Value::Object(all) => {
            let entries =
                all.iter().map(|(name, value)| format!("{} {}", name.replace('_', " "), in_words(value)));
            entries.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// Returns a plugin's summary from its registry entry.
fn summary_of(part: SpecPart, kind: &str) -> Option<&'static str> {
    Some(Registry::linked().ok()?.find(part, kind)?.summary)
}

fn participants(source: &ReportSource<'_>) -> Option<String> {
    let findings = source.findings;
    let collected = findings.collected.as_ref()?;
    let counting = collected.completed.saturating_sub(collected.excluded);
    let screened = match collected.screened_out {
        0 => String::new(),
        some => format!("; screened out by their answers before the task: {some}"),
    };
    let mut text = format!(
        "Sessions opened: {}; completed: {}; disqualified: {}{screened}; left before the end: {}. Of the completed ones, {} {} excluded by \
         checks or by hand; estimates are of {}.",
        collected.sessions,
        collected.completed,
        collected.disqualified,
        collected.left,
        collected.excluded,
        were(collected.excluded),
        counted(counting, "session")
    );
    if let Some(earnings) = findings.earnings.as_ref().filter(|_| !source.simulated) {
        let _ = write!(text, " Raters earned {} {} in all.", earnings.total, earnings.currency);
    }
    Some(text)
}

fn stopping(found: &StoppingFindings) -> String {
    let kind = found.rule["kind"].as_str().unwrap_or_default();
    let each = if found.per_model { " of each model" } else { "" };
    let looks: Vec<String> = found.taken().map(|look| look.raters.to_string()).collect();
    let mut text =
        format!("A stopping rule was declared for \"{}\": {kind}, {}.", found.measure, found.method);
    let _ = match found.stopped_at {
        Some(at) => write!(
            text,
            " It ended the collection at {}{each}, where {} were planned, after looks at {}.",
            counted(at, "rater"),
            found.planned,
            listed(&looks)
        ),
        None if looks.is_empty() => write!(text, " No look has been taken."),
        None => {
            let raters = if looks == ["1"] { "rater" } else { "raters" };
            write!(
                text,
                " It has not ended the collection at its looks at {} {raters}{each}.",
                listed(&looks)
            )
        }
    };
    text
}

fn analysis(found: &MeasureFindings) -> String {
    let mut text = format!("The score is \"{}\".", found.measure.label);
    text += match found.mean_over {
        Some(MeanOver::Raters) => " Estimates are means over raters, who all count the same.",
        Some(MeanOver::Answers) => " Estimates are means over answers, each of which counts the same.",
        None => "",
    };
    let mut methods: Vec<&str> =
        found.estimates.iter().filter_map(|one| Some(&*one.interval.as_ref()?.method)).collect();
    methods.sort_unstable();
    methods.dedup();
    if !methods.is_empty() {
        let _ =
            write!(text, " Intervals are {}% intervals ({}).", percent(level_of(found)), listed(&methods));
    }
    if let Some(target) = found.generalize_to {
        let about = match target {
            GeneralizeTo::Raters => "other raters who judge the same items",
            GeneralizeTo::RatersAndItems => "other raters and other items",
            GeneralizeTo::Items => "other items, judged by the same raters",
        };
        let _ = write!(text, " Results generalize to {about}.");
    }
    for sentence in all_tests(found) {
        let _ = write!(text, " {sentence}");
    }
    if let Some(ranks) = &found.ranks {
        let _ = write!(text, " The sets of ranks are by {}.", ranks.method);
    }
    text
}

/// All tests of a measure, a sentence for each kind.
fn all_tests(found: &MeasureFindings) -> Vec<String> {
    compared(found).into_iter().chain(tested(found)).chain(facets::tested(found)).collect()
}

/// How pairs of models were compared.
fn compared(found: &MeasureFindings) -> Option<String> {
    let methods = methods_of(&found.comparisons);
    if methods.is_empty() {
        return None;
    }
    let who = if found.estimates.len() == 2 { "The two models" } else { "Pairs of models" };
    let family = found.family.as_ref().map(|family| format!(", with p values adjusted among {family}"));
    Some(format!("{who} were compared by {}{}.", listed(&methods), family.unwrap_or_default()))
}

/// The tests over all models.
fn tested(found: &MeasureFindings) -> Option<String> {
    let tests: Vec<&str> =
        found.tests.iter().filter(|test| test.undefined.is_none()).map(|test| &*test.name).collect();
    match tests.as_slice() {
        [] => None,
        [test] => Some(format!("The test over all models is {test}.")),
        tests => Some(format!("The tests over all models are {}.", listed(tests))),
    }
}
