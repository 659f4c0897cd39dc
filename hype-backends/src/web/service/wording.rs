//! The texts of a study in a rater's language.

use std::collections::HashMap;
use std::sync::Arc;

use hype_core::MediaKind;
use hype_core::model::guidance::Guidance;
use hype_core::model::note::Consented;
use hype_core::model::trial::{ChoiceOption, Form, Question};
use hype_core::plugin::translations::{Catalogue, Translated, TranslationError};

use crate::web::settings::{LANGUAGES, Page};
use crate::web::wire::screen::{ScreenQuestion, Worded};

/// The language of the texts that tasks and rubrics bring.
const SOURCE: &str = "en";

/// The texts of a study in all languages of the page.
#[derive(Debug)]
pub(crate) struct Wordings {
    by_language: HashMap<&'static str, Wording>,
}

/// The texts of a study in one language.
#[derive(Debug)]
pub(crate) struct Wording {
    language: &'static str,
    catalogue: Catalogue,
    /// A catalogue that knows the texts of tasks and rubrics, which distinguishes them from those of the spec.
    english: Arc<Catalogue>,
    /// The English of studies of clips or texts, for texts of tasks that are not translated.
    of_kind: Arc<Catalogue>,
    /// The language of the spec's own texts.
    written_in: Arc<str>,
}

impl Wordings {
    /// Collects the translations that the linked crates register for a kind of media, and those of the spec.
    ///
    /// # Errors
    /// If translations cannot be used.
    pub(crate) fn new(page: &Page, kind: MediaKind) -> Result<Self, TranslationError> {
        let mut by_language = HashMap::new();
        let english = LANGUAGES.iter().map(|(tag, _)| *tag).find(|tag| *tag != SOURCE).unwrap_or(SOURCE);
        let english = Arc::new(Catalogue::linked(english, kind)?);
        let of_kind = Arc::new(Catalogue::linked(SOURCE, kind)?);
        let written_in = page.written_in.clone().unwrap_or_else(|| SOURCE.into());
        for (language, _) in LANGUAGES {
            let mut catalogue = Catalogue::linked(language, kind)?;
            for (text, translation) in page.translations.get(language).into_iter().flatten() {
                catalogue.add(text, translation)?;
            }
            let (english, of_kind) = (Arc::clone(&english), Arc::clone(&of_kind));
            let written_in = Arc::clone(&written_in);
            by_language.insert(language, Wording { language, catalogue, english, of_kind, written_in });
        }
        Ok(Self { by_language })
    }

    /// The texts in a language of the page; in English for any other language.
    pub(crate) fn of(&self, language: &str) -> &Wording {
        let found = self.by_language.get(language).or_else(|| self.by_language.get(SOURCE));
        #[expect(clippy::unwrap_used, reason = "English is one of the languages")]
        found.unwrap()
    }
}

/// Whether a published instrument is shown in its published wording or in a translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instruments {
    AsPublished,
    Translated,
}

impl Instruments {
    /// How a rater who gave this consent reads them.
    pub(crate) const fn of(consented: &Consented) -> Self {
        if consented.translated.is_some() { Self::Translated } else { Self::AsPublished }
    }
}

impl Wording {
    /// The translation of a text, if the rater is to read it.
    fn translated(&self, text: &str, instruments: Instruments) -> Option<Translated> {
        let translated = self.catalogue.translate(text)?;
        (translated.instrument.is_none() || instruments == Instruments::Translated).then_some(translated)
    }

    /// The language of a text that is shown as it is, if it is not the page's.
    fn language_of(&self, text: &str) -> Option<Arc<str>> {
        let language = if self.english.knows(text) { SOURCE } else { &*self.written_in };
        (language != self.language).then(|| language.into())
    }

    /// A text that is not translated: in the words of the study's media, if a task brings it.
    pub(crate) fn as_written(&self, text: &Arc<str>) -> Arc<str> {
        self.of_kind.worded(text)
    }

    /// A text.
    pub(crate) fn text(&self, text: &Arc<str>, instruments: Instruments) -> Worded {
        match self.translated(text, instruments) {
            Some(translated) => Worded { text: translated.text.into(), language: None },
            None => Worded { text: self.as_written(text), language: self.language_of(text) },
        }
    }

    /// A paragraph of instructions, by messages.
    pub(crate) fn paragraph(&self, guidance: &Guidance, instruments: Instruments) -> Vec<Worded> {
        guidance.messages().iter().map(|message| self.text(message, instruments)).collect()
    }

    /// A question. Its text, its help and its options are translated together or not at all.
    pub(crate) fn question(&self, question: &Question, instruments: Instruments) -> ScreenQuestion {
        let as_written = self.of_kind.worded_question(question);
        let (id, required) = (Arc::clone(&question.id), question.required.clone());
        match self.translated_question(question, instruments) {
            Some((text, help, form)) => ScreenQuestion { id, text, help, form, language: None, required },
            None => {
                let Question { text, help, form, .. } = as_written;
                ScreenQuestion { id, text, help, form, language: self.language_of(&question.text), required }
            }
        }
    }

    fn translated_question(
        &self,
        question: &Question,
        instruments: Instruments,
    ) -> Option<(Arc<str>, Option<Arc<str>>, Form)> {
        let word = |text: &Arc<str>| -> Option<Arc<str>> {
            // A letter beneath an image is the same in all languages.
            if text.chars().nth(1).is_none() {
                return Some(Arc::clone(text));
            }
            self.translated(text, instruments).map(|translated| translated.text.into())
        };
        let help = match &question.help {
            Some(help) => Some(word(help)?),
            None => None,
        };
        let words = |options: &[ChoiceOption]| -> Option<Vec<ChoiceOption>> {
            let worded = |option: &ChoiceOption| {
                Some(ChoiceOption::new(&option.value, &word(&option.label)?, option.key))
            };
            options.iter().map(worded).collect()
        };
        let form = match &question.form {
            Form::Choice { options } => Form::Choice { options: words(options)? },
            Form::Ranking { candidates, ties } => {
                Form::Ranking { candidates: words(candidates)?, ties: *ties }
            }
            Form::Several { options, at_least, at_most } => {
                Form::Several { options: words(options)?, at_least: *at_least, at_most: *at_most }
            }
            Form::Slider { minimum, maximum, from, to, step } => {
                let (from, to) = (word(from)?, word(to)?);
                Form::Slider { minimum: *minimum, maximum: *maximum, from, to, step: *step }
            }
            form => form.clone(),
        };
        Some((word(&question.text)?, help, form))
    }

    /// The published instrument that provides a translation of any of these texts.
    pub(crate) fn instrument<'a>(&self, texts: impl IntoIterator<Item = &'a Arc<str>>) -> Option<Arc<str>> {
        texts.into_iter().find_map(|text| self.catalogue.translate(text)?.instrument)
    }

    /// Those of these texts that a rater would read in another language, other than the texts of published instruments.
    pub(crate) fn missing<'a>(&self, texts: impl IntoIterator<Item = &'a Arc<str>>) -> Vec<&'a Arc<str>> {
        let is_missing = |text: &&Arc<str>| {
            text.chars().nth(1).is_some()
                && self.catalogue.translate(text).is_none()
                && self.language_of(text).is_some()
        };
        texts.into_iter().filter(is_missing).collect()
    }
}
