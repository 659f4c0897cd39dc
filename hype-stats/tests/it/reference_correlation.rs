//! Correlations agree with the reference.

use crate::reference::{cases, close, number, numbers};
use hype_stats::correlation::{KendallMethod, SpearmanMethod, kendall, pearson, spearman};

#[test]
fn all_cases() {
    for case in cases("statistics/correlation.json") {
        let (x, y) = (numbers(&case["x"]), numbers(&case["y"]));
        let want = &case["pearson"];
        let found = pearson(&x, &y, 0.95).unwrap();
        close(&case, "r", found.r, number(&want["r"]), 1e-10, 0.0);
        close(&case, "r p", found.p, number(&want["p"]), 1e-8, 0.0);
        close(&case, "low", found.low, number(&want["ci95_fisher"][0]), 1e-10, 0.0);
        close(&case, "high", found.high, number(&want["ci95_fisher"][1]), 1e-10, 0.0);
        let want = &case["spearman"];
        // The reference values are those of the approximation, also for few pairs.
        let found = spearman(&x, &y, SpearmanMethod::StudentT, 0.95).unwrap();
        close(&case, "rho", found.rho, number(&want["rho"]), 1e-10, 0.0);
        close(&case, "rho p", found.p, number(&want["p"]), 1e-8, 0.0);
        for (field, method) in
            [("kendall_b_auto", KendallMethod::Auto), ("kendall_b_asymptotic", KendallMethod::Asymptotic)]
        {
            let found = kendall(&x, &y, method).unwrap();
            close(&case, field, found.tau, number(&case[field]["tau"]), 1e-10, 0.0);
            close(&case, field, found.p, number(&case[field]["p"]), 1e-8, 0.0);
        }
    }
}
