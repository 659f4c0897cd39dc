//! `cells: within`: each rater judges all levels, and the findings, the report and the registration say so.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program;

/// The example study of five classes, with each rater at all classes of a model.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let studies = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("examples/studies");
    for model in ["real", "biggan", "biggan-truncated", "sn-gan"] {
        for class in ["lemon", "samoyed", "library", "horn", "baseball"] {
            let own = Path::new("imagenet5").join(model).join(class);
            fs::create_dir_all(folder.path().join(&own)).unwrap();
            for image in fs::read_dir(studies.join(&own)).unwrap() {
                let image = image.unwrap();
                fs::copy(image.path(), folder.path().join(&own).join(image.file_name())).unwrap();
            }
        }
    }
    let spec = fs::read_to_string(studies.join("imagenet5.yaml")).unwrap();
    let spec = spec.replace("raters: { per_model: 30,", "raters: { per_model: 20, cells: within,");
    fs::write(folder.path().join("study.yaml"), spec).unwrap();
    folder
}

#[test]
fn classes_are_compared_within_raters() {
    let folder = folder();
    let checked = program::succeeds(folder.path(), &["check", "study.yaml", "--strict"]);
    assert!(checked.contains("60 sessions of at most 120 trials each"), "{checked}");
    program::succeeds(folder.path(), &["run", "study.yaml", "--simulate", "--study", "kept"]);
    let read = |path: &str| fs::read_to_string(folder.path().join("kept").join(path)).unwrap();
    let findings: Value = serde_json::from_str(&read("findings.json")).unwrap();
    let error = &findings["measures"][0];
    assert_eq!((&error["raters"], error["facets"].as_array().unwrap().len()), (&60.into(), 5));
    let together = &error["interactions"][0];
    assert_eq!(together["test"]["statistic_name"], "t", "{together}");
    for mean in together["macro_means"].as_array().unwrap() {
        assert_eq!((&mean["raters"], &mean["interval"]["df"]), (&20.into(), &serde_json::json!([19.0])));
    }
    let methods = read("report/methods.md");
    assert!(methods.contains("20 raters were to judge each model, and each rater one model at all levels."));
    let before = read("findings.json");
    program::succeeds(folder.path(), &["score", "kept"]);
    assert_eq!(read("findings.json"), before);
    program::succeeds(folder.path(), &["preregister", "study.yaml"]);
    let registered = fs::read_to_string(folder.path().join("study.preregistration.md")).unwrap();
    assert!(registered.contains("Each rater judges all levels."), "{registered}");
}
