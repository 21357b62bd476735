"""The command for the day that there is a GPU, on the processor."""

import json

import pytest

from tests.backends import require


@pytest.mark.long
def test_command_measures_and_writes(tmp_path, capsys):
    require("torch")
    from benchmarks import gpu

    calls = ["aso", "t_test"]
    options = ["--device=cpu", "--rounds=1", "--output"]
    parts = ["--parts", "torch", "libraries"]
    gpu.main([*options, str(tmp_path), *parts, "--calls", *calls])
    results = json.loads((tmp_path / "cpu.json").read_text())
    assert str(tmp_path / "cpu.json") in capsys.readouterr().out
    assert list(results["calls"]) == calls
    for found in results["calls"].values():
        assert found["milliseconds"] > 0.0
        assert found["operators"] > 50
        assert found["share_of_bandwidth_without_caches"] > 0.0
        assert 0.0 < found["error"] < 1e-3
    assert results["calls"]["aso"]["times_faster_than_naive"] > 0.0
    assert results["words"]["same_bits"]
    assert results["graph"] is None
    assert list(results["libraries"]) == calls
    for times in results["libraries"].values():
        assert all(milliseconds > 0.0 for milliseconds in times.values()), times


def test_libraries_without_a_gpu_are_left_out(capsys):
    """A JAX for the processor takes no array of the GPU."""
    torch, jax = require("torch"), require("jax")
    from benchmarks.gpu_libraries import list_libraries

    assert "jax" in list_libraries(torch.device("cpu"))
    is_there = jax.default_backend() == "gpu"
    assert ("jax" in list_libraries(torch.device("cuda"))) == is_there
    assert ("jax sees no GPU" in capsys.readouterr().out) != is_there


def test_calls_that_fail_with_a_library_are_named(tmp_path, monkeypatch):
    require("torch"), require("jax")
    from benchmarks import gpu, gpu_libraries

    monkeypatch.setattr(gpu_libraries, "prepare_jax", lambda *_: 1 / 0)
    options = ["--device=cpu", "--rounds=1", "--parts", "libraries"]
    with pytest.raises(SystemExit, match="failed: t_test with jax"):
        gpu.main([*options, f"--output={tmp_path}", "--calls", "t_test"])
    results = json.loads((tmp_path / "cpu.json").read_text())
    assert "ZeroDivisionError" in results["libraries"]["t_test"]["jax"]


@pytest.mark.parametrize("options", [["--device=meta"], ["--rounds=0"]])
def test_impossible_options(options, capsys):
    require("torch")
    from benchmarks import gpu

    with pytest.raises(SystemExit):
        gpu.main(options)
    assert f"expected {options[0].split('=')[0]} " in capsys.readouterr().err


def test_traffic_is_counted():
    torch = require("torch")
    from benchmarks.gpu import Traffic

    x = torch.ones(10, dtype=torch.float32)
    with Traffic() as traffic:
        (x[1:] + x[:-1]).neg()
    assert traffic.launches == 2
    assert traffic.bytes == 3 * 36 + 2 * 36


def test_there_has_to_be_a_gpu():
    torch = require("torch")
    from benchmarks import gpu

    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(SystemExit, match="sees no GPU"):
        gpu.main([])
