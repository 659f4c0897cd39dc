"""The specs of the samples: every family of tasks at least once, all of them small.

A sample whose spec is silent about `payment` holds the default payment in its resolved spec.
"""


def _set(role: str, name: str) -> str:
    return f'{name}: {{ role: {role}, images: "images/{name}/*.png" }}'


def _stimuli(*models: str, real: bool = False) -> str:
    sets = [_set("real", "real")] * real + [_set("generated", model) for model in models]
    return "stimuli:\n" + "".join(f"  {one}\n" for one in sets)


def items(count: int) -> str:
    """A table of items with a prompt each."""
    rows = (f"{number:04},A gradient with number {number}\n" for number in range(1, count + 1))
    return "item,prompt\n" + "".join(rows)


TIMED = """\
task:
  kind: hype_time
  blocks: 1
  trials_per_block: 12
  countdown: { from: 2, each_ms: 200 }
  masks: { count: 3, each_ms: 30 }
  catch: { trials: 8 }
masks: { kind: files, images: "images/masks/*.png" }
"""

OBSERVERS = """\
simulate:
  kind: synthetic
  observers: { good: { quality: 0.7 }, middling: { quality: 0.5 }, weak: { quality: 0.3 } }
"""

PAGE = 'listen: "127.0.0.1:0", session_hours: 24, idle_minutes: 30, contact: lab@example.org'

SIMULATED_TIME = f"""\
name: simulated-time
seed: 101
{_stimuli("good", "weak", real=True)}{TIMED}\
raters: {{ per_model: 4, qualification: {{ trials: 6, pass: {{ rule: overall, at_least: 0.5 }} }} }}
simulate:
  kind: synthetic
  observers: {{ good: {{ threshold_ms: 700 }}, weak: {{ threshold_ms: 250 }} }}
"""

SIMULATED_INFINITY = f"""\
name: simulated-infinity
seed: 102
{_stimuli("good", "weak", real=True)}\
task: {{ kind: hype_infinity, generated: 6, real: 6 }}
raters: {{ per_model: 5, qualification: {{ trials: 6 }}, payment: {{ currency: EUR, base: 1.5, per_correct: 0.03 }} }}
simulate:
  kind: synthetic
  observers:
    good: {{ untimed: {{ fakes_error: 0.45, reals_error: 0.3 }} }}
    weak: {{ untimed: {{ fakes_error: 0.1, reals_error: 0.12 }} }}
"""

SIMULATED_STOPPING = """\
name: simulated-stopping
seed: 105
facets: { half: { kind: category } }
stimuli:
  real: { role: real, images: "images/real/{half}/*.png" }
  good: { role: generated, images: "images/good/{half}/*.png" }
  weak: { role: generated, images: "images/weak/{half}/*.png" }
task: { kind: hype_infinity, generated: 6, real: 6 }
raters: { per_model: 6, design: within, cells: within, qualification: null, payment: null }
stopping: { kind: spending, looks: [3, 6], until: all-pairs }
simulate:
  kind: synthetic
  observers:
    good: { untimed: { fakes_error: 0.45, reals_error: 0.3 } }
    weak: { untimed: { fakes_error: 0.3, reals_error: 0.25 } }
aggregate: { kind: by_facet, within: half }
"""

SIMULATED_RANKING = f"""\
name: simulated-ranking
seed: 103
{_stimuli("good", "middling", "weak", real=True)}\
items: {{ match: name }}
task: {{ kind: ranking, ties: true, real: true, per_session: 8 }}
raters: {{ per_item: 3 }}
{OBSERVERS}"""

SIMULATED_BEST_OF = f"""\
name: simulated-best-of
seed: 104
{_stimuli("good", "middling", "weak")}\
items: {{ table: items.csv }}
task: {{ kind: best_of, criteria: [realism, colour], per_session: 8 }}
rubric: {{ kind: best_of, criteria: [realism, colour] }}
raters: {{ per_item: 3, payment: null }}
{OBSERVERS}"""

SIMULATED_CRITERIA = f"""\
name: simulated-criteria
seed: 107
{_stimuli("good", "middling")}\
  gold: {{ role: real, use: gold, images: "images/real/*.png" }}
  worst: {{ role: generated, use: gold, images: "images/weak/*.png" }}
items: {{ match: name }}
task:
  kind: contrast
  criteria: [realism, {{ name: fit, question: Which fits?, tie: true }}, {{ name: quality, grades: ccr }}]
  per_session: 8
  gold: {{ better: gold, worse: worst, per_session: 8 }}
  repeats: {{ per_session: 6, apart: 2, attentive: 0.9 }}
raters: {{ per_item: 4, replacements: 3 }}
simulate:
  kind: synthetic
  observers: {{ good: {{ quality: 0.75 }}, middling: {{ quality: 0.5, qualities: {{ fit: 0.7 }} }}, worst: {{ quality: 0.1 }} }}
"""

SIMULATED_CONTRAST = f"""\
name: simulated-contrast
seed: 105
{_stimuli("good", "middling", "weak")}\
items: {{ table: items.csv }}
task: {{ kind: contrast, tie: true, pairs: active, per_session: 80, practice: 2 }}
raters: {{ per_item: 8 }}
aggregate:
  - {{ kind: contrast, model: auto, bootstrap: {{ resamples: 200, level: 0.95 }} }}
  - {{ kind: elo }}
{OBSERVERS}"""

SCRIPTED_RATING = f"""\
name: scripted-rating
seed: 106
stimuli:
  plain: {{ role: generated, images: "images/plain/*.png", use: gold, answers: {{ A: [none, some] }} }}
  {_set("generated", "good")}
  {_set("generated", "weak")}
items: {{ table: items.csv }}
task:
  kind: rating
  gold: {{ per_session: 4, pass: 0.5 }}
  repeats: {{ per_session: 4, apart: 5 }}
rubric: {{ kind: imagenhub.text_guided_generation }}
raters: {{ per_item: 4, replacements: 1 }}
aggregate:
  - {{ kind: imagenhub }}
  - {{ kind: agreement, coefficients: [percent, krippendorff-ordinal] }}
backend: {{ kind: local, threads: 2, cohort: {{ kind: scripted, answers: answers.csv }} }}
"""

WEB_TIME = f"""\
name: web-time
seed: 107
{_stimuli("good", "weak", real=True)}{TIMED}\
raters: {{ per_model: 3, qualification: {{ trials: 4, pass: {{ rule: overall, at_least: 0.5 }} }} }}
backend: {{ kind: web, {PAGE}, access: links, participant: PROLIFIC_PID }}
"""

POSTGRES_CONTRAST = f"""\
name: postgres-contrast
seed: 108
{_stimuli("good", "middling", "weak")}\
items: {{ table: items.csv }}
task: {{ kind: contrast, tie: true, both_bad: true, pairs: active, per_session: 6 }}
raters: {{ per_item: 3, payment: {{ currency: USD, base: 2, per_correct: 0 }} }}
aggregate:
  - {{ kind: contrast, model: auto, bootstrap: {{ resamples: 200, level: 0.95 }} }}
backend: {{ kind: web, {PAGE}, participant: PROLIFIC_PID }}
store: {{ env: HYPE_STORE }}
"""

LOCAL_FOOLING = f"""\
name: local-fooling
seed: 109
{_stimuli("good", "weak", real=True)}\
task: {{ kind: fooling, trials: 6, practice: 2, exposure_ms: 300, feedback_ms: 400 }}
raters: {{ per_model: 3 }}
backend: {{ kind: local, page: {{ {PAGE} }} }}
"""
