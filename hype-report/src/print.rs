//! Figures as PDF and PNG, for programs that do not read SVG, such as LaTeX.

use std::sync::Arc;

use krilla::configure::{ConfigurationBuilder, PdfVersion};
use krilla::geom::Size;
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use krilla::{Document, SerializeSettings};
use krilla_svg::{SurfaceExt as _, SvgSettings};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Source};
use resvg::usvg::{Options, Tree};

use crate::draw::FONTS;
use crate::figure::Figure;
use crate::{ReportSource, Setting, Sheet, figures, svg};

/// The pixels of a PNG for each pixel of a page.
const SCALE: f32 = 3.0;
/// The points of an inch.
const INCH: f32 = 72.0;

/// The font of printed figures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Font {
    /// DejaVu Sans, which is part of the program. It is the widest for which figures leave room.
    #[default]
    Sans,
    /// DejaVu Serif, which is part of the program.
    Serif,
    /// That of a file in TrueType or OpenType.
    File(Vec<u8>),
}

/// Why a figure was not printed.
#[derive(Debug, thiserror::Error)]
#[error("figure {figure} cannot be written as {format}: {reason}")]
pub struct PrintError {
    figure: String,
    format: &'static str,
    reason: String,
}

/// A file has no font.
#[derive(Debug, thiserror::Error)]
#[error("the file has no TrueType or OpenType font")]
pub struct NoFont;

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
    /// The font's name, as a drawing has it.
    font: String,
    /// Whether texts stay texts; otherwise they are shapes.
    text: bool,
    setting: Setting,
}

impl std::fmt::Debug for Printer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Printer").field("font", &self.font).finish_non_exhaustive()
    }
}

impl Default for Printer {
    /// A printer with DejaVu Sans alone, which writes the same bytes on every machine.
    fn default() -> Self {
        Self::with(Database::new(), "DejaVu Sans".to_owned())
    }
}

impl Printer {
    /// A printer that takes letters which its font lacks, such as Chinese ones, from the fonts of this machine.
    ///
    /// # Errors
    /// If a file has no font.
    pub fn new(font: &Font) -> Result<Self, NoFont> {
        let mut fonts = Database::new();
        let name = match font {
            Font::Sans => "DejaVu Sans".to_owned(),
            Font::Serif => "DejaVu Serif".to_owned(),
            Font::File(bytes) => {
                let loaded = fonts.load_font_source(Source::Binary(Arc::new(bytes.clone())));
                let face = loaded.first().and_then(|id| fonts.face(*id)).ok_or(NoFont)?;
                face.families.first().ok_or(NoFont)?.0.clone()
            }
        };
        let mut printer = Self::with(fonts, name);
        Arc::make_mut(&mut printer.options.fontdb).load_system_fonts();
        Ok(printer)
    }

    fn with(mut fonts: Database, font: String) -> Self {
        // A font that is found first is preferred to one of the same name.
        for bytes in
            [dejavu::sans::regular(), dejavu::sans::bold(), dejavu::serif::regular(), dejavu::serif::bold()]
        {
            fonts.load_font_data(bytes.to_vec());
        }
        let options = Options { font_family: font.clone(), fontdb: Arc::new(fonts), ..Options::default() };
        Self { options, font, text: true, setting: Setting::InPage }
    }

    /// Writes texts as shapes.
    #[must_use]
    pub fn with_outlines(self) -> Self {
        Self { text: false, ..self }
    }

    /// Writes titles above figures.
    #[must_use]
    pub fn with_titles(self) -> Self {
        Self { setting: Setting::Alone, ..self }
    }

    /// The font's name.
    pub(crate) fn font(&self) -> &str {
        &self.font
    }

    /// Returns the elements that are drawn in addition to charts.
    pub(crate) const fn setting(&self) -> Setting {
        self.setting
    }

    /// A figure as PDF of one page, with its fonts and with texts that can be searched.
    ///
    /// # Errors
    /// If the drawing cannot be read or written.
    pub fn pdf(&self, figure: &Figure, sheet: Sheet) -> Result<Vec<u8>, PrintError> {
        let fault = |reason: String| PrintError { figure: figure.id.clone(), format: "PDF", reason };
        let tree = self.tree(figure, sheet).map_err(fault)?;
        // Coordinates of a drawing for paper are points, whatever its reader makes of its size.
        let width = sheet.whole() as f32;
        let height = tree.size().height() * (width / tree.size().width());
        let size = Size::from_wh(width, height).ok_or_else(|| fault("it has no size".to_owned()))?;
        // LaTeX includes files of at most its own version, which is 1.5.
        let configuration = ConfigurationBuilder::new().with_version(PdfVersion::Pdf15).finish();
        let configuration = configuration.map_err(|error| fault(format!("{error:?}")))?;
        let mut document =
            Document::new_with(SerializeSettings { configuration, ..SerializeSettings::default() });
        document.set_metadata(Metadata::new().title(figure.title.clone()));
        let mut page = document.start_page_with(PageSettings::new(size));
        let mut surface = page.surface();
        let settings = SvgSettings { embed_text: self.text, ..SvgSettings::default() };
        let drawn = surface.draw_svg(&tree, size, settings);
        surface.finish();
        page.finish();
        drawn.ok_or_else(|| fault("it cannot be drawn".to_owned()))?;
        document.finish().map_err(|error| fault(format!("{error:?}")))
    }

    /// A figure as PNG: of three pixels for each one of a page, or of so many for each inch of paper.
    ///
    /// # Errors
    /// If the drawing cannot be read or written.
    pub fn png(&self, figure: &Figure, sheet: Sheet, dpi: u32) -> Result<Vec<u8>, PrintError> {
        let fault = |reason: String| PrintError { figure: figure.id.clone(), format: "PNG", reason };
        let tree = self.tree(figure, sheet).map_err(fault)?;
        let across = if sheet.is_screen { SCALE } else { dpi as f32 / INCH };
        let scale = across * sheet.whole() as f32 / tree.size().width();
        let size = tree.size().to_int_size().scale_by(scale);
        let size = size.ok_or_else(|| fault("it is too large".to_owned()))?;
        let pixels = Pixmap::new(size.width(), size.height());
        let mut pixels = pixels.ok_or_else(|| fault("it is too large".to_owned()))?;
        pixels.fill(resvg::tiny_skia::Color::WHITE);
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| fault(error.to_string()))
    }

    fn tree(&self, figure: &Figure, sheet: Sheet) -> Result<Tree, String> {
        let drawing = svg(figure, sheet, self.setting, None).replacen(FONTS, &self.font, 1);
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
                let sheet = Sheet::paper(inches * f64::from(INCH), 8.0, 7.0);
                printed.push(PrintedFile { path: path(ending), bytes: self.pdf(&figure, sheet)? });
            }
            printed.push(PrintedFile { path: path(".png"), bytes: self.png(&figure, Sheet::PAGE, 0)? });
        }
        Ok(printed)
    }
}
