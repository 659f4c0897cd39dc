//! Clips without what tells their origin, padded to lengths that many share, and texts as HTML from an allow-list, with masks
//! where a task shows them briefly.

use std::fs;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hype_core::protocol::playback::Unequal;
use hype_core::words::cut;
use hype_core::{Media, Stimulus, StimulusId, Study};
use hype_images::{ContentDigest, replace_file};
use hype_media::text::{Syntax, document, render, scramble};
use hype_media::video::{REWRITING_VERSION, Rewriting, buckets, rewrite};

use super::{MASKS_OF_TEXT, PreparationStep, PreparedImages};
use crate::web::service::image_source::ImageSource;
use crate::web::settings::Page;

/// The prepared clips or texts of a study, with the images of its conditions and examples.
#[derive(Debug)]
pub struct PreparedMedia {
    images: PreparedImages,
    files: Vec<ReadyFile>,
}

/// A stimulus as it is sent.
#[derive(Debug)]
enum ReadyFile {
    /// The image of a condition, by its number among the images.
    Image(StimulusId),
    /// A clip, with the size that it is shown at.
    Clip { path: PathBuf, size: (u32, u32) },
    /// A text as HTML, with the characters of a plain one, and with its masks if the task shows any.
    Text { html: Arc<[u8]>, characters: u32, masks: Vec<Arc<[u8]>> },
}

/// The media type of texts. The page takes from them what its list allows; no browser shows them as pages.
const TEXT: &str = "text/plain; charset=utf-8";

/// The number of faults in a message.
const FAULTS_SHOWN: usize = 3;

impl PreparedMedia {
    /// Prepares the stimuli of a study of clips or texts, and the images of its conditions and examples. Clips that are already in
    /// the folder are reused. `progress` receives the step, the number done, and the number of all.
    ///
    /// # Errors
    /// All files that cannot be read, or have changed since the study was opened, in words.
    pub fn prepare(
        study: &Study,
        page: &Page,
        folder: &Path,
        progress: &(dyn Fn(PreparationStep, usize, usize) + Sync),
    ) -> Result<Self, String> {
        let images = PreparedImages::prepare(study, page, folder, progress)
            .and_then(|images| images.with_examples(study, page, folder))
            .map_err(|faults| faults.to_string())?;
        let all = study.stimuli().all();
        let clips = lengths(study, progress)?;
        let padded = buckets(&clips.iter().map(|(_, length)| *length).collect::<Vec<_>>());
        let mut clips = clips.into_iter().map(|(id, _)| id).zip(padded).peekable();
        let (mut files, mut faults, mut shown) = (Vec::with_capacity(all.len()), Vec::new(), 0);
        for (number, stimulus) in all.iter().enumerate() {
            let ready = match stimulus.media {
                Media::Image { .. } => {
                    shown += 1;
                    Ok(ReadyFile::Image(StimulusId(shown - 1)))
                }
                Media::Video { width, height, .. } => {
                    let length = clips.next_if(|(id, _)| *id == number).map_or(0, |(_, length)| length);
                    clip(study, stimulus, length, folder)
                        .map(|path| ReadyFile::Clip { path, size: (width, height) })
                }
                Media::Text { .. } => text(study, stimulus).map(|(html, characters)| {
                    let masks = masks_of(study, number, &html);
                    ReadyFile::Text { html: html.into_bytes().into(), characters, masks }
                }),
            };
            match ready {
                Ok(file) => files.push(file),
                Err(fault) => faults.push(fault),
            }
            progress(PreparationStep::Images, number + 1, all.len());
        }
        if faults.is_empty() { Ok(Self { images, files }) } else { Err(cut(faults, FAULTS_SHOWN, "; ")) }
    }
}

/// The bytes of a stimulus, which are those that the study was opened with.
fn read(study: &Study, stimulus: &Stimulus) -> Result<Vec<u8>, String> {
    let bytes = fs::read(study.folder().join(&*stimulus.path))
        .map_err(|error| format!("{} cannot be read: {error}", stimulus.path))?;
    if ContentDigest::of(&bytes).0 != stimulus.digest.0 {
        return Err(format!("{} has changed since the study was opened", stimulus.path));
    }
    Ok(bytes)
}

/// The lengths of clips once they are rewritten, by the number of the stimulus.
fn lengths(
    study: &Study,
    progress: &(dyn Fn(PreparationStep, usize, usize) + Sync),
) -> Result<Vec<(usize, u64)>, String> {
    let all = study.stimuli().all();
    let (mut lengths, mut faults) = (Vec::new(), Vec::new());
    for (number, stimulus) in all.iter().enumerate() {
        if !matches!(stimulus.media, Media::Video { .. }) {
            continue;
        }
        match read(study, stimulus).and_then(|bytes| rewritten(study, stimulus, &bytes, None)) {
            Ok(clip) => lengths.push((number, clip.len() as u64)),
            Err(fault) => faults.push(fault),
        }
        progress(PreparationStep::Clips, number + 1, all.len());
    }
    if faults.is_empty() { Ok(lengths) } else { Err(cut(faults, FAULTS_SHOWN, "; ")) }
}

/// The number of frames to which a clip is cut; `None` if it is shown whole.
fn cut_to(study: &Study, stimulus: &Stimulus) -> Option<u32> {
    let is_cut = study.playback().unequal == Unequal::Cut && stimulus.item.is_some();
    match stimulus.media {
        Media::Video { frames, .. } if is_cut => Some(frames),
        _ => None,
    }
}

fn rewritten(
    study: &Study,
    stimulus: &Stimulus,
    bytes: &[u8],
    pad_to: Option<u64>,
) -> Result<Vec<u8>, String> {
    let options = Rewriting { pad_to, cut_to_frames: cut_to(study, stimulus), ..Rewriting::default() };
    rewrite(&stimulus.path, bytes, options).map_err(|error| error.to_string())
}

/// Writes a clip of this length into the folder, unless it is there.
fn clip(study: &Study, stimulus: &Stimulus, length: u64, folder: &Path) -> Result<PathBuf, String> {
    let cut = cut_to(study, stimulus).map_or_else(String::new, |frames| format!("-{frames}"));
    let path = folder.join(format!("{}{cut}-{length}-v{REWRITING_VERSION}.mp4", stimulus.digest));
    if fs::metadata(&path).is_ok_and(|found| found.len() == length) {
        return Ok(path);
    }
    let clip = rewritten(study, stimulus, &read(study, stimulus)?, Some(length))?;
    let written =
        fs::create_dir_all(folder).and_then(|()| replace_file(&path, |mut file| file.write_all(&clip)));
    written.map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    Ok(path)
}

/// A text as HTML, and the number of characters of a plain one.
fn text(study: &Study, stimulus: &Stimulus) -> Result<(String, u32), String> {
    let bytes = read(study, stimulus)?;
    let syntax = Syntax::of_name(&stimulus.path).unwrap_or(Syntax::Plain);
    let prepared = document(&stimulus.path, &bytes).and_then(|text| {
        let html = render(&stimulus.path, &text, syntax)?;
        let characters = if syntax == Syntax::Plain { text.chars().count() } else { 0 };
        Ok((html, u32::try_from(characters).unwrap_or(u32::MAX)))
    });
    prepared.map_err(|error| error.to_string())
}

/// The masks of a text, made in one way whatever its origin is; empty if the task shows none.
fn masks_of(study: &Study, text: usize, html: &str) -> Vec<Arc<[u8]>> {
    if !study.profile().pace.masks {
        return Vec::new();
    }
    let numbers = (text as u64 * u64::from(MASKS_OF_TEXT)..).take(MASKS_OF_TEXT as usize);
    let seed = |number: u64| study.chance().child("mask", number).seed("letters");
    numbers.map(|number| scramble(html, seed(number)).into_bytes().into()).collect()
}

impl ImageSource for PreparedMedia {
    fn media_type(&self) -> &'static str {
        self.images.media_type()
    }

    fn media_type_of(&self, id: StimulusId) -> &'static str {
        match self.files.get(id.0 as usize) {
            Some(ReadyFile::Clip { .. }) => "video/mp4",
            Some(ReadyFile::Text { .. }) => TEXT,
            _ => self.media_type(),
        }
    }

    fn media_type_of_masks(&self) -> &'static str {
        TEXT
    }

    fn stimulus(&self, id: StimulusId) -> io::Result<Vec<u8>> {
        match self.files.get(id.0 as usize).ok_or(io::ErrorKind::NotFound)? {
            ReadyFile::Image(id) => self.images.stimulus(*id),
            ReadyFile::Clip { path, .. } => fs::read(path),
            ReadyFile::Text { html, .. } => Ok(html.to_vec()),
        }
    }

    fn path(&self, id: StimulusId) -> Option<&Path> {
        match self.files.get(id.0 as usize) {
            Some(ReadyFile::Clip { path, .. }) => Some(path),
            _ => None,
        }
    }

    fn size(&self, id: StimulusId) -> (u32, u32) {
        match self.files.get(id.0 as usize) {
            Some(ReadyFile::Image(id)) => self.images.size(*id),
            Some(ReadyFile::Clip { size, .. }) => *size,
            _ => (0, 0),
        }
    }

    fn characters(&self, id: StimulusId) -> u32 {
        match self.files.get(id.0 as usize) {
            Some(ReadyFile::Text { characters, .. }) => *characters,
            _ => 0,
        }
    }

    fn masks(&self, id: StimulusId) -> Range<u32> {
        let first = id.0.saturating_mul(MASKS_OF_TEXT);
        match self.files.get(id.0 as usize) {
            Some(ReadyFile::Text { masks, .. }) if !masks.is_empty() => {
                first..first.saturating_add(MASKS_OF_TEXT)
            }
            _ => 0..0,
        }
    }

    fn example(&self, position: usize) -> io::Result<Vec<u8>> {
        self.images.example(position)
    }

    fn example_size(&self, position: usize) -> (u32, u32) {
        self.images.example_size(position)
    }

    fn mask(&self, number: u32) -> io::Result<Vec<u8>> {
        let (text, own) = (number / MASKS_OF_TEXT, number % MASKS_OF_TEXT);
        match self.files.get(text as usize) {
            Some(ReadyFile::Text { masks, .. }) => masks.get(own as usize).map(|mask| mask.to_vec()),
            _ => None,
        }
        .ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}
