"""What SciPy says to a call: the fields of a result that it has, too."""

import math
from typing import Any

import numpy as np

from benchmarks.fuzz.calls import Call


def _shift(call: Call) -> list[np.ndarray]:
    """Return samples whose means are the same where they differ by the margin."""
    a, b = call.samples
    margin = call.options.get("margin", 0.0)
    sign = -1.0 if call.options["alternative"] == "less" else 1.0
    return [a + a.dtype.type(sign * margin) if margin else a, b]


def _ask_for_u(call: Call) -> dict[str, Any]:
    from scipy import stats

    result = stats.mannwhitneyu(
        *call.samples,
        alternative=call.options["alternative"],
        axis=-1,
        method="asymptotic",
    )
    return {"statistic": result.statistic, "pvalue": result.pvalue}


def _ask_for_placements(call: Call) -> dict[str, Any]:
    from scipy import stats

    alternative = call.options["alternative"]
    result = stats.brunnermunzel(*call.samples, alternative=alternative, axis=-1)
    n, m = (x.shape[-1] for x in call.samples)
    least = (2.0 if alternative == "two-sided" else 1.0) / math.comb(n + m, n)
    varies = np.isfinite(result.statistic)
    pvalue = np.where(varies, np.maximum(result.pvalue, least), math.nan)
    return {"statistic": -result.statistic, "pvalue": pvalue}


def _ask_for_t(call: Call) -> dict[str, Any]:
    from scipy import stats

    options = {"alternative": call.options["alternative"], "axis": -1}
    samples = _shift(call)
    if call.options["paired"]:
        result = stats.ttest_rel(*samples, **options)
    else:
        result = stats.ttest_ind(*samples, equal_var=False, **options)
    pvalue = np.where(np.isinf(result.statistic), math.nan, result.pvalue)
    return {"statistic": result.statistic, "pvalue": pvalue}


def _ask_for_permutations(call: Call) -> dict[str, Any]:
    from scipy import stats

    n, m = (x.shape[-1] for x in call.samples)
    is_paired = call.options["paired"]
    number = 2**n if is_paired else math.comb(n + m, n)
    if call.options.get("statistic", "mean") != "mean":
        return {}
    # Without resamples it is of a lattice, which has oracles in its tests.
    if min(n, m) < 2 or number > call.options.get("n_resamples", 0):
        return {}
    # Of unequal sizes, t is compared with a margin.
    if call.options.get("margin") and n != m:
        return {}
    result = stats.permutation_test(
        _shift(call),
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        permutation_type="samples" if is_paired else "independent",
        n_resamples=np.inf,
        axis=-1,
        alternative=call.options["alternative"],
    )
    return {"pvalue": result.pvalue}


def _ask_for_discoveries(call: Call) -> dict[str, Any]:
    from scipy import stats

    method = "bh" if call.function.name.endswith("hochberg") else "by"
    (p,) = call.samples
    return {"result": stats.false_discovery_control(p, axis=-1, method=method)}


ASK_SCIPY = {
    "mann_whitney_u": _ask_for_u,
    "brunner_munzel": _ask_for_placements,
    "t_test": _ask_for_t,
    "permutation_test": _ask_for_permutations,
    "benjamini_hochberg": _ask_for_discoveries,
    "benjamini_yekutieli": _ask_for_discoveries,
}
