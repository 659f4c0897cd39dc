//! The `items` section: the inputs that every model was given, and how outputs are matched with items.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facets::{FacetOf, FacetSpecs};
use crate::diagnostics::Diagnostics;
use crate::model::item::{ConditionKind, Item};
use crate::words::listed;

/// The items that every model was given. Without `table` and `list`, the items follow from the file names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ItemsSpec {
    /// How a file name identifies its item.
    #[serde(rename = "match")]
    pub matched_by: MatchedBy,
    /// A CSV or JSON Lines file with one row for each item, relative to the spec's folder. Its columns are the fields
    /// of `list`; subjects are in `subject_1`, `subject_1_image`, `subject_2` and so on, and the levels of a facet of items are in the
    /// column of its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The items, as an alternative to a table.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<ItemSpec>,
    /// Whether results are about these items alone. By default items with prompts or instructions are a sample of all that
    /// could be asked, and results are about other items as well.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
    /// The property by which items were drawn together: `prompt`, which is the default where prompts repeat, or a facet of
    /// items. Results about other items are then about other prompts, or other levels: 24 outputs of four prompts with six
    /// seeds say as much of other prompts as four.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

/// The name of the clusters that share a prompt.
const PROMPT: &str = "prompt";

/// How a file name identifies its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MatchedBy {
    /// By its name without the extension: `wgan/0001.png` is an output for item `0001`.
    #[default]
    Name,
    /// By the name of its folder: `wgan/0001/b.png` is an output for item `0001`.
    Folder,
    /// By its name, which is the key of a row, `_` and a seed: `wgan/0001_7.png` is an output for the prompt of row `0001`. Each
    /// prompt and seed is an item, and items of one prompt are a cluster. In names without `_`, a number after `-`, `.` or a
    /// blank is the seed, as in `a cat-7.mp4`, `a cat seed7.mp4` and `a cat-seed-7.mp4`.
    Seed,
    /// By what the wildcards of its set's pattern stand for: `wgan_0001.png` of `wgan_*.png` is an output for item `0001`, and
    /// `wgan/cats/01.png` of `wgan/**/*.png` one for item `cats/01`.
    Pattern,
}

/// One item: what every model was given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ItemSpec {
    /// Its key.
    pub item: String,
    /// The text that describes what is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The text that says what to change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// The image that is edited, or that degraded ones are compared with, or such a clip in a study of clips; a path relative to
    /// the spec's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The image that marks the region to edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
    /// The subjects that have to appear.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<SubjectSpec>,
    /// The image that guides the layout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// Its levels of the facets of items, by facet, such as `{ category: animals }`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub levels: BTreeMap<String, String>,
}

/// A subject that has to appear.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SubjectSpec {
    /// The subject's name, such as its token in the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// An image of it; a path relative to the spec's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
}

/// The key of the row and the seed in a name that is matched by [`MatchedBy::Seed`]; `None` if it has no seed.
///
/// # Examples
/// ```
/// use hype_core::study::spec::row_and_seed;
/// assert_eq!(row_and_seed("0001_7"), Some(("0001", "7")));
/// assert_eq!(row_and_seed("a cat-seed-7"), Some(("a cat", "7")));
/// assert_eq!(row_and_seed("a cat7"), None);
/// ```
#[must_use]
pub fn row_and_seed(name: &str) -> Option<(&str, &str)> {
    // Stored studies know `_` alone.
    if let Some(parts) = name.rsplit_once('_') {
        return Some(parts);
    }
    let before = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let is_between = |letter: char| matches!(letter, '-' | '.' | ' ');
    let cut = before.trim_end_matches(is_between);
    let word = cut.len().checked_sub("seed".len()).and_then(|at| cut.split_at_checked(at));
    let row = match word {
        Some((row, word)) if word.eq_ignore_ascii_case("seed") && row.ends_with(is_between) => row,
        _ if cut.len() < before.len() => cut,
        _ => return None,
    };
    let (row, seed) = (row.trim_end_matches(is_between), &name[before.len()..]);
    (!row.is_empty() && !seed.is_empty()).then_some((row, seed))
}

impl ItemsSpec {
    /// Whether file names say what was asked, and with which seed.
    pub(crate) fn have_seeds(&self) -> bool {
        self.matched_by == MatchedBy::Seed
    }

    /// Returns the cluster with which an item was drawn; `None` if it is on its own.
    pub(crate) fn cluster_of(&self, item: &Item) -> Option<Arc<str>> {
        match self.cluster.as_deref() {
            None | Some(PROMPT) => {
                let of_row = || Some(row_and_seed(&item.id)?.0.into());
                let is_seeded = self.have_seeds();
                item.text(ConditionKind::Prompt).cloned().or_else(|| is_seeded.then(of_row)?)
            }
            Some(facet) => item.levels.get(facet).cloned(),
        }
    }

    /// Checks what items were drawn together by.
    pub(super) fn check_cluster(&self, facets: &FacetSpecs, at: &mut Diagnostics) {
        let Some(cluster) = &self.cluster else { return };
        let of_items = || facets.iter().filter(|(_, facet)| facet.of == FacetOf::Items).map(|(name, _)| name);
        if cluster != PROMPT && !of_items().any(|name| name == cluster) {
            let known: Vec<&str> = std::iter::once(PROMPT).chain(of_items()).collect();
            at.field("cluster")
                .error("unknown-facet", format!("there is no facet of items `{cluster}`"))
                .help(format!(
                    "write one of {}, or declare it, as in `facets: {{ {cluster}: {{ of: items }} }}`",
                    listed(&known)
                ));
        }
    }
}

impl ItemSpec {
    /// The paths of all images that the item names.
    pub fn images(&self) -> impl Iterator<Item = &str> {
        let subjects = self.subjects.iter().filter_map(|subject| subject.image.as_deref());
        let singles = [&self.source, &self.mask, &self.control];
        singles.into_iter().filter_map(|image| image.as_deref()).chain(subjects)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_numbers_at_the_end_of_names() {
        for (name, parts) in [
            ("0001_7", Some(("0001", "7"))),
            ("a cat seed0", Some(("a cat", "0"))),
            ("a cat - Seed 3", Some(("a cat", "3"))),
            ("birdseed-3", Some(("birdseed", "3"))),
            ("seed-7", Some(("seed", "7"))),
            ("\u{e9}-7", Some(("\u{e9}", "7"))),
        ] {
            assert_eq!(row_and_seed(name), parts, "{name}");
        }
    }
}
