//! The sheet of a figure: its width, the sizes of its texts and the widths of its lines.

/// A page, a phone or paper, in pixels or in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sheet {
    /// The width of the figure.
    pub width: f64,
    /// The size of most texts.
    pub text: f64,
    /// The size of the least texts, such as ticks.
    pub small: f64,
    /// The room next to texts and panels, and that around the whole figure.
    pub(crate) margin: f64,
    pub(crate) pad: f64,
    /// The height that rows share, if one is asked for.
    pub(crate) height: Option<f64>,
    /// The widths of thin lines, such as those of the grid, and of lines of data.
    pub(crate) lines: (f64, f64),
    /// Whether grids are drawn.
    pub(crate) grid: bool,
    /// Whether colours follow dark surroundings.
    pub(crate) is_screen: bool,
    /// Whether texts and lines are grey.
    pub(crate) grey: bool,
}

/// The points of a TeX inch and of a PostScript inch.
const TEX_INCH: f64 = 72.27;
const INCH: f64 = 72.0;
/// Narrower sheets, in the sizes of their texts, have the layout of a column.
const NARROW: f64 = 36.0;

impl Sheet {
    /// The column of a page on a screen of 1280 pixels.
    pub const PAGE: Self = Self {
        width: 736.0,
        text: 13.0,
        small: 12.0,
        margin: 0.0,
        pad: 0.0,
        height: None,
        lines: (1.0, 2.2),
        grid: true,
        is_screen: true,
        grey: false,
    };

    /// A phone of 390 pixels.
    pub const PHONE: Self = Self { width: 350.0, ..Self::PAGE };

    /// Paper of a width in PostScript points; the ink leaves one free on each side.
    #[must_use]
    pub const fn paper(width: f64, text: f64, least: f64) -> Self {
        Self {
            width: width - 2.0,
            text,
            small: least,
            margin: 0.0,
            pad: 1.0,
            height: None,
            lines: (0.5, 1.1),
            grid: true,
            is_screen: false,
            grey: false,
        }
    }

    /// The same with texts of another size, in points.
    #[must_use]
    pub fn with_text(self, text: f64) -> Self {
        Self { text, small: (text - (self.text - self.small)).max(1.0), ..self }
    }

    /// The same with figures of about this height, in points.
    #[must_use]
    pub const fn with_height(self, height: f64) -> Self {
        Self { height: Some(height), ..self }
    }

    /// The width with the room around the figure.
    pub(crate) fn whole(&self) -> f64 {
        self.width + 2.0 * self.pad
    }

    /// The same without a grid.
    #[must_use]
    pub const fn without_grid(self) -> Self {
        Self { grid: false, ..self }
    }

    /// The same with a grid.
    #[must_use]
    pub const fn with_grid(self) -> Self {
        Self { grid: true, ..self }
    }

    /// The same in shades of grey.
    #[must_use]
    pub const fn in_grey(self) -> Self {
        Self { grey: true, ..self }
    }

    /// Whether it is a column of a paper or a phone.
    pub(crate) fn is_narrow(&self) -> bool {
        self.width < NARROW * self.text
    }

    /// Whether it is a phone, on which things stand beneath each other.
    pub(crate) fn is_phone(&self) -> bool {
        self.is_screen && self.is_narrow()
    }

    /// A length that is so many pixels on a page whose texts have 13.
    pub(crate) fn scaled(&self, pixels: f64) -> f64 {
        pixels * self.text / Self::PAGE.text
    }

    /// Returns how many of so many panels stand side by side, on a page with room for `wanted`.
    pub(crate) fn across(&self, wanted: usize, panels: usize) -> usize {
        let least = self.scaled(150.0);
        let most = if self.is_narrow() { (self.width / least) as usize } else { wanted };
        wanted.min(most).min(panels).max(1)
    }
}

/// A width of paper: a length, or a venue with the widths of its columns.
///
/// Lengths are in inches (`3.25in`), millimetres (`89mm`), or points of TeX (`237pt`, 72.27 to an inch). Venues are
/// those of their authors' kits; with `:full`, figures span both columns.
///
/// # Errors
/// If the text is neither.
pub fn paper(text: &str) -> Result<Sheet, String> {
    const VENUES: [(&str, f64, f64); 9] = [
        ("cvpr", 3.25, 6.875),
        ("icml", 3.25, 6.75),
        ("aaai", 3.3, 6.975),
        ("neurips", 5.5, 5.5),
        ("iclr", 5.5, 5.5),
        ("eccv", 4.8, 4.8),
        ("tmlr", 6.5, 6.5),
        ("acl", 3.03, 6.3),
        ("nature", 89.0 / 25.4, 183.0 / 25.4),
    ];
    let (name, is_full) = match text.strip_suffix(":full") {
        Some(name) => (name, true),
        None => (text, false),
    };
    if let Some((_, column, full)) = VENUES.iter().find(|venue| venue.0 == name) {
        let width = if is_full { full } else { column } * INCH;
        return Ok(match name {
            "nature" => Sheet::paper(width, 6.0, 5.0).without_grid(),
            _ => Sheet::paper(width, 8.0, 7.0),
        });
    }
    let length = |unit: &str, points: f64| {
        let number: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        Some(number * points)
    };
    let points =
        length("in", INCH).or_else(|| length("mm", INCH / 25.4)).or_else(|| length("pt", INCH / TEX_INCH));
    match points {
        Some(points) if (72.0..=1_440.0).contains(&points) => Ok(Sheet::paper(points, 8.0, 7.0)),
        Some(_) => Err(format!("the width {text} is not between 1in and 20in")),
        None => {
            let venues: Vec<&str> = VENUES.iter().map(|venue| venue.0).collect();
            Err(format!(
                "{text:?} is not a width: write 3.25in, 237pt, 89mm or a venue ({})",
                venues.join(", ")
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_lengths_or_venues() {
        for (text, points) in [
            ("3.25in", 234.0),
            ("cvpr", 234.0),
            ("cvpr:full", 495.0),
            ("89mm", 252.28),
            ("nature", 252.28),
            ("237pt", 236.11),
            ("neurips:full", 396.0),
        ] {
            assert!((paper(text).unwrap().whole() - points).abs() < 0.01, "{text}");
        }
        for text in ["", "in", "0.5in", "3.25", "cvpr:half", "-3in", "nanin", "infmm"] {
            assert!(paper(text).is_err(), "{text}");
        }
    }
}
