//! The suite for rubrics passes a correct rubric, and reports the faults of others.

use crate::share_right::{ShareRight, Slip};
use crate::two_choice::TwoChoice;
use hype_sim::conformance::{Subject, run};
use hype_sim::{fixtures, rubric_conformance};

rubric_conformance!(
    sound,
    rubric = ShareRight::default(),
    task = TwoChoice::default(),
    stimuli = fixtures::stimuli(12, &[("wgan", 12), ("stylegan", 12)]),
);

#[test]
fn unsound_rubrics_are_found() {
    for (slip, name, reason) in [
        (Slip::DeclaresTwice, "measures_are_declared_once", "`right` is declared twice"),
        (Slip::ScoresAnother, "scores_are_finite_and_declared", "the measure `left` is not declared"),
        (Slip::DividesByZero, "scores_are_finite_and_declared", "a value of `right` is"),
        (Slip::ScoresNothing, "scores_are_finite_and_declared", "no value of the first measure"),
        (Slip::WantsTheEnd, "cut_logs_are_scored", "cut after event 1: it cannot be scored"),
        (Slip::NamesNoModel, "rows_name_the_rater_and_models", "the model `nobody`, which is not a set"),
        (Slip::LooksIntoTheTable, "scoring_twice_gives_the_same", "a table with other rows"),
    ] {
        let stimuli = fixtures::stimuli(12, &[("wgan", 12)]);
        let subject = Subject::new(&TwoChoice::default(), stimuli).with_rubric(&ShareRight { slip });
        let found = run(name, &subject).expect_err(name);
        assert!(found.contains(reason), "{name} says: {found}");
    }
}
