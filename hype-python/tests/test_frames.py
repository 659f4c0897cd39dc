"""Frames of every library give the same findings, and read what calls return."""

import hype_eval as he
from support import folder, ratings, votes, written


def findings(table):
    return he.aggregate(table).to_dict()


def test_a_mapping_is_the_same_as_a_file():
    with folder() as place:
        assert findings(ratings()) == findings(written(ratings(), place / "table.csv"))
        assert findings(ratings()) == findings(str(place / "table.csv"))


def test_polars():
    import polars as pl

    frame = pl.DataFrame(ratings())
    wanted = findings(ratings())
    assert findings(frame) == wanted
    assert findings(frame.with_columns(pl.col("model").cast(pl.Categorical), pl.col("value").cast(pl.Float32))) == wanted
    assert findings(frame.with_columns(pl.col("value").cast(pl.UInt8))) == wanted
    chunked = pl.concat([frame.head(100), frame.tail(len(frame) - 100)], rechunk=False)
    assert findings(chunked) == wanted
    assert findings(pl.concat([frame.head(3), frame]).slice(3)) == wanted
    extra = frame.with_columns(pl.lit([[1]]).alias("tags"))
    assert findings(extra) == wanted
    found = he.aggregate(frame)
    assert pl.DataFrame(found.estimates)["model"].to_list() == found.estimates["model"]
    assert found.pairs.to_polars().height == len(found.pairs)


def test_pandas():
    import pandas as pd

    frame = pd.DataFrame(ratings())
    wanted = findings(ratings())
    assert findings(frame) == wanted
    assert findings(frame.astype({"model": "category", "value": "float64"})) == wanted
    assert findings(frame.astype({"value": "Int64"})) == wanted
    assert findings(frame.to_dict("list")) == wanted
    found = he.aggregate(frame)
    assert list(found.estimates.to_pandas()["model"]) == found.estimates["model"]
    assert len(found.pairs.to_pandas().query("p_adjusted < 2")) == len(found.pairs)


def test_pandas_without_pyarrow():
    import pandas as pd

    class Lone(pd.DataFrame):
        def __arrow_c_stream__(self, requested_schema=None):
            raise ImportError("pyarrow is not installed")

    assert findings(Lone(ratings())) == findings(ratings())


def test_pyarrow():
    import pyarrow as pa

    table = pa.table(ratings())
    wanted = findings(ratings())
    assert findings(table) == wanted
    assert findings(table.to_batches(max_chunksize=7)[0]) is not None
    assert findings(table.to_reader(max_chunksize=50)) == wanted
    assert findings(table.set_column(2, "model", table["model"].dictionary_encode())) == wanted
    assert findings(table.set_column(2, "model", table["model"].cast(pa.string_view()))) == wanted
    assert findings(table.set_column(2, "model", table["model"].cast(pa.large_string()))) == wanted
    found = he.aggregate(table)
    assert pa.table(found.table).num_rows == len(found.table)


def test_duckdb():
    import duckdb
    import pyarrow as pa

    rated = pa.table(ratings())
    assert len(rated) > 10
    assert findings(duckdb.sql("select * from rated")) == findings(ratings())


def test_empty_and_missing_cells():
    table = ratings()
    table["value"] = [None, *table["value"][1:]]
    found = he.aggregate(table)
    assert "empty-values" in [note.code for note in found.notes]
    with folder() as place:
        short = {name: cells[1:] for name, cells in ratings().items()}
        assert found.estimates["value"] == he.aggregate(written(short, place / "t.csv")).estimates["value"]
    nothing = {name: [] for name in ratings()}
    try:
        he.aggregate(nothing)
    except he.HypeError:
        pass


def test_hostile_names_stay_text():
    table = ratings()
    hostile = "<script>alert(1)</script>"
    table["model"] = [hostile if name == "alpha" else '"=1,+\n' if name == "beta" else name for name in table["model"]]
    found = he.aggregate(table)
    assert hostile in found.estimates["model"]
    html = found._repr_html_()
    assert "<script" not in html and "&lt;script&gt;" in html
    assert "<script" not in found.estimates._repr_html_()


def test_capsules_are_released_once():
    import gc

    frame = he.aggregate(ratings()).estimates
    for _ in range(200):
        frame.__arrow_c_stream__()
    gc.collect()
    assert len(frame) == 3


def test_votes_of_a_frame_and_of_a_mapping():
    import polars as pl

    options = {"a": "left", "b": "right", "winner": "winner"}
    assert he.contrast(pl.DataFrame(votes()), **options) == he.contrast(votes(), **options)
