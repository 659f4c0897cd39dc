//! A clip as both containers tell it: where its samples lie, when they are shown, and how they are coded.

use mp4_atom::{Av1c, Avcc, Colr, Dops, Hvcc, Pasp, VpcC};

use super::error::Flaw;
use super::h264::{self, Sequence};
use super::limits;
use super::{Chroma, Codec, Container, PixelFormat, Sound, TransferFunction, Turn, divisor};

#[derive(Debug)]
pub(crate) struct Clip {
    pub(crate) container: Container,
    pub(crate) video: Track<Pictures>,
    /// The first sound track.
    pub(crate) sound: Option<SoundTrack>,
    pub(crate) turn: Turn,
}

/// A sound track, which need not be one that can be rewritten.
#[derive(Debug)]
pub(crate) struct SoundTrack {
    pub(crate) facts: Sound,
    pub(crate) track: Result<Track<SoundConfig>, Flaw>,
}

impl SoundTrack {
    /// A track with a fault, without which the pictures are shown all the same.
    pub(crate) fn unreadable(fault: Flaw) -> Self {
        Self { facts: Sound { codec: "unknown".to_owned(), channels: 0, rate: 0 }, track: Err(fault) }
    }
}

#[derive(Debug)]
pub(crate) struct Track<C> {
    /// Units of time in a second.
    pub(crate) timescale: u32,
    /// In the order of decoding. Times of pictures begin at 0; those of sound at its first packet.
    pub(crate) samples: Vec<Sample>,
    pub(crate) start: Start,
    pub(crate) config: C,
}

/// When a track begins.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Start {
    /// Microseconds before its first sample that is shown or heard.
    pub(crate) wait_us: u64,
    /// The length at its beginning that is decoded but not heard, in units of the track.
    pub(crate) skip: u64,
    /// The length that is heard, in units of the track.
    pub(crate) length: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sample {
    /// The place of its first byte in the file.
    pub(crate) at: usize,
    pub(crate) bytes: usize,
    /// When it is shown.
    pub(crate) time: i64,
    /// Until the next sample in the order of decoding.
    pub(crate) duration: u32,
    /// Whether decoding can start here.
    pub(crate) key: bool,
}

#[derive(Debug)]
pub(crate) struct Pictures {
    pub(crate) width: u16,
    pub(crate) height: u16,
    pub(crate) config: PictureConfig,
    pub(crate) colour: Option<Colr>,
    pub(crate) aspect: Option<Pasp>,
}

#[derive(Debug)]
pub(crate) enum PictureConfig {
    /// Whether parameters may also lie between the pictures.
    H264(Avcc, Inside),
    Hevc(Hvcc, Inside),
    Vp9(VpcC),
    Av1(Av1c),
}

/// Whether parameters of the decoder may also lie between the pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inside {
    Never,
    Perhaps,
}

#[derive(Debug)]
pub(crate) enum SoundConfig {
    /// The decoder's configuration.
    Aac(Vec<u8>),
    Opus(Dops),
}

impl PictureConfig {
    pub(crate) fn codec(&self) -> Codec {
        match self {
            Self::H264(..) => Codec::H264,
            Self::Hevc(..) => Codec::Hevc,
            Self::Vp9(_) => Codec::Vp9,
            Self::Av1(_) => Codec::Av1,
        }
    }

    /// The first sequence parameter set of H.264.
    pub(crate) fn sequence(&self) -> Option<Sequence> {
        let Self::H264(avcc, _) = self else { return None };
        h264::sequence(avcc.sequence_parameter_sets.first()?)
    }

    /// The format of pixels, where the configuration tells it.
    pub(crate) fn pixels(&self) -> Option<PixelFormat> {
        let format = |chroma, bits| Some(PixelFormat { chroma, bits });
        match self {
            Self::H264(..) => self.sequence().map(|sequence| sequence.pixels),
            Self::Hevc(hvcc, _) => {
                format(Chroma::of_idc(hvcc.chroma_format_idc), hvcc.bit_depth_luma_minus8 + 8)
            }
            Self::Vp9(vpcc) => {
                let chroma = match vpcc.chroma_subsampling {
                    0 | 1 => Chroma::Yuv420,
                    2 => Chroma::Yuv422,
                    3 => Chroma::Yuv444,
                    _ => return None,
                };
                format(chroma, vpcc.bit_depth)
            }
            Self::Av1(av1c) => {
                let chroma = match (av1c.monochrome, av1c.chroma_subsampling_x, av1c.chroma_subsampling_y) {
                    (true, ..) => Chroma::Grey,
                    (false, true, true) => Chroma::Yuv420,
                    (false, true, false) => Chroma::Yuv422,
                    (false, false, _) => Chroma::Yuv444,
                };
                let bits = match (av1c.high_bitdepth, av1c.twelve_bit) {
                    (false, _) => 8,
                    (true, false) => 10,
                    (true, true) => 12,
                };
                format(chroma, bits)
            }
        }
    }
}

impl Pictures {
    /// The width and the height of a pixel, in lowest terms.
    pub(crate) fn pixel_shape(&self) -> [u32; 2] {
        let in_stream = || self.config.sequence().and_then(|sequence| sequence.shape);
        let in_box = self.aspect.as_ref().map(|aspect| [aspect.h_spacing, aspect.v_spacing]);
        let shape = in_box.or_else(in_stream).unwrap_or([1, 1]);
        let common = divisor(shape[0].into(), shape[1].into());
        shape.map(|side| u32::try_from(u64::from(side) / common).unwrap_or(side))
    }

    /// How brightness is coded: as the container says, or else the stream.
    pub(crate) fn transfer(&self) -> TransferFunction {
        let in_box = match &self.colour {
            Some(Colr::Nclx { transfer_characteristics, .. }) => Some(u32::from(*transfer_characteristics)),
            _ => None,
        };
        let in_stream = match &self.config {
            PictureConfig::Vp9(vpcc) => Some(vpcc.transfer_characteristics.into()),
            config => config.sequence().and_then(|sequence| sequence.transfer),
        };
        in_box.or(in_stream).map_or(TransferFunction::Standard, TransferFunction::of_number)
    }
}

impl Track<Pictures> {
    /// The times at which pictures are shown, in this order, and then the time at which the last one ends.
    pub(crate) fn shown(&self) -> Vec<i64> {
        let mut times: Vec<i64> = self.samples.iter().map(|sample| sample.time).collect();
        times.sort_unstable();
        let end = self.samples.iter().max_by_key(|sample| sample.time);
        times.extend(end.map(|sample| sample.time + i64::from(sample.duration.max(1))));
        times
    }
}

/// Checks that samples lie in the file and are not more than the file.
///
/// # Errors
/// If a sample lies beyond the file's end, or if samples overlap so much that copying them would take more than the
/// file.
pub(crate) fn check_samples(samples: &[Sample], file: usize) -> Result<(), Flaw> {
    let mut total = 0_usize;
    for sample in samples {
        if sample.at.checked_add(sample.bytes).is_none_or(|end| end > file) {
            return Err(Flaw::truncated(format!(
                "it has {file} bytes, and its index names {} bytes from {} on",
                sample.bytes, sample.at
            )));
        }
        total = total.saturating_add(sample.bytes);
    }
    if total > file {
        return Err(Flaw::corrupt(format!(
            "its samples have {total} bytes together, and the file has {file}"
        )));
    }
    Ok(())
}

/// Checks a size that a container states.
pub(crate) fn check_size(width: u64, height: u64) -> Result<(u16, u16), Flaw> {
    if width == 0 || height == 0 {
        return Err(Flaw::corrupt(format!("it states a size of {width}×{height}")));
    }
    let longest = width.max(height);
    let limit = u64::from(limits::CLIP_SIDE);
    match (u16::try_from(width), u16::try_from(height)) {
        (Ok(width), Ok(height)) if longest <= limit => Ok((width, height)),
        _ => Err(Flaw::TooLarge { what: "pixels on a side", wanted: longest, limit }),
    }
}
