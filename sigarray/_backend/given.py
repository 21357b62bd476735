"""What callers pass, as an array of its library or of NumPy; or why it is none."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import array_api_compat
import numpy as np

from sigarray._backend.aliases import Array
from sigarray._backend.checks import describe

# Names without case, spaces and punctuation; names ending in "_id" etc. are such, too.
_INDEX = re.compile(
    r"(global|train|training|random|rng|cv)?"
    r"(epoch|example|fold|item|iter|iteration|line|question|repeat|replicate|"
    r"repetition|row|run|sample|seed|segment|split|step|subject|trial)s?"
    r"(no|nr|num|number|count)?"
    r"|date|datetime|time|timestamp(ms|s)?|walltime|number|no|nr|randomstate|level\d+"
    r"|(doc|user|item|example|question|sample|q|p|u|g)?(id|uid|uuid|guid)s?"
    r"|unnamed\d+(level\d+)?"
)
# Of training: envstep, totaltimesteps, nframes.
_STEP = re.compile(
    r"(n|no|num|number|of|total|global|train|training|env|environment|agent|actor"
    r"|learner|gradient|grad|optim|optimizer|game|current)*"
    r"(time)?(step|frame|iteration|iter|itr|epoch|update)s?"
)
_LAST_WORDS = frozenset(("id", "ids", "idx", "index", "seed", "seeds", "no", "nr"))
_MIN_ROWS = 3
# Fewer scores may well be whole numbers that all happen to differ.
_MIN_SHUFFLED_ROWS = 10


def looks_like_index(name: str, values: Sequence[float] | np.ndarray) -> bool:
    """Tell whether a column is hardly a model: by its name, or because it counts rows.

    So are "seed", "Step", "doc_id", "docId" and "Unnamed: 0", and three values or more
    that are 0, 1, 2, ... or 1, 2, 3, ...; from ten on in any order. Without values the
    name decides.
    """
    words = _list_words(name)
    if words and (_INDEX.fullmatch("".join(words)) or words[-1] in _LAST_WORDS):
        return True
    if names_steps(name):
        return True
    if len(values) < _MIN_ROWS:
        return False
    cells, count = np.asarray(values), np.arange(len(values))
    if cells.max() - cells.min() != len(values) - 1:
        return False
    if len(values) >= _MIN_SHUFFLED_ROWS:
        cells = np.sort(cells)
    return np.array_equal(cells, count) or np.array_equal(cells, count + 1)


def names_steps(name: str) -> bool:
    """Tell by its name whether a column may count the steps of training."""
    return bool(_STEP.fullmatch("".join(_list_words(name))))


def _list_words(name: str) -> list[str]:
    # "docId" and "exampleID" are two words, "IDs" is one.
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return re.findall(r"[^\W_]+", spaced.casefold())


_DLPACK_CPU = 1


def to_array(x: Any) -> Array:
    """Return an array as it is, without derivatives; anything else as one of NumPy."""
    if type(x) is np.ndarray and x.dtype.names is None:
        return x
    check_plain(x)
    if array_api_compat.is_torch_array(x):
        return x.detach()
    if array_api_compat.is_jax_array(x):
        import jax

        return jax.lax.stop_gradient(x)
    if array_api_compat.is_numpy_array(x) or isinstance(x, np.generic):
        return np.asarray(x)
    if hasattr(x, "__array_namespace__") or array_api_compat.is_cupy_array(x):
        return x
    return _read_from_host(x)


def check_plain(x: Any) -> None:
    """Raise for an array that is not dense and of numbers."""
    if isinstance(x, np.ma.MaskedArray):
        msg = (
            "Expected scores without a mask; got a MaskedArray. Pass x.compressed(); "
            "or x.filled(nan), for responses of which some are missing."
        )
        raise TypeError(msg)
    advice = _advise(x)
    if advice:
        msg = f"Expected a plain array of numbers; got {describe(x)}. {advice}"
        raise TypeError(msg)


def _advise(x: Any) -> str | None:
    """Advise what to do with an array that is not dense and of numbers."""
    is_tensor = array_api_compat.is_torch_array(x)
    advice = None
    if getattr(getattr(x, "dtype", None), "names", None):
        advice = (
            f"It is structured: pass one of its fields, such as "
            f"x[{x.dtype.names[0]!r}]."
        )
    elif type(x).__module__.partition(".")[0] in ("dask", "dask_expr"):
        advice = (
            "It would be computed at once. Pass x.compute(); or for comparisons in "
            "chunks, of scores (..., n) and (..., m) with n and m in one chunk: "
            "da.apply_gufunc(lambda x, y: tuple(aso(x, y, rng=0)), "
            '"(n),(m)->(),(),(),(),()", a, b, output_dtypes=[float] * 5).'
        )
    elif is_tensor and type(x).__name__ == "DTensor":
        advice = "Pass x.full_tensor(), or each rank's x.to_local()."
    elif is_tensor and x.is_nested:
        advice = "Pass its parts, x.unbind(), one at a time; multi_aso takes a list."
    elif is_tensor and x.is_quantized:
        advice = "Pass x.dequantize()."
    elif is_tensor and x.layout.__repr__() != "torch.strided":
        advice = "It is sparse: pass x.to_dense()."
    elif hasattr(x, "todense"):  # of scipy.sparse, sparse, jax.experimental.sparse
        advice = "It is sparse: pass x.toarray() or x.todense()."
    return advice


def _read_from_host(x: Any) -> Array:
    if hasattr(x, "_fields") and type(x).__module__.startswith("sigarray."):
        msg = (
            f"Expected an array or a sequence of numbers; got {describe(x)}. Pass one "
            f"of its fields: {', '.join(x._fields)}."
        )
        raise TypeError(msg)
    if isinstance(x, (Sequence, memoryview)) and not isinstance(x, (str, bytes)):
        foreign = next((item for item in _items(x) if _is_library_array(item)), None)
        if foreign is not None:
            msg = (
                f"Expected an array or a sequence of Python numbers; got a "
                f"{type(x).__name__} of {describe(foreign)}. Make it one array first, "
                f"for example with torch.stack(x) or jax.numpy.stack(x)."
            )
            raise TypeError(msg)
    elif hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] != _DLPACK_CPU:
        msg = (
            f"Expected scores that NumPy can read; got {describe(x)} on an "
            "accelerator. Pass it on as a CuPy, JAX or torch array (from_dlpack makes "
            "no copy)."
        )
        raise TypeError(msg)
    elif not hasattr(x, "__array__") and hasattr(x, "__dlpack__"):
        return np.from_dlpack(x)
    elif not hasattr(x, "__array__") and not isinstance(x, (int, float)):
        msg = f"Expected an array or a sequence of numbers; got {describe(x)}."
        raise TypeError(msg + _advise_on_collection(x))
    try:
        return np.asarray(x)
    except (TypeError, ValueError) as error:
        msg = (
            f"Expected a sequence of numbers, or of sequences of one length; got "
            f"{describe(x)}, of which NumPy says: {error}"
        )
        raise type(error)(msg) from error


def _advise_on_collection(x: Any) -> str:
    """Advise what to do with what is neither an array nor a sequence, or nothing."""
    if isinstance(x, Mapping):
        return " Pass one of its values, the scores of one model."
    if isinstance(x, str):
        return " Read a file by sigarray.read.scores."
    return " Pass list(x)." if isinstance(x, Iterable) else ""


def _items(nested: Any) -> Any:
    for item in nested:
        if isinstance(item, (list, tuple)):
            yield from _items(item)
        else:
            yield item


def _is_library_array(x: Any) -> bool:
    if array_api_compat.is_numpy_array(x) or isinstance(x, np.generic):
        return False
    return hasattr(x, "__dlpack__") or hasattr(x, "__array_namespace__")
