//! Kinds of sets by their names, and the names of outputs without endings.

/// Words in the names of sets with real images, and of those with conditions, which are not judged.
const REAL: [&str; 14] = [
    "real",
    "reals",
    "original",
    "originals",
    "ground",
    "truth",
    "groundtruth",
    "gt",
    "photo",
    "photos",
    "photograph",
    "photographs",
    "natural",
    "reference",
];
const CONDITIONS: [&str; 14] = [
    "source",
    "sources",
    "input",
    "inputs",
    "mask",
    "masks",
    "subject",
    "subjects",
    "control",
    "controls",
    "condition",
    "conditions",
    "sketch",
    "sketches",
];
/// Further words.
const BESIDE: [&str; 14] = [
    "image",
    "images",
    "img",
    "imgs",
    "picture",
    "pictures",
    "data",
    "set",
    "dataset",
    "train",
    "test",
    "val",
    "validation",
    "all",
];

/// Sets of photographs that models are often compared with; numbers at the end of words are left out.
const PHOTOGRAPHS: &str = "ffhq celeba celebahq coco mscoco imagenet imagenet1k ilsvrc laion laion5b laion400m lsun cifar afhq \
    afhqv flickr8k flickr30k openimages div2k unsplash";

/// Names of notes.
const NOTES: [&str; 7] =
    ["readme", "license", "licence", "changelog", "contributing", "citation", "requirements"];

/// The kind of a set of images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Real,
    Generated,
    Conditions,
}

impl Kind {
    pub(super) fn of(name: &str) -> Self {
        match (is_named(name, &REAL, ""), is_named(name, &CONDITIONS, "")) {
            (true, _) => Self::Real,
            (_, true) => Self::Conditions,
            _ => Self::Generated,
        }
    }

    /// The kinds of folders next to each other: a known set of photographs is real among outputs, where no other set is.
    pub(super) fn of_all(names: &[&str]) -> Vec<Self> {
        let own: Vec<Self> = names.iter().map(|name| Self::of(name)).collect();
        let known: Vec<&str> = PHOTOGRAPHS.split(' ').collect();
        let is_known = |name: &str| is_named(name, &known, "0123456789");
        let mut of_models =
            names.iter().zip(&own).filter(|(name, kind)| **kind == Self::Generated && !is_known(name));
        if own.contains(&Self::Real) || of_models.next().is_none() {
            return own;
        }
        names.iter().zip(own).map(|(name, kind)| if is_known(name) { Self::Real } else { kind }).collect()
    }
}

/// Whether a name has one of these words, and no others but those that say nothing. Letters of `cut` at the end of words do not count.
pub(super) fn is_named(name: &str, own: &[&str], cut: &str) -> bool {
    let lower = name.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    let words = words.map(|word| word.trim_end_matches(|letter| cut.contains(letter)));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.iter().any(|word| own.contains(word))
        && words.iter().all(|word| own.contains(word) || BESIDE.contains(word))
}

/// A file's path without the ending.
pub(super) fn key(path: &[String]) -> String {
    let mut parts: Vec<&str> = path.iter().map(String::as_str).collect();
    if let Some(last) = parts.last_mut() {
        *last = stem(last);
    }
    parts.join("/")
}

pub(super) fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Whether a text of this name is a note on the others.
pub(super) fn is_note(name: &str) -> bool {
    is_one_of(stem(name), &NOTES)
}

/// Whether a name is one of some, in whatever case.
pub(super) fn is_one_of(name: &str, known: &[&str]) -> bool {
    known.contains(&&*name.to_lowercase())
}
