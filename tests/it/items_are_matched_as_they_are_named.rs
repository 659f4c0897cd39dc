//! Tables of prompts and names of files as people bring them: other columns, accents, zeros, seeds, and outputs that cannot be used.

#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{hype, json, succeeds};

/// Draws twelve images for each of two models, named by keys.
fn outputs(folder: &Path, name: impl Fn(usize) -> String) {
    succeeds(folder, &["new", "drawn", "--task", "rating", "--images", "12", "--size", "16"]);
    for (from, to) in [("good", "a"), ("weak", "b")] {
        fs::create_dir_all(folder.join(to)).unwrap();
        for number in 1..=12 {
            let image = folder.join(format!("drawn/images/{from}/{number:04}.png"));
            fs::copy(image, folder.join(to).join(name(number))).unwrap();
        }
    }
    fs::remove_dir_all(folder.join("drawn")).unwrap();
}

fn spec(folder: &Path, items: &str) {
    fs::write(
        folder.join("study.yaml"),
        format!(
            "stimuli:\n  a: {{ role: generated, images: \"a/*\" }}\n  b: {{ role: generated, images: \"b/*\" }}\n\
             items: {items}\ntask: {{ kind: contrast, per_session: 6 }}\nraters: {{ per_item: 3 }}\n"
        ),
    )
    .unwrap();
}

/// Returns the findings of `check`: the severity, code and message of each diagnostic.
fn found(folder: &Path) -> Vec<String> {
    let output = hype(folder, &["check", "study.yaml", "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let one = |one: &Value| {
        let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
        format!("{}[{}] {} | {}", text("severity"), text("code"), text("message"), text("help"))
    };
    found["diagnostics"].as_array().unwrap().iter().map(one).collect()
}

/// A table with a row for each image.
fn table(header: &str, row: impl Fn(usize) -> String) -> String {
    let rows: Vec<String> = (1..=12).map(row).collect();
    format!("{header}\n{}\n", rows.join("\n"))
}

#[test]
fn prompt_tables_may_have_other_columns_and_forms() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    outputs(folder, |number| format!("{number:03}.png"));
    let cases = [
        (
            "items.csv",
            table("item,prompt,Category,seed", |number| format!("{number:03},\"a cat, {number}\",Animals,7")),
            "not read: Category, seed",
        ),
        (
            "prompts.tsv",
            table("id\tPrompt\tCategory", |number| format!("{number:03}\tA cat \"{number}\"\tx")),
            "`id` is read as `item`; `Prompt` is read as `prompt`; not read: Category",
        ),
        (
            "semi.csv",
            table("item;caption", |number| format!("{number:03};a cat, {number}")),
            "`caption` is read",
        ),
        (
            "lines.jsonl",
            (1..=12)
                .map(|n| format!("{{\"id\": \"{n:03}\", \"prompt\": \"cat {n}\", \"note\": 3}}\n"))
                .collect(),
            "not read: note",
        ),
        ("typo.csv", table("item,promt", |number| format!("{number:03},cat")), "promt (or is it `prompt`?)"),
    ];
    for (name, text, says) in cases {
        fs::write(folder.join(name), text).unwrap();
        spec(folder, &format!("{{ table: {name} }}"));
        let found = found(folder);
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert!(found[0].starts_with("note[columns]") && found[0].contains(says), "{name}: {found:?}");
        succeeds(folder, &["check", "study.yaml", "--strict"]);
    }
    let findings = json(folder, &["simulate", "study.yaml", "--json"]);
    assert_eq!(findings["measures"][0]["items"], 12);
    fs::write(folder.join("no.csv"), "prompt,Category\na,b\n").unwrap();
    spec(folder, "{ table: no.csv }");
    let found = found(folder);
    assert!(found[0].contains("no column `item`") && found[0].contains("prompt, Category"), "{found:?}");
}

#[test]
fn accents_make_one_name_however_they_are_encoded() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    outputs(folder, |number| format!("cafe\u{301}{number}.png"));
    fs::write(
        folder.join("items.csv"),
        table("item,prompt", |number| format!("caf\u{e9}{number},p{number}")),
    )
    .unwrap();
    spec(folder, "{ table: items.csv }");
    assert_eq!(found(folder), [""; 0]);
    for number in 1..=6 {
        let [from, to] =
            ["cafe\u{301}", "caf\u{e9}"].map(|name| folder.join(format!("b/{name}{number}.png")));
        fs::rename(from, to).unwrap();
    }
    spec(folder, "{ match: name }");
    assert_eq!(found(folder), [""; 0]);
}

/// How outputs are named, and what is said of it.
type Case = (fn(usize) -> String, &'static str);

#[test]
fn a_lost_zero_or_another_ending_is_one_message() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    outputs(folder, |number| format!("{number:04}.png"));
    spec(folder, "{ table: items.csv }");
    let cases: [Case; 2] = [
        (|number| number.to_string(), "differ only by zeros at their beginning: `0001` and `1`"),
        (|number| format!("{number:04}.png"), "differ only by an ending such as .png: `0001` and `0001.png`"),
    ];
    for (key, says) in cases {
        fs::write(
            folder.join("items.csv"),
            table("item,prompt", |number| format!("{},p{number}", key(number))),
        )
        .unwrap();
        let found = found(folder);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("error[names-differ]") && found[0].contains(says), "{found:?}");
        assert!(found[0].contains("24 files"), "{found:?}");
    }
}

#[test]
fn seeds_are_items_of_one_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    outputs(folder, |number| format!("p{}_{}.png", number.div_ceil(3), number % 3));
    fs::write(folder.join("items.csv"), "item,prompt\np1,a cat\np2,a dog\np3,an owl\np4,a fox\n").unwrap();
    for items in ["{ table: items.csv, match: seed }", "{ match: seed }"] {
        spec(folder, items);
        assert_eq!(found(folder), [""; 0], "{items}");
        let findings = json(folder, &["simulate", "study.yaml", "--json"]);
        assert_eq!(findings["measures"][0]["items"], 12);
        // The prompts are a sample, whether or not their texts are known.
        let has_clusters = findings["notes"].to_string().contains("those of 4 clusters");
        assert!(has_clusters, "{items}: {}", findings["notes"]);
    }
    fs::rename(folder.join("a/p1_1.png"), folder.join("a/q1_1.png")).unwrap();
    spec(folder, "{ table: items.csv, match: seed }");
    let found = found(folder);
    assert!(found.iter().any(|one| one.contains("a/q1_1.png")), "{found:?}");
}

#[test]
fn the_lookups_of_imagenhub_are_tables_of_items() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    outputs(folder, |number| format!("sample_{number}_1.png"));
    let keys: Vec<String> = (1..=12).map(|number| format!("sample_{number}_1.jpg")).collect();
    fs::write(folder.join("dataset_lookup.csv"), format!("uid\n{}\n", keys.join("\n"))).unwrap();
    let objects =
        keys.iter().map(|key| format!("\"{key}\": {{\"instruction\": \"add a hat\", \"turn\": 1}}"));
    let objects = objects.collect::<Vec<_>>();
    fs::write(folder.join("dataset_lookup.json"), format!("{{{}}}", objects.join(","))).unwrap();
    fs::write(folder.join("pretty.json"), format!("{{\n  {}\n}}\n", objects.join(",\n  "))).unwrap();
    for table in ["dataset_lookup.csv", "dataset_lookup.json", "pretty.json"] {
        spec(folder, &format!("{{ table: {table} }}"));
        let output = crate::program::hype(folder, &["check", "study.yaml"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{table}: {said}");
        assert!(said.contains("the endings of its files are left out"), "{said}");
        let findings = json(folder, &["simulate", "study.yaml", "--json"]);
        assert_eq!(findings["measures"][0]["items"], 12, "{table}");
    }
}

#[test]
fn one_picture_for_several_prompts_is_data() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    outputs(folder, |number| format!("p{number}.png"));
    for number in [2, 3, 7] {
        fs::copy(folder.join("a/p1.png"), folder.join(format!("a/p{number}.png"))).unwrap();
    }
    spec(folder, "{ match: name }");
    let warned = found(folder);
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(warned[0].starts_with("warning[repeated-output]") && warned[0].contains("3 pairs"), "{warned:?}");
    succeeds(folder, &["simulate", "study.yaml"]);
    // In a pool without items, one counts twice.
    let text = fs::read_to_string(folder.join("study.yaml")).unwrap();
    let pool = text
        .replace("items: { match: name }\n", "")
        .replace("kind: contrast, per_session: 6", "kind: rating, per_session: 6");
    fs::write(folder.join("study.yaml"), pool).unwrap();
    assert!(found(folder).iter().any(|one| one.starts_with("error[duplicate-image]")));
}

#[test]
fn one_broken_image_is_one_error() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    outputs(folder, |number| format!("p{number}.png"));
    fs::write(folder.join("items.csv"), table("item,prompt", |number| format!("p{number},x"))).unwrap();
    let whole = fs::read(folder.join("a/p1.png")).unwrap();
    fs::write(folder.join("a/p1.png"), &whole[..whole.len() / 2]).unwrap();
    spec(folder, "{ table: items.csv }");
    let found = found(folder);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("a/p1.png is a png cut short"), "{found:?}");
}

#[test]
fn other_formats_are_one_message_with_the_way_to_convert() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    outputs(folder, |number| format!("p{number}.png"));
    spec(folder, "{ match: name }");
    for (ending, bytes) in [
        ("avif", &b"\0\0\0\x1cftypavif"[..]),
        ("heic", b"\0\0\0\x1cftypheic"),
        ("gif", b"GIF89a"),
        ("tiff", b"II*\0"),
        ("bmp", b"BM"),
    ] {
        for number in 1..=12 {
            let _ = fs::remove_file(folder.join(format!("a/p{number}.png")));
            fs::write(folder.join(format!("a/p{number}.{ending}")), bytes).unwrap();
        }
        let named = found(folder);
        assert_eq!(named.len(), 1, "{named:?}");
        assert!(named[0].contains(ending) && named[0].contains("magick"), "{named:?}");
        for number in 1..=12 {
            let from = folder.join(format!("a/p{number}.{ending}"));
            fs::rename(from, folder.join(format!("a/p{number}.png"))).unwrap();
        }
        let misnamed = found(folder);
        assert_eq!(misnamed.len(), 1, "{misnamed:?}");
        assert!(misnamed[0].contains("it looks like a") && misnamed[0].contains("magick"), "{misnamed:?}");
    }
}
