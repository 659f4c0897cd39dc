//! Days in workbooks, which are numbers with a format of dates (ECMA-376 part 1, sections 18.8.30 and 18.17.4).

use hype_core::model::time::utc;

use super::xml::{Tag, starts};

/// The formats of dates and times that every workbook has.
const USUAL: [std::ops::RangeInclusive<u32>; 4] = [14..=22, 27..=36, 45..=47, 50..=58];

/// The formats of cells that are dates.
#[derive(Debug, Default)]
pub(super) struct Dates {
    /// By the number of a format, whether it is one of dates.
    formats: Vec<bool>,
    /// The number of the first day of 1970.
    epoch: f64,
}

impl Dates {
    pub(super) fn of(styles: &str, workbook: &str) -> Self {
        let number = |tag: &Tag<'_>| tag.attribute("numFmtId")?.parse::<u32>().ok();
        let is_own = |tag: &Tag<'_>| tag.attribute("formatCode").is_some_and(|code| is_of_dates(&code));
        let own: Vec<u32> = starts(styles, "numFmt").filter(is_own).filter_map(|tag| number(&tag)).collect();
        let is_date = |id: u32| own.contains(&id) || USUAL.iter().any(|usual| usual.contains(&id));
        let cells = styles.split("cellXfs").nth(1).unwrap_or_default();
        let formats = starts(cells, "xf").map(|xf| number(&xf).is_some_and(is_date)).collect();
        let is_from_1904 = |tag: Tag<'_>| matches!(tag.attribute("date1904").as_deref(), Some("1" | "true"));
        let epoch = if starts(workbook, "workbookPr").any(is_from_1904) { 24_107.0 } else { 25_569.0 };
        Self { formats, epoch }
    }

    /// The day of a cell with a format, such as `2024-01-05`, with a time if it has one. What is before 1970 stays a number, as
    /// formats are left over where other values are typed.
    pub(super) fn text(&self, format: Option<&str>, value: &str) -> Option<String> {
        self.formats.get(format?.parse::<usize>().ok()?).filter(|is_date| **is_date)?;
        let days = value.trim().parse::<f64>().ok()? - self.epoch;
        let text =
            (0.0..2_932_897.0).contains(&days).then(|| utc((days * 86_400.0).round() as u64 * 1_000))?;
        Some(text.trim_end_matches('Z').trim_end_matches(" 00:00:00").to_owned())
    }
}

/// Whether the code of a format has days, months, years, hours or seconds outside of quoted texts and brackets.
fn is_of_dates(code: &str) -> bool {
    let mut letters = code.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => drop(letters.by_ref().find(|letter| *letter == '"')),
            '[' => drop(letters.by_ref().find(|letter| *letter == ']')),
            '\\' | '_' | '*' => drop(letters.next()),
            'd' | 'D' | 'm' | 'M' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' => return true,
            _ => {}
        }
    }
    false
}
