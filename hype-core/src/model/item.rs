//! Items: what the stimuli of several models have in common, with the conditions from which they were generated.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::facet::Levels;
use crate::model::ids::StimulusId;

/// An item: an input that every model was given, whose outputs can be compared.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Item {
    /// The key that matches the models' files.
    pub id: Arc<str>,
    /// The conditions from which the outputs were generated, in the order shown to raters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Its levels of the study's facets of items, which raters are never shown.
    #[serde(default, skip_serializing_if = "Levels::is_empty")]
    pub levels: Levels,
}

/// One condition of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// Its role for the model.
    pub kind: ConditionKind,
    /// Its name, such as a subject's token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Arc<str>>,
    /// The content that the rater sees.
    pub content: Content,
}

/// The role of a condition for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConditionKind {
    /// The text that describes what is wanted.
    Prompt,
    /// The text that says what to change.
    Instruction,
    /// The image that is edited, or with which a degraded one is compared.
    Source,
    /// The image that marks the region to edit.
    Mask,
    /// An image of a subject that has to appear.
    Subject,
    /// The image that guides the layout: edges, depth, a pose.
    Control,
}

impl ConditionKind {
    /// The heading that a rater reads above it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Prompt => "Description",
            Self::Instruction => "Instruction",
            Self::Source => "Source image",
            Self::Mask => "Region to edit",
            Self::Subject => "Subject",
            Self::Control => "Guidance image",
        }
    }
}

/// The content of a condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// A text.
    Text(Arc<str>),
    /// A stimulus.
    #[serde(rename = "image")]
    Stimulus(StimulusId),
}

impl Item {
    /// The conditions of one kind, in order.
    pub fn of_kind(&self, kind: ConditionKind) -> impl Iterator<Item = &Condition> {
        self.conditions.iter().filter(move |condition| condition.kind == kind)
    }

    /// The text of the first condition of a kind, among those with a text.
    #[must_use]
    pub fn text(&self, kind: ConditionKind) -> Option<&Arc<str>> {
        self.of_kind(kind).find_map(|condition| match &condition.content {
            Content::Text(text) => Some(text),
            Content::Stimulus(_) => None,
        })
    }

    /// The stimulus of the first condition of a kind, among those with a stimulus.
    #[must_use]
    pub fn stimulus(&self, kind: ConditionKind) -> Option<StimulusId> {
        self.of_kind(kind).find_map(|condition| match condition.content {
            Content::Stimulus(stimulus) => Some(stimulus),
            Content::Text(_) => None,
        })
    }
}
