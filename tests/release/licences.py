"""The licences of what sigarray stands on, in `tests/release/licences.md`.

    python -m tests.release.licences --write

writes that file from the metadata of installed packages: those that sigarray and its
extras need, by all of their own requirements. Without --write, it compares. A licence
that is not known to be permissive is an error in both cases.
"""

import argparse
import importlib.metadata
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PATH = Path(__file__).with_name("licences.md")
EXTRAS = ("arrow", "cli", "jax", "plot", "read")
PERMISSIVE = re.compile(
    r"0BSD|Apache|BSD|CC0|HPND|ISC|MIT|NCSA|PSF|Python|Unlicense|Zlib", re.IGNORECASE
)
HEADER = """\
# Licences of dependencies

What `pip install "sigarray[arrow,cli,jax,plot,read]"` installs beside sigarray, itself
BSD-3-Clause, as the metadata of each package says it. `python -m nox -s licences`
compares this list with what is installed. PyTorch (BSD-3-Clause) and CuPy (MIT) bring
libraries of NVIDIA under licences of their own. `locked.txt`, beside this file, lists
what tests need besides.

| package | licence |
|---|---|
"""


def list_needed(name: str, extras: tuple[str, ...], seen: dict[str, str]) -> None:
    """Add the licences of all that a package requires, and is installed."""
    for line in importlib.metadata.requires(name) or ():
        requirement, _, marker = line.partition(";")
        found = re.match(r"[\w.-]+", requirement)
        wanted = re.findall(r"extra == [\"']([\w-]+)", marker)
        if found is None or (wanted and not set(wanted) & set(extras)):
            continue
        needed = re.sub(r"[-_.]+", "-", found[0]).lower()
        if needed in seen or needed == "sigarray":
            continue
        try:
            seen[needed] = find_licence(needed)
        except importlib.metadata.PackageNotFoundError:
            continue
        list_needed(needed, (), seen)


def find_licence(name: str) -> str:
    """Return the licence that the metadata of a package names."""
    metadata = importlib.metadata.metadata(name)
    expression = metadata.get("License-Expression")
    if expression:
        return expression
    prefix = "License :: OSI Approved :: "
    classified = [
        x.removeprefix(prefix)
        for x in metadata.get_all("Classifier", [])
        if x.startswith(prefix)
    ]
    said = (metadata.get("License") or "").strip().splitlines()
    return ", ".join(classified) or (said[0] if said else "not said")


def list_faults(licences: dict[str, str]) -> Iterator[str]:
    """Yield the packages whose licence is not known to be permissive."""
    for name, licence in licences.items():
        if not PERMISSIVE.search(licence) or re.search(r"\bA?GPL", licence):
            yield f"{name}: {licence}"


def main() -> None:
    """Write the list, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    licences: dict[str, str] = {}
    list_needed("sigarray", EXTRAS, licences)
    text = HEADER + "".join(f"| {k} | {x} |\n" for k, x in sorted(licences.items()))
    faults = list(list_faults(licences))
    if parser.parse_args().write:
        PATH.write_text(text, "utf-8")
    elif PATH.read_text("utf-8") != text:
        faults.append(f"tests/release/licences.md is not what is installed:\n{text}")
    sys.exit("\n".join(faults) or 0)


if __name__ == "__main__":
    main()
