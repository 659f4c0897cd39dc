//! Separators of the cells of tables, as spreadsheets in many languages write them.

/// Separators with their names, in the order in which they are preferred.
const SEPARATORS: [(char, &str); 4] =
    [(',', "commas"), ('\t', "tabs"), (';', "semicolons"), ('|', "vertical bars")];

/// The lines by which a separator is found.
const LINES: usize = 50;

/// The separator that cuts most lines at the beginning of a table into as many cells as the header, and into the most; with its
/// name. `None` if the header has none.
pub(crate) fn of_text(start: &str) -> Option<(u8, &'static str)> {
    let mut lines = vec![[0_usize; SEPARATORS.len()]];
    let (mut is_quoted, mut is_blank) = (false, true);
    for letter in start.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '\n' if !is_quoted => {
                if lines.len() == LINES {
                    break;
                }
                if !is_blank {
                    lines.push([0; SEPARATORS.len()]);
                }
                is_blank = true;
                continue;
            }
            _ => {}
        }
        is_blank &= letter.is_whitespace() && letter != '\t';
        let found = SEPARATORS.iter().position(|(separator, _)| *separator == letter);
        if let (Some(place), Some(counts), false) = (found, lines.last_mut(), is_quoted) {
            counts[place] += 1;
        }
    }
    // The last line may be cut off, or blank.
    if lines.len() > 1 {
        lines.pop();
    }
    let header = lines[0];
    let fitting = |place: usize| lines.iter().filter(|counts| counts[place] == header[place]).count();
    let places = (0..SEPARATORS.len()).rev().filter(|&place| header[place] > 0);
    let best = places.max_by_key(|&place| (fitting(place), header[place]))?;
    let (separator, name) = SEPARATORS[best];
    Some((u8::try_from(separator).unwrap_or(b','), name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_is_the_one_that_fits_most_lines() {
        for (text, want) in [
            ("a,b\n1,2\n", Some(b',')),
            ("a;b,c;d\n1;2;3,5\n1;2,0;3,5\n", Some(b';')),
            ("a\tb\n1,2\t3\n", Some(b'\t')),
            ("\"a;b;c\",d\n1,2\n", Some(b',')),
            ("a,b;c\n1,2\n3,4\n", Some(b',')),
            ("a|b", Some(b'|')),
            ("a\n1\n", None),
            ("", None),
        ] {
            assert_eq!(of_text(text).map(|found| found.0), want, "{text:?}");
        }
    }
}
