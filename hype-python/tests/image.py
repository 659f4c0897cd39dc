"""Tries the container image without a container engine: its root is unpacked, and the program runs in it as nobody, with one volume,
while it is killed under raters. Needs root, `unshare`, `mount` and `chroot`."""

import http.client
import json
import os
import signal
import socket
import subprocess
import tarfile
import threading
import time
from pathlib import Path

KILLS = 20
RATERS = 6
TRIALS = 20

STUDY = """
task: {{ kind: hype_infinity, generated: {half}, real: {half} }}
raters: {{ per_model: 100, qualification: null, payment: null }}
backend: {{ kind: web, listen: "127.0.0.1:{port}" }}
"""


def unpacked(image, root):
    """Unpacks the layers of an image, and returns its configuration."""
    with tarfile.open(image) as archive:
        manifest = json.load(archive.extractfile("manifest.json"))[0]
        config = json.load(archive.extractfile(manifest["Config"]))["config"]
        for layer in manifest["Layers"]:
            with tarfile.open(fileobj=archive.extractfile(layer)) as files:
                files.extractall(root, filter="fully_trusted")
    (root / "proc").mkdir(exist_ok=True)
    return config


class Container:
    """The image's root, on which nothing can be written, and a volume."""

    def __init__(self, image, place):
        self.root, self.volume = place / "root", place / "volume"
        self.config = unpacked(image, self.root)
        self.volume.mkdir()

    def start(self, *arguments, **options):
        """Starts the image's program. The process that is returned is the program itself."""
        mounts = [
            f"mount --bind {self.root} {self.root}",
            f"mount -o remount,bind,ro {self.root}",
            f"mount -t proc proc {self.root}/proc",
            f"mount -t tmpfs tmpfs {self.root}/tmp",
            f"mount --bind {self.volume} {self.root}/data",
        ]
        user = f"chroot --userspec={self.config['User']} {self.root}"
        script = " && ".join([*mounts, f'exec {user} "$@"'])
        command = ["unshare", "--mount", "sh", "-c", script, "sh", *self.config["Entrypoint"], *map(str, arguments)]
        variables = dict(pair.split("=", 1) for pair in self.config["Env"])
        return subprocess.Popen(command, env={**os.environ, **variables}, **options)

    def runs(self, *arguments):
        """What the program prints."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = self.start(*arguments, **pipes)
        output, said = process.communicate()
        return process.returncode, output, said


class Rater(threading.Thread):
    """Answers trials, one participant after the other, through every death of the server."""

    def __init__(self, port, name, stopped):
        super().__init__()
        self.port, self.title, self.stopped = port, name, stopped
        self.saved, self.asked_again, self.faults = 0, 0, []

    def post(self, path, **body):
        """A report as a page sends it, again until a server answers."""
        headers = {"Content-Type": "application/json", **({"Cookie": self.cookie} if self.cookie else {})}
        while not self.stopped.is_set():
            try:
                server = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                server.request("POST", path, json.dumps({**body, "tab": self.tab}), headers)
                answer = server.getresponse()
                text = answer.read()
            except (OSError, http.client.HTTPException):
                time.sleep(0.01)
                continue
            finally:
                server.close()
            cookie = answer.getheader("Set-Cookie")
            self.cookie = cookie.split(";")[0] if cookie else self.cookie
            return answer.status, json.loads(text)
        return 0, {}

    def run(self):
        number = 0
        while not self.stopped.is_set():
            number += 1
            self.cookie, self.tab = None, f"{abs(hash((self.title, number))):032x}"[-32:]
            self.take_part()

    def take_part(self):
        """One participant, from the consent to the end."""
        answered = set()
        hello = {"arrival": {}, "language": "en"}
        status, screen = self.post("/api/open", **hello)
        while not self.stopped.is_set():
            kind = screen.get("screen")
            if kind == "consent":
                status, screen = self.post("/api/consent", **hello, text=screen["text"], adult=True)
            elif kind == "instructions":
                environment = {
                    "width": 1280, "height": 800, "pixel_ratio": 1.0, "touch": False, "refresh_hz": 60.0, "frame_us": 16667,
                    "frame_spread": 0.0, "grain_us": 5, "reduced_motion": False,
                }
                status, screen = self.post("/api/begin", environment=environment)
            elif kind == "trial":
                trial = screen["trial"]
                if trial["number"] in answered:
                    self.asked_again += 1
                judged = {"trial": trial["number"], "showing": trial["showing"], "answer": {"judgment": "real"}}
                time.sleep(0.02)
                status, receipt = self.post("/api/answer", **judged, rt_us=90_000)
                if status == 200 and receipt.get("saved"):
                    answered.add(trial["number"])
                    self.saved += 1
                    screen = receipt["next"]
                else:
                    # The answer may have been stored before the server died.
                    status, screen = self.post("/api/open", **hello)
            elif status in (0, 200) and kind is not None:
                return
            else:
                self.faults.append((status, screen))
                status, screen = self.post("/api/open", **hello)
                time.sleep(0.05)


def is_healthy(port):
    """Whether the page answers."""
    try:
        server = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
        server.request("GET", "/health")
        return server.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        server.close()


def started(container, port):
    """A server, and the milliseconds from its start until its page answers."""
    began = time.monotonic()
    process = container.start(
        "serve", "/data/study/evaluation.yaml", "--progress", "none", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    threading.Thread(target=process.stderr.read, daemon=True).start()
    while not is_healthy(port):
        assert process.poll() is None, "the server ended"
        time.sleep(0.002)
    return process, (time.monotonic() - began) * 1000


def tried(image, place, row):
    """Starts the image, kills it under raters, and prints rows."""
    size = image.stat().st_size / 1e6
    container = Container(image, place)
    files = sum(path.stat().st_size for path in container.root.rglob("*") if path.is_file()) / 1e6
    row("image", "size", f"{size:.1f} MB compressed, {files:.1f} MB unpacked")
    assert size < 40, size
    # What buildah leaves out of images in OCI's own format.
    assert container.config["Healthcheck"]["Test"] == ["CMD", "/hype", "health"], container.config
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    host = container.root / "hype"
    new = ["new", "study", "--task", "hype-infinity", "--images", "24", "--size", "32"]
    subprocess.run([host, *new], cwd=container.volume, check=True, capture_output=True)
    spec = container.volume / "study/evaluation.yaml"
    stimuli = spec.read_text().split("\ntask:")[0]
    spec.write_text(stimuli + STUDY.format(half=TRIALS // 2, port=port))
    subprocess.run(["chown", "-R", container.config["User"], container.volume], check=True)

    code, _, said = container.runs("serve", "/data/study/evaluation.yaml", "--study", "/tmp/kept")
    assert code != 0 and "would be gone with this container" in said, said
    row("image", "answers in a folder that is gone with the container", "refused")
    stopped = threading.Event()
    raters = [Rater(port, f"rater {number}", stopped) for number in range(RATERS)]
    process, first = started(container, port)
    for rater in raters:
        rater.start()
    starts = []
    for _ in range(KILLS):
        time.sleep(0.4)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process, took = started(container, port)
        starts.append(took)
    code, output, said = container.runs("health", f"http://127.0.0.1:{port}/")
    assert code == 0 and "is healthy" in output, said
    time.sleep(0.4)
    stopped.set()
    for rater in raters:
        rater.join()
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 0, process.returncode
    saved, again = sum(rater.saved for rater in raters), sum(rater.asked_again for rater in raters)
    code, output, said = container.runs("export", "/data/study/evaluation.study", "--what", "answers", "--format", "jsonl")
    assert code == 0, said
    kept = len(output.splitlines())
    assert saved > KILLS and again == 0 and kept >= saved, (saved, again, kept)
    code, _, said = container.runs("score", "/data/study/evaluation.study", "--verify", "--json")
    assert code == 0, said
    row("image", "from its start until the page answers", f"{first:.0f} ms; after a kill {sorted(starts)[KILLS // 2]:.0f} ms")
    lost = max(0, saved - kept)
    row("image", f"{KILLS} kills under {RATERS} raters", f"{saved} answers acknowledged, {kept} kept, {lost} lost")
