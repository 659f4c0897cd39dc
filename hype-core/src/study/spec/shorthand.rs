//! Plugins that need no settings may be written as their kind alone.

use serde::de::DeserializeOwned;

use crate::diagnostics::{Diagnostics, nearest};
use crate::plugin::registry::{Registry, SpecPart};
use crate::yaml::Node;

/// Reads a plugin of a part of a spec: a map with its `kind`, or the kind alone. `named` is what people call such a plugin, and
/// `listed` the command that lists them.
pub(super) fn read_plugin<T: DeserializeOwned>(
    node: Node<'_>,
    part: SpecPart,
    (named, listed): (&str, &str),
    at: &mut Diagnostics,
) -> Option<T> {
    let Some(kind) = node.as_str() else { return node.read_leniently(at) };
    let found = serde_json::from_value(serde_json::json!({ "kind": kind }));
    if let Err(error) = &found {
        let registry = Registry::linked();
        let known = registry.iter().flat_map(|registry| registry.of(part));
        let kinds: Vec<&str> = known.map(|entry| entry.kind).collect();
        let mut fault = if kinds.contains(&kind) {
            node.error("missing-field", format!("`{kind}` needs settings: {error}"))
        } else {
            node.error("unknown-kind", format!("no {named} is named `{kind}`"))
        };
        fault.help(match nearest(kind, kinds.iter().copied()) {
            Some(near) if near != kind => format!("did you mean `{near}`?"),
            _ => format!("see `{listed}`"),
        });
        at.push(fault);
    }
    found.ok()
}

/// Reads a list of such plugins.
pub(super) fn read_plugins<T: DeserializeOwned>(
    root: Node<'_>,
    section: &str,
    part: SpecPart,
    names: (&str, &str),
    at: &mut Diagnostics,
) -> Vec<T> {
    let Some(node) = root.get(section) else { return Vec::new() };
    let Some(entries) = node.as_list() else {
        let fault = format!("expected a list, found {}", node.kind_name());
        at.push(node.error("wrong-type", fault));
        return Vec::new();
    };
    entries.filter_map(|entry| read_plugin(entry, part, names, at)).collect()
}
