//! Detection of unexpected separators in tables, as spreadsheets in many languages write them.

/// Separators with their names.
const SEPARATORS: [(char, &str); 4] =
    [(';', "semicolons"), ('\t', "tabs"), (',', "commas"), ('|', "vertical bars")];

/// The name of another separator in the only cell of a header; `None` if the header has several cells.
pub(crate) fn in_header<'h>(header: impl IntoIterator<Item = &'h str>) -> Option<&'static str> {
    let mut cells = header.into_iter();
    let (Some(only), None) = (cells.next(), cells.next()) else { return None };
    SEPARATORS.iter().find(|(separator, _)| only.contains(*separator)).map(|(_, name)| *name)
}
