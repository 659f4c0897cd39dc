//! Hypotheses that a study states, with the tests of the findings.

use hype_core::Study;
use hype_core::model::findings::MeasureFindings;
use hype_core::study::spec::{Expectation, ExpectedSide};

use crate::numbers::{Style, p_text, percent};
use crate::separation::{Pair, Pairs};
use crate::source::{ReportSource, level_of};
use crate::words;

/// A hypothesis and what the findings say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HypothesisFinding {
    /// The hypothesis in the words of its authors.
    pub hypothesis: String,
    /// The test, in words; `None` where nothing tests it.
    pub test: Option<String>,
    /// The verdict in a sentence.
    pub verdict: String,
}

/// The hypotheses of the study's spec in their order, each with its test and the verdict in words.
#[must_use]
pub fn hypotheses(source: &ReportSource<'_>) -> Vec<HypothesisFinding> {
    let stated = source.study.map(Study::spec).map(|spec| spec.analysis.hypotheses.as_slice());
    stated
        .unwrap_or_default()
        .iter()
        .map(|one| {
            let (test, verdict) = match &one.expects {
                Some(expects) => judged(source, expects),
                None => (None, "It is stated in words alone, and no single test decides it.".to_owned()),
            };
            HypothesisFinding { hypothesis: one.text.trim().replace('\n', " "), test, verdict }
        })
        .collect()
}

/// The test of an expectation, and the verdict.
fn judged(source: &ReportSource<'_>, expects: &Expectation) -> (Option<String>, String) {
    let Expectation { model, is, than, measure } = expects;
    let found = match measure {
        Some(name) => source.findings.measures.iter().find(|found| found.measure.name == *name),
        None => source.score(),
    };
    let Some(found) = found else {
        let name = measure.as_deref().unwrap_or("score");
        return (None, format!("Not tested: the findings have no measure {name}."));
    };
    let known = Pairs::of(found);
    let pair = known.get(model, than);
    let tested = pair.as_ref().and_then(|pair| Some((pair, pair.found.p?)));
    let label = words::label(&found.measure);
    let names = [model, than].map(|name| source.label_of(name));
    let Some((pair, p)) = tested else {
        return (None, format!("Not tested: {} and {} are not compared by {label}.", names[0], names[1]));
    };
    let family = found.family.as_ref().map(|family| format!(", among {family}")).unwrap_or_default();
    let test = format!("{label}, {}{family}", pair.found.method);
    (Some(test), verdict(found, &names, pair, p, *is))
}

fn verdict(
    found: &MeasureFindings,
    [model, than]: &[String; 2],
    pair: &Pair<'_>,
    p: f64,
    is: ExpectedSide,
) -> String {
    let difference = pair.difference();
    let (side, other, opposite) = match is {
        ExpectedSide::Higher => ("higher", "lower", difference < 0.0),
        ExpectedSide::Lower => ("lower", "higher", difference > 0.0),
    };
    let by = Style::of(found).of_differences().value(difference.abs());
    let seen = if opposite { other } else { side };
    if !pair.is_separable(level_of(found)) {
        return format!(
            "Not shown: {model} is {seen} than {than} by {by}, which is not separable from zero at the level of {}% ({}).",
            percent(1.0 - level_of(found)),
            p_text(p)
        );
    }
    let verdict = if opposite { "Contradicted" } else { "Supported" };
    format!("{verdict}: {model} is {seen} than {than} by {by} ({}).", p_text(p))
}
