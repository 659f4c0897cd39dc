//! Texts that raters read before the first trial, apart from the guidance of the task and the rubric.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::Diagnostics;
use hype_core::plugin::translations::Catalogue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LANGUAGES, supported_language};

/// Additions to the instructions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InstructionSettings {
    /// Example images with their right answers. They should not be among the images of the study, since raters would
    /// recognize them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<ExampleSettings>,
    /// A question that raters have to answer correctly before they begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comprehension: Option<ComprehensionSettings>,
}

impl InstructionSettings {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// An example image with its right answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExampleSettings {
    /// The image file, relative to the spec.
    pub image: Arc<str>,
    /// The right answer: the value of its option.
    pub answer: Arc<str>,
    /// Why it is right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Arc<str>>,
}

/// A question on the instructions. Raters who answer it wrong read the instructions again; the log says how often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComprehensionSettings {
    /// The text of the question.
    pub question: Arc<str>,
    /// The options, in the order shown.
    #[schemars(length(min = 2, max = 10))]
    pub options: Vec<Arc<str>>,
    /// The right answer: the value of its option.
    pub answer: Arc<str>,
}

impl ComprehensionSettings {
    /// The position of the right option.
    pub(crate) fn right(&self) -> Option<usize> {
        self.options.iter().position(|option| *option == self.answer)
    }

    pub(super) fn check(&self, at: &mut Diagnostics) {
        if self.question.trim().is_empty() {
            at.field("question").error("empty-text", "the question is empty").help("write what is asked");
        }
        if !(2..=10).contains(&self.options.len()) {
            at.field("options")
                .error("out-of-range", format!("there are {} options", self.options.len()))
                .help("write 2 to 10 options");
        }
        let unique: std::collections::BTreeSet<&Arc<str>> = self.options.iter().collect();
        if unique.len() < self.options.len() {
            at.field("options").error("duplicate", "two options are equal").help("write different options");
        }
        if self.right().is_none() {
            at.field("answer")
                .error("unknown-option", format!("{:?} is not one of the options", self.answer))
                .help("repeat the right option word for word");
        }
    }
}

/// Translations by language, of texts by their wording in the spec.
pub type Translations = BTreeMap<Arc<str>, BTreeMap<Arc<str>, Arc<str>>>;

/// Reports translations into unknown languages, empty ones, and those with unknown values.
pub(super) fn check_translations(translations: &Translations, at: &mut Diagnostics) {
    for (language, texts) in translations {
        if supported_language(language).is_none() {
            let names: Vec<&str> = LANGUAGES.iter().map(|(tag, _)| *tag).collect();
            at.field(language)
                .error("unknown-language", format!("the page has no language {language:?}"))
                .help(format!("choose from {}", names.join(", ")));
        }
        at.within(language, |at| {
            for (text, translation) in texts {
                if translation.trim().is_empty() {
                    at.field(text)
                        .error("empty-text", "the translation is empty")
                        .help("write the translation, or leave the line out");
                }
                if let Err(error) = Catalogue::default().add(text, translation) {
                    at.field(text)
                        .error("unknown-value", error.to_string())
                        .help("use only the values in braces that the text has");
                }
            }
        });
    }
}
