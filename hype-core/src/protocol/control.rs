//! Operators' decisions about a running study: the fold of their log of actions.
//!
//! Any number of servers, and the command line, append to the log. [`Control`] is its fold; its methods say which action to
//! append. Nothing here reads a clock or a store, so every process comes to the same state.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::action::{LoggedAction, OperatorAction};
use crate::words::counted;

/// The most places that one action adds.
pub const TOP_UP_AT_MOST: u32 = 100_000;

/// The most links that one action hands out.
pub const LINKS_AT_MOST: u32 = 10_000;

/// The longest reason, in characters.
pub const REASON_AT_MOST: usize = 500;

/// The longest name of a key.
const NAME_AT_MOST: usize = 40;

/// The number of the first link that an action hands out. Links that are printed at the command line are numbered by
/// hand, from 1 on.
pub const FIRST_LINK: u64 = 1 << 32;

/// Whether raters may enter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Admission {
    /// They may.
    #[default]
    Open,
    /// Not at the moment.
    Paused,
    /// The collection is over.
    Closed,
}

/// An exclusion by the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorExclusion {
    /// The rater's session.
    pub session: Arc<str>,
    /// Why.
    pub reason: Arc<str>,
    /// Who excluded the rater.
    pub by: Arc<str>,
    /// When, in milliseconds since the Unix epoch.
    pub unix_ms: u64,
}

/// An action that is not possible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ActionRefused(pub String);

/// The state of a study according to its operators' actions.
///
/// # Examples
/// ```
/// use hype_core::model::action::{LoggedAction, OperatorAction};
/// use hype_core::protocol::control::{Admission, Control};
///
/// let pause = LoggedAction { id: "1".into(), by: "operator".into(), unix_ms: 0, action: OperatorAction::Pause };
/// let control = Control::of([pause]);
/// assert_eq!(control.admission(), Admission::Paused);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Control {
    admission: Admission,
    extra_places: u32,
    excluded: BTreeMap<Arc<str>, OperatorExclusion>,
    links: u64,
    keys: BTreeMap<Arc<str>, u32>,
    is_called: bool,
    log: Vec<LoggedAction>,
}

impl Control {
    /// The fold of a log.
    #[must_use]
    pub fn of(log: impl IntoIterator<Item = LoggedAction>) -> Self {
        let mut control = Self::default();
        log.into_iter().for_each(|entry| control.apply(entry));
        control
    }

    /// Adds the next entry of the log. An entry with the name of an earlier one has no effect.
    pub fn apply(&mut self, entry: LoggedAction) {
        if self.find(&entry.id).is_none() {
            match &entry.action {
                OperatorAction::Pause => self.admission = Admission::Paused,
                OperatorAction::Resume => self.admission = Admission::Open,
                OperatorAction::Close => self.admission = Admission::Closed,
                OperatorAction::Call => self.is_called = true,
                OperatorAction::TopUp { places } => {
                    self.extra_places = self.extra_places.saturating_add(*places);
                }
                OperatorAction::Exclude { rater, session, reason } => {
                    let exclusion = OperatorExclusion {
                        session: Arc::clone(session),
                        reason: Arc::clone(reason),
                        by: Arc::clone(&entry.by),
                        unix_ms: entry.unix_ms,
                    };
                    self.excluded.insert(Arc::clone(rater), exclusion);
                }
                OperatorAction::Include { rater, .. } => drop(self.excluded.remove(rater)),
                OperatorAction::Links { first, count } => {
                    self.links = self.links.max(first.saturating_add(u64::from(*count)));
                }
                OperatorAction::Key { name, number } => drop(self.keys.insert(Arc::clone(name), *number)),
                OperatorAction::Reopen { .. } | OperatorAction::Export { .. } => {}
            }
        }
        self.log.push(entry);
    }

    /// The entries so far.
    #[must_use]
    pub fn log(&self) -> &[LoggedAction] {
        &self.log
    }

    /// The first entry with a name.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&LoggedAction> {
        self.log.iter().find(|entry| *entry.id == *id)
    }

    /// Whether raters may enter.
    #[must_use]
    pub const fn admission(&self) -> Admission {
        self.admission
    }

    /// Whether the operator has called raters who wait. A call is never taken back.
    #[must_use]
    pub const fn is_called(&self) -> bool {
        self.is_called
    }

    /// The number of places in addition to those of the spec.
    #[must_use]
    pub const fn extra_places(&self) -> u32 {
        self.extra_places
    }

    /// The raters excluded by the operator, in the order of their keys.
    #[must_use]
    pub const fn excluded(&self) -> &BTreeMap<Arc<str>, OperatorExclusion> {
        &self.excluded
    }

    /// The number of the next link to hand out.
    #[must_use]
    pub fn next_link(&self) -> u64 {
        self.links.max(FIRST_LINK)
    }

    /// The number of keys that were made for a name; the latest of them is valid. 0 stands for the key that a study has from the
    /// beginning.
    #[must_use]
    pub fn keys_of(&self, name: &str) -> u32 {
        self.keys.get(name).copied().unwrap_or_default()
    }

    /// Whether an action would change anything.
    ///
    /// # Errors
    /// If the action is not possible: a number out of range, a missing reason, or a rater who is not excluded.
    pub fn decide(&self, action: &OperatorAction) -> Result<bool, ActionRefused> {
        let within = |number: u32, most: u32, what: &str| {
            if (1..=most).contains(&number) {
                return Ok(true);
            }
            Err(ActionRefused(format!("{number} {what}: the number must be from 1 to {most}")))
        };
        match action {
            OperatorAction::Pause => match self.admission {
                Admission::Closed => Err(ActionRefused("the study is closed: resume it first".into())),
                admission => Ok(admission != Admission::Paused),
            },
            OperatorAction::Resume => Ok(self.admission != Admission::Open),
            OperatorAction::Close => Ok(self.admission != Admission::Closed),
            OperatorAction::Call => match self.admission {
                _ if self.is_called => Ok(false),
                Admission::Closed => Err(ActionRefused("the study is closed: resume it first".into())),
                _ => Ok(true),
            },
            OperatorAction::TopUp { places } => within(*places, TOP_UP_AT_MOST, "places"),
            OperatorAction::Links { count, .. } => within(*count, LINKS_AT_MOST, "links"),
            OperatorAction::Key { name, .. } => {
                let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
                if name.is_empty() || name.len() > NAME_AT_MOST || !name.bytes().all(is_plain) {
                    return Err(ActionRefused(format!(
                        "{name:?}: a key's name has 1 to {NAME_AT_MOST} letters, digits, `-` or `_`"
                    )));
                }
                Ok(true)
            }
            OperatorAction::Exclude { rater, reason, .. } => {
                check_reason(reason)?;
                Ok(!self.excluded.contains_key(rater))
            }
            OperatorAction::Include { rater, reason, .. } => {
                check_reason(reason)?;
                Ok(self.excluded.contains_key(rater))
            }
            OperatorAction::Reopen { .. } | OperatorAction::Export { .. } => Ok(true),
        }
    }
}

/// A reason is a line of text, as it becomes part of the findings.
fn check_reason(reason: &str) -> Result<(), ActionRefused> {
    if reason.trim().is_empty() {
        return Err(ActionRefused("a reason is required, as it becomes part of the findings".into()));
    }
    if reason.chars().count() > REASON_AT_MOST {
        return Err(ActionRefused(format!("the reason is longer than {REASON_AT_MOST} characters")));
    }
    if reason.chars().any(char::is_control) {
        return Err(ActionRefused("the reason must be a single line of text".into()));
    }
    Ok(())
}

impl OperatorAction {
    /// Describes the action in words.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Pause => "paused the study".into(),
            Self::Resume => "resumed the study".into(),
            Self::Close => "closed the study".into(),
            Self::Call => "called the raters who wait".into(),
            Self::TopUp { places } => format!("added {}", counted(*places, "place")),
            Self::Exclude { rater, reason, .. } => format!("excluded {rater}: {reason}"),
            Self::Include { rater, reason, .. } => format!("included {rater} again: {reason}"),
            Self::Reopen { places } => format!("opened {} again", counted(*places, "given-up place")),
            Self::Links { count, .. } => format!("made {}", counted(*count, "link")),
            Self::Key { name, number } => format!("made key {number} of {name}"),
            Self::Export { what } => format!("downloaded {what}"),
        }
    }
}

#[cfg(test)]
mod tests;
