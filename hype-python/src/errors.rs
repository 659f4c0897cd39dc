//! The exceptions of `hype_eval`.

use hype_cli::embed::CallError;
use pyo3::prelude::*;

use crate::values::dictionaries;

/// `HypeError` with its diagnostics.
pub(crate) fn raised(py: Python<'_>, error: &CallError) -> PyErr {
    made(py, "HypeError", (spoken(&error.text), dictionaries(&error.diagnostics)))
}

/// `HypeError` without diagnostics.
pub(crate) fn error(py: Python<'_>, text: &str) -> PyErr {
    made(py, "HypeError", (spoken(text), "[]"))
}

/// `HypeBug`: the library panicked.
pub(crate) fn bug(py: Python<'_>, text: &str) -> PyErr {
    made(py, "HypeBug", (format!("a bug in hype: {text}"),))
}

fn made<'py>(py: Python<'py>, name: &str, arguments: impl pyo3::call::PyCallArgs<'py>) -> PyErr {
    let class = py.import("hype_eval._errors").and_then(|module| module.getattr(name));
    match class.and_then(|class| class.call1(arguments)) {
        Ok(exception) => PyErr::from_value(exception),
        Err(other) => other,
    }
}

/// A message with options of the command line as the keyword arguments that they are here: `generalize_to=` for `--generalize-to`.
fn spoken(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        let (before, option) = (&rest[..at], &rest[at + 2..]);
        out.push_str(before);
        let is_word = |letter: char| letter.is_ascii_lowercase() || letter == '-';
        let end = option.find(|letter: char| !is_word(letter)).unwrap_or(option.len());
        let starts = before.chars().next_back().is_none_or(|last| !last.is_alphanumeric() && last != '-');
        if starts && option.starts_with(|first: char| first.is_ascii_lowercase()) {
            let name = option[..end].trim_end_matches('-');
            out.push_str(&name.replace('-', "_"));
            out.push('=');
            rest = &option[name.len()..];
            // The value of an option stands after its name.
            if rest.starts_with(' ') && rest[1..].starts_with(|first: char| first.is_ascii_uppercase()) {
                rest = &rest[1..];
            }
        } else {
            out.push_str("--");
            rest = option;
        }
    }
    out.push_str(rest);
    out
}
