//! The images in a folder, and in the folders within it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hype_core::MediaKind;
use hype_core::words::counted;

use super::kind::{Kind, is_note, key};
use crate::failure::Failure;

/// The endings of images.
pub(super) const IMAGES: [&str; 4] = ["png", "jpg", "jpeg", "webp"];
/// The endings of clips, and of texts.
pub(super) const CLIPS: [&str; 4] = ["mp4", "m4v", "mov", "webm"];
pub(super) const TEXTS: [&str; 3] = ["md", "markdown", "txt"];
/// The endings of images that are not read.
const OTHER_IMAGES: [&str; 9] = ["avif", "heic", "heif", "gif", "tif", "tiff", "bmp", "jxl", "jp2"];
/// The endings of clips that are not read. One is that of images, too.
const OTHER_CLIPS: [&str; 12] =
    ["gif", "avi", "mkv", "wmv", "flv", "mpg", "mpeg", "mts", "m2ts", "3gp", "ogv", "mxf"];
/// The endings of tables.
const TABLES: [&str; 8] = ["csv", "tsv", "jsonl", "ndjson", "json", "xlsx", "gz", "zip"];
/// The endings of folders of studies and of their metrics.
const OF_STUDIES: [&str; 3] = ["study", "simulated", "metrics"];
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
    /// Paths of images and clips of formats that are not read.
    pub(super) unread: Vec<PathBuf>,
    /// Media of another kind than that of the study, in words.
    pub(super) left: Option<String>,
}

impl Others {
    /// The files that are not read, with the command that converts them.
    pub(super) fn unread(&self, kind: MediaKind) -> Vec<String> {
        let ending = |path: &Path| path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let is_clip = |path: &&PathBuf| match &*ending(path) {
            "gif" => kind == MediaKind::Video,
            other => OTHER_CLIPS.contains(&other),
        };
        let (clips, images): (Vec<_>, Vec<_>) = self.unread.iter().partition(is_clip);
        let line = |noun: &str, paths: &[&PathBuf], convert: &dyn Fn(&Path) -> String| {
            let first = paths.first()?;
            let (formats, them) =
                if paths.len() == 1 { ("another format", "it") } else { ("other formats", "them") };
            let (count, shown) = (counted(paths.len(), noun), first.display());
            Some(format!("{count} of {formats}, such as {shown}: convert {them}{}", convert(first)))
        };
        let to_mp4 = |path: &Path| {
            let to = path.with_extension("mp4");
            format!(", as by `ffmpeg -i {path:?} -an -c:v libx264 -crf 12 -pix_fmt yuv420p {to:?}`")
        };
        let to_png = |path: &Path| match &*ending(path) {
            "gif" => format!(" to png, or what moves to clips{}", to_mp4(path)),
            _ => " to png".to_owned(),
        };
        [line("clip", &clips, &to_mp4), line("image", &images, &to_png)].into_iter().flatten().collect()
    }
}

impl Folder {
    /// Looks into a folder for images and clips, and then for texts in folders. Clips come before images that are their previews
    /// or conditions.
    pub(super) fn look(path: &Path) -> Result<(MediaKind, Self, Others), Failure> {
        let look = |endings: &[&str]| {
            let mut others = Others::default();
            let found = Self::read(path, String::new(), 0, (endings, &mut others))?;
            Ok::<_, Failure>((found, others))
        };
        let (images, others) = look(&IMAGES)?;
        let (clips, of_clips) = look(&CLIPS)?;
        if clips.count() > 0 && 2 * images.count_previews(&clips) >= images.count() {
            let left = images.left("image", "they are previews or conditions of the clips");
            return Ok((MediaKind::Video, clips, Others { left, ..of_clips }));
        }
        if images.count() > 0 {
            let left = clips.left("clip", "there are images");
            return Ok((MediaKind::Image, images, Others { left, ..others }));
        }
        let (texts, mut of_texts) = look(&TEXTS)?;
        if texts.folders.is_empty() {
            return Ok((MediaKind::Image, images, others));
        }
        // A text next to the folders is a note on them, or a list of prompts.
        of_texts.texts.extend(texts.images.iter().filter(|name| !is_note(name)).map(|name| path.join(name)));
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
                if depth < DEEPEST && !OF_STUDIES.contains(&&*ending) {
                    let inner = Self::read(&entry, name, depth + 1, (endings, &mut *others))?;
                    found.folders.extend((inner.count() > 0).then_some(inner));
                }
            } else if endings.contains(&&*ending) {
                found.images.push(name);
            } else if TABLES.contains(&&*ending) && !name.ends_with(".schema.json") {
                others.tables.push(entry);
            } else if ending == "txt" && !is_note(&name) {
                others.texts.push(entry);
            } else if OTHER_IMAGES.contains(&&*ending) || OTHER_CLIPS.contains(&&*ending) {
                others.unread.push(entry);
            }
        }
        Ok(found)
    }

    /// The images here and below.
    pub(super) fn count(&self) -> usize {
        self.images.len() + self.folders.iter().map(Self::count).sum::<usize>()
    }

    /// The number of images that have the name of a clip in the same folder, or are conditions.
    fn count_previews(&self, clips: &Self) -> usize {
        let names: BTreeSet<String> = clips.paths().iter().map(|path| key(path)).collect();
        let is_preview = |path: &&Vec<String>| {
            let is_condition = |folder: &String| Kind::of(folder) == Kind::Conditions;
            names.contains(&key(path)) || path[..path.len() - 1].iter().any(is_condition)
        };
        self.paths().iter().filter(is_preview).count()
    }

    /// The words on media that are not used, if there are any.
    fn left(&self, noun: &str, why: &str) -> Option<String> {
        let first = self.paths().first()?.join("/");
        Some(format!("{}, such as {first}: {why}", counted(self.count(), noun)))
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
