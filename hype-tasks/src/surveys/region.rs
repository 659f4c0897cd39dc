//! The survey `region`.

use hype_core::model::trial::Question;
use hype_core::{Streams, Survey, SurveyPage, register_survey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NOT_SAID, choice};

/// Asks in which region of the world the rater lives.
///
/// # Source
/// The regions of the United Nations' standard M49, with the Americas in two, which the standard lists in addition to the whole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct WorldRegion {}

impl Survey for WorldRegion {
    fn pages(&self, _: &Streams) -> Vec<SurveyPage> {
        let regions = [
            ("africa", "Africa"),
            ("asia", "Asia"),
            ("europe", "Europe"),
            ("latin-america", "Latin America and the Caribbean"),
            ("northern-america", "Northern America"),
            ("oceania", "Oceania"),
            NOT_SAID,
        ];
        vec![SurveyPage::asking([Question::new("region", "Where do you live?", choice(regions))])]
    }
}

register_survey!(
    WorldRegion,
    "region",
    summary = "The region of the world in which the rater lives",
    citation = "United Nations, standard M49",
    example = "{ kind: region }",
);
