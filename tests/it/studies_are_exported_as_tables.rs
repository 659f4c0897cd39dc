//! A study's scores, trials, answers and earnings are exported as tables with reliable cells.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    unreachable_pub,
    missing_docs,
    reason = "a test"
)]

use crate::program;

use std::fs;
use std::path::Path;

use crate::program::succeeds;
use hype::core::model::trial::Timing;
use hype::core::{Answered, Item, ItemId, SessionRecord, Spec, Stimuli, StimulusId, Study};
use hype::exchange::export::{answer_rows, trial_row};
use hype::exchange::layout;
use hype::sim::fixtures;
use hype::tasks::HypeInfinity;
use serde_json::{Value, json};

fn run(folder: &Path) {
    succeeds(folder, &["new", "study", "--images", "14", "--size", "16", "--task", "hype-infinity"]);
    succeeds(folder, &["run", "study/evaluation.yaml", "--simulate", "3", "--progress", "none"]);
}

fn export(folder: &Path, more: &[&str]) -> String {
    succeeds(folder, &[&["export", "study/evaluation.yaml"], more].concat())
}

fn rows(text: &str) -> Vec<csv::StringRecord> {
    csv::Reader::from_reader(text.as_bytes()).records().map(Result::unwrap).collect()
}

#[test]
fn every_format_of_a_table_has_the_same_content() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run(folder);
    for (what, layout) in [
        ("scores", layout::SCORES),
        ("trials", layout::TRIALS),
        ("answers", layout::ANSWERS),
        ("raters", layout::RATERS),
        ("earnings", layout::EARNINGS),
        ("findings", layout::FINDINGS),
    ] {
        let table = export(folder, &["--what", what]);
        let header: Vec<&str> = table.lines().next().unwrap().split(',').collect();
        assert_eq!(header, layout.names().collect::<Vec<_>>());
        let rows = rows(&table);
        assert!(!rows.is_empty());
        let lines = export(folder, &["--what", what, "--format", "jsonl"]);
        let objects: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(objects.len(), rows.len());
        for (row, object) in rows.iter().zip(&objects) {
            for (name, cell) in header.iter().zip(row) {
                let message = match &object[name] {
                    Value::Null => String::new(),
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                assert_eq!(message, cell, "{what}, {name}");
            }
        }
        succeeds(folder, &["export", "study/evaluation.yaml", "--what", what, "-o", "table.csv"]);
        assert_eq!(fs::read_to_string(folder.join("table.csv")).unwrap(), table);
    }
    let trials = export(folder, &["--what", "trials"]);
    let answers = export(folder, &["--what", "answers"]);
    assert_eq!(trials.lines().count(), answers.lines().count(), "one question to each trial");
    let message = program::fails(folder, &["export", "study/evaluation.yaml", "--what", "events"]);
    assert!(message.contains("--format jsonl"), "{message}");
    let exported = export(folder, &["--what", "scores"]);
    fs::write(folder.join("scores.csv"), exported).unwrap();
    let found = program::json(folder, &["score", "study/evaluation.yaml", "--json"]);
    let again = program::json(folder, &["aggregate", "scores.csv", "--measure", "measure", "--json"]);
    assert_eq!(again["measures"][0]["estimates"][0]["value"], found["measures"][0]["estimates"][0]["value"]);
}

/// A trial with a gallery, a ranking and two other answers, as logged by tasks with several questions.
fn gallery() -> (Study, SessionRecord, Answered) {
    let task = HypeInfinity::default();
    let spec = Spec::new("gallery", 1, Box::new(task));
    let plain = fixtures::stimuli(400, &[("gan", 400), ("vae", 400)]);
    // The models' images are outputs for the same items; the real images have no items.
    let items: Vec<Item> =
        (0..400).map(|number| Item { id: format!("p{number}").into(), ..Item::default() }).collect();
    let mut all = plain.all().to_vec();
    for (place, stimulus) in all.iter_mut().enumerate().skip(400) {
        stimulus.item = Some(ItemId(place as u32 % 400));
    }
    let stimuli = Stimuli::with_items(plain.sets().to_vec(), all, items).unwrap();
    let study = Study::new(spec, stimuli).unwrap();
    let (_, events) = hype::core::Session::open(&study, "someone", 0, 0).unwrap();
    let record = SessionRecord::from_events(events).unwrap();
    let answered = Answered {
        trial: 3,
        shown: hype::core::model::record::Shown {
            phase: hype::core::Phase::Main,
            block: 1,
            stimuli: vec![StimulusId(801), StimulusId(400), StimulusId(2)],
            model: None,
            exposure_ms: None,
        },
        answer: json!({ "order": { "A": 2, "B": 1, "C": 2 }, "fun": "yes", "stars": 4.5 }).into(),
        correct: None,
        timing: Timing::default(),
    };
    (study, record, answered)
}

#[test]
fn galleries_and_rankings_keep_their_order() {
    let (study, record, answered) = gallery();
    let row = trial_row(&study, &record, &answered);
    let cell = |name: &str| {
        let place = layout::TRIALS.names().position(|column| column == name).unwrap();
        row[place].clone()
    };
    assert_eq!(cell("set"), json!(["vae", "gan", "real"]));
    assert_eq!(cell("stimulus"), json!(["vae/000001.png", "gan/000000.png", "real/000002.png"]));
    assert_eq!(cell("item"), json!(["p1", "p0", "real/000002.png"]));
    assert_eq!(cell("answer"), serde_json::to_value(&answered.answer).unwrap());
    assert_eq!((cell("model"), cell("exposure_ms"), cell("ending")), (Value::Null, Value::Null, Value::Null));
    let answers: Vec<[Value; 4]> = answer_rows(&study, &record, &answered)
        .into_iter()
        .map(|row| [row[8].clone(), row[9].clone(), row[10].clone(), row[11].clone()])
        .collect();
    let want = json!([
        ["fun", null, "yes", null],
        ["order", "A", "2", 2],
        ["order", "B", "1", 1],
        ["order", "C", "2", 2],
        ["stars", null, "4.5", 4.5],
    ]);
    assert_eq!(json!(answers), want);
}

#[test]
fn a_common_item_is_written_once() {
    let (study, record, mut answered) = gallery();
    answered.shown.stimuli = vec![StimulusId(801), StimulusId(401)];
    let row = trial_row(&study, &record, &answered);
    let place = layout::TRIALS.names().position(|column| column == "item").unwrap();
    assert_eq!(row[place], json!("p1"));
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_program_without_parquet_says_so() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path());
    let call = ["export", "study/evaluation.yaml", "--format", "parquet", "-o", "scores.parquet"];
    let message = program::fails(folder.path(), &call);
    assert!(message.contains("--features parquet"), "{message}");
    assert!(!folder.path().join("scores.parquet").exists());
}

#[cfg(feature = "parquet")]
mod parquet {
    use ::parquet::basic::Type as Physical;
    use ::parquet::file::reader::{FileReader as _, SerializedFileReader};
    use ::parquet::record::Field;
    use hype::exchange::{Format, RowWriter};

    use super::*;

    fn text(field: &Field) -> String {
        match field {
            Field::Null => String::new(),
            Field::Str(text) => text.clone(),
            Field::Long(number) => number.to_string(),
            Field::Double(number) => json!(number).to_string(),
            Field::Bool(truth) => truth.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn parquet_files_have_the_rows_of_the_tables_with_types() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        run(folder);
        for what in ["scores", "trials", "answers", "earnings", "findings"] {
            let table = rows(&export(folder, &["--what", what]));
            export(folder, &["--what", what, "--format", "parquet", "-o", "t.parquet"]);
            let reader =
                SerializedFileReader::new(fs::File::open(folder.join("t.parquet")).unwrap()).unwrap();
            let schema = reader.metadata().file_metadata().schema_descr_ptr();
            if what == "scores" {
                assert_eq!(schema.column(4).physical_type(), Physical::INT64);
                assert_eq!(schema.column(6).physical_type(), Physical::DOUBLE);
            }
            let read: Vec<Vec<String>> = reader
                .get_row_iter(None)
                .unwrap()
                .map(|row| row.unwrap().get_column_iter().map(|(_, field)| text(field)).collect())
                .collect();
            assert_eq!(read.len(), table.len());
            for (got, want) in read.iter().zip(&table) {
                assert_eq!(got, &want.iter().collect::<Vec<_>>(), "{what}");
            }
        }
    }

    #[test]
    fn chunks_become_row_groups() {
        let mut out = RowWriter::begin(Vec::new(), Format::Parquet, layout::SCORES.columns).unwrap();
        let count = 2 * 65_536 + 10;
        for row in 0..count {
            let cells = [
                json!("r"),
                json!("m"),
                json!(""),
                json!("i"),
                json!(row % 7),
                Value::Null,
                json!(row as f64 / 2.0),
            ];
            out.write(&cells).unwrap();
        }
        let bytes = out.finish().unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("t"), bytes).unwrap();
        let reader = SerializedFileReader::new(fs::File::open(folder.path().join("t")).unwrap()).unwrap();
        assert_eq!(reader.num_row_groups(), 3);
        assert_eq!(reader.metadata().file_metadata().num_rows(), i64::from(count));
        let last = reader.get_row_iter(None).unwrap().last().unwrap().unwrap();
        let fields: Vec<&Field> = last.get_column_iter().map(|(_, field)| field).collect();
        assert_eq!(*fields[5], Field::Null);
        assert_eq!(*fields[6], Field::Double(f64::from(count - 1) / 2.0));
    }
}
