"""What an editor's help and the API pages say: complete, and from one source."""

import inspect
import re
from collections import Counter

import pytest

from tests.docstrings import FUNCTIONS, Parameter, list_public, rewrite, split
from tests.parameters import EVERYWHERE, GROUPS, OF_THEIR_OWN, find_text

SIGNATURES = {
    name: inspect.signature(member)
    for name, member in list_public()
    if inspect.isfunction(member)
}
PARAMETERS = {name: split(inspect.getdoc(x))[1] for name, x in FUNCTIONS.items()}
of_each_function = pytest.mark.parametrize("name", FUNCTIONS)


def list_docstrings():
    """Yield the docstrings of functions, of classes, and of what classes define."""
    for name, member in list_public():
        if isinstance(member, dict):
            continue
        yield name, inspect.getdoc(member)
        if inspect.isclass(member):
            for part, x in vars(member).items():
                is_documented = inspect.isfunction(x) or isinstance(x, property)
                if is_documented and not part.startswith("_"):
                    yield f"{name}.{part}", inspect.getdoc(x)


DOCSTRINGS = dict(list_docstrings())


class TestSharedParameters:
    """Their text is that of `tests/parameters.py`, and no other source is there."""

    @of_each_function
    def test_they_are_those_of_the_source(self, name):
        docstring = inspect.getdoc(FUNCTIONS[name])
        expected = rewrite(name, docstring)
        assert expected.rstrip() == docstring, "run python -m tests.docstrings"

    def test_a_text_said_twice_is_in_the_source(self):
        said = Counter(
            (x.names, x.shared)
            for name, parameters in PARAMETERS.items()
            for x in parameters
            if find_text(name, x.names) is None
        )
        assert not [x for x, times in said.items() if times > 1]

    def test_the_source_has_no_text_for_nothing(self):
        described = {name: {x.names for x in PARAMETERS[name]} for name in PARAMETERS}
        of_groups = {
            (name, names)
            for group in GROUPS
            for names in group.texts
            for name in group.functions.split()
            if names in described[name] and find_text(name, names) is not None
        }
        for group in GROUPS:
            for names in group.texts:
                assert any((x, names) in of_groups for x in group.functions.split()), (
                    names
                )
            for name in group.functions.split():
                assert any((name, x) in of_groups for x in group.texts), name
        for name, of_its_own in OF_THEIR_OWN.items():
            assert of_its_own <= described[name], name
        for names in EVERYWHERE:
            assert any(names in x for x in described.values()), names

    def test_a_changed_text_is_written_and_the_rest_is_kept(self):
        docstring = inspect.getdoc(FUNCTIONS["aso"])
        changed = docstring.replace("A seed, an int in", "Any number in")
        assert changed != docstring
        assert rewrite("aso", changed).rstrip() == docstring


class TestParameters:
    @of_each_function
    def test_all_are_described_in_the_order_of_the_signature(self, name):
        names = [
            x.lstrip("*") for part in PARAMETERS[name] for x in part.names.split(", ")
        ]
        assert names == list(SIGNATURES[name].parameters)
        assert all(x.shared for x in PARAMETERS[name])

    @of_each_function
    def test_defaults_are_those_of_the_signature(self, name):
        for part in PARAMETERS[name]:
            for x in part.names.split(", "):
                check_default(part, SIGNATURES[name].parameters[x.lstrip("*")])

    def test_those_of_one_name_have_one_kind(self):
        kinds = {}
        for name, parameters in PARAMETERS.items():
            if name.startswith(("deepsig.", "read.", "report.")):
                continue
            for part in parameters:
                for x in part.names.split(", "):
                    parameter = SIGNATURES[name].parameters[x.lstrip("*")]
                    # Options are None where a test that is chosen has a default.
                    by_test = name == "compare_models" and parameter.default is None
                    if by_test and x not in {"workers", "progress"}:
                        continue
                    if part.kind and parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                        what = part.kind.partition(", default: ")[0]
                        kinds.setdefault(x, set()).add(what)
        ways = {x: found for x, found in kinds.items() if len(found) > 1}
        assert set(ways) <= OF_EACH_FUNCTION, ways


def check_default(part: Parameter, parameter: inspect.Parameter) -> None:
    """Raise unless the default that a docstring names is that of the signature."""
    default = re.search(r"default: (.*)", part.kind)
    if default and parameter.name not in WORDS:
        shown = repr(parameter.default).replace("'", '"')
        assert default[1] == shown, parameter
    elif not default and not part.names.startswith("*"):
        given = parameter.default is not inspect.Parameter.empty
        assert part.kind.endswith("optional") == given, parameter
        assert not given or parameter.default is None


# Whose defaults are described in words.
WORDS = {"low", "high", "metrics", "pseudocount", "sizes"}
# Which of them there are depends on the function.
OF_EACH_FUNCTION = {
    "ax",
    "axis",
    "clusters",
    "dt",
    "items",
    "labels",
    "method",
    "model",
    "n_sets",
    "names",
    "responses",
    "rng",
    "statistic",
    "strata",
    "test",
}

SECTIONS = ("Parameters", "Returns", "Raises", "Examples")


@of_each_function
def test_functions_have_every_section(name):
    found = re.findall(r"^(\w[\w ]*)\n-+$", inspect.getdoc(FUNCTIONS[name]), re.M)
    assert [x for x in SECTIONS if x not in found] == []


@pytest.mark.parametrize("name", DOCSTRINGS)
def test_docstrings_send_nobody_elsewhere(name):
    docstring = DOCSTRINGS[name]
    assert re.search(r"\bas for `", docstring, re.IGNORECASE) is None
    assert re.search(r"^ *(As|See) .*`\.?$", docstring, re.MULTILINE) is None
    assert docstring.splitlines()[0].endswith((".", "?"))


@pytest.mark.parametrize("name", DOCSTRINGS)
def test_references_are_found(name):
    section = DOCSTRINGS[name].partition("References\n----------\n")[2]
    section = section.partition("\n\n")[0]
    for reference in re.split(r"^\.\. \[\d+\]", section, flags=re.MULTILINE)[1:]:
        assert re.search(r":doi:`10\.|https://", reference), reference
