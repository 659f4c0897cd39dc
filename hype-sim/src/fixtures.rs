//! Stimuli without files, for simulations and tests.

use std::sync::Arc;

use hype_core::{
    Condition, ConditionKind, Content, Digest, Item, ItemId, Media, Role, SetId, Stimuli, Stimulus,
    StimulusId, StimulusSet, Use,
};

/// One set of stimuli without files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetOf<'a> {
    /// The set's name.
    pub name: &'a str,
    /// Real or generated.
    pub role: Role,
    /// The phase that uses it.
    pub used_for: Use,
    /// The number of stimuli.
    pub size: u32,
}

/// Stimuli of one real set, called `real`, and of models with the sizes given.
///
/// # Examples
/// ```
/// let stimuli = hype_sim::fixtures::stimuli(20, &[("wgan", 20), ("stylegan", 30)]);
/// assert_eq!(stimuli.all().len(), 70);
/// assert_eq!(stimuli.models().count(), 2);
/// ```
///
/// # Panics
/// As [`sets`].
#[must_use]
pub fn stimuli(real: u32, models: &[(&str, u32)]) -> Stimuli {
    let mut all = vec![SetOf { name: "real", role: Role::Real, used_for: Use::Main, size: real }];
    all.extend(models.iter().map(|&(name, size)| SetOf {
        name,
        role: Role::Generated,
        used_for: Use::Main,
        size,
    }));
    sets(&all)
}

/// Stimuli of any sets. No two have the same content.
///
/// # Panics
/// If there are more sets or stimuli than a study can hold: 65,535 and 4,294,967,295.
#[must_use]
pub fn sets(all: &[SetOf<'_>]) -> Stimuli {
    let mut items = Vec::new();
    for (index, set) in all.iter().enumerate() {
        items.extend((0..set.size).map(|number| {
            let path: Arc<str> = format!("{}/{number:06}.png", set.name).into();
            Stimulus::new(
                SetId(index as u16),
                Digest::of(format!("{index}/{path}").as_bytes()),
                path,
                Media::Image { width: 256, height: 256 },
            )
        }));
    }
    let named = all.iter().map(|set| StimulusSet::new(set.name, set.role, set.used_for)).collect();
    // Every item names an existing set, so only the documented limits can be exceeded.
    Stimuli::new(named, items).expect("within the limits of a study")
}

/// Stimuli with items: each model has one output for each item, and each item has one condition of each kind given,
/// in their order; a kind given twice gives two conditions. Prompts and instructions are texts, the others images.
///
/// # Examples
/// ```
/// use hype_core::ConditionKind;
/// let stimuli = hype_sim::fixtures::items(10, &["edit-a", "edit-b"], &[ConditionKind::Prompt, ConditionKind::Source]);
/// assert_eq!((stimuli.items().len(), stimuli.models().count()), (10, 2));
/// ```
///
/// # Panics
/// As [`sets`].
#[must_use]
pub fn items(count: u32, models: &[&str], kinds: &[ConditionKind]) -> Stimuli {
    let mut sets: Vec<StimulusSet> =
        models.iter().map(|name| StimulusSet::new(name, Role::Generated, Use::Main)).collect();
    let mut all = Vec::new();
    let mut add = |set: usize, path: String, item: Option<u32>| {
        all.push(
            Stimulus::new(
                SetId(set as u16),
                Digest::of(path.as_bytes()),
                path,
                Media::Image { width: 256, height: 256 },
            )
            .for_item(item.map(ItemId)),
        );
        StimulusId(all.len() as u32 - 1)
    };
    for (set, model) in models.iter().enumerate() {
        for number in 0..count {
            add(set, format!("{model}/{number:06}.png"), Some(number));
        }
    }
    sets.push(StimulusSet::new("conditions", Role::Real, Use::Condition));
    let given = (0..count)
        .map(|number| {
            let conditions = kinds.iter().enumerate().map(|(place, &kind)| {
                let content = match kind {
                    ConditionKind::Prompt | ConditionKind::Instruction => {
                        Content::Text(format!("a picture of object {number}").into())
                    }
                    _ => Content::Stimulus(add(models.len(), format!("given/{number:06}-{place}.png"), None)),
                };
                let name = (kind == ConditionKind::Subject).then(|| format!("<subject {place}>").into());
                Condition { kind, name, content }
            });
            Item { id: format!("{number:06}").into(), conditions: conditions.collect(), ..Item::default() }
        })
        .collect();
    // Every stimulus names an existing set and item, so only the documented limits can be exceeded.
    Stimuli::with_items(sets, all, given).expect("within the limits of a study")
}
