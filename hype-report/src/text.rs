//! Texts inside other formats.

use std::fmt::Write as _;

/// The sign of negative numbers.
pub(crate) const MINUS: char = '\u{2212}';

/// A number with a fixed count of decimals and a typographical minus.
#[must_use]
pub fn fixed(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    match text.strip_prefix('-') {
        // A number that rounds to zero has no sign.
        Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => rest.to_owned(),
        Some(rest) => format!("{MINUS}{rest}"),
        None => text,
    }
}

/// Text inside XML and HTML, in attributes too. Characters that XML does not allow become U+FFFD.
#[must_use]
pub fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\r' | '\t' => out.push(' '),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

/// Text inside LaTeX, of commands that every encoding of fonts knows.
#[must_use]
pub(crate) fn latex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str(r"\textbackslash{}"),
            '~' => out.push_str(r"\textasciitilde{}"),
            '^' => out.push_str(r"\textasciicircum{}"),
            '<' => out.push_str(r"\textless{}"),
            '>' => out.push_str(r"\textgreater{}"),
            '|' => out.push_str(r"\textbar{}"),
            '"' if before.is_whitespace() || "([".contains(before) => out.push_str(r"\textquotedblleft{}"),
            '"' => out.push_str(r"\textquotedblright{}"),
            // A bracket after a line's end would be read as its option.
            '[' => out.push_str("{[}"),
            ']' => out.push_str("{]}"),
            MINUS => out.push_str("$-$"),
            // The mark of a note.
            '\u{2460}'..='\u{2473}' => {
                out.push_str(&format!("$^{{{}}}$", u32::from(letter) - 0x245f));
            }
            '√' => out.push_str(r"$\surd$"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(letter);
            }
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
        before = letter;
    }
    out
}

/// Whether pdfLaTeX sets a letter without further packages and fonts, as LaTeX of 2022 does.
pub(crate) fn is_known_to_pdflatex(letter: char) -> bool {
    !"«»ÐÞðþĄąĐđĘęĮįŊŋŲų".contains(letter) && (letter <= '\u{17f}' || "–—‘’“”†‡•…‰€™".contains(letter))
}

/// Text inside a table of Markdown.
#[must_use]
pub(crate) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '#' | '~' | '$' | '!' => {
                out.push('\\');
                out.push(letter);
            }
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

/// Names in a sentence: `a`, `a and b`, `a, b and c`.
pub(crate) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let mut text = String::new();
    for (place, name) in names.iter().enumerate() {
        let before = match place {
            0 => "",
            _ if place + 1 == names.len() => " and ",
            _ => ", ",
        };
        // Writing to a string cannot fail.
        let _ = write!(text, "{before}{}", name.as_ref());
    }
    text
}

/// A key for files: what a text has of lower-case letters, digits and hyphens, in its first sixty.
pub(crate) fn slug(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            letter if letter.is_ascii_alphanumeric() => out.push(letter.to_ascii_lowercase()),
            _ if !out.ends_with('-') => out.push('-'),
            _ => {}
        }
    }
    let slug = out.trim_matches('-');
    slug.get(..60).unwrap_or(slug).trim_end_matches('-').to_owned()
}
