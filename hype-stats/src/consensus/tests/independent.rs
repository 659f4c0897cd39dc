//! Values of another implementation: plain Python 3.12 in logarithms, EM for thousands of iterations;
//! GLAD by gradient ascent of the marginal posterior density until no slope exceeded 1e-10.

use super::*;

/// 119 votes of five raters on 30 items, some missing, from the linear congruential generator
/// 1103515245 x + 12345 modulo 2^31.
fn data() -> LabelVotes {
    let mut state = 1_u64;
    let mut next = || {
        state = (state * 1_103_515_245 + 12_345) % (1 << 31);
        (state >> 16) as u32
    };
    let mut rows = Rows::new();
    for item in 0..30 {
        for (rater, correct) in (0..).zip([9, 7, 6, 7, 2]) {
            let [missing, chance, other] = [next(), next(), next()];
            if missing % 5 > 0 {
                rows.push((item, rater, if chance % 10 < correct { item % 3 } else { other % 3 }));
            }
        }
    }
    assert_eq!(rows.len(), 119);
    votes(&rows)
}

#[track_caller]
fn close(got: &[f64], want: &[f64], absolute: f64) {
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() <= absolute, "got {got}, want {want}");
    }
}

#[test]
fn dawid_skene_and_one_coin() {
    let votes = data();
    let found = dawid_skene(&votes, EmOptions::default()).unwrap();
    assert!(found.fit.converged);
    close(&[found.fit.log_likelihood], &[-91.381_264_273_063_45], 1e-9);
    close(&found.class_priors, &[0.312_987_564_193_304, 0.238_833_392_483_3, 0.448_179_043_323_396], 1e-9);
    close(found.confusion(2, 1), &[0.0, 0.648_111_271_038_848, 0.351_888_728_944_95], 1e-9);
    close(found.confusion(4, 2), &[0.097_178_361_845_29, 0.095_736_185_082_123, 0.807_085_453_072_588], 1e-9);

    let found = one_coin(&votes, EmOptions::default()).unwrap();
    assert!(found.fit.converged);
    close(&[found.fit.log_likelihood], &[-102.869_329_144_211_08], 1e-9);
    close(
        &[found.skills[2].unwrap(), found.skills[4].unwrap()],
        &[0.640_213_734_815_191, 0.762_143_780_762_348],
        1e-9,
    );
    close(
        found.consensus.posterior(4),
        &[8.204_812_282_487e-5, 0.999_534_444_169_285, 3.835_077_078_898e-4],
        1e-9,
    );
    // The mean posterior of a rater's votes is the skill in this model.
    for (accuracy, skill) in found.consensus.accuracies().iter().zip(&found.skills) {
        close(&[accuracy.unwrap()], &[skill.unwrap()], 1e-9);
    }
}

#[test]
fn mace_at_the_maximum() {
    let found = mace(&data(), MaceOptions::default()).unwrap();
    assert!(found.fit.converged);
    close(&found.fit.history[found.fit.iterations() - 1..], &[-112.929_521_696_764_38], 1e-8);
    let competences = [
        0.744_672_189_923_463,
        0.903_904_704_868_327,
        0.467_598_251_449_99,
        0.656_740_408_325_122,
        0.636_354_245_305_339,
    ];
    close(&found.competences, &competences, 1e-8);
    let strategy = [0.313_000_750_955_484, 0.354_808_150_960_96, 0.332_191_098_083_557];
    close(found.strategy(4), &strategy, 1e-8);
    let posterior = [5.875_460_210_35e-5, 0.999_751_872_841_214, 1.893_725_568_827e-4];
    close(found.consensus.posterior(4), &posterior, 1e-9);
}

#[test]
fn glad_at_the_maximum() {
    let options = GladOptions { tolerance: 1e-10, ..GladOptions::default() };
    let found = glad(&data(), &options).unwrap();
    assert!(found.fit.converged);
    close(&[found.fit.log_likelihood], &[-93.909_034_506_502_8], 1e-7);
    // Without constants of the priors, as here.
    close(&found.fit.history[found.fit.iterations() - 1..], &[-97.678_149_752_323_9], 1e-9);
    let abilities = [
        0.812_629_834_401_436,
        1.139_830_907_068_583,
        0.296_604_064_382_918,
        0.545_717_897_252_476,
        0.609_405_580_179_002,
    ];
    close(&found.abilities, &abilities, 1e-7);
    close(&[-found.difficulties[4].ln()], &[1.135_363_740_944_433], 1e-7);
    close(found.consensus.posterior(17), &[3.939_866_679e-6, 1.983_437_413e-5, 0.999_976_225_759_192], 1e-9);
}
