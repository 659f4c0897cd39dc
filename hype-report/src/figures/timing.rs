//! Whether exposures were kept.

use hype_core::model::findings::TimingQuality;
use hype_core::words::counted;

use crate::data::{Cell, Data};
use crate::figure::{Beside, BesideText, Explanation, Figure, FigurePanel, Mark, PanelAxis, Tone, Width};
use crate::source::ReportSource;

/// The share of displays that have to be exact to the frame where a sentence is enough.
const EXACT: f64 = 0.99;

/// Whether nearly all measured displays were exact; `None` if none was measured.
fn is_exact(source: &ReportSource<'_>) -> Option<bool> {
    let timing = source.findings.timing.as_ref().filter(|timing| timing.displayed > 0)?;
    let disturbed: u64 = timing.disturbed.values().sum();
    Some(timing.exact as f64 >= EXACT * (timing.displayed + disturbed) as f64)
}

/// The displays of a study in which nearly all were exact.
pub(super) fn in_words(source: &ReportSource<'_>) -> Option<String> {
    let timing = source.findings.timing.as_ref().filter(|_| is_exact(source) == Some(true))?;
    Some(format!(
        "Exposures were kept: {} of {} displays were exact to the frame.",
        timing.exact, timing.displayed
    ))
}

/// How displays were measured, and on which screens, where more than a few were not exact.
pub(super) fn timing(source: &ReportSource<'_>) -> Option<Figure> {
    let timing = source.findings.timing.as_ref().filter(|_| is_exact(source) == Some(false))?;
    let other = timing.displayed.saturating_sub(timing.exact + timing.suspect);
    let disturbed: u64 = timing.disturbed.values().sum();
    let mut data = Data::new(["name", "from", "count", "share_from", "share_to"]);
    let mut names = Vec::new();
    for (name, count) in [
        ("exact to the frame", timing.exact),
        ("neither exact nor suspect", other),
        ("suspect", timing.suspect),
        ("disturbed, shown again", disturbed),
    ] {
        data.push("displays", [name.into(), 0.0.into(), count.into(), Cell::Empty, Cell::Empty]);
        names.push(name.to_owned());
    }
    let mut screens = Vec::new();
    for (hertz, count) in &timing.refresh_hz {
        let name = format!("{hertz} Hz");
        data.push("screens", [name.as_str().into(), 0.0.into(), (*count).into(), Cell::Empty, Cell::Empty]);
        screens.push(name);
    }
    let panel = |part: &'static str, label: &str, names: Vec<String>| FigurePanel {
        title: label.to_owned(),
        beside: vec![Beside { heading: String::new(), part, at: "name", text: BesideText::Column("count") }],
        ..FigurePanel::new(
            PanelAxis::whole("count").including(&[0.0]),
            PanelAxis::categories(names),
            vec![Mark::interval(part, "name", ["from", "count"], Width::Bar, Tone::Accent)],
        )
    };
    let mut panels = vec![panel("displays", "Displays", names)];
    if !screens.is_empty() {
        panels.push(panel("screens", "Raters by the refresh rate of their screens", screens));
    }
    let shares = by_refresh_rate(source, &mut data);
    let of_whom = if shares.is_some() {
        " Shares by the refresh rate of screens are those of raters who count."
    } else {
        ""
    };
    panels.extend(shares);
    Some(Figure {
        id: "f16".to_owned(),
        title: "How exposures were kept".to_owned(),
        reading: Explanation {
            question: format!("Were {} shown as long as planned?", source.findings.media().plural()),
            how: format!(
                "Bars count the displays that the pages measured. A display is suspect if an onset or end came late by more than \
                 about half a frame.{of_whom}"
            ),
            not: "The page measures frames, not light: what a screen does with them is not known.".to_owned(),
        },
        description: format!(
            "Of {}, {} {} exact to the frame and {} suspect.",
            counted(timing.displayed, "measured display"),
            timing.exact,
            if timing.exact == 1 { "was" } else { "were" },
            timing.suspect
        ),
        data,
        chart: crate::figure::Chart::Panels { panels, across: 1 },
    })
}

/// The shares of displays by how they were kept, for each refresh rate; `None` with a single one.
fn by_refresh_rate(source: &ReportSource<'_>, data: &mut Data) -> Option<FigurePanel> {
    const KINDS: [(&str, Tone); 4] = [
        ("exact", Tone::Series(2)),
        ("neither exact nor suspect", Tone::Faint),
        ("suspect", Tone::Series(1)),
        ("disturbed", Tone::Alert),
    ];
    let presented = |timing: &TimingQuality| timing.displayed + timing.disturbed.values().sum::<u64>();
    let rates = || source.records.displays().iter().filter(|(_, timing)| presented(timing) > 0);
    if rates().count() < 2 {
        return None;
    }
    let mut names = Vec::new();
    for (hertz, timing) in rates() {
        let all = presented(timing);
        let disturbed = all - timing.displayed;
        let other = timing.displayed.saturating_sub(timing.exact + timing.suspect);
        let name = format!("{hertz} Hz");
        let mut below = 0;
        for ((part, _), count) in KINDS.into_iter().zip([timing.exact, other, timing.suspect, disturbed]) {
            let share = |count: u64| Cell::from(count as f64 / all as f64);
            let name = name.as_str().into();
            data.push(part, [name, Cell::Empty, count.into(), share(below), share(below + count)]);
            below += count;
        }
        names.push(name);
    }
    let bar = |(part, tone)| Mark::interval(part, "name", ["share_from", "share_to"], Width::Bar, tone);
    Some(FigurePanel {
        title: "Displays by the refresh rate of the screen".to_owned(),
        legend: KINDS.map(|(part, tone)| (part.to_owned(), tone)).to_vec(),
        ..FigurePanel::new(
            PanelAxis::numbers("displays (%)").times(100.0).including(&[0.0, 1.0]),
            PanelAxis::categories(names),
            KINDS.map(bar).to_vec(),
        )
    })
}
