//! The design of a table: whether each rater judged one model or several.

use hype_core::RaterDesign;
use hype_core::model::score::{NO_MODEL, ScoreTable};

/// The models that raters judged, in the rows so far.
#[derive(Default)]
pub(super) struct JudgedModels {
    /// By the rater's number the first model, [`NO_MODEL`] without one, and whether another followed.
    by_rater: Vec<(u32, bool)>,
    compares: bool,
}

impl JudgedModels {
    /// Adds the rows of a table, always of the same one, whose names keep their numbers.
    pub(super) fn add(&mut self, scores: &ScoreTable) {
        let columns = scores.columns();
        self.compares |= columns.against.iter().any(|&against| against != NO_MODEL);
        self.by_rater.resize(scores.raters.len().max(self.by_rater.len()), (NO_MODEL, false));
        for (&rater, &model) in columns.rater.iter().zip(columns.model) {
            let (first, several) = &mut self.by_rater[rater as usize];
            *several |= *first != NO_MODEL && *first != model;
            *first = model;
        }
    }

    /// Within raters if at least half of them judged several models. Comparisons are not about the models of a rater.
    pub(super) fn design(&self) -> RaterDesign {
        let judged = self.by_rater.iter().filter(|(first, _)| *first != NO_MODEL).count();
        match !self.compares && judged > 0 && 2 * self.with_several() >= judged {
            true => RaterDesign::Within,
            false => RaterDesign::Between,
        }
    }

    /// Returns the note on a design within raters that was not stated.
    pub(super) fn note(&self) -> String {
        let judged = self.by_rater.iter().filter(|(first, _)| *first != NO_MODEL).count();
        let who = match self.with_several() {
            all if all == judged => "each rater".to_owned(),
            some => format!("{some} of {judged} raters"),
        };
        format!(
            "{who} judged several models, which are compared within raters; --design between says otherwise"
        )
    }

    fn with_several(&self) -> usize {
        self.by_rater.iter().filter(|(_, several)| *several).count()
    }
}
