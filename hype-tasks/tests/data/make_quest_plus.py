"""The exposures that QUEST+ shows for given answers, by its definition and without the code of hype.

Bayes' rule on the grid, and the entropies of both posteriors of every level by themselves (Watson 2017; for the threshold
alone, of their sums over slopes and lapses: Prins 2013). Sums are exact to the last bit (math.fsum). Levels whose expected
entropies differ by less than 1e-12 are tied, and the shortest exposure is shown. Writes quest_plus.json; needs Python 3
and nothing else, and some minutes.
"""

import json
import math
import os

LEVELS = 31
THRESHOLDS = 31
SLOPES = [1.5, 2.0, 2.75, 3.75, 5.0, 6.5, 9.0, 12.0]
LAPSES = [0.005, 0.02, 0.04, 0.06, 0.08]


def equal_ratios(low, high, number):
    inner = [low * (high / low) ** (k / (number - 1)) for k in range(1, number - 1)]
    return [low] + inner + [high]


def probability(function, threshold, slope, lapse, exposure):
    """0.75 at the threshold, lapses included."""
    missed = (0.25 - lapse) / (0.5 - lapse)
    growth = (exposure / threshold) ** slope
    if function == "weibull":
        left = math.exp(math.log(missed) * growth)
    else:
        left = 1 / (1 + (1 / missed - 1) * growth)
    return 0.5 + (0.5 - lapse) * (1 - left)


def entropy(weights):
    return -math.fsum(w * math.log(w) for w in weights if w > 0)


def run(case, right):
    floor, ceiling = case["floor_ms"], case["ceiling_ms"]
    levels = sorted({math.floor(x + 0.5) for x in equal_ratios(floor, ceiling, LEVELS)})
    thresholds = equal_ratios(floor, ceiling, THRESHOLDS)
    size = len(SLOPES) * len(LAPSES)
    points = [(t, s, l) for t in thresholds for s in SLOPES for l in LAPSES]
    table = [[probability(case["function"], t, s, l, x) for t, s, l in points] for x in levels]
    posterior = [1 / len(points)] * len(points)
    shown = []
    for answer in right:
        expected = []
        for chances in table:
            total = 0.0
            for joint in (
                [w * c for w, c in zip(posterior, chances)],
                [w * (1 - c) for w, c in zip(posterior, chances)],
            ):
                if case["of_interest"] == "threshold":
                    joint = [math.fsum(joint[k : k + size]) for k in range(0, len(joint), size)]
                share = math.fsum(joint)
                total += share * entropy([j / share for j in joint])
            expected.append(total)
        least = min(expected)
        level = next(k for k, e in enumerate(expected) if e - least < 1e-12)
        shown.append(levels[level])
        likelihood = table[level]
        joint = [w * (c if answer else 1 - c) for w, c in zip(posterior, likelihood)]
        share = math.fsum(joint)
        posterior = [j / share for j in joint]
    mean = math.fsum(t * w for (t, _, _), w in zip(points, posterior))
    sd = math.sqrt(math.fsum((t - mean) ** 2 * w for (t, _, _), w in zip(points, posterior)))
    return shown, mean, sd


def answers(number, of):
    """Right but for every `of`th answer, at an irregular place among them."""
    return [(k * k + k // of) % of != 1 for k in range(number)]


def main():
    default = {"function": "logistic", "of_interest": "threshold", "floor_ms": 100, "ceiling_ms": 1000}
    cases = []
    for change, number, of in [
        ({}, 120, 5),
        ({"of_interest": "all"}, 60, 5),
        ({"function": "weibull", "floor_ms": 50, "ceiling_ms": 400}, 60, 7),
    ]:
        case = default | change
        right = answers(number, of)
        shown, mean, sd = run(case, right)
        cases.append(case | {"right": right, "exposures_ms": shown, "mean_ms": mean, "sd_ms": sd})
    where = os.path.join(os.path.dirname(os.path.abspath(__file__)), "quest_plus.json")
    with open(where, "w", encoding="utf-8") as file:
        json.dump(cases, file, separators=(",", ":"))
        file.write("\n")


main()
