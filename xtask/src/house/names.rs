//! A public name has one meaning.
//!
//! The rule applies to everything that can be named from outside a library: public items of public modules, and
//! re-exports. No such name is defined in two libraries. Within one library, functions and constants of different
//! modules may share a name; types and traits may not. The packages in `examples/` are programs to copy, with their
//! own names.

use std::collections::{BTreeMap, BTreeSet};

use super::Verdict;
use super::modules::{Crate, Target};

/// A definition of a name.
struct Place {
    library: usize,
    is_type: bool,
    text: String,
}

/// Finds the names with more than one definition.
pub(crate) fn check(crates: &[Crate]) -> Verdict {
    let mut defined: BTreeMap<&str, Vec<Place>> = BTreeMap::new();
    for (library, found) in crates.iter().enumerate() {
        let is_example = found.modules[0].file.starts_with("examples");
        if is_example || !found.is_library {
            continue;
        }
        for (module, name) in exported(found) {
            let places =
                found.modules[module].definitions.iter().filter(|definition| definition.name == name);
            for definition in places {
                let file = found.modules[module].file.display();
                defined.entry(name).or_default().push(Place {
                    library,
                    is_type: matches!(definition.kind, "struct" | "enum" | "union" | "trait" | "type"),
                    text: format!("{} at {file}:{}", definition.kind, definition.line),
                });
            }
        }
    }
    let faults = defined
        .iter()
        .filter(|(_, places)| is_fault(places))
        .map(|(name, places)| {
            let text: Vec<&str> = places.iter().map(|place| place.text.as_str()).collect();
            format!("{name} is defined {} times: {}", places.len(), text.join(", "))
        })
        .collect();
    Verdict { rule: "names", faults, notes: Vec::new() }
}

fn is_fault(places: &[Place]) -> bool {
    let libraries: BTreeSet<usize> = places.iter().map(|place| place.library).collect();
    libraries.len() > 1 || places.iter().filter(|place| place.is_type).count() > 1
}

/// The module and name of everything that can be named from outside.
fn exported(of: &Crate) -> BTreeSet<(usize, &str)> {
    let mut found = BTreeSet::new();
    let mut entered = BTreeSet::new();
    let mut open = vec![0];
    while let Some(module) = open.pop() {
        if !entered.insert(module) {
            continue;
        }
        let inside = &of.modules[module];
        found.extend(
            inside
                .definitions
                .iter()
                .filter(|definition| definition.is_public && definition.kind != "macro")
                .map(|definition| (module, definition.name.as_str())),
        );
        open.extend(inside.children.values().filter(|child| of.modules[**child].is_public));
        for import in inside.imports.iter().filter(|import| import.is_public) {
            match of.resolve(module, &import.path) {
                Some(Target { module, name: Some(name) }) => {
                    found.insert((module, name));
                }
                Some(Target { module, name: None }) => open.push(module),
                None => {}
            }
        }
    }
    // Exported macros belong to the root, wherever they are defined.
    for (module, inside) in of.modules.iter().enumerate() {
        let macros = inside.definitions.iter().filter(|found| found.kind == "macro" && found.is_public);
        found.extend(macros.map(|definition| (module, definition.name.as_str())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::modules::tests::library;
    use super::*;

    fn faults(of: &[Crate]) -> Vec<String> {
        check(of).faults
    }

    #[test]
    fn a_name_of_two_libraries_is_a_fault() {
        let a = library("a", &[("lib.rs", "pub struct Same;")]);
        let b = library("b", &[("lib.rs", "mod c { pub fn Same() {} } pub use c::Same;")]);
        assert_eq!(faults(&[a, b]), ["Same is defined 2 times: struct at lib.rs:1, fn at lib.rs:1"]);
    }

    #[test]
    fn reexports_and_private_names_are_allowed() {
        let a = library("a", &[("lib.rs", "pub mod m { pub struct One; } pub use m::One; pub struct Two;")]);
        let b = library("b", &[("lib.rs", "pub use a::One; struct Two; mod m { pub struct Two; }")]);
        assert_eq!(faults(&[a, b]), Vec::<String>::new());
    }

    #[test]
    fn modules_of_one_library_may_share_function_names_but_not_type_names() {
        let text =
            "pub mod m { pub fn new() {} pub struct One; } pub mod n { pub fn new() {} pub enum One {} }";
        let found = faults(&[library("a", &[("lib.rs", text)])]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("One is defined 2 times"));
    }
}
