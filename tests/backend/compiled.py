"""Cases under `torch.compile`, for programs of their own."""

import dataclasses
import warnings

import torch
from torch.utils._pytree import tree_leaves

from sigarray import responses
from sigarray.responses import _fitting
from tests.cases import CASES as ALL_CASES
from tests.response_cases import fit_likert

warnings.simplefilter("ignore")
torch.set_num_threads(1)
# As in the case, which patches it, and no compiler traces that.
_fitting._ITEMS = 2**11
CASES = [
    dataclasses.replace(case, function=responses.fit, options={"model": "likert"})
    if case.function is fit_likert
    else case
    for case in ALL_CASES
]
# The first case of each function.
ONE_EACH = list({case.function: case for case in reversed(CASES)}.values())


def compile(function, backend="aot_eager"):  # noqa: A001
    return torch.compile(function, fullgraph=True, backend=backend)


def same(results, expected):
    pairs = zip(tree_leaves(results), tree_leaves(expected), strict=True)
    for result, value in pairs:
        torch.testing.assert_close(result, value, rtol=0, atol=0, equal_nan=True)


def agree(case, backend, *variants):
    """Compare for shapes with leading axes, and for so many scores more."""
    function, options = case.function, case.options
    compiled = compile(lambda *args, **rng: function(*args, **options, **rng), backend)
    for leading, extra in variants:
        shapes = tuple((*shape[:-1], shape[-1] + extra) for shape in case.shapes)
        own = dataclasses.replace(case, shapes=shapes)
        arrays = [torch.asarray(x) for x in own.samples(*leading)]
        rng = {"rng": torch.tensor(11)} if case.is_random else {}
        same(compiled(*arrays, **rng), function(*arrays, **options, **rng))


def complains(function, *args):
    """Return the message of what cannot be compiled."""
    try:
        compile(function)(*args)
    except Exception as error:
        return str(error)
    raise AssertionError("nothing was said")
