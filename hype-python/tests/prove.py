"""Proves that the wheel works where people install it: in fresh environments of this machine with and without other libraries, and
in bare Debian systems without a compiler, the network or Rust. Prints a row for each.

The argument is the folder of the wheel. The variable HYPE_REACH names the steps that run, such as `image debian`; of the others, the
rows of their last run are printed, and one step can be tried again in minutes.
"""

import http.server
import json
import math
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import venv
from pathlib import Path

import image

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WHEELS = Path(sys.argv[1]).resolve()
ROWS = ROOT / "target/reach/rows"
RELEASE = ROOT / "target/release-files"
LIBRARIES = ["polars", "pandas", "pyarrow", "duckdb", "mypy", "pandas-stubs"]


def run(*command, **options):
    """The last line that a command prints. Fails with all of its output."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n")
        raise SystemExit(f"failed: {' '.join(map(str, command))}")
    return (done.stdout.strip().splitlines() or [""])[-1]


def wheel(system="manylinux"):
    """The newest wheel for a kind of Linux."""
    return max(WHEELS.glob(f"hype_eval-*{system}*x86_64.whl"), key=lambda path: path.stat().st_mtime)


def row(where, what, result):
    print(f"proof: {where} | {what} | {result}", flush=True)
    STEP.append(f"proof: {where} | {what} | {result}")


STEP = []
"""The rows of the step that runs."""


def environment(folder, *packages):
    """An environment with the wheel and other packages, and the time of the wheel's installation."""
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    if packages:
        run(python, "-m", "pip", "install", "--quiet", *packages)
    began = time.monotonic()
    run(python, "-m", "pip", "install", "--quiet", "--no-index", wheel())
    return python, time.monotonic() - began


def on_this_machine(place):
    version = ".".join(map(str, sys.version_info[:2]))
    python, took = environment(place / "alone")
    row(f"Python {version}, nothing else installed", "the wheel is installed without network", f"{took:.1f} s")
    began = time.monotonic() - took
    picture = (
        "import random, hype_eval as he; rows = [(r, m, random.gauss(m, 1)) for r in range(12) for m in range(3)]; "
        "found = he.aggregate({'rater': [r for r, _, _ in rows], 'model': ['abc'[m] for _, m, _ in rows], "
        "'value': [v for _, _, v in rows]}); assert 'data:image/svg+xml' in found._repr_html_()"
    )
    run(python, "-W", "ignore", "-c", picture)
    row(f"Python {version}", "`pip install` to the first picture", f"{time.monotonic() - began:.1f} s")
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
        row(study, "its package, aggregated as its README says", aggregated(program, package))


def aggregated(program, package):
    """Computes a package's statistics again by the command in its README, and compares them with its findings."""
    readme = (package / "README.md").read_text()
    command = readme.split("```sh\nhype aggregate ")[1].split("\n```")[0].replace("\\\n", " ")
    done = subprocess.run(
        [program, "aggregate", *shlex.split(command), "--json"], cwd=package, capture_output=True, text=True, check=False
    )
    assert done.stdout, done.stderr
    found, published = json.loads(done.stdout), json.loads((package / "findings.json").read_text())
    counts = [0, 0]
    for measure in published["measures"]:
        name = measure["measure"]["name"]
        again = next((one for one in found["measures"] if one["measure"]["name"] == name), None)
        assert again is not None, f"{name} is not found again"
        for estimate in measure["estimates"]:
            other = next(one for one in again["estimates"] if one["model"] == estimate["model"])
            if math.isclose(estimate["value"], other["value"], rel_tol=1e-12):
                counts[0] += 1
            else:
                apart = abs(estimate["value"] - other["value"])
                assert apart < 5 * of_orders(measure, estimate["model"]), (name, estimate, other)
                counts[1] += 1
    return f"{counts[0]} estimates the same, {counts[1]} within the error of their random orders"


def of_orders(measure, model):
    """The standard error of the difference of two Elo scores of the same votes: each is a mean over random orders of them, and the
    package has another seed than the study."""
    table = next(table for table in measure["tables"] if table["name"] == "elo")
    orders = int(table["label"].split("over ")[1].split(" orders")[0])
    names = [column["name"] for column in table["columns"]]
    deviation = next(row[names.index("sd")] for row in table["rows"] if row[names.index("model")] == model)
    return deviation * math.sqrt(2 / orders)


def image_is_tried(place):
    """The container image, unpacked and run in a root of its own."""
    image_file = ROOT / "target/hype-image.tar.gz"
    if not image_file.is_file():
        row("image", "start and kills", "not tried: scripts/build-image has not run")
        return
    image.tried(image_file, place, row)


def files_are_reproduced(place):
    """A second release, from another folder of sources into another folder of builds, has the same bytes."""
    source, text = place / "source", RELEASE / "SHA256SUMS"
    source.mkdir()
    files = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-xf", "-", "-C", source], input=files, check=True)
    run("cargo", "xtask", "release", cwd=source, env={**os.environ, "CARGO_TARGET_DIR": str(place / "built")})
    sums = [path.read_text() for path in (text, source / "target/release-files/SHA256SUMS")]
    assert sums[0] == sums[1], sums
    for line in sums[0].splitlines():
        digest, name = line.split()
        row("`cargo xtask release`, built twice, in different folders", name, f"the same bytes: SHA-256 {digest[:16]}…")


def both_debians(place):
    """Two releases of Debian."""
    for release in ("bookworm", "trixie"):
        in_debian(place, release)


def in_debian(place, release):
    """The session in a bare system, whose root cannot reach the network."""
    if shutil.which("debootstrap") is None:
        row(f"Debian {release}", "session", "not tried: debootstrap is not installed")
        return
    system = place / release
    packages = ROOT / "target/reach/debs"
    packages.mkdir(parents=True, exist_ok=True)
    options = ["--variant=minbase", "--include=python3-venv", f"--cache-dir={packages}"]
    run("debootstrap", *options, release, system)
    shutil.copy(wheel(), system / "tmp")
    shutil.copytree(HERE, system / "tmp/tests")
    shutil.copytree(ROOT / "examples", system / "tmp/examples", dirs_exist_ok=True)
    # Raters of the quickstart visit a page: the system has no network but its own loopback.
    alone = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    lonely = [*alone, "chroot", system, "env", "-i", "PATH=/usr/bin:/bin", "HYPE_EXAMPLES=/tmp/examples"]
    if subprocess.run([*map(str, lonely), "true"], capture_output=True, check=False).returncode != 0:
        lonely = lonely[len(alone):]
    for tool in ("cc", "cargo", "rustc"):
        assert not (system / "usr/bin" / tool).exists(), tool
    archive = next(RELEASE.glob("hype-*-x86_64-linux.tar.gz"))
    run("tar", "-xzf", archive, "-C", system / "tmp", "--strip-components=1")
    began = time.monotonic()
    run(*lonely, "/tmp/hype", "run", "/tmp/examples/quickstart/evaluation.yaml", "--simulate", "3", "--study", "/tmp/kept", "--progress", "none")
    assert (system / "tmp/kept/report/index.html").is_file()
    row(f"Debian {release}", "the static program runs quickstart", f"{time.monotonic() - began:.1f} s to the report")
    run(*lonely, "python3", "-m", "venv", "/tmp/venv")
    began = time.monotonic()
    run(*lonely, "/tmp/venv/bin/pip", "install", "--quiet", "--no-index", f"/tmp/{wheel().name}")
    took = time.monotonic() - began
    tests = ["test_session", "test_frames", "test_bad_input", "test_calls"]
    said = run(*lonely, "/tmp/venv/bin/python", "/tmp/tests/run.py", *tests)
    version = run(*lonely, "python3", "--version")
    row(f"Debian {release}, {version}", "tests without network and compiler", f"{said}; installed in {took:.1f} s")


def wheel_is_small(_):
    """What is in the wheel, and what it says of the systems on which it runs."""
    megabytes = wheel().stat().st_size / 1e6
    row("wheel", wheel().name, f"{megabytes:.1f} MB")
    assert megabytes < 20, megabytes
    leaked = [name for name in (str(ROOT), os.path.expanduser("~/.cargo")) if names_in_wheel(name)]
    row("wheel", "folders of the build machine in it", ", ".join(leaked) or "none")
    assert not leaked
    bills = [path for path in RELEASE.glob("*.cdx.json") if str(ROOT) in path.read_text() or "file:" in path.read_text()]
    assert not bills, bills
    row("static program", "folders of the build machine in its bill of materials", "none")


def audited(place):
    """The oldest system on which the wheel runs, as auditwheel reads it from the extension's symbols."""
    python, _ = environment(place / "audit", "auditwheel")
    said = subprocess.run([python, "-m", "auditwheel", "show", wheel()], capture_output=True, text=True, check=False).stdout
    tag = next((word for word in said.replace('"', " ").split() if word.startswith("manylinux_")), "")
    assert tag.startswith(("manylinux_2_17", "manylinux_2_12", "manylinux_2_5")), said
    row("auditwheel", "the wheel runs from", tag)


STEPS = {
    "wheel": wheel_is_small,
    "audit": audited,
    "machine": on_this_machine,
    "notebooks": notebooks_run,
    "install": installed_from_loopback,
    "hubs": hubs_read_packages,
    "debian": both_debians,
    "image": image_is_tried,
    "twice": files_are_reproduced,
}


def main():
    wanted = os.environ.get("HYPE_REACH", " ".join(STEPS)).split()
    unknown = [name for name in wanted if name not in STEPS]
    if unknown:
        raise SystemExit(f"there is no step {unknown[0]}: name some of {' '.join(STEPS)}")
    ROWS.mkdir(parents=True, exist_ok=True)
    for name, step in STEPS.items():
        kept = ROWS / f"{name}.txt"
        if name in wanted:
            STEP.clear()
            kept.unlink(missing_ok=True)
            with tempfile.TemporaryDirectory() as place:
                step(Path(place))
            kept.write_text("\n".join(STEP) + "\n")
        elif kept.is_file():
            print(kept.read_text(), end="", flush=True)
        else:
            print(f"proof: {name} | not run | ", flush=True)


def names_in_wheel(text):
    """Whether a file of the wheel has a text."""
    import zipfile

    with zipfile.ZipFile(wheel()) as files:
        return any(text.encode() in files.read(name) for name in files.namelist())


main()
