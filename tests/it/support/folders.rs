//! Folders for tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Copies a folder with all that is in it. Files have only the content in common: those of a read-only checkout become
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

/// The files of a folder by name, with their content.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |entry: fs::DirEntry| {
        let bytes = fs::read(entry.path()).expect("it can be read");
        (entry.file_name().to_string_lossy().into_owned(), bytes)
    };
    let entries = fs::read_dir(folder).expect("it is a folder");
    entries.map(|entry| file(entry.expect("it can be read"))).collect()
}
