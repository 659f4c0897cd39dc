"""Faulty input raises an error that says where, what, and what would be right."""

import hype_eval as he
from support import folder, raises, ratings, votes


def test_a_missing_column_is_named_with_the_nearest():
    table = ratings()
    table["modle"] = table.pop("model")
    with raises(he.HypeError, "no column `model`", "did you mean `modle`", "rater, item, value, modle"):
        he.aggregate(table)


def test_mixed_types_name_row_and_value():
    table = ratings()
    table["value"] = [*table["value"][:4], "five", *table["value"][5:]]
    with raises(he.HypeError, "row 5", "column `value`", "'five'"):
        he.aggregate(table)


def test_texts_for_numbers_name_the_row():
    table = ratings()
    table["value"] = ["good" if place == 6 else str(value) for place, value in enumerate(table["value"])]
    with raises(he.HypeError, "row 7", "`value`", "good"):
        he.aggregate(table)


def test_infinity_names_the_row():
    table = ratings()
    table["value"] = [float("inf"), *table["value"][1:]]
    with raises(he.HypeError, "row 1", "`value`"):
        he.aggregate(table)


def test_a_missing_rater_names_the_row():
    table = ratings()
    table["rater"] = [None, *table["rater"][1:]]
    with raises(he.HypeError, "row 1", "`rater`"):
        he.aggregate(table)


def test_unequal_columns():
    with raises(he.HypeError, "column `value`", "all the same number"):
        he.aggregate({"rater": ["a", "b"], "model": ["x", "y"], "value": [1]})


def test_a_series_is_no_frame():
    import polars as pl

    with raises(he.HypeError, "to_frame()"):
        he.aggregate(pl.Series("value", [1, 2]))


def test_a_series_of_pandas_is_no_frame():
    import pandas as pd

    with raises((he.HypeError), "frame"):
        he.aggregate(pd.Series([1, 2], name="value"))


def test_what_is_no_table():
    with raises(he.HypeError, "int is not a table"):
        he.aggregate(3)
    with raises(he.HypeError, "no columns"):
        he.aggregate({})
    with raises(he.HypeError, "nowhere.csv"):
        he.aggregate("nowhere.csv")


def test_an_unknown_aggregator_lists_the_known():
    with raises(he.HypeError, "contrst", "contrast"):
        he.aggregate(votes(), "contrst", model="left", against="right", winner="winner")


def test_options_out_of_bounds_are_named_as_here():
    with raises(he.HypeError, "level"):
        he.aggregate(ratings(), level=2)
    with raises(he.HypeError, "generalize_to="):
        he.aggregate(ratings(), generalize_to="everybody")


def test_faults_of_a_spec_have_places():
    with folder() as place:
        spec = place / "study.yaml"
        spec.write_text("name: x\ntask: { kind: rating, quetsions: 3 }\n")
        found = he.check(spec)
        assert any(one.line == 2 for one in found), found
        with raises(he.HypeError, "study.yaml:2", "^"):
            he.simulate(spec)
        try:
            he.simulate(spec)
        except he.HypeError as error:
            assert error.diagnostics and error.diagnostics[0].code
        with raises(he.HypeError, "is not a file"):
            he.load(place / "other.yaml")
        with raises(he.HypeError, "does not exist"):
            he.open(place / "other")


def test_ten_thousand_calls_leak_nothing():
    import random
    import resource

    chance = random.Random(7)
    cells = [None, 1, 2.5, "x", "", float("nan"), float("inf"), True, 10**30, b"x", [], "\x00", "=1"]

    def call():
        rows = chance.randrange(4)
        table = {name: [chance.choice(cells) for _ in range(rows)] for name in ("rater", "model", "value", "item")}
        if chance.random() < 0.2:
            table.pop(chance.choice(list(table)))
        try:
            he.aggregate(table)
        except he.HypeError:
            pass

    for _ in range(1000):
        call()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(9000):
        call()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 20_000, f"{grown} KiB more"
