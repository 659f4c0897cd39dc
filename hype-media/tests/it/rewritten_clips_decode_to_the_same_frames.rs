//! Rewriting keeps every decoded frame bit by bit, and its time.

use std::fs;
use std::path::Path;

use hype_media::video::{self, Rewriting, VideoError, cuts, probe, rewrite};

use crate::support::{Clips, contains, first_time, frames, sound, times};

const SOURCE: &str = "size=176x144:rate=30:duration=1.5";

/// Rewrites a clip and compares what is decoded; times to a tolerance in seconds.
#[track_caller]
fn check(clips: &Clips, path: &Path, tolerance: f64) -> Vec<u8> {
    let name = path.file_name().unwrap().to_str().unwrap();
    let input = fs::read(path).unwrap();
    let output = rewrite(name, &input, Rewriting::default()).unwrap();
    let written = clips.write(&format!("{name}.rewritten.mp4"), &output);
    let (before, after) = (frames(path), frames(&written));
    assert_eq!(before, after, "{name}");
    let facts = probe(name, &output).unwrap();
    assert_eq!(facts.frames as usize, before.len(), "{name}");
    let (before, after) = (times(path), times(&written));
    assert_eq!(after[0], 0.0, "{name}");
    for (before_time, after_time) in before.iter().zip(&after) {
        let shifted = before_time - before[0];
        assert!((shifted - after_time).abs() <= tolerance, "{name}: {shifted} {after_time}");
    }
    // Nothing is left to remove, and units of time stay.
    assert_eq!(rewrite(name, &output, Rewriting::default()).unwrap(), output, "{name}");
    assert!(
        contains(&output, b"moov") && !contains(&output, b"udta") && !contains(&output, b"edts"),
        "{name}"
    );
    output
}

#[test]
fn h264_with_frames_out_of_order() {
    let clips = Clips::new();
    let plain = clips.make("plain.mp4", SOURCE, "-c:v libx264 -bf 3 -g 15 -pix_fmt yuv420p");
    assert!(contains(&fs::read(&plain).unwrap(), b"elst"));
    let output = check(&clips, &plain, 2e-6);
    let keyed = clips.copy("keyed.mp4", &plain, "-ss 0.5", "");
    check(&clips, &keyed, 2e-6);
    let quick = clips.copy("quick.mov", &plain, "", "-movflags +faststart");
    assert_eq!(check(&clips, &quick, 2e-6), output);
    let signed =
        clips.copy("signed.mp4", &plain, "", "-movflags +negative_cts_offsets -video_track_timescale 90000");
    assert_eq!(check(&clips, &signed, 2e-6), output);
}

#[test]
fn odd_sizes_and_other_formats_of_pixels() {
    let clips = Clips::new();
    let odd = "size=175x143:rate=24000/1001:duration=1";
    check(&clips, &clips.make("444.mp4", odd, "-c:v libx264 -pix_fmt yuv444p"), 2e-6);
    check(&clips, &clips.make("odd.webm", odd, "-c:v libvpx-vp9 -cpu-used 8 -pix_fmt yuv420p"), 1e-3);
    check(&clips, &clips.make("deep.mp4", SOURCE, "-c:v libx264 -pix_fmt yuv420p10le"), 2e-6);
    check(&clips, &clips.make("wide.mp4", SOURCE, "-c:v libx264 -pix_fmt yuv420p -aspect 2.35"), 2e-6);
}

#[test]
fn hevc() {
    let clips = Clips::new();
    for tag in ["hvc1", "hev1"] {
        let arguments =
            format!("-c:v libx265 -preset fast -x265-params log-level=none -tag:v {tag} -pix_fmt yuv420p");
        check(&clips, &clips.make(&format!("{tag}.mp4"), SOURCE, &arguments), 2e-6);
    }
}

#[test]
fn vp9_and_av1_are_the_same_file_from_either_container() {
    let clips = Clips::new();
    for (name, coder) in [("vp9", "libvpx-vp9 -cpu-used 8"), ("av1", "libsvtav1 -preset 10")] {
        let arguments = format!("-c:v {coder} -g 20 -pix_fmt yuv420p");
        let webm = clips.make(&format!("{name}.webm"), SOURCE, &arguments);
        let output = check(&clips, &webm, 1e-3);
        let mp4 = clips.make(&format!("{name}.mp4"), SOURCE, &arguments);
        assert_eq!(check(&clips, &mp4, 2e-6), output, "{name}");
    }
}

#[test]
fn varying_rates() {
    let clips = Clips::new();
    let varying = "-vf select='not(eq(mod(n,5),3))+lt(n,9)' -fps_mode vfr -pix_fmt yuv420p";
    let path = clips.make("varying.mp4", SOURCE, &format!("{varying} -c:v libx264 -bf 2"));
    let output = check(&clips, &path, 2e-6);
    assert!(!probe("x", &output).unwrap().rate.constant);
    let path = clips.make("varying.webm", SOURCE, &format!("{varying} -c:v libvpx-vp9 -cpu-used 8"));
    check(&clips, &path, 1e-3);
}

#[test]
fn turned_pictures() {
    let clips = Clips::new();
    let plain = clips.make("plain.mp4", SOURCE, "-c:v libx264 -pix_fmt yuv420p");
    for (degrees, shown) in [(90, (144, 176)), (180, (176, 144)), (270, (144, 176))] {
        let path =
            clips.copy(&format!("{degrees}.mp4"), &plain, "", &format!("-metadata:s:v:0 rotate={degrees}"));
        let output = check(&clips, &path, 2e-6);
        assert_eq!(probe("x", &output).unwrap().shown(), shown);
        assert_ne!(frames(&path), frames(&plain));
    }
}

#[test]
fn sound_is_kept_if_asked_for() {
    let clips = Clips::new();
    let tone = "-f lavfi -i sine=frequency=440:duration=1.5";
    for (name, coders) in [
        ("aac.mp4", "-c:v libx264 -bf 3 -c:a aac -ac 2"),
        ("opus.webm", "-c:v libvpx-vp9 -cpu-used 8 -c:a libopus"),
        ("opus.mp4", "-c:v libx264 -c:a libopus"),
    ] {
        let path = clips.make(name, SOURCE, &format!("{tone} {coders} -pix_fmt yuv420p"));
        let input = fs::read(&path).unwrap();
        check(&clips, &path, 1e-3);
        let output = rewrite(name, &input, Rewriting { sound: true, ..Rewriting::default() }).unwrap();
        let written = clips.write(&format!("{name}.sound.mp4"), &output);
        assert_eq!(frames(&written), frames(&path), "{name}");
        let (mut after, mut before) = (sound(&written), sound(&path));
        assert_eq!(after.len(), before.len(), "{name}");
        if name == "opus.webm" {
            // Its sound begins 7 ms before its pictures, and is heard from them on; `ffmpeg` ignores where it ends.
            for blocks in [&mut after, &mut before] {
                blocks.pop();
                blocks.remove(0);
            }
        }
        assert_eq!(after, before, "{name}");
        // Sound before the first picture is not heard.
        let apart = |path: &Path| (first_time(path, "a:0") - first_time(path, "v:0")).max(0.0);
        let (after, before) = (apart(&written), apart(&path));
        assert!((after - before).abs() < 2e-3, "{name}: {after} {before}");
        let facts = probe(name, &output).unwrap();
        assert_eq!(facts.sound, probe(name, &input).unwrap().sound, "{name}");
        assert_eq!(
            rewrite(name, &output, Rewriting { sound: true, ..Rewriting::default() }).unwrap(),
            output
        );
        assert!(probe(name, &rewrite(name, &input, Rewriting::default()).unwrap()).unwrap().sound.is_none());
    }
    let path =
        clips.make("vorbis.webm", SOURCE, &format!("{tone} -c:v libvpx-vp9 -cpu-used 8 -c:a libvorbis"));
    let input = fs::read(path).unwrap();
    rewrite("vorbis.webm", &input, Rewriting::default()).unwrap();
    let error =
        rewrite("vorbis.webm", &input, Rewriting { sound: true, ..Rewriting::default() }).unwrap_err();
    assert!(
        error.to_string().contains("`A_VORBIS` sound") && error.to_string().contains("-c:a aac"),
        "{error}"
    );
}

#[test]
fn clips_are_cut_where_no_frame_needs_a_later_one() {
    let clips = Clips::new();
    let path = clips.make("cut.mp4", SOURCE, "-c:v libx264 -bf 3 -pix_fmt yuv420p");
    let input = fs::read(&path).unwrap();
    let (possible, whole) = (cuts("x", &input).unwrap(), frames(&path));
    assert_eq!(possible.last(), Some(&45));
    assert!(possible.len() > 5, "{possible:?}");
    for wanted in 1..=45 {
        let options = Rewriting { cut_to_frames: Some(wanted), ..Rewriting::default() };
        match rewrite("x", &input, options) {
            Ok(output) => {
                assert!(possible.contains(&wanted));
                let written = clips.write("cut.rewritten.mp4", &output);
                assert_eq!(frames(&written), whole[..wanted as usize]);
            }
            Err(VideoError::Cut { nearest, .. }) => {
                assert_eq!(Some(&nearest), possible.iter().filter(|frames| **frames < wanted).max());
            }
            Err(error) => panic!("{error}"),
        }
    }
    let error =
        rewrite("x", &input, Rewriting { cut_to_frames: Some(46), ..Rewriting::default() }).unwrap_err();
    assert_eq!(error.to_string(), "x has 45 frames and cannot be cut to 46");
}

#[test]
fn clips_are_padded_to_a_length() {
    let clips = Clips::new();
    let path = clips.make("pad.mp4", SOURCE, "-c:v libx264 -pix_fmt yuv420p");
    let input = fs::read(&path).unwrap();
    let least = rewrite("x", &input, Rewriting::default()).unwrap();
    let padded =
        |length: u64| rewrite("x", &input, Rewriting { pad_to: Some(length), ..Rewriting::default() });
    for more in [0, 1, 7, 8, 100_000] {
        let output = padded(least.len() as u64 + more).unwrap();
        assert_eq!(output.len() as u64, least.len() as u64 + more);
        assert_eq!(frames(&clips.write("padded.mp4", &output)), frames(&path));
    }
    assert_eq!(video::buckets(&[least.len() as u64]), [least.len() as u64]);
    assert!(matches!(padded(least.len() as u64 - 1), Err(VideoError::Padding { .. })));
    assert!(matches!(padded(u64::MAX), Err(VideoError::Padding { .. })));
}
