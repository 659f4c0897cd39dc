//! Modules import each other in one direction.
//!
//! A module may import from the modules that contain it and from those inside it, since they form one unit for a
//! reader. Any other import leads from one branch of the module tree to another. It counts for the two siblings at
//! the tops of those branches: if `a::x` imports from `b::y`, then `a` depends on `b`. Siblings that depend on each
//! other, directly or through others, form a circle.
//!
//! Names are followed through re-exports to the module that defines them, so `crate::Name` does not hide a circle.

use std::collections::{BTreeMap, BTreeSet};

use super::Verdict;
use super::modules::{Crate, Mention};

/// The imports between siblings, with the places of the import lines.
type Edges = BTreeMap<(usize, usize), Vec<String>>;

/// Finds the circles of every crate.
pub(crate) fn check(crates: &[Crate]) -> Verdict {
    let mut verdict = Verdict { rule: "circles", faults: Vec::new(), notes: Vec::new() };
    for found in crates {
        verdict.faults.extend(circles(found));
    }
    verdict
}

fn circles(of: &Crate) -> Vec<String> {
    let mut siblings: BTreeMap<usize, Edges> = BTreeMap::new();
    for (from, module) in of.modules.iter().enumerate() {
        for Mention { path, line } in &module.mentions {
            let Some(target) = of.resolve(from, path) else { continue };
            if let Some((parent, a, b)) = branches(of, from, target.module) {
                let place = format!("{}:{line}", module.file.display());
                siblings.entry(parent).or_default().entry((a, b)).or_default().push(place);
            }
        }
    }
    let mut found = Vec::new();
    for edges in siblings.values() {
        for circle in components(edges) {
            found.push(describe(of, &circle, edges));
        }
    }
    found
}

/// The nearest module that contains both, and the tops of the branches from there to each of them; `None` if one
/// contains the other.
fn branches(of: &Crate, from: usize, to: usize) -> Option<(usize, usize, usize)> {
    let (a, b) = (ancestry(of, from), ancestry(of, to));
    let shared = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    Some((a[shared - 1], *a.get(shared)?, *b.get(shared)?))
}

/// The path of modules from the root to this one.
fn ancestry(of: &Crate, module: usize) -> Vec<usize> {
    let mut line = vec![module];
    let mut at = module;
    while let Some(parent) = of.modules[at].parent {
        line.push(parent);
        at = parent;
    }
    line.reverse();
    line
}

/// Sets of siblings in which each can be reached from every other.
fn components(edges: &Edges) -> Vec<BTreeSet<usize>> {
    let nodes: BTreeSet<usize> = edges.keys().flat_map(|(a, b)| [*a, *b]).collect();
    let reached: BTreeMap<usize, BTreeSet<usize>> =
        nodes.iter().map(|node| (*node, reachable(*node, edges))).collect();
    let mut found: BTreeSet<BTreeSet<usize>> = BTreeSet::new();
    for node in &nodes {
        let circle: BTreeSet<usize> =
            reached[node].iter().copied().filter(|other| reached[other].contains(node)).collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    found.into_iter().collect()
}

fn reachable(from: usize, edges: &Edges) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for &(_, to) in edges.keys().filter(|(a, _)| *a == at) {
            if reached.insert(to) {
                open.push(to);
            }
        }
    }
    reached
}

fn describe(of: &Crate, circle: &BTreeSet<usize>, edges: &Edges) -> String {
    let names: Vec<String> = circle.iter().map(|module| of.path(*module)).collect();
    let mut text = format!("{}: {} import each other", of.name, names.join(", "));
    for ((a, b), places) in edges {
        if circle.contains(a) && circle.contains(b) {
            let more = match places.len() - 1 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            text.push_str(&format!("\n    {} from {}: {}{more}", of.path(*a), of.path(*b), places[0]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::modules::tests::library;
    use super::*;

    #[test]
    fn parent_and_child_are_not_a_circle() {
        let found = library(
            "a",
            &[
                ("lib.rs", "mod b; pub use b::B; pub struct A;"),
                ("b.rs", "mod c; use c::C; pub struct B(C, crate::A);"),
                ("b/c.rs", "use super::B; use crate::A; pub struct C;"),
            ],
        );
        assert_eq!(circles(&found), Vec::<String>::new());
    }

    #[test]
    fn imports_in_both_directions_are_a_circle() {
        let b = ("b.rs", "use crate::c::C; pub struct B;");
        let lib = ("lib.rs", "mod b; mod c;");
        let one_way = library("a", &[lib, b, ("c.rs", "pub struct C;")]);
        assert_eq!(circles(&one_way), Vec::<String>::new());
        let both = library("a", &[lib, b, ("c.rs", "pub struct C;\nfn f(b: &super::b::B) {}")]);
        assert_eq!(circles(&both), ["a: b, c import each other\n    b from c: b.rs:1\n    c from b: c.rs:2"]);
    }

    #[test]
    fn reexports_at_the_root_do_not_hide_a_circle() {
        let found = library(
            "a",
            &[
                ("lib.rs", "mod b; mod c; pub use b::B; pub use c::C;"),
                ("b.rs", "use crate::C; pub struct B;"),
                ("c.rs", "use crate::B; pub struct C;"),
            ],
        );
        assert_eq!(circles(&found).len(), 1);
    }

    #[test]
    fn branches_that_import_from_each_other_by_different_modules_are_a_circle() {
        let found = library(
            "a",
            &[(
                "lib.rs",
                "mod b { pub mod x { use crate::c::Y; } pub struct X; } mod c { pub struct Y; mod z { use crate::b::X; } }",
            )],
        );
        assert_eq!(circles(&found).len(), 1);
    }

    #[test]
    fn a_circle_of_three_is_found() {
        let found = library(
            "a",
            &[(
                "lib.rs",
                "mod b { use crate::c; } mod c { use crate::d; } mod d { use crate::b; } mod e { use crate::b; }",
            )],
        );
        assert!(circles(&found)[0].starts_with("a: b, c, d import each other"));
    }

    #[test]
    fn imports_of_tests_do_not_count() {
        let found = library(
            "a",
            &[("lib.rs", "mod b { use crate::c; } mod c { #[cfg(test)] mod tests { use crate::b; } }")],
        );
        assert_eq!(circles(&found), Vec::<String>::new());
    }
}
