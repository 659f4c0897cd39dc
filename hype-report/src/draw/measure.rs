//! How much room texts take.

use unicode_width::UnicodeWidthChar as _;

/// Widths of the characters from U+0020 to U+007E in Helvetica, in thousandths of the font's size, from Adobe's metrics.
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
    556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/// The widest font of the list is this much wider than Helvetica.
const WIDEST: f64 = 1.1;
/// Latin letters with marks, those of other scripts, and those that take two columns in a terminal, in parts of the font's
/// size.
const LATIN: f64 = 0.8;
const OTHER: f64 = 1.0;
const WIDE: f64 = 1.1;

/// The room that a text takes at a font size, at least.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(letter).sum::<f64>() * size
}

fn letter(letter: char) -> f64 {
    let place = (letter as usize).checked_sub(0x20);
    if let Some(width) = place.and_then(|place| HELVETICA.get(place)) {
        return f64::from(*width) / 1_000.0 * WIDEST;
    }
    match letter.width() {
        Some(0) | None => 0.0,
        Some(1) if letter < '\u{250}' => LATIN,
        Some(1) => OTHER,
        Some(_) => WIDE,
    }
}

/// The text, cut with an ellipsis if it does not fit into so much room. Marks stay with their letters.
pub(super) fn fitted(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let room = room - OTHER * size;
    let (mut used, mut end) = (0.0, 0);
    for (at, one) in text.char_indices() {
        used += letter(one) * size;
        if used > room {
            break;
        }
        end = at + one.len_utf8();
    }
    let kept = text[..end].trim_end_matches(|one: char| one.is_whitespace() || one == '\u{200d}');
    format!("{kept}…")
}

/// The text in lines of so much room, broken between words, or within those that are longer.
pub(super) fn lines(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if width(&longer, size) <= room {
            line = longer;
            continue;
        }
        if !line.is_empty() {
            all.push(std::mem::take(&mut line));
        }
        for one in word.chars() {
            let full = !line.is_empty() && width(&line, size) + letter(one) * size > room;
            if full && one.width() != Some(0) {
                all.push(std::mem::take(&mut line));
            }
            line.push(one);
        }
    }
    if !line.is_empty() {
        all.push(line);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_texts_fit_and_keep_their_marks() {
        assert_eq!(fitted("gan", 10.0, 100.0), "gan");
        for text in ["a model with a long name", "модель".repeat(9).as_str(), "生成模型の名前", "ééééééééé"]
        {
            let cut = fitted(text, 12.0, 60.0);
            assert!(cut.ends_with('…') && width(&cut, 12.0) <= 60.0, "{cut}");
            let kept = cut.trim_end_matches('…');
            assert!(text.starts_with(kept), "{cut}");
        }
    }

    #[test]
    fn lines_keep_every_word() {
        let text = "one two three four five six seven";
        let broken = lines(text, 10.0, 60.0);
        assert!(broken.len() > 2 && broken.iter().all(|line| width(line, 10.0) <= 60.0));
        assert_eq!(broken.join(" "), text);
        let long = "m".repeat(50);
        let broken = lines(&long, 10.0, 60.0);
        assert!(broken.iter().all(|line| width(line, 10.0) <= 60.0));
        assert_eq!(broken.concat(), long);
    }
}
