//! Numbers in texts for people.

/// The numbers of a text: the number, and half of its last digit. Digits inside words are not numbers.
pub fn numbers(text: &str) -> Vec<(f64, f64)> {
    let letters: Vec<char> = text.chars().map(|one| if one == '−' { '-' } else { one }).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let is_start = before.is_none_or(|before| !before.is_alphanumeric() && before != '.');
        let is_point = letters[at] == '.' && letters.get(at + 1).is_some_and(char::is_ascii_digit);
        if !(is_start && (letters[at].is_ascii_digit() || is_point)) {
            at += 1;
            continue;
        }
        let (mut end, mut points) = (at, 0);
        while letters.get(end).is_some_and(|one| {
            let is_point = *one == '.' && points == 0;
            one.is_ascii_digit() || is_point && letters.get(end + 1).is_some_and(char::is_ascii_digit)
        }) {
            points += usize::from(letters[end] == '.');
            end += 1;
        }
        let is_word = letters.get(end).is_some_and(|after| after.is_alphabetic() || *after == '_');
        if !is_word {
            let text: String = letters[at..end].iter().collect();
            let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
            // A hyphen between words is not a minus.
            let is_negative =
                before == Some('-') && at.checked_sub(2).is_none_or(|two| !letters[two].is_alphanumeric());
            let number: f64 = format!("0{text}").parse().unwrap();
            found.push((if is_negative { -number } else { number }, 0.5 / 10_f64.powi(decimals)));
        }
        at = end.max(at + 1);
    }
    found
}

/// The visible text of markup.
pub fn plain(markup: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for letter in markup.chars() {
        match letter {
            '<' => inside = true,
            '>' => inside = false,
            letter if !inside => text.push(letter),
            _ => {}
        }
    }
    ["&quot;", "&#39;", "&lt;", "&gt;"]
        .iter()
        .fold(text, |text, entity| text.replace(entity, " "))
        .replace("&amp;", "&")
}

/// Returns the text between two others.
pub fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("there is no {start}"));
    rest.split_once(end).unwrap_or_else(|| panic!("there is no {end} after {start}")).0
}

#[test]
fn numbers_of_texts_are_found() {
    let of = |text| numbers(text).into_iter().map(|(number, _)| number).collect::<Vec<_>>();
    assert_eq!(of("−2.5 to 3, p = .012 (95 % of sd1.5-turbo)"), [-2.5, 3.0, 0.012, 95.0]);
    assert_eq!(numbers("0.30"), [(0.3, 0.005)]);
    assert_eq!(of("hype 0.1.0"), [0.1]);
}
