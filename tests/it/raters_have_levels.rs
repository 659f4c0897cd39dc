//! Facets of raters: a table that comes after the answers gives findings a part for each level, and changes nothing else.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program;

/// A folder with a study of two models, eight raters each, whose spec ends in these lines.
fn folder(further: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let images = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/quickstart/images");
    for set in ["good", "real", "weak"] {
        fs::create_dir_all(folder.path().join(set)).unwrap();
        for number in 1..=6 {
            let name = format!("{set}/{number:04}.png");
            fs::copy(images.join(&name), folder.path().join(&name)).unwrap();
        }
    }
    let set = |name: &str, role: &str| format!("  {name}: {{ role: {role}, images: \"{name}/*.png\" }}\n");
    let sets = set("real", "real") + &set("good", "generated") + &set("weak", "generated");
    let spec = format!(
        "name: people\nseed: 3\nstimuli:\n{sets}task: {{ kind: hype_infinity, generated: 6, real: 6 }}\nraters: {{ per_model: 8, \
         qualification: null }}\n{further}"
    );
    fs::write(folder.path().join("study.yaml"), spec).unwrap();
    folder
}

const BY_AGE: &str = "facets: { age: { of: raters, table: people.csv, order: [young, old] } }\naggregate: { kind: by_facet, \
                      within: age }\n";

fn findings(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("kept/findings.json")).unwrap()).unwrap()
}

#[test]
fn levels_of_raters_may_come_after_their_answers() {
    let folder = folder("");
    let path = folder.path();
    program::succeeds(path, &["run", "study.yaml", "--simulate", "--study", "kept"]);
    let before = findings(path);

    let spec = fs::read_to_string(path.join("study.yaml")).unwrap() + BY_AGE;
    fs::write(path.join("study.yaml"), spec).unwrap();
    let said = program::says(path, &["check", "study.yaml"]);
    assert!(said.contains("people.csv does not exist"), "{said}");

    program::succeeds(path, &["export", "kept", "--what", "scores", "-o", "scores.csv"]);
    let scores = fs::read_to_string(path.join("scores.csv")).unwrap();
    let column = scores.lines().next().unwrap().split(',').position(|name| name == "rater").unwrap();
    let mut raters: Vec<&str> =
        scores.lines().skip(1).map(|row| row.split(',').nth(column).unwrap()).collect();
    raters.sort_unstable();
    raters.dedup();
    assert_eq!(raters.len(), 16);
    let mut table = "rater,age,country\n".to_owned();
    for (number, rater) in raters.iter().enumerate() {
        let age = ["young", "old", "old", ""][number % 4];
        writeln!(table, "{rater},{age},somewhere").unwrap();
    }
    fs::write(path.join("people.csv"), table).unwrap();
    let said = program::succeeds(path, &["run", "study.yaml", "--simulate", "--study", "kept", "--full"]);
    assert!(said.contains("young") && said.contains("4 raters without a level of age"), "{said}");
    let after = findings(path);
    let score = &after["measures"][0];
    let levels: Vec<(&str, u64)> = score["facets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|level| (level["level"].as_str().unwrap(), level["raters"].as_u64().unwrap()))
        .collect();
    assert_eq!(levels, [("young", 4), ("old", 8)]);
    assert_eq!(score["estimates"], before["measures"][0]["estimates"]);
    assert_eq!(after["study"]["study"], before["study"]["study"], "the digest of the sessions is the same");
    program::succeeds(path, &["score", "kept"]);
    assert_eq!(findings(path), after, "the folder needs no other files");

    let kept = || fs::read_to_string(path.join("kept/raters.json")).unwrap();
    assert!(kept().contains(raters[1]));
    let session = raters[1].replacen('r', "p", 1);
    program::succeeds(path, &["forget", "kept", "--answers", "--session", &session]);
    assert!(!kept().contains(raters[1]) && kept().contains(raters[2]), "{}", kept());
}

/// Declared shares of a population: checked in the spec, and shown wherever levels are.
#[test]
fn levels_of_raters_are_weighted_by_shares_of_a_population() {
    let with = |shares: &str| BY_AGE.replace("age }\n", &format!("age, shares: {{ {shares} }} }}\n"));
    let folder = folder(&with("young: 0.2, old: 0.8"));
    let path = folder.path();
    program::succeeds(path, &["run", "study.yaml", "--simulate", "--study", "kept"]);
    let sessions = program::succeeds(path, &["export", "kept", "--what", "scores"]);
    let column = sessions.lines().next().unwrap().split(',').position(|name| name == "rater").unwrap();
    let mut raters: Vec<&str> =
        sessions.lines().skip(1).map(|row| row.split(',').nth(column).unwrap()).collect();
    raters.sort_unstable();
    raters.dedup();
    let mut table = "rater,age\n".to_owned();
    for (number, rater) in raters.iter().enumerate() {
        writeln!(table, "{rater},{}", if number % 8 < 2 { "old" } else { "young" }).unwrap();
    }
    fs::write(path.join("people.csv"), table).unwrap();
    let said = program::succeeds(path, &["run", "study.yaml", "--simulate", "--study", "kept", "--full"]);
    for expected in [
        "weighted mean",
        "shares of the population: young 20 %, old 80 %",
        "design effect of the weights (Kish)",
        "pairs of weighted means: t of weighted means, Holm",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let found = findings(path);
    let weighted = &found["measures"][0]["interactions"][0]["weighted"];
    assert_eq!(weighted["shares"], serde_json::json!([0.2, 0.8]));
    let rows = program::succeeds(path, &["export", "kept", "--what", "findings"]);
    for (kind, count) in [(",weighted-mean,", 2), (",design-effect,", 2)] {
        let of_score = rows.lines().filter(|row| row.contains(kind) && row.starts_with("error,")).count();
        assert_eq!(of_score, count, "{kind}: {rows}");
    }
    let methods = fs::read_to_string(path.join("kept/report/methods.md")).unwrap();
    assert!(
        methods.contains("Means weighted by shares of a population (age: young 20% and old 80%)"),
        "{methods}"
    );
    let table = fs::read_to_string(path.join("kept/report/tables/s2-by-level.md")).unwrap();
    assert!(table.contains("| weighted mean |"), "{table}");

    let check = |shares: &str| {
        let spec = fs::read_to_string(path.join("study.yaml")).unwrap();
        let begin = spec.find("facets:").unwrap();
        fs::write(path.join("wrong.yaml"), spec[..begin].to_owned() + &with(shares)).unwrap();
        program::fails(path, &["check", "wrong.yaml"])
    };
    let said = check("young: 0.2, elderly: 0.7");
    for expected in ["the shares sum to 0.9", "age has no level `elderly`", "levels of age are missing: old"]
    {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert!(check("young: 0, old: 1").contains("the share of young is 0"));
}

#[test]
fn tables_of_raters_are_checked() {
    let folder = folder(BY_AGE);
    let write = |table: &str| fs::write(folder.path().join("people.csv"), table).unwrap();
    write("rater,age\na,young\na,old\nb,middle\n");
    let said = program::fails(folder.path(), &["check", "study.yaml"]);
    assert!(
        said.contains("people.csv, line 3: `a` has the level old here, but young in an earlier row"),
        "{said}"
    );
    assert!(said.contains("`middle` is not in the `order` of age"), "{said}");
    write("name,Age\na,young\n");
    let said = program::fails(folder.path(), &["check", "study.yaml"]);
    assert!(said.contains("there is no column `rater`"), "{said}");
    assert!(said.contains("there is no column `age`; `Age` is there"), "{said}");
    write("rater,age\na,young\n");
    program::succeeds(folder.path(), &["check", "study.yaml"]);

    let banded = self::folder(&BY_AGE.replace("order: [young, old]", "bands: [30, 50]"));
    let write = |table: &str| fs::write(banded.path().join("people.csv"), table).unwrap();
    write("rater,age\na,29.5\nb,old\n");
    let said = program::fails(banded.path(), &["check", "study.yaml"]);
    assert!(said.contains("people.csv, line 3: `age` is `old`, but `bands` need a number"), "{said}");
    write("rater,age\na,29.5\nb,50\n");
    program::succeeds(banded.path(), &["check", "study.yaml"]);
    let unordered = self::folder(&BY_AGE.replace("order: [young, old]", "bands: [50, 30], kind: number"));
    let said = program::fails(unordered.path(), &["check", "study.yaml"]);
    assert!(said.contains("each number has to be above the one before"), "{said}");
    assert!(said.contains("bands are categories"), "{said}");

    let tableless = BY_AGE.replace(", table: people.csv", "");
    let without = self::folder(&tableless);
    let said = program::fails(without.path(), &["check", "study.yaml"]);
    assert!(said.contains("nothing says which raters have which age"), "{said}");
    let of_sets = self::folder(&BY_AGE.replace("of: raters, ", ""));
    let said = program::fails(of_sets.path(), &["check", "study.yaml"]);
    assert!(said.contains("only facets of raters have tables of their own"), "{said}");
}
