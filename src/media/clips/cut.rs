//! Clips of an item that are cut to the shortest of them, without loss.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hype_core::diagnostics::Diagnostics;
use hype_core::words::{counted, cut};
use hype_core::{Item, ItemId, Media, Stimulus};
use hype_media::video::{Rate, cuts, probe};

use crate::media::EXAMPLES;

/// Gives the clips of each item the largest number of frames at which all of them can end.
pub(super) fn to_shortest(folder: &Path, items: &[Item], stimuli: &mut [Stimulus], at: &mut Diagnostics) {
    let mut outputs: BTreeMap<ItemId, Vec<usize>> = BTreeMap::new();
    for (number, stimulus) in stimuli.iter().enumerate() {
        if let Some(item) = stimulus.item {
            outputs.entry(item).or_default().push(number);
        }
    }
    let (mut faults, mut shorter, mut most_us) = (Vec::new(), 0, 0);
    for (item, members) in &outputs {
        let before: Vec<u64> = members.iter().map(|&number| length(&stimuli[number]).1).collect();
        match cut_item(folder, stimuli, members) {
            Ok(()) => {
                for (&number, before) in members.iter().zip(before) {
                    let left_out = before - length(&stimuli[number]).1;
                    shorter += u32::from(left_out > 0);
                    most_us = most_us.max(left_out);
                }
            }
            Err(fault) => {
                let name = items.get(item.0 as usize).map_or("", |item| &*item.id);
                faults.push(format!("{name} ({fault})"));
            }
        }
    }
    at.within("playback", |at| {
        let mut at = at.field("unequal");
        if outputs.is_empty() {
            at.error("no-items", "without items no two clips are outputs for the same one")
                .help("add the section `items`, or write `unequal: hold`");
        } else if !faults.is_empty() {
            let count = counted(faults.len(), "item");
            at.error("no-cut", format!("clips of {count} cannot be cut to one length: {}", cut(faults, EXAMPLES, ", ")))
                .help(
                    "encode all clips at one frame rate, each frame from earlier ones alone, as by `ffmpeg -i IN -r RATE -c:v libx264 \
                     -crf 16 -bf 0 -an OUT.mp4`, or write `unequal: hold`",
                );
        } else if shorter > 0 {
            let count = counted(shorter, "clip");
            at.note("cut", format!("{count} shown without the end, by up to {:.2} s", most_us as f64 / 1e6));
        }
    });
}

/// The number of frames, and the duration in microseconds.
fn length(stimulus: &Stimulus) -> (u32, u64) {
    match stimulus.media {
        Media::Video { frames, duration_us, .. } => (frames, duration_us),
        _ => (0, 0),
    }
}

fn cut_item(folder: &Path, stimuli: &mut [Stimulus], members: &[usize]) -> Result<(), String> {
    let lengths: Vec<(u32, u64)> = members.iter().map(|&number| length(&stimuli[number])).collect();
    if lengths.windows(2).all(|pair| pair[0] == pair[1]) {
        return Ok(());
    }
    let read = |&number: &usize| -> Result<(Rate, Vec<u32>), String> {
        let path = &*stimuli[number].path;
        let bytes = fs::read(folder.join(path)).map_err(|error| format!("{path} cannot be read: {error}"))?;
        let facts = probe(path, &bytes).map_err(|error| error.to_string())?;
        Ok((facts.rate, cuts(path, &bytes).map_err(|error| error.to_string())?))
    };
    let read = members.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let rate = read[0].0;
    if !rate.constant || read.iter().any(|(other, _)| *other != rate) {
        return Err("its frame rates differ".into());
    }
    let ends_all = |frames: &u32| read.iter().all(|(_, cuts)| cuts.binary_search(frames).is_ok());
    let last = read[0].1.iter().rev().copied().find(ends_all).ok_or("no frame can be the last of all")?;
    let units = u128::from(last) * u128::from(rate.seconds) * 1_000_000 / u128::from(rate.frames.max(1));
    for &number in members {
        if let Media::Video { frames, duration_us, .. } = &mut stimuli[number].media
            && *frames > last
        {
            (*frames, *duration_us) = (last, u64::try_from(units).unwrap_or(u64::MAX));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use hype_backends::web::{ImageSource as _, Page, PreparedMedia};
    use hype_core::StimulusId;
    use hype_media::video::{Rewriting, rewrite};

    use super::*;

    /// Two clips of 50 frames, and the same without their last 20.
    fn clips(folder: &Path) {
        let glow: &[u8] = include_bytes!("../../../examples/studies/clips/smooth/glow.mp4");
        let rings: &[u8] = include_bytes!("../../../examples/studies/clips/smooth/rings.mp4");
        for (name, whole) in [("glow.mp4", glow), ("rings.mp4", rings)] {
            let short = Rewriting { cut_to_frames: Some(30), ..Rewriting::default() };
            for (model, bytes) in [("long", whole), ("short", &rewrite(name, whole, short).unwrap()[..])] {
                fs::create_dir_all(folder.join(model)).unwrap();
                fs::write(folder.join(model).join(name), bytes).unwrap();
            }
        }
    }

    fn opened(folder: &Path, more: &str) -> Result<crate::OpenedStudy, crate::OpenError> {
        let spec = format!(
            "stimuli:\n  long: {{ role: generated, videos: long/*.mp4 }}\n  short: {{ role: generated, videos: short/*.mp4 }}\n\
             task: {{ kind: contrast, per_session: 2 }}\nraters: {{ per_item: 1 }}\n{more}"
        );
        fs::write(folder.join("study.yaml"), spec).unwrap();
        crate::open(&folder.join("study.yaml"), &crate::Quiet)
    }

    #[test]
    fn outputs_of_an_item_are_as_long_as_its_shortest() {
        let folder = tempfile::tempdir().unwrap();
        clips(folder.path());
        let lengths =
            |opened: &crate::OpenedStudy| opened.study.stimuli().all().iter().map(length).collect::<Vec<_>>();
        let tells = |opened: &crate::OpenedStudy, code: &str| {
            opened.warnings.iter().find(|one| one.code == code).map(|one| one.message.clone())
        };
        let held = opened(folder.path(), "items: { match: name }\n").unwrap();
        let (long, short) = ((50, 2_000_000), (30, 1_200_000));
        assert_eq!(lengths(&held), [long, long, short, short]);
        assert!(tells(&held, "shortcut").unwrap().contains("duration"));
        let cut = opened(folder.path(), "items: { match: name }\nplayback: { unequal: cut }\n").unwrap();
        assert_eq!(lengths(&cut), [short; 4]);
        assert_eq!(tells(&cut, "shortcut"), None);
        assert_eq!(tells(&cut, "cut").unwrap(), "2 clips shown without the end, by up to 0.80 s");
        for opened in [&held, &cut] {
            let page = folder.path().join("page");
            let sent = PreparedMedia::prepare(&opened.study, &Page::default(), &page, &|_, _, _| {}).unwrap();
            let frames = |id| probe("sent", &sent.stimulus(StimulusId(id)).unwrap()).unwrap().frames;
            let wanted: Vec<u32> = lengths(opened).iter().map(|(frames, _)| *frames).collect();
            assert_eq!((0..4).map(frames).collect::<Vec<_>>(), wanted);
        }
    }

    #[test]
    fn clips_without_items_are_not_cut() {
        let folder = tempfile::tempdir().unwrap();
        clips(folder.path());
        let Err(crate::OpenError::Faults { diagnostics, .. }) =
            opened(folder.path(), "playback: { unequal: cut }\n")
        else {
            panic!("cut")
        };
        let found = diagnostics.iter().find(|one| one.code == "no-items").unwrap();
        assert_eq!(found.path, "playback.unequal");
    }
}
