"""A session as the documentation shows it."""

import sys
from pathlib import Path

import hype_eval as he
from support import EXAMPLES, folder, program, raises, ratings, votes, written


def test_votes_become_findings():
    found = he.contrast(votes(), a="left", b="right", winner="winner", rater="rater", item="item")
    assert found.estimates["model"][:3] == ["gamma", "beta", "alpha"], found
    assert {"value", "low", "high", "raters"} <= set(found.estimates.columns)
    assert min(found.pairs["p_adjusted"]) < 0.05
    assert all(note.text for note in found.notes)
    assert "gamma" in repr(found) and "gamma" in found.summary(full=True)
    html = found._repr_html_()
    assert "<table>" in html and "data:image/svg+xml" in html and "<script" not in html
    some = {name: cells[:60] for name, cells in votes().items()}
    assert he.contrast(some, a="left", b="right", winner="winner", rater="rater") != found


def test_agreement_of_texts_is_nominal():
    found = he.agreement(votes(), rater="rater", item="item", value="winner")
    assert -1 <= found.alpha <= 1
    assert any("nominal" in method for method in found.agreement["method"])


def test_a_spec_is_checked_planned_and_simulated():
    with folder() as place:
        program("new", place / "study", "--task", "contrast", "--images", "12", "--size", "16")
        spec = he.load(next((place / "study").glob("*.yaml")))
        assert not [one for one in he.check(spec) if one.severity == "error"]
        planned = he.plan(spec, target="power=0.8", studies=20)
        assert planned.advice in repr(planned).replace("\n", " ") or planned.rows
        simulated = he.simulate(spec, seed=1)
        assert simulated == he.simulate(spec, seed=1, threads=1)
        assert simulated != he.simulate(spec, seed=2)
        program("run", spec.path, "--simulate", "--json", "--progress", "none")
        study = he.open(spec)
        assert study.findings().estimates["model"] == simulated.estimates["model"]
        assert len(study.scores()) > 10 and len(study.answers()) > 10
        page = study.report(place / "report.html")
        assert page == place / "report.html" and page.read_text().startswith("<!DOCTYPE html>")
        assert simulated.report(place / "out").name == "index.html"


def test_the_program_is_found():
    assert program("--version").split()[1] == he.__version__
    assert Path(sys.prefix) in he.program().parents


def test_tables_are_read_as_the_program_imports_them():
    with folder() as place:
        path = written(ratings(), place / "table.csv")
        frame = he.read("csv", path, rater="rater", model="model", value="value", item="item")
        assert len(frame) == len(ratings()["value"])
        assert he.aggregate(frame).estimates["value"] == he.aggregate(ratings()).estimates["value"]


def test_docstrings_are_true():
    import doctest

    import hype_eval._calls
    import hype_eval._errors

    for module in (he, hype_eval._calls, hype_eval._errors, he.metrics):
        assert doctest.testmod(module).failed == 0, module


def test_metrics_of_arrays():
    import array

    def rows(kind, cells, width):
        return memoryview(array.array(kind, cells)).cast("B").cast(kind, [len(cells) // width, width])

    real, moved = [x / 7 for x in range(60)], [x / 7 + 1 for x in range(60)]
    double = he.metrics.fid(rows("d", real, 2), rows("d", moved, 2))
    assert abs(double - 2) < 1e-9, double
    assert abs(he.metrics.fid(rows("f", real, 2), rows("f", moved, 2)) - double) < 1e-5
    assert he.metrics.kid(rows("d", real, 2), rows("d", real, 2)).standard_deviation is None
    assert he.metrics.precision_recall(rows("d", real, 2), rows("d", real, 2)) == (1, 1)
    with raises(he.HypeError, "`features_a`", "a row for each image"):
        he.metrics.fid(array.array("d", real), rows("d", real, 2))
    with raises(he.HypeError, "pass an array of two dimensions"):
        he.metrics.fid([[1.0]], rows("d", real, 2))
    with raises(he.HypeError):
        he.metrics.fid(rows("d", real, 2), rows("d", real, 3))


def test_an_example_study_is_there():
    assert (EXAMPLES / "studies").is_dir(), EXAMPLES
