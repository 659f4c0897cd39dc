//! Archives that were made to do harm are refused, and leave nothing.

use std::fs;

use super::proof::row;
use super::support::{Bench, Draws, public};

/// A file of an archive, stored as it is.
struct Entry {
    name: String,
    content: Vec<u8>,
    /// The size that the directory states, if it lies.
    size: Option<u32>,
    method: u16,
}

fn entry(name: &str, content: &[u8]) -> Entry {
    Entry { name: name.to_owned(), content: content.to_vec(), size: None, method: 0 }
}

fn crc(bytes: &[u8]) -> u32 {
    let mut sum = !0_u32;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}

fn archive(entries: &[Entry]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let at = out.len() as u32;
        let size = entry.size.unwrap_or(entry.content.len() as u32);
        let mut common = Vec::new();
        for number in [20, 0, entry.method, 0, 0] {
            common.extend(u16::to_le_bytes(number));
        }
        for number in [crc(&entry.content), entry.content.len() as u32, size] {
            common.extend(number.to_le_bytes());
        }
        common.extend((entry.name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(entry.name.as_bytes());
        out.extend(&entry.content);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(entry.name.as_bytes());
    }
    let begin = out.len() as u32;
    out.extend(&directory);
    out.extend(b"PK\x05\x06\x00\x00\x00\x00");
    for _ in 0..2 {
        out.extend((entries.len() as u16).to_le_bytes());
    }
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(begin.to_le_bytes());
    out.extend([0, 0]);
    out
}

#[test]
fn two_hundred_archives() {
    let mut bench = Bench::new(&[]);
    let source = bench.images("good");
    let images: Vec<(String, Vec<u8>)> =
        ["0001.png", "0002.png"].map(|name| (name.to_owned(), fs::read(source.join(name)).unwrap())).into();
    let whole = || images.iter().map(|(name, bytes)| entry(name, bytes)).collect::<Vec<_>>();
    let mut hostile: Vec<(String, Vec<u8>)> = Vec::new();
    // Names that would leave the folder, or are none.
    for name in [
        "../0001.png",
        "/0001.png",
        "a/../0001.png",
        "a/b/0001.png",
        "a\\0001.png",
        "c:0001.png",
        "./0001.png",
        "a//0001.png",
    ] {
        let mut entries = whole();
        entries[0].name = name.to_owned();
        hostile.push((format!("name {name}"), archive(&entries)));
    }
    // Sizes that lie, and bombs.
    for size in [0, 1, 1 << 20, 1 << 27, u32::MAX - 1] {
        for method in [0, 8, 9, 14] {
            let mut entries = whole();
            (entries[0].size, entries[0].method) = (Some(size), method);
            hostile.push((format!("size {size} by {method}"), archive(&entries)));
        }
    }
    // Content that is not an image, an image twice, and a missing one.
    for content in [&b""[..], b"<svg/>", b"\x89PNG\r\n\x1a\n", b"GIF89a"] {
        let mut entries = whole();
        entries[1].content = content.to_vec();
        hostile.push((format!("content {content:?}"), archive(&entries)));
    }
    let mut twice = whole();
    twice.push(entry("0001.png", &images[0].1));
    hostile.push(("an item twice".into(), archive(&twice)));
    hostile.push(("an item too few".into(), archive(&whole()[..1])));
    hostile.push(("nothing".into(), archive(&[])));
    // A whole archive that is cut, or whose bytes are others.
    let good = archive(&whole());
    let mut draws = Draws(43);
    while hostile.len() < 120 {
        let end = (draws.unit() * good.len() as f64) as usize;
        hostile.push((format!("cut at {end}"), good[..end].to_vec()));
    }
    while hostile.len() < 200 {
        let mut bytes = good.clone();
        // Within the content: no archive is as good as before.
        let at = 40 + (draws.unit() * (images[0].1.len() - 20) as f64) as usize;
        bytes[at] ^= 1 << (draws.unit() * 8.0) as u32;
        hostile.push((format!("another byte at {at}"), bytes));
    }
    let path = bench.root().join("archive.zip");
    for (what, bytes) in &hostile {
        fs::write(&path, bytes).unwrap();
        let found = bench.board.add(&path, &public("model", "a"));
        assert!(found.is_err(), "{what} was added");
    }
    row(&[&format!("{} hostile archives refused", hostile.len())]);
    assert!(bench.board.submissions().unwrap().is_empty());
    let left = fs::read_dir(bench.root().join("submissions")).unwrap().count();
    assert_eq!(left, 0);
    assert!(!bench.root().parent().unwrap().join("0001.png").exists());
    fs::write(&path, good).unwrap();
    bench.board.add(&path, &public("model", "a")).unwrap();
}
