"""All that only a GPU can show, in one command, for the day that there is one.

    python -m pip install -e ".[test]" "jax[cuda13]" "cupy-cuda13x[ctk]"
    python -m benchmarks.gpu

Runs the whole test suite there, where torch raises at whatever waits for the device,
and then calls of PyTorch one by one: times by events, beside those of the processor and
of the naive formulation (integer indices, gather, sort), kernels that are started,
bytes over the measured bandwidth, memory, capture and replay in a CUDA graph, and how
far numbers are from those of float64 on the processor; then the same calls with CuPy
and JAX, where they are installed. Results go to
`benchmarks/results/<device>.json`. `--device cpu` tries the command itself.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import array_api_compat.torch
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

import sigarray
from benchmarks.gpu_calls import CALLS, NAIVE, make_samples
from benchmarks.gpu_libraries import time_libraries
from sigarray._backend import of_torch
from sigarray._backend.dispatch import library_of
from sigarray._backend.seeds import seed_words
from sigarray._backend.threefry import random_words
from tests.backend.fake_cuda import starts_kernel

RESULTS = Path(__file__).parent / "results"


def main(arguments: list[str] | None = None) -> None:
    """Measure everything, print it and write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--device", default="cuda", help="cuda, cuda:1, ... or cpu (default: cuda)"
    )
    parser.add_argument(
        "--rounds", type=int, default=20, help="times to measure each (default: 20)"
    )
    parser.add_argument(
        "--output", type=Path, default=RESULTS, help="a folder (default: %(default)s)"
    )
    parser.add_argument(
        "--calls",
        nargs="+",
        choices=CALLS,
        default=list(CALLS),
        metavar="CALL",
        help="of " + "; ".join(map(repr, CALLS)) + " (default: all)",
    )
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=PARTS,
        default=list(PARTS),
        help="what to run, of %(choices)s (default: all); of the rest, what the file "
        "of results has stays",
    )
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error(f"expected --rounds of 1 or more; got {options.rounds}")
    if not re.fullmatch(r"cpu|cuda(:\d+)?", options.device):
        msg = f"expected --device cuda, cuda:1, ... or cpu; got {options.device}"
        parser.error(msg)
    device = torch.device(options.device)
    if device.type == "cuda":
        if not torch.cuda.is_available():
            msg = f"torch {torch.__version__} sees no GPU; try --device cpu."
            raise SystemExit(msg)
        torch.cuda.set_device(device.index or 0)
    name = name_of(device)
    options.output.mkdir(parents=True, exist_ok=True)
    file = options.output / (re.sub(r"\W+", "_", name).strip("_").lower() + ".json")
    results: dict[str, Any] = {"device": name, "torch": torch.__version__}
    before = json.loads(file.read_text()) if file.exists() else {}
    if before.get("torch") == torch.__version__:
        results |= before
    # Each is written when it is there: the time of a GPU may be short.
    for part in (x for x in PARTS if x in options.parts):
        results |= PARTS[part](options.calls, device, options.rounds)
        file.write_text(json.dumps(results, indent=2) + "\n")
    print(file.read_text() + f"written to {file}")
    failed = [
        call for call, found in results.get("calls", {}).items() if "failed" in found
    ]
    failed += [
        f"{call} with {name}"
        for call, times in results.get("libraries", {}).items()
        for name, found in times.items()
        if isinstance(found, str)
    ]
    if results.get("suite", {}).get("failed"):
        failed.append("tests")
    if failed:
        raise SystemExit("failed: " + ", ".join(failed))


def run_torch(
    calls: Sequence[str], device: torch.device, rounds: int
) -> dict[str, Any]:
    """Measure the calls of PyTorch."""
    bandwidth = measure_bandwidth(device, rounds)
    return {
        "bytes_per_second": bandwidth,
        "calls": {x: try_call(x, device, rounds, bandwidth) for x in calls},
        "words": measure_words(device, rounds),
        "graph": replay_graph(device, rounds),
        "devices": compare_devices(device),
    }


def run_libraries(
    calls: Sequence[str], device: torch.device, rounds: int
) -> dict[str, Any]:
    """Time the calls with CuPy and JAX."""
    return {"libraries": time_libraries(calls, device, rounds)}


def name_of(device: torch.device) -> str:
    """Return the name of the device."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"


def run_suite(*_: Any) -> dict[str, Any]:
    """Run all tests, and count how they ended."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    process = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=RESULTS.parents[1]
    )
    print(process.stdout[-4000:])
    kinds = ("passed", "failed", "error", "skipped")
    last = process.stdout.strip().splitlines()[-1:] or [process.stderr]
    found = {kind: re.search(rf"(\d+) {kind}", last[0]) for kind in kinds}
    counts = {kind: int(match[1]) if match else 0 for kind, match in found.items()}
    counts["failed"] += counts.pop("error") + (not counts["passed"])
    return {"suite": counts}


def measure_time(
    function: Callable[[], Any], device: torch.device, rounds: int
) -> float:
    """Return the median of milliseconds, by events where the device has them."""
    function()
    times = []
    for _ in range(rounds):
        if device.type == "cuda":
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            function()
            end.record()
            end.synchronize()
            times.append(start.elapsed_time(end))
        else:
            before = time.perf_counter()
            function()
            times.append(1e3 * (time.perf_counter() - before))
    return statistics.median(times)


def measure_bandwidth(device: torch.device, rounds: int) -> float:
    """Return bytes a second, read and written, of a copy that no cache holds."""
    size = 2**28 if device.type == "cuda" else 2**24
    source = torch.ones(size, dtype=torch.float32, device=device)
    target = torch.empty_like(source)
    milliseconds = measure_time(lambda: target.copy_(source), device, rounds)
    return 2 * source.nbytes / (1e-3 * milliseconds)


class Traffic(TorchDispatchMode):
    """Count operators that start a kernel, and the bytes that they read and write."""

    def __init__(self) -> None:
        super().__init__()
        self.launches, self.bytes = 0, 0

    def __torch_dispatch__(
        self, function: Any, _types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        name = function._schema.name.removeprefix("aten::")
        if starts_kernel(name):
            self.launches += 1
            leaves = tree_leaves((args, kwargs, result))
            tensors = [x for x in leaves if isinstance(x, torch.Tensor)]
            # Of what is broadcast, those that are there.
            self.bytes += sum(
                min(x.nbytes, x.untyped_storage().nbytes()) for x in tensors
            )
        return result


def try_call(
    call: str, device: torch.device, rounds: int, bandwidth: float
) -> dict[str, Any]:
    """Measure one call; if it fails, say how, for the others are still to come."""
    try:
        return measure_call(call, device, rounds, bandwidth)
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"[:2000]}


def measure_call(
    call: str, device: torch.device, rounds: int, bandwidth: float
) -> dict[str, float | str | None]:
    """Measure one call in float32 on the device, and what stands beside it."""
    function, host = CALLS[call], torch.device("cpu")
    samples = make_samples(device, torch.float32)
    twins = make_samples(host, torch.float32)
    milliseconds = measure_time(lambda: function(samples), device, rounds)
    on_host = measure_time(lambda: function(twins), host, max(1, rounds // 4))
    replayed = measure_replay(lambda: function(samples), device, rounds)
    naive, of_naive, naive_replayed = NAIVE.get(call), None, None
    if naive:
        of_naive = measure_time(lambda: naive(samples.a, samples.b), device, rounds)
        naive_replayed = measure_replay(
            lambda: naive(samples.a, samples.b), device, rounds
        )
    with Traffic() as traffic:
        result = function(samples)
    least = 1e3 * traffic.bytes / bandwidth
    exact = function(make_samples(host, torch.float64))
    pairs = zip(tree_leaves(result), tree_leaves(exact), strict=True)
    return {
        "milliseconds": milliseconds,
        "milliseconds_replayed": replayed,
        "waits_at": find_wait(lambda: function(samples), device),
        "kernels_by_profiler": count_kernels(lambda: function(samples), device),
        "operators": traffic.launches,
        "bytes": traffic.bytes,
        "share_of_bandwidth_without_caches": least / milliseconds,
        "peak_bytes": measure_memory(lambda: function(samples), device),
        "times_faster_than_processor": on_host / milliseconds,
        "times_faster_than_naive": of_naive and of_naive / milliseconds,
        "times_faster_than_naive_replayed": replayed
        and naive_replayed
        and naive_replayed / replayed,
        "error": max(float((x.cpu().double() - y).abs().max()) for x, y in pairs),
    }


def measure_replay(
    function: Callable[[], Any], device: torch.device, rounds: int
) -> float | None:
    """Return the milliseconds of a replay of a CUDA graph: what the device needs."""
    if device.type != "cuda":
        return None
    function()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        function()
    return measure_time(graph.replay, device, rounds)


def find_wait(function: Callable[[], Any], device: torch.device) -> str | None:
    """Say where the host waited for the device, if it did."""
    if device.type != "cuda":
        return None
    torch.cuda.set_sync_debug_mode("error")
    try:
        function()
    except RuntimeError as error:
        return str(error)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    return None


def count_kernels(function: Callable[[], Any], device: torch.device) -> int | None:
    """Count what the device ran, as its profiler sees it."""
    if device.type != "cuda":
        return None
    cuda = torch.profiler.ProfilerActivity.CUDA
    with torch.profiler.profile(activities=[cuda]) as profile:
        function()
        torch.cuda.synchronize()
    kinds = [event.device_type for event in profile.events()]
    return sum(kind == torch.autograd.DeviceType.CUDA for kind in kinds)


def measure_memory(function: Callable[[], Any], device: torch.device) -> int | None:
    """Return the bytes that a call holds at its peak."""
    if device.type != "cuda":
        return None
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated(device)
    torch.cuda.reset_peak_memory_stats(device)
    function()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated(device) - before


def measure_words(device: torch.device, rounds: int) -> dict[str, Any]:
    """Draw words by our own kernel and by array code: the same bits, and the ratio."""
    xp = library_of(array_api_compat.torch, device)
    seed = seed_words(xp, 2**40 + 17)

    def draw() -> torch.Tensor:
        return random_words(xp, seed, 3, 1000, 9001)

    own_time, own = measure_time(draw, device, rounds), draw()
    has_triton, of_torch.has_triton = of_torch.has_triton, lambda _: False
    try:
        array_time, expected = measure_time(draw, device, rounds), draw()
    finally:
        of_torch.has_triton = has_triton
    return {
        "is_fused": device.type == "cuda" and has_triton(device),
        "same_bits": torch.equal(own, expected),
        "times_faster_than_array_code": array_time / own_time,
        "words_per_second": own.numel() / (1e-3 * own_time),
    }


def replay_graph(device: torch.device, rounds: int) -> dict[str, Any] | None:
    """Capture `aso`, replay it for another seed and other scores, compare the bits."""
    if device.type != "cuda":
        return None
    samples = make_samples(device, torch.float32)
    a, b = samples.a, samples.b
    words = torch.zeros(2, dtype=torch.int64, device=device)
    sigarray.aso(a, b, rng=words)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = sigarray.aso(a, b, rng=words)
    words[0] = 7
    a += 0.25
    graph.replay()
    expected = sigarray.aso(a, b, rng=7)
    eager = measure_time(lambda: sigarray.aso(a, b, rng=words), device, rounds)
    replayed = measure_time(graph.replay, device, rounds)
    return {
        "same_bits": all(map(torch.equal, captured, expected)),
        "milliseconds": replayed,
        "times_faster_than_eager": eager / replayed,
    }


def compare_devices(device: torch.device) -> dict[str, bool]:
    """Tell for each other device of the kind whether it gives the same bits."""
    count = torch.cuda.device_count() if device.type == "cuda" else 0
    expected = [x.cpu() for x in CALLS["aso"](make_samples(device, torch.float32))]
    found = {}
    for other in range(1, count):
        samples = make_samples(torch.device("cuda", other), torch.float32)
        result = [x.cpu() for x in CALLS["aso"](samples)]
        found[f"cuda:{other}"] = all(map(torch.equal, result, expected))
    return found


PARTS = {"suite": run_suite, "torch": run_torch, "libraries": run_libraries}

if __name__ == "__main__":
    main()
