//! From the output of a YOLO detector of version 8 to the objects found.

use hype_core::plugin::extractor::ExtractedLayer;

/// The score from which a box is a candidate.
const SCORE: f32 = 0.25;
/// The share of two boxes' union that they may have in common, as in NudeNet's program.
const OVERLAP: f32 = 0.45;

/// A box with its class.
struct Candidate {
    class: usize,
    score: f32,
    /// Left, top, right, bottom.
    bounds: [f32; 4],
}

/// Six numbers for each object, in the order of scores: class, score, left, top, right, bottom, in pixels of the input.
///
/// `output` has 4 + classes rows (centre, width, height and scores) and a column for each box. Boxes that overlap one with a
/// greater score are the same object, whatever its class.
pub(super) fn objects(output: &ExtractedLayer) -> Result<Vec<f32>, String> {
    let [rows, boxes] = output.shape[..] else {
        return Err(format!("boxes need two dimensions, and the output has {:?}", output.shape));
    };
    if rows < 5 || output.values.len() != rows * boxes {
        return Err(format!("boxes need at least five rows, and the output has {rows}"));
    }
    let at = |row: usize, place: usize| output.values[row * boxes + place];
    let mut candidates: Vec<Candidate> = Vec::new();
    for place in 0..boxes {
        let mut best = (0, at(4, place));
        for class in 1..rows - 4 {
            if at(4 + class, place) > best.1 {
                best = (class, at(4 + class, place));
            }
        }
        if best.1 >= SCORE {
            let [x, y, width, height] = [0, 1, 2, 3].map(|row| at(row, place));
            let bounds = [x - width / 2.0, y - height / 2.0, x + width / 2.0, y + height / 2.0];
            candidates.push(Candidate { class: best.0, score: best.1, bounds });
        }
    }
    candidates.sort_by(|one, other| other.score.total_cmp(&one.score));
    let mut kept: Vec<&Candidate> = Vec::new();
    for one in &candidates {
        if kept.iter().all(|before| overlap(&before.bounds, &one.bounds) <= OVERLAP) {
            kept.push(one);
        }
    }
    Ok(kept.into_iter().flat_map(|one| [one.class as f32, one.score].into_iter().chain(one.bounds)).collect())
}

/// The share of the union of two boxes that they have in common.
fn overlap(one: &[f32; 4], other: &[f32; 4]) -> f32 {
    let area = |bounds: &[f32; 4]| (bounds[2] - bounds[0]).max(0.0) * (bounds[3] - bounds[1]).max(0.0);
    let common =
        area(&[one[0].max(other[0]), one[1].max(other[1]), one[2].min(other[2]), one[3].min(other[3])]);
    let union = area(one) + area(other) - common;
    if union > 0.0 { common / union } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_boxes_are_one_object() {
        // Three boxes of two classes: the second lies within the first, the third apart, the fourth is too unsure.
        let columns = [
            [10.0, 10.0, 8.0, 8.0, 0.9, 0.1],
            [10.0, 10.0, 8.0, 7.0, 0.2, 0.8],
            [40.0, 10.0, 8.0, 8.0, 0.1, 0.5],
            [60.0, 10.0, 8.0, 8.0, 0.1, 0.2],
        ];
        let values = (0..6).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
        let found = objects(&ExtractedLayer { shape: vec![6, 4], values }).unwrap();
        assert_eq!(found, [0.0, 0.9, 6.0, 6.0, 14.0, 14.0, 1.0, 0.5, 36.0, 6.0, 44.0, 14.0]);
        assert!(objects(&ExtractedLayer { shape: vec![4], values: vec![0.0; 4] }).is_err());
    }
}
