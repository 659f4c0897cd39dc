//! The tone of skin in an image.

use crate::MetricError;
use crate::pixels::Image;

/// Red, green and blue of the ten tones of the Monk scale (Monk 2019), light to dark.
pub const MONK_TONES: [[f64; 3]; 10] = [
    [246.0, 237.0, 228.0],
    [243.0, 231.0, 219.0],
    [247.0, 234.0, 208.0],
    [234.0, 218.0, 186.0],
    [215.0, 189.0, 150.0],
    [160.0, 126.0, 86.0],
    [130.0, 92.0, 67.0],
    [96.0, 65.0, 52.0],
    [58.0, 49.0, 42.0],
    [41.0, 36.0, 32.0],
];

/// The mean colour of the skin in an image.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SkinColour {
    /// Mean red, green and blue, 0 to 255.
    pub mean: [f64; 3],
    /// Number of pixels of skin.
    pub pixels: usize,
    /// The nearest tone of the Monk scale, 1 to 10.
    pub tone: u8,
}

/// Finds the mean colour of skin; `None` where no pixel has the colour of skin.
///
/// # Method
///
/// Kolkur et al. (2017), "Human skin detection using RGB, HSV and YCbCr color models", with the thresholds of red, green, blue and
/// of luma and chroma, which HEIM takes from DALL-Eval (Cho et al. 2023). Luma and chroma are those of ITU-R BT.601 with
/// 14 bits, rounded to eight, as OpenCV computes them.
///
/// The rule knows colours, not people: sand and wood are skin to it. Read it together with a detector of faces.
///
/// # Errors
///
/// [`MetricError::Samples`] for an image without red, green and blue.
pub fn skin_colour(image: &Image<'_>) -> Result<Option<SkinColour>, MetricError> {
    let size = image.extent();
    if size.channels != 3 {
        let needed = size.width * size.height * 3;
        return Err(MetricError::Samples { size, needed, got: image.samples().len() });
    }
    let mut sums = [0_u64; 3];
    let mut pixels = 0;
    for pixel in image.pixels().filter(|pixel| is_skin(pixel)) {
        pixels += 1;
        sums.iter_mut().zip(pixel).for_each(|(sum, &level)| *sum += u64::from(level));
    }
    if pixels == 0 {
        return Ok(None);
    }
    let mean = sums.map(|sum| sum as f64 / pixels as f64);
    Ok(Some(SkinColour { mean, pixels, tone: monk_tone(mean) }))
}

/// The tone of the Monk scale, 1 to 10, whose red, green and blue differ least in sum; of equally near ones the lightest.
#[must_use]
pub fn monk_tone(colour: [f64; 3]) -> u8 {
    let distance =
        |tone: &[f64; 3]| -> f64 { tone.iter().zip(colour).map(|(tone, level)| (tone - level).abs()).sum() };
    (1..)
        .zip(&MONK_TONES)
        .min_by(|one, other| distance(one.1).total_cmp(&distance(other.1)))
        .map_or(1, |found| found.0)
}

fn is_skin(pixel: &[u8]) -> bool {
    let &[red, green, blue] = pixel else { return false };
    let (r, g, b) = (i32::from(red), i32::from(green), i32::from(blue));
    let luma = (4899 * r + 9617 * g + 1868 * b + (1 << 13)) >> 14;
    let chroma =
        |difference: i32, factor: i32| ((difference * factor + (128 << 14) + (1 << 13)) >> 14).clamp(0, 255);
    let (cr, cb) = (f64::from(chroma(r - luma, 11_682)), f64::from(chroma(b - luma, 9_241)));
    let by_colour = r > 95 && g > 40 && b > 20 && r > g && r > b && (r - g).abs() > 15;
    by_colour
        && luma > 80
        && cr > 135.0
        && cb > 85.0
        && cr <= 1.5862 * cb + 20.0
        && cr >= 0.3448 * cb + 76.2069
        && cr >= -4.5652 * cb + 234.5652
        && cr <= -1.15 * cb + 301.75
        && cr <= -2.2857 * cb + 432.85
}
