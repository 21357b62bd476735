"""The request that the options of a command make, and ways to resample in words."""

import argparse

from sigarray._cli.options.choices import AGGREGATES
from sigarray._verdicts.asked import Request, check_request

ITEMS = {"all": "all items", "bootstrap": "bootstrapped items"}
RESPONSES = {
    "all": "all responses",
    "bootstrap": "bootstrapped responses",
    "one": "one response",
    "first": "the first response",
    "without_replacement": "all responses in random order",
}


def read_request(options: argparse.Namespace) -> Request:
    """Return the request, and refuse options that the test ignores."""
    return check_request(
        Request(
            test=options.test,
            is_paired=options.paired,
            test_share=options.test_share,
            baseline=options.baseline,
            threshold=options.threshold,
            confidence_level=options.confidence_level,
            alpha=options.alpha,
            dt=options.dt,
            method=options.method,
            n_resamples=options.n_resamples,
            seed=options.seed,
            is_corrected=not options.no_correction,
            higher_is_better=not options.lower_is_better,
            missing=options.missing,
            margin=options.margin,
            statistic=options.statistic if options.statistic in AGGREGATES else None,
        )
    )
