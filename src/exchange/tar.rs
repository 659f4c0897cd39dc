//! Archives of plain files in the format of POSIX.1-1988 (ustar), which every `tar` reads.
//!
//! The format is a header of 512 bytes before each file; a library for it would mostly read archives and set attributes,
//! which are not needed here.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Files and headers fill blocks of this size, in bytes.
const BLOCK: usize = 512;

/// The largest file, whose size has eleven octal digits.
const LARGEST: u64 = 0o777_7777_7777;

/// Appends a file under a name in the archive.
///
/// # Errors
/// If the file cannot be read, is larger than 8 GiB, or has a name of more than 100 bytes, or if `out` fails.
pub(super) fn append(out: &mut dyn Write, name: &Path, file: &Path) -> io::Result<()> {
    let mut file = File::open(file)?;
    let size = file.metadata()?.len();
    out.write_all(&header(&name.to_string_lossy(), size)?)?;
    let written = io::copy(&mut file, &mut &mut *out)?;
    if written != size {
        return Err(io::Error::other(format!("{} has changed while it was read", name.display())));
    }
    let rest = (BLOCK - (size % BLOCK as u64) as usize) % BLOCK;
    out.write_all(&[0; BLOCK][..rest])
}

/// Ends the archive.
///
/// # Errors
/// If `out` fails.
pub(super) fn finish(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&[0; 2 * BLOCK])
}

fn header(name: &str, size: u64) -> io::Result<[u8; BLOCK]> {
    if name.len() > 100 || size > LARGEST {
        return Err(io::Error::other(format!(
            "{name} cannot be archived: its name or its content is too long"
        )));
    }
    let mut header = [0; BLOCK];
    let mut put = |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000644\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{size:011o}\0"));
    // The beginning of 1970: the time of a package is not part of its data.
    put(136, "00000000000\0");
    // The checksum is that of a header with spaces in its place.
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    put(329, "0000000\0");
    put(337, "0000000\0");
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_match_other_programs() {
        // `tar --format=ustar --mode=644 --owner=0 --group=0 --numeric-owner --mtime=@0 -cf - a.csv`, for a file of 5 bytes.
        let header = header("a.csv", 5).unwrap();
        assert_eq!(&header[124..136], b"00000000005\0");
        assert_eq!(&header[257..265], b"ustar\x0000");
        assert_eq!(&header[148..156], b"010135\0 ");
        assert!(super::header(&"x".repeat(101), 5).is_err());
    }

    #[test]
    fn files_fill_blocks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        for size in [0, 1, 511, 512, 513] {
            std::fs::write(&path, vec![b'x'; size]).unwrap();
            let mut archive = Vec::new();
            append(&mut archive, Path::new("a.csv"), &path).unwrap();
            finish(&mut archive).unwrap();
            assert_eq!(archive.len(), BLOCK * (1 + size.div_ceil(BLOCK) + 2), "{size} bytes");
        }
    }
}
