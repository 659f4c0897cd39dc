//! Rows of models in lanes: side by side, or on a phone beneath each other.

use super::canvas::{Anchor, Canvas};
use super::measure::{BOLD, fitted, fitted_name, lines, width};
use super::scale::Scale;
use super::sheet::Sheet;
use crate::data::{Data, DataRow};
use crate::figure::{Lane, LaneText, PanelAxis, RowName, Rows, Tone};

mod cell;

/// The height of all rows on a page, of these with their axes, and of one, if few are drawn; in pixels of a page.
const ALL: f64 = 262.0;
const HIGHEST: f64 = 340.0;
const TALLEST: f64 = 64.0;
/// The height of a figure of up to three models on paper, in widths.
const FLATTEST: f64 = 0.62;
/// The room between lanes.
const SPACE: f64 = 22.0;
/// How far the ground of a lane reaches beyond its scale.
const PAD: f64 = 5.0;
/// Lanes are at least as wide.
const NARROWEST: f64 = 118.0;
/// The chances above log-odds, in percent; where there is little room, the first of them.
const CHANCES: [f64; 7] = [50.0, 10.0, 90.0, 1.0, 99.0, 25.0, 75.0];

/// Draws rows from a height on, and returns the height of the figure.
pub(super) fn rows(canvas: &mut Canvas, data: &Data, chart: &Rows, top: f64) -> f64 {
    let plan = Plan::new(canvas.sheet, data, chart);
    if canvas.sheet.is_phone() { plan.stacked(canvas, top) } else { plan.side_by_side(canvas, top) }
}

/// A chart with its sheet.
struct Plan<'a> {
    sheet: Sheet,
    data: &'a Data,
    chart: &'a Rows,
    /// The ends of each lane's axis, in its own numbers.
    ends: Vec<(f64, f64)>,
}

/// A lane between two coordinates.
struct Placed<'a> {
    lane: &'a Lane,
    scale: Scale,
    left: f64,
    right: f64,
}

impl<'a> Plan<'a> {
    fn new(sheet: Sheet, data: &'a Data, chart: &'a Rows) -> Self {
        let own: Vec<(f64, f64)> = chart.lanes.iter().map(|lane| ends_of(data, lane)).collect();
        let shared = |(place, lane): (usize, &Lane)| {
            let group = chart.lanes.iter().zip(&own).filter(|(other, _)| other.units == lane.units);
            let all = group.map(|(_, ends)| *ends).reduce(|(a, b), (c, d)| (a.min(c), b.max(d)));
            if lane.same_ends { all.unwrap_or(own[place]) } else { own[place] }
        };
        let ends = chart.lanes.iter().enumerate().map(shared).collect();
        Self { sheet, data, chart, ends }
    }

    /// The places of rows, with one for the gap.
    fn slots(&self) -> usize {
        self.chart.rows.len() + usize::from(self.chart.gap.is_some())
    }

    /// The slot of a row.
    fn slot(&self, place: usize) -> usize {
        place + usize::from(self.chart.gap.is_some_and(|(before, _)| place >= before))
    }

    /// The rows of a lane about a model.
    fn of_row(&self, lane: &'a Lane, name: &'a str) -> impl Iterator<Item = DataRow<'a>> {
        let own = move |row: &DataRow<'_>| row.text("panel") == lane.key && row.text("row") == name;
        self.data.records().filter(own)
    }

    fn has(&self, parts: &[&str]) -> bool {
        parts.iter().any(|part| self.data.has(part))
    }

    fn has_dots(&self) -> bool {
        self.has(&["rater", "rater at a bound", "25 % to 75 %"])
    }

    fn cells_have_text(&self) -> bool {
        self.chart.lanes.iter().any(|lane| lane.text == LaneText::Cell)
    }

    /// The height of a row next to others, with so much room around all rows.
    fn row_height(&self, around: f64) -> f64 {
        let (text, small) = (self.sheet.text, self.sheet.small);
        let count = self.slots().max(1) as f64;
        let all = if let Some(height) = self.sheet.height {
            height - around
        } else if self.sheet.is_screen || count > 3.0 {
            self.sheet.scaled(ALL).min(self.sheet.scaled(HIGHEST) - around)
        } else {
            FLATTEST * self.sheet.width - around
        };
        let least = if self.cells_have_text() {
            small + self.sheet.scaled(16.5)
        } else if self.is_two_lines() {
            text + small + 4.0
        } else {
            self.sheet.scaled(19.0)
        };
        (all / count).min(self.sheet.scaled(TALLEST)).max(least)
    }

    /// Whether estimates stand beneath the names: where there is little room to the right of them, or few rows.
    fn is_two_lines(&self) -> bool {
        let has_text = self.chart.rows.iter().any(|row| !row.text.is_empty());
        has_text && (self.sheet.is_narrow() || self.slots() <= 6)
    }

    fn side_by_side(&self, canvas: &mut Canvas, top: f64) -> f64 {
        let names = self.names_width();
        let has_letters = self.chart.rows.iter().any(|row| !row.letters.is_empty());
        let letters = if has_letters && !self.sheet.is_narrow() { self.letters_width() } else { 0.0 };
        let space = self.sheet.scaled(SPACE);
        // The ground of a lane and the marks at its end reach beyond it.
        let (left, right) = (names + space * 0.6, self.sheet.width - letters.max(self.sheet.scaled(PAD)));
        let bands = self.bands(right - left);
        let mut top = top;
        for (number, band) in bands.iter().enumerate() {
            if number > 0 {
                top += space;
            }
            // Lanes of a band that is not full are as wide as those above.
            let of_full = bands[0].len() - band.len();
            let wide = (right - left + space) / bands[0].len() as f64;
            let lanes = self.placed(band, (left, right - of_full as f64 * wide));
            top = self.band(canvas, &lanes, names, letters, top);
        }
        top
    }

    /// The lanes that stand side by side.
    fn bands(&self, room: f64) -> Vec<Vec<usize>> {
        let lanes: Vec<usize> = (0..self.chart.lanes.len()).collect();
        let is_one = self.chart.lanes.iter().all(|lane| !lane.same_ends);
        let each = if is_one { lanes.len() } else { (room / self.sheet.scaled(NARROWEST)) as usize };
        lanes.chunks(each.max(1)).map(<[usize]>::to_vec).collect()
    }

    /// Places lanes between two coordinates. Those with the same units and other ends are as wide as their spans.
    fn placed(&self, band: &[usize], (left, right): (f64, f64)) -> Vec<Placed<'a>> {
        let space = self.sheet.scaled(SPACE);
        let room = right - left - space * (band.len().max(1) - 1) as f64;
        let lanes: Vec<&Lane> = band.iter().map(|at| &self.chart.lanes[*at]).collect();
        let mut ends: Vec<(f64, f64)> = band.iter().map(|at| self.ends[*at]).collect();
        let is_even =
            lanes.len() < 2 || lanes.iter().any(|lane| lane.same_ends || lane.units != lanes[0].units);
        let widths: Vec<f64> = if is_even {
            vec![room / lanes.len().max(1) as f64; lanes.len()]
        } else {
            let least: Vec<f64> = lanes.iter().map(|lane| self.least(lane).min(room * 0.5)).collect();
            let spans: Vec<f64> = ends.iter().map(|(low, high)| high - low).collect();
            let all: f64 = spans.iter().sum();
            let mut widths: Vec<f64> = spans.iter().map(|span| span / all * room).collect();
            if let Some(short) = (0..widths.len()).find(|&at| widths[at] < least[at]) {
                // The scale of the others holds for the short one, which gets room to the left.
                let rest: f64 = all - spans[short];
                let units = (room - least[short]) / rest;
                widths = spans.iter().map(|span| span * units).collect();
                widths[short] = least[short];
                ends[short].0 = ends[short].1 - least[short] / units;
            }
            widths
        };
        let mut at = left;
        let mut placed = Vec::new();
        for ((lane, wide), (low, high)) in lanes.into_iter().zip(widths).zip(ends) {
            let scale = Scale::between(&lane.axis, (low, high), at, at + wide);
            placed.push(Placed { lane, scale, left: at, right: at + wide });
            at += wide + space;
        }
        placed
    }

    /// The least width of a lane: of its texts.
    fn least(&self, lane: &Lane) -> f64 {
        let texts = self.data.part("estimate").filter(|row| row.text("panel") == lane.key);
        let widest = texts.map(|row| width(row.text("text"), self.sheet.small)).fold(0.0, f64::max);
        let widest = if lane.text == LaneText::None { 0.0 } else { widest };
        widest.max(self.sheet.scaled(90.0)) + 2.0
    }

    fn glyph_room(&self) -> f64 {
        self.sheet.scaled(18.0)
    }

    fn names_width(&self) -> f64 {
        let Sheet { text, small, .. } = self.sheet;
        let in_line = |row: &RowName| {
            let name = self.glyph_room() + width(&row.label, text) * BOLD;
            let letters = if self.sheet.is_narrow() && !row.letters.is_empty() {
                width(&row.letters, text) + width(" ", text)
            } else {
                0.0
            };
            let number = width(&row.text, small);
            if row.text.is_empty() {
                name + letters
            } else if self.is_two_lines() {
                (name + letters).max(self.glyph_room() + number)
            } else {
                name + letters + number + self.sheet.scaled(12.0)
            }
        };
        let widest = self.chart.rows.iter().map(in_line).fold(width(&self.chart.heading, small), f64::max);
        let most = if self.sheet.is_narrow() { 0.42 } else { 0.46 };
        (widest + 1.0).min(self.sheet.width * most)
    }

    fn letters_width(&self) -> f64 {
        let widest = self.chart.rows.iter().map(|row| width(&row.letters, self.sheet.text) * BOLD);
        widest.fold(width("Group", self.sheet.small), f64::max) + self.sheet.scaled(SPACE) * 0.7
    }

    /// Draws lanes side by side with the names to their left, and returns where they end.
    fn band(&self, canvas: &mut Canvas, lanes: &[Placed<'_>], names: f64, letters: f64, top: f64) -> f64 {
        let Sheet { small, .. } = self.sheet;
        let head = self.head_height(lanes);
        let below = self.below_height(lanes);
        let height = self.row_height(head + below);
        let upper = top + head;
        let lower = upper + height * self.slots() as f64;
        for placed in lanes.iter().filter(|placed| placed.lane.is_main && lanes.len() > 1) {
            let pad = self.sheet.scaled(PAD);
            let corner = (placed.left - pad, top);
            canvas.bar(corner, (placed.right - placed.left + 2.0 * pad, lower - top), Tone::Ground, 1.0);
        }
        let base = top + small;
        canvas.text(
            (0.0, base),
            &fitted(&self.chart.heading, small, names),
            small,
            Anchor::Start,
            Tone::Faint,
        );
        if letters > 0.0 {
            canvas.text((self.sheet.width, base), "Group", small, Anchor::End, Tone::Faint);
        }
        for slot in 1..self.slots() {
            let at = upper + height * slot as f64;
            canvas.grid((0.0, at), (self.sheet.width, at));
        }
        let cells: Vec<(f64, f64)> = (0..self.slots())
            .map(|slot| {
                let start = upper + height * slot as f64;
                let text = if self.cells_have_text() { small + self.sheet.scaled(5.0) } else { 0.0 };
                (start + text, start + height)
            })
            .collect();
        self.axes(canvas, lanes, top, &cells);
        for (place, row) in self.chart.rows.iter().enumerate() {
            let start = upper + height * self.slot(place) as f64;
            self.name(canvas, row, (0.0, names), (start, height));
            if letters > 0.0 {
                let at = (self.sheet.width, start + height / 2.0 + self.sheet.text * 0.35);
                canvas.strong(at, &row.letters, self.sheet.text, Anchor::End);
            }
            for placed in lanes {
                self.cell(canvas, placed, row, (start, height));
            }
        }
        if let Some((before, missing)) = self.chart.gap {
            let at = upper + height * (before as f64 + 0.5) + small / 3.0;
            canvas.text((0.0, at), &format!("… {missing} more"), small, Anchor::Start, Tone::Faint);
        }
        lower + below
    }

    /// Draws the head of a row: the glyph, the name and the estimate.
    fn name(&self, canvas: &mut Canvas, row: &RowName, (left, room): (f64, f64), (top, height): (f64, f64)) {
        let Sheet { text, small, .. } = self.sheet;
        let two = self.is_two_lines();
        let middle = top + height / 2.0;
        let base = if two { middle - small * 0.15 } else { middle + text * 0.35 };
        let radius = self.sheet.scaled(5.0);
        canvas.glyph((left + radius * 1.3, base - text * 0.35), radius, row.tone);
        let at = left + self.glyph_room();
        let beside = self.sheet.is_narrow() && !row.letters.is_empty();
        let letters = if beside { width(&row.letters, text) + width(" ", text) } else { 0.0 };
        let number =
            if two || row.text.is_empty() { 0.0 } else { width(&row.text, small) + self.sheet.scaled(8.0) };
        let room_of_name = room - self.glyph_room() - letters - number;
        let label = fitted_name(&row.label, text * BOLD, room_of_name);
        canvas.strong((at, base), &label, text, Anchor::Start);
        if beside {
            let end = at + width(&label, text) * BOLD + width(" ", text) * 0.6;
            canvas.text((end, base), &row.letters, text, Anchor::Start, Tone::Faint);
        }
        if two {
            canvas.text((at, base + small + 3.0), &row.text, small, Anchor::Start, Tone::Ink);
        } else if !row.text.is_empty() {
            canvas.text((left + room, base), &row.text, small, Anchor::End, Tone::Ink);
        }
    }

    /// The room above the rows: titles, a second scale, and the texts of references.
    fn head_height(&self, lanes: &[Placed<'_>]) -> f64 {
        let small = self.sheet.small;
        let titles = lanes.iter().map(|placed| self.title(placed).len()).max().unwrap_or(0);
        let second = lanes.iter().any(|placed| placed.lane.chances);
        // Chances stand where the texts of references would.
        let is_said = |placed: &Placed<'_>| {
            !placed.lane.chances && self.references(placed.lane).any(|(_, text)| !text.is_empty())
        };
        let words = lanes.iter().any(is_said);
        let lines = titles + usize::from(second) + usize::from(words);
        lines.max(1) as f64 * (small + 3.0) + self.sheet.scaled(8.0)
    }

    fn title(&self, placed: &Placed<'_>) -> Vec<String> {
        let mut all = lines(&placed.lane.title, self.sheet.small * BOLD, placed.right - placed.left);
        if all.len() > 2 {
            let rest = all.split_off(1).join(" ");
            all.push(fitted(&rest, self.sheet.small * BOLD, placed.right - placed.left));
        }
        all
    }

    /// The lines across a lane, with their texts.
    fn references(&self, lane: &'a Lane) -> impl Iterator<Item = (f64, &'a str)> {
        let own = self.data.part("reference").filter(move |row| row.text("panel") == lane.key);
        own.filter_map(|row| Some((row.number("x")?, row.text("text"))))
    }

    /// The room beneath the rows: numbers and labels.
    fn below_height(&self, lanes: &[Placed<'_>]) -> f64 {
        let small = self.sheet.small;
        let labels = if is_one_label(lanes) {
            1
        } else {
            let count =
                |placed: &Placed<'_>| lines(label_of(placed.lane), small, placed.right - placed.left).len();
            lanes.iter().map(count).max().unwrap_or(0)
        };
        (small + 3.0) * (1 + labels) as f64 + self.sheet.scaled(8.0)
    }

    /// Draws titles, grids, references, numbers and labels. Lines cross only these parts of the rows, where no text is.
    fn axes(&self, canvas: &mut Canvas, lanes: &[Placed<'_>], top: f64, cells: &[(f64, f64)]) {
        let Sheet { small, .. } = self.sheet;
        let upper = top + self.head_height(lanes);
        let lower = cells.last().map_or(upper, |cell| cell.1);
        for placed in lanes {
            let mut base = top + small;
            for line in self.title(placed) {
                if placed.lane.is_main && lanes.len() > 1 {
                    canvas.strong((placed.left, base), &line, small, Anchor::Start);
                } else {
                    canvas.text((placed.left, base), &line, small, Anchor::Start, Tone::Faint);
                }
                base += small + 3.0;
            }
            self.numbers(canvas, placed, cells);
            if placed.lane.chances {
                self.chances(canvas, placed, upper - self.sheet.scaled(8.0));
            }
            for (number, text) in self.references(placed.lane) {
                let Some(at) = placed.scale.of(number).filter(|at| within(*at, placed)) else { continue };
                let (dashed, thick) = (!text.is_empty(), self.sheet.lines.0.max(0.75));
                for (from, to) in joined(cells) {
                    canvas.line((at, from), (at, to), thick, Tone::Faint, dashed);
                }
                let wide = width(text, small);
                let start = if at + wide > placed.right { (at - wide).max(placed.left) } else { at };
                let base = upper - self.sheet.scaled(5.0);
                if !placed.lane.chances && !text.is_empty() {
                    canvas.text((start, base), text, small, Anchor::Start, Tone::Faint);
                }
            }
        }
        if is_one_label(lanes)
            && let (Some(first), Some(last)) = (lanes.first(), lanes.last())
        {
            let middle = f64::midpoint(first.left, last.right);
            let at = (middle, lower + 2.0 * small + self.sheet.scaled(9.0));
            let room = last.right - first.left;
            canvas.text(at, &fitted(label_of(first.lane), small, room), small, Anchor::Middle, Tone::Ink);
            return;
        }
        for placed in lanes {
            let middle = f64::midpoint(placed.left, placed.right);
            let all = lines(label_of(placed.lane), small, placed.right - placed.left);
            for (number, line) in all.iter().enumerate() {
                let base = lower + 2.0 * small + self.sheet.scaled(9.0) + number as f64 * (small + 3.0);
                canvas.text((middle, base), line, small, Anchor::Middle, Tone::Ink);
            }
        }
    }

    /// Draws the grid of a lane and the numbers beneath it.
    fn numbers(&self, canvas: &mut Canvas, placed: &Placed<'_>, cells: &[(f64, f64)]) {
        let Some(&(_, lower)) = cells.last() else { return };
        let PanelAxis::Numbers { factor, .. } = &placed.lane.axis else { return };
        let small = self.sheet.small;
        let wanted = ((placed.right - placed.left) / self.sheet.scaled(40.0)).clamp(3.0, 7.0) as usize;
        let mut free = f64::NEG_INFINITY;
        for tick in placed.scale.ticks(*factor, wanted).iter().filter(|tick| within(tick.at, placed)) {
            for (from, to) in joined(cells) {
                canvas.grid((tick.at, from), (tick.at, to));
            }
            let half = width(&tick.text, small) / 2.0;
            let room = self.sheet.width;
            let at = tick.at.clamp(half, (room - half).max(half));
            if at - half >= free {
                let base = lower + small + self.sheet.scaled(3.0);
                canvas.text((at, base), &tick.text, small, Anchor::Middle, Tone::Faint);
                free = at + half + self.sheet.scaled(5.0);
            }
        }
    }

    /// Writes the chances of winning above the log-odds of a lane.
    fn chances(&self, canvas: &mut Canvas, placed: &Placed<'_>, base: f64) {
        let small = self.sheet.small;
        let mut taken: Vec<(f64, f64)> = Vec::new();
        for percent in CHANCES {
            let odds: f64 = percent / (100.0 - percent);
            let text = format!("{percent}%");
            let half = width(&text, small) / 2.0;
            let Some(at) = placed.scale.of(odds.ln()).filter(|at| within(*at, placed)) else { continue };
            let (from, to) = (at - half, at + half);
            let gap = self.sheet.scaled(5.0);
            let is_free = taken.iter().all(|(low, high)| to + gap < *low || from > high + gap);
            if is_free && from >= placed.left - self.sheet.scaled(SPACE) * 0.5 && to <= self.sheet.width {
                canvas.text((at, base), &text, small, Anchor::Middle, Tone::Faint);
                taken.push((from, to));
            }
        }
    }

    /// Draws lanes beneath each other, with the head of each row above its cell.
    fn stacked(&self, canvas: &mut Canvas, top: f64) -> f64 {
        let Sheet { width: full, text, small, .. } = self.sheet;
        let mut top = top;
        for (number, lane) in self.chart.lanes.iter().enumerate() {
            let pad = self.sheet.scaled(PAD);
            let scale = Scale::between(&lane.axis, self.ends[number], pad, full - pad);
            let placed = [Placed { lane, scale, left: pad, right: full - pad }];
            if number > 0 {
                top += self.sheet.scaled(SPACE);
            }
            let is_head = number == 0 && self.chart.rows.iter().any(|row| !row.text.is_empty());
            let head = self.head_height(&placed);
            let line = text + self.sheet.scaled(6.0);
            let has_dots = self.has_dots() && lane.text != LaneText::Above;
            let height = line
                + self.sheet.scaled(match has_dots {
                    true if self.slots() <= 6 => 46.0,
                    true => 26.0,
                    false => 18.0,
                });
            let upper = top + head;
            let drawn: Vec<(usize, &RowName)> = self
                .chart
                .rows
                .iter()
                .enumerate()
                .filter(|(_, row)| is_head || self.of_row(lane, &row.name).next().is_some())
                .collect();
            let slots = drawn.len() + usize::from(self.chart.gap.is_some());
            let lower = upper + height * slots as f64;
            let cells: Vec<(f64, f64)> = (0..slots)
                .map(|slot| {
                    let start = upper + height * slot as f64;
                    (start + line, start + height)
                })
                .collect();
            self.axes(canvas, &placed, top, &cells);
            // Without the best model, there is one row less above the gap.
            let gap = self.chart.gap.map(|(before, missing)| {
                (drawn.iter().filter(|(place, _)| *place < before).count(), missing)
            });
            for (at, (_, row)) in drawn.iter().enumerate() {
                let skip = usize::from(gap.is_some_and(|(before, _)| at >= before));
                let start = upper + height * (at + skip) as f64;
                let estimate = self.of_row(lane, &row.name).find(|one| one.part() == "estimate");
                let own = estimate.map_or("", |one| one.text("text"));
                let (number, letters) = if is_head { (&*row.text, &*row.letters) } else { (own, "") };
                self.phone_name(canvas, row, number, letters, start + text + 1.0);
                let bare = Lane { text: LaneText::None, ..lane.clone() };
                let [Placed { scale, left, right, .. }] = &placed;
                let bare = Placed { lane: &bare, scale: scale.clone(), left: *left, right: *right };
                self.cell(canvas, &bare, row, (start + line, height - line));
            }
            if let Some((before, missing)) = gap {
                let at = upper + height * (before as f64 + 0.5) + small / 3.0;
                canvas.text((0.0, at), &format!("… {missing} more"), small, Anchor::Start, Tone::Faint);
            }
            top = lower + self.below_height(&placed);
        }
        top
    }

    fn phone_name(&self, canvas: &mut Canvas, row: &RowName, number: &str, letters: &str, base: f64) {
        let Sheet { width: full, text, small, .. } = self.sheet;
        let radius = self.sheet.scaled(5.0);
        canvas.glyph((radius * 1.3, base - text * 0.35), radius, row.tone);
        let mut right = full;
        if !letters.is_empty() {
            canvas.strong((right, base), letters, text, Anchor::End);
            right -= width(letters, text) * BOLD + self.sheet.scaled(8.0);
        }
        canvas.text((right, base), number, small, Anchor::End, Tone::Ink);
        let room = right - width(number, small) - self.sheet.scaled(8.0) - self.glyph_room();
        let label = fitted_name(&row.label, text * BOLD, room);
        canvas.strong((self.glyph_room(), base), &label, text, Anchor::Start);
    }
}

/// The ends of a lane's axis by what it draws.
fn ends_of(data: &Data, lane: &Lane) -> (f64, f64) {
    let own = data.records().filter(|row| row.text("panel") == lane.key);
    let numbers =
        own.flat_map(|row| ["x", "low", "high"].into_iter().filter_map(move |column| row.number(column)));
    match Scale::new(&lane.axis, numbers, 0.0, 1.0) {
        Scale::Numbers { low, high, .. } => (low, high),
        Scale::Categories { .. } => (0.0, 1.0),
    }
}

/// Parts of rows that touch, as one.
fn joined(cells: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut all: Vec<(f64, f64)> = Vec::new();
    for &(from, to) in cells {
        match all.last_mut() {
            Some(last) if (last.1 - from).abs() < 1e-9 => last.1 = to,
            _ => all.push((from, to)),
        }
    }
    all
}

fn within(at: f64, placed: &Placed<'_>) -> bool {
    at >= placed.left - 0.5 && at <= placed.right + 0.5
}

fn label_of(lane: &Lane) -> &str {
    match &lane.axis {
        PanelAxis::Numbers { label, .. } => label,
        PanelAxis::Categories { .. } => "",
    }
}

/// Whether lanes have one label, in the middle beneath all.
fn is_one_label(lanes: &[Placed<'_>]) -> bool {
    let same =
        |placed: &Placed<'_>| placed.lane.same_ends && label_of(placed.lane) == label_of(lanes[0].lane);
    lanes.len() > 1 && lanes.iter().all(same)
}
