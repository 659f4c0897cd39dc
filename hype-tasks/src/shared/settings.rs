//! Settings of tasks in sentences.

use std::sync::Arc;

use hype_core::Fact;
use hype_core::words::counted;
use serde_json::Value;

/// Explains the facts of a task, a sentence for each that the questions and exposures do not say already.
pub(crate) fn in_words(facts: &[Fact]) -> Vec<Arc<str>> {
    facts.iter().filter_map(sentence).map(Into::into).collect()
}

fn sentence(fact: &Fact) -> Option<String> {
    let value = &fact.value;
    let number = |name: &str| value.get(name).and_then(Value::as_u64);
    match &*fact.name {
        "ratio" => {
            let (fakes, reals) = (number("generated")?, number("real")?);
            Some(format!(
                "Of {} scored images of each rater and model, {fakes} are generated and {reals} real, as raters are told.",
                fakes + reals
            ))
        }
        "pair_selection" => Some(match (value.as_str(), value["against"].as_str()) {
            (_, Some(model)) => {
                format!(
                    "{model} is compared with each of the others, equally often on each item, and these never."
                )
            }
            (Some("active"), _) => {
                "The pair that tells most about all models comes next, given all answers so far.".to_owned()
            }
            _ => "Each pair of models is compared equally often on each item.".to_owned(),
        }),
        "comparisons" => Some(format!(
            "Each rater makes {}, of {} of models on {}.",
            counted(number("per_session")?, "comparison"),
            counted(number("pairs")?, "pair"),
            counted(number("items")?, "item")
        )),
        "line_ups" => Some(format!(
            "Each rater sees {} of {}, of {} on {}.",
            counted(number("per_session")?, "line-up"),
            counted(number("shown")?, "image"),
            counted(number("models")?, "model"),
            counted(number("items")?, "item")
        )),
        "shares" => Some(format!(
            "Each rater judges {} of {}.",
            number("in_session")?,
            counted(number("images")?, "image")
        )),
        "trials" => Some(format!(
            "Each rater judges {} of each model, after {} of practice.",
            counted(number("main")?, "pair"),
            number("practice")?
        )),
        "gold" => gold(value),
        "repeats" => repeats(value),
        "variance" => {
            Some(format!("Raters whose answers have a variance under {} are excluded.", value.as_f64()?))
        }
        "catch_trials" => catch(value),
        "staircase_rule" => staircase(value),
        "staircase_target" => Some(format!(
            "It comes to rest where {}% of answers are right.",
            percent((value.as_f64()? * 1e3).round() / 1e3)
        )),
        "adaptive" => adaptive(value),
        "threshold_target" => Some(format!(
            "Thresholds are exposures at which {}% of answers are right.",
            percent(value.as_f64()?)
        )),
        "exposure" => {
            let start = number("start_ms").map(|start| format!(", beginning with {start} ms"));
            let (floor, ceiling) = (number("floor_ms")?, number("ceiling_ms")?);
            Some(format!("Exposures are from {floor} to {ceiling} ms{}.", start.unwrap_or_default()))
        }
        "staircase_target_reachable" if value.as_bool() == Some(true) => None,
        "staircase_target_reachable" => {
            Some("The staircase cannot come to rest there, as some answers are right by chance.".to_owned())
        }
        _ => None,
    }
}

/// A share as a percentage.
fn percent(share: f64) -> String {
    ((share * 1e6).round() / 1e4).to_string()
}

/// Returns the consequence of failing a check, in words.
fn failing(value: &Value) -> &'static str {
    if value["failing"] == "flag" { "flagged" } else { "excluded" }
}

fn gold(value: &Value) -> Option<String> {
    let trials = counted(value["per_session"].as_u64()?, "trial");
    if let Some(pass) = value["pass"].as_f64() {
        return Some(format!(
            "{trials} of a session have a known answer; raters who get less than {}% of them right are excluded.",
            percent(pass)
        ));
    }
    let (better, worse) = (value["better"].as_str()?, value["worse"].as_str()?);
    let rule = match value["fails_at_most"].as_u64() {
        Some(right) => format!("; raters who get {right} or fewer of them right are {}", failing(value)),
        None => String::new(),
    };
    Some(format!("{trials} of a session compare {better} with {worse}, which is worse{rule}."))
}

fn repeats(value: &Value) -> Option<String> {
    let trials = counted(value["per_session"].as_u64()?, "trial");
    let apart = value["apart"].as_u64().map(|apart| format!(", at least {} later", counted(apart, "trial")));
    let rule = match value["fails_at_most"].as_u64() {
        Some(same) => {
            format!("; raters who give the same answer in {same} or fewer of them are {}", failing(value))
        }
        None => String::new(),
    };
    Some(format!("{trials} of a session come a second time{}{rule}.", apart.unwrap_or_default()))
}

fn catch(value: &Value) -> Option<String> {
    let trials = counted(value["trials"].as_u64()?, "trial");
    let rule = match value["right_to_fail"].as_u64() {
        Some(right) => format!("; raters who get {right} or more of them right are {}", failing(value)),
        None => String::new(),
    };
    let exposure = value["exposure_ms"].as_u64()?;
    Some(format!("{trials} of a session last {exposure} ms, too short to be seen{rule}."))
}

fn staircase(value: &Value) -> Option<String> {
    let [right, harder, easier] =
        ["correct_to_harder", "step_harder_ms", "step_easier_ms"].map(|name| value[name].as_u64());
    let (right, harder, easier) = (right?, harder?, easier?);
    let after = match (right, value["counting"].as_str()) {
        (1, _) => "each right answer".to_owned(),
        (right, Some("consecutive")) => format!("{right} right answers in a row"),
        (right, _) => format!("{right} right answers"),
    };
    Some(format!(
        "A staircase shortens the exposure by {harder} ms after {after} and lengthens it by {easier} ms after each wrong one."
    ))
}

fn adaptive(value: &Value) -> Option<String> {
    let name = match value["kind"].as_str()? {
        "quest_plus" => "QUEST+".to_owned(),
        kind => kind.replace('_', " "),
    };
    let function = value["function"].as_str()?;
    let stop = &value["stop"];
    let rule = match (stop["sd_ms"].as_f64(), stop["at_least"].as_u64()) {
        (Some(sd), Some(least)) => {
            let least = counted(least, "trial");
            format!(
                ", and ends a block once the standard deviation of its threshold is under {sd} ms, after {least} at least"
            )
        }
        _ => String::new(),
    };
    Some(format!("{name} chooses each exposure by a {function} psychometric function{rule}."))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn facts_become_sentences_or_nothing() {
        let of = |name: &str, value: Value| -> Vec<String> {
            in_words(&[Fact::new(name, "its label", value)]).iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            of("ratio", json!({ "generated": 12, "real": 12 })),
            [
                "Of 24 scored images of each rater and model, 12 are generated and 12 real, as raters are told."
            ]
        );
        assert_eq!(
            of("comparisons", json!({ "pairs": 3, "items": 24, "per_session": 30 })),
            ["Each rater makes 30 comparisons, of 3 pairs of models on 24 items."]
        );
        let rule = json!({ "correct_to_harder": 1, "step_harder_ms": 10, "step_easier_ms": 30, "counting": "consecutive" });
        assert_eq!(
            of("staircase_rule", rule),
            [
                "A staircase shortens the exposure by 10 ms after each right answer and lengthens it by 30 ms after each wrong one."
            ]
        );
        assert_eq!(
            of("gold", json!({ "per_session": 4, "pass": 0.5 })),
            [
                "4 trials of a session have a known answer; raters who get less than 50% of them right are excluded."
            ]
        );
        assert_eq!(
            of("repeats", json!({ "per_session": 4, "apart": 5 })),
            ["4 trials of a session come a second time, at least 5 trials later."]
        );
        assert_eq!(of("staircase_target_reachable", json!(true)), [] as [&str; 0]);
        assert_eq!(of("ask", json!("real")), [] as [&str; 0], "the question says it");
    }
}
