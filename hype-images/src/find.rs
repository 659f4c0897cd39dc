//! Resolves glob patterns into files, in one order on every platform.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glob::{MatchOptions, Pattern};

use crate::error::ImageError;
use crate::format::FileFormat;

mod nearest;

/// A file that a pattern matches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FoundFile {
    /// The path relative to the base folder, with `/` between its parts; absolute if the pattern is.
    pub relative: Arc<str>,
    /// The path to open.
    pub path: PathBuf,
}

/// The files that patterns match, each list sorted by the bytes of the relative paths and without repeats.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The wanted files: of images, those whose extension is png, jpg, jpeg or webp, in any letter case.
    pub images: Vec<FoundFile>,
    /// Files with another extension or none: to be reported, not used.
    pub others: Vec<FoundFile>,
}

/// Finds the files that at least one of several patterns matches.
///
/// Patterns are relative to `base`, or absolute if they begin with `/`, and written with `/`: `*` and `?` match
/// characters within one name, `[a-z]` one of several characters, `**` any number of folders. Patterns are
/// case-sensitive. Folders and hidden files are not matched, and hidden folders only if the pattern contains their
/// dot. `**` does not follow symbolic links to folders, which makes the search end.
///
/// # Errors
/// [`ImageError::Pattern`] for a malformed pattern, [`ImageError::NoMatch`] and
/// [`ImageError::NoImages`] for one that finds no images, [`ImageError::NotUtf8`],
/// [`ImageError::BrokenLink`] and [`ImageError::Unreadable`] for files and folders that cannot be used.
///
/// # Examples
/// ```no_run
/// let found = hype_images::find("study".as_ref(), &["images/real/*.png", "more/**/*.jpg"])?;
/// println!("{} images", found.images.len());
/// # Ok::<(), hype_images::ImageError>(())
/// ```
pub fn find<P: AsRef<str>>(base: &Path, patterns: &[P]) -> Result<Found, ImageError> {
    find_named(base, patterns, |name| FileFormat::of_name(name).is_some())
}

/// Finds the files of other media in the manner of [`find`]: `is_wanted` tells by the relative path whether a file is one.
///
/// # Errors
/// As of [`find`]; [`ImageError::NoImages`] for a pattern that finds no wanted files.
pub fn find_named<P: AsRef<str>>(
    base: &Path,
    patterns: &[P],
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Found, ImageError> {
    let mut found = Found::default();
    for pattern in patterns {
        let pattern = pattern.as_ref();
        let parts = parse(pattern)?;
        let mut matched = Vec::new();
        Walk { matched: &mut matched }.folder(&Place::start(base, pattern), &parts)?;
        matched.sort_unstable();
        matched.dedup();
        if matched.is_empty() {
            return Err(nearest::no_match(base, pattern, &parts));
        }
        let (images, others): (Vec<_>, Vec<_>) =
            matched.into_iter().partition(|file| is_wanted(&file.relative));
        if images.is_empty() {
            return Err(ImageError::NoImages {
                pattern: pattern.to_owned(),
                files: others.len(),
                kinds: nearest::tally(others.iter().map(|file| &*file.relative)),
            });
        }
        found.images.extend(images);
        found.others.extend(others);
    }
    for list in [&mut found.images, &mut found.others] {
        list.sort_unstable();
        list.dedup();
    }
    Ok(found)
}

/// One component of a pattern.
enum Part {
    /// A name without wildcards.
    Name(String),
    /// A name with wildcards.
    Wild(Pattern),
    /// `**`.
    Any,
}

/// Wildcards stay within a name and do not match a leading dot.
const OPTIONS: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

fn parse(pattern: &str) -> Result<Vec<Part>, ImageError> {
    let refused =
        |reason: &str| ImageError::Pattern { pattern: pattern.to_owned(), reason: reason.to_owned() };
    let drive = pattern.as_bytes().get(1) == Some(&b':')
        && pattern.starts_with(|first: char| first.is_ascii_alphabetic());
    if drive {
        return Err(refused("it must be relative to the study's folder, or begin with /"));
    }
    if pattern.contains('\\') {
        return Err(refused("write / between folders, on every system"));
    }
    if pattern.contains(['{', '}']) && !pattern.contains("[{]") && !pattern.contains("[}]") {
        return Err(refused("braces are not understood: list several patterns instead"));
    }
    if pattern.contains('\0') {
        return Err(refused("no file name contains a zero byte"));
    }
    let mut parts = Vec::new();
    for name in pattern.split('/') {
        match name {
            "" | "." => {}
            "**" => {
                if !matches!(parts.last(), Some(Part::Any)) {
                    parts.push(Part::Any);
                }
            }
            _ if name.contains(['*', '?', '[']) => {
                let wild = Pattern::new(name).map_err(|error| refused(error.msg))?;
                parts.push(Part::Wild(wild));
            }
            _ => parts.push(Part::Name(name.to_owned())),
        }
    }
    match parts.last() {
        None => return Err(refused("it names no file")),
        // `a/**` means every file below `a`.
        Some(Part::Any) => parts.push(Part::Wild(Pattern::new("*").map_err(|error| refused(error.msg))?)),
        Some(_) => {}
    }
    Ok(parts)
}

/// A folder along a pattern, or a file at its end.
#[derive(Clone)]
struct Place {
    path: PathBuf,
    relative: String,
    /// Whether every name so far is valid UTF-8.
    named: bool,
}

impl Place {
    /// Where a pattern begins: at the root if it is absolute, otherwise in the base folder.
    fn start(base: &Path, pattern: &str) -> Self {
        let (path, relative) = if pattern.starts_with('/') {
            (PathBuf::from("/"), "/".to_owned())
        } else {
            (base.to_path_buf(), String::new())
        };
        Self { path, relative, named: true }
    }

    fn join(&self, name: &std::ffi::OsStr) -> Self {
        let mut relative = self.relative.clone();
        if !relative.is_empty() && !relative.ends_with('/') {
            relative.push('/');
        }
        relative.push_str(&name.to_string_lossy());
        Self {
            // An empty base is the current folder, and joins without a leading slash.
            path: self.path.join(name),
            relative,
            named: self.named && name.to_str().is_some(),
        }
    }

    /// The name of this folder in messages.
    fn shown(&self) -> String {
        if self.relative.is_empty() { self.path.display().to_string() } else { self.relative.clone() }
    }

    fn unreadable(&self, source: io::Error) -> ImageError {
        ImageError::Unreadable { path: self.shown(), source }
    }
}

/// An entry of a folder, with its type as listed.
struct Entry {
    place: Place,
    kind: fs::FileType,
}

/// The entries of a folder, sorted; empty if the folder does not exist.
fn entries(folder: &Place) -> Result<Vec<Entry>, ImageError> {
    let path = if folder.path.as_os_str().is_empty() { Path::new(".") } else { &folder.path };
    let mut entries = Vec::new();
    let listed = match fs::read_dir(path) {
        Ok(listed) => listed,
        Err(source) if absent(&source) => return Ok(entries),
        Err(source) => return Err(folder.unreadable(source)),
    };
    for entry in listed {
        let entry = entry.map_err(|source| folder.unreadable(source))?;
        let place = folder.join(&entry.file_name());
        let kind = entry.file_type().map_err(|source| place.unreadable(source))?;
        entries.push(Entry { place, kind });
    }
    // Sorting makes the reported error the same if there are several.
    entries.sort_unstable_by(|a, b| a.place.path.cmp(&b.place.path));
    Ok(entries)
}

/// The target of a link, or an error if it is broken.
fn target(place: &Place) -> Result<fs::Metadata, ImageError> {
    fs::metadata(&place.path).map_err(|source| {
        if source.kind() == io::ErrorKind::NotFound {
            ImageError::BrokenLink { path: place.shown() }
        } else {
            place.unreadable(source)
        }
    })
}

struct Walk<'a> {
    matched: &'a mut Vec<FoundFile>,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Place, parts: &[Part]) -> Result<(), ImageError> {
        let Some((part, rest)) = parts.split_first() else {
            return Ok(());
        };
        match part {
            Part::Name(name) => self.named(&folder.join(name.as_ref()), rest),
            Part::Wild(pattern) => {
                for entry in entries(folder)? {
                    let name = entry.place.path.file_name().unwrap_or_default();
                    if pattern.matches_with(&name.to_string_lossy(), OPTIONS) {
                        self.entry(&entry, rest)?;
                    }
                }
                Ok(())
            }
            Part::Any => {
                self.folder(folder, rest)?;
                for entry in entries(folder)? {
                    if entry.kind.is_dir() && !hidden(&entry.place) {
                        self.folder(&entry.place, parts)?;
                    }
                }
                Ok(())
            }
        }
    }

    fn named(&mut self, place: &Place, rest: &[Part]) -> Result<(), ImageError> {
        match fs::symlink_metadata(&place.path) {
            Ok(found) => {
                let kind = found.file_type();
                let place =
                    Place { path: place.path.clone(), relative: place.relative.clone(), named: place.named };
                self.entry(&Entry { place, kind }, rest)
            }
            Err(source) if absent(&source) => Ok(()),
            Err(source) => Err(place.unreadable(source)),
        }
    }

    fn entry(&mut self, entry: &Entry, rest: &[Part]) -> Result<(), ImageError> {
        let Entry { place, kind } = entry;
        if rest.is_empty() {
            if hidden(place) {
                return Ok(());
            }
            if kind.is_file() || (kind.is_symlink() && target(place)?.is_file()) {
                if !place.named {
                    return Err(ImageError::NotUtf8 { path: place.shown() });
                }
                self.matched
                    .push(FoundFile { relative: place.relative.as_str().into(), path: place.path.clone() });
            }
            return Ok(());
        }
        if kind.is_dir() || (kind.is_symlink() && target(place)?.is_dir()) {
            self.folder(place, rest)?;
        }
        Ok(())
    }
}

fn hidden(place: &Place) -> bool {
    place.path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// Whether an error means that there is nothing of this name.
fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
