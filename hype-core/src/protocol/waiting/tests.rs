use proptest::prelude::*;

use super::*;

fn retainer(per_hour: u64, minutes_at_most: u32) -> Retainer {
    Retainer { raters: 3.into(), per_hour: Amount(per_hour), minutes_at_most: minutes_at_most.into() }
}

fn seconds(seconds: u64) -> Micros {
    Micros(seconds * 1_000_000)
}

/// Lets a page ask at these times, in seconds, and returns the notes in its session's log. The first of them begins the wait.
fn asked(times: &[u64], retainer: &Retainer) -> Vec<Noted> {
    let note = |at: u64, waited| Noted { at: seconds(at), note: SessionNote::Waited(waited) };
    let mut notes = vec![note(times[0], Wait::first(retainer))];
    for &at in &times[1..] {
        let wait = Wait::from_notes(&notes).unwrap();
        notes.extend(wait.next(seconds(at), Some(retainer)).map(|waited| note(at, waited)));
    }
    notes
}

#[test]
fn a_page_that_asks_is_paid_by_the_minute_until_the_longest_wait() {
    let retainer = retainer(9_000_000, 20);
    let times: Vec<u64> = (0..=1_300).step_by(7).map(|at| at + 100).collect();
    let notes = asked(&times, &retainer);
    let wait = Wait::from_notes(&notes).unwrap();
    // Questions come every seven seconds, and yet no minute is lost.
    assert_eq!((wait.minutes(), wait.pay().to_string(), notes.len()), (20, "3.00".into(), 21));
    assert_eq!(wait.over_at(), Some(seconds(1_304)), "the first question after 20 minutes");
    assert_eq!(wait.next(seconds(5_000), Some(&retainer)), None, "over");
    assert_eq!(wait.next(seconds(5_000), None), None);
}

#[test]
fn a_gap_adds_one_minute() {
    let retainer = retainer(9_000_000, 480);
    let minutes = |times: &[u64]| Wait::from_notes(&asked(times, &retainer)).unwrap().minutes();
    assert_eq!(minutes(&[0, 59]), 1);
    assert_eq!(minutes(&[0, 60]), 2);
    assert_eq!(minutes(&[0, 60, 60]), 2, "two questions at once count one minute");
    assert_eq!(minutes(&[0, 119, 179, 239]), 4, "a hidden window asks once a minute");
    assert_eq!(minutes(&[0, 150, 180]), 3, "the second minute began when it was due");
    assert_eq!(minutes(&[0, 151, 180]), 2, "no one was there when it was due");
    assert_eq!(minutes(&[0, 3_600]), 2);
    assert_eq!(minutes(&[0, 3_600, 3_659]), 2);
    assert_eq!(minutes(&[0, 3_600, 3_660]), 3);
}

#[test]
fn waits_are_at_most_as_long_as_promised() {
    let retainer = retainer(9_000_000, 20);
    let wait = Wait::from_notes(&asked(&[0, 1_200], &retainer)).unwrap();
    assert_eq!((wait.is_over(), wait.minutes()), (true, 1), "a gap is not paid, and is not waited again");
    let wait = Wait::from_notes(&asked(&[0, 1_199], &retainer)).unwrap();
    assert_eq!((wait.is_over(), wait.minutes()), (false, 2));
    assert_eq!(wait.left(seconds(1_199), &retainer), seconds(1));
    assert_eq!(wait.left(seconds(1_201), &retainer), seconds(0));
}

#[test]
fn a_call_ends_the_wait_and_keeps_what_was_promised() {
    let retainer = retainer(9_000_000, 20);
    let wait = Wait::from_notes(&asked(&[0, 61, 122], &retainer)).unwrap();
    assert!(wait.goes_on(seconds(122)) && !wait.goes_on(seconds(3_600)));
    let over = wait.next(seconds(125), None).unwrap();
    assert_eq!((over.minutes, over.pay, over.over), (3, Amount(450_000), true));
    let wait = Wait::after(Some(wait), seconds(125), over);
    assert_eq!((wait.over_at(), wait.goes_on(seconds(125))), (Some(seconds(125)), false));
}

#[test]
fn promises_stay_when_the_rate_changes() {
    let (high, low) = (retainer(9_000_000, 20), retainer(6_000_000, 20));
    let wait = Wait::from_notes(&asked(&[0, 60, 120], &high)).unwrap();
    let next = wait.next(seconds(180), Some(&low)).unwrap();
    // Three minutes at 0.15, and the fourth at 0.10.
    assert_eq!((next.minutes, next.pay), (4, Amount(550_000)));
}

#[test]
fn notes_have_a_form_of_their_own_in_logs() {
    let waited = SessionNote::Waited(Wait::first(&retainer(9_000_000, 20)));
    let text = serde_json::to_string(&waited).unwrap();
    assert_eq!(text, r#"{"waited":{"minutes":1,"pay":0.15}}"#);
    assert_eq!(serde_json::from_str::<SessionNote>(&text).unwrap(), waited);
}

proptest! {
    /// Whenever a page asks: minutes are as many as the page was there in, at most those allowed and those that have passed, and the pay
    /// is that of the minutes.
    #[test]
    fn pay_is_for_the_minutes(
        gaps in proptest::collection::vec(0..150_u64, 1..60),
        per_hour in 1..40_000_000_u64,
        most in 1..30_u32,
    ) {
        let retainer = retainer(per_hour, most);
        let mut at = 0;
        let times: Vec<u64> = gaps.iter().map(|gap| { at += gap; at }).collect();
        let notes = asked(&times, &retainer);
        let wait = Wait::from_notes(&notes).unwrap();
        let passed = times.last().unwrap() - times[0];
        prop_assert!(u64::from(wait.minutes()) <= passed / 60 + 1);
        prop_assert!(wait.minutes() <= most);
        prop_assert_eq!(wait.pay(), retainer.pay(wait.minutes()));
        prop_assert!(wait.pay() <= retainer.most());
        prop_assert_eq!(wait.is_over(), passed >= 60 * u64::from(most));
    }

    #[test]
    fn no_minute_is_lost_while_the_page_asks_once_a_minute(
        gaps in proptest::collection::vec(0..=60_u64, 1..60),
        most in 1..30_u32,
    ) {
        let retainer = retainer(9_000_000, most);
        let mut at = 0;
        let times: Vec<u64> = std::iter::once(0).chain(gaps.iter().map(|gap| { at += gap; at })).collect();
        let wait = Wait::from_notes(&asked(&times, &retainer)).unwrap();
        prop_assert_eq!(u64::from(wait.minutes()), (at / 60 + 1).min(most.into()));
    }
}
