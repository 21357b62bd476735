"""Run programs one after the other, each by two ranks, as torchrun would.

With torchrun itself, three processes of each program import torch, for seconds.
"""

import os
import runpy
import socket
import sys
import traceback

N_RANKS = 2


def start_rank(rank: int, port: int, path: str) -> int:
    """Fork a process that runs a program as a rank, and return its number."""
    process = os.fork()
    if process:
        return process
    os.environ |= {
        "MASTER_ADDR": "localhost",
        "MASTER_PORT": str(port),
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "WORLD_SIZE": str(N_RANKS),
        "LOCAL_WORLD_SIZE": str(N_RANKS),
    }
    # DistributedDataParallel keeps threads of gloo, which may hang or abort where an
    # interpreter ends.
    code = 1
    try:
        runpy.run_path(path, run_name="__main__")
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def find_port() -> int:
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return free.getsockname()[1]


if __name__ == "__main__":
    # What the ranks import is imported once, before they are forked.
    import torch._dynamo  # noqa: F401 (by DistributedDataParallel)

    import sigarray  # noqa: F401

    for path in sys.argv[1:]:
        sys.stdout.write(f"# {path}\n")
        sys.stdout.flush()  # or each rank would write it again
        port = find_port()
        ranks = [start_rank(rank, port, path) for rank in range(N_RANKS)]
        codes = [os.waitstatus_to_exitcode(os.waitpid(rank, 0)[1]) for rank in ranks]
        if any(codes):
            sys.exit(f"{path}: the ranks ended with {codes}")
