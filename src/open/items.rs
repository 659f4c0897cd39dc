//! Items of a study: read from the spec or a table, and matched with the models' files.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use hype_core::diagnostics::{Diagnostics, nearest};
use hype_core::study::spec::{
    FacetOf, FacetSpecs, ItemSpec, ItemsSpec, MatchedBy, SetSpecs, SubjectSpec, row_and_seed,
};
use hype_core::words::counted;
use hype_core::{Condition, ConditionKind, Content, Item, ItemId, Role, SetId, Stimulus, StimulusId};
use hype_core::{StimulusSet, Use};
use hype_images::FoundFile;

mod near;
mod table;

pub(super) use self::table::{Faults, read, tell};
use crate::composed::composed;

/// The set of stimuli that are conditions.
pub(super) const CONDITIONS: &str = "conditions";

/// Checks and returns the items in a spec's list or table; `None` if file names alone define the items.
pub(super) fn listed(
    spec: &ItemsSpec,
    facets: &FacetSpecs,
    folder: &Path,
    at: &mut Diagnostics,
) -> Option<Vec<ItemSpec>> {
    let of_items = facets.iter().filter(|(_, facet)| facet.of == FacetOf::Items);
    let facets: Vec<&str> = of_items.map(|(name, _)| name).collect();
    let (place, items) = match (&spec.table, spec.list.is_empty()) {
        (None, true) => return None,
        (None, false) => ("list", spec.list.clone()),
        (Some(table), true) => {
            let items = at.within("table", |at| table::read(folder, table, &facets, at))?;
            ("table", items)
        }
        (Some(_), false) => {
            at.field("list")
                .error("two-lists", "items come either from a table or from a list")
                .help("remove `table` or `list`");
            return None;
        }
    };
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let fault = if item.item.trim().is_empty() {
            Some(format!("item {} has no key in `item`", index + 1))
        } else {
            let first = seen.insert(&item.item, index);
            first.map(|first| format!("items {} and {} are both named `{}`", first + 1, index + 1, item.item))
        };
        if let Some(unknown) = item.levels.keys().find(|name| !facets.contains(&name.as_str())) {
            at.field(place)
                .error("unknown-facet", format!("item `{}` has a level of `{unknown}`", item.item))
                .help(format!("write `{unknown}: {{ of: items }}` in the section `facets`"))
                .suggest(nearest(unknown, facets.iter().copied()));
        }
        if let Some(fault) = fault {
            at.field(place)
                .error("bad-item", fault)
                .help("give every item a unique key, after which the files of its outputs are named");
        }
    }
    Some(items)
}

/// The files of all conditions, without repeats: images, and sources of the kind that is judged.
pub(super) fn condition_files(
    items: &[ItemSpec],
    folder: &Path,
    is_judged: impl Fn(&str) -> bool,
) -> [Vec<FoundFile>; 2] {
    let sources = items.iter().filter_map(|item| item.source.as_deref());
    let judged: BTreeSet<&str> = sources.filter(|path| is_judged(path)).collect();
    let all: BTreeSet<&str> = items.iter().flat_map(ItemSpec::images).collect();
    let found = |path: &&str| FoundFile { relative: (*path).into(), path: folder.join(path) };
    [all.difference(&judged).map(found).collect(), judged.iter().map(found).collect()]
}

/// The items with their conditions, whose stimuli are looked up by path.
pub(super) fn resolve(items: &[ItemSpec], images: &HashMap<Arc<str>, StimulusId>) -> Vec<Item> {
    items
        .iter()
        .map(|item| Item {
            id: item.item.as_str().into(),
            conditions: conditions(item, images),
            levels: item.levels.iter().map(|(facet, level)| (facet[..].into(), level[..].into())).collect(),
        })
        .collect()
}

fn conditions(item: &ItemSpec, images: &HashMap<Arc<str>, StimulusId>) -> Vec<Condition> {
    let image = |path: &Option<String>| Some(Content::Stimulus(*images.get(path.as_deref()?)?));
    let text = |text: &Option<String>| Some(Content::Text(text.as_deref()?.into()));
    let unnamed = |kind, content: Option<Content>| Some(Condition { kind, name: None, content: content? });
    let subject = |subject: &SubjectSpec| {
        let content = image(&subject.image).or_else(|| text(&subject.name))?;
        Some(Condition {
            kind: ConditionKind::Subject,
            name: subject.name.as_deref().map(Into::into),
            content,
        })
    };
    let before = [
        unnamed(ConditionKind::Prompt, text(&item.prompt)),
        unnamed(ConditionKind::Instruction, text(&item.instruction)),
        unnamed(ConditionKind::Source, image(&item.source)),
        unnamed(ConditionKind::Mask, image(&item.mask)),
    ];
    let after = unnamed(ConditionKind::Control, image(&item.control));
    before.into_iter().flatten().chain(item.subjects.iter().filter_map(subject)).chain(after).collect()
}

/// The items in the models' file names, sorted.
pub(super) fn named(keys: Keys<'_>, sets: &[StimulusSet], stimuli: &[Stimulus]) -> Vec<Item> {
    let outputs = stimuli.iter().map(|stimulus| (&sets[usize::from(stimulus.set.0)], stimulus));
    let outputs = outputs.filter(|(set, _)| set.role == Role::Generated && set.used_for == Use::Main);
    let mut keys: Vec<Cow<'_, str>> =
        outputs.filter_map(|(set, stimulus)| keys.of(set, &stimulus.path)).collect();
    keys.sort_unstable();
    let mut known = HashSet::new();
    keys.retain(|key| known.insert(composed(key).into_owned()));
    keys.into_iter().map(|key| Item { id: (*key).into(), ..Item::default() }).collect()
}

/// Assigns every stimulus to its item. An output without an item is a fault if the spec lists the items. Real, gold and
/// qualification stimuli need no item.
pub(super) fn match_stimuli(
    spec: &ItemsSpec,
    keys: Keys<'_>,
    items: &[Item],
    sets: &[StimulusSet],
    stimuli: &mut [Stimulus],
    at: &mut Diagnostics,
) {
    let numbers: HashMap<Cow<'_, str>, ItemId> =
        items.iter().enumerate().map(|(number, item)| (composed(&item.id), ItemId(number as u32))).collect();
    let mut strays: Vec<Vec<Arc<str>>> = vec![Vec::new(); sets.len()];
    let mut is_empty = vec![true; sets.len()];
    for stimulus in stimuli.iter_mut() {
        let set = usize::from(stimulus.set.0);
        is_empty[set] = false;
        if sets[set].used_for == Use::Condition {
            continue;
        }
        let key = keys.of(&sets[set], &stimulus.path);
        stimulus.item = key.and_then(|key| numbers.get(&composed(&key)).copied());
        if stimulus.item.is_none() {
            strays[set].push(Arc::clone(&stimulus.path));
        }
    }
    let is_judged = |set: &StimulusSet| set.role == Role::Generated && set.used_for == Use::Main;
    let of_models = strays.iter().zip(sets).filter(|(_, set)| is_judged(set));
    let of_models = of_models.flat_map(|(strays, set)| strays.iter().map(move |path| (set, path)));
    let names: Vec<Cow<'_, str>> = of_models.filter_map(|(set, path)| keys.of(set, path)).collect();
    let names: Vec<&str> = names.iter().map(|name| &**name).collect();
    if let Some(why) = near::difference(&names, items) {
        at.within("items", |at| {
            at.field(if spec.table.is_some() { "table" } else { "list" })
                .error("names-differ", why.to_string())
                .help("write the keys of the items as the files are named");
        });
        return;
    }
    for (index, set) in sets.iter().enumerate() {
        // A set without files has a fault of its own.
        if is_judged(set) && !is_empty[index] {
            tell_of_strays(set, &strays[index], at);
            // A cell has the items of its levels alone.
            if set.levels.is_empty() {
                tell_of_gaps(SetId(index as u16), set, items, stimuli, at);
            }
        }
    }
}

/// One item for each row and seed, as the files of the outputs say: file names are keys of rows, `_` and a seed. Rows without
/// outputs stay as they are.
pub(super) fn with_seeds(
    rows: Vec<Item>,
    keys: Keys<'_>,
    sets: &[StimulusSet],
    stimuli: &[Stimulus],
) -> Vec<Item> {
    let keys = named(keys, sets, stimuli);
    let mut by_row: HashMap<Cow<'_, str>, BTreeSet<&str>> = HashMap::new();
    for key in &keys {
        if let Some((row, _)) = row_and_seed(&key.id) {
            by_row.entry(composed(row)).or_default().insert(&key.id);
        }
    }
    let of_row = |row: Item| match by_row.get(&composed(&row.id)) {
        None => vec![row],
        Some(keys) => keys.iter().map(|&key| Item { id: key.into(), ..row.clone() }).collect(),
    };
    rows.into_iter().flat_map(of_row).collect()
}

fn tell_of_strays(set: &StimulusSet, strays: &[Arc<str>], at: &mut Diagnostics) {
    let Some(first) = strays.first() else { return };
    at.within("stimuli", |at| {
        at.field(set.declared_name())
            .error("no-item", format!("{} without an item, such as {first}", counted(strays.len(), "image")))
            .help("name the files after the items' keys, or list the missing items; see `items.match`");
    });
}

fn tell_of_gaps(id: SetId, set: &StimulusSet, items: &[Item], stimuli: &[Stimulus], at: &mut Diagnostics) {
    let mut has = vec![false; items.len()];
    for item in stimuli.iter().filter(|stimulus| stimulus.set == id).filter_map(|stimulus| stimulus.item) {
        has[item.0 as usize] = true;
    }
    let missing: Vec<&Item> =
        items.iter().zip(&has).filter(|(_, has)| !**has).map(|(item, _)| item).collect();
    if let Some(first) = missing.first() {
        let message = format!(
            "no output for {} of {}, such as {}",
            missing.len(),
            counted(items.len(), "item"),
            first.id
        );
        at.within("stimuli", |at| {
            let mut at = at.field(&set.name);
            match missing.len() == items.len() {
                true => at.warning("missing-outputs", message),
                false => at.note("missing-outputs", message),
            };
        });
    }
}

/// How paths name items.
#[derive(Clone, Copy)]
pub(super) struct Keys<'a> {
    by: MatchedBy,
    sets: &'a SetSpecs,
}

impl<'a> Keys<'a> {
    pub(super) const fn new(by: MatchedBy, sets: &'a SetSpecs) -> Self {
        Self { by, sets }
    }

    /// The key of the item of a stimulus.
    fn of<'p>(&self, set: &StimulusSet, path: &'p str) -> Option<Cow<'p, str>> {
        if self.by != MatchedBy::Pattern {
            return key(self.by, path).map(Cow::from);
        }
        let (_, spec) = self.sets.iter().find(|(name, _)| *name == set.declared_name())?;
        spec.files().1.0.iter().find_map(|pattern| of_pattern(pattern, path)).map(Cow::from)
    }
}

/// The item's key in a path.
fn key(matched_by: MatchedBy, path: &str) -> Option<&str> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    match matched_by {
        MatchedBy::Folder => folders.rsplit('/').next().filter(|folder| !folder.is_empty()),
        _ => Some(without_ending(name)),
    }
}

fn without_ending(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Returns the text for which the wildcards of a pattern stand in a path, with `/` between folders; `None` if it does not match, or
/// has no wildcards.
fn of_pattern(pattern: &str, path: &str) -> Option<String> {
    let parts = |text: &'_ str| -> Vec<String> {
        text.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect()
    };
    let (pattern, path) = (parts(pattern), parts(path));
    let deep = pattern.iter().position(|part| part == "**");
    let (start, end) = match deep {
        None if pattern.len() == path.len() => (pattern.len(), 0),
        None => return None,
        Some(place) => (place, pattern.len() - place - 1),
    };
    let between = path.len().checked_sub(start + end)?;
    let mut kept: Vec<String> = Vec::new();
    for (number, part) in path.iter().enumerate() {
        let is_last = number + 1 == path.len();
        let wild = match number {
            _ if number < start => Some(&pattern[number]),
            _ if number < start + between => None,
            _ => Some(&pattern[pattern.len() - end + number - start - between]),
        };
        let part = match wild {
            Some(wild) => match of_part(wild, part)? {
                Some(part) => part,
                None => continue,
            },
            None => part.as_str(),
        };
        // An ending that the pattern writes is cut already.
        let is_open = wild.is_none_or(|wild| wild.ends_with(['*', '?', ']', '}']));
        kept.push(if is_last && is_open { without_ending(part).to_owned() } else { part.to_owned() });
    }
    (!kept.is_empty()).then(|| kept.join("/"))
}

/// Returns the part of a name from the first wildcard to the last; `Some(None)` without wildcards, `None` if the name does not fit.
fn of_part<'p>(wild: &str, part: &'p str) -> Option<Option<&'p str>> {
    const WILD: [char; 5] = ['*', '?', '[', ']', '{'];
    let Some(first) = wild.find(WILD) else { return (wild == part).then_some(None) };
    let last = wild.rfind(['*', '?', ']', '}']).map_or(wild.len(), |last| last + 1);
    let inner = part.strip_prefix(&wild[..first])?.strip_suffix(wild.get(last..).unwrap_or_default())?;
    Some(Some(inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_items() {
        for (path, name, folder) in [
            ("wgan/0001/b.png", Some("b"), Some("0001")),
            ("sample_1.2.png", Some("sample_1.2"), None),
            ("wgan/plain", Some("plain"), Some("wgan")),
        ] {
            assert_eq!((key(MatchedBy::Name, path), key(MatchedBy::Folder, path)), (name, folder));
        }
    }

    #[test]
    fn wildcards_stand_for_items() {
        for (pattern, path, want) in [
            ("sdxl_*.png", "sdxl_0001.png", Some("0001")),
            ("./out/sdxl_[0-9]*.png", "out/sdxl_0001.png", Some("0001")),
            ("sdxl/*/*.png", "sdxl/cats/01.png", Some("cats/01")),
            ("sdxl/{class}/*.png", "sdxl/cats/01.png", Some("cats/01")),
            ("*/sdxl.png", "0001/sdxl.png", Some("0001")),
            ("a/**/*.png", "a/b/c/1.2.png", Some("b/c/1.2")),
            ("a/**/*.png", "a/1.png", Some("1")),
            ("*", "x.jpg", Some("x")),
            ("a/*.png", "b/1.png", None),
            ("a/1.png", "a/1.png", None),
        ] {
            assert_eq!(of_pattern(pattern, path).as_deref(), want, "{pattern} {path}");
        }
    }
}
