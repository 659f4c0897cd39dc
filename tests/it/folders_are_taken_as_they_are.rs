//! `hype new --from` finds models, items, roles and prompts in folders as people have them, and its spec is checked without a warning
//! and simulated.

#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{fails, json, succeeds};

/// The images of each set.
const IMAGES: usize = 36;

/// Where the images of a set are, by their number.
type Put = (&'static str, fn(usize) -> String);

/// A file and its content.
type FileOf = (&'static str, fn() -> String);

struct Layout {
    name: &'static str,
    sets: &'static [Put],
    /// Further files, with their content.
    files: &'static [FileOf],
    task: &'static str,
    models: &'static [&'static str],
    /// The number of items that raters judge; 0 where they are not counted.
    items: u64,
    /// Texts in the spec, or in the output.
    says: &'static [&'static str],
}

/// A table with a row for each of so many images.
fn rows(header: &str, count: usize, row: impl Fn(usize) -> String) -> String {
    let rows: Vec<String> = (1..=count).map(row).collect();
    format!("{header}\n{}\n", rows.join("\n"))
}

const LAYOUTS: [Layout; 38] = [
    Layout {
        name: "models",
        sets: &[("good", |n| format!("sdxl/{n:04}.png")), ("weak", |n| format!("vq/{n:04}.png"))],
        files: &[],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &["items: { match: name }", "models: sdxl, vq; 36 items", "as each model has an output"],
    },
    Layout {
        name: "models and reals",
        sets: &[
            ("good", |n| format!("sdxl/{n:04}.png")),
            ("weak", |n| format!("vq/{n:04}.png")),
            ("real", |n| format!("Real Photos/{n:04}.png")),
        ],
        files: &[],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &["\"Real Photos\": { role: real,", "real images: Real Photos"],
    },
    Layout {
        name: "one model and reals",
        sets: &[("good", |n| format!("gan/{n}.png")), ("real", |n| format!("photos/p{n}.png"))],
        files: &[],
        task: "hype_infinity",
        models: &["gan"],
        items: 0,
        says: &["as there are real images"],
    },
    Layout {
        name: "classes",
        sets: &[
            ("good", |n| format!("SDXL/{}/{:03}.png", if n % 2 == 0 { "cats" } else { "dogs" }, n / 2)),
            ("weak", |n| format!("DALL-E 3/{}/{:03}.png", if n % 2 == 0 { "cats" } else { "dogs" }, n / 2)),
        ],
        files: &[],
        task: "contrast",
        models: &["DALL-E 3", "SDXL"],
        items: 36,
        says: &["images: \"SDXL/*/*.png\"", "facets: { class: { of: items } }", "match: pattern"],
    },
    Layout {
        name: "outputs within",
        sets: &[
            ("good", |n| format!("outputs/sdxl/{n:04}.png")),
            ("weak", |n| format!("outputs/vq/{n:04}.png")),
        ],
        files: &[],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &["\"outputs/sdxl/*.png\""],
    },
    Layout {
        name: "deep",
        sets: &[
            ("good", |n| format!("benchmark/sdxl/run-1/images/{n:04}.png")),
            ("weak", |n| format!("benchmark/vq/run-1/images/{n:04}.png")),
        ],
        files: &[],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &["\"benchmark/sdxl/**/*.png\"", "match: pattern"],
    },
    Layout {
        name: "flat",
        sets: &[("good", |n| format!("modelA_{n:04}.png")), ("weak", |n| format!("modelB_{n:04}.png"))],
        files: &[],
        task: "contrast",
        models: &["modelA", "modelB"],
        items: 36,
        says: &["\"modelA_*.png\""],
    },
    Layout {
        name: "flat after",
        sets: &[("good", |n| format!("{n:04}-sdxl.png")), ("weak", |n| format!("{n:04}-vq.png"))],
        files: &[],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &["\"*-sdxl.png\""],
    },
    Layout {
        name: "comfy",
        sets: &[("good", |n| format!("ComfyUI_{n:05}_.png"))],
        files: &[],
        task: "rating",
        models: &["comfy"],
        items: 36,
        says: &["as there is one model"],
    },
    Layout {
        name: "prompts",
        sets: &[("good", |n| format!("{n:04}/modelA.png")), ("weak", |n| format!("{n:04}/modelB.png"))],
        files: &[],
        task: "contrast",
        models: &["modelA", "modelB"],
        items: 36,
        says: &["\"*/modelA.png\""],
    },
    Layout {
        name: "prompts with folders",
        sets: &[("good", |n| format!("{n:04}/sdxl/0.png")), ("weak", |n| format!("{n:04}/vq/0.png"))],
        files: &[],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &["\"*/sdxl/*.png\""],
    },
    Layout {
        name: "missing",
        sets: &[
            ("good", |n| format!("sdxl/{n:04}.png")),
            ("weak", |n| if n == 3 || n == 7 { String::new() } else { format!("vq/{n:04}.png") }),
        ],
        files: &[],
        task: "rating",
        models: &["sdxl", "vq"],
        items: 36,
        says: &["missing: vq has no 0003, 0007", "as outputs are missing"],
    },
    Layout {
        name: "missing with prompts",
        sets: &[
            ("good", |n| format!("sdxl/{n:04}.png")),
            ("weak", |n| if n == 3 { String::new() } else { format!("vq/{n:04}.png") }),
        ],
        files: &[("p.csv", || rows("item,prompt", 36, |n| format!("{n:04},a cat {n}")))],
        task: "rating",
        models: &["sdxl", "vq"],
        items: 36,
        says: &["missing: vq has no 0003", "How well does the image fit the prompt?", "prompts: p.csv"],
    },
    Layout {
        name: "prompt table",
        sets: &[("good", |n| format!("sdxl/{n:03}.png")), ("weak", |n| format!("vq/{n:03}.png"))],
        files: &[("my prompts.csv", || {
            rows("id,prompt,Category", 36, |n| format!("{n:03},\"a cat, {n}\",Animals"))
        })],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &[
            "items: { table: \"my prompts.csv\" }",
            "Which image fits the prompt better?",
            "`id` is read as `item`; not read: Category",
        ],
    },
    Layout {
        name: "metadata",
        sets: &[("good", |n| format!("out/sdxl/{n:03}.png")), ("weak", |n| format!("out/vq/{n:03}.png"))],
        files: &[("metadata.jsonl", || {
            (1..=36)
                .map(|n| format!("{{\"index\": \"{n:03}\", \"text\": \"cat {n}\", \"seed\": 7}}\n"))
                .collect()
        })],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &["items: { table: metadata.jsonl", "`text` is read as `prompt`"],
    },
    Layout {
        name: "longer table",
        sets: &[("good", |n| format!("sdxl/{n:03}.png")), ("weak", |n| format!("vq/{n:03}.png"))],
        files: &[("all.tsv", || rows("item\tprompt", 90, |n| format!("{n:03}\ta \"cat\", {n}")))],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &["items: { table: evaluation_items.csv }", "and evaluation_items.csv for 72 images"],
    },
    Layout {
        name: "seeds",
        sets: &[
            ("good", |n| format!("sdxl/p{}_{}.png", n.div_ceil(3), n % 3)),
            ("weak", |n| format!("vq/p{}_{}.png", n.div_ceil(3), n % 3)),
        ],
        files: &[("prompts.csv", || rows("prompt_id,prompt", 12, |n| format!("p{n},cat {n}")))],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &["items: { table: prompts.csv, match: seed }"],
    },
    Layout {
        name: "reals of another size",
        sets: &[
            ("good", |n| format!("sdxl/{n:04}.png")),
            ("weak", |n| format!("vq/{n:04}.png")),
            ("large", |n| format!("real/{n:04}.png")),
        ],
        files: &[],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &["# \"real\": { role: real", "size or format alone"],
    },
    Layout {
        name: "edits",
        sets: &[
            ("good", |n| format!("ip2p/{n:04}.png")),
            ("weak", |n| format!("sde/{n:04}.png")),
            ("real", |n| format!("source/{n:04}.png")),
        ],
        files: &[("items.csv", || {
            rows("item,instruction,source", 36, |n| format!("{n:04},brighter,source/{n:04}.png"))
        })],
        task: "contrast",
        models: &["ip2p", "sde"],
        items: 36,
        says: &["items: { table: items.csv }", "conditions, which are not judged: source"],
    },
    Layout {
        name: "wrapped",
        sets: &[
            ("good", |n| format!("images/gan/{n:04}.png")),
            ("real", |n| format!("images/ground_truth/{n:04}.png")),
        ],
        files: &[],
        task: "hype_infinity",
        models: &["gan"],
        items: 0,
        says: &["\"ground_truth\": { role: real, images: \"images/ground_truth/*.png\" }"],
    },
    Layout {
        name: "results compared with reals",
        sets: &[
            ("good", |n| format!("results/sdxl/{n:04}.png")),
            ("weak", |n| format!("results/vq/{n:04}.png")),
            ("real", |n| format!("real/{n:04}.png")),
        ],
        files: &[],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &["\"results/vq/*.png\"", "\"real\": { role: real"],
    },
    Layout {
        name: "one name begins as another",
        sets: &[
            ("good", |n| format!("sdxl_{n:04}.png")),
            ("middling", |n| format!("sdxl_turbo_{n:04}.png")),
            ("weak", |n| format!("vq_{n:04}.png")),
        ],
        files: &[],
        task: "contrast",
        models: &["sdxl", "sdxl_turbo", "vq"],
        items: 36,
        says: &["\"sdxl_[0-9]*.png\""],
    },
    Layout {
        name: "blanks and capitals",
        sets: &[
            ("good", |n| format!("DALL-E 3/Image {n}.png")),
            ("weak", |n| format!("Stable Diffusion XL/Image {n}.png")),
        ],
        files: &[("notes.txt", || "a cat\na dog\n".to_owned())],
        task: "contrast",
        models: &["DALL-E 3", "Stable Diffusion XL"],
        items: 36,
        says: &["# Which line of notes.txt belongs to which output is not known"],
    },
    Layout {
        name: "endings",
        sets: &[
            ("good", |n| format!("sdxl/{n:04}.{}", if n % 2 == 0 { "png" } else { "PNG" })),
            ("weak", |n| format!("vq/{n:04}.png")),
        ],
        files: &[("sdxl/settings.yaml", || "steps: 30\n".to_owned()), ("sdxl/0001.avif", || "x".to_owned())],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &["[\"sdxl/*.PNG\",\"sdxl/*.png\"]", "not read: 1 image of another format"],
    },
    Layout {
        name: "truth and masks",
        sets: &[
            ("good", |n| format!("inpainting/{n:04}.png")),
            ("real", |n| format!("Ground Truth/{n:04}.png")),
            ("weak", |n| format!("masks/{n:04}.png")),
        ],
        files: &[],
        task: "hype_infinity",
        models: &["inpainting"],
        items: 0,
        says: &["conditions, which are not judged: masks"],
    },
    Layout {
        name: "unrelated",
        sets: &[("good", |n| format!("sdxl/{}.png", n * 7919)), ("weak", |n| format!("vq/seed{n}.png"))],
        files: &[],
        task: "rating",
        models: &["sdxl", "vq"],
        items: 0,
        says: &["as names do not say which outputs belong together", "models: sdxl, vq; 72 names of outputs"],
    },
    Layout {
        name: "names of models in names of files",
        sets: &[
            ("good", |n| format!("SDXL/sdxl_{n:04}.png")),
            ("weak", |n| format!("vq/vq_{n:04}.png")),
            ("real", |n| format!("real/{n:04}.png")),
        ],
        files: &[],
        task: "contrast",
        models: &["SDXL", "vq"],
        items: 36,
        says: &["\"SDXL/sdxl_*.png\"", "match: pattern", "names begin with their model, as SDXL/sdxl_0001"],
    },
    Layout {
        name: "lost zeros",
        sets: &[("good", |n| format!("sdxl/{n}.png")), ("weak", |n| format!("vq/{n:04}.png"))],
        files: &[],
        task: "rating",
        models: &["sdxl", "vq"],
        items: 0,
        says: &["as names differ by zeros, such as 0001 and 1: rename those of one model"],
    },
    Layout {
        name: "seeds without a table",
        sets: &[
            ("good", |n| format!("sdxl/{:04}_seed{}.png", n.div_ceil(3), n % 3)),
            ("weak", |n| format!("vq/{:04}_seed{}.png", n.div_ceil(3), n % 3)),
        ],
        files: &[],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &[
            "items: { match: seed }",
            "names such as 0001_seed0 are taken for 12 prompts with 3 seeds each",
        ],
    },
    Layout {
        name: "prompts with seeds within",
        sets: &[
            ("good", |n| format!("sdxl/samples/a red apple {}_{:06}.png", n % 18, n / 18 % 2)),
            ("weak", |n| format!("vq/samples/a red apple {}_{:06}.png", n % 18, n / 18 % 2)),
        ],
        files: &[],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &["items: { match: seed }", "18 prompts with 2 seeds each"],
    },
    Layout {
        name: "prompts with seeds of one model",
        sets: &[("good", |n| format!("{} red apples_{:06}.png", n % 9, n / 9 % 4))],
        files: &[],
        task: "rating",
        models: &["prompts with seeds of one model"],
        items: 36,
        says: &["items: { match: seed }", "9 prompts with 4 seeds each"],
    },
    Layout {
        name: "texts as folders",
        sets: &[
            ("good", |n| if n > 4 { String::new() } else { format!("{n} cups, on a table/sdxl.png") }),
            ("weak", |n| if n > 4 { String::new() } else { format!("{n} cups, on a table/flux.png") }),
        ],
        files: &[],
        task: "contrast",
        models: &["flux", "sdxl"],
        items: 4,
        says: &["\"*/sdxl.png\"", "folders such as 1 cups, on a table are taken for items"],
    },
    Layout {
        name: "few of one model",
        sets: &[("good", |n| if n > 7 { String::new() } else { format!("image_{n}.png") })],
        files: &[],
        task: "rating",
        models: &["few of one model"],
        items: 7,
        says: &["  per_session: 7\n  repeats: { per_session: 2, apart: 5 }"],
    },
    Layout {
        name: "only one",
        sets: &[("good", |n| if n > 1 { String::new() } else { "image.png".to_owned() })],
        files: &[],
        task: "rating",
        models: &["only one"],
        items: 1,
        says: &["  per_session: 1\n  # repeats: images shown again need at least 6 images\nrubric:"],
    },
    Layout {
        name: "sources of prompts",
        sets: &[("good", |n| format!("sdxl/{n:03}.png")), ("weak", |n| format!("vq/{n:03}.png"))],
        files: &[("prompts.jsonl", || {
            let row =
                |n| format!("{{\"uid\": \"{n:03}\", \"text\": \"cat {n}\", \"source\": \"drawbench\"}}\n");
            (1..=36).map(row).collect()
        })],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &[
            "items: { table: prompts.jsonl }",
            "not read: source (its cells are not files of images or clips)",
        ],
    },
    Layout {
        name: "two tables",
        sets: &[("good", |n| format!("sdxl/{n:03}.png")), ("weak", |n| format!("vq/{n:03}.png"))],
        files: &[
            ("lookup.csv", || rows("uid", 36, |n| format!("{n:03}.jpg"))),
            ("lookup.json", || {
                let rows: Vec<String> =
                    (1..=36).map(|n| format!("\"{n:03}.jpg\": {{\"prompt\": \"a cat {n}\"}}")).collect();
                format!("{{{}}}", rows.join(", "))
            }),
        ],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &["items: { table: lookup.json }", "not used: lookup.csv: lookup.json is used"],
    },
    Layout {
        name: "tables that do not fit",
        sets: &[("good", |n| format!("sdxl/{n:03}.png")), ("weak", |n| format!("vq/{n:03}.png"))],
        files: &[
            ("lost.csv", || rows("item,prompt", 36, |n| format!("{n},a cat {n}"))),
            ("parti.tsv", || rows("Prompt\tCategory", 36, |n| format!("a cat {n}\tAnimals"))),
            ("vq/0.jsonl", || "{\"tag\": \"one\", \"prompt\": \"a cat\"}\n".to_owned()),
            ("sdxl/0.jsonl", || "{\"tag\": \"one\", \"prompt\": \"a cat\"}\n".to_owned()),
            ("list.json", || "[\"a cat\", \"a dog\"]".to_owned()),
            ("prompts.txt", || "a cat\na dog\n".to_owned()),
        ],
        task: "contrast",
        models: &["sdxl", "vq"],
        items: 36,
        says: &[
            "not used: lost.csv: its 36 ids, such as 1, are names of 0 of 36 items, such as 001",
            "not used: parti.tsv: line 1: there is no column `item`",
            "not used: sdxl/0.jsonl and 1 other: there is no column of ids",
            "not used: list.json: it is JSON that is not a list of objects",
            "not used: prompts.txt: prompts are read from tables",
        ],
    },
    Layout {
        name: "photographs of a known set",
        sets: &[("good", |n| format!("sdxl/{n:04}.png")), ("real", |n| format!("coco_val2017/{n:04}.png"))],
        files: &[],
        task: "hype_infinity",
        models: &["sdxl"],
        items: 0,
        says: &["real images: coco_val2017"],
    },
];

/// Draws the images of all sets.
fn draw(folder: &Path) {
    let images = IMAGES.to_string();
    let of = |name: &str, size: &str| {
        succeeds(folder, &["new", name, "--task", "rating", "--images", &images, "--size", size]);
    };
    of("drawn", "16");
    of("larger", "24");
    fs::rename(folder.join("larger/images/real"), folder.join("drawn/images/large")).unwrap();
}

#[test]
fn folders_become_specs_that_are_checked_without_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    draw(folder);
    let mut wrong = Vec::new();
    for layout in &LAYOUTS {
        let own = folder.join(layout.name);
        for (set, place) in layout.sets {
            for number in 1..=IMAGES {
                let place = place(number);
                if place.is_empty() {
                    continue;
                }
                let to = own.join(place);
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::copy(folder.join(format!("drawn/images/{set}/{number:04}.png")), to).unwrap();
            }
        }
        for (name, content) in layout.files {
            fs::write(own.join(name), content()).unwrap();
        }
        let shown = succeeds(folder, &["new", "--from", layout.name, "--dry-run"]);
        assert!(shown.contains("nothing was written") && !own.join("evaluation.yaml").exists(), "{shown}");
        let said = succeeds(folder, &["new", "--from", layout.name]);
        let spec = format!("{}/evaluation.yaml", layout.name);
        let text = fs::read_to_string(folder.join(&spec)).unwrap();
        for says in layout.says.iter().filter(|says| !text.contains(*says) && !said.contains(*says)) {
            wrong.push(format!("{}: {says} is not in\n{said}\n{text}", layout.name));
        }
        // The sources of edits are conditions; all other photographs are real images, in one set.
        let is_real = |line: &&str| line.contains("role: real") && !line.trim_start().starts_with('#');
        let reals = text.lines().filter(is_real).count();
        let photographs = layout.sets.iter().any(|(set, _)| *set == "real") && layout.name != "edits";
        if reals != usize::from(photographs) {
            wrong.push(format!("{}: {reals} sets of real images\n{text}", layout.name));
        }
        let checked = crate::program::hype(folder, &["check", &spec, "--strict"]);
        if !checked.status.success() {
            wrong.push(format!("{}: {}\n{text}", layout.name, String::from_utf8_lossy(&checked.stderr)));
            continue;
        }
        let found: Value = json(folder, &["simulate", &spec, "--json"]);
        let measure = &found["measures"][0];
        let models: BTreeSet<&str> = measure["estimates"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["model"].as_str().unwrap())
            .collect();
        let wanted: BTreeSet<&str> = layout.models.iter().copied().collect();
        let items = if layout.items == 0 { 0 } else { measure["items"].as_u64().unwrap() };
        let task = found["study"]["task"].as_str().unwrap();
        if models != wanted || items != layout.items || task != layout.task {
            wrong.push(format!("{}: {models:?}, {items} items, {task}\n{text}", layout.name));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), LAYOUTS.len(), wrong.join("\n\n"));
}

#[test]
fn large_images_are_resized_to_the_screen() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &["new", "drawn", "--task", "rating", "--images", "12", "--size", "512"]);
    for (from, to) in [("good", "a"), ("weak", "b"), ("middling", "c")] {
        fs::create_dir_all(folder.join("x")).unwrap();
        fs::rename(folder.join("drawn/images").join(from), folder.join("x").join(to)).unwrap();
    }
    succeeds(folder, &["new", "--from", "x", "--task", "ranking"]);
    let text = fs::read_to_string(folder.join("x/evaluation.yaml")).unwrap();
    assert!(text.contains("resize: { fit: within, width: "), "{text}");
    succeeds(folder, &["check", "x/evaluation.yaml", "--strict"]);
}

#[test]
fn unusable_images_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir_all(folder.join("x/phone")).unwrap();
    fs::write(folder.join("x/phone/1.heic"), "x").unwrap();
    let said = fails(folder, &["new", "--from", "x"]);
    assert!(
        said.contains("no folder of generated images") && said.contains("1 image of another format, such as"),
        "{said}"
    );
    succeeds(folder, &["new", "drawn", "--task", "rating", "--images", "12", "--size", "16"]);
    let whole = fs::read(folder.join("drawn/images/good/0001.png")).unwrap();
    fs::write(folder.join("drawn/images/good/0001.png"), &whole[..whole.len() / 2]).unwrap();
    let said = succeeds(folder, &["new", "--from", "drawn/images"]);
    assert!(said.contains("to mend: ") && said.contains("good/0001.png is a png cut short"), "{said}");
}
