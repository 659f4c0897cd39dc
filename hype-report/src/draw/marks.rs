//! The five marks.

use std::collections::BTreeMap;

use super::canvas::{Anchor, Canvas};
use super::measure::width;
use super::scale::Scale;
use crate::data::{Data, DataRow};
use crate::figure::{Dot, Extent, FigurePanel, Mark, PanelAxis, Tone, Width};

/// The radius of dots.
const LARGE: f64 = 4.5;
const SMALL_DOT: f64 = 2.5;
/// The largest radius of sized dots.
const MOST: f64 = 9.0;

/// Smaller texts are not written.
const SMALLEST: f64 = 6.0;

/// Shades of cells, and how many cells are shapes of their own.
const SHADES: u8 = 50;
const MOST_CELLS: usize = 1_600;

/// The area between the axes.
pub(super) struct Area<'a> {
    pub(super) x: &'a Scale,
    pub(super) y: &'a Scale,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Area<'_> {
    /// A radius, or a smaller one for dots of neighbouring cells of a map to stand apart.
    fn within_cell(&self, radius: f64) -> f64 {
        match (self.x.step(), self.y.step()) {
            (x, y) if x > 0.0 && y > 0.0 => radius.min(x.min(y) * 0.35),
            _ => radius,
        }
    }
}

/// The part of a mark and those of its columns that lie on one of the axes.
fn columns(panel: &FigurePanel, mark: &Mark, horizontal: bool) -> (&'static str, Vec<&'static str>) {
    match mark {
        Mark::Dots { part, x, y, .. } | Mark::Label { part, x, y, .. } => {
            (*part, vec![if horizontal { *x } else { *y }])
        }
        Mark::Interval { part, at, low, high, .. } => {
            let along = is_across(panel) == horizontal;
            (*part, if along { vec![*low, *high] } else { vec![*at] })
        }
        Mark::Line { part, x, y, .. } => (*part, (if horizontal { *x } else { *y }).into_iter().collect()),
        Mark::Band { part, x, extent, .. } => match (horizontal, extent) {
            (true, _) => (*part, vec![*x]),
            (false, Extent::Between(low, high)) => (*part, vec![*low, *high]),
            (false, Extent::Cell(..)) => (*part, Vec::new()),
        },
    }
}

/// Whether intervals lie along the horizontal axis.
const fn is_across(panel: &FigurePanel) -> bool {
    matches!(panel.y, PanelAxis::Categories { .. })
}

/// All numbers that the marks of a panel place on an axis, those of other panels of the figure too: panels share their axes.
pub(crate) fn numbers<'a>(
    data: &'a Data,
    panel: &'a FigurePanel,
    horizontal: bool,
) -> impl Iterator<Item = f64> + use<'a> {
    panel.marks.iter().flat_map(move |mark| {
        let (part, columns) = columns(panel, mark, horizontal);
        data.part(part)
            .flat_map(move |row| columns.clone().into_iter().filter_map(move |name| row.number(name)))
    })
}

/// Draws a mark.
pub(super) fn draw(canvas: &mut Canvas, data: &Data, panel: &FigurePanel, mark: &Mark, area: &Area<'_>) {
    match mark {
        Mark::Dots { part, x, y, look, tone } => {
            let rows = data.part(part).filter(|row| panel.draws(row));
            let placed: Vec<(DataRow<'_>, (f64, f64))> = rows
                .filter_map(|row| Some((row, (area.x.at(row.cell(x))?, area.y.at(row.cell(y))?))))
                .collect();
            // The rows of a tone are drawn together, in the order of their tones' first rows.
            let mut tones: Vec<Tone> = Vec::new();
            placed.iter().for_each(|(row, _)| {
                let own = panel.tone_of(row, *tone);
                if !tones.contains(&own) {
                    tones.push(own);
                }
            });
            for own in tones {
                let of_tone: Vec<_> =
                    placed.iter().filter(|(row, _)| panel.tone_of(row, *tone) == own).copied().collect();
                dots(canvas, &of_tone, *look, own, area);
            }
        }
        Mark::Interval { part, at, low, high, width, tone } => {
            for row in data.part(part).filter(|row| panel.draws(row)) {
                let across = is_across(panel);
                let (along, place) = if across { (area.x, area.y) } else { (area.y, area.x) };
                let ends = row.number(low).zip(row.number(high));
                let Some((at, (low, high))) = place.at(row.cell(at)).zip(ends) else { continue };
                let Some((from, to)) = along.of(low).zip(along.of(high)) else { continue };
                let tone = panel.tone_of(&row, *tone);
                interval(canvas, across, at, (from, to), *width, tone, place.step());
                if *width == Width::Bar && across {
                    in_bar(canvas, row.text("text"), (from, to), at, tone);
                }
            }
        }
        Mark::Line { part, x, y, by, dashed, tone } => {
            let rows: Vec<DataRow<'_>> = data.part(part).filter(|row| panel.draws(row)).collect();
            line(canvas, panel, &rows, (*x, *y), by, *dashed, *tone, area);
        }
        Mark::Band { part, x, extent, tone } => {
            let rows: Vec<DataRow<'_>> = data.part(part).filter(|row| panel.draws(row)).collect();
            band(canvas, &rows, x, *extent, *tone, area);
        }
        Mark::Label { part, x, y, text, tone } => {
            let rows = data.part(part).filter(|row| panel.draws(row));
            let is_grid =
                matches!((&panel.x, &panel.y), (PanelAxis::Categories { .. }, PanelAxis::Categories { .. }));
            let placed: Vec<(DataRow<'_>, (f64, f64))> = rows
                .filter_map(|row| Some((row, (area.x.at(row.cell(x))?, area.y.at(row.cell(y))?))))
                .collect();
            // Texts cover no point that has one.
            let dot = |(x, y): (f64, f64)| [x - LARGE, y - LARGE, x + LARGE, y + LARGE];
            let mut taken: Vec<[f64; 4]> = placed.iter().map(|(_, at)| dot(*at)).collect();
            let texts: Vec<((f64, f64), String)> =
                placed.into_iter().map(|(row, at)| (at, row.cell(text).exact())).collect();
            if is_grid {
                in_cells(canvas, &texts, area.x.step(), *tone);
            } else {
                for (at, text) in texts {
                    label(canvas, &mut taken, at, &text, *tone, area);
                }
            }
        }
    }
}

/// Writes texts into the cells of a grid, all in one size that fits; none if that could not be read.
fn in_cells(canvas: &mut Canvas, texts: &[((f64, f64), String)], across: f64, tone: Tone) {
    let longest = texts.iter().map(|(_, text)| width(text, canvas.sheet.small)).fold(0.0, f64::max);
    let size = canvas.sheet.small * ((across - 2.0) / longest.max(1.0)).min(1.0);
    if size >= SMALLEST {
        for ((x, y), text) in texts {
            canvas.text((*x, y + size / 3.0), text, size, Anchor::Middle, tone);
        }
    }
}

fn dots(canvas: &mut Canvas, placed: &[(DataRow<'_>, (f64, f64))], look: Dot, tone: Tone, area: &Area<'_>) {
    match look {
        Dot::Large => placed.iter().for_each(|(_, at)| canvas.glyph(*at, area.within_cell(LARGE), tone)),
        Dot::Small => {
            let radius = area.within_cell(SMALL_DOT);
            placed.iter().for_each(|(_, at)| canvas.dot(*at, radius, tone, 0.8));
        }
        Dot::Cross => placed.iter().for_each(|(_, at)| canvas.cross(*at, tone)),
        Dot::Swarm => {
            let places: Vec<(f64, f64)> = placed.iter().map(|(_, at)| *at).collect();
            for at in swarm(&places, area.y.step() / 2.0 - SMALL_DOT) {
                canvas.dot(at, SMALL_DOT, tone, 0.45);
            }
        }
        Dot::Sized(column, least) => {
            let most = placed.iter().filter_map(|(row, _)| row.number(column)).fold(1.0, f64::max);
            for (row, at) in placed {
                let count = row.number(column).unwrap_or(0.0).max(0.0);
                let opacity = if count < least { 0.3 } else { 0.85 };
                canvas.dot(*at, (MOST * (count / most).sqrt()).max(1.5), tone, opacity);
            }
        }
    }
}

/// Moves dots up and down where they would cover one another, by no more than `room`. Those for which there is no room stay
/// on their line.
fn swarm(places: &[(f64, f64)], room: f64) -> Vec<(f64, f64)> {
    const APART: f64 = 2.0 * SMALL_DOT;
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].0.total_cmp(&places[b].0).then(a.cmp(&b)));
    let mut moved = places.to_vec();
    let mut done: Vec<(f64, f64, f64)> = Vec::new();
    for at in order {
        let (x, y) = places[at];
        let near: Vec<(f64, f64)> = done
            .iter()
            .rev()
            .take_while(|other| x - other.0 < APART)
            .filter(|other| (other.2 - y).abs() < 1e-9)
            .map(|other| (other.0, other.1))
            .collect();
        let steps = (0..).map(|step| f64::from((step + 1) / 2) * if step % 2 == 0 { -1.25 } else { 1.25 });
        let free = steps.take_while(|shift| shift.abs() <= room).find(|shift| {
            near.iter().all(|(other, shifted)| {
                let (across, along) = (shift - shifted, x - other);
                across * across + along * along >= APART * APART * 0.9
            })
        });
        let shift = free.unwrap_or(0.0);
        done.push((x, shift, y));
        moved[at] = (x, y + shift);
    }
    moved
}

fn interval(
    canvas: &mut Canvas,
    across: bool,
    at: f64,
    (from, to): (f64, f64),
    width: Width,
    tone: Tone,
    step: f64,
) {
    let ends = if across { ((from, at), (to, at)) } else { ((at, from), (at, to)) };
    match width {
        Width::Thin => canvas.line(ends.0, ends.1, 1.5, tone, false),
        Width::Bold => canvas.line(ends.0, ends.1, 2.5, tone, false),
        Width::Bar => {
            let thick = (step * 0.7).max(4.0);
            let (low, high) = (from.min(to), from.max(to));
            let (corner, size) = if across {
                ((low, at - thick / 2.0), (high - low, thick))
            } else {
                ((at - thick / 2.0, low), (thick, high - low))
            };
            let opacity = if matches!(tone, Tone::Step(..)) { 1.0 } else { 0.85 };
            canvas.bar(corner, size, tone, opacity);
        }
    }
}

/// Writes a text into a bar that has room for it.
fn in_bar(canvas: &mut Canvas, text: &str, (from, to): (f64, f64), at: f64, tone: Tone) {
    let small = canvas.sheet.small;
    if !text.is_empty() && width(text, small) + 3.0 <= (to - from).abs() {
        let at = (f64::midpoint(from, to), at + small * 0.35);
        canvas.text(at, text, small, Anchor::Middle, tone.of_text());
    }
}

/// A line: what it is about, its colour and its points.
type Series<'a> = (&'a str, Tone, Vec<(f64, f64)>);

#[expect(clippy::too_many_arguments, reason = "the fields of a mark")]
fn line(
    canvas: &mut Canvas,
    panel: &FigurePanel,
    rows: &[DataRow<'_>],
    (x, y): (Option<&str>, Option<&str>),
    by: &str,
    dashed: bool,
    tone: Tone,
    area: &Area<'_>,
) {
    let thick = canvas.sheet.lines.1 * 0.7;
    match (x, y) {
        (Some(x), None) => {
            for at in rows.iter().filter_map(|row| area.x.at(row.cell(x))) {
                canvas.line((at, area.top), (at, area.bottom), thick, tone, dashed);
            }
        }
        (None, Some(y)) => {
            for at in rows.iter().filter_map(|row| area.y.at(row.cell(y))) {
                canvas.line((area.left, at), (area.right, at), thick, tone, dashed);
            }
        }
        (Some(x), Some(y)) => {
            let mut series: Vec<Series<'_>> = Vec::new();
            for row in rows {
                let Some(at) = area.x.at(row.cell(x)).zip(area.y.at(row.cell(y))) else { continue };
                let name = row.text(by);
                match series.iter_mut().find(|(known, ..)| *known == name) {
                    Some((.., points)) => points.push(at),
                    None => series.push((name, panel.tone_of(row, tone), vec![at])),
                }
            }
            let is_own = by.is_empty() || tone != Tone::Series(0);
            for (number, (_, tone, points)) in series.into_iter().enumerate() {
                let tone = if is_own { tone } else { Tone::Series(number) };
                canvas.path(&points, thick, tone, dashed);
            }
        }
        (None, None) => {}
    }
}

fn band(canvas: &mut Canvas, rows: &[DataRow<'_>], x: &str, extent: Extent, tone: Tone, area: &Area<'_>) {
    match extent {
        Extent::Between(low, high) => {
            let edge = |end: &'static str| {
                let place = move |row: &DataRow<'_>| area.x.at(row.cell(x)).zip(area.y.at(row.cell(end)));
                rows.iter().filter_map(place)
            };
            let mut points: Vec<(f64, f64)> = edge(low).collect();
            let mut upper: Vec<(f64, f64)> = edge(high).collect();
            upper.reverse();
            points.append(&mut upper);
            if points.len() > 3 {
                canvas.area(&points, tone, 0.18);
            }
        }
        Extent::Cell(y, strength) => {
            let size @ (width, height) = (area.x.step(), area.y.step());
            let cells = rows.iter().filter_map(|row| {
                let (x, y) = area.x.at(row.cell(x)).zip(area.y.at(row.cell(y)))?;
                let strength = row.number(strength)?.clamp(0.0, 1.0) * f64::from(SHADES);
                Some((strength.round() as u8, (x - width / 2.0, y - height / 2.0)))
            });
            let opacity = |shade: u8| f64::from(shade) / f64::from(SHADES);
            if rows.len() <= MOST_CELLS {
                cells.for_each(|(shade, corner)| canvas.bar(corner, size, tone, opacity(shade)));
                return;
            }
            // Browsers are slow with tens of thousands of shapes.
            let mut by_shade: BTreeMap<u8, Vec<(f64, f64)>> = BTreeMap::new();
            cells.for_each(|(shade, corner)| by_shade.entry(shade).or_default().push(corner));
            for (shade, corners) in by_shade {
                canvas.bars(&corners, size, tone, opacity(shade));
            }
        }
    }
}

/// Writes a text next to a point where it covers no other text, or nowhere.
fn label(
    canvas: &mut Canvas,
    taken: &mut Vec<[f64; 4]>,
    (x, y): (f64, f64),
    text: &str,
    tone: Tone,
    area: &Area<'_>,
) {
    let text = super::measure::fitted(text, canvas.sheet.small, 160.0);
    let wide = width(&text, canvas.sheet.small);
    let places = [
        (x + 8.0, y + canvas.sheet.small / 3.0),
        (x - 8.0 - wide, y + canvas.sheet.small / 3.0),
        (x - wide / 2.0, y - 8.0),
        (x - wide / 2.0, y + 8.0 + canvas.sheet.small),
    ];
    for (left, base) in places {
        let found = [left - 1.0, base - canvas.sheet.text, left + wide + 1.0, base + 3.0];
        let inside = found[0] >= area.left
            && found[2] <= area.right
            && found[1] >= area.top
            && found[3] <= area.bottom;
        let free = taken.iter().all(|other| {
            found[2] <= other[0] || found[0] >= other[2] || found[3] <= other[1] || found[1] >= other[3]
        });
        if inside && free {
            canvas.text((left, base), &text, canvas.sheet.small, Anchor::Start, tone);
            taken.push(found);
            return;
        }
    }
}
