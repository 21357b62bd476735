"""Tables and sentences for the paper, from a result, and how to repeat it."""

from sigarray.report._tables import to_frame, to_json, to_latex, to_markdown
from sigarray.report._wording import describe, signature

__all__ = ["describe", "signature", "to_frame", "to_json", "to_latex", "to_markdown"]
