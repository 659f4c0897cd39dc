//! Cells of tables for people that a spreadsheet would compute are text, and are read back as they were.

use std::fs;

use serde_json::json;

use crate::program::{json, succeeds};
use crate::tidy;

/// Ratings whose names are formulas, a number, and text that begins like the mark of harmless cells.
const RATINGS: &str = "rater,model,item,measure,value\n=cmd|' /C calc'!A0,@SUM(A1),-1.5,realism,-1.5\n\
                       \"\tr2\",plain,+1+1,realism,2\n'=r3,'quoted,\"-2+3\",realism,3\n";

#[test]
fn formulas_are_text_unless_raw_ones_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("ratings.csv"), RATINGS).unwrap();
    let import = ["import", "csv", "ratings.csv", "--rater", "rater", "--model", "model", "--item", "item"];
    let import = [&import[..], &["--value", "value", "--measure", "measure"]].concat();
    succeeds(folder, &[&import[..], &["-o", "scores.csv"]].concat());
    let names = |file: &str| {
        let rows = tidy::read(&folder.join(file));
        rows.into_iter().map(|row| [row.rater, row.model, row.item]).collect::<Vec<_>>()
    };
    assert_eq!(
        names("scores.csv"),
        [
            ["'=cmd|' /C calc'!A0", "'@SUM(A1)", "-1.5"],
            ["r2", "plain", "'+1+1"],
            ["'=r3", "'quoted", "'-2+3"]
        ]
    );
    let text = fs::read_to_string(folder.join("scores.csv")).unwrap();
    assert!(text.contains(",realism,-1.5"), "numbers are numbers: {text}");
    // What was written is read as it was.
    let by = ["aggregate", "scores.csv", "--with", "by_model", "--json"];
    let found = json(folder, &by);
    let models: Vec<_> = found["measures"][0]["estimates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|estimate| estimate["model"].clone())
        .collect();
    for model in ["@SUM(A1)", "plain", "'quoted"] {
        assert!(models.contains(&json!(model)), "no {model} in {models:?}");
    }
    succeeds(folder, &[&import[..], &["--raw", "-o", "raw.csv"]].concat());
    assert_eq!(
        names("raw.csv"),
        [["=cmd|' /C calc'!A0", "@SUM(A1)", "-1.5"], ["r2", "plain", "+1+1"], ["=r3", "'quoted", "-2+3"]]
    );
}
