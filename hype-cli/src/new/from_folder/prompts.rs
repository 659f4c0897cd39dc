//! The table of prompts in a folder of images, and the table of items that is written where there is none that fits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hype_core::study::spec::ItemSpec;

use super::layout::Layout;

/// A table whose keys are those of the outputs.
#[derive(Debug)]
pub(super) struct PromptTable {
    /// Its path from the folder.
    pub(super) name: String,
    pub(super) items: Vec<ItemSpec>,
    /// Notes on its columns.
    pub(super) notes: Vec<String>,
    /// Whether names of files are keys of rows and seeds.
    pub(super) has_seeds: bool,
}

impl PromptTable {
    /// The table that has the keys of most outputs, if there is one with nine tenths of them.
    pub(super) fn find(folder: &Path, tables: &[PathBuf], layout: &Layout) -> Option<Self> {
        let keys = layout.items();
        let row = |key: &str| key.rsplit_once('_').map_or("", |(row, _)| row).to_owned();
        let rows: BTreeSet<String> = keys.iter().map(|key| row(key)).collect();
        let mut best: Option<(usize, Self)> = None;
        for path in tables {
            let Some((items, notes)) = hype::items_in(path) else { continue };
            let known: BTreeSet<&str> = items.iter().map(|item| item.item.as_str()).collect();
            let whole = keys.iter().filter(|key| known.contains(**key)).count();
            let seeded = rows.iter().filter(|row| known.contains(row.as_str())).count();
            let has_seeds =
                !layout.by_pattern && 10 * whole < 9 * keys.len() && 10 * seeded >= 9 * rows.len();
            let fits = if has_seeds { keys.len() } else { whole };
            let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/");
            let is_better = best.as_ref().is_none_or(|(before, _)| fits > *before);
            if 10 * fits >= 9 * keys.len() && fits > 0 && is_better {
                best = Some((fits, Self { name, items, notes, has_seeds }));
            }
        }
        best.map(|(_, table)| table)
    }

    pub(super) fn has_prompts(&self) -> bool {
        self.items.iter().any(|item| item.prompt.is_some())
    }

    /// Whether some rows have no outputs, and no images that another table would lose.
    fn has_more_rows(&self, layout: &Layout) -> bool {
        let keys = layout.items();
        let has_images = self.items.iter().any(|item| item.images().next().is_some());
        !self.has_seeds && !has_images && self.items.iter().any(|item| !keys.contains(item.item.as_str()))
    }
}

/// The table of items that has to be written, as CSV: of classes, or without rows that have no outputs.
pub(super) fn written(table: Option<&PromptTable>, layout: &Layout) -> Option<String> {
    if !layout.has_classes && !table.is_some_and(|table| table.has_more_rows(layout)) {
        return None;
    }
    let prompts: BTreeMap<&str, &str> = table
        .iter()
        .flat_map(|table| &table.items)
        .filter_map(|item| Some((item.item.as_str(), item.prompt.as_deref()?)))
        .collect();
    let mut text = "item".to_owned();
    text.push_str(if prompts.is_empty() { "" } else { ",prompt" });
    text.push_str(if layout.has_classes { ",class\n" } else { "\n" });
    for key in layout.items() {
        text.push_str(&cell(key));
        if !prompts.is_empty() {
            text.push(',');
            text.push_str(&cell(prompts.get(key).copied().unwrap_or_default()));
        }
        if layout.has_classes {
            text.push(',');
            text.push_str(&cell(key.split('/').next().unwrap_or_default()));
        }
        text.push('\n');
    }
    Some(text)
}

fn cell(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
