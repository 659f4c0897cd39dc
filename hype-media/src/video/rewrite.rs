//! Writes clips anew, without loss and without anything that tells where they come from.

use super::clip::{Clip, PictureConfig, Pictures, Sample, SoundConfig, SoundTrack, Track};
use super::error::{Flaw, VideoError};
use super::{Sound, count, divisor, mp4, read, strip, vp9};

mod index;

/// The version of what [`rewrite`] writes, raised whenever the same clip and options would give different bytes: for programs that
/// keep rewritten clips.
pub const REWRITING_VERSION: u32 = 1;

/// Options of [`rewrite`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rewriting {
    /// Whether the first sound track is kept, if there is one.
    pub sound: bool,
    /// The length of the file in bytes, reached by a box of zeros at its end; as short as possible if `None`.
    pub pad_to: Option<u64>,
    /// The number of frames to keep, from the first one on; all if `None`.
    pub cut_to_frames: Option<u32>,
}

/// A track as it is written.
struct Written {
    timescale: u32,
    /// In the order of decoding, with times from zero.
    samples: Vec<Sample>,
    /// The lengths of the samples as they are written, in bytes.
    sizes: Vec<u32>,
    content: Vec<u8>,
}

/// Writes a clip anew as MP4: index first, one box of data, times from zero, edit lists resolved, constant names
/// and dates, one video track. Coded pictures stay as they are, but lose the messages in which encoders sign:
/// decoded frames are the same bit by bit, and so are their times, except that those of WebM are put back on the
/// grid from which they were rounded.
///
/// These traces of a clip's origin remain: the length of the file, codec and its settings, resolution, rate, duration, the
/// spacing of keyframes, and what an encoder's decisions tell.
///
/// # Errors
/// [`VideoError`] as of [`probe`](super::probe); further if the sound that is to be kept is neither AAC nor Opus,
/// if the clip cannot be cut without loss, or if it is longer than the length to which it is to be padded.
pub fn rewrite(name: &str, input: &[u8], options: Rewriting) -> Result<Vec<u8>, VideoError> {
    write(input, options).map_err(|flaw| flaw.of(name))
}

/// The numbers of frames to which a clip can be cut without loss, in increasing order; the last one is all of them.
///
/// Clips of an item that are to be of one length are cut to the largest number that all of them have.
///
/// # Errors
/// [`VideoError`] as of [`probe`](super::probe).
pub fn cuts(name: &str, input: &[u8]) -> Result<Vec<u32>, VideoError> {
    read(input).map(|clip| possible(&clip.video.samples)).map_err(|flaw| flaw.of(name))
}

fn write(input: &[u8], options: Rewriting) -> Result<Vec<u8>, Flaw> {
    let Clip { mut video, sound, turn, .. } = read(input)?;
    if let Some(wanted) = options.cut_to_frames {
        cut(&mut video.samples, wanted)?;
        // The level is that of what is left.
        if let PictureConfig::Vp9(stated) = &mut video.config.config {
            let rate = mp4::rate(&video.samples, video.timescale);
            stated.level = vp9::level(video.config.width, video.config.height, rate);
        }
    }
    let pictures = pictures(&video, input)?;
    let sound = match sound.filter(|_| options.sound) {
        None => None,
        Some(sound) => Some(heard(sound, &video, options, input)?),
    };
    let mut out = index::encode(&video.config, turn, &pictures, sound.as_ref())?;
    pad(&mut out, options.pad_to)?;
    Ok(out)
}

/// The numbers of frames that are both the first decoded and the first shown.
fn possible(samples: &[Sample]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..samples.len()).collect();
    order.sort_by_key(|&index| samples[index].time);
    let mut rank = vec![0; samples.len()];
    for (place, index) in order.into_iter().enumerate() {
        rank[index] = place;
    }
    let mut latest = 0;
    let mut found = Vec::new();
    for (index, place) in rank.into_iter().enumerate() {
        latest = latest.max(place);
        if latest == index {
            found.push(count(index + 1));
        }
    }
    found
}

fn cut(samples: &mut Vec<Sample>, wanted: u32) -> Result<(), Flaw> {
    let frames = count(samples.len());
    if wanted > frames || wanted == 0 {
        return Err(Flaw::TooShort { frames, wanted });
    }
    let possible = possible(samples);
    if possible.binary_search(&wanted).is_err() {
        let nearest = possible.iter().copied().filter(|frames| *frames < wanted).max().unwrap_or(0);
        return Err(Flaw::Cut { wanted, nearest });
    }
    samples.truncate(wanted as usize);
    Ok(())
}

fn pictures(track: &Track<Pictures>, input: &[u8]) -> Result<Written, Flaw> {
    let mut written = normal(track.timescale, &track.samples);
    for sample in &track.samples {
        let start = written.content.len();
        let coded = &input[sample.at..sample.at + sample.bytes];
        strip::pictures(&track.config.config, coded, &mut written.content)?;
        if written.content.len() == start {
            return Err(Flaw::corrupt("one of its frames has no picture"));
        }
        written.sizes.push(bytes_of(written.content.len() - start)?);
    }
    Ok(written)
}

/// A track whose times are in the coarsest units that hold them all, doubled until a second has 10,000: a rate is
/// written the same way, whatever the units of its source.
fn normal(timescale: u32, samples: &[Sample]) -> Written {
    let mut decoded = 0_i64;
    let mut common = u64::from(timescale);
    for sample in samples {
        common = divisor(common, u64::from(sample.duration));
        common = divisor(common, (sample.time - decoded).unsigned_abs());
        decoded += i64::from(sample.duration);
    }
    // The divisor of a time scale fits as it does.
    let common = u32::try_from(common).unwrap_or(1);
    let mut times = 1;
    while u64::from(timescale / common) * times < 10_000 {
        times *= 2;
    }
    let times = u32::try_from(times).unwrap_or(1);
    let scaled = |sample: &Sample| Sample {
        time: sample.time / i64::from(common) * i64::from(times),
        duration: (sample.duration / common).saturating_mul(times),
        ..*sample
    };
    Written {
        timescale: timescale / common * times,
        samples: samples.iter().map(scaled).collect(),
        sizes: Vec::with_capacity(samples.len()),
        content: Vec::new(),
    }
}

/// Sound as it is written, with the part of it that is heard.
struct Heard {
    written: Written,
    config: SoundConfig,
    facts: Sound,
    /// Microseconds of silence before it.
    wait_us: u64,
    /// Units that are decoded but not heard.
    skip: u64,
    /// Units that are heard.
    length: u64,
}

/// Returns the part of the sound that accompanies the pictures.
fn heard(
    sound: SoundTrack,
    video: &Track<Pictures>,
    options: Rewriting,
    input: &[u8],
) -> Result<Heard, Flaw> {
    let track = sound.track?;
    let units = |us: u64| u128::from(us) * u128::from(track.timescale) / 1_000_000;
    let narrow = |value: u128| u64::try_from(value).unwrap_or(u64::MAX);
    let early = video.start.wait_us.saturating_sub(track.start.wait_us);
    let wait_us = track.start.wait_us.saturating_sub(video.start.wait_us);
    let skip = track.start.skip.saturating_add(narrow(units(early)));
    let total: u64 = track.samples.iter().map(|sample| u64::from(sample.duration)).sum();
    let mut length = total.saturating_sub(skip);
    if let Some(stated) = track.start.length {
        length = length.min(stated.saturating_sub(narrow(units(early))));
    }
    if options.cut_to_frames.is_some() {
        let shown = video.shown().last().copied().unwrap_or(0).unsigned_abs();
        let shown = narrow(u128::from(shown) * u128::from(track.timescale) / u128::from(video.timescale));
        length = length.min(shown.saturating_sub(narrow(units(wait_us))));
    }
    let end = i64::try_from(skip.saturating_add(length)).unwrap_or(i64::MAX);
    let samples: Vec<Sample> = track.samples.into_iter().filter(|sample| sample.time < end).collect();
    if length == 0 || samples.is_empty() {
        return Err(Flaw::corrupt("its sound lies outside of its pictures"));
    }
    let mut written = Written { timescale: track.timescale, sizes: Vec::new(), content: Vec::new(), samples };
    for sample in &written.samples {
        let start = written.content.len();
        strip::sound(&track.config, &input[sample.at..sample.at + sample.bytes], &mut written.content);
        written.sizes.push(bytes_of(written.content.len() - start)?);
    }
    Ok(Heard { written, config: track.config, facts: sound.facts, wait_us, skip, length })
}

/// A length of at most 4 GiB, which the limits ensure.
fn bytes_of(bytes: usize) -> Result<u32, Flaw> {
    u32::try_from(bytes).map_err(|_| Flaw::corrupt(format!("a sample has {bytes} bytes")))
}

/// Appends a box of zeros: of 8 bytes at least, after which any greater length is possible.
fn pad(out: &mut Vec<u8>, wanted: Option<u64>) -> Result<(), Flaw> {
    const HEADER: usize = 8;
    let bytes = (out.len() + HEADER) as u64;
    let wanted = wanted.unwrap_or(bytes);
    let whole = usize::try_from(wanted).ok().filter(|_| wanted >= bytes && wanted <= u64::from(u32::MAX));
    let whole = whole.ok_or(Flaw::Padding { bytes, wanted })?;
    let length = u32::try_from(whole - out.len()).map_err(|_| Flaw::Padding { bytes, wanted })?;
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(b"free");
    out.resize(whole, 0);
    Ok(())
}
