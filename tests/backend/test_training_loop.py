"""Where the training loop is: in modes, graphs, maps, scans, and on several devices."""

import contextlib
import os

import numpy as np
import pytest

from sigarray import aso, permutation_replicates, responses, t_test, violation_ratio
from sigarray._backend.dispatch import library_of
from tests.backend.programs import run
from tests.backends import require
from tests.cases import CASES
from tests.chosen import ONE_EACH, over

OPTIONS = {"n_resamples": 60, "rng": 0}


def judge(a, b):
    """Numbers of sorts, of sums and of products."""
    return (
        *aso(a, b, **OPTIONS),
        permutation_replicates(a, b, start=0, count=60, rng=0),
        *t_test(a, b),
    )


def assert_same(results, expected):
    """Compare tensors by their bits."""
    import torch

    for result, value in zip(results, expected, strict=True):
        torch.testing.assert_close(result, value, rtol=0, atol=0)


@pytest.fixture
def torch():
    return require("torch")


@pytest.fixture
def evaluate(torch):
    """Return scores of examples by two models, which are one layer."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        models, examples = torch.nn.Linear(4, 2), torch.randn(60, 4)
    return lambda place=slice(None): models(examples[place]).T


def modes_of_evaluation(torch):
    return {
        "no_grad": torch.no_grad,
        "inference_mode": torch.inference_mode,
        "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    }


@pytest.mark.parametrize("name", ["no_grad", "inference_mode", "autocast"])
def test_evaluation_in_a_mode(torch, evaluate, name):
    """The scores that a model gives in a mode, judged in it and later outside of it."""

    def modes():
        return (
            torch.is_grad_enabled(),
            torch.is_inference_mode_enabled(),
            torch.is_autocast_enabled("cpu"),
        )

    with modes_of_evaluation(torch)[name]():
        before = modes()
        scores = evaluate()
        inside = judge(*scores)
        with pytest.raises(TypeError):
            aso(scores, scores.to("meta"))
        assert modes() == before
    kind = torch.bfloat16 if name == "autocast" else torch.float32
    assert scores.dtype == kind
    assert scores.is_inference() == (name == "inference_mode")
    assert 0.0 < inside[2] < 1.0
    assert_same(judge(*scores), inside)
    assert_same(judge(*scores.detach().clone().float()), inside)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # what torch says of its own compiler
def test_compiled_evaluation_step(torch, evaluate):
    """A model, its scores gathered from batches, and aso: one graph for all seeds."""
    graphs = []

    def keep(graph, inputs):
        graphs.append(graph)
        return graph

    @torch.no_grad()
    def step(seed):
        scores = torch.cat([evaluate(slice(k, k + 20)) for k in (0, 20, 40)], 1)
        return aso(*scores, n_resamples=60, rng=seed)

    compiled = torch.compile(step, fullgraph=True, backend=keep)
    results = [compiled(torch.tensor(seed)) for seed in (0, 1)]
    assert len(graphs) == 1
    assert results[0].standard_error != results[1].standard_error
    for seed in (0, 1):
        assert_same(results[seed], step(seed))


@over(CASES)
def test_no_graph_goes_through(torch, case):
    """Results are of no graph, and the loss keeps its gradient; nothing is written to.

    A tensor counts how often it was, whatever was written.
    """
    weights = [torch.tensor(x, requires_grad=True) for x in case.samples()]
    scores = [1.0 * x for x in weights]
    loss = sum(x.square().sum() for x in scores)
    for arrays in (scores, weights):
        for result in case(*arrays):
            assert not result.requires_grad
        assert [x._version for x in arrays] == [0] * len(arrays)
    loss.backward()
    for x, sample in zip(weights, case.samples(), strict=True):
        np.testing.assert_array_equal(x.grad, 2.0 * sample)


@pytest.mark.filterwarnings("ignore:`torch.jit.script`")  # which jvp calls
@over(ONE_EACH)
def test_derivatives_of_torch_func_are_zero(torch, case):
    samples = tuple(map(torch.asarray, case.samples()))

    def add_up(*arrays):
        return sum(x.sum().to(torch.float64) for x in case(*arrays))

    places = tuple(range(len(samples)))
    for gradient in torch.func.grad(add_up, places)(*samples):
        assert not gradient.any()
    # Tangents that are no shift, which would move nothing.
    _, tangent = torch.func.jvp(add_up, samples, samples)
    assert not tangent.any()


@over(ONE_EACH)
def test_torch_func_vmap(torch, case):
    """Nested maps: over the last axis, and over the second of what is left."""
    samples = [torch.asarray(x) for x in case.samples(2, 3)]
    mapped = torch.func.vmap(torch.func.vmap(case, in_dims=1), in_dims=-1)(
        *(x.movedim(0, -1).transpose(0, 1) for x in samples)
    )
    for result, expected in zip(mapped, case(*samples), strict=True):
        torch.testing.assert_close(result, expected, rtol=1e-12, atol=1e-12)


def test_torch_func_vmap_over_columns(torch):
    """Columns against one sample, and tables whose scores are on their first axis."""
    rng = np.random.default_rng(0)
    table, b = torch.asarray(rng.normal(size=(9, 4))), torch.asarray(rng.normal(size=7))
    by_column = torch.func.vmap(
        lambda x, y: aso(x, y, **OPTIONS).eps_min, in_dims=(1, None)
    )
    torch.testing.assert_close(by_column(table, b), aso(table.T, b, **OPTIONS).eps_min)
    tables = torch.stack([table, table.exp()], -1)
    by_table = torch.func.vmap(
        lambda x: violation_ratio(x, x.square(), axis=0), in_dims=-1
    )
    for result, x in zip(by_table(tables), (table.T, table.T.exp()), strict=True):
        torch.testing.assert_close(result, violation_ratio(x, x.square()))


@over([case for case in ONE_EACH if case.is_random])
def test_torch_func_vmap_over_seeds(torch, case):
    """An int is a seed on any device, and a tensor of them a seed for each entry."""
    seeds, samples = (3, 2**40 + 5), [torch.asarray(x) for x in case.samples(2)]
    mapped = torch.func.vmap(lambda seed, *arrays: case(*arrays, rng=seed))(
        torch.tensor(seeds), *samples
    )
    for k, seed in enumerate(seeds):
        results = case(*(x[k] for x in samples), rng=seed)
        for result, expected in zip(mapped, results, strict=True):
            torch.testing.assert_close(result[k], expected, rtol=1e-12, atol=1e-12)


@contextlib.contextmanager
def without_float64():
    """Make the CPU a device such as Apple's MPS, which has no numbers of 64 bits.

    array-api-compat finds out by trying, so that the namespace says so too.
    """
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    class Refuse(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            kinds = {getattr(x, "dtype", None) for x in tree_leaves(result)}
            if kinds & {torch.float64, torch.complex128}:
                msg = f"{function} made a tensor of float64"
                raise TypeError(msg)
            return result

    with Refuse():
        yield


def test_the_device_has_no_float64(torch):
    """Or else the tests below could not fail."""
    import array_api_compat.torch

    library = library_of(array_api_compat.torch, torch.device("cpu"))
    assert library.widest_float == torch.float64
    with without_float64():
        assert library.widest_float == torch.float32
        with pytest.raises(TypeError, match="float64"):
            torch.ones(3).double()
        with pytest.raises(TypeError, match="float64"):
            torch.zeros(3, dtype=torch.float64)


@over(CASES)
def test_devices_without_float64(torch, case):
    """Integers, which become the widest float, and what has to be between 0 and 1."""
    import array_api_compat.torch as namespace

    kind = torch.float32 if case.is_within_one else torch.int32
    arrays = [torch.asarray(case.stretch * x).to(kind) for x in case.samples()]
    with without_float64():
        results = case(*arrays)
    on_numpy = case(*(x.double().numpy() for x in arrays))
    for result, expected in zip(results, on_numpy, strict=True):
        case.assert_dtype(namespace, result, torch.float32)
        np.testing.assert_allclose(
            result, expected, rtol=1e-5, atol=case.stretch * case.float32_error
        )


def test_simulations_without_float64(torch):
    options = {"n_items": 9, "n_sets": 3, "perturbation_b": 0.9, "rng": 1, "xp": torch}

    def simulate():
        truth = responses.true_p_value(metric="mae", **options)
        return *truth, responses.power(n_responses=2, n_resamples=60, **options)

    with without_float64():
        results = simulate()
    for result, expected in zip(results, simulate(), strict=True):
        assert result.dtype == torch.float32
        torch.testing.assert_close(result, expected)


PROCESSES = """
import datetime, os, warnings
import torch, torch.distributed as dist, torch.multiprocessing
import torch._dynamo  # which both processes would import
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Shard, distribute_tensor, init_device_mesh
from sigarray import aso

agree = torch.testing.assert_close
warnings.simplefilter("ignore")
torch.manual_seed(0)
examples, targets, baseline = torch.rand(40, 4), torch.rand(40), torch.rand(40)
plain = torch.nn.Linear(4, 1)

def score(model, place):
    return 1.0 - (model(examples[place])[:, 0] - targets[place]).abs()

def gather(x):
    parts = [torch.empty_like(x) for _ in range(2)]
    dist.all_gather(parts, x.detach())
    return torch.cat(parts)

def train(rank):
    store = dist.FileStore(os.environ["STORE"], 2)
    limit = datetime.timedelta(seconds=60)
    dist.init_process_group(
        "gloo", store=store, rank=rank, world_size=2, timeout=limit
    )
    expected = aso(score(plain, slice(None)), baseline, rng=0)
    half = slice(20 * rank, 20 * rank + 20)
"""
# DistributedDataParallel keeps threads of gloo, which may hang or abort where it ends.
END = """
    print("done", flush=True)
    store.set(f"{rank} is done", "")
    store.wait(["0 is done", "1 is done"])
    os._exit(0)


torch.multiprocessing.start_processes(train, nprocs=2, start_method="fork")
"""


@pytest.fixture
def train(torch, tmp_path):
    """Run the rest of a training in two processes, each with half of the examples."""
    if not (torch.distributed.is_available() and hasattr(os, "fork")):
        pytest.skip("torch has no processes here")

    def train(body):
        store = str(tmp_path / "store")
        code, output = run(PROCESSES + body + END, STORE=store)
        assert code == 0, output
        assert output.count("done") == 2, output

    return train


@pytest.mark.long
def test_processes_with_gradients_in_common(train):
    """One answer, which leaves the gradients as they are without it."""
    train(
        """
    model = torch.nn.parallel.DistributedDataParallel(plain)
    scores = score(model, half)
    loss = -scores.mean()
    result = aso(gather(scores), baseline, rng=0)
    agree(result, expected)
    both = gather(torch.stack(result))
    assert both[:5].equal(both[5:]), both
    assert 0.0 < result.standard_error < 1.0

    loss.backward()
    weight = plain.weight.detach().clone().requires_grad_()
    whole = torch.nn.functional.linear(examples, weight, plain.bias)[:, 0]
    (whole - targets).abs().mean().backward()
    agree(plain.weight.grad, weight.grad)
"""
    )


@pytest.mark.long
def test_processes_that_split_a_model(train):
    """Its parts are no scores, until they are whole again."""
    train(
        """
    mesh = init_device_mesh("cpu", (2,))
    split = distribute_tensor(gather(score(plain, half)), mesh, [Shard(0)])
    for call in (aso, lambda x, y: aso(y, x)):
        try:
            call(split, baseline)
        except TypeError as error:
            assert "DTensor. Pass x.full_tensor()" in str(error), error
        else:
            raise AssertionError("a DTensor was taken")
    agree(aso(split.full_tensor(), baseline, rng=0), expected)
    model = fully_shard(torch.nn.Sequential(plain), mesh=mesh)
    assert type(plain.weight.data).__name__ == "DTensor"
    agree(aso(gather(score(model, half)), baseline, rng=0), expected)
"""
    )
