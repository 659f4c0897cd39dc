//! Clips and texts that are damaged at random, over and over, are refused or read within the limits of memory and time.
//!
//! Files that are still read are damaged again, so that the damage goes deeper than what the first check of a reader notices.

use std::fs;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use hype_chance::{Stream, Streams};

use crate::hostile_clips_are_refused_or_read as clips;
use crate::hostile_documents_are_refused_or_rendered as documents;
use crate::proof;
use crate::support::{SMALL, processor_time};

/// The longest file that is tried, in bytes.
const LONGEST: usize = 1 << 14;
/// The longest time that such a file may take.
const MOST_TIME: Duration = Duration::from_secs(5);
/// The most memory that a process may have held in the proof, in bytes: 200,000 samples, which a short file can state, are
/// most of it.
const MOST_MEMORY: u64 = 200 << 20;
/// The number of files that are kept to be damaged again.
const KEPT: usize = 64;

/// Boxes, and numbers at the limits of their fields.
const OF_MP4: &[&[u8]] = &[
    b"\0\0\0\x08free",
    b"\0\0\0\x01",
    b"\0\0\0\0",
    b"\x7f\xff\xff\xff",
    b"\x80\0\0\0",
    b"\xff\xff\xff\xff",
    b"\0\x03\x0d\x40",
    b"moov",
    b"trak",
    b"edts",
    b"elst",
    b"ctts",
    b"co64",
    b"stss",
    b"colr",
    b"pasp",
    b"wave",
    b"esds",
    b"avc3",
    b"hev1",
    b"Opus",
    b"soun",
];

/// Elements of WebM with their lengths, and numbers of variable length.
const OF_WEBM: &[&[u8]] = &[
    b"\x1f\x43\xb6\x75\x80",
    b"\xa3\x85\x81\x7f\xff\x80\0",
    b"\xa3\x85\x82\x80\0\x06\xff",
    b"\xa0\x87\xa1\x85\x81\0\0\0\x49",
    b"\x9b\x81\xff",
    b"\xfb\x81\x01",
    b"\xe7\x88\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\x2a\xd7\xb1\x81\0",
    b"\x2a\xd7\xb1\x84\xff\xff\xff\xff",
    b"\x23\xe3\x83\x81\x01",
    b"\x75\xa2\x88\x80\0\0\0\0\0\0\0",
    b"\x54\xaa\x81\xff",
    b"\x01\xff\xff\xff\xff\xff\xff\xff",
    b"\x01\xff\xff\xff\xff\xff\xff\xfe",
    b"\x40\x80",
    b"\xff",
    b"\x80",
    b"\xec\x80",
];

/// Starts of units of H.264, HEVC, VP9, AV1 and AAC, and lengths of units and messages.
const OF_UNITS: &[&[u8]] = &[
    b"\0\0\0\x02\x06\x05",
    b"\0\0\0\0",
    b"\0\0\0\x05\x06\x05\x01\x41\x80",
    b"\x06\x04\xff\xff",
    b"\x06\xff\xff\xff\xff\x01",
    b"\x0c\xff\x80",
    b"\x4e\x01\x05\xff",
    b"\x50\x01\x04\x01\0\x80",
    b"\0\0\x03\0\0\x03\x01",
    b"\0\0\x80",
    b"\x0a\x0b\0\0\0",
    b"\x2a\x02\x01\x01",
    b"\x7a\x80\x80\x80\x01",
    b"\x32\xff\xff\xff\xff\x0f",
    b"\x36\0",
    b"\x12\0",
    b"\x82\x49\x83\x42",
    b"\xa2\x49\x83\x42\x80",
    b"\xc9\x01\x01\xc9",
    b"\xdf\xff\xff\xdf",
    b"\xde\xff\xff\x80",
    b"\x81\x02\xff\xff",
    b"\xff\xff\xff\xff",
];

/// Marks of Markdown, and what texts are checked for.
const OF_TEXTS: &[&[u8]] = &[
    b"\n\n",
    b"\n> - 1. ",
    b"\n\t",
    b"  \n",
    b"\n```\n",
    b"\n~~~x\n",
    b"***",
    b"__",
    b"[a](b)",
    b"![",
    b"](<",
    b"\n[a]: <b> 'c'\n",
    b"|",
    b"\n|-|:-:|\n",
    b"<script>",
    b"<!--",
    b"</think>",
    b"<think>",
    b"&#x0;",
    b"&lt;",
    b"\\",
    b"\x00",
    b"\xe2\x80\xae",
    b"e\xcc\x81",
    b"\xf0\x9f\x98\x80",
    b"\xff",
    b"As an AI model, ",
    b"\r\n",
    b"\n===\n",
    b"\n###### ",
    b"\n9999999999. ",
];

/// Files of one kind.
struct Kind {
    name: &'static str,
    wholes: Vec<Vec<u8>>,
    signs: &'static [&'static [u8]],
    /// The part of a file that is damaged without any change of lengths, or all of it.
    within: fn(&[u8]) -> Option<Range<usize>>,
    /// Whether a file is read; panics where the reader is at fault.
    is_read: fn(&[u8]) -> bool,
    /// The number of files in `./test`.
    few: u32,
}

fn all(_: &[u8]) -> Option<Range<usize>> {
    None
}

/// The coded pictures and sound of a clip: the content of `mdat`, or what follows the first cluster's header.
fn coded(bytes: &[u8]) -> Option<Range<usize>> {
    let find = |code: &[u8]| bytes.windows(code.len()).position(|window| window == code);
    match find(b"mdat") {
        Some(at) => {
            let length = u32::from_be_bytes(bytes.get(at.checked_sub(4)?..at)?.try_into().ok()?) as usize;
            Some(at + 4..(at - 4 + length).min(bytes.len()))
        }
        None => Some(find(&[0x1f, 0x43, 0xb6, 0x75])? + 12..bytes.len()),
    }
}

/// Changes some bytes; of half of the files, and within a part, no lengths.
fn damaged(mut bytes: Vec<u8>, kind: &Kind, other: &[u8], chance: &mut Stream) -> Vec<u8> {
    let in_place = chance.happens(0.5);
    for _ in 0..=chance.below(5) {
        let within = (kind.within)(&bytes).filter(|within| !within.is_empty());
        let keeps_lengths = in_place || within.is_some();
        let Range { start, end } = within.unwrap_or(0..bytes.len());
        let at = start + chance.below((end - start) as u32 + 1) as usize;
        let to = (at + 1 + chance.below(24) as usize).min(end);
        let sign = kind.signs[chance.below(kind.signs.len() as u32) as usize];
        match chance.below(if keeps_lengths { 4 } else { 9 }) {
            0 if at < end => bytes[at] ^= 1 << chance.below(8),
            1 if at < end => bytes[at] = chance.below(256) as u8,
            2 => put(&mut bytes[at..end], sign),
            3 => {
                let from = chance.below(other.len() as u32) as usize;
                put(&mut bytes[at..to.max(at)], &other[from..]);
            }
            4 => drop(bytes.splice(at..to.max(at), [])),
            5 if chance.happens(0.2) => bytes.truncate(at),
            6 => {
                let part = bytes[at..to.max(at)].repeat(1 + chance.below(40) as usize);
                drop(bytes.splice(at..at, part));
            }
            7 => {
                let from = chance.below(other.len() as u32) as usize;
                let length = chance.below(1 + (other.len() - from) as u32) as usize;
                drop(bytes.splice(at..at, other[from..from + length].iter().copied()));
            }
            _ if keeps_lengths => {}
            _ => drop(bytes.splice(at..at, sign.iter().copied())),
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

/// Writes as much as there is room for.
fn put(room: &mut [u8], bytes: &[u8]) {
    room.iter_mut().zip(bytes).for_each(|(place, &byte)| *place = byte);
}

/// The most memory that the process has held, in bytes; `None` where the system does not say.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? << 10)
}

/// Tries a number of files or, in the proof, an hour of them. A file at which a reader panics is kept.
fn attack(kind: &Kind) {
    let (least, seconds) = proof::sized((kind.few, 0), (0, 3_600));
    let mut chance = Streams::new(20_261_128).stream(kind.name);
    let begin = Instant::now();
    let (mut files, mut reads, mut slowest) = (0_u32, 0_u32, Duration::ZERO);
    let mut kept = kind.wholes.clone();
    while files < least || begin.elapsed().as_secs() < seconds {
        let [from, other] = [0, 1].map(|_| &kept[chance.below(kept.len() as u32) as usize]);
        let bytes = damaged(from.clone(), kind, other, &mut chance);
        let start = processor_time(begin);
        let is_read = catch_unwind(AssertUnwindSafe(|| (kind.is_read)(&bytes))).unwrap_or_else(|panic| {
            let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("damaged {}", kind.name));
            fs::write(&path, &bytes).unwrap();
            println!("kept as {}", path.display());
            resume_unwind(panic)
        });
        let took = processor_time(begin) - start;
        assert!(took < MOST_TIME, "{took:?} for {bytes:?}");
        slowest = slowest.max(took);
        (files, reads) = (files + 1, reads + u32::from(is_read));
        if is_read && !bytes.is_empty() {
            // The whole files stay.
            let place = chance.below(KEPT as u32) as usize;
            match kept.get_mut(kind.wholes.len() + place) {
                Some(old) => *old = bytes,
                None => kept.push(bytes),
            }
        }
        // What is left of a file that was damaged too often is not worth more time.
        if files.is_multiple_of(1_000) {
            kept.truncate(kind.wholes.len());
        }
    }
    let memory = peak_memory().unwrap_or(0);
    let cells = [files.to_string(), reads.to_string(), format!("{:.3}", slowest.as_secs_f64())];
    let megabytes = format!("{} MiB", memory >> 20);
    proof::row(&[kind.name, &cells[0], &cells[1], &cells[2], &megabytes]);
    assert!(!proof::is_proof() || memory < MOST_MEMORY, "{megabytes} of memory");
    assert!(20 * reads > files, "only {reads} of {files} files are read");
}

/// The clips of some names.
fn wholes(names: &[&str]) -> Vec<Vec<u8>> {
    let found = SMALL.iter().filter(|(name, _)| names.contains(name));
    found.map(|(_, bytes)| bytes.to_vec()).collect()
}

fn is_clip(bytes: &[u8]) -> bool {
    clips::attempt(bytes).is_ok()
}

#[test]
fn damaged_mp4_is_refused_or_read() {
    let wholes = wholes(&["h264.mp4", "hevc.mp4", "av1.mp4"]);
    attack(&Kind { name: "MP4", wholes, signs: OF_MP4, within: all, is_read: is_clip, few: 1_500 });
}

#[test]
fn damaged_webm_is_refused_or_read() {
    let wholes = wholes(&["vp9.webm"]);
    attack(&Kind { name: "WebM", wholes, signs: OF_WEBM, within: all, is_read: is_clip, few: 1_500 });
}

#[test]
fn damaged_units_are_refused_or_read() {
    let wholes = SMALL.iter().map(|(_, bytes)| bytes.to_vec()).collect();
    let name = "H.264, HEVC, VP9, AV1 and AAC";
    attack(&Kind { name, wholes, signs: OF_UNITS, within: coded, is_read: is_clip, few: 1_500 });
}

#[test]
fn damaged_texts_are_refused_or_rendered() {
    let wholes = vec![documents::ATTACKS.join("\n\n").into_bytes(), OF_TEXTS[..21].concat()];
    let is_read = documents::attempt;
    attack(&Kind { name: "Markdown", wholes, signs: OF_TEXTS, within: all, is_read, few: 300 });
}
