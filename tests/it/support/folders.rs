//! Folders for tests.

use std::fs;
use std::path::Path;

/// Copies a folder with all that is in it. Files have only the content in common, so that those of a read-only checkout become
/// writable.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("it is a folder") {
        let path = entry.expect("it can be read").path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::write(target, fs::read(&path).expect("it can be read")).expect("it can be written");
        }
    }
}
