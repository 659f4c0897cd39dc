//! The survey `colour_vision`.

use std::sync::Arc;

use hype_core::model::trial::{Form, Part, PlateDot, Question};
use hype_core::{Answer, ChoiceOption, Streams, Survey, SurveyPage, register_survey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::plate::{Colours, draw};

mod plate;

/// The digits that plates show; 0 and 1 are left out, as they are too easily taken for a ring and a line.
const DIGITS: [&str; 8] = ["2", "3", "4", "5", "6", "7", "8", "9"];

/// The number of plates after the first one: two for each kind of cone, as one alone may be read by luck.
const PLATES: u32 = 4;

/// How many of them may be read wrong, by a slip: who lacks a kind of cone reads its two plates wrong.
const WRONG_AT_MOST: usize = 1;

/// The answer of a rater who sees no digit.
const NOTHING: &str = "nothing";

/// Shows plates of coloured dots in the manner of Ishihara (1917), each with a digit that people with normal colour vision can
/// read. The first plate differs in lightness and can be read by all who look. The digits of the others differ from their
/// ground by what either the M cones or the L cones alone respond to (Viénot, Brettel and Mollon 1999, Digital video colourmaps for
/// checking the legibility of displays by dichromats, Color Research and Application 24, equation 4), and in lightness by less than
/// the dots of each differ among themselves.
///
/// A screen is not an instrument: its primaries, its gamma and the light around it are unknown, and what is computed for the
/// primaries of sRGB holds for other screens in part. Failing says that a rater may not see the differences between red and
/// green that the study is about; it is not a diagnosis.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ColourVision {
    /// Whether raters are screened out who read the first plate wrong, or more than one of the other four (default false).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub screen_out: bool,
}

impl ColourVision {
    /// The digits of all plates, in order; no two in a row are equal.
    fn digits(chance: &Streams) -> Vec<usize> {
        let mut draw = chance.stream("digits");
        let mut digits: Vec<usize> = Vec::new();
        for _ in 0..=PLATES {
            let digit = match digits.last() {
                None => draw.below(DIGITS.len() as u32) as usize,
                Some(&last) => (last + 1 + draw.below(DIGITS.len() as u32 - 1) as usize) % DIGITS.len(),
            };
            digits.push(digit);
        }
        digits
    }
}

fn key(plate: usize) -> String {
    format!("plate_{plate}")
}

impl Survey for ColourVision {
    fn pages(&self, chance: &Streams) -> Vec<SurveyPage> {
        let page = |(number, digit): (usize, usize)| {
            let colours = match number {
                0 => Colours::Lightness,
                odd if odd % 2 == 1 => Colours::OfM,
                _ => Colours::OfL,
            };
            let dots: Arc<[PlateDot]> =
                draw(DIGITS[digit], colours, &mut chance.child("plate", number as u64).stream("dots"));
            let digits = DIGITS.map(|digit| ChoiceOption::new(digit, digit, digit.chars().next()));
            let nothing = ChoiceOption::new(NOTHING, "I see no number", Some('n'));
            let form = Form::Choice { options: digits.into_iter().chain([nothing]).collect() };
            SurveyPage {
                parts: vec![Part::Plate { dots }],
                questions: [Question::new(&key(number), "Which number do you see?", form)].into(),
                right: Some(Answer::one(&key(number), DIGITS[digit])),
            }
        };
        Self::digits(chance).into_iter().enumerate().map(page).collect()
    }

    fn screens_out(&self, chance: &Streams, given: &[Answer]) -> bool {
        if !self.screen_out {
            return false;
        }
        let read = |(number, digit): (usize, usize)| {
            given.get(number).and_then(|answer| answer.text(&key(number))) == Some(DIGITS[digit])
        };
        let right: Vec<bool> = Self::digits(chance).into_iter().enumerate().map(read).collect();
        let wrong = right.iter().skip(1).filter(|right| !**right).count();
        right.first() != Some(&true) || wrong > WRONG_AT_MOST
    }

    fn can_screen_out(&self) -> bool {
        self.screen_out
    }
}

register_survey!(
    ColourVision,
    "colour_vision",
    summary = "Plates of coloured dots that people with red-green deficiencies read otherwise",
    citation = "Viénot, Brettel & Mollon 1999, Color Res. Appl. 24",
    example = "{ kind: colour_vision, screen_out: true }",
);
