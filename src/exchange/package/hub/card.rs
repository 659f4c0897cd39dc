//! The head of a dataset card: what a hub reads of `README.md` to list the data and to load its tables.

use std::fmt::Write as _;

use super::PREFERENCES;
use crate::exchange::package::citation::quoted;
use crate::exchange::package::codebook::Codebook;
use crate::exchange::package::protocol::Protocol;

/// The head, in YAML between two lines of dashes. Each table is a configuration, the scores that which is loaded by default. The licence
/// is for publishers to add.
pub(crate) fn head(protocol: &Protocol, codebook: &Codebook, files: &[(&str, &str)]) -> String {
    let mut text = format!(
        "---\npretty_name: {}\ntags:\n- human-evaluation\n- generative-models\n- {}\n",
        quoted(&format!("{}: ratings and protocol", protocol.study.name)),
        quoted(&protocol.study.task)
    );
    let rows = codebook.files.iter().map(|table| table.rows).max().unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "size_categories:\n- {}\nconfigs:", size(rows));
    let tables = codebook.files.iter().map(|table| &*table.name);
    let pairs = files.iter().map(|(name, _)| *name).filter(|name| *name == PREFERENCES);
    for name in tables.chain(pairs) {
        let config = name.split('.').next().unwrap_or(name);
        let _ = writeln!(text, "- config_name: {config}\n  data_files: {name}");
        if config == "scores" {
            text.push_str("  default: true\n");
        }
    }
    text.push_str("---\n\n");
    text
}

/// The words that hubs have for a number of rows.
const fn size(rows: u64) -> &'static str {
    match rows {
        0..1_000 => "n<1K",
        1_000..10_000 => "1K<n<10K",
        10_000..100_000 => "10K<n<100K",
        100_000..1_000_000 => "100K<n<1M",
        1_000_000..10_000_000 => "1M<n<10M",
        _ => "10M<n<100M",
    }
}
