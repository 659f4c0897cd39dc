//! Every number of a report's figures, tables, LaTeX and sentences is one of `findings.json`, rounded where people read it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{program, typeset};

const STUDIES: [&str; 6] =
    ["contrast", "fooling", "hype-infinity", "hype-time-quest-plus", "imagenhub-generation", "ranking"];

type Rows = Vec<BTreeMap<String, String>>;

/// A report with its findings.
struct Report {
    study: String,
    folder: PathBuf,
    findings: Value,
}

impl Report {
    fn of(study: &str, folder: &Path) -> Self {
        let examples = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("examples/studies");
        let kept = folder.join(study);
        let path = kept.to_str().unwrap();
        let spec = format!("{study}.yaml");
        program::succeeds(&examples, &["run", &spec, "--simulate", "--study", path, "--progress", "none"]);
        let findings = serde_json::from_slice(&fs::read(kept.join("findings.json")).unwrap()).unwrap();
        Self { study: study.to_owned(), folder: kept.join("report"), findings }
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.folder.join(path)).unwrap()
    }

    /// The rows of a file with CSV, if the report has it.
    fn rows(&self, path: &str) -> Option<Rows> {
        let mut reader = csv::Reader::from_path(self.folder.join(path)).ok()?;
        Some(reader.deserialize().map(|row| row.unwrap()).collect())
    }

    fn measures(&self) -> &[Value] {
        self.findings["measures"].as_array().unwrap()
    }

    fn measure(&self, name: &str) -> &Value {
        self.measures().iter().find(|found| found["measure"]["name"] == name).unwrap()
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Checks that a cell is a number of the findings, or empty where they have none.
fn assert_same(cell: &str, found: &Value, what: &str) {
    match found.as_f64() {
        Some(number) => assert_eq!(cell.parse::<f64>().ok(), Some(number), "{what}"),
        None => assert_eq!(cell, "", "{what}"),
    }
}

/// The number of the cell is the same as that of the findings in the last digit but two.
fn assert_near(cell: &str, number: f64, what: &str) {
    let cell: f64 = cell.parse().unwrap();
    assert!((cell - number).abs() <= 1e-12 * (1.0 + number.abs()), "{what}: {cell} is not {number}");
}

/// The key of a measure in names of files.
fn slug(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' })
        .collect();
    plain.trim_matches('-').to_owned()
}

/// The numbers of a text: the number, and half of its last digit. Digits inside of words are no numbers.
fn numbers(text: &str) -> Vec<(f64, f64)> {
    let letters: Vec<char> = text.chars().map(|one| if one == '−' { '-' } else { one }).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let is_start = before.is_none_or(|before| !before.is_alphanumeric() && before != '.');
        let is_point = letters[at] == '.' && letters.get(at + 1).is_some_and(char::is_ascii_digit);
        if !(is_start && (letters[at].is_ascii_digit() || is_point)) {
            at += 1;
            continue;
        }
        let (mut end, mut points) = (at, 0);
        while letters.get(end).is_some_and(|one| {
            let is_point = *one == '.' && points == 0;
            one.is_ascii_digit() || is_point && letters.get(end + 1).is_some_and(char::is_ascii_digit)
        }) {
            points += usize::from(letters[end] == '.');
            end += 1;
        }
        let is_word = letters.get(end).is_some_and(|after| after.is_alphabetic() || *after == '_');
        if !is_word {
            let text: String = letters[at..end].iter().collect();
            let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
            // A hyphen between words is no minus.
            let is_negative =
                before == Some('-') && at.checked_sub(2).is_none_or(|two| !letters[two].is_alphanumeric());
            let number: f64 = format!("0{text}").parse().unwrap();
            found.push((if is_negative { -number } else { number }, 0.5 / 10_f64.powi(decimals)));
        }
        at = end.max(at + 1);
    }
    found
}

/// All numbers of the findings, and those that sentences count from them.
fn known(report: &Report) -> Vec<f64> {
    fn leaves(value: &Value, into: &mut Vec<f64>) {
        match value {
            Value::Number(number) => into.extend(number.as_f64()),
            Value::Array(all) => all.iter().for_each(|one| leaves(one, into)),
            Value::Object(all) => all.values().for_each(|one| leaves(one, into)),
            // Labels and methods have numbers of their own.
            Value::String(text) => into.extend(numbers(text).into_iter().map(|(number, _)| number)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    leaves(&report.findings, &mut all);
    let score = &report.measures()[0];
    let separable = list(&score["comparisons"])
        .iter()
        .filter(|pair| pair["p"].as_f64().is_some_and(|p| p < 0.05))
        .count();
    let single = list(&score["ranks"]["models"])
        .iter()
        .filter(|model| model["simultaneous"]["best"] == model["simultaneous"]["worst"])
        .count();
    let models = list(&score["estimates"]).len();
    let counts = [separable, single, models, models.saturating_sub(1), list(&score["comparisons"]).len()];
    all.extend(counts.map(|count| count as f64));
    let collected = &report.findings["collected"];
    let count = |name: &str| collected[name].as_f64().unwrap();
    all.push(count("completed") - count("excluded"));
    // Smaller p values are written as being below it.
    all.push(0.001);
    all
}

/// The visible text of markup.
fn plain(markup: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for letter in markup.chars() {
        match letter {
            '<' => inside = true,
            '>' => inside = false,
            letter if !inside => text.push(letter),
            _ => {}
        }
    }
    ["&quot;", "&#39;", "&lt;", "&gt;"]
        .iter()
        .fold(text, |text, entity| text.replace(entity, " "))
        .replace("&amp;", "&")
}

/// What stands between two texts.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("there is no {start}"));
    rest.split_once(end).unwrap_or_else(|| panic!("there is no {end} after {start}")).0
}

fn sentences_have_known_numbers(report: &Report) {
    let page = report.text("index.html");
    let mut sentences = vec![plain(between(&page, "<p class=\"answer\">", "</p>"))];
    for id in ["f1", "f2", "f3", "f13", "f15-ranks"] {
        if page.contains(&format!("<h2 id=\"{id}\">")) {
            let section = between(&page, &format!("<h2 id=\"{id}\">"), "</section>");
            sentences.push(plain(between(section, "<p>", "</p>")));
        }
    }
    let known = known(report);
    let mut count = 0;
    for sentence in sentences {
        for (number, half) in numbers(&sentence) {
            let is_known = known.iter().any(|one| {
                [*one, 100.0 * one].iter().any(|one| {
                    // The sign of a lead is that of the order.
                    (one - number).abs() <= half * (1.0 + 1e-9) || (one + number).abs() <= half * (1.0 + 1e-9)
                })
            });
            assert!(is_known, "{}: {number} of \"{sentence}\" is not of the findings", report.study);
            count += 1;
        }
    }
    assert!(count > 5, "{}: {count} numbers", report.study);
}

fn forests_have_estimates(report: &Report) {
    let mut forests = 0;
    for (place, found) in report.measures().iter().enumerate() {
        let name = found["measure"]["name"].as_str().unwrap();
        let file = if place == 0 { "f1".to_owned() } else { format!("f1-{}", slug(name)) };
        let Some(rows) = report.rows(&format!("figures/{file}.csv")) else { continue };
        let drawn = report.text(&format!("figures/{file}.svg"));
        let estimates = list(&found["estimates"]);
        let own: Rows = rows.into_iter().filter(|row| row["part"] == "estimate").collect();
        assert_eq!(own.len(), estimates.len(), "{}: {file}", report.study);
        for (row, one) in own.iter().zip(estimates) {
            let what = format!("{}: {file}: {row:?}", report.study);
            assert_eq!(row["model"], one["model"].as_str().unwrap(), "{what}");
            assert_same(&row["value"], &one["value"], &what);
            assert_same(&row["low"], &one["interval"]["low"], &what);
            assert_same(&row["high"], &one["interval"]["high"], &what);
            assert_same(&row["raters"], &one["raters"], &what);
            assert_same(&row["responses"], &one["responses"], &what);
            // What is written beside the row.
            let factor = if found["measure"]["unit"] == "proportion" { 100.0 } else { 1.0 };
            let exact: Vec<f64> = ["value", "low", "high"]
                .into_iter()
                .filter_map(|column| row[column].parse::<f64>().ok())
                .map(|number| number * factor)
                .collect();
            let texts = drawn.split("<text").filter_map(|rest| rest.split_once('>'));
            let is_written = texts.map(|(_, rest)| numbers(&plain(rest))).any(|written| {
                written.len() == exact.len()
                    && written
                        .iter()
                        .zip(&exact)
                        .all(|((number, half), exact)| (number - exact).abs() <= half * (1.0 + 1e-9))
            });
            assert!(is_written, "{what} is not beside the row");
        }
        forests += 1;
    }
    assert!(forests > 0);
}

fn ranks_votes_and_agreement_are_of_the_findings(report: &Report) {
    let score = &report.measures()[0];
    if let Some(rows) = report.rows("figures/f15-ranks.csv") {
        for (row, found) in rows.iter().zip(list(&score["ranks"]["models"])) {
            assert_eq!(row["model"], found["model"].as_str().unwrap());
            assert_same(&row["best"], &found["simultaneous"]["best"], "best rank");
            assert_same(&row["worst"], &found["simultaneous"]["worst"], "worst rank");
        }
    }
    if let Some(rows) = report.rows("figures/f14.csv") {
        let mut tables = report.measures().iter().flat_map(|found| list(&found["tables"]));
        let votes = tables.find(|table| table["name"] == "votes").unwrap();
        for found in list(&votes["rows"]) {
            let cell = |at: usize| found[at].as_str().unwrap();
            let is_pair =
                |row: &&BTreeMap<String, String>| row["model"] == cell(0) && row["against"] == cell(1);
            let row = rows.iter().find(is_pair).unwrap();
            for (column, at) in [("wins", 2), ("ties", 3), ("losses", 4), ("share", 5)] {
                assert_near(&row[column], found[at].as_f64().unwrap(), column);
            }
            assert_eq!(row["text"], format!("{}–{}–{}", row["wins"], row["ties"], row["losses"]));
        }
    }
    if let Some(rows) = report.rows("figures/f13.csv") {
        for row in &rows {
            let same = |one: &&Value| {
                let model = one["model"].as_str().map(|model| format!(", {model}")).unwrap_or_default();
                row["coefficient"] == format!("{}{model}", one["coefficient"].as_str().unwrap())
            };
            let label = |found: &&Value| found["measure"]["label"] == row["measure"].as_str();
            let found = report.measures().iter().find(label).unwrap();
            let one = list(&found["agreement"]).iter().find(same).unwrap();
            assert_same(&row["value"], &one["value"], &row["coefficient"]);
            assert_same(&row["low"], &one["interval"]["low"], &row["coefficient"]);
        }
        assert!(!rows.is_empty());
    }
    if let Some(rows) = report.rows("figures/f8.csv") {
        for row in rows.iter().filter(|row| row["part"] == "estimate") {
            let label = |found: &&Value| found["measure"]["label"] == row["estimator"].as_str();
            let found = report.measures().iter().find(label).unwrap();
            let one =
                list(&found["estimates"]).iter().find(|one| one["model"] == row["model"].as_str()).unwrap();
            assert_same(&row["value"], &one["value"], "a threshold");
        }
        for row in rows.iter().filter(|row| row["part"].starts_with("censored")) {
            for name in ["at_floor", "at_ceiling"] {
                let estimates = list(&report.measure(name)["estimates"]);
                let one = estimates.iter().find(|one| one["model"] == row["model"].as_str()).unwrap();
                assert_same(&row[name], &one["value"], name);
            }
        }
    }
}

/// The cells of a row of LaTeX.
fn cells_of(line: &str) -> Option<Vec<&str>> {
    Some(line.strip_suffix(" \\\\")?.split(" & ").collect())
}

fn tables_are_typeset(report: &Report) {
    let files = fs::read_dir(report.folder.join("tables")).unwrap().map(|file| file.unwrap().path());
    let latex = files.filter(|path| path.extension().is_some_and(|end| end == "tex"));
    typeset::compile(&latex.map(|path| fs::read_to_string(path).unwrap()).collect::<Vec<_>>());
}

fn tables_are_rounded_alike(report: &Report) {
    for table in ["t1", "t2"] {
        let Some(exact) = report.rows(&format!("tables/{table}.csv")) else { continue };
        let mut reader = csv::Reader::from_path(report.folder.join(format!("tables/{table}.csv"))).unwrap();
        let columns: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        assert!(
            columns.iter().all(|one| columns.iter().filter(|other| *other == one).count() == 1),
            "{columns:?}"
        );
        let printed: Vec<&String> =
            columns.iter().filter(|column| !column.ends_with("_half_width")).collect();
        let (latex, markdown) =
            (report.text(&format!("tables/{table}.tex")), report.text(&format!("tables/{table}.md")));
        let latex: Vec<Vec<&str>> = latex.lines().filter_map(cells_of).skip(1).collect();
        let markdown: Vec<Vec<&str>> = markdown
            .lines()
            .filter_map(|line| Some(line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect()))
            .skip(2)
            .collect();
        assert_eq!([latex.len(), markdown.len()], [exact.len(); 2], "{}: {table}", report.study);
        for ((row, latex), markdown) in exact.iter().zip(&latex).zip(&markdown) {
            for (place, column) in printed.iter().enumerate() {
                let what = format!("{}: {table}, {column}: {row:?}", report.study);
                let halves = row.get(&format!("{column}_half_width"));
                for cell in [latex[place], markdown[place]] {
                    let Ok(number) = row[*column].parse::<f64>() else {
                        assert!(!row[*column].is_empty() || cell == "–", "{what}");
                        continue;
                    };
                    let printed = numbers(&cell.replace("$-$", "-"));
                    let mut exact = vec![number];
                    exact.extend(halves.and_then(|half| half.parse::<f64>().ok()));
                    assert_eq!(printed.len(), exact.len(), "{what}: {cell}");
                    for ((shown, half), exact) in printed.into_iter().zip(exact) {
                        let is_rounded = |factor: f64| (shown - factor * exact).abs() <= half * (1.0 + 1e-9);
                        assert!(is_rounded(1.0) || is_rounded(100.0), "{what}: {cell}");
                    }
                }
            }
            for column in printed.iter().filter(|column| !["rank", "model"].contains(&column.as_str())) {
                let Some(half) = row.get(&format!("{column}_half_width")) else { continue };
                let found = report.measure(column);
                let is_model = |one: &&Value| one["model"] == row["model"].as_str();
                let one = list(&found["estimates"]).iter().find(is_model).unwrap();
                assert_same(&row[*column], &one["value"], column);
                let interval = &one["interval"];
                if let (Some(low), Some(high)) = (interval["low"].as_f64(), interval["high"].as_f64()) {
                    assert_near(half, (high - low) / 2.0, column);
                }
            }
        }
    }
}

fn nothing_is_no_number(report: &Report) {
    for folder in ["figures", "tables", "."] {
        for entry in fs::read_dir(report.folder.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if let Ok(text) = fs::read_to_string(&path) {
                // The content of pictures is no text.
                let mut parts = text.split(";base64,");
                let first = parts.next().unwrap_or_default().to_owned();
                let text = parts.fold(first, |text, part| text + part.split_once('"').unwrap().1);
                for bad in ["NaN", "Infinity", "inf,", "\"inf", ",inf"] {
                    assert!(!text.contains(bad), "{} has {bad}", path.display());
                }
            }
        }
    }
}

#[test]
fn reports_of_example_studies() {
    let temporary = tempfile::tempdir().unwrap();
    for study in STUDIES {
        let report = Report::of(study, temporary.path());
        forests_have_estimates(&report);
        sentences_have_known_numbers(&report);
        ranks_votes_and_agreement_are_of_the_findings(&report);
        tables_are_rounded_alike(&report);
        tables_are_typeset(&report);
        nothing_is_no_number(&report);
    }
}

#[test]
fn numbers_of_texts_are_found() {
    let of = |text| numbers(text).into_iter().map(|(number, _)| number).collect::<Vec<_>>();
    assert_eq!(of("−2.5 to 3, p = .012 (95 % of sd1.5-turbo)"), [-2.5, 3.0, 0.012, 95.0]);
    assert_eq!(numbers("0.30"), [(0.3, 0.005)]);
    assert_eq!(of("hype 0.1.0"), [0.1]);
}

#[test]
fn threads_do_not_change_a_report() {
    let temporary = tempfile::tempdir().unwrap();
    let examples = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("examples/studies");
    let kept = temporary.path().join("kept");
    let kept = kept.to_str().unwrap();
    program::succeeds(
        &examples,
        &["run", "fooling.yaml", "--simulate", "--study", kept, "--progress", "none"],
    );
    let read = |folder: &Path| -> BTreeMap<PathBuf, Vec<u8>> {
        ["", "figures", "tables"]
            .into_iter()
            .flat_map(|within| fs::read_dir(folder.join(within)).unwrap())
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file())
            .map(|path| (path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap()))
            .collect()
    };
    let of = |threads: &str| {
        let folder = temporary.path().join(format!("with-{threads}"));
        let output = ["report", kept, "-o", folder.to_str().unwrap(), "--with-images"];
        program::ends(&examples, &[("RAYON_NUM_THREADS", threads)], &output, true);
        read(&folder)
    };
    let (one, four) = (of("1"), of("4"));
    assert!(one.len() > 10);
    assert_eq!(one, four);
}
