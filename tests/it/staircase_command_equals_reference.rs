//! `hype staircase` equals independent computations of the exact theory and of simulated blocks.

#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use crate::program;

use std::path::Path;

use serde_json::Value;

/// Exact values agree to this relative difference.
const EXACT: f64 = 1e-8;

/// The reference prints shares below this as 0: they come from a linear solver with an absolute error of that size.
const TINY_SHARE: f64 = 1e-12;

#[test]
fn exact_and_simulated_columns() {
    let Some(file) = program::reference("staircases/staircase_reference_public.csv") else { return };
    let mut reader = csv::Reader::from_path(file).unwrap();
    let headers = reader.headers().unwrap().clone();
    let mut rows = 0;
    for record in reader.records() {
        let record = record.unwrap();
        let text =
            |name: &str| record.get(headers.iter().position(|header| header == name).unwrap()).unwrap();
        let number = |name: &str| text(name).parse::<f64>().unwrap();
        let arguments: Vec<String> = [
            ("--correct-to-harder", text("n_down")),
            ("--step-harder-ms", text("down_ms")),
            ("--step-easier-ms", text("up_ms")),
            ("--observer", text("observer")),
            ("--threshold-ms", text("threshold_alpha_ms")),
            ("--slope", text("slope_beta")),
            ("--guess", text("guess")),
            ("--lapse", text("lapse")),
            ("--blocks", "10000"),
            ("--seed", "1"),
        ]
        .into_iter()
        .flat_map(|(name, value)| [name.to_owned(), value.to_owned()])
        .collect();
        let mut call = vec!["staircase", "--json", "--counting", "consecutive", "--allow-unreachable-target"];
        call.extend(arguments.iter().map(String::as_str));
        let found = program::json(Path::new("."), &call);
        let exact = |got: &Value, name: &str| {
            let (got, want) = (got.as_f64(), number(name));
            match got {
                None => assert!(want.is_nan(), "{record:?}: {name} is none, want {want}"),
                Some(got) => assert!(
                    (got - want).abs() <= EXACT * want.abs() + TINY_SHARE,
                    "{record:?}: {name} is {got}, want {want}"
                ),
            }
        };
        // The targets are printed with six decimals.
        assert!((found["target"].as_f64().unwrap() - number("target_p")).abs() < 1e-6);
        exact(&found["target_level_ms"], "target_level_ms");
        exact(&found["p75_level_ms"], "p75_level_ms");
        for (ours, theirs) in [
            ("mean_ms", "st_mean"),
            ("sd_ms", "st_sd"),
            ("mode_ms", "st_mode"),
            ("floor", "st_floor"),
            ("ceiling", "st_ceil"),
            ("accuracy", "st_pcorrect"),
        ] {
            exact(&found["stationary"][ours], theirs);
        }
        for (ours, theirs) in [
            ("mean_last_half_ms", "ex_mean_last75"),
            ("sd_last_half_ms", "ex_sd_last75"),
            ("mean_last_trial_ms", "ex_mean_trial150"),
            ("modal_occupancy_ms", "ex_argmax_occ150"),
            ("accuracy", "ex_pcorrect_150"),
        ] {
            exact(&found["exact"][ours], theirs);
        }
        for (ours, our_sd, mean, sd) in [
            ("mode_ms", "mode_sd_ms", "mc_mode_lo_mean", "mc_mode_lo_sd"),
            ("mode_highest_ms", "mode_highest_sd_ms", "mc_mode_hi_mean", "mc_mode_hi_sd"),
            ("mean_last_half_ms", "mean_last_half_sd_ms", "mc_half_mean", "mc_half_sd"),
            ("mean_reversals_ms", "mean_reversals_sd_ms", "mc_rev_mean", "mc_rev_sd"),
        ] {
            // Two simulations of 10,000 blocks each, four standard errors of their difference. A single outlying
            // block may occur in only one simulation.
            let spread = number(sd).max(found["simulated"][our_sd].as_f64().unwrap());
            let within = 4.0 * 2.0_f64.sqrt() * spread / 100.0;
            let got = found["simulated"][ours].as_f64().unwrap();
            let want = number(mean);
            assert!(
                (got - want).abs() <= within + 1e-9,
                "{record:?}: {ours} is {got}, want {want} ± {within}"
            );
        }
        rows += 1;
    }
    assert_eq!(rows, 60);
}

#[test]
fn the_rule_as_the_paper_prints_it_is_refused_with_the_reason() {
    let message = program::fails(Path::new("."), &["staircase", "--preset", "paper-literal"]);
    assert!(message.contains("0.2500 is not over the guess rate 0.5000"), "{message}");
    assert!(message.contains("--allow-unreachable-target"), "{message}");
    let allowed = program::json(
        Path::new("."),
        &["staircase", "--preset", "paper-literal", "--allow-unreachable-target", "--json"],
    );
    assert_eq!(allowed["target_reachable"], false);
    assert!(allowed["stationary"]["mean_ms"].as_f64().unwrap() < 115.0);
}
