//! Stimuli with identical content.

use std::collections::BTreeMap;

use crate::diagnostics::Diagnostics;
use crate::model::digest::Digest;
use crate::model::ids::SetId;
use crate::model::stimulus::{Stimuli, Stimulus, Use};
use crate::words::{counted, cut};

/// The number of pairs that a message names.
const NAMED: usize = 3;

/// A stimulus and a later one with the same content.
type Pair<'a> = (&'a Stimulus, &'a Stimulus);

/// The kind of sameness of stimuli with the same content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sameness {
    /// Draws from one pool; one of them counts twice.
    Pool,
    /// Outputs of two models for an item, which may be nothing at all.
    Models,
    /// Outputs for several items, as a safety filter gives them.
    Items,
}

/// Reports stimuli of the same content, in one diagnostic for each two sets that share some.
pub(super) fn check(stimuli: &Stimuli, at: &mut Diagnostics) {
    let mut first: BTreeMap<Digest, &Stimulus> = BTreeMap::new();
    let mut pairs: BTreeMap<(SetId, SetId, Sameness), Vec<Pair<'_>>> = BTreeMap::new();
    let is_judged =
        |item: &&Stimulus| stimuli.set(item.set).is_some_and(|set| set.used_for != Use::Condition);
    for item in stimuli.all().iter().filter(is_judged) {
        let before = *first.entry(item.digest).or_insert(item);
        if std::ptr::eq(before, item) {
            continue;
        }
        let sameness = match (before.item, item.item) {
            (Some(one), Some(other)) if one != other => Sameness::Items,
            (Some(_), Some(_)) if before.set != item.set => Sameness::Models,
            _ => Sameness::Pool,
        };
        pairs.entry((before.set, item.set, sameness)).or_default().push((before, item));
    }
    let name = |id: SetId| stimuli.set(id).map_or("", |set| &*set.name);
    let declared = |id: SetId| stimuli.set(id).map_or("", |set| set.declared_name());
    for ((before, set, sameness), pairs) in pairs {
        let message = message(name(before), name(set), &pairs);
        at.within(declared(set), |at| {
            match sameness {
                Sameness::Models => {
                    at.warning("same-output", message).help("models that give the same output can only tie")
                }
                Sameness::Items => at.warning("repeated-output", message).help(
                    "the same output for several items counts as the answer to each, as that of a safety filter does",
                ),
                Sameness::Pool => at
                    .error("duplicate-image", message)
                    .help("remove one of them, or else stimuli count twice"),
            };
        });
    }
}

fn message(before: &str, set: &str, pairs: &[Pair<'_>]) -> String {
    let same_files = before != set && pairs.iter().all(|(one, other)| one.path == other.path);
    if let ([(one, other)], false) = (pairs, same_files) {
        return format!("{} and {} have the same content", one.path, other.path);
    }
    let named = pairs.iter().map(|(one, other)| match same_files {
        true => other.path.to_string(),
        false => format!("{} and {}", one.path, other.path),
    });
    let named = cut(named, NAMED, ", ");
    if same_files {
        format!("`{before}` and `{set}` name the same {}: {named}", counted(pairs.len(), "file"))
    } else {
        format!("{} of stimuli have the same content: {named}", counted(pairs.len(), "pair"))
    }
}
