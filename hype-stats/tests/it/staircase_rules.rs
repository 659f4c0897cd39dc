//! Rules balance at their target, and levels keep to their range.

use hype_stats::staircase::{Chain, Counting, Range, Rule, Staircase};
use proptest::prelude::*;

fn rules() -> impl Strategy<Value = Rule> {
    (1_u32..6, 1_u32..80, 1_u32..80, any::<bool>()).prop_map(|(n, harder, easier, cumulative)| {
        let counting = if cumulative { Counting::Cumulative } else { Counting::Consecutive };
        Rule::new(n, harder, easier, counting).unwrap()
    })
}

fn ranges() -> impl Strategy<Value = Range> {
    (0_u32..300, 1_u32..900, 0.0..=1.0).prop_map(|(floor, width, share)| {
        let start = floor + (f64::from(width) * share) as u32;
        Range::new(floor, floor + width, start).unwrap()
    })
}

/// Share of trials that make a harder step, if every answer is correct with probability `p`.
fn harder_share(rule: Rule, p: f64) -> f64 {
    let n = rule.correct_to_harder() as usize;
    let mut counts = vec![1.0 / n as f64; n];
    for _ in 0..20_000 {
        let mut next = vec![0.0; n];
        for (count, weight) in counts.iter().enumerate() {
            next[(count + 1) % n] += weight * p;
            let kept = if rule.counting() == Counting::Cumulative { count } else { 0 };
            next[kept] += weight * (1.0 - p);
        }
        counts = next;
    }
    counts[n - 1] * p
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn steps_cancel_at_the_target(rule in rules()) {
        let target = rule.target();
        let down = harder_share(rule, target) * f64::from(rule.step_harder_ms());
        let up = (1.0 - target) * f64::from(rule.step_easier_ms());
        prop_assert!((down / up - 1.0).abs() < 1e-9, "{down} {up}");
    }

    #[test]
    fn levels_keep_to_the_range_and_to_the_chain(
        rule in rules(),
        range in ranges(),
        answers in prop::collection::vec(any::<bool>(), 1..200),
    ) {
        let chain = Chain::new(rule, range).unwrap();
        let mut staircase = Staircase::new(rule, range);
        for (trial, correct) in (1..).zip(answers) {
            let before = staircase.level_ms();
            let answered = staircase.answer(correct);
            let after = staircase.level_ms();
            prop_assert_eq!(answered.level_ms, before);
            prop_assert!((range.floor_ms()..=range.ceiling_ms()).contains(&after));
            prop_assert!(chain.levels_ms().contains(&after));
            let onward = if correct { after <= before } else { after >= before };
            prop_assert!(onward);
            prop_assert!(before.abs_diff(after) <= rule.step_harder_ms().max(rule.step_easier_ms()));
            prop_assert_eq!(staircase.trials(), trial);
        }
    }
}
