//! The reporting checklist for human evaluation: answered where the study says it, blank where only its authors know.

use hype_core::model::findings::{Findings, MeasureFindings};
use hype_core::protocol::raters::Raters;
use hype_core::words::counted;
use hype_core::{Consequence, RaterDesign, Study};

use super::about_raters::{paid, recruiting, screening, training};
use super::asked::{Asked, exposures};
use super::{BLANK, all_tests, per_item, stopping, were};
use crate::numbers::{fixed, percent};
use crate::source::{ReportSource, level_of};
use crate::text::listed;

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
    let raters = study.map(Study::raters);
    let asked = study.map(Asked::of);
    let no_people = |text: &str| source.simulated.then(|| text.to_owned());
    vec![
        item("Raters", "Who were the raters?", no_people("Synthetic raters; no people.")),
        item(
            "Raters",
            "How were they recruited?",
            no_people("Not at all: they are part of the program.").or_else(|| {
                let backend = study?.spec().collection.backend.as_ref().map(|backend| backend.typetag_name());
                recruiting(backend, &raters?.recruitment)
            }),
        ),
        item("Raters", "How were they screened?", raters.map(|raters| screening(raters, findings))),
        item(
            "Raters",
            "How were they instructed and trained?",
            study.and_then(|study| training(study, asked.as_ref())),
        ),
        item(
            "Raters",
            "What were they paid?",
            no_people("Nothing: they are synthetic.").or_else(|| paid(raters?, findings)),
        ),
        item(
            "Raters",
            "Did they consent, and who reviewed the study?",
            no_people("No people took part whose consent was needed."),
        ),
        item("Task", "How many raters judged each model or item?", score.map(|score| judged(source, score))),
        item(
            "Task",
            "What exactly was asked?",
            asked.as_ref().and_then(Asked::wording).as_deref().map(capitalized),
        ),
        item("Task", "How long was it shown, and how accurately?", shown(source)),
        item("Task", "Which screens and viewing conditions?", screens(source)),
        item("Task", "How was the order randomized?", study.map(randomization)),
        item("Exclusions", "Which rules excluded raters?", excluding(findings, raters)),
        item("Exclusions", "Were they set before anybody was excluded?", study.map(decided)),
        item("Exclusions", "When did the collection end?", ended(source)),
        item("Analysis", "What is the uncertainty, and over what?", score.and_then(uncertainty)),
        item("Analysis", "Which tests, and how were they adjusted?", score.and_then(tests)),
        item("Analysis", "How far did raters agree?", score.map(|_| agreement(&findings.measures))),
        item("Analysis", "Was the analysis registered before?", registered(findings)),
        item(
            "Data",
            "What identifies the study?",
            findings.study.as_ref().map(|card| {
                format!(
                    "Session digest {}, digest of the stimuli {}, spec digest {}; {}.",
                    card.study, card.stimuli, card.spec, findings.software
                )
            }),
        ),
        item("Data", "Where can data and spec be had?", None),
    ]
}

/// A text with a capital letter at its start.
fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn judged(source: &ReportSource<'_>, score: &MeasureFindings) -> String {
    let most = score.estimates.iter().map(|one| one.raters).max().unwrap_or(0);
    let least = score.estimates.iter().map(|one| one.raters).min().unwrap_or(0);
    let each = between(least, most, "rater");
    let mut text = format!(
        "{each} who count for each model; {} in all, with {}.",
        counted(score.raters, "rater"),
        counted(score.responses, "value")
    );
    if let Some((least, most)) = source.records.values_per_item(&score.measure.name) {
        text += &format!(" Each judged item of a model has {}.", between(least, most, "value"));
    }
    if let Some(planned) = source.study.and_then(per_item) {
        text += &format!(" {planned}");
    }
    text
}

/// A number, or the least and the greatest one.
fn between(least: u64, most: u64, noun: &str) -> String {
    if least == most { counted(least, noun) } else { format!("{least} to {}", counted(most, noun)) }
}

fn shown(source: &ReportSource<'_>) -> Option<String> {
    let planned = exposures(source);
    let measured = source.findings.timing.as_ref().filter(|timing| timing.displayed > 0).map(|timing| {
        format!(
            "{} {} measured; exact to the frame: {}, suspect: {}.",
            counted(timing.displayed, "limited display"),
            were(timing.displayed),
            timing.exact,
            timing.suspect
        )
    });
    let parts: Vec<String> = planned.into_iter().chain(measured).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn screens(source: &ReportSource<'_>) -> Option<String> {
    if source.simulated {
        return Some("None: synthetic raters see no screen.".to_owned());
    }
    let rates = &source.findings.timing.as_ref()?.refresh_hz;
    let rates: Vec<String> = rates.iter().map(|(hertz, raters)| format!("{hertz} Hz ({raters})")).collect();
    (!rates.is_empty()).then(|| {
        format!(
            "Refresh rates of the screens, with the number of raters: {}. Other conditions: {BLANK}.",
            listed(&rates)
        )
    })
}

fn randomization(study: &Study) -> String {
    let card = study.card();
    let raters = study.raters();
    let models = match raters.design {
        RaterDesign::Within if raters.per_item.is_none() && study.models().len() > 1 => {
            " Raters judged all models, in orders balanced by a Williams square."
        }
        _ => "",
    };
    format!(
        "By the program, for each session anew, with the generator {} and the seed {}.{models}",
        card.generator, card.seed
    )
}

fn excluding(findings: &Findings, raters: Option<&Raters>) -> Option<String> {
    let collected = findings.collected.as_ref()?;
    let named = |wanted: Consequence| -> Vec<String> {
        let rules = findings.checks.iter().filter(|check| check.consequence == wanted);
        rules.map(|check| format!("{} ({} failed)", check.name, check.failed)).collect()
    };
    let (excluding, flagging) = (named(Consequence::Exclude), named(Consequence::Flag));
    let mut text = match excluding.as_slice() {
        [] => "No check excluded a rater.".to_owned(),
        rules => format!("Checks that exclude: {}.", listed(rules)),
    };
    if !flagging.is_empty() {
        text += &format!(" Checks that only flag: {}.", listed(&flagging));
    }
    if raters.is_some_and(|raters| raters.qualification.is_some()) {
        text += &format!(" The qualification disqualified {}.", collected.disqualified);
    }
    text += &format!(
        " Completed sessions that were excluded: {} of {}; sessions that were left before the end: {}.",
        collected.excluded, collected.completed, collected.left
    );
    Some(text)
}

/// Says when rules were decided: this is known of those in the spec, not of those by operators.
fn decided(study: &Study) -> String {
    let by_hand = study.control().excluded().len();
    let by_hand = match by_hand {
        0 => "no rater was excluded by hand".to_owned(),
        count => format!("{} excluded by hand, which no rule of the spec did", counted(count, "rater")),
    };
    format!("The rules are those of the spec; {by_hand}. When the spec was final: {BLANK}.")
}

fn ended(source: &ReportSource<'_>) -> Option<String> {
    let collected = source.findings.collected.as_ref()?;
    let counting = collected.completed.saturating_sub(collected.excluded);
    let rule = match &source.findings.stopping {
        Some(found) => stopping(found),
        None => "No stopping rule was declared.".to_owned(),
    };
    Some(format!(
        "{counting} of {} {} filled. {rule}",
        counted(collected.places, "place"),
        were(u64::from(collected.places))
    ))
}

fn uncertainty(score: &MeasureFindings) -> Option<String> {
    let mut methods: Vec<&str> =
        score.estimates.iter().filter_map(|one| Some(&*one.interval.as_ref()?.method)).collect();
    methods.sort_unstable();
    methods.dedup();
    let over = score.generalize_to.map(|target| format!("; the unit that varies: {}", target.units()));
    (!methods.is_empty()).then(|| {
        let over = over.unwrap_or_default();
        format!("{}% intervals by {}{over}.", percent(level_of(score)), listed(&methods))
    })
}

fn tests(score: &MeasureFindings) -> Option<String> {
    let parts = all_tests(score);
    (!parts.is_empty()).then(|| {
        let level = percent(1.0 - level_of(score));
        format!("{} The significance level is {level}%.", parts.join(" "))
    })
}

/// The coefficients of every measure, those that are not defined for the data among them.
fn agreement(measures: &[MeasureFindings]) -> String {
    let analysed = measures.iter().filter(|found| !found.agreement.is_empty());
    let sentences: Vec<String> = analysed
        .map(|found| {
            let coefficients: Vec<String> = found
                .agreement
                .iter()
                .map(|one| {
                    let of = one.model.as_ref().map(|model| format!(" for {model}")).unwrap_or_default();
                    let value = one.value.map_or_else(|| "not defined".to_owned(), |value| fixed(value, 3));
                    format!("{}{of}: {value}", one.coefficient)
                })
                .collect();
            format!("On \"{}\": {}.", found.measure.label, listed(&coefficients))
        })
        .collect();
    if sentences.is_empty() { "It was not analysed.".to_owned() } else { sentences.join(" ") }
}

/// Describes the comparison with a preregistration, if the report was made with one.
fn registered(findings: &Findings) -> Option<String> {
    let known = ["as-registered", "not-as-registered", "registered-late"];
    let notes = findings.notes.iter().filter(|note| known.contains(&&*note.code));
    let texts: Vec<&str> = notes.map(|note| &*note.text).collect();
    (!texts.is_empty()).then(|| format!("A preregistration was compared: {}.", texts.join("; ")))
}

#[cfg(test)]
mod tests {
    use hype_core::model::findings::Agreement;
    use hype_core::{Direction, Measure};

    use super::*;

    #[test]
    fn agreement_is_given_for_every_measure() {
        let coefficient = |value| Agreement {
            coefficient: "alpha".into(),
            model: None,
            value,
            interval: None,
            raters: 3,
            items: 4,
            ratings: 12,
            items_left_out: 0,
            undefined: None,
        };
        let measure = |name: &str, agreement| {
            let found = MeasureFindings::new(Measure::new(name, name, "", Direction::Higher));
            MeasureFindings { agreement, ..found }
        };
        let none = measure("score", Vec::new());
        assert_eq!(agreement(&[]), "It was not analysed.");
        let undefined = measure("score", vec![coefficient(None)]);
        assert_eq!(agreement(&[undefined]), "On \"score\": alpha: not defined.");
        let other = measure("SC", vec![coefficient(Some(0.25))]);
        assert_eq!(agreement(&[none, other]), "On \"SC\": alpha: 0.250.");
    }
}
