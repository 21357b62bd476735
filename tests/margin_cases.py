"""Rows of the table of cases: tests with a margin, of equivalence, of proportions."""

import sigarray
from tests.case import Case
from tests.stratum_cases import in_strata
from tests.sum_cases import COUNTS, DRAWN, F1, in_clusters, over_seeds, under

NO_WORSE = {"alternative": "greater", "margin": 0.375}
WITHIN = {"low": -0.4, "high": 0.5}
SCORE = {"method": "score"}

MARGIN_CASES = [
    *(
        Case(
            f"{function.__name__}-margin-{name}",
            function,
            shapes,
            options,
            is_random="n_resamples" in options and name != "enumerated",
            float32_error=5e-5 if "method" in options else 1e-5,
        )
        for function, name, shapes, options in (
            (sigarray.t_test, "two", ((9,), (7,)), NO_WORSE),
            (
                sigarray.t_test,
                "paired",
                ((9,), (9,)),
                {"paired": True, "alternative": "less", "margin": 0.5},
            ),
            (sigarray.bootstrap_test, "two", ((9,), (7,)), NO_WORSE | DRAWN),
            (
                sigarray.bootstrap_test,
                "median",
                ((9,), (9,)),
                {"paired": True, "statistic": "median", **NO_WORSE, **DRAWN},
            ),
            (
                sigarray.bootstrap_test,
                "t",
                ((9,), (9,)),
                {"paired": True, "statistic": "t", **NO_WORSE, **DRAWN},
            ),
            (
                sigarray.bootstrap_test,
                "saddlepoint",
                ((30,), (30,)),
                {"method": "saddlepoint", **NO_WORSE},
            ),
            (
                sigarray.permutation_test,
                "paired",
                ((9,), (9,)),
                {"paired": True, **NO_WORSE, **DRAWN},
            ),
            (sigarray.permutation_test, "two", ((9,), (7,)), NO_WORSE | DRAWN),
            (
                sigarray.permutation_test,
                "enumerated",
                ((4,), (5,)),
                {"alternative": "less", "margin": 0.125, "n_resamples": 500},
            ),
            (
                sigarray.permutation_test,
                "saddlepoint",
                ((30,), (30,)),
                {"method": "saddlepoint", "paired": True, **NO_WORSE},
            ),
        )
    ),
    Case(
        "permutation_test-margin-lattice",
        sigarray.permutation_test,
        ((30,), (30,)),
        {"method": "exact", "paired": True, "alternative": "greater", "margin": 0.25},
        values=(0.0, 0.5, 1.0),
        float32_error=2e-6,
    ),
    *(
        Case(
            f"equivalence_test-{name}",
            sigarray.equivalence_test,
            shapes,
            WITHIN | options,
            is_random="n_resamples" in options,
            float32_error=2e-5,
        )
        for name, shapes, options in (
            ("t", ((9,), (7,)), {}),
            ("paired", ((9,), (9,)), {"paired": True}),
            ("bootstrap", ((9,), (7,)), {"method": "bootstrap", **DRAWN}),
            (
                "bootstrap-t",
                ((9,), (9,)),
                {"method": "bootstrap", "statistic": "t", "paired": True, **DRAWN},
            ),
        )
    ),
    Case(
        "equivalence_test-sums",
        sigarray.equivalence_test,
        ((3, 9), (3, 9)),
        {"statistic": F1, "paired": True, **WITHIN},
        values=COUNTS,
        float32_error=2e-5,
        moved=None,
    ),
    *(
        Case(
            f"{function.__name__}-{name}",
            function,
            shapes,
            options,
            values=(0.0, 1.0),
            # Other scores have no result.
            moved=None,
            float32_error=1e-5,
        )
        for function, name, shapes, options in (
            (sigarray.equivalence_test, "score", ((9,), (7,)), WITHIN | SCORE),
            (sigarray.proportion_test, "two", ((9,), (7,)), NO_WORSE),
            (sigarray.proportion_test, "pooled", ((9,), (7,)), {}),
            (
                sigarray.proportion_test,
                "paired",
                ((9,), (9,)),
                {"paired": True, "alternative": "less", "margin": 0.2},
            ),
            (sigarray.proportion_test, "mcnemar", ((9,), (9,)), {"paired": True}),
        )
    ),
    *(
        Case(
            f"{function.__name__}-{name}",
            under(design),
            shapes,
            {"of": function.__name__, **options},
            is_random="n_resamples" in options,
            float32_error=2e-5,
            public=function,
        )
        for function, name, design, shapes, options in (
            (
                sigarray.t_test,
                "margin-clusters",
                in_clusters,
                ((9,), (8,)),
                {"n_clusters": 3, **NO_WORSE},
            ),
            (
                sigarray.t_test,
                "margin-strata",
                in_strata,
                ((9,), (9,)),
                {"paired": True, **NO_WORSE},
            ),
            (
                sigarray.t_test,
                "margin-seeds_and_items",
                over_seeds,
                ((3, 9), (4, 9)),
                NO_WORSE,
            ),
            (
                sigarray.bootstrap_test,
                "margin-clusters",
                in_clusters,
                ((9,), (9,)),
                {"n_clusters": 3, "paired": True, **NO_WORSE, **DRAWN},
            ),
            (
                sigarray.bootstrap_test,
                "margin-strata",
                in_strata,
                ((8,), (9,)),
                NO_WORSE | DRAWN,
            ),
            (
                sigarray.bootstrap_test,
                "margin-seeds_and_items",
                over_seeds,
                ((3, 9), (3, 9)),
                {"paired": True, **NO_WORSE, **DRAWN},
            ),
            (
                sigarray.permutation_test,
                "margin-strata",
                in_strata,
                ((9,), (9,)),
                {"paired": True, **NO_WORSE, **DRAWN},
            ),
            (
                sigarray.equivalence_test,
                "clusters",
                in_clusters,
                ((9,), (9,)),
                {"n_clusters": 3, "paired": True, **WITHIN},
            ),
            (
                sigarray.equivalence_test,
                "strata",
                in_strata,
                ((8,), (9,)),
                {"method": "bootstrap", **WITHIN, **DRAWN},
            ),
            (
                sigarray.equivalence_test,
                "seeds_and_items",
                over_seeds,
                ((3, 9), (4, 9)),
                WITHIN,
            ),
        )
    ),
]
