"""Makes the cases in this folder: simulated and published inputs, with values by libraries other than ours.

python -m venv venv && venv/bin/pip install scipy statsmodels pingouin krippendorff choix scikit-learn
venv/bin/python make_cases.py

Non-finite numbers are the strings "nan", "inf" and "-inf".
"""

import json
from importlib.metadata import version
from pathlib import Path

import choix
import krippendorff
import numpy as np
import pingouin
from scipy import optimize, stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater, multitest, oneway, proportion

HERE = Path(__file__).parent
RNG = np.random.default_rng(20_260_401)


def plain(value):
    """A value as JSON has it."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(one) for one in value]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if np.isfinite(value) else str(float(value))
    return value


def write(path, cases, *packages):
    versions = {name: version(name) for name in ("numpy", *packages)}
    text = json.dumps({"versions": versions, "cases": plain(cases)}, separators=(",", ":"))
    (HERE / path).write_text(text.replace('{"id"', '\n{"id"') + "\n")


def rounded(values, digits=4):
    return np.round(values, digits)


# Cushny and Peebles 1905, as in Student 1908: hours of sleep gained by two drugs.
SLEEP = ([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
         [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])


def t_tests():
    samples = {"sleep": SLEEP,
               "simulated": (rounded(RNG.normal(30, 8, 14)), rounded(RNG.normal(36, 15, 23)))}
    cases = []
    for name, (a, b) in samples.items():
        a, b = np.array(a), np.array(b)
        case = {"id": name, "a": a, "b": b}
        for test, equal in (("student", True), ("welch", False)):
            for side in ("two-sided", "less", "greater"):
                found = stats.ttest_ind(a, b, equal_var=equal, alternative=side)
                case[f"{test}_{side}"] = t_test(found)
        if len(a) == len(b):
            case["paired"] = t_test(stats.ttest_rel(a, b))
            found = stats.wilcoxon(a, b, method="approx", zero_method="wilcox")
            case["wilcoxon_approx"] = {"w": found.statistic, "p": found.pvalue}
        cases.append(case)
    write("statistics/ttests.json", cases, "scipy")


def t_test(found):
    interval = found.confidence_interval(0.95)
    return {"t": found.statistic, "p": found.pvalue, "df": found.df, "ci95": [interval.low, interval.high]}


def analyses_of_variance():
    # R's PlantGrowth: Dobson 1983, An Introduction to Statistical Modelling, table 7.1.
    plants = [[4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14],
              [4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69],
              [6.31, 5.12, 5.54, 5.50, 5.37, 5.29, 4.92, 6.15, 5.80, 5.26]]
    simulated = [list(rounded(RNG.normal(mean, sd, n))) for mean, sd, n in
                 ((10, 1, 9), (11, 2, 14), (12.5, 1.5, 7), (11, 3, 11))]
    cases = []
    for name, groups in (("plant_growth", plants), ("simulated", simulated)):
        everything = np.concatenate(groups)
        n, k = len(everything), len(groups)
        between = sum(len(group) * (np.mean(group) - everything.mean()) ** 2 for group in groups)
        within = sum(((np.array(group) - np.mean(group)) ** 2).sum() for group in groups)
        anova = stats.f_oneway(*groups)
        welch = oneway.anova_oneway(groups, use_var="unequal", welch_correction=True)
        mean_within = within / (n - k)
        case = {
            "id": name, "groups": groups, "f": anova.statistic, "p": anova.pvalue,
            "df_between": k - 1, "df_within": n - k, "ss_between": between, "ss_within": within,
            "ms_within": mean_within, "eta_sq": between / (between + within),
            "omega_sq": (between - (k - 1) * mean_within) / (between + within + mean_within),
            "welch_anova": {"f": welch.statistic, "p": welch.pvalue, "df_num": welch.df_num, "df_den": welch.df_denom},
        }
        for field, equal, levels in (("tukey", True, (95, 99)), ("games_howell_scipy", False, (95,))):
            found = stats.tukey_hsd(*groups, equal_var=equal)
            case[field] = {"p": found.pvalue}
            if equal:
                case[field]["diff"] = found.statistic
            for level in levels:
                interval = found.confidence_interval(level / 100)
                case[field] |= {f"ci{level}_low": interval.low, f"ci{level}_high": interval.high}
        import pandas
        table = pandas.DataFrame({"group": [f"g{i:02}" for i, group in enumerate(groups) for _ in group],
                                  "value": everything})
        pairs = pingouin.pairwise_gameshowell(table, dv="value", between="group")
        case["games_howell_pingouin"] = {field: list(pairs[field]) for field in
                                         ("A", "B", "diff", "se", "T", "df", "pval")}
        cases.append(case)
    write("statistics/anova_tukey.json", cases, "scipy", "statsmodels", "pingouin")


def intraclass_correlations():
    # Shrout and Fleiss 1979, table 2; the published coefficients are those of their table 4.
    published = {"ICC1": 0.17, "ICC2": 0.29, "ICC3": 0.71, "ICC1k": 0.44, "ICC2k": 0.62, "ICC3k": 0.91}
    shrout = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    simulated = rounded(RNG.normal(0, 1, (9, 1)) + RNG.normal(0, 0.4, (1, 3)) + RNG.normal(0, 0.7, (9, 3)))
    cases = []
    for name, items, printed in (("shrout_fleiss_1979", shrout, published), ("simulated", simulated, {})):
        x = np.array(items, float)
        n, k = x.shape
        rows = k * ((x.mean(1) - x.mean()) ** 2).sum() / (n - 1)
        columns = n * ((x.mean(0) - x.mean()) ** 2).sum() / (k - 1)
        within = ((x - x.mean(1, keepdims=True)) ** 2).sum() / (n * (k - 1))
        error = ((x - x.mean(1, keepdims=True) - x.mean(0) + x.mean()) ** 2).sum() / ((n - 1) * (k - 1))
        top = stats.f(n - 1, n * (k - 1)), stats.f(n - 1, (n - 1) * (k - 1))
        f = rows / within, rows / error
        # Confidence limits by McGraw and Wong 1996, table 7.
        single = {"ICC1": ((rows - within) / (rows + (k - 1) * within), f[0], n * (k - 1)),
                  "ICC2": ((rows - error) / (rows + (k - 1) * error + k * (columns - error) / n), f[1], (n - 1) * (k - 1)),
                  "ICC3": ((rows - error) / (rows + (k - 1) * error), f[1], (n - 1) * (k - 1))}
        average = {"ICC1": (rows - within) / rows, "ICC2": (rows - error) / (rows + (columns - error) / n),
                   "ICC3": (rows - error) / rows}
        case = {"id": name, "targets_by_raters": x, "pingouin": {}, "psych_R": {}, "published": printed}
        others = {"ICC1": "ICC({},1)|ICC({},k)".replace("{}", "1"), "ICC2": "ICC(A,1)|ICC(A,k)", "ICC3": "ICC(C,1)|ICC(C,k)"}
        for kind, (icc, ratio, below) in single.items():
            if kind == "ICC2":
                a, b = k * icc * (columns / error), n * (1 + (k - 1) * icc) - k * icc
                degrees = (k - 1) * (n - 1) * (a + b) ** 2 / ((n - 1) * a**2 + b**2)
                upper, lower = stats.f.ppf(0.975, n - 1, degrees), stats.f.ppf(0.975, degrees, n - 1)
                rest = k * columns + (k * n - k - n) * error
                limits = [n * (rows - upper * error) / (upper * rest + n * rows),
                          n * (lower * rows - error) / (rest + n * lower * rows)]
            else:
                low = ratio / stats.f.ppf(0.975, n - 1, below)
                high = ratio * stats.f.ppf(0.975, below, n - 1)
                limits = [(low - 1) / (low + k - 1), (high - 1) / (high + k - 1)]
            p = stats.f.sf(ratio, n - 1, below)
            for suffix, other, value, ends in zip(
                ("", "k"), others[kind].split("|"), (icc, average[kind]),
                (limits, [k * limit / (1 + limit * (k - 1)) for limit in limits])
            ):
                case["pingouin"][other] = {"ICC": value, "F": ratio, "df1": n - 1, "df2": below, "pval": p}
                case["psych_R"][kind + suffix] = {"icc": value, "lo95": ends[0], "hi95": ends[1]}
        cases.append(case)
    write("statistics/icc.json", cases, "scipy")


def kappas():
    cases = []
    for name, table in (("two_by_two", [[20, 5], [10, 15]]), ("simulated", RNG.integers(1, 20, (4, 4)) + 25 * np.eye(4, dtype=int))):
        table = np.array(table)
        ratings = np.array([(i, j) for i in range(len(table)) for j in range(len(table)) for _ in range(table[i, j])]).T
        case = {"id": name, "table": table}
        for field, weights in (("unweighted", None), ("linear", "linear"), ("quadratic", "quadratic")):
            found = inter_rater.cohens_kappa(table, wt=weights, return_results=True)
            case[field] = {"kappa": found.kappa, "se": found.std_kappa, "se0": found.std_kappa0, "z": found.z_value,
                           "p": found.pvalue_two_sided, "ci95": [found.kappa_low, found.kappa_upp],
                           "sklearn": cohen_kappa_score(*ratings, weights=weights)}
        cases.append(case)
    write("statistics/cohen_kappa.json", cases, "statsmodels", "scikit-learn")

    shares = RNG.dirichlet([1.0, 1.5, 0.7, 1.0], 25)
    table = np.array([RNG.multinomial(6, share) for share in shares])
    kappa = inter_rater.fleiss_kappa(table, method="fleiss")
    write("statistics/fleiss_kappa.json", [{"id": "simulated", "table": table, "kappa": kappa, "published": {}}], "statsmodels")

    # Krippendorff 2011, Computing Krippendorff's alpha-reliability, section C.
    nan = np.nan
    paper = [[1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan], [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
             [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan], [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan]]
    worth = RNG.integers(1, 6, 20)
    noisy = np.clip(worth + RNG.integers(-1, 2, (4, 20)), 1, 5).astype(float)
    noisy[RNG.random((4, 20)) < 0.15] = nan
    cases = []
    for name, data, printed in (("krippendorff_2011_c", np.array(paper), {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}),
                                ("simulated", noisy, {})):
        case = {"id": name, "data_raters_by_units": data, "published": printed}
        for metric in ("nominal", "ordinal", "interval", "ratio"):
            case[metric] = krippendorff.alpha(reliability_data=data, level_of_measurement=metric)
        cases.append(case)
    write("statistics/krippendorff.json", cases, "krippendorff")


def fit_bradley_terry(wins):
    """Newton's method on the centred scale; wins[i][j] counts how often i beat j."""
    wins = np.array(wins, float)
    n = len(wins)
    both = wins + wins.T
    theta = np.zeros(n)
    for _ in range(100):
        p = 1 / (1 + np.exp(theta[None, :] - theta[:, None]))
        gradient = (wins - both * p).sum(1)
        weights = both * p * (1 - p)
        information = np.diag(weights.sum(1)) - weights
        theta = theta + np.linalg.pinv(information) @ gradient
        theta -= theta.mean()
    covariance = np.linalg.pinv(information)
    return theta, (wins * np.log(np.where(wins > 0, p, 1))).sum(), covariance


def preferences():
    # Agresti 1990, Categorical Data Analysis, table 10.9: the American League's East in 1987, home and away together,
    # as wins of the row's team over the column's, with its strengths relative to the last team's.
    teams = [[0, 7, 9, 7, 7, 9, 11], [6, 0, 7, 5, 11, 9, 9], [4, 6, 0, 7, 7, 8, 12], [6, 8, 6, 0, 6, 7, 10],
             [6, 2, 6, 7, 0, 7, 12], [4, 4, 5, 6, 6, 0, 6], [2, 4, 1, 3, 1, 7, 0]]
    theta, _, covariance = fit_bradley_terry(teams)
    first = [np.sqrt(covariance[i, i] + covariance[0, 0] - 2 * covariance[i, 0]) for i in range(7)]
    cases = [{"id": "baseball_1987", "wins": teams, "theta": theta, "theta_minus_first": theta - theta[0], "se_ref_first": first}]
    n, votes = 5, 220
    strength = np.array([0.9, 0.3, 0.0, -0.4, -0.8])
    a, b, winner = [], [], []
    for _ in range(votes):
        one, other = RNG.choice(n, 2, replace=False)
        tie = RNG.random() < 0.15
        a.append(one), b.append(other)
        winner.append(0 if tie else 1 if RNG.random() < 1 / (1 + np.exp(strength[other] - strength[one])) else 2)
    case = {"id": "simulated", "n": n, "a": a, "b": b, "winner": winner}
    for field, half in (("bt_half_ties", 0.5), ("bt_no_ties", 0.0)):
        wins = np.zeros((n, n))
        for one, other, won in zip(a, b, winner):
            wins[one, other] += {0: half, 1: 1.0, 2: 0.0}[won]
            wins[other, one] += {0: half, 1: 0.0, 2: 1.0}[won]
        theta, loglik, covariance = fit_bradley_terry(wins)
        case[field] = {"theta": theta, "loglik": loglik, "se_sumzero": np.sqrt(np.diag(covariance)), "cov": covariance}
    decided = [(one, other) if won == 1 else (other, one) for one, other, won in zip(a, b, winner) if won]
    ilsr = choix.ilsr_pairwise(n, decided, max_iter=10_000, tol=1e-12)
    case["choix_ilsr_no_ties"] = ilsr - ilsr.mean()
    for field, k, start in (("elo_k4_1000_400", 4, 1000), ("elo_k32_1500_400", 32, 1500)):
        rating = np.full(n, float(start))
        for one, other, won in zip(a, b, winner):
            expected = 1 / (1 + 10 ** ((rating[other] - rating[one]) / 400))
            change = k * ({0: 0.5, 1: 1.0, 2: 0.0}[won] - expected)
            rating[one] += change
            rating[other] -= change
        case[field] = rating
    write("statistics/pairwise.json", cases + [case], "choix")

    rankings = []
    for _ in range(40):
        worth = np.array([1.2, 0.4, 0.0, -0.5, -1.0]) + RNG.gumbel(size=5)
        order = list(np.argsort(-worth))
        rankings.append(order[: RNG.integers(3, 6)] if RNG.random() < 0.4 else order)

    def loss(theta):
        return -sum(theta[r[i]] - np.log(np.exp(theta[r[i:]]).sum()) for r in rankings for i in range(len(r) - 1))

    theta = choix.ilsr_rankings(5, rankings, max_iter=10_000, tol=1e-12)
    theta -= theta.mean()
    information = np.zeros((5, 5))
    for r in rankings:
        for i in range(len(r) - 1):
            p = np.zeros(5)
            p[r[i:]] = np.exp(theta[r[i:]]) / np.exp(theta[r[i:]]).sum()
            information += np.diag(p) - np.outer(p, p)
    write("statistics/plackett_luce.json", [{
        "id": "simulated", "n": 5, "rankings_best_first": rankings, "theta": theta, "loglik": -loss(theta),
        "se_sumzero": np.sqrt(np.diag(np.linalg.pinv(information))), "choix_ilsr": theta,
    }], "choix")


def bootstraps():
    x = rounded(RNG.gamma(3.0, 4.0, 15), 2)
    indices = RNG.integers(0, len(x), (399, len(x)))
    cases = []
    for name, of in (("mean", np.mean), ("median", np.median), ("std_ddof1", lambda v, axis=None: np.std(v, ddof=1, axis=axis))):
        drawn = of(x[indices], axis=1)
        point = of(x)
        left_out = np.array([of(np.delete(x, i)) for i in range(len(x))])
        from_mean = left_out.mean() - left_out
        acceleration = (from_mean**3).sum() / (6 * (from_mean**2).sum() ** 1.5)
        correction = stats.norm.ppf(((drawn < point).sum() + (drawn <= point).sum()) / (2 * len(drawn)))
        case = {"id": f"gamma15_{name}", "x": x, "statistic": name, "point": point, "se": drawn.std(ddof=1)}
        if name == "mean":
            case["indices"] = indices
        for level in (0.9, 0.95):
            tail = (1 - level) / 2
            low, high = np.percentile(drawn, [100 * tail, 100 * (1 - tail)])
            case[f"percentile_{level}"] = [low, high]
            case[f"basic_{level}"] = [2 * point - high, 2 * point - low]
            shifted = correction + stats.norm.ppf([tail, 1 - tail])
            at = stats.norm.cdf(correction + shifted / (1 - acceleration * shifted))
            case[f"BCa_{level}"] = np.percentile(drawn, 100 * at)
            if name == "mean":
                ratios = (drawn - point) / stats.sem(x[indices], axis=1)
                case[f"studentized_{level}"] = point - stats.sem(x) * np.percentile(ratios, [100 * (1 - tail), 100 * tail])
        cases.append(case)
    cases.append({"id": "gamma15_exact", "x": x, "exact_bootstrap_se_of_mean": x.std() / np.sqrt(len(x))})
    write("statistics/bootstrap_explicit.json", cases, "scipy")


def correlations():
    x = rounded(RNG.normal(size=24))
    y = rounded(0.6 * x + RNG.normal(size=24))
    u, v = RNG.integers(1, 6, 30), RNG.integers(1, 6, 30)
    cases = []
    for name, a, b in (("smooth", x, y), ("tied", u.astype(float), v.astype(float))):
        r = stats.pearsonr(a, b)
        interval = r.confidence_interval(0.95)
        rho = stats.spearmanr(a, b)
        case = {"id": name, "x": a, "y": b, "pearson": {"r": r.statistic, "p": r.pvalue, "ci95_fisher": [interval.low, interval.high]},
                "spearman": {"rho": rho.statistic, "p": rho.pvalue}}
        for method in ("auto", "asymptotic"):
            found = stats.kendalltau(a, b, method=method)
            case[f"kendall_b_{method}"] = {"tau": found.statistic, "p": found.pvalue}
        cases.append(case)
    write("statistics/correlation.json", cases, "scipy")


def counts():
    cases = []
    for k, n in ((0, 12), (7, 20), (31, 40), (200, 200)):
        case = {"id": f"{k}_of_{n}", "k": k, "n": n}
        for method in ("wilson", "beta"):
            case[method] = proportion.proportion_confint(k, n, 0.05, method)
        case["binomtest_p50"] = stats.binomtest(k, n, 0.5).pvalue
        case["binomtest_p25"] = stats.binomtest(k, n, 0.25).pvalue
        cases.append(case)
    write("statistics/proportion.json", cases, "scipy", "statsmodels")

    ranked = RNG.integers(1, 8, (12, 4)).astype(float)
    friedman = stats.friedmanchisquare(*ranked.T)
    write("statistics/categorical_tests.json", [
        {"id": "friedman", "x": ranked, "chi2": friedman.statistic, "p": friedman.pvalue},
    ], "scipy")

    # Later cases have the draws that follow these.
    RNG.integers(4, 40, (3, 4)), RNG.random((18, 3))

    p = np.round(np.concatenate([RNG.random(6) * 0.05, RNG.random(5)]), 6)
    case = {"id": "simulated", "p": p, "holm": multitest.multipletests(p, method="holm")[1]}
    write("statistics/multiple_testing.json", [case], "statsmodels")


def studentized_ranges():
    cases = []
    for k, degrees in ((2, 5.0), (3, 12.0), (5, 40.0), (10, 120.0)):
        for q in (1.5, 3.5, 5.0):
            of = stats.studentized_range
            cases.append({"id": f"k{k}_df{degrees:g}_q{q}", "k": k, "df": degrees, "q": q,
                          "cdf_scipy": of.cdf(q, k, degrees), "sf_scipy": of.sf(q, k, degrees)})
        cases.append({"id": f"k{k}_df{degrees:g}_p95", "k": k, "df": degrees, "p": 0.95, "ppf_scipy": of.ppf(0.95, k, degrees)})
    write("statistics/studentized_range.json", cases, "scipy")


def sigmoid(family, z):
    return 1 / (1 + np.exp(-z)) if family == "logistic" else 1 - np.exp(-np.exp(z))


def psychometric_fits():
    cases = []
    levels = np.log(np.geomspace(100, 1000, 9))
    for name, family, location, slope in (("logistic", "logistic", 5.8, 4.0), ("weibull", "weibull", 5.7, 3.0), ("steep", "logistic", 6.1, 8.0)):
        n = np.full(9, 60)
        k = RNG.binomial(n, 0.5 + 0.46 * sigmoid(family, slope * (levels - location)))
        case = {"id": f"simulated_{name}", "data_x_k_n": np.stack([levels, k, n], 1), "x_is": "ln(ms)"}
        for model in ("logistic", "weibull"):
            def loss(parameters, model=model):
                alpha, beta, lapse = (*parameters, 0.02)[:3]
                p = 0.5 + (0.5 - lapse) * sigmoid(model, beta * (levels - alpha))
                return -stats.binom.logpmf(k, n, p).sum() + stats.binom.logpmf(k, n, k / n).sum()

            def exact(start, bounds, loss=loss):
                first = optimize.minimize(loss, start, method="Nelder-Mead", bounds=bounds,
                                          options={"xatol": 1e-12, "fatol": 1e-14, "maxiter": 20_000})
                return optimize.minimize(loss, first.x, method="Nelder-Mead", bounds=bounds,
                                         options={"xatol": 1e-12, "fatol": 1e-14, "maxiter": 20_000})

            def without_constant(parameters, model=model):
                alpha, beta, lapse = (*parameters, 0.02)[:3]
                p = 0.5 + (0.5 - lapse) * sigmoid(model, beta * (levels - alpha))
                return -(k * np.log(p) + (n - k) * np.log1p(-p)).sum()

            found = exact([5.8, 4.0], [(4, 8), (0.1, 50)])
            case[f"mle_{model}_g0.5_l0.02"] = {
                "alpha_ln": found.x[0], "alpha": np.exp(found.x[0]), "beta": found.x[1], "lapse": 0.02,
                "negloglik": without_constant(found.x), "deviance": 2 * found.fun}
        found = exact([5.8, 4.0, 0.02], [(4, 8), (0.1, 50), (0, 0.1)], loss=lambda q: (
            lambda p: -stats.binom.logpmf(k, n, p).sum() + stats.binom.logpmf(k, n, k / n).sum())(
            0.5 + (0.5 - q[2]) * sigmoid("logistic", q[1] * (levels - q[0]))))
        p = 0.5 + (0.5 - found.x[2]) * sigmoid("logistic", found.x[1] * (levels - found.x[0]))
        case["mle_logistic_g0.5_lapse_free"] = {"alpha_ln": found.x[0], "beta": found.x[1], "lapse": found.x[2],
                                                "negloglik": -(k * np.log(p) + (n - k) * np.log1p(-p)).sum()}
        cases.append(case)
    write("statistics/psychometric.json", cases, "scipy")


FLOOR, CEILING, START, STEP = 100, 1000, 500, 10


def observer(family, alpha, beta):
    def psi(ms):
        seen = 1 / (1 + (alpha / ms) ** beta) if family == "logistic" else 1 - np.exp(-((ms / alpha) ** beta))
        return 0.5 + 0.48 * seen
    return psi


def chain(down_after, down, up, psi):
    """The transition matrix over levels and counts, and the level of each state."""
    levels = np.arange(FLOOR, CEILING + STEP, STEP)
    size = len(levels) * down_after
    matrix = np.zeros((size, size))
    for at, level in enumerate(levels):
        p = psi(float(level))
        for count in range(down_after):
            state = at * down_after + count
            easier = (min(level + up, CEILING) - FLOOR) // STEP * down_after
            harder = (max(level - down, FLOOR) - FLOOR) // STEP * down_after if count + 1 == down_after else state + 1
            matrix[state, easier] += 1 - p
            matrix[state, harder] += p
    return matrix, np.repeat(levels, down_after)


def long_run(matrix):
    """Grassmann, Taksar and Heyman 1985: an elimination without subtractions."""
    a = matrix.copy()
    for last in range(len(a) - 1, 0, -1):
        a[:last, last] /= a[last, :last].sum()
        a[:last, :last] += np.outer(a[:last, last], a[last, :last])
    share = np.zeros(len(a))
    share[0] = 1
    for state in range(1, len(a)):
        share[state] = share[:state] @ a[:state, state]
        share /= max(share.max(), 1)
    return share / share.sum()


def blocks(down_after, down, up, psi, count, trials):
    """Simulated blocks: levels of each trial, the levels of reversals and the share of right answers."""
    level = np.full(count, START)
    counter = np.zeros(count, int)
    last = np.zeros(count, int)
    shown, reversals = [], [[] for _ in range(count)]
    for _ in range(trials):
        shown.append(level.copy())
        right = RNG.random(count) < psi(level.astype(float))
        counter = np.where(right, counter + 1, 0)
        harder = counter == down_after
        counter[harder] = 0
        step = np.where(~right, 1, np.where(harder, -1, 0))
        for block in np.flatnonzero((step != 0) & (last != 0) & (step != last)):
            reversals[block].append(level[block])
        last = np.where(step != 0, step, last)
        level = np.clip(level + np.where(~right, up, np.where(harder, -down, 0)), FLOOR, CEILING)
    return np.array(shown).T, reversals


def staircases():
    trials, count, rows = 150, 10_000, []
    for rule, down_after, down, up in (("weighted", 1, 10, 30), ("transformed-31", 3, 10, 10), ("literal", 1, 30, 10)):
        for family, alpha, beta in (("logistic", 300.0, 5.0), ("weibull", 420.0, 3.5)):
            psi = observer(family, alpha, beta)
            matrix, levels = chain(down_after, down, up, psi)
            right = psi(levels.astype(float))
            state = np.zeros(len(levels))
            state[(START - FLOOR) // STEP * down_after] = 1
            each, occupancy, accuracy = [], np.zeros(len(levels)), 0.0
            half = trials // 2
            for trial in range(trials):
                if trial == half:
                    at_half = state
                each.append(state @ levels)
                occupancy += state
                accuracy += state @ right / trials
                state = state @ matrix
            # The second moment of the sum of the last half, carried backward.
            mean, square = np.zeros(len(levels)), np.zeros(len(levels))
            for _ in range(trials - half):
                ahead, behind = matrix @ mean, matrix @ square
                square = levels.astype(float) ** 2 + 2 * levels * ahead + behind
                mean = levels + ahead
            total = at_half @ mean
            spread = at_half @ square - total**2
            of_level = np.array([occupancy[levels == level].sum() for level in np.unique(levels)])
            settled = long_run(matrix)
            of_settled = np.array([settled[levels == level].sum() for level in np.unique(levels)])
            unique = np.unique(levels)
            target = (up / (up + down)) ** (1 / down_after)

            def level_at(p):
                if not 0.5 < p < 0.98:
                    return np.nan
                return np.exp(optimize.brentq(lambda log: psi(np.exp(log)) - p, 0, 15, xtol=1e-14))

            shown, reversals = blocks(down_after, down, up, psi, count, trials)
            tallies = np.array([[(row == level).sum() for level in unique] for row in shown])
            modes = unique[tallies.argmax(1)], unique[len(unique) - 1 - tallies[:, ::-1].argmax(1)]
            halves = shown[:, half:].mean(1)
            turned = np.array([np.mean(turns[4:]) for turns in reversals if len(turns) > 4])
            row = {"rule": rule, "observer": family, "slope_beta": beta, "threshold_alpha_ms": alpha, "guess": 0.5, "lapse": 0.02,
                   "n_down": down_after, "down_ms": down, "up_ms": up, "target_p": round(target, 9),
                   "target_level_ms": level_at(target), "p75_level_ms": level_at(0.75),
                   "ex_mean_last75": np.mean(each[half:]), "ex_sd_last75": np.sqrt(spread) / (trials - half),
                   "ex_mean_trial150": each[-1], "ex_argmax_occ150": unique[of_level.argmax()], "ex_pcorrect_150": accuracy,
                   "st_mean": of_settled @ unique, "st_sd": np.sqrt(of_settled @ (unique - of_settled @ unique) ** 2.0),
                   "st_mode": unique[of_settled.argmax()], "st_floor": of_settled[0], "st_ceil": of_settled[-1],
                   "st_pcorrect": settled @ right, "mc_nrev_mean": np.mean([len(turns) for turns in reversals])}
            for name, values in (("mode_lo", modes[0]), ("mode_hi", modes[1]), ("half", halves), ("rev", turned)):
                row |= {f"mc_{name}_mean": values.mean(), f"mc_{name}_sd": values.std(ddof=1)}
            rows.append(row)
    lines = [",".join(rows[0])] + [",".join(str(plain(value)) for value in row.values()) for row in rows]
    (HERE / "staircases/staircase_reference_public.csv").write_text("\n".join(lines) + "\n")


for make in (t_tests, analyses_of_variance, intraclass_correlations, kappas, preferences, bootstraps, correlations,
             counts, studentized_ranges, psychometric_fits, staircases):
    make()
