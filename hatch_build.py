"""Compile the engine into a wheel, where there is a C compiler and Python's headers.

Without these, or if SIGARRAY_ENGINE=array, the wheel has array code alone, which gives
the same numbers. Nothing is said, for nothing is lacking.

The README becomes the description of a release, which has no clone beside it.
"""

import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

SOURCES = Path(__file__).parent / "sigarray" / "_backend" / "engine"
# The bits of the array code: no a * b + c in one rounding, no sum in another order.
FLAGS = ["-std=gnu11", "-ffp-contract=off", "-fno-trapping-math", "-fPIC"]
# Of -O3, what makes kernels faster: all of it makes them three times as large. To
# schedule instructions, as processors do themselves, makes them no faster, nor does
# where functions begin, or what is kept around calls; where loops begin, some do.
FLAGS += [
    "-O2",
    "-ftree-vectorize",
    "-funswitch-loops",
    "-fno-schedule-insns2",
    "-falign-loops=32",
    "-fno-align-functions",
    "-fno-align-jumps",
    "-fno-caller-saves",
    "-fvisibility=hidden",
    "-fno-asynchronous-unwind-tables",
]
# No shorter vectors behind a loop: only those of 64 bytes are worth this code.
_FEW_VECTORS = "--param=vect-epilogues-nomask=0"
# The instructions of each build of the kernels for x86, where the processor decides at
# run time. Those without AVX2 are few, and compute by array code.
LEVELS = {
    "kernels_v3": f"-mavx2 {_FEW_VECTORS}",
    "kernels_v4": "-mavx2 -mavx512f -mavx512bw -mavx512dq -mavx512vl "
    "-mprefer-vector-width=512",
}
# Of Clang, which unrolls loops and has none of the flags above. Few Macs have AVX-512.
_MACOS = "11.0"
LEVELS_OF_MACS = {"kernels_v3": "-mavx2 -fno-unroll-loops"}


class EngineHook(BuildHookInterface):  # type: ignore[misc]
    """Adds the compiled module to a wheel, or to the source tree if it is editable."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the files of the wheel are listed."""
        if self.target_name != "wheel":
            return
        home = Path(self.root, "sigarray", "_backend")
        if version == "editable":
            remove_engine(home)
            compile_engine(home)
            return
        self._folder = tempfile.TemporaryDirectory()
        module = compile_engine(Path(self._folder.name))
        if module is not None:
            build_data["pure_python"] = False
            build_data["tag"] = f"cp311-abi3-{name_platform()}"
            place = f"sigarray/_backend/{module.name}"
            build_data["force_include"][str(module)] = place

    def finalize(self, version: str, build_data: dict[str, Any], artifact: str) -> None:
        """Remove what was compiled: the wheel has it."""
        del build_data, artifact
        if version != "editable" and self.target_name == "wheel":
            self._folder.cleanup()


class DescriptionHook(MetadataHookInterface):  # type: ignore[misc]
    """Makes the description of a release of the README."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the description, with links into the repository if its URL is given."""
        text = Path(self.root, "README.md").read_text("utf-8")
        repository = metadata.get("urls", {}).get("Repository")
        text = describe(text, repository, metadata["version"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def describe(text: str, repository: str | None, version: str) -> str:
    """Return the README for a reader who has no clone.

    Links to files are those of the version in the repository; without one, pictures are
    left out, and links are their texts.
    """
    # Users take the release; who tests it or builds the site needs a clone anyhow.
    text = re.sub(r'-e "\.\[((?!test|docs).+?)\]"', r'"sigarray[\1]"', text)
    text = text.replace("installs it from a clone", "installs it")
    picture = r"!\[([^]]*)\]\((?!https?:)([^\s)]+)\)"
    link = r"\[([^]]*)\]\((?!https?:|#)([^\s)]+)\)"
    if repository is None:
        return re.sub(link, r"\1", re.sub(picture + r"\n+", "", text))
    text = re.sub(picture, rf"![\1]({repository}/raw/v{version}/\2)", text)
    return re.sub(link, rf"[\1]({repository}/blob/v{version}/\2)", text)


def remove_engine(folder: Path) -> None:
    """Remove what an earlier installation has compiled, perhaps of other sources."""
    for old in folder.glob("_engine.*.so"):
        old.unlink()


def compile_engine(folder: Path) -> Path | None:
    """Compile the module into a folder, or return None."""
    compiler = find_compiler() if is_supported() else None
    if compiler is None or os.environ.get("SIGARRAY_ENGINE") == "array":
        return None
    link = ["-shared", "-s", "-Wl,--build-id=none"]
    if sys.platform == "darwin":
        machine = ["-arch", platform.machine(), f"-mmacosx-version-min={_MACOS}"]
        compiler = [*compiler, *machine]
        link = ["-bundle", "-undefined", "dynamic_lookup", "-Wl,-x"]
    is_x86 = platform.machine() in ("x86_64", "AMD64")
    levels = {"kernels_base": ""}
    if is_x86:
        levels = LEVELS_OF_MACS if sys.platform == "darwin" else LEVELS
    # It hands on what it is called with, and is small.
    of_module = ["module.c", "-Os", f"-I{sysconfig.get_paths()['include']}"]
    of_module += [f'-DDIGEST="{digest_sources()}"', f"-DLEVELS={len(levels)}"]
    of_kernels = [["kernels.c", f"-DKERNELS={x}", *levels[x].split()] for x in levels]
    with tempfile.TemporaryDirectory() as objects:
        commands, parts = [], []
        for k, source in enumerate([of_module, *of_kernels]):
            parts.append(str(Path(objects, f"{k}.o")))
            commands.append([*compiler, *FLAGS, *source, "-c", "-o", parts[-1]])
        # It is copied to its place when it is whole.
        linked = Path(objects, "_engine.abi3.so")
        linking = [*compiler, *link, *parts, "-lm", "-o", str(linked)]
        if not (run_at_once(commands) and run_at_once([linking])):
            return None
        return Path(shutil.copy(linked, folder))


def run_at_once(commands: list[list[str]]) -> bool:
    """Run commands in the folder of the sources, and tell whether all succeed."""
    quiet = subprocess.DEVNULL
    try:
        running = [
            subprocess.Popen(x, cwd=SOURCES, stdout=quiet, stderr=quiet)
            for x in commands
        ]
    except OSError:
        return False
    codes = [process.wait() for process in running]
    return not any(codes)


def digest_sources() -> str:
    """Return a digest of the sources, which tells whether a module is of these."""
    parts = [path.read_bytes() for path in sorted(SOURCES.glob("*.[ch]"))]
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def is_supported() -> bool:
    """Tell whether the kernels are for this Python and platform.

    They are for CPython, whose stable ABI takes the interpreter's lock, for systems
    whose compilers know the flags of GCC, and for numbers as they are in memory here.
    """
    return (
        sys.implementation.name == "cpython"
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
        and os.name == "posix"
        and sys.maxsize > 2**32
        and sys.byteorder == "little"
    )


def find_compiler() -> list[str] | None:
    """Return the command of the C compiler, or None."""
    named = os.environ.get("CC")
    every = [named] if named else [sysconfig.get_config_var("CC") or "cc", "cc", "gcc"]
    for command in map(shlex.split, every):
        if command and shutil.which(command[0]):
            return command
    return None


def name_platform() -> str:
    """Return the platform of the wheel, as its tag has it."""
    if sys.platform == "darwin":
        return f"macosx_{_MACOS.replace('.', '_')}_{platform.machine()}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
