//! Flow diagrams: boxes from above to below, with branches for what leaves.

use super::canvas::{Anchor, Canvas};
use super::measure::{lines, width};
use super::sheet::Sheet;
use crate::data::{Data, DataRow};
use crate::figure::Tone;

/// The space within and between boxes.
const PAD: f64 = 8.0;
const BETWEEN: f64 = 18.0;

/// Draws a flow diagram from a height on, and returns the height of the figure.
pub(super) fn flow(canvas: &mut Canvas, data: &Data, top: f64) -> f64 {
    let Sheet { width, margin, .. } = canvas.sheet;
    // Branches leave to the right of the steps.
    let steps = (margin, width * 0.4);
    let branches_at = (width * 0.49, width * 0.51 - margin);
    let centre = steps.0 + steps.1 * 0.2;
    let mut top = top + 4.0;
    let mut last: Option<f64> = None;
    for step in data.part("step") {
        if let Some(above) = last {
            arrow(canvas, (centre, above), (centre, top));
        }
        let mut bottom = boxed(canvas, steps, top, &[&step]);
        last = Some(bottom);
        let branches: Vec<DataRow<'_>> =
            data.part("branch").filter(|branch| branch.text("of") == step.text("step")).collect();
        if !branches.is_empty() {
            let start = bottom + BETWEEN;
            let end = boxed(canvas, branches_at, start, &branches.iter().collect::<Vec<_>>());
            let middle = f64::midpoint(start, end);
            arrow(canvas, (centre, middle), (branches_at.0, middle));
            bottom = end;
        }
        top = bottom + BETWEEN;
    }
    top
}

/// A box with the texts and counts of rows; returns its lower edge.
fn boxed(canvas: &mut Canvas, (left, wide): (f64, f64), top: f64, rows: &[&DataRow<'_>]) -> f64 {
    let row_height = canvas.sheet.text + 4.0;
    let mut written: Vec<(String, Option<String>)> = Vec::new();
    for row in rows {
        let count = row.cell("count").exact();
        let room = wide - 3.0 * PAD - width(&count, canvas.sheet.text);
        for (number, line) in lines(row.text("text"), canvas.sheet.text, room).into_iter().enumerate() {
            written.push((line, (number == 0).then(|| count.clone())));
        }
    }
    let height = written.len() as f64 * row_height + 2.0 * PAD - 3.0;
    canvas.frame((left, top), (wide, height));
    for (number, (line, count)) in written.iter().enumerate() {
        let base = top + PAD + canvas.sheet.text - 2.0 + number as f64 * row_height;
        canvas.text((left + PAD, base), line, canvas.sheet.text, Anchor::Start, Tone::Ink);
        if let Some(count) = count {
            canvas.text((left + wide - PAD, base), count, canvas.sheet.text, Anchor::End, Tone::Ink);
        }
    }
    top + height
}

fn arrow(canvas: &mut Canvas, from: (f64, f64), to: (f64, f64)) {
    canvas.line(from, to, 1.5, Tone::Faint, false);
    let (x, y) = to;
    let head = if (from.0 - x).abs() < 1e-9 {
        [(x - 4.0, y - 6.0), (x, y), (x + 4.0, y - 6.0)]
    } else {
        [(x - 6.0, y - 4.0), (x, y), (x - 6.0, y + 4.0)]
    };
    canvas.path(&head, 1.5, Tone::Faint, false);
}
