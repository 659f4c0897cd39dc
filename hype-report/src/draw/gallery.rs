//! Pictures in rows, with a line of text beneath each.

use super::canvas::{Anchor, Canvas};
use super::measure::lines;
use super::sheet::Sheet;
use crate::data::Data;
use crate::figure::{PictureGroup, Tone};
use crate::pictures::Pictures;

/// The space between pictures.
const SPACE: f64 = 8.0;

/// Draws groups of pictures from a height on, and returns the height of the figure. A picture that is not known is an empty
/// frame.
pub(super) fn gallery(
    canvas: &mut Canvas,
    data: &Data,
    groups: &[PictureGroup],
    pictures: &Pictures,
    top: f64,
) -> f64 {
    let Sheet { width, text, small, margin, .. } = canvas.sheet;
    let across = if canvas.sheet.is_narrow() { 3 } else { 6 };
    let side = (width - 2.0 * margin - SPACE * (across - 1) as f64) / across as f64;
    let mut top = top;
    for group in groups.iter().filter(|group| data.has(group.part)) {
        for line in lines(&group.title, text, width - 2.0 * margin) {
            top += text + 4.0;
            canvas.text((margin, top - 3.0), &line, text, Anchor::Start, Tone::Ink);
        }
        top += 4.0;
        let rows: Vec<_> = data.part(group.part).collect();
        for row in rows.chunks(across) {
            for (place, row) in row.iter().enumerate() {
                let left = margin + (side + SPACE) * place as f64;
                let name = row.text(group.picture);
                match pictures.get(name) {
                    Some(address) => canvas.picture((left, top), side, address, name),
                    None => canvas.frame((left, top), (side, side)),
                }
                let at = (left + side / 2.0, top + side + small + 3.0);
                canvas.text(at, row.text(group.text), small, Anchor::Middle, Tone::Ink);
            }
            top += side + small + 12.0;
        }
        top += SPACE;
    }
    top
}
