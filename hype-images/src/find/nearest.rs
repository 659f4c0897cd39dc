//! Finds what exists near a pattern without a match.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Part, Place, entries, hidden};
use crate::error::{ExtensionCounts, ImageError, Nearest};

/// Describes why a pattern has no match; a folder that cannot be read is reported instead.
pub(super) fn no_match(base: &Path, pattern: &str, parts: &[Part]) -> ImageError {
    let start = Place::start(base, pattern);
    let mut folder = start.clone();
    let mut wanted = Vec::new();
    for part in &parts[..parts.len() - 1] {
        let Part::Name(name) = part else {
            break;
        };
        wanted.push(name.as_str());
        folder = folder.join(name.as_ref());
    }
    match describe(&start, &folder, &wanted) {
        Ok(nearest) => ImageError::NoMatch {
            pattern: pattern.to_owned(),
            folder: folder.shown(),
            nearest: Box::new(nearest),
        },
        Err(error) => error,
    }
}

fn describe(start: &Place, folder: &Place, wanted: &[&str]) -> Result<Nearest, ImageError> {
    if is_folder(folder) {
        let mut files = Vec::new();
        let mut folders = Vec::new();
        for entry in entries(folder)? {
            if hidden(&entry.place) {
                continue;
            }
            let name = name(&entry.place);
            if is_folder(&entry.place) {
                folders.push(name);
            } else {
                files.push(name);
            }
        }
        return Ok(Nearest::Folder {
            folder: folder.shown(),
            files: tally(files.iter().map(String::as_str)),
            folders,
        });
    }
    let mut existing = start.clone();
    for name in wanted {
        let next = existing.join(name.as_ref());
        if !is_folder(&next) {
            let children = if is_folder(&existing) {
                let all = entries(&existing)?;
                let shown = all.iter().filter(|entry| !hidden(&entry.place));
                shown.map(|entry| self::name(&entry.place)).collect()
            } else {
                Vec::new()
            };
            return Ok(Nearest::NoFolder { missing: next.shown(), existing: existing.shown(), children });
        }
        existing = next;
    }
    // All folders in the pattern exist, so the base itself is missing.
    let base = &start.path;
    let above = base.ancestors().skip(1).map(|above| Place::start(above, "")).find(is_folder);
    let above = above.unwrap_or_else(|| start.clone());
    Ok(Nearest::NoFolder {
        missing: base.display().to_string(),
        children: entries(&above)?
            .iter()
            .filter(|entry| !hidden(&entry.place))
            .map(|entry| name(&entry.place))
            .collect(),
        existing: above.shown(),
    })
}

fn is_folder(place: &Place) -> bool {
    place.path.as_os_str().is_empty() || place.path.is_dir()
}

fn name(place: &Place) -> String {
    let name = place.path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Counts names by extension, the most frequent first, ties by name.
pub(super) fn tally<'a>(names: impl Iterator<Item = &'a str>) -> ExtensionCounts {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        let last = name.rsplit('/').next().unwrap_or_default();
        let kind = match last.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => format!("*.{extension}"),
            _ => "no extension".to_owned(),
        };
        *counts.entry(kind).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|kind| std::cmp::Reverse(kind.1));
    ExtensionCounts(counts)
}
