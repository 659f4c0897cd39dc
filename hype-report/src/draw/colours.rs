//! Colours: of models by the order of their sets, of answers and shares from one end to the other, and of texts.
//!
//! Any two colours of models differ by at least 15 (ΔE*ab) under simulated colour blindness (Machado, Oliveira and Fernandes,
//! 2009), and by a contrast of at least 3.3 from white and 3.7 from the dark ground.

use crate::figure::Tone;

/// How many models have a colour of their own; further ones are of the colour of text.
pub(crate) const MODELS: usize = 6;

/// A colour on light and on dark ground.
struct Pair(&'static str, &'static str);

const SERIES: [Pair; MODELS] = [
    Pair("#0069A8", "#56A8E8"),
    Pair("#D45500", "#F58A42"),
    Pair("#17A078", "#3DD6A0"),
    Pair("#3A0F7D", "#6F5BE8"),
    Pair("#A06CD5", "#F2E2A6"),
    Pair("#6B0F2A", "#C45A7F"),
];
/// From one end over the middle to the other.
const STEPS: [Pair; 7] = [
    Pair("#B4530A", "#D9772B"),
    Pair("#DE8A4B", "#99501D"),
    Pair("#F0BE94", "#7E5233"),
    Pair("#CDD2D9", "#59616D"),
    Pair("#9FC6E2", "#37577A"),
    Pair("#5597C9", "#33699A"),
    Pair("#14639F", "#5FA6E0"),
];
const INK: Pair = Pair("#1b2330", "#e6eaf2");
const FAINT: Pair = Pair("#5f6b7c", "#9aa5b5");
const REAL: Pair = Pair("#6B7079", "#9AA1AC");
const ALERT: Pair = Pair("#b42318", "#ff8f80");
const ABOVE: Pair = Pair("#0069A8", "#56A8E8");
const BELOW: Pair = Pair("#D45500", "#F58A42");
const GROUND: Pair = Pair("#f0f5fb", "#1c2530");
const PAPER: Pair = Pair("#ffffff", "#14171c");

/// The place of a step among so many in [`STEPS`].
fn step(number: usize, of: usize) -> usize {
    let last = STEPS.len() - 1;
    if of < 2 { last / 2 } else { (number.min(of - 1) * last + (of - 1) / 2) / (of - 1) }
}

fn pair(tone: Tone) -> &'static Pair {
    match tone {
        Tone::Ink | Tone::ByModel => &INK,
        Tone::Faint => &FAINT,
        Tone::Accent | Tone::Above => &ABOVE,
        Tone::Below => &BELOW,
        Tone::Alert => &ALERT,
        Tone::Real => &REAL,
        Tone::Ground => &GROUND,
        Tone::Paper => &PAPER,
        // Colours of the study's own are written as they are.
        Tone::Series(number) | Tone::Own(_, number) => SERIES.get(number).unwrap_or(&INK),
        Tone::Step(number, of) => &STEPS[step(number, of)],
    }
}

/// The colour on light ground, or its grey.
pub(super) fn colour(tone: Tone, grey: bool) -> String {
    let text = match tone {
        Tone::Own(rgb, _) => format!("#{:06X}", rgb & 0x00ff_ffff),
        tone => pair(tone).0.to_owned(),
    };
    if !grey {
        return text;
    }
    let part = |at: usize| text.get(at..at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).unwrap_or(0);
    let light = 0.2126 * f64::from(part(1)) + 0.7152 * f64::from(part(3)) + 0.0722 * f64::from(part(5));
    let light = light.round() as u8;
    format!("#{light:02x}{light:02x}{light:02x}")
}

/// The ending of the classes of a colour.
pub(crate) fn class_of(tone: Tone) -> String {
    match tone {
        Tone::Ink | Tone::ByModel => "i".to_owned(),
        Tone::Faint => "f".to_owned(),
        Tone::Accent | Tone::Above => "a".to_owned(),
        Tone::Below => "l".to_owned(),
        Tone::Alert => "w".to_owned(),
        Tone::Real => "r".to_owned(),
        Tone::Ground => "u".to_owned(),
        Tone::Paper => "p".to_owned(),
        Tone::Series(number) | Tone::Own(_, number) if number < MODELS => number.to_string(),
        Tone::Series(_) | Tone::Own(..) => "i".to_owned(),
        Tone::Step(number, of) => format!("d{}", step(number, of)),
    }
}

/// The shape of a model as a letter.
pub(crate) const fn letter_of(tone: Tone) -> char {
    match tone {
        Tone::Series(number) | Tone::Own(_, number) if number < MODELS => ['●', '■', '▲', '◆'][number % 4],
        _ => '●',
    }
}

/// The colours of texts and of dark surroundings, for pages that contain figures.
#[must_use]
pub fn style() -> String {
    let single = [Tone::Ink, Tone::Faint, Tone::Above, Tone::Below, Tone::Alert, Tone::Real, Tone::Ground];
    let tones = single
        .into_iter()
        .chain([Tone::Paper])
        .chain((0..MODELS).map(Tone::Series))
        .chain((0..STEPS.len()).map(|number| Tone::Step(number, STEPS.len())));
    let rules: String = tones
        .map(|tone| {
            let (class, colour) = (class_of(tone), pair(tone).1);
            format!(".hr-f{class}{{fill:{colour}}}.hr-s{class}{{stroke:{colour}}}")
        })
        .collect();
    let texts: String = (0..MODELS)
        .map(Tone::Series)
        .chain([Tone::Real])
        .map(|tone| {
            let (class, Pair(light, dark)) = (class_of(tone), pair(tone));
            format!(".hr-t{class}{{color:light-dark({light},{dark})}}")
        })
        .collect();
    format!(
        "{texts}@media screen and (prefers-color-scheme:dark){{.hr-b{{fill:#14171c}}.hr-sg{{stroke:#313a48}}.hr-fg{{fill:#1b212b}}\
         {rules}}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance of a colour (WCAG 2.2).
    fn luminance(hex: &str) -> f64 {
        let part = |at: usize| {
            let value = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn colours_stand_out_from_their_ground() {
        let tones = (0..MODELS).map(Tone::Series).chain([Tone::Real]);
        for tone in tones {
            let Pair(light, dark) = pair(tone);
            assert!(contrast(light, "#ffffff") >= 3.3, "{light}");
            assert!(contrast(dark, "#14171c") >= 3.7, "{dark}");
        }
        for tone in [Tone::Ink, Tone::Faint, Tone::Alert] {
            let Pair(light, dark) = pair(tone);
            assert!(contrast(light, "#ffffff") >= 4.5 && contrast(dark, "#14171c") >= 4.5, "{light}");
        }
    }

    #[test]
    fn texts_stand_out_from_their_steps() {
        for number in 0..STEPS.len() {
            let tone = Tone::Step(number, STEPS.len());
            let (Pair(light, dark), Pair(text, in_dark)) = (pair(tone), pair(tone.of_text()));
            assert!(contrast(light, text) >= 4.5, "{light}");
            assert!(contrast(dark, in_dark) >= 4.5, "{dark}");
        }
    }

    #[test]
    fn steps_go_from_end_to_end() {
        assert_eq!([0, 1].map(|number| step(number, 2)), [0, 6]);
        assert_eq!([0, 1, 2].map(|number| step(number, 3)), [0, 3, 6]);
        assert_eq!([0, 1, 2, 3, 4].map(|number| step(number, 5)), [0, 2, 3, 5, 6]);
        assert_eq!((0..7).map(|number| step(number, 7)).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6]);
    }
}
