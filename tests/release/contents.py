"""What is in the wheel and in the sdist: `python -m tests.release.contents dist`.

Each lack is a line; without any, it prints the sizes.
"""

import argparse
import email
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
# Of a wheel as `tests.release.compress` makes it.
MOST_BYTES = {".whl": 2**20, ".gz": 3_000_000}
EXTRAS = {"torch", "jax", "cupy", "cli", "plot", "arrow", "read", "test", "docs"}
# What pyproject.toml leaves out of the sdist.
LEFT_OUT = {"tests/release/locked.txt"}
ENGINE = "sigarray/_backend/engine/"


def list_tracked(folder: str) -> set[str]:
    """Return the files of a folder that git knows, which a release has to have."""
    command = ["git", "-C", str(ROOT), "ls-files", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def check_wheel(path: Path) -> Iterator[str]:
    """Yield what is wrong with a wheel."""
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        (info,) = {PurePosixPath(x).parts[0] for x in names if ".dist-info/" in x}
        metadata = email.message_from_bytes(wheel.read(f"{info}/METADATA"))
        tags = email.message_from_bytes(wheel.read(f"{info}/WHEEL"))
    expected = {x for x in list_tracked("sigarray") if not x.startswith(ENGINE)}
    found = {x for x in names if not x.startswith(info)}
    engine = {x for x in found if x.startswith("sigarray/_backend/_engine.abi3")}
    yield from (f"it lacks {x}" for x in sorted(expected - found))
    yield from (f"it has {x}" for x in sorted(found - expected - engine))
    if not any(x.endswith("licenses/LICENSE") for x in names):
        yield "it lacks LICENSE"
    if metadata["License-Expression"] != "BSD-3-Clause":
        yield f"its licence is {metadata['License-Expression']}"
    text = str(metadata.get_payload())
    for lost in (
        *re.findall(r"\]\((?!https?:|#).*?\)", text),
        *text.split('-e ".[cli')[1:],
    ):
        yield f"its description is of a clone: {lost[:40]}"
    yield from (
        f"it lacks the extra {x}"
        for x in sorted(EXTRAS - set(metadata.get_all("Provides-Extra", [])))
    )
    is_pure = tags["Root-Is-Purelib"] == "true"
    if is_pure != (not engine) or is_pure != path.stem.endswith("-py3-none-any"):
        yield f"its name and its tags do not fit what is in it: {sorted(engine)}"


def check_sdist(path: Path) -> Iterator[str]:
    """Yield what is wrong with a source distribution: it has all that git has."""
    with tarfile.open(path) as sdist:
        names = {x.name.partition("/")[2] for x in sdist.getmembers() if x.isfile()}
    expected = {
        name
        for folder in ("sigarray", "tests", "docs", "benchmarks", "hatch_build.py")
        for name in list_tracked(folder)
    }
    yield from (f"it lacks {x}" for x in sorted(expected - names - LEFT_OUT))
    yield from (f"it has {x}" for x in sorted(names) if x.endswith((".so", ".pyc")))


def main() -> None:
    """Check each file of a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    # Beside them is a .gitignore, if uv has built them.
    paths = sorted(parser.parse_args().folder.glob("[!.]*"))
    wrong = []
    for path in paths:
        check = check_wheel if path.suffix == ".whl" else check_sdist
        wrong += [f"{path.name}: {x}" for x in check(path)]
        size = path.stat().st_size
        print(f"{path.name}: {size:,} bytes")
        if size > MOST_BYTES[path.suffix]:
            wrong.append(f"{path.name}: more than {MOST_BYTES[path.suffix]:,} bytes")
    if not paths:
        wrong.append("expected wheels, or an sdist; got none")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
