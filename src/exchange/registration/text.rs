//! A registration for people.

use hype_core::Direction;
use hype_core::model::check::Consequence;
use hype_core::words::counted;
use serde_json::Value;

use super::{ALL_PLACES, CollectedBefore, Registration};
use crate::exchange::markdown::Markdown;
use crate::exchange::rows::as_cell;

pub(super) fn registration(of: &Registration) -> String {
    let mut page = Markdown::default();
    page.line(format!("# Preregistration of {}", of.name));
    if let Some(description) = &of.description {
        page.line(format!("\n{description}"));
    }
    page.line(format!("\n{}", before(of)));
    page.line(format!(
        "\nWritten by {} from the study's spec and its stimuli, which anyone who has them can repeat. This text has no date: where it is \
         deposited says when.\n",
        of.software
    ));
    page.header(&["what", "SHA-256"]);
    page.row(&["protocol, with seed and stimuli", &of.digests.protocol.to_string()]);
    page.row(&["stimuli", &of.digests.stimuli.to_string()]);
    page.row(&["analysis", &of.digests.analysis.to_string()]);
    hypotheses(of, &mut page);
    protocol(of, &mut page);
    population(of, &mut page);
    exclusions(of, &mut page);
    stopping(of, &mut page);
    analysis(of, &mut page);
    page.text()
}

/// Whether the study was registered before anybody came.
fn before(of: &Registration) -> String {
    let Some(CollectedBefore { protocol, counts }) = &of.collected_before else {
        return if of.store_not_read {
            "**Whether answers had been collected when this was written is not known:** they are kept in a database that was \
             not read."
        } else {
            "When this was written, no answers had been collected in the study's folder."
        }
        .into();
    };
    let other = if *protocol == of.digests.protocol {
        String::new()
    } else {
        format!(", by another protocol (digest {protocol})")
    };
    format!(
        "**When this was written, {} of {} had been collected already{other}.** What follows was not decided before anybody \
         came.",
        counted(counts.responses, "answer"),
        counted(counts.sessions, "session")
    )
}

fn hypotheses(of: &Registration, page: &mut Markdown) {
    page.heading("## Hypotheses");
    if of.analysis.hypotheses.is_empty() {
        page.line("None are stated: the study is exploratory.");
    }
    for (place, hypothesis) in of.analysis.hypotheses.iter().enumerate() {
        page.line(format!("{}. {}", place + 1, hypothesis.trim().replace('\n', " ")));
    }
}

fn protocol(of: &Registration, page: &mut Markdown) {
    let protocol = &of.protocol;
    page.heading("## Protocol");
    page.header(&["what", "value"]);
    page.row(&["task", &as_cell(&protocol.task["kind"])]);
    page.row(&["version of the task", &protocol.task_version.to_string()]);
    page.row(&["seed", &protocol.seed.to_string()]);
    page.row(&["random generator", &protocol.generator]);
    page.row(&["items", &protocol.items.to_string()]);
    for fact in &protocol.facts {
        page.row(&[&fact.label, &as_cell(&fact.value)]);
    }
    page.line("");
    page.header(&["set", "role", "use", "stimuli"]);
    for set in &protocol.sets {
        let cells = ["name", "role", "use", "stimuli"].map(|name| as_cell(&set[name]));
        page.row(&cells.each_ref().map(String::as_str));
    }
    page.line("\nThe task:\n");
    page.json(&protocol.task);
    if !protocol.masks.is_null() {
        page.line("\nThe masks:\n");
        page.json(&protocol.masks);
    }
    if !protocol.guidance.is_empty() {
        page.line("\nWhat raters read before they begin:");
        protocol
            .guidance
            .iter()
            .for_each(|paragraph| page.line(format!("\n> {}", paragraph.replace('\n', "\n> "))));
    }
}

fn population(of: &Registration, page: &mut Markdown) {
    page.heading("## Population");
    page.header(&["what", "value"]);
    for (name, label) in [
        ("per_model", "raters for each model"),
        ("per_item", "raters for each item"),
        ("design", "how models are assigned to raters"),
        ("cells", "how levels are assigned to raters"),
        ("places", "sessions to complete"),
        ("replacements", "raters who may replace one whose session does not count"),
        ("reached_by", "how raters are reached"),
        ("payment", "payment"),
    ] {
        let value = &of.population[name];
        if !value.is_null() {
            page.row(&[label, &as_cell(value)]);
        } else if name == "payment" {
            page.row(&[label, "none"]);
        }
    }
}

fn exclusions(of: &Registration, page: &mut Markdown) {
    let exclusions = &of.exclusions;
    page.heading("## Exclusions");
    page.line(
        "Raters who do not complete their session do not count. Others are left out by these rules alone, and estimates are \
         shown with and without them.\n",
    );
    page.header(&["what", "value"]);
    let rule = |value: &Value| if value.is_null() { "none".to_owned() } else { as_cell(value) };
    page.row(&["qualification", &rule(&exclusions.qualification)]);
    page.row(&["rule on response times", &rule(&exclusions.speed)]);
    match exclusions.rules.as_deref() {
        None => page.row(&["quality checks", "those of the task, by its settings"]),
        Some([]) => page.row(&["quality checks", "none"]),
        Some(rules) => {
            for one in rules {
                let consequence = match one.consequence {
                    Consequence::Exclude => "who fails is excluded, and replaced",
                    Consequence::Flag => "who fails is flagged, and counts",
                };
                page.row(&[&format!("check `{}`", one.name), consequence]);
            }
        }
    }
    page.row(&[
        "what the raters' page reports: displays, clocks, comprehension",
        "who fails is flagged, and counts",
    ]);
    page.row(&["excluded by the operator", &exclusions.by_operator.to_string()]);
}

fn stopping(of: &Registration, page: &mut Markdown) {
    page.heading("## Stopping");
    if of.stopping["kind"] == ALL_PLACES {
        page.line(format!(
            "The collection ends when {} have been completed by raters who count. No look at the results ends it earlier.",
            counted(as_cell(&of.population["places"]), "session")
        ));
    } else {
        page.line(format!(
            "The collection ends when this rule says so, and at the latest when {} have been completed by raters who count. Its looks \
             are by place, so that raters who finish first do not decide.",
            counted(as_cell(&of.population["places"]), "session")
        ));
        page.json(&of.stopping);
    }
}

fn analysis(of: &Registration, page: &mut Markdown) {
    let analysis = &of.analysis;
    page.heading("## Target of inference");
    page.line(format!(
        "Results are about {}, unless an aggregator says otherwise.",
        analysis.generalize_to.words()
    ));
    let aggregators = match &analysis.aggregate {
        Value::Array(several) => several.as_slice(),
        one => std::slice::from_ref(one),
    };
    let own = aggregators.iter().zip(&analysis.aggregators_generalize_to);
    for (aggregator, target) in own.filter_map(|(one, target)| Some((one, target.as_ref()?))) {
        page.line(format!("\nThose of `{}` are about {}.", as_cell(&aggregator["kind"]), target.words()));
    }
    if analysis.fixed_items {
        page.line("\nThe items are fixed: they are no sample of others.");
    }
    page.heading("## Analysis");
    page.header(&["measure", "name", "unit", "better"]);
    for measure in &analysis.measures {
        let better = match measure.direction {
            Direction::Higher => "higher",
            Direction::Lower => "lower",
            Direction::Neither => "",
        };
        page.row(&[&format!("`{}`", measure.name), &measure.label, &measure.unit, better]);
    }
    page.line("\nThe rubric:\n");
    page.json(&analysis.rubric);
    page.line("\nThe aggregators:\n");
    page.json(&analysis.aggregate);
}
