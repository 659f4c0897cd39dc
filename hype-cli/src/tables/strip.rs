//! Estimates and their intervals on a common axis, drawn with characters.

use hype_report::numbers::{Style, fixed};
use hype_report::words::Unit;

use crate::terminal::columns;

/// The sign of an estimate.
pub(super) const DOT: char = '●';
/// The columns that a label of a tick takes at least.
const LABEL: usize = 9;

/// An axis of so many columns.
pub(super) struct Strip {
    style: Style,
    low: f64,
    high: f64,
    step: f64,
    width: usize,
}

impl Strip {
    /// An axis over these numbers, or over the whole scale of a measure; `None` if they have no range.
    pub(super) fn new(style: Style, numbers: impl Iterator<Item = f64>, width: usize) -> Option<Self> {
        let all: Vec<f64> =
            numbers.map(|number| number * style.factor).filter(|one| one.is_finite()).collect();
        let zero = (style.unit == Unit::LogOdds).then_some(0.0);
        let (mut low, mut high) = all
            .iter()
            .copied()
            .chain(zero)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| (low.min(one), high.max(one)));
        if let Unit::Scale(least, most) = style.unit {
            (low, high) = (low.min(f64::from(least)), high.max(f64::from(most)));
        }
        let step = nice((high - low) / (width / LABEL).clamp(1, 6) as f64)?;
        let (low, high) = match style.unit {
            Unit::Scale(..) => (low, high),
            _ => ((low / step).floor() * step, (high / step).ceil() * step),
        };
        Some(Self { style, low, high, step, width })
    }

    fn column(&self, number: f64) -> usize {
        let share = (number - self.low) / (self.high - self.low);
        (share.clamp(0.0, 1.0) * (self.width - 1) as f64).round() as usize
    }

    /// The labels of ticks above their columns.
    pub(super) fn ticks(&self) -> String {
        let decimals = (-self.step.log10().floor()).max(0.0) as usize;
        let mut line = String::new();
        let mut number = (self.low / self.step).ceil() * self.step;
        while number <= self.high + self.step * 1e-9 {
            let sign = if self.style.signed && number > self.step / 2.0 { "+" } else { "" };
            let label = format!("{sign}{}", fixed(number, decimals));
            let wide = columns(&label);
            let start = self.column(number).saturating_sub(wide / 2).min(self.width.saturating_sub(wide));
            let end = columns(&line);
            if line.is_empty() || start > end {
                line.push_str(&" ".repeat(start.saturating_sub(end)));
                line.push_str(&label);
            }
            number += self.step;
        }
        line
    }

    /// An estimate with its interval.
    pub(super) fn row(&self, value: f64, ends: Option<(f64, f64)>) -> String {
        let mut signs = vec![' '; self.width];
        if self.style.unit == Unit::LogOdds {
            signs[self.column(0.0)] = '┊';
        }
        let at = |number: f64| self.column(number * self.style.factor);
        if let Some((low, high)) = ends.map(|(low, high)| (at(low), at(high))) {
            signs[low..=high].fill('─');
            (signs[low], signs[high]) = ('├', '┤');
        }
        signs[at(value)] = DOT;
        signs.into_iter().collect()
    }
}

/// The least of 1, 2 and 5 times a power of ten that is not smaller; `None` for what is not above 0.
fn nice(least: f64) -> Option<f64> {
    if !least.is_finite() || least <= 0.0 {
        return None;
    }
    let power = 10_f64.powi(least.log10().floor() as i32);
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|one| one * power).find(|step| *step >= least * (1.0 - 1e-9))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(unit: Unit, numbers: &[f64]) -> Strip {
        let style = Style { factor: 1.0, decimals: 0, signed: unit == Unit::LogOdds, unit };
        Strip::new(style, numbers.iter().copied(), 41).unwrap()
    }

    #[test]
    fn intervals_stand_under_their_ticks() {
        let ms = strip(Unit::Ms, &[104.0, 446.0]);
        let [ticks, row] = [ms.ticks(), ms.row(300.0, Some((200.0, 400.0)))];
        assert_eq!(ticks, "100      200       300       400      500");
        assert_eq!(row.trim_end(), "          ├─────────●─────────┤");
        let odds = strip(Unit::LogOdds, &[1.2, -2.1]);
        let [ticks, row] = [odds.ticks(), odds.row(1.0, Some((0.95, 1.05)))];
        assert_eq!(ticks, "−3     −2      −1       0      +1      +2");
        assert_eq!(row.trim_end(), "                        ┊       ●");
    }

    #[test]
    fn equal_numbers_have_no_axis() {
        let style = Style { factor: 1.0, decimals: 0, signed: false, unit: Unit::Ms };
        assert!(Strip::new(style, [2.0, 2.0].into_iter(), 40).is_none());
    }
}
