"""What a release is tested by: `python -m nox --list` says what there is.

    python -m pip install "nox[uv]"
    python -m nox -s core lowest wheel docs

Each session installs the wheel, and runs copies of the tests in a folder without the
source, so that what is tested is what strangers install.
"""

import functools
import os
import re
import shutil
from pathlib import Path

import nox

ROOT = Path(__file__).parent
LOCKED = Path("tests", "release", "locked.txt")
PYTHONS = ["3.11", "3.12", "3.13", "3.14", "3.15"]
# What every library and processor has to agree on, and what needs no other library.
CONTRACT = [
    "tests/test_contract.py",
    "tests/test_golden.py",
    "tests/test_lazy_names.py",
]
NUMPY_ALONE = [
    *CONTRACT,
    "tests/backend/test_engine.py",
    *(f"tests/cli/test_{x}.py" for x in ("quiet", "usage", "versions", "wrong_input")),
]
RUNNER = ["pytest", "pytest-xdist", "hypothesis"]
EXTRAS = ["arrow", "cli", "plot", "read"]
# Beside the extras, what the tests of files, tables and pictures compare with.
COMPARED = ["array-api-strict", "pandas", "polars", "scipy", "statsmodels"]
# What programs of the pages import besides.
SHOWN = ["deepsig==1.2.8", "distributed", "equinox", "joblib", "loky", "optax"]
SHOWN += ["sacrebleu", "scikit-learn"]
NIGHTLY = "https://pypi.anaconda.org/scientific-python-nightly-wheels/simple"
NIGHTLY_TORCH = "https://download.pytorch.org/whl/nightly/cpu"
NIGHTLY_JAX = "https://us-python.pkg.dev/ml-oss-artifacts-published/jax/simple/"

nox.options.sessions = ["core", "wheel"]
nox.options.default_venv_backend = "uv|virtualenv"
# On a forge, a Python that is not there is no success.
nox.options.error_on_missing_interpreters = "CI" in os.environ


@functools.cache
def find_folder(name: str) -> Path:
    """Return an empty folder, of this run alone."""
    folder = ROOT / ".nox" / name
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def build(session: nox.Session) -> Path:
    """Return the path of the wheel, which is built of an sdist once a run."""
    dist = find_folder("dist")
    if not dist.exists():
        session.install("build")
        command = ("python", "-m", "build", "--outdir", str(dist), str(ROOT))
        session.run(*command, silent=True)
    (wheel,) = dist.glob("*.whl")
    return wheel


def copy_tests(session: nox.Session) -> None:
    """Go to a folder that has all but the library itself."""
    folder = find_folder(f"away-{re.sub(r'[^0-9a-z.]+', '-', session.name)}")
    ignored = ("sigarray", ".*", "__pycache__", "_build", "build", "dist")
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*ignored))
    session.chdir(folder)


def run_tests(session: nox.Session, *arguments: str, backends: str = "") -> None:
    """Run tests, of some backends or of all that are installed."""
    env = {"SIGARRAY_BACKENDS": backends} if backends else {}
    where = "import sigarray; print(sigarray.__file__)"
    found = session.run("python", "-c", where, silent=True) or ""
    if "site-packages" not in found:
        session.error(f"Expected the installed library; got {found}.")
    session.run("python", "-m", "sigarray", "--version", "--verbose")
    session.run("python", "-m", "pytest", "-q", *arguments, *session.posargs, env=env)


@nox.session(python=PYTHONS)
def core(session: nox.Session) -> None:
    """NumPy alone: the contract, the numbers, the engine, the command."""
    wheel = build(session)
    copy_tests(session)
    session.install(str(wheel), *RUNNER)
    session.run("python", "-m", "tests.release.extras")
    run_tests(session, *NUMPY_ALONE)


@nox.session(python="3.11")
@nox.parametrize("library", ["jax", "torch"])
def lowest(session: nox.Session, library: str) -> None:
    """Test the lowest version of each library that pyproject.toml allows.

    On Linux, PyPI's wheels of torch bring CUDA: UV_TORCH_BACKEND=cpu leaves it out.
    """
    wheel = build(session)
    extras = [f"--extra={x}" for x in (*EXTRAS, library)]
    lowest = ("--resolution=lowest-direct", "-r", str(ROOT / "pyproject.toml"))
    session.run_install("uv", "pip", "install", *lowest, *extras)
    copy_tests(session)
    session.install("--no-deps", str(wheel))
    session.install(*RUNNER, "array-api-strict", "scipy", "pandas", "statsmodels")
    # What is old warns of what is new beside it, as matplotlib does of pyparsing.
    warnings = ("-W", "ignore::DeprecationWarning")
    backends = {"jax": "numpy,array_api_strict,jax.numpy", "torch": "torch"}[library]
    tests = (*CONTRACT, "tests/cli", "tests/plot")
    run_tests(session, *warnings, *tests, backends=backends)


@nox.session(python=PYTHONS)
def newest(session: nox.Session) -> None:
    """Test the newest version of each library; with `-- torch`, of torch, too."""
    wheel = build(session)
    has_torch = "torch" in session.posargs
    session.posargs[:] = [x for x in session.posargs if x != "torch"]
    extras = ",".join([*EXTRAS, "jax", *["torch"] * has_torch])
    copy_tests(session)
    session.install("--upgrade", f"sigarray[{extras}] @ {wheel.as_uri()}", *RUNNER)
    session.install("--upgrade", *COMPARED)
    backends = "numpy,array_api_strict,jax.numpy" + ",torch" * has_torch
    rooms = ("cli", "plot", "read", "report")
    tests = (*CONTRACT, *(f"tests/{x}" for x in rooms))
    run_tests(session, *tests, backends=backends)


@nox.session(python=PYTHONS[-2])
@nox.parametrize("library", ["numpy", "torch", "jax"])
def development(session: nox.Session, library: str) -> None:
    """Test the development version of a library, by its own index of wheels."""
    wheel = build(session)
    index = {"numpy": NIGHTLY, "torch": NIGHTLY_TORCH, "jax": NIGHTLY_JAX}[library]
    copy_tests(session)
    session.install(str(wheel), *RUNNER, "array-api-strict")
    names = ["jax", "jaxlib"] if library == "jax" else [library]
    session.install("--pre", "--upgrade", "--extra-index-url", index, *names)
    backend = {"jax": "jax.numpy"}.get(library, library)
    # Warnings of what will be deprecated are why this runs: they are errors, as ever.
    run_tests(session, *CONTRACT, backends=backend)


@nox.session(python="3.11")
def docs(session: nox.Session) -> None:
    """Build the site; a warning is an error."""
    session.install("-e", ".[docs,plot,read]")
    strictly = ("-W", "-n", "--keep-going", "-q")
    folder = str(find_folder("site"))
    session.run("python", "-m", "sphinx", *strictly, "docs", folder)


@nox.session(python="3.11")
def lock(session: nox.Session) -> None:
    """Write versions and hashes of the test environment anew."""
    said = ("--extra", "test", "--python-version", "3.11", "--generate-hashes")
    paths = (
        "pyproject.toml",
        "--no-header",
        "--upgrade",
        "-o",
        str(LOCKED),
    )
    session.run_install("uv", "pip", "compile", "--quiet", *said, *paths)


@nox.session(python="3.11")
def locked(session: nox.Session) -> None:
    """Install the locked versions by their hashes, and run the contract there."""
    wheel = build(session)
    session.install("--require-hashes", "-r", str(LOCKED))
    copy_tests(session)
    session.install("--no-deps", str(wheel))
    run_tests(session, *CONTRACT)


@nox.session(python="3.11")
def licences(session: nox.Session) -> None:
    """Compare the list of licences with what is installed; `-- --write` writes it."""
    extras = ",".join([*EXTRAS, "jax"])
    session.install(f"sigarray[{extras}] @ {build(session).as_uri()}")
    session.run("python", "-m", "tests.release.licences", *session.posargs)


@nox.session(python="3.11")
def workflows(session: nox.Session) -> None:
    """Lint the files of the forge: their schema, permissions, pins, injections."""
    session.install("check-jsonschema", "zizmor")
    files = [str(x) for x in (ROOT / ".github" / "workflows").glob("*.yml")]
    schema = ("--builtin-schema", "vendor.github-workflows")
    session.run("check-jsonschema", *schema, *files)
    session.run("zizmor", "--offline", "--pedantic", *files)


@nox.session(python="3.11")
def wheel(session: nox.Session) -> None:
    """Check the wheel and the sdist, and do with them what README and site say."""
    path = build(session)
    session.install("twine", "mypy", "pyright", "zopflipy")
    for step in ("compress", "contents"):
        session.run("python", "-m", f"tests.release.{step}", str(path.parent))
    files = map(str, path.parent.iterdir())
    session.run("python", "-m", "twine", "check", "--strict", *files)
    copy_tests(session)
    extras = (*EXTRAS, "jax", *session.posargs)
    for extra in extras:
        alone = find_folder(f"with-{extra}")
        session.run("python", "-m", "venv", "--clear", str(alone), silent=True)
        python = str(alone / ("Scripts" if os.name == "nt" else "bin") / "python")
        install = (python, "-m", "pip", "install", "--quiet")
        one = f"sigarray[{extra}] @ {path.as_uri()}"
        session.run(*install, one, external=True)
        session.run(python, "-m", "tests.release.extras", extra, external=True)
    session.install(f"sigarray[{','.join(EXTRAS)}] @ {path.as_uri()}")
    session.run("python", "-m", "mypy", "--strict", "tests/release/typed.py")
    session.run("python", "-m", "pyright", "tests/release/typed.py")
    session.run("python", "tests/release/typed.py")
    session.install(f"sigarray[{','.join(extras)}] @ {path.as_uri()}")
    session.install(*RUNNER, *COMPARED, *SHOWN)
    session.posargs[:] = []
    # Programs that start workers, too, which are marked `long`.
    tests = ("tests/test_readme.py", "tests/test_docs.py", "-m", "long or not long")
    run_tests(session, *tests)


@nox.session(python="3.11")
def start(session: nox.Session) -> None:
    """Measure `import sigarray` beside NumPy, and `sigarray --help`."""
    session.install(str(build(session)))
    copy_tests(session)
    session.run("python", "-m", "benchmarks.start")
