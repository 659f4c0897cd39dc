//! Models in the format ONNX, which `scripts/make-onnx-models FOLDER` makes with the runtime and Python for comparison.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of models: the one that `HYPE_ONNX_MODELS` names, by default `target/onnx-models`. `None`, said on standard error, if
/// it is not there.
///
/// # Panics
/// If it is absent in continuous integration, that is, if the variable `CI` is set.
pub fn models() -> Option<PathBuf> {
    let default = || Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("target/onnx-models");
    let folder = std::env::var_os("HYPE_ONNX_MODELS").map_or_else(default, PathBuf::from);
    // What the script makes last.
    if folder.join("clip-tokenizer.json").exists() {
        return Some(fs::canonicalize(folder).unwrap());
    }
    let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(!is_ci, "no models at {}: run scripts/make-onnx-models", folder.display());
    eprintln!("skipped: no models at {}: run scripts/make-onnx-models", folder.display());
    None
}

/// Runs a program of Python, which must succeed, in the environment next to the models.
pub fn python(models: &Path, program: &str, arguments: &[&str]) {
    let mut command = Command::new(models.join("venv/bin/python"));
    let ran = command.args(["-c", program]).args(arguments).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// Numbers in single precision, as numpy writes them by `tofile`.
pub fn singles(path: &Path) -> Vec<f32> {
    let bytes = fs::read(path).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
}

/// The greatest difference of two sets of numbers, relative where they exceed 1.
#[track_caller]
pub fn worst_difference(found: &[f32], wanted: &[f32]) -> f32 {
    assert_eq!(found.len(), wanted.len());
    assert!(wanted.iter().any(|value| value.abs() > 0.01), "nothing was computed");
    let off = found.iter().zip(wanted).map(|(found, wanted)| (found - wanted).abs() / wanted.abs().max(1.0));
    off.fold(0.0, f32::max)
}
