"""Writes texture.json: the bands and statistics of a small plane, from the published formulas.

The pyramid of Simoncelli & Freeman (1995) and the statistics of Portilla & Simoncelli (2000, sections 1.2 and 2) with
responses in closed form, by direct sums and without any library: nothing is shared with the crate.

    python3 make_texture.py > texture.json
"""

import cmath
import json
import math

SIDE, SCALES, ORIENTATIONS = 32, 2, 4


def sample(x, y):
    return (3 * x * x + 7 * y + 5 * x * y) % 97 + 40 * ((x // 4 + y // 3) % 2)


def transform(rows, sign):
    """The discrete Fourier transform of a square, not normalised."""
    side = len(rows)
    turn = [cmath.exp(sign * 2j * math.pi * n / side) for n in range(side)]

    def line(values):
        return [sum(values[n] * turn[k * n % side] for n in range(side)) for k in range(side)]

    across = [line(row) for row in rows]
    down = [line(column) for column in zip(*across)]
    return [list(row) for row in zip(*down)]


def inverse(spectrum):
    side = len(spectrum)
    return [[value / side**2 for value in row] for row in transform(spectrum, 1)]


def frequencies(side):
    """Over the Nyquist frequency, in the order of a spectrum."""
    return [(k if k < side // 2 else k - side) / (side // 2) for k in range(side)]


def octaves(x, y):
    radius = math.hypot(x, y)
    return math.log2(radius) if radius > 0 else -math.inf


def high(t):
    return 0.0 if t <= -1 else 1.0 if t >= 0 else math.sin(math.pi / 2 * (t + 1))


def low(t):
    return 1.0 if t <= -1 else 0.0 if t >= 0 else math.cos(math.pi / 2 * (t + 1))


def weighted(spectrum, response):
    at = frequencies(len(spectrum))
    return [[value * response(x, y) for value, x in zip(row, at)] for row, y in zip(spectrum, at)]


def halved(spectrum):
    side = len(spectrum)
    keep = [k for k in range(side) if k < side // 4 or k >= side - side // 4]
    return [[spectrum[row][column] for column in keep] for row in keep]


def oriented(spectrum, number):
    """The complex band whose real part is that of the real pyramid."""
    order = ORIENTATIONS - 1
    angle = math.pi * number / ORIENTATIONS
    scale = math.sqrt(4**order * math.factorial(order) ** 2 / (ORIENTATIONS * math.factorial(2 * order)))

    def response(x, y):
        radius, t = math.hypot(x, y), octaves(x, y)
        if radius == 0:
            return 0
        along = x * math.cos(angle) + y * math.sin(angle)
        gain = low(t) * high(t + 1) * scale * (along / radius) ** order * (-1j) ** order
        # Twice the half-plane of the orientation; its border and the Nyquist frequencies are in both.
        border = abs(along) <= 1e-9 * radius or abs(x) >= 1 or abs(y) >= 1
        return gain if border else 2 * gain if along > 0 else 0

    return inverse(weighted(spectrum, response))


def flat(rows):
    return [value for row in rows for value in row]


def mean(values):
    return math.fsum(values) / len(values)


def covariances(planes):
    return [[mean([a * b for a, b in zip(one, other)]) for other in planes] for one in planes]


def main():
    plane = [[sample(x, y) for x in range(SIDE)] for y in range(SIDE)]
    spectrum = transform(plane, -1)
    values = flat(plane)
    middle = mean(values)
    variance = math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1)
    moment = lambda power: mean([(value - middle) ** power for value in values])
    residual = [value.real for value in flat(inverse(weighted(spectrum, lambda x, y: high(octaves(x, y)))))]
    out = {
        "made_by": "make_texture.py",
        "pixels": [middle, variance, moment(3) / variance**1.5, moment(4) / variance**2],
        "high_variance": mean([value**2 for value in residual]),
        "magnitude_means": [mean([abs(value) for value in residual])],
        "energies": [],
        "magnitude_covariance": [],
        "magnitude_lags": [],
        "real_products": [],
    }
    rest = spectrum
    for _ in range(SCALES):
        side = len(rest)
        bands = [flat(oriented(rest, number)) for number in range(ORIENTATIONS)]
        magnitudes = []
        for band in bands:
            out["energies"].append([math.fsum(v.real**2 for v in band), math.fsum(v.imag**2 for v in band)])
            magnitude = [abs(value) for value in band]
            centre = mean(magnitude)
            out["magnitude_means"].append(centre)
            magnitudes.append([value - centre for value in magnitude])
        out["magnitude_covariance"].append(covariances(magnitudes))
        out["real_products"].append(covariances([[value.real for value in band] for band in bands]))
        for magnitude in magnitudes:
            # Down and right: (0, 0), (0, 1), (1, 0), (2, 3).
            lag = lambda y, x: mean([
                magnitude[row * side + column] * magnitude[(row + y) % side * side + (column + x) % side]
                for row in range(side)
                for column in range(side)
            ])
            out["magnitude_lags"].append([lag(0, 0), lag(0, 1), lag(1, 0), lag(2, 3)])
        rest = halved(rest)
    bottom = [value.real for value in flat(inverse(weighted(rest, lambda x, y: low(octaves(x, y)))))]
    out["low_energy"] = math.fsum(value**2 for value in bottom)
    centre = mean(bottom)
    out["magnitude_means"].append(mean([abs(value - centre) for value in bottom]))
    print(json.dumps(out, indent=1))


main()
