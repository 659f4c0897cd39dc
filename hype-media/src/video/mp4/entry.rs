//! Descriptions of samples: codecs, their configuration, sizes and sound.

use mp4_atom::{Audio, Colr, Decode as _, Dops, Esds, HvcCArray, Hvcc, Pasp, Visual, VpcC};

use super::boxes::{Found, children, leaf, one};
use super::{OFTEN_MET, body};
use crate::video::clip::{Inside, PictureConfig, Pictures, SoundConfig, check_size};
use crate::video::error::{Conversion, Flaw};
use crate::video::{Sound, limits, strip};

/// The length of the fixed fields of a description of pictures, in bytes.
const VISUAL_BYTES: usize = 78;

/// The length of the fixed fields of a description of sound, in bytes.
const AUDIO_BYTES: usize = 28;

/// The only description of a track: its code and its content.
fn only<'a>(entries: &Found<'a>) -> Result<Found<'a>, Flaw> {
    let content = entries.body.get(8..).ok_or_else(|| Flaw::corrupt("its box `stsd` is too short"))?;
    let found = children(content, entries.at + 8)?;
    match found.as_slice() {
        [] => Err(Flaw::corrupt("a track has no description of its samples")),
        [one] => Ok(*one),
        more => Err(Flaw::encode(format!("has {} descriptions of the samples of a track", more.len()))),
    }
}

/// A code of four characters, with the name of the format if it is met often.
fn called(kind: [u8; 4]) -> String {
    let code = String::from_utf8_lossy(&kind).escape_default().to_string();
    match OFTEN_MET.iter().find(|(met, _)| **met == kind) {
        Some((_, name)) => format!("{name} (`{code}`)"),
        None => format!("`{code}`"),
    }
}

/// Reads the description of a track of pictures.
pub(super) fn pictures(entries: &Found<'_>) -> Result<Pictures, Flaw> {
    let entry = only(entries)?;
    let code = match &entry.kind {
        b"avc1" | b"avc3" => b"avcC",
        b"hvc1" | b"hev1" => b"hvcC",
        b"vp09" => b"vpcC",
        b"av01" => b"av1C",
        _ => {
            return Err(Flaw::encode(format!(
                "has {} pictures, and H.264, HEVC, VP9 and AV1 are supported",
                called(entry.kind)
            )));
        }
    };
    let Some((mut fixed, rest)) = entry.body.split_at_checked(VISUAL_BYTES) else {
        return Err(Flaw::corrupt("the description of its pictures is too short"));
    };
    let visual = Visual::decode(&mut fixed).map_err(|error| Flaw::corrupt(error.to_string()))?;
    let (width, height) = check_size(visual.width.into(), visual.height.into())?;
    let inside = children(rest, entry.at + VISUAL_BYTES)?;
    let found = one(&inside, code).ok_or_else(|| {
        Flaw::corrupt(format!("the description of its pictures has no `{}`", String::from_utf8_lossy(code)))
    })?;
    Flaw::bound("bytes of configuration", found.body.len(), limits::CONFIG_BYTES)?;
    let perhaps = |inside: bool| if inside { Inside::Perhaps } else { Inside::Never };
    let config = match code {
        b"avcC" => PictureConfig::H264(leaf(found)?, perhaps(&entry.kind == b"avc3")),
        b"hvcC" => PictureConfig::Hevc(parameters(leaf(found)?), perhaps(&entry.kind == b"hev1")),
        b"vpcC" => PictureConfig::Vp9(VpcC { codec_initialization_data: Vec::new(), ..vpcc(found.body)? }),
        _ => PictureConfig::Av1(strip::av1_config(leaf(found)?)?),
    };
    let colour = one(&inside, b"colr").and_then(|found| leaf::<Colr>(found).ok()).and_then(colour);
    let aspect = one(&inside, b"pasp").and_then(|found| leaf::<Pasp>(found).ok());
    let aspect = aspect
        .filter(|aspect| aspect.h_spacing != aspect.v_spacing && aspect.h_spacing.min(aspect.v_spacing) > 0);
    Ok(Pictures { width, height, config, colour, aspect })
}

fn vpcc(bytes: &[u8]) -> Result<VpcC, Flaw> {
    body(bytes)
}

/// The configuration of HEVC with parameter sets only: encoders put messages about themselves there, too.
fn parameters(mut config: Hvcc) -> Hvcc {
    // Types of VPS, SPS and PPS: ITU-T H.265, table 7-1.
    config.arrays.retain(|array: &HvcCArray| matches!(array.nal_unit_type, 32..=34));
    config
}

/// Colours by numbers of ITU-T H.273. Profiles are not read by browsers, and carry names and dates.
fn colour(colour: Colr) -> Option<Colr> {
    match colour {
        Colr::Nclx { .. } => Some(colour),
        Colr::Nclc { colour_primaries, transfer_characteristics, matrix_coefficients } => Some(Colr::Nclx {
            colour_primaries,
            transfer_characteristics,
            matrix_coefficients,
            full_range_flag: false,
        }),
        _ => None,
    }
}

/// Reads the description of a track of sound, and its configuration if it can be rewritten.
pub(super) fn sound(entries: &Found<'_>) -> Result<(Sound, Result<SoundConfig, Flaw>), Flaw> {
    let entry = only(entries)?;
    let mut fields = entry.body;
    let audio = Audio::decode(&mut fields).map_err(|error| Flaw::corrupt(format!("its sound: {error}")))?;
    // Versions of QuickTime have more fields.
    let fixed = (entry.body.len() - fields.len()).max(AUDIO_BYTES);
    let inside = children(entry.body.get(fixed..).unwrap_or_default(), entry.at + fixed)?;
    let code = String::from_utf8_lossy(&entry.kind).escape_default().to_string();
    let mut facts =
        Sound { codec: code, channels: audio.channel_count, rate: u32::from(audio.sample_rate.integer()) };
    let other = |name: &str| {
        Flaw::Unsupported(format!("has {name} sound, and AAC and Opus are supported"), Conversion::Sound)
    };
    let config = match &entry.kind {
        b"mp4a" => {
            // QuickTime puts the description into a box of its own.
            let wave = one(&inside, b"wave")
                .map(|wave| children(wave.body, wave.at))
                .transpose()?
                .unwrap_or_default();
            match one(&inside, b"esds").or_else(|| one(&wave, b"esds")).map(aac).transpose()?.flatten() {
                Some(config) => {
                    "aac".clone_into(&mut facts.codec);
                    (facts.channels, facts.rate) =
                        aac_format(&config).unwrap_or((facts.channels, facts.rate));
                    Ok(SoundConfig::Aac(config))
                }
                None => Err(other("`mp4a` without the configuration of AAC as")),
            }
        }
        b"Opus" => match one(&inside, b"dOps") {
            Some(found) => {
                "opus".clone_into(&mut facts.codec);
                Ok(SoundConfig::Opus(leaf::<Dops>(found)?))
            }
            None => return Err(Flaw::corrupt("the description of its sound has no `dOps`")),
        },
        _ => Err(other(&called(entry.kind))),
    };
    Ok((facts, config))
}

/// The configuration of an AAC decoder.
fn aac(found: &Found<'_>) -> Result<Option<Vec<u8>>, Flaw> {
    /// MPEG-4 audio: ISO/IEC 14496-1, table 5.
    const MPEG4_AUDIO: u8 = 0x40;
    Flaw::bound("bytes of description of AAC", found.body.len(), limits::ESDS_BYTES)?;
    let config = leaf::<Esds>(found)?.es_desc.dec_config;
    if config.object_type_indication != MPEG4_AUDIO {
        return Ok(None);
    }
    let Some(specific) = config.dec_specific else { return Ok(None) };
    let mut bytes = Vec::new();
    mp4_atom::Encode::encode(&specific, &mut bytes).map_err(|error| Flaw::corrupt(error.to_string()))?;
    Ok(Some(bytes))
}

/// The channels and the rate of a configuration, unless it states them in a rare way: ISO/IEC 14496-3, 1.6.2.1.
/// Fields of the container are often constant.
fn aac_format(config: &[u8]) -> Option<(u16, u32)> {
    const RATES: [u32; 13] =
        [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];
    let &[first, second, ..] = config else { return None };
    let rate = RATES.get(usize::from((first & 7) << 1 | second >> 7))?;
    match second >> 3 & 0x0f {
        channels @ 1..=6 => Some((channels.into(), *rate)),
        7 => Some((8, *rate)),
        _ => None,
    }
}
