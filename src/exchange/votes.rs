//! Lists of votes: one row per item, with all its votes in one cell.

use std::collections::HashMap;
use std::path::Path;

use hype_core::model::score::PREFERENCE;
use hype_core::words::listed;
use hype_core::{MeasureScale, Row};

use super::fault::ImportError;
use super::importing::{Facts, ImportReport, Importing, Sink};
use super::table::{Next, Table, TableFormat};

/// How a table with lists of votes is read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct VoteOptions {
    /// The column of votes, separated by commas.
    pub decisions: String,
    /// The column of items; if `None`, items are named by their line numbers.
    pub item: Option<String>,
    /// How votes are counted.
    pub count: Count,
    /// Whether [`confident_majority`] combines the votes for an item into one. There must then be three labels: two
    /// sides and neither.
    pub confident: bool,
    /// How cells are separated.
    pub format: TableFormat,
}

/// How votes are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Count {
    /// As categories of one model. The value is the position of the label, from 1. The measure is named after the
    /// column.
    Codes {
        /// The judged model.
        model: String,
        /// The labels.
        labels: Vec<String>,
    },
    /// As comparisons of two models, whose names are labels. The measure is [`PREFERENCE`].
    Comparison {
        /// The model that a preference of 1 favours.
        first: String,
        /// The other model.
        second: String,
        /// The label of ties.
        tie: String,
    },
}

impl VoteOptions {
    /// Creates options for a column of votes and a column of items.
    #[must_use]
    pub fn new(decisions: &str, item: Option<&str>, count: Count) -> Self {
        Self {
            decisions: decisions.to_owned(),
            item: item.map(str::to_owned),
            count,
            confident: false,
            format: TableFormat::default(),
        }
    }
}

impl Count {
    fn labels(&self) -> Vec<&str> {
        match self {
            Self::Codes { labels, .. } => labels.iter().map(String::as_str).collect(),
            Self::Comparison { first, second, tie } => vec![first, second, tie],
        }
    }

    fn check(&self, confident: bool) -> Result<(), ImportError> {
        let labels = self.labels();
        let odd = labels.iter().enumerate().find(|(place, label)| {
            label.trim().is_empty() || label.contains(',') || labels[..*place].contains(label)
        });
        if let Some((_, label)) = odd {
            return Err(ImportError::Options(format!(
                "the label {label:?} is empty, has a comma, or is repeated"
            )));
        }
        if confident && labels.len() != 3 {
            return Err(ImportError::Options(
                "the rule of the confident majority needs three labels: two sides and neither".into(),
            ));
        }
        if labels.len() < 2 {
            return Err(ImportError::Options("votes need at least two labels".into()));
        }
        Ok(())
    }
}

/// Reads a table with lists of votes and passes on one value per vote. Votes do not name their raters: the n-th vote of
/// every item is attributed to `vote-n`, or its decision to `majority`, and each value states that its rater is made up.
///
/// # Errors
/// If the table cannot be read, lacks a column, or contains faults. The error lists the faults with their lines.
pub fn votes(path: &Path, options: &VoteOptions, sink: &mut Sink<'_>) -> Result<ImportReport, ImportError> {
    options.count.check(options.confident)?;
    let labels = options.count.labels();
    let mut table = Table::open(path, options.format)?;
    let decisions = table.column(&options.decisions)?;
    let item_column = options.item.as_deref().map(|item| table.column(item)).transpose()?;
    let mut importing = Importing::new("row", sink);
    let scale = match options.count {
        Count::Codes { .. } => Some(MeasureScale::Nominal),
        Count::Comparison { .. } => None,
    };
    importing.facts = Some(Facts { scale, ..Facts::MADE_UP_RATERS });
    let mut lines: HashMap<String, u64> = HashMap::new();
    loop {
        match table.read()? {
            Next::End => break,
            Next::Fault(fault) => {
                importing.fault(fault);
                continue;
            }
            Next::Record => importing.report.rows += 1,
        }
        let item = match item_column {
            None => format!("line-{}", table.line()),
            Some(column) => {
                let item = table.cell(column).to_owned();
                if item.is_empty() {
                    importing.fault(table.fault(Some(column), "the item is empty", "name one"));
                } else if let Some(before) = lines.insert(item.clone(), table.line()) {
                    let reason = format!("{item:?} is already on line {before}");
                    let help = "name each item once, or leave --item out to number the lines";
                    importing.fault(table.fault(Some(column), &reason, help));
                }
                item
            }
        };
        if table.cell(decisions).is_empty() {
            importing.leave_out("rows without votes");
            continue;
        }
        let mut cast: Vec<&str> = Vec::new();
        for vote in table.cell(decisions).split(',').map(str::trim) {
            match labels.iter().find(|label| **label == vote) {
                Some(known) => cast.push(known),
                None => {
                    let reason = format!("unknown vote {vote:?}");
                    let help = format!("the labels are {}", listed(&labels));
                    importing.fault(table.fault(Some(decisions), &reason, &help));
                }
            }
        }
        if options.confident {
            cast = vec![confident_majority(&cast, [labels[0], labels[1]], labels[2])];
        }
        for (number, vote) in cast.iter().enumerate() {
            let rater = match options.confident {
                true => "majority".to_owned(),
                false => format!("vote-{}", number + 1),
            };
            importing.row(&row(options, &labels, &rater, &item, vote))?;
        }
    }
    importing.report.files = 1;
    table.notes().into_iter().for_each(|note| importing.note(note));
    if let Count::Codes { .. } = options.count {
        let codes: Vec<String> =
            labels.iter().enumerate().map(|(place, label)| format!("{label} = {}", place + 1)).collect();
        importing.note(format!("codes of `{}`: {}", options.decisions, listed(&codes)));
    }
    if !options.confident {
        importing.note("the votes name no raters: the n-th vote of every item is attributed to `vote-n`");
    }
    importing.finish()
}

fn row<'a>(options: &'a VoteOptions, labels: &[&str], rater: &'a str, item: &'a str, vote: &str) -> Row<'a> {
    let place = labels.iter().position(|label| *label == vote).unwrap_or_default();
    match &options.count {
        Count::Codes { model, .. } => Row {
            rater,
            model,
            against: "",
            item,
            block: 0,
            measure: &options.decisions,
            value: (place + 1) as f64,
        },
        Count::Comparison { first, second, .. } => Row {
            rater,
            model: first,
            against: second,
            item,
            block: 0,
            measure: PREFERENCE,
            value: [1.0, 0.0, 0.5].get(place).copied().unwrap_or(0.5),
        },
    }
}

/// The side that a confident majority of votes favours, or `neither`.
///
/// # Method
/// The rule of GILL's authors (Koh et al. 2023) for five votes: the result is the side with at least four votes, or
/// with three votes against at most one for the other side. If both sides or neither of them qualify, the result is
/// `neither`.
///
/// # Examples
/// ```
/// use hype::exchange::confident_majority;
/// let sides = ["gen", "ret"];
/// assert_eq!(confident_majority(&["gen", "gen", "same", "gen", "ret"], sides, "same"), "gen");
/// assert_eq!(confident_majority(&["gen", "gen", "ret", "gen", "ret"], sides, "same"), "same");
/// ```
#[must_use]
pub fn confident_majority<'a>(votes: &[&str], sides: [&'a str; 2], neither: &'a str) -> &'a str {
    let [first, second] = sides.map(|side| votes.iter().filter(|vote| **vote == side).count());
    let confident = |own: usize, other: usize| own >= 4 || (own == 3 && other <= 1);
    match (confident(first, second), confident(second, first)) {
        (true, false) => sides[0],
        (false, true) => sides[1],
        _ => neither,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_votes_decide_only_against_at_most_one() {
        for (votes, want) in [
            ("gen,gen,gen,gen,ret", "gen"),
            ("gen,gen,gen,ret,same", "gen"),
            ("gen,gen,gen,ret,ret", "same"),
            ("gen,gen,same,same,same", "same"),
            ("ret,ret,ret,same", "ret"),
            ("gen,gen,gen,gen,ret,ret,ret,ret", "same"),
            ("", "same"),
        ] {
            let cast: Vec<&str> = votes.split(',').collect();
            assert_eq!(confident_majority(&cast, ["gen", "ret"], "same"), want, "{votes}");
        }
    }
}
