//! Video clips: what they are, how sets of them differ, and how they are written anew without loss.

use std::fmt;

use serde::{Deserialize, Serialize};

mod buckets;
mod clip;
mod compare;
mod edits;
mod error;
mod h264;
pub mod limits;
mod mp4;
mod rewrite;
mod strip;
mod vp9;
mod webm;

pub use buckets::buckets;
pub use compare::{ClipDifference, ClipFeature, ClipSet, compare};
pub use error::{Conversion, VideoError};
pub use rewrite::{REWRITING_VERSION, Rewriting, cuts, rewrite};

use clip::Clip;
use error::Flaw;

/// Facts about a clip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClipFacts {
    /// The container.
    pub container: Container,
    /// The codec of the pictures.
    pub codec: Codec,
    /// The width of the coded pictures as the container states it, in pixels, before they are turned.
    pub width: u32,
    /// Their height, in pixels.
    pub height: u32,
    /// The width and the height of a pixel, in lowest terms: 1 and 1 of a square. Pictures are stretched by them,
    /// and then turned.
    pub pixel_shape: [u32; 2],
    /// How pictures are turned before they are shown.
    pub turn: Turn,
    /// The number of frames that are shown.
    pub frames: u32,
    /// Frames per second, on average.
    pub rate: Rate,
    /// From the beginning of the first frame to the end of the last, in microseconds.
    pub duration_us: u64,
    /// How long the frame is shown that is shown longest, in microseconds.
    pub longest_frame_us: u64,
    /// The number of frames at which decoding can start.
    pub keyframes: u32,
    /// The largest distance between two of them, or from the last one to the end, in frames.
    pub keyframe_spacing: u32,
    /// The format of pixels, if the container tells it.
    pub pixels: Option<PixelFormat>,
    /// Whether pictures may consist of two fields; browsers show one, both or a blend. Known of H.264 only.
    pub interlaced: bool,
    /// How brightness is coded.
    pub transfer: TransferFunction,
    /// The first sound track.
    pub sound: Option<Sound>,
    /// Bits of coded pictures per second.
    pub bit_rate: u64,
    /// The length of the file, in bytes.
    pub bytes: u64,
}

/// A container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Container {
    /// MP4, or QuickTime, which has the same structure.
    Mp4,
    /// WebM.
    Webm,
}

/// A codec of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Codec {
    /// H.264, also AVC.
    H264,
    /// HEVC, also H.265.
    Hevc,
    /// VP9.
    Vp9,
    /// AV1.
    Av1,
}

/// A turn by right angles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Turn {
    /// None.
    None,
    /// A quarter, clockwise.
    Clockwise,
    /// A half.
    Half,
    /// A quarter, anticlockwise.
    Anticlockwise,
}

/// A rate in lowest terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Rate {
    /// This number of frames …
    pub frames: u64,
    /// … in this number of seconds.
    pub seconds: u64,
    /// Whether all frames are shown for the same time.
    pub constant: bool,
}

/// How pixels are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PixelFormat {
    /// The resolution of colour.
    pub chroma: Chroma,
    /// Bits of a sample.
    pub bits: u8,
}

/// How brightness is coded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum TransferFunction {
    /// As for most screens, or unstated.
    Standard,
    /// For high dynamic range, by the quantizer of SMPTE ST 2084.
    Pq,
    /// For high dynamic range, by the hybrid log-gamma of ARIB STD-B67.
    Hlg,
}

/// The resolution of colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Chroma {
    /// No colour.
    Grey,
    /// Half of that of brightness in both directions.
    Yuv420,
    /// Half of that of brightness across.
    Yuv422,
    /// That of brightness.
    Yuv444,
}

/// A sound track.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sound {
    /// `aac`, `opus`, or the container's code of another codec; `unknown` if the track cannot be read.
    pub codec: String,
    /// The number of channels that the container states.
    pub channels: u16,
    /// Samples per second that the container states.
    pub rate: u32,
}

/// Whether a file's name announces a clip: by the extension `mp4`, `m4v`, `mov` or `webm`, in any letter case.
#[must_use]
pub fn is_clip(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| ["mp4", "m4v", "mov", "webm"].contains(&extension.as_str()))
}

/// Tells what a clip is, without decoding it. The name is that of messages.
///
/// # Errors
/// [`VideoError`] if the clip is not MP4 or WebM with H.264, HEVC, VP9 or AV1, is incomplete, damaged or too large,
/// or if its frames cannot be told without decoding. Whether its coded pictures are whole is not examined.
pub fn probe(name: &str, bytes: &[u8]) -> Result<ClipFacts, VideoError> {
    read(bytes).map(|clip| ClipFacts::of(&clip, bytes)).map_err(|flaw| flaw.of(name))
}

/// Reads a clip of either container.
fn read(bytes: &[u8]) -> Result<Clip, Flaw> {
    Flaw::bound("bytes", bytes.len(), limits::CLIP_BYTES)?;
    match bytes {
        [_, _, _, _, b'f', b't', b'y', b'p', ..]
        | [_, _, _, _, b'm', b'o', b'o', b'v', ..]
        | [_, _, _, _, b'm', b'd', b'a', b't', ..]
        | [_, _, _, _, b'w', b'i', b'd', b'e', ..] => mp4::read(bytes),
        [0x1a, 0x45, 0xdf, 0xa3, ..] => webm::read(bytes),
        [] => Err(Flaw::truncated("the file is empty")),
        _ => Err(Flaw::encode(format!("is {}, and MP4 and WebM are supported", foreign(bytes)))),
    }
}

/// The name of a file that is neither MP4 nor WebM.
fn foreign(bytes: &[u8]) -> &'static str {
    let transport = || bytes.iter().step_by(188).take(3).all(|byte| *byte == 0x47);
    match bytes {
        [b'R', b'I', b'F', b'F', _, _, _, _, b'A', b'V', b'I', ..] => "AVI",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "a WebP image",
        [b'F', b'L', b'V', ..] => "Flash video",
        [b'O', b'g', b'g', b'S', ..] => "Ogg",
        [b'G', b'I', b'F', b'8', ..] => "a GIF",
        [0x89, b'P', b'N', b'G', ..] => "a PNG image",
        [0xff, 0xd8, 0xff, ..] => "a JPEG image",
        [0x30, 0x26, 0xb2, 0x75, ..] => "Windows Media",
        [0, 0, 1, 0xba, ..] => "an MPEG programme stream",
        [0, 0, 1, ..] | [0, 0, 0, 1, ..] => "a coded stream without a container",
        [b'D', b'K', b'I', b'F', ..] => "IVF",
        [0x47, ..] if transport() => "an MPEG transport stream",
        _ => "of an unknown format",
    }
}

impl ClipFacts {
    fn of(clip: &Clip, bytes: &[u8]) -> Self {
        let track = &clip.video;
        let (frames, times) = (track.samples.len(), track.shown());
        let units = times.last().copied().unwrap_or(0).unsigned_abs().max(1);
        let timescale = u64::from(track.timescale);
        let duration_us = u128::from(units) * 1_000_000 / u128::from(timescale);
        let coded: usize = track.samples.iter().map(|sample| sample.bytes).sum();
        let bit_rate = coded as u128 * 8 * u128::from(timescale) / u128::from(units);
        let (total, units) = (frames as u64 * timescale, units);
        let common = divisor(total, units);
        let mut steps = times.windows(2).map(|pair| pair[1] - pair[0]);
        let first = steps.next();
        let constant = steps.all(|step| Some(step) == first);
        let longest = times.windows(2).map(|pair| (pair[1] - pair[0]).unsigned_abs()).max().unwrap_or(units);
        let longest_us = u128::from(longest) * 1_000_000 / u128::from(timescale);
        let mut keys: Vec<usize> = (0..frames).filter(|&index| track.samples[index].key).collect();
        let keyframes = count(keys.len());
        keys.push(frames);
        let spacing = keys.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(frames);
        Self {
            container: clip.container,
            codec: track.config.config.codec(),
            width: track.config.width.into(),
            height: track.config.height.into(),
            pixel_shape: track.config.pixel_shape(),
            turn: clip.turn,
            frames: count(frames),
            rate: Rate { frames: total / common, seconds: units / common, constant },
            duration_us: u64::try_from(duration_us).unwrap_or(u64::MAX),
            longest_frame_us: u64::try_from(longest_us).unwrap_or(u64::MAX),
            keyframes,
            keyframe_spacing: count(spacing),
            pixels: track.config.config.pixels(),
            interlaced: track.config.config.sequence().is_some_and(|sequence| sequence.interlaced),
            transfer: track.config.transfer(),
            sound: clip.sound.as_ref().map(|sound| sound.facts.clone()),
            bit_rate: u64::try_from(bit_rate).unwrap_or(u64::MAX),
            bytes: bytes.len() as u64,
        }
    }

    /// Width and height as browsers show them, in square pixels: one of them grown by the shape of pixels, and turned.
    #[must_use]
    pub fn shown(&self) -> (u32, u32) {
        let [across, down] = self.pixel_shape;
        let grown = |side: u32, by: u32, of: u32| {
            let (side, by, of) = (u64::from(side), u64::from(by), u64::from(of.max(1)));
            u32::try_from((side * by + of / 2) / of).unwrap_or(u32::MAX)
        };
        let (width, height) = if across >= down {
            (grown(self.width, across, down), self.height)
        } else {
            (self.width, grown(self.height, down, across))
        };
        match self.turn {
            Turn::None | Turn::Half => (width, height),
            Turn::Clockwise | Turn::Anticlockwise => (height, width),
        }
    }

    /// Refuses a clip that the browsers of common systems do not play: Chromium and Firefox, as distributions build them, play no
    /// HEVC, and phones and Safari H.264 in 4:2:0 of 8 bits only.
    ///
    /// # Errors
    /// [`VideoError::Unsupported`], with the command that converts the clip.
    pub fn check_playable(&self, name: &str) -> Result<(), VideoError> {
        const PLAYED: PixelFormat = PixelFormat { chroma: Chroma::Yuv420, bits: 8 };
        let form = match (self.codec, self.pixels) {
            (Codec::Hevc, _) => String::new(),
            (Codec::H264, Some(pixels)) if pixels != PLAYED => format!(" in {pixels}"),
            _ => return Ok(()),
        };
        let found = format!("has {} pictures{form}, which many browsers do not play", self.codec);
        Err(Flaw::encode(found).of(name))
    }
}

/// A number within the limits of samples.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The largest common divisor, 1 of two zeros.
fn divisor(mut left: u64, mut right: u64) -> u64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left.max(1)
}

impl Chroma {
    /// `chroma_format_idc` of H.264 and HEVC.
    fn of_idc(idc: u8) -> Self {
        match idc {
            0 => Self::Grey,
            1 => Self::Yuv420,
            2 => Self::Yuv422,
            _ => Self::Yuv444,
        }
    }
}

impl fmt::Display for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mp4 => "MP4",
            Self::Webm => "WebM",
        })
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::H264 => "H.264",
            Self::Hevc => "HEVC",
            Self::Vp9 => "VP9",
            Self::Av1 => "AV1",
        })
    }
}

impl TransferFunction {
    /// By its number in ITU-T H.273.
    fn of_number(number: u32) -> Self {
        match number {
            16 => Self::Pq,
            18 => Self::Hlg,
            _ => Self::Standard,
        }
    }
}

impl fmt::Display for TransferFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Standard => "SDR",
            Self::Pq => "PQ",
            Self::Hlg => "HLG",
        })
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = self.frames as f64 / self.seconds as f64;
        let rate = format!("{rate:.3}");
        let rate = rate.trim_end_matches('0').trim_end_matches('.');
        write!(f, "{rate}{} frames/s", if self.constant { "" } else { " (varying)" })
    }
}

impl fmt::Display for PixelFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chroma = match self.chroma {
            Chroma::Grey => "grey",
            Chroma::Yuv420 => "4:2:0",
            Chroma::Yuv422 => "4:2:2",
            Chroma::Yuv444 => "4:4:4",
        };
        write!(f, "{chroma} of {} bits", self.bits)
    }
}
