//! Patterns of names: what a column's name or a cell says about the rater, the models, the item and the measure.

/// The bytes of the longest text that a pattern fits, as there are many ways to cut a text.
const LONGEST: usize = 2_000;

/// How names are written: text, with placeholders for what they name.
///
/// `{item}_{model}` reads `img01_sdxl`; `{model:sdxl|dalle}` stands for these models alone, and `*` for any text. `{vote}` numbers
/// answers that name no raters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePattern {
    text: String,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Any,
    Name { what: Named, allowed: Vec<String> },
}

/// The kinds of names for which a placeholder stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    Rater,
    Vote,
    Model,
    Against,
    Item,
    Measure,
}

impl Named {
    const ALL: [(&'static str, Self); 6] = [
        ("rater", Self::Rater),
        ("vote", Self::Vote),
        ("model", Self::Model),
        ("against", Self::Against),
        ("item", Self::Item),
        ("measure", Self::Measure),
    ];
}

/// The parts of a name, by [`Named`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct About([Option<String>; 6]);

impl About {
    pub(super) fn get(&self, what: Named) -> Option<&str> {
        self.0[what as usize].as_deref()
    }

    /// Adds what another name says of what this one leaves open.
    pub(super) fn add(&mut self, other: Self) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            if own.is_none() {
                *own = other;
            }
        }
    }
}

/// Why a name says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unfit {
    /// The pattern does not fit.
    Never,
    /// It fits in so many ways, with different meanings.
    Often(usize),
}

impl NamePattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// If a placeholder is unknown, repeated or not closed, or there is none; the error says what is right.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            add_text(&mut parts, before);
            let (inner, after) =
                after.split_once('}').ok_or("a placeholder is not closed: write `{model}`")?;
            let (name, allowed) = inner.split_once(':').unwrap_or((inner, ""));
            let (_, what) = Named::ALL.into_iter().find(|(known, _)| *known == name).ok_or_else(|| {
                let known = Named::ALL.map(|(name, _)| format!("{{{name}}}")).join(", ");
                format!("`{{{name}}}` is unknown: write one of {known}")
            })?;
            let has_it = |part: &Part| matches!(part, Part::Name { what: known, .. } if *known == what);
            if parts.iter().any(has_it) {
                return Err(format!("`{{{name}}}` is there twice"));
            }
            let allowed = allowed.split('|').filter(|name| !name.is_empty()).map(str::to_owned).collect();
            parts.push(Part::Name { what, allowed });
            rest = after;
        }
        add_text(&mut parts, rest);
        if !parts.iter().any(|part| matches!(part, Part::Name { .. })) {
            return Err("a pattern has to name something, as in `{item}_{model}`".into());
        }
        Ok(Self { text: text.to_owned(), parts })
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn names(&self, what: Named) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Name { what: known, .. } if *known == what))
    }

    /// Reads the name of a column.
    pub(super) fn of_header(&self, name: &str) -> Result<About, Unfit> {
        self.only(name, |_| true)
    }

    /// Reads a cell, in which no name contains a separator of folders.
    pub(super) fn of_cell(&self, text: &str) -> Result<About, Unfit> {
        self.only(text, |name| !name.contains(['/', '\\']))
    }

    fn only(&self, text: &str, is_name: fn(&str) -> bool) -> Result<About, Unfit> {
        let mut found = Vec::new();
        if text.len() > LONGEST {
            return Err(Unfit::Never);
        }
        cut(&self.parts, text, is_name, &About::default(), &mut found);
        match found.len() {
            1 => found.pop().ok_or(Unfit::Never),
            0 => Err(Unfit::Never),
            several => Err(Unfit::Often(several)),
        }
    }
}

/// Adds text, in which stars stand for any text.
fn add_text(parts: &mut Vec<Part>, text: &str) {
    for (number, piece) in text.split('*').enumerate() {
        if number > 0 && parts.last() != Some(&Part::Any) {
            parts.push(Part::Any);
        }
        if !piece.is_empty() {
            parts.push(Part::Text(piece.to_owned()));
        }
    }
}

/// Adds all that the rest of a name says by the rest of a pattern, each once.
fn cut(parts: &[Part], rest: &str, is_name: fn(&str) -> bool, about: &About, found: &mut Vec<About>) {
    let ends = |from: usize| {
        let inner = rest.char_indices().map(|(place, _)| place);
        inner.chain([rest.len()]).filter(move |&end| end >= from)
    };
    match parts {
        [] if rest.is_empty() && !found.contains(about) => found.push(about.clone()),
        [] => {}
        [Part::Text(text), more @ ..] => {
            if let Some(rest) = rest.strip_prefix(text.as_str()) {
                cut(more, rest, is_name, about, found);
            }
        }
        [Part::Any, more @ ..] => {
            for end in ends(0) {
                cut(more, &rest[end..], is_name, about, found);
            }
        }
        [Part::Name { what, allowed }, more @ ..] => {
            for end in ends(1) {
                let (name, rest) = rest.split_at(end);
                let is_vote = *what != Named::Vote || name.chars().all(char::is_alphanumeric);
                if is_name(name) && is_vote && (allowed.is_empty() || allowed.iter().any(|one| one == name)) {
                    let mut about = about.clone();
                    about.0[*what as usize] = Some(name.trim().to_owned());
                    cut(more, rest, is_name, &about, found);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> NamePattern {
        NamePattern::parse(text).unwrap()
    }

    #[test]
    fn names_are_cut_by_the_pattern() {
        let ways = |text: &str, name: &str| match pattern(text).of_header(name) {
            Ok(_) => 1,
            Err(Unfit::Never) => 0,
            Err(Unfit::Often(ways)) => ways,
        };
        assert_eq!(ways("{item}_{model}", "img01_sdxl"), 1);
        assert_eq!(ways("{item}_{model}", "img_01_sdxl"), 2);
        assert_eq!(ways("{item}_{model:sdxl|dalle}", "img_01_sdxl"), 1);
        assert_eq!(ways("How real is it? [{model} - {item}]", "How real is it? [é - 1]"), 1);
        assert_eq!(ways("{item}[{model}]", "[x]"), 0);
        assert_eq!(ways("*_{vote}", "a_b_1"), 1);
        for wrong in ["{model", "{models}", "{model}{model}", "img", "*"] {
            assert!(NamePattern::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_in_paths_do_not_count_as_folders() {
        let about = pattern("*/{model}/{item}.png").of_cell("https://x.example/a/b/sdxl/0001.png").unwrap();
        assert_eq!((about.get(Named::Model), about.get(Named::Item)), (Some("sdxl"), Some("0001")));
        assert_eq!(pattern("{model}/*").of_cell("a/b/c"), pattern("{model}/*").of_cell("a/x"));
        assert_eq!(pattern("{model}_{item}").of_cell("a/b"), Err(Unfit::Never));
    }
}
