//! Faults on one line each.

use hype_yaml::diagnostics::Diagnostic;

/// Place, path, code, message and help of a fault.
pub(crate) fn line(fault: &Diagnostic) -> String {
    let place =
        fault.line.zip(fault.column).map_or("?".to_owned(), |(line, column)| format!("{line}:{column}"));
    let help = fault.help.as_ref().map_or(String::new(), |help| format!(" / {help}"));
    format!("{place} {} [{}] {}{help}", fault.path, fault.code, fault.message)
}

/// Compares the faults that a reader reports with the expected ones.
pub(crate) fn check(fault: impl Fn(&str) -> String, cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let got = fault(text);
        if got != *expected {
            wrong.push(format!("{text}\n  expected: {expected}\n  got:      {got}\n"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
