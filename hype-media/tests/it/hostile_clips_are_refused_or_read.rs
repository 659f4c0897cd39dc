//! Damaged and hostile clips are refused with a reason or read; memory and time stay within what files of their
//! length take.

use std::time::{Duration, Instant};

use hype_chance::Streams;
use hype_media::video::{Rewriting, VideoError, cuts, limits, probe, rewrite};
use proptest::prelude::*;

use crate::support::{SMALL, processor_time};

/// Probes and rewrites some bytes, and reads again whatever was written.
pub(crate) fn attempt(bytes: &[u8]) -> Result<(), VideoError> {
    let begin = Instant::now();
    let start = processor_time(begin);
    let facts = probe("hostile", bytes)?;
    assert!(facts.frames > 0 && facts.rate.seconds > 0 && facts.width > 0);
    let possible = cuts("hostile", bytes)?;
    assert_eq!(possible.last(), Some(&facts.frames));
    for options in [
        Rewriting::default(),
        Rewriting { sound: true, ..Rewriting::default() },
        Rewriting { cut_to_frames: possible.first().copied(), ..Rewriting::default() },
    ] {
        if let Ok(output) = rewrite("hostile", bytes, options) {
            // An index takes 64 bytes for each sample at most.
            let index = 4096 + limits::CONFIG_BYTES + 64 * bytes.len().min(2 * limits::SAMPLES);
            assert!(output.len() <= bytes.len() + index, "{} from {}", output.len(), bytes.len());
            let written = probe("rewritten", &output).unwrap();
            assert_eq!(written.frames, options.cut_to_frames.unwrap_or(facts.frames));
            // Of damaged sound, the end may be rounded once more.
            let again = rewrite("rewritten", &output, Rewriting { cut_to_frames: None, ..options }).unwrap();
            assert!(options.sound || again == output, "a clip changes when it is rewritten again");
        }
    }
    let took = processor_time(begin) - start;
    assert!(took < Duration::from_secs(20), "{took:?}");
    Ok(())
}

/// A box with a content.
fn boxed(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat()
}

fn find(bytes: &[u8], part: &[u8]) -> usize {
    bytes.windows(part.len()).position(|window| window == part).unwrap()
}

/// A clip with 32-bit numbers written after the code of its first box of a kind.
fn with(clip: usize, kind: &[u8; 4], from: usize, numbers: &[u32]) -> Vec<u8> {
    let mut bytes = SMALL[clip].1.to_vec();
    let at = find(&bytes, kind) + 4 + from;
    for (place, number) in (at..).step_by(4).zip(numbers) {
        bytes[place..place + 4].copy_from_slice(&number.to_be_bytes());
    }
    bytes
}

/// Boxes in boxes, as deep as their length allows.
fn nested(kind: &[u8; 4], levels: u32) -> Vec<u8> {
    let mut bytes = boxed(b"ftyp", b"isom\0\0\0\0");
    for level in (1..=levels).rev() {
        bytes.extend((level * 8).to_be_bytes());
        bytes.extend(kind);
    }
    bytes
}

/// Files that exploit weaknesses of readers of these formats, one each.
fn crafted() -> Vec<Vec<u8>> {
    const MANY: u32 = u32::MAX;
    let (mp4, webm) = (SMALL[0].1, SMALL[2].1);
    let tracks = find(webm, &[0x16, 0x54, 0xae, 0x6b]);
    let cluster = find(webm, &[0x1f, 0x43, 0xb6, 0x75]);
    let mut open = webm.to_vec();
    open[cluster + 4..cluster + 12].copy_from_slice(&[1, 255, 255, 255, 255, 255, 255, 255]);
    let mut long = webm.to_vec();
    long[tracks + 4..tracks + 12].copy_from_slice(&[1, 255, 255, 255, 255, 255, 255, 254]);
    let elements = [&webm[..cluster], &[0xec, 0x80].repeat(1 << 21)].concat();
    let fields = with(0, b"stsd", 8, &[4]);
    vec![
        Vec::new(),
        b"\0\0\0\x08ftyp".to_vec(),
        nested(b"moov", 200_000),
        nested(b"trak", 200_000),
        [boxed(b"ftyp", b"isom"), boxed(b"moov", &nested(b"meta", 100_000))].concat(),
        [boxed(b"ftyp", b"isom"), boxed(b"free", b"").repeat(1 << 20)].concat(),
        // Counts and sizes beyond the file.
        with(0, b"stsz", 4, &[0, MANY]),
        with(0, b"stsz", 4, &[1, MANY]),
        with(0, b"stsz", 4, &[MANY, 10]),
        with(0, b"stsz", 4, &[1, 150_000]),
        with(0, b"stsz", 4, &[0, 0]),
        with(0, b"stts", 4, &[MANY]),
        with(0, b"stts", 8, &[MANY, MANY]),
        with(0, b"stts", 8, &[MANY, 0]),
        with(0, b"ctts", 8, &[MANY, 0x8000_0000]),
        with(0, b"ctts", 4, &[MANY]),
        with(0, b"ctts", 4, &[0]),
        with(0, b"stss", 4, &[2, 0, MANY]),
        with(0, b"stsc", 4, &[1, 1, MANY, 1]),
        with(0, b"stsc", 4, &[1, MANY, 1, 1]),
        with(0, b"stsc", 4, &[1, 1, 0, 1]),
        with(0, b"stsc", 8, &[1, 10, 2]),
        with(0, b"stco", 4, &[MANY]),
        with(0, b"stco", 8, &[MANY, MANY]),
        with(0, b"stco", 8, &[0]),
        with(0, b"elst", 4, &[MANY]),
        with(0, b"elst", 8, &[MANY, 0x7fff_ffff, 0x0001_0000]),
        with(0, b"elst", 8, &[1, 0, 0]),
        with(0, b"elst", 8, &[0, 0x8000_0000]),
        with(0, b"mdhd", 12, &[0]),
        with(0, b"mdhd", 12, &[MANY]),
        with(0, b"mvhd", 12, &[0]),
        with(0, b"mvhd", 12, &[MANY]),
        with(0, b"tkhd", 40, &[0x10000, 0x10000, 1, 1, 1]),
        with(0, b"avc1", 24, &[0]),
        with(0, b"avc1", 24, &[MANY]),
        with(0, b"avcC", 0, &[0x01ff_ffff, 0xffff_ffff, 0xffff_ffff]),
        with(0, b"mdat", 0, &[MANY]),
        with(0, b"esds", 4, &[0x0380_8080, 0x2200_0203, 0x0300_0103]),
        with(1, b"hvcC", 20, &[MANY, MANY, MANY]),
        with(3, b"av1C", 0, &[0x8100_0c00, 0x0aff_ffff, MANY]),
        fields,
        mp4[..mp4.len() / 2].to_vec(),
        // WebM.
        open,
        long,
        elements,
        [&webm[..tracks], &[0x16, 0x54, 0xae, 0x6b, 0xff]].concat(),
        [&webm[..cluster], &[0x1f, 0x43, 0xb6, 0x75, 0x8a, 0xe7, 0x88], &[255; 8]].concat(),
        [&webm[..cluster], &[0x1f, 0x43, 0xb6, 0x75, 0x86, 0xa3, 0x84, 0x81, 0x80, 0, 0x06]].concat(),
        [&[0x1a, 0x45, 0xdf, 0xa3, 0x80][..], &[0x18, 0x53, 0x80, 0x67, 0xff]].concat(),
        vec![0x1a, 0x45, 0xdf, 0xa3],
    ]
}

#[test]
fn crafted_files_are_refused_or_read() {
    let files = crafted();
    assert!(files.len() >= 50, "{}", files.len());
    let mut refused = 0;
    for (number, bytes) in files.iter().enumerate() {
        if let Err(error) = attempt(bytes) {
            let message = error.to_string();
            assert!(message.starts_with("hostile ") && message.len() < 600, "{number}: {message}");
            refused += 1;
        }
    }
    assert!(refused > 35, "{refused}");
}

/// A first frame of a millisecond, alone, has a hundred times the clip's rate.
#[test]
fn cut_clips_state_the_level_of_what_is_left() {
    let mut bytes = SMALL[2].1.to_vec();
    let first = find(&bytes, &[0x81, 0, 7, 0x80]);
    bytes[first + 2] = 0x6a;
    attempt(&bytes).unwrap();
}

#[test]
fn files_beyond_the_limits_are_refused() {
    let error = probe("x", &vec![0; limits::CLIP_BYTES + 1]).unwrap_err();
    assert_eq!(error.to_string(), "x has 268435457 bytes, more than the 268435456 allowed");
}

/// Whole files of noise behind a header, and whole clips with noise in every box.
#[test]
fn noise_is_refused_or_read() {
    let mut chance = Streams::new(42).stream("noise");
    for round in 0..400 {
        let (_, clip) = SMALL[round % SMALL.len()];
        let mut bytes = clip.to_vec();
        for _ in 0..1 + round / 40 {
            let at = chance.below(bytes.len() as u32) as usize;
            let length = chance.below(16) as usize;
            for byte in bytes[at..].iter_mut().take(length) {
                *byte = chance.next_u32() as u8;
            }
        }
        let _ = attempt(&bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn truncated_clips_are_refused_or_read(which in 0..SMALL.len(), share in 0.0..1.0_f64) {
        let (_, clip) = SMALL[which];
        let _ = attempt(&clip[..(clip.len() as f64 * share) as usize]);
    }

    #[test]
    fn flipped_clips_are_refused_or_read(
        which in 0..SMALL.len(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u32), 1..6),
    ) {
        let mut bytes = SMALL[which].1.to_vec();
        for (at, bit) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        let _ = attempt(&bytes);
    }
}
