//! Rows of models, each with its estimate, the values of raters and what else is known of it, in lanes side by side.

use super::{Beside, BesideText, Dot, FigurePanel, Mark, PanelAxis, Tone, Width};

/// A chart with a row for each model.
///
/// The table has the columns `panel` (the key of the lane), `row` (the name of the row), `x`, `low`, `high` and `text`. Its parts
/// are `estimate` (a mark with its interval), `rater` and `rater at a bound` (a dot each), `5 % to 95 %` and `25 % to 75 %` (of
/// raters, where there are too many for dots), `with excluded` (a tick), and `reference` (a line across the lane, with its text).
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// The heading above the names.
    pub heading: String,
    /// The rows, from above to below.
    pub rows: Vec<RowName>,
    /// The place before which a gap says how many rows are not drawn, and that number.
    pub gap: Option<(usize, usize)>,
    /// The lanes, from left to right.
    pub lanes: Vec<Lane>,
}

/// The head of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowName {
    /// The model's name in the table.
    pub name: String,
    /// Its label.
    pub label: String,
    /// The estimate as text; empty if lanes have it.
    pub text: String,
    /// The letters of the groups of models that are not told apart; empty if lanes have them.
    pub letters: String,
    /// The colour and shape.
    pub tone: Tone,
}

/// A lane: a panel that all rows cross.
#[derive(Debug, Clone, PartialEq)]
pub struct Lane {
    /// The key in the column `panel`.
    pub key: String,
    /// The title above it.
    pub title: String,
    /// The axis of numbers.
    pub axis: PanelAxis,
    /// Whether its numbers are log-odds of winning against an average model, above which the chances stand.
    pub chances: bool,
    /// Lanes of the same number have the same units for each pixel.
    pub units: usize,
    /// Whether lanes of these units have the same ends, too.
    pub same_ends: bool,
    /// Whether it is the main one among several.
    pub is_main: bool,
    /// Where numbers are written.
    pub text: LaneText,
}

/// Where the column `text` of estimates is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneText {
    /// Nowhere.
    None,
    /// Above the mark.
    Above,
    /// At the head of the row's cell.
    Cell,
}

impl Rows {
    /// A lane as a panel of categories, for the terminal.
    pub(crate) fn panel_of(&self, lane: &Lane) -> FigurePanel {
        let names = self.rows.iter().map(|row| row.name.clone()).collect();
        let dots = |part, look| Mark::dots(part, ["x", "row"], look, Tone::Ink);
        let beside =
            Beside { heading: String::new(), part: "estimate", at: "row", text: BesideText::Column("text") };
        FigurePanel {
            beside: vec![beside],
            ..FigurePanel::new(
                lane.axis.clone(),
                PanelAxis::Categories { names, gap: self.gap },
                vec![
                    Mark::upright("reference", "x", Tone::Faint),
                    dots("rater", Dot::Small),
                    dots("rater at a bound", Dot::Small),
                    Mark::interval("estimate", "row", ["low", "high"], Width::Bold, Tone::Ink),
                    dots("estimate", Dot::Large),
                ],
            )
        }
    }
}
