//! Removing the raters' keys from released data.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hype_core::model::findings::Findings;
use hype_core::{Store, Study};
use serde_json::Value;

use super::search::{replace_keys, replace_word, tellable};
use crate::exchange::error::ExportError;
use crate::exchange::export::{each_log, record};
use crate::pseudonym::Pseudonyms;

/// The new names of raters and of files.
pub(super) struct Anonymous {
    raters: HashMap<String, String>,
    /// Sessions in the order of their raters' new names.
    sessions: Vec<String>,
    /// Replacements for paths that would reveal more than a stimulus's place in the study.
    paths: HashMap<String, String>,
    /// The ids by which a panel knows the raters, which they may have written into their answers.
    ids: BTreeSet<String>,
    /// The panel's ids of raters, by their new names.
    people: BTreeMap<String, String>,
}

impl Anonymous {
    pub(super) fn of(study: &Study, store: &dyn Store) -> Result<Self, ExportError> {
        let key = Pseudonyms::fresh()?;
        let mut found = Vec::new();
        let mut last = None;
        let mut sessions = Vec::new();
        each_log(store, |session, events| {
            let record = record(session, events)?;
            let rater = record.header.rater.to_string();
            let order = key.digest(&rater);
            // Findings may still say what a rater has earned whose answers were erased.
            if record.erased.is_none() {
                sessions.push((order, session.to_owned()));
            }
            if last.as_ref() != Some(&rater) {
                found.push((order, rater.clone()));
                last = Some(rater);
            }
            Ok(())
        })?;
        found.sort_unstable();
        found.dedup();
        sessions.sort_unstable();
        let digits = found.len().to_string().len().max(3);
        let named = found.into_iter().enumerate();
        let raters: HashMap<String, String> =
            named.map(|(at, (_, rater))| (rater, format!("rater-{:0digits$}", at + 1))).collect();
        let (mut ids, mut people) = (BTreeSet::new(), BTreeMap::new());
        for (rater, person, all) in panel_ids(store)? {
            ids.extend(all);
            people.extend(raters.get(&rater).map(|name| (name.clone(), person)));
        }
        Ok(Self {
            raters,
            sessions: sessions.into_iter().map(|(_, session)| session).collect(),
            paths: paths(study),
            ids,
            people,
        })
    }

    pub(super) fn raters(&self) -> usize {
        self.raters.len()
    }

    /// The panel's ids of raters, by their new names.
    pub(super) const fn people(&self) -> &BTreeMap<String, String> {
        &self.people
    }

    pub(super) fn sessions(&self) -> &[String] {
        &self.sessions
    }

    /// The keys and ids that can be distinguished from ordinary words, whose occurrence is meaningful.
    pub(super) fn tellable(&self) -> Vec<&str> {
        let all = self.raters.keys().chain(&self.ids);
        all.map(String::as_str).filter(|key| tellable(key)).collect()
    }

    /// Anonymizes a cell of a released table.
    pub(super) fn cell(&self, column: &str, cell: &Value) -> Value {
        match (column, cell) {
            ("rater", Value::String(rater)) => Value::String(self.rater(rater)),
            ("item" | "stimulus", Value::Array(several)) => {
                several.iter().map(|one| self.cell(column, one)).collect()
            }
            ("item" | "stimulus", Value::String(text)) => Value::String(self.path(text)),
            ("reason", Value::String(text)) => Value::String(self.text(text)),
            ("answer", Value::String(text)) => Value::String(self.words(text)),
            ("answer", Value::Object(answers)) => {
                let clean = |(key, one): (&String, &Value)| (key.clone(), self.cell(column, one));
                Value::Object(answers.iter().map(clean).collect())
            }
            _ => cell.clone(),
        }
    }

    fn rater(&self, key: &str) -> String {
        // Every rater in the store has a new name; an unknown key would reveal nothing.
        self.raters.get(key).cloned().unwrap_or_else(|| "rater".into())
    }

    fn path(&self, path: &str) -> String {
        self.paths.get(path).cloned().unwrap_or_else(|| path.to_owned())
    }

    /// Anonymizes what a rater wrote: keys of raters get their new names, and ids of panels are taken out.
    fn words(&self, text: &str) -> String {
        replace_keys(text, |word| {
            if !tellable(word) {
                return None;
            }
            let rater = self.raters.get(word).map(String::as_str);
            rater.or_else(|| self.ids.contains(word).then_some(TAKEN_OUT))
        })
    }

    /// Anonymizes a sentence that may name raters and files.
    pub(super) fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (key, name) in &self.raters {
            if tellable(key) {
                text = replace_word(&text, key, name);
            } else {
                // A key such as `7` refers to a rater only in fields that name raters.
                text = replace_word(&text, &format!("rater {key}"), &format!("rater {name}"));
            }
        }
        for (path, clean) in &self.paths {
            text = replace_word(&text, path, clean);
        }
        text
    }

    /// Gives the raters in findings their new names, and the order of these names. Returns the findings with all their texts
    /// anonymized.
    pub(super) fn findings(&self, findings: &mut Findings) -> Result<Value, ExportError> {
        for exclusion in &mut findings.exclusions {
            exclusion.reason = self.text(&exclusion.reason).into();
            exclusion.rater = self.rater(&exclusion.rater).into();
        }
        findings.exclusions.sort_by(|a, b| a.rater.cmp(&b.rater).then(a.rule.cmp(&b.rule)));
        for check in &mut findings.checks {
            check.flagged.iter_mut().for_each(|one| one.rater = self.rater(&one.rater).into());
            check.flagged.sort_by(|a, b| a.rater.cmp(&b.rater));
            check.shares.iter_mut().for_each(|one| one.rater = self.rater(&one.rater).into());
            check.shares.sort_by(|a, b| a.rater.cmp(&b.rater));
        }
        if let Some(earnings) = &mut findings.earnings {
            earnings.raters.iter_mut().for_each(|one| one.rater = self.rater(&one.rater).into());
            earnings.raters.sort_by(|a, b| a.rater.cmp(&b.rater).then(a.base.cmp(&b.base)));
        }
        for table in findings.measures.iter_mut().flat_map(|measure| &mut measure.tables) {
            let of_raters = table.columns.iter().position(|column| column.name.contains("rater"));
            let Some(place) = of_raters else { continue };
            for row in &mut table.rows {
                if let Some(Value::String(key)) = row.get_mut(place)
                    && let Some(name) = self.raters.get(key)
                {
                    *key = name.clone();
                }
            }
            table.rows.sort_by_key(|row| row.get(place).and_then(Value::as_str).map(str::to_owned));
        }
        let mut value = serde_json::to_value(&*findings)?;
        self.sentences(&mut value);
        Ok(value)
    }

    /// Anonymizes all texts in a value that may name raters or files.
    pub(super) fn sentences(&self, value: &mut Value) {
        match value {
            Value::String(text) if text.contains(char::is_whitespace) => *text = self.text(text),
            Value::String(text) => {
                let rater = self.raters.get(text).filter(|_| tellable(text));
                let path = self.paths.get(text);
                *text = rater.or(path).cloned().unwrap_or_else(|| relative(text));
            }
            Value::Array(list) => list.iter_mut().for_each(|one| self.sentences(one)),
            Value::Object(map) => map.values_mut().for_each(|one| self.sentences(one)),
            _ => {}
        }
    }
}

/// The replacement of an id that a rater wrote.
const TAKEN_OUT: &str = "[id taken out]";

/// A rater's key, the panel's id without differences of spelling, and all ids as they were written.
type PanelId = (String, String, Vec<String>);

/// The ids by which a panel knows the raters of a study.
#[cfg(feature = "web")]
fn panel_ids(store: &dyn Store) -> Result<Vec<PanelId>, ExportError> {
    let found = crate::block_on(hype_backends::web::panel_ids(store));
    let found = found.map_err(|fault| hype_core::StoreError::failed(fault.to_string()))?;
    let ids = found.into_iter().map(|(rater, ids)| {
        (rater, ids.person(), ids.parameters.into_values().chain([ids.participant]).collect())
    });
    Ok(ids.collect())
}

/// Only the rater page has participants.
#[cfg(not(feature = "web"))]
fn panel_ids(_: &dyn Store) -> Result<Vec<PanelId>, ExportError> {
    Ok(Vec::new())
}

/// Replacements for paths of stimuli that are absolute or lead out of the study's folder.
fn paths(study: &Study) -> HashMap<String, String> {
    let stimuli = study.stimuli();
    let telling = |path: &str| is_absolute(path) || path.split('/').any(|part| part == "..");
    let found = stimuli.all().iter().filter(|stimulus| telling(&stimulus.path));
    found
        .map(|stimulus| {
            let set = stimuli.set(stimulus.set).map_or("images", |set| &*set.name);
            (stimulus.path.to_string(), format!("{set}/{}", file_name(&stimulus.path)))
        })
        .collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn is_absolute(path: &str) -> bool {
    let mut bytes = path.bytes();
    let drive = matches!((bytes.next(), bytes.next(), bytes.next()), (Some(letter), Some(b':'), Some(b'/' | b'\\')) if letter.is_ascii_alphabetic());
    path.starts_with('/') || path.starts_with("\\\\") || drive
}

/// Reduces a setting that is an absolute path to its file name.
fn relative(text: &str) -> String {
    let path = is_absolute(text) && !text.contains(char::is_whitespace) && text.len() > 1;
    if path { file_name(text.trim_end_matches(['/', '\\'])).to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_become_names_of_files() {
        for (text, want) in [
            ("/home/someone/answers.csv", "answers.csv"),
            (r"C:\Users\someone\answers.csv", "answers.csv"),
            ("images/real/*.png", "images/real/*.png"),
            ("/ means or", "/ means or"),
            ("a/b", "a/b"),
            ("/", "/"),
        ] {
            assert_eq!(relative(text), want);
        }
    }
}
