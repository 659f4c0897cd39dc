//! Panels: the room of axes, titles and texts next to categories.

use super::canvas::{Anchor, Canvas};
use super::marks::{self, Area};
use super::measure::{fitted, lines, width};
use super::scale::{Scale, slots};
use super::sheet::Sheet;
use crate::data::{Cell, Data};
use crate::figure::{Beside, Dot, FigurePanel, Mark, PanelAxis, Tone};

/// The space between panels, and next to texts.
const SPACE: f64 = 14.0;
/// The height of a category with and without a swarm.
const ROW: f64 = 22.0;
const SWARM_ROW: f64 = 36.0;
/// The height of a panel between axes of numbers: alone, and among others.
const TALL: f64 = 280.0;
const SHORT: f64 = 130.0;
/// An area of this width has room next to it for long names.
const WIDE: f64 = 300.0;
/// The share of a panel that its area has at least, and that names have if they are so long.
const LEAST: f64 = 0.25;
const NAMES: f64 = 0.3;
/// The line beneath a map whose columns have no room for names.
const SAME_ORDER: &str = "columns in the order of the rows";
/// Categories of a vertical axis have no names beyond this many.
const MOST_NAMES: usize = 60;

/// Draws panels from a height on, and returns the height of the figure. The areas of panels that stand beneath each other are
/// aligned.
pub(super) fn panels(
    canvas: &mut Canvas,
    data: &Data,
    panels: &[FigurePanel],
    across: usize,
    top: f64,
) -> f64 {
    let sheet = canvas.sheet;
    let across = sheet.across(across, panels.len());
    let each = (sheet.width - 2.0 * sheet.margin - SPACE * (across - 1) as f64) / across as f64;
    let layout = |(number, panel)| {
        let left = sheet.margin + (each + SPACE) * (number % across) as f64;
        Layout { sheet, data, panel, left, width: each, crowd: panels.len() > 2, around: Around::default() }
    };
    let mut all: Vec<Layout<'_>> = panels.iter().enumerate().map(layout).collect();
    for column in 0..across {
        let right = widest(all.iter().skip(column).step_by(across).map(Layout::room_right));
        let left = widest(all.iter().skip(column).step_by(across).map(|panel| panel.room_left(right)));
        all.iter_mut().skip(column).step_by(across).for_each(|panel| panel.around = Around { left, right });
    }
    let mut top = top;
    for row in all.chunks(across) {
        let bottom = row.iter().map(|panel| Drawing { canvas: &mut *canvas, layout: panel }.draw(top));
        top = bottom.fold(top, f64::max) + SPACE;
    }
    top
}

/// A panel and the room that it has.
struct Layout<'a> {
    sheet: Sheet,
    data: &'a Data,
    panel: &'a FigurePanel,
    left: f64,
    width: f64,
    /// Whether there are many panels.
    crowd: bool,
    around: Around,
}

/// The room next to the area between the axes.
#[derive(Debug, Clone, Copy, Default)]
struct Around {
    left: f64,
    right: f64,
}

impl Layout<'_> {
    /// The room to the right of the area, for texts next to categories.
    fn room_right(&self) -> f64 {
        self.texts_beside().iter().map(|column| column.width + SPACE).sum()
    }

    /// The height of the area between the axes.
    fn height(&self) -> f64 {
        let is_swarm = |mark: &Mark| matches!(mark, Mark::Dots { look: Dot::Swarm, .. });
        let rows = slots(&self.panel.y);
        match (&self.panel.y, &self.panel.x) {
            (PanelAxis::Categories { .. }, PanelAxis::Categories { .. }) => {
                rows as f64 * if rows > MOST_NAMES { 6.0 } else { self.sheet.scaled(ROW) }
            }
            (PanelAxis::Categories { .. }, _) => {
                let row = if self.panel.marks.iter().any(is_swarm) { SWARM_ROW } else { ROW };
                rows.max(1) as f64 * self.sheet.scaled(row)
            }
            _ if self.panel.is_square => self.width.min(self.sheet.scaled(400.0)),
            _ if self.crowd => self.sheet.scaled(SHORT),
            _ => self.sheet.height.unwrap_or_else(|| self.sheet.scaled(TALL).min(self.width * 0.62)),
        }
    }

    /// Whether the categories of the vertical axis are named: those of maps are not if there are many.
    fn has_names(&self) -> bool {
        match &self.panel.y {
            PanelAxis::Categories { names, gap } => {
                names.len() <= MOST_NAMES || gap.is_some() || slots(&self.panel.x) == 0
            }
            PanelAxis::Numbers { .. } => false,
        }
    }

    /// The room to the left of the area, with so much room to its right: names or ticks, and the label.
    fn room_left(&self, right: f64) -> f64 {
        match &self.panel.y {
            PanelAxis::Categories { names, .. } => {
                if !self.has_names() {
                    return 4.0;
                }
                let widest = names.iter().map(|name| width(name, self.sheet.text)).fold(20.0, f64::max);
                let area = if self.sheet.is_narrow() { self.width * LEAST } else { WIDE };
                widest.min(f64::max(self.width * NAMES, self.width - right - area - 10.0)) + 10.0
            }
            PanelAxis::Numbers { label, factor, .. } => {
                let numbers = marks::numbers(self.data, self.panel, false);
                let ticks = Scale::new(&self.panel.y, numbers, 0.0, 1.0).ticks(*factor, 5);
                let widest = ticks.iter().map(|tick| width(&tick.text, self.sheet.small)).fold(8.0, f64::max);
                widest + 8.0 + if label.is_empty() { 0.0 } else { self.sheet.small + 6.0 }
            }
        }
    }

    /// The room beneath an area between two coordinates.
    fn room_below(&self, start: f64, end: f64) -> f64 {
        match &self.panel.x {
            PanelAxis::Categories { names, .. } => {
                match Below::of(names, (end - start) / names.len().max(1) as f64, self.sheet.small) {
                    Below::Flat => self.sheet.small + 10.0,
                    Below::Upright => {
                        let widest =
                            names.iter().map(|name| width(name, self.sheet.small)).fold(0.0, f64::max);
                        widest.min(120.0) + 10.0
                    }
                    Below::Nothing if self.has_names() => self.sheet.small + 8.0,
                    Below::Nothing => 4.0,
                }
            }
            PanelAxis::Numbers { label, .. } => {
                let second = self.panel.second.as_ref();
                let second = second.map_or(0.0, |second| self.scale_height(&second.label, start, end));
                self.scale_height(label, start, end) + second
            }
        }
    }

    /// The height of the numbers of a scale and its label.
    fn scale_height(&self, label: &str, start: f64, end: f64) -> f64 {
        match lines(label, self.sheet.small, self.room_of_label(start, end)).len() {
            0 => self.sheet.small + 8.0,
            count => self.sheet.small + 10.0 + (self.sheet.small + 4.0) * count as f64,
        }
    }

    /// The width of a label in the middle between two coordinates.
    fn room_of_label(&self, start: f64, end: f64) -> f64 {
        let middle = f64::midpoint(start, end);
        2.0 * (middle - self.left).min(self.left + self.width - middle)
    }

    fn texts_beside(&self) -> Vec<Texts> {
        // Numbers are never cut. What has no room on a narrow sheet is in the table.
        let mut room = match self.sheet.is_narrow() {
            true => self.width * (1.0 - LEAST - NAMES),
            false => f64::INFINITY,
        };
        let column = |(number, beside): (usize, &Beside)| {
            let rows: Vec<(String, String)> = self
                .data
                .part(beside.part)
                .filter(|row| self.panel.draws(row))
                .map(|row| (row.text(beside.at).to_owned(), beside.text.of(&row)))
                .collect();
            let widest = rows.iter().map(|(_, text)| width(text, self.sheet.small));
            let widest = widest.fold(width(&beside.heading, self.sheet.small), f64::max);
            let width = if number == 0 { widest } else { widest.min(self.width * NAMES) };
            room -= width + SPACE;
            (number == 0 || room >= 0.0).then(|| Texts { heading: beside.heading.clone(), rows, width })
        };
        self.panel.beside.iter().enumerate().filter_map(column).collect()
    }
}

struct Drawing<'a> {
    canvas: &'a mut Canvas,
    layout: &'a Layout<'a>,
}

impl Drawing<'_> {
    fn draw(mut self, top: f64) -> f64 {
        let (panel, data) = (self.layout.panel, self.layout.data);
        let mut top = top;
        if !panel.title.is_empty() {
            for line in lines(&panel.title, self.layout.sheet.text, self.layout.width) {
                top += self.layout.sheet.text + 3.0;
                self.canvas.text(
                    (self.layout.left, top - 3.0),
                    &line,
                    self.layout.sheet.text,
                    Anchor::Start,
                    Tone::Ink,
                );
            }
            top += 3.0;
        }
        top = self.legend(top);
        let beside = self.layout.texts_beside();
        let headed = beside.iter().any(|column| !column.heading.is_empty());
        if headed {
            top += self.layout.sheet.small + 5.0;
        }
        let height = self.layout.height();
        let Around { left, right } = self.layout.around;
        let x_start = self.layout.left + left;
        let mut x_end = self.layout.left + self.layout.width - right;
        if panel.is_square {
            x_end = x_end.min(x_start + height);
        }
        let (upper, lower) = (top, top + height);
        let below = self.layout.room_below(x_start, x_end);
        let x = Scale::new(&panel.x, marks::numbers(data, panel, true), x_start, x_end);
        let ends = if matches!(panel.y, PanelAxis::Numbers { .. }) { (lower, upper) } else { (upper, lower) };
        let y = Scale::new(&panel.y, marks::numbers(data, panel, false), ends.0, ends.1);
        self.horizontal_axis(&x, lower, upper, (x_start, x_end));
        self.vertical_axis(&y, left, (x_start, x_end), (upper, lower));
        let area = Area { x: &x, y: &y, left: x_start, right: x_end, top: upper, bottom: lower };
        for mark in &panel.marks {
            marks::draw(self.canvas, data, panel, mark, &area);
        }
        self.beside(&beside, &y, x_end, top);
        lower + below
    }

    /// Writes what colours mean, and returns where it ends.
    fn legend(&mut self, top: f64) -> f64 {
        if self.layout.panel.legend.is_empty() {
            return top;
        }
        let mark = self.layout.sheet.small.min(9.0);
        let (mut x, mut base) = (self.layout.left, top + self.layout.sheet.small);
        for (text, tone) in &self.layout.panel.legend {
            let text = fitted(text, self.layout.sheet.small, self.layout.width - mark - 5.0);
            let wide = mark + 5.0 + width(&text, self.layout.sheet.small) + SPACE;
            if x > self.layout.left && x + wide > self.layout.left + self.layout.width {
                (x, base) = (self.layout.left, base + self.layout.sheet.small + 5.0);
            }
            self.canvas.bar((x, base - mark + 1.0), (mark, mark), *tone, 0.85);
            self.canvas.text(
                (x + mark + 5.0, base),
                &text,
                self.layout.sheet.small,
                Anchor::Start,
                Tone::Ink,
            );
            x += wide;
        }
        base + 8.0
    }

    fn horizontal_axis(&mut self, x: &Scale, lower: f64, upper: f64, (start, end): (f64, f64)) {
        match &self.layout.panel.x {
            PanelAxis::Categories { names, .. } => {
                let small = self.layout.sheet.small;
                let base = lower + small + 4.0;
                match Below::of(names, x.step(), small) {
                    Below::Flat => x.names().into_iter().for_each(|(at, name)| {
                        self.canvas.text((at, base), name, small, Anchor::Middle, Tone::Ink);
                    }),
                    Below::Upright => x.names().into_iter().for_each(|(at, name)| {
                        let (at, below) = ((at + small / 3.0, lower + 6.0), Some(-90.0));
                        self.canvas.named(at, name, small, Anchor::End, 120.0, below);
                    }),
                    Below::Nothing if self.layout.has_names() => {
                        let room = self.layout.left + self.layout.width - width(SAME_ORDER, small) / 2.0;
                        let at = (f64::midpoint(start, end).min(room), base);
                        self.canvas.text(at, SAME_ORDER, small, Anchor::Middle, Tone::Faint);
                    }
                    Below::Nothing => {}
                }
            }
            PanelAxis::Numbers { label, factor, .. } => {
                for tick in x.ticks(*factor, wanted_ticks(start, end)) {
                    self.canvas.grid((tick.at, upper), (tick.at, lower));
                }
                self.scale_below(x, *factor, label, lower, (start, end));
                let second = self.layout.panel.second.as_ref();
                if let Some((second, other)) = second.and_then(|second| Some((second, x.second(second)?))) {
                    let top = lower + self.layout.scale_height(label, start, end);
                    self.canvas.line((start, top), (end, top), 1.0, Tone::Faint, false);
                    self.scale_below(&other, *factor, &second.label, top, (start, end));
                }
            }
        }
    }

    /// Writes the numbers of a scale and its label beneath a height.
    fn scale_below(&mut self, x: &Scale, factor: f64, label: &str, top: f64, (start, end): (f64, f64)) {
        // Texts at the ends stay within the panel and apart from one another.
        let mut free = self.layout.left - self.layout.sheet.margin;
        let last = self.layout.left + self.layout.width + self.layout.sheet.margin;
        for tick in x.ticks(factor, wanted_ticks(start, end)) {
            let half = width(&tick.text, self.layout.sheet.small) / 2.0;
            if tick.at - half >= free && tick.at + half <= last {
                let at = (tick.at, top + self.layout.sheet.small + 3.0);
                self.canvas.text(at, &tick.text, self.layout.sheet.small, Anchor::Middle, Tone::Faint);
                free = tick.at + half + 4.0;
            }
        }
        let middle = f64::midpoint(start, end);
        for (number, line) in
            lines(label, self.layout.sheet.small, self.layout.room_of_label(start, end)).iter().enumerate()
        {
            let y =
                top + 2.0 * self.layout.sheet.small + 9.0 + number as f64 * (self.layout.sheet.small + 4.0);
            self.canvas.text((middle, y), line, self.layout.sheet.small, Anchor::Middle, Tone::Ink);
        }
    }

    fn vertical_axis(&mut self, y: &Scale, left: f64, (start, end): (f64, f64), (upper, lower): (f64, f64)) {
        match &self.layout.panel.y {
            PanelAxis::Categories { .. } => {
                if !self.layout.has_names() {
                    return;
                }
                for (at, name) in y.names() {
                    let at = (start - 8.0, at + self.layout.sheet.text / 3.0);
                    self.canvas.named(at, name, self.layout.sheet.text, Anchor::End, left - 10.0, None);
                }
                if let Some((at, missing)) = y.gap() {
                    let text = format!("… {missing} others are in the table");
                    let at = (f64::midpoint(start, end), at + self.layout.sheet.small / 3.0);
                    self.canvas.text(at, &text, self.layout.sheet.small, Anchor::Middle, Tone::Faint);
                }
            }
            PanelAxis::Numbers { label, factor, .. } => {
                let wanted = ((lower - upper) / 45.0).clamp(2.0, 6.0) as usize;
                for tick in y.ticks(*factor, wanted) {
                    self.canvas.grid((start, tick.at), (end, tick.at));
                    // The highest number stays within a figure that begins with its panel.
                    let small = self.layout.sheet.small;
                    let at = (start - 6.0, (tick.at + small / 3.0).max(small));
                    self.canvas.text(at, &tick.text, self.layout.sheet.small, Anchor::End, Tone::Faint);
                }
                if !label.is_empty() {
                    let at = (self.layout.left + self.layout.sheet.small, f64::midpoint(upper, lower));
                    let text = fitted(label, self.layout.sheet.small, lower - upper + 20.0);
                    self.canvas.turned(
                        at,
                        &text,
                        self.layout.sheet.small,
                        Anchor::Middle,
                        Tone::Ink,
                        Some(-90.0),
                    );
                }
            }
        }
    }

    fn beside(&mut self, columns: &[Texts], y: &Scale, start: f64, top: f64) {
        let mut left = start + SPACE;
        for column in columns {
            self.canvas.text(
                (left, top - 5.0),
                &column.heading,
                self.layout.sheet.small,
                Anchor::Start,
                Tone::Faint,
            );
            for (category, text) in &column.rows {
                if let Some(at) = y.at(&Cell::from(category.as_str())) {
                    let at = (left, at + self.layout.sheet.small / 3.0);
                    self.canvas.named(at, text, self.layout.sheet.small, Anchor::Start, column.width, None);
                }
            }
            left += column.width + SPACE;
        }
    }
}

fn widest(widths: impl Iterator<Item = f64>) -> f64 {
    widths.fold(0.0, f64::max)
}

/// About how many numbers fit beneath an axis between two coordinates.
fn wanted_ticks(start: f64, end: f64) -> usize {
    ((end - start) / 75.0).clamp(2.0, 8.0) as usize
}

/// How the names of categories stand beneath them.
enum Below {
    Flat,
    Upright,
    Nothing,
}

impl Below {
    /// As categories that are so wide have room for.
    fn of(names: &[String], step: f64, size: f64) -> Self {
        if names.iter().all(|name| width(name, size) + 8.0 <= step) {
            Self::Flat
        } else if step >= size + 1.0 {
            Self::Upright
        } else {
            Self::Nothing
        }
    }
}

/// A column of texts next to the area, each with its category.
struct Texts {
    heading: String,
    rows: Vec<(String, String)>,
    width: f64,
}
