//! The documents of the protocol, in XML: what a HIT shows, and what a worker handed in.

use std::sync::Arc;

/// The field of the form by which the rater page hands work in whose value is the completion code.
const CODE_FIELD: &str = "code";

/// The frame adapts to the worker's window.
const FRAME_HEIGHT: u32 = 0;

/// The question of a HIT that shows a page.
pub(crate) fn external_question(address: &str) -> String {
    format!(
        "<ExternalQuestion xmlns=\"http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/\
         ExternalQuestion.xsd\"><ExternalURL>{}</ExternalURL><FrameHeight>{FRAME_HEIGHT}</FrameHeight></ExternalQuestion>",
        escaped(address)
    )
}

/// The completion code in a document of answers.
pub(crate) fn completion_code(answers: &str) -> Option<Arc<str>> {
    let answer = answers.split("<Answer>").skip(1).find(|answer| {
        between(answer, "QuestionIdentifier").is_some_and(|name| unescaped(name.trim()) == CODE_FIELD)
    })?;
    let code = unescaped(between(answer, "FreeText")?.trim());
    (!code.is_empty()).then(|| code.into())
}

/// The text of the first element with a name.
fn between<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(content, _)| content)
}

const ENTITIES: [(&str, &str); 5] =
    [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&apos;")];

fn escaped(text: &str) -> String {
    ENTITIES.iter().fold(text.to_owned(), |text, (letter, entity)| text.replace(letter, entity))
}

fn unescaped(text: &str) -> String {
    ENTITIES.iter().rev().fold(text.to_owned(), |text, (letter, entity)| text.replace(entity, letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_escaped() {
        let question = external_question("https://example.org/rate?a=1&b=<'\">");
        assert!(
            question.contains(
                "<ExternalURL>https://example.org/rate?a=1&amp;b=&lt;&apos;&quot;&gt;</ExternalURL>"
            )
        );
        assert!(question.ends_with("<FrameHeight>0</FrameHeight></ExternalQuestion>"));
    }

    #[test]
    fn the_completion_code_is_one_of_the_answers() {
        let answers = "<?xml version=\"1.0\"?><QuestionFormAnswers xmlns=\"http://mechanicalturk.amazonaws.com/\">\
                       <Answer><QuestionIdentifier>other</QuestionIdentifier><FreeText>code</FreeText></Answer>\
                       <Answer>\n <QuestionIdentifier>code</QuestionIdentifier>\n <FreeText> A&amp;amp;B </FreeText></Answer>\
                       </QuestionFormAnswers>";
        assert_eq!(completion_code(answers).as_deref(), Some("A&amp;B"));
        let empty = "<Answer><QuestionIdentifier>code</QuestionIdentifier><FreeText></FreeText></Answer>";
        for none in ["", "code", empty, "<Answer><FreeText>x</FreeText></Answer>"] {
            assert_eq!(completion_code(none), None, "{none}");
        }
    }
}
