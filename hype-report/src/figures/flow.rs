//! Who took part, who was left out, and what that changes.

use std::collections::BTreeMap;

use hype_core::model::findings::Estimate;
use hype_core::words::counted;

use crate::data::{Cell, Data};
use crate::figure::{Chart, Explanation, Figure};
use crate::numbers::Style;
use crate::source::ReportSource;

/// The flow of raters, if any were excluded.
pub(super) fn flow(source: &ReportSource<'_>) -> Option<Figure> {
    let collected = source.findings.collected.as_ref().filter(|collected| collected.excluded > 0)?;
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
            not: "Rules that excluded no one are not shown. It does not say whether those who left differ from those who \
                  stayed."
                .to_owned(),
        },
        description: format!(
            "{} opened → {} completed → {counting} {}.",
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

/// The flow of raters in a line, and how far the excluded ones change the score.
pub(super) fn in_words(source: &ReportSource<'_>) -> Vec<String> {
    let collected = source.findings.collected.as_ref().filter(|collected| collected.excluded == 0);
    let line = collected.map(|collected| {
        format!(
            "Sessions: {} opened → {} completed, all of which count.",
            collected.sessions, collected.completed
        )
    });
    line.into_iter().chain(with_excluded(source)).collect()
}

/// The estimate that changes most with the excluded raters, where that is known.
fn with_excluded(source: &ReportSource<'_>) -> Option<String> {
    let found = source.score()?;
    let change = |one: &Estimate| Some((one.with_excluded.as_ref()?.value - one.value).abs());
    let changes = found.estimates.iter().filter_map(|one| Some((&one.model, change(one)?)));
    let (model, change) = changes.reduce(|most, one| if one.1 > most.1 { one } else { most })?;
    Some(format!(
        "With the excluded raters, the estimate that changes most is that of {}, by {}.",
        source.label_of(model),
        Style::of(found).of_differences().value(change)
    ))
}
