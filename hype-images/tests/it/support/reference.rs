//! Reference data kept outside the repository.

use std::path::{Path, PathBuf};

/// A file or folder of the reference data, which are in `HYPE_REFERENCE` or next to the repository in
/// `../shared/reference`.
///
/// `None`, with a notice on standard error, if it is absent.
///
/// # Panics
/// If it is absent although `HYPE_REFERENCE` names the folder, or in continuous integration (`CI` is
/// set and not empty): there a test must not pass without its data.
#[track_caller]
pub(crate) fn reference(path: &str) -> Option<PathBuf> {
    let named = std::env::var_os("HYPE_REFERENCE").map(PathBuf::from);
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/reference");
    let required = named.is_some() || std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    let found = named.unwrap_or_else(beside).join(path);
    if found.exists() {
        return Some(found);
    }
    assert!(
        !required,
        "the reference data {} are absent: set HYPE_REFERENCE to their folder",
        found.display()
    );
    eprintln!("skipped: the reference data {} are absent", found.display());
    None
}
