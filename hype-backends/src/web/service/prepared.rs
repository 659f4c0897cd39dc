//! Images as `hype_images` prepares them: decoded, resized, encoded by one encoder and padded to one length.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hype_core::{Stimulus, StimulusId, Study};
use hype_images::{
    ContentDigest, Encoding, Faults, Original, PADDING_BYTES, PrepareRule, Prepared, inspect, pad,
    smaller_lossless,
};

use crate::web::service::image_source::ImageSource;
use crate::web::settings::{Encode, Page, framing};

mod masks;
#[cfg(feature = "media")]
pub(crate) mod media;

/// The masks of each text, which follow it in turn: other letters in each place are seen to change.
pub(crate) const MASKS_OF_TEXT: u32 = 2;

/// The prepared images of a study and their masks, in a folder.
#[derive(Debug)]
pub struct PreparedImages {
    stimuli: Vec<Prepared>,
    masks: Vec<Prepared>,
    /// The examples in the instructions.
    examples: Vec<Prepared>,
    /// The index of the stimulus that each mask was made from; empty if the author provides the masks.
    sources: Vec<usize>,
    /// The number of masks of each stimulus; 0 if any mask may follow any stimulus.
    own: u32,
    /// The encoding of every image.
    encoding: Encoding,
    /// The length of every image in bytes, as sent.
    length: usize,
}

/// A step of the preparation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreparationStep {
    /// Stimuli and conditions.
    Images,
    /// The masks.
    Masks,
    /// The lengths of clips.
    Clips,
}

impl PreparationStep {
    /// The step's name in a progress display.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Images => "images",
            Self::Masks => "masks",
            Self::Clips => "clips",
        }
    }
}

/// The files of a study's images.
pub(crate) fn originals(study: &Study) -> Vec<Original> {
    let original = |stimulus: &Stimulus| Original {
        name: Arc::clone(&stimulus.path),
        path: study.folder().join(&*stimulus.path),
        digest: ContentDigest(stimulus.digest.0),
    };
    let images = study.stimuli().all().iter().filter(|stimulus| stimulus.media.kind().is_image());
    images.map(original).collect()
}

impl PreparedImages {
    /// Prepares the images and masks of a study in parallel, as its page says. Identical files are prepared once, and
    /// files already in the folder are reused. `progress` receives the step, the number done, and the number of all.
    ///
    /// # Errors
    /// All images that cannot be read, have changed since the study was opened, or are unfit to make masks from.
    pub fn prepare(
        study: &Study,
        page: &Page,
        folder: &Path,
        progress: &(dyn Fn(PreparationStep, usize, usize) + Sync),
    ) -> Result<Self, Faults> {
        let rule = PrepareRule { framing: framing(page.resize), ..PrepareRule::default() };
        let originals = originals(study);
        let encoding = match page.encode.and_then(Encode::encoding) {
            Some(chosen) => chosen,
            None => smaller_lossless(&originals, &rule, folder),
        };
        let rule = PrepareRule { encoding, ..rule };
        let images = |done| progress(PreparationStep::Images, done, originals.len());
        let stimuli = hype_images::prepare(&originals, &rule, folder, &images)?;
        let masks::Masks { masks, sources, own } = masks::prepare(study, &stimuli, &rule, folder, progress)?;
        Ok(Self { stimuli, masks, examples: Vec::new(), sources, own, encoding, length: 0 }
            .with_common_length())
    }

    /// The number of masks that have to be made for a study, and how long that takes on a number of processors, roughly; `None`
    /// if it takes no time to speak of.
    #[must_use]
    pub fn masks_expected(study: &Study, page: &Page, processors: usize) -> Option<(usize, Duration)> {
        masks::expected(study, framing(page.resize), processors)
    }

    /// Adds the examples in the instructions.
    ///
    /// # Errors
    /// All examples that cannot be read.
    pub fn with_examples(self, study: &Study, page: &Page, folder: &Path) -> Result<Self, Faults> {
        let framing = framing(page.resize);
        let rule = PrepareRule { framing, encoding: self.encoding, ..PrepareRule::default() };
        let mut originals = Vec::new();
        let mut faults = Vec::new();
        for example in &page.instructions.examples {
            let path = study.folder().join(&*example.image);
            match inspect(&path) {
                Ok(image) => originals.push(Original {
                    name: Arc::clone(&example.image),
                    path,
                    digest: ContentDigest(image.digest.0),
                }),
                Err(fault) => faults.push(fault),
            }
        }
        if !faults.is_empty() {
            return Err(Faults(faults));
        }
        let examples = hype_images::prepare(&originals, &rule, folder, &|_| {})?;
        Ok(Self { examples, ..self }.with_common_length())
    }

    fn with_common_length(self) -> Self {
        let all = self.stimuli.iter().chain(&self.masks).chain(&self.examples);
        let longest = all.map(|one| one.bytes).max().unwrap_or(0);
        let length = usize::try_from(longest).unwrap_or(usize::MAX).saturating_add(PADDING_BYTES);
        Self { length, ..self }
    }

    /// The prepared stimuli, in the study's order.
    #[must_use]
    pub fn stimuli(&self) -> &[Prepared] {
        &self.stimuli
    }

    /// The prepared masks.
    #[must_use]
    pub fn masks(&self) -> &[Prepared] {
        &self.masks
    }

    /// The stimulus that a mask was made from; `None` for masks that the author provides.
    #[must_use]
    pub fn source_of_mask(&self, number: usize) -> Option<&Prepared> {
        self.stimuli.get(*self.sources.get(number)?)
    }

    /// The encoding of every image.
    #[must_use]
    pub const fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The length of every image in bytes, as sent.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.length
    }

    fn read(&self, prepared: Option<&Prepared>) -> std::io::Result<Vec<u8>> {
        let prepared = prepared.ok_or(std::io::ErrorKind::NotFound)?;
        let bytes = prepared.read().map_err(std::io::Error::other)?;
        let own = bytes.len();
        let padded = pad(bytes, self.length)
            .ok_or_else(|| std::io::Error::other("a prepared image is longer than the common length"))?;
        // Reading has digested the image, in a time that depends on its own length. Digesting the padding as well makes
        // the time the same for all images: loading times reveal nothing.
        std::hint::black_box(ContentDigest::of(&padded[own..]));
        Ok(padded)
    }
}

impl ImageSource for PreparedImages {
    fn media_type(&self) -> &'static str {
        self.encoding.media_type()
    }

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

    fn example(&self, position: usize) -> std::io::Result<Vec<u8>> {
        self.read(self.examples.get(position))
    }

    fn example_size(&self, position: usize) -> (u32, u32) {
        self.examples.get(position).map_or((0, 0), |one| (one.width, one.height))
    }

    fn mask(&self, number: u32) -> std::io::Result<Vec<u8>> {
        self.read(self.masks.get(number as usize))
    }
}
