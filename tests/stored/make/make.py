#!/usr/bin/env python3
"""Makes stored studies by a program `hype`: `make.py PROGRAM FOLDER [SAMPLE…]`.

Needs Debian's packages faketime and postgresql. README.md beside this folder says what the samples are for.
"""

import sys
import shutil
from pathlib import Path

import samples
import studies


def main(program: Path, folder: Path, wanted: list[str]) -> None:
    def simulated(spec, sets, items=0):
        return lambda at, hype: samples.simulated(at, hype, spec, sets, items)

    makers = {
        "simulated-time": simulated(studies.SIMULATED_TIME, {"real": 24, "good": 24, "weak": 24, "masks": 8}),
        "simulated-infinity": simulated(studies.SIMULATED_INFINITY, {"real": 12, "good": 12, "weak": 12}),
        "simulated-stopping": simulated(
            studies.SIMULATED_STOPPING,
            {f"{name}/{half}": 16 for name in ("real", "good", "weak") for half in ("first", "second")},
        ),
        "simulated-ranking": simulated(
            studies.SIMULATED_RANKING, {"real": 8, "good": 8, "middling": 8, "weak": 8}
        ),
        "simulated-best-of": simulated(studies.SIMULATED_BEST_OF, {"good": 8, "middling": 8, "weak": 8}, 8),
        "simulated-criteria": simulated(
            studies.SIMULATED_CRITERIA, {"real": 8, "good": 8, "middling": 8, "weak": 8}
        ),
        "simulated-contrast": samples.interrupted_contrast,
        "scripted-rating": samples.interrupted_rating,
        "web-time": samples.web_time,
        "local-fooling": samples.local_fooling,
        "postgres-contrast": samples.postgres_contrast,
    }
    for name in wanted or makers:
        shutil.rmtree(folder / name, ignore_errors=True)
        sample = makers[name](folder / name, program)
        if not (sample.folder / "sample.json").exists():
            sample.finish()
        print(name)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:])
