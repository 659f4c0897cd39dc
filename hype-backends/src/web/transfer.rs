//! How much raters download, and how long that takes, worked out before there are raters.

use std::collections::HashSet;
use std::fs;

use hype_core::study::spec::MaskedFrom;
use hype_core::{Diagnostics, Media, MediaKind, StimulusId, Study};
use hype_images::{PADDING_BYTES, PrepareRule, estimated_length};

use crate::web::layout::preview::visit;
use crate::web::service::cached_session::MASKS_IN_BLOCK;
use crate::web::service::prepared::{MASKS_OF_TEXT, originals};
use crate::web::settings::{Encode, Page, framing};

/// Bits per second of the line that times are stated for: a slow connection at home.
const LINE: f64 = 10e6;

/// The seconds of loading a trial above which a study is warned of.
pub(super) const PATIENCE: f64 = 2.0;

/// The amount that raters download. Lengths are estimated from a sample of the images.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transfer {
    /// The kind of media.
    pub kind: MediaKind,
    /// The length of every image as sent, or of the longest clip or text, in bytes.
    pub image: u64,
    /// The duration of the longest clip in seconds; 0 without clips.
    pub plays: f64,
    /// The number of images, clips or texts in the largest untimed trial; 0 if every trial is timed.
    pub trial: usize,
    /// The number of images and masks in the largest timed block, which is loaded whole; 0 if no trial is timed.
    pub block: usize,
    /// The number of trials in that block.
    pub block_trials: u32,
}

impl Transfer {
    /// Estimates what raters of a study download.
    ///
    /// `None` if images of the sample cannot be read, which preparing them reports.
    #[must_use]
    pub fn of(study: &Study, page: &Page) -> Option<Self> {
        let kind = study.stimuli().kind();
        let image = if kind.is_image() { prepared_length(study, page)? } else { longest_file(study)? };
        let mut found = Self { kind, image, plays: longest_clip(study), trial: 0, block: 0, block_trials: 0 };
        visit(study, |session, trial| {
            if trial.exposure().is_none() {
                let images: HashSet<StimulusId> = trial.all_stimuli().collect();
                found.trial = found.trial.max(images.len());
            } else if trial.in_block == 0 {
                let images: HashSet<StimulusId> = session.upcoming().into_iter().collect();
                let block = images.len() + masks(study, images.len());
                if block > found.block {
                    (found.block, found.block_trials) = (block, trial.block_trials);
                }
            }
        });
        Some(found)
    }

    /// The bytes of the largest untimed trial; `None` if every trial is timed.
    #[must_use]
    pub fn trial_bytes(&self) -> Option<u64> {
        (self.trial > 0).then(|| self.image * self.trial as u64)
    }

    /// The bytes of the largest timed block; `None` if no trial is timed.
    #[must_use]
    pub fn block_bytes(&self) -> Option<u64> {
        (self.block > 0).then(|| self.image * self.block as u64)
    }

    /// The seconds that bytes take at 10 Mbit/s.
    #[must_use]
    pub fn seconds(bytes: u64) -> f64 {
        bytes as f64 * 8.0 / LINE
    }

    /// The megabits per second at which the clips of the next trial are loaded while those of a trial play; `None` without clips.
    #[must_use]
    pub fn keeps_up(&self) -> Option<f64> {
        let bytes = self.trial_bytes().filter(|_| self.plays > 0.0)?;
        Some(bytes as f64 * 8e-6 / self.plays)
    }

    /// Bytes, and how long they take, in words.
    #[must_use]
    pub fn words(bytes: u64) -> String {
        let seconds = Self::seconds(bytes);
        let time = if seconds < 0.1 { "under 0.1 s".to_owned() } else { format!("{seconds:.1} s") };
        format!("about {}, {time} at 10 Mbit/s", size(bytes))
    }

    /// Warns if a trial takes more than 2 s to load, at the backend's field that makes images smaller. Clips may take as much longer
    /// as the longest plays, since those of the next trial are loaded meanwhile.
    pub fn review(&self, at: &mut Diagnostics) {
        let of_block = self.block_bytes().map(|bytes| bytes / u64::from(self.block_trials.max(1)));
        let Some(bytes) = self.trial_bytes().max(of_block) else { return };
        let seconds = Self::seconds(bytes);
        if seconds <= PATIENCE + self.plays {
            return;
        }
        let message = format!(
            "the {} of a trial take about {seconds:.1} s to load at 10 Mbit/s, {} for each trial",
            self.kind.plural(),
            size(bytes)
        );
        let (field, help) = match self.kind {
            MediaKind::Image => (
                "resize",
                "`resize` them; or use `encode: { kind: jpeg, quality: 90 }` if compression cannot change what is judged",
            ),
            _ => ("kind", "encode them at a lower bit rate, or tell raters that they need a fast connection"),
        };
        at.field(field).warning("slow-trials", message).help(help);
    }
}

/// The length of every prepared image; `None` if images of the sample cannot be read.
fn prepared_length(study: &Study, page: &Page) -> Option<u64> {
    let rule = PrepareRule { framing: framing(page.resize), ..PrepareRule::default() };
    let length = estimated_length(&originals(study), &rule, page.encode.and_then(Encode::encoding))?;
    Some(length + PADDING_BYTES as u64)
}

/// The length of the longest file of clips or texts; `None` if one cannot be read.
fn longest_file(study: &Study) -> Option<u64> {
    let files = study.stimuli().all().iter().filter(|stimulus| !stimulus.media.kind().is_image());
    let lengths = files.map(|stimulus| Some(fs::metadata(study.folder().join(&*stimulus.path)).ok()?.len()));
    lengths.collect::<Option<Vec<u64>>>()?.into_iter().max()
}

/// The duration of the longest clip in seconds.
fn longest_clip(study: &Study) -> f64 {
    let durations = study.stimuli().all().iter().map(|stimulus| match stimulus.media {
        Media::Video { duration_us, .. } => duration_us as f64 / 1e6,
        _ => 0.0,
    });
    durations.fold(0.0, f64::max)
}

/// Bytes in words.
fn size(bytes: u64) -> String {
    if bytes < 100_000 {
        format!("{:.0} kB", (bytes as f64 / 1e3).ceil())
    } else {
        format!("{:.1} MB", bytes as f64 / 1e6)
    }
}

/// The number of masks in a block with this many images.
fn masks(study: &Study, images: usize) -> usize {
    if !study.profile().pace.masks {
        return 0;
    }
    if study.stimuli().kind() == MediaKind::Text {
        return MASKS_OF_TEXT as usize * images;
    }
    let spec = study.spec().protocol.masks.clone().unwrap_or_default();
    let count = (spec.count.get() as usize).min(MASKS_IN_BLOCK);
    match spec.from {
        MaskedFrom::Pool => count,
        MaskedFrom::Own => count * images,
    }
}
