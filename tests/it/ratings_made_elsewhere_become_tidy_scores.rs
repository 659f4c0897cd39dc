//! Tables, comparisons, votes and rankings made elsewhere become the tidy table that `aggregate` reads.

#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use crate::program;
use crate::tidy;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::program::{json, says};

fn imported(folder: &Path, arguments: &[&str]) -> (Vec<String>, String) {
    let message = says(folder, &[&["import"], arguments, &["-o", "scores.csv"]].concat());
    (tidy::lines(&folder.join("scores.csv")), message)
}

#[test]
fn wide_and_long_tables_are_the_same_ratings() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("wide.csv"), "who,net,img,fun,fit\na,gan,1,3,4\nb,gan,1,,5\n").unwrap();
    fs::write(
        folder.join("long.csv"),
        "who;net;img;what;score\na;gan;1;fun;3\na;gan;1;fit;4\nb;gan;1;fit;5\n",
    )
    .unwrap();
    let common = ["--rater", "who", "--model", "net", "--item", "img"];
    let wide = [&["csv", "wide.csv", "--value", "fun", "--value", "fit"], &common[..]].concat();
    let (wide, message) = imported(folder, &wide);
    assert_eq!(wide, ["a|gan||1|0|fun|3", "a|gan||1|0|fit|4", "b|gan||1|0|fit|5"]);
    assert!(
        message.contains("read 2 rows in 1 file") && message.contains("left out: empty cells: 1"),
        "{message}"
    );
    let long = ["csv", "long.csv", "--delimiter", ";", "--value", "score", "--measure", "what"];
    let (long, _) = imported(folder, &[&long, &common[..]].concat());
    assert_eq!(long, wide);
}

#[test]
fn comparisons_become_one_row_each() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "judge,model_a,model_b,winner,q\nj1,gan,vae,model_a,1\nj1,gan,vae,vae,2\nj2,vae,gan,tie,1\nj2,vae,gan,,2\n";
    fs::write(folder.join("arena.csv"), text).unwrap();
    let call = ["csv", "arena.csv", "--rater", "judge", "--model", "model_a", "--against", "model_b"];
    let (rows, message) = imported(folder, &[&call[..], &["--winner", "winner", "--item", "q"]].concat());
    let want =
        ["j1|gan|vae|1|0|preference|1", "j1|gan|vae|2|0|preference|0", "j2|vae|gan|1|0|preference|0.5"];
    assert_eq!(rows, want);
    assert!(message.contains("2 models"), "{message}");
    // An imported table can be imported again.
    let again = [
        "csv",
        "scores.csv",
        "--rater",
        "rater",
        "--model",
        "model",
        "--against",
        "against",
        "--item",
        "item",
    ];
    fs::copy(folder.join("scores.csv"), folder.join("first.csv")).unwrap();
    let more = ["--value", "value", "--measure", "measure", "--block", "block"];
    let (again, _) = imported(folder, &[&again[..], &more[..]].concat());
    assert_eq!(again, want);
    let own = text.replace("model_a,1", "left,1").replace("vae,2\nj2", "right,2\nj2").replace("tie", "none");
    fs::write(folder.join("arena.csv"), own).unwrap();
    let labels =
        ["--winner", "winner", "--first", "left", "--second", "right", "--tie", "none", "--item", "q"];
    assert_eq!(imported(folder, &[&call[..], &labels[..]].concat()).0, want);
}

#[test]
fn aggregate_reads_comparisons_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut text = String::from("rater,model,against,item,block,measure,value\n");
    for rater in ["a", "b", "c"] {
        text.push_str(&format!("{rater},gan,vae,1,0,preference,1\n{rater},gan,vae,2,0,preference,0.5\n"));
    }
    fs::write(folder.join("scores.csv"), &text).unwrap();
    let votes = ["aggregate", "scores.csv", "--measure", "measure"];
    let found = json(folder, &[&votes[..], &["--with", "contrast", "--json"]].concat());
    let rate = &found["measures"][0];
    assert_eq!(rate["measure"]["name"], "win_rate");
    // In the two votes of each rater the model won once and tied once.
    assert_eq!(rate["estimates"][0]["value"], 0.75);
    let message = program::fails(folder, &votes);
    assert!(message.contains("use the aggregator `contrast`"), "{message}");
    // Measures and items are found by the names that exports give them.
    assert_eq!(json(folder, &["aggregate", "scores.csv", "--with", "contrast", "--json"]), found);
    assert_eq!(rate["items"], 2);
    let message = program::fails(folder, &["aggregate", "scores.csv", "--value", "value"]);
    assert!(message.contains("leave --value out"), "{message}");
    fs::write(folder.join("self.csv"), text.replace("gan,vae,2", "gan,gan,2")).unwrap();
    let found = program::succeeds(folder, &["aggregate", "self.csv", "--with", "contrast"]);
    assert!(found.contains("3 comparisons of a model with itself: left out"), "{found}");
    let message = program::fails(folder, &["aggregate", "scores.csv", "--against", "agaist"]);
    assert!(message.contains("did you mean `against`?"), "{message}");
}

#[test]
fn votes_are_codes_comparisons_or_one_decision() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "Prompt\tDecisions\na cat\tgen, ret,same\na dog\tgen,gen,gen,gen\nnothing\t\n";
    fs::write(folder.join("votes.tsv"), text).unwrap();
    let call = ["votes", "votes.tsv", "--decisions", "Decisions", "--item", "Prompt"];
    let (codes, message) = imported(folder, &[&call[..], &["--labels", "gen,ret,same"]].concat());
    assert_eq!(codes.len(), 7);
    assert_eq!(codes[1], "vote-2|all||a cat|0|Decisions|2|made-up|nominal");
    for expected in
        ["codes of `Decisions`: gen = 1, ret = 2, same = 3", "left out: rows without votes: 1", "vote-n"]
    {
        assert!(message.contains(expected), "{message}");
    }
    let compare = [&call[..], &["--compare", "gen,ret"]].concat();
    let (pairs, _) = imported(folder, &compare);
    assert_eq!(
        pairs[..3],
        [
            "vote-1|gen|ret|a cat|0|preference|1|made-up|",
            "vote-2|gen|ret|a cat|0|preference|0|made-up|",
            "vote-3|gen|ret|a cat|0|preference|0.5|made-up|",
        ]
    );
    let (decided, _) = imported(folder, &[&compare[..], &["--confident"]].concat());
    let of = |item, value| format!("majority|gen|ret|{item}|0|preference|{value}|made-up|");
    assert_eq!(decided, [of("a cat", "0.5"), of("a dog", "1")]);
}

#[test]
fn parti_prompts_are_decided_as_their_authors_did() {
    let Some(reference) = program::reference("pairwise") else { return };
    let folder = tempfile::tempdir().unwrap();
    let votes = reference.join("PartiPromptsAllDecisions_Alignment.tsv");
    let votes = votes.to_str().unwrap();
    let call = ["votes", votes, "--decisions", "Decisions", "--item", "Prompt", "--labels", "gen,ret,same"];
    let (all, _) = imported(folder.path(), &call);
    let count = |code: &str| all.iter().filter(|row| row.ends_with(code)).count();
    let codes = ["|1", "|2", "|3"].map(|code| count(&format!("{code}|made-up|nominal")));
    assert_eq!(codes, [3854, 2836, 1468]);
    let (decided, _) = imported(folder.path(), &[&call[..], &["--confident"]].concat());
    let confident = fs::read_to_string(reference.join("PartiPromptsDecisionsConfident.tsv")).unwrap();
    let labels: BTreeMap<&str, &str> = [("gen", "1"), ("ret", "2"), ("same", "3")].into();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (line, row) in confident.lines().skip(1).zip(&decided) {
        let (prompt, decision) = (line.split('\t').next().unwrap().trim(), line.rsplit('\t').next().unwrap());
        assert_eq!(*row, format!("majority|all||{prompt}|0|Decisions|{}|made-up|nominal", labels[decision]));
        *counts.entry(decision).or_default() += 1;
    }
    assert_eq!(decided.len(), 1632);
    assert_eq!(counts, [("gen", 592), ("ret", 319), ("same", 721)].into());
}

#[test]
fn rankings_become_mid_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = r#"[
        {"id": "p1", "prompt": "a", "generations": ["sd/1.png", "gan/1.png", "vae/1.png", "real/1.png"], "ranking": [2, 3, 3, 5]},
        {"id": 7, "prompt": "b", "generations": ["sd/2.png", "gan/2.png"], "ranking": [1, 1], "by": "x"},
        {"id": "p1", "generations": ["gan/1.png", "sd/1.png"], "ranking": [4, 2]}
    ]"#;
    fs::write(folder.join("rankings.json"), text).unwrap();
    let (rows, message) = imported(folder, &["ranking-json", "rankings.json", "--model-folder"]);
    let want = [
        "unnamed|sd||p1|0|rank|1|made-up|",
        "unnamed|gan||p1|0|rank|2.5|made-up|",
        "unnamed|vae||p1|0|rank|2.5|made-up|",
        "unnamed|real||p1|0|rank|4|made-up|",
        "unnamed|sd||7|0|rank|1.5|made-up|",
        "unnamed|gan||7|0|rank|1.5|made-up|",
        "unnamed|gan||p1|1|rank|2|made-up|",
        "unnamed|sd||p1|1|rank|1|made-up|",
    ];
    assert_eq!(rows, want);
    assert!(message.contains("read 3 rankings in 1 file") && message.contains("name no raters"), "{message}");
    assert_eq!(
        imported(folder, &["ranking-json", "rankings.json"]).0[0],
        "unnamed|sd/1.png||p1|0|rank|1|made-up|"
    );
}

#[test]
fn image_reward_is_read_whole() {
    let Some(reference) = program::reference("ranking") else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = reference.join("imagereward_test.json");
    let message =
        says(folder.path(), &["import", "ranking-json", file.to_str().unwrap(), "-o", "scores.csv"]);
    assert!(message.contains("read 466 rankings"), "{message}");
    let mut rankings: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for row in tidy::read(&folder.path().join("scores.csv")) {
        rankings.entry(row.item).or_default().push(row.value);
    }
    assert_eq!(rankings.len(), 466);
    for (item, ranks) in rankings {
        let n = ranks.len() as f64;
        // Mid-ranks keep the sum of ranks without ties.
        assert!((ranks.iter().sum::<f64>() - n * (n + 1.0) / 2.0).abs() < 1e-9, "{item}: {ranks:?}");
    }
}
