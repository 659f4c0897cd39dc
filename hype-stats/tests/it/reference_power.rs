//! The power of tests agrees with the reference.

use crate::reference::{cases, close, number};
use hype_stats::power::{count_for, one_way, paired, proportions, student};
use hype_stats::ttest::Alternative::TwoSided;

#[test]
fn powers_and_numbers_of_values() {
    for case in cases("statistics/power.json") {
        let field = |name: &str| number(&case[name]);
        let alpha = field("alpha");
        match case["fn"].as_str().unwrap() {
            "ttest_ind" => {
                let (d, ratio) = (field("d"), field("ratio"));
                let power = |n: f64| Ok(student(d, [n, ratio * n], TwoSided, alpha)?.power);
                close(&case, "power", power(field("n1")).unwrap(), field("power"), 0.0, 1e-8);
                let count = count_for(0.8, 2.0, power).unwrap();
                close(&case, "n", count, field("n1_for_power80"), 1e-6, 0.0);
            }
            "ttest_paired" => {
                let power = |n: f64| Ok(paired(field("d"), n, TwoSided, alpha)?.power);
                close(&case, "power", power(field("n")).unwrap(), field("power"), 0.0, 1e-8);
                let count = count_for(0.9, 2.0, power).unwrap();
                close(&case, "n", count, field("n_for_power90"), 1e-6, 0.0);
            }
            "anova_balanced" => {
                let (f, k) = (field("f"), field("k"));
                // One mean apart from k - 1 equal ones.
                let mut means = vec![0.0; k as usize];
                means[0] = f * k / (k - 1.0).sqrt();
                let power = |n: f64| Ok(one_way(&means, 1.0, n, alpha)?.power);
                close(&case, "power", power(field("n_per_group")).unwrap(), field("power"), 0.0, 1e-8);
                let count = count_for(0.8, 2.0, power).unwrap();
                close(&case, "n", k * count, field("n_total_for_power80"), 1e-6, 0.0);
            }
            "two_proportions_arcsine" => {
                let power = |n: f64| proportions(field("p1"), field("p2"), n, TwoSided, alpha);
                close(&case, "power", power(field("n_each")).unwrap(), field("power"), 0.0, 1e-8);
                let count = count_for(0.8, 2.0, power).unwrap();
                close(&case, "n", count, field("n_for_power80"), 1e-6, 0.0);
            }
            other => panic!("no such test: {other}"),
        }
    }
}
