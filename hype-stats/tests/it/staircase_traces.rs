//! Staircases give the levels and estimates of the reference traces, trial by trial.

use hype_stats::StatError;
use hype_stats::staircase::{
    Counting, Range, Rule, Staircase, mean_last_half, mean_reversals, mode, reversals,
};
use serde_json::Value;

use crate::reference::numbers;

/// The traces of staircases in whole milliseconds; the file also has those of other procedures.
fn cases() -> Vec<Value> {
    let all = crate::reference::cases("staircases/staircase_traces.json");
    all.into_iter().filter(|case| case["kind"] == "updown").collect()
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
    for case in cases() {
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
        match mean_reversals(rule, &levels, &answers) {
            Ok(kept) => close(kept.mean_ms, want("mean_reversals_after4"), 1e-9, id),
            Err(error) => {
                assert!(matches!(error, StatError::TooFew { .. }), "{id}: {error}");
                assert!(case["mean_reversals_after4"].as_f64().is_none_or(f64::is_nan), "{id}");
            }
        }
    }
}
