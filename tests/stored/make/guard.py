#!/usr/bin/env python3
"""Runs studies by a program `hype`, and keeps everything that it writes and answers: `guard.py PROGRAM FOLDER`.

`cargo xtask guard` runs it for two programs and compares the folders. The program's clock stands still, and its random
bytes follow from how often it has asked for some (`still.c`), so that the same program leaves the same bytes. Of a platform's
people, who arrive in any order, sessions, ledger entries and requests are kept in an order of their own.

Needs a C compiler and Debian's packages faketime and postgresql.
"""

import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import drawn
import make
import program
import samples
import visitor

ROOT = Path(__file__).resolve().parents[3]
NOW = "2026-11-20 12:00:00"
SPEC = samples.SPEC

# Studies of examples/studies that synthetic raters answer in seconds.
EXAMPLES = [
    "best-of",
    "contrast",
    "contrast-categories",
    "contrast-criteria",
    "contrast-gold",
    "fooling",
    "heim",
    "hype-infinity",
    "hype-time-quest-plus",
    "imagenhub-editing",
    "imagenhub-generation",
    "likert",
    "opinion",
    "photorealism",
    "ranking",
    "stopping",
]

PLATFORMS = ["mturk", "panel", "prolific"]


def stand_still(folder: Path) -> None:
    """Gives every program random bytes that repeat, and a clock that stands where a time is given."""
    library = folder / "still.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, Path(__file__).with_name("still.c"), "-ldl"], check=True)
    clocks = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    if not clocks:
        raise SystemExit("the clock cannot be stopped without libfaketime: apt-get install faketime")
    clock = clocks[0]

    def environment(time: str | None, variables: dict[str, str]) -> dict[str, str]:
        still = {"TZ": "UTC", "LD_PRELOAD": str(library), "TOKIO_WORKER_THREADS": "1"}
        if time is not None:
            still |= {"LD_PRELOAD": f"{clock} {library}", "FAKETIME": time, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        return {**os.environ, **variables, **still}

    program._environment = environment
    serving = program.Program.serving
    program.Program.serving = lambda self, run, time, *ends_by: serving(self, run, time or NOW, *ends_by)


class Kept:
    """Keeps what one study leaves."""

    def __init__(self, hype: Path, folder: Path):
        self.hype, self.folder = hype, folder
        folder.mkdir(parents=True)

    def write(self, part: str, text: str) -> None:
        (self.folder / part).write_text(text)

    def program(self, study: Path, variables: dict[str, str] | None = None) -> program.Program:
        return program.Program(self.hype, study.parent, variables)

    def still(self, folder: Path, *arguments: str | Path, **variables: str) -> None:
        """Runs the program while its clock stands still."""
        environment = program._environment(NOW, variables)
        subprocess.run([self.hype, *arguments], cwd=folder, env=environment, check=True, capture_output=True)

    def findings(self, study: Path) -> None:
        self.write("findings", self.program(study).run("score", study.name, "--json").stdout.decode())

    def files(self, study: Path) -> None:
        """The small files of the study's folder, and every row of its database."""
        for name in ("about.json", "spec.yaml", "stimuli.json", "raters.json"):
            if (study / name).exists():
                self.write(f"folder-{name}", (study / name).read_text())
        database = study / "study.db"
        if database.exists():
            with sqlite3.connect(database) as connection:
                self.rows(list(connection.iterdump()), lambda line: line.startswith("INSERT"))

    def rows(self, lines: list[str], are_rows: Callable[[str], bool]) -> None:
        """The rows of a database, and apart from them its tables."""
        self.write("logs", "".join(f"{line}\n" for line in lines if are_rows(line)))
        self.write("tables", "".join(f"{line}\n" for line in lines if not are_rows(line)))

    def unordered(self, study: Path) -> None:
        """What does not depend on who came first: sessions by their places, the ledger by its payments."""
        events = self.program(study).run("export", study.name, "--what", "events", "--format", "jsonl").stdout.decode()
        self.write("logs", "".join(sorted(f"{without_times(line)}\n" for line in events.splitlines())))
        with sqlite3.connect(study / "study.db") as connection:
            entries = [json.loads(entry) for (entry,) in connection.execute("SELECT entry FROM ledger ORDER BY number")]
        # How often a listing grows depends on how fast people come.
        entries = [entry["change"] for entry in entries if entry["change"]["kind"] != "listing-resized"]
        told = (json.dumps(entry, sort_keys=True) for entry in entries)
        self.write("ledger", "".join(sorted(f"{unnumbered(line)}\n" for line in told)))


def without_times(line: str) -> str:
    """An exported event without durations, which synthetic visitors measure by the clock of the machine."""
    return unnumbered(re.sub(r'"(at|rt|at_us|rt_us|rt_ms|at_ms)":[0-9.]+', r'"\1":0', line))


def unnumbered(line: str) -> str:
    """A line without names that follow from the order in which people came, and without ports."""
    line = re.sub(r"\b(r|s)?[0-9a-f]{16,64}\b", "…", line)
    return re.sub(r"127\.0\.0\.1:\d+", "ADDRESS", line)


def recorded(transcript: list[str]) -> Callable[..., Any]:
    """A visitor's way to send requests that writes down what was sent and answered."""
    send = visitor.Visitor._send

    def sending(self: visitor.Visitor, method: str, path: str, body: str | None) -> tuple[int, bytes]:
        status, answer = send(self, method, path, body)
        text = answer.decode() if answer[:1] in (b"{", b"[") or status != 200 else f"{len(answer)} bytes {hash_of(answer)}"
        sent = f"{method} {path} {self.cookie or ''}\n{body or ''}\n{status} {text}\n\n"
        transcript.append(sent.replace(self.address, "ADDRESS"))
        return status, answer

    return sending


def hash_of(answer: bytes) -> str:
    return samples.hashlib.sha256(answer).hexdigest()


def simulated(kept: Kept, work: Path, name: str) -> None:
    """A study of the examples."""
    study = work / f"{name}.simulated"
    examples = ROOT / "examples/studies"
    kept.still(examples, "run", f"{name}.yaml", "--simulate", "--threads", "1", "--study", study, "--progress", "none")
    kept.files(study)
    kept.findings(study)


def killed(kept: Kept, work: Path, maker: Callable[[Path, Path], samples.Sample]) -> None:
    """A stored sample whose collection was killed, resumed to its end."""
    sample = maker(work / "sample", kept.hype)
    sample.program.run(*sample.resume, "--progress", "none")
    study = sample.folder / sample.study
    kept.unordered(study)
    kept.findings(study)


def visited(kept: Kept, work: Path, maker: Callable[[Path, Path], samples.Sample]) -> None:
    """A stored sample: raters who completed, left, are in the middle of a trial, read instructions, expired or were excluded."""
    transcript: list[str] = []
    send, environment = visitor.Visitor._send, program._environment
    visitor.Visitor._send = recorded(transcript)
    program._environment = lambda time, variables: environment(time or NOW, variables)
    try:
        sample = maker(work / "sample", kept.hype)
    finally:
        visitor.Visitor._send, program._environment = send, environment
    study = sample.folder / sample.study
    kept.files(study)
    kept.write("wire", "".join(transcript))
    if (sample.folder / "study.sql").exists():
        kept.rows((sample.folder / "study.sql").read_text().splitlines(), lambda line: "\t" in line)
        kept.write("findings", (sample.folder / "expected-findings.json").read_text())
    else:
        kept.findings(study)


def at_platform(kept: Kept, work: Path, name: str) -> None:
    """A recruiting study with a fake of its platform: what is stored, paid and sent."""
    study = work / f"{name}.study"
    requests = work / f"{name}.requests"
    run = ["run", f"{name}.yaml", "--fake", "--study", study, "--progress", "none"]
    kept.still(ROOT / "examples/crowd", *run, HYPE_REQUESTS=str(requests))
    kept.unordered(study)
    told = json.loads(kept.program(study).run("score", study.name, "--json").stdout)
    kept.write("findings", unnumbered(json.dumps(told, indent=2)))
    if requests.exists():
        kept.write("wire", "".join(sorted(asked(requests.read_bytes().decode(errors="replace")))))


def asked(requests: str) -> set[str]:
    """The kinds of requests to the platform: method, path, names of headers, and the names and types in the body."""
    shapes = set()
    for request in requests.split("\n\x1e\n"):
        head, _, body = request.partition("\r\n\r\n")
        first, *headers = head.split("\r\n")
        names = sorted(header.split(":")[0].lower() for header in headers)
        if "authorization" not in names:
            continue
        try:
            body = json.dumps(shape(json.loads(body)), sort_keys=True)
        except json.JSONDecodeError:
            body = f"{len(body) > 0}"
        target = [header for header in headers if header.lower().startswith("x-amz-target")]
        first = re.sub(r"\d{2,}", "#", unnumbered(first))
        shapes.add(f"{first} {' '.join(names + target)}\n{body}\n\n")
    return shapes


def shape(value: Any) -> Any:
    """A JSON value with the types of its parts in their place; of a list, the different parts."""
    if isinstance(value, dict):
        return {key: shape(part) for key, part in value.items()}
    if isinstance(value, list):
        return sorted({json.dumps(shape(part), sort_keys=True) for part in value})
    return type(value).__name__


def main(hype: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    work = folder / "work"
    work.mkdir(parents=True)
    stand_still(work)
    drawn.draw(work, make.SETS)
    made: dict[str, Callable[[Kept, Path], None]] = {}
    for name in EXAMPLES:
        made[name] = lambda kept, at, name=name: simulated(kept, at, name)
    for name in ("simulated-contrast", "scripted-rating"):
        made[name] = lambda kept, at, name=name: killed(kept, at, make.MAKERS[name])
    for name in ("web-time", "local-fooling", "postgres-contrast"):
        made[name] = lambda kept, at, name=name: visited(kept, at, make.MAKERS[name])
    for name in PLATFORMS:
        made[name] = lambda kept, at, name=name: at_platform(kept, at, name)
    for name, keep in made.items():
        keep(Kept(hype, folder / "kept" / name), work)
        shutil.rmtree(work / "sample", ignore_errors=True)
        print(name, flush=True)
    shutil.rmtree(work)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
