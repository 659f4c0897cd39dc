//! Texts with named values.

/// A text with named values, cut at the values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    /// The text before the first value, between values, and after the last one.
    literals: Vec<String>,
    /// The names of the values, and what each may be.
    names: Vec<(String, ValueKind)>,
}

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    /// Anything that is not translated.
    Any,
    /// A text that is translated by itself, written `{*name}`.
    Text,
    /// Digits, written `{#name}`. Short texts around numbers are not mistaken for others.
    Digits,
}

/// A value in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedValue {
    name: String,
    pub(super) text: String,
    /// Whether it is a text that is translated by itself.
    pub(super) is_text: bool,
}

impl Pattern {
    /// Cuts a text at its values; `None` if it has none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (mut literals, mut names) = (Vec::new(), Vec::new());
        let mut rest = text;
        while let Some((before, name, after)) = next_value(rest) {
            literals.push(before.to_owned());
            let (name, kind) = match (name.strip_prefix('*'), name.strip_prefix('#')) {
                (Some(name), _) => (name, ValueKind::Text),
                (_, Some(name)) => (name, ValueKind::Digits),
                (None, None) => (name, ValueKind::Any),
            };
            names.push((name.to_owned(), kind));
            rest = after;
        }
        literals.push(rest.to_owned());
        (!names.is_empty()).then_some(Self { literals, names })
    }

    /// The name of a value that a translation contains and this text does not have.
    pub(super) fn unknown_value(&self, translation: &str) -> Option<String> {
        let mut rest = translation;
        while let Some((_, name, after)) = next_value(rest) {
            if !self.names.iter().any(|(known, _)| known == name) {
                return Some(name.to_owned());
            }
            rest = after;
        }
        None
    }

    /// The values that make this pattern the text; `None` if none do. No value is empty, and all but the last are as short
    /// as possible.
    pub(super) fn values(&self, text: &str) -> Option<Vec<NamedValue>> {
        let (first, others) = self.literals.split_first()?;
        let mut rest = text.strip_prefix(first.as_str())?;
        let mut values = Vec::new();
        for (place, ((name, kind), after)) in self.names.iter().zip(others).enumerate() {
            let is_last = place + 1 == self.names.len();
            let end = if is_last {
                rest.len().checked_sub(after.len()).filter(|_| rest.ends_with(after.as_str()))?
            } else {
                let least = rest.chars().next()?.len_utf8();
                least + rest[least..].find(after.as_str())?
            };
            let is_number = rest[..end].bytes().all(|byte| byte.is_ascii_digit());
            if end == 0 || (*kind == ValueKind::Digits && !is_number) {
                return None;
            }
            let is_text = *kind == ValueKind::Text;
            values.push(NamedValue { name: name.clone(), text: rest[..end].to_owned(), is_text });
            rest = &rest[end + after.len()..];
        }
        Some(values)
    }
}

/// Splits a text at its first value: the text before it, its name, and the text after it.
fn next_value(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

/// Fills the values of a translation.
pub(super) fn fill(translation: &str, values: &[NamedValue]) -> String {
    let mut filled = String::new();
    let mut rest = translation;
    while let Some((before, name, after)) = next_value(rest) {
        filled.push_str(before);
        match values.iter().find(|value| value.name == name) {
            Some(value) => filled.push_str(&value.text),
            None => filled.push_str(&format!("{{{name}}}")),
        }
        rest = after;
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pattern: &str, text: &str) -> Option<Vec<String>> {
        let values = Pattern::parse(pattern).unwrap().values(text)?;
        Some(values.into_iter().map(|value| value.text).collect())
    }

    #[test]
    fn values_are_what_stands_between_the_literals() {
        assert_eq!(Pattern::parse("No values."), None);
        assert_eq!(values("The first {count} pairs.", "The first 12 pairs."), Some(vec!["12".into()]));
        assert_eq!(values("The first {count} pairs.", "The first  pairs."), None);
        assert_eq!(values("The first {count} pairs.", "The last 12 pairs."), None);
        let judged =
            values("{*question} Judge by {*criterion}.", "Which is better? Judge by colour, i.e. hue.");
        assert_eq!(judged, Some(vec!["Which is better?".into(), "colour, i.e. hue".into()]));
        let named = values("subject {number}, {name}, here", "subject 1, a cat, grey, here");
        assert_eq!(named, Some(vec!["1".into(), "a cat, grey".into()]));
        assert_eq!(values("{#from} to {#to}", "25 to 34"), Some(vec!["25".into(), "34".into()]));
        assert_eq!(values("{#from} to {#to}", "nothing to see"), None);
        assert_eq!(values("{a}{b}", "é"), None);
        assert_eq!(values("{a}{b}", "éa"), Some(vec!["é".into(), "a".into()]));
    }

    #[test]
    fn translations_place_values_by_name() {
        let pattern = Pattern::parse("{a} before {b}").unwrap();
        let values = pattern.values("one before two").unwrap();
        assert_eq!(fill("{b} nach {a}: {b}", &values), "two nach one: two");
        assert_eq!(pattern.unknown_value("{b} nach {a}"), None);
        assert_eq!(pattern.unknown_value("{b} nach {c}"), Some("c".into()));
    }
}
