//! A rater with memory, which a resumed session must restore.

use hype_core::{Answered, Micros, Rater, Response, Role, Stream, Trial, Truth};

/// A rater whose probability of a right answer grows with practice, and who may leave.
#[derive(Debug, Clone, Default)]
pub(crate) struct Learner {
    /// Trials answered, which only `recall` can restore.
    pub(crate) seen: u32,
    /// The probability of leaving at a trial.
    pub(crate) leaves: f64,
}

impl Rater for Learner {
    fn respond(&mut self, _: &Trial, truth: Option<&Truth>, chance: &mut Stream) -> Response {
        self.seen += 1;
        if chance.happens(self.leaves) {
            return Response::Leave;
        }
        let right = chance.happens(1.0 - 0.5 / (1.0 + f64::from(self.seen) / 20.0));
        let fake = truth.is_some_and(|truth| truth.role == Some(Role::Generated));
        let judgment = if fake == right { "fake" } else { "real" };
        let rt = Micros(200_000 + u64::from(chance.below(500_000)) + 10 * u64::from(self.seen));
        Response::Answer { answer: hype_core::Answer::one("judgment", judgment), rt }
    }

    fn recall(&mut self, trial: &Trial, answered: &Answered) {
        assert_eq!((trial.number, trial.phase), (answered.trial, answered.shown.phase));
        assert_eq!(trial.exposure(), answered.shown.exposure_ms);
        self.seen += 1;
    }
}
