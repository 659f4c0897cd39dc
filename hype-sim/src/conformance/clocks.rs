//! Clocks: a session does not depend on when it takes place.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::thread;
use std::time::{Duration, SystemTime};

use hype_core::Study;

use super::subject::{Player, walk};
use super::{Subject, ensure};
use crate::population::Behaviour;

/// Checks that states, trials and truths are the same in another second, another millisecond and another thread, and that
/// none contains the time of day.
pub(super) fn sessions_read_no_clock(subject: &Subject) -> Result<(), String> {
    let study = subject.study()?;
    let began = time_of_day();
    let first = states(&study, Some(began))?;
    let into_the_second = began.subsec_millis();
    let next_second = began.as_secs() + 1;
    while time_of_day().as_secs() < next_second || time_of_day().subsec_millis() == into_the_second {
        wait(Duration::from_secs(next_second).saturating_sub(time_of_day()).max(Duration::from_millis(1)));
    }
    let later = thread::scope(|scope| scope.spawn(|| states(&study, None)).join());
    let later = later.map_err(|_| "the task panics in another thread".to_owned())??;
    let differs = first.iter().zip(&later).position(|(first, later)| first != later);
    ensure(differs.is_none() && first.len() == later.len(), || {
        let at = differs.unwrap_or(first.len().min(later.len()));
        format!("after {at} trials, the same session is in another state when it takes place a moment later")
    })
}

/// Hashes of the states, trials and truths of honest raters at all places. Fails if one of them contains the time since
/// `began`.
fn states(study: &Study, began: Option<Duration>) -> Result<Vec<u64>, String> {
    let mut states = Vec::new();
    for place in 0..study.places() {
        let mut player = Player::new(study, place, Behaviour::Honest)?;
        walk(study, place, &mut player, |moment| {
            let text = format!("{} {:?} {:?}", moment.machine.fingerprint(), moment.trial, moment.truth);
            let time = began.and_then(|began| time_in(&text, began, time_of_day()));
            ensure(time.is_none(), || {
                format!("a state contains the number {}, the time of day", time.unwrap_or_default())
            })?;
            let mut hash = DefaultHasher::new();
            text.hash(&mut hash);
            states.push(hash.finish());
            Ok(())
        })?;
    }
    Ok(states)
}

/// A number in a text that is the time since 1970 at a moment from `began` to `now`, in seconds or a smaller unit.
fn time_in(text: &str, began: Duration, now: Duration) -> Option<u128> {
    let numbers =
        text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|digits| digits.parse().ok());
    let units: [fn(&Duration) -> u128; 4] =
        [|time| time.as_secs().into(), Duration::as_millis, Duration::as_micros, Duration::as_nanos];
    numbers.into_iter().find(|number| units.iter().any(|unit| (unit(&began)..=unit(&now)).contains(number)))
}

#[expect(clippy::disallowed_methods, reason = "whether tasks read a clock shows only by one")]
fn time_of_day() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "a clock shows another second only after a second")]
fn wait(duration: Duration) {
    thread::sleep(duration);
}
