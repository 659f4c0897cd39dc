//! Indexes by which stimuli, their sets and their items name each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The index of a set among a study's sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct SetId(pub u16);

/// The index of a stimulus among a study's stimuli.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct StimulusId(pub u32);

/// The index of an item among a study's items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ItemId(pub u32);
