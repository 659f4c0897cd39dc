//! A preview sheet: images next to their masks.

use crate::framing::Framing;
use crate::picture::{Picture, PictureError, Size};
use crate::resample::Filter;

/// The longest side of a picture on a sheet.
const TILE: u32 = 192;

/// The space between pictures and around them.
const GAP: u32 = 8;

/// The background of a sheet: middle grey.
const GROUND: [u8; 3] = [128; 3];

/// Arranges pictures in rows with this many columns, each within a tile of 192 × 192 pixels, on
/// grey.
///
/// # Errors
/// [`PictureError::Size`] if the sheet would be larger than a picture may be.
pub fn contact_sheet(pictures: &[Picture], columns: u32) -> Result<Picture, PictureError> {
    let columns = columns.max(1);
    let rows = u32::try_from(pictures.len()).unwrap_or(u32::MAX).div_ceil(columns).max(1);
    let side = |tiles: u32| tiles.saturating_mul(TILE + GAP).saturating_add(GAP);
    let size = Size::new(side(columns), side(rows))?;
    let within = Framing::Within { width: TILE, height: TILE };
    let tiles: Vec<Picture> =
        pictures.iter().map(|picture| within.frame(picture, Filter::Bicubic)).collect::<Result<_, _>>()?;
    Ok(Picture::from_fn(size, |x, y| {
        let (column, row) = (x / (TILE + GAP), y / (TILE + GAP));
        let (Some(left), Some(top)) =
            ((x % (TILE + GAP)).checked_sub(GAP), (y % (TILE + GAP)).checked_sub(GAP))
        else {
            return GROUND;
        };
        let tile = if column < columns { tiles.get((row * columns + column) as usize) } else { None };
        tile.and_then(|tile| {
            let at = (tile.width() as usize * top as usize + left as usize) * 3;
            let inside = left < tile.width() && top < tile.height();
            let pixel = inside.then(|| tile.pixels().get(at..at + 3)).flatten()?;
            Some([pixel[0], pixel[1], pixel[2]])
        })
        .unwrap_or(GROUND)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_stand_in_rows_on_grey() {
        let size = Size::new(192, 96).unwrap();
        let red = Picture::from_fn(size, |_, _| [255, 0, 0]);
        let sheet = contact_sheet(&[red.clone(), red.clone(), red], 2).unwrap();
        assert_eq!((sheet.width(), sheet.height()), (408, 408));
        let at = |x: u32, y: u32| sheet.pixels()[((y * 408 + x) * 3) as usize];
        assert_eq!(
            [at(0, 0), at(8, 8), at(199, 103), at(199, 104), at(200, 8), at(208, 8)],
            [128, 255, 255, 128, 128, 255]
        );
        assert_eq!((at(8, 208), at(208, 208)), (255, 128));
    }
}
