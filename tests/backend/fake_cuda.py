"""Tensors on a CUDA device that is not there: shapes without values, under a guard.

torch's CPU build has them, once its table of device guards has an entry for CUDA. The
guard lets pass the operators that are known to have a CUDA kernel, and neither to wait
for the device nor to copy to or from it; a new one has to be looked up before it is
added here.
"""

import ctypes
import pathlib

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode

from sigarray._backend import of_torch

# Places in c10::impl::device_guard_impl_registry: c10::DeviceType.
_CUDA, _META, _N_DEVICE_TYPES = 1, 14, 21

ALLOWED = frozenset(
    [
        "__irshift__",
        "__lshift__",
        "__rshift__",
        "_to_copy",
        "_unsafe_view",
        "abs",
        "add",
        "add_",
        "alias",
        "all",
        "amax",
        "amin",
        "aminmax",
        "any",
        "arange",
        "atan2",
        "bitwise_and",
        "bitwise_and_",
        "bitwise_not",
        "bitwise_or",
        "bitwise_or_",
        "bitwise_xor",
        "bitwise_xor_",
        "cat",
        "ceil",
        "clamp",
        "clone",
        "cos",
        "count_nonzero",
        "_cummax_helper",
        "cummax",
        "cumsum",
        "detach",
        "div",
        "empty",
        "eq",
        "exp",
        "expand",
        "expm1",
        "flip",
        "floor",
        "floor_divide",
        "frexp",
        "full",
        "full_like",
        "gather",
        "ge",
        "gt",
        "index_select",
        "isinf",
        "isnan",
        "kthvalue",
        "le",
        "log",
        "log1p",
        "lt",
        "maximum",
        "mean",
        "minimum",
        "bmm",
        "mm",
        "mul",
        "mul_",
        "ne",
        "neg",
        "ones",
        "ones_like",
        "permute",
        "pow",
        "reciprocal",
        "remainder",
        "round",
        "rsub",
        "scalar_tensor",
        "scatter_add",
        "searchsorted",
        "select",
        "sin",
        "sinh",
        "slice",
        "sort",
        "sqrt",
        "stack",
        "sub",
        "sum",
        "tanh",
        "transpose",
        "unsqueeze",
        "view",
        "where",
        "zeros",
        "zeros_like",
    ]
)

# Of them, those that start no kernel: another look at a tensor, or memory.
VIEWS = frozenset(
    [
        "_unsafe_view",
        "alias",
        "detach",
        "empty",
        "expand",
        "permute",
        "select",
        "slice",
        "transpose",
        "unsqueeze",
        "view",
    ]
)


def starts_kernel(name: str) -> bool:
    """Tell whether an operator does, by its name without a library's."""
    return name not in VIEWS and not name.startswith("prim")


def pretend_cuda() -> None:
    """Let the guard of CUDA do nothing, as that of "meta" does; for one process."""
    library = pathlib.Path(torch.__file__).parent / "lib" / "libc10.so"
    name = "_ZN3c104impl26device_guard_impl_registryE"
    guards = (ctypes.c_void_p * _N_DEVICE_TYPES).in_dll(ctypes.CDLL(str(library)), name)
    guards[_CUDA] = guards[_CUDA] or guards[_META]


class Guard(TorchDispatchMode):
    """Refuse operators that are not known, and tensors of other devices; count."""

    def __init__(self):
        super().__init__()
        self.launches = 0
        # Which raised in deterministic mode before torch 2.10.
        is_deterministic = torch.are_deterministic_algorithms_enabled()
        self.allowed = ALLOWED - ({"kthvalue"} if is_deterministic else set())

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function._schema.name.removeprefix("aten::")
        if not name.startswith("prim"):
            is_known = name in self.allowed or name == "sigarray::draw"
            assert is_known, f"aten::{name} is not known to run without a wait"
        self.launches += starts_kernel(name)
        result = function(*args, **(kwargs or {}))
        tensors = [
            x
            for x in _pytree.tree_leaves((args, kwargs, result))
            if isinstance(x, torch.Tensor)
        ]
        devices = {x.device.type for x in tensors}
        assert devices <= {"cuda"}, f"aten::{name} on {sorted(devices)}"
        return result


def check(function, *shapes, dtype=torch.float32) -> int:
    """Raise where the function would wait or copy, or gives what is not on CUDA.

    Gives how many operators start a kernel; some start several, a sort above all.
    """
    pretend_cuda()
    with FakeTensorMode():
        arrays = [torch.empty(shape, dtype=dtype, device="cuda") for shape in shapes]
        guard = Guard()
        with guard:
            results = function(*arrays)
        for x in _pytree.tree_leaves(results):
            assert x.device.type == "cuda", x
    return guard.launches


def pretend_h100() -> None:
    """Let there be Triton, and 80 GB."""
    of_torch._memory_of = lambda _: 80 * 10**9
    of_torch.has_triton = lambda _: True
