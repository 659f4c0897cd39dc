//! Notes for readers of findings, and their numbers.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Findings;

/// The consequence of a note for the numbers that it concerns, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NoteClass {
    /// They mean something else than they seem to.
    Meaning,
    /// They are less certain than printed, or lack an interval or a test.
    Precision,
    /// They rest on this setting or assumption.
    Setting,
}

/// A note for readers of the findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// The consequence for numbers.
    pub class: NoteClass,
    /// Its key, such as `censored-thresholds`.
    pub code: Arc<str>,
    /// The text, of at most 35 words. It does not name the measures.
    pub text: Arc<str>,
    /// The names of the measures that it concerns; absent if it concerns the study.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<Arc<str>>,
    /// The models that it concerns; absent if it concerns all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<Arc<str>>,
    /// Its number among the notes of these findings, from 1; absent for settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
}

impl Note {
    /// Creates a note without which numbers would be misread.
    #[must_use]
    pub fn meaning(code: &str, text: impl Into<Arc<str>>) -> Self {
        Self::new(NoteClass::Meaning, code, text.into())
    }

    /// Creates a note that numbers are less certain than printed, or lack an interval or a test.
    #[must_use]
    pub fn precision(code: &str, text: impl Into<Arc<str>>) -> Self {
        Self::new(NoteClass::Precision, code, text.into())
    }

    /// Creates a note on a setting or an assumption.
    #[must_use]
    pub fn setting(code: &str, text: impl Into<Arc<str>>) -> Self {
        Self::new(NoteClass::Setting, code, text.into())
    }

    fn new(class: NoteClass, code: &str, text: Arc<str>) -> Self {
        Self { class, code: code.into(), text, measures: Vec::new(), models: Vec::new(), number: None }
    }

    /// Adds a measure that the note concerns, by its name.
    #[must_use]
    pub fn about(mut self, measure: &str) -> Self {
        self.measures.push(measure.into());
        self
    }

    /// Adds models that the note concerns.
    #[must_use]
    pub fn on_models<M: AsRef<str>>(mut self, models: impl IntoIterator<Item = M>) -> Self {
        self.models.extend(models.into_iter().map(|model| Arc::from(model.as_ref())));
        self
    }

    /// Whether the note concerns a measure: it names the measure, or no measure.
    #[must_use]
    pub fn concerns(&self, measure: &str) -> bool {
        self.measures.is_empty() || self.measures.iter().any(|one| **one == *measure)
    }

    fn says_the_same(&self, other: &Self) -> bool {
        (self.class, &self.code, &self.text) == (other.class, &other.code, &other.text)
    }

    /// Adds the measures and models of a note that says the same. One about the study or all models stays that.
    fn join(&mut self, other: Self) {
        fn unite(into: &mut Vec<Arc<str>>, from: Vec<Arc<str>>) {
            if into.is_empty() || from.is_empty() {
                into.clear();
            }
            let is_of_all = into.is_empty();
            for one in from {
                if !is_of_all && !into.contains(&one) {
                    into.push(one);
                }
            }
        }
        unite(&mut self.measures, other.measures);
        unite(&mut self.models, other.models);
    }
}

impl Findings {
    /// Adds notes and numbers all of them by consequence: first those that change what a number means, then those that make it
    /// less certain; within both, those about the study's score come first, then those about the study. Notes that say the same
    /// about several measures become one. Settings come last and have no number.
    pub fn add_notes(&mut self, notes: impl IntoIterator<Item = Note>) {
        for note in notes {
            match self.notes.iter_mut().find(|known| known.says_the_same(&note)) {
                Some(known) => known.join(note),
                None => self.notes.push(note),
            }
        }
        let score = self.measures.first().map(|found| Arc::clone(&found.measure.name));
        let place = |note: &Note| match &score {
            _ if note.measures.is_empty() => 1,
            Some(score) if note.concerns(score) => 0,
            _ => 2,
        };
        self.notes.sort_by_key(|note| (note.class, place(note)));
        let mut numbers = 1..;
        for note in &mut self.notes {
            note.number = if note.class == NoteClass::Setting { None } else { numbers.next() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::findings::MeasureFindings;
    use crate::model::score::{Direction, Measure};

    fn findings() -> Findings {
        let measure = |name| MeasureFindings::new(Measure::new(name, name, "", Direction::Higher));
        Findings {
            format: 1,
            software: "test".into(),
            study: None,
            collected: None,
            measures: vec![measure("score"), measure("other")],
            stopping: None,
            metrics: Vec::new(),
            correlations: Vec::new(),
            exclusions: Vec::new(),
            checks: Vec::new(),
            surveys: Vec::new(),
            earnings: None,
            timing: None,
            models: std::collections::BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    fn numbered(findings: &Findings) -> Vec<(Option<u32>, &str, usize)> {
        findings.notes.iter().map(|note| (note.number, &*note.code, note.measures.len())).collect()
    }

    #[test]
    fn numbers_follow_consequence_and_equal_notes_are_one() {
        let mut found = findings();
        found.add_notes([
            Note::setting("s", "a setting"),
            Note::precision("few-items", "few items").about("other").on_models(["a"]),
            Note::precision("few-raters", "few raters"),
            Note::meaning("bounds", "bounds").about("other"),
            Note::precision("few-items", "few items").about("score").on_models(["a", "b"]),
        ]);
        assert_eq!(
            numbered(&found),
            [(Some(1), "bounds", 1), (Some(2), "few-items", 2), (Some(3), "few-raters", 0), (None, "s", 0)]
        );
        assert_eq!(found.notes[1].models, [Arc::from("a"), Arc::from("b")]);
        // Numbers stay those of all notes when others follow, and a note that is there already is not added again.
        found.add_notes([Note::meaning("of-score", "x").about("score"), Note::setting("s", "a setting")]);
        assert_eq!(numbered(&found)[..2], [(Some(1), "of-score", 1), (Some(2), "bounds", 1)]);
        assert_eq!(found.notes.len(), 5);
    }

    #[test]
    fn a_note_about_the_study_stays_one_when_a_measure_has_the_same() {
        let mut found = findings();
        found.add_notes([Note::meaning("n", "x"), Note::meaning("n", "x").about("score")]);
        assert_eq!(numbered(&found), [(Some(1), "n", 0)]);
        assert!(found.notes[0].concerns("other"));
    }
}
