//! The files of a submission: a folder, or an archive within limits.

use std::fs;
use std::path::Path;

use hype_pipeline::files::zip;

use crate::error::BoardError;

/// The largest number of files in an archive or a folder.
const MOST_FILES: usize = 100_000;
const LARGEST_FILE: u64 = 64 << 20;
const MOST_BYTES: u64 = 16 << 30;
/// Images are compressed already: more says that an archive is meant to fill the disk.
const MOST_COMPRESSED: u64 = 200;
/// Below this size any ratio is harmless.
const SMALL: u64 = 1 << 20;

/// Hands over each image of a folder or an archive, one after the other.
///
/// # Errors
/// Returns the fault, with the file's name.
pub(crate) fn each_file(
    source: &Path,
    mut visit: impl FnMut(&str, Vec<u8>) -> Result<(), BoardError>,
) -> Result<(), BoardError> {
    if source.is_dir() {
        let mut paths: Vec<_> = fs::read_dir(source)
            .map_err(BoardError::disk(source))?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()
            .map_err(BoardError::disk(source))?;
        paths.sort();
        check_count(source, paths.len())?;
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with('.') {
                continue;
            }
            let about = fs::symlink_metadata(&path).map_err(BoardError::disk(&path))?;
            if !about.is_file() {
                return Err(refused(
                    source,
                    &format!("{name} is not a file: put the images alone into the folder"),
                ));
            }
            check_size(source, &name, about.len())?;
            visit(&name, fs::read(&path).map_err(BoardError::disk(&path))?)?;
        }
        return Ok(());
    }
    let length = fs::metadata(source).map_err(BoardError::disk(source))?.len();
    if length > MOST_BYTES {
        return Err(refused(source, &format!("it has {length} bytes, and {MOST_BYTES} are allowed")));
    }
    let bytes = fs::read(source).map_err(BoardError::disk(source))?;
    let entries = zip::entries(&bytes).map_err(|reason| refused(source, &reason))?;
    check_count(source, entries.len())?;
    let mut total = 0_u64;
    for entry in &entries {
        total = total.saturating_add(entry.size());
        if total > MOST_BYTES {
            return Err(refused(source, &format!("its files would have more than {MOST_BYTES} bytes")));
        }
        if entry.size() > SMALL && entry.size() / MOST_COMPRESSED > entry.compressed() {
            return Err(refused(
                source,
                &format!(
                    "{:?} would become {} times as large, which no image does",
                    entry.name, MOST_COMPRESSED
                ),
            ));
        }
        check_size(source, &entry.name, entry.size())?;
    }
    for entry in &entries {
        let Some(name) = plain_name(source, &entry.name)? else { continue };
        visit(name, entry.content(&bytes).map_err(|reason| refused(source, &reason))?)?;
    }
    Ok(())
}

/// The name of an archive's file, within at most one folder; `None` for folders and what systems add.
fn plain_name<'a>(source: &Path, name: &'a str) -> Result<Option<&'a str>, BoardError> {
    if name.ends_with('/') || name.starts_with("__MACOSX/") {
        return Ok(None);
    }
    let parts: Vec<&str> = name.split('/').collect();
    let is_plain =
        |part: &&str| !part.is_empty() && !matches!(*part, "." | "..") && !part.contains(['\\', ':', '\0']);
    match &parts[..] {
        [file] | [_, file] if parts.iter().all(is_plain) => Ok((!file.starts_with('.')).then_some(*file)),
        _ => Err(refused(
            source,
            &format!("{name:?}: images lie in the archive itself, or in one folder of it"),
        )),
    }
}

fn check_count(source: &Path, count: usize) -> Result<(), BoardError> {
    if count <= MOST_FILES {
        return Ok(());
    }
    Err(refused(source, &format!("it has {count} files, and {MOST_FILES} are allowed")))
}

fn check_size(source: &Path, name: &str, size: u64) -> Result<(), BoardError> {
    if size <= LARGEST_FILE {
        return Ok(());
    }
    Err(refused(source, &format!("{name:?} has {size} bytes, and {LARGEST_FILE} are allowed")))
}

fn refused(source: &Path, reason: &str) -> BoardError {
    BoardError::damaged(source, &reason)
}
