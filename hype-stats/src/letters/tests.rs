use proptest::prelude::*;

use super::*;

fn of(rows: &[&str]) -> LetterDisplay {
    let order: Vec<usize> = (0..rows.len()).collect();
    LetterDisplay::new(&order, |first, second| rows[first].as_bytes()[second] == b'1').unwrap()
}

fn texts(display: &LetterDisplay, groups: usize) -> Vec<String> {
    (0..groups).map(|group| display.text(group)).collect()
}

/// Error rates on FFHQ by HYPE-infinity (Stein et al. 2023), separable by Tukey and Kramer's method at 0.05 as
/// computed with scipy 1.17.1: stylenat, insgen, stylegan2-ada, ldm, styleswin, unleashing, stylegan-xl,
/// projected-gan, efficient-vdvae.
#[test]
fn published_models() {
    let display = of(&[
        "001111111",
        "000111111",
        "100000011",
        "110000011",
        "110000001",
        "110000001",
        "110000001",
        "111100000",
        "111111100",
    ]);
    assert_eq!(texts(&display, 9), ["a", "ab", "bc", "c", "cd", "cd", "cd", "de", "e"]);
    assert_eq!(display.count(), 5);
}

#[test]
fn nothing_and_everything_separable() {
    let display = of(&["000", "000", "000"]);
    assert_eq!(texts(&display, 3), ["a", "a", "a"]);
    let display = of(&["011", "101", "110"]);
    assert_eq!(texts(&display, 3), ["a", "b", "c"]);
    assert_eq!(texts(&of(&["0"]), 1), ["a"]);
    assert_eq!(display.text(7), "");
}

#[test]
fn letters_follow_the_order_and_continue_beyond_the_alphabet() {
    let display = LetterDisplay::new(&[2, 0, 1], |_, _| true).unwrap();
    assert_eq!(texts(&display, 3), ["b", "c", "a"]);
    let order: Vec<usize> = (0..120).collect();
    let display = LetterDisplay::new(&order, |_, _| true).unwrap();
    assert_eq!([25, 26, 51, 52, 104].map(|group| display.text(group)), ["z", "A", "Z", "a1", "a2"]);
}

#[test]
fn bad_orders_are_refused() {
    assert!(matches!(LetterDisplay::new(&[], |_, _| true), Err(StatError::TooFew { .. })));
    for order in [[0, 0], [1, 2]] {
        assert!(matches!(LetterDisplay::new(&order, |_, _| true), Err(StatError::Parameter { .. })));
    }
}

fn check(separable: &[Vec<bool>]) {
    let count = separable.len();
    let order: Vec<usize> = (0..count).collect();
    let display = LetterDisplay::new(&order, |first, second| separable[first][second]).unwrap();
    for (first, row) in separable.iter().enumerate() {
        assert!(!display.letters(first).is_empty());
        for (second, separable) in row.iter().enumerate().skip(first + 1) {
            let shares = display.letters(first).iter().any(|letter| display.letters(second).contains(letter));
            assert_eq!(shares, !separable, "{first} {second}");
        }
    }
}

/// The complement of a perfect matching of 24 groups has 2^12 maximal sets.
#[test]
fn exponentially_many_sets_are_not_made() {
    let separable: Vec<Vec<bool>> = (0..24)
        .map(|first| (0..24).map(|second| first != second && first / 2 == second / 2).collect())
        .collect();
    assert!(insert_absorb(&separable).is_none());
    check(&separable);
}

#[test]
fn two_hundred_models() {
    let separable: Vec<Vec<bool>> =
        (0..200_usize).map(|first| (0..200).map(|second| first.abs_diff(second) > 30).collect()).collect();
    check(&separable);
}

proptest! {
    #[test]
    fn two_share_a_letter_exactly_if_they_are_not_separable(
        count in 1_usize..14,
        bits in proptest::collection::vec(any::<bool>(), 196),
    ) {
        let separable: Vec<Vec<bool>> = (0..count)
            .map(|first| {
                (0..count)
                    .map(|second| first != second && bits[first.min(second) * 14 + first.max(second)])
                    .collect()
            })
            .collect();
        check(&separable);
        let mut columns = cover(&separable);
        let all = insert_absorb(&separable).unwrap();
        prop_assert!(columns.iter().all(|column| all.contains(column)));
        columns.dedup();
        prop_assert!(columns.len() <= all.len());
    }
}
