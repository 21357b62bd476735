"""How long the library and the command take to start, beside `import numpy`.

    python -m benchmarks.start

New processes, in turns, and of each the fastest: `import sigarray` is to add less than
0.12 s to NumPy, and `sigarray --help` takes less than 0.3 s. It exits with 1 otherwise.
"""

import json
import subprocess
import sys
import time

from benchmarks.machine import name_processor

COMMANDS = {
    "python": ("-c", "pass"),
    "import numpy": ("-c", "import numpy"),
    "import sigarray": ("-c", "import numpy, sigarray"),
    "import aso": ("-c", "import numpy; from sigarray import aso"),
    "sigarray --help": ("-m", "sigarray", "--help"),
    "sigarray compare --help": ("-m", "sigarray", "compare", "--help"),
}
MOST_BESIDE_NUMPY, MOST_OF_HELP = 0.12, 0.3
TURNS = 15


def measure(turns: int = TURNS) -> dict[str, float]:
    """Return the seconds of each command, the fastest of some turns."""
    best = dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(turns):
        for name, arguments in COMMANDS.items():
            start = time.perf_counter()
            command = [sys.executable, *arguments]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def list_faults(best: dict[str, float]) -> list[str]:
    """Say what takes longer than it may."""
    own = best["import sigarray"] - best["import numpy"]
    faults = []
    if own > MOST_BESIDE_NUMPY:
        faults.append(f"import sigarray: {own:.3f} s more than NumPy")
    if best["sigarray --help"] > MOST_OF_HELP:
        faults.append(f"sigarray --help: {best['sigarray --help']:.3f} s")
    return faults


def main() -> None:
    """Print the times, and stop with an error if one is too long."""
    best = measure()
    print(name_processor())
    print(json.dumps({name: round(x, 3) for name, x in best.items()}, indent=1))
    sys.exit("\n".join(list_faults(best)) or 0)


if __name__ == "__main__":
    main()
