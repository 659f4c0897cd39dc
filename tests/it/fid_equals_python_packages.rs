//! FID of two folders of images is that of the Python packages pytorch-fid and clean-fid, with one Inception network.

#![cfg(all(feature = "metrics", feature = "onnx"))]
#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use std::fs;
use std::path::Path;
use std::process::Command;

use hype::images::sample::{self, Process};
use hype::images::{Encoding, Region, Size, encode};
use serde_json::Value;

use crate::models::models;
use crate::program::{self, fails};
use crate::proof::is_proof;

/// The greatest relative difference.
const TOLERANCE: f64 = 1e-3;

/// Draws images of several sizes and shapes: some are enlarged to 299 × 299, and others are reduced.
fn images(folder: &Path, process: Process) {
    fs::create_dir_all(folder).unwrap();
    for index in 0..60 {
        let side = [40, 96, 160, 299, 420][index as usize % 5];
        let picture = sample::draw(process, index, 7, side).unwrap();
        let cut = side / 8 * (index as u32 / 5 % 4);
        let size = if index % 2 == 0 { Size::new(side - cut, side) } else { Size::new(side, side - cut) };
        let picture = picture.cut(Region { left: 0, top: 0, size: size.unwrap() }).unwrap();
        let name = format!("{index:02}.png");
        fs::write(folder.join(name), encode(&picture, Encoding::Png)).unwrap();
    }
}

/// The value of `hype metrics fid weak` with the model of random weights and these arguments, and what it printed.
fn fid(folder: &Path, models: &Path, arguments: &[&str]) -> (f64, Value) {
    let model = models.join("inception-random-1.onnx");
    let library = models.join("libonnxruntime.so");
    let variables = [("ORT_DYLIB_PATH", library.to_str().unwrap())];
    let common = ["--json", "--model", model.to_str().unwrap()];
    let arguments = [&["metrics", "fid", "weak"], arguments, &common].concat();
    let found = program::ends(folder, &variables, &arguments, true);
    let found: Value = serde_json::from_str(&found).unwrap();
    (found[0]["values"][0]["value"].as_f64().unwrap(), found)
}

#[track_caller]
fn close(found: f64, wanted: f64, about: &str) {
    let off = (found - wanted).abs() / wanted;
    println!("proof: {about} | {found:.6} | {wanted:.6} | {off:.1e}");
    assert!(off <= TOLERANCE, "{about}: {found}, not {wanted}");
}

/// Runs where `scripts/install-fid-packages` has made the environment of the packages.
#[test]
fn values_of_folders_are_those_of_the_packages() {
    let Some(models) = models() else { return };
    let python = models.join("fid-venv/bin/python");
    if !python.exists() {
        assert!(!is_proof(), "no packages: run scripts/install-fid-packages");
        return eprintln!("skipped: no {}: run scripts/install-fid-packages", python.display());
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    images(&folder.join("weak"), Process::Weak);
    images(&folder.join("real"), Process::Real);
    let script = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/fid-references.py"));
    let mut command = Command::new(python);
    command.arg(script).args(["1", "weak", "real", "real.npz"]);
    let ran = command.current_dir(folder).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let printed = String::from_utf8(ran.stdout).unwrap();
    let wanted: Value = serde_json::from_str(printed.lines().last().unwrap()).unwrap();
    let wanted = |package: &str| wanted[package].as_f64().unwrap();
    for package in ["pytorch-fid", "clean-fid"] {
        let (value, found) = fid(folder, &models, &["real", "--resize", package]);
        close(value, wanted(package), package);
        let found = found.to_string();
        for expected in ["60 × 2048", "60 images are fewer than 10,000", "SHA-256", "FID (Inception-2015)"] {
            assert!(found.contains(expected), "{expected}: {found}");
        }
    }
    close(fid(folder, &models, &["real"]).0, wanted("clean-fid"), "clean-fid by default");
    let (value, _) = fid(folder, &models, &["real.npz", "--resize", "pytorch-fid"]);
    close(value, wanted("pytorch-fid"), "statistics of pytorch-fid");
}

#[test]
fn faults_of_folders_are_named() {
    let Some(models) = models() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("a")).unwrap();
    fs::create_dir(folder.join("b")).unwrap();
    let model = models.join("inception-random-1.onnx");
    let library = models.join("libonnxruntime.so");
    let variables = [("ORT_DYLIB_PATH", library.to_str().unwrap()), ("XDG_CACHE_HOME", "/nowhere")];
    let said = |arguments: &[&str]| program::ends(folder, &variables, arguments, false);
    let missing = said(&["metrics", "fid", "a", "b"]);
    assert!(missing.contains("no Inception network at /nowhere/hype/inception-2015.onnx"), "{missing}");
    let with_model = || said(&["metrics", "fid", "a", "b", "--model", model.to_str().unwrap()]);
    let empty = with_model();
    assert!(empty.contains("a: "), "{empty}");
    fs::write(folder.join("a/damaged.png"), "nothing").unwrap();
    let damaged = with_model();
    assert!(damaged.contains("damaged.png"), "{damaged}");
    fs::write(folder.join("a/other.bmp"), "BM").unwrap();
    let other = with_model();
    assert!(other.contains("a: other.bmp: only PNG, JPEG and WebP are read"), "{other}");
    let said = fails(folder, &["metrics", "fid", "a"]);
    assert!(said.contains("`fid generated/ real/`"), "{said}");
    let said = fails(folder, &["metrics", "study.yaml", "--resize", "clean-fid"]);
    assert!(said.contains("--resize and --model are for folders of images"), "{said}");
}
