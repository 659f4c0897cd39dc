//! Reading scripts: CSV tables with one row for each answer.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use hype_core::Micros;

use crate::drive::rater_key;

/// The response time if a script has none.
const RT: Micros = Micros(1_000_000);

/// The answers of many raters, from a CSV table with one row for each answer.
///
/// Columns: `place` and, optionally, `attempt` (default 0), or `rater` instead of both; `trial`; optionally `rt_ms`,
/// the response time in milliseconds (default 1000); and one column for each question, named after it. Places and
/// trials count from 0. The order of rows does not matter.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    questions: Arc<[String]>,
    raters: BTreeMap<String, Arc<Answers>>,
}

/// One rater's answers by trial.
pub(super) type Answers = BTreeMap<u32, Line>;

/// One answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    row: u64,
    /// One answer for each of the script's questions.
    pub(super) cells: Vec<String>,
    pub(super) rt: Micros,
}

/// A script cannot be read. Its author has to correct it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// The file cannot be read, or is not a CSV table in UTF-8.
    #[error("{0}")]
    Csv(#[from] csv::Error),
    /// A column is missing.
    #[error("there is no column `{column}`; there are {found}")]
    MissingColumn {
        /// The column.
        column: &'static str,
        /// The columns of the table.
        found: String,
    },
    /// Two columns have the same name, or exclude each other.
    #[error("the columns `{first}` and `{second}` cannot be in the same table")]
    Columns {
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
    /// A cell does not hold what its column is for.
    #[error("row {row}: `{column}` must be {expected}, got {found:?}")]
    Cell {
        /// The line of the file, from 1.
        row: u64,
        /// The column.
        column: &'static str,
        /// The values that the column requires.
        expected: &'static str,
        /// The content of the cell.
        found: String,
    },
    /// Two rows answer the same trial.
    #[error("rows {first} and {row} answer the same trial")]
    Repeated {
        /// The line of the first of them, from 1.
        first: u64,
        /// The line of the other.
        row: u64,
    },
}

/// The positions of the columns with a fixed meaning.
struct Columns {
    rater: Option<usize>,
    place: Option<usize>,
    attempt: Option<usize>,
    trial: usize,
    rt: Option<usize>,
    questions: Vec<usize>,
}

impl Script {
    /// Reads a script from a file.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a valid script.
    pub fn open(path: &Path) -> Result<Self, ScriptError> {
        Self::from_csv(csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(path)?)
    }

    /// Reads a script from CSV text.
    ///
    /// # Examples
    /// ```
    /// use hype_backends::Script;
    ///
    /// let script = Script::read("place,trial,rt_ms,judgment\n0,0,412.5,real\n0,1,388,fake\n".as_bytes())?;
    /// assert_eq!(script.raters().collect::<Vec<_>>(), ["r000000-000"]);
    /// # Ok::<(), hype_backends::ScriptError>(())
    /// ```
    ///
    /// # Errors
    /// If the text is not a valid script.
    pub fn read(text: impl io::Read) -> Result<Self, ScriptError> {
        Self::from_csv(csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text))
    }

    /// The keys of the raters, in ascending order.
    pub fn raters(&self) -> impl Iterator<Item = &str> {
        self.raters.keys().map(String::as_str)
    }

    pub(super) fn answers(&self, rater: &str) -> Option<&Arc<Answers>> {
        self.raters.get(rater)
    }

    pub(super) fn questions(&self) -> &Arc<[String]> {
        &self.questions
    }

    fn from_csv(mut table: csv::Reader<impl io::Read>) -> Result<Self, ScriptError> {
        let header = table.headers()?.clone();
        let columns = Columns::find(&header)?;
        let questions = columns.questions.iter().map(|&at| header[at].to_owned()).collect();
        let mut raters: BTreeMap<String, Answers> = BTreeMap::new();
        let mut record = csv::StringRecord::new();
        while table.read_record(&mut record)? {
            let row = record.position().map_or(0, csv::Position::line);
            let number = |column, at: usize| -> Result<u32, ScriptError> {
                let expected = "a whole number, 0 or more";
                record[at].parse().map_err(|_| cell(row, column, expected, &record[at]))
            };
            let rater = match (columns.rater, columns.place) {
                (Some(at), _) => record[at].to_owned(),
                (None, Some(at)) => {
                    let attempt = columns.attempt.map_or(Ok(0), |at| number("attempt", at))?;
                    rater_key(number("place", at)?, attempt)
                }
                (None, None) => String::new(),
            };
            let trial = number("trial", columns.trial)?;
            let rt = match columns.rt {
                Some(at) => micros(&record[at])
                    .ok_or_else(|| cell(row, "rt_ms", "a number of milliseconds, 0 or more", &record[at]))?,
                None => RT,
            };
            let cells = columns.questions.iter().map(|&at| record[at].to_owned()).collect();
            if let Some(first) = raters.entry(rater).or_default().insert(trial, Line { row, cells, rt }) {
                return Err(ScriptError::Repeated { first: first.row, row });
            }
        }
        let raters = raters.into_iter().map(|(rater, answers)| (rater, Arc::new(answers))).collect();
        Ok(Self { questions, raters })
    }
}

impl Columns {
    fn find(header: &csv::StringRecord) -> Result<Self, ScriptError> {
        let mut columns = BTreeMap::new();
        for (at, name) in header.iter().enumerate() {
            if columns.insert(name, at).is_some() {
                return Err(ScriptError::Columns { first: name.to_owned(), second: name.to_owned() });
            }
        }
        let missing = |column| ScriptError::MissingColumn {
            column,
            found: header.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        };
        let rater = columns.remove("rater");
        let place = columns.remove("place");
        let attempt = columns.remove("attempt");
        let trial = columns.remove("trial").ok_or_else(|| missing("trial"))?;
        let rt = columns.remove("rt_ms");
        match (rater, place, attempt) {
            (None, None, _) => return Err(missing("place")),
            (Some(rater), Some(other), _) | (Some(rater), None, Some(other)) => {
                let name = |at: usize| header[at].to_owned();
                return Err(ScriptError::Columns { first: name(rater), second: name(other) });
            }
            _ => {}
        }
        let mut questions: Vec<usize> = columns.into_values().collect();
        questions.sort_unstable();
        Ok(Self { rater, place, attempt, trial, rt, questions })
    }
}

fn cell(row: u64, column: &'static str, expected: &'static str, found: &str) -> ScriptError {
    ScriptError::Cell { row, column, expected, found: found.to_owned() }
}

/// Milliseconds with fractions, up to a year.
fn micros(text: &str) -> Option<Micros> {
    const YEAR_MS: f64 = 366.0 * 86_400_000.0;
    let millis: f64 = text.parse().ok()?;
    (0.0..=YEAR_MS).contains(&millis).then(|| Micros((millis * 1e3).round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        Script::read(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn rows_find_their_raters_in_any_order() {
        let text = "trial, judgment ,place,attempt,rt_ms\n1,fake,2,1,0.5\n0,real,2,1,300\n0,real,0,0,7\n";
        let script = Script::read(text.as_bytes()).unwrap();
        assert_eq!(script.raters().collect::<Vec<_>>(), ["r000000-000", "r000002-001"]);
        let answers = script.answers("r000002-001").unwrap();
        assert_eq!(answers.keys().copied().collect::<Vec<_>>(), [0, 1]);
        assert_eq!((answers[&1].rt, answers[&1].cells.as_slice()), (Micros(500), &["fake".to_owned()][..]));
        let named = Script::read("rater,trial,a,b\nann,0,1,2\n".as_bytes()).unwrap();
        assert_eq!(named.answers("ann").unwrap()[&0].rt, RT);
        assert_eq!(named.questions()[..], ["a", "b"]);
    }

    #[test]
    fn faults_name_their_rows_and_columns() {
        assert_eq!(
            refusal("place,trial,judgment\n0,0,real\n0,x,real\n"),
            "row 3: `trial` must be a whole number, 0 or more, got \"x\""
        );
        assert_eq!(
            refusal("place,trial,rt_ms\n0,0,-1\n"),
            "row 2: `rt_ms` must be a number of milliseconds, 0 or more, got \"-1\""
        );
        assert_eq!(
            refusal("place,trial,rt_ms\n0,0,NaN\n"),
            "row 2: `rt_ms` must be a number of milliseconds, 0 or more, got \"NaN\""
        );
        assert_eq!(refusal("place,judgment\n"), "there is no column `trial`; there are `place`, `judgment`");
        assert_eq!(refusal("trial,judgment\n"), "there is no column `place`; there are `trial`, `judgment`");
        assert_eq!(refusal(""), "there is no column `trial`; there are ");
        assert_eq!(refusal("place,trial\n0,0\n1,0\n0,0\n"), "rows 2 and 4 answer the same trial");
        assert_eq!(
            refusal("place,trial,trial\n"),
            "the columns `trial` and `trial` cannot be in the same table"
        );
        assert_eq!(
            refusal("rater,place,trial\n"),
            "the columns `rater` and `place` cannot be in the same table"
        );
        let uneven = refusal("place,trial,judgment\n0,0,real\n0,1\n");
        assert!(uneven.contains("line: 3"), "{uneven}");
    }
}
