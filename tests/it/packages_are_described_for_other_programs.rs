//! A package describes its tables as Frictionless Data does, and how it is cited, for other programs to read.

#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub, missing_docs, reason = "a test")]

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use hype::core::Digest;
use hype::core::yaml::Document;
use jsonschema::Validator;
use serde_json::Value;

use crate::program;

/// A published schema in `tests/published`.
fn published(schema: &str) -> Validator {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/published")).join(schema);
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn accepts(validator: &Validator, value: &Value) {
    let faults: Vec<String> =
        validator.iter_errors(value).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:#?}\n{value:#}");
}

/// Packages an example study with synthetic raters.
fn packaged(study: &str, folder: &Path) -> Value {
    let studies = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/studies"));
    let (kept, package) = (folder.join("kept"), folder.join("package"));
    let [kept, target] = [&kept, &package].map(|path| path.to_str().unwrap());
    let spec = format!("{study}.yaml");
    let run = ["run", &spec, "--simulate", "--study", kept, "--json", "--progress", "none"];
    program::succeeds(studies, &run);
    program::succeeds(studies, &["export", kept, "--package", target]);
    serde_json::from_slice(&fs::read(package.join("datapackage.json")).unwrap()).unwrap()
}

fn texts(of: &Value) -> Vec<&str> {
    of.as_array().map_or(&[][..], Vec::as_slice).iter().map(|text| text.as_str().unwrap()).collect()
}

/// A table as its schema describes it: the names of its columns, and its rows.
struct Table {
    names: Vec<String>,
    rows: Vec<csv::StringRecord>,
}

impl Table {
    /// Reads the table of a resource, and checks every cell against the type and the constraints of its column.
    fn read(resource: &Value, folder: &Path) -> Self {
        let path = resource["path"].as_str().unwrap();
        let mut table = csv::Reader::from_path(folder.join(path)).unwrap();
        let names: Vec<String> = table.headers().unwrap().iter().map(str::to_owned).collect();
        let schema = &resource["schema"];
        assert_eq!(schema["missingValues"], serde_json::json!([""]));
        let fields = schema["fields"].as_array().unwrap();
        let described: Vec<&str> = fields.iter().map(|field| field["name"].as_str().unwrap()).collect();
        assert_eq!(described, names, "{path}");
        let rows: Vec<_> = table.records().map(Result::unwrap).collect();
        for row in &rows {
            for (cell, field) in row.iter().zip(fields) {
                check(cell, field, path);
            }
        }
        Self { names, rows }
    }

    fn keys(&self, of: &Value) -> Vec<Vec<&str>> {
        let places: Vec<usize> = texts(of)
            .iter()
            .map(|name| self.names.iter().position(|column| column == name).expect("a column"))
            .collect();
        self.rows.iter().map(|row| places.iter().map(|&place| &row[place]).collect()).collect()
    }
}

fn check(cell: &str, field: &Value, path: &str) {
    let fault = || format!("{path}, {}: {cell:?}", field["name"]);
    let constraints = &field["constraints"];
    if cell.is_empty() {
        assert_ne!(constraints["required"], true, "{}", fault());
        return;
    }
    match field["type"].as_str().unwrap() {
        "string" => {}
        "integer" => assert!(cell.parse::<i64>().is_ok(), "{}", fault()),
        "number" => assert!(cell.parse::<f64>().is_ok_and(f64::is_finite), "{}", fault()),
        "boolean" => assert!(matches!(cell, "true" | "false"), "{}", fault()),
        other => panic!("{other} is not a type of these tables"),
    }
    if let Some(least) = constraints["minimum"].as_f64() {
        assert!(cell.parse::<f64>().unwrap() >= least, "{}", fault());
    }
    if field["name"] == "sha256" {
        assert_eq!(constraints["pattern"], "[0-9a-f]{64}");
        assert!(cell.len() == 64 && cell.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')));
    }
    let values = texts(&constraints["enum"]);
    assert!(values.is_empty() || values.contains(&cell), "{}", fault());
}

#[test]
fn data_packages_are_valid_and_true_of_their_files() {
    let [package, table] = ["data-package.json", "tabular-data-resource.json"].map(published);
    for (study, units) in [("contrast", ""), ("heim", ""), ("hype-time-quest-plus", "ms")] {
        let folder = tempfile::tempdir().unwrap();
        let described = packaged(study, folder.path());
        let folder = folder.path().join("package");
        accepts(&package, &described);
        let resources = described["resources"].as_array().unwrap();
        let mut named = BTreeSet::new();
        for resource in resources {
            let bytes = fs::read(folder.join(resource["path"].as_str().unwrap())).unwrap();
            assert_eq!(resource["hash"], format!("sha256:{}", Digest::of(&bytes)));
            assert_eq!(resource["bytes"], bytes.len());
            assert!(named.insert(resource["name"].as_str().unwrap()), "{resource}");
        }
        // Everything is described but what describes the package, what its publisher completes, and what hubs read.
        let own = [
            "README.md",
            "CITATION.cff",
            "datapackage.json",
            "croissant.json",
            "preferences.jsonl",
            "every-eval-ever",
            ".eval_results",
        ];
        let files =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let files: BTreeSet<String> = files.filter(|file| !own.contains(&&**file)).collect();
        let paths = resources.iter().map(|resource| resource["path"].as_str().unwrap().to_owned());
        assert_eq!(paths.collect::<BTreeSet<_>>(), files);
        let tables: Vec<(&Value, Table)> = resources
            .iter()
            .filter(|resource| resource["profile"] == "tabular-data-resource")
            .map(|resource| {
                accepts(&table, resource);
                (resource, Table::read(resource, &folder))
            })
            .collect();
        assert_eq!(tables.len(), 6);
        for (resource, table) in &tables {
            let schema = &resource["schema"];
            if schema.get("primaryKey").is_some() {
                let keys = table.keys(&schema["primaryKey"]);
                assert_eq!(keys.iter().collect::<HashSet<_>>().len(), keys.len(), "{}", resource["name"]);
            }
            for foreign in schema["foreignKeys"].as_array().into_iter().flatten() {
                let reference = &foreign["reference"];
                let (_, other) =
                    tables.iter().find(|(other, _)| other["name"] == reference["resource"]).unwrap();
                let there: HashSet<Vec<&str>> = other.keys(&reference["fields"]).into_iter().collect();
                assert!(table.keys(&foreign["fields"]).iter().all(|key| there.contains(key)), "{foreign}");
            }
        }
        let of = |name: &str| tables.iter().find(|(resource, _)| resource["name"] == name).unwrap().0;
        assert_eq!(texts(&of("sessions")["schema"]["primaryKey"]), ["rater"]);
        assert_eq!(texts(&of("trials")["schema"]["primaryKey"]), ["rater", "trial"]);
        assert_eq!(of("answers")["schema"]["foreignKeys"].as_array().unwrap().len(), 2);
        let fields = of("trials")["schema"]["fields"].as_array().unwrap();
        let exposure = fields.iter().find(|field| field["name"] == "exposure_ms").unwrap();
        assert!(units.is_empty() || exposure["unit"] == units, "{exposure}");
    }
}

#[test]
fn citation_files_are_valid_and_leave_the_authors_open() {
    let folder = tempfile::tempdir().unwrap();
    let described = packaged("contrast", folder.path());
    assert!(described["description"].as_str().unwrap().starts_with("The raters are synthetic."));
    let text = fs::read(folder.path().join("package/CITATION.cff")).unwrap();
    let citation: Value = Document::parse_bytes(&text).unwrap().root().read().unwrap();
    accepts(&published("citation-file-format.json"), &citation);
    assert_eq!(citation["type"], "dataset");
    assert_eq!(citation["title"], "contrast: ratings and protocol");
    assert!(citation["abstract"].as_str().unwrap().starts_with("Ratings by synthetic raters"));
    let authors = citation["authors"].as_array().unwrap();
    assert!(authors[0]["name"].as_str().unwrap().contains("before publication"), "{authors:?}");
    let protocol: Value =
        serde_json::from_slice(&fs::read(folder.path().join("package/protocol.json")).unwrap()).unwrap();
    let digest = format!("sha256:{}", protocol["study"]["study"].as_str().unwrap());
    assert_eq!(citation["identifiers"][0]["value"], digest);
}

#[test]
fn hubs_read_the_tables_the_results_and_the_pairs() {
    let Some(schema) = program::reference("hub/eval.schema.json") else { return };
    let schema: Value = serde_json::from_slice(&fs::read(schema).unwrap()).unwrap();
    let record = jsonschema::validator_for(&schema).unwrap();
    for (study, pairs) in [("contrast", true), ("heim", false)] {
        let folder = tempfile::tempdir().unwrap();
        packaged(study, folder.path());
        let folder = folder.path().join("package");
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let findings: Value = serde_json::from_str(&read("findings.json")).unwrap();
        let mut models = 0;
        for entry in fs::read_dir(folder.join("every-eval-ever")).unwrap() {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            let found: Value = serde_json::from_str(&text).unwrap();
            accepts(&record, &found);
            let score = &found["evaluation_results"][0]["score_details"];
            let estimates = findings["measures"][0]["estimates"].as_array().unwrap();
            let own = estimates.iter().find(|one| one["model"] == found["model_info"]["name"]).unwrap();
            assert_eq!(score["score"], own["value"]);
            assert_eq!(score["uncertainty"]["confidence_interval"]["lower"], own["interval"]["low"]);
            assert_eq!(score["details"]["raters"], own["raters"].to_string());
            models += 1;
        }
        assert!(models > 1);
        let described: Value = serde_json::from_str(&read("croissant.json")).unwrap();
        for file in described["distribution"].as_array().unwrap() {
            let bytes = fs::read(folder.join(file["contentUrl"].as_str().unwrap())).unwrap();
            assert_eq!(file["sha256"], Digest::of(&bytes).to_string());
        }
        let card = read("README.md");
        let head = card.strip_prefix("---\n").and_then(|card| card.split_once("\n---\n")).unwrap().0;
        let head = hype::core::yaml::to_json(Document::parse(head).unwrap().root());
        let configs = head["configs"].as_array().unwrap();
        for config in configs {
            assert!(folder.join(config["data_files"].as_str().unwrap()).is_file(), "{config}");
        }
        assert_eq!(configs.iter().filter(|config| config["default"] == true).count(), 1);
        assert_eq!(folder.join("preferences.jsonl").exists(), pairs, "{study}");
        if pairs {
            let first: Value =
                serde_json::from_str(read("preferences.jsonl").lines().next().unwrap()).unwrap();
            assert!(
                ["prompt", "chosen", "rejected"].iter().all(|column| first[column].is_string()),
                "{first}"
            );
        }
        for entry in fs::read_dir(folder.join(".eval_results")).unwrap() {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            let list = hype::core::yaml::to_json(Document::parse(&text).unwrap().root());
            let list = list.as_array().unwrap();
            assert!(
                list.iter().all(|one| one["value"].is_number() && one["dataset"]["id"].is_string()),
                "{text}"
            );
        }
    }
}

#[test]
fn clips_and_texts_are_released_only_by_a_licence() {
    for (task, kind, set) in [("video-acr", "clips", "smooth"), ("text-pair", "texts", "plain")] {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        program::succeeds(place, &["new", "study", "--task", task]);
        let spec = place.join("study/evaluation.yaml");
        let text = fs::read_to_string(&spec).unwrap();
        let start = text.lines().find(|line| line.trim_start().starts_with(&format!("{set}:"))).unwrap();
        let licensed = start.replacen("role: generated", "role: generated, licence: CC0-1.0", 1);
        fs::write(&spec, text.replace(start, &licensed).replace("127.0.0.1:7850", "127.0.0.1:0")).unwrap();
        program::succeeds(place, &["run", "study/evaluation.yaml", "--simulate", "3", "--progress", "none"]);
        program::succeeds(place, &["export", "study/evaluation.yaml", "--package", "out"]);
        let mut stimuli = csv::Reader::from_path(place.join("out/stimuli.csv")).unwrap();
        let mut released = 0;
        for row in stimuli.records() {
            let row = row.unwrap();
            let is_there = place.join("out").join(kind).join(&row[0]).is_file();
            assert_eq!(is_there, &row[1] == set, "{row:?}");
            released += usize::from(is_there);
        }
        assert!(released > 0 && !place.join("out/images").exists());
        let readme = fs::read_to_string(place.join("out/README.md")).unwrap();
        let of_kind = format!("{}{} of `{set}`: CC0-1.0.", kind[..1].to_uppercase(), &kind[1..]);
        assert!(readme.contains(&of_kind), "{readme}");
    }
}

#[test]
fn images_are_released_only_by_a_licence() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    program::succeeds(place, &["new", "study", "--images", "24", "--size", "16"]);
    let spec = place.join("study/evaluation.yaml");
    let text = fs::read_to_string(&spec).unwrap();
    let licensed = text.replacen("role: real", "role: real, licence: CC0-1.0", 1);
    let licensed = if licensed.contains("{ role: real, licence") {
        licensed
    } else {
        text.replacen("role: real\n", "role: real\n    licence: CC0-1.0\n", 1)
    };
    fs::write(&spec, licensed.replace("127.0.0.1:7850", "127.0.0.1:0")).unwrap();
    program::succeeds(place, &["run", "study/evaluation.yaml", "--simulate", "3", "--progress", "none"]);
    program::succeeds(place, &["export", "study/evaluation.yaml", "--package", "out"]);
    let mut stimuli = csv::Reader::from_path(place.join("out/stimuli.csv")).unwrap();
    let (mut with, mut without) = (0, 0);
    for row in stimuli.records() {
        let row = row.unwrap();
        let is_there = place.join("out/images").join(&row[0]).is_file();
        if &row[1] == "real" {
            with += usize::from(is_there);
        } else {
            without += usize::from(is_there);
        }
    }
    assert!(with > 0 && without == 0, "{with} and {without}");
    assert!(fs::read_to_string(place.join("out/README.md")).unwrap().contains("CC0-1.0"));
}

/// The command in a package's README gives the estimates of the study again, also where they are of raters and items.
#[test]
fn statistics_are_recomputed_by_the_command_in_the_readme() {
    let folder = tempfile::tempdir().unwrap();
    for study in ["heim", "likert"] {
        let folder = folder.path().join(study);
        fs::create_dir(&folder).unwrap();
        packaged(study, &folder);
        let package = folder.join("package");
        let readme = fs::read_to_string(package.join("README.md")).unwrap();
        let (_, command) = readme.split_once("```sh\nhype ").unwrap();
        let command = command.split_once("\n```").unwrap().0.replace("\\\n", " ");
        let words: Vec<&str> =
            command.split_whitespace().map(|word| word.trim_matches('\'')).chain(["--json"]).collect();
        let again = program::json(&package, &words);
        let findings: Value =
            serde_json::from_slice(&fs::read(package.join("findings.json")).unwrap()).unwrap();
        for wanted in findings["measures"].as_array().unwrap() {
            let name = &wanted["measure"]["name"];
            let is_it = |found: &&Value| found["measure"]["name"] == *name;
            let found = again["measures"].as_array().unwrap().iter().find(is_it).unwrap();
            assert_eq!(found["generalize_to"], wanted["generalize_to"], "{study}: {command}");
            let values = |of: &Value| -> Vec<f64> {
                of["estimates"].as_array().unwrap().iter().map(|one| one["value"].as_f64().unwrap()).collect()
            };
            for (wanted, found) in std::iter::zip(values(wanted), values(found)) {
                assert!((found - wanted).abs() <= 1e-9 * wanted.abs(), "{study}: {found} for {wanted}");
            }
        }
    }
}
