//! Automated metrics are computed from a study's images, in parts and after interruptions, and stand next to the raters' scores.

#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::features::{archive, close, moments, values};
use crate::folders::{copy, files};
use crate::killing::killed_ten_times;
use crate::program::{fails, hype, json, succeeds};

/// A study of edited images with their sources, in a folder of its own.
fn study(folder: &Path, metrics: &str) {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let images = root.join("examples/quickstart/images");
    copy(&images, &folder.join("quickstart/images"));
    fs::create_dir_all(folder.join("studies")).unwrap();
    fs::copy(root.join("examples/studies/still_lifes.csv"), folder.join("studies/still_lifes.csv")).unwrap();
    let text = fs::read_to_string(root.join("examples/studies/imagenhub-editing.yaml")).unwrap();
    fs::write(folder.join("studies/editing.yaml"), format!("{text}\n{metrics}")).unwrap();
}

const PIXELS: &str = "metrics:
  - mse
  - { kind: ssim, against: source }
  - psnr
  - fractal
  - blackout
";

#[test]
fn pixel_metrics_are_reported_with_the_scores_of_a_study() {
    let folder = tempfile::tempdir().unwrap();
    let folder = &folder.path().join("all");
    study(folder, PIXELS);
    let spec = "studies/editing.yaml";
    let said = succeeds(folder, &["run", spec, "--simulate", "3", "--progress", "none", "--full"]);
    assert!(said.contains("the study's metrics are not computed"), "{said}");
    let before = json(folder, &["score", spec, "--json"]);
    assert!(before["metrics"].is_null());
    let notes = before["notes"].to_string();
    assert!(notes.contains("metrics-not-computed"), "{notes}");
    let printed = succeeds(folder, &["metrics", spec]);
    for expected in ["SSIM", "PSNR", "pipeline of MSE, SSIM, PSNR", "decoder: hype-images"] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
    let found = json(folder, &["score", spec, "--json"]);
    let metrics = &found["metrics"];
    let computed: Value = serde_json::from_str(
        &fs::read_to_string(folder.join("studies/editing.metrics/metrics.json")).unwrap(),
    )
    .unwrap();
    assert_eq!(computed["metrics"].as_array().unwrap().len(), 5);
    for model in ["good", "middling", "weak"] {
        assert_eq!(values(metrics, model), values(&computed["metrics"], model));
        let of_model = values(metrics, model);
        assert!(
            of_model["ssim"] < 1.0 && of_model["mse"] > 0.0 && of_model["blackout"] == 0.0,
            "{of_model:?}"
        );
    }
    let correlations = found["correlations"].as_array().unwrap();
    let of = |with: &str, outputs: bool| {
        correlations.iter().filter(|one| one["with"] == with && one["outputs"].is_null() != outputs).count()
    };
    let measures = found["measures"].as_array().unwrap().len();
    assert_eq!(of("ssim", false), 3 * measures);
    assert!(of("ssim", true) > 0, "{correlations:?}");
    let per_output =
        correlations.iter().find(|one| one["with"] == "ssim" && !one["outputs"].is_null()).unwrap();
    assert!(per_output["outputs"].as_u64().unwrap() > 10 && per_output["models"] == 3, "{per_output}");
    assert!(per_output["interval"]["method"].as_str().unwrap().contains("over items"), "{per_output}");
    let notes = found["notes"].to_string();
    assert!(notes.contains("with fewer than about 10"), "{notes}");
    let schema = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("schemas/findings.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    assert!(jsonschema::is_valid(&schema, &found));
    let figure = succeeds(folder, &["report", spec, "--figure", "f5-ssim"]);
    assert!(figure.contains("SSIM"), "{figure}");
    // The report has the values with their intervals, and how they were computed.
    let page = folder.join(succeeds(folder, &["report", spec]).trim());
    let methods = fs::read_to_string(page.with_file_name("methods.md")).unwrap();
    for expected in ["Automated metrics: MSE, SSIM, PSNR", "decoder: hype-images", "bootstrap over outputs"] {
        assert!(methods.contains(expected), "{expected}: {methods}");
    }
    let table = fs::read_to_string(page.with_file_name("tables").join("s3-metrics.csv")).unwrap();
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<BTreeMap<String, String>> = rows.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3 * 5);
    for row in &rows {
        let metric = metrics.as_array().unwrap().iter().find(|one| one["measure"]["label"] == row["metric"]);
        let of_model = metric.unwrap()["values"].as_array().unwrap().iter();
        let one = of_model.clone().find(|one| one["model"] == row["model"]).unwrap();
        assert_eq!(row["value"].parse::<f64>().ok(), one["value"].as_f64(), "{row:?}");
        assert_eq!(row["low"].parse::<f64>().ok(), one["interval"]["low"].as_f64(), "{row:?}");
        assert_eq!(row["images"].parse::<u64>().ok(), one["units"].as_u64(), "{row:?}");
    }
    assert!(fs::read_to_string(&page).unwrap().contains("automated metrics"));
    // Results of other stimuli are left out, and nothing is kept of them in silence.
    let path = folder.join("studies/editing.metrics/metrics.json");
    let text = fs::read_to_string(&path).unwrap();
    let digest = computed["stimuli"].as_str().unwrap();
    fs::write(&path, text.replace(digest, &"0".repeat(64))).unwrap();
    let found = json(folder, &["score", spec, "--json"]);
    assert!(found["metrics"].is_null() && found["notes"].to_string().contains("other-stimuli"));
}

/// All files of the folder of metrics, with their content.
fn kept(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    files(&folder.join("studies/editing.metrics"))
}

#[test]
fn shards_and_killed_runs_give_the_bytes_of_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let one = &folder.path().join("one");
    study(one, PIXELS);
    let spec = "studies/editing.yaml";
    succeeds(one, &["metrics", spec]);
    let whole = kept(one);
    assert!(whole.len() == 6, "{:?}", whole.keys());
    let parts = &folder.path().join("parts");
    study(parts, PIXELS);
    let message = fails(parts, &["metrics", "merge", spec]);
    assert!(message.contains("are missing: run the other shards"), "{message}");
    for shard in (1..=16).rev() {
        let printed = succeeds(parts, &["metrics", spec, "--shard", &format!("{shard}/16")]);
        assert!(printed.contains("hype metrics merge"), "{printed}");
    }
    succeeds(parts, &["metrics", "merge", spec]);
    assert!(kept(parts) == whole, "shards give other bytes");
    // Half of the rows are computed elsewhere.
    let elsewhere = &folder.path().join("elsewhere");
    study(elsewhere, PIXELS);
    succeeds(elsewhere, &["metrics", spec, "--shard", "1/2"]);
    let here = &folder.path().join("here");
    study(here, PIXELS);
    succeeds(here, &["metrics", spec, "--shard", "2/2"]);
    let other = elsewhere.join("studies/editing.metrics");
    succeeds(here, &["metrics", "merge", spec, other.to_str().unwrap()]);
    assert!(kept(here) == whole, "folders of several machines give other bytes");
    for shard in ["0/2", "3/2", "x"] {
        assert!(fails(here, &["metrics", spec, "--shard", shard]).contains("a shard is written as I/N"));
    }
}

#[cfg(unix)]
#[test]
fn a_computation_that_is_killed_ten_times_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let one = &folder.path().join("one");
    study(one, PIXELS);
    let spec = "studies/editing.yaml";
    succeeds(one, &["metrics", spec]);
    let killed = &folder.path().join("killed");
    study(killed, PIXELS);
    killed_ten_times(killed, &["metrics", spec], &[], &killed.join("studies/editing.metrics"));
    succeeds(killed, &["metrics", spec]);
    assert!(kept(killed) == kept(one), "a killed computation gives other bytes");
}

#[test]
fn faults_of_metrics_in_specs_and_studies_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = &folder.path().join("all");
    for (metrics, code, expected) in [
        ("metrics: [ssimm]\n", "unknown-kind", "did you mean `ssim`?"),
        ("metrics: [ssim, { kind: ssim, window: uniform7 }]\n", "twice", "also what metric 1 computes"),
        ("metrics: [kid]\n", "no-extractor", "add the section `extractor`"),
        ("metrics: [{ kind: ssim, against: mask }]\n", "missing-condition", "has no mask image"),
        ("metrics: ssim\n", "wrong-type", "expected a list of metrics"),
        (
            "metrics: [{ kind: fid, reference: photos }]\nextractor: { kind: files, table: f.csv }\n",
            "unknown-set",
            "no set of stimuli is named `photos`",
        ),
        ("metrics: [clip_score]\nextractor: { kind: files }\n", "missing-field", "no file is named"),
    ] {
        study(folder, metrics);
        let message = fails(folder, &["check", "studies/editing.yaml"]);
        assert!(message.contains(code) && message.contains(expected), "{metrics}: {message}");
    }
    study(folder, "");
    let message = fails(folder, &["metrics", "studies/editing.yaml"]);
    assert!(message.contains("names no metrics: add the section `metrics`"), "{message}");
}

/// Images of two sizes are an error that names both, and nothing of them is kept.
#[test]
fn images_of_two_sizes_have_no_value_and_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = &folder.path().join("all");
    study(folder, "metrics: [ssim]\n");
    succeeds(folder, &["new", "larger", "--images", "14", "--size", "32"]);
    let larger = fs::read_dir(folder.join("larger/images/good")).unwrap().next().unwrap().unwrap().path();
    let mut outputs: Vec<_> = fs::read_dir(folder.join("quickstart/images/good"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    outputs.sort();
    fs::copy(larger, &outputs[0]).unwrap();
    let found = json(folder, &["metrics", "studies/editing.yaml", "--json"]);
    let of = |model: &str| {
        let values = found[0]["values"].as_array().unwrap();
        values.iter().find(|value| value["model"] == model).unwrap().clone()
    };
    let cautions = of("good")["cautions"].to_string();
    let named = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(
        cautions.contains(&named(&outputs[0])) && cautions.contains("SSIM compares images of one size"),
        "{cautions}"
    );
    let judged = |path: &&PathBuf| ["000", "001", "002"].iter().any(|start| named(path).starts_with(start));
    assert_eq!(of("good")["units"], outputs.iter().filter(judged).count() - 1);
    assert!(!of("weak")["cautions"].to_string().contains("no value"), "{found}");
}

/// Given features are assigned to images by sets and by names, and facets would have rows of their own.
#[cfg(feature = "metrics")]
#[test]
fn given_features_belong_to_the_images_that_they_name() {
    let folder = tempfile::tempdir().unwrap();
    let folder = &folder.path().join("all");
    study(
        folder,
        "metrics:\n  - { kind: watermark, extractor: { kind: files, table: marks.csv, columns: [mark] } }\n",
    );
    let mut table = String::from("image,other,mark\n");
    for (set, marked) in [("good", 0), ("middling", 3), ("weak", 999)] {
        let mut names: Vec<_> = fs::read_dir(folder.join("quickstart/images").join(set))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        for (place, name) in names.iter().enumerate() {
            let name = name.to_str().unwrap();
            table.push_str(&format!(
                "../quickstart/images/{set}/{name},7,{}\n",
                f64::from(u8::from(place < marked))
            ));
        }
    }
    fs::write(folder.join("studies/marks.csv"), &table).unwrap();
    let found = json(folder, &["metrics", "studies/editing.yaml", "--json"]);
    let share = |model: &str| values(&found, model)["watermark"];
    assert_eq!((share("good"), share("weak")), (0.0, 1.0));
    let middling = share("middling");
    assert!(middling > 0.0 && middling < 0.5, "{middling}");
    fs::write(folder.join("studies/marks.csv"), table.replace("middling/", "missing/")).unwrap();
    let output = hype(folder, &["metrics", "studies/editing.yaml"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && message.contains("marks.csv has no row of this name"), "{message}");
}

/// FID compares outputs with published statistics where a study has no reference set.
#[cfg(feature = "metrics")]
#[test]
fn published_statistics_take_the_place_of_a_reference_set() {
    let folder = tempfile::tempdir().unwrap();
    let folder = &folder.path().join("all");
    study(
        folder,
        "metrics:\n  - { kind: fid, statistics: real.npz }\nextractor: { kind: files, table: features.csv }\n",
    );
    let mut table = String::from("image,x,y\n");
    let mut of_good = Vec::new();
    for (set, shift) in [("good", 0.0), ("middling", 1.0), ("weak", 3.0)] {
        let entries = fs::read_dir(folder.join("quickstart/images").join(set)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        for (place, name) in names.iter().enumerate() {
            let features = [f64::from(place as u32 * 37 % 41), f64::from(place as u32 % 7)];
            table += &format!("../quickstart/images/{set}/{name},{},{}\n", features[0] + shift, features[1]);
            // The study has 0001 to 0029 of each set.
            if set == "good" && name.as_str() < "0030" {
                of_good.extend(features);
            }
        }
    }
    let studies = folder.join("studies");
    fs::write(studies.join("features.csv"), &table).unwrap();
    let (mean, covariance) = moments(&of_good);
    let statistics = archive(&[("mu", &[2], &mean), ("sigma", &[2, 2], &covariance)]);
    fs::write(studies.join("real.npz"), statistics).unwrap();
    let found = json(folder, &["metrics", "studies/editing.yaml", "--json"]);
    for (model, distance) in [("good", 0.0), ("middling", 1.0), ("weak", 9.0)] {
        close(values(&found, model)["fid"], distance, 1e-6);
    }
    let text = found.to_string();
    assert!(text.contains("real.npz, SHA-256 ") && text.contains("reference images is not known"), "{text}");

    let wide = archive(&[
        ("mu", &[3], &[0.0; 3]),
        ("sigma", &[3, 3], &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
    ]);
    fs::write(studies.join("real.npz"), wide).unwrap();
    let found = json(folder, &["metrics", "studies/editing.yaml", "--json"]).to_string();
    assert!(found.contains("the statistics have dimension 2, but the other set has 3"), "{found}");
    fs::write(studies.join("real.npz"), archive(&[("features", &[3, 2], &[0.0; 6])])).unwrap();
    let message = fails(folder, &["metrics", "studies/editing.yaml"]);
    assert!(
        message.contains("real.npz: it holds rows, and statistics are the arrays `mu` and `sigma`"),
        "{message}"
    );
    fs::remove_file(studies.join("real.npz")).unwrap();
    assert!(fails(folder, &["metrics", "studies/editing.yaml"]).contains("real.npz: "));
    study(
        folder,
        "metrics:\n  - { kind: fid, statistics: real.csv, reference: good }\nextractor: { kind: files, table: features.csv }\n",
    );
    let message = fails(folder, &["check", "studies/editing.yaml"]);
    for expected in ["published statistics take the place of a reference set", "is not a file of statistics"]
    {
        assert!(message.contains(expected), "{expected}: {message}");
    }
}

/// Models at the levels of a facet have values of their own, compared with the real images of their level, and one more over all.
#[cfg(feature = "metrics")]
#[test]
fn levels_of_facets_have_rows_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let examples = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("examples/studies");
    copy(&examples.join("imagenet5"), &folder.join("imagenet5"));
    let text = fs::read_to_string(examples.join("imagenet5.yaml")).unwrap();
    let given = "metrics:\n  - { kind: fid, interval_subsets: 0 }\n  - blackout\nextractor: { kind: files, table: f.csv }\n";
    fs::write(folder.join("study.yaml"), format!("{text}\n{given}")).unwrap();
    // Features by class, the same for real and generated images except for a shift of the class's number.
    let mut table = String::from("image,x\n");
    for (class, level) in ["lemon", "samoyed", "library", "horn", "baseball"].iter().enumerate() {
        for (set, shift) in
            [("real", 0.0), ("biggan-truncated", class as f64), ("biggan", 0.0), ("sn-gan", 1.0)]
        {
            let mut names: Vec<_> = fs::read_dir(folder.join("imagenet5").join(set).join(level))
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            for (place, name) in names.iter().enumerate() {
                table.push_str(&format!(
                    "imagenet5/{set}/{level}/{name},{}\n",
                    100.0 * class as f64 + place as f64 + shift
                ));
            }
        }
    }
    fs::write(folder.join("f.csv"), table).unwrap();
    let found = json(folder, &["metrics", "study.yaml", "--json"]);
    let shares =
        found.as_array().unwrap().iter().find(|metric| metric["measure"]["name"] == "blackout").unwrap();
    let models: Vec<&str> =
        shares["values"].as_array().unwrap().iter().map(|one| one["model"].as_str().unwrap()).collect();
    assert_eq!(models.len(), 3 * 5 + 3, "{models:?}");
    assert!(models.contains(&"BigGAN/horn") && models.contains(&"BigGAN"), "{models:?}");
    let fid = |model: &str| values(&found, model)["fid"];
    for (class, level) in ["lemon", "samoyed", "library", "horn", "baseball"].iter().enumerate() {
        close(fid(&format!("BigGAN-trunc/{level}")), (class * class) as f64, 1e-9);
        close(fid(&format!("BigGAN/{level}")), 0.0, 1e-9);
    }
    close(fid("SN-GAN"), 1.0, 1e-9);
}

#[test]
fn an_output_without_a_value_stops_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, size) in [("large", "24"), ("small", "16")] {
        succeeds(folder, &["new", name, "--task", "rating", "--images", "12", "--size", size]);
    }
    fs::create_dir_all(folder.join("out")).unwrap();
    fs::create_dir_all(folder.join("src")).unwrap();
    for number in 1..=12 {
        for (from, to) in [("good", "out"), ("real", "src")] {
            let size = if number == 3 && to == "out" { "small" } else { "large" };
            let image = folder.join(format!("{size}/images/{from}/{number:04}.png"));
            fs::copy(image, folder.join(to).join(format!("e{number}.png"))).unwrap();
        }
    }
    let rows: String = (1..=12).map(|number| format!("e{number},brighter,src/e{number}.png\n")).collect();
    fs::write(folder.join("items.csv"), format!("item,instruction,source\n{rows}")).unwrap();
    fs::write(
        folder.join("study.yaml"),
        "stimuli: { out: { role: generated, images: \"out/*.png\" } }\nitems: { table: items.csv }\n\
         task: { kind: rating, per_session: 6 }\nrubric: { kind: imagenhub.text_guided_editing }\nraters: { per_item: 3 }\n\
         metrics: [psnr, ssim, ms_ssim]\n",
    )
    .unwrap();
    let checked = String::from_utf8(hype(folder, &["check", "study.yaml"]).stderr).unwrap();
    for says in [
        "SSIM has no value for 1 of 12 outputs: out/e3.png is 16×16, and its image 24×24",
        "MS-SSIM has no value for 12 of 12 outputs: out/e1.png is 24×24, and sides of 176 pixels are needed",
    ] {
        assert!(checked.contains(says), "{checked}");
    }
    for _ in 0..2 {
        let found = json(folder, &["metrics", "study.yaml", "--json"]);
        let of = |metric: usize| found[metric]["values"][0].clone();
        assert_eq!((&of(0)["units"], &of(1)["units"]), (&11.into(), &11.into()), "{found}");
        assert!(of(2)["value"].is_null(), "{found}");
        assert!(
            of(2)["undefined"]
                .as_str()
                .unwrap()
                .contains("no value for 12 of 12 outputs, such as out/e1.png")
        );
        assert!(of(1)["value"].as_f64().unwrap() > 0.0);
        let cautions = of(1)["cautions"].to_string();
        assert!(cautions.contains("no value for 1 of 12 outputs, such as out/e3.png: "), "{cautions}");
    }
    let kept: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("study.metrics/metrics.json")).unwrap())
            .unwrap();
    assert_eq!(kept["metrics"][1]["by_output"]["out"].as_object().unwrap().len(), 11);
}
