# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"
"""The kernel of `draw_fused` in Triton: each program makes the words of some blocks."""

import torch
import triton
import triton.language as tl

_BLOCKS_OF_A_PROGRAM = 1024
_SIZES = ["step", "start", "rows", "streams", "width", "blocks", "places", "first"]


@triton.jit
def _round(x, y, rotation: tl.constexpr):
    x += y
    y = ((y << rotation) | (y >> (32 - rotation))) ^ x
    return x, y


@triton.jit
def _even_rounds(x, y):
    x, y = _round(x, y, 13)
    x, y = _round(x, y, 15)
    x, y = _round(x, y, 26)
    return _round(x, y, 6)


@triton.jit
def _odd_rounds(x, y):
    x, y = _round(x, y, 17)
    x, y = _round(x, y, 29)
    x, y = _round(x, y, 16)
    return _round(x, y, 24)


@triton.jit
def _threefry2x32(low, high, x, y):
    parity = low ^ high ^ 0x1BD11BDA
    x, y = _even_rounds(x + low, y + high)
    x, y = _odd_rounds(x + high, y + (parity + 1))
    x, y = _even_rounds(x + parity, y + (low + 2))
    x, y = _odd_rounds(x + low, y + (high + 3))
    x, y = _even_rounds(x + high, y + (parity + 4))
    return x + parity, y + (low + 5)


@triton.jit
def _store(out, word, row, column, inside, width, places, kind: tl.constexpr):
    at = out + row * width + column
    if kind == 0:
        tl.store(at, word.to(tl.int32, bitcast=True), inside)
    elif kind == 1:
        uniform = ((word >> 16).to(tl.float32) + 0.5) * 1.52587890625e-05
        tl.store(at, uniform, inside)
    else:
        n = places.to(tl.int64)
        tl.store(at, (word.to(tl.int64) * n) >> 32, inside)


@triton.jit(do_not_specialize=_SIZES)
def _draw(
    low,
    high,
    out,
    step,
    start,
    rows,
    streams,
    width,
    blocks,
    places,
    first,
    kind: tl.constexpr,
    halves: tl.constexpr,
    size: tl.constexpr,
):
    block = tl.program_id(0).to(tl.int64) * size + tl.arange(0, size)
    row, column = block // blocks, block % blocks
    inside = row < rows
    k0 = tl.load(low + row % streams * step, inside, 0).to(tl.uint32, bitcast=True)
    k1 = tl.load(high + row % streams * step, inside, 0).to(tl.uint32, bitcast=True)
    replicate = row // streams + start
    y0 = (column + first).to(tl.uint32)
    x, y = _threefry2x32(k0, k1, replicate.to(tl.uint32), y0)
    if halves:
        # Halves of the words of a replicate, each above that of the next replicate,
        # of which uniforms have nothing.
        u, v = x, y
        if kind != 1:
            u, v = _threefry2x32(k0, k1, (replicate + 1).to(tl.uint32), y0)
        n = (width + 1) // 2
        a, b = (x & 0xFFFF0000) | (u >> 16), (y & 0xFFFF0000) | (v >> 16)
        c, d = (x << 16) | (u & 0xFFFF), (y << 16) | (v & 0xFFFF)
        is_word = inside & (column + blocks < n)
        _store(out, a, row, column, inside, width, places, kind)
        column += blocks
        _store(out, b, row, column, is_word, width, places, kind)
        column += n - blocks
        inside = inside & (column < width)
        _store(out, c, row, column, inside, width, places, kind)
        column += blocks
        inside = is_word & (column < width)
        _store(out, d, row, column, inside, width, places, kind)
    else:
        _store(out, x, row, column, inside, width, places, kind)
        column += blocks
        inside = inside & (column < width)
        _store(out, y, row, column, inside, width, places, kind)


def launch(
    low: torch.Tensor,
    high: torch.Tensor,
    out: torch.Tensor,
    kind: int,
    numbers: list[int],
) -> None:
    start, count, width, halves, places, first = numbers
    streams = low.numel()
    n_words = -(-width // 2) if halves else width
    blocks, rows = -(-n_words // 2), count * streams
    _draw[(triton.cdiv(rows * blocks, _BLOCKS_OF_A_PROGRAM),)](
        low,
        high,
        out,
        *(low.stride(0), start, rows, streams, width, blocks, places, first),
        kind=kind,
        halves=bool(halves),
        size=_BLOCKS_OF_A_PROGRAM,
    )
