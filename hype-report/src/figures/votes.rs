//! Who beats whom.

use crate::data::{Cell, Data};
use crate::figure::{Explanation, Extent, Figure, Mark, Panel, PanelAxis, Tone};
use crate::source::ReportSource;

/// Counts are written into cells of so many models at most.
const MOST_COUNTS: usize = 10;

/// The matrix of wins.
pub(super) fn wins(source: &ReportSource<'_>) -> Option<Figure> {
    let measures = &source.findings.measures;
    let (found, table) = measures
        .iter()
        .find_map(|found| Some((found, found.tables.iter().find(|table| &*table.name == "votes")?)))?;
    let place = |name: &str| table.columns.iter().position(|column| &*column.name == name);
    let columns = [place("a")?, place("b")?, place("wins")?, place("ties")?, place("losses")?];
    let mut data = Data::new(["model", "against", "wins", "ties", "losses", "share", "text"]);
    let mut strongest: Option<(String, f64)> = None;
    for row in &table.rows {
        let text = |at: usize| row[columns[at]].as_str().map(str::to_owned);
        let count = |at: usize| row[columns[at]].as_f64();
        let (Some(a), Some(b)) = (text(0), text(1)) else { continue };
        let (Some(wins), Some(ties), Some(losses)) = (count(2), count(3), count(4)) else { continue };
        let total = wins + ties + losses;
        if total <= 0.0 {
            continue;
        }
        for (model, against, wins, losses) in [(&a, &b, wins, losses), (&b, &a, losses, wins)] {
            let share = (wins + ties / 2.0) / total;
            data.push(
                "pair",
                [
                    model.as_str().into(),
                    against.as_str().into(),
                    wins.into(),
                    ties.into(),
                    losses.into(),
                    share.into(),
                    format!("{}–{}–{}", wins as u64, ties as u64, losses as u64).into(),
                ],
            );
            if strongest.as_ref().is_none_or(|(_, known)| share > *known) {
                strongest = Some((format!("{model} over {against}"), share));
            }
        }
    }
    let (pair, share) = strongest?;
    let mut names: Vec<String> = found.estimates.iter().map(|one| one.model.to_string()).collect();
    for row in data.part("pair") {
        if !names.iter().any(|name| name == row.text("model")) {
            names.push(row.text("model").to_owned());
        }
    }
    let mut marks = vec![Mark::Band {
        part: "pair",
        x: "against",
        extent: Extent::Cell("model", "shade"),
        tone: Tone::Accent,
    }];
    if names.len() <= MOST_COUNTS {
        marks.push(Mark::Label { part: "pair", x: "against", y: "model", text: "text", tone: Tone::Ink });
    }
    let data = with_shade(&data);
    Some(Figure {
        id: "f14".to_owned(),
        title: "Votes between models".to_owned(),
        reading: Explanation {
            question: "Who beats whom, and by how many votes?".to_owned(),
            how: "Each cell has the votes of the model on the left against the one below: won, tied, lost. The darker, the larger \
                  the share won, with ties as half. Pairs without votes are blank."
                .to_owned(),
            not: "Votes of one rater are not independent. Intervals are in the figures of strengths and shares.".to_owned(),
        },
        description: format!("The clearest pair is {pair}, with {:.0} % of votes.", share * 100.0),
        data,
        chart: Panel::new(PanelAxis::categories(names.clone()), PanelAxis::categories(names), marks).alone(),
    })
}

/// The table with how dark cells are: half of the share, so that texts stay legible.
fn with_shade(data: &Data) -> Data {
    let mut shaded = Data::new(["model", "against", "wins", "ties", "losses", "share", "text", "shade"]);
    for row in data.part("pair") {
        let cell = |name| Cell::clone(row.cell(name));
        shaded.push(
            "pair",
            [
                cell("model"),
                cell("against"),
                cell("wins"),
                cell("ties"),
                cell("losses"),
                cell("share"),
                cell("text"),
                row.number("share").map(|share| share * 0.5).into(),
            ],
        );
    }
    shaded
}
