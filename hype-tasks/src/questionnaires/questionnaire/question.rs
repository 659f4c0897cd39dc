//! Questions as data: their words, their scales, and for which conditions they are asked.

use std::borrow::Cow;

use hype_core::{Answered, ChoiceOption, ConditionKind, Form, Item, Question};

/// A question that is asked about every item, once or for each of its conditions of one kind.
#[derive(Debug, Clone)]
pub(in crate::questionnaires) struct QuestionTemplate {
    /// The key of the answer. A question that is asked for each condition has `_1`, `_2` and so on after it.
    pub(in crate::questionnaires) id: Cow<'static, str>,
    pub(in crate::questionnaires) wording: Wording,
    pub(in crate::questionnaires) help: Option<Cow<'static, str>>,
    pub(in crate::questionnaires) scale: ResponseScale,
    /// Whether it asks how much better the second of two stimuli is than the first.
    pub(in crate::questionnaires) of_difference: bool,
}

/// The words of a question.
#[derive(Debug, Clone)]
pub(in crate::questionnaires) enum Wording {
    /// The same text for every item.
    Once(Cow<'static, str>),
    /// Once for each condition of a kind.
    ForEach {
        kind: ConditionKind,
        /// The text about a condition with a name; `{number}` and `{name}` stand for its number from 1 and its name.
        named: &'static str,
        /// The text about a condition without a name.
        unnamed: &'static str,
    },
}

/// The possible answers and their scores.
#[derive(Debug, Clone)]
pub(in crate::questionnaires) enum ResponseScale {
    /// Labels in the order shown. Values and scores are their positions from 1.
    Places(&'static [&'static str]),
    /// Options with explicit values and scores, in the order shown.
    Categories(Cow<'static, [Category]>),
    /// A number in a range, both ends included; it is the score.
    Number { minimum: f64, maximum: f64, whole: bool },
}

/// One option of a scale.
#[derive(Debug, Clone)]
pub(in crate::questionnaires) struct Category {
    pub(in crate::questionnaires) value: Cow<'static, str>,
    pub(in crate::questionnaires) label: Cow<'static, str>,
    pub(in crate::questionnaires) score: f64,
}

impl Category {
    pub(in crate::questionnaires) const fn new(value: &'static str, label: &'static str, score: f64) -> Self {
        Self { value: Cow::Borrowed(value), label: Cow::Borrowed(label), score }
    }
}

impl QuestionTemplate {
    /// A question that is asked once, about a stimulus by itself and without help.
    pub(in crate::questionnaires) const fn new(
        id: &'static str,
        text: &'static str,
        scale: ResponseScale,
    ) -> Self {
        let wording = Wording::Once(Cow::Borrowed(text));
        Self { id: Cow::Borrowed(id), wording, help: None, scale, of_difference: false }
    }

    /// The questions about an item.
    pub(super) fn about(&self, item: Option<&Item>) -> Vec<Question> {
        let asked = |key: &str, text: &str| {
            let mut question = Question::new(key, text, self.scale.form());
            question.help = self.help.as_deref().map(Into::into);
            if self.of_difference { question.of_difference() } else { question }
        };
        match &self.wording {
            Wording::Once(text) => vec![asked(&self.id, text)],
            Wording::ForEach { kind, named, unnamed } => {
                let conditions = item.into_iter().flat_map(|item| item.of_kind(*kind));
                let numbered = conditions.zip(1..).map(|(condition, number): (_, u32)| {
                    let text = match &condition.name {
                        Some(name) => named.replace("{name}", name),
                        None => (*unnamed).to_owned(),
                    };
                    asked(&self.key(number), &text.replace("{number}", &number.to_string()))
                });
                numbered.collect()
            }
        }
    }

    /// The score of the logged answers: the minimum if the question is asked for several conditions.
    ///
    /// # Errors
    /// If the log or the item is incomplete.
    pub(super) fn score(&self, answered: &Answered, item: Option<&Item>) -> Result<f64, String> {
        let one = |key: &str| {
            let score = self.scale.score(answered, key);
            score.ok_or_else(|| format!("the log has no answer to `{key}` that the rubric knows"))
        };
        match self.wording {
            Wording::Once(_) => one(&self.id),
            Wording::ForEach { kind, .. } => {
                let asked = item.map_or(0, |item| item.of_kind(kind).count() as u32);
                let scores: Result<Vec<f64>, String> =
                    (1..=asked).map(|number| one(&self.key(number))).collect();
                let least = scores?.into_iter().reduce(f64::min);
                least.ok_or_else(|| format!("the item has no condition that `{}` asks about", self.id))
            }
        }
    }

    fn key(&self, number: u32) -> String {
        format!("{}_{number}", self.id)
    }
}

impl ResponseScale {
    fn form(&self) -> Form {
        match self {
            Self::Places(labels) => {
                let option =
                    |(place, &label): (u32, &&str)| ChoiceOption::new(&place.to_string(), label, None);
                Form::Choice { options: (1..).zip(*labels).map(option).collect() }
            }
            Self::Categories(categories) => {
                let option = |one: &Category| ChoiceOption::new(&one.value, &one.label, None);
                Form::Choice { options: categories.iter().map(option).collect() }
            }
            Self::Number { minimum, maximum, whole } => {
                Form::Number { minimum: *minimum, maximum: *maximum, whole: *whole }
            }
        }
    }

    /// The score of a logged answer; `None` if the log has none or one that is not on the scale.
    fn score(&self, answered: &Answered, key: &str) -> Option<f64> {
        match self {
            Self::Places(labels) => {
                let place: u32 = answered.choice(key)?.parse().ok()?;
                (1..=labels.len() as u32).contains(&place).then(|| f64::from(place))
            }
            Self::Categories(categories) => {
                let given = answered.choice(key)?;
                categories.iter().find(|category| category.value == given).map(|category| category.score)
            }
            Self::Number { .. } => answered.number(key).filter(|number| number.is_finite()),
        }
    }

    /// The lowest and the highest score; `None` for a scale without categories.
    pub(super) fn range(&self) -> Option<[f64; 2]> {
        match self {
            Self::Places(labels) => Some([1.0, labels.len() as f64]),
            Self::Number { minimum, maximum, .. } => Some([*minimum, *maximum]),
            Self::Categories(categories) => {
                let scores = || categories.iter().map(|category| category.score);
                Some([scores().reduce(f64::min)?, scores().reduce(f64::max)?])
            }
        }
    }
}
