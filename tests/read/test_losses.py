"""Names of losses; what the command does with them is in tests/verdicts."""

import pytest

from sigarray.read._losses import find_mixed, is_loss, looks_like_loss, names_loss


@pytest.mark.parametrize(
    ("name", "seems", "is_plain", "is_alone"),
    [
        ("val_loss", True, True, True),
        ("word error rate", True, True, True),
        ("root mean squared error", True, True, True),
        ("negative log-likelihood", True, True, True),
        ("testWER", True, True, True),
        ("focal_loss", True, True, False),
        ("error analysis", True, True, False),
        ("1-accuracy", True, True, False),
        ("error_detection_f1", True, False, False),
        ("relative error reduction", True, False, False),
        ("toxicity", True, False, False),
        ("Energy", True, False, False),
        ("-loss", True, False, False),
        ("neg_log_loss", False, False, False),
        ("1-wer", False, False, False),
        ("gloss", False, False, False),
        ("accuracy", False, False, False),
    ],
)
def test_names(name, seems, is_plain, is_alone):
    assert looks_like_loss(name) == seems
    assert is_loss(name) == is_plain
    assert names_loss(name) == is_alone


def test_a_loss_beside_others():
    assert find_mixed(["acc", "loss", "wer"]) == ("loss", "acc")
    assert find_mixed(["wer", "loss"]) is None
    assert find_mixed(["acc", "f1"]) is None
