//! Translations of the texts that tasks, rubrics and specs show to raters.
//!
//! Tasks and rubrics write English. A [`Catalogue`] translates a text by looking it up: neither logs nor plugins
//! depend on a rater's language. A text without a translation stays as it is.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Deserialize;

use crate::model::media::MediaKind;
use crate::model::trial::{Form, Question};

mod pattern;

use self::pattern::Pattern;

/// Translations into one language that a crate registers with [`register_translations!`](crate::register_translations).
#[derive(Debug, Clone, Copy)]
pub struct TranslationEntry {
    /// The language, as a tag such as `de`, or `de-x-video` for studies of clips.
    pub language: &'static str,
    /// A JSON object. `texts` maps English texts to translations. `instruments` maps the name of each published
    /// instrument to an object of the same kind.
    pub json: &'static str,
    /// The crate that registers them.
    pub crate_name: &'static str,
}

inventory::collect!(TranslationEntry);

/// The content of [`TranslationEntry::json`].
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TranslationFile {
    #[serde(default)]
    texts: BTreeMap<Arc<str>, Arc<str>>,
    #[serde(default)]
    instruments: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Arc<str>>>,
}

/// Translations that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranslationError {
    /// A crate registers something other than the JSON that [`TranslationEntry::json`] describes.
    #[error("the {language} translations of crate {crate_name} cannot be read: {reason}")]
    Unreadable {
        /// The language.
        language: &'static str,
        /// The crate.
        crate_name: &'static str,
        /// The fault.
        reason: String,
    },
    /// A translation contains a value that its text does not have.
    #[error("the translation of {text:?} contains the value {{{value}}}, which the text does not have")]
    UnknownValue {
        /// The text.
        text: Arc<str>,
        /// The value's name.
        value: String,
    },
}

/// The translations into one language.
///
/// Texts may have named values. The text `The first {count} pairs are for practice.` matches any count, and its
/// translation places it with `{count}`. A value that is itself a text has a star, as in `{*question}`, and the text
/// is translated only if the value is.
///
/// # Examples
/// ```
/// use hype_core::plugin::translations::Catalogue;
///
/// let mut german = Catalogue::default();
/// german.add("The first {count} pairs are for practice.", "Die ersten {count} Paare dienen der Übung.")?;
/// let translated = german.translate("The first 3 pairs are for practice.").unwrap();
/// assert_eq!(translated.text, "Die ersten 3 Paare dienen der Übung.");
/// # Ok::<(), hype_core::plugin::translations::TranslationError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    exact: HashMap<Arc<str>, Entry>,
    /// Texts with values, the latest last.
    patterns: Vec<(Pattern, Entry)>,
}

#[derive(Debug, Clone)]
struct Entry {
    text: Arc<str>,
    instrument: Option<Arc<str>>,
}

/// A translated text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translated {
    /// The translation.
    pub text: String,
    /// The published instrument whose wording was translated; `None` if the text belongs to none.
    pub instrument: Option<Arc<str>>,
}

impl Catalogue {
    /// The translations into a language that the linked crates register, for studies of a kind of media.
    ///
    /// Tasks, rubrics and aggregators write of images. Entries for another kind, whose language ends in `-x-` and its
    /// name, as in `de-x-video`, replace those of their language; `en-x-video` has the English of studies of clips.
    ///
    /// # Errors
    /// If a crate registers translations that cannot be used.
    pub fn linked(language: &str, kind: MediaKind) -> Result<Self, TranslationError> {
        let of_kind = match kind {
            MediaKind::Image => None,
            MediaKind::Video => Some(format!("{language}-x-video")),
            MediaKind::Text => Some(format!("{language}-x-text")),
        };
        let mut catalogue = Self::default();
        let entries = [Some(language), of_kind.as_deref()].into_iter().flatten().flat_map(|tag| {
            inventory::iter::<TranslationEntry>.into_iter().filter(move |entry| entry.language == tag)
        });
        for entry in entries {
            let file: TranslationFile =
                serde_json::from_str(entry.json).map_err(|error| TranslationError::Unreadable {
                    language: entry.language,
                    crate_name: entry.crate_name,
                    reason: error.to_string(),
                })?;
            for (text, translation) in &file.texts {
                catalogue.insert(text, translation, None)?;
            }
            for (instrument, texts) in &file.instruments {
                for (text, translation) in texts {
                    catalogue.insert(text, translation, Some(Arc::clone(instrument)))?;
                }
            }
        }
        Ok(catalogue)
    }

    /// Adds a translation, which replaces an earlier one of the same text. A text of a published instrument remains one.
    ///
    /// # Errors
    /// If the translation contains a value that the text does not have.
    pub fn add(&mut self, text: &str, translation: &str) -> Result<(), TranslationError> {
        let instrument = self.exact.get(text).and_then(|entry| entry.instrument.clone());
        self.insert(text, translation, instrument)
    }

    fn insert(
        &mut self,
        text: &str,
        translation: &str,
        instrument: Option<Arc<str>>,
    ) -> Result<(), TranslationError> {
        let entry = Entry { text: translation.into(), instrument };
        if let Some(pattern) = Pattern::parse(text) {
            if let Some(value) = pattern.unknown_value(translation) {
                return Err(TranslationError::UnknownValue { text: text.into(), value });
            }
            self.patterns.push((pattern, entry.clone()));
        }
        self.exact.insert(text.into(), entry);
        Ok(())
    }

    /// Whether a text has a translation, or is the pattern of one.
    #[must_use]
    pub fn knows(&self, text: &str) -> bool {
        self.exact.contains_key(text) || self.translate(text).is_some()
    }

    /// The translation of a text, or the text itself if it has none.
    #[must_use]
    pub fn worded(&self, text: &str) -> Arc<str> {
        self.translate(text).map_or_else(|| text.into(), |own| own.text.into())
    }

    /// A question with its text, its help and its labels so worded.
    #[must_use]
    pub fn worded_question(&self, question: &Question) -> Question {
        let mut worded = question.clone();
        worded.text = self.worded(&question.text);
        worded.help = question.help.as_ref().map(|help| self.worded(help));
        match &mut worded.form {
            Form::Choice { options }
            | Form::Several { options, .. }
            | Form::Ranking { candidates: options, .. } => {
                options.iter_mut().for_each(|option| option.label = self.worded(&option.label));
            }
            Form::Slider { from, to, .. } => (*from, *to) = (self.worded(from), self.worded(to)),
            _ => {}
        }
        worded
    }

    /// The translation of a text; `None` if it has none.
    #[must_use]
    pub fn translate(&self, text: &str) -> Option<Translated> {
        if let Some(Entry { text, instrument }) = self.exact.get(text) {
            return Some(Translated { text: text.to_string(), instrument: instrument.clone() });
        }
        self.patterns.iter().rev().find_map(|(pattern, entry)| {
            let mut instrument = entry.instrument.clone();
            let mut values = pattern.values(text)?;
            for value in values.iter_mut().filter(|value| value.is_text) {
                let translated = self.translate(&value.text)?;
                instrument = instrument.or(translated.instrument);
                value.text = translated.text;
            }
            Some(Translated { text: pattern::fill(&entry.text, &values), instrument })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::trial::ChoiceOption;

    #[test]
    fn questions_are_worded_in_all_their_parts() {
        let mut words = Catalogue::default();
        words.add("Which image is better?", "Which clip is better?").unwrap();
        words.add("Image {letter}", "Clip {letter}").unwrap();
        let options =
            vec![ChoiceOption::new("A", "Image A", Some('a')), ChoiceOption::new("t", "Equal", None)];
        let asked = Question::new("best", "Which image is better?", Form::Choice { options });
        let worded = words.worded_question(&asked);
        let Form::Choice { options } = &worded.form else { panic!("{worded:?}") };
        let labels: Vec<&str> = options.iter().map(|option| &*option.label).collect();
        assert_eq!((&*worded.text, labels), ("Which clip is better?", vec!["Clip A", "Equal"]));
        assert_eq!((&*worded.id, &*options[0].value), ("best", "A"));
    }
}
