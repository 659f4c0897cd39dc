//! Tidy tables as tests read them.

use std::path::Path;

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub rater: String,
    pub model: String,
    pub against: String,
    pub item: String,
    pub block: u16,
    pub measure: String,
    pub value: f64,
    /// The facts that the table states about the value, if any.
    pub facts: Option<[String; 2]>,
}

impl Row {
    /// The row with bars between its cells.
    pub fn line(&self) -> String {
        let Self { rater, model, against, item, block, measure, value, facts } = self;
        let facts = facts.as_ref().map(|facts| format!("|{}", facts.join("|"))).unwrap_or_default();
        format!("{rater}|{model}|{against}|{item}|{block}|{measure}|{value}{facts}")
    }
}

/// Reads a table that `hype import` wrote.
pub fn read(path: &Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(path).expect("the table is there");
    let header: Vec<&str> = reader.headers().expect("it has a header").iter().collect();
    assert_eq!(header[..7], ["rater", "model", "against", "item", "block", "measure", "value"]);
    let has_facts = header.len() > 7;
    assert!(!has_facts || header[7..] == ["rater_kind", "scale"], "{header:?}");
    let records = reader.records().map(|record| record.expect("it is a table"));
    let cell = |record: &csv::StringRecord, at: usize| record[at].to_owned();
    records
        .map(|record| Row {
            rater: cell(&record, 0),
            model: cell(&record, 1),
            against: cell(&record, 2),
            item: cell(&record, 3),
            block: record[4].parse().expect("a block"),
            measure: cell(&record, 5),
            value: record[6].parse().expect("a number"),
            facts: has_facts.then(|| [cell(&record, 7), cell(&record, 8)]),
        })
        .collect()
}

/// The rows of a table with bars between their cells.
pub fn lines(path: &Path) -> Vec<String> {
    read(path).iter().map(Row::line).collect()
}
