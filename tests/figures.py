"""What pages say of times, and of their examples, as files of benchmarks have it."""

import functools
import json
import math
import re

from benchmarks import designs, first_calls, grids, large, rank_ranges, stages
from benchmarks.reproduce.rates.tests import N_RESAMPLES
from benchmarks.scale import say_gains, say_on_paper
from benchmarks.versus import say_floor
from tests.committed import RESULTS, around, choose_from, ends, most


@functools.cache
def load(name):
    """Return a committed file of figures."""
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def workers(engine, *, digits=1):
    """Say how many times as fast as one alone two of an engine were, over all calls."""
    calls = (x["seconds"] for x in load("scale")["calls"].values())
    gains = [x["alone"] / x[engine] for x in calls]
    return " to ".join(f"{x:.{digits}f}" for x in (min(gains), max(gains)))


def tasks():
    """Say what a task costs."""
    loky, dask = (1e3 * load("scale")["seconds_of_a_task"][x] for x in ("loky", "Dask"))
    return f"{loky:.1f} ms with loky and {dask:.0f} ms with Dask"


def measured(kind, what, n=None):
    """Return what was measured of the example of a page."""
    by = {} if n is None else {"n": str(n)}
    (row,) = choose_from("examples", kind=kind, what=what, **by)
    return float(row["value"])


def say_of_workers():
    return [
        f"a task costs {tasks()}",
        f"processes of loky were {workers('loky')} times as fast as one, threads "
        f"{workers('threads')} times",
        f"two of them were {workers('Dask')} times as fast as one process without "
        f"Dask, and {workers('Dask, memory kept')} times with the setting below",
    ]


def tails():
    """Say how often a normal model is called better than a lognormal one."""
    return f"{ends(choose_from('examples', kind='tails'), 'value')} % of cases"


def say_of_tails():
    return [f"A was called better in {tails()} with 5 to 50 runs"]


def say_of_declared():
    return [f"A was declared better in {tails()}"]


def say_of_tasks():
    return [f"A task costs {tasks()}"]


def say_of_runs_needed():
    needed = measured("runs needed", "linear over network")
    return [f"about {needed:.0f} runs each would show the difference of their means"]


def at_threshold(who):
    """Return how often a ratio of the threshold itself is called smaller, in percent.

    Of two models; of several, a given one and any; and so with a baseline.
    """
    kind = "threshold, with a baseline" if who == "baseline" else "threshold"
    rows = choose_from("verdicts", kind=kind)
    names = [x["family"].partition(", spreads")[0] for x in rows]
    if who != "baseline":
        are_two = [bool(re.fullmatch(r"2 x \d+|\d+ v \d+", x)) for x in names]
        chosen = [k for k, are in enumerate(are_two) if are == (who == "two")]
        rows, names = ([x[k] for k in chosen] for x in (rows, names))
    sizes = [int(n) for x in names for n in re.findall(r"[xv] (\d+)", x)]
    assert (min(sizes), max(sizes)) == (4 if who == "baseline" else 3, 50)
    spreads = [float(re.search(r"1 and ([0-9.]+)", x["family"])[1]) for x in rows]
    assert max(spreads) == 1.0 / min(spreads) == (10.0 if who == "two" else 4.0)
    return around(rows), around([{"rate": x["any"]} for x in rows])


def say_at_threshold():
    given, any_ = at_threshold("several")
    with_baseline = at_threshold("baseline")
    return [
        f"called better in {at_threshold('two')[0]} % of cases",
        f"a given one better than another in {given} %, and some one in {any_} %; with "
        "a baseline, {} % and {} %.".format(*with_baseline),
    ]


def say_in_warnings():
    wide = ("2 x 20, spreads 1 and 2", "2 x 20, spreads 1 and 0.5")
    at_half = choose_from("verdicts", kind="bound", ratio="0.5", family=wide)
    below = [{"rate": 1.0 - float(x["covered"])} for x in at_half]
    return [
        f"`aso` of two models called a given one better in up to {most(below)} % of "
        f"cases with 0.5, and {most(at_half)} % with 0.2.",
    ]


def say_of_benchmarks():
    """Return the rows of all tables of times."""
    cost = load("scale")["seconds_of_a_task"]["loky"]
    rows = [f"A task costs {tasks()}", *list_floors()]
    for name, call in load("scale")["calls"].items():
        rows += [say_gains(name, call["seconds"]), say_on_paper(name, call, cost)]
    stages_of, pairs = (load("stages")[x].items() for x in ("stages", "pairs"))
    rows += [stages.say_row(x, own, digits=1) for x, own in stages_of]
    rows += [stages.say_row(x, list(own.values()), digits=2) for x, own in pairs]
    rows += [grids.say_row(x, numbers) for x, numbers in load("grids").items()]
    rows += [large.say_row(x, found) for x, found in load("large")["sizes"].items()]
    calls = load("first_calls")["calls"].items()
    return rows + [first_calls.say_row(x, seconds) for x, seconds in calls]


def say_of_gpu():
    """Return the rows of calls on a GPU, and what the page says of its words."""
    found = load("nvidia_h100_80gb_hbm3")
    words, suite = found["words"], found["suite"]
    assert suite["failed"] == 0
    assert words["same_bits"]
    assert found["graph"]["same_bits"]
    assert not any(call["waits_at"] for call in found["calls"].values())
    return [
        f"torch {found['torch'].partition('+')[0]}",
        f"{words['words_per_second']:.1e} words a second".replace("e+", " x 10^"),
        f"{words['times_faster_than_array_code']:.0f} times as fast as array code",
        f"{found['bytes_per_second'] / 1e12:.1f} TB/s",
        f"{suite['passed']:,} tests passed; {suite['skipped']} were skipped",
        *(
            _say_gpu_row(name, call, found["libraries"][name])
            for name, call in found["calls"].items()
        ),
    ]


def _say_gpu_row(name, call, libraries):
    naive = call["times_faster_than_naive_replayed"]
    ratio = call["times_faster_than_processor"]
    cells = [
        name,
        f"{call['milliseconds']:.1f} ms",
        f"{call['milliseconds_replayed']:.1f} ms",
        f"{call['kernels_by_profiler']:,}",
        f"{ratio:.0f}" if ratio >= 10.0 else f"{ratio:.1f}",
        "-" if naive is None else f"{1.0 / naive:.1f}",
        *(f"{libraries[library]:.1f} ms" for library in ("cupy", "jax")),
    ]
    return f"| {' | '.join(cells)} |"


def say_of_peers():
    rows = re.findall(
        r"^\| aso, .*\| deep-significance \|.*\| (\d+) \|$",
        (RESULTS / "versus.md").read_text("utf-8"),
        re.MULTILINE,
    )
    low, high = min(map(int, rows)), max(map(int, rows))
    return [f"`aso` is {low} to {high} times as fast as deep-significance"]


def say_of_draws():
    low, high = rank_ranges.N_DRAWS // rank_ranges.FEWER, rank_ranges.N_DRAWS
    return [f"simulated: {low // 1000 * 1000:,} to {high:,} draws"]


def say_of_smallest():
    """Return the rows of the table of smallest p-values, for 3 to 7 scores."""
    rows = {
        "independent": [f"{2 / math.comb(2 * n, n):.2g}" for n in range(3, 8)],
        "pairs": [f"{2 / 2**n:.3g}" for n in range(3, 8)],
    }
    return [f"two-sided, {x} | {' | '.join(cells)} |" for x, cells in rows.items()]


def say_of_evidence():
    return [f"Tests that resample draw {N_RESAMPLES} times here"]


def list_floors():
    """Return what a word takes, and the rows of calls beside their words alone."""
    found = load("versus")
    rates = found["seconds_of_a_word"], found["seconds_of_a_word_by_array_code"]
    kernels, array_code = (f"{1e9 * rate:.1f} ns" for rate in rates)
    return [
        f"Threefry (32 bits) in {array_code}",
        f"compiled kernels in {kernels}",
        *(say_floor(row, rates) for row in found["tasks"] if row["words"]),
    ]


def say_of_steps():
    """Return the rows of what each step of a replicate of sums takes."""
    return [designs.say_step(*x) for x in load("designs")["steps"].items()]


def say_of_rliable():
    """Return what the page says of its limits and its seeds."""
    found = load("designs")["rliable"]
    assert load("designs")["versions"]["rliable"].startswith("1.2")
    assert not found["same_random_state_same_limits"]
    assert found["same_global_seed_same_limits"]
    assert found["largest_difference"] < 1e-12
    of_iqm = [x for x in found["limits"] if x["what"] == "interquartile mean"]
    ends = [[100.0 * x["shares"][k][0] for x in of_iqm] for k in range(2)]
    (least, most), (low, high) = ((min(x), max(x)) for x in ends)
    number = f"{of_iqm[0]['n_resamples']:,}"
    return [
        "## rliable 1.2 ",
        f"of {number} resamples here of each of 6 algorithms, {least:.2f} to "
        f"{most:.2f} % are below the lower limits of its own {number}, and "
        f"{low:.2f} to {high:.2f} % below the upper ones, where",
    ]


PAGES = [
    ("docs/reading.md", say_at_threshold),
    ("docs/scale.md", say_of_workers),
    ("docs/mathematics.md", say_of_tails),
    ("docs/reporting.md", say_of_runs_needed),
    ("docs/evidence.md", say_of_tasks),
    ("benchmarks/README.md", say_of_benchmarks),
    ("benchmarks/README.md", say_of_gpu),
    ("benchmarks/README.md", say_of_steps),
    ("docs/faults.md", say_of_rliable),
    ("README.md", say_of_peers),
    ("docs/evidence.md", say_of_evidence),
    ("docs/mathematics.md", say_of_draws),
    ("docs/how_many_seeds.md", say_of_smallest),
    ("docs/command.md", say_in_warnings),
]
DOCSTRINGS = {"aso": say_of_declared}
