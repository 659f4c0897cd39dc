#!/usr/bin/env python3
"""Makes stored studies by a program `hype`: `make.py PROGRAM FOLDER [SAMPLE…]`.

Needs Debian's packages faketime and postgresql. README.md beside this folder says what the samples are for.
"""

import sys
import shutil
from pathlib import Path

import drawn
import samples

MAKERS = {
    "simulated-infinity": samples.simulated_infinity,
    "simulated-contrast": samples.interrupted_contrast,
    "scripted-rating": samples.interrupted_rating,
    "web-time": samples.web_time,
    "local-fooling": samples.local_fooling,
    "postgres-contrast": samples.postgres_contrast,
}

# So many images of each set, which all samples share.
SETS = {"real": 6, "good": 6, "middling": 6, "weak": 6, "masks": 3}


def main(program: Path, folder: Path, wanted: list[str]) -> None:
    shutil.rmtree(folder / "images", ignore_errors=True)
    drawn.draw(folder, SETS)
    for name in wanted or MAKERS:
        shutil.rmtree(folder / name, ignore_errors=True)
        sample = MAKERS[name](folder / name, program)
        if not (sample.folder / "sample.json").exists():
            sample.finish()
        print(name)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:])
