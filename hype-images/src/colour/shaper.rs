//! From levels through linear light to sRGB levels, in portable arithmetic.

use std::sync::{Arc, LazyLock};

use moxcms::Matrix3d;

use super::Unusable;

/// Three curves to linear light, and a matrix to linear sRGB.
///
/// Uses only multiplications, additions and tables from a portable `pow`: pictures are
/// identical on every machine.
pub(crate) struct Shaper {
    /// The linear light of every level, for red, green and blue.
    curves: [Arc<[f64]>; 3],
    matrix: [[f64; 3]; 3],
}

pub(super) const IDENTITY: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Linear sRGB to CIE XYZ under D50 as ICC profiles of sRGB have it, in 16 binary digits.
///
/// To keep a profile's levels unchanged, the inverse must use the same rounding.
pub(super) const ICC_SRGB: Matrix3d = Matrix3d {
    v: [
        [0.436_065_674, 0.385_147_095, 0.143_066_406],
        [0.222_488_403, 0.716_873_169, 0.060_607_910],
        [0.013_916_016, 0.097_076_416, 0.714_096_069],
    ],
};

/// Combines a matrix to CIE XYZ under D50 with the inverse of that of linear sRGB.
pub(super) fn to_linear_srgb(to_xyz: Matrix3d, srgb: Matrix3d) -> Result<[[f64; 3]; 3], Unusable> {
    let from = srgb.inverse();
    let mut product = [[0.0; 3]; 3];
    for (row, left) in product.iter_mut().zip(from.v) {
        for (column, cell) in row.iter_mut().enumerate() {
            *cell =
                left[0] * to_xyz.v[0][column] + left[1] * to_xyz.v[1][column] + left[2] * to_xyz.v[2][column];
        }
    }
    if to_xyz.determinant().is_none_or(|determinant| !determinant.is_finite()) {
        return Err(Unusable::because("its primary colours do not span any colours"));
    }
    Ok(product)
}

impl Shaper {
    pub(super) fn new(curves: [Arc<[f64]>; 3], matrix: [[f64; 3]; 3]) -> Result<Self, Unusable> {
        if matrix.as_flattened().iter().all(|cell| cell.abs() < 1000.0) {
            Ok(Self { curves, matrix })
        } else {
            Err(Unusable::because("its primary colours are invalid"))
        }
    }

    /// Converts one pixel.
    pub(crate) fn convert(&self, levels: [u16; 3]) -> [u8; 3] {
        let light = [0, 1, 2].map(|channel| self.curves[channel][usize::from(levels[channel])]);
        self.matrix.map(|row| encode(row[0] * light[0] + row[1] * light[1] + row[2] * light[2]))
    }

    /// Whether no level changes by more than 1, among all greys and a grid of 17 levels in each
    /// channel: the space is then sRGB up to the rounding of its profile's numbers.
    pub(super) fn is_srgb(&self) -> bool {
        let scale = if self.curves[0].len() == 256 { 1 } else { 257 };
        let kept = |pixel: [u8; 3]| {
            let converted = self.convert(pixel.map(|level| u16::from(level) * scale));
            converted.iter().zip(pixel).all(|(&level, before)| level.abs_diff(before) <= 1)
        };
        let grid = || (0..=255).step_by(15);
        (0..=255).all(|level| kept([level; 3]))
            && grid().all(|red| grid().all(|green| grid().all(|blue| kept([red, green, blue]))))
    }
}

/// The linear light of an sRGB level in `[0, 1]` (IEC 61966-2-1).
fn decode(level: f64) -> f64 {
    if level <= 0.040_45 { level / 12.92 } else { libm::pow((level + 0.055) / 1.055, 2.4) }
}

/// The light at which each level begins, and the level at the start of each of [`STEPS`] steps of
/// light.
struct Encoding {
    begins: [f64; 257],
    starts: Vec<u8>,
}

const STEPS: usize = 4096;

static ENCODING: LazyLock<Encoding> = LazyLock::new(|| {
    let mut begins = [f64::INFINITY; 257];
    begins[0] = f64::NEG_INFINITY;
    for (level, begin) in (1..256_u32).zip(&mut begins[1..]) {
        *begin = decode((f64::from(level) - 0.5) / 255.0);
    }
    let level = |light: f64| begins.partition_point(|&begin| begin <= light) - 1;
    // Light below the top has a level below 256.
    let starts = (0..=STEPS).map(|step| level(step as f64 / STEPS as f64) as u8).collect();
    Encoding { begins, starts }
});

/// The nearest sRGB level of linear light, clipped to 0..=255.
fn encode(light: f64) -> u8 {
    let Encoding { begins, starts } = &*ENCODING;
    let light = light.clamp(0.0, 1.0);
    let mut level = starts[(light * STEPS as f64) as usize];
    while begins[usize::from(level) + 1] <= light {
        level += 1;
    }
    level
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_the_nearest() {
        for level in 0..=255_u8 {
            assert_eq!(encode(decode(f64::from(level) / 255.0)), level);
            for off in [-0.499, 0.499] {
                let light = decode((f64::from(level) + off).clamp(0.0, 255.0) / 255.0);
                assert_eq!(encode(light), level, "{off}");
            }
        }
        assert_eq!([encode(-1.0), encode(2.0), encode(f64::INFINITY)], [0, 255, 255]);
    }
}
