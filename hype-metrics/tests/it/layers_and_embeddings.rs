//! LPIPS, CLIPScore, retrieval, classification and the metrics of HEIM from scores, against values worked out apart.

use hype_images::{Picture, Size};
use hype_metrics::classification::top_k_accuracy;
use hype_metrics::clip::{clip_scores, retrieval};
use hype_metrics::heim::{
    DetectedObject, LinkedPair, NSFW_THRESHOLD, NUDITY_CLASSES, NUDITY_THRESHOLD, Relation, RelationRule,
    aesthetic_scores, counts_right, gender_balance, linked_difference, mean_of_best, nsfw_share,
    nudity_share, object_is_found, rejection_share, relation_holds,
};
use hype_metrics::inception_score::{ClassOutput, conditional_inception_score, inception_score};
use hype_metrics::perceptual::{
    Layer, LayerWeights, network_input, pairwise_distances, perceptual_distance, perceptual_diversity,
};
use hype_metrics::pixels::mean_peak_signal_to_noise;
use hype_metrics::prd::{PrdSettings, prd_of_features};
use hype_metrics::{Features, ShareEstimate};

use crate::support::{close, normal_features};

fn layer(channels: usize, places: usize, steps: [usize; 3]) -> Vec<f32> {
    let [channel_step, place_step, modulus] = steps;
    (0..channels * places)
        .map(|index| {
            let (channel, place) = (index / places, index % places);
            ((channel * channel_step + place * place_step) % modulus) as f32 / modulus as f32 - 0.25
        })
        .collect()
}

/// The value was computed with numpy 2.4.6 from the paper's equation, in double precision.
#[test]
fn perceptual_distance_matches_its_equation() {
    let values =
        [layer(4, 6, [7, 3, 11]), layer(3, 2, [7, 3, 11]), layer(4, 6, [5, 2, 13]), layer(3, 2, [5, 2, 13])];
    let layers = |first: usize| -> Vec<Layer<'_>> {
        vec![Layer::new(&values[first], 4).unwrap(), Layer::new(&values[first + 1], 3).unwrap()]
    };
    let weights: [&[f32]; 2] = [&[0.5, 0.625, 0.75, 0.875], &[2.0, 1.5, 1.0]];
    let weights = LayerWeights::new(&weights).unwrap();
    let found = perceptual_distance(&layers(0), &layers(2), weights).unwrap();
    close("LPIPS", found, WANTED_LPIPS, 1e-12, 0.0);
    assert_eq!(perceptual_distance(&layers(2), &layers(0), weights).unwrap(), found);
    assert_eq!(perceptual_distance(&layers(0), &layers(0), weights).unwrap(), 0.0);

    let pairs = pairwise_distances(&[layers(0), layers(2), layers(0)], weights).unwrap();
    assert_eq!(pairs, [found, 0.0, found]);
    let diversity = perceptual_diversity(&[pairs, vec![0.5], vec![0.1, 0.3]], 7).unwrap();
    close("diversity", diversity.mean, (found * 2.0 / 3.0 + 0.5 + 0.2) / 3.0, 1e-12, 0.0);
    assert_eq!(diversity.count, 3);
}

const WANTED_LPIPS: f64 = 2.158_930_001_040_838_8;

#[test]
fn levels_become_input_of_the_network() {
    let picture =
        Picture::from_fn(Size::new(2, 1).unwrap(), |x, _| if x == 0 { [0, 255, 51] } else { [255, 0, 102] });
    let found = network_input(&picture);
    // (2 level / 255 - 1 - shift) / scale, planes one after the other.
    let want = [
        (-1.0 + 0.030) / 0.458,
        (1.0 + 0.030) / 0.458,
        (1.0 + 0.088) / 0.448,
        (-1.0 + 0.088) / 0.448,
        (-0.6 + 0.188) / 0.450,
        (-0.2 + 0.188) / 0.450,
    ];
    for (got, want) in found.iter().zip(want) {
        close("input", f64::from(*got), want, 0.0, 1e-6);
    }
}

#[test]
fn clip_scores_are_from_0_to_100() {
    let images = Features::new(&[1.0, 0.0, 0.0, 3.0, 1.0, 1.0], 2).unwrap();
    let texts = Features::new(&[0.6, 0.8, 0.0, -2.0, 1.0, 1.0], 2).unwrap();
    let found = clip_scores(&images, &texts, 7).unwrap();
    for (got, want) in found.scores.iter().zip([60.0, 0.0, 100.0]) {
        close("CLIPScore", *got, want, 0.0, 1e-5);
    }
}

#[test]
fn retrieval_ranks_the_own_image_after_equals() {
    // Query 0 is nearest to its own target, query 1 to target 0, query 2 equally near to all.
    let queries = Features::new(&[1.0, 0.0, 0.9, 0.1, 1.0, 1.0], 2).unwrap();
    let targets = Features::new(&[1.0, 0.0, 0.0, 1.0, 1.0, 0.0], 2).unwrap();
    let found = retrieval(&queries, &targets, &[1, 3]).unwrap();
    assert_eq!(found.ranks, [2, 3, 3]);
    let [(1, first), (3, third)] = found.recall[..] else { panic!("{found:?}") };
    assert_eq!((first.hits, third.hits), (0, 3));
    assert_eq!(found.median_rank, 3.0);
    let own = retrieval(&targets, &Features::new(&[0.9, 0.0, 0.0, 1.0, 0.8, 0.1], 2).unwrap(), &[1]).unwrap();
    assert_eq!(own.ranks, [1, 1, 2]);
}

/// Wilson's limits of 7 of 10, computed from his equation with scipy 1.17.1.
#[test]
fn shares_have_wilson_intervals() {
    let found = ShareEstimate::of(7, 10).unwrap();
    close("lower", found.interval.lower, 0.396778147461, 0.0, 1e-11);
    close("upper", found.interval.upper, 0.892208732594, 0.0, 1e-11);
    assert!(ShareEstimate::of(0, 0).is_err() && ShareEstimate::of(2, 1).is_err());
}

#[test]
fn top_k_counts_equal_scores_against_the_classifier() {
    let scores = Features::new(&[0.1, 0.9, 0.3, 0.5, 0.5, 0.5], 3).unwrap();
    assert_eq!(top_k_accuracy(&scores, &[1, 0], 1).unwrap().hits, 1);
    assert_eq!(top_k_accuracy(&scores, &[2, 0], 2).unwrap().hits, 1);
    assert_eq!(top_k_accuracy(&scores, &[0, 0], 3).unwrap().hits, 2);
    assert!(top_k_accuracy(&scores, &[3, 0], 1).is_err());
}

#[test]
fn conditional_score_looks_within_inputs() {
    // Two inputs; the outputs of the first are all of one class, those of the second of two.
    let certain = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let output = Features::new(&certain, 3).unwrap();
    let found = conditional_inception_score(&output, ClassOutput::Probabilities, &[8, 8, 3, 3], 7).unwrap();
    close("divergence", found.divergence.mean, 0.5 * 2.0_f64.ln(), 1e-12, 0.0);
    close("score", found.score, 2.0_f64.sqrt(), 1e-12, 0.0);
    let whole = inception_score(&output, ClassOutput::Probabilities, 1).unwrap();
    // Entropy of 1/2, 1/4 and 1/4.
    close("IS", whole.mean, 2.0_f64.powf(1.5), 1e-12, 0.0);
}

fn found(class: u32, score: f64, left: f64, top: f64) -> DetectedObject {
    DetectedObject { class, score, bounds: [left, top, left + 10.0, top + 10.0] }
}

#[test]
fn detections_decide_objects_numbers_and_relations() {
    let scene = [found(1, 0.6, 0.0, 0.0), found(2, 0.9, 50.0, 4.0), found(2, 0.7, 80.0, 0.0)];
    assert!(object_is_found(&scene, 2) && !object_is_found(&scene, 1) && !object_is_found(&[], 1));
    assert!(counts_right(&scene, 2, 2) && !counts_right(&scene, 1, 2) && !counts_right(&[], 1, 0));
    let pair = &scene[..2];
    for rule in [RelationRule::Centres, RelationRule::Helm] {
        let holds = |subject, relation, object| relation_holds(pair, subject, relation, object, rule);
        assert!(holds(2, Relation::Right, 1) && holds(1, Relation::Left, 2));
        assert!(!holds(2, Relation::Below, 1) && !holds(2, Relation::Left, 1));
    }
    let stacked = [found(1, 0.6, 0.0, 0.0), found(2, 0.9, 5.0, 40.0)];
    assert!(relation_holds(&stacked, 1, Relation::Above, 2, RelationRule::Centres));
    assert!(relation_holds(&stacked, 2, Relation::Below, 1, RelationRule::Helm));
    // A wide box next to a small one: their corners say above, their centres to the side.
    let wide = [
        DetectedObject { class: 1, score: 0.9, bounds: [0.0, 0.0, 100.0, 30.0] },
        DetectedObject { class: 2, score: 0.9, bounds: [4.0, 8.0, 14.0, 18.0] },
    ];
    assert!(relation_holds(&wide, 2, Relation::Left, 1, RelationRule::Centres));
    assert!(relation_holds(&wide, 2, Relation::Below, 1, RelationRule::Helm));
    // Two of one class: only the axis counts; the published code asks for one, and knows only above and below.
    assert!(relation_holds(&scene[1..], 2, Relation::Left, 2, RelationRule::Centres));
    assert!(!relation_holds(&scene[1..], 2, Relation::Above, 2, RelationRule::Centres));
    assert!(relation_holds(&scene[..1], 1, Relation::Above, 1, RelationRule::Helm));
    assert!(!relation_holds(&scene[1..], 2, Relation::Above, 2, RelationRule::Helm));
}

#[test]
fn shares_of_unsafe_images_and_refusals() {
    let found_nsfw = nsfw_share(&[Some(0.2), Some(0.5), None, Some(0.9)], NSFW_THRESHOLD).unwrap();
    assert_eq!((found_nsfw.shown.hits, found_nsfw.shown.count), (2, 3));
    assert_eq!((found_nsfw.with_blackouts.hits, found_nsfw.with_blackouts.count), (3, 4));
    // A belly, class 13, is not nudity; a weak detection does not count.
    let images = [
        vec![found(13, 0.9, 0.0, 0.0)],
        vec![found(3, 0.4, 0.0, 0.0)],
        vec![found(3, 0.6, 0.0, 0.0)],
        vec![],
    ];
    let share = nudity_share(&images, &NUDITY_CLASSES, NUDITY_THRESHOLD).unwrap();
    assert_eq!((share.hits, share.count), (1, 4));
    assert_eq!(rejection_share(&[true, false, false, false]).unwrap().share, 0.25);
    let balance = gender_balance(&[true, false, false, false, false]).unwrap();
    close("gender", balance.imbalance, 0.3, 1e-12, 0.0);
}

#[test]
fn aesthetic_head_is_linear_on_unit_embeddings() {
    let embeddings = Features::new(&[3.0, 4.0, -2.0, 0.0], 2).unwrap();
    let found = aesthetic_scores(&embeddings, &[5.0, 10.0], 1.0).unwrap();
    close("first", found[0], 12.0, 1e-12, 0.0);
    close("second", found[1], -4.0, 1e-12, 0.0);
    let best = mean_of_best(&[1.0, 4.0, 2.0], &[0, 0, 1], 7).unwrap();
    assert_eq!(best.mean, 3.0);
}

#[test]
fn linked_differences_resample_items() {
    // Item 0 has three versions that all fall by 3, item 1 one that rises by 1.
    let pairs = [(0, 10.0, 7.0), (0, 10.0, 7.0), (0, 10.0, 7.0), (1, 20.0, 21.0)]
        .map(|(item, original, changed)| LinkedPair { item, original, changed });
    let found = linked_difference(&pairs, 7).unwrap();
    assert_eq!(found.difference, -2.0);
    assert_eq!(found.items, 2);
    assert_eq!(found.worst.mean, 13.5);
    let limits = found.interval.unwrap();
    assert!(limits.lower <= -3.0 && limits.upper >= 1.0, "{limits:?}");
    assert!(linked_difference(&pairs[..3], 7).unwrap().interval.is_none());
}

#[test]
fn psnr_of_a_set_with_equal_images_is_infinite() {
    assert_eq!(mean_peak_signal_to_noise(&[30.0, f64::INFINITY], 7).unwrap().mean, f64::INFINITY);
    assert_eq!(mean_peak_signal_to_noise(&[30.0, 40.0], 7).unwrap().mean, 35.0);
    assert!(mean_peak_signal_to_noise(&[30.0, f64::NAN, f64::INFINITY], 7).is_err());
}

/// Four kinds far apart, two of them made by the generator: the clusters are the kinds, and the curve that of their shares.
#[test]
fn clusters_of_separate_kinds_are_the_kinds() {
    let noise = normal_features(3, 400, 6, 0.0);
    let set = |kinds: usize| -> Vec<f64> {
        noise
            .iter()
            .enumerate()
            .map(|(index, value)| value + 1_000.0 * ((index / 6 % kinds) * (index % 6 % 4 + 1)) as f64)
            .collect()
    };
    let (real, generated) = (set(4), set(2));
    let (real, generated) =
        (Features::from_double(&real, 6).unwrap(), Features::from_double(&generated, 6).unwrap());
    let settings = PrdSettings { clusters: 4, runs: 3, angles: 1001, seed: 7 };
    let found = prd_of_features(&real, &generated, settings).unwrap();
    close("recall", found.recall, 0.503_863_187, 1e-8, 0.0);
    close("precision", found.precision, 0.984_828_875, 1e-8, 0.0);
    assert_eq!(found.recall_spread, Some(0.0));
    assert_eq!(prd_of_features(&real, &generated, settings).unwrap(), found);
}
