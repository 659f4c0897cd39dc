//! Stimuli: what raters are shown, pinned by content.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// Where a set of stimuli comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Taken from the world: photographs, recordings, texts by people.
    Real,
    /// Made by a generative model; the set's name is the model's.
    Generated,
}

/// Which phase of a session a set of stimuli serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    /// Judged in the main phase; the qualification may set some of them aside.
    #[default]
    Main,
    /// Shown in the qualification only.
    Qualification,
}

/// The place of a set among a study's sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct SetId(pub u16);

/// The place of a stimulus among a study's stimuli.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct StimulusId(pub u32);

/// One stimulus: a file and the digest of its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stimulus {
    /// The set that it belongs to.
    pub set: SetId,
    /// The path relative to the spec's folder, with `/` between its parts.
    pub path: Arc<str>,
    /// SHA-256 of the file's bytes.
    pub digest: Digest,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// A named set of stimuli: the real images, or those of one model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StimulusSet {
    /// The name in the spec; for generated stimuli the model's name.
    pub name: Arc<str>,
    /// Real or generated.
    pub role: Role,
    /// The phase that it serves.
    #[serde(default)]
    pub used_for: Use,
}

/// All stimuli of a study, in the order of the spec's sets and then of paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stimuli {
    sets: Vec<StimulusSet>,
    items: Vec<Stimulus>,
    members: Vec<Vec<StimulusId>>,
}

/// The stimuli do not fit together; the program that assembled them is at fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StimuliError {
    /// A stimulus names a set that does not exist.
    #[error("stimulus {path} belongs to set {set}, but there are {sets} sets")]
    NoSuchSet {
        /// The stimulus.
        path: Arc<str>,
        /// The set that it names.
        set: u16,
        /// How many sets there are.
        sets: usize,
    },
    /// More sets or stimuli than a study can hold.
    #[error("a study holds at most 65,535 sets and 4,294,967,295 stimuli")]
    TooMany,
}

impl Stimuli {
    /// Puts sets and their stimuli together.
    ///
    /// # Errors
    /// If a stimulus names a set that does not exist, or there are too many.
    pub fn new(sets: Vec<StimulusSet>, items: Vec<Stimulus>) -> Result<Self, StimuliError> {
        if sets.len() > usize::from(u16::MAX) || u32::try_from(items.len()).is_err() {
            return Err(StimuliError::TooMany);
        }
        let mut members = vec![Vec::new(); sets.len()];
        for (index, item) in items.iter().enumerate() {
            let Some(set) = members.get_mut(usize::from(item.set.0)) else {
                return Err(StimuliError::NoSuchSet {
                    path: Arc::clone(&item.path),
                    set: item.set.0,
                    sets: sets.len(),
                });
            };
            set.push(StimulusId(index as u32));
        }
        Ok(Self { sets, items, members })
    }

    /// The sets, in the spec's order.
    #[must_use]
    pub fn sets(&self) -> &[StimulusSet] {
        &self.sets
    }

    /// The stimuli, in the order of sets and paths.
    #[must_use]
    pub fn items(&self) -> &[Stimulus] {
        &self.items
    }

    /// A set by its place.
    #[must_use]
    pub fn set(&self, id: SetId) -> Option<&StimulusSet> {
        self.sets.get(usize::from(id.0))
    }

    /// The place of the set with this name.
    #[must_use]
    pub fn set_named(&self, name: &str) -> Option<SetId> {
        self.set_ids().find(|&id| self.set(id).is_some_and(|set| &*set.name == name))
    }

    /// A stimulus by its place.
    #[must_use]
    pub fn item(&self, id: StimulusId) -> Option<&Stimulus> {
        self.items.get(id.0 as usize)
    }

    /// The stimuli of one set.
    #[must_use]
    pub fn members(&self, set: SetId) -> &[StimulusId] {
        self.members.get(usize::from(set.0)).map_or(&[], Vec::as_slice)
    }

    /// The sets with a role that serve a phase, in the spec's order.
    pub fn sets_with(&self, role: Role, used_for: Use) -> impl Iterator<Item = SetId> + '_ {
        self.set_ids()
            .filter(move |&id| self.set(id).is_some_and(|set| set.role == role && set.used_for == used_for))
    }

    /// The models under study: generated sets of the main phase.
    pub fn models(&self) -> impl Iterator<Item = SetId> + '_ {
        self.sets_with(Role::Generated, Use::Main)
    }

    /// One digest over all sets and stimuli, by names, roles, paths and contents.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut text = String::new();
        for set in &self.sets {
            text.push_str(&serde_json::json!([set.name, set.role, set.used_for]).to_string());
            text.push('\n');
        }
        for item in &self.items {
            text.push_str(&serde_json::json!([item.set, item.path, item.digest]).to_string());
            text.push('\n');
        }
        Digest::of(text.as_bytes())
    }

    fn set_ids(&self) -> impl Iterator<Item = SetId> + use<> {
        (0..self.sets.len() as u16).map(SetId)
    }
}
