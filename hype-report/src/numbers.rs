//! How numbers are written: on pages, in figures, tables and sentences, and in the terminal.

use hype_core::model::findings::{Estimate, Interval, MeasureFindings};

pub use crate::text::fixed;
use crate::words::Unit;

/// A count, with commas between thousands.
#[must_use]
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A p value: two digits, and `< 0.001` below.
#[must_use]
pub fn p_value(p: f64) -> String {
    if p < 0.001 {
        "< 0.001".to_owned()
    } else if p < 0.0995 {
        format!("{p:.*}", if p < 0.00995 { 4 } else { 3 })
    } else {
        format!("{p:.2}")
    }
}

/// A p value in a sentence, such as `p = 0.017`.
#[must_use]
pub fn p_text(p: f64) -> String {
    let text = p_value(p);
    if text.starts_with('<') { format!("p {text}") } else { format!("p = {text}") }
}

/// A level such as 0.95 as a percentage.
#[must_use]
pub fn percent(share: f64) -> String {
    ((share * 1e6).round() / 1e4).to_string()
}

/// How the numbers of a column are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// 100 for proportions, which are written in percent.
    pub factor: f64,
    /// Digits after the point.
    pub decimals: usize,
    /// Whether positive numbers have a sign.
    pub signed: bool,
    /// The unit.
    pub unit: Unit,
}

impl Style {
    /// The style of a measure, in which half the width of the narrowest interval has two digits.
    #[must_use]
    pub fn of(found: &MeasureFindings) -> Self {
        let unit = Unit::of(&found.measure);
        let factor = unit.factor();
        let half = |one: &Estimate| match (&one.interval, one.se) {
            (Some(interval), _) => (interval.high - interval.low) / 2.0,
            (None, Some(se)) => 2.0 * se,
            (None, None) => one.value.abs() / 20.0,
        };
        let halves = found.estimates.iter().map(half).filter(|half| half.is_finite() && *half > 0.0);
        let half = halves.fold(f64::INFINITY, f64::min);
        let half = if half.is_finite() { half } else { 0.01 } * factor;
        // Half a width that rounds up to three digits has two.
        let digits = (half * 1.005).log10().floor();
        // More than two digits of strengths would not fit into a lane.
        let most = if unit == Unit::LogOdds { 2.0 } else { 4.0 };
        let decimals = (1.0 - digits).clamp(0.0, most) as usize;
        Self { factor, decimals, signed: unit == Unit::LogOdds, unit }
    }

    /// The style in which the largest of a metric's values has four digits.
    pub(crate) fn of_metric(values: impl Iterator<Item = f64>) -> Self {
        let most = values.filter(|value| value.is_finite()).map(f64::abs).fold(0.0, f64::max);
        let digits = if most > 0.0 { most.log10().floor() } else { 0.0 };
        let decimals = (3.0 - digits).clamp(0.0, 6.0) as usize;
        Self { factor: 1.0, decimals, signed: false, unit: Unit::None }
    }

    /// A number in this style, without its unit.
    #[must_use]
    pub fn number(self, number: f64) -> String {
        let text = fixed(number * self.factor, self.decimals);
        let is_above = self.signed && number > 0.0 && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
        if is_above { format!("+{text}") } else { text }
    }

    /// A number with the sign of percent or of milliseconds, such as `39.4%` and `413 ms`.
    #[must_use]
    pub fn value(self, number: f64) -> String {
        format!("{}{}", self.number(number), self.unit.after())
    }

    /// The ends of an interval in brackets, without unit.
    #[must_use]
    pub fn ends(self, (low, high): (f64, f64)) -> String {
        let bare = Self { signed: false, ..self };
        format!("[{}, {}]", bare.number(low), bare.number(high))
    }

    /// An estimate with its unit and interval, such as `413 ms [379, 446]`.
    #[must_use]
    pub fn estimate(self, value: f64, interval: Option<&Interval>) -> String {
        match interval {
            Some(interval) => format!("{} {}", self.value(value), self.ends((interval.low, interval.high))),
            None => self.value(value),
        }
    }

    /// The same where the unit stands at the head of the column; percent stays.
    #[must_use]
    pub fn cell(self, value: f64, ends: Option<(f64, f64)>) -> String {
        let number = if self.unit == Unit::Percent { self.value(value) } else { self.number(value) };
        match ends {
            Some(ends) => format!("{number} {}", self.ends(ends)),
            None => number,
        }
    }

    /// The style of headlines: whole percents where half an interval has more than two.
    #[must_use]
    pub fn of_headline(self) -> Self {
        let is_wide = self.unit == Unit::Percent && self.decimals <= 1;
        if is_wide { Self { decimals: 0, ..self } } else { self }
    }

    /// The style of differences, which have a sign where they are negative.
    #[must_use]
    pub fn of_differences(self) -> Self {
        let unit = match self.unit {
            Unit::Percent => Unit::Points,
            Unit::Scale(..) => Unit::None,
            unit => unit,
        };
        Self { unit, signed: false, ..self }
    }
}

#[cfg(test)]
mod tests {
    use hype_core::model::score::{Direction, Measure};

    use super::*;

    fn style(unit: &str, values: &[(f64, f64, f64)]) -> Style {
        let mut found = MeasureFindings::new(Measure::new("error", "judged wrong", unit, Direction::Higher));
        for (number, (value, low, high)) in values.iter().enumerate() {
            found.add(Estimate::new(&format!("m{number}"), *value, 9, 90).interval(*low, *high, 0.95, "t"));
        }
        Style::of(&found)
    }

    #[test]
    fn the_narrowest_interval_has_two_digits() {
        let ms = style("ms", &[(413.2, 379.4, 446.1), (143.6, 123.8, 164.2)]);
        assert_eq!(ms.cell(413.2, Some((379.4, 446.1))), "413 [379, 446]");
        assert_eq!(ms.value(413.2), "413 ms");
        let share = style("proportion", &[(0.394, 0.364, 0.425)]);
        assert_eq!(share.cell(0.394, Some((0.364, 0.425))), "39.4% [36.4, 42.5]");
        assert_eq!(share.of_differences().value(-0.05), "−5.0 points");
        let narrow = style("ms", &[(413.2, 404.0, 422.4)]);
        assert_eq!(narrow.number(413.2), "413.2");
        let rounded = style("ms", &[(413.2, 403.22, 423.18)]);
        assert_eq!(rounded.number(413.2), "413");
    }

    #[test]
    fn small_numbers_and_counts() {
        assert_eq!(
            ["< 0.001", "0.0020", "0.017", "0.099", "0.10", "0.52", "1.00"],
            [0.000_9, 0.002, 0.017, 0.0994, 0.0996, 0.52, 1.0].map(p_value)
        );
        assert_eq!(
            [0, 999, 1_000, 19_584, 1_234_567].map(count),
            ["0", "999", "1,000", "19,584", "1,234,567"]
        );
        assert_eq!([fixed(-0.001, 1), fixed(-2.5, 1)], ["0.0", "−2.5"]);
    }
}
