//! Titles, sheets, totals, merged cells, dates, percentages, thousands and lists in cells are read as meant, or refused.

use std::fs;
use std::path::Path;

use crate::archives::zip;
use crate::program::{fails, hype};
use crate::tidy;

const RATINGS: &str = "rater,model,item,rating\nann,x,p1,4\nann,y,p1,2\nbob,x,p1,5\nbob,y,p1,3\n";

/// [`RATINGS`] with other answers, and cells separated by a character.
fn rated(by: &str, answers: [&str; 4]) -> String {
    let rows = ["ann,x,p1,", "ann,y,p1,", "bob,x,p1,", "bob,y,p1,"].into_iter().zip(answers);
    let rows: String = rows.map(|(row, answer)| format!("{}\"{answer}\"\n", row.replace(',', by))).collect();
    format!("{}\n{rows}", ["rater", "model", "item", "rating"].join(by))
}

/// Imports a file as it is recognized: it has so many rows, with this one, and what is said has some text.
fn reads(folder: &Path, file: &str, (count, row): (usize, &str), wanted: &str) {
    let output = hype(folder, &["import", file, "-o", "s.csv"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains(wanted), "{file}: {wanted}\n{said}");
    let rows = tidy::lines(&folder.join("s.csv"));
    assert!(rows.len() == count && rows.iter().any(|one| one == row), "{file}: {row}\n{rows:?}");
}

fn refuses(folder: &Path, arguments: &[&str], wanted: &[&str]) {
    let said = fails(folder, &[&["import"], arguments].concat());
    assert!(wanted.iter().all(|wanted| said.contains(wanted)), "{wanted:?}\n{said}");
}

#[test]
fn cells_are_read_as_they_are_meant() {
    let folder = tempfile::tempdir().unwrap();
    let quoted = |cell: &str| cell.replace('"', "\"\"");
    let listed = |cell| format!("item,model,ratings\n1,x,\"{}\"\n1,y,\"[2, 1, 5]\"\n", quoted(cell));
    let numpy = (6, "vote-2|x||1|0|ratings|5|made-up|");
    let objects = (5, "it's r2|x||1|0|ratings|5||");
    let titled = |title: &str, by| format!("{title}{RATINGS}").replace(',', by);
    let (first, half) = ((4, "ann|x||p1|0|rating|4"), (4, "ann|x||p1|0|rating|0.455"));
    let merged = RATINGS.replace("y,p1", "y,");
    let lists = "item,model,annotators,ratings\n1,x,\"['r1' 'r2']\",[4 5]\n1,y,\"['r1' 'r2']\",[2 4]\n";
    let index: Vec<&str> = RATINGS.lines().collect();
    let index = format!(",{},quality_complete\n0,{},2\n1,{},2\n", index[0], index[1], index[2]);
    for (text, rows, said) in [
        (listed("[4 5.\n 3]"), numpy, "--lists"),
        (listed(r#"[{"rating": 4, "user": 1}, {"rating": 5, "user": "it's r2"}]"#), objects, "--lists"),
        (listed("[{'annotator': 'r1', 'score': 4}, {'annotator': \"it's r2\", 'score': 5}]"), objects, ""),
        (lists.to_owned(), (4, "r2|x||1|0|ratings|5"), "--rater annotators"),
        (rated(",", ["45.5 %", "5%", "0 %", "100%"]), half, "as proportions: 45.5 % on line 2 is 0.455"),
        (rated(";", ["45,5%", "5%", "0,0 %", "100 %"]), half, "as proportions: 45,5% on line 2 is 0.455"),
        (titled("Results of study 1,,,\n,,,\n", ";"), first, "is on line 3: nothing above it is read"),
        (titled("Results of study 1\n\n", ";"), first, "header is on line 3"),
        (titled("# by a tool\n# 2024\n", ";"), first, "header is on line 3"),
        (titled(",,,\nTitle\n", ","), first, "header is on line 3"),
        (merged, (4, "ann|y|||0|rating|2"), "2 of 4 values of `rating` name no item: fill cells"),
        (index, (2, "ann|y||p1|0|rating|2"), "--value rating -o"),
        // A person or a model may be called SD.
        (RATINGS.replace("ann,x", "SD,SD"), (4, "SD|SD||p1|0|rating|4"), ""),
    ] {
        fs::write(folder.path().join("t.csv"), &text).unwrap();
        reads(folder.path(), "t.csv", rows, said);
    }
}

#[test]
fn cells_that_can_be_meant_otherwise_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let survey = "rater,x_1,x_2,y_1,y_2\nann,3,4,2,1\nbob,4,4,2,2\nMean,3.5,4,2,1.5\nSD,1,0,0,1\n";
    let thousands = "commas in `rating` (1,200";
    let cases: [(String, &[&str]); 13] = [
        (survey.to_owned(), &["line 4, column `rater`", "--where 'rater!=Mean' --where 'rater!=SD'"]),
        (format!("{RATINGS}Average,x,,4.5\n"), &["line 6", "\"Average\"", "--where 'rater!=Average'"]),
        (format!("{RATINGS}ann,x,Total,4\n"), &["line 6, column `item`", "--where 'item!=Total'"]),
        (rated(",", ["45 %", "0.4", "5 %", "1 %"]), &["line 3", "\"0.4\" is not a percentage", "in one way"]),
        (rated(",", ["0.45", "0.4", "5 %", "0.2"]), &["line 4", "\"5 %\" is a percentage", "in one way"]),
        (rated(",", ["1,200", "1,300", "900", "2,100"]), &[thousands, "--decimal-comma"]),
        (rated(",", ["1,200.5", "1,300", "900", "2,100"]), &[thousands, "leave them out"]),
        (rated(";", ["3,5", "1.200", "2,0", "4,5"]), &["line 3", "\"1.200\"", "3,5 on line 2"]),
        (rated(",", ["4", "#DIV/0!", "5", "#REF!"]), &["line 3", "\"#DIV/0!\"", "mend the formula", "NA"]),
        (rated(",", ["['ok', 'banana']", "['bad', None]", "[]", ""]), &["(bad, banana, ok)", "--lists"]),
        (rated(",", ["[{'rater': 'r', 'vote': 4}]", "[4]", "[3]", "[2]"]), &["line 2", "`r`", "--rater"]),
        ("prompt\na cat, on a mat\na dog, big, at night\n".into(), &["The columns are prompt."]),
        (",winner\nq1,model_a\nq2,model_b\n".into(), &["The columns are , winner."]),
    ];
    for (text, wanted) in cases {
        fs::write(folder.path().join("t.csv"), text).unwrap();
        refuses(folder.path(), &["t.csv"], wanted);
    }
}

/// A workbook of sheets with their rows; cells that begin with a digit are numbers, with the number of a format behind a `#`.
fn workbook(sheets: &[(&str, &str)]) -> Vec<u8> {
    let cell = |text: &str| match text.split_once('#') {
        Some((value, format)) => format!("<c s=\"{format}\"><v>{value}</v></c>"),
        None => format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>"),
    };
    let row = |line: &str| format!("<row>{}</row>", line.split(',').map(cell).collect::<String>());
    let mut files = vec![(
        "xl/styles.xml".to_owned(),
        "<numFmts><numFmt numFmtId=\"164\" formatCode=\"[$-409]d\\-mmm;@\"/><numFmt numFmtId=\"165\" formatCode=\"0 &quot;days&quot;\"/>\
         </numFmts><cellXfs><xf numFmtId=\"9\"/><xf numFmtId=\"164\"/><xf numFmtId=\"165\"/><xf numFmtId=\"22\"/></cellXfs>"
            .to_owned(),
    )];
    let (mut names, mut relations) = (String::new(), String::new());
    for (number, (name, text)) in sheets.iter().enumerate() {
        names.push_str(&format!("<sheet name=\"{name}\" r:id=\"r{number}\"/>"));
        relations.push_str(&format!("<Relationship Id=\"r{number}\" Target=\"{number}.xml\"/>"));
        files.push((format!("xl/{number}.xml"), text.lines().map(row).collect()));
    }
    files.extend([
        ("xl/workbook.xml".to_owned(), names),
        ("xl/_rels/workbook.xml.rels".to_owned(), relations),
    ]);
    zip(&files.iter().map(|(name, text)| (&**name, &**text)).collect::<Vec<_>>())
}

#[test]
fn sheets_of_workbooks_are_named_and_their_dates_are_no_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows = "rater,model,rating,remark\nann,x,0.4#0\nann,y,3#2,late\n";
    // Excel makes a day of 1/5, and keeps its number.
    let dates = "rater,model,rating\nann,x,45296#1\nann,y,45296.75#3\nbob,x,4#1\n";
    let book = workbook(&[("Pilot", rows), ("Main study", &format!("Results\n\n{rows}")), ("Dates", dates)]);
    fs::write(folder.join("b.xlsx"), book).unwrap();
    let first = (2, "ann|x|||0|rating|0.4");
    reads(folder, "b.xlsx", first, "sheet `Pilot`, and not Main study, Dates: name another as FILE#SHEET");
    reads(folder, "b.xlsx#Main study", first, "import csv 'b.xlsx#Main study'");
    reads(folder, "b.xlsx#Main study", first, "the header is on row 3");
    refuses(folder, &["b.xlsx#Other"], &["without a sheet `Other`: its sheets are Pilot, Main study, Dates"]);
    let columns = ["--rater", "rater", "--model", "model", "--value", "rating"];
    let days = ["row 2", "\"2024-01-05\" is not", "row 3", "\"2024-01-05 18:00:00\"", "2 faults"];
    refuses(folder, &[&["csv", "b.xlsx#Dates"], &columns[..]].concat(), &days);
    fs::write(folder.join("r.csv"), RATINGS).unwrap();
    refuses(folder, &["r.csv#Other"], &["no workbook with a sheet `Other`"]);
    // A file whose name has the sign is that file.
    fs::write(folder.join("r.csv#Other"), RATINGS).unwrap();
    reads(folder, "r.csv#Other", (4, "ann|x||p1|0|rating|4"), "");
    fs::write(folder.join("e.xlsx"), workbook(&[("Empty", ""), ("Data", rows)])).unwrap();
    refuses(folder, &["e.xlsx"], &["e.xlsx is empty", "and not Data"]);
}
