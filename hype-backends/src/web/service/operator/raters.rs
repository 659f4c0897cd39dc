//! The raters of a study, as the operator sees them.

use std::sync::Arc;

use hype_core::study::places::StudyPlaces;
use hype_core::study::session::session_name;
use hype_core::{Ending, Micros, Study};

use super::OperatorService;
use crate::web::service::census::{Flag, Key, Visited};
use crate::web::service::fault::Fault;
use crate::web::wire::operator::{ExcludedBy, RaterFlag, RaterList, RaterQuery, RaterRow, RaterState};

/// The most raters in a message.
const RATERS: usize = 100;

/// The most models of a rater in a message.
const MODELS: usize = 4;

impl OperatorService {
    /// The raters who match a query, those who were active last first.
    ///
    /// # Errors
    /// If the store has failed since the service began.
    pub async fn raters(&self, query: &RaterQuery) -> Result<RaterList, Fault> {
        // Reads what is new.
        self.latest().await?;
        let listing = Listing {
            study: &self.running.current(),
            places: &self.running.places,
            at_most: self.context.presenter.at_most,
            now: self.context.now(),
        };
        let census = self.census.census();
        let mut found: Vec<(Key, &Visited)> = match query.state {
            // Few are open in a study of any size.
            Some(RaterState::Rating | RaterState::Waiting | RaterState::Away) => census.open().collect(),
            _ => census.sessions().collect(),
        };
        found.retain(|(key, visited)| {
            visited.rater.starts_with(&query.find)
                && query.state.is_none_or(|state| state == listing.state_of(*key, visited))
        });
        found.sort_unstable_by_key(|(key, visited)| {
            (visited.ending.is_some() || visited.is_erased, std::cmp::Reverse((visited.active_at(), *key)))
        });
        let rows = found.iter().skip(query.skip as usize).take(RATERS);
        Ok(RaterList {
            matching: u32::try_from(found.len()).unwrap_or(u32::MAX),
            raters: rows.map(|(key, visited)| listing.row(*key, visited)).collect(),
        })
    }
}

/// A list of raters at one time.
struct Listing<'a> {
    study: &'a Study,
    places: &'a StudyPlaces,
    /// The maximum number of trials in a session.
    at_most: u32,
    now: Micros,
}

impl Listing<'_> {
    fn state_of(&self, (place, _): Key, visited: &Visited) -> RaterState {
        match visited.ending {
            _ if visited.is_erased => RaterState::Erased,
            None if self.places.is_leased_by(place, &visited.rater, self.now) => {
                if visited.is_waiting(self.now) { RaterState::Waiting } else { RaterState::Rating }
            }
            None => RaterState::Away,
            Some(Ending::Disqualified) => RaterState::Disqualified,
            Some(Ending::ScreenedOut) => RaterState::ScreenedOut,
            Some(Ending::Left) => RaterState::Left,
            Some(_) => {
                let by_rule = visited.checks.iter().flatten().any(|flag| flag.excludes);
                let excluded = by_rule || self.study.control().excluded().contains_key(&visited.rater);
                if excluded { RaterState::Excluded } else { RaterState::Completed }
            }
        }
    }

    fn row(&self, key: Key, visited: &Visited) -> RaterRow {
        let names = visited.models.iter().filter_map(|&set| self.study.stimuli().set(set));
        let flag = |flag: &Flag| RaterFlag {
            name: Arc::clone(&flag.name),
            state: flag.state,
            why: Arc::clone(&flag.why),
            excludes: flag.excludes,
        };
        RaterRow {
            rater: Arc::clone(&visited.rater),
            session: session_name(key.0, key.1),
            state: self.state_of(key, visited),
            models: names.take(MODELS).map(|set| Arc::clone(&set.name)).collect(),
            answered: visited.answered,
            at_most: self.at_most,
            idle_us: visited.active_at().map(|at| Micros(self.now.0.saturating_sub(at.0))),
            pace_us: visited.pace(),
            flags: visited.checks.as_ref().map(|flags| flags.iter().map(flag).collect()),
            excluded: self.study.control().excluded().get(&visited.rater).map(|exclusion| ExcludedBy {
                reason: Arc::clone(&exclusion.reason),
                by: Arc::clone(&exclusion.by),
                unix_ms: exclusion.unix_ms,
            }),
        }
    }
}
