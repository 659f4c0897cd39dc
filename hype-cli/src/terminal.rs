//! The terminal: its width, safe characters, and messages on standard error.

use std::borrow::Cow;
use std::fmt;
use std::io::{IsTerminal as _, Write as _, stderr, stdout};

use terminal_size::{Width, terminal_size_of};
use unicode_width::UnicodeWidthStr as _;

/// The width of output to a file or a pipe, in columns, unless `COLUMNS` is set.
const PIPED: usize = 100;

/// The minimum width of output, in columns.
const LEAST: usize = 40;

/// The width of standard output in columns: that of the terminal, or else the environment variable `COLUMNS`.
pub(crate) fn output_width() -> usize {
    let terminal = if stdout().is_terminal() { terminal_size_of(stdout()) } else { None };
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
    let width = terminal.map(|(Width(width), _)| usize::from(width)).or_else(columns);
    width.unwrap_or(PIPED).max(LEAST)
}

/// The width of standard error in columns, if it is a terminal with cursor control.
pub(crate) fn live_width() -> Option<usize> {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if is_dumb || !stderr().is_terminal() {
        return None;
    }
    let width = terminal_size_of(stderr()).map_or(80, |(Width(width), _)| usize::from(width));
    Some(width.max(LEAST))
}

/// The width of a text in columns.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// Whether the locale is one of UTF-8. Where none is set, UTF-8 is assumed.
pub(crate) fn is_utf8() -> bool {
    let of = |name| std::env::var(name).ok().filter(|locale: &String| !locale.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(of);
    locale.is_none_or(|locale| locale.to_ascii_lowercase().replace('-', "").contains("utf8"))
}

/// Whether standard output is a terminal with colours that are wanted.
pub(crate) fn has_colours() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    stdout().is_terminal()
        && !is_set("NO_COLOR")
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// A text of one line of at most so many columns, whose end is cut off if it is longer.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let text = escaped(text).replace('\t', " ");
    if columns(&text) <= most {
        return text;
    }
    let mut kept = String::new();
    for sign in text.chars() {
        kept.push(sign);
        if columns(&kept) >= most {
            kept.pop();
            break;
        }
    }
    kept + "…"
}

/// A text with the program's own signs as those of ASCII, for locales that have no others.
pub(crate) fn plain(text: &str) -> String {
    let sign = |sign: char| match sign {
        '·' | '–' | '−' | '─' | '━' => "-".to_owned(),
        '…' => "~".to_owned(),
        '┊' | '├' | '┤' => "|".to_owned(),
        '●' => "o".to_owned(),
        '′' | '’' => "'".to_owned(),
        '“' | '”' => "\"".to_owned(),
        '±' => "+-".to_owned(),
        '∞' => "-infinity".to_owned(),
        '①'..='⑳' => format!("({})", u32::from(sign) - 0x245F),
        _ => sign.to_string(),
    };
    text.chars().map(sign).collect()
}

/// Replaces control characters, and characters that change the direction of writing, by visible ones of the same width:
/// a text cannot control the terminal. Tabs stay.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    replaced(text, |_| false)
}

/// Like [`escaped`], but keeps line breaks.
pub(crate) fn escaped_lines(text: &str) -> Cow<'_, str> {
    replaced(text, |character| character == '\n')
}

fn replaced(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let sign = |character: char| match character {
        '\t' => character,
        _ if stays(character) => character,
        '\0'..='\u{1F}' => char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{FFFD}'),
        '\u{7F}' => '\u{2421}',
        '\u{80}'..='\u{9F}' | '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            '\u{FFFD}'
        }
        _ => character,
    };
    if text.chars().all(|character| sign(character) == character) {
        Cow::Borrowed(text)
    } else {
        text.chars().map(sign).collect::<String>().into()
    }
}

/// Writes a text to standard error, without control characters other than line breaks. Errors are ignored, as there is
/// nowhere to report them.
pub(crate) fn report(text: fmt::Arguments<'_>) {
    report_styled(&escaped_lines(&text.to_string()));
}

/// Writes a text to standard error, including its escape sequences.
pub(crate) fn report_styled(text: &str) {
    let _ = writeln!(stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_visible() {
        assert_eq!(escaped("a\u{1b}[31mb\u{7f}\u{9b}\u{202e}\r\nc\td"), "a␛[31mb␡��␍␊c\td");
        assert_eq!(escaped_lines("a\n\u{7}b"), "a\n␇b");
        assert!(matches!(escaped("größe 图"), Cow::Borrowed(_)));
    }
}
