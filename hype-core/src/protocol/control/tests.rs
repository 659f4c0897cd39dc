use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn action() -> impl Strategy<Value = OperatorAction> {
    let rater = || (0..4_u8).prop_map(|number| Arc::<str>::from(format!("r{number}")));
    prop_oneof![
        Just(OperatorAction::Pause),
        Just(OperatorAction::Resume),
        Just(OperatorAction::Close),
        Just(OperatorAction::Call),
        (0..9_u32).prop_map(|places| OperatorAction::TopUp { places }),
        rater().prop_map(|rater| OperatorAction::Exclude {
            rater,
            session: "s".into(),
            reason: "why".into()
        }),
        rater().prop_map(|rater| OperatorAction::Include {
            rater,
            session: "s".into(),
            reason: "why".into()
        }),
        (0..9_u32).prop_map(|count| OperatorAction::Links { first: 0, count }),
    ]
}

fn logged(id: u8, action: OperatorAction) -> LoggedAction {
    LoggedAction { id: format!("{id}").into(), by: "operator".into(), unix_ms: 0, action }
}

/// Returns the state after the entries with new names, applied one after the other.
fn expected(log: &[LoggedAction]) -> (Admission, u32, BTreeSet<Arc<str>>) {
    let mut seen = BTreeSet::new();
    let (mut admission, mut places, mut excluded) = (Admission::Open, 0, BTreeSet::new());
    for entry in log.iter().filter(|entry| seen.insert(Arc::clone(&entry.id))) {
        match &entry.action {
            OperatorAction::Pause => admission = Admission::Paused,
            OperatorAction::Resume => admission = Admission::Open,
            OperatorAction::Close => admission = Admission::Closed,
            OperatorAction::TopUp { places: more } => places += more,
            OperatorAction::Exclude { rater, .. } => drop(excluded.insert(Arc::clone(rater))),
            OperatorAction::Include { rater, .. } => drop(excluded.remove(rater)),
            _ => {}
        }
    }
    (admission, places, excluded)
}

/// Whether an entry is a call, and none before it has its name.
fn is_first_call(log: &[LoggedAction], entry: &LoggedAction) -> bool {
    let first = log.iter().find(|other| other.id == entry.id);
    first == Some(entry) && entry.action == OperatorAction::Call
}

proptest! {
    #[test]
    fn the_state_follows_from_the_log_wherever_it_is_read_from(
        actions in proptest::collection::vec((0..6_u8, action()), 0..24),
        cut in 0..24_usize,
    ) {
        let log: Vec<LoggedAction> = actions.into_iter().map(|(id, action)| logged(id, action)).collect();
        let control = Control::of(log.clone());
        let (first, rest) = log.split_at(cut.min(log.len()));
        let mut followed = Control::of(first.to_vec());
        rest.iter().for_each(|entry| followed.apply(entry.clone()));
        prop_assert_eq!(&followed, &control);
        let excluded: BTreeSet<_> = control.excluded().keys().cloned().collect();
        prop_assert_eq!((control.admission(), control.extra_places(), excluded), expected(&log));
        prop_assert_eq!(control.log(), &log[..]);
        prop_assert_eq!(control.is_called(), log.iter().any(|entry| is_first_call(&log, entry)));
    }

    #[test]
    fn repeating_an_entry_changes_nothing(actions in proptest::collection::vec(action(), 1..12), again in 0..12_usize) {
        let log: Vec<LoggedAction> = (0..).zip(actions).map(|(id, action)| logged(id, action)).collect();
        let mut control = Control::of(log.clone());
        let state = |control: &Control| {
            (control.admission(), control.extra_places(), control.excluded().clone(), control.next_link())
        };
        let before = state(&control);
        control.apply(log[again % log.len()].clone());
        prop_assert_eq!(state(&control), before);
    }

    #[test]
    fn an_action_that_changes_nothing_is_known_before(actions in proptest::collection::vec(action(), 0..12), next in action()) {
        let log = (0..).zip(actions).map(|(id, action)| logged(id, action));
        let mut control = Control::of(log);
        let decided = control.decide(&next);
        let state = |control: &Control| (control.admission(), control.is_called(), control.excluded().clone());
        let before = state(&control);
        control.apply(logged(255, next.clone()));
        if decided == Ok(false) {
            prop_assert_eq!(state(&control), before);
        }
    }
}

#[test]
fn impossible_actions_are_refused_with_the_reason() {
    let closed = Control::of([logged(0, OperatorAction::Close)]);
    let exclude = |reason: &str| OperatorAction::Exclude {
        rater: "r".into(),
        session: "s".into(),
        reason: reason.into(),
    };
    for (action, reason) in [
        (OperatorAction::Pause, "the study is closed"),
        (OperatorAction::Call, "the study is closed"),
        (OperatorAction::TopUp { places: 0 }, "from 1 to 100000"),
        (OperatorAction::TopUp { places: u32::MAX }, "from 1 to 100000"),
        (OperatorAction::Links { first: 0, count: 10_001 }, "from 1 to 10000"),
        (exclude("  "), "a reason is required"),
        (exclude("two\nlines"), "a single line"),
        (exclude(&"x".repeat(501)), "longer than 500"),
    ] {
        let refused = closed.decide(&action).unwrap_err().to_string();
        assert!(refused.contains(reason), "{action:?}: {refused}");
    }
}

#[test]
fn links_are_handed_out_once() {
    let mut control = Control::default();
    assert_eq!(control.next_link(), FIRST_LINK);
    control.apply(logged(0, OperatorAction::Links { first: FIRST_LINK, count: 3 }));
    assert_eq!(control.next_link(), FIRST_LINK + 3);
}

#[test]
fn raters_are_called_once() {
    let mut control = Control::default();
    assert_eq!((control.is_called(), control.decide(&OperatorAction::Call)), (false, Ok(true)));
    control.apply(logged(0, OperatorAction::Call));
    assert_eq!((control.is_called(), control.decide(&OperatorAction::Call)), (true, Ok(false)));
    control.apply(logged(1, OperatorAction::Close));
    control.apply(logged(2, OperatorAction::Resume));
    assert!(control.is_called(), "it is never taken back");
}
