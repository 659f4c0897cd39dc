//! The raters of a study, as the operator sees them.

use std::sync::Arc;

use hype_core::study::places::StudyPlaces;
use hype_core::study::session::{place_and_attempt, session_name};
use hype_core::{CheckState, Ending, Micros, Study};

use super::OperatorService;
use crate::web::service::census::{Census, Flag, Key, Totals, Visited};
use crate::web::service::fault::Fault;
use crate::web::service::rests::Rests;
use crate::web::wire::operator::{
    ExcludedBy, RaterFlag, RaterGroup, RaterList, RaterQuery, RaterRow, RaterState,
};
use crate::web::wire::status::RaterGroups;

/// The most raters in a message.
const RATERS: usize = 50;

/// The most models and checks of a rater in a message.
const MODELS: usize = 4;
const FLAGS: usize = 4;

/// How long a rater with a place counts as active after something was heard of the session.
const ACTIVE: Micros = Micros(60_000_000);

impl OperatorService {
    /// The raters who match a query: those who need attention first, then those with the most answers.
    ///
    /// # Errors
    /// If the store has failed since the service began.
    pub async fn raters(&self, query: &RaterQuery) -> Result<RaterList, Fault> {
        // Reads what is new.
        self.latest().await?;
        let study = self.running.current();
        let listing = Listing::of(self, &study);
        let census = self.census.census();
        let mut found: Vec<(Key, &Visited)> = match query.group {
            // Few are open in a study of any size.
            Some(RaterGroup::Active | RaterGroup::Idle) => census.open().collect(),
            _ => census.sessions().collect(),
        };
        found.retain(|(key, visited)| {
            visited.rater.starts_with(&query.find)
                && query.group.is_none_or(|group| group == listing.state_of(*key, visited).group())
        });
        let limit = census.limit();
        let needs_attention = |visited: &Visited| {
            limit.is_exceeded_by(visited.fast, visited.answered)
                || visited.checks.iter().flatten().any(is_failed)
        };
        found.sort_by_cached_key(|(key, visited)| {
            let order = (needs_attention(visited), visited.answered, visited.active_at(), *key);
            (visited.ending.is_some() || visited.is_erased, std::cmp::Reverse(order))
        });
        let rows = found.iter().skip(query.skip as usize).take(RATERS);
        Ok(RaterList {
            matching: u32::try_from(found.len()).unwrap_or(u32::MAX),
            below_ms: u32::try_from(limit.at_least.0 / 1_000).unwrap_or(u32::MAX),
            raters: rows.map(|(key, visited)| listing.row(*key, visited, needs_attention(visited))).collect(),
        })
    }
}

fn is_failed(flag: &Flag) -> bool {
    flag.state == CheckState::Fail
}

/// A list of raters at one time.
pub(super) struct Listing<'a> {
    study: &'a Study,
    places: &'a StudyPlaces,
    rests: &'a Rests,
    /// The maximum number of trials in a session.
    at_most: u32,
    now: Micros,
}

impl<'a> Listing<'a> {
    /// A list of the raters of the current study, as of now.
    pub(super) fn of(service: &'a OperatorService, study: &'a Study) -> Self {
        Self {
            study,
            places: &service.running.places,
            rests: &service.context.rests,
            at_most: service.context.presenter.at_most,
            now: service.context.now(),
        }
    }

    /// The numbers of raters by what they do. Those whose sessions are over were counted when they ended.
    pub(super) fn groups(&self, census: &Census, totals: Totals) -> RaterGroups {
        let by_operator = self.study.control().excluded().values().filter(|exclusion| {
            place_and_attempt(&exclusion.session).is_some_and(|key| {
                !census.excluded_by_rule().contains(&key)
                    && census.session(key).is_some_and(|visited| visited.ending == Some(Ending::Completed))
            })
        });
        let excluded = (census.excluded_by_rule().len() + by_operator.count()) as u64;
        let mut groups = RaterGroups {
            completed: totals.completed.saturating_sub(excluded),
            not_qualified: totals.disqualified + totals.screened_out,
            left: totals.left + totals.erased,
            excluded,
            ..RaterGroups::default()
        };
        for (key, visited) in census.open() {
            match self.state_of(key, visited).group() {
                RaterGroup::Active => groups.active += 1,
                RaterGroup::Idle => groups.idle += 1,
                _ => groups.left += 1,
            }
        }
        groups
    }

    fn state_of(&self, key: Key, visited: &Visited) -> RaterState {
        match visited.ending {
            _ if visited.is_erased => RaterState::Erased,
            None if self.places.is_leased_by(key.0, &visited.rater, self.now) => {
                self.state_in_place(key, visited)
            }
            None => RaterState::Away,
            Some(Ending::Disqualified) => RaterState::Disqualified,
            Some(Ending::ScreenedOut) => RaterState::ScreenedOut,
            Some(Ending::Left) => RaterState::Left,
            Some(_) => {
                let excluded = visited.is_excluded_by_rule()
                    || self.study.control().excluded().contains_key(&visited.rater);
                if excluded { RaterState::Excluded } else { RaterState::Completed }
            }
        }
    }

    /// The state of a rater with a place.
    fn state_in_place(&self, (place, attempt): Key, visited: &Visited) -> RaterState {
        let silent =
            visited.active_at().map_or(Micros(u64::MAX), |at| Micros(self.now.0.saturating_sub(at.0)));
        if visited.is_waiting(self.now) {
            RaterState::Waiting
        } else if self.rests.has(&session_name(place, attempt), self.now) {
            RaterState::Resting
        } else if silent <= ACTIVE {
            RaterState::Rating
        } else {
            RaterState::Idle
        }
    }

    fn row(&self, key: Key, visited: &Visited, attention: bool) -> RaterRow {
        let names = visited.models.iter().filter_map(|&set| self.study.stimuli().set(set));
        let flags = visited.checks.as_ref().map(|flags| {
            let mut flags: Vec<&Flag> = flags.iter().collect();
            flags.sort_by_key(|flag| !is_failed(flag));
            flags.into_iter().take(FLAGS).map(told).collect()
        });
        RaterRow {
            rater: Arc::clone(&visited.rater),
            state: self.state_of(key, visited),
            models: names.take(MODELS).map(|set| Arc::clone(&set.name)).collect(),
            answered: visited.answered,
            at_most: self.at_most,
            idle_us: visited.active_at().map(|at| Micros(self.now.0.saturating_sub(at.0))),
            median_us: visited.median_response(),
            fast: visited.fast,
            hidden: visited.hidden,
            attention,
            flags,
            excluded: self.study.control().excluded().get(&visited.rater).map(|exclusion| ExcludedBy {
                reason: Arc::clone(&exclusion.reason),
                by: Arc::clone(&exclusion.by),
                unix_ms: exclusion.unix_ms,
            }),
        }
    }
}

fn told(flag: &Flag) -> RaterFlag {
    RaterFlag {
        name: Arc::clone(&flag.name),
        state: flag.state,
        why: Arc::clone(&flag.why),
        excludes: flag.excludes,
    }
}
