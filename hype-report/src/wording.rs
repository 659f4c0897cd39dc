//! The languages of a report's page. Sentences are written in English, by rule, and translated where they are shown, by their
//! wording; what has no translation stays English and is marked as such.

use hype_core::MediaKind;
use hype_core::plugin::translations::{Catalogue, TranslationError};

use crate::prose::capital;
use crate::text::markup;

/// Texts in blocks of five lines, one for each of [`ReportLanguage::ALL`]. Those that name images stand again, of clips and of texts.
const TEXTS: [&str; 4] = [
    include_str!("../locale/frame.txt"),
    include_str!("../locale/figures.txt"),
    include_str!("../locale/labels.txt"),
    include_str!("../locale/media.txt"),
];

/// A language of the page of a report. Figures, tables for papers and the methods section are English.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReportLanguage {
    /// English, in which sentences are written.
    #[default]
    English,
    /// German.
    German,
    /// Spanish.
    Spanish,
    /// Simplified Chinese.
    Chinese,
    /// Arabic, written from right to left.
    Arabic,
}

impl ReportLanguage {
    /// All languages, English first.
    pub const ALL: [Self; 5] = [Self::English, Self::German, Self::Spanish, Self::Chinese, Self::Arabic];

    /// Its tag (BCP 47).
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::Spanish => "es",
            Self::Chinese => "zh",
            Self::Arabic => "ar",
        }
    }

    /// The language of a tag; `None` if reports do not have it.
    #[must_use]
    pub fn of(tag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.tag() == tag)
    }

    const fn direction(self) -> &'static str {
        match self {
            Self::Arabic => "rtl",
            _ => "ltr",
        }
    }
}

/// The texts of a report with their translations, in the order of [`ReportLanguage::ALL`].
pub(crate) fn texts() -> impl Iterator<Item = [&'static str; 5]> {
    TEXTS.into_iter().flat_map(|file| file.split("\n\n")).filter_map(|block| {
        let lines: Vec<&str> = block.lines().collect();
        lines.try_into().ok()
    })
}

/// The texts of a page in its language.
#[derive(Debug)]
pub(crate) struct Wording {
    language: ReportLanguage,
    catalogue: Catalogue,
}

impl Wording {
    /// English.
    pub(crate) fn english() -> Self {
        Self { language: ReportLanguage::English, catalogue: Catalogue::default() }
    }

    /// The translations of reports, and those that the linked crates register, of plugins' figures and measures.
    pub(crate) fn new(language: ReportLanguage) -> Result<Self, TranslationError> {
        if language == ReportLanguage::English {
            return Ok(Self::english());
        }
        let mut catalogue = Catalogue::linked(language.tag(), MediaKind::Image)?;
        let place = ReportLanguage::ALL.iter().position(|one| *one == language).unwrap_or_default();
        for text in texts() {
            catalogue.add(text[0], text[place])?;
        }
        Ok(Self { language, catalogue })
    }

    /// The attributes of the page's language.
    pub(crate) fn attributes(&self) -> String {
        attributes(self.language)
    }

    /// The attributes of an element with English content: none in an English page.
    pub(crate) fn of_english(&self) -> String {
        if self.is_english() { String::new() } else { format!(" {}", attributes(ReportLanguage::English)) }
    }

    fn is_english(&self) -> bool {
        self.language == ReportLanguage::English
    }

    /// A text for an attribute: its translation, if it has one.
    pub(crate) fn plain(&self, text: &str) -> String {
        self.pieces(text).into_iter().map(|(piece, _)| piece).collect::<Vec<_>>().join(" ")
    }

    /// A text as markup. Sentences without a translation are marked as English.
    pub(crate) fn markup(&self, text: &str) -> String {
        let pieces = self.pieces(text).into_iter().map(|(piece, is_translated)| {
            let piece = markup(&piece);
            if is_translated { piece } else { format!("<span{}>{piece}</span>", self.of_english()) }
        });
        pieces.collect::<Vec<_>>().join(" ")
    }

    /// The translation of a text: that of a label holds for it with a capital letter, too.
    fn translated(&self, text: &str) -> Option<String> {
        let known = |text: &str| Some(self.catalogue.translate(text)?.text);
        known(text).or_else(|| {
            let first = text.chars().next().filter(|first| first.is_uppercase())?;
            let rest = &text[first.len_utf8()..];
            known(&format!("{}{rest}", first.to_lowercase())).map(|text| capital(&text))
        })
    }

    /// The sentences of a text, translated where they have a translation, and whether they are in the page's language.
    fn pieces(&self, text: &str) -> Vec<(String, bool)> {
        if self.is_english() || text.is_empty() {
            return vec![(text.to_owned(), true)];
        }
        let mut pieces: Vec<(String, bool)> = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            // As few sentences as have a translation: a sentence with values would otherwise take those after it for one of them.
            let translated = ends(rest).find_map(|end| Some((self.translated(&rest[..end])?, end)));
            let (piece, is_translated, end) = match translated {
                Some((piece, end)) => (piece, true, end),
                None => {
                    let end = ends(rest).next().unwrap_or(rest.len());
                    (rest[..end].to_owned(), false, end)
                }
            };
            match pieces.last_mut().filter(|(_, known)| !known && !is_translated) {
                Some((before, _)) => {
                    before.push(' ');
                    before.push_str(&piece);
                }
                None => pieces.push((piece, is_translated)),
            }
            rest = rest[end..].trim_start();
        }
        pieces
    }
}

fn attributes(language: ReportLanguage) -> String {
    format!("lang=\"{}\" dir=\"{}\"", language.tag(), language.direction())
}

/// The ends of the sentences of a text, the first one first.
fn ends(text: &str) -> impl Iterator<Item = usize> {
    let within = text.match_indices(". ").filter(|(at, _)| {
        let next = text[at + 2..].chars().next();
        next.is_some_and(|letter| !letter.is_lowercase())
    });
    within.map(|(at, _)| at + 1).chain([text.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::room;

    #[test]
    fn every_text_is_in_all_languages_with_the_same_values() {
        let blocks = TEXTS.iter().flat_map(|file| file.trim_end().split("\n\n"));
        assert_eq!(blocks.count(), texts().count(), "blocks have five lines");
        let values = |text: &str| {
            let mut names: Vec<String> = text
                .split('{')
                .skip(1)
                .map(|rest| rest.split('}').next().unwrap().replace(['*', '#'], ""))
                .collect();
            names.sort();
            names
        };
        let mut known: Vec<&str> = Vec::new();
        for text in texts() {
            assert!(!known.contains(&text[0]), "{} stands twice", text[0]);
            known.push(text[0]);
            for translation in text {
                assert!(!translation.trim().is_empty() && translation.trim() == translation, "{text:?}");
                assert_eq!(values(translation), values(text[0]), "{translation}");
            }
        }
        for language in ReportLanguage::ALL {
            Wording::new(language).unwrap();
            assert_eq!(ReportLanguage::of(language.tag()), Some(language));
        }
    }

    #[test]
    fn no_word_is_wider_than_a_phone() {
        // Headings of the second level at 1.35 times 16 pixels, and sentences at 16, on a screen of 320 pixels with margins of 16.
        for text in texts() {
            let size = if text[0].ends_with(['.', '?']) { 16.0 } else { 1.35 * 16.0 };
            for word in text.iter().flat_map(|text| text.split(|letter: char| letter.is_whitespace())) {
                let is_chinese = word.chars().any(|letter| ('\u{3000}'..'\u{a000}').contains(&letter));
                assert!(is_chinese || room(word, size) <= 288.0, "{word}");
            }
        }
    }

    #[test]
    fn sentences_are_translated_one_by_one_and_others_are_marked() {
        let german = Wording::new(ReportLanguage::German).unwrap();
        let text = "Dots: raters. A plugin says more. It says this, too. Simulated raters.";
        assert_eq!(
            german.markup(text),
            "Punkte: Bewertende. <span lang=\"en\" dir=\"ltr\">A plugin says more. It says this, too.</span> Simulierte Bewertende."
        );
        assert_eq!(Wording::english().markup(text), text);
    }

    #[test]
    fn results_are_worded_by_the_same_rules_in_every_language() {
        let german = Wording::new(ReportLanguage::German).unwrap();
        let headline =
            "gan is the hardest to tell from real images: raters judge 51% ① of its and real images wrong.";
        let pair = "It leads vae by 5.1 points [2.0, 8.2] ② (p = 0.021), and is not told apart from dit (1.2 points [−1.0, 3.4]) and sit \
                    (2.0 points [−1.1, 5.1]).";
        let many = "It leads 2 of the 8 others, such as vae by 41 ms [20, 62] (p ≤ 0.0030). It comes first in 96% of resamples of \
                    raters.";
        let all = "It leads vae by +0.51 [0.20, 0.82]; dit by +0.61 [0.30, 0.92]; and sit by +1.21 [0.90, 1.52]; all four differ \
                   (p < 0.001).";
        assert_eq!(
            [headline, pair, many, all].map(|text| german.plain(text)),
            [
                "gan ist am schwersten von echten Bildern zu unterscheiden: Bewertende beurteilen 51% ① seiner und der echten Bilder \
                 falsch.",
                "Es liegt vor vae (um 5.1 Punkte [2.0, 8.2] ②) (p = 0.021) und ist nicht unterscheidbar von dit (1.2 Punkte [−1.0, \
                 3.4]) und sit (2.0 Punkte [−1.1, 5.1]).",
                "Es liegt vor 2 der 8 anderen, etwa vae (um 41 ms [20, 62]) (p ≤ 0.0030). In 96 % der neu gezogenen Stichproben \
                 (Bewertende) liegt es vorn.",
                "Es liegt vor vae (um +0.51 [0.20, 0.82]); dit (um +0.61 [0.30, 0.92]); und sit (um +1.21 [0.90, 1.52]); alle vier \
                 unterscheiden sich (p < 0.001).",
            ]
        );
        for language in ReportLanguage::ALL {
            let wording = Wording::new(language).unwrap();
            for (text, values) in [
                (headline, &["gan", "51", "①"][..]),
                (
                    pair,
                    &["vae", "5.1 ", "[2.0, 8.2]", "②", "0.021", "dit", "[−1.0, 3.4]", "sit", "[−1.1, 5.1]"],
                ),
                (many, &["2", "8", "vae", "41", "[20, 62]", "0.0030", "96"]),
                (all, &["vae", "+0.51", "dit", "+0.61", "sit", "[0.90, 1.52]", "p < 0.001"]),
            ] {
                let said = wording.plain(text);
                assert!(values.iter().all(|value| said.contains(value)), "{said}");
                assert!(!wording.markup(text).contains("<span"), "{said}");
            }
        }
    }
}
