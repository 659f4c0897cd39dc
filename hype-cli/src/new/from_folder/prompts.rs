//! The table of prompts in a folder of images, and the table of items that is written where there is none that fits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hype_core::study::spec::ItemSpec;
use hype_core::words::counted;

use super::layout::Layout;
use super::tree::Others;

/// The letters of a reason, and the reasons, that are printed.
const LETTERS: usize = 200;
const REASONS: usize = 10;

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
    /// The table that has the keys of most outputs, and prompts if possible, if there is one with nine tenths of them; and why the
    /// others are not used.
    pub(super) fn find(folder: &Path, others: &Others, layout: &Layout) -> (Option<Self>, Vec<String>) {
        let shown =
            |path: &Path| path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/");
        let mut unused: Vec<(String, String)> = Vec::new();
        let mut fitting: Vec<(usize, Self)> = Vec::new();
        for path in &others.tables {
            let name = shown(path);
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let read = hype::items_in(path).map_err(|why| {
                let why = why.replace(&*path.to_string_lossy(), "it");
                why.strip_prefix(&format!("{file}, ")).unwrap_or(&why).chars().take(LETTERS).collect()
            });
            match read.and_then(|(items, notes)| Self::fit(name.clone(), items, notes, layout)) {
                Ok(table) => fitting.push(table),
                Err(why) => unused.push((name, why)),
            }
        }
        let rank = |(fits, table): &(usize, Self)| (*fits, table.asks());
        let best = (0..fitting.len()).rev().max_by_key(|&place| rank(&fitting[place]));
        let best = best.map(|place| fitting.remove(place).1);
        if let Some(best) = &best {
            let other = |(_, table): (usize, Self)| (table.name, format!("{} is used", best.name));
            unused.extend(fitting.into_iter().map(other));
        } else {
            let why = "prompts are read from tables: write one with the columns `item` and `prompt`";
            unused.extend(others.texts.iter().map(|path| (shown(path), why.to_owned())));
        }
        (best, grouped(unused))
    }

    /// The table, and how many outputs have keys in it.
    fn fit(
        name: String,
        items: Vec<ItemSpec>,
        notes: Vec<String>,
        layout: &Layout,
    ) -> Result<(usize, Self), String> {
        let keys = layout.items();
        let row = |key: &str| key.rsplit_once('_').map_or("", |(row, _)| row).to_owned();
        let rows: BTreeSet<String> = keys.iter().map(|key| row(key)).collect();
        let ids = items.iter().map(|item| item.item.as_str());
        let known: BTreeSet<&str> = ids.filter(|id| !id.is_empty()).collect();
        let whole = keys.iter().filter(|key| known.contains(**key)).count();
        let seeded = rows.iter().filter(|row| known.contains(row.as_str())).count();
        let has_seeds = !layout.by_pattern && 10 * whole < 9 * keys.len() && 10 * seeded >= 9 * rows.len();
        let fits = if has_seeds { keys.len() } else { whole };
        if 10 * fits >= 9 * keys.len() && fits > 0 {
            return Ok((fits, Self { name, items, notes, has_seeds }));
        }
        Err(match (known.first(), keys.first()) {
            (Some(id), Some(key)) => format!(
                "its {}, such as {id}, are names of {fits} of {}, such as {key}",
                counted(known.len(), "id"),
                counted(keys.len(), "item")
            ),
            _ => "there is no column of ids".to_owned(),
        })
    }

    /// Whether there are texts that models were given.
    fn asks(&self) -> bool {
        self.items.iter().any(|item| item.prompt.is_some() || item.instruction.is_some())
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

/// The tables that are not used and why, in one line for all that have a name or a reason in common.
fn grouped(unused: Vec<(String, String)>) -> Vec<String> {
    let file = |name: &str| name.rsplit('/').next().map(str::to_owned);
    let mut groups: Vec<(String, String, usize)> = Vec::new();
    let mut left = 0;
    for (name, why) in unused {
        let is_full = groups.len() == REASONS;
        match groups.iter_mut().find(|(first, reason, _)| *reason == why || file(first) == file(&name)) {
            Some((.., more)) => *more += 1,
            None if is_full => left += 1,
            None => groups.push((name, why, 0)),
        }
    }
    let line = |(first, why, more): (String, String, usize)| match more {
        0 => format!("{first}: {why}"),
        _ => format!("{first} and {}: {why}", counted(more, "other")),
    };
    let left = (left > 0).then(|| counted(left, "more table"));
    groups.into_iter().map(line).chain(left).collect()
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

/// A cell of a table of comma-separated values.
pub(super) fn cell(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
