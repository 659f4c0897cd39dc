//! Measures of outputs that their files tell, such as the length of a text.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::ids::StimulusId;
use crate::model::stimulus::Stimuli;

/// Between the names of outputs in the item of a comparison whose outputs share no item.
const SEPARATOR: &str = " + ";

/// The [facts](crate::model::media::Media::facts) of outputs, by the names of their model and item in scores.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OutputFacts(BTreeMap<Arc<str>, BTreeMap<Arc<str>, Facts>>);

type Facts = Vec<(Arc<str>, f64)>;

impl OutputFacts {
    /// The facts of all stimuli that have any.
    #[must_use]
    pub fn of(stimuli: &Stimuli) -> Self {
        let mut all = Self::default();
        for (number, stimulus) in stimuli.all().iter().enumerate() {
            let Some(set) = stimuli.set(stimulus.set) else { continue };
            let name = stimuli.label(StimulusId(number as u32));
            all.insert(&set.name, name, stimulus.media.facts());
        }
        all
    }

    /// Adds the facts of an output of a model. Returns whether there were none before.
    pub fn insert<N: Into<Arc<str>>>(
        &mut self,
        model: &str,
        item: &str,
        facts: impl IntoIterator<Item = (N, f64)>,
    ) -> bool {
        let facts: Facts = facts.into_iter().map(|(name, value)| (name.into(), value)).collect();
        facts.is_empty() || self.0.entry(model.into()).or_default().insert(item.into(), facts).is_none()
    }

    /// A fact of a model's output for an item, or of its output among those that an item names.
    #[must_use]
    pub fn get(&self, model: &str, item: &str, fact: &str) -> Option<f64> {
        let outputs = self.0.get(model)?;
        let facts =
            outputs.get(item).or_else(|| item.split(SEPARATOR).find_map(|output| outputs.get(output)))?;
        facts.iter().find(|(name, _)| **name == *fact).map(|&(_, value)| value)
    }

    /// Whether nothing is known, as of images and of scores without a study.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::digest::Digest;
    use crate::model::ids::SetId;
    use crate::model::media::Media;
    use crate::model::stimulus::{Role, Stimulus, StimulusSet, Use};

    #[test]
    fn facts_of_texts_are_found_by_model_and_item() {
        let sets = ["long", "short"].map(|name| StimulusSet::new(name, Role::Generated, Use::Main));
        let text = |set: u16, path: &str, words: u32| {
            let media = Media::Text { characters: 0, words, lines: 1, headings: 2, list_items: 0, bold: 0 };
            Stimulus::new(SetId(set), Digest::of(path.as_bytes()), path, media)
        };
        let all = vec![text(0, "long/a.md", 90), text(1, "short/a.md", 7)];
        let facts = OutputFacts::of(&Stimuli::new(sets.to_vec(), all).unwrap());
        assert_eq!(facts.get("long", "long/a.md", "words"), Some(90.0));
        let both = "long/a.md + short/a.md";
        assert_eq!(["long", "short"].map(|model| facts.get(model, both, "words")), [Some(90.0), Some(7.0)]);
        assert_eq!(facts.get("short", both, "headings"), Some(2.0));
        assert_eq!((facts.get("short", both, "duration"), facts.get("other", both, "words")), (None, None));
    }

    #[test]
    fn nothing_is_known_of_images() {
        let set = StimulusSet::new("model", Role::Generated, Use::Main);
        let image = Stimulus::new(SetId(0), Digest::of(b"a"), "a.png", Media::Image { width: 8, height: 8 });
        assert!(OutputFacts::of(&Stimuli::new(vec![set], vec![image]).unwrap()).is_empty());
    }
}
