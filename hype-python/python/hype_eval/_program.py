"""The program `hype`, which the wheel brings along."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path


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


def main() -> None:
    """Becomes the program."""
    path = program()
    if sys.platform == "win32":
        import subprocess

        sys.exit(subprocess.run([path, *sys.argv[1:]], check=False).returncode)
    os.execv(path, [str(path), *sys.argv[1:]])
