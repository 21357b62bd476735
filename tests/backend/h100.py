"""An H100 that is not here: XLA's GPU compiler needs no more than its description.

What is compiled are the programs of a real one, but for the choices that XLA makes by
trying kernels out. They cannot run; their text and the list of their steps are read.
"""

import functools
import pathlib
import re
import tempfile

import jax
from jax.experimental import topologies
from jax.sharding import SingleDeviceSharding

# A message of type stream_executor.GpuTargetConfigProto.
DESCRIPTION = """
gpu_device_info {
  cuda_compute_capability { major: 9 }
  core_count: 132
  fpus_per_core: 128
  clock_rate_ghz: 1.98
  threads_per_warp: 32
  threads_per_block_limit: 1024
  threads_per_core_limit: 2048
  block_dim_limit_x: 2147483647
  block_dim_limit_y: 65535
  block_dim_limit_z: 65535
  registers_per_block_limit: 65536
  registers_per_core_limit: 65536
  shared_memory_per_block: 49152
  shared_memory_per_block_optin: 232448
  shared_memory_per_core: 233472
  l2_cache_size: 52428800
  memory_bandwidth: 3352320000000
  device_memory_size: 84942979072
}
platform_name: "CUDA"
device_description_str: "NVIDIA H100 80GB HBM3"
dnn_version_info { major: 9 minor: 10 }
runtime_version { major: 13 }
"""
# There is nothing to try kernels out on.
OPTIONS = {"xla_gpu_autotune_level": 0}
# What a program may call that XLA does not compile itself.
ALLOWED_CALLS = {"__cublas$lt$matmul"}


@functools.cache
def find_h100():
    """Return where arrays are that are on the H100."""
    topology = topologies.get_topology_desc(
        platform="cuda", target_config=DESCRIPTION, topology="1x1x1"
    )
    return SingleDeviceSharding(topology.devices[0])


def lower(function, *shapes):
    """Trace a function of a seed and of arrays of float32 for the H100."""
    h100 = find_h100()
    seed = jax.ShapeDtypeStruct((), "int32", sharding=h100)
    arrays = [jax.ShapeDtypeStruct(x, "float32", sharding=h100) for x in shapes]
    traced = jax.jit(function, out_shardings=h100).trace(seed, *arrays)
    return traced.lower(lowering_platforms=("cuda",))


def compile_program(lowered, **options):
    """Compile it, and raise where it would need the host or a library beside XLA."""
    text = lowered.compile(compiler_options=OPTIONS | options).as_text()
    calls = set(re.findall(r'custom_call_target="([^"]+)"', text)) - ALLOWED_CALLS
    assert not calls, f"the program calls {calls}"
    # Of a loop of as many rounds as its shapes say, nothing is fetched.
    for line in re.findall(r".* (?:conditional|while)\(.*", text):
        assert "known_trip_count" in line, f"the host decides in {line}"


def count_launches(lowered):
    """Count the kernels and copies that a program starts, those of a loop once."""
    with tempfile.TemporaryDirectory() as folder:
        compile_program(lowered, xla_dump_to=folder)
        (listing,) = pathlib.Path(folder).glob("*.thunk_sequence.txt")
        steps = listing.read_text()
    # A loop that counts its rounds does not ask for more.
    steps = re.sub(r"condition:.*?body:", "", steps, flags=re.DOTALL)
    kinds = re.findall(r"^ *\d+: k(\w+)", steps, flags=re.MULTILINE)
    return len(kinds) - kinds.count("While")
