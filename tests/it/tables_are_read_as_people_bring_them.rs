//! Tables in the formats, with the cells and in the shapes in which people bring them are read, or named for what they are.

use std::fs;
use std::path::Path;

use crate::archives::{gzip, zip};
use crate::program::{fails, hype, json, succeeds};
use crate::tidy;

/// Imports into `scores.csv`; returns its rows and the messages.
fn imported(folder: &Path, arguments: &[&str]) -> (Vec<String>, String) {
    let output = hype(folder, &[&["import"], arguments, &["-o", "scores.csv"]].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    (tidy::lines(&folder.join("scores.csv")), said)
}

/// The estimate of each model in the first measure.
fn estimates(folder: &Path, arguments: &[&str]) -> Vec<(String, f64)> {
    let found = json(folder, &[&["aggregate"], arguments, &["--json"]].concat());
    let estimates = found["measures"][0]["estimates"].as_array().unwrap();
    let one = |estimate: &serde_json::Value| {
        let value = estimate["value"].as_f64().unwrap();
        (estimate["model"].as_str().unwrap().to_owned(), (value * 1e4).round() / 1e4)
    };
    let mut all: Vec<_> = estimates.iter().map(one).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

fn models(values: &[(&str, f64)]) -> Vec<(String, f64)> {
    values.iter().map(|&(model, value)| (model.to_owned(), value)).collect()
}

const RATINGS: &str = "rater,model,value\nZoé,x,1\nZoé,y,2\nB,x,2\nB,y,3\nC,x,1\nC,y,3\n";

/// [`RATINGS`] as a workbook, with a shared text, texts in the cells, an empty row and a row of empty cells at the end.
fn workbook() -> Vec<u8> {
    let mut rows = String::from(
        "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"inlineStr\"><is><t>model</t></is></c><c r=\"C1\" \
         t=\"str\"><v>value</v></c></row>",
    );
    for (number, line) in RATINGS.lines().enumerate().skip(1) {
        let [rater, model, value] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let row = number + 2;
        rows.push_str(&format!(
            "<row r=\"{row}\"><c r=\"A{row}\" t=\"inlineStr\"><is><t>{rater}</t></is></c><c r=\"B{row}\" \
             t=\"inlineStr\"><is><r><t>{model}</t></r></is></c><c r=\"C{row}\"><v>{value}</v></c></row>"
        ));
    }
    rows.push_str("<row r=\"9\"><c r=\"A9\" s=\"1\"/><c r=\"C9\"/></row>");
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    zip(&[
        (
            "xl/workbook.xml",
            &format!(
                "<?xml version=\"1.0\"?><workbook xmlns=\"{main}\" xmlns:r=\"r\"><sheets><sheet name=\"Ratings\" sheetId=\"1\" \
                 r:id=\"rId7\"/></sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            "<Relationships><Relationship Id=\"rId7\" Target=\"worksheets/ratings.xml\"/></Relationships>",
        ),
        ("xl/sharedStrings.xml", &format!("<sst xmlns=\"{main}\"><si><t>rater</t></si></sst>")),
        (
            "xl/worksheets/ratings.xml",
            &format!("<worksheet xmlns=\"{main}\"><sheetData>{rows}</sheetData></worksheet>"),
        ),
    ])
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect()
}

#[test]
fn the_content_of_a_table_decides_and_not_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let separated = |by: &str| RATINGS.replace(',', by);
    let objects: Vec<String> = RATINGS
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            format!("{{\"model\": \"{}\", \"rater\": \"{}\", \"value\": {}}}", cells[1], cells[0], cells[2])
        })
        .collect();
    let files: [(&str, Vec<u8>); 17] = [
        ("plain.csv", RATINGS.into()),
        ("mark.csv", format!("\u{feff}{RATINGS}").into()),
        ("semicolons.csv", separated(";").into()),
        ("tabs.csv", separated("\t").into()),
        ("commas.tsv", RATINGS.into()),
        ("bars.txt", separated("|").into()),
        ("stated.csv", format!("sep=;\r\n{}", separated(";").replace('\n', "\r\n")).into()),
        ("little.csv", utf16(&separated("\t"), u16::to_le_bytes)),
        ("big.txt", utf16(RATINGS, u16::to_be_bytes)),
        ("latin.csv", RATINGS.chars().map(|letter| letter as u8).collect()),
        ("packed.csv.gz", gzip(RATINGS)),
        ("packed.zip", zip(&[("__MACOSX/._t.csv", "x"), ("folder/", ""), ("folder/t.csv", RATINGS)])),
        ("blank.csv", format!("{RATINGS},,\n , ,\n\n").into()),
        ("book.xlsx", workbook()),
        ("list.json", format!("[\n {}\n]", objects.join(",\n ")).into()),
        ("lines.jsonl", objects.join("\n").into()),
        ("held.json", format!("{{\"about\": 1, \"data\": [{}]}}", objects.join(", ")).into()),
    ];
    for (name, bytes) in &files {
        fs::write(folder.join(name), bytes).unwrap();
        let found = estimates(folder, &[name, "--design", "within"]);
        assert_eq!(found, models(&[("x", 1.3333), ("y", 2.6667)]), "{name}");
        let columns = ["--rater", "rater", "--model", "model", "--value", "value"];
        let (rows, _) = imported(folder, &[&["csv", name], &columns[..]].concat());
        assert_eq!(rows[0], "Zoé|x|||0|value|1", "{name}");
        assert_eq!(rows.len(), 6, "{name}");
    }
    // Spreadsheets quote cells of several lines in their tables in UTF-16, too.
    let quoted = "rater\tmodel\tvalue\tremark\nA\tx\t1\t\"a \"\"b\"\"\nc\"\nA\ty\t2\t\n";
    fs::write(folder.join("quoted.txt"), utf16(quoted, u16::to_le_bytes)).unwrap();
    let (rows, _) =
        imported(folder, &["csv", "quoted.txt", "--rater", "rater", "--model", "model", "--value", "value"]);
    assert_eq!(rows, ["A|x|||0|value|1", "A|y|||0|value|2"]);
    let said = |name: &str| String::from_utf8(hype(folder, &["aggregate", name]).stderr).unwrap();
    assert!(said("latin.csv").contains("latin.csv, line 2: read as Latin-1"), "{}", said("latin.csv"));
    assert!(said("tabs.csv").contains("tabs.csv: cells are separated by tabs"), "{}", said("tabs.csv"));
    assert!(said("book.xlsx").contains("sheet `Ratings`"), "{}", said("book.xlsx"));
    assert_eq!(said("plain.csv"), "");
}

#[test]
fn files_that_are_not_tables_are_named_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let cases: [(&str, &[u8], &str); 9] = [
        ("a.csv", b"SQLite format 3\0", "an SQLite database"),
        ("b.csv", b"\n<!DOCTYPE html><html>", "a page of HTML"),
        ("c.csv", b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "git lfs pull"),
        ("d.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook of before 2007"),
        ("e.csv", b"%PDF-1.7", "a PDF"),
        ("f.csv", b"\x28\xb5\x2f\xfd", "compressed by zstd"),
        ("g.csv", b"\x89PNG\r\n\x1a\n", "an image"),
        ("h.csv", b"-- dump\nCREATE TABLE votes (id INT);\n", "an SQL dump"),
        ("i.json", b"[[1, 2], [3, 4]]", "a list of objects"),
    ];
    for (name, bytes, what) in cases {
        fs::write(folder.join(name), bytes).unwrap();
        let said = fails(folder, &["aggregate", name]);
        assert!(said.contains(name) && said.contains(what) && said.lines().count() <= 3, "{said}");
    }
    fs::write(folder.join("two.zip"), zip(&[("a.csv", RATINGS), ("b.csv", RATINGS)])).unwrap();
    let said = fails(folder, &["aggregate", "two.zip"]);
    assert!(said.contains("a.csv, b.csv") && said.contains("unpack"), "{said}");
    let mut cut = gzip(RATINGS);
    cut.truncate(30);
    fs::write(folder.join("cut.gz"), cut).unwrap();
    let said = fails(folder, &["aggregate", "cut.gz"]);
    assert!(said.contains("cut.gz"), "{said}");
}

#[test]
fn exported_json_lines_give_the_findings_of_csv() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (mut csv, mut lines) =
        (String::from("rater,model,against,item,block,measure,value\n"), String::new());
    for rater in 0..4 {
        for item in 0..6 {
            let value = f64::from((rater * item + item / 2) % 2);
            let (model, against) =
                if (rater + item) % 3 == 0 { ("plain", "safe") } else { ("safe", "plain") };
            csv.push_str(&format!("r{rater},{model},{against},p{item},0,preference,{value:?}\n"));
            lines.push_str(&format!(
                "{{\"against\":\"{against}\",\"block\":0,\"item\":\"p{item}\",\"measure\":\"preference\",\"model\":\"{model}\",\
                 \"rater\":\"r{rater}\",\"value\":{value:?}}}\n"
            ));
        }
    }
    fs::write(folder.join("s.csv"), csv).unwrap();
    fs::write(folder.join("s.jsonl"), lines).unwrap();
    let found = |name: &str| succeeds(folder, &["aggregate", name, "--with", "contrast"]);
    assert_eq!(found("s.jsonl").replace("s.jsonl", "s.csv"), found("s.csv"));
}

#[test]
fn missing_values_are_counted_as_they_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows = "rater,model,item,value\nr1,m,1,1\nr1,m,2,1\nr1,m,3,2\nr2,m,1,1\nr2,m,2,1\nr2,m,3,NaN\nr3,m,1,nan\nr3,m,2,1\nr3,m,3,2\n";
    fs::write(folder.join("r.csv"), rows).unwrap();
    let found = json(folder, &["aggregate", "r.csv", "--scale", "nominal", "--with", "agreement", "--json"]);
    let agreement = &found["measures"][0]["agreement"];
    assert!(agreement.to_string().contains("\"value\":1.0"), "{agreement}");
    let notes = found["notes"].to_string();
    assert!(notes.contains("2 missing values in column `value` (NaN on lines 7, 8)"), "{notes}");
    for word in ["NA", "N/A", "null", "None", "-", "#N/A"] {
        fs::write(folder.join("w.csv"), format!("rater,model,value\na,x,1\nb,x,{word}\n")).unwrap();
        let columns = ["--rater", "rater", "--model", "model", "--value", "value"];
        let (rows, said) = imported(folder, &[&["csv", "w.csv"], &columns[..]].concat());
        assert_eq!(rows, ["a|x|||0|value|1"], "{word}");
        assert!(said.contains(&format!("left out: missing values ({word}): 1")), "{said}");
    }
}

#[test]
fn decimal_commas_are_read_where_semicolons_separate() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows = "Teilnehmer;Modell;Bild;Wert\nP1;alt;1;3,5\nP1;neu;1;4,0\nP2;alt;1;2,5\nP2;neu;1;4,5\nP3;alt;1;3,0\nP3;neu;1;5,0\n";
    fs::write(folder.join("r.csv"), rows).unwrap();
    let columns = ["--rater", "Teilnehmer", "--model", "Modell", "--item", "Bild", "--value", "Wert"];
    let call = [&["csv", "r.csv"], &columns[..]].concat();
    let (read, said) = imported(folder, &call);
    assert_eq!(read[0], "P1|alt||1|0|Wert|3.5");
    assert!(said.contains("decimal commas in column `Wert`: 3,5 on line 2 is read as 3.5"), "{said}");
    let (again, _) = imported(folder, &[&call[..], &["--delimiter", ";"]].concat());
    assert_eq!(again, read);
    assert_eq!(
        estimates(folder, &["scores.csv", "--design", "within"]),
        models(&[("alt", 3.0), ("neu", 4.5)])
    );
    // Tabs do not say what a comma means: an option does.
    fs::write(folder.join("r.csv"), rows.replace(';', "\t")).unwrap();
    let message = fails(folder, &[&["import"], &call[..]].concat());
    assert!(
        message.contains("\"3,5\" is not a finite number") && message.contains("--decimal-comma"),
        "{message}"
    );
    let (again, _) = imported(folder, &[&call[..], &["--decimal-comma"]].concat());
    assert_eq!(again, read);
    fs::write(folder.join("r.csv"), rows.replace("3,5", "1.003,5")).unwrap();
    let message = fails(folder, &[&["import"], &call[..]].concat());
    assert!(message.contains("line 2, column `Wert`: \"1.003,5\" is not a finite number"), "{message}");
}

#[test]
fn answers_in_words_are_numbered_in_the_order_of_the_options() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows = "participant,model,image,quality\nP1,m1,1,Very good\nP1,m2,1,Poor\nP2,m1,1,good\nP2,m2,1,Fair\nP3,m1,1,4\nP3,m2,1,Very  poor\n";
    fs::write(folder.join("t.csv"), rows).unwrap();
    let call = [
        "csv",
        "t.csv",
        "--rater",
        "participant",
        "--model",
        "model",
        "--item",
        "image",
        "--value",
        "quality",
    ];
    let message = fails(folder, &[&["import"], &call[..]].concat());
    assert!(message.contains("--options"), "{message}");
    let words = "Very poor|Poor|Fair|Good|Very good";
    for options in [words.to_owned(), format!("quality={words}")] {
        let (_, said) = imported(folder, &[&call[..], &["--options", &options]].concat());
        assert!(said.contains("codes of `quality`: Very poor = 1, Poor = 2, Fair = 3"), "{said}");
        assert_eq!(
            estimates(folder, &["scores.csv", "--design", "within"]),
            models(&[("m1", 4.3333), ("m2", 2.0)])
        );
    }
    let message = fails(folder, &[&["import"], &call[..], &["--options", "Poor|Fair|Good"]].concat());
    assert!(
        message.contains("the answer is \"Very good\"") && message.contains("Poor | Fair | Good"),
        "{message}"
    );
}

const ARENA: [&str; 9] =
    ["csv", "v.csv", "--model", "left", "--against", "right", "--winner", "winner", "--first=left"];

#[test]
fn comparisons_without_raters_are_about_items() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let votes = "P,S,left B,A,right T,P,left S,T,right B,P,left A,S,right T,B,left P,A,tie S,B,right A,T,left B,S,right T,P,left \
                 S,A,tie B,T,left P,B,right A,T,right P,S,right T,A,left";
    fs::write(folder.join("v.csv"), format!("left,right,winner\n{}\n", votes.replace(' ', "\n"))).unwrap();
    let (rows, said) = imported(folder, &[&ARENA[..], &["--second", "right"]].concat());
    assert_eq!(rows[0], "vote-1|P|S|line-2|0|preference|1|made-up|");
    assert!(said.contains("the table names no raters"), "{said}");
    // The maximum of Davidson's likelihood, by scipy.
    assert_eq!(
        estimates(folder, &["scores.csv", "--with", "contrast"]),
        models(&[("A", -0.0528), ("B", 0.2982), ("P", -1.2091), ("S", -0.1143), ("T", 1.078)])
    );
    let found = json(folder, &["aggregate", "scores.csv", "--with", "contrast", "--json"]);
    assert_eq!(found["measures"][0]["generalize_to"], "items");
    // Several votes about an item are told apart.
    fs::write(folder.join("v.csv"), "q,left,right,winner\n7,P,S,left\n7,P,S,left\n8,P,S,right\n").unwrap();
    let (rows, _) = imported(folder, &[&ARENA[..], &["--second", "right", "--item", "q"]].concat());
    let raters: Vec<&str> = rows.iter().map(|row| row.split('|').next().unwrap()).collect();
    assert_eq!(raters, ["vote-1", "vote-2", "vote-1"]);
    fs::write(folder.join("r.csv"), "model,item,score\nm,1,3\nm,2,4\n").unwrap();
    let (rows, _) =
        imported(folder, &["csv", "r.csv", "--model", "model", "--item", "item", "--value", "score"]);
    assert_eq!(rows[0], "vote-1|m||1|0|score|3|made-up|");
    let message = fails(folder, &["aggregate", "v.csv", "--model", "left"]);
    assert!(message.contains("--rater COLUMN") && message.contains("hype import csv"), "{message}");
}

#[test]
fn columns_name_items_and_models_by_a_pattern() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(
        folder.join("w.csv"),
        "Timestamp,rater,img01_sdxl,img01_dalle,img02_sdxl,img02_dalle\n1,R1,4,2,5,3\n2,R2,3,1,4,2\n3,R3,5,3,4,\n",
    )
    .unwrap();
    let call = ["csv", "w.csv", "--rater", "rater", "--columns"];
    let (rows, said) = imported(folder, &[&call[..], &["{item}_{model}"]].concat());
    assert_eq!(rows.len(), 11);
    assert_eq!(rows[1], "R1|dalle||img01|0|value|2");
    assert!(said.contains("4 columns are answers") && said.contains("not read: Timestamp"), "{said}");
    assert!(said.contains("left out: empty cells: 1"), "{said}");
    let message = fails(folder, &[&["import"], &call[..], &["{model}-{item}"]].concat());
    assert!(
        message.contains("no column is named `{model}-{item}`") && message.contains("img01_sdxl"),
        "{message}"
    );
    // Qualtrics writes the questions and its own ids below the header.
    let text = "ResponseId,a_b_c,a_b_d\nResponse ID,\"How real, \n1?\",How real?\n\
                \"{\"\"ImportId\"\":\"\"_recordId\"\"}\",\"{\"\"ImportId\"\":\"\"QID1\"\"}\",\"{\"\"ImportId\"\":\"\"QID2\"\"}\"\n\
                R_1,Real,Fake\n";
    fs::write(folder.join("q.csv"), text).unwrap();
    let call = ["csv", "q.csv", "--rater", "ResponseId", "--options", "Fake|Real", "--columns"];
    let message = fails(folder, &[&["import"], &call[..], &["{model}_{item}"]].concat());
    assert!(message.contains("a_b_c") && message.contains("2 ways"), "{message}");
    let (rows, said) = imported(folder, &[&call[..], &["{model}_{item:c|d}"]].concat());
    assert_eq!(rows, ["R_1|a_b||c|0|value|2", "R_1|a_b||d|0|value|1"]);
    assert!(said.contains("Qualtrics"), "{said}");
}

#[test]
fn task_answers_of_mechanical_turk_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut text = String::from(
        "\"HITId\",\"AssignmentId\",\"WorkerId\",\"AssignmentStatus\",\"Input.image_url\",\"Input.model\",\"Answer.taskAnswers\"\n",
    );
    for (number, (model, chosen)) in [("m1", 4), ("m1", 5), ("m2", 2), ("m2", 3)].into_iter().enumerate() {
        let choices: Vec<String> =
            (1..=5).map(|option| format!("\"\"{option}\"\": {}", option == chosen)).collect();
        text.push_str(&format!(
            "\"H\",\"A{number}\",\"W{}\",\"Approved\",\"https://x.example/{model}/1.png\",\"{model}\",\"[{{\"\"quality\"\": {{{}}}, \
             \"\"kind\"\": {{\"\"label\"\": \"\"Cat\"\"}}, \"\"seen\"\": 3}}]\"\n",
            number % 2,
            choices.join(", ")
        ));
    }
    fs::write(folder.join("batch.csv"), &text).unwrap();
    let call = ["mturk-csv", "batch.csv", "--model", "Input.model", "--item", "Input.image_url"];
    imported(folder, &[&call[..], &["--answer", "quality"]].concat());
    assert_eq!(estimates(folder, &["scores.csv", "--design", "within"]), models(&[("m1", 4.5), ("m2", 2.5)]));
    let more = ["--answer", "kind", "--options", "kind=Dog|Cat", "--answer", "seen"];
    let (rows, _) = imported(folder, &[&call[..], &more].concat());
    assert!(rows[0].ends_with("kind|2") && rows[1].ends_with("seen|3"), "{rows:?}");
    let message = fails(folder, &[&["import"], &call[..], &["--answer", "qualty"]].concat());
    assert!(message.contains("quality") && message.lines().count() < 8, "{message}");
    let message = fails(folder, &[&["import"], &call[..]].concat());
    assert!(message.contains("the answers are kind, quality, seen"), "{message}");
}

#[test]
fn messages_have_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rankings: Vec<String> = (0..400)
        .map(|number| {
            let candidates: Vec<String> =
                (0..4).map(|image| format!("\"run/{number:04}/img_{image}.webp\"")).collect();
            format!(
                "{{\"id\": \"p{number}\", \"generations\": [{}], \"ranking\": [1, 2, 3, 4]}}",
                candidates.join(", ")
            )
        })
        .collect();
    fs::write(folder.join("r.json"), format!("[{}]", rankings.join(","))).unwrap();
    imported(folder, &["ranking-json", "r.json"]);
    let output = hype(folder, &["aggregate", "scores.csv", "--with", "ranking"]);
    let said = String::from_utf8(output.stderr).unwrap() + &String::from_utf8(output.stdout).unwrap();
    let longest = said.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(output.status.success() && longest < 1_000, "{longest}");
    let message = fails(folder, &["import", "ranking-json", "r.json", "--model-folder"]);
    assert!(message.lines().count() <= 4 && message.contains("400 times"), "{message}");
    let wrong: String = (0..300).map(|row| format!("r{row},x,maybe\n")).collect();
    fs::write(folder.join("t.csv"), format!("rater,model,value\n{wrong}")).unwrap();
    let message = fails(folder, &["aggregate", "t.csv"]);
    assert!(message.lines().count() <= 4, "{message}");
    assert!(
        message.contains("\"maybe\" is not a finite number") && message.contains("300 times"),
        "{message}"
    );
}

#[test]
fn exact_copies_of_rows_are_pointed_out_with_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows =
        "rater,model,item,value\nA,x,1,1\nA,x,1,1\nA,x,1,5\nA,y,1,2\nB,x,1,2\nB,y,1,3\nC,x,1,1\nC,y,1,3\n";
    fs::write(folder.join("d.csv"), rows).unwrap();
    let call = ["csv", "d.csv", "--rater", "rater", "--model", "model", "--item", "item", "--value", "value"];
    let (read, said) = imported(folder, &call);
    assert_eq!(read.len(), 8);
    assert!(said.contains("1 exact copy of an earlier row: line 3 (of line 2)"), "{said}");
    let found = succeeds(folder, &["aggregate", "d.csv", "--design", "within"]);
    assert!(found.contains("1 exact copy of an earlier row: line 3 (of line 2)"), "{found}");
    // Without items, equal ratings of different images are not copies.
    let (_, said) = imported(folder, &[&call[..6], &call[8..]].concat());
    assert!(!said.contains("copy"), "{said}");
}

#[test]
fn spellings_that_differ_in_case_or_accents_are_pointed_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("d.csv"), "rater,model,value\nRené,SDXL,1\nRene\u{301},sdxl,2\nB,SDXL,3\nB,y,3\n")
        .unwrap();
    let call = ["csv", "d.csv", "--rater", "rater", "--model", "model", "--value", "value"];
    let (_, said) = imported(folder, &call);
    assert!(said.contains("the models `SDXL` and `sdxl` differ only in"), "{said}");
    assert!(said.contains("the raters `René` and `Rene\u{301}` differ only in"), "{said}");
    let found = succeeds(folder, &["aggregate", "d.csv"]);
    assert!(found.contains("the models `SDXL` and `sdxl` differ only in"), "{found}");
}

const JUDGED: &str = "id,judge,left,right,winner\n1,ann,alpha,beta,left\n2,ann,alpha,beta,tie\n3,ann,alpha,gamma,right\n\
                      4,ben,alpha,beta,right\n5,ben,beta,gamma,tie\n6,ben,alpha,gamma,left\n7,cem,beta,gamma,left\n";

#[test]
fn ties_have_their_label_whichever_sides_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("v.csv"), JUDGED).unwrap();
    let call = [&ARENA[..], &["--rater", "judge", "--second", "right"]].concat();
    let (rows, _) = imported(folder, &call);
    assert_eq!(rows.len(), 7);
    assert_eq!(rows.iter().filter(|row| row.ends_with("preference|0.5")).count(), 2);
    let message = fails(folder, &[&["import"], &call[..], &["--tie", "none"]].concat());
    for part in ["the winner is \"tie\"", "--first left", "--second right", "--tie none"] {
        assert!(message.contains(part), "{message}");
    }
    // The sides have theirs whichever tie is named.
    fs::write(
        folder.join("v.csv"),
        JUDGED.replace("tie", "both").replace("left\n", "A\n").replace("right\n", "B\n"),
    )
    .unwrap();
    let tables = fs::read_to_string(folder.join("v.csv")).unwrap().replace("alpha,B", "alpha,gamma");
    fs::write(folder.join("v.csv"), tables).unwrap();
    let call = [&ARENA[..8], &["--rater", "judge", "--tie", "both"]].concat();
    assert_eq!(imported(folder, &call).0.len(), 7);
}

#[test]
fn ranks_may_count_from_zero() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = r#"[{"prompt": "a cat", "image_path": ["sdxl/1.jpg", "flux/1.jpg", "vq/1.jpg"], "rank": [0, 2, 2]},
        {"prompt": "a dog", "image_path": ["sdxl/2.jpg", "flux/2.jpg", "vq/2.jpg"], "rank": [1, 0, 2]}]"#;
    fs::write(folder.join("test.json"), text).unwrap();
    let call = "ranking-json test.json --item prompt --candidates image_path --ranks rank --model-folder";
    let call: Vec<&str> = call.split(' ').collect();
    let (rows, said) = imported(folder, &call);
    let means = |rows: &[String]| {
        let of = |model: &str| {
            let own = rows.iter().filter(|row| row.split('|').nth(1) == Some(model));
            let values: Vec<f64> = own.map(|row| row.split('|').nth(6).unwrap().parse().unwrap()).collect();
            values.iter().sum::<f64>() / values.len() as f64
        };
        ["sdxl", "flux", "vq"].map(of)
    };
    assert_eq!(means(&rows), [1.5, 1.75, 2.75]);
    assert!(said.contains("ranks count from 0"), "{said}");
    // The first rank is the best.
    let found = succeeds(folder, &["aggregate", "scores.csv"]);
    assert!(found.contains("sdxl comes first with 1.50"), "{found}");
    // A list of lists is one ranking of each annotator.
    let several = text.replace("[0, 2, 2]", "[[0, 2, 2], [1, 2, 0]]").replace("[1, 0, 2]", "[[1, 0, 2]]");
    fs::write(folder.join("test.json"), several).unwrap();
    let (rows, _) = imported(folder, &call);
    assert_eq!(rows.len(), 9);
    assert_eq!(rows[3], "unnamed|sdxl||a cat|1|rank|2|made-up|");
    // A zero among ranks that count from 1 is not a rank.
    fs::write(folder.join("test.json"), text.replace("[1, 0, 2]", "[1, 1, 2]")).unwrap();
    let message = fails(folder, &[&["import"], &call[..]].concat());
    assert!(
        message.contains("row 2") && message.contains("row 1") && message.contains("count from"),
        "{message}"
    );
}

#[test]
fn a_model_against_itself_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("v.csv"), format!("{JUDGED}8,ann,alpha,alpha,left\n9,ben,beta,beta,tie\n"))
        .unwrap();
    let (rows, said) = imported(folder, &[&ARENA[..], &["--rater", "judge", "--second", "right"]].concat());
    assert_eq!(rows.len(), 7);
    assert!(said.contains("left out: comparisons of a model with itself: 2"), "{said}");
    let text = "rater,model,against,item,measure,value\na,x,y,1,preference,1\nb,x,y,1,preference,0\nb,x,x,2,preference,1\n";
    fs::write(folder.join("s.csv"), text).unwrap();
    let found = succeeds(folder, &["aggregate", "s.csv", "--with", "contrast"]);
    assert!(found.contains("1 comparison of a model with itself: left out"), "{found}");
}

#[test]
fn labels_that_are_numbers_equal_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("v.csv"), "u,l,r,label_0\n3,x,y,1.0\n3,y,x,0.5\n4,x,y,0.0\n5,y,x,1.0\n").unwrap();
    let call = "csv v.csv --rater u --model l --against r --winner label_0 --first 1 --second 0 --tie .50";
    let (rows, _) = imported(folder, &call.split(' ').collect::<Vec<_>>());
    let values: Vec<&str> = rows.iter().map(|row| row.rsplit('|').next().unwrap()).collect();
    assert_eq!(values, ["1", "0.5", "0", "1"]);
}

#[test]
fn a_table_says_its_design() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("t.csv"), RATINGS).unwrap();
    let found = succeeds(folder, &["aggregate", "t.csv", "--full"]);
    assert!(found.contains("each rater judged several models"), "{found}");
    assert!(!found.contains("Welch"), "{found}");
    assert_eq!(found.lines().filter(|line| line.contains("--design between")).count(), 1, "{found}");
    // Sorted by model, the second model of a rater comes late.
    let of = |model: &str| -> String {
        (0..9_000).map(|rater| format!("r{rater},{model},{}\n", (rater + model.len()) % 5)).collect()
    };
    fs::write(folder.join("t.csv"), format!("rater,model,value\n{}{}", of("x"), of("yy"))).unwrap();
    let found = succeeds(folder, &["aggregate", "t.csv", "--full"]);
    assert!(found.contains("each rater judged several models") && !found.contains("Welch"), "{found}");
    fs::write(folder.join("t.csv"), "rater,model,value\na,x,1\nb,x,2\nc,y,3\nd,y,5\n").unwrap();
    let found = succeeds(folder, &["aggregate", "t.csv", "--full"]);
    assert!(found.contains("Welch"), "{found}");
    let message = fails(folder, &["aggregate", "t.csv", "--model", "modle"]);
    assert!(message.contains("--model COLUMN") || message.contains("--model"), "{message}");
}
