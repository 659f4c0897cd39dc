//! The sheet by which people pay at a panel without an interface, as CSV: `participant,reward,bonus,reason`.
//!
//! Amounts have two decimals and no currency, as panels take them; a cell is empty where nothing is to be paid. Ids and reasons
//! that a spreadsheet would compute are text, after an apostrophe.

use std::io::Write;

use hype_backends::crowd::recruiter::SheetLine;
use hype_core::Amount;
use hype_tables::{harmless, written};

use super::ExportError;

/// The columns, in the order in which they are written.
const COLUMNS: [&str; 4] = ["participant", "reward", "bonus", "reason"];

/// A sheet cannot be read at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SheetError {
    /// It is not a table of comma-separated values.
    #[error("{0}")]
    Csv(#[from] csv::Error),
    /// A column is missing.
    #[error(
        "there is no column `{0}`: a sheet begins with `participant,reward,bonus,reason`, separated by commas, as `hype crowd pay \
         --sheet` writes it"
    )]
    NoColumn(&'static str),
}

/// A line of a sheet that was read: its number in the file, and what it says or why it cannot be read.
pub type NumberedLine = (u64, Result<SheetLine, String>);

/// Writes a sheet; a raw one has all ids and reasons as they are.
///
/// # Errors
/// If it cannot be written.
pub fn write(lines: &[SheetLine], is_raw: bool, out: impl Write) -> Result<(), ExportError> {
    let mut out = csv::Writer::from_writer(out);
    out.write_record(COLUMNS)?;
    let cell = |amount: Option<Amount>| amount.map(|amount| amount.to_string()).unwrap_or_default();
    for SheetLine { participant, reward, bonus, reason } in lines {
        let [participant, reason] = [&**participant, &**reason].map(|text| match is_raw {
            true => text.into(),
            false => harmless(text),
        });
        out.write_record([&*participant, &cell(*reward), &cell(*bonus), &*reason])?;
    }
    Ok(out.flush()?)
}

/// Reads a sheet. Columns may have any order, and others are not read.
///
/// # Errors
/// If it is not a table, or has no column for participants, rewards or bonuses.
pub fn read(text: &str) -> Result<Vec<NumberedLine>, SheetError> {
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let headers = reader.headers()?.clone();
    let column = |name: &'static str| {
        headers.iter().position(|header| header.trim() == name).ok_or(SheetError::NoColumn(name))
    };
    let (participant, reward, bonus) = (column("participant")?, column("reward")?, column("bonus")?);
    let reason = column("reason").ok();
    let mut lines = Vec::new();
    for record in reader.records() {
        let record = record?;
        let number = record.position().map_or(0, csv::Position::line);
        let cell = |column: usize| record.get(column).unwrap_or_default().trim();
        let line = || {
            Ok(SheetLine {
                participant: written(cell(participant)).into(),
                reward: amount("reward", cell(reward))?,
                bonus: amount("bonus", cell(bonus))?,
                reason: written(reason.map(cell).unwrap_or_default()).into(),
            })
        };
        lines.push((number, line()));
    }
    Ok(lines)
}

/// An amount such as `2`, `2.5` or `2.50`; nothing if the cell is empty.
fn amount(column: &str, cell: &str) -> Result<Option<Amount>, String> {
    if cell.is_empty() {
        return Ok(None);
    }
    let is_plain = cell.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let units = cell.parse::<f64>().ok().filter(|_| is_plain);
    let amount = units.and_then(Amount::from_units);
    amount.map(Some).ok_or_else(|| format!("the {column} is not an amount such as 2.50"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(participant: &str, reward: Option<u64>, bonus: Option<u64>) -> SheetLine {
        let cents = |cents: u64| Amount(cents * 10_000);
        let (reward, bonus) = (reward.map(cents), bonus.map(cents));
        SheetLine { participant: participant.into(), reward, bonus, reason: "For you, thank you!".into() }
    }

    #[test]
    fn written_sheets_are_read_back() {
        let lines =
            [line("a1", Some(200), Some(5)), line("b,2", None, Some(1_000)), line("c\"3", Some(150), None)];
        let mut out = Vec::new();
        write(&lines, false, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("participant,reward,bonus,reason\na1,2.00,0.05,"), "{text}");
        let read: Vec<_> =
            read(&text).unwrap().into_iter().map(|(number, line)| (number, line.unwrap())).collect();
        assert_eq!(read, [2, 3, 4].into_iter().zip(lines).collect::<Vec<_>>());
    }

    #[test]
    fn ids_that_are_formulas_are_text_and_read_back() {
        let lines = [line("=1+1", Some(200), None), line("-12", Some(200), None)];
        let mut out = Vec::new();
        write(&lines, false, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("\n'=1+1,2.00,") && text.contains("\n-12,2.00,"), "{text}");
        let read: Vec<_> = read(&text).unwrap().into_iter().map(|(_, line)| line.unwrap()).collect();
        assert_eq!(read, lines);
    }

    /// Programs for spreadsheets add columns, change their order and drop zeros.
    #[test]
    fn sheets_that_were_edited_are_read() {
        let text =
            "\u{feff}paid on, bonus,participant,reward\n2026-12-01,0.5, a1 ,2\n,,b2,\"2,00\"\n,1e3,c3,\n";
        let read = read(text).unwrap();
        let first = read[0].1.clone().unwrap();
        assert_eq!(
            (&*first.participant, first.reward, first.bonus),
            ("a1", Some(Amount(2_000_000)), Some(Amount(500_000)))
        );
        assert_eq!(read[1], (3, Err("the reward is not an amount such as 2.50".into())));
        assert_eq!(read[2], (4, Err("the bonus is not an amount such as 2.50".into())));
        let error = super::read("participant;reward;bonus\n").unwrap_err().to_string();
        assert!(error.contains("no column `participant`"), "{error}");
    }
}
