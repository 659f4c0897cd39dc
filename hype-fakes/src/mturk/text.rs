//! The documents and addresses of the protocol: XML and forms.

use std::collections::BTreeMap;

const SCHEMA: &str =
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd";

/// The address and the frame's height in the question of a HIT; `None` if it is not an external question.
pub(super) fn external_question(question: &str) -> Option<(String, u32)> {
    let rest = question.strip_prefix(&format!("<ExternalQuestion xmlns=\"{SCHEMA}\"><ExternalURL>"))?;
    let (address, rest) = rest.split_once("</ExternalURL><FrameHeight>")?;
    let height = rest.strip_suffix("</FrameHeight></ExternalQuestion>")?.parse().ok()?;
    let is_escaped = !address.contains(['<', '>', '"'])
        && address
            .match_indices('&')
            .all(|(at, _)| ENTITIES.iter().any(|(_, entity)| address[at..].starts_with(entity)));
    let address =
        ENTITIES.iter().fold(address.to_owned(), |text, (letter, entity)| text.replace(entity, letter));
    let is_web = address.starts_with("https://") || address.starts_with("http://127.0.0.1");
    (is_escaped && is_web).then_some((address, height))
}

/// The letters that XML escapes; the ampersand is the last one to be unescaped.
const ENTITIES: [(&str, &str); 5] =
    [("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&apos;"), ("&", "&amp;")];

/// Returns a worker's answers in the format of the protocol.
pub(super) fn answers(fields: &BTreeMap<String, String>) -> String {
    let escaped = |text: &str| {
        ENTITIES.iter().rev().fold(text.to_owned(), |text, (letter, entity)| text.replace(letter, entity))
    };
    let answers: String = fields
        .iter()
        .map(|(name, value)| {
            format!(
                "<Answer><QuestionIdentifier>{}</QuestionIdentifier><FreeText>{}</FreeText></Answer>",
                escaped(name),
                escaped(value)
            )
        })
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"ASCII\"?><QuestionFormAnswers xmlns=\"http://mechanicalturk.amazonaws.com/\
         AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd\">{answers}</QuestionFormAnswers>"
    )
}

/// An address with further parameters.
pub(super) fn with_parameters(address: &str, parameters: &[(&str, &str)]) -> String {
    let mut address = address.to_owned();
    for (name, value) in parameters {
        address.push(if address.contains('?') { '&' } else { '?' });
        address.push_str(name);
        address.push('=');
        for byte in value.bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                address.push(char::from(byte));
            } else {
                address.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    address
}

/// The fields of a form, as browsers send them.
pub(super) fn form(text: &str) -> BTreeMap<String, String> {
    let fields = text.split('&').filter(|field| !field.is_empty());
    fields
        .map(|field| {
            let (name, value) = field.split_once('=').unwrap_or((field, ""));
            (decoded(name), decoded(value))
        })
        .collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.filter(|_| first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(if first == b'+' { b' ' } else { first }));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read_as_they_are_meant() {
        let question = |address: &str| {
            format!(
                "<ExternalQuestion xmlns=\"{SCHEMA}\"><ExternalURL>{address}</ExternalURL><FrameHeight>0</FrameHeight>\
                 </ExternalQuestion>"
            )
        };
        let read = external_question(&question("https://example.org/?a=1&amp;amp;b=&lt;"));
        assert_eq!(read, Some(("https://example.org/?a=1&amp;b=<".into(), 0)));
        for none in ["https://example.org/?a=1&b=2", "http://example.org/", "https://example.org/<a>"] {
            assert_eq!(external_question(&question(none)), None, "{none}");
        }
        assert_eq!(external_question("<HTMLQuestion/>"), None);
    }

    #[test]
    fn forms_are_decoded() {
        let fields = form("a=1+2&b=%C3%A4%26&c&%");
        let pairs: Vec<_> = fields.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(pairs, [("%", ""), ("a", "1 2"), ("b", "ä&"), ("c", "")]);
        assert_eq!(with_parameters("https://x/?a=b", &[("c", "d e/ä")]), "https://x/?a=b&c=d%20e%2F%C3%A4");
    }
}
