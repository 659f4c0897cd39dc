"""Of every example study, `.to_dict()` is what the program prints with `--json`."""

import json

import hype_eval as he
from support import EXAMPLES, folder, printed, program, raises

STUDIES = EXAMPLES / "studies"


def specs():
    return sorted(STUDIES.glob("*.yaml"))


def test_checks():
    assert len(specs()) > 10
    for spec in specs():
        wanted = printed("check", spec, "--json")["diagnostics"]
        assert [one.to_dict() for one in he.check(spec)] == wanted, spec


def test_simulations():
    compared = 0
    for spec in specs():
        if any(one.severity == "error" for one in he.check(spec)):
            continue
        wanted = printed("simulate", spec, "--seed", "1", "--json")
        assert he.simulate(spec, seed=1).to_dict() == wanted, spec
        compared += 1
    assert compared > 10, compared


def test_stored_studies():
    with folder() as place:
        for spec in specs():
            if any(one.severity == "error" for one in he.check(spec)):
                continue
            stored = place / spec.stem
            program("run", spec, "--simulate", "--study", stored, "--json", "--progress", "none")
            study = he.open(stored)
            assert study.findings().to_dict() == printed("score", stored, "--json"), spec
            rows = program("export", stored, "--what", "scores").count("\n") - 1
            assert len(study.scores()) == rows, spec
            table = place / f"{spec.stem}.csv"
            program("export", stored, "--what", "scores", "--output", table)
            text = program("aggregate", table, "--json")
            if not text:
                # Scores of some tasks need an aggregator that is named.
                with raises(he.HypeError):
                    he.aggregate(table)
                continue
            wanted = json.loads(text)
            assert he.aggregate(table).to_dict() == wanted, spec
            assert he.aggregate(study.scores()).to_dict() == wanted, spec


def test_plans():
    for name in ("contrast", "likert", "hype-infinity"):
        spec = STUDIES / f"{name}.yaml"
        wanted = printed("plan", spec, "--studies", "10", "--json")
        assert he.plan(spec, studies=10).to_dict() == wanted, spec
