//! Reports of example studies: every number is one of `findings.json`, and the same study gives the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program;

const STUDIES: [&str; 6] = ["contrast", "heim", "hype-infinity", "hype-time-quest-plus", "likert", "ranking"];

fn examples() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("examples/studies")
}

/// The rows of a CSV file by its header.
fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let mut reader =
        csv::Reader::from_path(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    reader.deserialize().map(|row| row.unwrap()).collect()
}

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    found
}

/// Checks that a cell is the number of the findings, or empty where they have none.
fn assert_same(cell: &str, found: &Value, what: &str) {
    match found.as_f64() {
        Some(number) => assert_eq!(cell.parse::<f64>().unwrap(), number, "{what}"),
        None => assert_eq!(cell, "", "{what}"),
    }
}

/// A page without its links to PDF and PNG files.
fn without_printed(page: &str) -> String {
    let mut text = page.to_owned();
    for end in ["-3.25in.pdf\">PDF 3.25 in</a>", "-6.75in.pdf\">PDF 6.75 in</a>", ".png\">PNG</a>"] {
        while let Some(at) = text.find(end) {
            let start = text[..at].rfind("<a href=").unwrap();
            text.replace_range(start..at + end.len(), "");
        }
    }
    text
}

fn check(study: &str) {
    let temporary = tempfile::tempdir().unwrap();
    let kept = temporary.path().join("kept");
    let kept = kept.to_str().unwrap();
    let spec = format!("{study}.yaml");
    let said =
        program::succeeds(&examples(), &["run", &spec, "--simulate", "--study", kept, "--progress", "none"]);
    let last = said.lines().last().unwrap().to_owned();
    let report = Path::new(kept).join("report");
    assert_eq!(last, format!(" report  {}", report.join("index.html").display()));
    let before = files(&report);
    fs::write(report.join("figures/f99.csv"), "of an earlier report").unwrap();
    program::succeeds(&examples(), &["report", kept]);
    let has_ending = |path: &Path, ending: &str| path.extension().is_some_and(|own| own == ending);
    let (printed, mut after): (BTreeMap<_, _>, BTreeMap<_, _>) =
        files(&report).into_iter().partition(|(path, _)| has_ending(path, "pdf") || has_ending(path, "png"));
    let linking = String::from_utf8(after[&report.join("index.html")].clone()).unwrap();
    after.insert(report.join("index.html"), without_printed(&linking).into_bytes());
    assert_eq!(before, after, "{study}: the same bytes");
    let drawn = before.keys().filter(|path| has_ending(path, "svg")).count();
    assert_eq!(printed.len(), if cfg!(feature = "figures") { 3 * drawn } else { 0 });
    for path in printed.keys() {
        let link = format!("href=\"figures/{}\"", path.file_name().unwrap().to_str().unwrap());
        assert!(linking.contains(&link), "{study}: {link}");
    }
    assert_eq!(linking.matches(".pdf\">PDF").count(), printed.len() / 3 * 2);

    let findings: Value =
        serde_json::from_slice(&fs::read(Path::new(kept).join("findings.json")).unwrap()).unwrap();
    let score = &findings["measures"][0];
    let forest = rows(&report.join("figures/f1.csv"));
    let table = rows(&report.join("tables/t1.csv"));
    let all = rows(&report.join("tables/s1-all-measures.csv"));
    let name = score["measure"]["name"].as_str().unwrap();
    for (place, estimate) in score["estimates"].as_array().unwrap().iter().enumerate() {
        let drawn = forest.iter().filter(|row| row["part"] == "estimate").nth(place).unwrap();
        let own = |row: &&BTreeMap<String, String>| {
            row["measure"] == name && row["model"] == estimate["model"].as_str().unwrap()
        };
        let of_all = all.iter().find(own).unwrap();
        for row in [drawn, of_all] {
            let what = format!("{study}: {row:?}");
            let model = row.get("model").or_else(|| row.get("row")).unwrap();
            assert_eq!(model, estimate["model"].as_str().unwrap());
            let value = row.get("value").or_else(|| row.get("x")).unwrap();
            assert_same(value, &estimate["value"], &what);
            assert_same(&row["low"], &estimate["interval"]["low"], &what);
            assert_same(&row["high"], &estimate["interval"]["high"], &what);
            assert_same(&row["raters"], &estimate["raters"], &what);
        }
        assert_eq!(table[place]["model"], estimate["model"].as_str().unwrap());
        assert_same(&table[place][name], &estimate["value"], study);
        for other in findings["measures"].as_array().unwrap() {
            let known = other["estimates"].as_array().unwrap();
            if let Some(known) = known.iter().find(|one| one["model"] == estimate["model"]) {
                let name = other["measure"]["name"].as_str().unwrap();
                let own = |row: &&BTreeMap<String, String>| {
                    row["measure"] == name && row["model"] == estimate["model"].as_str().unwrap()
                };
                let row = all.iter().find(own).unwrap();
                assert_same(&row["value"], &known["value"], &format!("{study}: {name}"));
            }
        }
    }
    let best = score["estimates"][0]["model"].as_str().unwrap();
    for row in forest.iter().filter(|row| row["part"] == "estimate" && row["panel"] == "difference") {
        let of = |a: &str, b: &str| {
            let all = score["comparisons"].as_array().unwrap();
            all.iter().find(|one| one["a"] == *a && one["b"] == *b)
        };
        let (same, turned) = (of(&row["row"], best), of(best, &row["row"]));
        let sign = if same.is_some() { 1.0 } else { -1.0 };
        let found = same.or(turned).unwrap();
        assert_eq!(row["x"].parse::<f64>().unwrap(), sign * found["difference"].as_f64().unwrap());
    }
    let collected = &findings["collected"];
    let [opened, completed, excluded] =
        ["sessions", "completed", "excluded"].map(|name| collected[name].as_u64().unwrap());
    let line = match excluded {
        0 => format!("Sessions: {opened} opened → {completed} completed, all of which count."),
        _ => format!("{opened} sessions opened → {completed} completed → {} count.", completed - excluded),
    };
    assert!(linking.contains(&line), "{study}: no {line}");
    assert_eq!(report.join("figures/f3.csv").exists(), excluded > 0, "{study}");
    let page = String::from_utf8(before[&report.join("index.html")].clone()).unwrap();
    assert!(page.contains("answers of synthetic raters"));
    for path in before.keys().filter(|path| path.extension().is_some_and(|ending| ending == "svg")) {
        assert!(
            String::from_utf8_lossy(&before[path]).contains("answers of synthetic raters"),
            "{}",
            path.display()
        );
    }
}

#[test]
fn legends_of_answers_have_their_words() {
    let temporary = tempfile::tempdir().unwrap();
    for (study, words) in [
        ("heim", ["Does not match at all", "Has several minor discrepancies", "Matches exactly"]),
        // Some images are shown again.
        ("likert", ["Not at all", "Moderately", "Completely"]),
    ] {
        let kept = temporary.path().join(study);
        let spec = format!("{study}.yaml");
        let run = ["run", &spec, "--simulate", "--study", kept.to_str().unwrap(), "--progress", "none"];
        program::succeeds(&examples(), &run);
        let drawn = fs::read_to_string(kept.join("report/figures/f12.svg")).unwrap();
        for word in words {
            assert!(drawn.contains(&format!(">{word}</text>")), "{study}: no {word} in {drawn}");
        }
    }
}

#[test]
fn numbers_match_findings_json() {
    STUDIES.into_iter().for_each(check);
}

#[test]
fn figures_are_printed_to_the_terminal() {
    let temporary = tempfile::tempdir().unwrap();
    let kept = temporary.path().join("kept");
    let kept = kept.to_str().unwrap();
    let run = ["run", "hype-infinity.yaml", "--simulate", "--study", kept, "--json", "--progress", "none"];
    program::json(&examples(), &run);
    assert!(!Path::new(kept).join("report").exists(), "JSON is for programs");
    let forest = program::succeeds(&examples(), &["report", kept, "--figure", "f1"]);
    assert!(forest.contains('●') && forest.contains('━') && forest.contains("good"), "{forest}");
    let refused = program::fails(&examples(), &["report", kept, "--figure", "f99"]);
    assert!(refused.contains("there is no figure f99; this study has f1"), "{refused}");
    let elsewhere = temporary.path().join("elsewhere");
    program::succeeds(&examples(), &["report", kept, "-o", elsewhere.to_str().unwrap()]);
    assert!(elsewhere.join("index.html").exists());
}

#[test]
fn the_page_is_in_the_language_that_is_asked_for() {
    let temporary = tempfile::tempdir().unwrap();
    let kept = temporary.path().join("kept");
    let kept = kept.to_str().unwrap();
    let run = ["run", "hype-infinity.yaml", "--simulate", "--study", kept, "--progress", "none"];
    program::succeeds(&examples(), &run);
    let english = files(&Path::new(kept).join("report"));
    program::succeeds(&examples(), &["report", kept, "--language", "de"]);
    let german = files(&Path::new(kept).join("report"));
    let differs: Vec<&PathBuf> = english.keys().filter(|path| english[*path] != german[*path]).collect();
    assert_eq!(differs, [&Path::new(kept).join("report/index.html")]);
    let page = fs::read_to_string(Path::new(kept).join("report/index.html")).unwrap();
    assert!(page.contains("<html lang=\"de\"") && page.contains("Ergebnis"));
    let refused = program::ends(&examples(), &[], &["report", kept, "--language", "fr"], false);
    assert!(refused.contains("possible values: en, de, es, zh, ar"), "{refused}");
}

#[test]
fn each_rater_who_counts_is_a_dot_of_the_forest() {
    let temporary = tempfile::tempdir().unwrap();
    let kept = temporary.path().join("kept");
    let kept = kept.to_str().unwrap();
    let run = ["run", "hype-infinity.yaml", "--simulate", "--study", kept, "--progress", "none"];
    program::succeeds(&examples(), &run);
    let forest = rows(&Path::new(kept).join("report/figures/f1.csv"));
    for estimate in forest.iter().filter(|row| row["part"] == "estimate" && row["panel"] != "difference") {
        let dots =
            forest.iter().filter(|row| row["part"].starts_with("rater") && row["row"] == estimate["row"]);
        assert_eq!(dots.count().to_string(), estimate["raters"], "{}", estimate["row"]);
    }
}

#[test]
fn plans_have_a_page_with_the_numbers_of_the_plan() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("plan");
    let written = folder.to_str().unwrap();
    let arguments = ["plan", "hype-infinity.yaml", "--raters", "10,30", "--cohort", "60", "-o", written];
    let said = program::succeeds(&examples(), &arguments);
    assert_eq!(said.lines().last().unwrap(), format!("written: {}", folder.join("index.html").display()));
    let plan = program::json(&examples(), &[&arguments[..], &["--json"]].concat());
    let expected = plan["rows"].as_array().unwrap();
    let widths = rows(&folder.join("figures/plan-width.csv"));
    assert_eq!(widths.len(), expected.len());
    for (drawn, row) in widths.iter().zip(expected) {
        assert_eq!(drawn["raters"], row["raters"].to_string());
        assert_same(&drawn["value"], &row["expected"]["width"], "width");
        assert_same(&drawn["cost"], &row["costs"][0]["total"], "cost");
    }
    let page = fs::read_to_string(folder.join("index.html")).unwrap();
    let sentence = plan["advice"].as_str().unwrap().split_whitespace().next().unwrap();
    assert!(page.contains(sentence) && page.contains("Assumed: "), "{page}");
    // The page says what its columns mean, and what is assumed about each model.
    for meaning in
        ["detects: the smallest difference", "tells: ", "width: of the widest", "standard deviation "]
    {
        assert!(page.contains(meaning), "no {meaning:?} in {page}");
    }
    assert!(fs::read_to_string(folder.join("figures/plan-power.svg")).unwrap().starts_with("<svg"));
}

#[test]
fn plans_from_pilots_draw_the_limit_and_the_fees_that_were_named() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let spec = "s/evaluation.yaml";
    program::succeeds(folder, &["new", "s", "--images", "14", "--size", "16", "--task", "hype-infinity"]);
    let run = ["run", spec, "--simulate", "4", "--study", "pilot", "--progress", "none", "--json"];
    program::succeeds(folder, &run);
    let planned = |more: &[&str], written: &str| {
        let plan = ["plan", spec, "--from", "pilot", "--raters", "10,30", "-o", written, "--json"];
        let plan = program::json(folder, &[&plan[..], more].concat());
        let page = fs::read_to_string(folder.join(written).join("index.html")).unwrap();
        (plan, page, rows(&folder.join(written).join("figures/plan-width.csv")))
    };
    let (plan, page, all) = planned(&["--fee", "0.4"], "named");
    let expected = plan["rows"].as_array().unwrap();
    for (part, outlook) in [("expected", "expected"), ("limit", "cautious")] {
        let widths: Vec<_> = all.iter().filter(|row| row["part"] == part).collect();
        assert_eq!(widths.len(), expected.len(), "{part}");
        for (drawn, row) in widths.iter().zip(expected) {
            assert_same(&drawn["value"], &row[outlook]["width"], part);
            assert!(row["costs"][1]["total"].as_f64() > Some(0.0), "{row}");
            assert_same(&drawn["cost"], &row["costs"][1]["total"], "cost");
        }
    }
    for text in [
        "limit: if raters differ as",
        "cost (USD, with 40 % fees)",
        "Dashed: if raters differ",
        "80 % limit ",
    ] {
        assert!(page.contains(text), "no {text:?} in {page}");
    }
    // Prolific takes different fees from two kinds of customers: the curves have neither.
    let (plan, page, all) = planned(&[], "open");
    assert_eq!(plan["rows"][0]["costs"].as_array().unwrap().len(), 3);
    assert_same(&all[0]["cost"], &plan["rows"][0]["costs"][0]["total"], "cost");
    assert!(page.contains("cost (USD, without fees)"), "{page}");
}

#[test]
fn curves_of_collected_studies_are_drawn() {
    let temporary = tempfile::tempdir().unwrap();
    let [kept, written] = ["kept", "curve"].map(|name| temporary.path().join(name));
    let (study, folder) = (kept.to_str().unwrap(), written.to_str().unwrap());
    let run =
        ["run", "hype-infinity.yaml", "--simulate", "6", "--study", study, "--progress", "none", "--json"];
    program::succeeds(&examples(), &run);
    let arguments = ["plan", "--curve", study, "--raters", "10,40", "-o", folder];
    let said = program::succeeds(&examples(), &arguments);
    assert_eq!(said.lines().last().unwrap(), format!("written: {}", written.join("index.html").display()));
    assert!(said.contains("four times as many raters halve it"), "{said}");
    let curve = program::json(&examples(), &[&arguments[..], &["--json"]].concat());
    let drawn = rows(&written.join("figures/plan-curve.csv"));
    let models = curve["models"].as_array().unwrap();
    assert_eq!(drawn.len(), 2 * models.len());
    for row in &drawn {
        let place = models.iter().position(|model| model["model"] == *row["model"]).unwrap();
        let of = curve["rows"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["raters"].as_u64() == row["raters"].parse().ok());
        assert_same(&row["width"], &of.unwrap()["widths"][place], "width");
    }
    assert!(fs::read_to_string(written.join("figures/plan-curve.svg")).unwrap().starts_with("<svg"));
    assert!(fs::read_to_string(written.join("index.html")).unwrap().contains("only looks flat"));
}

#[test]
fn simulations_keep_nothing_and_write_a_report_on_request() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("report");
    let simulate = ["simulate", "hype-infinity.yaml", "--raters", "4"];
    let said = program::succeeds(&examples(), &simulate);
    let last = said.lines().last().unwrap();
    assert_eq!(
        last,
        " kept nothing; -o FOLDER writes the report, `hype run hype-infinity.yaml --simulate` keeps the study"
    );
    let with_report = [&simulate[..], &["-o", folder.to_str().unwrap()]].concat();
    let said_with = program::succeeds(&examples(), &with_report);
    let index = folder.join("index.html");
    assert_eq!(said_with.lines().last().unwrap(), format!(" report  {}", index.display()));
    // The findings are the same, whether logs are kept in memory or not.
    let findings = |said: &str| said.split("\n kept nothing").next().unwrap().to_owned();
    assert_eq!(findings(&said_with), findings(&said));
    let page = fs::read_to_string(&index).unwrap();
    assert!(page.contains("<svg") && page.contains("synthetic raters"), "{page}");
    let json = program::json(&examples(), &[&simulate[..], &["--json"]].concat());
    let estimates = json["measures"][0]["estimates"].as_array().unwrap();
    let drawn = rows(&folder.join("figures/f1.csv"));
    let of_models =
        |row: &&BTreeMap<String, String>| row["part"] == "estimate" && row["panel"] != "difference";
    assert_eq!(drawn.iter().filter(of_models).count(), estimates.len());
}

#[test]
fn published_judgments_have_the_known_letters() {
    let Some(table) = program::reference("hype_infinity") else { return };
    let table = table.join("ffhq256.csv");
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("report");
    let (table, folder) = (table.to_str().unwrap(), folder.to_str().unwrap());
    let values = ["--rater", "id", "--value", "err_rt", "--unit", "proportion", "--pairs", "tukey-kramer"];
    let arguments = [&["aggregate", table, "--figures", folder][..], &values].concat();
    program::succeeds(Path::new("."), &arguments);
    let forest = rows(&Path::new(folder).join("figures/f1.csv"));
    let letters: Vec<(&str, &str)> = forest
        .iter()
        .filter(|row| row["part"] == "estimate" && row["panel"] != "difference")
        .map(|row| (&*row["row"], &*row["letters"]))
        .collect();
    let known = [
        ("stylenat", "a"),
        ("insgen", "ab"),
        ("stylegan2-ada", "bc"),
        ("ldm", "c"),
        ("styleswin", "cd"),
        ("unleashing", "cd"),
        ("stylegan-xl", "cd"),
        ("projected-gan", "de"),
        ("efficient-vdvae", "e"),
    ];
    assert_eq!(letters, known);
}

#[test]
fn erased_answers_are_in_no_report() {
    let temporary = tempfile::tempdir().unwrap();
    let kept = temporary.path().join("kept");
    let kept = kept.to_str().unwrap();
    let run = ["run", "hype-time-quest-plus.yaml", "--simulate", "--study", kept, "--progress", "none"];
    program::succeeds(&examples(), &run);
    let page = Path::new(kept).join("report/index.html");
    assert!(page.exists() && Path::new(kept).join("report/figures/f6.csv").exists());
    let events = program::succeeds(&examples(), &["export", kept, "--what", "events", "--format", "jsonl"]);
    let first: Value = serde_json::from_str(events.lines().next().unwrap()).unwrap();
    let session = first["session"].as_str().unwrap();
    program::succeeds(&examples(), &["forget", kept, "--answers", "--session", session]);
    assert!(!page.exists() && !Path::new(kept).join("report/figures").exists());
    program::succeeds(&examples(), &["score", kept]);
    assert!(page.exists(), "the report of the others");
}

#[test]
fn images_that_differ_by_chance_alone_are_a_sentence() {
    let temporary = tempfile::tempdir().unwrap();
    let drawn = temporary.path().join("drawn");
    let drawn = drawn.to_str().unwrap();
    program::succeeds(
        temporary.path(),
        &["new", drawn, "--task", "hype-infinity", "--seed", "5", "--images", "12"],
    );
    let spec = &*format!("{drawn}/evaluation.yaml");
    let said = program::succeeds(temporary.path(), &["run", spec, "--simulate", "--progress", "none"]);
    let report = said.lines().last().unwrap().strip_prefix(" report  ").unwrap();
    let page = fs::read_to_string(temporary.path().join(report)).unwrap();
    assert!(page.contains("do not differ by more than chance"), "{page}");
    assert!(!page.contains("id=\"f10-") && !page.contains("data:image/jpeg"));
}

#[test]
fn single_answers_are_next_to_their_stimuli() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    program::succeeds(folder, &["new", "s", "--images", "14", "--size", "16", "--task", "hype-infinity"]);
    let run = ["run", "s/evaluation.yaml", "--simulate", "3", "--study", "kept", "--progress", "none"];
    program::succeeds(folder, &run);
    let report = folder.join("kept/report");
    let index = fs::read_to_string(report.join("index.html")).unwrap();
    assert!(index.contains("<a href=\"answers.html\">") && !index.contains("<script"));
    let page = fs::read_to_string(report.join("answers.html")).unwrap();
    assert!(!page.contains("http:") && !page.contains("https:"), "it works without a network");
    assert!(
        page.contains("@media (max-width:640px)"),
        "phones have the parts of an answer below one another"
    );
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    let answers = data["answers"].as_array().unwrap();
    let findings: Value =
        serde_json::from_slice(&fs::read(folder.join("kept/findings.json")).unwrap()).unwrap();
    assert!(
        answers.len() as u64 <= findings["collected"]["responses"].as_u64().unwrap() && answers.len() > 20
    );
    for answer in answers {
        assert!(["real", "generated"].contains(&answer[3].as_str().unwrap()), "{answer}");
        let stimulus = answer[2][0].as_u64().unwrap() as usize;
        let path = data["stimuli"][stimulus][1].as_str().unwrap();
        let at = report.join(data["folder"].as_str().unwrap()).join(path);
        assert!(at.is_file(), "{}", at.display());
    }
    // A report for others names no folder of this computer.
    program::succeeds(folder, &["report", "kept", "-o", "elsewhere"]);
    let shared = fs::read_to_string(folder.join("elsewhere/answers.html")).unwrap();
    assert!(shared.contains("\"folder\":null"), "{shared}");
}

#[test]
fn precision_has_a_scale_of_what_raters_earned() {
    let temporary = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(examples().join("fooling.yaml")).unwrap();
    let images = examples().join("../quickstart");
    let payment = "payment: { currency: EUR, base: 2.5, per_correct: 0.05 }";
    let text = text
        .replace("per_model: 25", &format!("per_model: 25, {payment}"))
        .replace("../quickstart", images.to_str().unwrap());
    assert!(text.contains(payment));
    fs::write(temporary.path().join("paid.yaml"), text).unwrap();
    let run = ["run", "paid.yaml", "--simulate", "--study", "kept", "--progress", "none"];
    program::succeeds(temporary.path(), &run);
    let report = temporary.path().join("kept/report");
    let findings = fs::read(temporary.path().join("kept/findings.json")).unwrap();
    let findings: Value = serde_json::from_slice(&findings).unwrap();
    let total = findings["earnings"]["total"].as_f64().unwrap();
    let sessions = findings["collected"]["completed"].as_f64().unwrap();
    let study: Vec<_> =
        rows(&report.join("figures/f4.csv")).into_iter().filter(|row| row["part"] == "study").collect();
    assert_eq!(study.len(), 2);
    for row in study {
        let cost: f64 = row["cost"].parse().unwrap();
        assert!((cost - 25.0 * total / sessions).abs() < 1e-9, "{row:?}");
    }
    let drawn = fs::read_to_string(report.join("figures/f4.svg")).unwrap();
    assert!(drawn.contains("earned by the raters of one model, replaced ones included (EUR)"));
}
