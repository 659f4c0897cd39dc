//! A strict reader of the LaTeX that tables are written in.

use crate::typeset::OTHER_LETTERS;

/// Commands without arguments that texts may have.
const LETTERS: [&str; 8] = [
    "textbackslash",
    "textasciitilde",
    "textasciicircum",
    "textless",
    "textgreater",
    "textbar",
    "textquotedblleft",
    "textquotedblright",
];

/// Reads a text up to the end of its group; returns the cells between `&`.
fn cells(text: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let (mut depth, mut is_math) = (0_u32, false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                let next = letters.next().unwrap();
                if next.is_ascii_alphabetic() {
                    let mut name = next.to_string();
                    while let Some(more) = letters.next_if(char::is_ascii_alphabetic) {
                        name.push(more);
                    }
                    assert!(LETTERS.contains(&&*name), "\\{name} in {text}");
                    assert_eq!(
                        (letters.next(), letters.next()),
                        (Some('{'), Some('}')),
                        "\\{name} has an end in {text}"
                    );
                } else {
                    assert!("&%$#_{}".contains(next), "\\{next} in {text}");
                }
                cells.last_mut().unwrap().push(next);
            }
            '{' => depth += 1,
            '}' => depth = depth.checked_sub(1).unwrap_or_else(|| panic!("a }} too many in {text}")),
            // The mark of a note.
            '$' if letters.clone().next() == Some('^') => {
                let mark: String = letters.by_ref().take_while(|letter| *letter != '$').collect();
                let number = mark.strip_prefix("^{").and_then(|rest| rest.strip_suffix('}')).unwrap();
                assert!(number.parse::<u32>().is_ok(), "{mark} in {text}");
                cells.last_mut().unwrap().push_str(number);
            }
            '$' if is_math || letters.clone().take(6).collect::<String>() != "\\surd$" => is_math = !is_math,
            '$' => cells.last_mut().unwrap().extend(letters.by_ref().take(6)),
            '&' => {
                assert_eq!(depth, 0, "{text}");
                cells.push(String::new());
            }
            '%' | '#' | '_' | '^' | '~' | '"' | '<' | '>' | '|' => panic!("a bare {letter} in {text}"),
            '[' | ']' => assert!(depth > 0, "a bare bracket in {text}"),
            letter => {
                assert!(!letter.is_control(), "{text}");
                assert!(!is_math || letter == '-', "{letter} in a formula of {text}");
                cells.last_mut().unwrap().push(letter);
            }
        }
    }
    assert!(depth == 0 && !is_math, "{text} is open");
    cells
}

/// The number of rows of a table with rules of `booktabs`: one environment in another, or a long table, whose rows have as many
/// cells as there are columns.
pub(crate) fn rows(latex: &str) -> usize {
    let mut open: Vec<&str> = Vec::new();
    let (mut columns, mut rows, mut rules) = (0, 0, Vec::new());
    for line in latex.lines() {
        if line == OTHER_LETTERS
            || line.starts_with("% \\usepackage{booktabs")
            || ["\\centering", "\\footnotesize", "\\setlength{\\tabcolsep}{3pt}"].contains(&line)
            || line.starts_with("\\label{tab:")
        {
            continue;
        }
        if let Some(rest) = line.strip_prefix("\\begin{") {
            let (name, rest) = rest.split_once('}').unwrap();
            open.push(name);
            if !rest.is_empty() {
                let align = rest.strip_prefix('{').unwrap().strip_suffix('}').unwrap();
                // Columns of a paper have no room at their ends.
                let align =
                    align.strip_prefix("@{}").and_then(|rest| rest.strip_suffix("@{}")).unwrap_or(align);
                assert!(!align.is_empty() && align.chars().all(|one| "lr".contains(one)), "{line}");
                columns = align.len();
            }
        } else if let Some(rest) = line.strip_prefix("\\end{") {
            assert_eq!(open.pop(), rest.strip_suffix('}'), "{line}");
        } else if let Some(rest) = line.strip_prefix("\\caption{") {
            let end = rest.rfind("}\\label{tab:").unwrap_or(rest.len() - 1);
            cells(&rest[..end]);
        } else if ["\\toprule", "\\midrule", "\\bottomrule"].contains(&line) {
            rules.push(line);
        } else if !["\\endfirsthead", "\\endhead", "\\endlastfoot"].contains(&line) {
            let row = line.strip_suffix(" \\\\").unwrap_or_else(|| panic!("{line} has no end"));
            assert_eq!(cells(row).len(), columns, "{line}");
            rows += 1;
        }
    }
    assert!(open.is_empty(), "{open:?}");
    let is_long = latex.contains("longtable}{");
    let heads = if is_long { 2 } else { 1 };
    assert_eq!(rules.len(), 2 * heads + 1, "{rules:?}");
    rows - heads
}
