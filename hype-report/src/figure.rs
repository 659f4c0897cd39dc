//! Figures: a table, a chart of it, and the words that go with it.

use crate::data::{Data, DataRow};
use crate::numbers::fixed;
use crate::pictures::Pictures;

mod rows;

pub use self::rows::{Lane, LaneText, RowName, Rows};

/// A figure of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its key, such as `f1`, which names its files.
    pub id: String,
    /// Its title.
    pub title: String,
    /// How to read it.
    pub reading: Explanation,
    /// A description in a sentence with its main numbers, for readers who do not see it.
    pub description: String,
    /// The data of the chart and of its CSV file. No number reaches the chart in another way.
    pub data: Data,
    /// How the table is drawn.
    pub chart: Chart,
}

impl Figure {
    /// Writes the names of models otherwise, where `label` has another one. Rows have labels in addition to their names.
    pub(crate) fn relabel(&mut self, label: &impl Fn(&str) -> Option<String>) {
        let Chart::Panels { panels, .. } = &mut self.chart else { return };
        self.data.relabel(label);
        let rename = |text: &mut String| {
            if let Some(own) = label(text) {
                *text = own;
            }
        };
        for panel in panels {
            rename(&mut panel.title);
            panel.only.iter_mut().for_each(|(_, text)| rename(text));
            panel.tones.iter_mut().chain(&mut panel.legend).for_each(|(text, _)| rename(text));
            for axis in [&mut panel.x, &mut panel.y] {
                if let PanelAxis::Categories { names, .. } = axis {
                    names.iter_mut().for_each(rename);
                }
            }
        }
    }
}

/// The explanation of a figure for its readers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The question that it answers.
    pub question: String,
    /// The meaning of its marks.
    pub how: String,
    /// The limits of what it shows.
    pub not: String,
}

/// How a table is drawn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Chart {
    /// Panels with axes and marks, in rows of as many as `across`.
    Panels {
        /// The panels.
        panels: Vec<FigurePanel>,
        /// Panels side by side.
        across: usize,
    },
    /// Pictures in groups, with a line of text beneath each.
    Gallery {
        /// The groups, from above to below.
        groups: Vec<PictureGroup>,
        /// The pictures by their names.
        pictures: Pictures,
    },
    /// Rows of models, with lanes side by side.
    Rows(Rows),
    /// Boxes from above to below: each row of the part `step` is a box, each row of `branch` leaves after the step with the
    /// same `of`. Texts are those of the column `text`, counts those of `count`.
    Flow,
}

/// A group of pictures: one for each row of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureGroup {
    /// Its title.
    pub title: String,
    /// The part.
    pub part: &'static str,
    /// The column that names the picture.
    pub picture: &'static str,
    /// The column of the text beneath it.
    pub text: &'static str,
}

/// A part of a chart with axes of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct FigurePanel {
    /// Its title; empty for none.
    pub title: String,
    /// Draws only rows whose cell in this column is this text.
    pub only: Option<(&'static str, String)>,
    /// The horizontal axis.
    pub x: PanelAxis,
    /// A second scale beneath a horizontal axis of numbers.
    pub second: Option<SecondScale>,
    /// The vertical axis.
    pub y: PanelAxis,
    /// Marks in the order in which they are drawn, the first beneath the others.
    pub marks: Vec<Mark>,
    /// Columns of text to the right of categories.
    pub beside: Vec<Beside>,
    /// The meaning of colours: texts with their colours.
    pub legend: Vec<(String, Tone)>,
    /// The colours of models, for marks in [`Tone::ByModel`].
    pub tones: Vec<(String, Tone)>,
    /// Whether it is as high as it is wide.
    pub is_square: bool,
}

impl FigurePanel {
    /// A panel without title, legend and texts next to it.
    #[must_use]
    pub const fn new(x: PanelAxis, y: PanelAxis, marks: Vec<Mark>) -> Self {
        Self {
            title: String::new(),
            only: None,
            x,
            second: None,
            y,
            marks,
            beside: Vec::new(),
            legend: Vec::new(),
            tones: Vec::new(),
            is_square: false,
        }
    }

    /// Draws only rows whose cell in a column is this text, which is the title too.
    #[must_use]
    pub fn only(self, column: &'static str, text: &str) -> Self {
        Self { title: text.to_owned(), only: Some((column, text.to_owned())), ..self }
    }

    /// Whether it draws a row.
    pub(crate) fn draws(&self, row: &DataRow<'_>) -> bool {
        self.only.as_ref().is_none_or(|(column, text)| row.text(column) == text)
    }

    /// The tone of a row's model.
    pub(crate) fn tone_of(&self, row: &DataRow<'_>, tone: Tone) -> Tone {
        if tone != Tone::ByModel {
            return tone;
        }
        let model = row.text("model");
        self.tones.iter().find(|(name, _)| name == model).map_or(Tone::Ink, |(_, tone)| *tone)
    }

    /// The chart of this panel alone.
    #[must_use]
    pub fn alone(self) -> Chart {
        Chart::Panels { panels: vec![self], across: 1 }
    }
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum PanelAxis {
    /// Categories, evenly spaced.
    Categories {
        /// The categories in their order, from above or from the left.
        names: Vec<String>,
        /// The place before which a gap says how many categories are not drawn, and that number.
        gap: Option<(usize, usize)>,
    },
    /// Numbers.
    Numbers {
        /// The name of the values, with the unit.
        label: String,
        /// Whether equal ratios are equally far apart.
        log: bool,
        /// Whether only whole numbers are written.
        whole: bool,
        /// The factor by which numbers are multiplied when they are written: 100 for percent.
        factor: f64,
        /// Numbers that the axis has to include.
        include: Vec<f64>,
    },
}

impl PanelAxis {
    /// An axis of numbers with equal steps.
    #[must_use]
    pub fn numbers(label: impl Into<String>) -> Self {
        Self::Numbers { label: label.into(), log: false, whole: false, factor: 1.0, include: Vec::new() }
    }

    /// An axis of counts or places, on which only whole numbers are written.
    #[must_use]
    pub fn whole(label: impl Into<String>) -> Self {
        Self::Numbers { label: label.into(), log: false, whole: true, factor: 1.0, include: Vec::new() }
    }

    /// An axis of all these categories.
    #[must_use]
    pub const fn categories(names: Vec<String>) -> Self {
        Self::Categories { names, gap: None }
    }

    /// Includes these numbers.
    #[must_use]
    pub fn including(mut self, numbers: &[f64]) -> Self {
        if let Self::Numbers { include, .. } = &mut self {
            include.extend_from_slice(numbers);
        }
        self
    }

    /// Writes numbers multiplied by this.
    #[must_use]
    pub fn times(mut self, by: f64) -> Self {
        if let Self::Numbers { factor, .. } = &mut self {
            *factor = by;
        }
        self
    }

    /// Makes equal ratios equally far apart. Numbers up to zero are not drawn.
    #[must_use]
    pub fn logarithmic(mut self) -> Self {
        if let Self::Numbers { log, .. } = &mut self {
            *log = true;
        }
        self
    }
}

/// The same places in other numbers, such as what so many raters cost.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondScale {
    /// The name of the numbers, with the unit.
    pub label: String,
    /// Which number of the axis is its zero.
    pub zero: f64,
    /// Its units in one unit of the axis; above 0.
    pub units: f64,
}

/// A kind of mark, with the part of the table that it draws and the columns that place it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Mark {
    /// A dot for each row.
    Dots {
        /// The part.
        part: &'static str,
        /// The column of the horizontal place.
        x: &'static str,
        /// The column of the vertical place.
        y: &'static str,
        /// How a dot looks.
        look: Dot,
        /// The colour.
        tone: Tone,
    },
    /// A bar from one number to another for each row, along the horizontal axis if the vertical one has categories,
    /// otherwise along the vertical one.
    Interval {
        /// The part.
        part: &'static str,
        /// The column of the place on the other axis.
        at: &'static str,
        /// The column of the lower end.
        low: &'static str,
        /// The column of the upper end.
        high: &'static str,
        /// How thick it is.
        width: Width,
        /// The colour.
        tone: Tone,
    },
    /// A line through the rows in their order, one for each text of the column `by`.
    Line {
        /// The part.
        part: &'static str,
        /// The column of the horizontal place; without one, a horizontal line across the panel for each row.
        x: Option<&'static str>,
        /// The column of the vertical place; without one, a vertical line across the panel for each row.
        y: Option<&'static str>,
        /// The column whose texts separate lines; empty for a single line.
        by: &'static str,
        /// Whether it is dashed.
        dashed: bool,
        /// The colour.
        tone: Tone,
    },
    /// The area between two numbers, along the horizontal axis; between categories, a cell for each row.
    Band {
        /// The part.
        part: &'static str,
        /// The column of the horizontal place.
        x: &'static str,
        /// Its vertical bounds.
        extent: Extent,
        /// The colour.
        tone: Tone,
    },
    /// A text for each row.
    Label {
        /// The part.
        part: &'static str,
        /// The column of the horizontal place.
        x: &'static str,
        /// The column of the vertical place.
        y: &'static str,
        /// The column of the text.
        text: &'static str,
        /// The colour.
        tone: Tone,
    },
}

impl Mark {
    /// Dots at two columns.
    pub(crate) fn dots(part: &'static str, [x, y]: [&'static str; 2], look: Dot, tone: Tone) -> Self {
        Self::Dots { part, x, y, look, tone }
    }

    /// Bars between two columns.
    pub(crate) fn interval(
        part: &'static str,
        at: &'static str,
        [low, high]: [&'static str; 2],
        width: Width,
        tone: Tone,
    ) -> Self {
        Self::Interval { part, at, low, high, width, tone }
    }

    /// A line through the places of two columns.
    pub(crate) fn line(part: &'static str, [x, y]: [&'static str; 2], tone: Tone) -> Self {
        Self::Line { part, x: Some(x), y: Some(y), by: "", dashed: false, tone }
    }

    /// Horizontal lines across the panel.
    pub(crate) fn level(part: &'static str, y: &'static str, tone: Tone) -> Self {
        Self::Line { part, x: None, y: Some(y), by: "", dashed: false, tone }
    }

    /// Vertical lines across the panel.
    pub(crate) fn upright(part: &'static str, x: &'static str, tone: Tone) -> Self {
        Self::Line { part, x: Some(x), y: None, by: "", dashed: false, tone }
    }

    /// Areas along a column.
    pub(crate) fn band(part: &'static str, x: &'static str, extent: Extent, tone: Tone) -> Self {
        Self::Band { part, x, extent, tone }
    }

    /// Texts at two columns.
    pub(crate) fn label(
        part: &'static str,
        [x, y]: [&'static str; 2],
        text: &'static str,
        tone: Tone,
    ) -> Self {
        Self::Label { part, x, y, text, tone }
    }

    /// One line for each text of a column.
    pub(crate) fn by(mut self, column: &'static str) -> Self {
        if let Self::Line { by, .. } = &mut self {
            *by = column;
        }
        self
    }

    /// Dashed, if it is a line.
    pub(crate) fn dashed(mut self) -> Self {
        if let Self::Line { dashed, .. } = &mut self {
            *dashed = true;
        }
        self
    }
}

/// The bounds of a band.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The columns of its lower and upper end.
    Between(&'static str, &'static str),
    /// A cell at the category of the first column, whose opacity is the number of the second one, from 0 to 1.
    Cell(&'static str, &'static str),
}

/// How a dot looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Dot {
    /// A large one.
    Large,
    /// A small, translucent one, moved aside where it would cover another of its category.
    Swarm,
    /// A small one.
    Small,
    /// A small cross.
    Cross,
    /// One whose area is in proportion to the number of a column, and whose colour is faint where that is below the second
    /// number.
    Sized(&'static str, f64),
}

/// How thick an interval is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// A thin line.
    Thin,
    /// A line, for the main interval.
    Bold,
    /// A bar that fills most of its category.
    Bar,
}

/// The colour of a mark, which follows light and dark surroundings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// That of text.
    Ink,
    /// A fainter one.
    Faint,
    /// That of the main result.
    Accent,
    /// A warning.
    Alert,
    /// That of a model, by the place of its set in the spec from 0; six differ, further ones are of the colour of text.
    Series(usize),
    /// That which the panel has for the model in the column `model` of a row.
    ByModel,
    /// A colour as red, green and blue, with the shape of the model at this place.
    Own(u32, usize),
    /// That of real images.
    Real,
    /// One of so many steps from one end to the other, such as the answers of a question.
    Step(usize, usize),
    /// Above an even share.
    Above,
    /// Below an even share.
    Below,
    /// The ground of what stands out.
    Ground,
    /// That of the page, for texts on the outermost steps.
    Paper,
}

impl Tone {
    /// That of texts on it: the outermost steps are dark on a light page, and light on a dark one.
    pub(crate) const fn of_text(self) -> Self {
        match self {
            Self::Step(number, of) if number == 0 || number + 1 == of => Self::Paper,
            _ => Self::Ink,
        }
    }

    /// The first of the letters that stand for tones of models in sentences. Unicode leaves them to programs.
    const FIRST: u32 = 0xe000;

    /// The letter that stands for a model's tone in a sentence.
    pub(crate) fn marker(self) -> String {
        let number = match self {
            Self::Series(number) | Self::Own(_, number) => {
                u32::try_from(number).unwrap_or(u32::MAX).min(0xff)
            }
            Self::Real => 0x100,
            _ => 0x101,
        };
        char::from_u32(Self::FIRST + number).map(String::from).unwrap_or_default()
    }

    /// The tone for which a letter of a sentence stands.
    pub(crate) fn of_marker(letter: char) -> Option<Self> {
        match u32::from(letter).checked_sub(Self::FIRST)? {
            number @ 0..=0xff => Some(Self::Series(number as usize)),
            0x100 => Some(Self::Real),
            0x101 => Some(Self::Ink),
            _ => None,
        }
    }
}

/// A column of text to the right of categories, from the rows of a part.
#[derive(Debug, Clone, PartialEq)]
pub struct Beside {
    /// Its heading.
    pub heading: String,
    /// The part.
    pub part: &'static str,
    /// The column that names the category.
    pub at: &'static str,
    /// The text.
    pub text: BesideText,
}

/// The text of a column in a row.
#[derive(Debug, Clone, PartialEq)]
pub enum BesideText {
    /// The text or the whole number of a column.
    Column(&'static str),
    /// A number, and its interval in brackets, multiplied by `factor` and with so many `decimals`.
    Estimate {
        /// The columns of the number, the lower end and the upper end.
        columns: [&'static str; 3],
        /// The factor.
        factor: f64,
        /// The number of digits after the point.
        decimals: usize,
    },
}

impl BesideText {
    /// The text of a row.
    pub(crate) fn of(&self, row: &DataRow<'_>) -> String {
        match self {
            Self::Column(column) => row.cell(column).exact(),
            Self::Estimate { columns: [value, low, high], factor, decimals } => {
                let number = |column: &str| row.number(column).map(|one| fixed(one * factor, *decimals));
                match (number(value), number(low), number(high)) {
                    (Some(value), Some(low), Some(high)) => format!("{value} [{low}, {high}]"),
                    (Some(value), ..) => value,
                    _ => "no data".to_owned(),
                }
            }
        }
    }
}
