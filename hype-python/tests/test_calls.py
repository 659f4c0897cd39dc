"""Calls are interrupted by Ctrl-C, let other threads run, and survive a fork."""

import os
import signal
import sys
import threading
import time

import hype_eval as he
from support import folder, program, ratings


def long_study(place):
    program("new", place / "study", "--task", "contrast", "--images", "12", "--size", "16")
    return next((place / "study").glob("*.yaml"))


def test_ctrl_c_ends_a_simulation():
    with folder() as place:
        spec = long_study(place)
        # A shell that starts programs in the background has them ignore it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        ticks = []
        stop = threading.Event()

        def tick():
            while not stop.wait(0.01):
                ticks.append(time.monotonic())

        other = threading.Thread(target=tick)
        other.start()
        began = time.monotonic()
        try:
            he.simulate(spec, raters=200_000)
            raise AssertionError("the simulation was not interrupted")
        except KeyboardInterrupt:
            took = time.monotonic() - began
        finally:
            stop.set()
            other.join()
        assert took < 0.5 + 0.2, f"{took} s"
        assert len(ticks) > 10, "another thread did not run"


def test_a_fork_after_a_call_works():
    if not hasattr(os, "fork"):
        return
    wanted = he.aggregate(ratings()).to_dict()
    child = os.fork()
    if child == 0:
        os._exit(0 if he.aggregate(ratings()).to_dict() == wanted else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_imports_are_quick():
    import subprocess

    took = []
    for _ in range(5):
        began = time.monotonic()
        subprocess.run([sys.executable, "-c", "import hype_eval"], check=True)
        imported = time.monotonic() - began
        began = time.monotonic()
        subprocess.run([sys.executable, "-c", "import json, html, dataclasses, pathlib, typing"], check=True)
        took.append(imported - (time.monotonic() - began))
    assert sorted(took)[2] < 0.15, took
