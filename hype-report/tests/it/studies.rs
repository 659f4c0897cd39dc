//! A study with a task of its own, and sessions made by hand.

use hype_core::model::record::{Answered, Header, Shown};
use hype_core::model::trial::{Phase, Timing};
use hype_core::plugin::aggregator::{AggregateError, Aggregated, Aggregation};
use hype_core::plugin::rubric::{ScoreError, Scoring};
use hype_core::protocol::chance::GENERATOR;
use hype_core::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Ends before its first trial.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Ended {}

/// No answer, as there are no trials.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoAnswer {}

impl Task for Ended {
    type State = ();
    type Answer = NoAnswer;

    const VERSION: u32 = 1;

    fn check(&self, _: &Design<'_>, _: &mut Diagnostics) {}

    fn start(&self, _: &Inputs<'_>, _: &Streams) -> Result<(), StartError> {
        Ok(())
    }

    fn next(&self, (): &()) -> Next {
        Next::End(Ending::Completed)
    }

    fn truth(&self, (): &()) -> Truth {
        Truth::default()
    }

    fn answer(&self, (): &mut (), _: NoAnswer, _: &Timing) -> Result<Verdict, Refusal> {
        Ok(Verdict::default())
    }

    fn defaults(&self) -> Defaults {
        let raters = Raters { per_model: 2, qualification: None, payment: None, ..Raters::default() };
        Defaults::new(Silent {}, "silent", raters)
    }

    fn profile(&self, _: &Design<'_>) -> Profile {
        Profile::new(0)
    }
}

register_task!(Ended, "ended", summary = "No trials", citation = "", example = "{ kind: ended }");

/// Measures nothing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Silent {}

impl Rubric for Silent {
    fn check(&self, _: &Description, _: &mut Diagnostics) {}

    fn measures(&self) -> Vec<Measure> {
        Vec::new()
    }

    fn score(&self, _: &SessionRecord, _: &Scoring<'_>, _: &mut ScoreTable) -> Result<(), ScoreError> {
        Ok(())
    }
}

register_rubric!(Silent, "silent", summary = "Nothing", citation = "", example = "{ kind: silent }");

impl Aggregator for Silent {
    type Sums = ();

    fn check(&self, _: &[Measure], _: &mut Diagnostics) {}

    fn begin(&self, _: &Aggregation) {}

    fn add(&self, (): &mut (), _: &ScoreTable) -> Result<(), AggregateError> {
        Ok(())
    }

    fn findings(
        &self,
        (): (),
        _: &[model::findings::Exclusion],
        _: &Streams,
    ) -> Result<Aggregated, AggregateError> {
        Ok(Aggregated::default())
    }
}

register_aggregator!(Silent, "silent", summary = "Nothing", citation = "", example = "{ kind: silent }");

/// A study of these models, whose sets have their places as numbers.
pub(crate) fn study(models: &[&str]) -> Study {
    study_with(models, |_| {})
}

/// The same, with changes of its raters.
pub(crate) fn study_with(models: &[&str], change: impl FnOnce(&mut Raters)) -> Study {
    let sets = models.iter().map(|name| StimulusSet::new(name, Role::Generated, Use::Main)).collect();
    let spec = Spec::new("by hand", 1, Box::new(Ended {}));
    let mut raters = spec.raters();
    change(&mut raters);
    Study::new(spec.with_raters(raters), Stimuli::new(sets, Vec::new()).unwrap()).unwrap()
}

/// A session with these trials: the model, the block, the exposure, and whether the answer was right.
pub(crate) fn session(rater: u32, trials: impl IntoIterator<Item = (u16, u16, u32, bool)>) -> SessionRecord {
    let answered = |(trial, (model, block, exposure, correct))| Answered {
        trial,
        shown: Shown {
            phase: Phase::Main,
            block,
            stimuli: Vec::new(),
            model: Some(SetId(model)),
            exposure_ms: Some(Millis(exposure)),
        },
        answer: Answer::one("side", "left"),
        correct: Some(correct),
        timing: Timing::default(),
    };
    SessionRecord {
        header: Header {
            rater: format!("secret-rater-{rater}").into(),
            place: Place { number: rater, models: Vec::new(), turn: 0 },
            attempt: 0,
            study: Digest::of(b""),
            task: "ended".into(),
            task_version: 1,
            briefing: None,
            qualified_in: None,
            generator: GENERATOR.into(),
            software: "".into(),
        },
        trials: (0..).zip(trials).map(answered).collect(),
        corrections: Vec::new(),
        disturbed: Vec::new(),
        notes: Vec::new(),
        outcome: None,
        erased: None,
    }
}
