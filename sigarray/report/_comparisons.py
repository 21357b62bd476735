"""The result of `compare_models`, which has its own tables and sentences."""

from typing import Any


def refuse_comparison(result: Any) -> None:
    """Refuse such a result, and say what it has itself."""
    if hasattr(result, "sentences") and hasattr(result, "to_latex"):
        msg = (
            "Expected the result of a test, or of another function; got that of "
            "compare_models, which has all of this itself: result.sentences, "
            "result.to_frame(), result.to_markdown(), result.to_latex(), "
            "result.to_json() and result.signature."
        )
        raise TypeError(msg)
