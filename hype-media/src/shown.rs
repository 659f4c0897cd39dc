//! Names of files in messages and in commands.

use std::borrow::Cow;

/// Whether a character changes the direction of the text around it, unseen.
pub(crate) fn overrides_direction(character: char) -> bool {
    matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// A name for messages: control characters, and those that change the direction of text, are escaped: no name
/// can control a terminal.
pub(crate) fn shown(name: &str) -> Cow<'_, str> {
    let commands = |character: char| character.is_control() || overrides_direction(character);
    if !name.contains(commands) {
        return Cow::Borrowed(name);
    }
    let escaped = name.chars().flat_map(|character| {
        let (escaped, plain) = if commands(character) {
            (Some(character.escape_default()), None)
        } else {
            (None, Some(character))
        };
        escaped.into_iter().flatten().chain(plain)
    });
    Cow::Owned(escaped.collect())
}

/// A name as one word of a shell's command line.
pub(crate) fn word(name: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "/._-+,=@%".contains(character);
    let name = if name.starts_with('-') { format!("./{name}") } else { name.to_owned() };
    if !name.is_empty() && name.chars().all(plain) {
        return name;
    }
    format!("'{}'", shown(&name).replace('\'', r"'\''"))
}
