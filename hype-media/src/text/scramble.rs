//! Masks of texts.

use hype_chance::Streams;

/// Shuffles the letters and digits of each word of a text: lengths, spaces, line breaks and punctuation stay, so
/// that the mask covers the text and says nothing. The same seed gives the same mask.
///
/// A mark that combines with the letter before it moves with it.
#[must_use]
pub fn scramble(text: &str, seed: u64) -> String {
    let mut chance = Streams::new(seed).stream("scramble");
    let mut scrambled = String::with_capacity(text.len());
    let mut word: Vec<&str> = Vec::new();
    let mut flush = |word: &mut Vec<&str>, scrambled: &mut String| {
        chance.shuffle(word);
        scrambled.extend(word.drain(..));
    };
    let mut starts = text.char_indices().peekable();
    while let Some((start, character)) = starts.next() {
        while starts.next_if(|(_, next)| combines(*next)).is_some() {}
        let end = starts.peek().map_or(text.len(), |(end, _)| *end);
        if character.is_alphanumeric() {
            word.push(&text[start..end]);
        } else {
            flush(&mut word, &mut scrambled);
            scrambled.push_str(&text[start..end]);
        }
    }
    flush(&mut word, &mut scrambled);
    scrambled
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
    fn marks_stay_with_their_letters() {
        let mask = scramble("q\u{323}x", 3);
        assert!(mask.contains("q\u{323}"), "{mask}");
        assert_eq!(scramble("q\u{323}!", 3), "q\u{323}!");
    }
}
