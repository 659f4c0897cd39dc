//! The file `board.yaml`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The settings of a board: the models that it compares, and its rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardSettings {
    /// The board's name.
    pub name: String,
    /// The table of items, as in a spec; every model has one image for each, with the item's key as its name.
    pub items: String,
    /// The pattern of real images, if the task has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub real: Option<String>,
    /// The models that every wave rates again.
    pub anchors: Vec<String>,
    /// The sections of every wave's spec: `task`, `raters`, `payment`, `backend`, `aggregate` and others.
    pub study: Map<String, Value>,
    /// The rules that submitters and readers should know, as sentences for the page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// The address at which the page is published, for the feed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

/// The sections that follow from the board.
const OWN: [&str; 4] = ["name", "seed", "stimuli", "items"];

impl BoardSettings {
    /// Reads the text of `board.yaml`.
    ///
    /// # Errors
    /// Returns the fault in the text.
    pub fn read(text: &str) -> Result<Self, String> {
        let read: Self = serde_yaml::from_str(text).map_err(|error| error.to_string())?;
        if let Some(own) = OWN.iter().find(|name| read.study.contains_key(**name)) {
            return Err(format!("study.{own}: the board writes this section of every wave's spec"));
        }
        if !read.study.contains_key("task") {
            return Err("study.task is missing: it says what raters are asked, as in a spec".into());
        }
        let mut anchors = read.anchors.clone();
        anchors.sort();
        if let Some(twice) = anchors.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("anchors: {} is named twice", twice[0]));
        }
        Ok(read)
    }

    /// Each setting that differs, with what it was and what it is.
    pub(crate) fn changes(&self, before: &Self) -> Vec<String> {
        let fields = |settings: &Self| match serde_json::to_value(settings) {
            Ok(Value::Object(map)) => map,
            _ => Map::new(),
        };
        // Synthetic raters are not a rule.
        let is_rule = |name: &str| !name.starts_with("study.simulate.");
        let all = differences(fields(before), fields(self)).into_iter();
        all.filter(|(name, _)| is_rule(name)).map(|(name, change)| format!("{name}: {change}")).collect()
    }
}

/// The settings that differ, by their names, with what they were and what they are.
pub(crate) fn differences(old: Map<String, Value>, new: Map<String, Value>) -> Vec<(String, String)> {
    let (old, new) = (flat(old), flat(new));
    let of = |all: &[(String, String)], name: &str| {
        all.iter().find(|(own, _)| own == name).map_or("none".to_owned(), |(_, value)| value.clone())
    };
    let mut names: Vec<&String> = old.iter().chain(&new).map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    let changes = names.into_iter().map(|name| (name.clone(), of(&old, name), of(&new, name)));
    let changed = changes.filter(|(_, old, new)| old != new);
    changed.map(|(name, old, new)| (name, format!("{old} → {new}"))).collect()
}

/// The settings of a mapping and of the sections in it, with their values as text.
fn flat(map: Map<String, Value>) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (name, value) in map {
        match value {
            Value::Object(inner) => {
                all.extend(flat(inner).into_iter().map(|(inner, value)| (format!("{name}.{inner}"), value)));
            }
            Value::String(text) => all.push((name, text)),
            other => all.push((name, other.to_string())),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name: b\nitems: items.csv\nanchors: [a, c]\nstudy: { task: { kind: contrast } }\n";

    #[test]
    fn settings_are_checked() {
        assert_eq!(BoardSettings::read(TEXT).unwrap().anchors, ["a", "c"]);
        for (wrong, says) in [
            (TEXT.replace("[a, c]", "[a, a]"), "named twice"),
            (TEXT.replace("task", "stimuli"), "study.stimuli"),
            (TEXT.replace("task", "raters"), "study.task is missing"),
            (format!("{TEXT}colour: red\n"), "unknown field `colour`"),
        ] {
            let error = BoardSettings::read(&wrong).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn changes_name_the_setting() {
        let before = BoardSettings::read(TEXT).unwrap();
        let after = BoardSettings::read(&TEXT.replace("contrast", "rating").replace("c]", "d]")).unwrap();
        assert_eq!(
            after.changes(&before),
            ["anchors: [\"a\",\"c\"] → [\"a\",\"d\"]", "study.task.kind: contrast → rating"]
        );
    }
}
