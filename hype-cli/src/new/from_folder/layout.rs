//! Which images belong to which model, and which are outputs for the same item: by names of folders and of files.

use std::collections::{BTreeMap, BTreeSet};

use hype::composed;
use hype_core::study::spec::row_and_seed;

use super::kind::{Kind, key, stem};
use super::tree::Folder;

mod names;

/// Names of folders that hold the folders of models.
const HOLDERS: [&str; 18] = [
    "output",
    "outputs",
    "generated",
    "generation",
    "generations",
    "gen",
    "result",
    "results",
    "image",
    "images",
    "model",
    "models",
    "sample",
    "samples",
    "fake",
    "fakes",
    "runs",
    "predictions",
];

/// A set of images.
#[derive(Debug)]
pub(super) struct FoundSet {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) patterns: Vec<String>,
    /// The images of each item, by its key in `items`: paths from the folder.
    pub(super) images: BTreeMap<String, Vec<String>>,
}

impl FoundSet {
    pub(super) fn count(&self) -> u32 {
        self.images.values().map(Vec::len).sum::<usize>() as u32
    }
}

/// How the folder is laid out.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) sets: Vec<FoundSet>,
    /// Whether keys are what the patterns' wildcards stand for, and not names of files.
    pub(super) by_pattern: bool,
    /// Whether the first part of each key is a class, such as `cats/0001`.
    pub(super) has_classes: bool,
    /// Whether the first part of each key is a prompt, or its key, and the second a seed.
    pub(super) has_seed_folders: bool,
    /// Images that belong to no set.
    pub(super) left_out: usize,
    /// The assumptions about names.
    pub(super) notes: Vec<String>,
}

/// Where the name of the model is in a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ModelIn {
    Folder,
    /// In the folder below the item's.
    InnerFolder,
    File,
}

impl Layout {
    /// The layout of a folder, whose own name is that of the model where nothing else names one.
    pub(super) fn of(root: &Folder, own_name: &str) -> Self {
        let (mut before, mut top) = (Vec::new(), root);
        // Folders that hold everything say nothing.
        while let ([only], true) = (&top.folders[..], top.images.is_empty()) {
            if only.folders.is_empty() && !is_flat(&only.images) {
                break;
            }
            before.push(only.name.clone());
            top = only;
        }
        if top.folders.is_empty() {
            let name = before.last().map_or(own_name, String::as_str);
            return Self::flat(&top.images, &before, name).with_composed_keys();
        }
        let mut children: Vec<(Vec<String>, &Folder)> = Vec::new();
        for folder in &top.folders {
            let path = [&before[..], std::slice::from_ref(&folder.name)].concat();
            let holds = folder.images.is_empty() && HOLDERS.contains(&&*folder.name.to_lowercase());
            match holds && folder.folders.len() > 1 {
                true => children.extend(
                    folder
                        .folders
                        .iter()
                        .map(|inner| ([&path[..], std::slice::from_ref(&inner.name)].concat(), inner)),
                ),
                false => children.push((path, folder)),
            }
        }
        let left_out = top.images.len();
        let mut found = match model_in(&children) {
            ModelIn::Folder => Self::of_folders(&children),
            ModelIn::InnerFolder => Self::of_items(&before, &children, true),
            ModelIn::File => Self::of_items(&before, &children, false),
        };
        found.left_out = left_out;
        found.with_composed_keys()
    }

    /// A folder for each model.
    fn of_folders(children: &[(Vec<String>, &Folder)]) -> Self {
        let mut sets = Vec::new();
        let mut is_deep = false;
        let mut classes: Vec<BTreeSet<&str>> = Vec::new();
        let names: Vec<&str> = children.iter().map(|(_, folder)| folder.name.as_str()).collect();
        let kinds = Kind::of_all(&names);
        let generated = || children.iter().zip(&kinds).filter(|(_, kind)| **kind == Kind::Generated);
        let are_begun =
            generated().count() > 1 && generated().all(|((_, folder), _)| own_beginning(folder).is_some());
        let mut notes = Vec::new();
        for ((path, folder), &kind) in children.iter().zip(&kinds) {
            let begins = own_beginning(folder).filter(|_| are_begun).unwrap_or_default();
            let inner = folder.paths();
            let depths: BTreeSet<usize> = inner.iter().map(Vec::len).collect();
            let between = match depths.iter().collect::<Vec<_>>()[..] {
                [1] => "",
                [2] => "*/",
                _ => "**/",
            };
            if kind == Kind::Generated {
                is_deep |= !between.is_empty();
                let is_classed = depths.iter().eq([&2]);
                classes.push(if is_classed {
                    folder.folders.iter().map(|inner| inner.name.as_str()).collect()
                } else {
                    BTreeSet::new()
                });
            }
            let mut images: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for file in &inner {
                let whole = [&path[..], &file[..]].concat().join("/");
                let key = key(file);
                images.entry(key[begins.len()..].to_owned()).or_default().push(whole);
            }
            if let (false, true, Some(image)) = (begins.is_empty(), notes.is_empty(), folder.images.first()) {
                notes.push(format!("names begin with their model, as {}/{}", folder.name, stem(image)));
            }
            let patterns = endings(inner.iter().filter_map(|file| file.last()))
                .into_iter()
                .map(|ending| format!("{}/{between}{begins}*.{ending}", path.join("/")))
                .collect();
            sets.push(FoundSet { name: folder.name.clone(), kind, patterns, images });
        }
        let has_classes = classes.first().is_some_and(|first| {
            first.len() > 1 && classes.iter().all(|one| one == first) && !is_numbered(first.iter().copied())
        });
        let mut found = Self::new(sets, is_deep || are_begun, notes);
        found.has_classes = has_classes;
        found.find_seed_folders();
        found
    }

    /// A folder for each item, with a file or a folder for each model.
    fn of_items(before: &[String], children: &[(Vec<String>, &Folder)], is_inner: bool) -> Self {
        let mut sets: BTreeMap<String, FoundSet> = BTreeMap::new();
        let mut endings_of: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (path, folder) in children {
            for file in folder.paths() {
                let (model, rest) = match (is_inner, &file[..]) {
                    (true, [model, rest @ ..]) if !rest.is_empty() => (model.clone(), rest),
                    (false, [file]) => (stem(file).to_owned(), &[][..]),
                    _ => continue,
                };
                let mut parts = vec![folder.name.clone()];
                parts.extend(rest.iter().cloned());
                let item = if rest.is_empty() { folder.name.clone() } else { key(&parts) };
                let set = sets.entry(model.clone()).or_insert_with(|| FoundSet {
                    kind: Kind::of(&model),
                    name: model.clone(),
                    patterns: Vec::new(),
                    images: BTreeMap::new(),
                });
                set.images.entry(item).or_default().push([&path[..], &file[..]].concat().join("/"));
                let ending = file.last().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
                endings_of.entry(model).or_default().extend(ending.map(str::to_owned));
            }
        }
        let start = before.iter().map(|folder| format!("{folder}/")).collect::<String>();
        for (model, set) in &mut sets {
            let pattern = |ending: &String| match is_inner {
                true => format!("{start}*/{model}/*.{ending}"),
                false => format!("{start}*/{model}.{ending}"),
            };
            set.patterns = endings_of.get(model).into_iter().flatten().map(pattern).collect();
        }
        let first = children.first().map(|(_, folder)| {
            format!("folders such as {} are taken for items, as they hold the same names", folder.name)
        });
        Self::new(sets.into_values().collect(), true, first.into_iter().collect())
    }

    const fn new(sets: Vec<FoundSet>, by_pattern: bool, notes: Vec<String>) -> Self {
        Self { sets, by_pattern, has_classes: false, has_seed_folders: false, left_out: 0, notes }
    }

    /// All images in one folder, whose names have the model in them, or that are all of one model.
    fn flat(images: &[String], before: &[String], own_name: &str) -> Self {
        let start = before.iter().map(|folder| format!("{folder}/")).collect::<String>();
        let Some((separator, is_first)) = split(images) else {
            let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for image in images {
                all.entry(stem(image).to_owned()).or_default().push(format!("{start}{image}"));
            }
            let patterns = endings(images.iter()).iter().map(|ending| format!("{start}*.{ending}")).collect();
            let kind = Kind::of(own_name);
            let set = FoundSet { name: own_name.to_owned(), kind, patterns, images: all };
            return Self::new(vec![set], false, Vec::new());
        };
        let mut sets: BTreeMap<String, FoundSet> = BTreeMap::new();
        let (mut left_out, mut notes) = (0, Vec::new());
        for image in images {
            let Some((model, item)) = parts(stem(image), separator, is_first) else {
                left_out += 1;
                continue;
            };
            if notes.is_empty() {
                notes.push(format!(
                    "names such as {image} are taken for the model {model} and the item {item}"
                ));
            }
            let set = sets.entry(model.to_owned()).or_insert_with(|| FoundSet {
                name: model.to_owned(),
                kind: Kind::of(model),
                patterns: Vec::new(),
                images: BTreeMap::new(),
            });
            set.images.entry(item.to_owned()).or_default().push(format!("{start}{image}"));
        }
        let names: Vec<String> = sets.keys().cloned().collect();
        for set in sets.values_mut() {
            let model = set.name.clone();
            let (begins, ends) = (format!("{model}{separator}"), format!("{separator}{model}"));
            // `sdxl_*` would match `sdxl_turbo_1` too, and `*_turbo` `1_sdxl_turbo`.
            let next_in = |other: &String| match is_first {
                true => other.strip_prefix(&begins)?.chars().next(),
                false => other.strip_suffix(&ends)?.chars().next_back(),
            };
            let own = |key: &String| if is_first { key.chars().next() } else { key.chars().next_back() };
            let others: BTreeSet<char> = names.iter().filter_map(next_in).collect();
            let own: BTreeSet<char> = set.images.keys().filter_map(own).collect();
            let one = told_apart(&own, &others).unwrap_or_else(|| {
                let longer = names.iter().find(|other| next_in(other).is_some()).map_or("", String::as_str);
                let what = format!("the pattern of {model} matches files of {longer}, too");
                notes.push(format!("{what}: rename those of one of them, or put them into a folder"));
                String::new()
            });
            let files = set.images.values().flatten().map(|path| path.strip_prefix(&start).unwrap_or(path));
            let pattern = |ending: &String| match is_first {
                true => format!("{start}{begins}{one}*.{ending}"),
                false => format!("{start}*{one}{ends}.{ending}"),
            };
            set.patterns = endings(files).iter().map(pattern).collect();
        }
        Self { left_out, ..Self::new(sets.into_values().collect(), true, notes) }
    }

    pub(super) fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &FoundSet> {
        self.sets.iter().filter(move |one| one.kind == kind)
    }

    pub(super) fn judged(&self) -> impl Iterator<Item = &FoundSet> {
        self.sets.iter().filter(|one| one.kind != Kind::Conditions)
    }

    pub(super) fn fewest(&self) -> u32 {
        self.judged().map(FoundSet::count).min().unwrap_or(0)
    }

    /// The keys of all items for which a model has outputs.
    pub(super) fn items(&self) -> BTreeSet<&str> {
        self.of_kind(Kind::Generated).flat_map(|set| set.images.keys().map(String::as_str)).collect()
    }

    /// For each model the items that it lacks; `None` if names of files do not say which outputs belong together.
    pub(super) fn missing(&self) -> Option<Vec<(&str, Vec<&str>)>> {
        let items = self.items();
        let lacks =
            |set: &FoundSet| items.iter().copied().filter(|item| !set.images.contains_key(*item)).collect();
        let missing: Vec<(&str, Vec<&str>)> =
            self.of_kind(Kind::Generated).map(|set| (set.name.as_str(), lacks(set))).collect();
        let has = |item: &&str| missing.iter().filter(|(_, lacking)| !lacking.contains(item)).count();
        let shared = items.iter().filter(|item| has(item) > 1).count();
        let is_matched = missing.len() < 2 || 2 * shared >= items.len();
        is_matched.then_some(missing)
    }

    /// The numbers of prompts and of seeds in names of files such as `0001_1`, and the first name; `None` unless all of several
    /// prompts have the same seeds.
    pub(super) fn seeds(&self) -> Option<(usize, usize, &str)> {
        let mut seeds_of: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut all = BTreeSet::new();
        for set in self.of_kind(Kind::Generated) {
            let mut names = BTreeSet::new();
            for (key, paths) in &set.images {
                // Names of files alone are matched, without folders and without a part that is cut.
                let name = key.rsplit('/').next()?;
                let is_name =
                    |path: &String| path.rsplit('/').next().is_some_and(|file| composed(stem(file)) == name);
                let (prompt, seed) = row_and_seed(name).filter(|_| paths.iter().all(is_name))?;
                if !names.insert(name) {
                    return None;
                }
                seeds_of.entry(prompt).or_default().insert(seed);
            }
            all.extend(names);
        }
        let seeds = seeds_of.values().next()?;
        let are_same = seeds_of.len() > 1 && seeds_of.values().all(|one| one == seeds);
        let are_seeds = seeds.len() > 1 && is_numbered(seeds.iter().copied());
        Some((seeds_of.len(), seeds.len(), all.first().copied()?)).filter(|_| are_same && are_seeds)
    }
}

/// Where the names of models are.
fn model_in(children: &[(Vec<String>, &Folder)]) -> ModelIn {
    let generated: Vec<&Folder> = children
        .iter()
        .map(|(_, folder)| *folder)
        .filter(|folder| Kind::of(&folder.name) == Kind::Generated)
        .collect();
    let common = |names: fn(&Folder) -> BTreeSet<&str>| {
        let mut all = generated.iter().map(|folder| names(folder));
        let first = all.next().unwrap_or_default();
        // Outputs may be missing: half of the folders must have a name.
        let known: Vec<BTreeSet<&str>> = std::iter::once(first).chain(all).collect();
        let every: BTreeSet<&str> = known.iter().flatten().copied().collect();
        every
            .into_iter()
            .filter(|name| 2 * known.iter().filter(|own| own.contains(name)).count() >= known.len())
            .map(str::to_owned)
            .collect::<BTreeSet<String>>()
    };
    let are_numbered = is_numbered(generated.iter().map(|folder| folder.name.as_str()));
    let count = generated.len();
    // Texts with blanks are rather prompts than models.
    let are_texts = generated.iter().all(|folder| folder.name.contains(' '));
    let most_models = |names: usize| if are_texts { names } else { 3 * names };
    let names_models = |names: &BTreeSet<String>| {
        let inner_numbered = is_numbered(names.iter().map(String::as_str));
        let has_reals = names.iter().any(|name| Kind::of(name) == Kind::Real);
        names.len() > 1
            && count > 1
            && (has_reals || !inner_numbered && (are_numbered || count > most_models(names.len())))
    };
    if generated.iter().all(|folder| folder.folders.is_empty()) {
        let names = common(|folder| folder.images.iter().map(|image| stem(image)).collect());
        return if names_models(&names) { ModelIn::File } else { ModelIn::Folder };
    }
    if generated.iter().all(|folder| folder.images.is_empty()) && are_numbered {
        let names = common(|folder| folder.folders.iter().map(|inner| inner.name.as_str()).collect());
        return if names_models(&names) { ModelIn::InnerFolder } else { ModelIn::Folder };
    }
    ModelIn::Folder
}

/// The beginning of all names in a folder, if that is its own name: `sdxl_` of `sdxl/sdxl_0001.png`.
fn own_beginning(folder: &Folder) -> Option<&str> {
    let first = folder.images.first().filter(|_| folder.folders.is_empty())?;
    let (name, rest) = first.split_at_checked(folder.name.len())?;
    let separator = SEPARATORS.into_iter().find(|separator| rest.starts_with(separator))?;
    let begins = &first[..name.len() + separator.len()];
    let is_begun = |image: &String| stem(image).len() > begins.len() && image.starts_with(begins);
    (name.eq_ignore_ascii_case(&folder.name) && folder.images.iter().all(is_begun)).then_some(begins)
}

/// The endings of files, as they are written.
fn endings<'a>(names: impl Iterator<Item = impl AsRef<str> + 'a>) -> Vec<String> {
    let endings: BTreeSet<String> =
        names.filter_map(|name| Some(name.as_ref().rsplit_once('.')?.1.to_owned())).collect();
    endings.into_iter().collect()
}

/// Whether names are one text with numbers, as `img01` and `img02`, or numbers alone.
fn is_numbered<'a>(names: impl Iterator<Item = &'a str>) -> bool {
    let mut stems = BTreeSet::new();
    for name in names {
        let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        if stem.len() == name.len() {
            return false;
        }
        stems.insert(stem);
    }
    stems.len() == 1
}

/// Separators of models and items in names.
const SEPARATORS: [&str; 6] = ["__", "--", " - ", "_", "-", " "];

fn is_flat(images: &[String]) -> bool {
    split(images).is_some()
}

/// The model and the item in a name.
fn parts<'n>(stem: &'n str, separator: &str, is_first: bool) -> Option<(&'n str, &'n str)> {
    let (model, item) = match is_first {
        true => stem.rsplit_once(separator)?,
        false => stem.split_once(separator).map(|(item, model)| (model, item))?,
    };
    (!model.is_empty() && !item.is_empty()).then_some((model, item))
}

/// The separator of names in which several models have outputs for the same items, and whether the model comes first.
fn split(images: &[String]) -> Option<(&'static str, bool)> {
    let fits = |separator: &str, is_first: bool| {
        let mut of_model: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for image in images {
            if let Some((model, item)) = parts(stem(image), separator, is_first) {
                of_model.entry(model).or_default().insert(item);
            }
        }
        let items: BTreeSet<&str> = of_model.values().flatten().copied().collect();
        let count: usize = of_model.values().map(BTreeSet::len).sum();
        let are_models =
            !is_numbered(of_model.keys().copied()) && of_model.keys().all(|name| !is_number(name));
        // Texts with blanks are prompts, where fewer items follow.
        let are_texts = of_model.len() > items.len() && of_model.keys().all(|name| name.contains(' '));
        // Nearly a whole grid of models and more items.
        of_model.len() > 1
            && are_models
            && !are_texts
            && (items.len() > of_model.len().min(3) || items.len() == of_model.len())
            && 4 * count >= 3 * of_model.len() * items.len()
            && 10 * count >= 9 * images.len()
    };
    SEPARATORS.into_iter().find_map(|separator| {
        [true, false]
            .into_iter()
            .find(|&is_first| fits(separator, is_first))
            .map(|is_first| (separator, is_first))
    })
}

/// The part of a pattern that matches one of a model's `own` letters and none of the `others`, which files of other models have at
/// the same place; `None` if there is none.
fn told_apart(own: &BTreeSet<char>, others: &BTreeSet<char>) -> Option<String> {
    let all_are = |letters: &BTreeSet<char>, are: fn(&char) -> bool| letters.iter().all(are);
    if others.is_empty() {
        return Some(String::new());
    }
    if all_are(own, char::is_ascii_digit) && !others.iter().any(char::is_ascii_digit) {
        return Some("[0-9]".into());
    }
    let is_simple = all_are(others, |letter| letter.is_alphanumeric()) && own.is_disjoint(others);
    is_simple.then(|| format!("[!{}]", others.iter().collect::<String>()))
}

fn is_number(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[&str]) -> Vec<String> {
        all.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn kinds_are_told_by_all_words_of_a_name() {
        for (name, kind) in [
            ("Real Photos", Kind::Real),
            ("ground_truth", Kind::Real),
            ("GT", Kind::Real),
            ("realistic-vision", Kind::Generated),
            ("test_images", Kind::Generated),
            ("input images", Kind::Conditions),
            ("masked-diffusion", Kind::Generated),
        ] {
            assert_eq!(Kind::of(name), kind, "{name}");
        }
        let reals = |names: &[&str]| Kind::of_all(names).iter().position(|kind| *kind == Kind::Real);
        assert_eq!(reals(&["sdxl", "coco_val2017"]), Some(1));
        assert_eq!(reals(&["ffhq", "imagenet-256"]), None);
        assert_eq!(reals(&["ffhq", "sdxl", "photos"]), Some(2));
        assert_eq!(reals(&["stylegan-ffhq", "sdxl"]), None);
    }

    #[test]
    fn names_of_files_have_models_where_they_make_a_grid() {
        let grid = names(&["sdxl_1.png", "sdxl_2.png", "sdxl_3.png", "vq_1.png", "vq_2.png", "vq_3.png"]);
        assert_eq!(split(&grid), Some(("_", true)));
        let after = names(&["1-sdxl.png", "2-sdxl.png", "3-sdxl.png", "1-vq.png", "2-vq.png", "3-vq.png"]);
        assert_eq!(split(&after), Some(("-", false)));
        assert_eq!(split(&names(&["ComfyUI_00001_.png", "ComfyUI_00002_.png"])), None);
        assert_eq!(split(&names(&["0001.png", "0002.png"])), None);
        let layout = Layout::flat(
            &names(&["a_1.png", "a_2.png", "a_3.png", "a_b_1.png", "a_b_2.png", "a_b_3.png"]),
            &[],
            "x",
        );
        let patterns: Vec<&str> = layout.sets.iter().map(|set| set.patterns[0].as_str()).collect();
        assert_eq!(patterns, ["a_[0-9]*.png", "a_b_*.png"]);
    }

    #[test]
    fn patterns_leave_out_the_files_of_models_with_longer_names() {
        let patterns = |files: &[&str]| {
            let layout = Layout::flat(&names(files), &[], "x");
            let patterns = layout.sets.iter().map(|set| set.patterns[0].clone()).collect::<Vec<_>>();
            (patterns, layout.notes)
        };
        for (files, expected) in [
            (["1_b", "2_b", "3_b", "1_a_b", "2_a_b", "3_a_b"], ["*_a_b.png", "*[0-9]_b.png"]),
            (["x_b", "y_b", "z_b", "x_a_b", "y_a_b", "z_a_b"], ["*_a_b.png", "*[!a]_b.png"]),
            (["b_x", "b_y", "b_z", "b_a_x", "b_a_y", "b_a_z"], ["b_[!a]*.png", "b_a_*.png"]),
        ] {
            let files = files.map(|file| format!("{file}.png"));
            let (found, notes) = patterns(&files.each_ref().map(String::as_str));
            assert_eq!((found, notes.len()), (expected.map(str::to_owned).to_vec(), 1));
        }
        // No pattern tells the item `a` from the end of the model's name.
        let (_, notes) = patterns(&["a_b.png", "y_b.png", "z_b.png", "a_a_b.png", "y_a_b.png", "z_a_b.png"]);
        assert!(notes[1].starts_with("the pattern of b matches files of a_b, too: rename"), "{notes:?}");
    }
}
