//! The rule of places agrees with a model that examines every place each time, for any number of processes that share a
//! log and know only a part of it.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use hype_core::Micros;
use hype_core::protocol::places::{
    ClaimRequest, Claimed, LatestSession, Occupancy, PlaceChange, PlaceCounts, PlaceState, Places, Plan,
    Progress, Release,
};
use proptest::prelude::*;

const PLAN: Plan = Plan { places: 4, replacements: 2 };

#[derive(Debug, Clone)]
enum Operation {
    Claim { holder: u8, now: u64, span: u64 },
    Prolong { place: u32, holder: u8, until: u64 },
    Suspend { place: u32, holder: u8, now: u64 },
    Answered { place: u32, holder: u8, until: u64 },
    Release { place: u32, holder: u8, why: Release },
    Reopen { place: u32, now: u64 },
}

/// An action of a process, which first reads the log if `reads` is set.
fn operations() -> impl Strategy<Value = Vec<(usize, bool, Operation)>> {
    let operation = prop_oneof![
        6 => (0..6_u8, 0..60_u64, 0..20_u64)
            .prop_map(|(holder, now, span)| Operation::Claim { holder, now, span }),
        2 => (0..4_u32, 0..6_u8, 0..80_u64)
            .prop_map(|(place, holder, until)| Operation::Prolong { place, holder, until }),
        1 => (0..4_u32, 0..6_u8, 0..80_u64)
            .prop_map(|(place, holder, now)| Operation::Suspend { place, holder, now }),
        2 => (0..4_u32, 0..6_u8, 0..80_u64)
            .prop_map(|(place, holder, until)| Operation::Answered { place, holder, until }),
        4 => (0..4_u32, 0..6_u8, releases())
            .prop_map(|(place, holder, why)| Operation::Release { place, holder, why }),
        1 => (0..4_u32, 0..80_u64).prop_map(|(place, now)| Operation::Reopen { place, now }),
    ];
    proptest::collection::vec((0..3_usize, any::<bool>(), operation), 1..120)
}

fn releases() -> impl Strategy<Value = Release> {
    prop_oneof![Just(Release::Completed), Just(Release::Answered), Just(Release::Unanswered)]
}

fn name(holder: u8) -> String {
    format!("holder {holder}")
}

/// The holders of places, found by examining every place.
#[derive(Debug, Default, Clone)]
struct Model([PlaceState; 4]);

impl Model {
    fn claim(&mut self, holder: &str, now: u64, until: u64) -> Option<Claimed> {
        let is_free = |state: &PlaceState| {
            let is_held = state.occupancy == Occupancy::Held && state.until.0 > now;
            !is_held && state.occupancy != Occupancy::Done && state.spent <= PLAN.replacements
        };
        let own = self.0.iter().position(|state| state.holder.as_deref() == Some(holder));
        let place = own.or_else(|| self.0.iter().position(is_free))?;
        let state = &mut self.0[place];
        if own.is_none() {
            *state = PlaceState {
                holder: Some(holder.into()),
                holders: state.holders + 1,
                spent: state.spent,
                ..PlaceState::default()
            };
        }
        state.until = state.until.max(Micros(until));
        state.occupancy = Occupancy::Held;
        Some(Claimed { place: place as u32, attempt: state.holders - 1 })
    }

    fn held(&mut self, place: u32, holder: &str) -> Option<&mut PlaceState> {
        let state = &mut self.0[place as usize];
        (state.holder.as_deref() == Some(holder)).then_some(state)
    }

    fn counts(&self, now: u64) -> PlaceCounts {
        let mut counts = PlaceCounts::default();
        for state in &self.0 {
            match state.occupancy {
                Occupancy::Done => counts.done += 1,
                Occupancy::Held if state.until.0 > now => counts.held += 1,
                _ if state.spent > PLAN.replacements => counts.given_up += 1,
                _ => {}
            }
        }
        counts
    }
}

/// A holder counts once among those who answered.
fn answer(state: &mut PlaceState) {
    state.spent += u32::from(!state.answered);
    state.answered = true;
}

/// A log shared by several processes.
#[derive(Default)]
struct Shared(Vec<PlaceChange>);

impl Shared {
    fn append(&mut self, change: &PlaceChange) -> bool {
        let before = self.0.iter().filter(|other| other.place == change.place).count();
        let fits = before == change.number as usize;
        if fits {
            self.0.push(change.clone());
        }
        fits
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn processes_decide_as_the_model_does(operations in operations()) {
        let mut log = Shared::default();
        let mut processes: [(Places, usize); 3] = Default::default();
        let mut model = Model::default();
        for (process, reads, operation) in operations {
            let (places, read) = &mut processes[process];
            let mut attempts = 0;
            loop {
                if reads || attempts > 0 || matches!(operation, Operation::Claim { .. }) {
                    log.0[*read..].iter().for_each(|change| places.apply(change));
                    *read = log.0.len();
                }
                attempts += 1;
                prop_assert!(attempts < 3, "a process that has read the log makes a final decision");
                let (claimed, change) = match &operation {
                    Operation::Claim { holder, now, span } => {
                        let holder = name(*holder);
                        let (now, until) = (Micros(*now), Micros(now + span));
                        match places.claim(PLAN, &ClaimRequest { holder: &holder, now, until }) {
                            Some((claimed, change)) => (Some(claimed), Some(change)),
                            None => (None, None),
                        }
                    }
                    Operation::Prolong { place, holder, until } => {
                        (None, places.prolong(*place, &name(*holder), Micros(*until)))
                    }
                    Operation::Suspend { place, holder, now } => {
                        (None, places.suspend(*place, &name(*holder), Micros(*now)))
                    }
                    Operation::Answered { place, holder, until } => {
                        (None, places.answered(*place, &name(*holder), Micros(*until)))
                    }
                    Operation::Release { place, holder, why } => {
                        (None, places.release(*place, &name(*holder), *why))
                    }
                    Operation::Reopen { place, now } => (None, places.reopen(PLAN, *place, Micros(*now))),
                };
                if change.is_none() && *read < log.0.len() {
                    continue;
                }
                if let Some(change) = &change {
                    if !log.append(change) {
                        continue;
                    }
                    places.apply(change);
                }
                match &operation {
                    Operation::Claim { holder, now, span } => {
                        prop_assert_eq!(claimed, model.claim(&name(*holder), *now, now + span));
                    }
                    Operation::Prolong { place, holder, until } => {
                        let held = model.held(*place, &name(*holder));
                        prop_assert_eq!(change.is_some(), held.is_some());
                        if let Some(state) = held {
                            state.until = state.until.max(Micros(*until));
                            state.occupancy = Occupancy::Held;
                        }
                    }
                    Operation::Suspend { place, holder, now } => {
                        let held = model.held(*place, &name(*holder));
                        prop_assert_eq!(change.is_some(), held.is_some());
                        if let Some(state) = held {
                            (state.until, state.occupancy) = (Micros(*now), Occupancy::Free);
                        }
                    }
                    Operation::Answered { place, holder, until } => {
                        let held = model.held(*place, &name(*holder));
                        prop_assert_eq!(change.is_some(), held.is_some());
                        if let Some(state) = held {
                            state.until = state.until.max(Micros(*until));
                            state.occupancy = Occupancy::Held;
                            answer(state);
                        }
                    }
                    Operation::Reopen { place, now } => {
                        let state = &mut model.0[*place as usize];
                        let is_held = state.occupancy == Occupancy::Held && state.until.0 > *now;
                        let given_up = !is_held
                            && state.occupancy != Occupancy::Done
                            && state.spent > PLAN.replacements;
                        prop_assert_eq!(change.is_some(), given_up);
                        if given_up {
                            (state.spent, state.occupancy) = (0, Occupancy::Free);
                        }
                    }
                    Operation::Release { place, holder, why } => {
                        let held = model.held(*place, &name(*holder));
                        prop_assert_eq!(change.is_some(), held.is_some());
                        if let Some(state) = held {
                            state.holder = None;
                            let done = *why == Release::Completed;
                            state.occupancy = if done { Occupancy::Done } else { Occupancy::Free };
                            if *why != Release::Unanswered {
                                answer(state);
                            }
                        }
                    }
                }
                break;
            }
        }
        let mut whole = Places::default();
        log.0.iter().for_each(|change| whole.apply(change));
        for time in [0, 25, 50, 100] {
            prop_assert_eq!(whole.counts(PLAN, Micros(time)), model.counts(time));
        }
        let mut given = std::collections::BTreeSet::new();
        for (at, change) in log.0.iter().enumerate() {
            let before = log.0[..at].iter().rev().find(|other| other.place == change.place);
            if change.state.holders > before.map_or(0, |before| before.state.holders) {
                prop_assert!(given.insert((change.place, change.state.holders)), "an attempt was assigned twice");
            }
        }
    }
}

/// Sessions that were collected without claims, and sessions whose end was not recorded in the plan.
#[test]
fn places_follow_from_their_latest_sessions() {
    let latest = |rater: &str, attempt, progress, answered| LatestSession {
        rater: rater.into(),
        attempt,
        progress,
        answered,
    };
    let mut places = Places::default();
    let mut follow = |place, latest: &LatestSession| {
        let change = places.follow(place, latest)?;
        places.apply(&change);
        assert_eq!(places.follow(place, latest), None, "once is enough");
        Some(places.state(place))
    };
    let state = |holder: Option<&str>, (holders, spent), answered, occupancy| PlaceState {
        holder: holder.map(Into::into),
        until: Micros(0),
        holders,
        spent,
        answered,
        occupancy,
    };
    let completed = latest("a", 0, Progress::Completed, true);
    assert_eq!(follow(0, &completed), Some(state(None, (1, 1), true, Occupancy::Done)));
    let failed = latest("b", 2, Progress::Failed, false);
    let unknown = Some(state(None, (3, 2), false, Occupancy::Free));
    assert_eq!(follow(1, &failed), unknown, "holders without a record count as having answered");
    let unfinished = latest("c", 1, Progress::Unfinished, true);
    assert_eq!(follow(2, &unfinished), Some(state(Some("c"), (2, 2), true, Occupancy::Free)));
    assert_eq!(follow(0, &latest("z", 5, Progress::Unfinished, true)), None, "what is done stays done");
    let (now, until) = (Micros(0), Micros(9));
    let (claimed, change) = places.claim(PLAN, &ClaimRequest { holder: "d", now, until }).unwrap();
    assert_eq!(claimed, Claimed { place: 1, attempt: 3 });
    places.apply(&change);
    assert_eq!(places.follow(1, &latest("b", 2, Progress::Unfinished, true)), None, "a later attempt began");
    assert_eq!(places.follow(1, &latest("d", 3, Progress::Unfinished, false)), None, "its holder continues");
    let counted = places.follow(1, &latest("d", 3, Progress::Unfinished, true)).unwrap();
    let held = PlaceState { until, ..state(Some("d"), (4, 3), true, Occupancy::Held) };
    assert_eq!(counted.state, held, "an answer whose count was lost is counted");
    let foreign = places.follow(1, &latest("e", 3, Progress::Completed, true)).unwrap();
    assert_eq!(foreign.state.occupancy, Occupancy::Done, "the session knows who filled the place");
}
