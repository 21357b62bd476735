"""Rows of the table of cases: statistics of sums, and Student's intervals."""

import functools
from typing import Any

import array_api_compat
import numpy as np

import sigarray
from tests.case import Case


def _f1(tp: Any, fp: Any, fn: Any) -> Any:
    return 2.0 * tp / (2.0 * tp + fp + fn)


def _share(first: Any, *others: Any) -> Any:
    """Return the share of the first of five sums, whose places are counted."""
    return first / sum(others, first)


def _of_tuples(function: Any) -> Any:
    """Call a function with samples of three arrays each, as tuples."""

    def call(*arrays: Any, **options: Any) -> Any:
        samples = (tuple(arrays[k : k + 3]) for k in range(0, len(arrays), 3))
        return function(*samples, **options)

    return call


def in_clusters(function: Any) -> Any:
    """Call a function with items in clusters of three, by labels on their device."""

    def call(*arrays: Any, axis: int = -1, **options: Any) -> Any:
        labels = [label_items(x, axis) for x in arrays]
        clusters = labels if len(arrays) == 2 and "paired" not in options else labels[0]
        return function(*arrays, axis=axis, clusters=clusters, **options)

    return call


def over_seeds(function: Any) -> Any:
    """Call a function with the axis of seeds in front of that of items."""

    def call(*arrays: Any, axis: int = -1, **options: Any) -> Any:
        # The contract moves the axis of items to the front; the last is then of seeds.
        axes = (-2, -1) if axis == -1 else (-1, axis)
        if "n_clusters" in options:
            options["clusters"] = label_items(arrays[0], axes[1])
        return function(*arrays, axis=axes, **options)

    return call


@functools.cache
def under(design: Any) -> Any:
    """Call a function by its name, `of`, under a design, by one caller for all rows.

    As what a function is, it has its axes and batches tested on each library once.
    """

    def call(*arrays: Any, of: str, **options: Any) -> Any:
        return design(getattr(sigarray, of))(*arrays, **options)

    return call


def label_items(x: Any, axis: int, size: int = 3) -> Any:
    """Label so many items after another, on the device of x."""
    x = x if hasattr(x, "ndim") else np.asarray(x)
    xp = array_api_compat.array_namespace(x)
    if array_api_compat.is_jax_namespace(xp):  # by itself it sends numbers of the host
        return np.arange(x.shape[axis]) // size
    others = tuple(k for k in range(x.ndim) if k != axis % x.ndim)
    along = xp.sum(x, axis=others) if others else x  # with no batch entries, too
    ones = xp.ones_like(along, dtype=xp.int32)
    # Numbers of the host would be sent to the device.
    return (xp.cumulative_sum(ones) - ones) // sum([ones] * (size - 1), ones)


def _ratio(x: Any, y: Any) -> Any:
    return x / y


RATIO = sigarray.of_sums(_ratio)


def _required_items(*arrays: Any, axis: Any, paired: bool, **options: Any) -> Any:
    """Call it with the components of samples."""
    found = sigarray.variance_components(*arrays, axis=axis, paired=paired)
    return sigarray.required_items(found, difference=0.5, paired=paired, **options)


F1, SHARE = sigarray.of_sums(_f1), sigarray.of_sums(_share)
# Ratios of sums are in [0, 1], of counts that are not all 0.
COUNTS = (1.0, 2.0, 3.0, 4.0)
DRAWN = {"n_resamples": 70}
SPLIT = {"start": 5, "count": 30}

SUM_CASES = [
    *(
        Case(
            f"rank_ci-sums-{name}",
            sigarray.rank_ci,
            ((3, 3, 9),),
            {"statistic": F1, **options, **DRAWN},
            is_random=True,
            values=COUNTS,
            float32_error=2e-5,
            moved=None,
        )
        for name, options in (("paired", {"paired": True}), ("independent", {}))
    ),
    *(
        Case(
            f"{function.__name__}-sums-{name}",
            function,
            shapes,
            {"statistic": statistic, **options},
            is_random="rng" in function.__annotations__ and "method" not in options,
            values=COUNTS,
            float32_error=2e-5,
            moved=None,
        )
        for function, name, shapes, statistic, options in (
            (
                sigarray.bootstrap_test,
                "paired",
                ((3, 9), (3, 9)),
                F1,
                {"paired": True, **DRAWN},
            ),
            (sigarray.bootstrap_test, "many", ((5, 9), (5, 7)), SHARE, DRAWN),
            (
                sigarray.permutation_test,
                "paired",
                ((3, 9), (3, 9)),
                F1,
                {"paired": True, "alternative": "less", **DRAWN},
            ),
            (
                sigarray.permutation_test,
                "independent",
                ((3, 9), (3, 7)),
                F1,
                DRAWN,
            ),
            (sigarray.bootstrap_replicates, "one", ((3, 9),), F1, SPLIT),
            (sigarray.bootstrap_replicates, "many", ((5, 9),), SHARE, SPLIT),
            (sigarray.permutation_replicates, "two", ((3, 9), (3, 7)), F1, SPLIT),
            (
                sigarray.permutation_replicates,
                "exact",
                ((3, 7), (3, 7)),
                F1,
                {"paired": True, "method": "exact", **SPLIT},
            ),
            (sigarray.bootstrap_ci, "one", ((3, 9),), F1, DRAWN),
            (
                sigarray.bootstrap_ci,
                "paired",
                ((3, 9), (3, 9)),
                F1,
                {"paired": True, "confidence_level": 0.8, **DRAWN},
            ),
            (sigarray.t_test, "two", ((3, 9), (3, 7)), F1, {}),
            (sigarray.t_test, "paired", ((3, 9), (3, 9)), F1, {"paired": True}),
            (sigarray.t_ci, "one", ((3, 9),), F1, {}),
            (sigarray.t_ci, "two", ((5, 9), (5, 7)), SHARE, {}),
        )
    ),
    Case(
        "bootstrap_ci-sums-tuples",
        _of_tuples(sigarray.bootstrap_ci),
        ((9,),) * 6,
        {"statistic": F1, "paired": True, **DRAWN},
        is_random=True,
        values=COUNTS,
        float32_error=2e-5,
        moved=None,
        public=sigarray.bootstrap_ci,
    ),
    *(
        Case(
            f"{function.__name__}-sums-clusters-{name}",
            under(in_clusters),
            shapes,
            {"of": function.__name__, "statistic": F1, "n_clusters": 3, **options},
            is_random="rng" in function.__annotations__,
            values=COUNTS,
            float32_error=2e-5,
            moved=None,
            public=function,
        )
        for function, name, shapes, options in (
            (sigarray.t_test, "paired", ((3, 9), (3, 9)), {"paired": True}),
            (sigarray.bootstrap_ci, "one", ((3, 9),), DRAWN),
            (
                sigarray.permutation_test,
                "two",
                ((3, 9), (3, 8)),
                {"n_resamples": 15},
            ),
        )
    ),
    *(
        Case(
            f"{function.__name__}-clusters-{name}",
            in_clusters(function),
            shapes,
            {"n_clusters": 3, **options},
            is_random="rng" in function.__annotations__,
            moved=moved,
            float32_error=2e-5,
            public=function,
        )
        for function, name, shapes, options, moved in (
            (sigarray.t_test, "paired", ((9,), (9,)), {"paired": True}, ()),
            (sigarray.t_test, "two", ((9,), (8,)), {}, ()),
            (sigarray.t_ci, "one", ((9,),), {}, (0, 1, 2)),
            (
                sigarray.bootstrap_test,
                "paired",
                ((9,), (9,)),
                {"paired": True, **DRAWN},
                (),
            ),
            (
                sigarray.permutation_test,
                "two",
                ((9,), (8,)),
                {"n_resamples": 15},
                (),
            ),
            (sigarray.bootstrap_ci, "one", ((9,),), DRAWN, (0, 1, 2)),
            (
                sigarray.bootstrap_ci,
                "iqm",
                ((9,),),
                {"statistic": "iqm", **DRAWN},
                (0, 1, 2),
            ),
            (
                sigarray.bootstrap_test,
                "median",
                ((9,), (8,)),
                {"statistic": "median", **DRAWN},
                (),
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
    Case(
        "permutation_replicates-clusters-two",
        under(in_clusters),
        ((9,), (8,)),
        {"of": "permutation_replicates", "n_clusters": 3, **SPLIT},
        is_random=True,
        float32_error=2e-5,
        public=sigarray.permutation_replicates,
    ),
    Case(
        "permutation_test-clusters-exact",
        in_clusters(sigarray.permutation_test),
        ((9,), (9,)),
        {"n_clusters": 3, "method": "exact", "paired": True},
        values=(0.0, 1.0),
        moved=(),
        float32_error=2e-5,
        public=sigarray.permutation_test,
    ),
    *(
        Case(
            f"{function.__name__}-seeds_and_items-{name}",
            over_seeds(function),
            shapes,
            options,
            is_random="rng" in function.__annotations__,
            values=COUNTS if "statistic" in options else (),
            moved=moved,
            float32_error=2e-5,
            public=function,
        )
        for function, name, shapes, options, moved in (
            (sigarray.t_test, "two", ((3, 9), (4, 9)), {}, ()),
            (sigarray.t_test, "paired", ((3, 9), (3, 9)), {"paired": True}, ()),
            (sigarray.t_ci, "one", ((3, 9),), {}, (0, 1, 2)),
            (sigarray.t_test, "clusters", ((3, 9), (4, 9)), {"n_clusters": 3}, ()),
            (
                sigarray.t_ci,
                "sums",
                ((2, 3, 9), (2, 4, 9)),
                {"statistic": RATIO},
                None,
            ),
            (sigarray.bootstrap_test, "two", ((3, 9), (4, 9)), DRAWN, ()),
            (
                sigarray.bootstrap_ci,
                "paired",
                ((3, 9), (3, 9)),
                {"paired": True, "method": "percentile", **DRAWN},
                (),
            ),
            (
                sigarray.bootstrap_replicates,
                "sums",
                ((2, 3, 9), (2, 4, 9)),
                {"statistic": RATIO, **SPLIT},
                None,
            ),
        )
    ),
    *(
        Case(
            f"{function.__name__}-seeds_and_items-{name}",
            over_seeds(function),
            shapes,
            options,
            is_random=True,
            float32_error=2e-5,
            # The standard error, if equality is not rejected.
            drawn=-1 if function is sigarray.aso_replicates else 2,
            # Means of items over many seeds differ by less than a large shift rounds.
            moved=None if name == "percentile" else (),
            public=function,
        )
        for function, name, shapes, options in (
            (sigarray.aso, "two", ((3, 9), (4, 9)), DRAWN),
            (sigarray.aso, "grid", ((3, 9), (4, 9)), {"dt": 0.3, **DRAWN}),
            (
                sigarray.aso,
                "percentile",
                ((21, 5), (20, 5)),
                {"confidence_level": 0.5, "higher_is_better": False, **DRAWN},
            ),
            (sigarray.aso_replicates, "two", ((3, 9), (4, 9)), SPLIT),
            (sigarray.multi_aso, "three", ((3, 3, 9),), DRAWN),
        )
    ),
    Case(
        "variance_components-one",
        over_seeds(sigarray.variance_components),
        ((3, 9),),
        float32_error=2e-5,
        public=sigarray.variance_components,
    ),
    Case(
        "variance_components-two",
        over_seeds(sigarray.variance_components),
        ((3, 9), (4, 9)),
        float32_error=2e-5,
        public=sigarray.variance_components,
    ),
    Case(
        "required_items",
        over_seeds(_required_items),
        ((3, 9), (3, 9)),
        {"n_seeds": (3, 10, 40), "paired": False},
        public=sigarray.required_items,
    ),
    Case("t_ci-one", sigarray.t_ci, ((9,),), moved=(0, 1, 2)),
    Case("t_ci-two", sigarray.t_ci, ((9,), (7,)), {"confidence_level": 0.9}),
    Case("t_ci-paired", sigarray.t_ci, ((9,), (9,)), {"paired": True}),
    Case(
        "t_ci-splits",
        sigarray.t_ci,
        ((9,), (9,)),
        {"paired": True, "test_share": 0.2},
    ),
]
