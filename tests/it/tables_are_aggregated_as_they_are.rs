//! `hype aggregate` reads tables from anywhere, and says what it leaves out, refuses or doubts.

use std::fs;

use assert_cmd::Command;

use crate::program::{fails, json, succeeds};

/// Votes of eight raters between three models, as a long table.
fn votes() -> String {
    let mut text = String::from("rater,model,against,item,measure,value\n");
    for rater in 0..8 {
        for (item, (model, against)) in [("x", "y"), ("y", "z"), ("z", "x"), ("y", "x")].iter().enumerate() {
            let value = (rater + item) % 3 / 2;
            text.push_str(&format!("r{rater},{model},{against},i{item},preference,{value}\n"));
        }
    }
    text
}

#[test]
fn a_long_table_is_read_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("votes.csv"), votes()).unwrap();
    let from_file = succeeds(folder.path(), &["aggregate", "votes.csv", "--with", "contrast", "--json"]);
    let piped = Command::cargo_bin("hype")
        .unwrap()
        .args(["aggregate", "-", "--with", "contrast", "--json"])
        .write_stdin(votes())
        .output()
        .unwrap();
    assert!(piped.status.success(), "{}", String::from_utf8_lossy(&piped.stderr));
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), from_file);
}

/// Votes about six prompts, three each and one with four, without their raters.
const LISTS: &str = "Prompt\tDecisions\np1\tgen,gen,ret\np2\tgen,same,gen\np3\tret,gen,gen\np4\tgen,gen,gen\n\
                     p5\tret,ret,same\np6\tgen,gen,ret,gen\n";
const IMPORT: [&str; 6] = ["import", "votes", "lists.tsv", "--decisions", "Decisions", "--item"];

#[test]
fn invented_raters_are_not_a_sample() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("lists.tsv"), LISTS).unwrap();
    succeeds(folder, &[&IMPORT[..], &["Prompt", "--compare", "gen,ret", "-o", "scores.csv"]].concat());
    let by = ["aggregate", "scores.csv", "--with"];
    let found = json(folder, &[&by[..], &["contrast", "--json"]].concat());
    for measure in found["measures"].as_array().unwrap() {
        assert_eq!(measure["generalize_to"], "items", "{measure}");
        let interval = &measure["estimates"][0]["interval"];
        assert!(interval["method"].as_str().unwrap().contains("over items"), "{interval}");
    }
    let codes: Vec<&str> =
        found["notes"].as_array().unwrap().iter().map(|note| note["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"made-up-raters") && !codes.contains(&"made-up-raters-vary"), "{codes:?}");
    // An aggregator without a target warns.
    let elo =
        succeeds(folder, &[&by[..], &["{ kind: contrast, generalize_to: items }", "--with", "elo"]].concat());
    assert!(elo.contains("the answers name no raters"), "{elo}");
    for asked in [
        &["{ kind: contrast, generalize_to: raters }"][..],
        &["{ kind: contrast, bootstrap: { resamples: 200 } }"],
        &["contrast", "--generalize-to", "raters-and-items"],
    ] {
        let message = fails(folder, &[&by[..], asked].concat());
        assert!(
            message.contains("the table names no raters") && message.contains("--generalize-to items"),
            "{message}"
        );
    }
    // The facts survive another import, and a table on standard input states them too.
    let columns = [
        "--rater",
        "rater",
        "--model",
        "model",
        "--against",
        "against",
        "--item",
        "item",
        "--value",
        "value",
    ];
    let again =
        [&["import", "csv", "scores.csv"][..], &columns, &["--measure", "measure", "-o", "again.csv"]]
            .concat();
    succeeds(folder, &again);
    let text = fs::read_to_string(folder.join("scores.csv")).unwrap();
    assert_eq!(fs::read_to_string(folder.join("again.csv")).unwrap(), text);
    let piped = Command::cargo_bin("hype")
        .unwrap()
        .args(["aggregate", "-", "--with", "contrast", "--json"])
        .write_stdin(text.clone())
        .output()
        .unwrap();
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&piped.stdout).unwrap(), found);
    fs::write(folder.join("odd.csv"), text.replacen("made-up", "invented", 1)).unwrap();
    let message = fails(folder, &["aggregate", "odd.csv", "--with", "contrast"]);
    assert!(
        message.contains("line 2, column `rater_kind`: \"invented\" is not a known rater_kind"),
        "{message}"
    );
}

#[test]
fn codes_of_categories_have_a_nominal_agreement() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("lists.tsv"), LISTS).unwrap();
    succeeds(folder, &[&IMPORT[..], &["Prompt", "--labels", "gen,ret,same", "-o", "codes.csv"]].concat());
    let coefficient = |arguments: &[&str]| {
        let found =
            json(folder, &[&["aggregate", "codes.csv", "--with", "agreement", "--json"], arguments].concat());
        found["measures"][0]["agreement"][1]["coefficient"].as_str().unwrap().to_owned()
    };
    assert_eq!(coefficient(&[]), "Krippendorff's alpha (nominal)");
    assert_eq!(coefficient(&["--scale", "ordinal"]), "Krippendorff's alpha (ordinal)");
    let means = succeeds(folder, &["aggregate", "codes.csv"]);
    assert!(means.contains("the values are codes of categories"), "{means}");
}

#[test]
fn empty_values_are_counted_with_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("rater,model,value,other\n");
    for rater in 0..12 {
        let value = if rater % 2 == 0 { String::new() } else { rater.to_string() };
        text.push_str(&format!("r{rater},{},{value},1\n", ["x", "y"][rater / 6]));
    }
    fs::write(folder.path().join("ratings.csv"), text).unwrap();
    let arguments = ["aggregate", "ratings.csv", "--value", "value", "--value", "other", "--json"];
    let found = json(folder.path(), &arguments);
    let note = &found["notes"][0];
    assert_eq!((&note["code"], &note["number"]), (&"empty-values".into(), &1.into()));
    let text = note["text"].as_str().unwrap();
    assert_eq!(text, "6 empty values in column `value` (lines 2, 4, 6, …): left out as missing");
    assert!(
        found["notes"]
            .as_array()
            .unwrap()
            .iter()
            .all(|note| !note["text"].as_str().unwrap().contains("other`"))
    );
}

#[test]
fn values_beyond_double_precision_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = "rater,model,item,value\na,x,1,1\nb,x,1,1e308\nc,x,1,1e308\na,y,1,2\nb,y,1,3\nc,y,1,1e308\n";
    fs::write(folder.path().join("huge.csv"), text).unwrap();
    for with in [&[][..], &["--with", "pooled"], &["--with", "components"]] {
        let message = fails(folder.path(), &[&["aggregate", "huge.csv"][..], with].concat());
        assert!(message.contains("rater b") && message.contains("1e308"), "{message}");
        assert!(message.contains("use another unit"), "{message}");
    }
}

#[test]
fn wide_tables_of_votes_are_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let wide = "rater,model,against,value\na,x,y,1\nb,x,y,0\na,y,z,1\nb,z,x,1\n";
    fs::write(folder.path().join("wide.csv"), wide).unwrap();
    let message = fails(folder.path(), &["aggregate", "wide.csv"]);
    assert!(message.contains("`contrast`") && message.contains("`preference`"), "{message}");
    let message = fails(folder.path(), &["aggregate", "wide.csv", "--with", "contrast"]);
    assert!(message.contains("`preference`") && message.contains("--value preference"), "{message}");
    // The solution works.
    fs::write(folder.path().join("named.csv"), wide.replace("value", "preference")).unwrap();
    let remedy = ["aggregate", "named.csv", "--with", "contrast", "--value", "preference", "--json"];
    assert_eq!(json(folder.path(), &remedy)["measures"][0]["measure"]["name"], "strength");
}

#[test]
fn notes_follow_the_answer_and_have_its_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("rater,model,value\n");
    for rater in 0..6 {
        text.push_str(&format!("r{rater},x,{rater}\nr{rater},y,{}\n", rater * 2));
    }
    fs::write(folder.path().join("within.csv"), text).unwrap();
    let shown = succeeds(folder.path(), &["aggregate", "within.csv", "--design", "between"]);
    let place = |text: &str| shown.find(text).unwrap_or_else(|| panic!("no {text} in\n{shown}"));
    assert!(place("not told apart by value") < place("① some raters judged several models"), "{shown}");
    let codes = json(folder.path(), &["aggregate", "within.csv", "--design", "between", "--json"]);
    assert_eq!(codes["notes"][0]["code"], "repeated-raters");
}

/// Votes of twelve raters about eight items of two kinds, with the kind of each in its row; the winner depends on the kind.
fn votes_by_kind() -> String {
    let mut text = String::from("rater,model,against,item,kind,team,preference\n");
    for rater in 0..12 {
        for item in 0..8 {
            let (kind, most) = if item % 2 == 0 { ("text", 4) } else { ("people", 1) };
            let won = u8::from((rater * 3 + item / 2 * 2) % 5 < most);
            let team = ["old", "young"][rater % 2];
            text.push_str(&format!("r{rater},x,y,i{item},{kind},{team},{won}\n"));
        }
    }
    text
}

#[test]
fn columns_of_levels_are_facets() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("votes.csv"), votes_by_kind()).unwrap();
    let with = |facet: &str| format!("{{ kind: contrast, within: {facet} }}");
    let by = |table: &str, facet: &str| {
        let with = with(facet);
        let call = ["aggregate", table, "--value", "preference", "--with", &with, "--facet", facet, "--json"];
        json(folder, &call)["measures"][0].clone()
    };
    // Each item has one kind, and each rater is in one team.
    let of_items = by("votes.csv", "kind");
    let levels: Vec<&str> =
        of_items["facets"].as_array().unwrap().iter().map(|one| one["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["people", "text"]);
    assert_eq!(of_items["facets"][0]["raters"], 12);
    assert!(of_items["interactions"][0]["test"]["p"].as_f64().unwrap() < 0.001, "{of_items}");
    let of_raters = by("votes.csv", "team");
    assert_eq!(of_raters["facets"][1]["raters"], 6);
    assert!(of_raters["interactions"][0]["test"]["p"].as_f64().unwrap() > 0.05, "{of_raters}");
    // A report of the table has its figure and a sentence about the interaction.
    let with = with("kind");
    let call = ["aggregate", "votes.csv", "--value", "preference", "--with", &with, "--facet", "kind"];
    succeeds(folder, &[&call[..], &["--figures", "report"]].concat());
    let figure = fs::read_to_string(folder.join("report/figures/f17.svg")).unwrap();
    assert!(figure.contains("How much models differ depends on kind (interaction, p"), "{figure}");
    // The levels may be in a table of items.
    let items: String = (0..8).map(|item| format!("i{item},{}\n", ["text", "people"][item % 2])).collect();
    fs::write(folder.join("items.csv"), format!("name,kind\n{items}")).unwrap();
    let without: String = votes_by_kind().replace(",kind,", ",sort,");
    fs::write(folder.join("without.csv"), without).unwrap();
    let call =
        ["aggregate", "without.csv", "--value", "preference", "--with", &with, "--facet", "kind", "--json"];
    let found = json(folder, &[&call[..], &["--items", "items.csv", "--items-by", "name"]].concat());
    assert_eq!(found["measures"][0], of_items);
    for (arguments, says) in [
        (&["--with", &*with][..], "name it with --facet kind"),
        (&["--with", &with, "--facet", "knd"], "no column is the facet `kind`"),
        (&["--with", "{ kind: contrast, within: preference }", "--facet", "preference"], "has the level"),
    ] {
        let said = fails(folder, &[&["aggregate", "votes.csv", "--value", "preference"], arguments].concat());
        assert!(said.contains(says), "{arguments:?}: {said}");
    }
    let said = Command::cargo_bin("hype")
        .unwrap()
        .args(["aggregate", "-", "--value", "preference", "--with", &with, "--facet", "kind"])
        .write_stdin(votes_by_kind())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&said.stderr).contains("--items"), "{said:?}");
}

#[test]
fn tables_of_0_and_1_are_of_proportions() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Ten raters with 40 answers each about two models; 2 % of them are 1.
    let rows: String = (0..800)
        .map(|row| format!("r{},{},{}\n", row / 80, ["a", "b"][row % 2], usize::from(row % 47 == 5)))
        .collect();
    fs::write(folder.join("rare.csv"), format!("rater,model,value\n{rows}")).unwrap();
    let noted = |found: &serde_json::Value| {
        found["notes"].as_array().unwrap().iter().any(|note| note["code"] == "binary")
    };
    let call = ["aggregate", "rare.csv", "--design", "within", "--json"];
    let found = json(folder, &call);
    assert!(noted(&found), "{}", found["notes"]);
    assert_eq!(found["measures"][0]["measure"]["unit"], "proportion");
    for estimate in found["measures"][0]["estimates"].as_array().unwrap() {
        assert!(estimate["interval"]["low"].as_f64().unwrap() > 0.0, "{estimate}");
    }
    assert!(!noted(&json(folder, &[&call[..], &["--unit", "points"]].concat())));
    // The first rows of a long table do not speak for all.
    let late = format!("rater,model,value\n{}r0,a,2\n", rows.repeat(12));
    fs::write(folder.join("late.csv"), &late).unwrap();
    let found = json(folder, &["aggregate", "late.csv", "--design", "within", "--json"]);
    assert!(!noted(&found) && found["measures"][0]["measure"]["unit"] == "", "{found}");
    let said = Command::cargo_bin("hype")
        .unwrap()
        .args(["aggregate", "-", "--design", "within"])
        .write_stdin(late)
        .output()
        .unwrap();
    assert!(
        !said.status.success() && String::from_utf8_lossy(&said.stderr).contains("--unit points"),
        "{said:?}"
    );
}

#[test]
fn references_and_margins_of_proportions_leave_values_on_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows: String =
        (0..60).map(|row| format!("r{},a,i{},{}\n", row / 10, row % 10, row % 3 / 2)).collect();
    fs::write(folder.join("rates.csv"), format!("rater,model,item,value\n{rows}")).unwrap();
    let call = ["aggregate", "rates.csv", "--reference"];
    for (options, refused) in
        [(&["0.5", "--equivalence-margin", "5"][..], "give a margin below 0.5"), (&["50"], "between 0 and 1")]
    {
        let said = fails(folder, &[&call[..], options].concat());
        assert!(said.contains(refused) && said.contains("--unit"), "{said}");
    }
    json(folder, &[&call[..], &["0.5", "--equivalence-margin", "0.05", "--json"]].concat());
    json(folder, &[&call[..], &["50", "--equivalence-margin", "5", "--unit", "points", "--json"]].concat());
}

#[test]
fn notes_are_said_once_and_name_options_that_exist() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("grades.csv"), with_empty_cells(50)).unwrap();
    let aggregate =
        |options: &[&str]| succeeds(folder.path(), &[&["aggregate", "grades.csv"], options].concat());
    let said = aggregate(&[]);
    let named = said.split_once("count as fixed").unwrap().1.split(['(', ')']).nth(1).unwrap();
    aggregate(&named.split_whitespace().collect::<Vec<_>>());
    assert_eq!(aggregate(&["--with", "agreement"]).matches("with so few items").count(), 1);
}

#[test]
fn items_that_share_prompts_vary_together() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let table = |name: &str, prompt: &str| {
        let mut text = format!("rater,model,item,{prompt},value\n");
        for (rater, item) in (0..6).flat_map(|rater| (0..24).map(move |item| (rater, item))) {
            for model in ["a", "b"] {
                let value = (rater * 5 + item * 7 + item / 6 * 3 + usize::from(model == "a")) % 11;
                text.push_str(&format!("r{rater},{model},i{item},p{},{value}\n", item / 6));
            }
        }
        fs::write(folder.join(name), text).unwrap();
    };
    table("prompts.csv", "prompt");
    table("others.csv", "seed");
    let found = |name: &str| {
        json(folder, &["aggregate", name, "--generalize-to", "items", "--design", "within", "--json"])
    };
    let df = |found: &serde_json::Value| found["measures"][0]["estimates"][0]["interval"]["df"][0].clone();
    let has_note = |found: &serde_json::Value| {
        found["notes"].as_array().unwrap().iter().any(|note| note["code"] == "item-clusters")
    };
    let (shared, apart) = (found("prompts.csv"), found("others.csv"));
    assert_eq!((df(&shared), df(&apart)), (3.0.into(), 23.0.into()));
    assert!(has_note(&shared) && !has_note(&apart));
}

#[test]
fn votes_of_one_order_have_no_intervals_unless_columns_are_not_sides() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut text = String::from("rater,model,against,preference\n");
    for (rater, vote) in (0..8).flat_map(|rater| (0..6).map(move |vote| (rater, vote))) {
        text.push_str(&format!("r{rater},a,b,{}\n", u8::from((rater + vote) % 3 > 0)));
    }
    fs::write(folder.join("votes.csv"), text).unwrap();
    let by = |with: &str| {
        json(folder, &["aggregate", "votes.csv", "--value", "preference", "--with", with, "--json"])
    };
    let found = by("contrast");
    assert_eq!(found["notes"][0]["code"], "one-order", "{}", found["notes"]);
    assert!(found["measures"][0]["estimates"][0]["interval"].is_null());
    let found = by("{ kind: contrast, order_effect: false }");
    assert!(found["measures"][0]["estimates"][0]["interval"].is_object(), "{found}");
}

/// 30 raters of 20 votes each, of whom so many saw model `b` first in all of them.
fn votes_with_sides(b_first: usize) -> String {
    let mut text = String::from("rater,model,against,preference\n");
    for (rater, vote) in (0..30).flat_map(|rater| (0..20).map(move |vote| (rater, vote))) {
        let sides = if rater < b_first { "b,a" } else { "a,b" };
        text.push_str(&format!("r{rater},{sides},{}\n", u8::from((7 * rater + vote) % 11 > 4)));
    }
    text
}

#[test]
fn one_rater_does_not_tell_what_a_side_is_worth() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let by = |b_first: usize| {
        fs::write(folder.join("votes.csv"), votes_with_sides(b_first)).unwrap();
        json(folder, &["aggregate", "votes.csv", "--value", "preference", "--with", "contrast", "--json"])
    };
    let has_interval = |found: &serde_json::Value, measure: usize| {
        found["measures"][measure]["estimates"][0]["interval"].is_object()
    };
    for (b_first, is_known) in [(1, false), (6, false), (10, true)] {
        let found = by(b_first);
        let has = [0, 1].map(|measure| has_interval(&found, measure));
        assert_eq!(has, [is_known; 2], "{b_first} raters: {found}");
        assert_eq!(found["measures"][0]["comparisons"][0]["p"].is_number(), is_known, "{b_first}");
        let notes = found["notes"].as_array().unwrap();
        assert_eq!(notes.iter().any(|note| note["code"] == "one-order"), !is_known, "{b_first}: {found}");
    }
    // Nor does the same rater in many pairs.
    let mut text = String::from("rater,model,against,preference\n");
    for (rater, other, vote) in
        (0..30).flat_map(|rater| (0..10).flat_map(move |other| (0..4).map(move |vote| (rater, other, vote))))
    {
        let sides = if rater == 7 { format!("m{other},a") } else { format!("a,m{other}") };
        text.push_str(&format!("r{rater},{sides},{}\n", u8::from((7 * rater + other + vote) % 11 > 4)));
    }
    fs::write(folder.join("votes.csv"), text).unwrap();
    let found =
        json(folder, &["aggregate", "votes.csv", "--value", "preference", "--with", "contrast", "--json"]);
    assert!([0, 1].iter().all(|&measure| !has_interval(&found, measure)), "{found}");
}

/// Ten raters score two models on ten items; one answer in `every` about the model `bad` is empty.
fn with_empty_cells(every: usize) -> String {
    let mut text = String::from("rater,model,item,value\n");
    for rater in 0..10 {
        for item in 0..10 {
            let noise = (7 * rater + 3 * item) % 10;
            text.push_str(&format!("r{rater},good,i{item},{}\n", noise + rater));
            if (rater + item) % every == 0 {
                text.push_str(&format!("r{rater},bad,i{item},\n"));
            } else {
                text.push_str(&format!("r{rater},bad,i{item},{}\n", (noise + 5) % 10 + rater));
            }
        }
    }
    text
}

#[test]
fn losses_that_differ_between_models_withhold_their_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let aggregate = |every: usize| {
        fs::write(folder.join("lossy.csv"), with_empty_cells(every)).unwrap();
        json(folder, &["aggregate", "lossy.csv", "--design", "within", "--json"])
    };
    let note = |found: &serde_json::Value| {
        let notes = found["notes"].as_array().unwrap().iter();
        let own = notes.filter(|note| note["code"] == "unequal-losses").map(|note| note["text"].to_string());
        own.collect::<Vec<_>>().concat()
    };
    let found = aggregate(4);
    let measure = &found["measures"][0];
    let pair = &measure["comparisons"][0];
    assert_eq!(
        (&pair["p"], &pair["interval"]),
        (&serde_json::Value::Null, &serde_json::Value::Null),
        "{pair}"
    );
    assert_eq!(pair["undefined"], "answers about bad are missing more often than about good");
    let text = note(&found);
    assert!(text.contains("25% of the answers about bad and 0% of those about good are missing"), "{text}");
    let tables: Vec<_> = measure["tables"].as_array().unwrap().iter().map(|table| &table["name"]).collect();
    assert_eq!(tables, ["missing_by_model", "missing_by_rater"]);
    assert_eq!(measure["tables"][0]["rows"][0], serde_json::json!(["bad", 100, 25, 0.25]));
    // Few losses, as anyone has, say nothing.
    let few = aggregate(50);
    assert!(note(&few).is_empty() && few["measures"][0]["comparisons"][0]["p"].is_number(), "{few}");
}
