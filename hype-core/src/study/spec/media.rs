//! Media of a study: one kind for all sets, and settings that fit it.

use crate::diagnostics::Diagnostics;
use crate::model::media::MediaKind;
use crate::plugin::metric::{MetricBeside, MetricReads, MetricSpec};
use crate::plugin::task::Design;
use crate::study::spec::{MetricSpecs, SetSpec, SetSpecs};
use crate::words::listed;

use super::ProtocolSpec;

/// Checks that each set names the files of one kind.
pub(super) fn check_set(set: &SetSpec, at: &mut Diagnostics) {
    let named: Vec<&str> = set.named_files().map(|(kind, _)| kind.field()).collect();
    match named.as_slice() {
        [] => {
            at.field("images").error("missing-field", "the set names no files").help(
                "write a file pattern relative to the spec's folder, such as `images: images/real/*.png`; clips are \
                 named by `videos`, and texts by `texts`",
            );
        }
        [_] => {}
        [_, second, ..] => {
            at.field(second)
                .error("mixed-media", format!("the set names files by {}", named.join(" and ")))
                .help("raters judge one kind of media at a time: make a study of each");
        }
    }
    for (kind, patterns) in set.named_files() {
        if patterns.0.iter().any(|pattern| pattern.trim().is_empty()) {
            at.field(kind.field())
                .error("empty", "an empty pattern matches no file")
                .help("write a file pattern relative to the spec's folder, such as `images/real/*.png`");
        }
    }
}

/// Reports sets of another kind than the first one's.
pub(super) fn check_sets(sets: &SetSpecs, at: &mut Diagnostics) {
    // A set that names no files has an error of its own.
    let named = sets.iter().filter(|(_, set)| set.named_files().next().is_some());
    let mut kinds = named.map(|(name, set)| (name, set.files().0));
    let Some((first, kind)) = kinds.next() else { return };
    for (name, other) in kinds.filter(|(_, other)| *other != kind) {
        at.within("stimuli", |at| {
            at.within(name, |at| {
                at.field(other.field())
                    .error(
                        "mixed-media",
                        format!("{name} has {}, and {first} has {}", other.plural(), kind.plural()),
                    )
                    .help("raters judge one kind of media at a time: make a study of each");
            });
        });
    }
}

/// The diagnostics of a task on images, in words for a kind of media. Names of fields and files are those of the kind, too.
pub(super) fn worded(found: Diagnostics, kind: MediaKind) -> Diagnostics {
    let extension = match kind {
        MediaKind::Image => return found,
        MediaKind::Video => ".mp4",
        MediaKind::Text => ".md",
    };
    let (one, field) = (kind.to_string(), kind.field());
    let of_kind = |(place, part): (usize, &str)| match place % 2 {
        0 => part.replace("an image", &format!("a {one}")).replace("image", &one),
        _ => part.replace("images: images", &format!("{field}: {field}")).replace(".png", extension),
    };
    let of_kind = |text: &str| text.split('`').enumerate().map(of_kind).collect::<Vec<_>>().join("`");
    let mut worded = Diagnostics::new();
    for mut one in found.into_vec() {
        one.message = of_kind(&one.message);
        one.help = one.help.as_deref().map(of_kind);
        worded.push(one);
    }
    worded
}

/// Checks that the task, the metrics and the settings fit the kind of media.
pub(super) fn check(
    protocol: &ProtocolSpec,
    metrics: &MetricSpecs,
    design: &Design<'_>,
    at: &mut Diagnostics,
) {
    let kind = design.stimuli.kind();
    if kind == MediaKind::Image {
        if protocol.playback.is_some() {
            at.field("playback")
                .warning("unused-field", "this study shows images, which are not played")
                .help("remove the section `playback`");
        }
        return;
    }
    if kind == MediaKind::Video
        && protocol.playback.is_some_and(|playback| playback.words_per_minute.is_some())
    {
        at.within("playback", |at| {
            at.field("words_per_minute")
                .warning("unused-field", "this study shows clips, which are not read")
                .help("remove it");
        });
    }
    let plural = kind.plural();
    let profile = protocol.task.profile(design);
    if profile.pace.limits_exposure && !(kind == MediaKind::Text && profile.exposes_texts) {
        at.field("task")
            .error(
                "not-images",
                format!("this task limits how long images are shown, and the stimuli are {plural}"),
            )
            .help(
                "choose a task without a limited exposure, such as `hype_infinity`, `contrast` or `rating`",
            );
    }
    if protocol.masks.is_some() && profile.pace.masks {
        at.field("masks")
            .error("not-images", format!("these masks are made from images, and the stimuli are {plural}"))
            .help("remove the section `masks`: each text is masked by its own letters in another order");
    }
    let reads_frames = |metric: &dyn MetricSpec| {
        let inputs = metric.inputs();
        let of_pairs =
            matches!((inputs.reads, inputs.beside), (MetricReads::Pixels, MetricBeside::Condition(_)));
        of_pairs && kind == MediaKind::Video
    };
    let others = metrics.metrics.iter().filter(|metric| !reads_frames(&***metric));
    let others: Vec<&str> = others.map(|metric| metric.typetag_name()).collect();
    if !others.is_empty() {
        at.field("metrics")
            .error("not-images", format!("{} needs images, and the stimuli are {plural}", listed(&others)))
            .help("remove it: clips have `psnr` and `ssim`, and `hype metrics` compares features from files");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_speak_of_what_is_shown() {
        let said = |kind| {
            let mut found = Diagnostics::new();
            found
                .error("too-few-images", "10 real images are needed, and an image is missing")
                .help("name a set of real images, such as `real: { role: real, images: images/real/*.png }`");
            let one = worded(found, kind).into_vec().remove(0);
            [one.message, one.help.unwrap_or_default()]
        };
        assert_eq!(
            said(MediaKind::Video),
            [
                "10 real clips are needed, and a clip is missing",
                "name a set of real clips, such as `real: { role: real, videos: videos/real/*.mp4 }`"
            ]
        );
        assert_eq!(said(MediaKind::Text)[0], "10 real texts are needed, and a text is missing");
        assert_eq!(said(MediaKind::Image)[0], "10 real images are needed, and an image is missing");
    }
}
