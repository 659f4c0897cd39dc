//! How much room texts take.

use unicode_width::UnicodeWidthChar as _;

/// Widths of the characters from U+0020 to U+007E in thousandths of the font's size: the larger of those in Helvetica, from Adobe's
/// metrics, and in DejaVu Sans, the widest font that stands for `sans-serif` on common systems.
const WIDTHS: [u16; 95] = [
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337, 637, 637, 637, 637, 637,
    637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 556, 1015, 685, 687, 722, 771, 667, 611, 778, 752, 295,
    500, 667, 558, 863, 749, 788, 667, 788, 722, 667, 611, 732, 685, 989, 686, 667, 686, 391, 337, 391, 838,
    556, 500, 613, 635, 550, 635, 616, 353, 635, 634, 278, 278, 580, 278, 975, 634, 612, 635, 635, 412, 521,
    393, 634, 592, 818, 592, 592, 525, 637, 337, 637, 838,
];
/// Latin letters with marks, those of other scripts, and those that take two columns in a terminal, in parts of the font's
/// size.
const LATIN: f64 = 0.8;
const OTHER: f64 = 1.0;
const WIDE: f64 = 1.1;

/// How much wider bold letters are.
pub(crate) const BOLD: f64 = 1.15;

/// The room that a text takes at a font size, at least.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(letter).sum::<f64>() * size
}

fn letter(letter: char) -> f64 {
    let place = (letter as usize).checked_sub(0x20);
    if let Some(width) = place.and_then(|place| WIDTHS.get(place)) {
        return f64::from(*width) / 1_000.0;
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

/// The text, cut in its middle if it does not fit into so much room: names that differ differ at their ends.
pub(super) fn fitted_name(text: &str, size: f64, room: f64) -> String {
    /// The share of the room that the end has.
    const END: f64 = 0.4;
    if width(text, size) <= room {
        return text.to_owned();
    }
    let mut start = text.len();
    let mut used = 0.0;
    for (at, one) in text.char_indices().rev() {
        used += letter(one) * size;
        if used > room * END {
            break;
        }
        // Marks stay with their letters.
        if one.width() != Some(0) {
            start = at;
        }
    }
    let end = &text[start..];
    format!("{}{end}", fitted(text, size, room - width(end, size)))
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
            let cut = fitted_name(text, 12.0, 60.0);
            let (start, end) = cut.split_once('…').unwrap();
            assert!(text.starts_with(start) && text.ends_with(end) && width(&cut, 12.0) <= 60.0, "{cut}");
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
