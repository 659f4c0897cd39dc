//! Times as Prolific's API writes them.

/// Days from 1 January 1970 to a date of the Gregorian calendar.
///
/// # Method
/// Years begin in March: a leap day is the last of its year, and 400 years have 146,097 days: Howard Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Milliseconds since the Unix epoch of a time such as `2022-12-10T18:24:36.041000Z`, with any number of decimals and any offset.
/// A time without an offset is in UTC. `None` if it is none or lies before 1970.
pub(super) fn unix_ms(text: &str) -> Option<u64> {
    let (date, time) = text.trim().split_once(['T', ' '])?;
    let [year, month, day] = numbers(date, '-')?;
    let (time, offset_minutes) = split_offset(time)?;
    let (time, decimals) = time.split_once('.').unwrap_or((time, ""));
    let [hour, minute, second] = numbers(time, ':')?;
    let is_time = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second);
    if !is_time || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let ms = decimals.bytes().chain(*b"000").take(3).fold(0, |ms, digit| ms * 10 + i64::from(digit - b'0'));
    let seconds = (days(year, month, day) * 24 + hour) * 3_600 + (minute - offset_minutes) * 60 + second;
    u64::try_from(seconds * 1_000 + ms).ok()
}

/// The time of day and its offset from UTC in minutes.
fn split_offset(time: &str) -> Option<(&str, i64)> {
    if let Some(time) = time.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    let Some(place) = time.rfind(['+', '-']) else { return Some((time, 0)) };
    let (time, offset) = time.split_at(place);
    let (sign, offset) = offset.split_at(1);
    let (hours, minutes) = offset.split_once(':').or_else(|| offset.split_at_checked(2))?;
    let minutes = number(hours)? * 60 + number(minutes)?;
    Some((time, if sign == "-" { -minutes } else { minutes }))
}

fn numbers(text: &str, separator: char) -> Option<[i64; 3]> {
    let mut parts = text.split(separator).map(number);
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}

/// A number of at most four digits.
fn number(text: &str) -> Option<i64> {
    let is_number = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_form_of_the_standard() {
        // By Python: datetime.fromisoformat(text).timestamp().
        let cases = [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2022-12-10T18:24:36.041000Z", Some(1_670_696_676_041)),
            ("2022-12-10T18:24:36Z", Some(1_670_696_676_000)),
            ("2022-12-10T18:24:36.5+00:00", Some(1_670_696_676_500)),
            ("2022-12-10T19:54:36+01:30", Some(1_670_696_676_000)),
            ("2022-12-10T12:24:36-0600", Some(1_670_696_676_000)),
            ("2022-12-10 18:24:36", Some(1_670_696_676_000)),
            ("2024-02-29T23:59:59.999999Z", Some(1_709_251_199_999)),
            ("2026-09-01T00:00:00Z", Some(1_788_220_800_000)),
            ("2022-13-10T18:24:36Z", None),
            ("2022-12-10", None),
            ("yesterday", None),
            ("1969-12-31T23:59:59Z", None),
            ("2022-12-10T18:24:36.4x", None),
        ];
        for (text, expected) in cases {
            assert_eq!(unix_ms(text), expected, "{text}");
        }
    }
}
