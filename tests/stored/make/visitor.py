"""A rater's browser: what the page sends, as docs/reference/protocol.md describes it."""

import hashlib
import http.client
import json
from typing import Any, Callable

import drawn

Answer = Callable[["Visitor", dict], dict]

FRAME_US = 16_667

ENVIRONMENT = {
    "width": 1280,
    "height": 800,
    "pixel_ratio": 1.0,
    "touch": False,
    "refresh_hz": 60.0,
    "frame_us": FRAME_US,
    "frame_spread": 0.01,
    "grain_us": 5,
    "reduced_motion": False,
}


class Visitor:
    """One rater with one page, whose name follows from the rater's."""

    def __init__(self, name: str, arrival: dict[str, str] | None = None, language: str = "en"):
        self.name, self.arrival, self.language = name, arrival or {}, language
        self.tab = hashlib.sha256(name.encode()).hexdigest()[:32]
        self.cookie: str | None = None
        self.address = ""
        self.screen: dict[str, Any] = {}

    def _send(self, method: str, path: str, body: str | None) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self.address)
        headers = {"Content-Type": "application/json"} if body else {}
        if self.cookie:
            headers["Cookie"] = self.cookie
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        if cookie := response.getheader("set-cookie"):
            self.cookie = cookie.split(";")[0]
        return response.status, response.read()

    def post(self, path: str, **body: Any) -> dict:
        status, answered = self._send("POST", path, json.dumps({**body, "tab": self.tab}))
        if status != 200:
            raise RuntimeError(f"{self.name}: {path} gave {status}: {answered.decode()}")
        return json.loads(answered)

    def consent(self, address: str) -> "Visitor":
        """Takes part: from the invitation to the instructions."""
        self.address = address
        invitation = self.post("/api/open", arrival=self.arrival, language=self.language)
        self.screen = self.post(
            "/api/consent", arrival=self.arrival, language=self.language, text=invitation["text"], adult=True
        )
        assert self.screen["screen"] == "instructions", self.screen
        return self

    def come_back(self, address: str) -> "Visitor":
        """Loads the page again, with the cookie."""
        self.address = address
        self.screen = self.post("/api/open", arrival=self.arrival, language=self.language)
        return self

    def begin(self) -> "Visitor":
        self.screen = self.post("/api/begin", environment=ENVIRONMENT)
        return self

    def answer(self, answer: Answer, trials: int | None = None) -> "Visitor":
        """Answers so many trials, or all that come."""
        while self.screen["screen"] == "trial" and trials != 0:
            trial = self.screen["trial"]
            receipt = self.post(
                "/api/answer",
                trial=trial["number"],
                showing=trial["showing"],
                answer=answer(self, trial),
                rt_us=400_000 + 10_007 * trial["number"],
                display=display(trial),
            )
            assert receipt["saved"], receipt
            self.screen = receipt["next"]
            trials = None if trials is None else trials - 1
        return self

    def disturbed(self) -> "Visitor":
        """Something came before the page while the trial was shown."""
        trial = self.screen["trial"]
        receipt = self.post(
            "/api/disturbed", trial=trial["number"], showing=trial["showing"], reason="blur", display=display(trial)
        )
        self.screen = receipt["next"]
        return self

    def leave(self) -> "Visitor":
        self.screen = self.post("/api/leave")
        return self

    def image(self, token: str) -> bytes:
        status, image = self._send("GET", f"/image/{token}", None)
        assert status == 200, status
        return image

    def left_at(self) -> dict:
        """What the rater was shown last, as the test expects to find it."""
        trial = self.screen.get("trial", {})
        place = {key: trial[key] for key in ("number", "showing") if key in trial}
        return {"cookie": self.cookie, "arrival": self.arrival, "screen": self.screen["screen"], **place}


def display(trial: dict) -> dict | None:
    """What a page at 60 Hz reports of a trial's limited parts."""
    parts, onset = [], 0
    for number, part in enumerate(trial["parts"]):
        if part["part"] == "masks":
            shown = [(image, part["each_ms"]) for image in range(len(part["images"]))]
        elif part["part"] == "gallery" and part["exposure_ms"] is not None:
            shown = [(image, part["exposure_ms"]) for image in range(len(part["images"]))]
        elif part["part"] == "image" and part["exposure_ms"] is not None:
            shown = [(0, part["exposure_ms"])]
        else:
            continue
        for image, requested_ms in shown:
            frames = max(1, round(requested_ms * 1000 / FRAME_US))
            parts.append(
                {
                    "part": number,
                    "image": image,
                    "requested_ms": requested_ms,
                    "planned_frames": frames,
                    "frames": frames,
                    "onset_us": onset,
                    "shown_us": frames * FRAME_US,
                }
            )
            # The images of a gallery are on the screen together.
            onset += 0 if part["part"] == "gallery" else frames * FRAME_US
    if not parts:
        return None
    return {
        "frame_us": FRAME_US,
        "grain_us": 5,
        "skipped": 0,
        "worst_late_us": 300,
        "suspect": False,
        "parts": parts,
    }


def always(value: str) -> Answer:
    """Gives the same answer to every trial of one question."""
    return lambda _, trial: {trial["questions"][0]["id"]: value}


def _judged(visitor: Visitor, trial: dict, rightly: bool) -> dict:
    (token,) = [part["image"] for part in trial["parts"] if part["part"] == "image"]
    question = trial["questions"][0]
    options = [option["value"] for option in question["form"]["choice"]["options"]]
    real, generated = sorted(options, key=lambda value: value != "real")
    return {question["id"]: real if drawn.is_real(visitor.image(token)) == rightly else generated}


def sharp(visitor: Visitor, trial: dict) -> dict:
    """Tells real images from generated ones, however short they are shown."""
    return _judged(visitor, trial, True)


def wrong(visitor: Visitor, trial: dict) -> dict:
    """Takes real images for generated ones, and the other way round."""
    return _judged(visitor, trial, False)


def varied(visitor: Visitor, trial: dict) -> dict:
    """Chooses among the options of every question by the rater's name and the trial."""

    def choice(question: dict) -> str:
        options = [option["value"] for option in question["form"]["choice"]["options"]]
        drawn_from = f"{visitor.name} {trial['number']} {question['id']}"
        return options[hashlib.sha256(drawn_from.encode()).digest()[0] % len(options)]

    return {question["id"]: choice(question) for question in trial["questions"]}
