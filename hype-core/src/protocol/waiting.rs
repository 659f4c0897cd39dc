//! Waiting until a study needs raters: how long each of them waits, and what is promised for it.
//!
//! A wait is the fold of a session's [`Waited`] notes, so any process can continue it. Nothing here reads a clock.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::note::{Noted, SessionNote, Waited};
use crate::model::units::{Amount, Micros};
use crate::protocol::recruitment::Retainer;

/// A minute.
const MINUTE: Micros = Micros(60_000_000);

/// The delay after the beginning of a minute within which the page has to ask for the minute to count from its beginning.
/// Otherwise the rater was not there when it began, and it counts from the time at which the page asks again. Browsers run the
/// timers of a hidden window about once a minute, which must not cost the rater anything.
const LATE: Micros = Micros(90_000_000);

/// A rater's wait.
///
/// The page asks every few seconds whether the wait is over, and each minute in which it asks is paid once it has begun. A gap
/// therefore adds one minute, however long it is.
///
/// # Examples
/// ```
/// use hype_core::protocol::waiting::Wait;
/// use hype_core::{Amount, Micros, Retainer};
///
/// let retainer = Retainer { raters: 3.into(), per_hour: Amount(9_000_000), minutes_at_most: 20.into() };
/// let wait = Wait::of(Micros(0), Wait::first(&retainer));
/// assert_eq!(wait.next(Micros(59_000_000), Some(&retainer)), None);
/// let second = wait.next(Micros(60_000_000), Some(&retainer)).unwrap();
/// assert_eq!((second.minutes, second.pay.to_string()), (2, "0.30".into()));
/// // The operator has called.
/// assert!(wait.next(Micros(30_000_000), None).unwrap().over);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// When it began, since the session was opened, as are all times here.
    since: Micros,
    /// When the last minute began.
    minute: Micros,
    /// The time of the last note.
    noted: Micros,
    last: Waited,
}

impl Wait {
    /// The note with which a wait begins: its first minute.
    #[must_use]
    pub fn first(retainer: &Retainer) -> Waited {
        Waited { minutes: 1, pay: retainer.pay(1), over: false }
    }

    /// The wait that begins with a note.
    #[must_use]
    pub const fn of(at: Micros, first: Waited) -> Self {
        Self { since: at, minute: at, noted: at, last: first }
    }

    /// The wait that a session's notes tell of; `None` if its rater did not wait.
    #[must_use]
    pub fn from_notes<'a>(notes: impl IntoIterator<Item = &'a Noted>) -> Option<Self> {
        notes.into_iter().fold(None, |wait, noted| match noted.note {
            SessionNote::Waited(waited) => Some(Self::after(wait, noted.at, waited)),
            _ => wait,
        })
    }

    /// The wait after its next note.
    #[must_use]
    pub fn after(before: Option<Self>, at: Micros, note: Waited) -> Self {
        let Some(before) = before else { return Self::of(at, note) };
        let due = before.minute.saturating_add(MINUTE);
        let minute = match note.minutes > before.last.minutes {
            true if at <= due.saturating_add(LATE) => due,
            true => at,
            false => before.minute,
        };
        Self { since: before.since, minute, noted: at, last: note }
    }

    /// The note to add when the page asks, if there is one: the wait is over, or another minute has begun. The wait of a study that is
    /// not held open is over, which is then `None`.
    ///
    /// Each minute is promised at the rate that holds when it begins, and what was promised before stays.
    #[must_use]
    pub fn next(&self, at: Micros, held_open: Option<&Retainer>) -> Option<Waited> {
        if self.last.over {
            return None;
        }
        let Some(retainer) = held_open.filter(|retainer| at < self.until(retainer)) else {
            return Some(Waited { over: true, ..self.last });
        };
        if at < self.minute.saturating_add(MINUTE) {
            return None;
        }
        let minutes = self.last.minutes + 1;
        let promised = retainer.pay(minutes).0.saturating_sub(retainer.pay(self.last.minutes).0);
        Some(Waited { minutes, pay: self.last.pay.plus(Amount(promised)), over: false })
    }

    /// Returns when it is over even without a call.
    fn until(&self, retainer: &Retainer) -> Micros {
        let most = MINUTE.0 * u64::from(retainer.minutes_at_most.get());
        self.since.saturating_add(Micros(most))
    }

    /// Returns the time until it is over even without a call.
    #[must_use]
    pub fn left(&self, at: Micros, retainer: &Retainer) -> Micros {
        Micros(self.until(retainer).0.saturating_sub(at.0))
    }

    /// Whether it is over.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.last.over
    }

    /// When it was over, if it is.
    #[must_use]
    pub fn over_at(&self) -> Option<Micros> {
        self.last.over.then_some(self.noted)
    }

    /// Whether the rater waits, and the page has asked lately.
    #[must_use]
    pub fn goes_on(&self, at: Micros) -> bool {
        !self.last.over && at <= self.minute.saturating_add(MINUTE).saturating_add(LATE)
    }

    /// The number of minutes that have begun and that the page has asked in.
    #[must_use]
    pub const fn minutes(&self) -> u32 {
        self.last.minutes
    }

    /// Returns the promised pay for them.
    #[must_use]
    pub const fn pay(&self) -> Amount {
        self.last.pay
    }
}

/// The raters of a study that is held open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[expect(clippy::exhaustive_structs, reason = "code that counts them makes it")]
pub struct WaitingRoom {
    /// The number of raters who wait now.
    pub waiting: u32,
    /// The number of raters who are let in before the operator calls.
    pub raters: u32,
    /// Whether the operator has called.
    pub is_called: bool,
}

#[cfg(test)]
mod tests;
