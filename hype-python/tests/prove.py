"""Proves that the wheel works where people install it: in fresh environments of this machine with and without other libraries, and
in bare Debian systems without a compiler, the network or Rust. Prints a row for each.

The argument is the folder of the wheel.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WHEEL = max(Path(sys.argv[1]).resolve().glob("hype_eval-*x86_64.whl"), key=lambda path: path.stat().st_mtime)
LIBRARIES = ["polars", "pandas", "pyarrow", "duckdb", "mypy", "pandas-stubs"]


def run(*command, **options):
    """The last line that a command prints. Fails with all of its output."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n")
        raise SystemExit(f"failed: {' '.join(map(str, command))}")
    return (done.stdout.strip().splitlines() or [""])[-1]


def row(where, what, result):
    print(f"proof: {where} | {what} | {result}", flush=True)


def environment(folder, *packages):
    """An environment with the wheel and other packages, and the time of the wheel's installation."""
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    if packages:
        run(python, "-m", "pip", "install", "--quiet", *packages)
    began = time.monotonic()
    run(python, "-m", "pip", "install", "--quiet", "--no-index", WHEEL)
    return python, time.monotonic() - began


def on_this_machine(place):
    version = ".".join(map(str, sys.version_info[:2]))
    python, took = environment(place / "alone")
    row(f"Python {version}, nothing else installed", "the wheel is installed without network", f"{took:.1f} s")
    row(f"Python {version}, nothing else installed", "tests", run(python, HERE / "run.py", cwd=place))
    python, _ = environment(place / "with", *LIBRARIES)
    row(f"Python {version} with {', '.join(LIBRARIES[:4])}", "tests", run(python, HERE / "run.py", cwd=place))
    stubs = place / "check"
    stubs.mkdir()
    row("mypy", "strict", run(python, "-m", "mypy", "--strict", "--package", "hype_eval", cwd=stubs))
    row("stubtest", "the native half", run(python, "-m", "mypy.stubtest", "hype_eval._hype", cwd=stubs))


def in_debian(place, release):
    """The session in a bare system, whose root cannot reach the network."""
    if shutil.which("debootstrap") is None:
        row(f"Debian {release}", "session", "not tried: debootstrap is not installed")
        return
    system = place / release
    run("debootstrap", "--variant=minbase", "--include=python3-venv", release, system)
    shutil.copy(WHEEL, system / "tmp")
    shutil.copytree(HERE, system / "tmp/tests")
    shutil.copytree(ROOT / "examples", system / "tmp/examples", dirs_exist_ok=True)
    lonely = ["unshare", "--net", "chroot", system, "env", "-i", "PATH=/usr/bin:/bin", "HYPE_EXAMPLES=/tmp/examples"]
    if subprocess.run([*map(str, lonely), "true"], capture_output=True, check=False).returncode != 0:
        lonely = lonely[2:]
    for tool in ("cc", "cargo", "rustc"):
        assert not (system / "usr/bin" / tool).exists(), tool
    run(*lonely, "python3", "-m", "venv", "/tmp/venv")
    began = time.monotonic()
    run(*lonely, "/tmp/venv/bin/pip", "install", "--quiet", "--no-index", f"/tmp/{WHEEL.name}")
    took = time.monotonic() - began
    tests = ["test_session", "test_frames", "test_bad_input", "test_calls"]
    said = run(*lonely, "/tmp/venv/bin/python", "/tmp/tests/run.py", *tests)
    version = run(*lonely, "python3", "--version")
    row(f"Debian {release}, {version}", "tests without network and compiler", f"{said}; installed in {took:.1f} s")


def main():
    megabytes = WHEEL.stat().st_size / 1e6
    row("wheel", WHEEL.name, f"{megabytes:.1f} MB")
    assert megabytes < 20, megabytes
    leaked = [name for name in (str(ROOT), os.path.expanduser("~/.cargo")) if names_in_wheel(name)]
    row("wheel", "folders of the build machine in it", ", ".join(leaked) or "none")
    assert not leaked
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        on_this_machine(place)
        for release in ("bookworm", "trixie"):
            in_debian(place, release)


def names_in_wheel(text):
    """Whether a file of the wheel has a text."""
    import zipfile

    with zipfile.ZipFile(WHEEL) as wheel:
        return any(text.encode() in wheel.read(name) for name in wheel.namelist())


main()
