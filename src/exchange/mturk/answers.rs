//! How a batch file writes an answer.

use super::AnswerField;
use crate::exchange::fault::{ImportError, ImportFault};
use crate::exchange::table::Table;
use hype_tables::number_of;

/// The columns of one answer in one batch.
pub(super) enum Asked {
    /// One column with a text or a number.
    Cell(usize),
    /// One column per option, which says whether the option was chosen, with the option's score.
    Options(Vec<(usize, u32)>),
}

impl Asked {
    /// Finds the columns: `Answer.NAME`, or those numbered `Answer.NAME.0.on` or `Answer.NAME.1`.
    pub(super) fn find(table: &Table, answer: &AnswerField) -> Result<Self, ImportError> {
        let name = format!("Answer.{}", answer.name.strip_prefix("Answer.").unwrap_or(&answer.name));
        if table.has(&name) {
            return table.column(&name).map(Self::Cell);
        }
        let numbered = |header: &str| {
            let rest = header.strip_prefix(&name)?.strip_prefix('.')?;
            rest.strip_suffix(".on").unwrap_or(rest).parse::<u32>().ok()
        };
        let headers = table.headers().iter().enumerate();
        let mut options: Vec<(usize, u32)> =
            headers.filter_map(|(place, header)| Some((place, numbered(header)?))).collect();
        if options.is_empty() {
            return table.column(&name).map(Self::Cell);
        }
        options.sort_by_key(|&(_, number)| number);
        // HEIM numbers its options from 0, others from 1; scores begin at 1.
        let from_zero = options.first().is_some_and(|&(_, number)| number == 0);
        options.iter_mut().for_each(|(_, number)| *number = number.saturating_add(u32::from(from_zero)));
        let twice = options.windows(2).any(|pair| pair[0].1 == pair[1].1);
        let most = answer.options.len();
        let beyond = most > 0 && options.last().is_some_and(|&(_, score)| score as usize > most);
        if twice || beyond {
            let reason = match twice {
                true => "two columns are for the same option".to_owned(),
                false => format!("there are more option columns than the question's {most} options"),
            };
            return Err(ImportError::Options(format!("{}, {name}: {reason}", table.name())));
        }
        Ok(Self::Options(options))
    }

    /// The score of the answer; `None` if there is none.
    pub(super) fn value(&self, table: &Table, answer: &AnswerField) -> Result<Option<f64>, ImportFault> {
        match self {
            Self::Cell(place) => cell(table, *place, answer),
            Self::Options(options) => chosen(table, options),
        }
    }
}

fn cell(table: &Table, place: usize, answer: &AnswerField) -> Result<Option<f64>, ImportFault> {
    let text = table.cell(place);
    if text.is_empty() {
        return Ok(None);
    }
    let number = number_of(text);
    if answer.options.is_empty() {
        let help = "write a number, or name the options with --options or --heim";
        return number
            .map(Some)
            .ok_or_else(|| table.fault(Some(place), &format!("{text:?} is not a number"), help));
    }
    let most = answer.options.len();
    let scored = number.filter(|number| (1..=most).any(|score| (score as f64).total_cmp(number).is_eq()));
    option_of(text, &answer.options).map(f64::from).or(scored).map(Some).ok_or_else(|| {
        let help = format!("write a score from 1 to {most}, or one of: {}", answer.options.join(" | "));
        table.fault(Some(place), &format!("the answer is {text:?}"), &help)
    })
}

fn chosen(table: &Table, options: &[(usize, u32)]) -> Result<Option<f64>, ImportFault> {
    let mut found = None;
    for &(place, score) in options {
        let yes = match &*table.cell(place).to_ascii_lowercase() {
            "true" | "on" | "1" => true,
            "false" | "off" | "0" | "" => false,
            other => {
                return Err(table.fault(
                    Some(place),
                    &format!("the choice is {other:?}"),
                    "write true or false",
                ));
            }
        };
        if yes && found.is_some() {
            let reason = "a second option of the same question is chosen";
            return Err(table.fault(Some(place), reason, "choose one option"));
        }
        found = if yes { Some(f64::from(score)) } else { found };
    }
    Ok(found)
}

/// The position, from 1, of the option with a given text; `None` if there is no such option.
///
/// Sources differ in their apostrophes and spaces, so these are normalized before texts are compared.
fn option_of(text: &str, options: &[impl AsRef<str>]) -> Option<u32> {
    let wanted = normalized(text);
    (1..).zip(options).find(|(_, option)| normalized(option.as_ref()) == wanted).map(|(place, _)| place)
}

/// A text with straight apostrophes and single spaces, trimmed.
fn normalized(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(['\u{2018}', '\u{2019}', '\u{02bc}', '\u{00b4}', '\u{ff07}', '`'], "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apostrophes_and_blanks_make_no_difference() {
        let clear = ["No, it's unclear.", "Yes, it's clear."];
        assert_eq!(option_of(" Yes, it\u{2019}s\u{a0}  clear.\n", &clear), Some(2));
        assert_eq!(option_of("Yes, it`s clear.", &clear), Some(2));
        assert_eq!(option_of("Neutral", &clear), None);
    }
}
