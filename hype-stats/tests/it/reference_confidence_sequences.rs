//! Confidence sequences agree with the reference.

use crate::reference::{cases, close, number, numbers};
use hype_stats::confidence_sequence::{Betting, NormalMixture};

#[test]
fn betting() {
    for case in cases("statistics/confidence_sequences.json") {
        let Some(intervals) = case["hedged_capital_breaks10000"].as_array() else { continue };
        let times = numbers(&case["times"]);
        let mut sequence = Betting::new(1.0 - number(&case["alpha"])).unwrap();
        for (place, value) in numbers(&case["x"]).into_iter().enumerate() {
            sequence.push(value).unwrap();
            let Some(index) = times.iter().position(|time| *time == (place + 1) as f64) else { continue };
            let (want, found) = (numbers(&intervals[index]), sequence.latest());
            close(&case, "lower", found.lower, want[0], 0.0, 2.1e-4);
            close(&case, "upper", found.upper, want[1], 0.0, 2.1e-4);
        }
    }
}

#[test]
fn normal_mixture() {
    for case in cases("statistics/confidence_sequences.json") {
        let Some(boundaries) = case.get("normal_mixture_two_sided") else { continue };
        let sequence = NormalMixture::new(number(&case["v_opt"]), 1.0 - number(&case["alpha"])).unwrap();
        for (count, want) in numbers(&case["v"]).into_iter().zip(numbers(boundaries)) {
            close(&case, "boundary", count * sequence.half_width(count as u64), want, 1e-9, 0.0);
        }
    }
}
