//! Video clips: what they are, and by what else than their pictures raters could tell sets apart.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hype_core::diagnostics::{Diagnostics, Severity};
use hype_core::words::{counted, cut};
use hype_core::{Digest, Item, Media, Role, SetId, Stimulus, StimulusSet, Use};
use hype_images::{Cache, ContentDigest, FoundFile};
use hype_media::video::limits::CLIP_BYTES;
use hype_media::video::{
    ClipDifference, ClipFacts, ClipFeature, ClipSet, TransferFunction, compare, is_clip, probe,
};

use crate::media::{EXAMPLES, Medium, find_files, read_file};

mod cut;

/// The advice on files of other kinds.
const CONVERT: &str = "clips are MP4 or WebM files with H.264, VP9 or AV1: convert others, as by `ffmpeg -i IN -c:v libx264 -crf 16 -an OUT.mp4`";

/// The longest time for which a frame may stand, in microseconds: pages take a clip that shows nothing new for 250 ms for one that
/// stalls.
const LONGEST_FRAME_US: u64 = 200_000;

/// The kind of fault of clips with such frames.
const SLOW_CLIP: &str = "slow-clip";

/// Makes errors of what only warns studies whose answers are there: their clips are not shown any more.
pub(crate) fn refuse_slow(found: Diagnostics) -> Diagnostics {
    let mut refused = Diagnostics::new();
    refused.extend(found.into_vec().into_iter().map(|mut one| {
        if one.code == SLOW_CLIP {
            one.severity = Severity::Error;
        }
        one
    }));
    refused
}

/// MP4 and WebM files.
pub(crate) enum Clips {}

/// A clip that was read.
pub(crate) struct InspectedClip {
    path: Arc<str>,
    digest: Digest,
    facts: ClipFacts,
}

impl Medium for Clips {
    type Inspected = InspectedClip;

    fn find(folder: &Path, patterns: &[String], at: &mut Diagnostics) -> Vec<FoundFile> {
        find_files(folder, patterns, ("videos", "clips", CONVERT), is_clip, at)
    }

    fn is_source(name: &str) -> bool {
        is_clip(name)
    }

    fn inspect(
        files: &[FoundFile],
        cache: &mut Cache,
        progress: &(dyn Fn(usize) + Sync),
        at: &mut Diagnostics,
    ) -> Vec<InspectedClip> {
        let (mut clips, mut faults) = (Vec::new(), Vec::new());
        for (done, file) in (1..).zip(files) {
            match inspect(file, cache) {
                Ok(clip) => clips.push(clip),
                Err(fault) => faults.push(fault),
            }
            progress(done);
        }
        if faults.is_empty() {
            caution(&clips, at);
            return clips;
        }
        let count = counted(faults.len(), "clip");
        at.field("videos")
            .error("bad-clip", format!("{count} cannot be shown: {}", cut(faults, EXAMPLES, "; ")))
            .help("replace the files, or remove them");
        Vec::new()
    }

    fn compare(
        sets: &[StimulusSet],
        clips: &[Vec<InspectedClip>],
        stimuli: &[Stimulus],
        at: &mut Diagnostics,
    ) {
        let mut stimuli = stimuli.iter();
        let mut of_set = |clips: &Vec<InspectedClip>| -> Vec<ClipFacts> {
            clips.iter().zip(stimuli.by_ref()).map(|(clip, stimulus)| clip.as_shown(stimulus.media)).collect()
        };
        let clips: Vec<Vec<ClipFacts>> = clips.iter().map(&mut of_set).collect();
        let facts = |wanted: &dyn Fn(&StimulusSet) -> bool| -> Vec<(&str, Vec<ClipFacts>)> {
            let mut models: BTreeMap<&str, Vec<ClipFacts>> = BTreeMap::new();
            let wanted = sets.iter().zip(&clips).filter(|(set, _)| set.used_for == Use::Main && wanted(set));
            for (set, clips) in wanted {
                models.entry(set.declared_name()).or_default().extend(clips.iter().cloned());
            }
            models.into_iter().collect()
        };
        let real: Vec<ClipFacts> =
            facts(&|set| set.role == Role::Real).into_iter().flat_map(|(_, clips)| clips).collect();
        let models = facts(&|set| set.role == Role::Generated);
        let of = |(name, clips)| ClipSet { name, clips };
        let mut listed = models.iter().map(|(name, clips)| of((*name, &clips[..])));
        let is_real = !real.is_empty();
        let Some(first) = (if is_real { Some(of(("real", &real))) } else { listed.next() }) else { return };
        let others: Vec<ClipSet<'_>> = listed.collect();
        for found in compare(first, &others) {
            report(&found, is_real, at);
        }
    }

    fn stimulus(set: SetId, clip: &InspectedClip) -> Stimulus {
        let (width, height) = clip.facts.shown();
        let ClipFacts { frames, duration_us, .. } = clip.facts;
        let media = Media::Video { width, height, frames, duration_us };
        Stimulus::new(set, clip.digest, Arc::clone(&clip.path), media)
    }

    fn cut(folder: &Path, items: &[Item], stimuli: &mut [Stimulus], at: &mut Diagnostics) {
        cut::to_shortest(folder, items, stimuli, at);
    }
}

impl InspectedClip {
    /// The facts, with the duration that is shown.
    fn as_shown(&self, media: Media) -> ClipFacts {
        match media {
            Media::Video { frames, duration_us, .. } => {
                ClipFacts { frames, duration_us, ..self.facts.clone() }
            }
            _ => self.facts.clone(),
        }
    }
}

fn inspect(file: &FoundFile, cache: &mut Cache) -> Result<InspectedClip, String> {
    let (digest, facts) = cache.facts_of(file, || -> Result<(ContentDigest, ClipFacts), String> {
        let bytes = read_file(file, CLIP_BYTES)?;
        let name = &*file.relative;
        let facts = probe(name, &bytes).map_err(|error| error.to_string())?;
        facts.check_playable(name).map_err(|error| error.to_string())?;
        Ok((ContentDigest::of(&bytes), facts))
    })?;
    Ok(InspectedClip { path: Arc::clone(&file.relative), digest: Digest(digest.0), facts })
}

/// Warns of clips that raters do not see, or hear, as their files are.
fn caution(clips: &[InspectedClip], at: &mut Diagnostics) {
    let mut tell = |code: &'static str, what: &str, is_so: fn(&ClipFacts) -> bool, help: &str| {
        let of_kind = clips.iter().filter(|clip| is_so(&clip.facts));
        let paths: Vec<&str> = of_kind.map(|clip| &*clip.path).collect();
        if !paths.is_empty() {
            let has = if paths.len() == 1 { "has" } else { "have" };
            let count = counted(paths.len(), "clip");
            let message = format!("{count} {has} {what}: {}", cut(paths, EXAMPLES, ", "));
            at.field("videos").warning(code, message).help(help);
        }
    };
    let help = "say so in the paper, or make a study without clips whose sound matters";
    tell("no-sound", "sound, which is not played", |facts| facts.sound.is_some(), help);
    let help = "convert them, as by `ffmpeg -i IN -vf bwdif=send_frame -c:v libx264 -crf 12 -pix_fmt yuv420p -an OUT.mp4`";
    let what = "two fields in a picture, which browsers show in different ways";
    tell("interlaced", what, |facts| facts.interlaced, help);
    let help = "convert them, as by `ffmpeg -i IN -vf zscale=t=linear:npl=100,tonemap=hable,zscale=t=bt709:p=bt709:m=bt709:r=tv \
                -c:v libx264 -crf 12 -pix_fmt yuv420p -an OUT.mp4`";
    let what = "the colours of HDR (PQ or HLG), which screens show in different ways and tell models apart";
    tell("hdr", what, |facts| facts.transfer != TransferFunction::Standard, help);
    let help =
        "convert them, as by `ffmpeg -i IN -vf fps=25 -c:v libx264 -crf 12 -pix_fmt yuv420p -an OUT.mp4`";
    let what = "a frame that stands for more than 0.2 s, which pages take for a stall";
    tell(SLOW_CLIP, what, |facts| facts.longest_frame_us > LONGEST_FRAME_US, help);
}

/// Reports a feature by which two sets can be told apart. In tasks of real against generated clips, it is an error: a program
/// could read the feature from the file, whatever the clip shows. Among models, those that raters see are warned of.
fn report(found: &ClipDifference, is_real: bool, at: &mut Diagnostics) {
    let name = match found.feature {
        ClipFeature::Codec => "codec",
        ClipFeature::Size => "size",
        ClipFeature::Rate => "frame rate",
        ClipFeature::Pixels => "pixel format",
        _ => "duration",
    };
    if !is_real && matches!(found.feature, ClipFeature::Codec | ClipFeature::Pixels) {
        return;
    }
    let values = |set: usize| {
        let value = |(value, count): &(String, usize)| format!("{value} ({count})");
        cut(found.values[set].iter().map(value), EXAMPLES, ", ")
    };
    let message = format!(
        "the {name} alone tells `{}` from `{}` in {:.0} % of the cases: {} against {}",
        found.sets[1],
        found.sets[0],
        100.0 * found.accuracy,
        values(1),
        values(0),
    );
    at.within("stimuli", |at| {
        at.within(&found.sets[1], |at| {
            let mut at = at.field("videos");
            if is_real {
                at.error("shortcut", message).help(
                    "encode all clips the same way, as by `ffmpeg -i IN -vf scale=W:H,fps=R -t SECONDS -c:v libx264 -crf 16 \
                     -pix_fmt yuv420p -an OUT.mp4`",
                );
            } else {
                at.warning("shortcut", message)
                    .help("raters see it: cut or convert the clips to one form, or say so in the paper");
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clip with sound, as it is found, and as two fields in a wide range of brightness.
    fn clips() -> Vec<InspectedClip> {
        let bytes = include_bytes!("../../hype-media/tests/data/h264.mp4");
        let plain = probe("a", bytes).unwrap();
        let other =
            ClipFacts { interlaced: true, transfer: TransferFunction::Pq, sound: None, ..plain.clone() };
        let slow = ClipFacts { longest_frame_us: 250_000, sound: None, ..plain.clone() };
        let of = |path: &str, facts| InspectedClip { path: path.into(), digest: Digest([0; 32]), facts };
        vec![of("m/a.mp4", plain), of("m/b.mp4", other), of("m/c.mp4", slow)]
    }

    #[test]
    fn clips_that_are_not_shown_as_they_are_are_told() {
        let mut found = Diagnostics::new();
        caution(&clips(), &mut found);
        assert!(!found.has_errors() && refuse_slow(found.clone()).has_errors());
        let said: Vec<String> = found.into_vec().into_iter().map(|one| one.message).collect();
        assert_eq!(
            said,
            [
                "1 clip has sound, which is not played: m/a.mp4",
                "1 clip has two fields in a picture, which browsers show in different ways: m/b.mp4",
                "1 clip has the colours of HDR (PQ or HLG), which screens show in different ways and tell models apart: m/b.mp4",
                "1 clip has a frame that stands for more than 0.2 s, which pages take for a stall: m/c.mp4",
            ]
        );
    }
}
