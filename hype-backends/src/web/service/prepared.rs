//! Images as `hype_images` prepares them: decoded, brought to one size, encoded alike, padded to one length.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use hype_core::{StimulusId, Study};
use hype_images::{ContentDigest, Faults, Framing, Original, PADDING_BYTES, PrepareRule, Prepared, pad};

use crate::web::service::pictures::Pictures;
use crate::web::settings::{Fit, Resize};

mod masks;

/// The images of a study in a folder of prepared files, with the masks that follow them.
#[derive(Debug)]
pub struct PreparedPictures {
    stimuli: Vec<Prepared>,
    masks: Vec<Prepared>,
    /// The stimuli that masks were made from, by their places; none where the masks were given.
    sources: Vec<usize>,
    /// How many masks belong to each stimulus; 0 where any mask follows any of them.
    own: u32,
    /// The length of every image as it is sent.
    length: usize,
}

/// What is being prepared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparing {
    /// The images that are judged, and the conditions beside them.
    Images,
    /// The masks.
    Masks,
}

impl Preparing {
    /// What people call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Images => "images",
            Self::Masks => "masks",
        }
    }
}

impl PreparedPictures {
    /// Prepares the images and masks of a study in parallel, each content once; what the folder has is not made again.
    /// `progress` is told what is being prepared, how many are done, and how many there are.
    ///
    /// # Errors
    /// All images that cannot be read or are no longer what the study was opened with, or of which no mask can be made.
    pub fn prepare(
        study: &Study,
        resize: Option<Resize>,
        folder: &Path,
        progress: &(dyn Fn(Preparing, usize, usize) + Sync),
    ) -> Result<Self, Faults> {
        let rule = PrepareRule { framing: framing(resize), ..PrepareRule::default() };
        let originals: Vec<Original> = study
            .stimuli()
            .all()
            .iter()
            .map(|stimulus| Original {
                name: Arc::clone(&stimulus.path),
                path: study.folder().join(&*stimulus.path),
                digest: ContentDigest(stimulus.digest.0),
            })
            .collect();
        let images = |done| progress(Preparing::Images, done, originals.len());
        let stimuli = hype_images::prepare(&originals, &rule, folder, &images)?;
        let masks::Masks { masks, sources, own } = masks::prepare(study, &stimuli, &rule, folder, progress)?;
        let longest = stimuli.iter().chain(&masks).map(|one| one.bytes).max().unwrap_or(0);
        let length = usize::try_from(longest).unwrap_or(usize::MAX).saturating_add(PADDING_BYTES);
        Ok(Self { stimuli, masks, sources, own, length })
    }

    /// The stimuli as prepared, in the study's order.
    #[must_use]
    pub fn stimuli(&self) -> &[Prepared] {
        &self.stimuli
    }

    /// The masks as prepared.
    #[must_use]
    pub fn masks(&self) -> &[Prepared] {
        &self.masks
    }

    /// The stimulus that a mask was made from; nothing for masks that were given.
    #[must_use]
    pub fn source_of_mask(&self, number: usize) -> Option<&Prepared> {
        self.stimuli.get(*self.sources.get(number)?)
    }

    fn read(&self, prepared: Option<&Prepared>) -> std::io::Result<Vec<u8>> {
        let prepared = prepared.ok_or(std::io::ErrorKind::NotFound)?;
        let bytes = prepared.read().map_err(std::io::Error::other)?;
        let own = bytes.len();
        let padded = pad(bytes, self.length)
            .ok_or_else(|| std::io::Error::other("a prepared image is longer than all of them"))?;
        // The image was digested to be sure of it, which took as long as it is by itself. With its padding digested
        // as well, all take as long, and how long one takes to load tells no more than how long it is.
        std::hint::black_box(ContentDigest::of(&padded[own..]));
        Ok(padded)
    }
}

impl Pictures for PreparedPictures {
    fn stimulus(&self, id: StimulusId) -> std::io::Result<Vec<u8>> {
        self.read(self.stimuli.get(id.0 as usize))
    }

    fn size(&self, id: StimulusId) -> (u32, u32) {
        self.stimuli.get(id.0 as usize).map_or((0, 0), |one| (one.width, one.height))
    }

    fn masks(&self, id: StimulusId) -> Range<u32> {
        let all = u32::try_from(self.masks.len()).unwrap_or(u32::MAX);
        match self.own {
            0 => 0..all,
            each => {
                let first = id.0.saturating_mul(each).min(all);
                first..first.saturating_add(each).min(all)
            }
        }
    }

    fn mask(&self, number: u32) -> std::io::Result<Vec<u8>> {
        self.read(self.masks.get(number as usize))
    }
}

fn framing(resize: Option<Resize>) -> Framing {
    match resize {
        None => Framing::Whole,
        Some(Resize { fit: Fit::Within, width, height }) => Framing::Within { width, height },
        Some(Resize { fit: Fit::Cover, width, height }) => Framing::Cover { width, height },
        Some(Resize { fit: Fit::Exact, width, height }) => Framing::Exact { width, height },
    }
}
