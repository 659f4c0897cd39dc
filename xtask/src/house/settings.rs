//! The number of settings of a spec, by its committed schema.
//!
//! A setting is a property anywhere in `schemas/evaluation.json`, except the constant `kind` of a plugin. A property that
//! several plugins share counts once: those with one name and one schema, apart from their defaults.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::Verdict;

/// Counts the settings.
pub(super) fn check(root: &Path) -> Verdict {
    let mut verdict = Verdict { rule: "settings", faults: Vec::new(), notes: Vec::new() };
    let path = root.join("schemas/evaluation.json");
    match fs::read_to_string(&path) {
        Ok(text) => verdict.notes.push(format!("{} in {}", settings(&text).len(), path.display())),
        Err(error) => verdict.faults.push(format!("{} cannot be read: {error}", path.display())),
    }
    verdict
}

/// The settings of an indented schema, each with its schema.
pub(crate) fn settings(text: &str) -> BTreeSet<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = BTreeSet::new();
    for (start, _) in lines.iter().enumerate().filter(|(_, line)| line.trim() == "\"properties\": {") {
        let inner = indent(lines[start]) + 2;
        let block = lines[start + 1..].iter().take_while(|line| indent(line) >= inner);
        let mut setting = String::new();
        let mut skipping = false;
        for line in block {
            if indent(line) == inner && line.trim_start().starts_with('"') {
                keep(&mut found, &setting);
                setting.clear();
            }
            // A default may go on over lines that are further in, up to its closing bracket.
            let is_next = indent(line) == inner + 2 && !line.trim_start().starts_with(['}', ']']);
            skipping = if is_next {
                line.trim_start().starts_with("\"default\"")
            } else {
                skipping && indent(line) > inner
            };
            if !skipping {
                setting.push_str(line.trim().trim_end_matches(','));
            }
        }
        keep(&mut found, &setting);
    }
    found
}

fn keep(found: &mut BTreeSet<String>, setting: &str) {
    let is_kind = setting.starts_with("\"kind\"") && setting.contains("\"const\"");
    if !setting.is_empty() && !is_kind {
        found.insert(setting.to_owned());
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_settings_count_once_and_kinds_do_not() {
        let level =
            "\"level\": {\n      \"default\": [\n        1\n      ],\n      \"type\": \"number\"\n    }";
        let other = level.replace("1\n", "2\n");
        let plugin = |level: &str| {
            format!(
                "{{\n  \"properties\": {{\n    {level},\n    \"kind\": {{\n      \"const\": \"a\"\n    }}\n  }}\n}}"
            )
        };
        let text = format!("{}\n{}", plugin(level), plugin(&other));
        assert_eq!(settings(&text), BTreeSet::from(["\"level\": {\"type\": \"number\"}".to_owned()]));
    }
}
