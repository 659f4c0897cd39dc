//! The table of prompts in a folder of images, and the table of items that is written where there is none that fits.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hype::composed;
use hype_core::study::spec::{ItemSpec, row_and_seed};
use hype_core::words::counted;

use super::kind::stem;
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
    /// Whether it is not a table yet, and has to be written as one.
    pub(super) is_in_texts: bool,
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
        mut items: Vec<ItemSpec>,
        notes: Vec<String>,
        layout: &Layout,
    ) -> Result<(usize, Self), String> {
        let keys = layout.items();
        items.iter_mut().for_each(|item| item.item = composed(&item.item).into_owned());
        let row = |key: &str| row_of(key, layout).unwrap_or_default().to_owned();
        let rows: BTreeSet<String> = keys.iter().map(|key| row(key)).collect();
        let ids = items.iter().map(|item| item.item.as_str());
        let known: BTreeSet<&str> = ids.filter(|id| !id.is_empty()).collect();
        let whole = keys.iter().filter(|key| known.contains(**key)).count();
        let seeded = rows.iter().filter(|row| known.contains(row.as_str())).count();
        let may_have_seeds = !layout.by_pattern || layout.has_seed_folders;
        let has_seeds = may_have_seeds && 10 * whole < 9 * keys.len() && 10 * seeded >= 9 * rows.len();
        let fits = if has_seeds { keys.len() } else { whole };
        if 10 * fits >= 9 * keys.len() && fits > 0 {
            let is_in_texts = has_seeds && layout.has_seed_folders;
            if is_in_texts {
                let of_row = |key: &str| items.iter().find(|item| item.item == row(key)).cloned();
                let with_key = |key: &&str| Some(ItemSpec { item: (*key).to_owned(), ..of_row(key)? });
                items = keys.iter().filter_map(with_key).collect();
            }
            let has_seeds = has_seeds && !is_in_texts;
            return Ok((fits, Self { name, items, notes, has_seeds, is_in_texts }));
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

    /// The prompts in files that are named after items or lie next to their outputs, or in the lines of a text; else in names of
    /// folders.
    pub(super) fn of_texts(
        folder: &Path,
        files: &[String],
        others: &Others,
        layout: &Layout,
    ) -> Option<Self> {
        let of_file = |key: &str| -> Option<String> {
            let is_of = |path: &&String| {
                let (within, name) = path.rsplit_once('/').unwrap_or(("", path));
                let (within, name) =
                    (composed(within.rsplit('/').next().unwrap_or_default()), composed(stem(name)));
                let is_within =
                    key == within || key.strip_prefix(&*within).is_some_and(|rest| rest.starts_with('/'));
                name == key
                    || key.ends_with(&format!("/{name}"))
                    || row_of(key, layout) == Some(&name)
                    || is_within
            };
            let text = std::fs::read_to_string(folder.join(files.iter().find(is_of)?)).ok()?;
            Some(text.trim().to_owned())
        };
        let named = |name: String, notes: Vec<String>, prompt: &dyn Fn(&str) -> Option<String>| {
            let keys = layout.items();
            let item = |key: &str, prompt| ItemSpec { item: key.into(), prompt, ..ItemSpec::default() };
            let items = keys.iter().filter_map(|key| Some(item(key, Some(prompt(key)?))));
            let items: Vec<ItemSpec> = items.collect();
            let are_most = !items.is_empty() && 10 * items.len() >= 9 * keys.len();
            are_most.then_some(Self { name, items, notes, has_seeds: false, is_in_texts: true })
        };
        let shown = match files {
            [] => String::new(),
            [only] => only.clone(),
            [first, rest @ ..] => format!("{first} and {}", counted(rest.len(), "other")),
        };
        if let Some(found) = named(shown, Vec::new(), &of_file) {
            return Some(found);
        }
        for path in &others.texts {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
            let by_name: BTreeSet<Cow<'_, str>> = lines.iter().map(|line| composed(line)).collect();
            let of_name =
                |key: &str| by_name.get(row_of(key, layout).unwrap_or(key)).map(|line| line.to_string());
            if let Some(found) = named(name.clone(), Vec::new(), &of_name) {
                return Some(found);
            }
            let Some((of_number, note)) = by_number(&lines, layout) else { continue };
            return named(name, vec![note], &|key: &str| {
                of_number.get(row_of(key, layout).unwrap_or(key)).map(|line| (*line).to_owned())
            });
        }
        let of_folder = |key: &str| row_of(key, layout).map(str::to_owned);
        let is_named = layout.has_seed_folders && layout.folders_are_texts();
        is_named.then(|| named("names of folders".to_owned(), Vec::new(), &of_folder))?
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

/// The row of a key that has a seed.
fn row_of<'k>(key: &'k str, layout: &Layout) -> Option<&'k str> {
    let parts = if layout.has_seed_folders { key.split_once('/') } else { row_and_seed(key) };
    parts.map(|(row, _)| row)
}

/// The lines of a text by the keys of items or of rows, and a note, if these are the numbers from 0 or 1 to the last line.
fn by_number<'t>(lines: &[&'t str], layout: &Layout) -> Option<(BTreeMap<String, &'t str>, String)> {
    let rows = layout.items().into_iter().map(|key| row_of(key, layout).unwrap_or(key));
    let rows: BTreeSet<(usize, &str)> =
        rows.map(|row| Some((row.parse().ok()?, row))).collect::<Option<_>>()?;
    let from = rows.first()?.0;
    let are_all = from < 2 && rows.iter().enumerate().all(|(place, (number, _))| *number == place + from);
    let ((_, first), (_, last)) = (rows.first()?, rows.last()?);
    let note = format!(
        "its lines are taken for the prompts of the items by number: {first} is {:?}, {last} is {:?}",
        lines.first()?,
        lines.last()?
    );
    (are_all && rows.len() == lines.len())
        .then(|| (rows.iter().map(|(_, row)| (*row).to_owned()).zip(lines.iter().copied()).collect(), note))
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
    if !layout.has_classes && !table.is_some_and(|table| table.is_in_texts || table.has_more_rows(layout)) {
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
