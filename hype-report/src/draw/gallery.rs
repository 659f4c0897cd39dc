//! Pictures in rows, with a line of text beneath each.

use super::canvas::{Anchor, Canvas};
use super::measure::lines;
use super::{SMALL, TEXT, WIDTH};
use crate::data::Data;
use crate::figure::{PictureGroup, Tone};
use crate::pictures::Pictures;

/// Pictures side by side, the space between them, and their side.
const ACROSS: usize = 6;
const SPACE: f64 = 8.0;
const SIDE: f64 = (WIDTH - 24.0 - SPACE * (ACROSS - 1) as f64) / ACROSS as f64;
/// The height of the text beneath a picture.
const BENEATH: f64 = SMALL + 12.0;

/// Draws groups of pictures from a height on, and returns the height of the figure. A picture that is not known is an empty
/// frame.
pub(super) fn gallery(
    canvas: &mut Canvas,
    data: &Data,
    groups: &[PictureGroup],
    pictures: &Pictures,
    top: f64,
) -> f64 {
    let mut top = top;
    for group in groups.iter().filter(|group| data.has(group.part)) {
        for line in lines(&group.title, TEXT, WIDTH - 24.0) {
            top += TEXT + 4.0;
            canvas.text((12.0, top - 3.0), &line, TEXT, Anchor::Start, Tone::Ink);
        }
        top += 4.0;
        let rows: Vec<_> = data.part(group.part).collect();
        for row in rows.chunks(ACROSS) {
            for (place, row) in row.iter().enumerate() {
                let left = 12.0 + (SIDE + SPACE) * place as f64;
                let name = row.text(group.picture);
                match pictures.get(name) {
                    Some(address) => canvas.picture((left, top), SIDE, address, name),
                    None => canvas.frame((left, top), (SIDE, SIDE)),
                }
                let at = (left + SIDE / 2.0, top + SIDE + SMALL + 3.0);
                canvas.text(at, row.text(group.text), SMALL, Anchor::Middle, Tone::Ink);
            }
            top += SIDE + BENEATH;
        }
        top += SPACE;
    }
    top
}
