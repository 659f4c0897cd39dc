//! Reference data, which lie outside the repository.

use std::path::{Path, PathBuf};

/// The path of a file of the reference data: under `HYPE_REFERENCE`, or next to the repository.
///
/// Without it a test reports that it is skipped, and passes. If `CI` is set it fails: a missing file cannot
/// count as a proof.
///
/// # Panics
/// If the file is missing and the environment variable `CI` is set and not empty.
#[expect(clippy::disallowed_methods, reason = "reference data lie outside the repository")]
pub(crate) fn reference(path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("HYPE_REFERENCE")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/reference"), PathBuf::from);
    let file = folder.join(path);
    if file.exists() {
        return Some(file);
    }
    let in_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(!in_ci, "reference data are missing: {}", file.display());
    eprintln!("skipped: no reference data at {}", file.display());
    None
}

/// The text of a file of the reference data.
#[expect(clippy::disallowed_methods, reason = "reference data lie outside the repository")]
pub(crate) fn text(path: &str) -> Option<String> {
    let file = reference(path)?;
    Some(std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())))
}
