//! Fits to the answers of staircases are identified where the staircase is.

use hype_stats::psychometric::{Axis, FitOptions, Lapse, Sigmoid, Tally, fit};
use hype_stats::staircase::simulate::Simulator;
use hype_stats::staircase::{Preset, Range};

#[test]
fn healthy_staircases_are_seldom_flagged() {
    // 150 trials, as in HYPE, with a threshold in the middle of the range and a slope of published size: of 200 blocks
    // of each kind at most a twentieth is flagged; the seed is fixed.
    const BLOCKS: u64 = 200;
    let model =
        FitOptions::new(Sigmoid::Logistic, Axis::Logarithmic, 0.5, Lapse::Free { greatest: 0.06 }).unwrap();
    for preset in [Preset::Weighted, Preset::ThreeCorrect] {
        for threshold in [200.0, 350.0] {
            let observer = |level: f64| 0.5 + 0.48 / (1.0 + (-5.0 * (level / threshold).ln()).exp());
            let simulator = Simulator::new(preset.rule(), Range::HYPE, observer).unwrap();
            let flagged = (0..BLOCKS)
                .filter(|&block| {
                    let answers = simulator.trace(150, block, 3);
                    let answers = answers.into_iter().map(|(level, correct)| (f64::from(level), correct));
                    !fit(&Tally::count(answers), &model).unwrap().is_identified()
                })
                .count();
            assert!(flagged <= 10, "{preset} {threshold}: {flagged} of {BLOCKS}");
        }
    }
}
