//! `CITATION.cff`: how a package is cited, in the Citation File Format 1.2.0 (Druskat et al. 2021, doi:10.5281/zenodo.5171937).

use std::fmt::Write as _;

use super::protocol::Protocol;

/// The placeholder of the authors: the program does not know them, and the format requires one.
const UNKNOWN: &str = "The authors of this study (write their names here before publication)";

/// The citation file. The authors, the date, the licence and the identifier of a publication are for its publishers to add.
pub(super) fn citation(protocol: &Protocol) -> String {
    let card = &protocol.study;
    let raters = if protocol.simulated { "Ratings by synthetic raters" } else { "Ratings by people" };
    let about = match &protocol.description {
        Some(description) => format!("{raters}. {description}"),
        None => format!("{raters}, with the protocol and the findings."),
    };
    let mut text = String::new();
    let mut line = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    line("# Before publication, replace the authors, and add `date-released`, `license` and `doi` or `url`.");
    line("cff-version: 1.2.0");
    line("message: \"If you use these data, please cite them as below.\"");
    line("type: dataset");
    line(&format!("title: {}", quoted(&format!("{}: ratings and protocol", card.name))));
    line(&format!("abstract: {}", quoted(&about)));
    line("authors:");
    line(&format!("  - name: {}", quoted(UNKNOWN)));
    line("keywords:");
    line("  - \"human evaluation\"");
    line("  - \"generative models\"");
    line("identifiers:");
    for (digest, what) in [
        (card.study, "the session digest: of task, stimuli, seed and the raters' protocol"),
        (card.spec, "the digest of the whole spec"),
    ] {
        line("  - type: other");
        line(&format!("    value: {}", quoted(&format!("sha256:{digest}"))));
        line(&format!("    description: {}", quoted(what)));
    }
    line("references:");
    line("  - type: software");
    line("    title: hype");
    line("    authors:");
    line("      - name: \"The authors of hype\"");
    line(&format!("    version: {}", quoted(protocol.software.trim_start_matches("hype "))));
    text
}

/// A text as a double-quoted scalar of YAML on one line.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            // What YAML does not allow in a document, and the line breaks that it knows.
            '\u{0}'..='\u{1F}'
            | '\u{7F}'..='\u{9F}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{FEFF}'
            | '\u{FFFE}'
            | '\u{FFFF}' => {
                // Writing to a string cannot fail.
                let _ = write!(quoted, "\\u{:04X}", u32::from(character));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_back_from_their_quotes() {
        for text in [
            "plain",
            "it's \"so\" \\ # - : {",
            "a\nb\tc",
            "\u{1}\u{7f}\u{85}\u{2028}\u{feff}é研",
            "- x: y",
            "",
        ] {
            let document =
                hype_core::yaml::Document::parse_bytes(format!("t: {}", quoted(text)).as_bytes()).unwrap();
            assert_eq!(document.root().get("t").unwrap().as_str(), Some(text));
        }
    }
}
