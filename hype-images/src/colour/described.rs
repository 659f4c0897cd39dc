//! Colours described by numbers: PNG's `gAMA` and `cHRM`, and the code points of `cICP`.

use moxcms::{Chromaticity, ColorPrimaries, ColorProfile, Matrix3d, ToneReprCurve};

use super::icc::matrix_and_curves;
use super::{Conversion, Unusable};

/// The exponent that programs write for sRGB, and its tolerance: one part in a hundred.
const SRGB_EXPONENT: f64 = 0.45455;
const NEAR: f64 = 0.0045;

/// Exponents outside this range are mistakes.
const EXPONENTS: std::ops::RangeInclusive<f64> = 0.1..=10.0;

/// sRGB's curve (IEC 61966-2-1) as ICC's function type 3.
const SRGB_CURVE: [f32; 5] = [2.4, 1.0 / 1.055, 0.055 / 1.055, 1.0 / 12.92, 0.040_45];

/// The inverse of the camera's curve of ITU-R BT.709 with the constants of BT.2020, table 4.
const BT709_CURVE: [f32; 5] =
    [1.0 / 0.45, 1.0 / 1.099_296_8, 0.099_296_8 / 1.099_296_8, 1.0 / 4.5, 4.5 * 0.018_053_968];

/// White points of daylight at 6500 K and of CIE's illuminant C.
const D65: (f64, f64) = (0.3127, 0.329);
const C: (f64, f64) = (0.31, 0.316);

/// White, red, green and blue of sRGB.
const SRGB: [(f64, f64); 4] = [D65, (0.64, 0.33), (0.3, 0.6), (0.15, 0.06)];

/// The conversion of levels that are linear light raised to `exponent`, for a white point and
/// primaries.
///
/// Missing values are those of sRGB. An exponent of 1/2.2 means sRGB's own curve, as the PNG
/// specification asks programs to write it for sRGB.
pub(super) fn gamma(
    exponent: Option<f64>,
    chromaticities: Option<[(f64, f64); 4]>,
    levels: usize,
) -> Result<Conversion, Unusable> {
    let curve = match exponent {
        Some(exponent) if !EXPONENTS.contains(&exponent) => {
            return Err(Unusable::because("its gamma is out of range"));
        }
        Some(exponent) if (exponent - SRGB_EXPONENT).abs() > NEAR => {
            ToneReprCurve::Parametric(vec![(1.0 / exponent) as f32])
        }
        _ => ToneReprCurve::Parametric(SRGB_CURVE.to_vec()),
    };
    matrix_and_curves([&curve; 3], to_xyz(chromaticities.unwrap_or(SRGB)), to_xyz(SRGB), levels)
}

/// The primaries and the transfer characteristics of ITU-T H.273 (07/2024), tables 2 and 3.
pub(super) fn code_points(primaries: u8, transfer: u8, levels: usize) -> Result<Conversion, Unusable> {
    let unknown =
        |what: &str, number: u8| Unusable(format!("its {what} {number} of ITU-T H.273 are not supported"));
    let curve: &[f32] = match transfer {
        1 | 6 | 14 | 15 => &BT709_CURVE,
        4 => &[2.2],
        5 => &[2.8],
        8 => &[1.0],
        13 => &SRGB_CURVE,
        _ => return Err(unknown("transfer characteristics", transfer)),
    };
    let curve = ToneReprCurve::Parametric(curve.to_vec());
    let space = match primaries {
        1 => SRGB,
        4 => [C, (0.67, 0.33), (0.21, 0.71), (0.14, 0.08)],
        5 => [D65, (0.64, 0.33), (0.29, 0.6), (0.15, 0.06)],
        6 | 7 => [D65, (0.63, 0.34), (0.31, 0.595), (0.155, 0.07)],
        8 => [C, (0.681, 0.319), (0.243, 0.692), (0.145, 0.049)],
        9 => [D65, (0.708, 0.292), (0.17, 0.797), (0.131, 0.046)],
        11 => [(0.314, 0.351), (0.68, 0.32), (0.265, 0.69), (0.15, 0.06)],
        12 => [D65, (0.68, 0.32), (0.265, 0.69), (0.15, 0.06)],
        _ => return Err(unknown("primaries", primaries)),
    };
    matrix_and_curves([&curve; 3], to_xyz(space), to_xyz(SRGB), levels)
}

/// The matrix from linear light to CIE XYZ, white adapted to D50 by Bradford's method, of the
/// chromaticities of white, red, green and blue.
fn to_xyz(space: [(f64, f64); 4]) -> Matrix3d {
    let [white, red, green, blue] = space.map(|(x, y)| Chromaticity::new(x as f32, y as f32));
    ColorProfile::colorants_matrix(white.to_xyyb(), ColorPrimaries { red, green, blue })
}
