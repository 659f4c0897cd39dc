//! Signatures of requests, version 4, as the documentation of AWS describes them: rebuilt from the request and compared.

use std::fmt::Write as _;

use hmac::{Hmac, KeyInit as _, Mac as _};
use hyper::Request;
use hyper::body::Bytes;
use sha2::{Digest as _, Sha256};

/// The name of the service and its only region, which are part of every signature.
const SERVICE: &str = "mturk-requester";
const REGION: &str = "us-east-1";

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// The headers that every signature has to cover.
const SIGNED: [&str; 4] = ["content-type", "host", "x-amz-date", "x-amz-target"];

/// How far the time of a request may be from the service's, in seconds.
const SKEW: i64 = 15 * 60;

/// The keys of the account.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    pub(super) access_key: String,
    pub(super) secret_key: String,
}

/// Checks the signature of a request at a time in seconds since the Unix epoch.
///
/// # Errors
/// A description of the fault.
pub(super) fn check(request: &Request<Bytes>, keys: &Keys, now: i64) -> Result<(), String> {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let authorization = header("authorization").ok_or("there is no header authorization")?;
    let parts = authorization.strip_prefix(ALGORITHM).ok_or("the signature has another algorithm")?;
    let part = |name: &str| {
        let mut all = parts.split(',').filter_map(|part| part.trim().strip_prefix(name)?.strip_prefix('='));
        all.next().ok_or_else(|| format!("the header authorization has no {name}"))
    };
    let (credential, signed, signature) = (part("Credential")?, part("SignedHeaders")?, part("Signature")?);
    let date = header("x-amz-date").ok_or("there is no header x-amz-date")?;
    let seconds = unix_seconds(date).ok_or("the header x-amz-date is not a date such as 20260901T000000Z")?;
    if (seconds - now).abs() > SKEW {
        return Err("the request is signed for another time".into());
    }
    if credential != format!("{}/{}", keys.access_key, scope(date)) {
        return Err("the credential has another key, day, region or service".into());
    }
    let names: Vec<&str> = signed.split(';').collect();
    for name in SIGNED {
        if !names.contains(&name) {
            return Err(format!("the header {name} is not signed"));
        }
    }
    if !names.is_sorted() {
        return Err("the signed headers are not in order".into());
    }
    if self::signature(request, &names, keys, date)? == signature {
        Ok(())
    } else {
        Err("the signature is another one than the request's".into())
    }
}

/// The header authorization of a request that has every other header.
///
/// # Errors
/// If it lacks one that has to be signed.
pub(super) fn authorization(request: &Request<Bytes>, keys: &Keys) -> Result<String, String> {
    let date = request.headers().get("x-amz-date").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let signature = signature(request, &SIGNED, keys, date)?;
    Ok(format!(
        "{ALGORITHM} Credential={}/{}, SignedHeaders={}, Signature={signature}",
        keys.access_key,
        scope(date),
        SIGNED.join(";")
    ))
}

/// Returns the scope in which a signature on a date is valid.
fn scope(date: &str) -> String {
    format!("{}/{REGION}/{SERVICE}/aws4_request", date.get(..8).unwrap_or_default())
}

fn signature(request: &Request<Bytes>, names: &[&str], keys: &Keys, date: &str) -> Result<String, String> {
    let canonical = hexadecimal(&Sha256::digest(canonical(request, names)?));
    let scope = scope(date);
    let to_sign = format!("{ALGORITHM}\n{date}\n{scope}\n{canonical}");
    let first = format!("AWS4{}", keys.secret_key).into_bytes();
    let key = scope.split('/').fold(first, |key, text| keyed(&key, text.as_bytes()));
    Ok(hexadecimal(&keyed(&key, to_sign.as_bytes())))
}

/// The request as it is signed.
fn canonical(request: &Request<Bytes>, names: &[&str]) -> Result<String, String> {
    let uri = request.uri();
    let mut text = format!("{}\n{}\n{}\n", request.method(), uri.path(), uri.query().unwrap_or_default());
    for name in names {
        let values: Vec<String> = request
            .headers()
            .get_all(*name)
            .iter()
            .map(|value| value.to_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        if values.is_empty() {
            return Err(format!("the signed header {name} is missing"));
        }
        text += &format!("{name}:{}\n", values.join(","));
    }
    Ok(format!("{text}\n{}\n{}", names.join(";"), hexadecimal(&Sha256::digest(request.body()))))
}

fn keyed(key: &[u8], text: &[u8]) -> Vec<u8> {
    // HMAC takes keys of any length.
    let mut keyed = Hmac::<Sha256>::new_from_slice(key).unwrap_or_else(|_| unreachable!("any length"));
    keyed.update(text);
    keyed.finalize().into_bytes().to_vec()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A time in seconds since the Unix epoch, such as `20260901T000000Z`.
pub(super) fn date(mut seconds: i64) -> String {
    let mut year = 1970;
    let length_of_year = |year: i64| if is_leap(year) { 366 } else { 365 };
    let time = seconds.rem_euclid(86_400);
    seconds = seconds.div_euclid(86_400);
    while seconds >= length_of_year(year) {
        seconds -= length_of_year(year);
        year += 1;
    }
    let mut month = 1;
    for length in lengths(year) {
        if seconds < length {
            break;
        }
        seconds -= length;
        month += 1;
    }
    let (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60);
    format!("{year:04}{month:02}{:02}T{hour:02}{minute:02}{second:02}Z", seconds + 1)
}

const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The days of each month.
const fn lengths(year: i64) -> [i64; 12] {
    [31, if is_leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

/// The seconds since the Unix epoch of a time such as `20260901T000000Z`.
fn unix_seconds(text: &str) -> Option<i64> {
    let is_written =
        text.len() == 16 && text.is_ascii() && text.get(8..9) == Some("T") && text.ends_with('Z');
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u32>().ok().map(i64::from);
    if !is_written {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(4, 6)?, number(6, 8)?);
    let (hour, minute, second) = (number(9, 11)?, number(11, 13)?, number(13, 15)?);
    if !(1..=12).contains(&month) {
        return None;
    }
    let before_year: i64 = (1970..year).map(|year| if is_leap(year) { 366 } else { 365 }).sum();
    let before_month: i64 = (1..month).zip(lengths(year)).map(|(_, length)| length).sum();
    Some((((before_year + before_month + day - 1) * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_counted_from_1970() {
        assert_eq!(unix_seconds("19700101T000000Z"), Some(0));
        assert_eq!(unix_seconds("20260901T000000Z"), Some(1_788_220_800));
        assert_eq!(unix_seconds("20240229T235959Z"), Some(1_709_251_199));
        for text in ["19700101T000000Z", "20240229T235959Z", "20241231T120001Z", "20260901T000000Z"] {
            assert_eq!(unix_seconds(text).map(date).as_deref(), Some(text));
        }
        for none in ["", "2026-09-01T00:00:00Z", "20261301T000000Z", "20260901 000000Z"] {
            assert_eq!(unix_seconds(none), None, "{none}");
        }
    }

    /// The example in "Deriving the signing key" of AWS's documentation.
    #[test]
    fn keys_are_derived_as_published() {
        let derived = ["20150830", "us-east-1", "iam", "aws4_request"]
            .iter()
            .fold(b"AWS4wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_vec(), |key, text| {
                keyed(&key, text.as_bytes())
            });
        let expected = "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9";
        assert_eq!(hexadecimal(&derived), expected);
    }
}
