//! The index of a file, and its data in the order in which they are played.

use mp4_atom::{
    Audio, Av01, Avc1, Avc3, Codec, Ctts, CttsEntry, Decode as _, Dinf, Dref, Edts, Elst, ElstEntry, Encode,
    FixedPoint, Ftyp, Hdlr, Hev1, Hvc1, Matrix, Mdhd, Mdia, Minf, Moov, Mp4a, Mvhd, Opus, Smhd, Stbl, Stco,
    Stsc, StscEntry, Stsd, Stss, Stsz, StszSamples, Stts, SttsEntry, Tkhd, Trak, Url, Visual, Vmhd, Vp09,
    esds,
};

use super::{Heard, Written};
use crate::video::Turn;
use crate::video::clip::{Inside, PictureConfig, Pictures, SoundConfig};
use crate::video::error::Flaw;

/// Units of time of the whole file in a second. Those of tracks are finer.
const MOVIE_SCALE: u32 = 1_000_000;

/// Consecutive samples of a track that lie together.
struct Chunk {
    /// When its first sample is decoded, in microseconds.
    time_us: u64,
    /// Whether it is sound, which follows the pictures of its time.
    sound: bool,
    /// The number of its samples.
    samples: u32,
    bytes: usize,
}

/// The whole file, without padding.
pub(super) fn encode(
    config: &Pictures,
    turn: Turn,
    pictures: &Written,
    sound: Option<&Heard>,
) -> Result<Vec<u8>, Flaw> {
    let mut chunks = chunks(pictures, false, sound.is_some());
    if let Some(heard) = sound {
        chunks.extend(chunks_of_sound(heard));
        chunks.sort_by_key(|chunk| (chunk.time_us, chunk.sound));
    }
    let mut moov = movie(config, turn, pictures, sound, &chunks);
    let mut out = Vec::new();
    let ftyp = Ftyp {
        major_brand: b"isom".into(),
        minor_version: 0,
        compatible_brands: vec![b"isom".into(), b"iso4".into(), b"mp42".into()],
    };
    put(&ftyp, &mut out)?;
    let before = out.len();
    put(&moov, &mut out)?;
    // The places of chunks follow from the length of the index, which does not depend on them.
    let mut at = out.len() + 8;
    let mut places = [Vec::new(), Vec::new()];
    for chunk in &chunks {
        let place = u32::try_from(at).map_err(|_| Flaw::corrupt("it would have more than 4 GiB"))?;
        places[usize::from(chunk.sound)].push(place);
        at += chunk.bytes;
    }
    for (trak, entries) in moov.trak.iter_mut().zip(places) {
        trak.mdia.minf.stbl.stco = Some(Stco { entries });
    }
    out.truncate(before);
    put(&moov, &mut out)?;
    let data = u32::try_from(at - out.len()).map_err(|_| Flaw::corrupt("it would have more than 4 GiB"))?;
    out.extend_from_slice(&data.to_be_bytes());
    out.extend_from_slice(b"mdat");
    let mut contents =
        [pictures.content.as_slice(), sound.map_or(&[], |heard| heard.written.content.as_slice())];
    for chunk in &chunks {
        let content = &mut contents[usize::from(chunk.sound)];
        let (now, later) = content.split_at(chunk.bytes);
        out.extend_from_slice(now);
        *content = later;
    }
    Ok(out)
}

fn put(value: &impl Encode, out: &mut Vec<u8>) -> Result<(), Flaw> {
    value.encode(out).map_err(|error| Flaw::corrupt(format!("it cannot be written as MP4: {error}")))
}

fn chunks_of_sound(heard: &Heard) -> Vec<Chunk> {
    chunks(&heard.written, true, true)
}

/// One chunk, or one for each second where pictures and sound take turns.
fn chunks(track: &Written, sound: bool, by_second: bool) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let (mut decoded, mut second) = (0_u64, 0);
    for (sample, &bytes) in track.samples.iter().zip(&track.sizes) {
        let scale = u64::from(track.timescale);
        let now = decoded / scale;
        match chunks.last_mut() {
            Some(chunk) if !by_second || now == second => {
                chunk.samples += 1;
                chunk.bytes += bytes as usize;
            }
            _ => {
                let time_us = u128::from(decoded) * 1_000_000 / u128::from(scale);
                let time_us = u64::try_from(time_us).unwrap_or(u64::MAX);
                chunks.push(Chunk { time_us, sound, samples: 1, bytes: bytes as usize });
                second = now;
            }
        }
        decoded += u64::from(sample.duration);
    }
    chunks
}

fn movie(config: &Pictures, turn: Turn, pictures: &Written, sound: Option<&Heard>, chunks: &[Chunk]) -> Moov {
    let shown =
        pictures.samples.iter().map(|sample| sample.time + i64::from(sample.duration)).max().unwrap_or(0);
    let shown = in_movie(shown.unsigned_abs(), pictures.timescale);
    let [across, down] = config.pixel_shape();
    let wide = u64::from(config.width) * u64::from(across) / u64::from(down.max(1));
    let video = Trak {
        tkhd: Tkhd {
            track_id: 1,
            duration: shown,
            enabled: true,
            in_movie: true,
            matrix: matrix(turn),
            width: u16::try_from(wide).unwrap_or(u16::MAX).into(),
            height: config.height.into(),
            ..Tkhd::default()
        },
        mdia: media(
            pictures,
            b"vide",
            "video",
            Minf { vmhd: Some(Vmhd::default()), ..minf(pictures, chunks, false) },
        ),
        ..Trak::default()
    };
    let mut traks = vec![described(video, describe(config))];
    let mut longest = shown;
    if let Some(heard) = sound {
        let wait = heard.wait_us;
        let length = in_movie(heard.length, heard.written.timescale);
        longest = longest.max(wait.saturating_add(length));
        traks.push(described(sound_track(heard, wait, length, chunks), vec![describe_sound(heard)]));
    }
    Moov {
        mvhd: Mvhd {
            timescale: MOVIE_SCALE,
            duration: longest,
            rate: 1.into(),
            volume: 1.into(),
            next_track_id: 3,
            ..Mvhd::default()
        },
        trak: traks,
        ..Moov::default()
    }
}

fn sound_track(heard: &Heard, wait: u64, length: u64, chunks: &[Chunk]) -> Trak {
    let empty =
        (wait > 0).then(|| ElstEntry { segment_duration: wait, media_time: None, media_rate: 1.into() });
    let part = ElstEntry { segment_duration: length, media_time: Some(heard.skip), media_rate: 1.into() };
    Trak {
        tkhd: Tkhd {
            track_id: 2,
            duration: wait.saturating_add(length),
            alternate_group: 1,
            enabled: true,
            in_movie: true,
            volume: 1.into(),
            ..Tkhd::default()
        },
        edts: Some(Edts { elst: Some(Elst { entries: empty.into_iter().chain([part]).collect() }) }),
        mdia: media(
            &heard.written,
            b"soun",
            "sound",
            Minf { smhd: Some(Smhd::default()), ..minf(&heard.written, chunks, true) },
        ),
        ..Trak::default()
    }
}

fn described(mut trak: Trak, codecs: Vec<Codec>) -> Trak {
    trak.mdia.minf.stbl.stsd = Stsd { codecs };
    trak
}

fn in_movie(units: u64, timescale: u32) -> u64 {
    let length = u128::from(units) * u128::from(MOVIE_SCALE) / u128::from(timescale.max(1));
    u64::try_from(length).unwrap_or(u64::MAX)
}

fn matrix(turn: Turn) -> Matrix {
    const ONE: i32 = 1 << 16;
    let (a, b, c, d) = match turn {
        Turn::None => (ONE, 0, 0, ONE),
        Turn::Clockwise => (0, ONE, -ONE, 0),
        Turn::Half => (-ONE, 0, 0, -ONE),
        Turn::Anticlockwise => (0, -ONE, ONE, 0),
    };
    Matrix { a, b, c, d, ..Matrix::default() }
}

fn media(track: &Written, handler: &[u8; 4], name: &str, minf: Minf) -> Mdia {
    Mdia {
        mdhd: Mdhd {
            timescale: track.timescale,
            duration: track.samples.iter().map(|sample| u64::from(sample.duration)).sum(),
            language: "und".to_owned(),
            ..Mdhd::default()
        },
        hdlr: Hdlr { handler: handler.into(), name: name.to_owned() },
        minf,
    }
}

fn minf(track: &Written, chunks: &[Chunk], sound: bool) -> Minf {
    let samples = &track.samples;
    let durations = runs(samples.iter().map(|sample| sample.duration));
    let mut decoded = 0;
    let offsets = runs(samples.iter().map(|sample| {
        let offset = sample.time - decoded;
        decoded += i64::from(sample.duration);
        offset
    }));
    let reordered = offsets.iter().any(|(_, offset)| *offset != 0);
    let keys: Vec<u32> =
        (1..).zip(samples).filter(|(_, sample)| sample.key).map(|(number, _)| number).collect();
    let all_keys = keys.len() == samples.len();
    let own = || chunks.iter().filter(|chunk| chunk.sound == sound);
    let mut first_chunk = 1;
    let mut groups = Vec::new();
    for (length, samples_per_chunk) in runs(own().map(|chunk| chunk.samples)) {
        groups.push(StscEntry { first_chunk, samples_per_chunk, sample_description_index: 1 });
        first_chunk += length;
    }
    let delta = |(sample_count, sample_delta)| SttsEntry { sample_count, sample_delta };
    let offset = |(sample_count, sample_offset)| CttsEntry { sample_count, sample_offset };
    Minf {
        dinf: Dinf { dref: Dref { entries: vec![Url::default().into()] } },
        stbl: Stbl {
            stts: Stts { entries: durations.into_iter().map(delta).collect() },
            ctts: reordered.then(|| Ctts { entries: offsets.into_iter().map(offset).collect() }),
            stss: (!all_keys).then_some(Stss { entries: keys }),
            stsc: Stsc { entries: groups },
            stsz: Stsz { samples: StszSamples::Different { sizes: track.sizes.clone() } },
            stco: Some(Stco { entries: vec![0; own().count()] }),
            ..Stbl::default()
        },
        ..Minf::default()
    }
}

/// The lengths of runs of equal values.
fn runs<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<(u32, T)> {
    let mut runs: Vec<(u32, T)> = Vec::new();
    for value in values {
        match runs.last_mut() {
            Some((length, last)) if *last == value => *length += 1,
            _ => runs.push((1, value)),
        }
    }
    runs
}

fn describe(pictures: &Pictures) -> Vec<Codec> {
    let visual = Visual {
        data_reference_index: 1,
        width: pictures.width,
        height: pictures.height,
        ..Visual::default()
    };
    let (colr, pasp) = (pictures.colour.clone(), pictures.aspect.clone());
    let codec: Codec = match &pictures.config {
        PictureConfig::H264(avcc, Inside::Never) => {
            Avc1 { visual, avcc: avcc.clone(), colr, pasp, ..Avc1::default() }.into()
        }
        PictureConfig::H264(avcc, Inside::Perhaps) => {
            Avc3 { visual, avcc: avcc.clone(), colr, pasp, ..Avc3::default() }.into()
        }
        PictureConfig::Hevc(hvcc, Inside::Never) => {
            Hvc1 { visual, hvcc: hvcc.clone(), colr, pasp, ..Hvc1::default() }.into()
        }
        PictureConfig::Hevc(hvcc, Inside::Perhaps) => {
            Hev1 { visual, hvcc: hvcc.clone(), colr, pasp, ..Hev1::default() }.into()
        }
        PictureConfig::Vp9(vpcc) => Vp09 { visual, vpcc: vpcc.clone(), colr, pasp, ..Vp09::default() }.into(),
        PictureConfig::Av1(av1c) => Av01 { visual, av1c: av1c.clone(), colr, pasp, ..Av01::default() }.into(),
    };
    vec![codec]
}

fn describe_sound(heard: &Heard) -> Codec {
    let audio = |channels: u16, rate: u32| Audio {
        data_reference_index: 1,
        channel_count: channels,
        sample_size: 16,
        // Rates beyond 16 bits are told by the decoder's configuration.
        sample_rate: FixedPoint::new(u16::try_from(rate).unwrap_or(0), 0),
    };
    match &heard.config {
        SoundConfig::Aac(config) => {
            let specific = esds::DecoderSpecific::decode(&mut config.as_slice()).ok();
            let dec_config = esds::DecoderConfig {
                object_type_indication: 0x40,
                stream_type: 5,
                dec_specific: specific,
                ..esds::DecoderConfig::default()
            };
            let es_desc = esds::EsDescriptor { es_id: 2, dec_config, ..esds::EsDescriptor::default() };
            let audio = audio(heard.facts.channels, heard.facts.rate);
            Mp4a { audio, esds: esds::Esds { es_desc }, btrt: None, taic: None }.into()
        }
        SoundConfig::Opus(dops) => {
            let audio = audio(dops.output_channel_count.into(), 48_000);
            Opus { audio, dops: dops.clone(), btrt: None }.into()
        }
    }
}
