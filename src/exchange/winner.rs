//! The winner of a comparison, as other programs write it.

use hype_core::words::listed;
use hype_tables::number_of;

/// The column that says which of two models won, and the meaning of its cells.
///
/// Without labels, a cell is `a` or `model_a`, `b` or `model_b`, `tie`, `same` or `draw`, or the name of one of the two
/// models. Labels replace those of their side, and names are no longer allowed once a model has labels. Labels that are numbers
/// equal the same numbers, however these are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Winner {
    /// The column.
    pub column: String,
    /// The labels for the first model, which is in the column `model`.
    pub first: Vec<String>,
    /// The labels for the second model, which is in the column `against`.
    pub second: Vec<String>,
    /// The labels for a tie.
    pub tie: Vec<String>,
}

const FIRST: [&str; 2] = ["a", "model_a"];
const SECOND: [&str; 2] = ["b", "model_b"];
const TIE: [&str; 3] = ["tie", "same", "draw"];

impl Winner {
    /// Creates a column with the usual labels.
    #[must_use]
    pub fn new(column: &str) -> Self {
        Self { column: column.to_owned(), ..Self::default() }
    }

    /// The preference for the first model: 1, 0.5 for a tie, or 0.
    ///
    /// # Errors
    /// If the cell is not one of these or is ambiguous. The error says what is wrong and how to mend it.
    pub fn preference(&self, cell: &str, model: &str, against: &str) -> Result<f64, (String, String)> {
        let sides = [(&self.first, &FIRST[..]), (&self.second, &SECOND[..]), (&self.tie, &TIE[..])];
        let labelled = only(sides.map(|(own, usual)| match own.is_empty() {
            true => usual.iter().any(|label| label.eq_ignore_ascii_case(cell)),
            false => own.iter().any(|label| is_same(label, cell)),
        }));
        if !(self.first.is_empty() && self.second.is_empty()) {
            return labelled.ok_or_else(|| {
                let of_side = |(option, (own, usual)): (&str, (&Vec<String>, &[&str]))| {
                    let labels = if own.is_empty() { listed(usual.iter()) } else { listed(own.iter()) };
                    format!("{option} {labels}")
                };
                let known = ["--first", "--second", "--tie"].into_iter().zip(sides).map(of_side);
                let known: Vec<String> = known.collect();
                (format!("the winner is {cell:?}"), format!("the labels are {}", known.join("; ")))
            });
        }
        match (only([cell == model, cell == against, false]), labelled) {
            (Some(named), Some(labelled)) if (named - labelled).abs() > 0.25 => Err((
                format!("the winner {cell:?} is both a model's name and the label of something else"),
                "specify the labels with --first, --second and --tie".into(),
            )),
            (Some(value), _) | (None, Some(value)) => Ok(value),
            (None, None) => Err((
                format!("the winner is {cell:?}"),
                format!("write a, b or tie, or one of the models {model} and {against}"),
            )),
        }
    }
}

/// Whether a cell is a label, or the same number.
fn is_same(label: &str, cell: &str) -> bool {
    let number = |text: &str| number_of(text.trim());
    label == cell
        || number(label).zip(number(cell)).is_some_and(|(label, cell)| label.total_cmp(&cell).is_eq())
}

fn only(holds: [bool; 3]) -> Option<f64> {
    match holds {
        [true, false, false] => Some(1.0),
        [false, true, false] => Some(0.0),
        [false, false, true] => Some(0.5),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn winners_are_labels_or_names_and_never_both() {
        let usual = Winner::new("winner");
        let own = Winner { first: vec!["gen".into()], second: vec!["ret".into()], ..Winner::new("winner") };
        let ties = Winner { tie: vec!["both".into()], ..Winner::new("winner") };
        let codes = Winner {
            first: vec!["1".into()],
            second: vec!["0".into()],
            tie: vec!["0.5".into()],
            ..Winner::new("winner")
        };
        let cases = [
            (&usual, "a", "gan", "vae", Some(1.0)),
            (&usual, "model_b", "gan", "vae", Some(0.0)),
            (&usual, "Tie", "gan", "vae", Some(0.5)),
            (&usual, "vae", "gan", "vae", Some(0.0)),
            (&usual, "gan", "gan", "vae", Some(1.0)),
            (&usual, "wgan", "gan", "vae", None),
            // Labels and names agree first, then contradict each other.
            (&usual, "a", "a", "b", Some(1.0)),
            (&usual, "a", "b", "a", None),
            (&own, "gen", "x", "y", Some(1.0)),
            (&own, "ret", "x", "y", Some(0.0)),
            (&own, "a", "x", "y", None),
            (&own, "x", "x", "y", None),
            (&own, "Tie", "x", "y", Some(0.5)),
            (&ties, "b", "x", "y", Some(0.0)),
            (&ties, "x", "x", "y", Some(1.0)),
            (&ties, "tie", "x", "y", None),
            (&codes, "1.0", "x", "y", Some(1.0)),
            (&codes, "0.0", "x", "y", Some(0.0)),
            (&codes, "0.50", "x", "y", Some(0.5)),
            (&codes, "0.51", "x", "y", None),
        ];
        for (winner, cell, model, against, want) in cases {
            let got = winner.preference(cell, model, against).ok();
            assert_eq!(
                got.map(|value| (value * 2.0) as u8),
                want.map(|value: f64| (value * 2.0) as u8),
                "{cell}"
            );
        }
    }
}
