//! Numbers as people read them, and texts inside other formats.

use std::fmt::Write as _;

use hype_core::model::findings::MeasureFindings;

/// The sign of negative numbers.
const MINUS: char = '\u{2212}';

/// A number with a fixed count of decimals and a typographical minus.
#[must_use]
pub(crate) fn fixed(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    match text.strip_prefix('-') {
        // A number that rounds to zero has no sign.
        Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => rest.to_owned(),
        Some(rest) => format!("{MINUS}{rest}"),
        None => text,
    }
}

/// A p value: three decimals, and `< .001` below.
#[must_use]
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.001 { "< .001".to_owned() } else { format!("{p:.3}").trim_start_matches('0').to_owned() }
}

/// How the numbers of a measure are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Style {
    /// 100 for proportions, which are written in percent.
    pub(crate) factor: f64,
    /// Digits after the point.
    pub(crate) decimals: usize,
}

impl Style {
    /// The style in which half the width of a typical interval has two digits.
    pub(crate) fn of(found: &MeasureFindings) -> Self {
        let factor = if &*found.measure.unit == "proportion" { 100.0 } else { 1.0 };
        let mut halves: Vec<f64> = found
            .estimates
            .iter()
            .map(|one| match (&one.interval, one.se) {
                (Some(interval), _) => (interval.high - interval.low) / 2.0,
                (None, Some(se)) => 2.0 * se,
                (None, None) => one.value.abs() / 20.0,
            })
            .filter(|half| half.is_finite() && *half > 0.0)
            .collect();
        halves.sort_by(f64::total_cmp);
        let half = halves.get(halves.len() / 2).copied().unwrap_or(0.01) * factor;
        Self { factor, decimals: (1.0 - half.log10().floor()).clamp(0.0, 6.0) as usize }
    }

    /// The style in which the largest of a metric's values has four digits.
    pub(crate) fn of_metric(values: impl Iterator<Item = f64>) -> Self {
        let most = values.filter(|value| value.is_finite()).map(f64::abs).fold(0.0, f64::max);
        let digits = if most > 0.0 { most.log10().floor() } else { 0.0 };
        Self { factor: 1.0, decimals: (3.0 - digits).clamp(0.0, 6.0) as usize }
    }

    /// A number in this style.
    pub(crate) fn number(self, number: f64) -> String {
        fixed(number * self.factor, self.decimals)
    }

    /// The unit after a number, with the space before it.
    pub(crate) fn unit(self, found: &MeasureFindings) -> String {
        match &*found.measure.unit {
            "proportion" => " %".to_owned(),
            "" | "c" | "d'" => String::new(),
            unit => format!(" {unit}"),
        }
    }

    /// The unit after a difference, with the space before it.
    pub(crate) fn unit_of_difference(self, found: &MeasureFindings) -> String {
        match &*found.measure.unit {
            "proportion" => " percentage points".to_owned(),
            _ => self.unit(found),
        }
    }
}

/// The label of a measure with its unit.
pub(crate) fn labelled(found: &MeasureFindings) -> String {
    let measure = &found.measure;
    match &*measure.unit {
        "proportion" => format!("{} (%)", measure.label),
        "" | "c" | "d'" => measure.label.to_string(),
        unit => format!("{} ({unit})", measure.label),
    }
}

/// A level such as 0.95 as a percentage.
pub(crate) fn percent(share: f64) -> String {
    ((share * 1e6).round() / 1e4).to_string()
}

/// Text inside XML and HTML, in attributes too. Characters that XML does not allow become U+FFFD.
#[must_use]
pub(crate) fn markup(text: &str) -> String {
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
            // A bracket after a line's end would be taken for its option.
            '[' => out.push_str("{[}"),
            ']' => out.push_str("{]}"),
            MINUS => out.push_str("$-$"),
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
