//! Questions as a spec declares them, in surveys and together with trials.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::diagnostics::Diagnostics;
use crate::model::answer::Answer;
use crate::model::bounds::Bounded;
use crate::model::trial::{ChoiceOption, Form, Question, Required};
use crate::words::listed;

/// The most characters that a text may be allowed.
const TEXT_AT_MOST: u32 = 5_000;

/// The most characters of all texts of a page together: a report of them is never too long for the server or a proxy.
const TEXTS_AT_MOST: u32 = 10_000;

/// The most options that a question may have.
const OPTIONS_AT_MOST: usize = 200;

/// The number of places on a slider unless its `step` says otherwise.
const PLACES: f64 = 100.0;

/// A question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "a spec has exactly these fields")]
pub struct QuestionSpec {
    /// The key of its answer, unique within the study.
    pub id: Arc<str>,
    /// The text of the question.
    pub text: Arc<str>,
    /// Help on how to answer it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<Arc<str>>,
    /// How it is answered.
    pub answer: AnswerSpec,
    /// `true` (default), `false`, or the answers to another question of the same page after which it has to be answered.
    #[serde(default, skip_serializing_if = "Required::is_always")]
    pub required: Required,
    /// The answers by which raters are screened out, in a survey before the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen_out: Option<ScreenOut>,
}

/// How a question is answered.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum AnswerSpec {
    /// One of several options.
    Options(Vec<OptionSpec>),
    /// Any number of several options.
    Several(SeveralSpec),
    /// One of several ranges of numbers, given by where one ends and the next begins: `[18, 25, 35]` makes the options
    /// `under 18`, `18 to 24`, `25 to 34` and `35 or over`.
    Bands(Vec<i64>),
    /// A place on a line between two labels, a visual analogue scale on which nothing is chosen at first.
    Slider(SliderSpec),
    /// A number.
    Number(NumberSpec),
    /// Words of the rater's own, of at most so many characters.
    Text(u32),
    /// At most so many spans that the rater marks in the plain texts (`.txt`) of the trial.
    Marks(Bounded<1, 100>),
}

/// A map with one entry, as it is read. YAML would otherwise get a tag.
impl Serialize for AnswerSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        match self {
            Self::Options(options) => map.serialize_entry("options", options)?,
            Self::Several(several) => map.serialize_entry("several", several)?,
            Self::Bands(bounds) => map.serialize_entry("bands", bounds)?,
            Self::Slider(slider) => map.serialize_entry("slider", slider)?,
            Self::Number(number) => map.serialize_entry("number", number)?,
            Self::Text(at_most) => map.serialize_entry("text", at_most)?,
            Self::Marks(at_most) => map.serialize_entry("marks", at_most)?,
        }
        map.end()
    }
}

/// Any number of several options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "a spec has exactly these fields")]
pub struct SeveralSpec {
    /// The options.
    pub options: Vec<OptionSpec>,
    /// How many have to be chosen (default 1).
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub at_least: u32,
    /// How many may be chosen (default: all).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u32>,
}

const fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_one(number: &u32) -> bool {
    *number == 1
}

/// A visual analogue scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "a spec has exactly these fields")]
pub struct SliderSpec {
    /// The label at the beginning of the line.
    pub from: Arc<str>,
    /// The label at its end.
    pub to: Arc<str>,
    /// The least number.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub minimum: f64,
    /// The greatest number.
    #[serde(default = "hundred", skip_serializing_if = "is_hundred")]
    pub maximum: f64,
    /// The distance between numbers that can be chosen (default: a hundredth of the line).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
}

const fn hundred() -> f64 {
    100.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_hundred(number: &f64) -> bool {
    number.to_bits() == 100_f64.to_bits()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &f64) -> bool {
    number.to_bits() == 0
}

/// A number in a range, both ends included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "a spec has exactly these fields")]
pub struct NumberSpec {
    /// The least number.
    pub minimum: f64,
    /// The greatest number.
    pub maximum: f64,
    /// Whether only whole numbers are accepted.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub whole: bool,
}

const fn yes() -> bool {
    true
}

/// One option: in YAML its text, or an object with its `value` and `label`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a spec has exactly these fields")]
pub struct OptionSpec {
    /// The value of the answer.
    pub value: Arc<str>,
    /// The label that the rater reads.
    pub label: Arc<str>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OptionInFull {
    /// The value of the answer.
    value: Arc<str>,
    /// The text that the rater reads.
    label: Arc<str>,
}

impl OptionSpec {
    /// An option whose value is its text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { value: text.into(), label: text.into() }
    }

    fn option(&self) -> ChoiceOption {
        ChoiceOption::new(&self.value, &self.label, None)
    }
}

impl Serialize for OptionSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.value == self.label {
            return serializer.serialize_str(&self.label);
        }
        let Self { value, label } = self.clone();
        OptionInFull { value, label }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for OptionSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrInFull;
        impl<'de> Visitor<'de> for TextOrInFull {
            type Value = OptionSpec;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the text of an option, or an object with `value` and `label`")
            }
            fn visit_str<E>(self, text: &str) -> Result<OptionSpec, E> {
                Ok(OptionSpec::new(text))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OptionSpec, A::Error> {
                let OptionInFull { value, label } =
                    OptionInFull::deserialize(MapAccessDeserializer::new(map))?;
                Ok(OptionSpec { value, label })
            }
        }
        deserializer.deserialize_any(TextOrInFull)
    }
}

impl JsonSchema for OptionSpec {
    fn schema_name() -> Cow<'static, str> {
        "OptionSpec".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let in_full = generator.subschema_for::<OptionInFull>();
        json_schema!({
            "description": "An option: its text, or an object with `value` and `label`",
            "anyOf": [{ "type": "string" }, in_full]
        })
    }
}

/// The answers to a question by which raters are screened out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "a spec has exactly these fields")]
pub struct ScreenOut {
    /// The values of the options.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub any_of: Vec<Arc<str>>,
    /// All numbers below this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// All numbers above this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
}

impl QuestionSpec {
    /// The question that raters are asked.
    #[must_use]
    pub fn question(&self) -> Question {
        let question = Question::new(&self.id, &self.text, self.answer.form());
        Question { help: self.help.clone(), required: self.required.clone(), ..question }
    }

    /// Whether an answer to it screens the rater out. A question without an answer does not screen out.
    #[must_use]
    pub fn screens_out(&self, given: &Answer) -> bool {
        let (Some(rule), Some(answer)) = (&self.screen_out, given.get(&self.id)) else { return false };
        let number = answer.as_f64();
        let chosen = answer.as_str().into_iter().chain(answer.as_texts().into_iter().flatten());
        chosen.into_iter().any(|value| rule.any_of.iter().any(|one| **one == *value))
            || number.zip(rule.below).is_some_and(|(number, least)| number < least)
            || number.zip(rule.above).is_some_and(|(number, greatest)| number > greatest)
    }

    /// Checks the rules across fields, among the other questions of the page.
    fn check(&self, page: &[Self], at: &mut Diagnostics) {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if self.id.is_empty() || !self.id.bytes().all(is_plain) {
            at.field("id")
                .error("bad-name", format!("{:?} cannot be the key of an answer", self.id))
                .help("use letters, digits, `_` and `-`, as in `reason`");
        }
        if self.text.trim().is_empty() {
            at.field("text").error("empty", "the question has no words").help("write what is asked");
        }
        at.within("answer", |at| self.answer.check(at));
        if let Required::After(trigger) = &self.required {
            at.within("required", |at| {
                let Some(other) = page.iter().find(|other| other.id == trigger.after && other.id != self.id)
                else {
                    at.field("after")
                        .error("unknown-question", format!("no other question here is `{}`", trigger.after))
                        .help("name the `id` of a question of the same page");
                    return;
                };
                check_values(&other.answer.form(), &trigger.any_of, at);
            });
        }
        if let Some(rule) = &self.screen_out {
            at.within("screen_out", |at| rule.check(&self.answer.form(), at));
        }
    }
}

/// Checks questions that are asked on one page.
pub fn check_page(questions: &[QuestionSpec], at: &mut Diagnostics) {
    if questions.is_empty() {
        at.error("empty", "nothing is asked")
            .help("write at least one question with `id`, `text` and `answer`");
    }
    for (index, question) in questions.iter().enumerate() {
        at.within_item(index, |at| question.check(questions, at));
    }
    let texts = questions.iter().map(|question| match question.answer {
        AnswerSpec::Text(at_most) => at_most,
        _ => 0,
    });
    let all = texts.fold(0, u32::saturating_add);
    if all > TEXTS_AT_MOST {
        at.error("out-of-range", format!("the texts of a page can have {all} characters together"))
            .help(format!("allow {TEXTS_AT_MOST} at most, or ask on several pages"));
    }
}

/// Checks that values are those of options, at the path of the section that holds them as `any_of`.
fn check_values(form: &Form, values: &[Arc<str>], at: &mut Diagnostics) {
    let (Form::Choice { options } | Form::Several { options, .. }) = form else {
        at.error("not-options", "the question is not answered by options, and has no values to name")
            .help("name a question with `options`, `several` or `bands`");
        return;
    };
    if values.is_empty() {
        at.field("any_of")
            .error("empty", "no answers are named")
            .help("write values of options, as in `[none]`");
    }
    for value in values.iter().filter(|value| options.iter().all(|option| option.value != **value)) {
        let known: Vec<&str> = options.iter().map(|option| &*option.value).collect();
        at.field("any_of")
            .error("unknown-option", format!("no option has the value `{value}`"))
            .help(format!("the values are {}", listed(&known)))
            .suggest(crate::diagnostics::nearest(value, known));
    }
}

/// Reports that all answers screen raters out.
fn nobody_left(at: &mut Diagnostics) {
    at.error("nobody-left", "every answer screens the rater out, and no one can take part")
        .help("leave at least one answer");
}

impl ScreenOut {
    fn check(&self, form: &Form, at: &mut Diagnostics) {
        match form {
            Form::Choice { .. } | Form::Several { .. } => {
                for field in [("below", self.below), ("above", self.above)].iter().filter(|it| it.1.is_some())
                {
                    at.field(field.0)
                        .error("not-a-number", "the question is answered by options")
                        .help("write `any_of` with values of options");
                }
                check_values(form, &self.any_of, at);
                let options = match form {
                    Form::Choice { options } | Form::Several { options, .. } => options.as_slice(),
                    _ => &[],
                };
                if !options.is_empty() && options.iter().all(|option| self.any_of.contains(&option.value)) {
                    nobody_left(at);
                }
            }
            Form::Number { minimum, maximum, .. } | Form::Slider { minimum, maximum, .. } => {
                if !self.any_of.is_empty() {
                    at.field("any_of")
                        .error("not-options", "the question is answered by a number")
                        .help("write `below` or `above`");
                } else if self.below.or(self.above).is_none() {
                    at.error("empty", "no answers are named").help("write `below` or `above`");
                }
                let least = self.below.map_or(*minimum, |below| below.max(*minimum));
                let greatest = self.above.map_or(*maximum, |above| above.min(*maximum));
                if least > greatest {
                    nobody_left(at);
                }
            }
            _ => {
                at.error("not-screening", "no words screen a rater out")
                    .help("ask by options or by a number, or leave out `screen_out`");
            }
        }
    }
}

impl AnswerSpec {
    /// The form of the answer.
    #[must_use]
    pub fn form(&self) -> Form {
        match self {
            Self::Options(options) => {
                Form::Choice { options: options.iter().map(OptionSpec::option).collect() }
            }
            Self::Several(SeveralSpec { options, at_least, at_most }) => Form::Several {
                options: options.iter().map(OptionSpec::option).collect(),
                at_least: *at_least,
                at_most: at_most.unwrap_or(u32::try_from(options.len()).unwrap_or(u32::MAX)),
            },
            Self::Bands(bounds) => bands(bounds),
            Self::Slider(SliderSpec { from, to, minimum, maximum, step }) => Form::Slider {
                minimum: *minimum,
                maximum: *maximum,
                from: Arc::clone(from),
                to: Arc::clone(to),
                step: step.unwrap_or((maximum - minimum) / PLACES),
            },
            Self::Number(NumberSpec { minimum, maximum, whole }) => {
                Form::Number { minimum: *minimum, maximum: *maximum, whole: *whole }
            }
            Self::Text(at_most) => Form::Text { at_most: *at_most },
            Self::Marks(at_most) => Form::Marks { at_most: at_most.get() },
        }
    }

    fn check(&self, at: &mut Diagnostics) {
        match self {
            Self::Options(options) => at.within("options", |at| check_options(options, at)),
            Self::Several(SeveralSpec { options, at_least, at_most }) => at.within("several", |at| {
                at.within("options", |at| check_options(options, at));
                let most = at_most.unwrap_or(u32::MAX).min(u32::try_from(options.len()).unwrap_or(u32::MAX));
                if *at_least > most {
                    at.field("at_least")
                        .error("out-of-range", format!("{at_least} options have to be chosen of {most}"))
                        .help("use a smaller number");
                }
            }),
            Self::Bands(bounds) => {
                if bounds.is_empty() || !bounds.is_sorted_by(|lower, upper| lower < upper) {
                    at.field("bands")
                        .error("unordered-bands", "each number has to be above the one before")
                        .help("write where bands begin, as in `[18, 25, 35]`");
                }
            }
            Self::Slider(slider) => at.within("slider", |at| {
                let SliderSpec { minimum, maximum, step, .. } = slider;
                check_range(*minimum, *maximum, at);
                let length = maximum - minimum;
                if step.is_some_and(|step| !(step > 0.0 && step <= length)) {
                    at.field("step")
                        .error("out-of-range", "the step does not fit the line")
                        .help("use a positive number up to the length of the line, or leave `step` out");
                }
            }),
            Self::Number(number) => {
                at.within("number", |at| check_range(number.minimum, number.maximum, at));
            }
            Self::Text(at_most) => {
                if !(1..=TEXT_AT_MOST).contains(at_most) {
                    at.field("text")
                        .error("out-of-range", format!("{at_most} characters cannot be the limit"))
                        .help(format!("use a number from 1 to {TEXT_AT_MOST}"));
                }
            }
            // Where there are texts is known to the study.
            Self::Marks(_) => {}
        }
    }
}

fn check_range(minimum: f64, maximum: f64, at: &mut Diagnostics) {
    if !(minimum.is_finite() && maximum.is_finite() && minimum < maximum) {
        at.field("maximum")
            .error("out-of-range", format!("there is no range from {minimum} to {maximum}"))
            .help("use a `maximum` above the `minimum`");
    }
}

fn check_options(options: &[OptionSpec], at: &mut Diagnostics) {
    if !(2..=OPTIONS_AT_MOST).contains(&options.len()) {
        at.error("out-of-range", format!("a question cannot have {} options", options.len()))
            .help(format!("write 2 to {OPTIONS_AT_MOST} options"));
    }
    let mut seen = BTreeSet::new();
    let mut labels = BTreeSet::new();
    for (index, option) in options.iter().enumerate() {
        at.within_item(index, |at| {
            if !labels.insert(option.label.trim()) {
                at.warning("same-label", format!("another option reads `{}` too", option.label.trim()))
                    .help("give each option words of its own: raters cannot tell them apart");
            }
            if option.label.trim().is_empty() || option.value.trim().is_empty() {
                at.error("empty", "the option has no words").help("write its text");
            }
            if !seen.insert(&option.value) {
                at.error("twice", format!("another option has the value `{}`", option.value))
                    .help("give each option a value of its own");
            }
        });
    }
}

/// One of the ranges of whole numbers that begin at these bounds, and what lies below the first.
fn bands(bounds: &[i64]) -> Form {
    let (Some(first), Some(last)) = (bounds.first(), bounds.last()) else {
        return Form::Choice { options: Vec::new() };
    };
    let between = bounds.windows(2).map(|pair| match pair[1] - pair[0] {
        1 => pair[0].to_string(),
        _ => format!("{} to {}", pair[0], pair[1] - 1),
    });
    let texts = std::iter::once(format!("under {first}")).chain(between).chain([format!("{last} or over")]);
    Form::Choice { options: texts.map(|text| ChoiceOption::new(&text, &text, None)).collect() }
}
