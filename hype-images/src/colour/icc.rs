//! ICC profiles: matrices and curves are computed here, tables by `moxcms`.

use moxcms::{
    ColorProfile, DataColorSpace, Layout, Matrix3d, ParsingOptions, ToneReprCurve, TransformOptions,
};

use super::curve::linearise;
use super::shaper::{self, Shaper};
use super::{Conversion, Unusable, fits};
use crate::limits;
use crate::raw::Channels;

/// The conversion of a profile for samples with a number of levels.
pub(super) fn conversion(profile: &[u8], channels: Channels, levels: usize) -> Result<Conversion, Unusable> {
    let broken = |error: moxcms::CmsError| Unusable(format!("its profile is broken: {error}"));
    let options = ParsingOptions { max_profile_size: limits::PROFILE_BYTES + 1, ..ParsingOptions::default() };
    let profile = ColorProfile::new_from_slice_with_options(profile, options).map_err(broken)?;
    if !fits(profile.color_space, channels) {
        let space = profile.color_space;
        return Err(Unusable(format!("its profile is for {space:?}, its samples are {channels:?}")));
    }
    let tables = profile.lut_a_to_b_perceptual.is_some()
        || profile.lut_a_to_b_colorimetric.is_some()
        || profile.lut_a_to_b_saturation.is_some();
    if !tables && let Some(grey) = &profile.gray_trc {
        let curve = linearise(grey, levels)?;
        return Ok(Conversion::Shaper(Box::new(Shaper::new(
            [&curve; 3].map(Clone::clone),
            shaper::IDENTITY,
        )?)));
    }
    let curves = [&profile.red_trc, &profile.green_trc, &profile.blue_trc];
    if !tables
        && let [Some(red), Some(green), Some(blue)] = curves
        && profile.pcs == DataColorSpace::Xyz
    {
        return matrix_and_curves([red, green, blue], profile.colorant_matrix(), shaper::ICC_SRGB, levels);
    }
    let from = match profile.color_space {
        DataColorSpace::Cmyk => Layout::Rgba,
        DataColorSpace::Rgb => Layout::Rgb,
        _ => return Err(Unusable::because("its profile for grey has no curve")),
    };
    let intent = profile.rendering_intent;
    // Precision matters more than speed, as few pictures have tables.
    let options = TransformOptions {
        rendering_intent: intent,
        prefer_fixed_point: false,
        ..TransformOptions::default()
    };
    profile
        .create_transform_16bit(from, &ColorProfile::new_srgb(), Layout::Rgb, options)
        .map(Conversion::Tables)
        .map_err(|error| Unusable(format!("its profile cannot be converted to sRGB: {error}")))
}

/// Levels to linear light by the curves, to CIE XYZ under D50 by the matrix (ICC.1:2022, F.3), and
/// from there to linear sRGB; its matrix `srgb` has the same rounding.
pub(super) fn matrix_and_curves(
    curves: [&ToneReprCurve; 3],
    to_xyz: Matrix3d,
    srgb: Matrix3d,
    levels: usize,
) -> Result<Conversion, Unusable> {
    let [red, green, blue] = curves;
    let first = linearise(red, levels)?;
    let other = |curve: &ToneReprCurve| {
        if same(curve, red) { Ok(first.clone()) } else { linearise(curve, levels) }
    };
    let curves = [first.clone(), other(green)?, other(blue)?];
    let matrix = shaper::to_linear_srgb(to_xyz, srgb)?;
    Ok(Conversion::Shaper(Box::new(Shaper::new(curves, matrix)?)))
}

fn same(one: &ToneReprCurve, other: &ToneReprCurve) -> bool {
    match (one, other) {
        (ToneReprCurve::Lut(one), ToneReprCurve::Lut(other)) => one == other,
        (ToneReprCurve::Parametric(one), ToneReprCurve::Parametric(other)) => one == other,
        _ => false,
    }
}
