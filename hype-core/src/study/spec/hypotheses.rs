//! The section `hypotheses`: what a study is expected to show.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::diagnostics::{Diagnostics, nearest};
use crate::model::score::Measure;
use crate::words::listed;

/// An expected result of a study: in YAML its text, or an object with the comparison that tests it.
///
/// # Examples
/// ```
/// use hype_core::study::spec::Hypothesis;
///
/// let words: Hypothesis = serde_json::from_str(r#""The images of both are worse than photographs.""#)?;
/// assert!(words.expects.is_none());
/// let tested = r#"{ "text": "Images of good deceive more.", "model": "good", "is": "higher", "than": "weak" }"#;
/// let tested: Hypothesis = serde_json::from_str(tested)?;
/// assert_eq!(&*tested.expects.unwrap().than, "weak");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a spec has exactly these fields")]
pub struct Hypothesis {
    /// The hypothesis in words.
    pub text: Arc<str>,
    /// The findings that are expected; `None` where words alone are stated.
    pub expects: Option<Expectation>,
}

/// The order of two models by a measure.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a spec has exactly these fields")]
pub struct Expectation {
    /// The model that the hypothesis is about.
    pub model: Arc<str>,
    /// On which side of the other model it is expected.
    pub is: ExpectedSide,
    /// The other model.
    pub than: Arc<str>,
    /// The measure, by its name in findings; by default the study's score.
    pub measure: Option<Arc<str>>,
}

/// A side of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::exhaustive_enums, reason = "a difference has two directions")]
pub enum ExpectedSide {
    /// Its value is higher.
    Higher,
    /// Its value is lower.
    Lower,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TestedHypothesis {
    /// The hypothesis in words.
    text: Arc<str>,
    /// The model that it is about.
    model: Arc<str>,
    /// Whether that model's value is expected to be higher or lower.
    is: ExpectedSide,
    /// The other model.
    than: Arc<str>,
    /// The measure, by its name in findings; by default the study's score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    measure: Option<Arc<str>>,
}

impl Hypothesis {
    /// A hypothesis in words alone.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { text: text.into(), expects: None }
    }

    /// Checks that the models are among the sets of the study that are judged, and the measure among those of its rubric, at the
    /// path of the hypothesis.
    pub(super) fn check(&self, sets: &[&str], judged: &[&str], measures: &[Measure], at: &mut Diagnostics) {
        let Some(expects) = &self.expects else { return };
        let is_of = |sets: &[&str], name: &str| {
            let cell = format!("{name}/");
            sets.iter().any(|model| *model == name || model.starts_with(&cell))
        };
        for (field, name) in [("model", &expects.model), ("than", &expects.than)] {
            if !is_of(sets, name) {
                at.field(field)
                    .error("unknown-model", format!("the study has no set `{name}`"))
                    .suggest(nearest(name, judged.iter().copied()));
            } else if !is_of(judged, name) {
                at.field(field)
                    .warning(
                        "untestable",
                        format!("`{name}` is not judged, and the hypothesis cannot be tested"),
                    )
                    .help(format!("name one of {}", listed(judged)));
            }
        }
        let names = || measures.iter().map(|measure| &*measure.name);
        if let Some(wanted) = expects.measure.as_deref().filter(|wanted| names().all(|name| name != *wanted))
        {
            at.field("measure")
                .warning("untestable", format!("the study has no measure `{wanted}`"))
                .help(format!("the measures are {}", listed(names())))
                .suggest(nearest(wanted, names()));
        }
        if expects.model == expects.than {
            at.field("than")
                .error("same-model", format!("`{}` is compared with itself", expects.than))
                .help("name another model");
        }
    }
}

impl Serialize for Hypothesis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.expects.clone() {
            None => serializer.serialize_str(&self.text),
            Some(Expectation { model, is, than, measure }) => {
                TestedHypothesis { text: Arc::clone(&self.text), model, is, than, measure }
                    .serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Hypothesis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrInFull;
        impl<'de> Visitor<'de> for TextOrInFull {
            type Value = Hypothesis;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a hypothesis in words, or an object with `text`, `model`, `is` and `than`")
            }
            fn visit_str<E>(self, text: &str) -> Result<Hypothesis, E> {
                Ok(Hypothesis::new(text))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Hypothesis, A::Error> {
                let TestedHypothesis { text, model, is, than, measure } =
                    TestedHypothesis::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Hypothesis { text, expects: Some(Expectation { model, is, than, measure }) })
            }
        }
        deserializer.deserialize_any(TextOrInFull)
    }
}

impl JsonSchema for Hypothesis {
    fn schema_name() -> Cow<'static, str> {
        "Hypothesis".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let in_full = generator.subschema_for::<TestedHypothesis>();
        json_schema!({
            "description": "A hypothesis in words, or with the comparison of two models that tests it",
            "anyOf": [{ "type": "string", "pattern": "\\S" }, in_full]
        })
    }
}
