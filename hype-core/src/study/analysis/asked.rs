//! Levels of raters that are answers to surveys.

use std::sync::Arc;

use super::{AnalysisError, visit_records};
use crate::model::facet::LevelsByName;
use crate::plugin::store::Store;
use crate::study::Study;

/// The study with the levels that raters have by their answers to surveys, according to the logs of a store. Read in one pass
/// over the sessions, unless no facet asks for it.
///
/// # Errors
/// If the store fails or a log is damaged.
pub async fn with_asked_levels(study: Study, store: &dyn Store) -> Result<Study, AnalysisError> {
    if !study.asks_levels() {
        return Ok(study);
    }
    let mut levels: LevelsByName = study.rater_levels().clone();
    visit_records(store, |record| {
        let asked = study.asked_levels(record);
        if !asked.is_empty() {
            levels.entry(Arc::clone(&record.header.rater)).or_default().extend(asked);
        }
        Ok(true)
    })
    .await?;
    Ok(study.with_rater_levels(levels))
}
