//! Votes between pairs of models.

use std::cmp::Ordering;

use hype_core::model::findings::{MeasureFindings, Table};

use crate::data::{Cell, Data};
use crate::figure::{Explanation, Extent, Figure, FigurePanel, Mark, PanelAxis, Tone};
use crate::source::{Preferences, ReportSource, Triads};

/// Counts are written into cells of so many models at most.
const MOST_COUNTS: usize = 10;

/// The matrix of wins.
pub(super) fn wins(source: &ReportSource<'_>) -> Option<Figure> {
    let (found, table) = leading(source)?;
    let place = |name: &str| table.columns.iter().position(|column| &*column.name == name);
    let columns = [place("a")?, place("b")?, place("wins")?, place("ties")?, place("losses")?];
    let mut data = Data::new(["model", "against", "wins", "ties", "losses", "share", "text"]);
    let mut clearest = Clearest::default();
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
                    matrix_text(share, [wins, ties, losses]).into(),
                ],
            );
            clearest.add(&source.label_of(model), &source.label_of(against), share);
        }
    }
    let description = clearest.description()?;
    let mut names: Vec<String> = found.estimates.iter().map(|one| one.model.to_string()).collect();
    for row in data.part("pair") {
        if !names.iter().any(|name| name == row.text("model")) {
            names.push(row.text("model").to_owned());
        }
    }
    let is_written = names.len() <= MOST_COUNTS;
    let cells = |part, tone| Mark::band(part, "against", Extent::Cell("model", "shade"), tone);
    let mut marks = vec![cells("more", Tone::Above), cells("less", Tone::Below)];
    if is_written {
        marks.push(Mark::label("pair", ["against", "model"], "text", Tone::Ink));
    }
    let data = with_shade(&data);
    Some(Figure {
        id: "f14".to_owned(),
        title: by_criterion("Votes between models", found),
        reading: Explanation {
            question: "Which model beats which, and by how many votes?".to_owned(),
            how: if is_written {
                "Cells: shares of votes of the model on the left against the one below, ties as half. Blue: more than half; orange: less."
            } else {
                "Cells: the model on the left against the one below. Blue: it wins more than half of the votes, orange: less. Counts are in \
                 the table."
            }
            .to_owned(),
            not: "Votes of one rater are not independent. Intervals are in the figures of strengths and shares.".to_owned(),
        },
        description,
        data,
        chart: FigurePanel::new(PanelAxis::categories(names.clone()), PanelAxis::categories(names), marks).alone(),
    })
}

/// The share won, with the votes behind it.
fn matrix_text(share: f64, [wins, ties, losses]: [f64; 3]) -> String {
    let total = wins + ties + losses;
    let ties = if ties > 0.0 { format!(", {ties} tied") } else { String::new() };
    format!("{:.0}% ({wins} of {total}{ties})", share * 100.0)
}

/// The pairs with the largest share of votes.
#[derive(Default)]
struct Clearest {
    /// The first of them, in words.
    first: String,
    share: Option<f64>,
    count: u64,
}

impl Clearest {
    fn add(&mut self, model: &str, against: &str, share: f64) {
        match self.share.map_or(Ordering::Greater, |known| share.total_cmp(&known)) {
            Ordering::Greater => {
                *self = Self { first: format!("{model} over {against}"), share: Some(share), count: 1 };
            }
            Ordering::Equal => self.count += 1,
            Ordering::Less => {}
        }
    }

    fn description(&self) -> Option<String> {
        let share = self.share?;
        let percent = format!("{:.0}% of votes, ties as half", share * 100.0);
        Some(match self.count {
            _ if share <= 0.5 => "No pair has a winner: all have as many votes for either model.".to_owned(),
            1 => format!("The clearest pair is {}, with {percent}.", self.first),
            count => format!("{count} pairs are the clearest: their winners have {percent}."),
        })
    }
}

/// How many triples of models have no order, by the majority of votes and by the votes of single raters.
pub(super) fn triads(source: &ReportSource<'_>) -> Option<String> {
    let (found, _) = leading(source)?;
    let of_raters =
        source.records.preferences(criterion(found)).map(Preferences::of_raters).unwrap_or_default();
    let of_majority = majority(source)?;
    let said = |Triads { circular, all }: Triads| format!("{circular} of {all}");
    Some(match (of_majority.all, of_raters.all) {
        (0, 0) => return None,
        (_, 0) => format!(
            "Circular triads of models: {} by the majority of votes; coin tosses give a quarter.",
            said(of_majority)
        ),
        (0, _) => format!(
            "Circular triads of models: {} by the votes of single raters; coin tosses give a quarter.",
            said(of_raters)
        ),
        _ => format!(
            "Circular triads of models: {} by the majority of votes and {} by the votes of single raters; coin tosses give a \
             quarter.",
            said(of_majority),
            said(of_raters)
        ),
    })
}

/// The triads of the majorities of pairs; `None` without a table of votes.
fn majority(source: &ReportSource<'_>) -> Option<Triads> {
    let (_, table) = leading(source)?;
    let place = |name: &str| table.columns.iter().position(|column| &*column.name == name);
    let columns = [place("a")?, place("b")?, place("wins")?, place("losses")?];
    let mut preferences = Preferences::default();
    for row in &table.rows {
        let name = |at: usize| row[columns[at]].as_str();
        let count = |at: usize| row[columns[at]].as_f64();
        if let (Some(a), Some(b), Some(wins), Some(losses)) = (name(0), name(1), count(2), count(3))
            && let Some(order) = wins.partial_cmp(&losses)
        {
            let value = match order {
                Ordering::Less => 0.0,
                Ordering::Equal => 0.5,
                Ordering::Greater => 1.0,
            };
            preferences.add(0, a, b, value);
        }
    }
    Some(preferences.of_raters())
}

/// The shares of votes by the first criterion, with the table of votes.
fn leading<'f>(source: &ReportSource<'f>) -> Option<(&'f MeasureFindings, &'f Table)> {
    source.findings.measures.iter().find_map(|found| Some((found, votes_of(found)?)))
}

/// Returns the text after the names of measures by a criterion; empty without criteria.
fn criterion(found: &MeasureFindings) -> &str {
    found.measure.name.strip_prefix("win_rate").unwrap_or_default()
}

/// A title that names the criterion, if there is one.
fn by_criterion(title: &str, found: &MeasureFindings) -> String {
    match criterion(found).strip_prefix('.') {
        Some(criterion) => format!("{title} by {criterion}"),
        None => title.to_owned(),
    }
}

/// The table of votes of a measure.
fn votes_of(found: &MeasureFindings) -> Option<&Table> {
    found.tables.iter().find(|table| &*table.name == "votes")
}

/// The table with how dark cells are, by the distance of their share from a half: at most so dark that texts stay legible.
fn with_shade(data: &Data) -> Data {
    const DARKEST: f64 = 0.6;
    let mut shaded = Data::new(["model", "against", "wins", "ties", "losses", "share", "text", "shade"]);
    for row in data.part("pair") {
        let cell = |name| Cell::clone(row.cell(name));
        let share = row.number("share").unwrap_or(0.5);
        let shade = (2.0 * (share - 0.5).abs() * DARKEST).into();
        let part = if share >= 0.5 { "more" } else { "less" };
        let (model, against) = (cell("model"), cell("against"));
        shaded.add(part, [("model", model), ("against", against), ("shade", shade)]);
        shaded.push("pair", ["model", "against", "wins", "ties", "losses", "share", "text", ""].map(cell));
    }
    shaded
}
