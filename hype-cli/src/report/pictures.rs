//! Small pictures of a study's images, its clips, and the beginnings of its texts, for its report.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use hype::StudyFolder;
use hype_core::{Digest, MediaKind, Stimulus};
use hype_images::{Decoding, Encoding, Filter, Framing, decode, encode};
use hype_report::Pictures;

/// The side of a picture, in pixels: sharp on most screens at the size that the report gives it.
const SIDE: u32 = 160;
/// How they are encoded. They are not judged, and a page with hundreds has to stay small.
const ENCODING: Encoding = Encoding::Jpeg { quality: 85 };

/// Characters and lines of a text that a report quotes.
const MOST_CHARACTERS: usize = 400;
const MOST_LINES: usize = 8;

/// Reads stimuli of a study by their paths. They are looked for in the folder of its spec, if that is known, or in the current one,
/// and next to the study's folder. Those that are missing, unreadable or changed since the study began are left out: the report
/// says so, and is written without them.
pub(super) fn read(opened: &StudyFolder, paths: &[Arc<str>]) -> Pictures {
    let study = opened.study();
    let known: HashMap<&str, &Stimulus> =
        study.stimuli().all().iter().map(|stimulus| (&*stimulus.path, stimulus)).collect();
    let folders = [Some(study.folder()), opened.path().parent()];
    let mut pictures = Pictures::default();
    for path in paths {
        let Some(stimulus) = known.get(&**path) else { continue };
        let Some(bytes) = folders.iter().flatten().find_map(|folder| unchanged(folder, stimulus)) else {
            continue;
        };
        match stimulus.media.kind() {
            MediaKind::Image => {
                if let Some(small) = small(stimulus, &bytes) {
                    pictures.add(path, ENCODING.media_type(), &small);
                }
            }
            MediaKind::Video => pictures.add_media(path, None),
            MediaKind::Text => pictures.add_media(path, Some(beginning(&String::from_utf8_lossy(&bytes)))),
        }
    }
    pictures
}

/// The same for the report in the study's own folder, whose viewer of answers shows the files themselves.
pub(super) fn beside(opened: &StudyFolder, paths: &[Arc<str>]) -> Pictures {
    let pictures = read(opened, paths);
    match address(opened) {
        Some(address) => pictures.with_folder(&address),
        None => pictures,
    }
}

/// The folder of the study's files, if its first one is found.
pub(crate) fn folder_of(opened: &StudyFolder) -> Option<&Path> {
    let study = opened.study();
    let first = study.stimuli().all().first()?;
    let folders = [Some(study.folder()), opened.path().parent()];
    folders.into_iter().flatten().find(|folder| folder.join(&*first.path).is_file())
}

/// The address of the folder of the study's files, relative to that of its report; `None` if they are not found.
fn address(opened: &StudyFolder) -> Option<String> {
    let folder = folder_of(opened)?;
    let (to, from) =
        (fs::canonicalize(folder).ok()?, fs::canonicalize(opened.path()).ok()?.join(super::FOLDER));
    let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let mut address = "../".repeat(from.components().count() - shared);
    for part in to.components().skip(shared) {
        let part = part.as_os_str().to_str()?;
        address += &part.replace('%', "%25").replace('#', "%23").replace('?', "%3F");
        address.push('/');
    }
    Some(address)
}

fn unchanged(folder: &Path, stimulus: &Stimulus) -> Option<Vec<u8>> {
    let bytes = fs::read(folder.join(&*stimulus.path)).ok()?;
    (Digest::of(&bytes) == stimulus.digest).then_some(bytes)
}

/// The first lines of a text, with an ellipsis where it goes on.
fn beginning(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}').trim();
    let lines: Vec<&str> = text.lines().take(MOST_LINES).collect();
    let begun: String = lines.join("\n").chars().take(MOST_CHARACTERS).collect();
    if begun.len() < text.len() { format!("{}…", begun.trim_end()) } else { begun }
}

fn small(stimulus: &Stimulus, bytes: &[u8]) -> Option<Vec<u8>> {
    let picture = decode(&stimulus.path, bytes, &Decoding::default()).ok()?.picture;
    let framing = Framing::Within { width: SIDE, height: SIDE };
    let picture = framing.frame(&picture, Filter::Bicubic).ok()?;
    Some(encode(&picture, ENCODING))
}
