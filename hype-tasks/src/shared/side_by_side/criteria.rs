//! The criteria of questions about images side by side, and the keys of their answers.

use hype_core::Diagnostics;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::page::check_text;
use crate::shared::named::NamedSettings;

/// A criterion with its own question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WordedCriterion {
    /// The criterion, such as `realism`. It names the answers and the measures.
    pub name: String,
    /// The question for raters; by default the task's question with the criterion after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

impl NamedSettings for WordedCriterion {
    const EXPECTED: &'static str = "a criterion: its name, or an object with `name` and `question`";

    fn named(name: &str) -> Self {
        Self { name: name.to_owned(), question: None }
    }

    fn name_alone(&self) -> Option<&str> {
        self.question.is_none().then_some(&self.name)
    }
}

/// The key of a criterion's answers: letters and digits in lower case, with `_` for everything between them.
pub(crate) fn key(criterion: &str) -> String {
    let words = criterion.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("_")
}

/// Checks at `criteria` that they have letters and different keys, and that their questions are not empty.
pub(crate) fn check_criteria<'a>(
    criteria: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
    example: &str,
    at: &mut Diagnostics,
) {
    at.within("criteria", |at| {
        let mut keys: Vec<String> = Vec::new();
        for (index, (name, question)) in criteria.into_iter().enumerate() {
            let key = key(name);
            at.within_item(index, |at| {
                if key.is_empty() {
                    at.error("empty-text", "the criterion has no letter")
                        .help("write what raters judge by, such as `realism`");
                } else if keys.contains(&key) {
                    at.error("duplicate", format!("another criterion has the same key `{key}`"))
                        .help("remove one, or use other words");
                }
                question.iter().for_each(|question| check_text(question, "question", example, at));
            });
            keys.push(key);
        }
    });
}
