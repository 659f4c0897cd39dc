//! Whether an image shows the objects, numbers and relations that its prompt names, from the output of an object detector.
//!
//! # Method
//!
//! Cho, Zala and Bansal (2023), "DALL-Eval: probing the reasoning skills and social biases of text-to-image generation models",
//! section 3.1. Give only detections above the detector's threshold.

/// An object found in an image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DetectedObject {
    /// The class, as the detector numbers them.
    pub class: u32,
    /// Confidence of the detector.
    pub score: f64,
    /// Left, top, right and bottom of the box, in pixels from the top left.
    pub bounds: [f64; 4],
}

impl DetectedObject {
    fn centre(&self) -> [f64; 2] {
        let [left, top, right, bottom] = self.bounds;
        [0.5 * (left + right), 0.5 * (top + bottom)]
    }

    const fn corner(&self) -> [f64; 2] {
        [self.bounds[0], self.bounds[1]]
    }
}

/// Whether the detection with the greatest score is of a class; false without detections.
#[must_use]
pub fn object_is_found(detections: &[DetectedObject], class: u32) -> bool {
    detections
        .iter()
        .max_by(|one, other| one.score.total_cmp(&other.score))
        .is_some_and(|best| best.class == class)
}

/// Whether a class was found exactly so many times; false without detections.
#[must_use]
pub fn counts_right(detections: &[DetectedObject], class: u32, count: usize) -> bool {
    !detections.is_empty() && detections.iter().filter(|found| found.class == class).count() == count
}

/// Where one object is, seen from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// To the left of it.
    Left,
    /// To the right of it.
    Right,
    /// Above it.
    Above,
    /// Below it.
    Below,
}

/// How boxes decide a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum RelationRule {
    /// By the centres of the boxes.
    #[default]
    Centres,
    /// By their top left corners, as in the published code of HEIM, which for two objects of one class compares only the axis.
    Helm,
}

/// Whether `subject` is in a relation to `object`, both of which have to be found exactly once.
///
/// The axis with the greater distance decides: an object far to the right and slightly above is to the right. For two
/// objects of one class, name the class twice; it has to be found twice, and any two differ along some axis:
/// only the axis is compared.
///
/// The published code takes the first class of a prompt's annotation as `object` and the second as `subject`.
///
/// # Examples
///
/// ```
/// use hype_metrics::heim::{DetectedObject, Relation, RelationRule, relation_holds};
/// let dog = DetectedObject { class: 0, score: 0.9, bounds: [60.0, 20.0, 90.0, 80.0] };
/// let cat = DetectedObject { class: 1, score: 0.8, bounds: [5.0, 30.0, 40.0, 80.0] };
/// assert!(relation_holds(&[dog, cat], 0, Relation::Right, 1, RelationRule::Centres));
/// assert!(!relation_holds(&[dog, cat, cat], 0, Relation::Right, 1, RelationRule::Centres));
/// ```
#[must_use]
pub fn relation_holds(
    detections: &[DetectedObject],
    subject: u32,
    relation: Relation,
    object: u32,
    rule: RelationRule,
) -> bool {
    let find = |class: u32| -> Vec<&DetectedObject> {
        detections.iter().filter(|found| found.class == class).collect()
    };
    let (subjects, objects) = (find(subject), find(object));
    let is_horizontal = matches!(relation, Relation::Left | Relation::Right);
    let offset = |one: &DetectedObject, other: &DetectedObject| {
        let [one, other] = [one, other].map(|found| match rule {
            RelationRule::Centres => found.centre(),
            RelationRule::Helm => found.corner(),
        });
        [one[0] - other[0], one[1] - other[1]]
    };
    match (&subjects[..], &objects[..]) {
        (&[one, other], _) if subject == object && rule == RelationRule::Centres => {
            let [across, down] = offset(one, other);
            (across.abs() > down.abs()) == is_horizontal
        }
        (&[one], &[other]) => {
            let [across, down] = offset(one, other);
            if subject == object {
                // The published code asks for one object of the class, which it compares with itself.
                return !is_horizontal;
            }
            let found = match (across.abs() > down.abs(), across > 0.0, down < 0.0) {
                (true, true, _) => Relation::Right,
                (true, false, _) => Relation::Left,
                (false, _, true) => Relation::Above,
                (false, _, false) => Relation::Below,
            };
            found == relation
        }
        _ => false,
    }
}
