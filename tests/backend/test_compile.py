"""Under `torch.compile` a call is one operator: it traces, and gives the same bits."""

import textwrap

import pytest

from tests.backend.programs import run
from tests.backends import require

PRELUDE = """
import functools
import time
import torch
torch.manual_seed(0)
from sigarray import aso, corpus, holm, multi_aso, of_sums, permutation_test
from sigarray import responses, t_ci
from sigarray._backend import callers
from tests.backends import HAS_ALL
from tests.backend.compiled import BY_FUNCTION, CASES, agree, compile, complains, same
"""


def run_compiled(code):
    require("torch")
    code, output = run(PRELUDE + textwrap.dedent(code))
    assert code == 0, output
    return output


def test_every_function_traces_and_gives_the_same_bits():
    """Nothing breaks the graph; nor do other sizes and axes, in one loop of a kind."""
    output = run_compiled(
        """
        from tests.chosen import LOOPS

        for firsts, _ in BY_FUNCTION.values():
            torch._dynamo.reset()
            others = [((), 1)] if firsts[0] in LOOPS else []
            agree(firsts[:1], "eager", ((2,), 0), *others)
            print("agreed " + firsts[0].id)
        print("of", len(BY_FUNCTION))
        """
    )
    assert f"of {output.count('agreed ')}" in output


@pytest.mark.long
def test_every_case_traces_and_gives_the_same_bits():
    """Each way to call a function, and those that take callables, in one program.

    A call is one operator, whatever its other options: all cases are compiled, and in
    other sizes too, with SIGARRAY_TESTS=all.
    """
    output = run_compiled(
        """
        for firsts, others in BY_FUNCTION.values():
            once = firsts[1:] + others
            torch._dynamo.reset()
            if once:
                agree(once, "eager", ((2,), 0))
            if HAS_ALL:
                torch._dynamo.reset()
                agree(firsts, "eager", ((2,), 0), ((), 1))
            print(*("agreed " + case.id for case in firsts + others))
        print("of", sum(map(len, sum(BY_FUNCTION.values(), ()))))
        """
    )
    assert f"of {output.count('agreed ')}" in output


@pytest.mark.long
def test_compiles_in_no_time_for_all_seeds_and_resamples():
    """One node for each call, however many chunks of resamples it has.

    What is unrolled took minutes of inductor's: random words, and Newton's steps.
    """
    run_compiled(
        """
        a, b = torch.linspace(0.0, 1.0, 30), torch.linspace(0.1, 0.9, 20)
        graphs = []


        def keep(graph, inputs):
            graphs.append(graph)
            return graph


        def function(a, b, rng):
            first = aso(a, b, n_resamples=3000, batch=10, rng=rng)
            return first.standard_error + aso(b, a, n_resamples=9, rng=rng).eps_min

        compiled = compile(function, keep)
        for seed in (3, 2**40 + 5, 2**63 + 9):
            words = torch.tensor([seed % 2**32, seed >> 32])
            same(compiled(a, b, words), function(a, b, seed))
        (graph,) = graphs
        calls = [x for x in graph.graph.nodes if x.op == "call_function"]
        assert sum("_insert" in x.name for x in calls) == 2, calls
        assert len(calls) < 12, calls

        start = time.perf_counter()
        names = ("aso-bootstrap", "bootstrap_test-saddlepoint-paired")
        agree([case for case in CASES if case.id in names], "inductor", ((2,), 0))
        assert time.perf_counter() - start < 60.0
        # A result whose memory is not in the order of its axes.
        torch._dynamo.reset()
        p = torch.rand(3, 5).T
        same(compile(lambda p: holm(p) + 1.0, "inductor")(p), holm(p) + 1.0)
        """
    )


@pytest.mark.long
def test_arguments_modes_and_maps():
    """Callables from anywhere, models by name; a step that is mapped or has a mode."""
    run_compiled(
        """
        a, b = torch.rand(3, 9), torch.rand(3, 7)


        def largest(x, axis):
            return x.amax(axis)


        def function(a, b):
            by = {"rng": 1, "n_resamples": 99}
            return (
                permutation_test(a, b, statistic=largest, **by).pvalue,
                permutation_test(a, b, statistic=lambda x, axis: x.mean(axis), **by),
                multi_aso({"one": a, "other": b}, **by).eps_min,
                multi_aso([a, b], **by).eps_min,
                responses.response_test(
                    a, a + 0.1, a - 0.2, metric=responses.metrics.mae, **by
                ),
            )

        same(compile(function)(a, b), function(a, b))

        # Of the same code, which closes over another number, or has other defaults.
        by = {"rng": 1, "n_resamples": 99}


        def test(statistic):
            return permutation_test(a, b, statistic=statistic, **by).pvalue


        def measure(metric):
            return responses.response_test(a, a + 0.1, a - 0.2, metric=metric, **by)


        def power_of(k):
            return lambda gold, system: -(gold - system).abs().pow(k).mean((-2, -1))


        def metric_of(k):
            measured = lambda xp, gold, system: -(gold - system).abs().pow(k).mean(-1)
            return responses.metrics.Metric("own", measured)

        def of_metric(statistic):
            return t_ci(a, statistic=statistic).statistic

        for function, make in (
            (of_metric, lambda p: of_sums(lambda x, y, z, p=p: p * x / (y * z))),
            (of_metric, lambda p: of_sums(lambda x, y, z: p * x / (y * z))),
            (test, lambda p: lambda x, axis: x.quantile(p, axis)),
            (test, lambda p: lambda x, axis, p=p: x.quantile(p, axis)),
            (test, lambda p: functools.partial(torch.quantile, q=p)),
            (measure, power_of),
            (measure, metric_of),
        ):
            step = torch.compile(function, backend="eager")
            for number in (0.25, 0.75, 1.0):
                same(step(make(number)), function(make(number)))
            complaint = complains(function, make(0.25))
            assert "call_beside_the_program" in complaint, complaint
        step = compile(of_metric, "eager")
        for f in (corpus.f1, corpus.precision, lambda x, *rest: x / sum(rest)):
            same(step(of_sums(f)), of_metric(of_sums(f)))
        step = compile(measure, "eager")
        for kind in ("mean", "median", None):
            metric = responses.metrics.mae.aggregated_by(kind)
            a = torch.rand(3, 9)
            same(step(metric), measure(metric))


        def plain(a, b):
            return aso(a, b, rng=0).eps_min

        expected = plain(a, b)
        # Also where torch is imported after the library.
        known, callers._TORCH = callers._TORCH, None
        same(compile(plain)(a, b), expected)
        callers._TORCH = known
        one_by_one = torch.stack([plain(x, y) for x, y in zip(a, b, strict=True)])
        same(compile(lambda a, b: torch.func.vmap(plain)(a, b))(a, b), one_by_one)
        for function in (
            lambda a, b: torch.autocast("cpu", dtype=torch.bfloat16)(plain)(a, b),
            lambda a, b: torch.no_grad()(plain)(a, b),
            lambda a, b: torch.inference_mode()(plain)(a, b),
        ):
            same(compile(function)(a, b), expected)
            same(compile(function)(a.clone().requires_grad_(), b), expected)
        none = compile(lambda a, b: torch.func.vmap(plain)(a, b))(a[:0], b[:0])
        assert none.shape == (0,)
        with torch.inference_mode():
            same(compile(plain)(a, b), expected)
        mapped = compile(lambda x, b: torch.func.vmap(plain, (1, None))(x, b[1]))
        same(mapped(a.T, b), torch.stack([plain(x, b[1]) for x in a]))

        weights = torch.ones(9, requires_grad=True)
        step = compile(lambda w: (w * a).sum() + plain(w * a, b).sum())
        step(weights).backward()
        torch.testing.assert_close(weights.grad, a.sum(0))

        module = torch.nn.Module()
        module.forward = plain
        same(torch.export.export(module, (a, b)).module()(a, b), expected)

        generator = torch.Generator()
        seeds = "Expected rng to be an int, or an integer tensor of the device"
        assert seeds in complains(lambda a, b: aso(a, b), a, b)
        complaint = complains(lambda a, b: aso(a, b, rng=generator), a, b)
        # torch 2.11 refuses to hold a generator, before we are asked.
        assert seeds in complaint or "(Generator) is not a constant" in complaint
        assert "n_resamples to be an integer from 1 to" in complains(
            lambda a, b: aso(a, b, rng=0, n_resamples=-1), a, b
        )
        assert "confidence_level to be a finite" in complains(
            lambda a, b: aso(a, b, rng=0, confidence_level=float("nan")), a, b
        )
        assert "of one array library" in complains(
            lambda a: aso(a, [0.1, 0.2, 0.3], rng=0), a
        )
        """
    )


@pytest.mark.long
def test_labels_of_numpy_are_read_as_without_the_compiler():
    """The compiler makes tensors of them; their shapes do not depend on the labels."""
    run_compiled(
        """
        import numpy as np
        from sigarray import bootstrap_ci, permutation_replicates, rank_ci, t_test

        a, b = torch.randn(2, 12)
        names, halves = np.repeat([1004, 1002, 1003, 1001], 3), np.arange(12) // 6
        texts = names.astype(str)
        paired = functools.partial(t_test, paired=True)
        drawn = functools.partial(bootstrap_ci, rng=0, n_resamples=99)
        shown = functools.partial(permutation_replicates, rng=0, start=0, count=9)
        calls = [
            lambda a, b: t_test(a, b, clusters=(names, names % 3)),
            lambda a, b: paired(a, b, clusters=halves, n_clusters=2),
            lambda a, b: paired(a, b, clusters=names * 0.5, strata=halves),
            lambda a, b: paired(a, b, strata=halves > 0),
            lambda a, b: drawn(a, b, paired=True, clusters=names, strata=halves),
            lambda a, b: shown(a, b, paired=True, clusters=names),
            lambda a, b: rank_ci({"a": a, "b": b}, paired=True, clusters=names, rng=0),
        ]
        for call in calls:
            torch._dynamo.reset()
            same(compile(call)(a, b), call(a, b))
        torch._dynamo.reset()
        by_text = lambda a, b: paired(a, b, clusters=texts)
        same(torch.compile(by_text)(a, b), by_text(a, b))  # texts end a graph
        for one in ({"clusters": halves * 0}, {"strata": np.arange(12)}):
            torch._dynamo.reset()
            bad = lambda a, b: paired(a, b, **one)
            assert "Expected two " in complains(bad, a, b)
        """
    )


@pytest.mark.long
def test_what_the_compiler_would_take_for_something_else():
    """Keys, containers, NumPy arrays and functions, which it may rewrite."""
    run_compiled(
        """
        import collections
        import enum
        import types
        import numpy as np
        from sigarray import t_test

        a, b = torch.rand(3, 9), torch.rand(3, 7)
        by = {"rng": 1, "n_resamples": 40}
        Number = enum.IntEnum("Number", "A B")
        Name = enum.Enum("Name", "A B")
        Side = enum.Enum("Side", {"UP": "greater"}, type=str)
        Pair = collections.namedtuple("Pair", "p q")
        for make, is_whole in (
            (lambda a, b: {Number.A: a, Number.B: b}, True),
            (lambda a, b: {float("inf"): a, 1 + 2j: b}, True),
            (lambda a, b: {Name.A: a, Name.B: b}, False),
            (lambda a, b: {torch.float32: a, frozenset([1]): b}, False),
            (lambda a, b: Pair(a, b), True),
            (lambda a, b: collections.OrderedDict(p=a, q=b), True),
            (lambda a, b: types.MappingProxyType({"p": a, "q": b}), True),
        ):

            def function(a, b, make=make):
                return multi_aso(make(a, b), **by).eps_min

            torch._dynamo.reset()
            compiled = torch.compile(function, backend="eager", fullgraph=is_whole)
            same(compiled(a, b), function(a, b))
        step = compile(lambda a, b: t_test(a, b, alternative=Side.UP).pvalue)
        same(step(a, b), t_test(a, b, alternative="greater").pvalue)

        # Of one code, with other globals.
        code = compile.__globals__["__builtins__"]["compile"](
            "def stat(x, axis): return x.quantile(Q, axis)", "a file", "exec"
        )
        functions = []
        for number in (0.1, 0.5, 0.9):
            names = {"Q": number}
            exec(code, names)
            functions.append(names["stat"])

        def test(statistic):
            return permutation_test(a, b, statistic=statistic, **by).pvalue

        step = torch.compile(test, backend="eager")
        for function in functions:
            same(step(function), test(function))

        # Beside the program, as NumPy has them.
        x, y = np.random.default_rng(0).random((2, 9), dtype=np.float32)
        for function in (
            lambda: t_test(x, y).pvalue,
            lambda: aso(x, y, rng=0).eps_min,
            lambda: aso(list(x[:4]), list(y[:4])).eps_min,
            lambda: responses.simulate(5, 2, n_sets=2, rng=0).gold,
            lambda: responses.fit(x.reshape(3, 3)),
        ):
            torch._dynamo.reset()
            found, expected = torch.compile(function, backend="eager")(), function()
            assert np.asarray(found).dtype == np.asarray(expected).dtype
            np.testing.assert_array_equal(found, expected)
        where = {"xp": torch, "n_sets": 2}
        words = torch.tensor([1, 2])
        step = torch.compile(
            lambda rng: responses.simulate(5, 2, rng=rng, **where).gold + 1.0,
            backend="eager",
        )
        same(step(words), responses.simulate(5, 2, rng=words, **where).gold + 1.0)

        # Shapes without numbers are not taken for a promise of some.
        words = torch.tensor([1, 2], device="meta")
        for function, other in (
            (lambda a, b: t_test(a, b), b.to("meta")),
            (lambda a, words: aso(a, a + 0.1, rng=words), words),
        ):
            assert "one device; got cpu and meta" in complains(function, a, other)
        """
    )


@pytest.mark.long
def test_metrics_are_no_constants_of_older_compilers():
    """Until torch 2.13 an argument of what is run while tracing has to be constant."""
    run_compiled(
        """
        from torch._dynamo.source import ConstantSource
        from torch._dynamo.variables import functions

        def call_with_constants(tx, function, name, args, kwargs):
            args = [x.as_python_constant() for x in args]
            kwargs = {key: x.as_python_constant() for key, x in kwargs.items()}
            result = function(*args, **kwargs)
            source = ConstantSource(name)
            return tx.output.register_attr_or_module(result, name, source=source)

        functions.invoke_and_store_as_constant = call_with_constants
        median = responses.metrics.mae.aggregated_by("median")
        wins = responses.metrics.wins("emd")

        def call(gold, a, b):
            options = {"metric": median, "n_resamples": 20, "rng": 0}
            test = responses.response_test(gold, a, b, **options)
            return median(gold, a), wins(gold, a, b), test

        samples = torch.rand(3, 10, 4)
        same(compile(call, "eager")(*samples), call(*samples))
        """
    )
