"""The specs of the samples, all of them small."""


def _set(role: str, name: str) -> str:
    return f'{name}: {{ role: {role}, images: "images/{name}/*.png" }}'


def _stimuli(*models: str, real: bool = False) -> str:
    sets = [_set("real", "real")] * real + [_set("generated", model) for model in models]
    return "stimuli:\n" + "".join(f"  {one}\n" for one in sets)


def items(count: int) -> str:
    """A table of items with a prompt each."""
    rows = (f"{number:04},A gradient with number {number}\n" for number in range(1, count + 1))
    return "item,prompt\n" + "".join(rows)


PAGE = 'listen: "127.0.0.1:0", session_hours: 24, idle_minutes: 30, contact: lab@example.org'

SIMULATED_INFINITY = f"""\
name: simulated-infinity
seed: 102
{_stimuli("good", "weak", real=True)}\
task: {{ kind: hype_infinity, generated: 4, real: 4 }}
stopping: {{ kind: spending, looks: [2, 4], until: all-pairs }}
raters: {{ per_model: 4, qualification: {{ trials: 4 }}, payment: {{ currency: EUR, base: 1.5, per_correct: 0.03 }} }}
simulate:
  kind: synthetic
  observers:
    good: {{ untimed: {{ fakes_error: 0.45, reals_error: 0.3 }} }}
    weak: {{ untimed: {{ fakes_error: 0.1, reals_error: 0.12 }} }}
"""

SIMULATED_CONTRAST = f"""\
name: simulated-contrast
seed: 105
{_stimuli("good", "middling", "weak")}\
items: {{ table: items.csv }}
task: {{ kind: contrast, tie: true, pairs: active, per_session: 16, practice: 2 }}
raters: {{ per_item: 8 }}
simulate:
  kind: synthetic
  observers: {{ good: {{ quality: 0.7 }}, middling: {{ quality: 0.5 }}, weak: {{ quality: 0.3 }} }}
"""

SCRIPTED_RATING = f"""\
name: scripted-rating
seed: 106
stimuli:
  plain: {{ role: generated, images: "images/middling/*.png", use: gold, answers: {{ A: [none, some] }} }}
  {_set("generated", "good")}
  {_set("generated", "weak")}
items: {{ table: items.csv }}
task:
  kind: rating
  gold: {{ per_session: 4, pass: 0.5 }}
  repeats: {{ per_session: 4, apart: 5 }}
rubric: {{ kind: imagenhub.text_guided_generation }}
raters: {{ per_item: 4, replacements: 1 }}
backend: {{ kind: local, cohort: {{ kind: scripted, answers: answers.csv }} }}
"""

WEB_TIME = f"""\
name: web-time
seed: 107
{_stimuli("good", "weak", real=True)}\
task:
  kind: hype_time
  blocks: 1
  trials_per_block: 6
  countdown: {{ from: 2, each_ms: 200 }}
  masks: {{ count: 3, each_ms: 30 }}
masks: {{ kind: files, images: "images/masks/*.png" }}
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
backend: {{ kind: web, {PAGE}, participant: PROLIFIC_PID }}
store: {{ env: HYPE_STORE }}
"""

LOCAL_FOOLING = f"""\
name: local-fooling
seed: 109
{_stimuli("good", "weak", real=True)}\
task: {{ kind: fooling, trials: 4, practice: 2, exposure_ms: 300, feedback_ms: 400 }}
raters: {{ per_model: 3 }}
backend: {{ kind: local, page: {{ {PAGE} }} }}
"""
