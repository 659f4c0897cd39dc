//! Rust source as tokens, without comments and test-only items.

/// A word, a literal, a path separator or a single mark of punctuation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    /// Counted from 1.
    pub(crate) line: usize,
}

/// The tokens of a file. Comments are left out; a literal is one token.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let bytes = source.as_bytes();
    let mut found = Vec::with_capacity(source.len() / 4);
    let (mut at, mut line) = (0, 1);
    while let Some(&byte) = bytes.get(at) {
        let end = match byte {
            b'\n' | b' ' | b'\t' | b'\r' => at + 1,
            b'/' if source[at..].starts_with("//") => {
                source[at..].find('\n').map_or(source.len(), |length| at + length)
            }
            b'/' if source[at..].starts_with("/*") => block_comment(bytes, at),
            _ => literal(bytes, at).unwrap_or_else(|| word_or_mark(source, at)),
        };
        let text = &source[at..end];
        let is_comment = text.starts_with("//") || text.starts_with("/*");
        if !byte.is_ascii_whitespace() && !is_comment {
            found.push(Token { text, line });
        }
        line += text.bytes().filter(|&byte| byte == b'\n').count();
        at = end;
    }
    found
}

/// The tokens without the items that follow `#[cfg(test)]`.
pub(crate) fn outside_tests<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    const TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut remaining = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let is_test = tokens[at..].iter().map(|token| token.text).take(TEST.len()).eq(TEST);
        if is_test {
            at = end_of_item(tokens, at + TEST.len());
        } else {
            remaining.push(tokens[at]);
            at += 1;
        }
    }
    remaining
}

/// The position of the bracket that closes the one at `open`; that of the last token if none does.
pub(crate) fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len().saturating_sub(1)
}

/// The end of the item that begins at `at`: after its `;`, or after the closing brace of its body.
fn end_of_item(tokens: &[Token<'_>], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "}" => {
                depth = depth.saturating_sub(1);
                let use_goes_on = tokens.get(at).is_some_and(|next| next.text == ";");
                if depth == 0 && !use_goes_on {
                    break;
                }
            }
            ";" if depth == 0 => break,
            _ => {}
        }
    }
    at
}

/// The position after the end of the comment. Block comments can be nested.
fn block_comment(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

/// The position after the string or character that begins here, if any.
fn literal(bytes: &[u8], at: usize) -> Option<usize> {
    let prefix = bytes[at..].iter().take_while(|byte| matches!(byte, b'b' | b'c' | b'r')).count();
    let marked = at + prefix.min(2);
    let is_raw = bytes[at..marked].contains(&b'r');
    match bytes.get(marked)? {
        b'"' if is_raw => Some(raw_string(bytes, marked, 0)),
        b'#' if is_raw => {
            let hashes = bytes[marked..].iter().take_while(|&&byte| byte == b'#').count();
            (bytes.get(marked + hashes) == Some(&b'"')).then(|| raw_string(bytes, marked + hashes, hashes))
        }
        b'"' => Some(quoted(bytes, marked, b'"')),
        // A lifetime has no closing quote after its first character.
        b'\'' => {
            let after = bytes.get(marked + 1)?;
            let width = match after {
                0..=0x7f => 1,
                0xc0..=0xdf => 2,
                0xe0..=0xef => 3,
                _ => 4,
            };
            let is_character = *after == b'\\' || bytes.get(marked + 1 + width) == Some(&b'\'');
            is_character.then(|| quoted(bytes, marked, b'\''))
        }
        _ => None,
    }
}

fn raw_string(bytes: &[u8], quote: usize, hashes: usize) -> usize {
    let mut at = quote + 1;
    while at < bytes.len() {
        let closes =
            bytes[at] == b'"' && bytes[at + 1..].iter().take_while(|&&byte| byte == b'#').count() >= hashes;
        if closes {
            return at + 1 + hashes;
        }
        at += 1;
    }
    bytes.len()
}

fn quoted(bytes: &[u8], quote: usize, mark: u8) -> usize {
    let mut at = quote + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == mark => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn word_or_mark(source: &str, at: usize) -> usize {
    let rest = &source[at..];
    if rest.starts_with("::") {
        return at + 2;
    }
    let word = rest.find(|character: char| !character.is_alphanumeric() && character != '_');
    match word {
        Some(0) => at + rest.chars().next().map_or(1, char::len_utf8),
        Some(length) => at + length,
        None => source.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_are_left_out_and_literals_are_whole() {
        assert_eq!(
            texts("let a = \"// no\"; // yes\n/* b /* c */ d */ r#\"\"x\"#; b'\\''; 'a'; x::<'a>"),
            [
                "let",
                "a",
                "=",
                "\"// no\"",
                ";",
                "r#\"\"x\"#",
                ";",
                "b'\\''",
                ";",
                "'a'",
                ";",
                "x",
                "::",
                "<",
                "'",
                "a",
                ">"
            ]
        );
    }

    #[test]
    fn lines_are_counted_through_comments_and_strings() {
        let found = tokens("a\n/*\n*/ \"\n\" b");
        assert_eq!(found.last(), Some(&Token { text: "b", line: 4 }));
    }

    #[test]
    fn test_only_items_are_left_out() {
        let found =
            tokens("#[cfg(test)] use a::{b, c}; x #[cfg(test)] mod t { fn f() {} } y #[cfg(test)] mod u; z");
        let remaining: Vec<&str> = outside_tests(&found).into_iter().map(|token| token.text).collect();
        assert_eq!(remaining, ["x", "y", "z"]);
    }
}
