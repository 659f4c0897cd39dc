//! A registration for people.

use hype_core::model::check::Consequence;
use hype_core::study::spec::ExpectedSide;
use hype_core::words::counted;
use hype_core::{Direction, PassRule, Payment, Qualification, Registry, SpecPart, SpeedRule};
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
        let tested = hypothesis.expects.as_ref().map_or_else(String::new, |expects| {
            let is = match expects.is {
                ExpectedSide::Higher => "higher",
                ExpectedSide::Lower => "lower",
            };
            let measure = match &expects.measure {
                Some(name) => format!("`{name}`"),
                None => "the study's score".to_owned(),
            };
            format!(" (tested by {measure}: {} is {is} than {})", expects.model, expects.than)
        });
        page.line(format!("{}. {}{tested}", place + 1, hypothesis.text.trim().replace('\n', " ")));
    }
}

fn protocol(of: &Registration, page: &mut Markdown) {
    let protocol = &of.protocol;
    page.heading("## Protocol");
    let settings: Vec<&str> = protocol.settings.iter().map(|sentence| &**sentence).collect();
    page.line(format!(
        "The task is `{}`{}, in version {}. {} All draws follow from the seed {} by the generator {}. {}.",
        as_cell(&protocol.task["kind"]),
        summary_of(SpecPart::Task, &protocol.task),
        protocol.task_version,
        settings.join(" "),
        protocol.seed,
        protocol.generator,
        counted(protocol.items, "item")
    ));
    if !protocol.masks.is_null() {
        page.line("\nMasks follow what is shown.");
    }
    page.line("");
    page.header(&["set", "role", "use", "stimuli"]);
    for set in &protocol.sets {
        let cells = ["name", "role", "use", "stimuli"].map(|name| as_cell(&set[name]));
        page.row(&cells.each_ref().map(String::as_str));
    }
    page.line("\nAll settings are in the JSON file of this registration.");
    if !protocol.guidance.is_empty() {
        page.line("\nWhat raters read before they begin:");
        protocol
            .guidance
            .iter()
            .for_each(|paragraph| page.line(format!("\n> {}", paragraph.replace('\n', "\n> "))));
    }
}

/// Returns the summary of a plugin, in brackets.
fn summary_of(part: SpecPart, settings: &Value) -> String {
    let registry = Registry::linked().ok();
    let entry = settings["kind"].as_str().and_then(|kind| registry.as_ref()?.find(part, kind));
    entry.map_or_else(String::new, |entry| format!(" ({})", entry.summary))
}

fn population(of: &Registration, page: &mut Markdown) {
    page.heading("## Population");
    let population = &of.population;
    let number = |name: &str| population[name].as_u64();
    let mut sentences = Vec::new();
    if let Some(raters) = number("per_model") {
        sentences.push(format!("Raters for each model: {raters}."));
    }
    if let Some(raters) = number("per_item") {
        sentences.push(format!("Raters for each item: {raters}."));
    }
    sentences.extend(match population["design"].as_str() {
        Some("within") => Some("Each rater judges all models.".to_owned()),
        Some("between") => Some("Each rater judges one model.".to_owned()),
        _ => None,
    });
    if population["cells"] == "within" {
        sentences.push("Each rater judges all levels.".to_owned());
    }
    sentences.extend(number("places").map(|places| format!("Sessions to complete: {places}.")));
    sentences.extend(
        number("replacements")
            .map(|count| format!("Raters who may replace one whose session does not count: {count}.")),
    );
    if let Some(backend) = population["reached_by"].as_str() {
        sentences.push(format!("Raters are reached by `{backend}`."));
    }
    sentences.push(payment(of));
    page.line(sentences.join(" "));
}

/// Describes the raters' pay.
fn payment(of: &Registration) -> String {
    let Ok(Some(payment)) = serde_json::from_value::<Option<Payment>>(of.population["payment"].clone())
    else {
        return "They are not paid by the program.".to_owned();
    };
    let currency = &payment.currency;
    let base_for = if of.exclusions.qualification.is_null() { "taking part" } else { "the qualification" };
    let mut text = format!("They earn {} {currency} for {base_for}", payment.base);
    if payment.per_correct.0 > 0 {
        text += &format!(" and {} {currency} for each right answer after that", payment.per_correct);
    }
    if !payment.screened_out.is_base() {
        text += ", and nothing if they are screened out";
    }
    if let Some(hourly) = payment.minimum_hourly {
        text += &format!("; at least {hourly} {currency} an hour are promised");
    }
    text + "."
}

fn exclusions(of: &Registration, page: &mut Markdown) {
    let exclusions = &of.exclusions;
    page.heading("## Exclusions");
    page.line(
        "Raters who do not complete their session do not count. Others are left out by these rules alone, and estimates are \
         shown with and without them.\n",
    );
    page.line(format!("- {}", qualification(&exclusions.qualification)));
    page.line(format!("- {}", speed(&exclusions.speed)));
    match exclusions.rules.as_deref() {
        None => page.line("- Quality checks are those of the task, by its settings."),
        Some([]) => page.line("- There are no quality checks."),
        Some(rules) => rules.iter().for_each(|one| {
            let consequence = match one.consequence {
                Consequence::Exclude => "excluded, and replaced",
                Consequence::Flag => "flagged, and counts",
            };
            page.line(format!("- Who fails the check `{}` is {consequence}.", one.name));
        }),
    }
    page.line(
        "- Who fails what the raters' page reports (displays, clocks, comprehension) is flagged, and counts.",
    );
    page.line(format!("- Raters excluded by the operator: {}.", exclusions.by_operator));
}

fn qualification(setting: &Value) -> String {
    let Ok(Some(one)) = serde_json::from_value::<Option<Qualification>>(setting.clone()) else {
        return "There is no qualification.".to_owned();
    };
    let of_what = match one.pass.rule {
        PassRule::BothClasses => "of the real and of the generated stimuli",
        PassRule::Overall => "of all stimuli",
    };
    let share = (one.pass.at_least * 1e6).round() / 1e4;
    format!(
        "Raters are screened by a qualification of {}, in which at least {share}% {of_what} have to be judged right.",
        counted(one.trials, "trial")
    )
}

fn speed(setting: &Value) -> String {
    let Ok(Some(rule)) = serde_json::from_value::<Option<SpeedRule>>(setting.clone()) else {
        return "There is no rule on response times.".to_owned();
    };
    let consequence = match rule.failing {
        Consequence::Exclude => "excluded",
        Consequence::Flag => "flagged",
    };
    let share = (rule.too_fast_at_most * 1e6).round() / 1e4;
    format!("Who gives more than {share}% of the answers within {} ms is {consequence}.", rule.at_least_ms)
}

fn stopping(of: &Registration, page: &mut Markdown) {
    page.heading("## Stopping");
    let places = counted(as_cell(&of.population["places"]), "session");
    if of.stopping["kind"] == ALL_PLACES {
        page.line(format!(
            "The collection ends when {places} have been completed by raters who count. No look at the results ends it earlier."
        ));
        return;
    }
    let rule = &of.stopping;
    let looks: Vec<String> = rule["looks"].as_array().into_iter().flatten().map(as_cell).collect();
    let looks = if looks.is_empty() { String::new() } else { format!(" at {} raters", looks.join(", ")) };
    let level =
        rule["level"].as_f64().map(|level| format!(", at the level of {}%", (level * 1e6).round() / 1e4));
    page.line(format!(
        "The collection ends when the rule `{}`{} says so{}, and at the latest when {places} have been completed by raters who \
         count. Its looks{looks} are by place: raters who finish first do not decide.",
        as_cell(&rule["kind"]),
        summary_of(SpecPart::Stopping, rule),
        level.unwrap_or_default()
    ));
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
        page.line("\nThe items are fixed: they are not a sample of others.");
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
    page.line(format!(
        "\nThe rubric is `{}`{}.",
        as_cell(&analysis.rubric["kind"]),
        summary_of(SpecPart::Rubric, &analysis.rubric)
    ));
    for one in aggregators {
        let level = one["level"]
            .as_f64()
            .map(|level| format!(", with intervals of {}%", (level * 1e6).round() / 1e4));
        page.line(format!(
            "\nFindings are computed by `{}`{}{}.",
            as_cell(&one["kind"]),
            summary_of(SpecPart::Aggregator, one),
            level.unwrap_or_default()
        ));
    }
}
