//! The reporting checklist for human evaluation: answered where the study says it, blank where only its authors know.

use std::sync::Arc;

use hype_core::words::counted;
use hype_core::{Asked, Question, Role, Study};

use crate::source::{ReportSource, level_of};
use crate::text::{listed, percent};

/// A question that readers of a human evaluation have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChecklistItem {
    /// The section, such as `Raters`.
    pub section: &'static str,
    /// The question.
    pub question: &'static str,
    /// The answer; `None` where the program cannot know it.
    pub answer: Option<String>,
}

/// The checklist of a study.
#[must_use]
pub fn checklist(source: &ReportSource<'_>) -> Vec<ChecklistItem> {
    let item = |section, question, answer| ChecklistItem { section, question, answer };
    let findings = source.findings;
    let (study, score) = (source.study, source.score());
    let raters = study.map(|study| study.raters());
    let unit = |found: &hype_core::MeasureFindings| found.generalize_to.map(|target| target.units());
    let intervals = score.and_then(|score| {
        let interval = score.estimates.iter().find_map(|one| one.interval.as_ref())?;
        let over = unit(score).map(|units| format!("; the unit that varies: {units}")).unwrap_or_default();
        Some(format!("{} % intervals by {}{over}.", percent(interval.level), interval.method))
    });
    let agreement = score.map(|score| {
        let known: Vec<String> = score
            .agreement
            .iter()
            .filter_map(|one| Some(format!("{} {:.3}", one.coefficient, one.value?)))
            .collect();
        if known.is_empty() { "Not analysed.".to_owned() } else { format!("{}.", listed(&known)) }
    });
    let wording = study.and_then(|study| {
        let questions: Vec<String> =
            questions_of(study).iter().map(|question| format!("\"{}\"", question.text)).collect();
        (!questions.is_empty()).then(|| format!("{}.", listed(&questions)))
    });
    let pairs = score.and_then(|score| {
        let method = &score.comparisons.first()?.method;
        let family = score.family.as_ref().map(|family| format!(", family: {family}")).unwrap_or_default();
        Some(format!("{method}{family}; level {} %.", percent(level_of(score))))
    });
    vec![
        item(
            "Raters",
            "Who were the raters?",
            source.simulated.then(|| "Synthetic raters; no people.".to_owned()),
        ),
        item("Raters", "How were they recruited?", None),
        item(
            "Raters",
            "How were they screened?",
            raters.map(|raters| match &raters.qualification {
                Some(one) => format!("By a qualification of {}.", counted(one.trials, "trial")),
                None => "They were not screened by the program.".to_owned(),
            }),
        ),
        item(
            "Raters",
            "What were they paid?",
            raters.and_then(|raters| {
                let payment = raters.payment.as_ref()?;
                Some(format!(
                    "{} {} for taking part and {} {} for each right answer.",
                    payment.base, payment.currency, payment.per_correct, payment.currency
                ))
            }),
        ),
        item("Raters", "Did they consent, and who reviewed the study?", None),
        item(
            "Task",
            "How many raters judged each model or item?",
            score.map(|score| {
                let most = score.estimates.iter().map(|one| one.raters).max().unwrap_or(0);
                let least = score.estimates.iter().map(|one| one.raters).min().unwrap_or(0);
                let range = if least == most { most.to_string() } else { format!("{least} to {most}") };
                format!(
                    "{range} raters who count for each model; {} in all, {}.",
                    score.raters,
                    counted(score.responses, "value")
                )
            }),
        ),
        item("Task", "What exactly was asked?", wording),
        item(
            "Task",
            "How long was it shown, and how accurately?",
            findings.timing.as_ref().map(|timing| {
                format!(
                    "{} limited displays were measured; {} were exact to the frame, {} suspect.",
                    timing.displayed, timing.exact, timing.suspect
                )
            }),
        ),
        item("Task", "Which screens and viewing conditions?", None),
        item(
            "Task",
            "How was the order randomized?",
            findings.study.as_ref().map(|card| {
                format!("By the program, with the generator {} and the seed {}.", card.generator, card.seed)
            }),
        ),
        item(
            "Exclusions",
            "Which rules excluded raters?",
            findings.collected.as_ref().map(|collected| {
                let rules: Vec<&str> = findings
                    .checks
                    .iter()
                    .filter(|check| check.consequence == hype_core::Consequence::Exclude)
                    .map(|check| &*check.name)
                    .collect();
                let rules = if rules.is_empty() { "none".to_owned() } else { listed(&rules) };
                format!(
                    "Excluding checks in the spec: {rules}. {} excluded, {} left, {} disqualified.",
                    collected.excluded, collected.left, collected.disqualified
                )
            }),
        ),
        item("Exclusions", "Were they set before anybody was excluded?", None),
        item("Analysis", "What is the uncertainty, and over what?", intervals),
        item("Analysis", "Which tests, and how were they adjusted?", pairs),
        item("Analysis", "How far did raters agree?", agreement),
        item("Analysis", "Was the analysis registered before?", None),
        item(
            "Data",
            "What identifies the study?",
            findings
                .study
                .as_ref()
                .map(|card| format!("Session digest {}, spec digest {}.", card.study, card.spec)),
        ),
        item("Data", "Where can data and spec be had?", None),
    ]
}

/// The questions of the rubric about a generated stimulus of the first item. Tasks that ask questions of their own have none here.
fn questions_of(study: &Study) -> Arc<[Question]> {
    study.rubric().questions(&Asked { item: study.stimuli().items().first(), role: Role::Generated })
}
