//! Names that differ in how they are written, and seeds in names of folders.

use std::collections::{BTreeMap, BTreeSet};

use hype::composed;
use hype_core::words::counted;

use super::{Layout, is_numbered};
use crate::new::from_folder::kind::Kind;

/// The outputs of a prompt that are numbered by seeds where their folders have names without blanks.
const MOST_SEEDS: usize = 16;

impl Layout {
    /// The same with keys whose accents are written in one way.
    pub(super) fn with_composed_keys(mut self) -> Self {
        for set in &mut self.sets {
            let images = std::mem::take(&mut set.images);
            for (key, mut paths) in images {
                set.images.entry(composed(&key).into_owned()).or_default().append(&mut paths);
            }
        }
        self
    }

    /// Two names that differ by zeros at their beginning alone, and a file of the first.
    pub(in super::super) fn lost_zeros(&self) -> Option<(&str, &str, &str)> {
        let mut known: BTreeMap<&str, &str> = BTreeMap::new();
        let (one, other) = self
            .items()
            .into_iter()
            .find_map(|item| known.insert(item.trim_start_matches('0'), item).map(|other| (other, item)))?;
        let file = self.of_kind(Kind::Generated).find_map(|set| set.images.get(one)?.first())?;
        Some((one, other, file))
    }

    /// Tells folders of seeds from classes: all have files of the same few numbers, and there are more folders, or their names
    /// are texts.
    pub(super) fn find_seed_folders(&mut self) {
        let mut seeds_of: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut files = 0;
        let models = self.of_kind(Kind::Generated).count();
        for key in self.of_kind(Kind::Generated).flat_map(|set| set.images.keys()) {
            match key.split('/').collect::<Vec<_>>()[..] {
                [folder, file] => seeds_of.entry(folder).or_default().insert(file),
                _ => return,
            };
            files += 1;
        }
        let Some((first, seeds)) = seeds_of.first_key_value() else { return };
        let is_whole =
            seeds_of.values().all(|one| one == seeds) && files == models * seeds_of.len() * seeds.len();
        let are_texts = self.folders_are_texts();
        let are_many = seeds_of.len() > seeds.len() && seeds.len() <= MOST_SEEDS;
        let are_seeds = seeds.len() > 1 && is_numbered(seeds.iter().copied());
        if seeds_of.len() > 1 && is_whole && are_seeds && (are_texts || are_many) {
            let note = format!(
                "folders such as {first} are taken for prompts with {} each",
                counted(seeds.len(), "seed")
            );
            self.notes.push(note);
            self.has_seed_folders = true;
            self.has_classes = !are_texts;
        }
    }

    /// Whether most names of the folders within those of models are texts, such as prompts.
    pub(in super::super) fn folders_are_texts(&self) -> bool {
        let items = self.items();
        let is_text = |key: &&&str| key.split('/').next().is_some_and(|folder| folder.contains(' '));
        2 * items.iter().filter(is_text).count() > items.len()
    }
}
