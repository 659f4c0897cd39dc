//! Metrics of pairs of clips: the means over frames, by `ffmpeg`, which `scripts/install-test-tools` installs.

use std::fs;
use std::path::Path;
use std::process::Command;

use hype_core::study::spec::MetricSpecs;
use hype_core::{
    Condition, ConditionKind, Content, Digest, Item, ItemId, Media, Role, SetId, Stimuli, Stimulus,
    StimulusId, StimulusSet, Streams, Use,
};
use hype_pipeline::metrics::{Psnr, Ssim};
use hype_pipeline::study::{MetricProgress, Shard, StudyMetrics};

struct Quiet;

impl MetricProgress for Quiet {
    fn reached(&self, _: &str, _: usize, _: usize) {}
}

/// The output of `ffmpeg`.
fn ffmpeg(folder: &Path, arguments: &str) -> String {
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-y"]).args(arguments.split_whitespace()).current_dir(folder);
    let ended = command.output().unwrap_or_else(|error| panic!("{error}: run `scripts/install-test-tools`"));
    assert!(ended.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8(ended.stdout).unwrap()
}

/// A source, its equal, and outputs of a model: a coarser copy, a smaller one, and one that is shorter than it is said to be.
fn clips(folder: &Path) -> Stimuli {
    let coded = "-c:v libx264 -pix_fmt yuv420p -bf 2";
    let source = "-f lavfi -i testsrc2=size=64x48:rate=10:duration=1.2 -crf 8";
    ffmpeg(folder, &format!("{source} {coded} source.mp4"));
    for (name, how) in [("coarse", "-crf 44"), ("small", "-s 32x24"), ("short", "-t 0.6")] {
        ffmpeg(folder, &format!("-i source.mp4 {how} {coded} {name}.mp4"));
    }
    let clip = |set, name: &str, item: Option<u32>, (width, height): (u32, u32)| {
        let path = format!("{name}.mp4");
        let digest = Digest::of(&fs::read(folder.join(&path)).unwrap());
        let media = Media::Video { width, height, frames: 12, duration_us: 1_200_000 };
        Stimulus::new(SetId(set), digest, path, media).for_item(item.map(ItemId))
    };
    let all = vec![
        clip(0, "coarse", Some(0), (64, 48)),
        clip(0, "small", Some(1), (32, 24)),
        clip(0, "short", Some(2), (64, 48)),
        clip(1, "source", Some(0), (64, 48)),
        clip(2, "source", None, (64, 48)),
    ];
    let content = Content::Stimulus(StimulusId(4));
    let source = Condition { kind: ConditionKind::Source, name: None, content };
    let item = |id: &str| Item { id: id.into(), conditions: vec![source.clone()], ..Item::default() };
    let set = |name, used_for| StimulusSet::new(name, Role::Generated, used_for);
    let sets = vec![set("model", Use::Main), set("equal", Use::Main), set("conditions", Use::Condition)];
    Stimuli::with_items(sets, all, ["0", "1", "2"].map(item).to_vec()).unwrap()
}

#[test]
fn values_are_means_over_frames_and_clips_that_do_not_fit_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let stimuli = clips(folder.path());
    let metrics: Vec<Box<dyn hype_core::MetricSpec>> = vec![Box::<Psnr>::default(), Box::<Ssim>::default()];
    let (specs, kept) = (MetricSpecs { metrics, ..MetricSpecs::default() }, folder.path().join("kept"));
    let mut metrics =
        StudyMetrics::open(&stimuli, &specs, folder.path(), &kept, &[], Streams::new(7)).unwrap();
    metrics.compute_rows(Shard::ALL, &Quiet).unwrap();
    let [psnr, ssim] = &metrics.values().unwrap().metrics[..] else { panic!("two metrics") };

    let compared = ffmpeg(folder.path(), "-i coarse.mp4 -i source.mp4 -lavfi psnr=stats_file=- -f null -");
    let each = compared.split("psnr_y:").skip(1).map(|rest| rest.split(' ').next().unwrap().parse::<f64>());
    let each: Vec<f64> = each.collect::<Result<_, _>>().unwrap();
    assert_eq!(each.len(), 12, "{compared}");
    // The filter writes two digits.
    let wanted = each.iter().sum::<f64>() / 12.0;
    let found = &psnr.findings.values[0];
    assert!((found.value.unwrap() - wanted).abs() < 0.006, "{found:?}, and ffmpeg has {wanted}");
    let known: Vec<&str> = psnr.by_output["model"].keys().map(|item| &**item).collect();
    assert_eq!(known, ["0"]);
    let reason =
        "no value for 2 of 3 outputs, such as small.mp4: it is 32×24 with 12 frames, and its clip 64×48";
    assert!(found.cautions.iter().any(|caution| caution.starts_with(reason)), "{:?}", found.cautions);
    let reason = psnr.findings.values[1].undefined.as_deref().unwrap();
    assert!(reason.starts_with("infinite, as 1 of 1 outputs equal"), "{reason}");

    let [coarse, equal] = [0, 1].map(|model: usize| ssim.findings.values[model].value.unwrap());
    assert!(coarse > 0.3 && coarse < 0.99 && (equal - 1.0).abs() < 1e-12, "{coarse} and {equal}");
}
