//! Letters of published models follow from the ratings of their raters.

use crate::reference_anova::models;
use hype_stats::describe::mean;
use hype_stats::letters::LetterDisplay;
use hype_stats::pairwise::tukey_kramer;

/// Tukey and Kramer's comparisons at 0.05: 20 of 36 pairs differ.
#[test]
fn letters_of_published_models() {
    let Some(models) = models("ffhq256.csv") else { return };
    let (names, groups): (Vec<String>, Vec<Vec<f64>>) = models.into_iter().unzip();
    let means: Vec<f64> = groups.iter().map(|values| mean(values).unwrap()).collect();
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by(|&left, &right| means[right].total_cmp(&means[left]));
    let pairs = tukey_kramer(&groups, 0.95).unwrap();
    assert_eq!(pairs.iter().filter(|pair| pair.p < 0.05).count(), 20);
    let display = LetterDisplay::new(&order, |first, second| {
        let ends = (first.min(second), first.max(second));
        pairs.iter().any(|pair| (pair.first, pair.second) == ends && pair.p < 0.05)
    })
    .unwrap();
    let found: Vec<(&str, String)> =
        order.iter().map(|&group| (names[group].as_str(), display.text(group))).collect();
    let want = [
        ("stylenat", "a"),
        ("insgen", "ab"),
        ("stylegan2-ada", "bc"),
        ("ldm", "c"),
        ("styleswin", "cd"),
        ("unleashing", "cd"),
        ("stylegan-xl", "cd"),
        ("projected-gan", "de"),
        ("efficient-vdvae", "e"),
    ];
    assert_eq!(found, want.map(|(name, letters)| (name, letters.to_owned())));
}
