//! Texts in folders of outputs that are not outputs: prompts and notes.

use std::collections::BTreeSet;
use std::path::Path;

use super::kind::{Kind, is_named, is_note, is_one_of, stem};
use super::layout::{FoundSet, Layout};
use super::tree::{Folder, Others};

/// Names of folders of prompts, and of files with a prompt.
const PROMPTS: [&str; 6] = ["prompt", "prompts", "question", "questions", "instruction", "instructions"];
/// Words in the names of sets of texts that people wrote.
const PEOPLE: [&str; 5] = ["human", "humans", "people", "person", "written"];

/// The paths of prompts and notes.
#[derive(Debug, Default)]
pub(super) struct Aside {
    pub(super) prompts: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl Aside {
    /// Takes prompts and notes out of a folder of texts.
    pub(super) fn of_texts(root: &mut Folder) -> Self {
        let mut aside = Self::default();
        aside.take(root, "");
        aside
    }

    /// The prompts next to media of other kinds.
    pub(super) fn of_others(folder: &Path, others: &mut Others) -> Self {
        let mut prompts = Vec::new();
        others.texts.retain(|path| {
            let shown = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/");
            let is_prompt = is_prompt(&shown);
            prompts.extend(is_prompt.then_some(shown));
            !is_prompt
        });
        Self { prompts, notes: Vec::new() }
    }

    fn take(&mut self, folder: &mut Folder, path: &str) {
        let is_shared = folder.images.len() + folder.folders.len() > 1;
        folder.images.retain(|name| {
            let list = match stem(name) {
                _ if is_note(name) => &mut self.notes,
                prompt if is_shared && is_one_of(prompt, &PROMPTS) => &mut self.prompts,
                _ => return true,
            };
            list.push(format!("{path}{name}"));
            false
        });
        folder.folders.retain_mut(|inner| {
            let path = format!("{path}{}/", inner.name);
            if is_shared && is_one_of(&inner.name, &PROMPTS) {
                self.prompts.extend(inner.paths().iter().map(|file| format!("{path}{}", file.join("/"))));
                return false;
            }
            self.take(inner, &path);
            inner.count() > 0
        });
    }

    /// Narrows the patterns of sets that would match prompts and notes.
    pub(super) fn narrow(&self, layout: &mut Layout) {
        for set in &mut layout.sets {
            let patterns = std::mem::take(&mut set.patterns);
            for pattern in patterns {
                let (within, last) = pattern.rsplit_once('/').unwrap_or(("", &pattern));
                let start = within.split('*').next().unwrap_or_default();
                let ending = last.rsplit_once('.').map_or("", |(_, ending)| ending);
                let is_matched = |path: &&String| {
                    path.starts_with(start) && path.rsplit_once('.').is_some_and(|(_, own)| own == ending)
                };
                let aside = self.notes.iter().chain(&self.prompts).filter(is_matched);
                let firsts: BTreeSet<char> = aside.filter_map(|path| first(path)).collect();
                match last.strip_prefix('*').filter(|_| !firsts.is_empty()) {
                    Some(rest) => set.patterns.extend(narrowed(set, within, rest, firsts)),
                    None => set.patterns.push(pattern),
                }
            }
        }
    }
}

/// The patterns of the files in `within` that end in `rest`, but do not begin with these letters.
fn narrowed(set: &FoundSet, within: &str, rest: &str, aside: BTreeSet<char>) -> Vec<String> {
    let files: Vec<&String> = set.images.values().flatten().filter(|path| path.ends_with(rest)).collect();
    match files.iter().filter_map(|path| first(path)).all(|letter| !aside.contains(&letter)) {
        true => vec![format!("{within}/[!{}]*{rest}", aside.into_iter().collect::<String>())],
        false => files.into_iter().cloned().collect(),
    }
}

/// The first letter of a file's name.
fn first(path: &str) -> Option<char> {
    path.rsplit('/').next()?.chars().next()
}

/// Whether a path is that of a prompt: a file of that name, or one in a folder of it.
fn is_prompt(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or_default();
    match parts.next() {
        Some(folder) => is_one_of(folder, &PROMPTS) || is_one_of(stem(file), &PROMPTS),
        None => false,
    }
}

/// Takes sets of texts that people wrote for real ones, where models wrote others.
pub(super) fn tell_people(layout: &mut Layout) {
    let is_by_people = |set: &FoundSet| set.kind == Kind::Generated && is_named(&set.name, &PEOPLE, "");
    if layout.of_kind(Kind::Generated).all(is_by_people) {
        return;
    }
    for set in layout.sets.iter_mut().filter(|set| is_by_people(set)) {
        set.kind = Kind::Real;
        layout.notes.push(format!("{} is taken for texts by people (`role: real`)", set.name));
    }
}

/// Takes the sets whose files a table names as conditions for these.
pub(super) fn tell_conditions(layout: &mut Layout, named: &[&str]) {
    let is_named = |set: &FoundSet| set.images.values().flatten().any(|path| named.contains(&path.as_str()));
    if layout.of_kind(Kind::Generated).all(is_named) {
        return;
    }
    layout.sets.iter_mut().filter(|set| is_named(set)).for_each(|set| set.kind = Kind::Conditions);
}
