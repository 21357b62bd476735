"""The kernel of `draw_fused` as an operator of torch, known to maps and tracers."""

from typing import Any

import torch

from sigarray._backend.callers import list_entries

_DTYPES = (torch.int32, torch.float32, torch.int64)


def _empty_result(low: torch.Tensor, kind: int, numbers: list[int]) -> torch.Tensor:
    _, count, width, *_ = numbers
    size = count * width * low.numel()
    return torch.empty(size, dtype=_DTYPES[kind], device=low.device)


@torch.library.custom_op(  # type: ignore[untyped-decorator]
    "sigarray::draw",
    mutates_args=(),
    schema="(Tensor low, Tensor high, int kind, int[] numbers) -> Tensor",
)
def draw(
    low: torch.Tensor, high: torch.Tensor, kind: int, numbers: list[int]
) -> torch.Tensor:
    """Return numbers of `draw_fused` as a flat tensor, on the device of the seed."""
    from sigarray._backend.fused_triton import launch

    result = _empty_result(low, kind, numbers)
    with torch.cuda.device_of(low):
        launch(low, high, result, kind, numbers)
    return result


@draw.register_fake  # type: ignore[untyped-decorator]
def _shape_of_draw(
    low: torch.Tensor, _high: torch.Tensor, kind: int, numbers: list[int]
) -> torch.Tensor:
    return _empty_result(low, kind, numbers)


def _map_seeds(
    info: Any, in_dims: Any, low: torch.Tensor, high: torch.Tensor, *options: Any
) -> tuple[torch.Tensor, int]:
    """Draw for one seed of a `torch.func.vmap` after another."""
    pairs = list_entries(info, in_dims[:2], (low, high))
    if not pairs:
        return low.new_empty((0, 0), dtype=_DTYPES[options[0]]), 0
    return torch.stack([draw(*pair, *options) for pair in pairs]), 0


draw.register_vmap(_map_seeds)
