//! Figures as PDF and PNG, for programs that do not read SVG, such as LaTeX.

use std::sync::Arc;

use krilla::Document;
use krilla::geom::Size;
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use krilla_svg::{SurfaceExt as _, SvgSettings};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

use crate::draw::FONTS;
use crate::figure::Figure;
use crate::{ReportSource, Setting, Sheet, figures, svg};

/// The font of all texts, which is part of the program. It is the widest for which figures leave room.
const FONT: &str = "DejaVu Sans";

/// The pixels of a PNG for each unit of the drawing, of which a figure is 760 wide.
const SCALE: f32 = 3.0;

/// Why a figure was not printed.
#[derive(Debug, thiserror::Error)]
#[error("figure {figure} cannot be written as {format}: {reason}")]
pub struct PrintError {
    figure: String,
    format: &'static str,
    reason: String,
}

/// A figure of a report as a file that is not text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedFile {
    /// The path within the report's folder, with `/` between its parts.
    pub path: String,
    /// The content.
    pub bytes: Vec<u8>,
}

/// Prints figures with its fonts.
pub struct Printer {
    options: Options<'static>,
}

impl std::fmt::Debug for Printer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Printer").field("fonts", &self.options.fontdb.len()).finish()
    }
}

impl Default for Printer {
    /// A printer with DejaVu Sans alone, which writes the same bytes on every machine.
    fn default() -> Self {
        Self::with(|_| {})
    }
}

impl Printer {
    /// A printer that takes letters which DejaVu Sans lacks, such as Chinese ones, from the fonts of this machine.
    #[must_use]
    pub fn with_system_fonts() -> Self {
        Self::with(Database::load_system_fonts)
    }

    fn with(further: impl FnOnce(&mut Database)) -> Self {
        let mut fonts = Database::new();
        // A font that is found first is preferred to one of the same name.
        fonts.load_font_data(dejavu::sans::regular().to_vec());
        fonts.load_font_data(dejavu::sans::bold().to_vec());
        further(&mut fonts);
        let options = Options { font_family: FONT.to_owned(), fontdb: Arc::new(fonts), ..Options::default() };
        Self { options }
    }

    /// A figure as PDF of one page, with its fonts and with texts that can be searched.
    ///
    /// # Errors
    /// If the drawing cannot be read or written.
    pub fn pdf(&self, figure: &Figure, sheet: Sheet) -> Result<Vec<u8>, PrintError> {
        let fault = |reason: String| PrintError { figure: figure.id.clone(), format: "PDF", reason };
        let tree = self.tree(figure, sheet).map_err(fault)?;
        let (width, height) = (tree.size().width(), tree.size().height());
        let size = Size::from_wh(width, height).ok_or_else(|| fault("it has no size".to_owned()))?;
        let mut document = Document::new();
        document.set_metadata(Metadata::new().title(figure.title.clone()));
        let mut page = document.start_page_with(PageSettings::new(size));
        let mut surface = page.surface();
        let drawn = surface.draw_svg(&tree, size, SvgSettings::default());
        surface.finish();
        page.finish();
        drawn.ok_or_else(|| fault("it cannot be drawn".to_owned()))?;
        document.finish().map_err(|error| fault(format!("{error:?}")))
    }

    /// A figure as PNG, three pixels for each unit of the drawing.
    ///
    /// # Errors
    /// If the drawing cannot be read or written.
    pub fn png(&self, figure: &Figure, sheet: Sheet) -> Result<Vec<u8>, PrintError> {
        let fault = |reason: String| PrintError { figure: figure.id.clone(), format: "PNG", reason };
        let tree = self.tree(figure, sheet).map_err(fault)?;
        let size = tree.size().to_int_size().scale_by(SCALE);
        let size = size.ok_or_else(|| fault("it is too large".to_owned()))?;
        let pixels = Pixmap::new(size.width(), size.height());
        let mut pixels = pixels.ok_or_else(|| fault("it is too large".to_owned()))?;
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| fault(error.to_string()))
    }

    fn tree(&self, figure: &Figure, sheet: Sheet) -> Result<Tree, String> {
        let drawing = svg(figure, sheet, Setting::InPage, None).replacen(FONTS, FONT, 1);
        Tree::from_str(&drawing, &self.options).map_err(|error| error.to_string())
    }

    /// The figures of a report as PDF, of a column and of a page of a paper, and as PNG.
    ///
    /// # Errors
    /// If a figure cannot be printed.
    pub fn figures(&self, source: &ReportSource<'_>) -> Result<Vec<PrintedFile>, PrintError> {
        let mut printed = Vec::new();
        for figure in figures(source) {
            let path = |ending: &str| format!("figures/{}{ending}", figure.id);
            for (ending, inches) in [("-3.25in.pdf", 3.25), ("-6.75in.pdf", 6.75)] {
                let sheet = Sheet::paper(inches * 72.0, 8.0, 7.0);
                printed.push(PrintedFile { path: path(ending), bytes: self.pdf(&figure, sheet)? });
            }
            printed.push(PrintedFile { path: path(".png"), bytes: self.png(&figure, Sheet::PAGE)? });
        }
        Ok(printed)
    }
}
