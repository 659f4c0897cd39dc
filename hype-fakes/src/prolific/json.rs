//! Bodies of requests and answers.

use std::fmt::Write as _;

use hyper::body::Bytes;
use serde_json::{Map, Value, json};

/// Why a request is refused.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) title: &'static str,
    pub(super) detail: Value,
}

/// The answer to a request that is not refused.
pub(super) type Reply = Result<(u16, Value), Refusal>;

impl Refusal {
    /// A field has a value that is not valid.
    pub(super) fn field(field: &str, message: &str) -> Self {
        Self { status: 400, title: "Bad request", detail: json!({ field: [message] }) }
    }

    /// The request as a whole is not possible.
    pub(super) fn because(message: impl Into<String>) -> Self {
        Self { status: 400, title: "Bad request", detail: Value::from(message.into()) }
    }

    pub(super) fn not_found() -> Self {
        Self { status: 404, title: "Not found", detail: "Not found.".into() }
    }
}

/// The envelope of errors.
pub(super) fn error(status: u16, title: &str, detail: &Value) -> Bytes {
    let error = json!({ "status": status, "error_code": 140_000 + u32::from(status), "title": title, "detail": detail });
    json!({ "error": error }).to_string().into()
}

/// The fields of a request's body.
pub(super) struct Fields(pub(super) Map<String, Value>);

impl Fields {
    pub(super) fn of(body: &[u8]) -> Result<Self, Refusal> {
        match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) => Ok(Self(fields)),
            _ => Err(Refusal::because("JSON parse error")),
        }
    }

    pub(super) fn text(&self, field: &str) -> Result<&str, Refusal> {
        let text = self.0.get(field).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| Refusal::field(field, "This field is required."))
    }

    pub(super) fn number(&self, field: &str, least: u64) -> Result<u64, Refusal> {
        let number = self.0.get(field).and_then(Value::as_u64).filter(|number| *number >= least);
        number.ok_or_else(|| Refusal::field(field, "A valid whole number is required."))
    }

    pub(super) fn list(&self, field: &str) -> Result<&[Value], Refusal> {
        let list = self.0.get(field).and_then(Value::as_array);
        list.map(Vec::as_slice).ok_or_else(|| Refusal::field(field, "Expected a list of items."))
    }

    pub(super) fn texts(&self, field: &str) -> Result<Vec<String>, Refusal> {
        let texts = self.list(field)?.iter().map(|text| text.as_str().map(ToOwned::to_owned));
        texts.collect::<Option<_>>().ok_or_else(|| Refusal::field(field, "Not a valid string."))
    }
}

/// A time as the API writes it, given in milliseconds since the Unix epoch.
pub(super) fn time(unix_ms: u64) -> String {
    let (days, of_day) = (unix_ms / 86_400_000, unix_ms % 86_400_000);
    let (mut year, mut left) = (1970, days);
    let length = |year: u64| {
        let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        365 + u64::from(is_leap)
    };
    while left >= length(year) {
        left -= length(year);
        year += 1;
    }
    let february = length(year) - 337;
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < days {
            break;
        }
        left -= days;
        month += 1;
    }
    let (seconds, ms) = (of_day / 1_000, of_day % 1_000);
    let mut text = format!("{year:04}-{month:02}-{:02}T", left + 1);
    // Writing to a string cannot fail.
    let _ = write!(text, "{:02}:{:02}:{:02}.{ms:03}000Z", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_match_the_calendar() {
        assert_eq!(time(0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(time(1_670_696_676_041), "2022-12-10T18:24:36.041000Z");
        assert_eq!(time(1_709_251_199_999), "2024-02-29T23:59:59.999000Z");
        assert_eq!(time(1_788_220_800_000), "2026-09-01T00:00:00.000000Z");
    }
}
