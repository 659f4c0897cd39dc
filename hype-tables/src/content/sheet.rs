//! A sheet of an Excel workbook (Office Open XML, ECMA-376 part 1, section 18) as text with commas.

use super::dates::Dates;
use super::xml::{Document, Event, Tag, starts};
use super::zip::Archive;
use hype_core::words::cut;

use super::{ContentError, push_cell};
use crate::cell::harmless;

/// The most cells of a sheet, with the empty ones between others.
const MOST_CELLS: usize = 20_000_000;

/// The sheet of a name, or the first visible one: a line for each row, and what is said about it.
pub(super) fn as_text(archive: &Archive<'_>, wanted: Option<&str>) -> Result<(String, String), ContentError> {
    let workbook = archive.text("xl/workbook.xml")?;
    let sheets: Vec<Tag<'_>> = starts(&workbook, "sheet").collect();
    let is_visible = |sheet: &&Tag<'_>| sheet.attribute("state").is_none_or(|state| state == "visible");
    let name = |sheet: &Tag<'_>| sheet.attribute("name").unwrap_or_default();
    let is_wanted =
        |sheet: &&Tag<'_>| wanted.map_or_else(|| is_visible(sheet), |wanted| name(sheet) == wanted);
    let sheet = sheets.iter().find(is_wanted).ok_or_else(|| {
        let named = wanted.map(|wanted| format!(" `{wanted}`")).unwrap_or_default();
        let names: Vec<String> = sheets.iter().map(name).collect();
        let help = format!("its sheets are {}", cut(&names, 20, ", "));
        ContentError::other(format!("a workbook without a sheet{named}"), help)
    })?;
    let relations = archive.text("xl/_rels/workbook.xml.rels")?;
    let id = sheet.attribute("r:id").unwrap_or_default();
    let relation = starts(&relations, "Relationship").find(|one| one.attribute("Id").as_deref() == Some(&id));
    let target = relation.and_then(|one| one.attribute("Target")).unwrap_or_default();
    let path = target.strip_prefix('/').map_or_else(|| format!("xl/{target}"), str::to_owned);
    let shared = match archive.has("xl/sharedStrings.xml") {
        true => shared_texts(&archive.text("xl/sharedStrings.xml")?),
        false => Vec::new(),
    };
    let dates = match archive.has("xl/styles.xml") {
        true => Dates::of(&archive.text("xl/styles.xml")?, &workbook),
        false => Dates::default(),
    };
    let text = Rows::read(&archive.text(&path)?, &shared, &dates)?;
    let others: Vec<String> = sheets.iter().filter(|one| *one != sheet).map(name).collect();
    let more = match (&others[..], wanted) {
        ([], _) | (_, Some(_)) => String::new(),
        (_, None) => format!(", and not {}: name another as FILE#SHEET", cut(&others, 3, ", ")),
    };
    Ok((text, format!("read the sheet `{}`{more}", name(sheet))))
}

/// The texts that cells refer to by number, without phonetic readings.
fn shared_texts(document: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let (mut text, mut is_text, mut is_phonetic) = (String::new(), false, false);
    for event in Document(document) {
        match event {
            Event::Start(tag) if tag.name == "t" => is_text = !tag.is_empty && !is_phonetic,
            Event::Start(tag) if tag.name == "rPh" => is_phonetic = !tag.is_empty,
            Event::Start(tag) if tag.name == "si" && tag.is_empty => texts.push(String::new()),
            Event::End("t") => is_text = false,
            Event::End("rPh") => is_phonetic = false,
            Event::End("si") => texts.push(std::mem::take(&mut text)),
            Event::Text(found) if is_text => text.push_str(&found),
            _ => {}
        }
    }
    texts
}

/// The rows of a sheet as they are read.
#[derive(Default)]
struct Rows {
    out: String,
    /// The rows that are written, and the cells of the one that is read.
    rows: usize,
    row: Vec<String>,
    /// The most cells of a row so far.
    width: usize,
    cells: usize,
}

impl Rows {
    fn read(document: &str, shared: &[String], dates: &Dates) -> Result<String, ContentError> {
        let mut rows = Self::default();
        let (mut kind, mut column, mut value, mut is_value) = (String::new(), 0, String::new(), false);
        let mut format = None;
        for event in Document(document) {
            match event {
                Event::Start(tag) if tag.name == "row" => {
                    rows.row.clear();
                    rows.begin(&tag)?;
                    if tag.is_empty {
                        rows.end()?;
                    }
                }
                Event::Start(tag) if tag.name == "c" => {
                    column = tag.attribute("r").and_then(|at| column_of(&at)).unwrap_or(rows.row.len());
                    kind = tag.attribute("t").unwrap_or_default();
                    format = tag.attribute("s").filter(|_| matches!(&*kind, "" | "n"));
                    value.clear();
                }
                Event::Start(tag) => is_value = matches!(tag.name, "v" | "t") && !tag.is_empty,
                Event::Text(text) if is_value => value.push_str(&text),
                Event::Text(_) => {}
                Event::End("c") => {
                    let date = dates.text(format.as_deref(), &value);
                    rows.cell(column, &kind, date.as_deref().unwrap_or(&value), shared)?;
                }
                Event::End("row") => rows.end()?,
                Event::End(_) => is_value = false,
            }
        }
        Ok(rows.out)
    }

    /// Writes the empty rows before a row.
    fn begin(&mut self, row: &Tag<'_>) -> Result<(), ContentError> {
        let number: usize = row.attribute("r").and_then(|row| row.parse().ok()).unwrap_or(self.rows + 1);
        let empty = number.saturating_sub(self.rows + 1);
        self.count(empty)?;
        self.rows += empty;
        self.out.extend(std::iter::repeat_n('\n', empty));
        Ok(())
    }

    fn cell(
        &mut self,
        column: usize,
        kind: &str,
        value: &str,
        shared: &[String],
    ) -> Result<(), ContentError> {
        let text = match kind {
            "s" => {
                value.trim().parse::<usize>().ok().and_then(|at| shared.get(at)).map_or("", String::as_str)
            }
            _ => value,
        };
        let text = match (kind, text.trim().parse::<f64>()) {
            // Numbers are written with all their digits: 0.1 as 0.10000000000000001.
            ("" | "n", Ok(number)) => number.to_string(),
            ("b", Ok(truth)) => (truth > 0.5).to_string(),
            _ => harmless(text).into_owned(),
        };
        if text.is_empty() {
            return Ok(());
        }
        self.count((column + 1).saturating_sub(self.row.len()))?;
        if self.row.len() <= column {
            self.row.resize(column + 1, String::new());
        }
        self.row[column] = text;
        Ok(())
    }

    fn end(&mut self) -> Result<(), ContentError> {
        self.width = self.width.max(self.row.len());
        if !self.row.is_empty() {
            self.count(self.width.saturating_sub(self.row.len()))?;
            self.row.resize(self.width, String::new());
        }
        for (column, cell) in self.row.iter().enumerate() {
            if column > 0 {
                self.out.push(',');
            }
            push_cell(&mut self.out, cell);
        }
        self.out.push('\n');
        self.rows += 1;
        self.row.clear();
        Ok(())
    }

    fn count(&mut self, cells: usize) -> Result<(), ContentError> {
        self.cells = self.cells.saturating_add(cells);
        match self.cells > MOST_CELLS {
            true => Err(ContentError::other("a sheet of more than 20 million cells", "save it as CSV")),
            false => Ok(()),
        }
    }
}

/// The column of a reference such as `AB12`, from 0.
fn column_of(reference: &str) -> Option<usize> {
    let letters = reference.bytes().take_while(u8::is_ascii_uppercase);
    let number = letters.take(4).fold(0, |sum, letter| 26 * sum + usize::from(letter - b'A' + 1));
    number.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_placed_by_their_references() {
        let sheet = "<sheetData><row r=\"2\"><c r=\"A2\" t=\"s\"><v>1</v></c><c r=\"C2\" t=\"s\"><v>0</v></c></row>\
                     <row r=\"4\"><c r=\"B4\"><f>1/10</f><v>0.10000000000000001</v></c><c r=\"C4\" t=\"e\"><v>#N/A</v></c></row>\
                     <row><c t=\"b\"><v>1</v></c><c t=\"inlineStr\"><is><t>a,</t><t>b</t></is></c></row></sheetData>";
        let shared = shared_texts("<sst><si><t>x</t></si><si><r><t>y</t></r><rPh><t>no</t></rPh></si></sst>");
        assert_eq!(shared, ["x", "y"]);
        assert_eq!(
            Rows::read(sheet, &shared, &Dates::default()).unwrap(),
            "\ny,,x\n\n,0.1,#N/A\ntrue,\"a,b\",\n"
        );
        assert_eq!((column_of("A1"), column_of("AB12"), column_of("12")), (Some(0), Some(27), None));
        let far = "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row r=\"99999999999\"><c r=\"A1\"><v>1</v></c></row>";
        assert!(Rows::read(far, &[], &Dates::default()).is_err());
    }
}
