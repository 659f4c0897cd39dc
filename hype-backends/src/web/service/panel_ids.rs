//! What a panel says of a participant in the address of the page.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::web::wire::request::Arrival;

/// The parameters that panels add beside the participant's id: Prolific's study and submission, Mechanical Turk's assignment
/// and HIT.
pub const PANEL_PARAMETERS: [&str; 4] = ["STUDY_ID", "SESSION_ID", "assignmentId", "hitId"];

/// The longest value in bytes; some panels send encrypted tokens.
const LONGEST: usize = 512;

/// What Mechanical Turk sends while a worker previews a task.
const PREVIEW: &str = "ASSIGNMENT_ID_NOT_AVAILABLE";

/// Precedes the JSON of ids in sealed data; without it they are a participant's id alone. No id contains it.
const FIELDS: char = '\u{1}';

/// What a panel has said of a participant.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PanelIds {
    /// The participant's id.
    pub participant: String,
    /// Values of [`PANEL_PARAMETERS`], or of those that the [panel's rules](crate::web::PanelRules::parameters) name, as far as
    /// the address had them.
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
}

impl PanelIds {
    /// The ids in an address whose parameter `name` has the participant's id, with the further parameters that are `kept`;
    /// `None` if that is no id.
    pub(crate) fn of<'a>(
        arrival: &Arrival,
        name: &str,
        kept: impl IntoIterator<Item = &'a str>,
    ) -> Option<Self> {
        let participant = arrival.get(name).filter(|id| is_id(id))?.clone();
        let others = kept.into_iter().filter(|other| *other != name);
        let parameters = others.filter_map(|other| arrival.get_key_value(other).filter(|(_, id)| is_id(id)));
        let parameters = parameters.map(|(name, id)| (name.clone(), id.clone())).collect();
        Some(Self { participant, parameters })
    }

    /// The text to be sealed.
    pub(crate) fn to_text(&self) -> String {
        if self.parameters.is_empty() {
            return self.participant.clone();
        }
        // A map of texts is always JSON.
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("{FIELDS}{json}")
    }

    /// The inverse of [`to_text`](Self::to_text).
    pub(crate) fn from_text(text: String) -> Self {
        let fields = text.strip_prefix(FIELDS).and_then(|json| serde_json::from_str(json).ok());
        fields.unwrap_or_else(|| Self { participant: text, parameters: BTreeMap::new() })
    }
}

impl fmt::Debug for PanelIds {
    /// Ids of people are in no message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PanelIds(..)")
    }
}

/// Whether a value can be an id: neither empty nor surrounded by white space, without control characters, and not the
/// placeholder that a panel should have replaced.
fn is_id(value: &str) -> bool {
    (1..=LONGEST).contains(&value.len())
        && value.trim() == value
        && !value.chars().any(char::is_control)
        && value != PREVIEW
        && !is_placeholder(value)
}

/// Whether a value is a placeholder such as `{{%PROLIFIC_PID%}}`, `${e://Field/PID}`, `[PID]` or `%PID%`: a name without
/// digits in brackets. Ids in brackets, as some panels write GUIDs, have digits.
fn is_placeholder(value: &str) -> bool {
    let brackets = [("{", "}"), ("${", "}"), ("[", "]"), ("<", ">"), ("%", "%"), ("#", "#"), ("$", "$")];
    let is_enclosed = brackets.iter().any(|(open, close)| {
        value
            .strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close))
            .is_some_and(|name| name.chars().all(|character| !character.is_numeric()))
    });
    is_enclosed || ["{{", "}}", "${", "{%", "%}"].iter().any(|mark| value.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(parameters: &[(&str, &str)]) -> Arrival {
        parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn what_is_no_id_is_not_taken_for_one() {
        let ids = [
            "5f3c0ffee",
            "A1B2C3",
            "{6F9619FF-8B86-D011-B42D-00C04FC964FF}",
            "wörker 7",
            "0",
            "a%20b",
            "a#1",
        ];
        for id in ids {
            assert!(is_id(id), "{id}");
        }
        let long = "x".repeat(513);
        let none = [
            "",
            " ",
            "\u{a0}",
            " 5f3c",
            "5f3c\n",
            "5f\u{0}3c",
            "{{%PROLIFIC_PID%}}",
            "{{PROLIFIC_PID}}",
            "{PROLIFIC_PID}",
            "${e://Field/PROLIFIC_PID}",
            "[PROLIFIC_PID]",
            "<your id>",
            "%PID%",
            "#PID#",
            "{% id %}",
            "x{{a1}}",
            "ASSIGNMENT_ID_NOT_AVAILABLE",
            &long,
        ];
        for value in none {
            assert!(!is_id(value), "{value:?}");
            assert_eq!(PanelIds::of(&arrival(&[("PID", value)]), "PID", PANEL_PARAMETERS), None);
        }
    }

    #[test]
    fn the_panels_other_ids_are_kept_beside_the_participants() {
        let all =
            arrival(&[("PID", "p"), ("STUDY_ID", "s"), ("SESSION_ID", "{{%SESSION_ID%}}"), ("other", "o")]);
        let ids = PanelIds::of(&all, "PID", PANEL_PARAMETERS).unwrap();
        assert_eq!(ids.parameters, arrival(&[("STUDY_ID", "s")]));
        assert_eq!(PanelIds::from_text(ids.to_text()), ids);
        let alone = PanelIds::of(&arrival(&[("hitId", "h")]), "hitId", PANEL_PARAMETERS).unwrap();
        assert_eq!((&*alone.to_text(), alone.parameters.len()), ("h", 0));
        assert_eq!(PanelIds::from_text("h".into()), alone);
    }
}
