//! A panel's facts about a participant, from the address of the page.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::web::wire::request::Arrival;

/// The parameters that panels add to the participant's id: Prolific's study and submission, Mechanical Turk's assignment and HIT.
pub const PANEL_PARAMETERS: [&str; 4] = ["STUDY_ID", "SESSION_ID", "assignmentId", "hitId"];

/// The longest value in bytes; some panels send encrypted tokens.
const LONGEST: usize = 512;

/// The assignment that Mechanical Turk sends while a worker previews a task.
const PREVIEW: &str = "ASSIGNMENT_ID_NOT_AVAILABLE";

/// Precedes the JSON of ids in sealed data; without it they are a participant's id alone. No id contains it.
const FIELDS: char = '\u{1}';

/// A panel's facts about a participant.
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
    /// The ids in an address whose parameter `name` has the participant's id, in the panel's [form](crate::web::PanelRules::form)
    /// if it has one, with the further parameters that are `kept`; `None` if that is not an id.
    pub(crate) fn of<'a>(
        arrival: &Arrival,
        name: &str,
        form: Option<fn(&str) -> bool>,
        kept: impl IntoIterator<Item = &'a str>,
    ) -> Option<Self> {
        let participant = participant(arrival.get(name)?, name, form)?;
        let others = kept.into_iter().filter(|other| *other != name);
        let parameters = others.filter_map(|other| arrival.get_key_value(other).filter(|(_, id)| is_id(id)));
        let parameters = parameters.map(|(name, id)| (name.clone(), id.clone())).collect();
        Some(Self { participant, parameters })
    }

    /// The participant's id without differences between spellings that are one person.
    #[must_use]
    pub fn person(&self) -> String {
        folded(&self.participant)
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

/// The id of a person in the value of a parameter: as the panel writes ids if they have a form, or else what people see of it.
/// `None` if that is not an id.
fn participant(value: &str, parameter: &str, form: Option<fn(&str) -> bool>) -> Option<String> {
    let id = match form {
        Some(is_own) => is_own(value).then(|| value.to_owned())?,
        None => seen(value),
    };
    (is_id(&id) && !is_name(&id, parameter)).then_some(id)
}

/// An id without the differences between spellings that are one person: upper and lower case, invisible characters, white space
/// and quotation marks around it.
pub(crate) fn folded(id: &str) -> String {
    // Upper case first, as some letters have two lower cases.
    seen(id).to_uppercase().to_lowercase()
}

/// The part of a value that people see, without quotation marks around it.
fn seen(value: &str) -> String {
    let seen: String = value.chars().filter(|letter| !is_invisible(*letter)).collect();
    seen.trim().trim_matches(is_quotation_mark).trim().to_owned()
}

/// Whether nothing is shown for a character: those that Unicode lists as ignorable by default
/// (`DerivedCoreProperties.txt`, `Default_Ignorable_Code_Point`), and marks of direction and format.
const fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    )
}

const fn is_quotation_mark(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '`' | '\u{2018}'..='\u{201f}' | '\u{ab}' | '\u{bb}')
}

/// Words that programs write in place of a missing value.
const MISSING: [&str; 6] = ["undefined", "null", "none", "nil", "nan", "(null)"];

/// Whether a value can be an id: neither empty nor surrounded by white space, with a letter or a digit, without control characters,
/// and neither the placeholder that a panel should have replaced nor a word for a missing value.
fn is_id(value: &str) -> bool {
    (1..=LONGEST).contains(&value.len())
        && value.trim() == value
        && value.chars().any(char::is_alphanumeric)
        && !value.chars().any(char::is_control)
        && value != PREVIEW
        && !is_placeholder(value)
        && !MISSING.iter().any(|missing| value.eq_ignore_ascii_case(missing))
}

/// The names of parameters with ids, without their separators.
const NAMES: [&str; 6] =
    ["prolificpid", "prolificid", "participantid", "participant", "workerid", "surveycode"];

/// Whether a value is the name of a parameter: that of the id itself, or one that panels use.
fn is_name(value: &str, parameter: &str) -> bool {
    let plain = value.replace(['_', '-'], "").to_lowercase();
    value.eq_ignore_ascii_case(parameter) || NAMES.contains(&&*plain)
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
    is_enclosed || ["{{", "}}", "${", "{%", "%}", "%7B%7B", "%7b%7b"].iter().any(|mark| value.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(parameters: &[(&str, &str)]) -> Arrival {
        parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn id(value: &str) -> Option<String> {
        participant(value, "PID", None)
    }

    #[test]
    fn values_that_are_not_ids_are_not_read_as_ids() {
        let ids = [
            "5f3c0ffee",
            "A1B2C3",
            "{6F9619FF-8B86-D011-B42D-00C04FC964FF}",
            "wörker 7",
            "0",
            "a%20b",
            "a#1",
            "nonesuch",
            "undefined7",
        ];
        for value in ids {
            assert_eq!(id(value).as_deref(), Some(value));
        }
        let long = "x".repeat(513);
        let none = [
            "",
            " ",
            "\u{a0}",
            "\u{200b}",
            "5f\u{0}3c",
            "-",
            "''",
            "pid",
            "participant_id",
            "undefined",
            "NULL",
            "\"None\"",
            "{{%PROLIFIC_PID%}}",
            "{{PROLIFIC_PID}}",
            "{PROLIFIC_PID}",
            "${e://Field/PROLIFIC_PID}",
            "[PROLIFIC_PID]",
            "[object Object]",
            "<your id>",
            "%PID%",
            "#PID#",
            "{% id %}",
            "x{{a1}}",
            "ASSIGNMENT_ID_NOT_AVAILABLE",
            &long,
        ];
        for value in none {
            assert_eq!(id(value), None, "{value:?}");
            assert_eq!(PanelIds::of(&arrival(&[("PID", value)]), "PID", None, PANEL_PARAMETERS), None);
        }
    }

    #[test]
    fn spellings_of_an_id_are_folded() {
        for spelling in ["ab12\u{df}", " AB12\u{df}\n", "A\u{200b}B12ss", "\u{201c}aB12Ss\u{201d}"] {
            assert_eq!(folded(spelling), "ab12ss", "{spelling:?}");
        }
        // Only what the panel knows is kept.
        assert_eq!(id("\u{feff}AB12 ").as_deref(), Some("AB12"));
        let is_lower = |value: &str| value == "ab12";
        assert_eq!(participant("ab12", "PID", Some(is_lower)).as_deref(), Some("ab12"));
        assert_eq!(participant("AB12", "PID", Some(is_lower)), None);
        assert_eq!(participant("ab12 ", "PID", Some(is_lower)), None);
    }

    #[test]
    fn the_panels_other_ids_are_kept_with_the_participants() {
        let all =
            arrival(&[("PID", "p"), ("STUDY_ID", "s"), ("SESSION_ID", "{{%SESSION_ID%}}"), ("other", "o")]);
        let ids = PanelIds::of(&all, "PID", None, PANEL_PARAMETERS).unwrap();
        assert_eq!(ids.parameters, arrival(&[("STUDY_ID", "s")]));
        assert_eq!(PanelIds::from_text(ids.to_text()), ids);
        let alone = PanelIds::of(&arrival(&[("hitId", "h")]), "hitId", None, PANEL_PARAMETERS).unwrap();
        assert_eq!((&*alone.to_text(), alone.parameters.len()), ("h", 0));
        assert_eq!(PanelIds::from_text("h".into()), alone);
    }
}
