"""Pictures of scores, tests and results, for papers: with matplotlib.

    python -m pip install "sigarray[plot]"

Each function draws on the axes that it is given as `ax=`, or on a new figure, which
pyplot does not know: `ax.figure.savefig("picture.pdf")` writes it, and a notebook shows
`ax.figure`. Global settings are neither changed nor needed; two of matplotlib are of
use when a file is written, so that letters stay letters in PDF and SVG:
`with matplotlib.rc_context({"pdf.fonttype": 42, "svg.fonttype": "none"}): ...`

Arrays of any library and device are taken, and copied to the host. Figures are one
column of a paper wide (3.35 inches) where their contents allow it, letters have 7
points or more, and nothing is said by colour alone. Several models are in order, the
best first; of more than fit, a line says how many are left out. Names are shown as they
are: `$` and `_` have no meaning in them, and letters that the font of matplotlib lacks,
such as Chinese ones, are drawn by any installed font that has them. Letters are black
on white, whatever the style.
"""

from sigarray.plot._critical_differences import critical_differences
from sigarray.plot._curves import learning_curves, profiles
from sigarray.plot._differences import differences
from sigarray.plot._dominance import dominance
from sigarray.plot._leaderboard import leaderboard
from sigarray.plot._pairwise import pairwise, ranking
from sigarray.plot._panels import contingency
from sigarray.plot._power import looks, power
from sigarray.plot._replicates import replicates
from sigarray.plot._scores import scores
from sigarray.plot._study import study

__all__ = [
    "contingency",
    "critical_differences",
    "differences",
    "dominance",
    "leaderboard",
    "learning_curves",
    "looks",
    "pairwise",
    "power",
    "profiles",
    "ranking",
    "replicates",
    "scores",
    "study",
]
