//! Metrics are computed from files of features, without a study.

#![cfg(feature = "metrics")]
#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::features::{archive, close, moments, npy, values};
use crate::program::{fails, json, reference, succeeds};

#[test]
fn files_of_features_give_the_reference_values() {
    let Some(folder) = reference("metrics") else { return };
    let text = fs::read_to_string(folder.join("features_expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&text.replace("NaN", "null")).unwrap();
    let mut compared = 0;
    for case in expected["features"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let (Some(real), Some(fake)) = (case["real"].as_str(), case["fake"].as_str()) else { continue };
        if !folder.join(real).exists() || name.starts_with("minimal") {
            continue;
        }
        let kinds = [
            "{ kind: fid, interval_subsets: 0 }",
            "{ kind: kid, interval_subsets: 0 }",
            "{ kind: prdc, interval_subsets: 0 }",
        ];
        let found = json(
            &folder,
            &[&["metrics", "--features", fake, "--against", real, "--json"], &kinds[..]].concat(),
        );
        let model = Path::new(fake).file_stem().unwrap().to_str().unwrap();
        let found = values(&found, model);
        let wanted = &case["expected"];
        close(found["fid"], wanted["fid"].as_f64().unwrap(), 1e-9);
        let tolerance = if name.starts_with("offset") { 1e-6 } else { 1e-9 };
        close(found["kid"], wanted["kid_full_unbiased"].as_f64().unwrap(), tolerance);
        for measure in ["precision", "recall", "density", "coverage"] {
            close(found[measure], wanted["prdc_k5_strict"][measure].as_f64().unwrap(), 1e-12);
        }
        compared += 1;
    }
    assert!(compared >= 8, "{compared} cases");
}

#[test]
fn every_number_has_its_pipeline_and_its_cautions() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let spread =
        |shift: f64| -> Vec<f64> { (0..40).map(|place| f64::from(place * 37 % 41) / 41.0 + shift).collect() };
    npy(&folder.join("a.npy"), 2, &spread(0.25));
    npy(&folder.join("b.npy"), 2, &spread(0.0));
    let printed =
        succeeds(folder, &["metrics", "--features", "a.npy", "--against", "b.npy", "fid", "kid", "prdc"]);
    for expected in [
        "FID",
        "KID",
        "recall",
        "pipeline of FID, KID, precision, recall, density, coverage",
        "features: a.npy: 20 × 2, double precision, SHA-256 ",
        "against: b.npy: 20 × 2, double precision, SHA-256 ",
        "caution: FID of a: 20 images are fewer than 10,000: the value is biased upwards",
        "delete-half jackknife over images, 200 subsets",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
    // Two clouds that differ by 0.25 in both columns and in nothing else.
    let found = json(folder, &["metrics", "--features", "a.npy", "--against", "b.npy", "fid", "--json"]);
    close(values(&found, "a")["fid"], 0.125, 1e-9);
    // Statistics of the same set are as good as its features.
    let (mean, covariance) = moments(&spread(0.0));
    fs::write(folder.join("b.npz"), archive(&[("mu", &[2], &mean), ("sigma", &[2, 2], &covariance)]))
        .unwrap();
    let found = json(folder, &["metrics", "--features", "a.npy", "--against", "b.npz", "fid", "--json"]);
    close(values(&found, "a")["fid"], 0.125, 1e-9);
}

#[test]
fn faults_of_feature_files_are_named_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    npy(&folder.join("a.npy"), 2, &[0.0, 1.0, 2.0, 3.0, 4.0, 6.0]);
    npy(&folder.join("wide.npy"), 3, &[0.0; 9]);
    npy(&folder.join("one.npy"), 2, &[0.0, 1.0]);
    npy(&folder.join("nan.npy"), 2, &[0.0, 1.0, 2.0, f64::NAN]);
    fs::write(folder.join("cut.npy"), &fs::read(folder.join("a.npy")).unwrap()[..90]).unwrap();
    fs::write(folder.join("odd.csv"), "image,x,y\na.png,1,2\nb.png,3\n").unwrap();
    fs::write(folder.join("a.txt"), "1 2").unwrap();
    fs::write(folder.join("word.csv"), "image,x\na.png,1\nb.png,many\n").unwrap();
    let statistics = |mean: &[f64], covariance: &[f64]| {
        archive(&[("mu", &[mean.len()], mean), ("sigma", &[covariance.len()], covariance)])
    };
    fs::write(
        folder.join("other.npz"),
        statistics(&[0.0; 3], &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
    )
    .unwrap();
    fs::write(folder.join("unfit.npz"), statistics(&[0.0; 2], &[1.0; 9])).unwrap();
    let mut damaged = statistics(&[0.0; 2], &[1.0, 0.0, 0.0, 1.0]);
    damaged[90] ^= 1;
    fs::write(folder.join("damaged.npz"), damaged).unwrap();
    for (features, against, kind, expected) in [
        ("a.npy", "wide.npy", "fid", "fid: FID compares features of one width, got 3 and 2 columns"),
        ("one.npy", "a.npy", "kid", "kid: KID needs at least 2 rows in each set, got 1"),
        ("nan.npy", "a.npy", "fid", "nan.npy: row 1, column 1 is NaN; features must be finite"),
        ("cut.npy", "a.npy", "fid", "cut.npy: the shape needs 48 bytes of numbers, and there are "),
        ("a.npy", "other.npz", "fid", "fid: the statistics have dimension 2, but the other set has 3"),
        (
            "a.npy",
            "unfit.npz",
            "fid",
            "unfit.npz: `mu` has 2 numbers and `sigma` therefore needs 2 × 2, and it has 9 numbers",
        ),
        ("a.npy", "damaged.npz", "fid", "damaged.npz: the archive is damaged at `mu.npy`"),
        ("a.npy", "other.npz", "kid", "kid: this metric needs the features of the reference"),
        ("odd.csv", "a.npy", "fid", "odd.csv: line 3 has 2 cells, and the first line has 3"),
        ("word.csv", "a.npy", "fid", "word.csv: line 3, column x: \"many\" is not a finite number"),
        ("a.npy", "a.txt", "fid", "a.txt: the name says no known format"),
        ("none.npy", "a.npy", "fid", "none.npy: No such file"),
        ("a.npy", "a.npy", "ssim", "ssim: it is computed from images, which a study has"),
        ("a.npy", "a.npy", "fidd", "did you mean `fid`?"),
    ] {
        let message = fails(folder, &["metrics", "--features", features, "--against", against, kind]);
        assert!(message.contains(expected), "{features}, {against}, {kind}: {message}");
    }
    #[cfg(not(feature = "onnx"))]
    {
        fs::create_dir(folder.join("images")).unwrap();
        let message = fails(folder, &["metrics", "fid", "images", "a.npy"]);
        assert!(message.contains("build it with the features `metrics` and `onnx`"), "{message}");
    }
    let message = fails(folder, &["metrics", "--features", "a.npy", "kid"]);
    assert!(message.contains("kid: it compares: name the other set with --against"), "{message}");
}

#[test]
fn a_set_against_itself_is_pointed_out_and_distances_have_no_negative_limits() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let spread = |shift: f64, rows: i32| -> Vec<f64> {
        (0..2 * rows).map(|place| f64::from(place * 37 % 41) / 41.0 + shift).collect()
    };
    npy(&folder.join("a.npy"), 2, &spread(0.0, 20));
    npy(&folder.join("b.npy"), 2, &spread(0.001, 20));
    npy(&folder.join("c.npy"), 2, &[&spread(0.0, 5)[..], &spread(3.0, 15)].concat());
    let of = |one: &str, other: &str, kind: &str| {
        json(folder, &["metrics", "--features", one, "--against", other, kind, "--json"])[0]["values"][0]
            .clone()
    };
    for kind in ["fid", "kid"] {
        let same = of("a.npy", "a.npy", kind);
        assert!(same["cautions"].to_string().contains("both sets are the same 20 images"), "{same}");
        assert!(same["interval"].is_null(), "{same}");
    }
    let shared = of("c.npy", "a.npy", "fid");
    assert!(
        shared["cautions"].to_string().contains("5 of 20 images are in the reference set too"),
        "{shared}"
    );
    let near = of("b.npy", "a.npy", "fid");
    assert!(near["interval"]["low"].as_f64().unwrap() >= 0.0, "{near}");
    assert!(!near["cautions"].to_string().contains("reference set too"), "{near}");
    for (name, lacks) in [("mu", "`mu` without `sigma`"), ("sigma", "`sigma` without `mu`")] {
        fs::write(folder.join("s.npz"), archive(&[(name, &[2], &[0.0, 1.0])])).unwrap();
        let said = fails(folder, &["metrics", "--features", "a.npy", "--against", "s.npz", "fid"]);
        assert!(said.contains(lacks), "{said}");
    }
}
