"""The program `hype`, which the wheel brings along."""

from __future__ import annotations

import shutil
import signal
import sys
import sysconfig
from pathlib import Path
from typing import NoReturn

from . import _hype


def program() -> Path:
    """The path of the program `hype` of this package.

    People are served and recruited by the program: a notebook's kernel that dies must not end a study.
    """
    name = "hype" + (sysconfig.get_config_var("EXE") or "")
    user = sysconfig.get_preferred_scheme("user")
    # Of `pip install --target`, scripts are in a folder next to the package.
    schemes = (sysconfig.get_path("scripts"), sysconfig.get_path("scripts", user))
    folders = [*map(Path, schemes), Path(__file__).parent.parent / "bin"]
    for folder in folders:
        path = folder / name
        if path.is_file():
            return path
    found = shutil.which(name)
    if found is not None:
        return Path(found)
    raise FileNotFoundError(f"the program {name} is in none of {', '.join(map(str, folders))}: install hype-eval again")


def main() -> NoReturn:
    """Runs the program, which is part of the extension, with the arguments of the process."""
    # It has its own handlers, and otherwise ends at Ctrl-C as other programs do, unless a shell ignores that for it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_hype.program(["hype", *sys.argv[1:]]))
