//! The power of tests agrees with the reference.

use crate::reference::{cases, close, number};
use hype_stats::power::{count_for, t_test};
use hype_stats::ttest::Alternative::TwoSided;

#[test]
fn powers_and_numbers_of_values() {
    for case in cases("statistics/power.json") {
        let field = |name: &str| number(&case[name]);
        let alpha = field("alpha");
        match case["fn"].as_str().unwrap() {
            "ttest_ind" => {
                let (d, ratio) = (field("d"), field("ratio"));
                let power = |n: f64| {
                    let each = n.recip() + (ratio * n).recip();
                    t_test(d / each.sqrt(), n + ratio * n - 2.0, TwoSided, alpha)
                };
                close(&case, "power", power(field("n1")).unwrap(), field("power"), 0.0, 1e-8);
                let count = count_for(0.8, 2.0, power).unwrap();
                close(&case, "n", count, field("n1_for_power80"), 1e-6, 0.0);
            }
            "ttest_paired" => {
                let power = |n: f64| t_test(field("d") * n.sqrt(), n - 1.0, TwoSided, alpha);
                close(&case, "power", power(field("n")).unwrap(), field("power"), 0.0, 1e-8);
                let count = count_for(0.9, 2.0, power).unwrap();
                close(&case, "n", count, field("n_for_power90"), 1e-6, 0.0);
            }
            "anova_balanced" | "two_proportions_arcsine" => {}
            other => panic!("no such test: {other}"),
        }
    }
}
