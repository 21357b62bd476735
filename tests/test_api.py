"""The public API is what `tests/api.txt` lists."""

from tests import api


def test_the_api_is_the_one_that_is_listed():
    listed = set(api.PATH.read_text("utf-8").splitlines())
    found = set(api.list_api())
    assert found == listed, (
        f"gone or changed: {sorted(listed - found)}; new: {sorted(found - listed)}. A "
        "name is not removed at once: see Versions and names in CONTRIBUTING.md. Then: "
        "python -m tests.api, and a line in CHANGELOG.md."
    )


def test_a_changed_signature_is_seen():
    def before(a, *, n=1):
        pass

    def after(a, *, n=2):
        pass

    assert list(api.describe("f", before)) == ["f(a, *, n=1)"]
    assert list(api.describe("f", after)) == ["f(a, *, n=2)"]


def test_members_and_options_are_listed():
    lines = api.PATH.read_text("utf-8").splitlines()
    assert any(x.startswith("ModelComparison.to_frame(") for x in lines)
    assert any(x.startswith("sigarray compare --baseline") for x in lines)
