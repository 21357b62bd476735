"""Processes of torch that share the replicates: one answer, that of a single one."""

import os

import numpy as np
import pytest

import sigarray
from sigarray import aso, gather_scores
from sigarray._backend import ranks
from tests.backend.programs import run
from tests.backends import require, whole_suite

START = """
import datetime, inspect, os, warnings
import torch, torch.distributed as dist, torch.multiprocessing
from sigarray import aso, gather_scores, permutation_test, responses
from sigarray._backend import chunks, ranks
from sigarray._backend.workers import Execution, executed_by
from tests.cases import CASES

warnings.simplefilter("ignore")
torch.set_num_threads(1)


def join(rank, store):
    store = dist.FileStore(store, 2)
    limit = datetime.timedelta(seconds=60)
    dist.init_process_group(
        "gloo", store=store, rank=rank, world_size=2, timeout=limit
    )
    return dist.group.WORLD


def refuses(call, words):
    try:
        call()
    except (TypeError, ValueError) as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"nothing was said of {words}")


def check(x, y):
    torch.testing.assert_close(x, y, rtol=0, atol=0, equal_nan=True)

"""
START_OF_BODY = """
def work(rank, name, store):
    group = join(rank, store)
    generator = torch.Generator().manual_seed(0)
    a, b = torch.randn(2, 101, generator=generator)
    by = {"n_resamples": 500, "batch": 50, "workers": group}
"""
END_OF_BODY = """
    os.write(1, f"done: {name}\\n".encode())  # at once, beside the other rank
    dist.destroy_process_group()
"""
END = """
with executed_by(Execution(least=0, room=800)):
    for k, (name, body) in enumerate(BODIES.items()):
        print("begun:", name, flush=True)
        exec(body)
        own = (name, os.path.join(FOLDER, str(k)))
        torch.multiprocessing.start_processes(
            work, args=own, nprocs=2, start_method="fork"
        )
"""
# What the ranks do, by name, each time in new processes.
BODIES = {
    # All that has replicates; the numbers that are received at once are few.
    "ranks give the bits of one": """
    ranks._MAX_RECEIVED = 60
    for case in CASES:
        slow = case.id == "bootstrap_power_analysis-aso"  # chunks within chunks
        if slow or "workers" not in inspect.signature(case.function).parameters:
            continue
        samples = [torch.as_tensor(x) for x in case.samples(2)]
        alone = case(*samples, rng=0)
        for x, y in zip(case(*samples, rng=0, workers=group), alone, strict=True):
            check(x, y)
        mine = torch.cat([x.reshape(-1).to(torch.float64) for x in alone])
        check(*ranks._gather(mine, group))
""",
    # Also where torch compiles, and by the state of a generator.
    "ranks share chunks": """
    shares = []
    draw = chunks.compute_chunks

    def note(kernel, *args, **options):
        def chunk(start, n):
            shares.append(start)
            return kernel(start, n)

        return draw(chunk, *args, **options)

    chunks.compute_chunks = note
    first = aso(a, b, rng=0, **by)
    both = ranks._gather(torch.tensor(shares), group)
    assert len(shares) == 5 and sorted(torch.cat(both).tolist()) == [
        50 * k for k in range(10)
    ], both
    compiled = torch.compile(lambda a, b: aso(a, b, rng=0, **by), backend="eager")
    check(compiled(a, b), first)
    check(aso(a, b, rng=torch.Generator().manual_seed(3), **by),
          aso(a, b, rng=torch.Generator().manual_seed(3), **(by | {"workers": None})))
""",
    "calls that differ between ranks are refused": """
    refuses(lambda: aso(a, b, **by), "Expected rng to be an int where the ranks")
    same = "Expected the same call on all ranks"
    refuses(lambda: aso(a + rank, b, rng=0, **by), same)
    refuses(lambda: aso(a, b, rng=rank, **by), same)
    refuses(lambda: aso(a[torch.randperm(101, generator=torch.Generator()
                                         .manual_seed(rank))], b, rng=0, **by), same)
    refuses(lambda: aso(a, b, rng=0, **(by | {"n_resamples": 500 + rank})), same)
    refuses(lambda: aso(a[: 100 + rank], b, rng=0, **by), same)
    refuses(lambda: aso(-a if rank else a, b, rng=0, **by), same)
    refuses(
        lambda: aso(a[:100], b[:100], rng=0, higher_is_better=bool(rank), **by), same
    )
    for statistic in (
        lambda x, axis: (x - rank).mean(axis),
        [lambda x, axis: x.mean(axis), lambda x, axis: x.amax(axis)][rank],
        lambda x, axis, by=rank: (x - by).mean(axis),
    ):
        refuses(
            lambda: permutation_test(a, b, statistic=statistic, rng=0, workers=group),
            same,
        )
    refuses(lambda: aso(a.numpy(), b.numpy(), rng=0, **by), "Pass torch tensors")
    outside = dist.new_group([0])
    if rank == 1:
        refuses(lambda: aso(a, b, rng=0, workers=outside), "ranks outside of a group")
""",
    # A look at the numbers would wait for the device.
    "ranks that differ give nan where nothing may wait": """
    first = aso(a, b, rng=0, **by)
    ranks._can_wait = lambda x: False
    result = aso(a + rank, b, rng=0, **by)
    assert all(x.isnan() for x in result), result
    assert permutation_test(a, b, rng=rank, workers=group).pvalue.isnan()
    check(aso(a, b, rng=0, **by), first)
""",
    "scores of all ranks are gathered": """
    for n in (1, 7, 8):
        items = torch.randn(3, n, generator=generator)
        sampler = torch.utils.data.DistributedSampler(range(n), shuffle=False)
        own = items[:, list(sampler)]
        check(gather_scores(own, n_items=n), items)
        check(gather_scores(own.T, n_items=n, group=group, axis=0), items.T)
    refuses(lambda: gather_scores(own, n_items=9), "Expected 5 scores on each of 2")
    others = "Expected the same n_items, shape and dtype of scores on all ranks"
    refuses(lambda: gather_scores(own, n_items=8 - rank), others)
    refuses(lambda: gather_scores(own.double() if rank else own, n_items=8), others)
    refuses(lambda: gather_scores(own[: 2 + rank], n_items=8), others)
    integers = gather_scores(torch.tensor([rank, 2 + rank]), n_items=4)
    check(integers, torch.arange(4, dtype=torch.float64))
""",
}


@pytest.fixture
def torch():
    torch = require("torch")
    if not (torch.distributed.is_available() and hasattr(os, "fork")):
        pytest.skip("torch has no processes here")
    return torch


@pytest.mark.long
@whole_suite
def test_programs_of_two_ranks(torch, tmp_path):
    """Each body in two new processes, which are forked where all is imported."""
    bodies = {name: START_OF_BODY + body + END_OF_BODY for name, body in BODIES.items()}
    program = START + f"BODIES = {bodies!r}\nFOLDER = {str(tmp_path)!r}\n" + END
    code, output = run(program)
    assert code == 0, output
    for name in BODIES:
        assert output.count(f"done: {name}\n") == 2, output


def test_without_processes(torch):
    x = torch.rand(2, 5, dtype=torch.float64)
    assert gather_scores(x, n_items=5).equal(x)
    with pytest.raises(ValueError, match="Expected 4 scores on each of 1 ranks"):
        gather_scores(x, n_items=4)
    with pytest.raises(TypeError, match=r"Expected a torch\.Tensor of scores; got"):
        gather_scores([1.0, 2.0], n_items=2)
    with pytest.raises(TypeError, match=r"Expected group to be a torch\.distributed"):
        gather_scores(x, n_items=5, group=2)
    # What `torch.distributed.group.WORLD` is before there are processes.
    assert aso(x[0], x[1], rng=0, workers=torch.distributed.group.WORLD) == aso(
        x[0], x[1], rng=0
    )


def test_names_are_for_jax():
    with pytest.raises(TypeError, match="with arrays of numpy; got a name"):
        sigarray.aso(np.arange(3.0), np.arange(4.0), rng=0, workers="replicates")


def test_fingerprints_differ(torch):
    """With one bit, with two numbers that change places, with a place of the bits."""
    x = torch.rand(50, dtype=torch.float64)
    swapped = x[[1, 0, *range(2, 50)]]
    moved = x.clone()
    moved.view(torch.int64)[3] ^= 1
    arrays = [[x], [swapped], [moved], [x, x], [x[:25], x[25:]], [x.float()]]
    found = [ranks._fingerprint("call", own).tolist() for own in arrays]
    found.append(ranks._fingerprint("another call", [x]).tolist())
    assert len(set(map(tuple, found))) == len(found)
    assert ranks._fingerprint("call", [x.clone()]).tolist() == found[0]
    texts = [f"call of <function f at {hex(id(x))}>" for x in (arrays, found)]
    both = [ranks._fingerprint(text, [x]).tolist() for text in texts]
    assert both[0] == both[1]
