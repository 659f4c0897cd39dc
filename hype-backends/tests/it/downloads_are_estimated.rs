//! `hype check` says how much raters download and how long that takes, and warns where they would wait.

use hype_backends::web::settings::{Encode, EncodeKind};
use hype_backends::web::{PreparedImages, Transfer};
use hype_core::study::spec::{MasksKind, MasksSpec};
use hype_core::{Diagnostics, MediaKind, Stimuli};
use hype_tasks::{HypeInfinity, HypeTime};

use crate::originals::{Amount, Originals};

fn untimed(side: u32) -> Originals {
    Originals::new(
        Amount { each: 12, side },
        Box::new(HypeInfinity { generated: 4.into(), real: 4.into() }),
        |_| {},
    )
}

/// Warnings of a study: their fields, messages and help.
fn warnings(transfer: &Transfer) -> Vec<(String, String, String)> {
    let mut found = Diagnostics::new();
    transfer.review(&mut found);
    let one = |one: &hype_core::Diagnostic| {
        (one.path.clone(), one.message.clone(), one.help.clone().unwrap_or_default())
    };
    found.iter().map(one).collect()
}

#[test]
fn the_estimate_is_near_the_length_that_is_sent() {
    let mut originals = untimed(64);
    let mut lengths = Vec::new();
    for encode in [
        None,
        Some(Encode { kind: EncodeKind::Png, quality: None }),
        Some(Encode { kind: EncodeKind::Webp, quality: None }),
        Some(Encode { kind: EncodeKind::Jpeg, quality: Some(50) }),
    ] {
        originals.page.encode = encode;
        let estimated = Transfer::of(&originals.study, &originals.page).unwrap();
        let sent: PreparedImages = originals.prepare();
        let ratio = estimated.image as f64 / sent.length() as f64;
        assert!((0.9..=1.0).contains(&ratio), "{estimated:?} for {}", sent.length());
        assert_eq!((estimated.trial, estimated.block), (1, 0));
        assert_eq!(estimated.trial_bytes(), Some(estimated.image));
        assert_eq!(estimated.block_bytes(), None);
        lengths.push(sent.length());
    }
    assert_eq!(lengths[0], lengths[1].min(lengths[2]), "the smaller of the lossless encodings");
    assert!(lengths[3] < lengths[0] / 2, "{lengths:?}");
}

#[test]
fn timed_blocks_count_their_images_and_masks() {
    let task = HypeTime { blocks: 2.into(), trials_per_block: 10.into(), ..HypeTime::default() };
    let originals = Originals::new(Amount { each: 30, side: 32 }, Box::new(task), |spec| {
        let kind = MasksKind::Noise;
        spec.protocol.masks = Some(MasksSpec { kind, count: 12.into(), ..MasksSpec::default() });
    });
    let transfer = Transfer::of(&originals.study, &originals.page).unwrap();
    // A pool of 12 masks for the images of a block.
    assert_eq!((transfer.trial, transfer.block, transfer.block_trials), (0, 10 + 12, 10));
    assert_eq!(transfer.block_bytes(), Some(22 * transfer.image));
}

#[test]
fn slowly_loading_trials_are_reported_with_advice() {
    let kind = MediaKind::Image;
    let transfer = Transfer { kind, image: 1_250_000, plays: 0.0, trial: 2, block: 0, block_trials: 0 };
    assert!((Transfer::seconds(1_250_000) - 1.0).abs() < 1e-12, "10 Mbit/s");
    assert_eq!(Transfer::words(2_500_000), "about 2.5 MB, 2.0 s at 10 Mbit/s");
    assert_eq!(Transfer::words(41_250), "about 42 kB, under 0.1 s at 10 Mbit/s");
    assert_eq!(warnings(&transfer), []);
    let found = warnings(&Transfer { trial: 3, ..transfer });
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "resize");
    assert_eq!(
        found[0].1,
        "the images of a trial take about 3.0 s to load at 10 Mbit/s, 3.8 MB for each trial"
    );
    assert!(found[0].2.contains("`resize` them"), "{found:?}");
    // A block is loaded at once, but its trials count.
    assert_eq!(warnings(&Transfer { trial: 0, block: 40, block_trials: 20, ..transfer }), []);
    assert_eq!(warnings(&Transfer { trial: 0, block: 70, block_trials: 20, ..transfer }).len(), 1);
}

#[test]
fn a_study_whose_images_are_missing_has_no_estimate() {
    let originals = untimed(16);
    let elsewhere = originals.study.clone().in_folder("nowhere");
    assert_eq!(Transfer::of(&elsewhere, &originals.page), None);
}

/// A spec that an earlier version stored may have a removed setting with its default; with another value it is told what to use.
#[test]
fn removed_settings_are_ignored_at_their_default_and_refused_otherwise() {
    let read = |burst: &str| {
        let spec = format!(
            "name: removed\nseed: 1\nstimuli: {{ one: {{ role: generated, images: b }} }}\ntask: {{ kind: hype_infinity }}\n\
             backend: {{ kind: web, entries: {{ source_burst: 60, burst: {burst} }} }}\n"
        );
        hype_core::study::spec::Spec::read(spec.as_bytes())
    };
    for default in ["600", "600.0", "null"] {
        let source = read(default).unwrap();
        assert!(source.warnings.is_empty(), "{:?}", source.warnings);
    }
    let found = read("900").unwrap_err();
    let found: Vec<_> = found.iter().map(|one| (one.code, &*one.path, one.help.as_deref())).collect();
    let help = "set `source_burst`: ten times as many may enter from all addresses";
    assert_eq!(found, [("removed-setting", "backend.entries.burst", Some(help))]);
}

#[test]
fn settings_of_the_encoding_are_checked() {
    for (encode, wanted) in [
        ("{ kind: png }", None),
        ("{ kind: webp }", None),
        ("{ kind: jpeg, quality: 90 }", Some(("lossy", "compressed as JPEG of quality 90"))),
        ("{ kind: jpeg }", Some(("missing", "a JPEG needs a quality"))),
        ("{ kind: webp, quality: 80 }", Some(("unknown", "WebP is written without loss"))),
        ("{ kind: png, quality: 80 }", Some(("unknown", "PNG is written without loss"))),
    ] {
        let spec = format!(
            "name: encoded\nseed: 1\nstimuli: {{ real: {{ role: real, images: a }}, one: {{ role: generated, images: b }} }}\n\
             task: {{ kind: hype_infinity }}\n\
             backend: {{ kind: web, encode: {encode} }}\n"
        );
        let read = hype_core::study::spec::Spec::read(spec.as_bytes()).unwrap().spec;
        let found = read.check(&Stimuli::new(Vec::new(), Vec::new()).unwrap());
        let found: Vec<_> = found.iter().filter(|one| one.path.starts_with("backend.encode")).collect();
        match wanted {
            None => assert_eq!(found.len(), 0, "{encode}: {found:?}"),
            Some((code, message)) => {
                assert_eq!(found.len(), 1, "{encode}: {found:?}");
                assert_eq!(found[0].code, code);
                assert!(found[0].message.contains(message), "{found:?}");
            }
        }
    }
    // The setting is not written unless it is set.
    let page = hype_backends::web::Page::default();
    assert!(!serde_json::to_string(&page).unwrap().contains("encode"));
}
