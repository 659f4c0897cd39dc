//! Items of a study: read from the spec or a table, and matched with the models' files.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use hype_core::diagnostics::{Diagnostics, nearest};
use hype_core::study::spec::{FacetOf, FacetSpecs, ItemSpec, ItemsSpec, MatchedBy, SubjectSpec};
use hype_core::words::counted;
use hype_core::{Condition, ConditionKind, Content, Item, ItemId, Role, SetId, Stimulus, StimulusId};
use hype_core::{StimulusSet, Use};
use hype_images::FoundFile;

mod near;
mod table;

pub(super) use self::table::{Faults, tell};
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
            let items = at.within("table", |at| table::read(&folder.join(table), table, &facets, at))?;
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

/// The files of all conditions, without repeats.
pub(super) fn condition_files(items: &[ItemSpec], folder: &Path) -> Vec<FoundFile> {
    let mut paths: Vec<&str> = items.iter().flat_map(ItemSpec::images).collect();
    paths.sort_unstable();
    paths.dedup();
    paths.into_iter().map(|path| FoundFile { relative: path.into(), path: folder.join(path) }).collect()
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
pub(super) fn named(matched_by: MatchedBy, sets: &[StimulusSet], stimuli: &[Stimulus]) -> Vec<Item> {
    let is_output = |stimulus: &&Stimulus| {
        let set = &sets[usize::from(stimulus.set.0)];
        set.role == Role::Generated && set.used_for == Use::Main
    };
    let outputs = stimuli.iter().filter(is_output);
    let mut keys: Vec<&str> = outputs.filter_map(|stimulus| key(matched_by, &stimulus.path)).collect();
    keys.sort_unstable();
    let mut known = HashSet::new();
    keys.retain(|key| known.insert(composed(key)));
    keys.into_iter().map(|key| Item { id: key.into(), ..Item::default() }).collect()
}

/// Assigns every stimulus to its item. An output without an item is a fault if the spec lists the items. Real, gold and
/// qualification stimuli need no item.
pub(super) fn match_stimuli(
    spec: &ItemsSpec,
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
        let key = key(spec.matched_by, &stimulus.path);
        stimulus.item = key.and_then(|key| numbers.get(&composed(key))).copied();
        if stimulus.item.is_none() {
            strays[set].push(Arc::clone(&stimulus.path));
        }
    }
    let is_judged = |set: &StimulusSet| set.role == Role::Generated && set.used_for == Use::Main;
    let of_models = || strays.iter().zip(sets).filter(|(_, set)| is_judged(set)).flat_map(|(strays, _)| strays);
    let keys: Vec<&str> = of_models().filter_map(|path| key(spec.matched_by, path)).collect();
    if let Some(why) = near::difference(&keys, items) {
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
pub(super) fn with_seeds(rows: Vec<Item>, sets: &[StimulusSet], stimuli: &[Stimulus]) -> Vec<Item> {
    let keys = named(MatchedBy::Seed, sets, stimuli);
    if rows.is_empty() {
        return keys;
    }
    let mut by_row: HashMap<Cow<'_, str>, BTreeSet<&str>> = HashMap::new();
    for key in &keys {
        if let Some((row, _)) = key.id.rsplit_once('_') {
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
        at.within("stimuli", |at| {
            at.field(&set.name).warning(
                "missing-outputs",
                format!(
                    "no output for {} of {}, such as {}",
                    missing.len(),
                    counted(items.len(), "item"),
                    first.id
                ),
            );
        });
    }
}

/// The item's key in a path.
fn key(matched_by: MatchedBy, path: &str) -> Option<&str> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    match matched_by {
        MatchedBy::Name | MatchedBy::Seed => Some(name.rsplit_once('.').map_or(name, |(stem, _)| stem)),
        MatchedBy::Folder => folders.rsplit('/').next().filter(|folder| !folder.is_empty()),
    }
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
}
