//! Several answers in one cell: lists such as `4|5|3` or `[4, 5, 3]`, and objects such as `{"Q0": 3, "Q1": 2}`.

use hype_tables::number_of;
use serde_json::Value;

/// One answer of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// The question that an object names.
    pub(super) question: Option<String>,
    /// The rater that an object in a list names.
    pub(super) rater: Option<String>,
    pub(super) text: String,
}

/// The separators of lists, the preferred ones first.
const SEPARATORS: [char; 3] = ['|', ';', ','];

/// The answers in a cell; the reason why it is not a list.
pub(super) fn parts(cell: &str) -> Result<Vec<Part>, String> {
    let unnamed = |text: &str| Part { question: None, rater: None, text: text.trim().to_owned() };
    if cell.starts_with(['[', '{']) {
        let json = read(cell).map_err(|error| format!("the list of answers is not JSON ({error})"))?;
        return match &json {
            Value::Array(list) => list.iter().map(listed).collect(),
            Value::Object(fields) => fields
                .iter()
                .map(|(name, value)| Ok(Part { question: Some(name.clone()), ..unnamed(&text(value)?) }))
                .collect(),
            other => Ok(vec![unnamed(&text(other)?)]),
        };
    }
    let separator = SEPARATORS.into_iter().find(|separator| cell.contains(*separator));
    Ok(match separator {
        Some(separator) => cell.split(separator).map(unnamed).collect(),
        None => vec![unnamed(cell)],
    })
}

/// JSON, also as Python and numpy print lists: with single quotation marks, `None` and `nan`, or blanks between numbers.
fn read(cell: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(cell)
        .or_else(|error| as_json(cell).and_then(|text| serde_json::from_str(&text).ok()).ok_or(error))
}

/// A list or an object of Python as JSON. Where no commas are, blanks separate its values.
fn as_json(cell: &str) -> Option<String> {
    let (mut json, mut rest) = (String::new(), cell);
    let (mut is_after_value, mut has_commas, mut has_blanks) = (false, false, false);
    while let Some(letter) = rest.trim_start().chars().next() {
        rest = rest.trim_start();
        if is_after_value && !",:]}".contains(letter) {
            has_blanks = true;
            json.push(',');
        }
        has_commas |= letter == ',';
        is_after_value = !",:[{".contains(letter);
        let length = match letter {
            ',' | ':' | '[' | ']' | '{' | '}' => {
                json.push(letter);
                1
            }
            '\'' | '"' => {
                let inner = rest[1..].split_once(letter)?.0;
                // Escapes differ from those of JSON.
                (!inner.contains('\\')).then(|| json.push_str(&Value::from(inner).to_string()))?;
                inner.len() + 2
            }
            _ => {
                let word = rest.split(|end: char| end.is_whitespace() || ",:[]{}'\"".contains(end)).next()?;
                let value = match word {
                    "None" | "nan" | "NaN" => Value::Null,
                    "True" | "False" => Value::Bool(word == "True"),
                    _ => serde_json::from_str(word).ok().or_else(|| Some(Value::from(number_of(word)?)))?,
                };
                json.push_str(&value.to_string());
                word.len()
            }
        };
        rest = &rest[length..];
    }
    (!(has_commas && has_blanks)).then_some(json)
}

/// The fields of objects in lists that name raters, and those that hold their answers.
const RATERS: [&str; 9] =
    ["rater", "rater_id", "annotator", "annotator_id", "worker", "worker_id", "user", "user_id", "judge"];
const ANSWERS: [&str; 6] = ["rating", "selected", "number", "score", "value", "vote"];

/// An answer in a list, with the rater that its object names.
fn listed(value: &Value) -> Result<Part, String> {
    let fields = |names: &[&str]| names.iter().filter_map(|name| value.get(*name)).collect::<Vec<_>>();
    let (rater, answer) = match (&fields(&RATERS)[..], &fields(&ANSWERS)[..]) {
        ([], [only]) => (None, *only),
        ([], _) => (None, value),
        ([rater], [only]) if !text(rater)?.is_empty() => (Some(text(rater)?), *only),
        _ => return Err(format!("an answer in the list does not have one rater and one value, {value}")),
    };
    Ok(Part { question: None, rater, text: text(answer)? })
}

/// The answer that a value of JSON is: a text or a number, or the only option of an object that is chosen.
fn text(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.trim().to_owned()),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        Value::Null => Ok(String::new()),
        Value::Object(options) => {
            // Label Studio's answers, in lists.
            if let Some(value) = ["rating", "selected", "number"].iter().find_map(|name| options.get(*name)) {
                return text(value);
            }
            let is_chosen = |value: &Value| match value {
                Value::Null => false,
                Value::Bool(chosen) => *chosen,
                Value::String(text) => !text.is_empty() && text != "false",
                _ => true,
            };
            let mut chosen = options.iter().filter(|(_, value)| is_chosen(value));
            match (chosen.next(), chosen.next()) {
                (None, _) => Ok(String::new()),
                (Some((option, _)), None) => Ok(option_name(option).to_owned()),
                (Some((first, _)), Some((second, _))) => {
                    Err(format!("two options are chosen, `{first}` and `{second}`"))
                }
            }
        }
        Value::Array(list) => match &list[..] {
            [] => Ok(String::new()),
            [only] => text(only),
            _ => Err(format!("an answer is itself a list, {value}")),
        },
    }
}

/// An option without the word that Potato writes before the points of a scale.
pub(super) fn option_name(label: &str) -> &str {
    label.strip_prefix("scale_").unwrap_or(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_objects_are_taken_apart() {
        let found = |cell: &str| {
            let parts = parts(cell).map(|parts| {
                let shown = parts.into_iter().map(|part| match part.question {
                    Some(question) => format!("{question}={}", part.text),
                    None => part.text,
                });
                shown.collect::<Vec<_>>().join(" ")
            });
            parts.unwrap_or_else(|error| format!("fault: {error}"))
        };
        for (cell, want) in [
            ("4|5|3", "4 5 3"),
            ("gen, ret", "gen ret"),
            ("3,5;4", "3,5 4"),
            ("[4, 5.0, null]", "4 5.0 "),
            ("['a', 'b', nan]", "a b "),
            ("[4. 5\n nan]", "4.0 5 "),
            ("['banana' 'None']", "banana None"),
            ("{\"Q0\": 3, \"Q1\": [2]}", "Q0=3 Q1=2"),
            ("{\"quality\": {\"scale_4\": \"4\"}}", "quality=4"),
            ("{\"best\": {\"a\": false, \"b\": true}}", "best=b"),
            ("7", "7"),
        ] {
            assert_eq!(found(cell), want, "{cell}");
        }
        assert!(found("[1, [2, 3]]").starts_with("fault") && found("[1").starts_with("fault"));
        for wrong in ["[1, 2 3]", "[1 ... 9]", "['it\\'s']", "[{'rater': '', 'vote': 4}]"] {
            assert!(found(wrong).starts_with("fault"), "{wrong}");
        }
        assert!(found("{\"q\": {\"a\": true, \"b\": true}}").contains("two options"));
    }
}
