"""Simulates small tables of ratings and computes what the aggregators have to find in them.

The formulas are written from the publications, without the code of hype. Run it with Python 3, without arguments; it
writes `tables.json` next to itself. The seed is fixed.
"""

import json
import math
import pathlib
import random
from collections import Counter

chance = random.Random(20190601)


def p910():
    """ITU-T P.910 (2023), annex E: alternating projection of qualities, biases and inconsistencies."""
    stimuli, subjects = 16, 8
    quality = [1.3 + 3.4 * place / (stimuli - 1) for place in range(stimuli)]
    bias = [-0.6, -0.3, -0.2, 0.0, 0.1, 0.2, 0.3, 0.5]
    sd = [0.7, 0.8, 0.9, 0.7, 0.8, 0.7, 0.9, 1.4]
    scores = [
        [min(5, max(1, round(chance.gauss(quality[j] + bias[i], sd[i])))) for i in range(subjects)]
        for j in range(stimuli)
    ]
    psi = [sum(row) / subjects for row in scores]
    mos = list(psi)
    bias = [sum(scores[j][i] - psi[j] for j in range(stimuli)) / stimuli for i in range(subjects)]
    while True:
        residual = [[scores[j][i] - psi[j] - bias[i] for j in range(stimuli)] for i in range(subjects)]
        sigma = []
        for row in residual:
            mean = sum(row) / stimuli
            sigma.append(math.sqrt(sum((one - mean) ** 2 for one in row) / stimuli))
        weight = [1 / (one * one + 1e-8) for one in sigma]
        before = psi
        psi = [
            sum(w * (x - b) for w, x, b in zip(weight, scores[j], bias)) / sum(weight) for j in range(stimuli)
        ]
        bias = [sum(scores[j][i] - psi[j] for j in range(stimuli)) / stimuli for i in range(subjects)]
        if math.dist(before, psi) < 1e-8:
            break
    shift = sum(bias) / subjects
    return {
        "scores": scores,
        "mos": mos,
        "psi": [one + shift for one in psi],
        "bias": [one - shift for one in bias],
        "inconsistency": sigma,
    }


def fleiss(items):
    """Fleiss (1971) for items with equal numbers of ratings."""
    raters = len(items[0])
    counts = [Counter(item) for item in items]
    agreement = sum(
        sum(n * (n - 1) for n in count.values()) / (raters * (raters - 1)) for count in counts
    ) / len(items)
    total = Counter(value for item in items for value in item)
    expected = sum((n / (raters * len(items))) ** 2 for n in total.values())
    return (agreement - expected) / (1 - expected)


def krippendorff_ordinal(items):
    """Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", with ordinal differences."""
    values = sorted({value for item in items for value in item})
    total = Counter(value for item in items for value in item)

    def difference(a, b):
        low, high = sorted((values.index(a), values.index(b)))
        between = sum(total[value] for value in values[low : high + 1])
        return (between - (total[values[low]] + total[values[high]]) / 2) ** 2

    count = sum(len(item) for item in items)
    observed = sum(
        sum(difference(a, b) for i, a in enumerate(item) for k, b in enumerate(item) if i != k) / (len(item) - 1)
        for item in items
    ) / count
    expected = sum(
        total[a] * total[b] * difference(a, b) for a in values for b in values
    ) / (count * (count - 1))
    return 1 - observed / expected


def imagenhub():
    """Ku et al. (2023), section 4: SC, PQ and O of each model with the population sd of the raters' means."""
    found = {}
    for model, level in [("good", 0.75), ("weak", 0.35)]:
        sc, pq = [], []
        for _ in range(10):
            worth = level + chance.gauss(0, 0.25)
            rate = lambda: min(1.0, max(0.0, round(2 * (worth + chance.gauss(0, 0.2))) / 2))
            sc.append([rate() for _ in range(3)])
            pq.append([rate() for _ in range(3)])
        overall = [[math.sqrt(a * b) for a, b in zip(x, y)] for x, y in zip(sc, pq)]
        line = []
        for cells in (sc, pq, overall):
            means = [sum(item[rater] for item in cells) / len(cells) for rater in range(3)]
            mean = sum(means) / 3
            line += [mean, math.sqrt(sum((one - mean) ** 2 for one in means) / 3)]
        # Equal products have equal roots, so values can be compared exactly.
        line += [fleiss(overall), krippendorff_ordinal(overall)]
        found[model] = {"sc": sc, "pq": pq, "line": line}
    return found


tables = {"p910": p910(), "imagenhub": imagenhub()}
path = pathlib.Path(__file__).with_name("tables.json")
path.write_text(json.dumps(tables, indent=1) + "\n")
