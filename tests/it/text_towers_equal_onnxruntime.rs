//! Prompts are embedded as by Python's tokenizers and onnxruntime with the same files, and a study computes CLIPScore from its two
//! towers alone.

#![cfg(feature = "onnx")]
#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hype::core::plugin::extractor::{
    DynExtractor as _, ExtractorReads, OpenExtractor, RgbPixels, ToExtract, ToExtractContent,
};
use hype::pipeline::extractors::{OnnxTextModel, OnnxTextPreset};
use serde_json::Value;

use crate::features::{close, values};
use crate::folders::copy;
use crate::models::{models, python, singles, worst_difference};
use crate::program;

/// Tokens and embeddings of texts: `program FOLDER MODELS MODEL PADDING`. The texts are in `texts.json`.
const TEXTS: &str = r#"
import json, sys
import numpy as np, onnxruntime
from tokenizers import Tokenizer
folder, models, model, padding = sys.argv[1:]
texts = json.load(open(f"{folder}/texts.json"))
tokenizer = Tokenizer.from_file(f"{models}/clip-tokenizer.json")
tokenizer.enable_truncation(77)
tokenizer.enable_padding(length=77, pad_id=int(padding))
encoded = tokenizer.encode_batch(texts)
session = onnxruntime.InferenceSession(f"{models}/{model}")
inputs = {one.name: np.int32 if one.type == "tensor(int32)" else np.int64 for one in session.get_inputs()}
given = {"input_ids": [one.ids for one in encoded], "attention_mask": [one.attention_mask for one in encoded]}
found = session.run(["text_embeds"], {name: np.asarray(given[name], kind) for name, kind in inputs.items()})[0]
found.astype(np.float32).tofile(f"{folder}/texts.f32")
json.dump([one.ids for one in encoded], open(f"{folder}/ids.json", "w"))
"#;

/// CLIPScore and retrieval of the images of a study: `program FOLDER MODELS`. `study.json` has the prompt of each image of each
/// model.
const SCORES: &str = r#"
import json, sys
import numpy as np, onnxruntime
from PIL import Image
from tokenizers import Tokenizer
folder, models = sys.argv[1:]
tokenizer = Tokenizer.from_file(f"{models}/clip-tokenizer.json")
tokenizer.enable_truncation(77)
tokenizer.enable_padding(length=77, pad_id=0)
images = onnxruntime.InferenceSession(f"{models}/clip-image.onnx")
texts = onnxruntime.InferenceSession(f"{models}/clip-text.onnx")
f32 = np.float32
mean, sd = f32([0.48145466, 0.4578275, 0.40821073]), f32([0.26862954, 0.26130258, 0.27577711])
def of_image(path):
    image = Image.open(path).convert("RGB")
    width, height = image.size
    size = (224, 224 * height // width) if width <= height else (224 * width // height, 224)
    image = image.resize(size, Image.BICUBIC)
    left, top = (image.width - 224) // 2, (image.height - 224) // 2
    levels = np.asarray(image.crop((left, top, left + 224, top + 224)), f32) / f32(255)
    pixels = ((levels - mean) / sd).transpose(2, 0, 1)[None]
    return images.run(["image_embeds"], {"pixel_values": pixels})[0][0].astype(float)
def of_text(text):
    one = tokenizer.encode(text)
    ids, mask = np.asarray([one.ids], np.int64), np.asarray([one.attention_mask], np.int64)
    return texts.run(["text_embeds"], {"input_ids": ids, "attention_mask": mask})[0][0].astype(float)
unit = lambda rows: rows / np.linalg.norm(rows, axis=1, keepdims=True)
found = {}
for model, outputs in json.load(open(f"{folder}/study.json")).items():
    of_outputs = unit(np.array([of_image(f"{folder}/{path}") for path in outputs]))
    of_prompts = unit(np.array([of_text(prompt) for prompt in outputs.values()]))
    cosines = of_prompts @ of_outputs.T
    own = np.diag(cosines)
    before = (cosines >= own[:, None]).sum(axis=1) - 1
    found[model] = [float(np.maximum(100 * own, 0).mean()), float((before < 20).mean())]
json.dump(found, open(f"{folder}/found.json", "w"))
"#;

/// Texts with all that a tokenizer has to treat like Python's: cases, contractions, digits, signs, other scripts, letters in two
/// forms, spaces, nothing, and more tokens than the tower reads.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "a photo of a red apple",
        "A Photo  of\ta RED\n apple ",
        "the bowl isn't blue, it's green; they'll say we've mixed it up",
        "3 cats & 12 dogs (in 2024) — 50% off!!!",
        "naïve café, cafe\u{301}, ﬁne, Straße, ΣΑΣ, İstanbul",
        "紅いリンゴの写真 🍎👩‍🚀 кот и собака",
        "<|startoftext|> a <|endoftext|> b",
        "",
        " ",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push("an astronaut riding a horse on the moon, ".repeat(20));
    texts
}

fn text_model(model: &str) -> OnnxTextModel {
    OnnxTextModel {
        preset: Some(OnnxTextPreset::ClipVitB32),
        model: model.to_owned(),
        tokenizer: "clip-tokenizer.json".to_owned(),
        // That of CLIP lies beyond the vocabulary of this tower.
        padding: Some(0),
        runtime: Some("libonnxruntime.so".to_owned()),
        ..OnnxTextModel::default()
    }
}

fn wanted(text: &str) -> ToExtract<'_> {
    ToExtract { set: "", place: 0, of: 0, path: "prompt", content: ToExtractContent::Text(text) }
}

fn embeddings(open: &mut dyn OpenExtractor, texts: &[String]) -> Vec<f32> {
    let wanted: Vec<ToExtract<'_>> = texts.iter().map(|text| wanted(text)).collect();
    wanted
        .chunks(4)
        .flat_map(|batch| open.extract(batch).unwrap())
        .flat_map(|mut found| found.remove(0).values)
        .collect()
}

#[test]
fn embeddings_of_texts_match_python() {
    let Some(models) = models() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (path, of_models) = (folder.path().to_str().unwrap(), models.to_str().unwrap());
    let texts = texts();
    fs::write(folder.path().join("texts.json"), serde_json::to_string(&texts).unwrap()).unwrap();
    for (model, padding) in [
        ("clip-text.onnx", 0),
        ("clip-text.onnx", 5),
        ("clip-text-int32.onnx", 0),
        ("clip-text-wide.onnx", 0),
    ] {
        let mut open = OnnxTextModel { padding: Some(padding), ..text_model(model) }.open(&models).unwrap();
        assert_eq!(open.reads(), ExtractorReads::Text);
        assert_eq!(open.width(), Some(if model.contains("wide") { 24 } else { 16 }));
        let found = embeddings(&mut *open, &texts);
        python(&models, TEXTS, &[path, of_models, model, &padding.to_string()]);
        let worst = worst_difference(&found, &singles(&folder.path().join("texts.f32")));
        assert!(worst <= 2e-5, "{model}, {padding}: off by {worst:e}");
    }
    // One text of ten is cut, and its last token is the one that ends a text.
    let open = text_model("clip-text.onnx").open(&models).unwrap();
    let all: Vec<ToExtract<'_>> = texts.iter().map(|text| wanted(text)).collect();
    assert_eq!(
        open.cautions(&all),
        ["1 of 10 prompts have more than the 77 tokens that CLIP ViT-B/32 reads, and were cut"]
    );
    assert!(open.cautions(&all[..9]).is_empty());
    let ids: Vec<Vec<u32>> =
        serde_json::from_slice(&fs::read(folder.path().join("ids.json")).unwrap()).unwrap();
    assert!(ids.iter().all(|ids| ids.len() == 77) && ids[9][76] == ids[7][1], "{ids:?}");
}

/// A digest depends on files and settings that change numbers, and on nothing else.
#[test]
fn towers_are_identified_by_what_changes_their_embeddings() {
    let Some(models) = models() else { return };
    let folder = tempfile::tempdir().unwrap();
    for file in ["clip-text.onnx", "clip-tokenizer.json"] {
        fs::copy(models.join(file), folder.path().join(format!("renamed-{file}"))).unwrap();
    }
    let digest = |model: &OnnxTextModel, folder: &Path| {
        let runtime = Some(models.join("libonnxruntime.so").display().to_string());
        OnnxTextModel { runtime, ..model.clone() }.open(folder).unwrap().digest()
    };
    let model = text_model("clip-text.onnx");
    let first = digest(&model, &models);
    let mut renamed = OnnxTextModel {
        model: "renamed-clip-text.onnx".to_owned(),
        tokenizer: "renamed-clip-tokenizer.json".to_owned(),
        name: Some("another".into()),
        ..model.clone()
    };
    assert_eq!(digest(&renamed, folder.path()), first);
    assert_ne!(
        digest(&OnnxTextModel { length: Some(40.into()), ..text_model("clip-text.onnx") }, &models),
        first
    );
    assert_ne!(digest(&text_model("clip-text-int32.onnx"), &models), first);
    let text = fs::read_to_string(models.join("clip-tokenizer.json")).unwrap();
    fs::write(folder.path().join("renamed-clip-tokenizer.json"), text.replace("\"Lowercase\"", "\"NFC\""))
        .unwrap();
    renamed.name = None;
    assert_ne!(digest(&renamed, folder.path()), first);
}

/// The error for a tower that does not fit says what would be right.
#[test]
fn towers_that_do_not_fit_are_refused() {
    let Some(models) = models() else { return };
    let fault = |model: &OnnxTextModel| model.open(&models).err().unwrap().to_string();
    let model = text_model("clip-text.onnx");
    for (model, expected) in [
        (
            text_model("clip-text-float.onnx"),
            "its input `input_ids` takes f32, and tokens are int64 or int32",
        ),
        (text_model("clip-image.onnx"), "it has no output `text_embeds`; its outputs are image_embeds"),
        (
            OnnxTextModel { output: Some("image_embeds".to_owned()), ..text_model("clip-image.onnx") },
            "its input `pixel_values` takes f32, and tokens are int64 or int32",
        ),
        (
            OnnxTextModel { length: Some(64.into()), ..text_model("clip-text-int32.onnx") },
            "its input `input_ids` is any × 77, and `length` declares any × 64",
        ),
        (OnnxTextModel { tokenizer: "none.json".to_owned(), ..model.clone() }, "none.json: "),
        (
            OnnxTextModel { tokenizer: "clip-text.onnx".to_owned(), ..model.clone() },
            "clip-text.onnx: it is not a tokenizer: ",
        ),
        (
            OnnxTextModel { length: Some(2.into()), ..model.clone() },
            "it marks each text with 2 tokens, and `length` leaves room for 2 in all",
        ),
    ] {
        let message = fault(&model);
        assert!(message.contains(expected), "{expected}: {message}");
    }
    let mut open = model.open(&models).unwrap();
    let samples = [0; 3];
    let pixels = ToExtractContent::Pixels(RgbPixels { width: 1, height: 1, samples: &samples });
    let message = open.extract(&[ToExtract { content: pixels, ..wanted("") }]).unwrap_err().to_string();
    assert_eq!(message, "prompt: this model reads texts, not images");
}

const SETS: [&str; 3] = ["good", "middling", "weak"];

/// A study of images with prompts, some too long, and the prompt of each image by the path that the study has for it.
fn study(folder: &Path, models: &Path, metrics: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut table = String::from("item,prompt\n");
    let mut found: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for set in SETS {
        copy(&root.join("examples/quickstart/images").join(set), &folder.join("all").join(set));
        fs::create_dir_all(folder.join(set)).unwrap();
        for number in 1..=29 {
            let name = format!("{number:04}.png");
            fs::rename(folder.join("all").join(set).join(&name), folder.join(set).join(&name)).unwrap();
            // Items share prompts in threes, and two of the prompts are too long.
            let prompt = format!("Painted ball no. {} on a table, isn't it? ", number / 3);
            let prompt = if number < 6 { prompt.repeat(9) } else { prompt };
            found.entry(set.to_owned()).or_default().insert(format!("{set}/{name}"), prompt.clone());
            if set == "good" {
                table += &format!("{number:04},\"{prompt}\"\n");
            }
        }
    }
    for file in ["clip-image.onnx", "clip-text.onnx", "clip-text-wide.onnx", "clip-tokenizer.json"] {
        fs::copy(models.join(file), folder.join(file)).unwrap();
    }
    fs::write(folder.join("prompts.csv"), table).unwrap();
    let stimuli: String =
        SETS.map(|set| format!("  {set}: {{ role: generated, images: \"{set}/*.png\" }}\n")).concat();
    fs::write(
        folder.join("study.yaml"),
        format!(
            "name: towers\nseed: 2\nstimuli:\n{stimuli}items: {{ table: prompts.csv }}\n\
             task: {{ kind: rating, conditions: [prompt], per_session: 12 }}\n\
             rubric: {{ kind: heim.image, aspects: [alignment] }}\nraters: {{ per_item: 2 }}\n{metrics}"
        ),
    )
    .unwrap();
    found
}

const TOWERS: &str = "metrics: [clip_score, { kind: retrieval, k: 20 }]
extractor: { kind: onnx, preset: clip-vit-b-32, model: clip-image.onnx }
text_extractor:
  kind: onnx_text
  preset: clip-vit-b-32
  model: clip-text.onnx
  tokenizer: clip-tokenizer.json
  padding: 0
";

/// The complete rows and the results, with their content.
fn kept(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder.join("study.metrics")).unwrap();
    let file = |entry: fs::DirEntry| {
        (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap())
    };
    files.map(|entry| file(entry.unwrap())).collect()
}

#[test]
fn a_study_computes_clip_scores_from_two_towers() {
    let Some(models) = models() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let outputs = study(folder, &models, TOWERS);
    let library = models.join("libonnxruntime.so");
    let variables = [("ORT_DYLIB_PATH", library.to_str().unwrap())];
    let metrics = |arguments: &[&str], succeeds| {
        program::ends(folder, &variables, &[&["metrics"], arguments].concat(), succeeds)
    };
    let found: Value = serde_json::from_str(&metrics(&["study.yaml", "--json"], true)).unwrap();
    fs::write(folder.join("study.json"), serde_json::to_string(&outputs).unwrap()).unwrap();
    python(&models, SCORES, &[folder.to_str().unwrap(), models.to_str().unwrap()]);
    let wanted: BTreeMap<String, [f64; 2]> =
        serde_json::from_slice(&fs::read(folder.join("found.json")).unwrap()).unwrap();
    for set in SETS {
        let of_model = values(&found, set);
        let [score, share] = wanted[set];
        assert!(score > 0.5 && share > 0.1 && share < 1.0, "{set}: {score}, {share}");
        close(of_model["clip_score"], score, 2e-5);
        close(of_model["retrieval"], share, 1e-12);
    }
    assert_eq!(found[0]["measure"]["label"], "CLIPScore (100 cos) (CLIP ViT-B/32)");
    let caution = "2 of 10 prompts have more than the 77 tokens that CLIP ViT-B/32 reads, and were cut";
    for value in found[0]["values"].as_array().unwrap() {
        assert_eq!(value["cautions"], serde_json::json!([caution]), "{value}");
    }
    let pipeline = found[0]["pipeline"].to_string();
    for expected in [
        "77 tokens, filled up with 0",
        "clip-tokenizer.json, SHA-256 ",
        "clip-text.onnx, SHA-256 ",
        "224 × 224",
    ] {
        assert!(pipeline.contains(expected), "{expected}: {pipeline}");
    }
    assert_eq!(pipeline.matches("ONNX runtime, ").count(), 1, "{pipeline}");
    // Ten prompts of 29 items, embedded once for all models and both metrics; the caution is known again without them.
    let whole = kept(folder);
    assert_eq!(whole.len(), 3, "{:?}", whole.keys());
    let again: Value = serde_json::from_str(&metrics(&["study.yaml", "--json"], true)).unwrap();
    assert_eq!(again, found);
    let printed = program::succeeds(folder, &["run", "study.yaml", "--simulate", "--progress", "none"]);
    assert!(!printed.is_empty());
    let scored = program::json(folder, &["score", "study.yaml", "--json"]);
    assert!(scored["metrics"].to_string().contains(caution), "{}", scored["metrics"]);
    // Shards give the same bytes.
    fs::remove_dir_all(folder.join("study.metrics")).unwrap();
    for shard in (1..=16).rev() {
        metrics(&["study.yaml", "--shard", &format!("{shard}/16")], true);
    }
    metrics(&["merge", "study.yaml"], true);
    assert!(kept(folder) == whole, "shards give other bytes");
}

#[test]
fn towers_that_do_not_belong_together_are_refused() {
    let Some(models) = models() else { return };
    let library = models.join("libonnxruntime.so");
    let variables = [("ORT_DYLIB_PATH", library.to_str().unwrap())];
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "{ kind: onnx_text, preset: clip-vit-b-32, model: clip-text.onnx, tokenizer: clip-tokenizer.json, padding: 0 }";
    let image = "{ kind: onnx, preset: clip-vit-b-32, model: clip-image.onnx }";
    let wide = text.replace("clip-text.onnx", "clip-text-wide.onnx");
    let beyond = text.replace("padding: 0", "padding: 49407");
    for (metrics, command, expected) in [
        (
            format!("extractor: {image}\nmetrics: [{{ kind: clip_score, texts: {wide} }}]\n"),
            "metrics",
            "clip_score: embeddings of images have 16 features and those of prompts 24: name the two towers of one model",
        ),
        (
            format!("extractor: {image}\nmetrics: [clip_score]\n"),
            "metrics",
            "clip_score: CLIP ViT-B/32 reads images, and the embeddings of prompts are needed: name a text tower in the section \
             `text_extractor`",
        ),
        (
            format!("extractor: {text}\nmetrics: [retrieval]\n"),
            "metrics",
            "retrieval: CLIP ViT-B/32 reads texts, and the features of images are needed: name a model of images with \
             `extractor`",
        ),
        (
            format!("extractor: {image}\nmetrics: [{{ kind: clip_score, texts: {beyond} }}]\n"),
            "metrics",
            "49407",
        ),
        (
            format!(
                "extractor: {image}\nmetrics: [{{ kind: clip_score, texts: {{ kind: onnx_text, model: clip-text.onnx }} }}]\n"
            ),
            "check",
            "the file of the tokenizer is not named",
        ),
    ] {
        drop(fs::remove_dir_all(folder.join("all")));
        study(folder, &models, &metrics);
        let message = program::ends(folder, &variables, &[command, "study.yaml"], false);
        assert!(message.contains(expected), "{metrics}: {message}");
        let left = fs::read_dir(folder.join("study.metrics")).map_or(0, |files| {
            files
                .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|kind| kind == "rows"))
                .count()
        });
        assert_eq!(left, 0, "{metrics}");
    }
    // An item without a prompt.
    study(folder, &models, TOWERS);
    let table = fs::read_to_string(folder.join("prompts.csv")).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    let cut = [&lines[..29], &["0029,"]].concat().join("\n");
    fs::write(folder.join("prompts.csv"), cut + "\n").unwrap();
    let message = program::ends(folder, &variables, &["metrics", "study.yaml"], false);
    assert!(message.contains("good/0029.png has no prompt to be compared with"), "{message}");
}
