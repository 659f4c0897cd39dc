//! Facts about clips, and the errors for other files.

use std::fs;

use hype_media::video::{
    Chroma, ClipFeature, ClipSet, Codec, Container, Conversion, PixelFormat, Rate, Rewriting,
    TransferFunction, Turn, VideoError, compare, probe, rewrite,
};

use crate::support::{Clips, SMALL};

#[test]
fn facts_describe_the_clip() {
    let facts: Vec<_> = SMALL.iter().map(|(name, bytes)| probe(name, bytes).unwrap()).collect();
    for (found, (_, bytes)) in facts.iter().zip(SMALL) {
        assert_eq!((found.width, found.height, found.frames, found.turn), (64, 64, 10, Turn::None));
        assert_eq!(found.rate, Rate { frames: 10, seconds: 1, constant: true });
        assert_eq!((found.duration_us, found.bytes), (1_000_000, bytes.len() as u64));
        assert_eq!(found.pixels, Some(PixelFormat { chroma: Chroma::Yuv420, bits: 8 }));
        assert!(found.bit_rate > 1000 && found.bit_rate < 8 * bytes.len() as u64);
    }
    let codecs: Vec<_> = facts.iter().map(|found| (found.container, found.codec)).collect();
    let expected = [
        (Container::Mp4, Codec::H264),
        (Container::Mp4, Codec::Hevc),
        (Container::Webm, Codec::Vp9),
        (Container::Mp4, Codec::Av1),
    ];
    assert_eq!(codecs, expected);
    assert_eq!((facts[0].keyframes, facts[0].keyframe_spacing), (2, 5));
    let sound = facts
        .iter()
        .map(|found| found.sound.as_ref().map(|sound| (sound.codec.as_str(), sound.channels, sound.rate)));
    assert_eq!(sound.collect::<Vec<_>>(), [Some(("aac", 1, 44_100)), None, Some(("opus", 1, 48_000)), None]);
    let playable = facts.iter().map(|found| found.check_playable("a.mp4").is_ok());
    assert_eq!(playable.collect::<Vec<_>>(), [true, false, true, true]);
    let differences =
        compare(ClipSet { name: "a", clips: &facts[..1] }, &[ClipSet { name: "b", clips: &facts[1..2] }]);
    assert_eq!(differences.iter().map(|one| one.feature).collect::<Vec<_>>(), [ClipFeature::Codec]);
}

#[test]
fn the_longest_frame_is_told_also_if_it_is_the_last() {
    let clips = Clips::new();
    let longest = |path| probe("a.mp4", &fs::read(path).unwrap()).unwrap().longest_frame_us;
    let arguments = "-c:v libx264 -bf 0 -pix_fmt yuv420p";
    assert_eq!(longest(clips.make("slow.mp4", "size=64x48:rate=3:duration=2", arguments)), 333_333);
    let path = clips.make("a.mp4", "size=64x48:rate=10:duration=1", arguments);
    let held = "-bsf:v setts=duration=if(eq(N\\,9)\\,DURATION*10\\,DURATION)";
    assert_eq!(longest(clips.copy("held.mp4", &path, "", held)), 1_000_000);
    assert_eq!(longest(path), 100_000);
}

#[test]
fn faults_of_sound_do_not_refuse_what_is_seen() {
    let [(mp4, h264), _, (webm, vp9), _] = SMALL;
    // The header of the second track's media, and that of Opus.
    let at = h264.windows(4).rposition(|code| code == b"mdhd").unwrap();
    let mut h264 = h264.to_vec();
    h264[at] = b'x';
    let at = vp9.windows(8).position(|head| head == b"OpusHead").unwrap();
    let mut vp9 = vp9.to_vec();
    vp9[at] = b'x';
    for (name, bytes) in [(mp4, h264), (webm, vp9)] {
        let found = probe(name, &bytes).unwrap();
        assert!(found.sound.is_some(), "{name}");
        assert!(rewrite(name, &bytes, Rewriting::default()).is_ok(), "{name}");
        assert!(rewrite(name, &bytes, Rewriting { sound: true, ..Rewriting::default() }).is_err(), "{name}");
    }
}

#[test]
fn rates_and_formats_are_told_exactly() {
    let clips = Clips::new();
    let made = |name: &str, source: &str, arguments: &str| {
        probe(name, &fs::read(clips.make(name, source, arguments)).unwrap()).unwrap()
    };
    let deep = made("deep.mp4", "size=64x48:rate=30000/1001:duration=1", "-c:v libx264 -pix_fmt yuv422p10le");
    assert_eq!(deep.rate, Rate { frames: 30_000, seconds: 1001, constant: true });
    assert_eq!(deep.pixels, Some(PixelFormat { chroma: Chroma::Yuv422, bits: 10 }));
    assert_eq!(deep.rate.to_string(), "29.97 frames/s");
    let webm =
        made("a.webm", "size=64x48:rate=24:duration=1", "-c:v libvpx-vp9 -cpu-used 8 -pix_fmt yuv444p");
    assert_eq!((webm.rate, webm.duration_us), (Rate { frames: 24, seconds: 1, constant: true }, 1_000_000));
    assert_eq!(webm.pixels, Some(PixelFormat { chroma: Chroma::Yuv444, bits: 8 }));
    let turned = clips.make("turned.mp4", "size=64x48:rate=10:duration=1", "-c:v libx264 -pix_fmt yuv420p");
    let turned = clips.copy("90.mp4", &turned, "", "-metadata:s:v:0 rotate=90");
    let turned = probe("x", &fs::read(turned).unwrap()).unwrap();
    assert!(turned.turn != Turn::None && turned.shown() == (48, 64));
}

#[test]
fn pixels_that_are_not_square_are_shown_in_their_shape() {
    let clips = Clips::new();
    let coding = "-c:v libx264 -pix_fmt yuv420p -vf setsar=32/27";
    let wide = clips.make("wide.mp4", "size=720x480:rate=10:duration=1", coding);
    let shown = |path| {
        let facts = probe("x", &fs::read(path).unwrap()).unwrap();
        (facts.pixel_shape, facts.shown())
    };
    assert_eq!(shown(&wide), ([32, 27], (853, 480)));
    let turned = clips.copy("90.mp4", &wide, "", "-metadata:s:v:0 rotate=90");
    assert_eq!(shown(&turned), ([32, 27], (480, 853)));
    // Only the stream has the shape: a box of pixels that are square, which browsers do not read, is not kept.
    let mut bytes = fs::read(&wide).unwrap();
    let at = bytes.windows(4).position(|code| code == b"pasp").unwrap();
    bytes[at..at + 4].copy_from_slice(b"free");
    assert_eq!(shown(&clips.write("stream.mp4", &bytes)), ([32, 27], (853, 480)));
}

#[test]
fn others_are_refused_with_what_was_found_and_a_command() {
    let clips = Clips::new();
    let source = "size=64x48:rate=10:duration=1";
    for (name, arguments, found, conversion) in [
        ("a.avi", "-c:v mpeg4", "is AVI", Conversion::Encode),
        ("a.mp4", "-c:v mpeg4", "has MPEG-4 part 2 (`mp4v`) pictures", Conversion::Encode),
        ("b.mov", "-c:v prores_ks", "`apch`", Conversion::Encode),
        ("a.webm", "-c:v libvpx", "has `V_VP8` pictures", Conversion::Encode),
        ("a.mkv", "-c:v libx264", "is Matroska", Conversion::Remux),
        ("a.ts", "-c:v libx264", "is an MPEG transport stream", Conversion::Encode),
        ("a.flv", "-c:v flv1", "is Flash video", Conversion::Encode),
        ("a.gif", "-c:v gif", "is a GIF", Conversion::Encode),
        (
            "f.mp4",
            "-c:v libx264 -movflags frag_keyframe+empty_moov",
            "is cut into fragments",
            Conversion::Remux,
        ),
        ("two.mp4", "-map 0 -map 0 -c:v libx264", "has 2 video tracks", Conversion::Remux),
    ] {
        let path = clips.make(name, source, arguments);
        let error = probe(name, &fs::read(&path).unwrap()).unwrap_err();
        let message = error.to_string();
        let VideoError::Unsupported { conversion: advised, .. } = error else { panic!("{name}: {message}") };
        assert_eq!(advised, conversion, "{message}");
        assert!(
            message.contains(found) && message.contains(&format!("ffmpeg -i {name}.original -map 0:v:0")),
            "{message}"
        );
    }
    let (name, hevc) = SMALL[1];
    let error = probe(name, hevc).unwrap().check_playable("a.mp4").unwrap_err().to_string();
    assert!(
        error.starts_with(
            "a.mp4 has HEVC pictures, which many browsers do not play; convert it with `mv a.mp4 "
        )
    );
    // Cut without new coding at a frame that needs earlier ones.
    let path = clips.make("long.mp4", source, "-c:v libx264 -g 100 -pix_fmt yuv420p");
    let path = clips.copy("late.mp4", &path, "-ss 0.55", "");
    let message = probe("late.mp4", &fs::read(path).unwrap()).unwrap_err().to_string();
    assert!(message.contains("must be decoded that are not shown"), "{message}");
}

#[test]
fn pictures_that_do_not_play_everywhere_or_look_alike_are_told() {
    let clips = Clips::new();
    let source = "size=64x64:rate=10:duration=1";
    let made = |name: &str, arguments: &str| {
        let facts = probe(name, &fs::read(clips.make(name, source, arguments)).unwrap()).unwrap();
        (facts.check_playable(name).err().map(|error| error.to_string()), facts.interlaced, facts.transfer)
    };
    let plain = "-c:v libx264 -pix_fmt yuv420p";
    assert_eq!(made("plain.mp4", plain), (None, false, TransferFunction::Standard));
    for (pixels, found) in
        [("yuv444p", "4:4:4 of 8 bits"), ("yuv420p10le", "4:2:0 of 10 bits"), ("yuv422p", "4:2:2 of 8 bits")]
    {
        let (refused, ..) = made("a.mp4", &format!("-c:v libx264 -pix_fmt {pixels}"));
        let refused = refused.unwrap();
        let expected =
            format!("a.mp4 has H.264 pictures in {found}, which many browsers do not play; convert it with");
        assert!(refused.starts_with(&expected) && refused.contains("-pix_fmt yuv420p"), "{refused}");
    }
    let interlaced = made("i.mp4", &format!("{plain} -flags +ildct+ilme -x264-params tff=1"));
    assert_eq!(interlaced, (None, true, TransferFunction::Standard));
    // By the stream of H.264, by the box of AV1, and by the element of WebM.
    let hlg = format!("{plain} -x264-params colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc");
    assert_eq!(made("hlg.mp4", &hlg), (None, false, TransferFunction::Hlg));
    let colours = "-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc";
    let pq = made("pq.mp4", &format!("-c:v libsvtav1 -pix_fmt yuv420p10le {colours}"));
    assert_eq!(pq, (None, false, TransferFunction::Pq));
    let pq = made("pq.webm", &format!("-c:v libvpx-vp9 -cpu-used 8 -pix_fmt yuv420p10le {colours}"));
    assert_eq!(pq, (None, false, TransferFunction::Pq));
}
