//! Differences from a registration.

use std::collections::BTreeSet;
use std::fmt;

use hype_core::Findings;
use serde_json::{Value, json};

use super::{Registration, setting};
use crate::exchange::rows::as_cell;

/// The parts that are compared, in the order in which a registration is read. Digests are compared after them.
const PARTS: [&str; 6] = ["protocol", "population", "exclusions", "stopping", "analysis", "software"];

/// A difference between what was registered and what was analysed.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The part that differs, as a path in the registration, such as `analysis.aggregate.level`.
    pub what: String,
    /// The registered value; `null` if there was none.
    pub registered: Value,
    /// The analysed value; `null` if there is none.
    pub analysed: Value,
}

/// Writes both values, such as `analysis.aggregate.level: registered as 0.95, and now 0.9`.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: &Value| if value.is_null() { "nothing".to_owned() } else { as_cell(value) };
        write!(
            f,
            "{}: registered as {}, and now {}",
            self.what,
            shown(&self.registered),
            shown(&self.analysed)
        )
    }
}

/// The differences between what was registered and the same of the study that was analysed.
pub(super) fn between(
    registered: &Registration,
    analysed: &Registration,
    findings: &Findings,
) -> Vec<Difference> {
    let mut found = Vec::new();
    let [before, after] = [registered, analysed].map(setting);
    for part in PARTS {
        compare(part, &before[part], &after[part], &mut found);
        if part == "population" {
            found.extend(unfilled(registered, findings));
        }
    }
    let [before, after] = [&before["digests"], &after["digests"]];
    compare("digests.stimuli", &before["stimuli"], &after["stimuli"], &mut found);
    // A digest differs with what it covers, and says more only where that is not listed.
    for (digest, covered) in [
        ("protocol", ["protocol", "population", "exclusions", "digests"].as_slice()),
        ("analysis", &["analysis"]),
    ] {
        let explained =
            |one: &Difference| covered.contains(&one.what.split(['.', '[']).next().unwrap_or_default());
        if !found.iter().any(explained) {
            compare(&format!("digests.{digest}"), &before[digest], &after[digest], &mut found);
        }
    }
    found
}

/// The places that were not filled, if nothing but their number was to end the collection.
fn unfilled(registered: &Registration, findings: &Findings) -> Option<Difference> {
    let places = registered.population["places"].as_u64()?;
    let collected = findings.collected.as_ref()?;
    let filled = collected.completed.saturating_sub(collected.excluded);
    let ends_when_filled = registered.stopping["kind"] == super::ALL_PLACES;
    (ends_when_filled && filled < places).then(|| Difference {
        what: "population.places_filled".into(),
        registered: json!(places),
        analysed: json!(filled),
    })
}

fn compare(what: &str, registered: &Value, analysed: &Value, found: &mut Vec<Difference>) {
    match (registered, analysed) {
        (Value::Object(before), Value::Object(after)) => {
            let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            // Sentences follow from settings, which are compared.
            for name in names.into_iter().filter(|name| name.as_str() != "settings" || what != "protocol") {
                compare(&format!("{what}.{name}"), &registered[name], &analysed[name], found);
            }
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            for (place, (before, after)) in before.iter().zip(after).enumerate() {
                compare(&format!("{what}[{place}]"), before, after, found);
            }
        }
        (before, after) if before != after => {
            found.push(Difference {
                what: what.to_owned(),
                registered: before.clone(),
                analysed: after.clone(),
            });
        }
        _ => {}
    }
}
