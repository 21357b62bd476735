"""Columns hardly of one model each: pairs, what is computed, several scores of one."""

import itertools
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sigarray.read._frame import Names, list_names, quote_names
from sigarray.read._messages import Caution
from sigarray.read._text import refuse
from sigarray.read._unlikely_rows import list_decimals
from sigarray.read._words import (
    HYPERPARAMETERS,
    METRICS,
    SPLITS,
    SPREADS,
    STATISTICS,
    as_words,
    is_summary,
    list_words,
)

COMPUTED = (STATISTICS - {"sd"}) | as_words("""
    diff difference delta δ gap improvement gain lift speedup change
""")


def is_computed(name: str, words: Mapping[str, Collection[str]]) -> bool:
    """Tell whether a name is another one and a statistic: "a_std", "a (mean)"."""
    rest = set(words[name]) - COMPUTED - {"sd"}
    return rest != set(words[name]) and any(
        rest == set(words[x]) for x in words if x != name
    )


def find_computed(names: Collection[str]) -> set[str]:
    words = {x: list_words(x) for x in names}
    return {x for x in names if is_computed(x, words)}


# Words that may stand beside one of `METRICS`: "n_params", "total time".
FILLERS = as_words("""
    n num number of total mean avg average
""")
# Words of costs and metrics that models of their own may have in their names, too.
_MAYBE_OF_MODELS = as_words("""
    memory mem energy reward return returns tokens cost costs fit comet size
""")


def refuse_scores_of_one_model(source: str, words: Mapping[str, set[str]]) -> None:
    """Refuse bert_acc beside bert_f1, and a_mean beside a_std."""
    kinds = METRICS | SPLITS | COMPUTED | FILLERS | {"sd", "macro", "micro"}
    by: dict[frozenset[str], list[str]] = {}
    models = {frozenset(x): name for name, x in words.items() if kinds.isdisjoint(x)}
    others: dict[str, str] = {}
    for name, words_of_name in words.items():
        stem = frozenset(words_of_name) - kinds
        if stem and stem != set(words_of_name):
            by.setdefault(stem, []).append(name)
            said = (words_of_name & (METRICS | SPLITS)) - _MAYBE_OF_MODELS
            if said and stem in models:
                others[name] = models[stem]
    if others:
        refuse(
            f"{source}: expected a column of one score for each model; got "
            f"{list_names(list(others), 4)}, which seem to be other scores of "
            f"{list_names(list(dict.fromkeys(others.values())), 4)}. Leave out what is "
            f"no model with --ignore {quote_names(list(others))}; or, where all are "
            "models, name them with --columns."
        )
    for names in by.values():
        of = [set(words[x]) & kinds for x in names]
        is_told = not set.union(*of).isdisjoint(METRICS | SPLITS | SPREADS)
        if not is_told or all(x == of[0] for x in of):
            continue
        refuse(
            f"{source}: expected a column of one score for each model; got "
            f"{list_names(names, 4)}, which seem to be several of one model. Name "
            "those of one score, or all where they are models, with --columns."
        )


# A column is computed from others if chance brings it as near to that in fewer tables.
_BY_CHANCE, _MIN_ROWS, _MOST_ROWS, _MOST_COLUMNS = 5e-3, 3, 200, 40


def refuse_functions(source: str, scores: Mapping[str, np.ndarray]) -> None:
    """Refuse a column that is the difference, ratio or mean of others in all rows."""
    names, sizes = [*scores], {len(x) for x in scores.values()}
    n = len(names)
    if len(sizes) > 1 or max(sizes) < _MIN_ROWS or not 2 < n <= _MOST_COLUMNS:
        return
    x = np.stack([y[:_MOST_ROWS] for y in scores.values()])
    units = np.asarray([10.0 ** -max(list_decimals(y)) for y in x])[:, None]
    rounding = np.where(units == 1.0, 1e-9, units)
    found: dict[int, str] = {}
    for what, of, y, factor in _list_functions(x):
        near = 0.5 * (rounding + factor * rounding[of].sum()) + np.zeros(x.shape)
        for k in np.flatnonzero((np.abs(x - y) <= near).all(axis=1)).tolist():
            # Rows count in which it is none of the others.
            counts = (np.abs(x[k] - x[of]) > 2.0 * near[k]).all(axis=0)
            width = max(float(np.ptp(x[k])), 1e-9)
            chance = np.maximum(2.0 * near[k], units[k])[counts] / width
            n_ways = n if len(of) > 2 else 2.5 * n * (n - 1) * (n - 2)
            is_chance = n_ways * np.prod(np.minimum(chance, 1.0)) > _BY_CHANCE
            if k not in of and sum(counts) >= _MIN_ROWS and not is_chance:
                found[k] = f"{what} of {list_names([names[i] for i in of], 3)}"
    if found:
        means = np.log(np.abs(x).mean(axis=1) + 1e-9)
        k = max(found, key=lambda k: abs(means[k] - np.median(means)))
        refuse(
            f"{source}: expected a column of scores for each model; got {names[k]!r}, "
            f"the {found[k]} in all rows. Leave it out with --ignore "
            f"{quote_names([names[k]])}, or choose the models with --columns."
        )


def _list_functions(
    x: np.ndarray,
) -> Iterator[tuple[str, list[int], np.ndarray, float | np.ndarray]]:
    """Yield functions of columns, and by what the sum of their roundings counts."""
    n = len(x)
    for i, j in itertools.permutations(range(n), 2):
        gap, divisor = x[i] - x[j], np.where(x[j] == 0.0, np.nan, x[j])
        if np.ptp(gap) <= 1e-9 * np.abs(x[[i, j]]).max():
            continue  # made-up scores, of which many are shifts of others
        ratio = x[i] / divisor
        yield "difference", [i, j], gap, 1.0
        yield "ratio", [i, j], ratio, (1.0 + np.abs(ratio)) / np.abs(divisor)
        if i < j:
            yield "mean", [i, j], 0.5 * (x[i] + x[j]), 0.5
    for k in range(n) if n > 3 else ():
        others = [i for i in range(n) if i != k]
        yield "mean", others, x[others].mean(axis=0), 1.0 / (n - 1)


_MAX_SHOWN = 4
# Benchmarks, environments and languages, without the numbers after them.
_TASKS = as_words("""
    mnli cola sst qnli qqp rte mrpc stsb wnli boolq copa multirc wic squad xnli anli
    snli glue superglue mmlu gsm gsmk math arc hellaswag winogrande truthfulqa piqa
    humaneval mbpp triviaqa nq imdb agnews yelp trec conll wikitext ptb lambada cnndm
    xsum wmt cifar imagenet mnist fashionmnist kmnist emnist svhn celeba coco voc
    cityscapes kitti librispeech cora citeseer pubmed adult halfcheetah hopper walker
    ant humanoid cartpole pong breakout qbert seaquest alien amidar assault asterix
    task dataset domain language en de fr es it zh ja ru ar hi pt ko tr vi english
    german french spanish italian chinese japanese russian arabic hindi
""")


def names_task(name: str) -> bool:
    return bool(list_words(re.sub(r"\d+$", "", name)) & _TASKS)


# Words for variants of a model, such as "llama-chat"; first parts such as "ours" are
# of models, too, without being one.
VARIANTS = as_words("""
    base large small medium big tiny mini nano xl pro plus turbo chat instruct it sft
    dpo ppo rlhf ft tuned finetuned pretrained scratch cot rag tools zero few shot
    zeroshot fewshot greedy beam sampling low high old new full ours baseline aug
    noisy lora prompt short long simple thinking distilled quantized multi mono
""")
_SETTINGS = VARIANTS - as_words("ours baseline base new old full") | as_words("""
    adam adamw sgd rmsprop lion drop dropout mixup cutmix ema ensemble frozen attn
    attention relu gelu tanh fp bf int bit fast slow wide deep shallow on off yes no
    true false uni bi left right early late hard soft cased uncased mean max sum cls
    concat bn ln gn wd random none default warm cold glove fasttext elmo tfidf bow bpe
    char word ce focal dice rerank fold seed run
""")


_MARKS = (
    *((" (", ")"), ("(", ")"), (" [", "]"), ("[", "]")),
    *((x, "") for x in (" / ", " | ", ": ", " - ", *"/|:_-. ")),
)


class Grid(NamedTuple):
    """Models and tasks of which all pairs are names; `is_known` if by benchmarks."""

    models: Names
    tasks: Names
    pattern: str
    is_known: bool


def find_grid(names: Names) -> Grid | None:
    """Return models and tasks that names may be all pairs of, unless of variants."""
    found: list[Grid] = []
    for pairs, mark, end in _list_ways(names):
        firsts, seconds = (list(dict.fromkeys(x)) for x in zip(*pairs, strict=True))
        n = len(firsts) * len(seconds)
        if min(len(firsts), len(seconds)) < 2 or not n == len(names) == len({*pairs}):
            continue
        is_first, is_second = _are_known(firsts), _are_known(seconds)
        pattern = f"{{model}}{mark}{{task}}{end}", f"{{task}}{mark}{{model}}{end}"
        if is_second and not is_first:
            return Grid(firsts, seconds, pattern[0], is_known=True)
        models, tasks = (seconds, firsts) if is_first else (firsts, seconds)
        found.append(Grid(models, tasks, pattern[is_first], is_first))
    grid = min(found, key=lambda x: not x.is_known, default=None)
    if grid is None or grid.is_known:
        return grid
    return None if any(map(_is_variant, (*grid.models, *grid.tasks))) else grid


def say_tasks(source: str, models: Names) -> list[str]:
    grid = find_grid(models)
    if grid is None:
        return []
    pattern, way = grid.pattern, ""
    read = [x or {} for x in match_grid(models, pattern)]
    if {*grid.models} != {x.get("model") for x in read}:
        pattern = "{model}/{task}"
        way = f"write '/' between them, as in '{grid.models[0]}/{grid.tasks[0]}', and "
    said = (
        f"{len(models)} columns whose names are each of {list_names(grid.models, 4)} "
        f"with each of {list_names(grid.tasks, 4)}, which may be models and tasks. For "
        f"these, {way}pass --columns {shlex.quote(pattern)}; for models, name them "
        "with --columns"
    )
    if grid.is_known:
        refuse(f"{source}: expected a column of scores for each model; got {said}.")
    return [f"{source}: compared as models: {said}"]


def _list_ways(names: Names) -> list[tuple[Sequence[tuple[str, str]], str, str]]:
    """List the ways to cut all names in two, with the texts between and behind."""
    ways: list[tuple[Sequence[tuple[str, str]], str, str]] = []
    for mark, end in _MARKS:
        for cut in (str.rpartition, str.partition):
            pairs = [cut(x.removesuffix(end), mark)[::2] for x in names]
            if all(x and y for x, y in pairs) and all(x.endswith(end) for x in names):
                ways.append((pairs, mark, end))
    return ways


def _are_known(names: Names) -> bool:
    """Tell whether most names are of benchmarks; two letters alone are a language."""
    words = [
        {re.sub(r"[\W\d_]", "", x).lower(), *(y for y in list_words(x) if y[2:])}
        for x in names
    ]
    return 2 * sum(bool(x & _TASKS) for x in words) > len(names)


def _is_variant(name: str) -> bool:
    words = list_words(name)
    are_plain = all(x.isdecimal() or len(x) == 1 for x in words)
    return are_plain or bool(words & (_SETTINGS | HYPERPARAMETERS))


def find_wider_grid(
    names: Names, template: str, known: Sequence[Mapping[str, str] | None]
) -> list[dict[str, str] | None] | None:
    """Return the grid of `match_grid` if it has all known names with a part of it."""
    said = [x for x in known if x is not None]
    grid = match_grid(names, template)
    parts = {y for x in grid if x is not None for y in x.values()}
    pairs = zip(known, grid, strict=True)
    is_apart = all(y or not x or parts.isdisjoint(x.values()) for x, y in pairs)
    are_numbers = bool(said) and all(x.get("run", "").isdecimal() for x in said)
    return grid if parts and is_apart and not are_numbers else None


def match_grid(names: Names, template: str) -> list[dict[str, str] | None]:
    """Read names by a template of two fields so that most are in a whole grid.

    There each first part has each second one, and none is called as means are. None for
    other names, or for all.
    """
    pieces = re.split(r"\{(\w+)\}", template)
    if len(pieces) != 5 or "*" in template or not pieces[2]:
        return [None] * len(names)
    start, first, mark, second, end = pieces
    cells = {}
    for name in names:
        text = name.removeprefix(start).removesuffix(end)
        if f"{start}{text}{end}" == name:
            for x in re.finditer(f"(?={re.escape(mark)})", text):
                parts = text[: x.start()], text[x.start() + len(mark) :]
                if all(parts) and not any(map(is_summary, parts)):
                    cells[parts] = name
    rows: dict[str, list[str]] = {}
    columns: dict[str, list[str]] = {}
    for a, b in cells:
        rows.setdefault(a, []).append(b)
        columns.setdefault(b, []).append(a)
    found: dict[str, dict[str, str]] = {}
    for a, b in cells:
        grid = {
            cells[x, y]: {first: x, second: y}
            for x in columns[b]
            for y in rows[a]
            if (x, y) in cells
        }
        n, m = len(columns[b]), len(rows[a])
        if len(grid) == n * m > len(found) and min(n, m) > 1:
            found = grid
    return [found.get(name) for name in names]


def say_others(names: Names, models: Names, template: str) -> list[str]:
    known = "|".join(map(re.escape, models))
    pattern = re.compile(rf"({known})([\W_]+(?P<a>.*))?|(?P<b>.*)[\W_]({known})")
    found = [(x, pattern.fullmatch(x)) for x in names]
    near = [
        x for x, y in found if models and y and not is_summary(y["a"] or y["b"] or "")
    ]
    parts = (near, Caution), ([x for x in names if x not in near], str)
    return [
        as_note(
            f"{len(some)} {'column does' if len(some) == 1 else 'columns do'} not fit "
            f"--columns {template!r}, and {'was' if len(some) == 1 else 'were'} left "
            f"out: {list_names(some, _MAX_SHOWN)}"
        )
        for some, as_note in parts
        if some
    ]
