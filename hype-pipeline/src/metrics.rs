//! The metrics that specs can name, each with the settings of its publication as defaults.
//!
//! | kinds | computed from |
//! |---|---|
//! | `mse`, `mae`, `psnr`, `ssim`, `ms_ssim` | the pixels of outputs and of the sources of their items, images or clips |
//! | `blackout`, `fractal`, `skin_tone` | the pixels of outputs |
//! | `fid`, `fid_infinity`, `kid`, `precision_recall`, `density_coverage`, `prdc`, `prd` | the features of outputs and of a reference set |
//! | `inception_score`, `conditional_inception_score`, `accuracy` | the class outputs of a classifier |
//! | `clip_score`, `retrieval`, `aesthetic` | embeddings |
//! | `lpips`, `lpips_diversity` | the activations of a network's layers |
//! | `watermark`, `nsfw`, `rejection`, `gender_balance`, `inference_time` | a score of each output |
//! | `nudity`, `detection` | objects that a detector found in each output |
//! | `linked_difference` | any of them that has a value for each output |

#[cfg(feature = "linalg")]
mod blocks;
mod classes;
mod detections;
mod distances;
mod embeddings;
mod layers;
mod linked;
mod numbers;
pub(crate) mod pairs;
mod pixels;
mod scores;

pub use self::classes::{Accuracy, ClassOutputKind, ConditionalInception, Inception};
pub use self::detections::{DetectionAccuracy, DetectionQuestion, DetectionRule, Nudity};
pub use self::distances::{DensityAndCoverage, Fid, FidInfinity, Kid, Prd, Prdc, PrecisionAndRecall};
pub use self::embeddings::{Aesthetic, ClipScore, TextRetrieval};
pub use self::layers::{Lpips, LpipsDiversity};
pub use self::linked::LinkedVersions;
pub use self::pairs::{Mae, MsSsim, Mse, Psnr, Ssim, SsimWindow};
pub use self::pixels::{Blackout, Fractal, SkinTone, SkinToneRule};
pub use self::scores::{Gender, InferenceSeconds, Nsfw, Rejection, Watermark};
