//! Stimuli without files, for simulations and tests.

use std::sync::Arc;

use hype_core::{Digest, Role, SetId, Stimuli, Stimulus, StimulusSet, Use};

/// One set of stimuli that exist by name only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetOf<'a> {
    /// The set's name.
    pub name: &'a str,
    /// Real or generated.
    pub role: Role,
    /// The phase that it serves.
    pub used_for: Use,
    /// How many stimuli.
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
            Stimulus {
                set: SetId(index as u16),
                digest: Digest::of(format!("{index}/{path}").as_bytes()),
                path,
                width: 256,
                height: 256,
                item: None,
            }
        }));
    }
    let named = all.iter().map(|set| StimulusSet::new(&set.name, set.role, set.used_for)).collect();
    // Every item names a set that is there, so that only the documented limits are left to fail.
    Stimuli::new(named, items).expect("within the limits of a study")
}
