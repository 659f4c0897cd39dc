//! Images as `hype_images` prepares them: decoded, brought to one size, encoded alike, padded to one length.

use std::path::Path;
use std::sync::Arc;

use hype_core::{StimulusId, Study};
use hype_images::{ContentDigest, Faults, Framing, Original, PADDING_BYTES, Prepared, Rule, pad};

use super::pictures::Pictures;
use super::settings::{Fit, Resize};

/// The images of a study in a folder of prepared files.
#[derive(Debug)]
pub struct PreparedPictures {
    stimuli: Vec<Prepared>,
    masks: Vec<Prepared>,
    /// The length of every image as it is sent.
    length: usize,
}

impl PreparedPictures {
    /// Prepares the images of a study in parallel, each content once; what the folder has is not made again.
    /// `progress` is told how many are done. `masks` are shown as they are.
    ///
    /// # Errors
    /// All images that cannot be read, or are no longer what the study was opened with.
    pub fn prepare(
        study: &Study,
        masks: &[Original],
        resize: Option<Resize>,
        folder: &Path,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Self, Faults> {
        let rule = Rule { framing: framing(resize), ..Rule::default() };
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
        let stimuli = hype_images::prepare(&originals, &rule, folder, progress)?;
        let masks = hype_images::prepare(masks, &rule, folder, &|_| {})?;
        let longest = stimuli.iter().chain(&masks).map(|one| one.bytes).max().unwrap_or(0);
        let length = usize::try_from(longest).unwrap_or(usize::MAX).saturating_add(PADDING_BYTES);
        Ok(Self { stimuli, masks, length })
    }

    fn read(&self, prepared: Option<&Prepared>) -> std::io::Result<Vec<u8>> {
        let prepared = prepared.ok_or(std::io::ErrorKind::NotFound)?;
        let bytes = prepared.read().map_err(std::io::Error::other)?;
        pad(bytes, self.length).ok_or_else(|| std::io::Error::other("a prepared image is longer than all of them"))
    }
}

impl Pictures for PreparedPictures {
    fn stimulus(&self, id: StimulusId) -> std::io::Result<Vec<u8>> {
        self.read(self.stimuli.get(id.0 as usize))
    }

    fn size(&self, id: StimulusId) -> (u32, u32) {
        self.stimuli.get(id.0 as usize).map_or((0, 0), |one| (one.width, one.height))
    }

    fn masks(&self) -> u32 {
        u32::try_from(self.masks.len()).unwrap_or(u32::MAX)
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
