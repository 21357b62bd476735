"""array-api-strict with the same checks in half of the time."""

import abc
import functools
import importlib
from typing import Any


class _Index(abc.ABC):
    """`typing.SupportsIndex`, which remembers the types that it was asked about."""

    @abc.abstractmethod
    def __index__(self) -> int: ...

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        return hasattr(other, "__index__")


@functools.cache
def quicken() -> None:
    """Let array-api-strict look its data types up.

    It asks a dozen times for each array which type that has, and compares one type
    after another: half of the time of a test.
    """
    types = importlib.import_module("array_api_strict._dtypes")
    arrays = importlib.import_module("array_api_strict._array_object")
    kind = types.DType
    made = {each._np_dtype: each for each in vars(types).values() if type(each) is kind}
    compare = kind.__eq__

    def find(dtype: Any) -> Any:
        return made[dtype] if dtype in made else kind(dtype)

    def equal(one: Any, other: object) -> bool:
        if type(other) is kind:
            return bool(one._np_dtype == other._np_dtype)
        return bool(compare(one, other))

    kind.__eq__ = equal
    arrays.DType = find
    arrays.SupportsIndex = _Index
    types._dtype_categories.update(
        (name, dict.fromkeys(each)) for name, each in types._dtype_categories.items()
    )
    for names in (vars(arrays), vars(types)):
        for name, each in names.items():
            if name.endswith("_dtypes") and isinstance(each, tuple):
                names[name] = dict.fromkeys(each)
