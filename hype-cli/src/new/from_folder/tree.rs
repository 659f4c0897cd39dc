//! The images in a folder, and in the folders within it.

use std::fs;
use std::path::{Path, PathBuf};

use hype_core::MediaKind;

use crate::failure::Failure;

/// The endings of images.
pub(super) const IMAGES: [&str; 4] = ["png", "jpg", "jpeg", "webp"];
/// The endings of clips, and of texts.
pub(super) const CLIPS: [&str; 4] = ["mp4", "m4v", "mov", "webm"];
pub(super) const TEXTS: [&str; 3] = ["md", "markdown", "txt"];
/// The endings of images that are not read.
const OTHER_IMAGES: [&str; 9] = ["avif", "heic", "heif", "gif", "tif", "tiff", "bmp", "jxl", "jp2"];
/// The endings of tables.
const TABLES: [&str; 8] = ["csv", "tsv", "jsonl", "ndjson", "json", "xlsx", "gz", "zip"];
/// The depth to which folders are looked into.
const DEEPEST: usize = 6;

/// A folder with images, in the order of names.
#[derive(Debug, Default)]
pub(super) struct Folder {
    pub(super) name: String,
    pub(super) images: Vec<String>,
    pub(super) folders: Vec<Self>,
}

/// The contents of a folder other than images.
#[derive(Debug, Default)]
pub(super) struct Others {
    /// Paths of tables.
    pub(super) tables: Vec<PathBuf>,
    /// Texts with a line for each item.
    pub(super) texts: Vec<PathBuf>,
    /// Images of formats that are not read: how many, and the first.
    pub(super) unread: Option<(usize, String)>,
}

impl Folder {
    /// Looks into a folder for images; if there are none there for clips, and then for texts in folders.
    pub(super) fn look(path: &Path) -> Result<(MediaKind, Self, Others), Failure> {
        let look = |endings: &[&str]| {
            let mut others = Others::default();
            let found = Self::read(path, String::new(), 0, (endings, &mut others))?;
            Ok::<_, Failure>((found, others))
        };
        let (images, others) = look(&IMAGES)?;
        if images.count() > 0 {
            return Ok((MediaKind::Image, images, others));
        }
        let (clips, of_clips) = look(&CLIPS)?;
        if clips.count() > 0 {
            return Ok((MediaKind::Video, clips, of_clips));
        }
        let (texts, of_texts) = look(&TEXTS)?;
        if texts.folders.is_empty() {
            return Ok((MediaKind::Image, images, others));
        }
        // A text next to the folders is a note on them, or a list of prompts.
        Ok((MediaKind::Text, Self { images: Vec::new(), ..texts }, of_texts))
    }

    fn read(
        path: &Path,
        name: String,
        depth: usize,
        (endings, others): (&[&str], &mut Others),
    ) -> Result<Self, Failure> {
        let mut found = Self { name, ..Self::default() };
        for entry in entries(path)? {
            let Some(name) = entry.file_name().map(|name| name.to_string_lossy().into_owned()) else {
                continue;
            };
            let ending = entry.extension().map(|ending| ending.to_string_lossy().to_lowercase());
            let ending = ending.unwrap_or_default();
            if name.starts_with('.') {
                continue;
            }
            if entry.is_dir() {
                // Folders of studies and of their metrics.
                if depth < DEEPEST && ending != "study" && ending != "metrics" {
                    let inner = Self::read(&entry, name, depth + 1, (endings, &mut *others))?;
                    found.folders.extend((inner.count() > 0).then_some(inner));
                }
            } else if endings.contains(&&*ending) {
                found.images.push(name);
            } else if TABLES.contains(&&*ending) && !name.ends_with(".schema.json") {
                others.tables.push(entry);
            } else if ending == "txt" {
                others.texts.push(entry);
            } else if OTHER_IMAGES.contains(&&*ending) {
                others.unread.get_or_insert((0, entry.display().to_string())).0 += 1;
            }
        }
        Ok(found)
    }

    /// The images here and below.
    pub(super) fn count(&self) -> usize {
        self.images.len() + self.folders.iter().map(Self::count).sum::<usize>()
    }

    /// The paths of all images below, as names of folders and of the file.
    pub(super) fn paths(&self) -> Vec<Vec<String>> {
        let own = self.images.iter().map(|image| vec![image.clone()]);
        let inner = self.folders.iter().flat_map(|folder| {
            folder.paths().into_iter().map(|path| [vec![folder.name.clone()], path].concat())
        });
        own.chain(inner).collect()
    }
}

/// The paths in a folder, in the order of their names.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let about = |error: std::io::Error| Failure::about(folder, &error);
    let mut paths = fs::read_dir(folder)
        .map_err(about)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<PathBuf>, _>>()
        .map_err(about)?;
    paths.sort();
    Ok(paths)
}
