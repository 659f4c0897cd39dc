"""Collects each sample: who answers, how far they come, and what is kept of it."""

import csv
import hashlib
import json
import random
import re
import shutil
import signal
from dataclasses import dataclass, field
from pathlib import Path

import studies
from program import AHEAD, LONG_AGO, Postgres, Program
from visitor import Answer, Visitor, always, display, sharp, varied, wrong

SPEC = "evaluation.yaml"

# What is exported for comparison, where the study has it.
EXPORTS = ["scores", "trials", "answers", "events", "earnings", "participants"]


@dataclass
class Sample:
    """A sample's folder while it is made, and what its `sample.json` will say."""

    folder: Path
    hype: Path
    resume: list[str]
    simulated: bool = False
    variables: dict[str, str] = field(default_factory=dict)
    about: dict = field(default_factory=dict)

    @property
    def program(self) -> Program:
        return Program(self.hype, self.folder, self.variables)

    @property
    def study(self) -> str:
        return "evaluation.simulated" if self.simulated else "evaluation.study"

    def begin(self, spec: str, items: int = 0) -> None:
        self.folder.mkdir(parents=True)
        (self.folder / SPEC).write_text(spec)
        if items:
            (self.folder / "items.csv").write_text(studies.items(items))
        shutil.copytree(self.folder.parent / "images", self.folder / "images")

    def finish(self) -> None:
        """Adds what the program finds in the study now, and takes away what it can make again."""
        findings = self.program.run("score", self.study, "--json").stdout
        (self.folder / "expected-findings.json").write_bytes(findings)
        digests = {}
        for what in EXPORTS:
            lines = ["--format", "jsonl"] if what == "events" else []
            exported = self.program.run("export", self.study, "--what", what, *lines, check=False)
            if exported.returncode == 0:
                digests[what] = hashlib.sha256(exported.stdout).hexdigest()
        about = {"study": self.study, "resume": self.resume, "exports": digests, **self.about}
        (self.folder / "sample.json").write_text(json.dumps(about, indent=2) + "\n")
        shutil.rmtree(self.folder / "images")
        shutil.rmtree(self.folder / ".hype-page", ignore_errors=True)
        (self.folder / ".hype-images.jsonl").unlink(missing_ok=True)
        (self.folder / self.study / "lock").unlink(missing_ok=True)
        shutil.rmtree(self.folder / self.study / "report", ignore_errors=True)
        left = [path.name for path in (self.folder / self.study).glob("study.db-*")]
        assert not left, f"{self.folder} still has {left}"


def simulated_infinity(folder: Path, hype: Path) -> Sample:
    """A simulated study, complete, in which a rater was disqualified and replaced."""
    sample = Sample(folder, hype, ["run", SPEC, "--simulate"], simulated=True)
    sample.begin(studies.SIMULATED_INFINITY)
    sample.program.run(*sample.resume, "--progress", "none")
    return sample


def interrupted(sample: Sample) -> None:
    """Kills a collection in the middle, after a session has become durable and before its place is settled."""
    whole = sample.program.run(*sample.resume, "--progress", "json").stderr
    lines = list(re.finditer(rb'^.*"session".*$', whole, re.MULTILINE))
    shutil.rmtree(sample.folder / sample.study)
    # It waits with the line half said.
    sample.program.stopped_at(sample.resume, lines[len(lines) // 2].start() + 5)
    # The program that reads the log also brings its write-ahead log into the file.
    sample.program.run("score", sample.study)
    shutil.copytree(sample.folder, resumed := sample.folder.with_name(sample.folder.name + ".resumed"))
    findings = Program(sample.hype, resumed).run(*sample.resume, "--progress", "none", "--json").stdout
    (sample.folder / "expected-findings-resumed.json").write_bytes(findings)
    shutil.rmtree(resumed)


def interrupted_contrast(folder: Path, hype: Path) -> Sample:
    """A simulated study whose task learns, killed in the middle."""
    sample = Sample(folder, hype, ["run", SPEC, "--simulate"], simulated=True)
    sample.begin(studies.SIMULATED_CONTRAST, 6)
    interrupted(sample)
    return sample


def interrupted_rating(folder: Path, hype: Path) -> Sample:
    """Scripted raters, one of whom is excluded, killed in the middle."""
    sample = Sample(folder, hype, ["run", SPEC])
    sample.begin(studies.SCRIPTED_RATING, 6)
    with (folder / "answers.csv").open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["place", "attempt", "trial", "rt_ms", "A", "objects", "artifacts", "unusual"])
        for place in range(4):
            for attempt in range(2):
                chance = random.Random(f"{place} {attempt}")
                # The first rater at place 1 is wrong about every gold image, and is replaced.
                follows = ["most"] if (place, attempt) == (1, 0) else ["none", "some", "some", "most"]
                asked = [follows, ["recognizable", "unrecognizable"], ["none", "some", "serious"], ["none", "some"]]
                for trial in range(20):
                    table.writerow([place, attempt, trial, 800 + 3 * trial, *map(chance.choice, asked)])
    interrupted(sample)
    return sample


def visits(
    sample: Sample,
    arrivals: list[dict[str, str]],
    ended: list[Answer],
    answer: Answer,
    halfway_at: int = 3,
    ends_by: signal.Signals = signal.SIGTERM,
) -> None:
    """Raters who come to their end, one by each way to answer, and four who do not: one leaves, one stops at a trial,
    one before the first, and one so long ago that the session is over and its place free again. The operator excludes the
    first of them.
    """
    prefix = sample.folder.name
    people = [Visitor(f"{prefix} {number}", arrival) for number, arrival in enumerate(arrivals)]
    *ending, leaver, halfway, reading, lapsed = people[: len(ended) + 4]
    halfway.language = "de"
    with sample.program.serving(sample.resume, AHEAD, ends_by) as address:
        for visitor, answers in zip(ending, ended):
            visitor.consent(address).begin().answer(answers)
            assert visitor.screen["screen"] == "end", visitor.screen
        leaver.consent(address).begin().answer(answer, 2).leave()
        halfway.consent(address).begin().answer(answer, halfway_at)
        if display(halfway.screen["trial"]) is not None:
            halfway.disturbed().answer(answer, 1).disturbed()
        reading.consent(address)
    with sample.program.serving(sample.resume, LONG_AGO) as address:
        lapsed.consent(address).begin().answer(answer, 1)
    with sample.program.serving(sample.resume, None) as address:
        lapsed.come_back(address)
    exported = sample.program.run("export", sample.study, "--what", "trials").stdout.decode()
    excluded = next(csv.DictReader(exported.splitlines()))["rater"]
    sample.program.run("operator", sample.study, "exclude", excluded, "--reason", "asked a friend")
    sample.about |= {
        "waiting": [halfway.left_at(), reading.left_at()],
        "lapsed": [lapsed.left_at()],
        "newcomers": arrivals[len(ended) + 4 :],
    }


def web_time(folder: Path, hype: Path) -> Sample:
    """A panel's participants with one-time links, at a page that measures display times."""
    sample = Sample(folder, hype, ["run", SPEC])
    sample.begin(studies.WEB_TIME)
    # Links need the page's address, which a page at any free port does not have.
    with_address = studies.WEB_TIME.replace("127.0.0.1:0", "127.0.0.1:7850")
    (folder / "links.yaml").write_text(with_address)
    printed = sample.program.run("links", "links.yaml", "--count", "11", "--study", sample.study).stdout.decode()
    (folder / "links.yaml").unlink()
    arrivals = [
        {"link": link.split("?link=")[1], "PROLIFIC_PID": f"5f3c0ffee{number}"}
        for number, link in enumerate(printed.split())
    ]
    # Who is always wrong is left out by the qualification.
    visits(sample, arrivals, [always("real"), sharp, wrong], always("real"), halfway_at=6)
    return sample


def local_fooling(folder: Path, hype: Path) -> Sample:
    """Raters who come one after the other to the page at this machine, where the program is killed."""
    sample = Sample(folder, hype, ["run", SPEC])
    sample.begin(studies.LOCAL_FOOLING)
    visits(sample, [{}] * 10, [varied, varied], varied, ends_by=signal.SIGKILL)
    return sample


def postgres_contrast(folder: Path, hype: Path) -> Sample:
    """Participants whose answers are in a database, of a task that learns."""
    server = Postgres()
    try:
        sample = Sample(folder, hype, ["serve", SPEC], variables={"HYPE_STORE": server.url("stored")})
        sample.begin(studies.POSTGRES_CONTRAST, 6)
        arrivals = [{"PROLIFIC_PID": f"60a1b2c3d{number}"} for number in range(13)]
        visits(sample, arrivals, [varied, varied], varied)
        sample.about["database"] = {"dump": "study.sql", "variable": "HYPE_STORE", "schema": "stored"}
        (folder / "study.sql").write_text(server.dump("stored"))
        sample.finish()
    finally:
        server.stop()
    return sample
