"""Makes `statistics/covariates.json`: simulated votes on texts, with the estimates of libraries other than ours.

python -m venv venv && venv/bin/pip install arena-rank==0.1.1 statsmodels
venv/bin/python make_covariates.py

Half wins: arena-rank at reg=1e-8 (its default of 1 shrinks coefficients to a seventh), and a logistic regression of
statsmodels with its errors clustered by raters and by items, times G / (G - 1). Davidson's ties: Newton's method with the
derivatives of jax.
"""

import json
from importlib.metadata import version
from pathlib import Path

import jax
import numpy as np
import statsmodels.api as sm
from arena_rank.models.contextual_bradley_terry import ContextualBradleyTerry
from arena_rank.utils.data_utils import ContextualPairDataset

MODELS, RATERS, ITEMS = 4, 8, 15
RNG = np.random.default_rng(20_261_128)


def simulate():
    quality = np.array([0.5, 0.1, -0.2, -0.4])
    words = np.round(np.exp(RNG.normal(4.5 + 0.5 * quality, 0.6, (ITEMS, MODELS)))).astype(int)
    headings = RNG.poisson(1.0 + (words > 90), (ITEMS, MODELS))
    tastes = RNG.normal(0, 0.4, (RATERS, MODELS))
    rows = []
    for rater in range(RATERS):
        for _ in range(20 + 6 * rater):
            item, (a, b) = RNG.integers(ITEMS), RNG.choice(MODELS, 2, replace=False)
            length = relative(words[item, a], words[item, b])
            lead = (quality + tastes[rater])[a] - (quality + tastes[rater])[b] + 1.2 * length
            draw = RNG.uniform() - 1 / (1 + np.exp(-lead))
            rows.append((rater, item, a, b, 2 if abs(draw) < 0.07 else int(draw > 0)))
    return words, headings, np.array(rows)


def relative(a, b):
    total = np.asarray(a + b, dtype=float)
    return np.divide(a - b, total, out=np.zeros_like(total), where=total > 0)


def design(rows, z):
    """Leads by strengths less that of the last model, and covariates."""
    every = np.zeros((len(rows), MODELS))
    every[np.arange(len(rows)), rows[:, 2]] += 1
    every[np.arange(len(rows)), rows[:, 3]] -= 1
    return np.hstack([every[:, :-1], z])


def centred(others):
    """The map to strengths that sum to zero, and other parameters."""
    of_models = np.vstack([np.eye(MODELS - 1), np.zeros(MODELS - 1)]) - 1 / MODELS
    return np.block([[of_models, np.zeros((MODELS, others))],
                     [np.zeros((others, MODELS - 1)), np.eye(others)]])


def clustered(scores, inverse, numbers, mapping):
    sums = np.array([scores[numbers == one].sum(axis=0) for one in np.unique(numbers)])
    covariance = mapping @ inverse @ sums.T @ sums @ inverse @ mapping.T * len(sums) / (len(sums) - 1)
    return np.sqrt(np.diag(covariance))


def arena(rows, z, won):
    model = ContextualBradleyTerry(MODELS, z.shape[1], reg=1e-8, ftol=1e-16, gtol=1e-13)
    names = [str(one) for one in range(MODELS)]
    model.fit(ContextualPairDataset(names, jax.numpy.array(rows[:, 2:4]), jax.numpy.array(won), jax.numpy.array(z),
                                    jax.numpy.ones(len(rows))))
    theta = np.array(model.params["ratings"])
    return np.concatenate([theta - theta.mean(), np.array(model.params["coeffs"])])


def half_wins(rows, z, won):
    x, mapping = design(rows, z), centred(z.shape[1])
    found = {"arena_rank": arena(rows, z, won)}
    for column, name in enumerate(("raters", "items")):
        groups = rows[:, column]
        fit = sm.GLM(won, x, family=sm.families.Binomial()).fit(
            tol=1e-14, maxiter=200, cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
        count = len(np.unique(groups))
        covariance = mapping @ fit.cov_params() @ mapping.T * count / (count - 1)
        found[f"se_{name}"] = np.sqrt(np.diag(covariance))
    information = x.T @ (x * (fit.mu * (1 - fit.mu))[:, None])
    found["estimates"] = mapping @ fit.params
    found["se_independent"] = np.sqrt(np.diag(mapping @ np.linalg.inv(information) @ mapping.T))
    return found


def davidson(rows, z, outcome):
    x = design(rows, z)

    def log_likelihood(parameters, x, outcome):
        log_nu, lead = parameters[MODELS - 1], x @ jax.numpy.delete(parameters, MODELS - 1)
        logits = jax.numpy.stack([lead / 2, -lead / 2, log_nu + 0 * lead], axis=-1)
        return (jax.nn.log_softmax(logits) * outcome).sum()

    one_hot = np.eye(3)[outcome]
    at = np.zeros(x.shape[1] + 1)
    for _ in range(40):
        hessian = jax.hessian(log_likelihood)(at, x, one_hot)
        at = at - np.linalg.solve(hessian, jax.grad(log_likelihood)(at, x, one_hot))
    scores = np.array(jax.vmap(jax.grad(log_likelihood), (None, 0, 0))(at, x, one_hot))
    inverse, mapping = np.linalg.inv(-np.array(hessian)), centred(z.shape[1] + 1)
    return {"estimates": mapping @ at, "log_likelihood": float(log_likelihood(at, x, one_hot)),
            "se_independent": np.sqrt(np.diag(mapping @ inverse @ mapping.T)),
            "se_raters": clustered(scores, inverse, rows[:, 0], mapping),
            "se_items": clustered(scores, inverse, rows[:, 1], mapping)}


def main():
    words, headings, rows = simulate()
    item, a, b, outcome = rows[:, 1], rows[:, 2], rows[:, 3], rows[:, 4]
    z = np.stack([relative(all_of[item, a], all_of[item, b]) for all_of in (words, headings)], axis=1)
    scales = np.sqrt((z ** 2).mean(axis=0))
    won = np.array([1.0, 0.0, 0.5])[outcome]
    found = {"words": words, "headings": headings, "votes": rows, "scales": scales,
             "half": half_wins(rows, z / scales, won), "davidson": davidson(rows, z / scales, outcome)}
    versions = {name: version(name) for name in ("arena-rank", "statsmodels", "jax", "numpy")}
    text = json.dumps({"versions": versions, **found}, separators=(",", ":"), default=lambda one: one.tolist())
    path = Path(__file__).parent / "statistics" / "covariates.json"
    path.write_text(text.replace(',"', ',\n"') + "\n")


main()
