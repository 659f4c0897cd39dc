"""Runs the program `hype`, under a clock of its own where a sample needs one, and a PostgreSQL server."""

import fcntl
import glob
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

# Far ahead, so that sessions opened by it never get too old; and long ago, so that theirs always are.
AHEAD = "2096-01-02 09:00:00"
LONG_AGO = "2020-01-02 09:00:00"


def _environment(clock: str | None, variables: dict[str, str]) -> dict[str, str]:
    environment = {**os.environ, **variables, "TZ": "UTC"}
    if clock is not None:
        (library,) = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
        environment |= {"LD_PRELOAD": library, "FAKETIME": f"@{clock}", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    return environment


class Program:
    """The program, run in one folder with the same variables."""

    def __init__(self, hype: Path, folder: Path, variables: dict[str, str] | None = None):
        self.hype, self.folder, self.variables = hype, folder, variables or {}

    def run(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
        done = subprocess.run(
            [self.hype, *arguments],
            cwd=self.folder,
            env=_environment(None, self.variables),
            capture_output=True,
        )
        if check and done.returncode != 0:
            raise RuntimeError(f"hype {arguments}: {done.stdout.decode()}{done.stderr.decode()}")
        return done

    def serving(
        self, arguments: list[str], clock: str | None, ends_by: signal.Signals = signal.SIGTERM
    ) -> "Serving":
        return Serving(self, arguments, clock, ends_by)

    def stopped_at(self, arguments: list[str], told: int) -> None:
        """Runs the program until it has no room for more than so many bytes, where it waits for a reader, and kills it."""
        read, write = os.pipe()
        size = fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, os.sysconf("SC_PAGE_SIZE"))
        os.write(write, b" " * (size - told))
        process = subprocess.Popen(
            [self.hype, *arguments, "--progress", "json"],
            cwd=self.folder,
            env=_environment(None, self.variables),
            stdout=subprocess.DEVNULL,
            stderr=write,
        )
        # A line that does not fit is not begun, so it waits where nothing has come for a while.
        said, since = size - told, time.monotonic()
        while process.poll() is None and (held(read) <= size - told or time.monotonic() < since + 0.5):
            if held(read) != said:
                said, since = held(read), time.monotonic()
            time.sleep(0.01)
        process.kill()
        process.wait()
        os.close(read)
        os.close(write)


def held(pipe: int) -> int:
    """The number of bytes in a pipe."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


class Serving:
    """A program that serves a page, from `with` until it is ended by a signal."""

    def __init__(self, program: Program, arguments: list[str], clock: str | None, ends_by: signal.Signals):
        self.ends_by = ends_by
        self.process = subprocess.Popen(
            [program.hype, *arguments, "--progress", "json"],
            cwd=program.folder,
            env=_environment(clock, program.variables),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        said = ""
        for line in self.process.stderr:
            said += line
            try:
                told = json.loads(line)
            except json.JSONDecodeError:
                continue
            if isinstance(told.get("raters"), str):
                self.address = told["raters"].split("//")[1].rstrip("/")
                return
        raise RuntimeError(f"the program ended before raters could come:\n{said}")

    def __enter__(self) -> str:
        return self.address

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(self.ends_by)
        self.process.communicate()


class Postgres:
    """A PostgreSQL server in a temporary folder; root runs it as the user postgres."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.programs = Path(sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1])
        self.user = "postgres" if os.getuid() == 0 else None
        if self.user is not None:
            account = pwd.getpwnam(self.user)
            os.chown(self.folder, account.pw_uid, account.pw_gid)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        data = self.folder / "data"
        subprocess.run(
            [self.programs / "initdb", "--locale=C", "--encoding=UTF8", "--auth=trust", "--username=hype", "-D", data],
            check=True,
            stdout=subprocess.DEVNULL,
            **self._options(),
        )
        options = ["-p", str(self.port), "-c", "listen_addresses=127.0.0.1", "-k", str(self.folder)]
        self.process = subprocess.Popen(
            [self.programs / "postgres", "-D", data, *options], stderr=subprocess.DEVNULL, **self._options()
        )
        while subprocess.run([self.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode:
            time.sleep(0.1)

    def _options(self) -> dict:
        options: dict = {"cwd": self.folder}
        if self.user is not None:
            account = pwd.getpwnam(self.user)
            options |= {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        return options

    def url(self, schema: str) -> str:
        return f"postgres://hype@127.0.0.1:{self.port}/postgres?schema={schema}"

    def dump(self, schema: str) -> str:
        """A schema as plain SQL, without the lines that only the newest `psql` reads."""
        address = self.url(schema).split("?")[0]
        dumped = subprocess.run(
            ["pg_dump", "--no-owner", f"--schema={schema}", address], check=True, capture_output=True, text=True
        )
        kept = (line for line in dumped.stdout.splitlines() if not line.startswith(("\\restrict", "\\unrestrict")))
        return "\n".join(kept) + "\n"

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        shutil.rmtree(self.folder)
