//! Files of benchmarks of language models: judgments are imported as what they are, and answers that are yet to be judged become a
//! study of texts.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::program::{fails, hype, succeeds};

/// A file of MT-Bench with the answers of a model to questions of two turns.
fn mt_bench(model: &str) -> String {
    let row = |id: u32| {
        let turns = [format!("{model} first {id}"), format!("{model} second {id}")];
        let choices = json!([{ "index": 0, "turns": turns }]);
        json!({ "question_id": id, "answer_id": "x", "model_id": model, "choices": choices, "tstamp": 1.5 })
    };
    (80..86).map(|id| format!("{}\n", row(id))).collect()
}

/// MT-Bench's ratings of one answer, of the first `turns` turns.
fn single(turns: u32) -> String {
    let row = |n: u32| {
        json!({ "question_id": 80 + n / (2 * turns), "model": (["gpt-4", "vicuna"][n as usize % 2]), "judge": "j", "score": n % 10,
                "turn": 1 + n / 2 % turns, "tstamp": 1687222451.2 })
    };
    (0..40).map(|n| format!("{}\n", row(n))).collect()
}

/// MT-Bench's comparisons, judged in both orders.
fn pair(n: usize) -> String {
    let verdict = |n: usize| ["model_1", "model_2", "tie"][n % 3];
    let row = json!({ "question_id": n, "model_1": "gpt-4", "model_2": "vicuna", "g1_winner": verdict(n),
                      "g2_winner": verdict(n + 1), "judge": "j", "turn": 1, "tstamp": 1.1 });
    format!("{row}\n")
}

/// AlpacaEval's annotations.
fn alpaca_annotation(n: usize) -> serde_json::Value {
    json!({ "instruction": format!("Q{n}"), "output_1": "a", "generator_1": "davinci", "output_2": "b", "generator_2": "gpt4",
            "annotator": "judge", "preference": ([json!(1), json!(2), json!(1.5)][n % 3]) })
}

/// Votes as an arena logs them.
fn arena(n: usize) -> String {
    let vote = ["leftvote", "rightvote", "tievote", "bothbad_vote"][n % 4];
    format!("v{},kling,sora,prompt {n},{vote},{}\n", n % 3, 1_700_000_000 + n)
}

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn judgments_of_texts_are_imported_with_their_columns() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "one.jsonl", single(1));
    write(folder, "two.jsonl", single(2));
    write(folder, "alpaca.json", json!((0..12).map(alpaca_annotation).collect::<Vec<_>>()).to_string());
    let votes: String = (0..12).map(arena).collect();
    write(folder, "votes.csv", format!("voter_id,left_model,right_model,prompt,vote,timestamp\n{votes}"));
    for (name, words) in [
        ("one.jsonl", "--rater judge --model model --item question_id --value score"),
        ("two.jsonl", "--rater judge --model model --item question_id --item turn --value score"),
        (
            "alpaca.json",
            "--rater annotator --model generator_1 --against generator_2 --item instruction --winner preference --first 1 \
             --second 2 --tie 1.5",
        ),
        (
            "votes.csv",
            "--rater voter_id --model left_model --against right_model --item prompt --winner vote --first leftvote \
             --second rightvote --tie bothbad_vote --tie tievote",
        ),
    ] {
        let output = hype(folder, &["import", name, "-o", "scores.csv"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(&format!("hype import csv {name} {words} -o")), "{name}: {said}");
        assert!(output.status.success(), "{name}: {said}");
    }
    write(folder, "pair.jsonl", (0..12).map(pair).collect::<String>());
    let said = fails(folder, &["import", "pair.jsonl"]);
    assert!(said.contains("a table of comparisons") && said.contains("`g1_winner` or `g2_winner`"), "{said}");
    let words = "--model model_1 --against model_2 --item question_id --winner COLUMN --first model_1 --second model_2";
    assert!(said.contains(words), "{said}");
}

#[test]
fn answers_that_are_not_judged_are_no_ratings() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for model in ["gpt-4", "vicuna-13b"] {
        write(folder, &format!("answers/{model}.jsonl"), mt_bench(model));
    }
    for name in ["answers", "answers/gpt-4.jsonl"] {
        let said = fails(folder, &["import", name]);
        let next = format!("hype new --from {name}");
        assert!(said.contains("the answers of models") && said.contains(&next), "{said}");
    }
    // Nothing else is left of a row that has a time.
    write(folder, "times.csv", "model,item,tstamp\na,1,5\nb,1,6\na,2,7\nb,2,8\n");
    assert!(fails(folder, &["import", "times.csv"]).contains("nothing in it looks like ratings"));
}

#[cfg(feature = "media")]
#[test]
fn answers_become_a_study_of_texts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let questions = |id: u32| json!({ "question_id": id, "category": "writing", "turns": [format!("Write {id}"), "Again"] });
    write(folder, "mt/question.jsonl", (80..86).map(|id| format!("{}\n", questions(id))).collect::<String>());
    for model in ["gpt-4", "vicuna-13b"] {
        write(folder, &format!("mt/model_answer/{model}.jsonl"), mt_bench(model));
        let row = |n: u32| json!({ "instruction": format!("Why {n}?"), "output": format!("{model}, {n}"), "generator": model });
        write(
            folder,
            &format!("alpaca/{model}.json"),
            json!((0..6).map(row).collect::<Vec<_>>()).to_string(),
        );
    }
    let row =
        |n: u32| format!("{n},\"What is {n}, \"\"here\"\"?\",\"gpt says, {n}\",\"llama says \"\"{n}\"\"\"\n");
    write(
        folder,
        "answers.csv",
        format!("prompt_id,prompt,gpt4,llama\n{}", (0..6).map(row).collect::<String>()),
    );
    for (from, study, file, text, prompt) in [
        (
            "mt",
            "mt-texts",
            "gpt-4/80.md",
            "gpt-4 first 80\n\n---\n\ngpt-4 second 80",
            "\"Write 80\n\n---\n\nAgain\"",
        ),
        ("mt/model_answer/", "mt/model_answer-texts", "vicuna-13b/81.md", "vicuna-13b first 81", ""),
        ("alpaca", "alpaca-texts", "vicuna-13b/2.md", "vicuna-13b, 1", "2,Why 1?"),
        ("answers.csv", "answers-texts", "llama/3.md", "llama says \"3\"", "3,\"What is 3, \"\"here\"\"?\""),
    ] {
        let shown = succeeds(folder, &["new", "--from", from, "--dry-run"]);
        assert!(shown.contains("nothing was written") && !folder.join(study).exists(), "{shown}");
        let said = succeeds(folder, &["new", "--from", from]);
        assert!(said.contains("6 items") && said.contains("task: contrast"), "{said}");
        assert!(fs::read_to_string(folder.join(study).join(file)).unwrap().starts_with(text), "{from}");
        let items = fs::read_to_string(folder.join(study).join("items.csv")).unwrap_or_default();
        assert!(items.contains(prompt), "{from}: {items}");
        succeeds(folder, &["check", &format!("{study}/evaluation.yaml")]);
        // What is there is not overwritten.
        assert!(fails(folder, &["new", "--from", from]).contains("exists"));
    }
}

#[test]
fn words_that_lead_nowhere_say_what_leads_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "data.csv", "city,country\nParis,France\n");
    let said = fails(folder, &["new", "--from", "data.csv"]);
    assert!(said.contains("`prompt` and a column with the answers of each model"), "{said}");
    fs::create_dir(folder.join("empty")).unwrap();
    let said = fails(folder, &["new", "--from", "empty"]);
    assert!(said.contains("mp4") && said.contains("txt") && said.contains("md"), "{said}");
    write(folder, "q/a/80.txt", "Yes.");
    write(folder, "q/b/80.txt", "No.");
    write(folder, "q/question.jsonl", "{\"question_id\": 80, \"turns\": [\"Is it?\"]}\n");
    let said = succeeds(folder, &["new", "--from", "q", "--dry-run"]);
    assert!(said.contains("items: { table: question.jsonl }"), "{said}");
    write(
        folder,
        "votes.csv",
        "rater,model,against,item,block,measure,value\nr,a,b,1,0,pref,1\ns,a,b,1,0,pref,0\n",
    );
    assert!(fails(folder, &["aggregate", "votes.csv"]).contains("--with contrast"));
    let said = fails(folder, &["metrics", "fid", "lost.npy", "data.csv"]);
    assert!(said.contains("lost.npy: No such file"), "{said}");
    let said = fails(folder, &["metrics", "fid", "lost", "data.csv"]);
    assert!(said.contains("lost: No such file"), "{said}");
    let said = fails(folder, &["metrics", "blackout", "q/a", "q/b"]);
    assert!(
        said.contains("blackout: it is computed from images, which a study has: name its spec"),
        "{said}"
    );
    let set = |name: &str, field: &str| format!("  {name}: {{ role: generated, {field}: {name}/*.mp4 }}\n");
    let spec = format!(
        "name: x\nseed: 1\nstimuli:\n{}{}task: {{ kind: contrast }}\n",
        set("m", "video"),
        set("n", "videos")
    );
    write(folder, "e.yaml", spec);
    let said = fails(folder, &["check", "e.yaml"]);
    assert!(said.contains("did you mean `videos`?") && !said.contains("has images"), "{said}");
}
