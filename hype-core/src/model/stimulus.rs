//! Stimuli: what raters are shown, pinned by content.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::digest::Digest;
use crate::model::facet::{FacetCell, Levels};
use crate::model::ids::{ItemId, SetId, StimulusId};
use crate::model::item::{Content, Item};
use crate::model::media::{Media, MediaKind};

/// The origin of a set of stimuli.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Taken from the world: photographs, recordings, texts by people.
    Real,
    /// Made by a generative model; the set's name is the model's.
    Generated,
}

/// The phase of a session in which a set of stimuli is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    /// Judged in the main phase, except for those that the qualification uses.
    #[default]
    Main,
    /// Shown in the qualification only.
    Qualification,
    /// Shown in the main phase with a known answer, to check that raters pay attention; never scored.
    Gold,
    /// Shown next to what is judged, as a condition of an item; never judged. Such sets are made from `items`.
    Condition,
}

/// One stimulus: a file and the digest of its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Stimulus {
    /// The set that it belongs to.
    pub set: SetId,
    /// The path relative to the spec's folder, with `/` between its parts.
    pub path: Arc<str>,
    /// SHA-256 of the file's bytes.
    pub digest: Digest,
    /// The kind of file.
    #[serde(flatten)]
    pub media: Media,
    /// The item that it was generated for, if the study has items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<ItemId>,
}

impl Stimulus {
    /// A stimulus of a set, by the digest of its file's bytes and its path.
    #[must_use]
    pub fn new(set: SetId, digest: Digest, path: impl Into<Arc<str>>, media: Media) -> Self {
        Self { set, path: path.into(), digest, media, item: None }
    }

    /// Sets the item that it was generated for.
    #[must_use]
    pub fn for_item(self, item: impl Into<Option<ItemId>>) -> Self {
        Self { item: item.into(), ..self }
    }
}

/// A named set of stimuli: the real ones, or those of one model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StimulusSet {
    /// The name in the spec, which is the model's name for generated stimuli.
    pub name: Arc<str>,
    /// Real or generated.
    pub role: Role,
    /// The phase that it is used in.
    #[serde(default)]
    pub used_for: Use,
    /// The right answers for gold stimuli, by the question's key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gold: BTreeMap<Arc<str>, Vec<Arc<str>>>,
    /// Its levels, by facet. The name of a set with levels ends in them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub levels: Levels,
}

impl StimulusSet {
    /// A set without gold answers and levels.
    #[must_use]
    pub fn new(name: &str, role: Role, used_for: Use) -> Self {
        Self { name: name.into(), role, used_for, gold: BTreeMap::new(), levels: BTreeMap::new() }
    }

    /// Sets the right answers for gold stimuli, by the question's key.
    #[must_use]
    pub fn with_gold(self, gold: BTreeMap<Arc<str>, Vec<Arc<str>>>) -> Self {
        Self { gold, ..self }
    }

    /// Sets the levels, by facet.
    #[must_use]
    pub fn with_levels(self, levels: Levels) -> Self {
        Self { levels, ..self }
    }

    /// The name under which the spec declares it: its own without the levels.
    #[must_use]
    pub fn declared_name(&self) -> &str {
        let first_level = self.levels.len().checked_sub(1);
        let end = first_level.and_then(|first| self.name.rmatch_indices('/').nth(first));
        end.map_or(&*self.name, |(at, _)| &self.name[..at])
    }

    /// Whether two sets have the same level of every facet that both have.
    #[must_use]
    pub fn shares_levels(&self, other: &Self) -> bool {
        self.levels.iter().all(|(facet, level)| other.levels.get(facet).is_none_or(|found| found == level))
    }
}

/// Models that are shown with the same sets of real stimuli, among those that a rater judges.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RealPool {
    /// The models.
    pub models: Vec<SetId>,
    /// The real sets.
    pub sets: Vec<SetId>,
    /// How many of all models are shown with some of these sets.
    pub shared_by: usize,
}

/// All stimuli of a study, in the order of the spec's sets and then of paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stimuli {
    sets: Vec<StimulusSet>,
    all: Vec<Stimulus>,
    members: Vec<Vec<StimulusId>>,
    items: Vec<Item>,
    /// The name of each stimulus in scores; empty without items, as paths then serve as names.
    labels: Vec<Arc<str>>,
}

/// The stimuli are inconsistent; this is a bug in the program that assembled them.
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
        /// The number of sets.
        sets: usize,
    },
    /// There are more sets, stimuli or items than a study can have.
    #[error("a study can have at most 65,535 sets and 4,294,967,295 stimuli and items")]
    TooMany,
    /// A stimulus names an item that does not exist.
    #[error("stimulus {path} belongs to item {item}, but there are {items} items")]
    NoSuchItem {
        /// The stimulus.
        path: Arc<str>,
        /// The item that it names.
        item: u32,
        /// The number of items.
        items: usize,
    },
    /// An item's condition names a stimulus outside the sets of conditions.
    #[error("item {item} has a condition whose stimulus is not in a set of conditions")]
    NoSuchCondition {
        /// The item.
        item: Arc<str>,
    },
}

impl Stimuli {
    /// Combines sets with their stimuli, without items.
    ///
    /// # Errors
    /// If a stimulus names a set or an item that does not exist, or there are too many.
    pub fn new(sets: Vec<StimulusSet>, all: Vec<Stimulus>) -> Result<Self, StimuliError> {
        Self::with_items(sets, all, Vec::new())
    }

    /// Combines sets with their stimuli and items.
    ///
    /// # Errors
    /// If a stimulus names a set or an item that does not exist, an item's condition names a stimulus outside the sets
    /// of conditions, or there are too many.
    pub fn with_items(
        sets: Vec<StimulusSet>,
        all: Vec<Stimulus>,
        items: Vec<Item>,
    ) -> Result<Self, StimuliError> {
        let numbered = |count: usize| u32::try_from(count).is_ok();
        if sets.len() > usize::from(u16::MAX) || !numbered(all.len()) || !numbered(items.len()) {
            return Err(StimuliError::TooMany);
        }
        let mut members = vec![Vec::new(); sets.len()];
        for (index, stimulus) in all.iter().enumerate() {
            let Some(set) = members.get_mut(usize::from(stimulus.set.0)) else {
                return Err(StimuliError::NoSuchSet {
                    path: Arc::clone(&stimulus.path),
                    set: stimulus.set.0,
                    sets: sets.len(),
                });
            };
            set.push(StimulusId(index as u32));
            if let Some(ItemId(item)) = stimulus.item.filter(|item| item.0 as usize >= items.len()) {
                let path = Arc::clone(&stimulus.path);
                return Err(StimuliError::NoSuchItem { path, item, items: items.len() });
            }
        }
        let is_condition = |id: StimulusId| {
            let set = all.get(id.0 as usize).map(|stimulus| usize::from(stimulus.set.0));
            set.is_some_and(|set| sets[set].used_for == Use::Condition)
        };
        for item in &items {
            let is_invalid =
                |content: &Content| matches!(content, Content::Stimulus(id) if !is_condition(*id));
            if item.conditions.iter().any(|condition| is_invalid(&condition.content)) {
                return Err(StimuliError::NoSuchCondition { item: Arc::clone(&item.id) });
            }
        }
        let labels = if items.is_empty() { Vec::new() } else { labels(&all, &items) };
        Ok(Self { sets, all, members, items, labels })
    }

    /// The kind of the stimuli under judgment. Those of conditions are images, or clips where clips are judged.
    #[must_use]
    pub fn kind(&self) -> MediaKind {
        let is_judged =
            |stimulus: &&Stimulus| self.sets[usize::from(stimulus.set.0)].used_for != Use::Condition;
        self.all.iter().find(is_judged).map_or(MediaKind::Image, |stimulus| stimulus.media.kind())
    }

    /// The sets, in the spec's order.
    #[must_use]
    pub fn sets(&self) -> &[StimulusSet] {
        &self.sets
    }

    /// The stimuli, in the order of sets and paths.
    #[must_use]
    pub fn all(&self) -> &[Stimulus] {
        &self.all
    }

    /// The items; empty in a study without items.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// A set by its index.
    #[must_use]
    pub fn set(&self, id: SetId) -> Option<&StimulusSet> {
        self.sets.get(usize::from(id.0))
    }

    /// The index of the set with this name.
    #[must_use]
    pub fn set_named(&self, name: &str) -> Option<SetId> {
        self.set_ids().find(|&id| self.set(id).is_some_and(|set| &*set.name == name))
    }

    /// A stimulus by its index.
    #[must_use]
    pub fn get(&self, id: StimulusId) -> Option<&Stimulus> {
        self.all.get(id.0 as usize)
    }

    /// The set of a stimulus.
    #[must_use]
    pub fn set_of(&self, id: StimulusId) -> Option<&StimulusSet> {
        self.set(self.get(id)?.set)
    }

    /// The item of a stimulus, if any.
    #[must_use]
    pub fn item_of(&self, id: StimulusId) -> Option<&Item> {
        self.items.get(self.get(id)?.item?.0 as usize)
    }

    /// The name of a stimulus in scores: the key of its item, with the suffix `#2` and so on for further outputs of a
    /// model for the same item, or its path if it has no item. Outputs of several models for one item have the same
    /// name.
    #[must_use]
    pub fn label(&self, id: StimulusId) -> &str {
        let label = self.labels.get(id.0 as usize).or_else(|| self.get(id).map(|stimulus| &stimulus.path));
        label.map_or("", |label| &**label)
    }

    /// The stimuli of one set.
    #[must_use]
    pub fn members(&self, set: SetId) -> &[StimulusId] {
        self.members.get(usize::from(set.0)).map_or(&[], Vec::as_slice)
    }

    /// The sets with a role that are used in a phase, in the spec's order.
    pub fn sets_with(&self, role: Role, used_for: Use) -> impl Iterator<Item = SetId> + '_ {
        self.set_ids()
            .filter(move |&id| self.set(id).is_some_and(|set| set.role == role && set.used_for == used_for))
    }

    /// The models under study: generated sets of the main phase.
    pub fn models(&self) -> impl Iterator<Item = SetId> + '_ {
        self.sets_with(Role::Generated, Use::Main)
    }

    /// The sets of real stimuli of the main phase that may be shown with outputs of these models: those that share the
    /// levels of one of them. Without models, all sets.
    pub fn real_sets(&self, models: &[SetId]) -> impl Iterator<Item = SetId> + use<'_> {
        let models: Vec<&StimulusSet> = models.iter().filter_map(|&model| self.set(model)).collect();
        self.sets_with(Role::Real, Use::Main).filter(move |&id| {
            models.is_empty()
                || self.set(id).is_some_and(|real| models.iter().any(|model| real.shares_levels(model)))
        })
    }

    /// The real sets of each of these models, one entry for all models that have the same, in the order of their first models.
    #[must_use]
    pub fn real_pools(&self, models: &[SetId]) -> Vec<RealPool> {
        let mut pools: Vec<RealPool> = Vec::new();
        for &model in models {
            let sets: Vec<SetId> = self.real_sets(&[model]).collect();
            match pools.iter_mut().find(|pool| pool.sets == sets) {
                Some(pool) => pool.models.push(model),
                None => pools.push(RealPool { models: vec![model], sets, shared_by: 0 }),
            }
        }
        let shared_by = |pool: &RealPool| {
            let overlaps = |other: &&RealPool| {
                other.sets == pool.sets || other.sets.iter().any(|set| pool.sets.contains(set))
            };
            pools.iter().filter(overlaps).map(|other| other.models.len()).sum()
        };
        let counts: Vec<usize> = pools.iter().map(shared_by).collect();
        pools.iter_mut().zip(counts).for_each(|(pool, count)| pool.shared_by = count);
        pools
    }

    /// The judged sets that have levels.
    pub fn cells(&self) -> impl Iterator<Item = FacetCell> + '_ {
        let is_cell = |set: &&StimulusSet| set.used_for == Use::Main && !set.levels.is_empty();
        self.sets.iter().filter(is_cell).map(|set| FacetCell {
            name: Arc::clone(&set.name),
            model: set.declared_name().into(),
            levels: set.levels.clone(),
        })
    }

    /// The real stimuli of the main phase.
    pub fn real(&self) -> impl Iterator<Item = StimulusId> + '_ {
        self.sets_with(Role::Real, Use::Main).flat_map(|set| self.members(set)).copied()
    }

    /// A digest of all sets, stimuli and items by names, roles, paths and contents.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut text = String::new();
        let mut line = |value: serde_json::Value| {
            text.push_str(&value.to_string());
            text.push('\n');
        };
        for set in &self.sets {
            line(match (set.gold.is_empty(), set.levels.is_empty()) {
                (true, true) => serde_json::json!([set.name, set.role, set.used_for]),
                (false, true) => serde_json::json!([set.name, set.role, set.used_for, set.gold]),
                (_, false) => serde_json::json!([set.name, set.role, set.used_for, set.gold, set.levels]),
            });
        }
        for stimulus in &self.all {
            line(match stimulus.item {
                None => serde_json::json!([stimulus.set, stimulus.path, stimulus.digest]),
                Some(item) => serde_json::json!([stimulus.set, stimulus.path, stimulus.digest, item]),
            });
        }
        for item in &self.items {
            line(serde_json::json!(item));
        }
        Digest::of(text.as_bytes())
    }

    fn set_ids(&self) -> impl Iterator<Item = SetId> + use<> {
        (0..self.sets.len() as u16).map(SetId)
    }
}

fn labels(all: &[Stimulus], items: &[Item]) -> Vec<Arc<str>> {
    let mut seen: HashMap<(SetId, ItemId), u32> = HashMap::new();
    all.iter()
        .map(|stimulus| {
            let Some(item) = stimulus.item else { return Arc::clone(&stimulus.path) };
            let count = seen.entry((stimulus.set, item)).or_default();
            *count += 1;
            let key = &items[item.0 as usize].id;
            if *count == 1 { Arc::clone(key) } else { format!("{key}#{count}").into() }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::item::{Condition, ConditionKind};

    fn stimulus(set: u16, path: &str, item: Option<u32>) -> Stimulus {
        Stimulus {
            set: SetId(set),
            path: path.into(),
            digest: Digest::of(path.as_bytes()),
            media: Media::Image { width: 8, height: 8 },
            item: item.map(ItemId),
        }
    }

    fn sets() -> Vec<StimulusSet> {
        [("a", Use::Main), ("b", Use::Main), ("given", Use::Condition)]
            .map(|(name, used_for)| StimulusSet::new(name, Role::Generated, used_for))
            .into()
    }

    fn item(id: &str, image: Option<u32>) -> Item {
        let conditions = image.map(|image| Condition {
            kind: ConditionKind::Source,
            name: None,
            content: Content::Stimulus(StimulusId(image)),
        });
        Item { id: id.into(), conditions: conditions.into_iter().collect(), ..Item::default() }
    }

    #[test]
    fn outputs_of_several_models_for_one_item_have_one_name() {
        let all = vec![
            stimulus(0, "a/1.png", Some(0)),
            stimulus(0, "a/1b.png", Some(0)),
            stimulus(1, "b/1.png", Some(0)),
            stimulus(1, "b/odd.png", None),
        ];
        let stimuli = Stimuli::with_items(sets(), all, vec![item("cat", None)]).unwrap();
        let labels: Vec<&str> = (0..5).map(|id| stimuli.label(StimulusId(id))).collect();
        assert_eq!(labels, ["cat", "cat#2", "cat", "b/odd.png", ""]);
    }

    #[test]
    fn conditions_show_condition_images_only() {
        let all = || vec![stimulus(0, "a/1.png", Some(0)), stimulus(2, "given/1.png", None)];
        assert!(Stimuli::with_items(sets(), all(), vec![item("cat", Some(1))]).is_ok());
        for other in [0, 7] {
            let found = Stimuli::with_items(sets(), all(), vec![item("cat", Some(other))]);
            assert!(matches!(found, Err(StimuliError::NoSuchCondition { .. })));
        }
        assert!(matches!(Stimuli::new(sets(), all()), Err(StimuliError::NoSuchItem { .. })));
    }

    #[test]
    fn cells_are_shown_with_real_stimuli_of_their_levels() {
        let set = |name: &str, role, levels: &[(&str, &str)]| StimulusSet {
            levels: levels.iter().map(|&(facet, level)| (facet.into(), level.into())).collect(),
            ..StimulusSet::new(name, role, Use::Main)
        };
        let sets = vec![
            set("real/lemon", Role::Real, &[("class", "lemon")]),
            set("real/horn", Role::Real, &[("class", "horn")]),
            set("photographs", Role::Real, &[]),
            set("gan/lemon/9", Role::Generated, &[("class", "lemon"), ("epoch", "9")]),
            set("plain", Role::Generated, &[]),
        ];
        let stimuli = Stimuli::new(sets.clone(), Vec::new()).unwrap();
        let beside = |models: &[u16]| {
            let models: Vec<SetId> = models.iter().map(|&id| SetId(id)).collect();
            stimuli.real_sets(&models).map(|SetId(id)| id).collect::<Vec<_>>()
        };
        assert_eq!(beside(&[3]), [0, 2]);
        assert_eq!(beside(&[4]), [0, 1, 2]);
        assert_eq!(beside(&[]), [0, 1, 2]);
        assert_eq!(sets[3].declared_name(), "gan");
        assert_eq!(sets[4].declared_name(), "plain");
        let cells: Vec<FacetCell> = stimuli.cells().collect();
        assert_eq!(cells.len(), 3);
        assert_eq!((&*cells[2].name, &*cells[2].model), ("gan/lemon/9", "gan"));
        let mut moved = sets;
        moved[1].levels.insert("class".into(), "drum".into());
        assert_ne!(Stimuli::new(moved, Vec::new()).unwrap().digest(), stimuli.digest());
    }

    #[test]
    fn an_image_is_written_with_its_size_among_the_fields() {
        let image = stimulus(0, "a.png", None);
        let text = serde_json::to_string(&image).unwrap();
        let digest = image.digest;
        assert_eq!(text, format!(r#"{{"set":0,"path":"a.png","digest":"{digest}","width":8,"height":8}}"#));
        assert_eq!(serde_json::from_str::<Stimulus>(&text).unwrap(), image);
    }
}
