"""Parts that tests share."""

import contextlib
import json
import os
import random
import subprocess
import tempfile
from pathlib import Path

import hype_eval as he

EXAMPLES = Path(os.environ.get("HYPE_EXAMPLES", Path(__file__).parents[2] / "examples")).resolve()


def program(*arguments, cwd=None):
    """The output of the program of the package."""
    done = subprocess.run(
        [he.program(), *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=False
    )
    if done.returncode != 0 and "--json" not in arguments:
        raise AssertionError(f"hype {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def printed(*arguments, cwd=None):
    """The JSON that the program prints."""
    return json.loads(program(*arguments, cwd=cwd))


def ratings(raters=12, items=10, seed=1):
    """Ratings of three models by raters who see all items, as a mapping of columns."""
    chance = random.Random(seed)
    table = {"rater": [], "item": [], "model": [], "value": []}
    for rater in range(raters):
        for item in range(items):
            for place, model in enumerate(["alpha", "beta", "gamma"]):
                table["rater"].append(f"r{rater:02}")
                table["item"].append(f"i{item:02}")
                table["model"].append(model)
                table["value"].append(max(1, min(5, round(chance.gauss(2 + place, 1)))))
    return table


def votes(raters=12, items=10, seed=1):
    """Comparisons of three models, as a mapping of columns."""
    chance = random.Random(seed)
    table = {"rater": [], "item": [], "left": [], "right": [], "winner": []}
    models = ["alpha", "beta", "gamma"]
    for rater in range(raters):
        for item in range(items):
            left, right = chance.sample(range(3), 2)
            better = chance.gauss(left - right, 1.5)
            table["rater"].append(f"r{rater:02}")
            table["item"].append(f"{item:04}")
            table["left"].append(models[left])
            table["right"].append(models[right])
            table["winner"].append("tie" if abs(better) < 0.2 else "a" if better > 0 else "b")
    return table


def written(table, path):
    """Writes a mapping of columns as CSV."""
    rows = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values()))]
    path.write_text("\n".join(rows) + "\n")
    return path


@contextlib.contextmanager
def folder():
    """A folder for the time of a test."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@contextlib.contextmanager
def raises(kind, *words):
    """The block raises this error, whose text has these words."""
    try:
        yield
    except kind as error:
        text = str(error)
        missing = [word for word in words if word not in text]
        assert not missing, f"{missing} is not in {text!r}"
    else:
        raise AssertionError(f"no {kind.__name__} was raised")
