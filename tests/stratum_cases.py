"""Rows of the table of cases: strata, and aggregates over tasks."""

from typing import Any

import array_api_compat

import sigarray
from tests.case import Case
from tests.sum_cases import COUNTS, DRAWN, F1, SPLIT, label_items, under


def in_strata(function: Any) -> Any:
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


def _within_tasks(function: Any) -> Any:
    """Call a function with scores (..., 2 n), of which half are of another task."""

    def call(*arrays: Any, axis: int = -1, **options: Any) -> Any:
        tables = []
        for x in arrays:
            xp = array_api_compat.array_namespace(x)
            rows = x if axis == -1 else xp.moveaxis(x, axis, -1)
            half = rows.shape[-1] // 2
            shape = (*rows.shape[:-1], 2, half)
            tables.append(xp.reshape(rows[..., : 2 * half], shape))
        return function(*tables, strata=-2, **options)

    return call


def _profile(x: Any, **options: Any) -> Any:
    return sigarray.performance_profile(x, [-0.5, 0.0, 0.7], **options)


def _rank_sequence(*arrays: Any, **options: Any) -> Any:
    return sigarray.rank_ci(arrays, **options)


def _rank_in_clusters(*arrays: Any, axis: int = -1, **options: Any) -> Any:
    labels = label_items(arrays[0], axis)
    return sigarray.rank_ci(arrays, axis=axis, clusters=labels, **options)


def _rank_in_strata(*arrays: Any, axis: int = -1, **options: Any) -> Any:
    labels = [label_items(x, axis) for x in arrays]
    return sigarray.rank_ci(arrays, axis=axis, strata=labels, **options)


def _spread_of(x: Any, axis: int) -> Any:
    xp = array_api_compat.array_namespace(x)
    return xp.max(x, axis=axis) - xp.min(x, axis=axis)


STRATUM_CASES = [
    *(
        Case(
            f"{function.__name__}-strata-{name}",
            in_strata(function),
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
            # Fewer than the 36 deals, all of which are made of labels on the host.
            (
                sigarray.permutation_test,
                "two",
                ((12,), (11,)),
                {"n_resamples": 31},
                (),
            ),
        )
    ),
    Case(
        "probability_of_improvement-strata",
        in_strata(sigarray.probability_of_improvement),
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
    *(
        Case(
            f"rank_ci-{name}",
            function,
            shapes,
            DRAWN | options,
            is_random=True,
            public=sigarray.rank_ci,
        )
        for name, function, shapes, options in (
            ("mean", sigarray.rank_ci, ((3, 9),), {}),
            ("median", _rank_sequence, ((8,), (5,), (8,)), {"statistic": "median"}),
            (
                "tasks",
                _within_tasks(sigarray.rank_ci),
                ((3, 10),),
                {"statistic": "iqm", "higher_is_better": False},
            ),
            ("callable", sigarray.rank_ci, ((2, 7),), {"statistic": _spread_of}),
            ("paired", sigarray.rank_ci, ((3, 10),), {"paired": True}),
            (
                "iqm-paired",
                _rank_sequence,
                ((8,), (8,)),
                {"paired": True, "statistic": "iqm"},
            ),
            (
                "clusters",
                _rank_in_clusters,
                ((12,), (12,), (12,)),
                {"paired": True, "n_clusters": 4},
            ),
            ("labels", _rank_in_strata, ((8,), (9,)), {"statistic": "median"}),
        )
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
    *(
        Case(
            f"{function.__name__}-{name}",
            under(design),
            shapes,
            {"of": function.__name__, **options},
            is_random="rng" in function.__annotations__,
            values=COUNTS if "statistic" in options else (),
            moved=moved,
            float32_error=2e-5,
            public=function,
        )
        for function, name, design, shapes, options, moved in (
            (
                sigarray.t_ci,
                "sums-strata-one",
                in_strata,
                ((3, 8),),
                {"statistic": F1},
                None,
            ),
            (
                sigarray.bootstrap_test,
                "sums-strata-two",
                in_strata,
                ((3, 12), (3, 11)),
                {"statistic": F1, **DRAWN},
                None,
            ),
            (
                sigarray.permutation_test,
                "sums-strata-paired",
                in_strata,
                ((3, 9), (3, 9)),
                {"statistic": F1, "paired": True, **DRAWN},
                None,
            ),
            (
                sigarray.permutation_replicates,
                "strata-paired",
                in_strata,
                ((9,), (9,)),
                {"paired": True, **SPLIT},
                (),
            ),
            (
                sigarray.permutation_replicates,
                "strata-two",
                in_strata,
                ((8,), (9,)),
                SPLIT,
                (),
            ),
            (
                sigarray.bootstrap_ci,
                "tasks-one",
                _within_tasks,
                ((10,),),
                DRAWN,
                (0, 1, 2),
            ),
            (sigarray.t_ci, "tasks-two", _within_tasks, ((10,), (8,)), {}, ()),
            (
                sigarray.permutation_test,
                "tasks-two",
                _within_tasks,
                ((10,), (10,)),
                DRAWN,
                (),
            ),
        )
    ),
    Case(
        "performance_profile-strata",
        in_strata(_profile),
        ((11,),),
        {"n_resamples": 20},
        is_random=True,
        moved=None,
        public=sigarray.performance_profile,
    ),
]
