//! Draws charts as SVG.
//!
//! Texts stay texts. Colours are attributes, for programs that know no style sheets, and classes, which follow dark
//! surroundings. Coordinates have two decimals at most, so that the same figure is the same bytes everywhere.

use std::fmt::Write as _;

use crate::figure::{Chart, Figure, Tone};
use crate::text::markup;

mod canvas;
mod flow;
mod gallery;
pub(crate) mod marks;
mod measure;
mod panel;
pub(crate) mod scale;

use self::canvas::{Anchor, Canvas};
#[cfg(test)]
pub(crate) use self::measure::width as room;

/// The width of every figure, in pixels.
const WIDTH: f64 = 760.0;
/// The list of fonts. The first is that of the page, the others are those of most systems.
pub(crate) const FONTS: &str = "Inter, Helvetica, Arial, sans-serif";
/// The sizes of titles, of most texts, and of ticks.
const TITLE: f64 = 15.0;
const TEXT: f64 = 12.0;
const SMALL: f64 = 11.0;

/// What is drawn in addition to the chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// The figure stands alone: it has its title, a background and the colours of dark surroundings.
    Alone,
    /// It stands in a page with a heading and [`STYLE`].
    InPage,
}

/// The colours of dark surroundings, for pages that contain figures.
pub const STYLE: &str = "@media screen and (prefers-color-scheme:dark){\
.hr-b{fill:#12161d}.hr-fi{fill:#e6eaf2}.hr-si{stroke:#e6eaf2}.hr-ff{fill:#9aa5b5}.hr-sf{stroke:#9aa5b5}\
.hr-sg{stroke:#313a48}.hr-fg{fill:#1b212b}.hr-fa{fill:#79b0f2}.hr-sa{stroke:#79b0f2}.hr-fw{fill:#ff8f80}.hr-sw{stroke:#ff8f80}\
.hr-f0{fill:#79b0f2}.hr-s0{stroke:#79b0f2}.hr-f1{fill:#f2a15f}.hr-s1{stroke:#f2a15f}.hr-f2{fill:#6fcf97}.hr-s2{stroke:#6fcf97}\
.hr-f3{fill:#d79be0}.hr-s3{stroke:#d79be0}.hr-f4{fill:#e0c25c}.hr-s4{stroke:#e0c25c}.hr-f5{fill:#63c7d8}.hr-s5{stroke:#63c7d8}\
.hr-f6{fill:#c9b8a8}.hr-s6{stroke:#c9b8a8}}";

/// A colour on light ground, with the ending of its classes.
const fn colour(tone: Tone) -> (&'static str, &'static str) {
    const SERIES: [(&str, &str); 7] = [
        ("#1f5fae", "0"),
        ("#c2570c", "1"),
        ("#1a7f4b", "2"),
        ("#9b3fa0", "3"),
        ("#8a6d00", "4"),
        ("#0b7a8f", "5"),
        ("#6b5b4b", "6"),
    ];
    match tone {
        Tone::Ink => ("#1b2330", "i"),
        Tone::Faint => ("#5f6b7c", "f"),
        Tone::Accent => ("#1f5fae", "a"),
        Tone::Alert => ("#b42318", "w"),
        Tone::Series(number) => SERIES[number % SERIES.len()],
    }
}

/// Draws a figure as an SVG document. `caution` is written above the chart, such as that raters are synthetic.
#[must_use]
pub fn svg(figure: &Figure, setting: Setting, caution: Option<&str>) -> String {
    let mut canvas = Canvas::default();
    let mut top = 8.0;
    if setting == Setting::Alone {
        for line in measure::lines(&figure.title, TITLE * measure::BOLD, WIDTH - 24.0) {
            top += TITLE + 4.0;
            canvas.bold(12.0, top - 4.0, &line, TITLE);
        }
        top += 4.0;
    }
    if let Some(caution) = caution {
        for line in measure::lines(caution, TEXT, WIDTH - 24.0) {
            top += TEXT + 4.0;
            canvas.text((12.0, top - 4.0), &line, TEXT, Anchor::Start, Tone::Alert);
        }
        top += 4.0;
    }
    let height = match &figure.chart {
        Chart::Panels { panels, across } => panel::panels(&mut canvas, &figure.data, panels, *across, top),
        Chart::Gallery { groups, pictures } => {
            gallery::gallery(&mut canvas, &figure.data, groups, pictures, top)
        }
        Chart::Flow => flow::flow(&mut canvas, &figure.data, top),
    };
    let (id, mut out) = (markup(&figure.id), String::new());
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{h}\" viewBox=\"0 0 {WIDTH} {h}\" role=\"img\" \
         aria-labelledby=\"{id}-title {id}-desc\" font-family=\"{FONTS}\">\n<title id=\"{id}-title\">{title}</title>\n\
         <desc id=\"{id}-desc\">{desc}</desc>\n",
        h = canvas::place(height),
        title = markup(&figure.title),
        desc = markup(&described(figure, caution)),
    );
    if setting == Setting::Alone {
        let _ = write!(
            out,
            "<style>{STYLE}</style>\n<rect class=\"hr-b\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
    }
    out.push_str(&canvas.finish());
    out.push_str("</svg>\n");
    out
}

fn described(figure: &Figure, caution: Option<&str>) -> String {
    match caution {
        Some(caution) => format!("{} ({caution})", figure.description),
        None => figure.description.clone(),
    }
}
