//! Figures for a paper.

use std::fs;
use std::path::Path;

use hype_report::{Export, FigureFormat, Font, Printer, ReportSource, Sheet, export, paper};

use crate::args::PaperArguments;
use crate::failure::Failure;
use crate::output;

/// Writes the figures of a report into a folder, and says where.
pub(super) fn run(
    arguments: &PaperArguments,
    source: &ReportSource<'_>,
    folder: &Path,
) -> Result<(), Failure> {
    let font = match &*arguments.font {
        "sans" => Font::Sans,
        "serif" => Font::Serif,
        file => Font::File(fs::read(file).map_err(|error| Failure::about(file.as_ref(), &error))?),
    };
    let said = |error: &dyn std::error::Error| Failure::Message(error.to_string());
    let mut printer =
        Printer::new(&font).map_err(|error| Failure::Message(format!("{}: {error}", arguments.font)))?;
    if arguments.text == "outline" {
        printer = printer.with_outlines();
    }
    if arguments.title {
        printer = printer.with_titles();
    }
    let formats: Vec<FigureFormat> = [FigureFormat::Pdf, FigureFormat::Svg, FigureFormat::Png]
        .into_iter()
        .filter(|format| arguments.format.iter().any(|one| one == format.ending()))
        .collect();
    let sheet = sheet(arguments)?;
    let asked = Export { only: &arguments.figures, sheet, formats: &formats, dpi: arguments.dpi };
    for file in export(source, &asked, &printer).map_err(|error| said(&error))? {
        super::write_file(&folder.join(file.path), &file.bytes)?;
    }
    output::print(format_args!("{}", folder.join("figures.csv").display()))
}

fn sheet(arguments: &PaperArguments) -> Result<Sheet, Failure> {
    let mut sheet = paper(&arguments.width).map_err(Failure::Message)?;
    if let Some(points) = arguments.font_size {
        sheet = sheet.with_text(f64::from(points));
    }
    if let Some(points) = arguments.height {
        sheet = sheet.with_height(f64::from(points));
    }
    sheet = match arguments.grid.as_deref() {
        Some("none") => sheet.without_grid(),
        Some(_) => sheet.with_grid(),
        None => sheet,
    };
    Ok(if arguments.gray { sheet.in_grey() } else { sheet })
}
