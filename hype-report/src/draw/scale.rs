//! Axes: from values to places.

use std::collections::BTreeMap;

use crate::data::Cell;
use crate::figure::{PanelAxis, SecondScale};
use crate::numbers::fixed;

/// An axis with its place: from values to coordinates.
#[derive(Debug, Clone)]
pub(crate) enum Scale {
    /// Categories.
    Categories {
        places: BTreeMap<String, usize>,
        slots: usize,
        gap: Option<(usize, usize)>,
        start: f64,
        step: f64,
    },
    /// Numbers, with the ends of the axis before and after the logarithm.
    Numbers { low: f64, high: f64, log: bool, whole: bool, start: f64, end: f64 },
}

/// A tick: the coordinate and the text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) text: String,
}

/// How many places an axis of categories has: one for each, and one for the gap.
pub(crate) fn slots(axis: &PanelAxis) -> usize {
    match axis {
        PanelAxis::Categories { names, gap } => names.len() + usize::from(gap.is_some()),
        PanelAxis::Numbers { .. } => 0,
    }
}

impl Scale {
    /// An axis between two coordinates that covers the given numbers.
    pub(crate) fn new(axis: &PanelAxis, numbers: impl Iterator<Item = f64>, start: f64, end: f64) -> Self {
        match axis {
            PanelAxis::Categories { names, gap } => {
                let slots = slots(axis);
                let slot = |place: usize| place + usize::from(gap.is_some_and(|(before, _)| place >= before));
                let places =
                    names.iter().enumerate().map(|(place, name)| (name.clone(), slot(place))).collect();
                Self::Categories {
                    places,
                    slots,
                    gap: *gap,
                    start,
                    step: (end - start) / slots.max(1) as f64,
                }
            }
            PanelAxis::Numbers { log, whole, include, .. } => {
                let usable = |number: &f64| number.is_finite() && (!log || *number > 0.0);
                let all = || include.iter().copied().filter(usable);
                let (mut low, mut high) = numbers
                    .filter(usable)
                    .chain(all())
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| {
                        (low.min(one), high.max(one))
                    });
                if low > high {
                    (low, high) = if *log { (1.0, 10.0) } else { (0.0, 1.0) };
                }
                if *log {
                    (low, high) = (low.log10(), high.log10());
                }
                let room = if high > low { (high - low) * 0.03 } else { (low.abs() * 0.1).max(0.5) };
                Self::Numbers { low: low - room, high: high + room, log: *log, whole: *whole, start, end }
            }
        }
    }

    /// An axis of numbers with these ends, before or after the logarithm as [`Scale::Numbers`] has them.
    pub(crate) fn between(axis: &PanelAxis, (low, high): (f64, f64), start: f64, end: f64) -> Self {
        let (log, whole) = match axis {
            PanelAxis::Numbers { log, whole, .. } => (*log, *whole),
            PanelAxis::Categories { .. } => (false, false),
        };
        Self::Numbers { low, high, log, whole, start, end }
    }

    /// The same places in other numbers; `None` for categories and where equal ratios are equally far apart.
    pub(crate) fn second(&self, other: &SecondScale) -> Option<Self> {
        let Self::Numbers { low, high, log: false, start, end, .. } = *self else { return None };
        let [low, high] = [low, high].map(|number| (number - other.zero) * other.units);
        Some(Self::Numbers { low, high, log: false, whole: false, start, end })
    }

    /// The coordinate of a cell; `None` if the axis does not have it.
    pub(crate) fn at(&self, cell: &Cell) -> Option<f64> {
        match (self, cell) {
            (Self::Categories { places, start, step, .. }, Cell::Text(name)) => {
                Some(start + (*places.get(&**name)? as f64 + 0.5) * step)
            }
            (Self::Numbers { .. }, Cell::Number(number)) => self.of(*number),
            _ => None,
        }
    }

    /// The coordinate of a number.
    pub(crate) fn of(&self, number: f64) -> Option<f64> {
        let Self::Numbers { low, high, log, start, end, .. } = *self else { return None };
        if log && number <= 0.0 {
            return None;
        }
        let number = if log { number.log10() } else { number };
        Some(start + (number - low) / (high - low) * (end - start))
    }

    /// The room of one category.
    pub(crate) const fn step(&self) -> f64 {
        match self {
            Self::Categories { step, .. } => *step,
            Self::Numbers { .. } => 0.0,
        }
    }

    /// The coordinate of the gap between categories, and how many are not drawn.
    pub(crate) fn gap(&self) -> Option<(f64, usize)> {
        let Self::Categories { gap, start, step, .. } = self else { return None };
        gap.map(|(before, missing)| (start + (before as f64 + 0.5) * step, missing))
    }

    /// The names of the categories with their coordinates, in the order of places.
    pub(crate) fn names(&self) -> Vec<(f64, &str)> {
        let Self::Categories { places, slots, start, step, .. } = self else { return Vec::new() };
        let mut all: Vec<Option<(f64, &str)>> = vec![None; *slots];
        for (name, place) in places {
            all[*place] = Some((start + (*place as f64 + 0.5) * step, name));
        }
        all.into_iter().flatten().collect()
    }

    /// About so many ticks with round numbers, which are multiplied by `factor` where they are written.
    pub(crate) fn ticks(&self, factor: f64, wanted: usize) -> Vec<Tick> {
        let Self::Numbers { low, high, log, whole, .. } = *self else { return Vec::new() };
        let tick = |number: f64, decimals: usize| {
            self.of(number).map(|at| Tick { at, text: fixed(number * factor, decimals) })
        };
        if log && high - low > 0.5 {
            let multiples: &[f64] = match high - low {
                span if span > 2.5 => &[1.0],
                span if span > 1.3 => &[1.0, 3.0],
                _ => &[1.0, 2.0, 5.0],
            };
            let decades = low.floor() as i32..=high.ceil() as i32;
            let all = decades.flat_map(|decade| multiples.iter().map(move |&one| (decade, one)));
            return all
                .filter(|(decade, one)| (low..=high).contains(&(one.log10() + f64::from(*decade))))
                .filter_map(|(decade, one)| {
                    let decimals = (-(decade + factor.log10().floor() as i32)).max(0) as usize;
                    tick(one * 10_f64.powi(decade), decimals)
                })
                .collect();
        }
        let (low, high) = if log { (10_f64.powf(low), 10_f64.powf(high)) } else { (low, high) };
        let step =
            round_step((high - low) * factor / wanted.max(1) as f64).max(if whole { 1.0 } else { 0.0 });
        let decimals = (-(step.log10() + 1e-9).floor()).max(0.0) as usize;
        let first = (low * factor / step).ceil() as i64;
        let last = (high * factor / step).floor() as i64;
        (first..=last).filter_map(|count| tick(count as f64 * step / factor, decimals)).collect()
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least the given step.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let round = [1.0, 2.0, 5.0].into_iter().find(|one| one * power >= step * (1.0 - 1e-9));
    round.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &PanelAxis, numbers: &[f64], factor: f64) -> Vec<String> {
        let scale = Scale::new(axis, numbers.iter().copied(), 0.0, 500.0);
        scale.ticks(factor, 6).into_iter().map(|tick| tick.text).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(
            texts(&PanelAxis::numbers(""), &[0.0, 1.0], 1.0),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(texts(&PanelAxis::numbers(""), &[0.0, 1.0], 100.0), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(texts(&PanelAxis::numbers(""), &[-3.0, 4.0], 1.0), ["−2", "0", "2", "4"]);
        assert_eq!(texts(&PanelAxis::whole(""), &[1.0, 3.0], 1.0), ["1", "2", "3"]);
        let log = PanelAxis::numbers("").logarithmic();
        assert_eq!(texts(&log, &[100.0, 1000.0], 1.0), ["100", "200", "500", "1000"]);
        assert_eq!(texts(&log, &[1.0, 100_000.0], 1.0), ["1", "10", "100", "1000", "10000", "100000"]);
        assert_eq!(texts(&log, &[90.0, 100.0], 1.0), ["90", "92", "94", "96", "98", "100"]);
    }

    #[test]
    fn nothing_and_one_number_have_an_axis() {
        for numbers in [&[][..], &[3.0], &[0.0, 0.0], &[f64::NAN]] {
            let scale = Scale::new(&PanelAxis::numbers(""), numbers.iter().copied(), 0.0, 100.0);
            assert!(!scale.ticks(1.0, 6).is_empty(), "{numbers:?}");
        }
    }

    #[test]
    fn second_scales_have_the_same_places() {
        let first = Scale::new(&PanelAxis::numbers(""), [0.0, 100.0].into_iter(), 0.0, 100.0);
        let second = first.second(&SecondScale { label: String::new(), zero: 40.0, units: 0.5 }).unwrap();
        assert_eq!(second.of(0.0), first.of(40.0));
        assert!((second.of(30.0).unwrap() - first.of(100.0).unwrap()).abs() < 1e-9);
        let texts: Vec<String> = second.ticks(1.0, 5).into_iter().map(|tick| tick.text).collect();
        assert_eq!(texts, ["−20", "0", "20"]);
    }

    #[test]
    fn categories_leave_room_for_the_gap() {
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let axis = PanelAxis::Categories { names, gap: Some((1, 7)) };
        let scale = Scale::new(&axis, std::iter::empty(), 0.0, 80.0);
        assert_eq!(scale.names(), [(10.0, "a"), (50.0, "b"), (70.0, "c")]);
        assert_eq!(scale.gap(), Some((30.0, 7)));
        assert_eq!(scale.at(&Cell::from("c")), Some(70.0));
        assert_eq!(scale.at(&Cell::from("d")), None);
    }
}
