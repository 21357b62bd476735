"""The fused kernels give the bits of the array code, and compile for every GPU."""

import importlib.util
import pathlib
import shutil
import textwrap

import pytest

from tests.backend.programs import run
from tests.backends import require

needs_compiler = pytest.mark.skipif(
    shutil.which("g++") is None, reason="there is no g++"
)
needs_triton = pytest.mark.skipif(
    importlib.util.find_spec("triton") is None, reason="triton is not installed"
)
NVIDIA = importlib.util.find_spec("nvidia")  # which several packages share
NVRTC = [
    str(file)
    for folder in (NVIDIA.submodule_search_locations if NVIDIA else ())
    for file in pathlib.Path(folder).rglob("libnvrtc.so*")
]
needs_nvrtc = pytest.mark.skipif(not NVRTC, reason="NVRTC is not installed")

CUDA_C = """
import numpy as np
from tests.backend import fake_cupy
from tests.backend.kernels import REQUESTS, RawKernel, expect, seed_of
cupy = fake_cupy.install(RawKernel)
from sigarray._backend.of_numpy import HOST
from sigarray._backend import of_cupy


def is_same(kind, numbers, streams):
    low, high = (fake_cupy.ndarray(words) for words in seed_of(streams))
    found = of_cupy.draw(low, high, kind, numbers).get()
    expected = expect(kind, numbers, streams)
    assert found.dtype == expected.dtype, (found.dtype, expected.dtype)
    return np.array_equal(found, expected)

"""
TRITON = """
import numpy as np
import torch
from tests.backend.kernels import REQUESTS, expect, seed_of
from sigarray._backend import fused_torch, fused_triton


def is_same(kind, numbers, streams):
    low, high = (torch.asarray(words.view(np.int32)) for words in seed_of(streams))
    found = fused_torch._empty_result(low, kind, numbers)
    fused_triton.launch(low, high, found, kind, numbers)
    expected = expect(kind, numbers, streams)
    return np.array_equal(found.numpy().view(expected.dtype), expected)

"""
EVERY_REQUEST = """
for request in REQUESTS:
    assert is_same(*request), request
"""


def succeed(*parts, **environment):
    code, output = run("".join(map(textwrap.dedent, parts)), **environment)
    assert code == 0, output


@pytest.mark.long
@needs_compiler
def test_cuda_c_gives_the_bits_of_array_code():
    succeed(
        CUDA_C,
        EVERY_REQUEST,
        """
        of_cupy._compile.cache_clear()
        of_cupy.SOURCE = of_cupy.SOURCE.replace("{13, 15,", "{13, 14,")
        assert not is_same(*REQUESTS[0]), "a wrong rotation was not noticed"
        """,
    )


@pytest.mark.long
@needs_compiler
def test_kernels_are_asked_for_the_same_numbers():
    """Places among few and many, for one sample and two; replicates from an array."""
    succeed(
        CUDA_C,
        """
        import array_api_compat.cupy
        from sigarray import aso_replicates
        from sigarray._backend.dispatch import library_of
        from sigarray._backend.of_numpy import HOST
        from sigarray._backend.threefry import random_places

        draws = []
        kernel = of_cupy.draw
        of_cupy.draw = lambda *request: draws.append(request) or kernel(*request)
        xp = library_of(array_api_compat.cupy, cupy.cuda.Device())
        seed = seed_of(1)
        twin = tuple(fake_cupy.ndarray(words) for words in seed)
        for sizes, together in (([9, 9], True), ([9, 7], False), ([5000, 40], False)):
            options = (3, 4, sizes, sizes, together)
            found = random_places(xp, twin, *options)
            expected = random_places(HOST, seed, *options)
            for x, y in zip(found, expected, strict=True):
                assert np.array_equal(x.get(), y), sizes
        assert len(draws) == 5

        a, b = np.arange(9.0), np.arange(7.0) + 0.3
        expected = aso_replicates(a, b, start=5, count=8, rng=1)
        a, b = cupy.asarray(a), cupy.asarray(b)
        for start in (5, fake_cupy.ndarray(np.asarray(5, np.int32))):
            result = aso_replicates(a, b, start=start, count=8, rng=1)
            np.testing.assert_allclose(result.get(), expected)
        """,
    )


def test_kernel_of_torch_maps_over_seeds():
    """Its operator is known to `torch.func.vmap`, whichever numbers it gives."""
    torch = require("torch")
    from sigarray._backend import fused_torch

    calls = []

    def draw(low, high, kind, numbers):
        calls.append((int(low), int(high)))
        return low * 10 + high

    info = type("Info", (), {"batch_size": 3})
    low, high = torch.arange(3)[:, None], torch.asarray([7])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fused_torch, "draw", draw)
        result, place = fused_torch._map_seeds(
            info, (0, None, None, None), low, high, 0, []
        )
    assert place == 0
    assert calls == [(0, 7), (1, 7), (2, 7)]
    assert result[:, 0].tolist() == [7, 17, 27]


@needs_triton
def test_triton_gives_the_bits_of_array_code():
    """By its interpreter, which needs no GPU."""
    require("torch")
    succeed(
        TRITON,
        EVERY_REQUEST,
        """
        fused_triton._odd_rounds.fn = fused_triton._even_rounds.fn
        assert not is_same(*REQUESTS[0]), "a wrong rotation was not noticed"
        """,
        TRITON_INTERPRET="1",
    )


@needs_triton
def test_triton_compiles_for_every_gpu():
    require("torch")
    succeed(
        """
        import triton
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource
        from sigarray._backend.fused_triton import _draw

        names = _draw.arg_names
        for version, kind, halves in (
            (70, 0, False),
            (75, 0, True),
            (80, 1, False),
            (90, 2, False),
            (100, 2, True),
        ):
            # As numbers of Python come in, if they are below 2^31.
            signature = dict.fromkeys(names, "i32" if version < 90 else "i64")
            signature |= dict.fromkeys(("low", "high"), "*i32")
            signature["out"] = ("*i32", "*fp32", "*i64")[kind]
            constants = {"kind": kind, "halves": halves, "size": 1024}
            signature |= dict.fromkeys(constants, "constexpr")
            source = ASTSource(_draw, signature, constants)
            target = GPUTarget("cuda", version, 32)
            assert triton.compile(source, target=target).asm["cubin"]
        """
    )


@needs_nvrtc
def test_cuda_c_compiles_for_every_gpu():
    succeed(
        CUDA_C,
        """
        import ctypes
        import itertools
        import os

        nvrtc = ctypes.CDLL(os.environ["NVRTC"])
        for version, (kind, (_, name)), halves in itertools.product(
            (75, 80, 90, 100), enumerate(of_cupy._TYPES), (0, 1)
        ):
            program = ctypes.c_void_p()
            source = of_cupy.SOURCE.encode()
            nvrtc.nvrtcCreateProgram(
                ctypes.byref(program), source, b"draw.cu", 0, None, None
            )
            options = [
                f"-DKIND={kind}".encode(),
                f"-DHALVES={halves}".encode(),
                f"-DRESULT={name}".encode(),
                f"--gpu-architecture=compute_{version}".encode(),
            ]
            code = nvrtc.nvrtcCompileProgram(
                program, len(options), (ctypes.c_char_p * len(options))(*options)
            )
            size = ctypes.c_size_t()
            nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            nvrtc.nvrtcGetProgramLog(program, log)
            assert code == 0, log.value.decode()
        """,
        NVRTC=NVRTC[0],
    )
