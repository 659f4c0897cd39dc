//! Features that the program extracts are those of Python's onnxruntime with the same model and the declared preparation, and
//! order generators as they should.

#![cfg(feature = "onnx")]
#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use std::fs;
use std::path::{Path, PathBuf};

use hype::core::plugin::extractor::{
    DynExtractor as _, ExtractedLayer, RgbPixels, ToExtract, ToExtractContent,
};
use hype::images::{Decoding, Picture, decode};
use hype::pipeline::extractors::{InputFit, OnnxModel, OnnxPreset};
use serde_json::Value;

use crate::folders::files;
use crate::killing::killed_ten_times;
use crate::models::{models, python, singles, worst_difference};
use crate::program::{self, reference};
use crate::proof::is_proof;

/// Prepares images as declared and runs the model: `program FOLDER MODEL KIND OUTPUT`.
const PYTHON: &str = r#"
import sys
import numpy as np, onnxruntime
from PIL import Image
folder, model, kind, output = sys.argv[1:]
pixels = np.load(f"{folder}/pixels.npy")
f32 = np.float32
def prepared(image):
    image = Image.fromarray(image)
    if kind == "mobilenet-v2":
        levels = np.asarray(image.resize((224, 224), Image.BILINEAR), f32) / f32(255)
        return ((levels - f32([0.485, 0.456, 0.406])) / f32([0.229, 0.224, 0.225])).transpose(2, 0, 1)
    if kind == "open-nsfw":
        image = image.resize((256, 256), Image.BILINEAR).crop((16, 16, 240, 240))
        return np.asarray(image, f32)[:, :, ::-1] - f32([104, 117, 123])
    side = max(image.size)
    square = Image.new("RGB", (side, side))
    square.paste(image, (0, 0))
    return (np.asarray(square.resize((320, 320), Image.BILINEAR), f32) / f32(255)).transpose(2, 0, 1)
session = onnxruntime.InferenceSession(model)
name = session.get_inputs()[0].name
found = [session.run([output], {name: prepared(image)[None].astype(f32)})[0][0].reshape(-1) for image in pixels]
np.asarray(found, f32).tofile(f"{folder}/found.f32")
"#;

/// Some flowers of each kind, decoded.
fn flowers(folder: &Path) -> Vec<(String, Picture)> {
    let mut found = Vec::new();
    for set in ["real", "stylegan2", "ppca"] {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder.join(set)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths.into_iter().take(4) {
            let name = path.display().to_string();
            let picture = decode(&name, &fs::read(&path).unwrap(), &Decoding::default()).unwrap().picture;
            found.push((name, picture));
        }
    }
    found
}

/// The first output for each picture, extracted in batches of five.
fn extracted(model: &OnnxModel, folder: &Path, pictures: &[(String, Picture)]) -> Vec<ExtractedLayer> {
    let mut open = model.open(folder).unwrap();
    let wanted: Vec<ToExtract<'_>> = pictures
        .iter()
        .map(|(path, picture)| ToExtract {
            set: "flowers",
            place: 0,
            of: pictures.len(),
            path,
            content: ToExtractContent::Pixels(RgbPixels {
                width: picture.width(),
                height: picture.height(),
                samples: picture.pixels(),
            }),
        })
        .collect();
    wanted
        .chunks(5)
        .flat_map(|batch| open.extract(batch).unwrap())
        .map(|mut layers| layers.remove(0))
        .collect()
}

#[test]
fn features_match_python() {
    let (Some(folder), Some(images)) = (models(), reference("images")) else { return };
    let pictures = flowers(&images);
    let kept = tempfile::tempdir().unwrap();
    let shape = format!("({}, {}, {}, 3)", pictures.len(), pictures[0].1.height(), pictures[0].1.width());
    let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    pictures.iter().for_each(|(_, picture)| bytes.extend(picture.pixels()));
    fs::write(kept.path().join("pixels.npy"), bytes).unwrap();
    for (preset, kind, output) in [
        (Some(OnnxPreset::MobileNetV2), "mobilenet-v2", "features"),
        (Some(OnnxPreset::MobileNetV2), "mobilenet-v2", "logits"),
        (Some(OnnxPreset::OpenNsfw), "open-nsfw", "outputs"),
        // What the network itself gives, before its preset takes objects from it.
        (None, "nudenet-320n", "output0"),
    ] {
        let as_nudenet = preset.is_none();
        let model = OnnxModel {
            preset,
            size: as_nudenet.then_some([320, 320]),
            fit: as_nudenet.then_some(InputFit::Pad),
            model: format!("{kind}.onnx"),
            outputs: vec![output.to_owned()],
            runtime: Some("libonnxruntime.so".to_owned()),
            ..OnnxModel::default()
        };
        let found = extracted(&model, &folder, &pictures);
        let of_python = folder.join(format!("{kind}.onnx"));
        let arguments = [kept.path().to_str().unwrap(), of_python.to_str().unwrap(), kind, output];
        python(&folder, PYTHON, &arguments);
        let found: Vec<f32> = found.into_iter().flat_map(|layer| layer.values).collect();
        let worst = worst_difference(&found, &singles(&kept.path().join("found.f32")));
        assert!(worst <= 2e-5, "{kind}, {output}: off by {worst:e}");
    }
}

/// A model that does not fit what is declared, and a program without the runtime, say what would be right.
#[test]
fn models_that_do_not_fit_are_refused() {
    let Some(folder) = models() else { return };
    let model = |model: &str| OnnxModel {
        preset: Some(OnnxPreset::MobileNetV2),
        model: model.to_owned(),
        runtime: Some("libonnxruntime.so".to_owned()),
        ..OnnxModel::default()
    };
    let fault = |model: &OnnxModel| model.open(&folder).err().unwrap().to_string();
    let wide = OnnxModel { size: Some([320, 320]), ..model("mobilenet-v2.onnx") };
    let message = fault(&wide);
    assert!(message.contains("`images` is any × 3 × 224 × 224"), "{message}");
    assert!(message.contains("declared are any × 3 × 320 × 320 or any × 320 × 320 × 3"), "{message}");
    let message = fault(&model("open-nsfw.onnx"));
    assert!(message.contains("it has no output `features`; its outputs are outputs"), "{message}");
    let message = fault(&model("none.onnx"));
    assert!(message.contains("none.onnx: "), "{message}");
    let message = fault(&model("mobilenet-v2.pth"));
    assert!(message.contains("the runtime does not accept the model"), "{message}");
}

/// The example of flowers: KID orders the generators as people do, shows the network in its name, and follows people where SSIM
/// does not.
#[cfg(feature = "metrics")]
#[test]
fn flowers_are_ordered_by_their_generators() {
    let (Some(models), Some(images)) = (models(), reference("images")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for set in ["real", "stylegan2", "lightweight_gan", "ddpm", "vae", "ppca"] {
        fs::create_dir_all(folder.join(set)).unwrap();
        for entry in fs::read_dir(images.join(set)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let number = name.strip_prefix(&format!("{set}_")).unwrap();
            fs::copy(entry.path(), folder.join(set).join(number)).unwrap();
        }
    }
    fs::create_dir(folder.join("models")).unwrap();
    fs::copy(models.join("mobilenet-v2.onnx"), folder.join("models/mobilenet-v2.onnx")).unwrap();
    let examples = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("examples/studies/flowers");
    for file in ["evaluation.yaml", "photographs.csv"] {
        fs::copy(examples.join(file), folder.join(file)).unwrap();
    }
    let arguments = ["metrics", "evaluation.yaml", "--json"];
    let missing =
        program::ends(folder, &[("ORT_DYLIB_PATH", "/nowhere/libonnxruntime.so")], &arguments, false);
    assert!(missing.contains("pip install onnxruntime") && missing.contains("ORT_DYLIB_PATH"), "{missing}");
    let library = models.join("libonnxruntime.so");
    let found = program::ends(folder, &[("ORT_DYLIB_PATH", library.to_str().unwrap())], &arguments, true);
    let found: Value = serde_json::from_str(&found).unwrap();
    let kid = &found[0];
    assert_eq!(kid["measure"]["label"], "KID (MobileNetV2)");
    let mut values: Vec<(f64, &str)> = kid["values"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["value"].as_f64().unwrap(), one["model"].as_str().unwrap()))
        .collect();
    values.sort_by(|one, other| one.0.total_cmp(&other.0));
    let order: Vec<&str> = values.iter().map(|(_, model)| *model).collect();
    assert_eq!(order, ["lightweight_gan", "ddpm", "stylegan2", "vae", "ppca"]);
    let pipeline = kid["pipeline"].to_string();
    for expected in ["SHA-256", "224 × 224", "bilinear", "onnx runtime", "hype-metrics"] {
        assert!(pipeline.to_lowercase().contains(&expected.to_lowercase()), "{expected}: {pipeline}");
    }
    // The library is not needed for what is known already, except to know that the model is the same.
    let variables = [("ORT_DYLIB_PATH", library.to_str().unwrap())];
    let again =
        program::ends(folder, &variables, &["metrics", "evaluation.yaml", "--json", "--threads", "1"], true);
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap(), found);
    // How long extraction takes is said once, when rows are computed.
    fs::remove_dir_all(folder.join("evaluation.metrics")).unwrap();
    let said = |text: &str| text.contains("MobileNetV2: 296 rows in ") && text.contains("ssim: 236 rows in ");
    let mut command = assert_cmd::Command::cargo_bin("hype").unwrap();
    command.current_dir(folder).envs(variables).args(["metrics", "evaluation.yaml"]);
    let output = command.output().unwrap();
    assert!(output.status.success() && said(&String::from_utf8_lossy(&output.stderr)), "{output:?}");
    let output = command.output().unwrap();
    assert!(output.status.success() && !said(&String::from_utf8_lossy(&output.stderr)), "{output:?}");
    // Killed ten times while it extracts, it ends with the same bytes. In `./test` metrics of pixels are.
    if is_proof() {
        let whole = files(&folder.join("evaluation.metrics"));
        fs::remove_dir_all(folder.join("evaluation.metrics")).unwrap();
        let kept = folder.join("evaluation.metrics");
        killed_ten_times(folder, &["metrics", "evaluation.yaml"], &variables, &kept);
        program::ends(folder, &variables, &["metrics", "evaluation.yaml"], true);
        assert!(files(&kept) == whole, "a killed extraction gives other bytes");
    }
    program::succeeds(folder, &["run", "evaluation.yaml", "--simulate", "--progress", "none"]);
    let scored = program::json(folder, &["score", "evaluation.yaml", "--json"]);
    let rho = |metric: &str| {
        let is_rho = |one: &&Value| {
            one["measure"] == "error"
                && one["with"] == metric
                && one["coefficient"] == "Spearman's rho"
                && one["outputs"].is_null()
        };
        scored["correlations"].as_array().unwrap().iter().find(is_rho).unwrap()["value"].as_f64().unwrap()
    };
    assert_eq!(rho("kid"), -1.0);
    assert!(rho("ssim").abs() < 1.0);
    assert!(scored["notes"].to_string().contains("with fewer than about 10"), "{}", scored["notes"]);
    let report = program::succeeds(folder, &["report", "evaluation.yaml"]);
    let page = fs::read_to_string(folder.join(report.trim())).unwrap();
    for expected in
        ["KID (MobileNetV2)", "automated metrics", "SHA-256", "224 × 224", "delete-half jackknife"]
    {
        assert!(page.contains(expected), "{expected}");
    }
}
