//! Staircases and QUEST give the levels and estimates of the reference traces, trial by trial.

use hype_stats::StatError;
use hype_stats::staircase::quest::{Quest, QuestSettings, Recommendation};
use hype_stats::staircase::shrinking::{ShrinkingRule, ShrinkingStaircase, StepScale};
use hype_stats::staircase::{
    Counting, Range, Rule, Staircase, mean_last_half, mean_reversals, median_last_half, mode, reversals,
};
use serde_json::Value;

use crate::reference::numbers;

fn cases(kind: &str) -> Vec<Value> {
    let kinds = ["updown", "psychopy_StairHandler", "psychopy_QuestHandler"];
    let all = crate::reference::cases("staircases/staircase_traces.json");
    assert!(all.iter().all(|case| kinds.contains(&case["kind"].as_str().unwrap())));
    all.into_iter().filter(|case| case["kind"] == kind).collect()
}

fn whole(value: &Value) -> u32 {
    u32::try_from(value.as_u64().unwrap()).unwrap()
}

fn answers(case: &Value) -> Vec<bool> {
    numbers(&case["responses"]).into_iter().map(|answer| answer == 1.0).collect()
}

fn close(got: f64, want: f64, tolerance: f64, what: &str) {
    assert!((got - want).abs() <= tolerance, "{what}: got {got}, want {want}");
}

#[test]
fn up_down_staircases() {
    for case in cases("updown") {
        let id = case["id"].as_str().unwrap();
        let [n, down, up] = ["n_down", "down_ms", "up_ms"].map(|field| whole(&case[field]));
        let [floor, ceiling, start] = ["min", "max", "start"].map(|field| whole(&case[field]));
        let rule = Rule::new(n, down, up, Counting::Consecutive).unwrap();
        let mut staircase = Staircase::new(rule, Range::new(floor, ceiling, start).unwrap());
        let answers = answers(&case);
        let mut levels = Vec::new();
        let mut turned = Vec::new();
        for (trial, &correct) in answers.iter().enumerate() {
            levels.push(staircase.level_ms());
            let answered = staircase.answer(correct);
            assert_eq!(answered.level_ms, levels[trial]);
            if answered.reversal {
                turned.push((trial as u64, u64::from(answered.level_ms)));
            }
        }
        let wanted: Vec<u32> = case["levels"].as_array().unwrap().iter().map(whole).collect();
        assert_eq!(levels, wanted, "{id}");
        assert_eq!(staircase.level_ms(), whole(&case["next_level"]), "{id}");

        let wanted: Vec<(u64, u64)> = case["reversals"]
            .as_array()
            .unwrap()
            .iter()
            .map(|turn| (turn["trial0"].as_u64().unwrap(), turn["level"].as_u64().unwrap()))
            .collect();
        assert_eq!(turned, wanted, "{id}");
        let listed: Vec<(u64, u64)> = reversals(rule, &levels, &answers)
            .unwrap()
            .iter()
            .map(|turn| (turn.trial as u64, u64::from(turn.level_ms)))
            .collect();
        assert_eq!(listed, wanted, "{id}");
        assert_eq!(staircase.reversals() as usize, wanted.len());

        let found = mode(&levels).unwrap();
        let ties: Vec<u32> = case["mode_ties"].as_array().unwrap().iter().map(whole).collect();
        assert_eq!(found.tied_ms, ties, "{id}");
        assert_eq!(found.level_ms, whole(&case["mode_lowest"]), "{id}");
        assert_eq!(found.tied_ms.last(), Some(&whole(&case["mode_highest"])), "{id}");
        let want = |field: &str| case[field].as_f64().unwrap();
        close(mean_last_half(&levels).unwrap(), want("mean_last_half"), 1e-9, id);
        close(median_last_half(&levels).unwrap(), want("median_last_half"), 1e-9, id);
        match mean_reversals(rule, &levels, &answers) {
            Ok(kept) => close(kept.mean_ms, want("mean_reversals_after4"), 1e-9, id),
            Err(error) => {
                assert!(matches!(error, StatError::TooFew { .. }), "{id}: {error}");
                assert!(case["mean_reversals_after4"].as_f64().is_none_or(f64::is_nan), "{id}");
            }
        }
    }
}

#[test]
fn staircases_with_shrinking_steps() {
    for case in cases("psychopy_StairHandler") {
        let id = case["id"].as_str().unwrap();
        let options = &case["options"];
        let bound = |field: &str, open: f64| options[field].as_f64().unwrap_or(open);
        let mut staircase = ShrinkingStaircase::new(ShrinkingRule {
            correct_to_harder: whole(&options["nDown"]),
            wrong_to_easier: whole(&options["nUp"]),
            steps: numbers(&options["stepSizes"]),
            scale: match options["stepType"].as_str().unwrap() {
                "lin" => StepScale::Linear,
                "log" => StepScale::Log10,
                "db" => StepScale::Decibel,
                other => panic!("{id}: scale {other}"),
            },
            step_each_trial_first: options["applyInitialRule"].as_bool().unwrap(),
            start: options["startVal"].as_f64().unwrap(),
            floor: bound("minVal", f64::NEG_INFINITY),
            ceiling: bound("maxVal", f64::INFINITY),
        })
        .unwrap();
        let mut levels = Vec::new();
        for correct in answers(&case) {
            levels.push(staircase.level());
            staircase.answer(correct);
        }
        let (points, at): (Vec<f64>, Vec<f64>) =
            staircase.reversals().iter().map(|&(trial, level)| (trial as f64, level)).unzip();
        assert_eq!(levels, numbers(&case["intensities"]), "{id}");
        assert_eq!(points, numbers(&case["reversal_points"]), "{id}");
        assert_eq!(at, numbers(&case["reversal_intensities"]), "{id}");
    }
}

#[test]
fn quest() {
    for case in cases("psychopy_QuestHandler") {
        let id = case["id"].as_str().unwrap();
        let options = &case["options"];
        let option = |field: &str| options[field].as_f64().unwrap();
        let mut quest = Quest::new(QuestSettings {
            guess_threshold: option("startVal"),
            guess_sd: option("startValSd"),
            threshold_probability: option("pThreshold"),
            slope: option("beta"),
            blind: option("delta"),
            guess: option("gamma"),
            grain: option("grain"),
            range: option("range"),
        })
        .unwrap();
        let by = match options["method"].as_str().unwrap() {
            "quantile" => Recommendation::Quantile,
            "mean" => Recommendation::Mean,
            "mode" => Recommendation::Mode,
            other => panic!("{id}: method {other}"),
        };
        let levels = numbers(&case["intensities_log10"]);
        let means = numbers(&case["posterior_mean_after"]);
        let sds = numbers(&case["posterior_sd_after"]);
        let mut level = option("startVal");
        for (trial, correct) in answers(&case).into_iter().enumerate() {
            close(level, levels[trial], 1e-6, &format!("{id}, level of trial {trial}"));
            quest.answer(level, correct).unwrap();
            close(quest.mean(), means[trial], 1e-6, &format!("{id}, mean after trial {trial}"));
            close(quest.sd(), sds[trial], 1e-6, &format!("{id}, sd after trial {trial}"));
            level = quest.recommended(by).unwrap().clamp(option("minVal"), option("maxVal"));
        }
    }
}
