//! Who took part, who was left out, and what that changes.

use std::collections::BTreeMap;

use hype_core::words::counted;

use crate::data::{Cell, Data};
use crate::figure::{
    Beside, BesideText, Chart, Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, Tone,
};
use crate::numbers::Style;
use crate::source::ReportSource;
use crate::words::labelled;

/// The flow of raters, if sessions were collected.
pub(super) fn flow(source: &ReportSource<'_>) -> Option<Figure> {
    let collected = source.findings.collected.as_ref()?;
    let mut data = Data::new(["step", "of", "text", "count"]);
    let step = |data: &mut Data, name: &str, text: &str, count: u64| {
        data.push("step", [name.into(), Cell::Empty, text.into(), count.into()]);
    };
    let branch = |data: &mut Data, of: &str, text: &str, count: u64| {
        if count > 0 {
            data.push("branch", [Cell::Empty, of.into(), text.into(), count.into()]);
        }
    };
    step(&mut data, "opened", "sessions opened", collected.sessions);
    branch(&mut data, "opened", "did not pass the qualification", collected.disqualified);
    branch(&mut data, "opened", "were screened out by their answers", collected.screened_out);
    branch(&mut data, "opened", "left before the end", collected.left);
    branch(&mut data, "opened", "have not finished", collected.running);
    branch(&mut data, "opened", "answers erased on request", collected.erased);
    step(&mut data, "completed", "sessions completed", collected.completed);
    for (rule, count) in by_rule(source) {
        branch(&mut data, "completed", &format!("excluded by the rule \"{rule}\""), count);
    }
    let counting = collected.completed.saturating_sub(collected.excluded);
    step(&mut data, "counted", "sessions that count", counting);
    let mut how =
        "Boxes on the left are the sessions that remain, boxes on the right those that left and why."
            .to_owned();
    let flagged: Vec<String> = source
        .findings
        .checks
        .iter()
        .filter(|check| check.failed > 0)
        .map(|check| format!("{} ({})", check.name, counted(check.failed, "rater")))
        .collect();
    if !flagged.is_empty() {
        how.push_str(&format!(" Raters who failed a check, excluded or flagged: {}.", flagged.join(", ")));
    }
    Some(Figure {
        id: "f3".to_owned(),
        title: "Raters and exclusions".to_owned(),
        reading: Explanation {
            question: "Who was left out, and by which rule?".to_owned(),
            how,
            not: "Rules that excluded nobody are not shown. It does not say whether those who left differ from those who \
                  stayed."
                .to_owned(),
        },
        description: format!(
            "{} opened, {} completed, {counting} of them {}.",
            counted(collected.sessions, "session"),
            collected.completed,
            if counting == 1 { "counts" } else { "count" }
        ),
        data,
        chart: Chart::Flow,
    })
}

/// Completed sessions that are excluded, by the rule.
fn by_rule<'a>(source: &ReportSource<'a>) -> BTreeMap<&'a str, u64> {
    let mut rules = BTreeMap::new();
    let of_endings = ["disqualified", "left", "screened-out", "unfinished"];
    for one in source.findings.exclusions.iter().filter(|one| !of_endings.contains(&&*one.rule)) {
        *rules.entry(&*one.rule).or_default() += 1;
    }
    rules
}

/// The score with and without the excluded raters, where that is known.
pub(super) fn with_excluded(source: &ReportSource<'_>) -> Option<Figure> {
    let found = source.score()?;
    let rows: Vec<_> =
        found.estimates.iter().filter_map(|one| Some((one, one.with_excluded.as_ref()?))).collect();
    let mut largest: Option<(&str, f64)> = None;
    let mut data = Data::new(["model", "value", "raters"]);
    for (one, with) in &rows {
        data.push("counted", [(&one.model).into(), one.value.into(), one.raters.into()]);
        data.push("with excluded", [(&one.model).into(), with.value.into(), with.raters.into()]);
        let change = (with.value - one.value).abs();
        if largest.is_none_or(|(_, known)| change > known) {
            largest = Some((&one.model, change));
        }
    }
    let (model, change) = largest?;
    let style = Style::of(found);
    let (names, gap) = super::ends_of(&rows.iter().map(|(one, _)| one.model.to_string()).collect::<Vec<_>>());
    let dots = |part, look, tone| Mark::dots(part, ["value", "model"], look, tone);
    let beside = |heading: &str, part| Beside {
        heading: heading.to_owned(),
        part,
        at: "model",
        text: BesideText::Estimate {
            columns: ["value", "", ""],
            factor: style.factor,
            decimals: style.decimals,
        },
    };
    let panel = FigurePanel {
        beside: vec![beside("counted", "counted"), beside("with excluded", "with excluded")],
        ..FigurePanel::new(
            PanelAxis::numbers(labelled(&found.measure)).times(style.factor),
            PanelAxis::Categories { names, gap },
            vec![dots("with excluded", Dot::Cross, Tone::Alert), dots("counted", Dot::Large, Tone::Accent)],
        )
    };
    Some(Figure {
        id: "f3-with-excluded".to_owned(),
        title: "Estimates with and without excluded raters".to_owned(),
        reading: Explanation {
            question: "Do the exclusions decide the result?".to_owned(),
            how:
                "Dots are the estimates of the raters who count, crosses those of all raters with an answer."
                    .to_owned(),
            not:
                "A small change does not say that an exclusion was right, nor a large one that it was wrong."
                    .to_owned(),
        },
        description: format!(
            "The estimate that changes most with the excluded raters is that of {model}, by {}.",
            style.of_differences().value(change)
        ),
        data,
        chart: panel.alone(),
    })
}
