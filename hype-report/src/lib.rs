//! Reports on the findings of a study: figures, tables for papers, a page, and the methods section.
//!
//! [`report`] makes all files of a report from the findings, the records behind them and the study. A [`Figure`] is a
//! table with a chart: what it draws and what its CSV file holds are the same cells. Plugins bring figures of
//! the same type with [`register_figure!`].
//!
//! Sentences follow from the findings by rules, and the program leaves blank what it cannot know. No rater is named: values of
//! raters are in ascending order.
//!
//! With the feature `figures`, [`Printer`] writes figures as PDF and PNG too.
//!
//! This crate never reads a clock, a socket or ambient randomness, and no file but the fonts of the machine where a
//! [`Printer`] is asked for them. The same findings and records give the same bytes.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

mod answers;
pub mod data;
mod draw;
#[cfg(feature = "figures")]
mod export;
pub mod figure;
mod figures;
mod fragment;
mod hypotheses;
mod media;
mod methods;
pub mod numbers;
mod page;
mod pictures;
#[cfg(feature = "figures")]
mod print;
pub mod prose;
mod registry;
mod remarks;
mod separation;
mod source;
mod tables;
mod terminal;
mod text;
mod wording;
pub mod words;

pub use self::data::Data;
pub use self::draw::{Setting, Sheet, paper, style, svg};
#[cfg(feature = "figures")]
pub use self::export::{Export, FigureExportError, FigureFormat, export};
pub use self::figure::Figure;
pub use self::figures::{figures, overview, pictured};
pub use self::fragment::fragment;
pub use self::hypotheses::{HypothesisFinding, hypotheses};
pub use self::methods::{ChecklistItem, checklist, methods, references};
pub use self::page::{FigurePage, frame};
pub use self::pictures::Pictures;
#[cfg(feature = "figures")]
pub use self::print::{Font, NoFont, PrintError, PrintedFile, Printer};
pub use self::registry::FigureEntry;
pub use self::separation::letters;
pub use self::source::{Records, ReportSource, mark};
pub use self::tables::{PaperTable, tables};
pub use self::terminal::terminal;
pub use self::text::markup;
pub use self::wording::ReportLanguage;

use hype_core::plugin::translations::TranslationError;

use self::wording::Wording;

/// A file of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportFile {
    /// The path within the report's folder, with `/` between its parts.
    pub path: String,
    /// The content, as UTF-8.
    pub text: String,
}

/// The files of figures that a report's page links.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FigureFormats {
    /// Those that are part of the report: SVG.
    #[default]
    Drawn,
    /// PDF and PNG too; the program that writes the report adds them.
    Printed,
}

impl FigureFormats {
    /// The files' names after the figure's, with the texts of their links.
    pub(crate) const fn endings(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Drawn => &[("SVG", ".svg")],
            Self::Printed => &[
                ("PDF 3.25 in", "-3.25in.pdf"),
                ("PDF 6.75 in", "-6.75in.pdf"),
                ("SVG", ".svg"),
                ("PNG", ".png"),
            ],
        }
    }
}

/// Makes all files of a report: `index.html`, `answers.html` where there are single answers, `figures/`, `tables/`, `methods.md` and `references.bib`.
#[must_use]
pub fn report(source: &ReportSource<'_>) -> Vec<ReportFile> {
    files(source, FigureFormats::Drawn, &Wording::english())
}

/// Makes all files of a report, whose page is in a language and links these files of figures.
///
/// # Errors
/// If a linked crate registers translations that cannot be used.
pub fn report_in(
    source: &ReportSource<'_>,
    language: ReportLanguage,
    formats: FigureFormats,
) -> Result<Vec<ReportFile>, TranslationError> {
    Ok(files(source, formats, &Wording::new(language)?))
}

fn files(source: &ReportSource<'_>, formats: FigureFormats, wording: &Wording) -> Vec<ReportFile> {
    let (figures, tables) = (figures(source), tables(source));
    let file = |path: String, text: String| ReportFile { path, text };
    let mut files =
        vec![file("index.html".to_owned(), page::page(source, &figures, &tables, formats, wording))];
    for figure in &figures {
        files.extend(page::figure_files(figure, source.caution()));
    }
    for table in &tables {
        let path = |ending: &str| format!("tables/{}.{ending}", table.id);
        files.push(file(path("csv"), table.csv()));
        files.push(file(path("md"), table.markdown()));
        files.push(file(path("tex"), table.latex()));
    }
    files.extend(answers::page(source).map(|text| file("answers.html".to_owned(), text)));
    files.push(file("methods.md".to_owned(), methods(source)));
    files.push(file("references.bib".to_owned(), references(source)));
    files
}

/// The expansion of [`register_figure!`].
#[doc(hidden)]
pub mod __private {
    pub use inventory;
}
