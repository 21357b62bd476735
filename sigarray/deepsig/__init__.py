"""The functions of deep-significance 1.2.8, computed by sigarray.

Modules, names, arguments and defaults are those of deep-significance, and so are the
kinds of results: floats, NumPy arrays, a DataFrame. The README lists the differences,
where deep-significance is wrong. Scores are copied to the host, where floats are; in
new code, call the functions of `sigarray` itself.
"""

from sigarray.deepsig.aso import aso, multi_aso
from sigarray.deepsig.bootstrap import bootstrap_test
from sigarray.deepsig.correction import bonferroni_correction
from sigarray.deepsig.permutation import permutation_test
from sigarray.deepsig.sample_size import (
    aso_uncertainty_reduction,
    bootstrap_power_analysis,
)

__all__ = [
    "aso",
    "aso_uncertainty_reduction",
    "bonferroni_correction",
    "bootstrap_power_analysis",
    "bootstrap_test",
    "multi_aso",
    "permutation_test",
]
