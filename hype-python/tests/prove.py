"""Proves that the wheel works where people install it: in fresh environments of this machine with and without other libraries, and
in bare Debian systems without a compiler, the network or Rust. Prints a row for each.

The argument is the folder of the wheel.
"""

import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WHEEL = max(Path(sys.argv[1]).resolve().glob("hype_eval-*x86_64.whl"), key=lambda path: path.stat().st_mtime)
RELEASE = ROOT / "target/release-files"
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


def notebooks_run(place):
    """Both notebooks, executed from their first cell to their last."""
    python, _ = environment(place / "notebooks", "nbconvert", "ipykernel")
    for notebook in sorted((HERE.parent / "notebooks").glob("*.ipynb")):
        target = place / notebook.name
        run(python, "-m", "nbconvert", "--to", "notebook", "--execute", notebook, "--output", target)
        cells = json.loads(target.read_text())["cells"]
        pictures = sum("image/svg+xml" in json.dumps(cell) for cell in cells)
        row(notebook.name, "executed", f"{len(cells)} cells, {pictures} with a figure")


def installed_from_loopback(place):
    """The install script, with the folder of the release served on this machine."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    began = time.monotonic()
    run("sh", RELEASE / "install", env={**os.environ, "HYPE_FROM": address, "HYPE_TO": str(place / "bin")})
    row("install script", "from a folder on loopback", f"{time.monotonic() - began:.1f} s")
    began = time.monotonic()
    run(place / "bin/hype", "demo", cwd=place)
    row("static program", "`hype demo`, from its start to the report", f"{time.monotonic() - began:.1f} s")
    damaged = place / "damaged"
    shutil.copytree(RELEASE, damaged)
    archive = next(damaged.glob("*-x86_64-linux.tar.gz"))
    archive.write_bytes(archive.read_bytes()[:-1])
    Quiet.folder = damaged
    refused = subprocess.run(
        ["sh", RELEASE / "install"],
        env={**os.environ, "HYPE_FROM": address, "HYPE_TO": str(place / "other")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode != 0 and "damaged" in refused.stderr and not (place / "other").exists(), refused
    row("install script", "a damaged archive", "refused")
    server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder without a log."""

    folder = RELEASE

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=self.folder)

    def log_message(self, *_):
        pass


def hubs_read_packages(place):
    """Packages of five studies, validated by the hubs' own library and by the schemas of records, if those are here."""
    python, _ = environment(place / "hubs", "mlcroissant", "jsonschema", "datasets")
    reference = Path(os.environ.get("HYPE_REFERENCE", ROOT / "../shared/reference"))
    schema = reference / "hub/eval.schema.json"
    program = place / "hubs/bin/hype"
    for study in ("contrast", "heim", "likert", "ranking", "hype-infinity"):
        kept, package = place / f"{study}.kept", place / f"{study}.package"
        spec = ROOT / f"examples/studies/{study}.yaml"
        run(program, "run", spec, "--simulate", "--study", kept, "--json", "--progress", "none")
        run(program, "export", kept, "--package", package)
        said = run(python, HERE / "hubs.py", package, schema)
        row(study, "mlcroissant, datasets, Every Eval Ever", said)


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
    archive = next(RELEASE.glob("hype-*-x86_64-linux.tar.gz"))
    run("tar", "-xzf", archive, "-C", system / "tmp", "--strip-components=1")
    began = time.monotonic()
    run(*lonely, "/tmp/hype", "run", "/tmp/examples/quickstart/evaluation.yaml", "--simulate", "3", "--study", "/tmp/kept", "--progress", "none")
    assert (system / "tmp/kept/report/index.html").is_file()
    row(f"Debian {release}", "the static program runs quickstart", f"{time.monotonic() - began:.1f} s to the report")


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
        notebooks_run(place)
        installed_from_loopback(place)
        hubs_read_packages(place)
        for release in ("bookworm", "trixie"):
            in_debian(place, release)


def names_in_wheel(text):
    """Whether a file of the wheel has a text."""
    import zipfile

    with zipfile.ZipFile(WHEEL) as wheel:
        return any(text.encode() in wheel.read(name) for name in wheel.namelist())


main()
