//! Masks of texts.

use hype_chance::Streams;

/// Shuffles the letters and digits of each word of a text that [`render`](super::render) has returned: elements, lengths,
/// spaces, line breaks and punctuation stay, which makes it a mask that covers the text and says nothing. The same seed gives
/// the same mask.
///
/// A mark that combines with the letter before it moves with it.
#[must_use]
pub fn scramble(html: &str, seed: u64) -> String {
    let mut chance = Streams::new(seed).stream("scramble");
    let mut scrambled = String::with_capacity(html.len());
    let mut word: Vec<&str> = Vec::new();
    let mut flush = |word: &mut Vec<&str>, scrambled: &mut String| {
        chance.shuffle(word);
        scrambled.extend(word.drain(..));
    };
    let mut starts = html.char_indices().peekable();
    while let Some((start, character)) = starts.next() {
        // Tags, and references such as `&amp;`: in rendered text both signs are written as references.
        if let Some(last) = closing(character) {
            while starts.next_if(|(_, next)| *next != last).is_some() {}
            starts.next();
        }
        while starts.next_if(|(_, next)| combines(*next)).is_some() {}
        let end = starts.peek().map_or(html.len(), |(end, _)| *end);
        if character.is_alphanumeric() {
            word.push(&html[start..end]);
        } else {
            flush(&mut word, &mut scrambled);
            scrambled.push_str(&html[start..end]);
        }
    }
    flush(&mut word, &mut scrambled);
    scrambled
}

/// The character that ends what this one begins, if that is not shown as it is written.
fn closing(character: char) -> Option<char> {
    match character {
        '<' => Some('>'),
        '&' => Some(';'),
        _ => None,
    }
}

fn combines(character: char) -> bool {
    unicode_normalization::char::is_combining_mark(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_lengths_and_places() {
        let text = "Where the remote Bermudas ride,\n  in th’ ocean’s bosom – 1653.";
        let mask = scramble(text, 7);
        assert_eq!(mask, scramble(text, 7));
        assert_ne!(mask, scramble(text, 8));
        assert_ne!(mask, text);
        let frame = |text: &str| text.replace(char::is_alphanumeric, "x");
        assert_eq!(frame(&mask), frame(text));
        let sorted = |text: &str| {
            let mut letters: Vec<char> = text.chars().collect();
            letters.sort_unstable();
            letters
        };
        for (word, masked) in text.split_whitespace().zip(mask.split_whitespace()) {
            assert_eq!(sorted(word), sorted(masked));
        }
        assert_eq!(scramble("", 1), "");
    }

    #[test]
    fn elements_stay_what_they_are() {
        let html = "<ol start=\"12\">\n<li>Fish &amp; <strong>chips</strong> 1987</li>\n</ol>\n";
        let frame = |html: &str| {
            html.replace("start=\"12\"", "").split('>').map(|part| part.len()).collect::<Vec<_>>()
        };
        for seed in 0..20 {
            let mask = scramble(html, seed);
            assert!(
                mask.starts_with("<ol start=\"12\">\n<li>") && mask.ends_with("</li>\n</ol>\n"),
                "{mask}"
            );
            assert!(mask.contains(" &amp; <strong>"), "{mask}");
            assert_eq!(frame(&mask), frame(html));
        }
    }

    #[test]
    fn marks_stay_with_their_letters() {
        let mask = scramble("q\u{323}x", 3);
        assert!(mask.contains("q\u{323}"), "{mask}");
        assert_eq!(scramble("q\u{323}!", 3), "q\u{323}!");
    }
}
