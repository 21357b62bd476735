"""Cases under `torch.compile`, for programs of their own."""

import dataclasses
import warnings

import torch
from torch.utils._pytree import tree_leaves

from sigarray import responses
from sigarray.responses import _models
from tests.backends import HAS_ALL
from tests.cases import CASES as ALL_CASES
from tests.response_cases import fit_likert

warnings.simplefilter("ignore")
torch.set_num_threads(1)
# As in the case, which patches it, and no compiler traces that.
_models._ITEMS = 2**11
CASES = [
    dataclasses.replace(case, function=responses.fit, options={"model": "likert"})
    if case.function is fit_likert
    else case
    for case in ALL_CASES
]
# The cases of each public function: the first of each way to call it, and of the others
# those of callables, or all.
BY_FUNCTION = {}
for case in CASES:
    firsts, others = BY_FUNCTION.setdefault(case.public or case.function, ([], []))
    if all(case.function is not x.function for x in firsts):
        firsts.append(case)
    elif HAS_ALL or any(map(callable, case.options.values())):
        others.append(case)


def compile(function, backend="aot_eager"):  # noqa: A001
    return torch.compile(function, fullgraph=True, backend=backend)


def same(results, expected):
    pairs = zip(tree_leaves(results), tree_leaves(expected), strict=True)
    for result, value in pairs:
        torch.testing.assert_close(result, value, rtol=0, atol=0, equal_nan=True)


def agree(cases, backend, *variants):
    """Compare cases in one program, for leading axes, and for so many scores more."""

    calls = [(case.function, case.options, case.is_random) for case in cases]

    def call(all_arrays, seed):
        return [
            function(*arrays, **options, **({"rng": seed} if is_random else {}))
            for (function, options, is_random), arrays in zip(
                calls, all_arrays, strict=True
            )
        ]

    compiled, seed = compile(call, backend), torch.tensor(11)
    for leading, extra in variants:
        all_arrays = []
        for case in cases:
            shapes = tuple((*shape[:-1], shape[-1] + extra) for shape in case.shapes)
            own = dataclasses.replace(case, shapes=shapes)
            all_arrays.append([torch.asarray(x) for x in own.samples(*leading)])
        same(compiled(all_arrays, seed), call(all_arrays, seed))


def complains(function, *args):
    """Return the message of what cannot be compiled, and those of its causes."""
    try:
        compile(function)(*args)
    except Exception as error:
        messages, cause = [], error
        while cause is not None:
            messages.append(str(cause))
            cause = cause.__cause__ or cause.__context__
        return "\n".join(messages)
    raise AssertionError("nothing was said")
