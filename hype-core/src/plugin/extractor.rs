//! Extractors: from stimuli to the features from which metrics are computed.

use std::any::Any;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use crate::diagnostics::Diagnostics;
use crate::model::digest::Digest;
use crate::model::findings::Fact;
use crate::plugin::surroundings::Surroundings;

/// Turns stimuli into features: by running a model, or from files that another program wrote.
///
/// Register an implementation with [`register_extractor!`](crate::register_extractor) to use it from YAML.
pub trait Extractor: Debug + Clone + Send + Sync + 'static {
    /// Checks the settings. Adds every fault to `at`.
    fn check(&self, _surroundings: &Surroundings<'_>, _at: &mut Diagnostics) {}

    /// Reads what extraction needs; paths in settings are relative to `folder`.
    ///
    /// # Errors
    /// If a file cannot be read or used, or the program cannot run the model.
    fn open(&self, folder: &Path) -> Result<Box<dyn OpenExtractor>, ExtractorError>;
}

/// An extractor that is ready.
pub trait OpenExtractor: Send {
    /// The name by which people know it, such as `MobileNetV2`. Labels of metrics contain it.
    fn name(&self) -> &str;

    /// Returns the facts that a reader needs to get the same features: weights with their digest, preprocessing, layer,
    /// precision.
    fn pipeline(&self) -> Vec<Fact>;

    /// Identifies everything that features depend on, apart from the stimulus.
    fn digest(&self) -> Digest;

    /// Returns what it reads of a stimulus.
    fn reads(&self) -> ExtractorReads;

    /// The number of features of a stimulus, if it is known before extraction.
    fn width(&self) -> Option<usize> {
        None
    }

    /// How many stimuli are extracted together. Features of a stimulus may depend on the others in its batch by rounding, so
    /// drivers always form the same batches.
    fn batch(&self) -> usize {
        1
    }

    /// The outputs for each stimulus of a batch, in the order of `batch`; the first output of each is its features.
    ///
    /// # Errors
    /// If the model fails, or has no features of a stimulus.
    fn extract(&mut self, batch: &[ToExtract<'_>]) -> Result<Vec<Vec<ExtractedLayer>>, ExtractorError>;

    /// Why values that are computed from these stimuli may mislead, such as texts that are too long to be read whole. Must not
    /// depend on what was extracted before, as features may come from a cache.
    fn cautions(&self, _stimuli: &[ToExtract<'_>]) -> Vec<String> {
        Vec::new()
    }
}

/// The part of a stimulus that an extractor reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "drivers have to know all")]
pub enum ExtractorReads {
    /// Its pixels.
    Pixels,
    /// The text that it was generated from.
    Text,
    /// Only its name: features are in files already. Drivers do not cache them.
    Name,
}

/// A stimulus to extract features of.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "drivers and tests make it")]
pub struct ToExtract<'a> {
    /// The set, by its name in the spec.
    pub set: &'a str,
    /// Its place in the set, in the order of paths, from 0.
    pub place: usize,
    /// The number of stimuli in the set.
    pub of: usize,
    /// The path relative to the spec's folder; of a text the key of its item.
    pub path: &'a str,
    /// Its content.
    pub content: ToExtractContent<'a>,
}

/// The content of a stimulus to extract features of.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum ToExtractContent<'a> {
    /// Pixels.
    Pixels(RgbPixels<'a>),
    /// A text.
    Text(&'a str),
    /// Not read, as the extractor needs only the name.
    Unread,
}

/// Upright, opaque pixels in sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "drivers and tests make it")]
pub struct RgbPixels<'a> {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Red, green and blue of each pixel, row by row from the top left.
    pub samples: &'a [u8],
}

/// One output of an extractor for one stimulus.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "extractors and tests make it")]
pub struct ExtractedLayer {
    /// The extent in each dimension, without the batch: for activations channels, height and width.
    pub shape: Vec<usize>,
    /// The numbers, the last dimension fastest.
    pub values: Vec<f32>,
}

/// Features cannot be extracted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractorError {
    /// A file cannot be read or used; the author of the study corrects it.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// The fault, and the correct value.
        reason: String,
    },
    /// The model cannot be run here; the operator installs what is missing.
    #[error("{0}")]
    Unavailable(String),
    /// The model does not accept a stimulus, or has no features of it.
    #[error("{stimulus}: {reason}")]
    Stimulus {
        /// The stimulus.
        stimulus: Arc<str>,
        /// The fault.
        reason: String,
    },
}

/// An extractor as a spec holds it, by its `kind`. Implemented by [`register_extractor!`](crate::register_extractor).
#[typetag::serialize(tag = "kind")]
pub trait ExtractorSpec: DynExtractor {}

crate::plugin::kinds::read_by_kind!(ExtractorSpec);

/// The dyn-compatible counterpart of [`Extractor`], implemented for every registered extractor.
pub trait DynExtractor: Any + Debug + Send + Sync {
    /// [`Extractor::check`].
    fn check(&self, surroundings: &Surroundings<'_>, at: &mut Diagnostics);
    /// [`Extractor::open`].
    ///
    /// # Errors
    /// As [`Extractor::open`].
    fn open(&self, folder: &Path) -> Result<Box<dyn OpenExtractor>, ExtractorError>;
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn ExtractorSpec>;
}

impl<E: Extractor + ExtractorSpec> DynExtractor for E {
    fn check(&self, surroundings: &Surroundings<'_>, at: &mut Diagnostics) {
        Extractor::check(self, surroundings, at);
    }
    fn open(&self, folder: &Path) -> Result<Box<dyn OpenExtractor>, ExtractorError> {
        Extractor::open(self, folder)
    }
    fn boxed_clone(&self) -> Box<dyn ExtractorSpec> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn ExtractorSpec> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}
