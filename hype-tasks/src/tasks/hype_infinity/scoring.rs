//! The rubric of HYPE-infinity: the share judged wrong, by class, with d' and the criterion.

use hype_core::model::score::Measure;
use hype_core::plugin::rubric::Scoring;
use hype_core::words::first_few;
use hype_core::{
    MeasureFindings, Note, PublishedSpread, Reads, Rubric, ScoreError, ScoreTable, SessionRecord,
    register_rubric,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::shared::judgment::{ERROR, Errors, FAKES_ERROR, JUDGMENT};

/// The rubric of HYPE-infinity, which scores every task that asks for a judgment of real or generated.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HypeInfinityRubric {}

impl Rubric for HypeInfinityRubric {
    fn reads(&self) -> Reads {
        Reads::answers([JUDGMENT])
    }

    fn measures(&self) -> Vec<Measure> {
        // Here no staircase sets the errors, which can be compared with those of guessing.
        let reference = |measure: Measure| match &*measure.name {
            ERROR => measure.with_reference(0.5, "guessing"),
            FAKES_ERROR => measure.with_reference(0.5, "unbiased guessing"),
            _ => measure,
        };
        Errors::measures().into_iter().map(reference).collect()
    }

    fn published_spread(&self) -> Option<PublishedSpread> {
        // "Std." of StyleGAN with and without truncation, 2.4 and 1.8 points, is that of a bootstrap of 30 raters: 30 / √29 times
        // the root of its mean square.
        let source = "Zhou et al. 2019, table 3 (HYPE-infinity, FFHQ, 100 fakes and reals)";
        Some(PublishedSpread { measure: ERROR, sd: 0.118_2, source })
    }

    fn score(
        &self,
        session: &SessionRecord,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError> {
        Errors::score(session, context, into).map_err(|trial| ScoreError {
            rater: session.header.rater.to_string(),
            trial,
            reason: format!("the log has no `{JUDGMENT}` for this trial of the main phase"),
        })
    }

    fn remarks(&self, found: &[MeasureFindings], _: &Scoring<'_>) -> Vec<Note> {
        let beyond = |estimate: &&hype_core::model::findings::Estimate| {
            estimate.interval.as_ref().is_some_and(|interval| interval.low > 0.5)
        };
        let models: Vec<&str> = found
            .iter()
            .filter(|findings| &*findings.measure.name == ERROR)
            .flat_map(|findings| findings.estimates.iter().filter(beyond))
            .map(|estimate| &*estimate.model)
            .collect();
        if models.is_empty() {
            return Vec::new();
        }
        let text = format!("judged wrong more often than chance (hyper-realism): {}", first_few(&models));
        vec![Note::setting("hyper-realism", text).about(ERROR).on_models(models)]
    }
}

register_rubric!(
    HypeInfinityRubric,
    "hype_infinity",
    summary = "The share judged wrong, on fakes and on reals, with d' and the criterion",
    citation = "Zhou et al. 2019, HYPE, NeurIPS; Hautus 1995 for the log-linear correction",
    example = "{ kind: hype_infinity }",
);
