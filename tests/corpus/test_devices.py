"""On CUDA nothing waits, and CuPy's numbers are NumPy's: by stand-ins for both."""

import pytest

from tests.backend.programs import run
from tests.backends import require
from tests.corpus.items import COUNTING, ITEMS


@pytest.mark.long
def test_cuda():
    require("torch")
    code, output = run(
        """
        from tests.backend.fake_cuda import check
        from tests.corpus.items import COUNTING, ITEMS, find
        for name in ITEMS:
            metric, _, columns = find(name)
            check(metric, *(x.shape for x in columns))
            print("ran", name)
        for function, arrays, options in COUNTING:
            check(lambda *x: function(*x, **options), *(x.shape for x in arrays))
            print("ran", function)
        """
    )
    assert code == 0, output
    assert output.count("ran ") == len(ITEMS) + len(COUNTING)


def test_cupy():
    code, output = run(
        """
        import numpy as np
        from tests.backend import fake_cupy
        cupy = fake_cupy.install(None)
        from tests.corpus.items import COUNTED, COUNTING, ITEMS, find
        for name in ITEMS:
            metric, _, columns = find(name)
            arrays = [cupy.asarray(x) for x in columns]
            with fake_cupy.without_waits():
                found = metric(*arrays)
            np.testing.assert_allclose(found.get(), metric(*columns), rtol=1e-12)
            print("ran", name)
        for function, arrays, options in COUNTING:
            given = [cupy.asarray(x) for x in arrays]
            with fake_cupy.without_waits():
                found = function(*given, **options)
            np.testing.assert_allclose(found.get(), COUNTED[function], atol=1e-12)
            print("ran", function)
        """
    )
    assert code == 0, output
    assert output.count("ran ") == len(ITEMS) + len(COUNTING)


@pytest.mark.long
def test_programs_of_torch():
    """A statistic is one operator; a metric itself runs beside the program."""
    require("torch")
    code, output = run(
        """
        import torch
        from sigarray import bootstrap_ci, corpus, of_sums, t_ci
        from tests.corpus.items import ITEMS, find

        samples = [torch.as_tensor(x) for x in ITEMS.values()]
        statistics = [of_sums(find(name)[0]) for name in ITEMS]

        def find_mean(x, statistic):
            return bootstrap_ci(x, statistic=statistic, rng=0, n_resamples=9).statistic

        def center_all(samples, statistics):
            return [
                t_ci(x, statistic=statistic).statistic
                for x, statistic in zip(samples, statistics)
            ]

        whole = torch.compile(center_all, backend="eager", fullgraph=True)
        given = samples, statistics
        found, expected = whole(*given), center_all(*given)
        for name, x, y in zip(ITEMS, found, expected, strict=True):
            assert torch.equal(x, y), name

        for name in ITEMS:
            torch._dynamo.reset()
            metric, _, columns = find(name)
            sums = [torch.as_tensor(x) for x in columns]
            expected = metric(*sums)
            beside = torch.compile(lambda *x: metric(*x), backend="eager")
            assert torch.equal(beside(*sums), expected), name
            mapped = torch.func.vmap(metric)(*sums)
            torch.testing.assert_close(mapped, expected)
            print("ran", name)
        x = torch.linspace(0.0, 2.0, 9)
        torch._dynamo.reset()
        gap = corpus.optimality_gap(gamma=0.5)
        whole = torch.compile(find_mean, backend="eager", fullgraph=True)
        assert torch.equal(whole(x, gap), gap(x))
        print("ran gap")
        """
    )
    assert code == 0, output
    assert output.count("ran ") == len(ITEMS) + 1
