//! QUEST+ chooses the levels and gives the estimates of the reference runs.

use hype_stats::staircase::quest_plus::{Domain, FunctionForm, LevelScale, QuestPlus};

use crate::reference::{cases, numbers};

#[test]
fn adaptive_runs() {
    for case in cases("staircases/questplus.json") {
        let id = case["id"].as_str().unwrap();
        assert_eq!(case["func"], "weibull", "{id}");
        let scale = match case["stim_scale"].as_str().unwrap() {
            "log10" => LevelScale::Log10,
            "dB" => LevelScale::Decibel,
            "linear" => LevelScale::Linear,
            other => panic!("{id}: scale {other}"),
        };
        let domain = Domain {
            levels: numbers(&case["stim"]),
            thresholds: numbers(&case["threshold"]),
            slopes: numbers(&case["slope"]),
            guesses: numbers(&case["lower_asymptote"]),
            lapses: numbers(&case["lapse_rate"]),
        };
        let levels = domain.levels.clone();
        let mut quest = QuestPlus::new(FunctionForm::Weibull(scale), domain).unwrap();
        let answers = numbers(&case["responses_correct"]);
        let shown = numbers(&case["stimuli"]);
        let entropies = numbers(&case["expected_entropy"]);
        for (trial, &answer) in answers.iter().enumerate() {
            let choice = quest.next_level();
            let want = levels.iter().position(|level| (level - shown[trial]).abs() < 1e-9).unwrap();
            let entropy = choice.expected_entropy;
            // A tie of the two levels is the only allowed difference; the run then continues with the
            // reference's level.
            let tied = (entropy - entropies[trial]).abs() < 1e-12;
            assert!(choice.index == want || tied, "{id}, trial {trial}: {choice:?}, want {want}");
            assert!((entropy - entropies[trial]).abs() < 1e-9, "{id}, trial {trial}");
            quest.answer(want, answer > 0.5).unwrap();

            let got = if case["param_estimation"] == "mean" { quest.mean() } else { quest.mode() };
            let estimate = &case["estimate_after"][trial];
            for (field, got) in [
                ("threshold", got.threshold),
                ("slope", got.slope),
                ("lower_asymptote", got.guess),
                ("lapse_rate", got.lapse),
            ] {
                let want = estimate[field].as_f64().unwrap();
                assert!((got - want).abs() < 1e-9, "{id}, trial {trial}, {field}: {got}, want {want}");
            }
        }
    }
}
