//! A model's part of a lane: its estimate, and the values of raters.

use super::{Placed, Plan, within};
use crate::data::DataRow;
use crate::draw::canvas::{Anchor, Canvas};
use crate::draw::measure::{fitted, width};
use crate::draw::sheet::Sheet;
use crate::figure::{LaneText, RowName, Tone};

/// The room beneath dots for an interval.
const INTERVAL: f64 = 14.0;
/// Lower rows have neither dots nor texts above their marks.
const LOW: f64 = 25.0;
/// Dots are between these in diameter.
const DOT: (f64, f64) = (1.6, 6.0);
/// Narrower intervals are a pale bar with a tick, which a mark would hide.
const SHORT: f64 = 14.0;
/// The radius of estimates.
const MARK: f64 = 4.6;

impl Plan<'_> {
    /// Draws what a lane has of a model.
    pub(super) fn cell(
        &self,
        canvas: &mut Canvas,
        placed: &Placed<'_>,
        row: &RowName,
        (top, height): (f64, f64),
    ) {
        let Sheet { small, .. } = self.sheet;
        let at = |row: &DataRow<'_>, column| placed.scale.of(row.number(column)?);
        let found: Vec<DataRow<'_>> = self.of_row(placed.lane, &row.name).collect();
        let mut start = top;
        if placed.lane.text == LaneText::Cell {
            start += small + self.sheet.scaled(2.0);
            for one in found.iter().filter(|one| one.part() == "estimate") {
                let (text, room) = (one.text("text"), placed.right - placed.left);
                // Without the interval where there is no room for it.
                let text = match (text.split_once(" ["), text.split_once(']')) {
                    (Some((number, _)), Some((_, after))) if width(text, small) > room => {
                        format!("{number}{after}")
                    }
                    _ => text.to_owned(),
                };
                let text = fitted(&text, small, room);
                canvas.text((placed.left, start), &text, small, Anchor::Start, Tone::Ink);
            }
            start += self.sheet.scaled(1.0);
        }
        let end = top + height;
        let is_tight = self.is_tight(end - start);
        let has_dots =
            !is_tight && found.iter().any(|one| one.part().starts_with("rater") || one.part().ends_with('%'));
        let middle = if has_dots {
            end - self.sheet.scaled(INTERVAL) / 2.0
        } else if placed.lane.text == LaneText::Above && !is_tight {
            f64::midpoint(start, end) + small * 0.55
        } else {
            f64::midpoint(start, end)
        };
        let floor = middle - self.sheet.scaled(INTERVAL) / 2.0 + 1.0;
        if has_dots {
            self.dots(canvas, placed, &found, row.tone, (start + 1.0, floor));
        }
        for one in &found {
            match one.part() {
                "estimate" => {
                    let Some(x) = at(one, "x") else { continue };
                    self.estimate(canvas, (x, middle), at(one, "low").zip(at(one, "high")), row.tone);
                    if placed.lane.text == LaneText::Above {
                        let ends = at(one, "low").zip(at(one, "high")).unwrap_or((x, x));
                        self.numbers_at(canvas, placed, one.text("text"), (x, middle), ends, height);
                    }
                }
                "with excluded" => {
                    if let Some(x) = at(one, "x") {
                        let half = self.sheet.scaled(5.0);
                        let thin = self.sheet.lines.0;
                        canvas.line((x, middle - half), (x, middle + half), thin, Tone::Ink, false);
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether a row has no room for dots, or numbers above a mark.
    fn is_tight(&self, height: f64) -> bool {
        height < self.sheet.scaled(LOW)
    }

    /// Writes the numbers of an estimate above it, next to lines that would cross them; without those of its interval where there is
    /// no room. In rows that have no room above a mark, they stand next to its interval.
    fn numbers_at(
        &self,
        canvas: &mut Canvas,
        placed: &Placed<'_>,
        text: &str,
        (x, middle): (f64, f64),
        (low, high): (f64, f64),
        height: f64,
    ) {
        let (small, left, right) = (self.sheet.small, placed.left, placed.right);
        let lines: Vec<f64> =
            self.references(placed.lane).filter_map(|(number, _)| placed.scale.of(number)).collect();
        let is_tight = self.is_tight(height);
        let gap = self.sheet.scaled(4.0);
        let place = |text: &str| {
            let half = width(text, small) / 2.0;
            let beside = half + gap;
            let is_free = |at: &f64| {
                let is_inside = *at - half >= left - 0.01 && *at + half <= right + 0.01;
                is_inside && lines.iter().all(|line| (line - at).abs() > beside - 0.01)
            };
            let mark = self.sheet.scaled(MARK);
            if is_tight {
                let (low, high) = (low.min(x - mark), high.max(x + mark));
                return [low - beside, high + beside].into_iter().find(is_free);
            }
            let near = x.clamp(left + half, (right - half).max(left + half));
            let sides = lines.iter().flat_map(|at| [at - beside, at + beside]);
            std::iter::once(near).chain(sides).find(is_free)
        };
        let short = text.split_once(" [").map_or(text, |(number, _)| number);
        let all = [text, short];
        let texts = if is_tight { &all[1..] } else { &all[..] };
        let Some((text, at)) = texts.iter().find_map(|text| Some((text, place(text)?))) else { return };
        let base = if is_tight { middle + small / 3.0 } else { middle - self.sheet.scaled(8.0) };
        canvas.text((at, base), text, small, Anchor::Middle, Tone::Ink);
    }

    /// Draws an estimate: a mark on its interval, or a tick on a short one.
    fn estimate(&self, canvas: &mut Canvas, (x, y): (f64, f64), interval: Option<(f64, f64)>, tone: Tone) {
        let radius = self.sheet.scaled(MARK);
        let Some((low, high)) = interval else {
            canvas.glyph((x, y), radius, tone);
            return;
        };
        if (high - low).abs() < self.sheet.scaled(SHORT) {
            let half = self.sheet.scaled(4.0);
            canvas.bar((low.min(high), y - half), ((high - low).abs(), 2.0 * half), tone, 0.35);
            canvas.line((x, y - half), (x, y + half), self.sheet.lines.1, tone, false);
            return;
        }
        canvas.line((low, y), (high, y), self.sheet.lines.1, tone, false);
        canvas.glyph((x, y), radius, tone);
    }

    /// Stacks the dots of raters on a floor, or draws their spread as bars.
    fn dots(
        &self,
        canvas: &mut Canvas,
        placed: &Placed<'_>,
        found: &[DataRow<'_>],
        tone: Tone,
        (top, floor): (f64, f64),
    ) {
        for (part, thick) in [("5 % to 95 %", 1.5), ("25 % to 75 %", 5.0)] {
            for one in found.iter().filter(|one| one.part() == part) {
                let ends = one.number("low").and_then(|low| placed.scale.of(low));
                let ends = ends.zip(one.number("high").and_then(|high| placed.scale.of(high)));
                if let Some((low, high)) = ends {
                    let thick = self.sheet.scaled(thick);
                    let y = floor - self.sheet.scaled(6.0);
                    canvas.bar((low, y - thick / 2.0), (high - low, thick), tone, 0.4);
                }
            }
        }
        let own = |part: &'static str| found.iter().filter(move |one| one.part() == part);
        let place = |one: &DataRow<'_>| placed.scale.of(one.number("x")?).filter(|at| within(*at, placed));
        let full: Vec<f64> = own("rater").filter_map(place).collect();
        let hollow: Vec<f64> = own("rater at a bound").filter_map(place).collect();
        let (room, (least, most)) = (floor - top, DOT);
        let mut size = self.sheet.scaled(most);
        let stacks = |size: f64| {
            let all = full.iter().map(|at| (*at, false)).chain(hollow.iter().map(|at| (*at, true)));
            let mut stacks: std::collections::BTreeMap<i64, Vec<bool>> = std::collections::BTreeMap::new();
            all.for_each(|(at, is_hollow)| {
                stacks.entry(((at - placed.left) / size).floor() as i64).or_default().push(is_hollow);
            });
            stacks
        };
        while size > self.sheet.scaled(least) {
            let highest = stacks(size).values().map(Vec::len).max().unwrap_or(0) as f64;
            if highest * size <= room {
                break;
            }
            size *= 0.92;
        }
        for (place, stack) in stacks(size) {
            let x = placed.left + (place as f64 + 0.5) * size;
            for (level, is_hollow) in stack.into_iter().enumerate() {
                let y = floor - (level as f64 + 0.5) * size;
                if y - size / 2.0 < top - 0.5 {
                    break;
                }
                if is_hollow {
                    canvas.ring((x, y), size * 0.38, tone);
                } else {
                    canvas.dot((x, y), size * 0.45, tone, 0.7);
                }
            }
        }
    }
}
