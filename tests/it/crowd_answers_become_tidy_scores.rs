//! Batch files of Mechanical Turk and HEIM's released answers become tidy scores.

#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use crate::program;
use crate::tidy;

use std::fs;
use std::path::Path;

use crate::program::says;

/// A batch as requesters download it, with HEIM's columns.
const BATCH: &str = "\
\"HITId\",\"AssignmentId\",\"WorkerId\",\"AssignmentStatus\",\"Input.image\",\"Input.prompt\",\
\"Answer.image_text_alignment_human.0.on\",\"Answer.image_text_alignment_human.1.on\",\
\"Answer.image_text_alignment_human.2.on\",\"Answer.image_text_alignment_human.3.on\",\
\"Answer.image_text_alignment_human.4.on\",\"Answer.originality\",\"Answer.q.1\",\"Answer.q.2\",\"Answer.seconds\",\
\"Approve\",\"Reject\"
H1,A1,W1,Approved,https://host/heim/sd/1.png,\"a cat, sitting\",false,false,true,false,false,\
I\u{2019}ve seen something like this before to the point it\u{2019}s become  tiresome.,true,,12.5,,
H1,A2,W2,Submitted,https://host/heim/sd/1.png,\"a cat, sitting\",false,false,false,false,true,Neutral.,,true,9,,
H1,A3,W3,Rejected,https://host/heim/sd/1.png,\"a cat, sitting\",true,false,false,false,false,Neutral.,,true,1,,x
H2,A4,W1,Approved,https://host/heim/dalle/1.png,\"a cat, sitting\",false,false,false,false,false,5,,,8
";

fn imported(folder: &Path, arguments: &[&str]) -> (Vec<String>, String) {
    let message = says(folder, &[&["import"], arguments, &["-o", "scores.csv"]].concat());
    (tidy::lines(&folder.join("scores.csv")), message)
}

#[test]
fn batches_are_merged_and_rejected_assignments_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("Batch_1_batch_results.csv"), BATCH).unwrap();
    // The second batch repeats the first assignment and adds one, with other line endings.
    let mut second: String = BATCH.lines().take(2).map(|line| format!("{line}\r\n")).collect();
    second.push_str(
        "H3,A9,W9,Approved,https://host/heim/sd/2.png,a dog,true,false,false,false,false,Neutral.,,true,3,,\r\n",
    );
    fs::write(folder.join("Batch_2_batch_results.csv"), second).unwrap();
    let call = [
        "mturk-csv",
        "Batch_1_batch_results.csv",
        "Batch_2_batch_results.csv",
        "--model-folder",
        "image",
        "--item",
        "Input.prompt",
        "--heim",
        "alignment",
        "--heim",
        "originality=originality",
        "--answer",
        "q=choice",
        "--answer",
        "seconds",
    ];
    let (rows, message) = imported(folder, &call);
    let want = [
        "W1|sd||a cat, sitting|0|alignment|3",
        "W1|sd||a cat, sitting|0|originality|1",
        "W1|sd||a cat, sitting|0|choice|1",
        "W1|sd||a cat, sitting|0|seconds|12.5",
        "W2|sd||a cat, sitting|0|alignment|5",
        "W2|sd||a cat, sitting|0|originality|3",
        "W2|sd||a cat, sitting|0|choice|2",
        "W2|sd||a cat, sitting|0|seconds|9",
        "W1|dalle||a cat, sitting|0|originality|5",
        "W1|dalle||a cat, sitting|0|seconds|8",
        "W9|sd||a dog|0|alignment|1",
        "W9|sd||a dog|0|originality|3",
        "W9|sd||a dog|0|choice|2",
        "W9|sd||a dog|0|seconds|3",
    ];
    assert_eq!(rows, want);
    for expected in [
        "read 6 assignments in 2 files",
        "14 values of 3 raters, 2 models and 2 items",
        "left out: rejected assignments: 1",
        "left out: repeated assignments: 1",
        "left out: answers to `image_text_alignment_human` that were not given: 1",
        "left out: answers to `q` that were not given: 1",
        "1 assignment repeated and counted once",
        "Batch_1_batch_results.csv, line 2 and Batch_2_batch_results.csv, line 2",
        "use --pseudonyms",
    ] {
        assert!(message.contains(expected), "{expected}: {message}");
    }
}

#[test]
fn pseudonyms_stay_the_same_and_hide_every_worker() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("batch.csv"), BATCH).unwrap();
    let call = ["mturk-csv", "batch.csv", "--model-name", "sd", "--answer", "seconds", "--pseudonyms", "key"];
    let (first, message) = imported(folder, &call);
    assert_eq!(first, imported(folder, &call).0);
    assert!(!message.contains("--pseudonyms"), "{message}");
    let text = fs::read_to_string(folder.join("scores.csv")).unwrap();
    assert!(["W1", "W2", "W3"].iter().all(|worker| !text.contains(worker)), "{text}");
    let raters: std::collections::BTreeSet<&str> =
        first.iter().map(|row| row.split('|').next().unwrap()).collect();
    assert!(raters.len() == 2 && raters.iter().all(|rater| rater.starts_with("worker-")), "{raters:?}");
    fs::remove_file(folder.join("key")).unwrap();
    assert_ne!(imported(folder, &call).0, first);
}

#[test]
fn custom_options_score_from_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.model,Answer.mood\n\
                H,A1,W1,Approved,sd,so so\nH,A2,W2,Approved,sd,Very  good\n";
    fs::write(folder.join("batch.csv"), text).unwrap();
    let call = ["mturk-csv", "batch.csv", "--model", "model", "--answer", "mood"];
    let (rows, _) = imported(folder, &[&call[..], &["--options", "mood=bad|so so|Very good"]].concat());
    assert_eq!(rows, ["W1|sd|||0|mood|2", "W2|sd|||0|mood|3"]);
}

#[test]
fn released_answers_score_one_more_than_their_code() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "{\"image_path\": \"images/org1/a.png\", \"human_annotations\": [0, 4, 2], \"prompt\": \"a cat\", \
                \"mean_score\": 2.0}\n\n\
                {\"image_path\": \"images/org2/a.png\", \"human_annotations\": [], \"prompt\": \"a cat\"}\r\n\
                {\"image_path\": \"images/org2/b.png\", \"human_annotations\": [3], \"prompt\": \"b\", \"mean_score\": 1}\n";
    fs::write(folder.join("alignment_train.jsonl"), text).unwrap();
    let (rows, message) = imported(folder, &["heim-jsonl", "alignment_train.jsonl"]);
    let want = [
        "annotation-1|org1||images/org1/a.png|0|alignment|1|made-up|",
        "annotation-2|org1||images/org1/a.png|0|alignment|5|made-up|",
        "annotation-3|org1||images/org1/a.png|0|alignment|3|made-up|",
        "annotation-1|org2||images/org2/b.png|0|alignment|4|made-up|",
    ];
    assert_eq!(rows, want);
    for expected in ["left out: images without answers: 1", "of 1 image `mean_score`", "name no raters"] {
        assert!(message.contains(expected), "{message}");
    }
    fs::copy(folder.join("alignment_train.jsonl"), folder.join("answers.jsonl")).unwrap();
    let call =
        ["heim-jsonl", "answers.jsonl", "--heim", "alignment", "--model-name", "sd", "--item", "prompt"];
    let message = program::fails(folder, &[&["import"], &call[..]].concat());
    assert!(message.contains("line 3") && message.contains("is already on line 1"), "{message}");
    let named = "{\"who\": \"w1\", \"net\": \"sd\", \"image_path\": \"x.png\", \"code\": 1}\n\
                 {\"who\": \"w2\", \"net\": \"sd\", \"image_path\": \"x.png\", \"code\": \"2\"}\n";
    fs::write(folder.join("clear_subject.jsonl"), named).unwrap();
    let fields =
        ["heim-jsonl", "clear_subject.jsonl", "--answers", "code", "--raters", "who", "--model", "net"];
    let (rows, message) = imported(folder, &fields);
    assert_eq!(rows, ["w1|sd||x.png|0|subject_clarity|2", "w2|sd||x.png|0|subject_clarity|3"]);
    assert!(!message.contains("name no raters"), "{message}");
}
