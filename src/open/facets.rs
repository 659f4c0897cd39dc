//! Sets at the levels of facets: names of folders where a pattern has the name of a facet in braces.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hype_core::diagnostics::{Diagnostics, nearest};
use hype_core::study::spec::{FacetOf, FacetSpecs, SetSpec};
use hype_core::{Levels, Use};
use hype_images::FoundFile;

use crate::media::Medium;

/// The files of one set.
pub(super) struct FoundSet {
    /// The name that the set was declared by, with its levels.
    pub(super) name: String,
    pub(super) levels: Levels,
    pub(super) files: Vec<FoundFile>,
}

/// A pattern that names facets.
#[derive(Debug, PartialEq, Eq)]
struct FacetPattern<'a> {
    /// The same with `*` in place of facets.
    glob: String,
    /// The facets, with the number of the folder that each is the name of.
    facets: Vec<(usize, &'a str)>,
}

/// Finds the files of a declared set: one set for each combination of levels, in the order of the facets and their levels,
/// or a single one if its patterns name no facets. Reports faults at the path of the set.
pub(super) fn find<M: Medium>(
    name: &str,
    set: &SetSpec,
    specs: &FacetSpecs,
    folder: &Path,
    at: &mut Diagnostics,
) -> Vec<FoundSet> {
    let whole = |files| vec![FoundSet { name: name.to_owned(), levels: Levels::new(), files }];
    let (kind, files) = set.files();
    if !files.0.iter().any(|pattern| pattern.split('/').any(|part| braced(part).is_some())) {
        return whole(M::find(folder, &files.0, at));
    }
    let found = at.len();
    let patterns: Vec<FacetPattern<'_>> = at.within(kind.field(), |at| {
        if set.used_for != Use::Main {
            at.error("not-judged", "only sets that are judged in the main phase have facets")
                .help("write `*` in place of the facet");
        }
        files.0.iter().filter_map(|pattern| parse(pattern, specs, at)).collect()
    });
    let names = |pattern: &FacetPattern<'_>| {
        let mut names: Vec<String> = pattern.facets.iter().map(|(_, facet)| (*facet).to_owned()).collect();
        names.sort_unstable();
        names
    };
    if patterns.iter().any(|pattern| names(pattern) != names(&patterns[0])) {
        at.field(kind.field())
            .error("different-facets", "the patterns of the set name different facets")
            .help("name the same facets in each pattern, or make two sets");
    }
    if at.len() > found {
        return whole(Vec::new());
    }
    let mut sets: BTreeMap<Levels, Vec<FoundFile>> = BTreeMap::new();
    for pattern in &patterns {
        for file in M::find(folder, std::slice::from_ref(&pattern.glob), at) {
            sets.entry(pattern.levels(&file.relative)).or_default().push(file);
        }
    }
    let facets = specs.iter().filter(|(facet, _)| patterns[0].facets.iter().any(|(_, own)| own == facet));
    let mut order: Vec<(&str, Vec<Arc<str>>)> = Vec::new();
    at.within(kind.field(), |at| {
        for (facet, spec) in facets {
            let mut levels: Vec<Arc<str>> = sets.keys().filter_map(|own| own.get(facet).cloned()).collect();
            spec.sort(&mut levels);
            spec.check_levels(facet, &levels, at);
            order.push((facet, levels));
        }
    });
    let place = |levels: &Levels| -> Vec<Option<usize>> {
        let of = |(facet, known): &(&str, Vec<Arc<str>>)| {
            let level = levels.get(*facet)?;
            known.iter().position(|known| known == level)
        };
        order.iter().map(of).collect()
    };
    let mut sets: Vec<(Levels, Vec<FoundFile>)> = sets.into_iter().collect();
    sets.sort_by_key(|(levels, _)| place(levels));
    let named = |(levels, mut files): (Levels, Vec<FoundFile>)| {
        files.sort_unstable();
        files.dedup();
        let parts = order.iter().filter_map(|(facet, _)| levels.get(*facet));
        let name = parts.fold(name.to_owned(), |name, level| format!("{name}/{level}"));
        FoundSet { name, levels, files }
    };
    let sets: Vec<FoundSet> = sets.into_iter().map(named).collect();
    if sets.is_empty() { whole(Vec::new()) } else { sets }
}

impl FacetPattern<'_> {
    /// The levels of a file that it matches.
    fn levels(&self, relative: &str) -> Levels {
        let folders: Vec<&str> = folders(relative).collect();
        let level = |&(place, facet): &(usize, &str)| Some((facet.into(), (*folders.get(place)?).into()));
        self.facets.iter().filter_map(level).collect()
    }
}

/// The names in a path, of folders and of the file.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !name.is_empty() && *name != ".")
}

/// The facet that a part of a pattern stands for.
fn braced(part: &str) -> Option<&str> {
    let name = part.strip_prefix('{')?.strip_suffix('}')?;
    (!name.contains(['{', '}', ','])).then_some(name)
}

/// Reads a pattern, and reports facets that are not declared or cannot be told apart. `None` if there is a fault.
fn parse<'a>(pattern: &'a str, specs: &FacetSpecs, at: &mut Diagnostics) -> Option<FacetPattern<'a>> {
    let before = at.len();
    let mut facets: Vec<(usize, &str)> = Vec::new();
    let parts: Vec<&str> = folders(pattern).collect();
    for (place, part) in parts.iter().enumerate() {
        let Some(facet) = braced(part) else {
            if part.contains('{') && part.contains('}') && !part.contains([',', '[']) {
                at.error("part-of-name", format!("in {pattern}, `{part}` is more than the name of a facet"))
                    .help("a facet is the whole name of a folder, as in `images/{class}/*.png`");
            }
            continue;
        };
        if specs.get(facet).is_none() {
            at.error("unknown-facet", format!("there is no facet `{facet}`"))
                .help(format!("declare it, as in `facets: {{ {facet}: {{ kind: category }} }}`"))
                .suggest(nearest(facet, specs.iter().map(|(name, _)| name)));
        }
        let of = specs.get(facet).and_then(|spec| match spec.of {
            FacetOf::Sets => None,
            FacetOf::Items => Some("items"),
            FacetOf::Raters => Some("raters"),
        });
        if let Some(of) = of {
            at.error("not-of-sets", format!("{facet} is a facet of {of}, whose levels are in a table"))
                .help(format!("write `*` in place of it, or leave out `of: {of}`"));
        }
        if place + 1 == parts.len() {
            at.error("no-folder", format!("{pattern} ends with `{part}`, but levels are names of folders"))
                .help(format!("add the files, as in `{pattern}/*.png`"));
        }
        if parts[..place].contains(&"**") {
            at.error(
                "unknown-depth",
                format!("in {pattern}, `{part}` comes after `**`, and its folder is not known"),
            )
            .help("write `*` for each folder in place of `**`");
        }
        if facets.iter().any(|(_, known)| *known == facet) {
            at.error("repeated-facet", format!("{pattern} names `{facet}` twice"));
        }
        facets.push((place, facet));
    }
    let with_stars = |part| if braced(part).is_some() { "*" } else { part };
    let glob = pattern.split('/').map(with_stars).collect::<Vec<_>>().join("/");
    (at.len() == before).then_some(FacetPattern { glob, facets })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hype_core::study::spec::{FacetSpec, Named};

    fn specs() -> FacetSpecs {
        let facet = |name: &str| (Arc::from(name), FacetSpec::default());
        Named(vec![facet("class"), facet("epoch")])
    }

    #[test]
    fn levels_are_the_names_of_folders() {
        let mut at = Diagnostics::new();
        for (pattern, path, levels) in [
            ("gan/{class}/{epoch}/*.png", "gan/lemon/9000/a.png", [("class", "lemon"), ("epoch", "9000")]),
            ("/x/{epoch}/./{class}/**/*.png", "/x/7/horn/deep/a.png", [("class", "horn"), ("epoch", "7")]),
            ("../{epoch}/*/{class}/*", "../1/any/b/a.png", [("class", "b"), ("epoch", "1")]),
        ] {
            let found = parse(pattern, &specs(), &mut at).unwrap();
            assert!(!found.glob.contains('{'), "{}", found.glob);
            let wanted: Levels =
                levels.into_iter().map(|(facet, level)| (facet.into(), level.into())).collect();
            assert_eq!(found.levels(path), wanted);
        }
        assert_eq!(at.len(), 0);
    }

    #[test]
    fn patterns_whose_levels_are_not_known_are_refused() {
        for (pattern, code) in [
            ("gan/{clas}/*.png", "unknown-facet"),
            ("gan/{class}", "no-folder"),
            ("gan/**/{class}/*.png", "unknown-depth"),
            ("{class}/{class}/*.png", "repeated-facet"),
            ("gan/x{class}/*.png", "part-of-name"),
        ] {
            let mut at = Diagnostics::new();
            assert_eq!(parse(pattern, &specs(), &mut at), None);
            assert_eq!(at.iter().map(|one| one.code).collect::<Vec<_>>(), [code], "{pattern}");
        }
    }
}
