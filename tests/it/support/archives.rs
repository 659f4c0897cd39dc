//! Archives of small files, stored without compression.

#![allow(dead_code, reason = "each of the crates that include this file uses some of it")]

/// A zip archive.
pub(crate) fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, text) in files {
        let length = (text.len() as u32).to_le_bytes();
        // From the version needed to the length of the extra field, the same in both headers.
        let mut entry = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        entry.extend(checksum(text.as_bytes()).to_le_bytes());
        entry.extend([length, length].concat());
        entry.extend((name.len() as u16).to_le_bytes());
        entry.extend([0, 0]);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&entry);
        directory.extend([0; 10]);
        directory.extend((archive.len() as u32).to_le_bytes());
        directory.extend(name.bytes());
        archive.extend(b"PK\x03\x04");
        archive.extend(&entry);
        archive.extend([name.as_bytes(), text.as_bytes()].concat());
    }
    let count = (files.len() as u16).to_le_bytes();
    let (start, length) = (archive.len() as u32, directory.len() as u32);
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend([count, count].concat());
    archive.extend([length.to_le_bytes(), start.to_le_bytes()].concat());
    archive.extend([0, 0]);
    archive
}

/// A gzip file.
pub(crate) fn gzip(text: &str) -> Vec<u8> {
    let length = text.len() as u16;
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    file.extend([length.to_le_bytes(), (!length).to_le_bytes()].concat());
    file.extend(text.bytes());
    file.extend(checksum(text.as_bytes()).to_le_bytes());
    file.extend(u32::from(length).to_le_bytes());
    file
}

/// The CRC-32 of zip and gzip.
fn checksum(bytes: &[u8]) -> u32 {
    let shift = |sum: u32| if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), |sum, _| shift(sum)))
}
