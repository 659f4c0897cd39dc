//! Compact letter displays: groups that share a letter are not separable.

use crate::StatError;

const NAME: &str = "compact letter display";

/// Insertion stops where it makes more columns than this.
const MOST_COLUMNS: usize = 2_000;

/// Letters for groups, such that two groups share a letter exactly if they are not separable.
///
/// # Method
///
/// Insert and absorb (Piepho 2004, "An algorithm for a letter-based representation of all-pairwise
/// comparisons", Journal of Computational and Graphical Statistics 13): all groups begin in one column; each
/// separable pair splits every column that has both into two that lack one of them; columns contained in
/// others are absorbed. What remains are all maximal sets without a separable pair. A column whose pairs all
/// occur in others is dropped.
///
/// Separability that follows an order, as with equal standard errors, has at most one column a group. Any
/// other may have exponentially many: beyond 2,000, each pair that shares no column yet gets one that is
/// extended along the order as far as possible, which are at most as many as pairs.
///
/// # Examples
///
/// The first is separable from the last alone:
///
/// ```
/// use hype_stats::letters::LetterDisplay;
/// let display = LetterDisplay::new(&[0, 1, 2], |first, second| first.abs_diff(second) == 2)?;
/// assert_eq!([0, 1, 2].map(|group| display.text(group)), ["a", "ab", "b"]);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LetterDisplay {
    letters: Vec<Vec<usize>>,
    count: usize,
}

impl LetterDisplay {
    /// Assigns letters to the groups that `order` lists from the first to the last; the first letter goes to
    /// the first of them.
    ///
    /// `separable(first, second)` is asked once about each pair, with `first` earlier in the order.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] without groups, and [`StatError::Parameter`] for an order that does not list each
    /// group from 0 once.
    pub fn new(order: &[usize], mut separable: impl FnMut(usize, usize) -> bool) -> Result<Self, StatError> {
        let count = order.len();
        if count == 0 {
            return Err(StatError::TooFew { statistic: NAME, needed: 1, of: "groups", got: 0 });
        }
        let mut seen = vec![false; count];
        for &group in order {
            if seen.get(group).is_none_or(|&seen| seen) {
                let expected = "each number below the number of groups, once";
                return Err(StatError::Parameter { parameter: "order", expected, got: group as f64 });
            }
            seen[group] = true;
        }
        let mut matrix = vec![vec![false; count]; count];
        for first in 0..count {
            for second in first + 1..count {
                let found = separable(order[first], order[second]);
                (matrix[first][second], matrix[second][first]) = (found, found);
            }
        }
        let mut columns = insert_absorb(&matrix).unwrap_or_else(|| cover(&matrix));
        drop_redundant(&mut columns, count);
        columns.sort_by_key(|column| std::cmp::Reverse(column.clone()));
        let mut letters = vec![Vec::new(); count];
        for (letter, column) in columns.iter().enumerate() {
            for (place, _) in column.iter().enumerate().filter(|(_, has)| **has) {
                letters[order[place]].push(letter);
            }
        }
        Ok(Self { letters, count: columns.len() })
    }

    /// The number of different letters.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// The letters of a group, as ascending numbers from 0; none for a group that does not exist.
    #[must_use]
    pub fn letters(&self, group: usize) -> &[usize] {
        self.letters.get(group).map_or(&[], Vec::as_slice)
    }

    /// The letters of a group as text: `a` to `z`, `A` to `Z`, then `a1` to `Z1`, `a2` and so on.
    #[must_use]
    pub fn text(&self, group: usize) -> String {
        const ALPHABET: &[u8; 52] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let mut text = String::new();
        for letter in self.letters(group) {
            text.push(char::from(ALPHABET[letter % ALPHABET.len()]));
            if *letter >= ALPHABET.len() {
                text.push_str(&(letter / ALPHABET.len()).to_string());
            }
        }
        text
    }
}

fn contains(outer: &[bool], inner: &[bool]) -> bool {
    outer.iter().zip(inner).all(|(outer, inner)| *outer || !inner)
}

/// All maximal sets without a separable pair; `None` if there are too many on the way.
fn insert_absorb(separable: &[Vec<bool>]) -> Option<Vec<Vec<bool>>> {
    let count = separable.len();
    let mut columns = vec![vec![true; count]];
    for first in 0..count {
        for second in (first + 1..count).filter(|&second| separable[first][second]) {
            let (split, mut kept): (Vec<_>, Vec<_>) =
                columns.into_iter().partition(|column| column[first] && column[second]);
            for column in split {
                for without in [first, second] {
                    let mut half = column.clone();
                    half[without] = false;
                    if !kept.iter().any(|other| contains(other, &half)) {
                        kept.retain(|other| !contains(&half, other));
                        kept.push(half);
                    }
                }
            }
            if kept.len() > MOST_COLUMNS {
                return None;
            }
            columns = kept;
        }
    }
    Some(columns)
}

/// Maximal sets without a separable pair that together have all other pairs.
fn cover(separable: &[Vec<bool>]) -> Vec<Vec<bool>> {
    let count = separable.len();
    let mut covered = vec![vec![false; count]; count];
    let mut columns: Vec<Vec<bool>> = Vec::new();
    for first in 0..count {
        for second in first..count {
            if separable[first][second] || covered[first][second] {
                continue;
            }
            let mut members = vec![first];
            for other in (second..count).chain(0..second) {
                if other != first && members.iter().all(|&member| !separable[member][other]) {
                    members.push(other);
                }
            }
            let mut column = vec![false; count];
            for &member in &members {
                column[member] = true;
                for &other in &members {
                    covered[member][other] = true;
                }
            }
            columns.push(column);
        }
    }
    columns
}

/// Drops columns whose pairs, and whose members if they are alone, all occur in other columns.
fn drop_redundant(columns: &mut Vec<Vec<bool>>, count: usize) {
    let mut shared = vec![vec![0_usize; count]; count];
    let members = |column: &[bool]| -> Vec<usize> {
        column.iter().enumerate().filter_map(|(place, &has)| has.then_some(place)).collect()
    };
    for column in columns.iter() {
        let members = members(column);
        for &first in &members {
            for &second in &members {
                shared[first][second] += 1;
            }
        }
    }
    columns.retain(|column| {
        let members = members(column);
        let pairs = || members.iter().flat_map(|&first| members.iter().map(move |&second| (first, second)));
        let needed = pairs().any(|(first, second)| shared[first][second] < 2);
        if !needed {
            for (first, second) in pairs() {
                shared[first][second] -= 1;
            }
        }
        needed
    });
}

#[cfg(test)]
mod tests;
