//! The feed: one entry for each wave, in the format Atom.

use std::fmt::Write as _;

use hype_report::markup;

use crate::results::BoardResults;

/// The feed of a board; `address` is where its page is.
pub(crate) fn feed(board: &BoardResults, address: Option<&str>) -> String {
    let address = address.unwrap_or("index.html");
    let moment = |date: &str| format!("{date}T00:00:00Z");
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>{}</title>\n<id>{}</id>\n\
         <link href=\"{}\"/>\n<author><name>{}</name></author>\n<updated>{}</updated>\n",
        markup(&board.name),
        markup(&format!("{address}#board")),
        markup(address),
        markup(&board.name),
        moment(&board.date)
    );
    for wave in board.waves.iter().rev() {
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "<entry>\n<title>Wave {}</title>\n<id>{}</id>\n<link href=\"{}\"/>\n<updated>{}</updated>\n<summary>{}</summary>\n</entry>\n",
            wave.number,
            markup(&format!("{address}#wave-{}", wave.number)),
            markup(&format!("{address}#waves")),
            moment(&wave.date),
            markup(&format!("{} raters; new: {}", wave.raters, wave.new.join(", "))),
        );
    }
    out.push_str("</feed>\n");
    out
}
