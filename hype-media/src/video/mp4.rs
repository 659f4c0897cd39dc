//! Reads MP4 and QuickTime.
//!
//! Boxes are followed here and only those without other boxes inside are handed to the library: nested boxes of a
//! hostile file would otherwise exhaust the stack.

use std::ops::Range;

use mp4_atom::{Atom, Ctts, Elst, Matrix, Mdhd, Mvhd, Stco, Stsc, Stss, Stsz, StszSamples, Stts, Tkhd};

use super::clip::{Clip, PictureConfig, Sample, SoundTrack, Track, check_samples};
use super::edits::{self, Edit};
use super::error::Flaw;
use super::limits;
use super::{Container, Turn, vp9};

mod boxes;
mod entry;

use boxes::{Found, children, leaf, one};

/// The codes of formats that are met often, and what they are called.
pub(super) const OFTEN_MET: [(&[u8; 4], &str); 9] = [
    (b"mp4v", "MPEG-4 part 2"),
    (b"s263", "H.263"),
    (b"vp08", "VP8"),
    (b"jpeg", "Motion JPEG"),
    (b"mjpa", "Motion JPEG"),
    (b"png ", "PNG"),
    (b"apch", "ProRes"),
    (b"apcn", "ProRes"),
    (b"encv", "encrypted"),
];

/// A track as its boxes tell it.
struct Raw<'a> {
    header: Tkhd,
    timescale: u32,
    edit: Edit,
    /// The content of its table of samples.
    table: Vec<Found<'a>>,
    /// The description of its samples.
    entries: Found<'a>,
}

/// Reads a clip.
pub(super) fn read(bytes: &[u8]) -> Result<Clip, Flaw> {
    let top = children(bytes, 0)?;
    if top.iter().any(|found| &found.kind == b"moof") {
        return Err(Flaw::remux("is cut into fragments, as streams are"));
    }
    let movie = one(&top, b"moov").ok_or_else(|| Flaw::truncated("it has no index (`moov`)"))?;
    let inside = children(movie.body, movie.at)?;
    let header = one(&inside, b"mvhd").ok_or_else(|| Flaw::corrupt("its index has no header (`mvhd`)"))?;
    let movie_scale = leaf::<Mvhd>(header)?.timescale;
    let (mut pictures, mut sounds) = (Vec::new(), Vec::new());
    for found in inside.iter().filter(|found| &found.kind == b"trak") {
        let Some((handler, media, track)) = handler(found)? else { continue };
        match &handler {
            b"vide" => pictures.push((media, track)),
            b"soun" => sounds.push((media, track)),
            _ => {}
        }
    }
    let (media, track) = match pictures.len() {
        0 => return Err(Flaw::remux("has no video track")),
        1 => pictures.remove(0),
        more => return Err(Flaw::remux(format!("has {more} video tracks"))),
    };
    let raw = raw(&media, &track, movie_scale)?;
    let mut config = entry::pictures(&raw.entries)?;
    let turn = turn(&raw.header.matrix)?;
    let samples = samples(&raw, bytes.len())?;
    let (samples, start) = edits::pictures(samples, &raw.edit, raw.timescale)?;
    if let (PictureConfig::Vp9(stated), [first, ..]) = (&mut config.config, samples.as_slice()) {
        // As WebM gives it: a stream is written the same way wherever it comes from.
        let coded = &bytes[first.at..first.at + first.bytes];
        *stated = vp9::config(coded, config.width, config.height, rate(&samples, raw.timescale))?;
    }
    let video = Track { timescale: raw.timescale, samples, start, config };
    let sound = sounds.first().map(|(media, track)| {
        sound(media, track, movie_scale, bytes.len()).unwrap_or_else(SoundTrack::unreadable)
    });
    Ok(Clip { container: Container::Mp4, video, sound, turn })
}

/// The average rate of pictures, in millionths of a frame per second.
pub(super) fn rate(samples: &[Sample], timescale: u32) -> u64 {
    let length: u64 = samples.iter().map(|sample| u64::from(sample.duration)).sum();
    let rate = samples.len() as u128 * u128::from(timescale) * 1_000_000 / u128::from(length.max(1));
    u64::try_from(rate).unwrap_or(u64::MAX)
}

/// The kind of a track, and the boxes of its media and of itself.
type Handled<'a> = ([u8; 4], Vec<Found<'a>>, Vec<Found<'a>>);

fn handler<'a>(track: &Found<'a>) -> Result<Option<Handled<'a>>, Flaw> {
    let inside = children(track.body, track.at)?;
    let Some(media) = one(&inside, b"mdia") else { return Ok(None) };
    let media = children(media.body, media.at)?;
    let Some(found) = one(&media, b"hdlr") else { return Ok(None) };
    // Names in QuickTime need not be text, and are not needed.
    let handler = found.body.get(8..12).and_then(|code| <[u8; 4]>::try_from(code).ok());
    Ok(handler.map(|handler| (handler, media, inside)))
}

fn raw<'a>(media: &[Found<'a>], track: &[Found<'a>], movie_scale: u32) -> Result<Raw<'a>, Flaw> {
    let need = |boxes: &[Found<'a>], kind: &'static [u8; 4]| {
        one(boxes, kind)
            .copied()
            .ok_or_else(|| Flaw::corrupt(format!("its track has no `{}`", String::from_utf8_lossy(kind))))
    };
    let header = leaf::<Tkhd>(&need(track, b"tkhd")?)?;
    let timescale = leaf::<Mdhd>(&need(media, b"mdhd")?)?.timescale;
    if timescale == 0 || movie_scale == 0 {
        return Err(Flaw::corrupt("its times have no unit: a time scale of 0"));
    }
    let edit = match one(track, b"edts") {
        None => Edit::default(),
        Some(list) => match one(&children(list.body, list.at)?, b"elst") {
            None => Edit::default(),
            Some(list) => Edit::of(&leaf::<Elst>(list)?, movie_scale, timescale)?,
        },
    };
    let info = need(media, b"minf")?;
    let table = need(&children(info.body, info.at)?, b"stbl")?;
    let table = children(table.body, table.at)?;
    let entries = need(&table, b"stsd")?;
    Ok(Raw { header, timescale, edit, entries, table })
}

fn sound(
    media: &[Found<'_>],
    track: &[Found<'_>],
    movie_scale: u32,
    file: usize,
) -> Result<SoundTrack, Flaw> {
    let raw = raw(media, track, movie_scale)?;
    let (facts, config) = entry::sound(&raw.entries)?;
    let track = config.and_then(|config| {
        let samples = samples(&raw, file)?;
        let start = edits::sound(&raw.edit);
        Ok(Track { timescale: raw.timescale, samples, start, config })
    });
    Ok(SoundTrack { facts, track })
}

/// How a matrix turns pictures. Translations move them within the page and are left out.
fn turn(matrix: &Matrix) -> Result<Turn, Flaw> {
    const ONE: i32 = 1 << 16;
    match (matrix.a, matrix.b, matrix.c, matrix.d) {
        (ONE, 0, 0, ONE) => Ok(Turn::None),
        (0, ONE, b, 0) if b == -ONE => Ok(Turn::Clockwise),
        (a, 0, 0, d) if a == -ONE && d == -ONE => Ok(Turn::Half),
        (0, b, ONE, 0) if b == -ONE => Ok(Turn::Anticlockwise),
        _ => Err(Flaw::encode("is to be shown mirrored, scaled or turned by a part of a right angle")),
    }
}

fn samples(raw: &Raw<'_>, file: usize) -> Result<Vec<Sample>, Flaw> {
    let find = |kind: &'static [u8; 4]| one(&raw.table, kind);
    let need = |kind: &'static [u8; 4]| {
        find(kind)
            .ok_or_else(|| Flaw::corrupt(format!("its index has no `{}`", String::from_utf8_lossy(kind))))
    };
    let sizes = sizes(leaf::<Stsz>(need(b"stsz")?)?)?;
    if sizes.is_empty() {
        return Err(Flaw::corrupt("a track has no samples"));
    }
    let durations = durations(&leaf::<Stts>(need(b"stts")?)?, sizes.len())?;
    let places = places(raw, &sizes)?;
    let offsets = match find(b"ctts") {
        Some(found) => offsets(&leaf::<Ctts>(found)?, sizes.len())?,
        None => vec![0; sizes.len()],
    };
    let keys = find(b"stss").map(leaf::<Stss>).transpose()?;
    let mut is_key = vec![keys.is_none(); sizes.len()];
    for number in keys.into_iter().flat_map(|keys| keys.entries) {
        if let Some(key) = (number as usize).checked_sub(1).and_then(|index| is_key.get_mut(index)) {
            *key = true;
        }
    }
    let mut decoded = 0_i64;
    let mut samples = Vec::with_capacity(sizes.len());
    for (index, &bytes) in sizes.iter().enumerate() {
        let (duration, time) = (durations[index], decoded + offsets[index]);
        samples.push(Sample { at: places[index], bytes, time, duration, key: is_key[index] });
        decoded += i64::from(duration);
    }
    check_samples(&samples, file)?;
    Ok(samples)
}

fn sizes(table: Stsz) -> Result<Vec<usize>, Flaw> {
    match table.samples {
        StszSamples::Identical { count, size } => {
            Flaw::bound("samples in a track", count as usize, limits::SAMPLES)?;
            Ok(vec![size as usize; count as usize])
        }
        StszSamples::Different { sizes } => {
            Flaw::bound("samples in a track", sizes.len(), limits::SAMPLES)?;
            Ok(sizes.into_iter().map(|size| size as usize).collect())
        }
    }
}

fn durations(table: &Stts, count: usize) -> Result<Vec<u32>, Flaw> {
    let runs = table.entries.iter().map(|run| (run.sample_count, run.sample_delta));
    let durations: Vec<u32> = expanded(runs, count).collect();
    if durations.len() < count {
        return Err(Flaw::corrupt(format!(
            "it tells the duration of {} of {count} samples",
            durations.len()
        )));
    }
    Ok(durations)
}

fn offsets(table: &Ctts, count: usize) -> Result<Vec<i64>, Flaw> {
    let runs = table.entries.iter().map(|run| (run.sample_count, run.sample_offset));
    let offsets: Vec<i64> = expanded(runs, count).collect();
    if offsets.len() < count {
        return Err(Flaw::corrupt(format!("it tells the order of {} of {count} samples", offsets.len())));
    }
    // QuickTime writes negative offsets into tables of unsigned ones.
    Ok(offsets
        .into_iter()
        .map(|offset| if offset > i64::from(i32::MAX) { offset - (1 << 32) } else { offset })
        .collect())
}

fn expanded<T: Copy>(runs: impl Iterator<Item = (u32, T)>, count: usize) -> impl Iterator<Item = T> {
    runs.flat_map(move |(length, value)| std::iter::repeat_n(value, (length as usize).min(count))).take(count)
}

/// The places of samples, from those of the chunks in which they lie.
fn places(raw: &Raw<'_>, sizes: &[usize]) -> Result<Vec<usize>, Flaw> {
    let chunks: Vec<u64> = if let Some(found) = one(&raw.table, b"stco") {
        leaf::<Stco>(found)?.entries.into_iter().map(u64::from).collect()
    } else if let Some(found) = one(&raw.table, b"co64") {
        leaf::<mp4_atom::Co64>(found)?.entries
    } else {
        return Err(Flaw::corrupt("its index has no `stco`"));
    };
    let found = one(&raw.table, b"stsc").ok_or_else(|| Flaw::corrupt("its index has no `stsc`"))?;
    let runs = leaf::<Stsc>(found)?.entries;
    if runs.iter().any(|run| run.sample_description_index != 1) {
        return Err(Flaw::encode("changes its coding within a track"));
    }
    let mut places = Vec::with_capacity(sizes.len());
    let mut run = 0;
    for (number, &chunk) in (1_u32..).zip(&chunks) {
        while runs.get(run + 1).is_some_and(|next| next.first_chunk <= number) {
            run += 1;
        }
        let Some(current) = runs.get(run).filter(|current| current.first_chunk <= number) else { break };
        let mut at = usize::try_from(chunk).map_err(|_| Flaw::corrupt(format!("a chunk lies at {chunk}")))?;
        let span: Range<usize> =
            places.len()..sizes.len().min(places.len() + current.samples_per_chunk as usize);
        for size in &sizes[span] {
            places.push(at);
            at = at.saturating_add(*size);
        }
    }
    if places.len() < sizes.len() {
        return Err(Flaw::corrupt(format!(
            "it tells the places of {} of {} samples",
            places.len(),
            sizes.len()
        )));
    }
    Ok(places)
}

/// A box of the library's type, from the bytes after its header.
pub(super) fn body<T: Atom>(mut bytes: &[u8]) -> Result<T, Flaw> {
    let name = <[u8; 4]>::from(T::KIND);
    let name = String::from_utf8_lossy(&name);
    let decoded = T::decode_body(&mut bytes);
    decoded.map_err(|error| Flaw::corrupt(format!("its box `{name}` is not readable: {error}")))
}
