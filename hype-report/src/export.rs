//! Figures for a paper: laid out for its columns, with what it says beneath them.

use crate::data::csv_line;
use crate::draw::drawn;
use crate::print::{PrintError, PrintedFile, Printer};
use crate::text::latex;
use crate::{ReportSource, Sheet, figures, tables};

/// A format of exported figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureFormat {
    /// PDF.
    Pdf,
    /// SVG.
    Svg,
    /// PNG.
    Png,
}

impl FigureFormat {
    /// Its ending, such as `pdf`.
    #[must_use]
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }
}

/// The contents and the form of an export.
#[derive(Debug)]
pub struct Export<'a> {
    /// The keys of the figures; empty for all.
    pub only: &'a [String],
    /// The paper.
    pub sheet: Sheet,
    /// The formats.
    pub formats: &'a [FigureFormat],
    /// The pixels of an inch of a PNG.
    pub dpi: u32,
}

/// Why figures were not exported.
#[derive(Debug, thiserror::Error)]
pub enum FigureExportError {
    /// A figure that the report does not have.
    #[error("there is no figure {id}; this study has {}", .known.join(", "))]
    Unknown {
        /// Its key.
        id: String,
        /// The keys of all figures.
        known: Vec<String>,
    },
    /// A figure was not printed.
    #[error(transparent)]
    Print(#[from] PrintError),
}

/// Makes the files of an export: the figures, their tables, `figures.csv`, `captions.tex`, and the tables of the report as LaTeX.
///
/// # Errors
/// If there is no such figure, or one cannot be printed.
pub fn export(
    source: &ReportSource<'_>,
    export: &Export<'_>,
    printer: &Printer,
) -> Result<Vec<PrintedFile>, FigureExportError> {
    let all = figures(source);
    if let Some(id) = export.only.iter().find(|id| !all.iter().any(|figure| figure.id == **id)) {
        let known = all.into_iter().map(|figure| figure.id).collect();
        return Err(FigureExportError::Unknown { id: id.clone(), known });
    }
    let mut files = Vec::new();
    let mut list = String::new();
    csv_line(
        &mut list,
        ["id", "file", "question", "caption", "width_pt", "height_pt", "font", "least_pt", "dpi"],
    );
    let mut captions = String::new();
    let is_asked = |id: &str| export.only.is_empty() || export.only.iter().any(|one| one == id);
    for figure in all.iter().filter(|figure| is_asked(&figure.id)) {
        let (svg, height) = drawn(figure, export.sheet, printer.setting(), None);
        let caption = format!("{}. {}", figure.title, figure.reading.how);
        for format in export.formats {
            let file = format!("{}.{}", figure.id, format.ending());
            let bytes = match format {
                FigureFormat::Svg => svg.clone().into_bytes(),
                FigureFormat::Pdf => printer.pdf(figure, export.sheet)?,
                FigureFormat::Png => printer.png(figure, export.sheet, export.dpi)?,
            };
            let dpi = if *format == FigureFormat::Png { export.dpi.to_string() } else { String::new() };
            let numbers =
                [export.sheet.whole(), height, export.sheet.small].map(|number| format!("{number:.2}"));
            let [width, height, least] = &numbers;
            csv_line(
                &mut list,
                [
                    &figure.id,
                    &file,
                    &figure.reading.question,
                    &caption,
                    width,
                    height,
                    printer.font(),
                    least,
                    &dpi,
                ],
            );
            files.push(PrintedFile { path: file, bytes });
        }
        files.push(PrintedFile { path: format!("{}.csv", figure.id), bytes: figure.data.csv().into_bytes() });
        captions.push_str(&format!("\\newcommand{{\\{}}}{{{}}}\n", command(&figure.id), latex(&caption)));
    }
    files.push(PrintedFile { path: "figures.csv".to_owned(), bytes: list.into_bytes() });
    files.push(PrintedFile { path: "captions.tex".to_owned(), bytes: captions.into_bytes() });
    for table in tables(source) {
        files.push(PrintedFile { path: format!("{}.tex", table.id), bytes: table.latex().into_bytes() });
    }
    Ok(files)
}

/// The name of a command of TeX for a figure's caption, which has letters only: `captionFone` for `f1`.
fn command(id: &str) -> String {
    const DIGITS: [&str; 10] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let mut name = "caption".to_owned();
    let mut begins = true;
    for letter in id.chars() {
        match letter.to_digit(10) {
            Some(digit) => name.push_str(DIGITS.get(digit as usize).copied().unwrap_or_default()),
            None if !letter.is_ascii_alphabetic() => begins = true,
            None if begins => {
                name.push(letter.to_ascii_uppercase());
                begins = false;
            }
            None => name.push(letter),
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_letters_only() {
        assert_eq!(command("f1"), "captionFone");
        assert_eq!(command("f12-sc-pq"), "captionFonetwoScPq");
    }
}
