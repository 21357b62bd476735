"""Rows of the table of cases: strata, and aggregates over tasks."""

from typing import Any

import sigarray
from tests.case import Case
from tests.sum_cases import DRAWN, SPLIT, label_items


def _in_strata(function: Any) -> Any:
    """Call a function with scores in strata of three, and one of two or four."""

    def call(*arrays: Any, axis: int = -1, **options: Any) -> Any:
        labels = [label_items(x, axis) for x in arrays]
        strata = labels if len(arrays) == 2 and "paired" not in options else labels[0]
        return function(*arrays, axis=axis, strata=strata, **options)

    return call


def _in_both(function: Any) -> Any:
    """Call a function with clusters of three items, two of them in each stratum."""

    def call(*arrays: Any, axis: int = -1, **options: Any) -> Any:
        clusters = [label_items(x, axis) for x in arrays]
        strata = [label_items(x, axis, 6) for x in arrays]
        if len(arrays) == 1 or "paired" in options:
            clusters, strata = clusters[0], strata[0]
        return function(*arrays, axis=axis, clusters=clusters, strata=strata, **options)

    return call


def _profile(x: Any, **options: Any) -> Any:
    return sigarray.performance_profile(x, [-0.5, 0.0, 0.7], **options)


STRATUM_CASES = [
    *(
        Case(
            f"{function.__name__}-strata-{name}",
            _in_strata(function),
            shapes,
            options,
            is_random="rng" in function.__annotations__,
            moved=moved,
            float32_error=2e-5,
            public=function,
        )
        for function, name, shapes, options, moved in (
            (sigarray.t_test, "paired", ((9,), (9,)), {"paired": True}, ()),
            (sigarray.t_test, "two", ((9,), (8,)), {}, ()),
            (sigarray.t_ci, "one", ((8,),), {}, (0, 1, 2)),
            (sigarray.bootstrap_test, "two", ((8,), (9,)), DRAWN, ()),
            (sigarray.permutation_test, "two", ((8,), (9,)), DRAWN, ()),
            (
                sigarray.bootstrap_ci,
                "iqm",
                ((8,),),
                {"statistic": "iqm", **DRAWN},
                (0, 1, 2),
            ),
            (
                sigarray.bootstrap_replicates,
                "median",
                ((9,), (9,)),
                {"statistic": "median", "paired": True, **SPLIT},
                (),
            ),
        )
    ),
    *(
        Case(
            f"{function.__name__}-clusters_in_strata-{name}",
            _in_both(function),
            shapes,
            {"n_clusters": 4, **options},
            is_random="rng" in function.__annotations__,
            moved=moved,
            float32_error=2e-5,
            public=function,
        )
        for function, name, shapes, options, moved in (
            (sigarray.t_test, "two", ((12,), (11,)), {}, ()),
            (sigarray.t_ci, "one", ((11,),), {}, (0, 1, 2)),
            (
                sigarray.bootstrap_ci,
                "paired",
                ((12,), (12,)),
                {"paired": True, **DRAWN},
                (),
            ),
            (sigarray.permutation_test, "two", ((12,), (11,)), DRAWN, ()),
        )
    ),
    Case(
        "probability_of_improvement-strata",
        _in_strata(sigarray.probability_of_improvement),
        ((8,), (9,)),
        DRAWN,
        is_random=True,
        public=sigarray.probability_of_improvement,
    ),
    Case(
        "probability_of_improvement",
        sigarray.probability_of_improvement,
        ((9,), (7,)),
        DRAWN,
        is_random=True,
    ),
    Case(
        "performance_profile",
        _profile,
        ((41,),),
        {"n_resamples": 3},
        is_random=True,
        moved=None,
        public=sigarray.performance_profile,
    ),
]
