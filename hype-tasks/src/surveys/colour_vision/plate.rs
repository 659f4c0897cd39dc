//! Plates: a digit of dots on a ground of dots.

use std::sync::Arc;

use hype_core::Stream;
use hype_core::model::trial::PlateDot;

/// How a digit differs from its ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colours {
    /// In lightness.
    Lightness,
    /// In the response of the M cones alone, which deuteranopes lack.
    OfM,
    /// In the response of the L cones alone, which protanopes lack.
    OfL,
}

/// Dots of one colour at five lightnesses: the colour's linear sRGB times 0.72, 0.86, 1, 1.14 and 1.28.
type Shades = [[u8; 3]; 5];

impl Colours {
    /// The shades of the ground and of the digit, in sRGB.
    ///
    /// # Numerics
    /// They are written as bytes, since the power function of sRGB differs between platforms in its last bits. A test computes
    /// the responses of the cones from them.
    const fn shades(self) -> [Shades; 2] {
        match self {
            Self::Lightness => [
                [[128, 128, 132], [139, 139, 143], [149, 149, 153], [158, 158, 163], [167, 167, 171]],
                [[68, 76, 128], [74, 83, 139], [80, 89, 149], [85, 95, 158], [90, 100, 167]],
            ],
            Self::OfM => [
                [[106, 139, 95], [115, 151, 104], [124, 162, 111], [131, 172, 118], [138, 181, 125]],
                [[167, 111, 98], [181, 120, 107], [194, 129, 115], [206, 137, 122], [217, 145, 129]],
            ],
            Self::OfL => [
                [[98, 128, 95], [107, 139, 104], [115, 149, 111], [122, 158, 118], [128, 167, 125]],
                [[163, 119, 95], [177, 129, 103], [189, 139, 111], [201, 147, 118], [211, 155, 124]],
            ],
        }
    }
}

/// Half of the plate's side.
const CENTRE: i32 = 5_000;

/// The radius within which dots lie.
const RADIUS: i32 = 4_700;

/// The distance between the centres of dots in a row, and between rows: that of a hexagonal grid, 300 · √3 / 2.
const COLUMN: i32 = 300;
const ROW: i32 = 260;

/// The least radius of a dot, how much larger it can be, and how far it can lie from its place in the grid. Neighbours cannot
/// overlap: 2 · (MOST + SHIFT · √2) is at most 300.
const LEAST: u32 = 75;
const MOST: u32 = 122;
const SHIFT: u32 = 18;

/// The columns and rows of a digit, and the side of one of its cells.
const COLUMNS: i32 = 5;
const ROWS: i32 = 7;
const CELL: i32 = 900;

/// The rows of each digit from 2 to 9, with the leftmost column in the highest of five bits.
const SHAPES: [(&str, [u8; 7]); 8] = [
    ("2", [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111]),
    ("3", [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110]),
    ("4", [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010]),
    ("5", [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110]),
    ("6", [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110]),
    ("7", [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000]),
    ("8", [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110]),
    ("9", [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100]),
];

/// The dots of a plate that shows a digit.
pub(super) fn draw(digit: &str, colours: Colours, chance: &mut Stream) -> Arc<[PlateDot]> {
    let [ground, figure] = colours.shades();
    let shape = SHAPES.iter().find(|(known, _)| *known == digit).map_or([0; 7], |(_, rows)| *rows);
    let mut dots = Vec::new();
    for row in -(RADIUS / ROW)..=RADIUS / ROW {
        let shifted = if row.rem_euclid(2) == 1 { COLUMN / 2 } else { 0 };
        for column in -(RADIUS / COLUMN) - 1..=RADIUS / COLUMN {
            let shift = |chance: &mut Stream| chance.below(2 * SHIFT + 1) as i32 - SHIFT as i32;
            let (x, y) = (column * COLUMN + shifted + shift(chance), row * ROW + shift(chance));
            let radius = LEAST + chance.below(MOST - LEAST + 1);
            let shade = chance.below(5) as usize;
            if x * x + y * y > (RADIUS - MOST as i32) * (RADIUS - MOST as i32) {
                continue;
            }
            let colour = if is_inked(&shape, x, y) { figure[shade] } else { ground[shade] };
            dots.push(PlateDot {
                x: (CENTRE + x) as u16,
                y: (CENTRE + y) as u16,
                radius: radius as u16,
                colour,
            });
        }
    }
    // The order in which dots are sent tells no more than what they show.
    chance.shuffle(&mut dots);
    dots.into()
}

/// Whether a point, relative to the centre, lies on the digit.
fn is_inked(shape: &[u8; 7], x: i32, y: i32) -> bool {
    let column = (x + COLUMNS * CELL / 2).div_euclid(CELL);
    let row = (y + ROWS * CELL / 2).div_euclid(CELL);
    (0..COLUMNS).contains(&column)
        && (0..ROWS).contains(&row)
        && shape[row as usize] >> (COLUMNS - 1 - column) & 1 == 1
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests compare within tolerances, on any platform")]
mod tests {
    use hype_core::Streams;

    use super::*;

    /// The responses of the L, M and S cones to linear sRGB: Viénot, Brettel and Mollon 1999, equation 4.
    const CONES: [[f64; 3]; 3] =
        [[17.8824, 43.5161, 4.11935], [3.45565, 27.1554, 3.86714], [0.0299566, 0.184309, 1.46709]];

    fn responses(colour: [u8; 3]) -> [f64; 3] {
        let linear = colour.map(|byte| {
            let value = f64::from(byte) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        });
        CONES.map(|cone| cone.iter().zip(linear).map(|(weight, value)| weight * value).sum())
    }

    /// The middle shades of ground and digit.
    fn middle(colours: Colours) -> [[f64; 3]; 2] {
        colours.shades().map(|shades| responses(shades[2]))
    }

    #[test]
    fn a_digit_differs_from_its_ground_for_one_kind_of_cones() {
        let relative = |[ground, digit]: [[f64; 3]; 2], cone: usize| digit[cone] / ground[cone] - 1.0;
        for (colours, differing) in [(Colours::OfM, 1), (Colours::OfL, 0)] {
            let found = middle(colours);
            for cone in 0..3 {
                let difference = relative(found, cone).abs();
                if cone == differing {
                    assert!(difference > 0.2, "{colours:?} cone {cone}: {difference}");
                } else {
                    // Bytes are rounded to 1 in 255, and S cones respond to the smallest numbers.
                    assert!(difference < 0.02, "{colours:?} cone {cone}: {difference}");
                }
            }
        }
        assert!((0..2).all(|cone| relative(middle(Colours::Lightness), cone) < -0.5));
    }

    #[test]
    fn lightness_differs_less_between_digit_and_ground_than_among_dots() {
        let luminance = |[r, g, b]: [u8; 3]| {
            let linear = [r, g, b].map(|byte| ((f64::from(byte) / 255.0 + 0.055) / 1.055).powf(2.4));
            0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        };
        for colours in [Colours::OfM, Colours::OfL] {
            let [ground, digit] = colours.shades().map(|shades| shades.map(luminance));
            let within = ground[4] / ground[0];
            let between = (digit[2] / ground[2]).max(ground[2] / digit[2]);
            assert!(between < 1.2 && within > 1.7, "{colours:?}: {between} and {within}");
        }
    }

    #[test]
    fn dots_lie_apart_within_the_plate_and_show_each_digit() {
        for (number, (digit, shape)) in SHAPES.iter().enumerate() {
            let mut chance = Streams::new(number as u64).stream("dots");
            let dots = draw(digit, Colours::OfM, &mut chance);
            assert!((700..900).contains(&dots.len()), "{}", dots.len());
            for (place, dot) in dots.iter().enumerate() {
                let from_centre = (f64::from(dot.x) - 5e3).hypot(f64::from(dot.y) - 5e3);
                assert!(from_centre + f64::from(dot.radius) <= f64::from(RADIUS));
                for other in &dots[..place] {
                    let apart =
                        (f64::from(dot.x) - f64::from(other.x)).hypot(f64::from(dot.y) - f64::from(other.y));
                    assert!(apart >= f64::from(dot.radius + other.radius), "{dot:?} {other:?}");
                }
            }
            let figure = Colours::OfM.shades()[1];
            let inked = dots.iter().filter(|dot| figure.contains(&dot.colour)).count();
            let cells: u32 = shape.iter().map(|row| row.count_ones()).sum();
            // A cell holds CELL² / (COLUMN · ROW) dots.
            let expected = f64::from(cells) * f64::from(CELL * CELL) / f64::from(COLUMN * ROW);
            assert!((inked as f64 / expected - 1.0).abs() < 0.1, "{digit}: {inked} of {expected}");
        }
    }
}
