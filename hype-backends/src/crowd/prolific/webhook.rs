//! Webhooks: what Prolific reports by itself.
//!
//! Prolific signs each report with a secret of the workspace, delivers it at least once, and in any order. So a report is only a
//! hint that there is something to look at: its receiver asks Prolific for the state, which is the same after one report, after
//! the same one twice, and after several in another order. [`SeenReports`] tells whether a report is new; repeated ones cost no
//! request.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use hyper::http::HeaderMap;
use serde::Deserialize;
use sha2::Sha256;
use tokio::sync::Notify;

use crate::clock::Clock;
use crate::web::{Received, Webhook};

/// How far the time of a report may be from that of this machine, in milliseconds, in either direction. An older report may have
/// been recorded and sent again by someone else.
pub const TOLERANCE_MS: u64 = 5 * 60 * 1_000;

/// The number of reports that [`SeenReports`] remembers.
const REMEMBERED: usize = 4_096;

const SIGNATURE: &str = "x-prolific-request-signature";
const TIMESTAMP: &str = "x-prolific-request-timestamp";
const EVENT: &str = "x-event-id";

/// A report that Prolific has signed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The name of the event, which is the same each time that it is delivered; `None` if it has none.
    pub event: Option<Arc<str>>,
    /// The topic of the report.
    pub topic: Topic,
    /// When it was sent, in milliseconds since the Unix epoch.
    pub sent_unix_ms: u64,
}

/// The topic of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Topic {
    /// A submission.
    Submission,
    /// A study.
    Study,
    /// Something else.
    Other,
}

/// A report is not accepted. Its sender is not Prolific, has another secret, or repeats an earlier report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A header that every report has is missing or cannot be read.
    #[error("a webhook without signature or time was refused")]
    NotSigned,
    /// The signature is not that of the time and the body.
    #[error("a webhook with a wrong signature was refused")]
    WrongSignature,
    /// The signature is right, and the time is not.
    #[error("a webhook of another time was refused")]
    WrongTime,
    /// The signature is right, and the body is not what this version knows.
    #[error("a webhook that is not understood was refused")]
    NotUnderstood,
}

/// Checks who sent a report and when, given the time in milliseconds since the Unix epoch. The signature is compared in constant
/// time.
///
/// # Errors
/// If it is not a report of Prolific, or not one of the last minutes.
pub fn verify(
    secret: &[u8],
    headers: &HeaderMap,
    body: &[u8],
    now_unix_ms: u64,
) -> Result<Report, ReportError> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let (Some(signature), Some(timestamp)) = (header(SIGNATURE), header(TIMESTAMP)) else {
        return Err(ReportError::NotSigned);
    };
    let signature = BASE64_STANDARD.decode(signature).map_err(|_| ReportError::NotSigned)?;
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).map_err(|_| ReportError::WrongSignature)?;
    mac.update(timestamp.as_bytes());
    mac.update(body);
    mac.verify_slice(&signature).map_err(|_| ReportError::WrongSignature)?;
    let sent_unix_ms = of_seconds(timestamp).ok_or(ReportError::WrongTime)?;
    if sent_unix_ms.abs_diff(now_unix_ms) > TOLERANCE_MS {
        return Err(ReportError::WrongTime);
    }
    let body: Body = serde_json::from_slice(body).map_err(|_| ReportError::NotUnderstood)?;
    let topic = match body.event_type.split('.').next() {
        Some("submission") => Topic::Submission,
        Some("study") => Topic::Study,
        _ => Topic::Other,
    };
    Ok(Report { event: header(EVENT).map(Into::into), topic, sent_unix_ms })
}

/// Of the body nothing else is used: what a status is, the platform says when it is asked.
#[derive(Deserialize)]
struct Body {
    event_type: String,
}

/// A time in seconds, with or without decimals, in milliseconds.
fn of_seconds(text: &str) -> Option<u64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_number =
        !whole.is_empty() && whole.bytes().chain(decimals.bytes()).all(|byte| byte.is_ascii_digit());
    if !is_number {
        return None;
    }
    let ms = decimals.bytes().chain(*b"000").take(3).fold(0, |ms, digit| ms * 10 + u64::from(digit - b'0'));
    whole.parse::<u64>().ok()?.checked_mul(1_000)?.checked_add(ms)
}

/// The reports that were taken last.
#[derive(Debug, Clone, Default)]
pub struct SeenReports {
    events: BTreeSet<Arc<str>>,
    oldest_first: VecDeque<Arc<str>>,
}

impl SeenReports {
    /// Whether a report is new, and the platform has to be asked. A report without a name counts as new. In which order reports
    /// come makes no difference, as none of them is believed.
    pub fn is_new(&mut self, report: &Report) -> bool {
        let Some(event) = &report.event else { return true };
        if !self.events.insert(Arc::clone(event)) {
            return false;
        }
        self.oldest_first.push_back(Arc::clone(event));
        if self.oldest_first.len() > REMEMBERED
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.events.remove(&oldest);
        }
        true
    }
}

/// Takes reports that Prolific has signed with a secret. A new one wakes up the notified task, which asks Prolific for the state;
/// one that came before is only confirmed.
#[must_use]
pub fn receiver(secret: Vec<u8>, clock: Arc<dyn Clock>) -> Webhook {
    let seen = Mutex::new(SeenReports::default());
    let receive = move |headers: &HeaderMap, body: &[u8]| {
        let now_unix_ms = clock.now().0 / 1_000;
        let Ok(report) = verify(&secret, headers, body, now_unix_ms) else { return Received::Refused };
        // No panic can leave the reports half-changed, so a poisoned lock is safe to use.
        let is_new = seen.lock().unwrap_or_else(PoisonError::into_inner).is_new(&report);
        if is_new { Received::News } else { Received::Known }
    };
    Webhook::new(receive, Arc::new(Notify::new()))
}

#[cfg(test)]
mod tests {
    use hyper::http::HeaderValue;

    use super::*;

    const SECRET: &[u8] = b"cGNqFPb6y0RT3XO9XVSessBDYIbHQ";
    const BODY: &[u8] =
        br#"{"event_type": "submission.status.change", "resource_id": "63722971f9cc073ecc730f6a"}"#;
    const SENT: u64 = 1_788_220_800_000;

    fn headers(signature: &'static str, timestamp: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(SIGNATURE, HeaderValue::from_static(signature));
        headers.insert(TIMESTAMP, HeaderValue::from_static(timestamp));
        headers.insert(EVENT, HeaderValue::from_static("e1"));
        headers
    }

    #[test]
    fn signatures_match_the_documentation() {
        // By Prolific's example in Python: base64.b64encode(hmac.new(secret, str.encode(timestamp + body), 'sha256').digest()).
        let signed = headers("oeLEhT/yORi7hY7N1Rv41vvRG7xTYsaEOoi8wYjDweo=", "1788220800");
        let report = verify(SECRET, &signed, BODY, SENT).unwrap();
        assert_eq!(report, Report { event: Some("e1".into()), topic: Topic::Submission, sent_unix_ms: SENT });
        let wrong = verify(b"another secret", &signed, BODY, SENT);
        assert_eq!(wrong, Err(ReportError::WrongSignature));
        let changed = [BODY, b" "].concat();
        assert_eq!(verify(SECRET, &signed, &changed, SENT), Err(ReportError::WrongSignature));
        let moved = headers("oeLEhT/yORi7hY7N1Rv41vvRG7xTYsaEOoi8wYjDweo=", "1788220801");
        assert_eq!(verify(SECRET, &moved, BODY, SENT), Err(ReportError::WrongSignature));
        for unsigned in [HeaderMap::new(), headers("not base64!", "1788220800")] {
            assert_eq!(verify(SECRET, &unsigned, BODY, SENT), Err(ReportError::NotSigned));
        }
    }

    #[test]
    fn reports_of_another_time_are_refused() {
        let at = |now| {
            verify(SECRET, &headers("oeLEhT/yORi7hY7N1Rv41vvRG7xTYsaEOoi8wYjDweo=", "1788220800"), BODY, now)
        };
        assert!(at(SENT + TOLERANCE_MS).is_ok() && at(SENT - TOLERANCE_MS).is_ok());
        assert_eq!(at(SENT + TOLERANCE_MS + 1), Err(ReportError::WrongTime));
        assert_eq!(at(SENT - TOLERANCE_MS - 1), Err(ReportError::WrongTime));
    }

    #[test]
    fn times_are_seconds() {
        assert_eq!(of_seconds("1788220800"), Some(SENT));
        assert_eq!(of_seconds("1788220800.25"), Some(SENT + 250));
        for bad in ["", ".5", "-1", "1e9", "99999999999999999999"] {
            assert_eq!(of_seconds(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_report_is_new_once() {
        let report =
            |event: &str| Report { event: Some(event.into()), topic: Topic::Study, sent_unix_ms: SENT };
        let mut seen = SeenReports::default();
        assert!(seen.is_new(&report("a")) && seen.is_new(&report("b")));
        assert!(!seen.is_new(&report("a")));
        for number in 0..REMEMBERED {
            assert!(seen.is_new(&report(&number.to_string())));
        }
        assert_eq!(seen.events.len(), REMEMBERED, "the memory is bounded");
        let unnamed = Report { event: None, ..report("a") };
        assert!(seen.is_new(&unnamed) && seen.is_new(&unnamed));
    }
}
