//! The XML of workbooks: tags, attributes and text. Entities of document types are not expanded.

use std::borrow::Cow;

/// The next event in a document.
#[derive(Debug, PartialEq)]
pub(super) enum Event<'a> {
    Start(Tag<'a>),
    /// The end of an element, by its name without a prefix.
    End(&'a str),
    Text(Cow<'a, str>),
}

/// The start of an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tag<'a> {
    /// Its name without a prefix.
    pub(super) name: &'a str,
    attributes: &'a str,
    /// Whether it ends at once.
    pub(super) is_empty: bool,
}

impl Tag<'_> {
    /// The value of an attribute, by its name with its prefix.
    pub(super) fn attribute(&self, wanted: &str) -> Option<String> {
        let mut rest = self.attributes;
        loop {
            let (name, after) = rest.split_once('=')?;
            let quote = after.trim_start().chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            let (value, after) = after.trim_start().get(1..)?.split_once(quote)?;
            if name.trim() == wanted {
                return Some(unescaped(value).into_owned());
            }
            rest = after;
        }
    }
}

/// A document that is read from its beginning.
pub(super) struct Document<'a>(pub(super) &'a str);

impl<'a> Iterator for Document<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        loop {
            let text = self.0;
            if text.is_empty() {
                return None;
            }
            let Some(tag) = text.strip_prefix('<') else {
                let (found, rest) = text.split_at(text.find('<').unwrap_or(text.len()));
                self.0 = rest;
                return Some(Event::Text(unescaped(found)));
            };
            if let Some(data) = tag.strip_prefix("![CDATA[") {
                let (found, rest) = data.split_once("]]>").unwrap_or((data, ""));
                self.0 = rest;
                return Some(Event::Text(Cow::Borrowed(found)));
            }
            let end = match tag {
                comment if comment.starts_with("!--") => "-->",
                instruction if instruction.starts_with('?') => "?>",
                _ => ">",
            };
            let (inner, rest) = tag.split_once(end)?;
            self.0 = rest;
            if inner.starts_with(['!', '?']) {
                continue;
            }
            let local = |name: &'a str| name.trim().rsplit(':').next().unwrap_or_default();
            if let Some(name) = inner.strip_prefix('/') {
                return Some(Event::End(local(name)));
            }
            let (inner, is_empty) = inner.strip_suffix('/').map_or((inner, false), |inner| (inner, true));
            let (name, attributes) =
                inner.split_once(|letter: char| letter.is_ascii_whitespace()).unwrap_or((inner, ""));
            return Some(Event::Start(Tag { name: local(name), attributes, is_empty }));
        }
    }
}

/// A text with its entities replaced; unknown ones stay.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let found = after.split_once(';').and_then(|(name, after)| Some((entity(name)?, after)));
        rest = match found {
            Some((letter, after)) => {
                out.push(letter);
                after
            }
            None => {
                out.push('&');
                after
            }
        };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn entity(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

/// The starts of elements of a name.
pub(super) fn starts<'a>(document: &'a str, name: &'a str) -> impl Iterator<Item = Tag<'a>> {
    Document(document).filter_map(move |event| match event {
        Event::Start(tag) if tag.name == name => Some(tag),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_text_and_entities_are_read() {
        let text = "<?xml version='1.0'?><!-- <a> --><x:a r=\"1&amp;2\" t = 's'>b &#233;&lt;&nbsp;<c/></x:a><![CDATA[<d>]]>";
        let events: Vec<Event<'_>> = Document(text).collect();
        let [Event::Start(a), Event::Text(b), Event::Start(c), Event::End("a"), Event::Text(d)] = &events[..]
        else {
            panic!("{events:?}")
        };
        assert_eq!(
            (a.name, a.attribute("r").as_deref(), a.attribute("t").as_deref()),
            ("a", Some("1&2"), Some("s"))
        );
        assert_eq!((a.attribute("q"), c.name, c.is_empty, a.is_empty), (None, "c", true, false));
        assert_eq!((&**b, &**d), ("b é<&nbsp;", "<d>"));
    }
}
