//! No byte string of a source's metadata, encoder or path is in a rewritten clip.

use std::fs;

use hype_media::video::{Rewriting, rewrite};

use crate::support::{Clips, SECRET, SMALL, contains};

/// The signatures of encoders and writers in the files below.
const SIGNATURES: [&str; 13] = [
    SECRET,
    "SecretFolder",
    "x264",
    "x265",
    "Lavf",
    "Lavc",
    "libx",
    "SVT",
    "aom",
    "VideoHandler",
    "SoundHandler",
    "vpx",
    "ffmpeg",
];

#[test]
fn signatures_and_metadata_are_gone() {
    let clips = Clips::new();
    let source = "size=176x144:rate=25:duration=1";
    let tone = "-f lavfi -i sine=frequency=440:duration=1 -shortest";
    let files = [
        ("h264.mp4", format!("{tone} -c:v libx264 -pix_fmt yuv420p -c:a aac"), &["x264", "Lavc", SECRET][..]),
        (
            "h264.mov",
            format!("{tone} -c:v libx264 -pix_fmt yuv420p -c:a aac -movflags use_metadata_tags"),
            &["x264", SECRET],
        ),
        ("hevc.mp4", "-c:v libx265 -x265-params log-level=none -tag:v hev1".to_owned(), &["x265", "Lavf"]),
        ("vp9.webm", format!("{tone} -c:v libvpx-vp9 -cpu-used 8 -c:a libopus"), &["Lavf", "libvpx", SECRET]),
        ("av1.webm", "-c:v libsvtav1 -preset 10 -pix_fmt yuv420p".to_owned(), &["Lavf", SECRET]),
        ("av1.mp4", "-c:v libaom-av1 -cpu-used 8".to_owned(), &["Lavf", SECRET]),
    ];
    for (name, arguments, present) in files {
        let path = clips.make(name, source, &arguments);
        let input = fs::read(&path).unwrap();
        for signature in present {
            assert!(
                contains(&input, signature.as_bytes()),
                "{name} has no {signature}: the test shows nothing"
            );
        }
        for sound in [false, true] {
            let output =
                rewrite(path.to_str().unwrap(), &input, Rewriting { sound, ..Rewriting::default() }).unwrap();
            for signature in SIGNATURES {
                assert!(!contains(&output, signature.as_bytes()), "{name}: {signature}");
            }
        }
    }
}

/// Boxes and units that carry what a maker likes.
#[test]
fn side_data_of_containers_and_streams_are_gone() {
    let (_, input) = SMALL[0];
    let whole = rewrite("x", input, Rewriting::default()).unwrap();
    let secret = SECRET.as_bytes();
    let boxed = |kind: &[u8; 4]| {
        let length = (8 + 16 + secret.len()) as u32;
        [&length.to_be_bytes()[..], kind, &[7; 16], secret].concat()
    };
    for kind in [b"uuid", b"udta", b"meta", b"free", b"skip", b"jumb", b"c2pa", b"XMP_", b"wide"] {
        let output = rewrite("x", &[input, &boxed(kind)].concat(), Rewriting::default()).unwrap();
        assert_eq!(output, whole);
    }
    // The whole structure in the order in which it is written.
    let mut at = 0;
    let mut kinds = Vec::new();
    while at < whole.len() {
        kinds.push(String::from_utf8_lossy(&whole[at + 4..at + 8]).into_owned());
        at += u32::from_be_bytes(whole[at..at + 4].try_into().unwrap()) as usize;
    }
    assert_eq!(
        (at, kinds.as_slice()),
        (whole.len(), &["ftyp", "moov", "mdat", "free"].map(str::to_owned)[..])
    );
}
