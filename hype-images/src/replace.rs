//! Files that are written in whole or not at all.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of files that this process has begun, which gives each thread names of its own.
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// Writes a file under another name in its folder, `NAME.NUMBERS.new`, and renames it once `write` has succeeded. A file of a
/// process that was killed stays under the other name. `write` syncs the file if its content has to survive a power failure.
///
/// # Errors
/// If the file cannot be created, written or renamed. What was at the path before is then unchanged.
pub fn replace_file(path: &Path, write: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{}.new", std::process::id(), BEGUN.fetch_add(1, Ordering::Relaxed)));
    let temporary = path.with_file_name(name);
    let written =
        File::create(&temporary).and_then(|file| write(&file)).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // A remaining file only takes up space, and the first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_file_is_replaced_in_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        replace_file(&path, |mut file| file.write_all(b"whole")).unwrap();
        let failed = replace_file(&path, |mut file| {
            file.write_all(b"ha")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
