//! Where the page puts images and questions: the screens of raters can be computed before there are raters.
//!
//! The page measures its texts; here they are estimated, generously. The page therefore shows images at the stated scale or
//! larger. Its numbers, such as the width of a panel, are [`LAYOUT`]; the page has a generated copy.

use serde::Serialize;

use self::arrangement::Pictures;

mod arrangement;
pub(crate) mod closely;
pub(crate) mod preview;

/// The dimensions of the page, in CSS pixels unless they are shares of the window.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageDimensions {
    /// The height of the header with the progress above trials.
    pub header: f64,
    /// The height of the footer below trials.
    pub footer: f64,
    /// The space at the left and at the right of a trial.
    pub margin: f64,
    /// The space between images and questions.
    pub gap: f64,
    /// The space between images.
    pub space: f64,
    /// The width of the window from which questions may stand next to images.
    pub wide: f64,
    /// The least width of questions next to images.
    pub beside_least: f64,
    /// The share of a trial's width that questions next to images have.
    pub beside_share: f64,
    /// The greatest width of questions next to images.
    pub beside_most: f64,
    /// The share of the window's height that questions below images have at most.
    pub below_share: f64,
    /// That share for questions that are scrolled.
    pub low_share: f64,
    /// How many times as large judged images have to be for a form to leave its preferred place, and for images of
    /// conditions to be made smaller.
    pub preference: f64,
    /// The same for questions that a single press answers, which are never scrolled.
    pub slight: f64,
    /// The share of the scale that images of conditions other than sources have where they are made smaller.
    pub lesser: f64,
    /// The least width of an image with its caption.
    pub figure: f64,
    /// The border and padding at both sides of an image.
    pub frame: f64,
    /// The height of a caption with the space to its image.
    pub caption: f64,
    /// The longest side of an enlarged image.
    pub largest: f64,
    /// The shortest side that an image is reduced to.
    pub smallest: f64,
    /// The width of the questions next to an image that is shown briefly.
    pub panel_width: f64,
    /// The height of the questions below an image that is shown briefly.
    pub panel_height: f64,
    /// The space between images that are shown briefly.
    pub canvas_gap: f64,
    /// The height of the labels below images that are shown briefly.
    pub canvas_label: f64,
    /// The width of the field of texts that are shown briefly.
    pub field_width: f64,
    /// The height of that field.
    pub field_height: f64,
}

/// The dimensions of the page.
pub const LAYOUT: PageDimensions = PageDimensions {
    header: 50.0,
    footer: 40.0,
    margin: 20.0,
    gap: 20.0,
    space: 12.0,
    wide: 800.0,
    beside_least: 320.0,
    beside_share: 0.34,
    beside_most: 544.0,
    below_share: 0.46,
    low_share: 0.3,
    preference: 1.2,
    slight: 1.05,
    lesser: 0.5,
    figure: 80.0,
    frame: 12.0,
    caption: 34.0,
    largest: 512.0,
    smallest: 64.0,
    panel_width: 320.0,
    panel_height: 176.0,
    canvas_gap: 24.0,
    canvas_label: 40.0,
    field_width: 704.0,
    field_height: 560.0,
};

/// The field of texts that are shown briefly.
pub(crate) const FIELD: Area = Area::new(LAYOUT.field_width as u32, LAYOUT.field_height as u32);

/// The space above and below a trial.
const MARGIN_BLOCK: f64 = 8.0;
/// The height of a line of text in conditions and questions, and of one in buttons.
const LINE: f64 = 30.0;
/// The height of the switch of an overlay.
const SWITCH: f64 = 48.0;
/// The letters in a line of a condition or a question at most, and the width of one in the widest of the page's fonts.
const LETTERS: f64 = 48.0;
const LETTER: f64 = 10.5;
/// The share of the window's height that the text of one condition has at most.
const TEXT_SHARE: f64 = 0.3;
/// The space around the text of a condition, with its caption.
const TEXT_AROUND: f64 = 60.0;
/// The space around the label of a button, with its key, and that between buttons.
const BUTTON_WIDTH: f64 = 84.0;
const BUTTON_HEIGHT: f64 = 34.0;
const BUTTON_GAP: f64 = 10.0;
/// The space around a question with its feedback.
const REMARKS: f64 = 40.0;

/// A width and a height: of an image in pixels, or of a window in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Area {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl Area {
    /// An area.
    #[must_use]
    pub const fn new(width: u32, height: u32) -> Self {
        Self { width, height }
    }

    /// The smallest area that covers both.
    fn cover(self, other: Self) -> Self {
        Self::new(self.width.max(other.width), self.height.max(other.height))
    }
}

/// Buttons among which a rater chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Buttons {
    /// How many.
    pub count: usize,
    /// The letters of the longest label.
    pub letters: usize,
}

/// How a trial is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Asking {
    /// By pressing one of the images, or a button such as one for ties.
    Pick(Buttons),
    /// By pressing a button.
    Button(Buttons),
    /// By a form with a button to continue.
    Form,
    /// The same with images to put in order, which need more room than a low form has.
    Ranking,
}

/// The images and texts that one trial shows at once.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The images under judgment.
    pub judged: Vec<Area>,
    /// Sources, which images under judgment are compared with.
    pub sources: Vec<Area>,
    /// Images of other conditions.
    pub others: Vec<Area>,
    /// The number of letters of each text among the conditions.
    pub texts: Vec<usize>,
    /// Whether a region is drawn over an image of a condition, with a switch to hide it.
    pub overlay: bool,
    /// The number of letters of the first question.
    pub question: usize,
    /// How it is answered.
    pub asking: Asking,
    /// Whether images are shown for a limited time.
    pub timed: bool,
}

/// Where questions stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spot {
    Beside,
    Below,
    Low,
}

impl Shape {
    /// The number of CSS pixels for each pixel of an image in a window of a screen whose device pixels are CSS pixels:
    /// a whole number, or less than 1. 0 if images with a limited exposure do not fit, as these are never reduced.
    #[must_use]
    pub fn scale(&self, window: Area) -> f64 {
        if self.timed {
            let needed = self.timed_window();
            return f64::from(u8::from(needed.width <= window.width && needed.height <= window.height));
        }
        let (spots, preference): (&[Spot], f64) = match self.asking {
            Asking::Pick(_) | Asking::Button(_) => (&[Spot::Below, Spot::Beside], LAYOUT.slight),
            Asking::Form | Asking::Ranking => (&[Spot::Beside, Spot::Below, Spot::Low], LAYOUT.preference),
        };
        let wide = f64::from(window.width) >= LAYOUT.wide;
        let without =
            if !wide { Some(Spot::Beside) } else { (self.asking == Asking::Ranking).then_some(Spot::Low) };
        let spots = spots.iter().copied().filter(|&spot| Some(spot) != without);
        let pictures = Pictures {
            judged: &self.judged,
            sources: &self.sources,
            others: &self.others,
            caption: LAYOUT.caption + if self.overlay { SWITCH } else { 0.0 },
        };
        let scales: Vec<f64> = spots.map(|spot| pictures.scale(self.room(spot, window))).collect();
        // Questions leave their preferred place only for images that are larger by the preference.
        let largest = scales.iter().copied().fold(0.0, f64::max) / preference;
        let least = if largest >= 1.0 { largest.floor() } else { largest };
        scales.first().copied().unwrap_or(0.0).max(least)
    }

    /// The room that images have.
    fn room(&self, spot: Spot, window: Area) -> (f64, f64) {
        let height = f64::from(window.height) - LAYOUT.header - LAYOUT.footer - 2.0 * MARGIN_BLOCK;
        let width = f64::from(window.width) - 2.0 * LAYOUT.margin;
        let panel = (width * LAYOUT.beside_share).clamp(LAYOUT.beside_least, LAYOUT.beside_most);
        let beside = (width - panel - LAYOUT.gap).floor();
        let below = height - self.texts(width, window);
        let share = |share: f64| below - f64::from(window.height) * share - LAYOUT.gap;
        match (spot, self.asking) {
            (Spot::Beside, Asking::Form | Asking::Ranking) => (beside, below),
            (Spot::Beside, Asking::Pick(buttons) | Asking::Button(buttons)) => {
                // Texts stand above the question, and nothing there is scrolled.
                let asked = self.texts(panel, window) + self.asked(buttons, panel);
                (beside, if asked > height { 0.0 } else { height })
            }
            (_, Asking::Pick(buttons) | Asking::Button(buttons)) => {
                (width, below - self.asked(buttons, width))
            }
            (Spot::Below, _) => (width, share(LAYOUT.below_share)),
            (Spot::Low, _) => (width, share(LAYOUT.low_share)),
        }
    }

    /// The height of the texts among the conditions.
    fn texts(&self, width: f64, window: Area) -> f64 {
        let most = f64::from(window.height) * TEXT_SHARE;
        let text = |&letters: &usize| TEXT_AROUND + lines(letters, width).min(most);
        self.texts.iter().map(text).sum()
    }

    /// The height of a question with its buttons, which stand in one line or in one column.
    fn asked(&self, buttons: Buttons, width: f64) -> f64 {
        let (count, label) = (buttons.count as f64, buttons.letters as f64 * LETTER);
        let own = width / count.max(1.0) - BUTTON_GAP - BUTTON_WIDTH;
        let height = if buttons.count == 0 {
            0.0
        } else if label <= 1.5 * own {
            BUTTON_HEIGHT + LINE * (label / own).ceil()
        } else {
            let own = width - BUTTON_WIDTH;
            count * (BUTTON_HEIGHT + LINE * (label / own).ceil()) + (count - 1.0) * BUTTON_GAP
        };
        lines(self.question, width) + height + REMARKS
    }

    /// The smallest window for images that are shown briefly: with the questions next to or below them, whichever needs
    /// the smaller screen of 16 by 9. Conditions always stand next to them.
    #[must_use]
    pub fn timed_window(&self) -> Area {
        let across: f64 = self.judged.iter().map(|image| f64::from(image.width)).sum();
        let tall = self.judged.iter().map(|image| image.height).max().unwrap_or(0);
        let several = self.judged.len() > 1;
        let gaps = LAYOUT.canvas_gap * self.judged.len().saturating_sub(1) as f64;
        let labels = if several { LAYOUT.canvas_label } else { 0.0 };
        let (width, height) = (across + gaps, f64::from(tall) + labels + LAYOUT.header);
        let beside = whole((width + LAYOUT.panel_width).max(LAYOUT.wide), height);
        let below = whole(width, height + LAYOUT.footer + LAYOUT.panel_height);
        let screen = |area: Area| (area.width * 9).max(area.height * 16);
        let has_conditions = !(self.texts.is_empty() && self.sources.is_empty() && self.others.is_empty());
        if has_conditions || screen(beside) <= screen(below) { beside } else { below }
    }
}

/// The height of a text in a room of this width.
fn lines(letters: usize, width: f64) -> f64 {
    let in_a_line = (width / LETTER).clamp(1.0, LETTERS);
    LINE * (letters as f64 / in_a_line).ceil()
}

fn whole(width: f64, height: f64) -> Area {
    Area::new(width.ceil() as u32, height.ceil() as u32)
}
