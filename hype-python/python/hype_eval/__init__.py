"""Human evaluation of generative models: statistics on frames, studies, plans and simulations.

>>> import hype_eval as he
>>> he.__version__ == he._hype.__version__
True

`aggregate`, `contrast` and `agreement` compute the statistics of a table; `open` reads a study that was collected; `check`, `plan`
and `simulate` try a spec; `read` reads ratings made elsewhere; `metrics` has FID, KID,
precision and recall. Raters are served by the program `hype`, which is installed with
this package: see `program`.
"""

from . import _hype, metrics
from ._calls import aggregate, agreement, check, contrast, load, open, plan, read, simulate
from ._errors import Diagnostic, HypeBug, HypeError, HypeWarning
from ._frames import Frame
from ._program import program
from ._results import Findings, Note, Plan, Spec, Study

__version__: str = _hype.__version__

__all__ = [
    "Diagnostic",
    "Findings",
    "Frame",
    "HypeBug",
    "HypeError",
    "HypeWarning",
    "Note",
    "Plan",
    "Spec",
    "Study",
    "aggregate",
    "agreement",
    "check",
    "contrast",
    "load",
    "metrics",
    "open",
    "plan",
    "program",
    "read",
    "simulate",
]
