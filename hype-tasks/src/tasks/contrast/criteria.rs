//! Questions about two images: a single one, or one for each criterion, with votes or with grades.

use std::borrow::Cow;
use std::fmt;

use hype_core::model::trial::{BOTH_BAD, ChoiceOption, Form, Question, TIE};
use hype_core::{Diagnostics, words::counted};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::questionnaires::opinion::RatingMethod;
use crate::shared::named::NamedSettings;
use crate::shared::side_by_side::{image_options, key, wording};

/// The key of the answer without criteria.
const PREFERENCE: &str = "preference";
/// The question where answers are graded, before the criterion.
const GRADED_QUESTION: &str = "How good is image B, compared with image A?";
/// The fewest and the most labels of a scale of grades.
const LABELS: [usize; 2] = [3, 11];

/// One criterion by which two images are compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContrastCriterion {
    /// The criterion, such as `realism`. It names the answers and the measures.
    pub name: String,
    /// The question for raters; by default the task's question with the criterion after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Whether raters may call the two images equal. By default as the task says; with grades the middle one, which is there
    /// unless this is `false`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie: Option<bool>,
    /// How much better one is than the other, instead of only which is better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grades: Option<Grades>,
}

impl NamedSettings for ContrastCriterion {
    const EXPECTED: &'static str =
        "a criterion: its name, or an object with `name`, `question`, `tie` and `grades`";

    fn named(name: &str) -> Self {
        Self { name: name.to_owned(), question: None, tie: None, grades: None }
    }

    fn name_alone(&self) -> Option<&str> {
        let Self { name, question, tie, grades } = self;
        (question.is_none() && tie.is_none() && grades.is_none()).then_some(name)
    }
}

/// The grades of a comparison: of image B, compared with image A.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grades {
    /// Comparison category rating of ITU-T P.910: seven grades from -3, Much worse, to 3, Much better.
    Ccr,
    /// The labels from the worst grade to the best, with that of equal images in the middle.
    Labels(Vec<String>),
}

impl Grades {
    /// The labels from the worst grade to the best.
    fn labels(&self) -> Vec<Cow<'_, str>> {
        match self {
            Self::Ccr => RatingMethod::Ccr.categories().iter().map(|&(_, label)| label.into()).collect(),
            Self::Labels(labels) => labels.iter().map(Into::into).collect(),
        }
    }

    /// One option for each grade, whose values are the grades; that in the middle only for ties.
    fn options(&self, tie: bool) -> Vec<ChoiceOption> {
        let labels = self.labels();
        let middle = (labels.len() / 2) as i64;
        (-middle..)
            .zip(&labels)
            .filter(|&(grade, _)| tie || grade != 0)
            .map(|(grade, label)| ChoiceOption::new(&grade.to_string(), label, None))
            .collect()
    }

    fn check(&self, at: &mut Diagnostics) {
        let Self::Labels(labels) = self else { return };
        at.within("grades", |at| {
            let [fewest, most] = LABELS;
            if labels.len() % 2 == 0 || !(fewest..=most).contains(&labels.len()) {
                at.error(
                    "bad-grades",
                    format!("{} for grades around a middle one", counted(labels.len(), "label")),
                )
                .help(format!(
                    "write an odd number of labels from {fewest} to {most}, that of equal images in the middle, or `ccr`; \
                     `tie: false` leaves the middle out"
                ));
            }
            for (index, label) in labels.iter().enumerate() {
                if label.trim().is_empty() {
                    at.item(index)
                        .error("empty-text", "the label is empty")
                        .help("write a label such as \"Much better\"");
                } else if labels[..index].contains(label) {
                    at.item(index)
                        .error("duplicate", format!("another grade has the label \"{label}\" too"))
                        .help("use other words");
                }
            }
        });
    }
}

impl Serialize for Grades {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Ccr => serializer.serialize_str("ccr"),
            Self::Labels(labels) => labels.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Grades {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PresetOrLabels;
        impl<'de> Visitor<'de> for PresetOrLabels {
            type Value = Grades;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`ccr`, or a list of labels from the worst grade to the best")
            }
            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Grades, E> {
                match name {
                    "ccr" => Ok(Grades::Ccr),
                    other => Err(E::unknown_variant(other, &["ccr"])),
                }
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Grades, A::Error> {
                let mut labels = Vec::new();
                while let Some(label) = list.next_element()? {
                    labels.push(label);
                }
                Ok(Grades::Labels(labels))
            }
        }
        deserializer.deserialize_any(PresetOrLabels)
    }
}

impl JsonSchema for Grades {
    fn schema_name() -> Cow<'static, str> {
        "Grades".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let [fewest, most] = LABELS;
        json_schema!({
            "description": "`ccr`, the seven grades of ITU-T P.910, or labels from the worst grade to the best, with \
                            that of equal images in the middle",
            "anyOf": [
                { "enum": ["ccr"] },
                { "type": "array", "items": { "type": "string" }, "minItems": fewest, "maxItems": most },
            ]
        })
    }
}

/// One question of a contrast, as its rubric reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Compared {
    /// The key of the answer.
    pub(super) key: String,
    /// The suffix of the names of its measures.
    pub(super) suffix: String,
    /// The criterion; empty without criteria.
    pub(super) name: String,
    /// Whether the answer is a grade.
    pub(super) graded: bool,
}

impl Compared {
    /// The questions by criteria; a single one without any.
    pub(super) fn all<'a>(criteria: impl IntoIterator<Item = (&'a str, bool)>) -> Vec<Self> {
        let by_criteria: Vec<Self> = criteria
            .into_iter()
            .map(|(name, graded)| {
                let key = key(name);
                Self { suffix: format!(".{key}"), key, name: name.to_owned(), graded }
            })
            .collect();
        if !by_criteria.is_empty() {
            return by_criteria;
        }
        vec![Self { key: PREFERENCE.to_owned(), suffix: String::new(), name: String::new(), graded: false }]
    }
}

/// The words in which a task asks about every pair.
pub(super) struct Wording<'a> {
    pub(super) question: &'a str,
    pub(super) criterion: Option<&'a str>,
    pub(super) tie: bool,
    pub(super) both_bad: bool,
}

impl Wording<'_> {
    /// The question without criteria.
    pub(super) fn single(&self) -> Question {
        let text = wording(self.question, self.criterion);
        Question::new(PREFERENCE, &text, Form::Choice { options: self.votes(self.tie) })
    }

    /// The question by one of several criteria.
    pub(super) fn by(&self, criterion: &ContrastCriterion) -> Question {
        let ContrastCriterion { name, question, tie, grades } = criterion;
        let (unless_own, options) = match grades {
            None => (self.question, self.votes(tie.unwrap_or(self.tie))),
            Some(grades) => (GRADED_QUESTION, grades.options(tie.unwrap_or(true))),
        };
        let text = question.clone().unwrap_or_else(|| wording(unless_own, Some(name)));
        let question = Question::new(&key(name), &text, Form::Choice { options });
        if grades.is_some() { question.of_difference() } else { question }
    }

    fn votes(&self, tie: bool) -> Vec<ChoiceOption> {
        let mut options = image_options(2);
        if tie {
            options.push(ChoiceOption::new(TIE, "They are equal", Some('t')));
        }
        if self.both_bad {
            options.push(ChoiceOption::new(BOTH_BAD, "Both are bad", Some('x')));
        }
        options
    }
}

/// Checks the labels of grades, at `criteria`.
pub(super) fn check_grades<'a>(
    criteria: impl IntoIterator<Item = &'a ContrastCriterion>,
    at: &mut Diagnostics,
) {
    at.within("criteria", |at| {
        for (index, criterion) in criteria.into_iter().enumerate() {
            at.within_item(index, |at| criterion.grades.iter().for_each(|grades| grades.check(at)));
        }
    });
}
