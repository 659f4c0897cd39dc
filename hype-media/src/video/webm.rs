//! Reads WebM.
//!
//! Only what tells and holds the tracks is followed: names, chapters, tags, attachments and cues are passed over. A
//! file is read in place: no element can ask for more memory than its samples take.

use mp4_atom::{Colr, Dops, Pasp};

use super::clip::{
    Clip, PictureConfig, Pictures, Sample, SoundConfig, SoundTrack, Start, Track, check_samples, check_size,
};
use super::error::{Conversion, Flaw};
use super::{Container, Sound, Turn, limits, mp4, strip, vp9};

mod ebml;
mod regular;

use ebml::{Element, elements, find, float, text, unsigned};

/// Identifiers of elements: RFC 9559, section 5.
mod id {
    pub(super) const DOC_TYPE: u32 = 0x4282;
    pub(super) const SEGMENT: u32 = 0x1853_8067;
    pub(super) const INFO: u32 = 0x1549_a966;
    pub(super) const TIMESTAMP_SCALE: u32 = 0x2a_d7b1;
    pub(super) const TRACKS: u32 = 0x1654_ae6b;
    pub(super) const TRACK_ENTRY: u32 = 0xae;
    pub(super) const TRACK_NUMBER: u32 = 0xd7;
    pub(super) const TRACK_TYPE: u32 = 0x83;
    pub(super) const CODEC_ID: u32 = 0x86;
    pub(super) const CODEC_PRIVATE: u32 = 0x63a2;
    pub(super) const DEFAULT_DURATION: u32 = 0x23_e383;
    pub(super) const CONTENT_ENCODINGS: u32 = 0x6d80;
    pub(super) const VIDEO: u32 = 0xe0;
    pub(super) const PIXEL_WIDTH: u32 = 0xb0;
    pub(super) const PIXEL_HEIGHT: u32 = 0xba;
    pub(super) const CROPS: [u32; 4] = [0x54aa, 0x54bb, 0x54cc, 0x54dd];
    pub(super) const DISPLAY_WIDTH: u32 = 0x54b0;
    pub(super) const DISPLAY_HEIGHT: u32 = 0x54ba;
    pub(super) const ALPHA_MODE: u32 = 0x53c0;
    pub(super) const COLOUR: u32 = 0x55b0;
    pub(super) const MATRIX: u32 = 0x55b1;
    pub(super) const RANGE: u32 = 0x55b9;
    pub(super) const TRANSFER: u32 = 0x55ba;
    pub(super) const PRIMARIES: u32 = 0x55bb;
    pub(super) const AUDIO: u32 = 0xe1;
    pub(super) const SAMPLING_FREQUENCY: u32 = 0xb5;
    pub(super) const CHANNELS: u32 = 0x9f;
    pub(super) const CLUSTER: u32 = 0x1f43_b675;
    pub(super) const TIMESTAMP: u32 = 0xe7;
    pub(super) const SIMPLE_BLOCK: u32 = 0xa3;
    pub(super) const BLOCK_GROUP: u32 = 0xa0;
    pub(super) const BLOCK: u32 = 0xa1;
    pub(super) const BLOCK_DURATION: u32 = 0x9b;
    pub(super) const REFERENCE_BLOCK: u32 = 0xfb;
    pub(super) const DISCARD_PADDING: u32 = 0x75a2;
}

/// A track as its elements tell it.
struct Raw<'a> {
    number: u64,
    codec: String,
    private: &'a [u8],
    /// Nanoseconds of a frame.
    default_duration: Option<u64>,
    fields: Vec<Element<'a>>,
    blocks: Vec<Block>,
}

/// A sample, with its time in units of the segment.
struct Block {
    at: usize,
    bytes: usize,
    time: i64,
    duration: Option<u64>,
    /// Nanoseconds at its end that are not heard.
    discarded: u64,
    key: bool,
    laced: bool,
    invisible: bool,
}

/// Reads a clip.
pub(super) fn read(bytes: &[u8]) -> Result<Clip, Flaw> {
    let top = elements(bytes, 0)?;
    let header = top.first().map(|first| elements(first.body, first.at)).transpose()?.unwrap_or_default();
    match find(&header, id::DOC_TYPE).map(text).as_deref() {
        Some("webm") => {}
        found => {
            let name = found.unwrap_or("matroska").escape_default().to_string();
            return Err(Flaw::remux(format!("is Matroska (`{name}`), and MP4 and WebM are supported")));
        }
    }
    let segment = find(&top, id::SEGMENT).ok_or_else(|| Flaw::truncated("it has no segment"))?;
    let inside = elements(segment.body, segment.at)?;
    let info =
        find(&inside, id::INFO).map(|info| elements(info.body, info.at)).transpose()?.unwrap_or_default();
    let scale = find(&info, id::TIMESTAMP_SCALE).map_or(1_000_000, unsigned);
    let timescale = 1_000_000_000_u64.checked_div(scale).and_then(|units| u32::try_from(units).ok());
    let Some(timescale) = timescale.filter(|units| *units > 0 && 1_000_000_000 % scale == 0) else {
        return Err(Flaw::remux(format!("counts time in units of {scale} ns")));
    };
    let tracks = find(&inside, id::TRACKS).ok_or_else(|| Flaw::truncated("it has no tracks"))?;
    let (mut pictures, mut sounds) = (Vec::new(), Vec::new());
    for entry in elements(tracks.body, tracks.at)?.iter().filter(|entry| entry.id == id::TRACK_ENTRY) {
        let (kind, raw) = track(entry)?;
        match kind {
            1 => pictures.push(raw),
            2 => sounds.push(raw),
            _ => {}
        }
    }
    let mut picture = match pictures.len() {
        0 => return Err(Flaw::remux("has no video track")),
        1 => pictures.remove(0),
        more => return Err(Flaw::remux(format!("has {more} video tracks"))),
    };
    let mut sound = (!sounds.is_empty()).then(|| sounds.remove(0));
    for cluster in inside.iter().filter(|element| element.id == id::CLUSTER) {
        blocks(cluster, &mut picture, sound.as_mut())?;
    }
    let video = video(bytes, &picture, timescale)?;
    let sound = sound.map(|sound| heard(bytes, &sound, timescale).unwrap_or_else(SoundTrack::unreadable));
    Ok(Clip { container: Container::Webm, video, sound, turn: Turn::None })
}

fn track<'a>(entry: &Element<'a>) -> Result<(u64, Raw<'a>), Flaw> {
    let fields = elements(entry.body, entry.at)?;
    let number = |id| find(&fields, id).map(unsigned);
    if find(&fields, id::CONTENT_ENCODINGS).is_some() {
        return Err(Flaw::remux("has compressed or encrypted tracks"));
    }
    let private = find(&fields, id::CODEC_PRIVATE).map_or(&[][..], |element| element.body);
    Flaw::bound("bytes of configuration", private.len(), limits::CONFIG_BYTES)?;
    let raw = Raw {
        number: number(id::TRACK_NUMBER).unwrap_or(0),
        codec: find(&fields, id::CODEC_ID).map(text).unwrap_or_default().escape_default().to_string(),
        private,
        default_duration: number(id::DEFAULT_DURATION),
        blocks: Vec::new(),
        fields: Vec::new(),
    };
    let kind = number(id::TRACK_TYPE).unwrap_or(0);
    Ok((kind, Raw { fields, ..raw }))
}

fn blocks<'a>(
    cluster: &Element<'_>,
    picture: &mut Raw<'a>,
    mut sound: Option<&mut Raw<'a>>,
) -> Result<(), Flaw> {
    let inside = elements(cluster.body, cluster.at)?;
    let start = find(&inside, id::TIMESTAMP).map_or(0, unsigned);
    let start = i64::try_from(start).ok().filter(|start| *start <= limits::TIME);
    let start = start.ok_or_else(|| Flaw::corrupt("a cluster states a time after any"))?;
    for element in inside {
        let (number, block) = match element.id {
            id::SIMPLE_BLOCK => block(&element, start, None)?,
            id::BLOCK_GROUP => {
                let group = elements(element.body, element.at)?;
                let Some(inner) = find(&group, id::BLOCK) else { continue };
                block(inner, start, Some(&group))?
            }
            _ => continue,
        };
        let track = if number == picture.number {
            &mut *picture
        } else if let Some(sound) = sound.as_mut().filter(|sound| sound.number == number) {
            &mut **sound
        } else {
            continue;
        };
        Flaw::bound("samples in a track", track.blocks.len() + 1, limits::SAMPLES)?;
        track.blocks.push(block);
    }
    Ok(())
}

/// The track of a block, and its sample.
fn block(element: &Element<'_>, start: i64, group: Option<&[Element<'_>]>) -> Result<(u64, Block), Flaw> {
    let cut = || Flaw::corrupt(format!("the block at byte {} is too short", element.at));
    let (number, length) = ebml::number(element.body).ok_or_else(cut)?;
    let head = element.body.get(length..length + 3).ok_or_else(cut)?;
    let relative = i64::from(i16::from_be_bytes([head[0], head[1]]));
    let key = match group {
        Some(group) => find(group, id::REFERENCE_BLOCK).is_none(),
        None => head[2] & 0x80 != 0,
    };
    let block = Block {
        at: element.at + length + 3,
        bytes: element.body.len() - length - 3,
        time: start + relative,
        duration: group.and_then(|group| find(group, id::BLOCK_DURATION)).map(unsigned),
        discarded: group.and_then(|group| find(group, id::DISCARD_PADDING)).map_or(0, unsigned),
        key,
        laced: head[2] & 0x06 != 0,
        invisible: head[2] & 0x08 != 0,
    };
    Ok((number, block))
}

fn video(bytes: &[u8], raw: &Raw<'_>, timescale: u32) -> Result<Track<Pictures>, Flaw> {
    let (Some(first), Some(last)) = (raw.blocks.first(), raw.blocks.last()) else {
        return Err(Flaw::truncated("it has no pictures"));
    };
    if raw.blocks.iter().any(|block| block.laced || block.invisible) {
        return Err(Flaw::remux("has several pictures in a block, or one that is not shown"));
    }
    if raw.blocks.windows(2).any(|pair| pair[0].time >= pair[1].time) {
        return Err(Flaw::corrupt("the times of its pictures do not increase"));
    }
    let times: Vec<i64> = raw.blocks.iter().map(|block| block.time - first.time).collect();
    let wait_us = first.time.unsigned_abs().saturating_mul(1_000_000) / u64::from(timescale);
    let (timescale, times) = match regular::rate(&times, timescale, raw.default_duration) {
        Some((timescale, step)) => {
            (timescale, (0..=times.len() as i64).map(|number| number * i64::from(step)).collect())
        }
        None => {
            let before = times.windows(2).last().map(|pair| (pair[1] - pair[0]).unsigned_abs());
            let stated = raw.default_duration.map(|ns| ns.saturating_mul(timescale.into()) / 1_000_000_000);
            let length = last.duration.or(stated).or(before).unwrap_or(u64::from(timescale) / 25);
            let length = i64::from(u32::try_from(length).unwrap_or(u32::MAX).max(1));
            let end = times.last().map_or(0, |time| time + length);
            (timescale, times.into_iter().chain([end]).collect::<Vec<i64>>())
        }
    };
    let mut samples = Vec::with_capacity(raw.blocks.len());
    for (block, span) in raw.blocks.iter().zip(times.windows(2)) {
        let duration =
            u32::try_from(span[1] - span[0]).map_err(|_| Flaw::corrupt("a picture is shown for days"))?;
        samples.push(Sample { at: block.at, bytes: block.bytes, time: span[0], duration, key: block.key });
    }
    check_samples(&samples, bytes.len())?;
    let length = times.last().map_or(1, |end| end.unsigned_abs()).max(1);
    let rate = (samples.len() as u64).saturating_mul(u64::from(timescale)).saturating_mul(1_000_000) / length;
    let config = pictures(raw, &bytes[first.at..first.at + first.bytes], rate)?;
    Ok(Track { timescale, samples, start: Start { wait_us, ..Start::default() }, config })
}

fn pictures(raw: &Raw<'_>, first: &[u8], rate: u64) -> Result<Pictures, Flaw> {
    let fields = find(&raw.fields, id::VIDEO).ok_or_else(|| Flaw::corrupt("its video track has no size"))?;
    let fields = elements(fields.body, fields.at)?;
    let number = |id| find(&fields, id).map(unsigned);
    let (wide, high) = (number(id::PIXEL_WIDTH).unwrap_or(0), number(id::PIXEL_HEIGHT).unwrap_or(0));
    let (width, height) = check_size(wide, high)?;
    if id::CROPS.iter().any(|side| number(*side).unwrap_or(0) != 0) {
        return Err(Flaw::encode("is to be shown without its edges"));
    }
    if number(id::ALPHA_MODE).unwrap_or(0) != 0 {
        return Err(Flaw::encode("has transparent pictures"));
    }
    let config = match raw.codec.as_str() {
        "V_VP9" => PictureConfig::Vp9(vp9::config(first, width, height, rate)?),
        "V_AV1" => PictureConfig::Av1(strip::av1_config(mp4::body(raw.private)?)?),
        "V_MPEG4/ISO/AVC" | "V_MPEGH/ISO/HEVC" => {
            return Err(Flaw::remux(format!("has `{}` pictures, which WebM may not have", raw.codec)));
        }
        other => {
            return Err(Flaw::encode(format!(
                "has `{other}` pictures, and of those in WebM, VP9 and AV1 are supported"
            )));
        }
    };
    let aspect = match (number(id::DISPLAY_WIDTH), number(id::DISPLAY_HEIGHT)) {
        (Some(shown_wide), Some(shown_high)) => {
            aspect(shown_wide.saturating_mul(high), shown_high.saturating_mul(wide))
        }
        _ => None,
    };
    let colour = find(&fields, id::COLOUR).map(|found| elements(found.body, found.at)).transpose()?;
    Ok(Pictures { width, height, config, colour: colour.and_then(|fields| colours(&fields)), aspect })
}

/// The shape of a pixel, unless it is a square.
fn aspect(across: u64, down: u64) -> Option<Pasp> {
    let divisor = u64::from(across != 0 && down != 0 && across != down) * super::divisor(across, down);
    let across = u32::try_from(across.checked_div(divisor)?).ok()?;
    let down = u32::try_from(down.checked_div(divisor)?).ok()?;
    Some(Pasp { h_spacing: across, v_spacing: down })
}

fn colours(fields: &[Element<'_>]) -> Option<Colr> {
    let number = |id, otherwise| u16::try_from(find(fields, id).map_or(otherwise, unsigned)).ok();
    let (primaries, transfer, matrix) =
        (number(id::PRIMARIES, 2)?, number(id::TRANSFER, 2)?, number(id::MATRIX, 2)?);
    let full = number(id::RANGE, 0)? == 2;
    Colr::new(primaries, transfer, matrix, full).ok()
}

fn heard(bytes: &[u8], raw: &Raw<'_>, timescale: u32) -> Result<SoundTrack, Flaw> {
    /// Units of time of Opus in a second: RFC 6716.
    const OPUS_RATE: u32 = 48_000;
    let fields = find(&raw.fields, id::AUDIO).map(|found| elements(found.body, found.at)).transpose()?;
    let fields = fields.unwrap_or_default();
    let channels = find(&fields, id::CHANNELS).map_or(1, unsigned);
    let rate = find(&fields, id::SAMPLING_FREQUENCY).and_then(float).unwrap_or(8000.0);
    let mut facts = Sound {
        codec: raw.codec.clone(),
        channels: u16::try_from(channels).unwrap_or(u16::MAX),
        rate: rate.round().clamp(0.0, f64::from(u32::MAX)) as u32,
    };
    if raw.codec != "A_OPUS" {
        let found = format!("has `{}` sound, and of those in WebM, Opus is supported", raw.codec);
        return Ok(SoundTrack { facts, track: Err(Flaw::Unsupported(found, Conversion::Sound)) });
    }
    "opus".clone_into(&mut facts.codec);
    let dops = opus_head(raw.private)?;
    let mut time = 0_i64;
    let mut samples = Vec::with_capacity(raw.blocks.len());
    for block in &raw.blocks {
        if block.laced {
            return Ok(SoundTrack {
                facts,
                track: Err(Flaw::remux("has several packets of sound in a block")),
            });
        }
        let packet = bytes.get(block.at..block.at + block.bytes).unwrap_or_default();
        let duration = opus_duration(packet).ok_or_else(|| Flaw::corrupt("a packet of sound is empty"))?;
        samples.push(Sample { at: block.at, bytes: block.bytes, time, duration, key: true });
        time += i64::from(duration);
    }
    check_samples(&samples, bytes.len())?;
    let first = raw.blocks.first().ok_or_else(|| Flaw::truncated("it has no sound"))?;
    let wait_us = first.time.unsigned_abs().saturating_mul(1_000_000) / u64::from(timescale);
    let skip = u64::from(dops.pre_skip);
    let padding = raw
        .blocks
        .last()
        .map_or(0, |last| u128::from(last.discarded) * u128::from(OPUS_RATE) / 1_000_000_000);
    let padding = u64::try_from(padding).unwrap_or(u64::MAX);
    let length = Some(time.unsigned_abs().saturating_sub(skip).saturating_sub(padding));
    let start = Start { wait_us, skip, length };
    Ok(SoundTrack {
        facts,
        track: Ok(Track { timescale: OPUS_RATE, samples, start, config: SoundConfig::Opus(dops) }),
    })
}

/// The header of Opus in WebM, which is that of Ogg with the lowest byte first, as the box of MP4: RFC 7845, 5.1.
fn opus_head(head: &[u8]) -> Result<Dops, Flaw> {
    let fields = head.strip_prefix(b"OpusHead").filter(|fields| fields.len() >= 11);
    let fields = fields.ok_or_else(|| Flaw::corrupt("its sound has no header of Opus"))?;
    let mut big = vec![0, fields[1], fields[3], fields[2], fields[7], fields[6], fields[5], fields[4]];
    big.extend([fields[9], fields[8]]);
    big.extend_from_slice(&fields[10..]);
    mp4::body(&big)
}

/// The length of a packet of Opus, in 1/48,000 s: RFC 6716, 3.1.
fn opus_duration(packet: &[u8]) -> Option<u32> {
    let &first = packet.first()?;
    let mode = usize::from(first >> 3);
    let frame = match mode {
        0..=11 => [480, 960, 1920, 2880][mode % 4],
        12..=15 => [480, 960][mode % 2],
        _ => [120, 240, 480, 960][mode % 4],
    };
    let frames = match first & 3 {
        0 => 1,
        1 | 2 => 2,
        _ => u32::from(packet.get(1)? & 0x3f),
    };
    Some(frame * frames)
}
