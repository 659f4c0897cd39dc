//! How a cell becomes a value: a number, with a decimal comma where that is one, or the place of a text among options.

use hype_core::words::listed;
use hype_tables::{is_missing, number_of};

/// The meaning of the cells of one column.
#[derive(Debug, Clone, Default)]
pub(super) struct AnswerCells {
    column: String,
    /// The texts of the options in order, scored from 1; empty if answers are numbers.
    options: Vec<String>,
    decimal_comma: bool,
    /// The first decimal comma: the text, its line and its value.
    comma: Option<(String, u64, f64)>,
    /// The first percentage: the text, its line and the proportion that it is.
    percentage: Option<(String, u64, f64)>,
    /// Whether an answer is a number without a percent sign.
    pub(super) has_numbers: bool,
}

/// A value, or a remark that there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Answer {
    Value(f64),
    Missing,
}

impl AnswerCells {
    /// The cells of a column. An option's text is that of the only column, or begins with the column and `=`.
    pub(super) fn new(column: &str, options: &[String], decimal_comma: bool) -> Self {
        let own = options.iter().find_map(|text| text.strip_prefix(column)?.strip_prefix('='));
        let of_all =
            options.iter().find(|text| !text.split('|').next().is_some_and(|first| first.contains('=')));
        let texts = own.or(of_all.map(String::as_str)).unwrap_or_default();
        let options = texts.split('|').map(str::trim).filter(|text| !text.is_empty());
        Self {
            column: column.to_owned(),
            options: options.map(str::to_owned).collect(),
            decimal_comma,
            ..Self::default()
        }
    }

    /// Whether all further cells are to be read here: numbers next to decimal commas or percentages may be wrong.
    pub(super) const fn looks_at_all(&self) -> bool {
        self.comma.is_some() || self.percentage.is_some()
    }

    /// Returns the answer of a cell; the fault and its solution, if the cell has no meaning.
    pub(super) fn read(&mut self, text: &str, line: u64) -> Result<Answer, (String, String)> {
        if let Some(place) = option_of(text, &self.options) {
            return Ok(Answer::Value(f64::from(place)));
        }
        if is_missing(text) {
            return Ok(Answer::Missing);
        }
        let number = number_of(text);
        if !self.options.is_empty() {
            let most = self.options.len();
            let is_score = |number: &f64| (1..=most).any(|score| (score as f64).total_cmp(number).is_eq());
            return number.filter(is_score).map(Answer::Value).ok_or_else(|| {
                let help = format!("write a score from 1 to {most}, or one of: {}", self.options.join(" | "));
                (format!("the answer is {text:?}"), help)
            });
        }
        let with_point = with_decimal_point(text);
        let with_comma = with_point.filter(|_| self.decimal_comma && number.is_none());
        if let Some(proportion) = proportion_in(text, self.decimal_comma) {
            if self.has_numbers {
                let reason = format!("{text:?} is a percentage, and answers before it are not");
                return Err((reason, ONE_WAY.into()));
            }
            self.percentage.get_or_insert_with(|| (text.to_owned(), line, proportion));
            return Ok(Answer::Value(proportion));
        }
        if let (Some(_), Some((first, line, _))) = (number.or(with_comma), &self.percentage) {
            let reason = format!("{text:?} is not a percentage, as {first} on line {line} is");
            return Err((reason, ONE_WAY.into()));
        }
        if let Some((first, line, _)) = self.comma.as_ref().filter(|_| has_thousands(text, '.')) {
            let reason =
                format!("{text:?} has thousands or decimals, and {first} on line {line} a decimal comma");
            return Err((reason, "write thousands without points".into()));
        }
        self.has_numbers |= number.or(with_comma).is_some();
        if let Some(number) = number {
            return Ok(Answer::Value(number));
        }
        match with_comma {
            Some(number) => {
                self.comma.get_or_insert_with(|| (text.to_owned(), line, number));
                Ok(Answer::Value(number))
            }
            None => {
                let is_list = text.starts_with(['[', '{']) || text.contains(['|', ';']);
                let help = match (with_point, text.chars().any(char::is_alphabetic)) {
                    _ if is_sheet_error(text) => "mend the formula with this error, or write NA".into(),
                    (None, _) if has_thousands(text, ',') => "write thousands without commas".into(),
                    _ if is_list => "if cells hold several answers, add --lists to `hype import csv`".into(),
                    (Some(_), _) => {
                        "if its comma is a decimal one, add --decimal-comma to `hype import csv`".into()
                    }
                    (None, true) if !text.eq_ignore_ascii_case("inf") => {
                        "`hype import csv --options \"FIRST|SECOND|…\"` numbers answers in words".into()
                    }
                    _ => String::new(),
                };
                Err((format!("{text:?} is not a finite number"), help))
            }
        }
    }

    /// Returns the assumptions: the codes of options, and decimal commas.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.options.is_empty() {
            let codes: Vec<String> =
                (1..).zip(&self.options).map(|(code, text): (u32, _)| format!("{text} = {code}")).collect();
            notes.push(format!("codes of `{}`: {}", self.column, listed(&codes)));
        }
        if let Some((text, line, value)) = &self.comma {
            notes.push(format!(
                "decimal commas in column `{}`: {text} on line {line} is read as {value}",
                self.column
            ));
        }
        if let Some((text, line, value)) = &self.percentage {
            notes.push(format!(
                "percentages in column `{}` are read as proportions: {text} on line {line} is {value}",
                self.column
            ));
        }
        notes
    }
}

const ONE_WAY: &str = "write all answers of the column in one way";

/// The proportion that a percentage is.
pub(super) fn proportion_in(text: &str, decimal_comma: bool) -> Option<f64> {
    let number = text.strip_suffix('%')?.trim_end();
    let number = if decimal_comma { number.replacen(',', ".", 1) } else { number.to_owned() };
    number_of(&format!("{number}e-2"))
}

/// Whether a number has groups of three digits with a character between them, as thousands have.
pub(super) fn has_thousands(text: &str, separator: char) -> bool {
    let (whole, decimals) = text.rsplit_once('.').filter(|_| separator != '.').unwrap_or((text, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (first, rest) = whole.trim_start_matches('-').split_once(separator).unwrap_or_default();
    let is_first = (1..=3).contains(&first.len()) && is_number(first) && !first.starts_with('0');
    let are_groups = rest.split(separator).all(|group| group.len() == 3 && is_number(group));
    is_first && are_groups && is_number(decimals)
}

/// Whether a cell is what a spreadsheet shows for a formula without a value.
pub(super) fn is_sheet_error(text: &str) -> bool {
    ["#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!"].contains(&text)
}

/// A number with one comma in place of the point.
fn with_decimal_point(text: &str) -> Option<f64> {
    let is_decimal = text.matches(',').count() == 1 && !text.contains('.');
    is_decimal.then(|| number_of(&text.replace(',', ".")))?
}

/// The position, from 1, of the option with a given text; `None` if there is no such option.
///
/// Sources differ in their apostrophes, spaces and capitals, so these are normalized before texts are compared.
pub(super) fn option_of(text: &str, options: &[String]) -> Option<u32> {
    if options.is_empty() {
        return None;
    }
    let wanted = normalized(text);
    (1..).zip(options).find(|(_, option)| normalized(option) == wanted).map(|(place, _)| place)
}

/// A text in small letters, with straight apostrophes and single spaces, trimmed.
fn normalized(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words
        .join(" ")
        .replace(['\u{2018}', '\u{2019}', '\u{02bc}', '\u{00b4}', '\u{ff07}', '`'], "'")
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apostrophes_blanks_and_capitals_make_no_difference() {
        let clear = ["No, it's unclear.", "Yes, it's clear."].map(str::to_owned);
        assert_eq!(option_of(" yes, it\u{2019}s\u{a0}  clear.\n", &clear), Some(2));
        assert_eq!(option_of("Yes, it`s clear.", &clear), Some(2));
        assert_eq!(option_of("Neutral", &clear), None);
    }

    #[test]
    fn a_cell_is_a_number_an_option_or_missing() {
        let mut numbers = AnswerCells::new("v", &[], true);
        for (text, want) in
            [("1.5", Some(1.5)), ("1,5", Some(1.5)), ("-,5", Some(-0.5)), ("1.000,5", None), ("1,2,3", None)]
        {
            assert_eq!(numbers.read(text, 2).ok(), want.map(Answer::Value), "{text}");
        }
        assert_eq!(numbers.notes(), ["decimal commas in column `v`: 1,5 on line 2 is read as 1.5"]);
        let mut words = AnswerCells::new("v", &["w=a|b".into(), "v=No|None".into()], false);
        for (text, want) in [("none", Answer::Value(2.0)), ("1", Answer::Value(1.0)), ("NA", Answer::Missing)]
        {
            assert_eq!(words.read(text, 2), Ok(want), "{text}");
        }
        assert!(words.read("3", 2).is_err() && words.read("b", 2).is_err());
    }
}
