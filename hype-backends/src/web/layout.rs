//! Where the page puts images and questions, so that what raters see can be worked out before there are raters.
//!
//! The page measures its texts; here they are estimated, generously. The page therefore shows images at the stated scale
//! or larger. Its numbers, such as the width of a panel, are [`LAYOUT`], of which the page has a generated copy.

use serde::Serialize;

use self::rows::Rows;

pub(crate) mod closely;
pub(crate) mod preview;
mod rows;

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
    /// The space between images and questions, and between images.
    pub gap: f64,
    /// The width of the window from which questions may stand beside images.
    pub wide: f64,
    /// The least width of questions beside images.
    pub beside_least: f64,
    /// The share of a trial's width that questions beside images have.
    pub beside_share: f64,
    /// The greatest width of questions beside images.
    pub beside_most: f64,
    /// The share of the window's height that questions below images have at most.
    pub below_share: f64,
    /// That share for questions that are scrolled.
    pub low_share: f64,
    /// How many times as large images have to be for questions to leave their preferred place.
    pub preference: f64,
    /// The longest side of an enlarged image.
    pub largest: f64,
    /// The shortest side that an image is reduced to.
    pub smallest: f64,
    /// The width of the questions beside an image that is shown briefly.
    pub panel_width: f64,
    /// The height of the questions below an image that is shown briefly.
    pub panel_height: f64,
    /// The space between images that are shown briefly.
    pub canvas_gap: f64,
    /// The height of the labels below images that are shown briefly.
    pub canvas_label: f64,
}

/// The dimensions of the page.
pub const LAYOUT: PageDimensions = PageDimensions {
    header: 50.0,
    footer: 40.0,
    margin: 20.0,
    gap: 20.0,
    wide: 800.0,
    beside_least: 320.0,
    beside_share: 0.34,
    beside_most: 544.0,
    below_share: 0.46,
    low_share: 0.3,
    preference: 1.25,
    largest: 512.0,
    smallest: 64.0,
    panel_width: 320.0,
    panel_height: 176.0,
    canvas_gap: 24.0,
    canvas_label: 40.0,
};

/// The space above and below a trial.
const MARGIN_BLOCK: f64 = 8.0;
/// The height of a caption with the space to its image, and the border of an image that is a button.
const CAPTION: f64 = 42.0;
/// The height of a line of text in conditions and questions.
const LINE: f64 = 30.0;
/// The height of the switch of an overlay.
const SWITCH: f64 = 48.0;
/// The letters in a line of a condition at most, and the width of one.
const LETTERS: f64 = 48.0;
const LETTER: f64 = 9.5;
/// The share of the window's height that the text of one condition has at most.
const TEXT_SHARE: f64 = 0.3;
/// The space around the text of a condition, with its caption.
const TEXT_AROUND: f64 = 60.0;
/// The height of a question and of its buttons, each with the space to the next.
const QUESTION: f64 = 60.0;
const BUTTONS: f64 = 64.0;
/// The height of feedback and of faults below the buttons.
const REMARKS: f64 = 40.0;
/// How often an interval of scales is halved.
const HALVINGS: u32 = 10;

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

/// How a trial is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Asking {
    /// By pressing one of the images.
    Pick {
        /// Whether there are other options, such as ties.
        others: bool,
    },
    /// By pressing a button.
    Button {
        /// The number of buttons.
        options: usize,
    },
    /// By a form with a button to continue.
    Form,
}

/// What one trial shows at once.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The images under judgment.
    pub judged: Vec<Area>,
    /// Images of conditions.
    pub conditions: Vec<Area>,
    /// The number of letters of each text among the conditions.
    pub texts: Vec<usize>,
    /// Whether a region is drawn over an image of a condition, with a switch to hide it.
    pub overlay: bool,
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
        let spots: &[Spot] = match self.asking {
            Asking::Pick { .. } => &[Spot::Below],
            Asking::Button { .. } => &[Spot::Below, Spot::Beside],
            Asking::Form => &[Spot::Beside, Spot::Below, Spot::Low],
        };
        let wide = f64::from(window.width) >= LAYOUT.wide;
        let spots = spots.iter().copied().filter(|&spot| wide || spot != Spot::Beside);
        let scales: Vec<f64> = spots.map(|spot| self.scale_with(spot, window)).collect();
        // Questions leave their preferred place only for images that are larger by the preference.
        let largest = scales.iter().copied().fold(0.0, f64::max) / LAYOUT.preference;
        let least = if largest >= 1.0 { largest.floor() } else { largest };
        scales.first().copied().unwrap_or(0.0).max(least)
    }

    /// The largest scale with the questions at one place.
    fn scale_with(&self, spot: Spot, window: Area) -> f64 {
        let room = self.room(spot, window);
        let images: Vec<Area> = self.conditions.iter().chain(&self.judged).copied().collect();
        let caption = CAPTION + if self.overlay { SWITCH } else { 0.0 };
        let fits = |scale: f64| Rows { images: &images, scale, caption }.fit(room);
        let longest = images.iter().map(|image| image.width.max(image.height)).max().unwrap_or(1).max(1);
        let shortest = images.iter().map(|image| image.width.min(image.height)).min().unwrap_or(1).max(1);
        let mut whole = (LAYOUT.largest / f64::from(longest)).floor().max(1.0);
        while whole >= 1.0 {
            if fits(whole) {
                return whole;
            }
            whole -= 1.0;
        }
        let (mut low, mut high) = ((LAYOUT.smallest / f64::from(shortest)).min(1.0), 1.0);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if fits(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The room that images have.
    fn room(&self, spot: Spot, window: Area) -> (f64, f64) {
        let height = f64::from(window.height);
        let around = LAYOUT.header + LAYOUT.footer + 2.0 * MARGIN_BLOCK;
        let (width, below) =
            (f64::from(window.width) - 2.0 * LAYOUT.margin, height - around - self.texts(window));
        match (spot, self.asking) {
            (Spot::Beside, _) => {
                let panel = (width * LAYOUT.beside_share).clamp(LAYOUT.beside_least, LAYOUT.beside_most);
                (width - panel - LAYOUT.gap, below)
            }
            (_, Asking::Pick { others }) => {
                (width, below - QUESTION - f64::from(u8::from(others)) * BUTTONS - REMARKS)
            }
            (_, Asking::Button { options }) => {
                let rows = options.div_ceil(BUTTONS_IN_A_ROW);
                let panel = QUESTION + BUTTONS * rows as f64 + REMARKS;
                (width, below - panel.min(height * LAYOUT.below_share))
            }
            (Spot::Below, Asking::Form) => (width, below - height * LAYOUT.below_share - LAYOUT.gap),
            (Spot::Low, Asking::Form) => (width, below - height * LAYOUT.low_share - LAYOUT.gap),
        }
    }

    /// The height of the texts among the conditions.
    fn texts(&self, window: Area) -> f64 {
        let in_a_line = ((f64::from(window.width) - 4.0 * LAYOUT.margin) / LETTER).clamp(1.0, LETTERS);
        let text = |&letters: &usize| {
            let lines = (letters as f64 / in_a_line).ceil();
            TEXT_AROUND + (lines * LINE).min(f64::from(window.height) * TEXT_SHARE)
        };
        self.texts.iter().map(text).sum()
    }

    /// The smallest window for images that are shown briefly: with the questions beside or below them, whichever needs
    /// the smaller screen of 16 by 9. Conditions always stand beside them.
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
        let has_conditions = !self.texts.is_empty() || !self.conditions.is_empty();
        if has_conditions || screen(beside) <= screen(below) { beside } else { below }
    }
}

/// The number of buttons that fit into a row below images.
const BUTTONS_IN_A_ROW: usize = 4;

fn whole(width: f64, height: f64) -> Area {
    Area::new(width.ceil() as u32, height.ceil() as u32)
}
