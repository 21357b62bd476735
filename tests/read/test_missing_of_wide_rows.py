"""Tables with a column for each model, of which some cells are blank."""

import pytest

from sigarray import read
from sigarray.read import TableError


class TestRowsOfColumns:
    """Tables with a column for each model, of which some cells are blank."""

    LINES = "q,a,b,c\nx1,1,0,1\nx2,,1,1\nx3,1,0,\nx4,0,1,1\nx5,1,1,0\nx6,1,0,0\n"

    def test_blank_cells_ask_to_leave_out_the_row(self, write):
        with pytest.raises(TableError, match=r"one of 'x2'\. Pass drop_unmatched=True"):
            read.scores(write(self.LINES), item="q")

    def test_of_each_pair_what_both_have(self, write):
        table = read.scores(write(self.LINES), item="q", drop_unmatched=True)
        (by,) = table.tasks.values()
        assert {name: x.tolist() for name, x in by.items()} == {
            "a": [1.0, 0.0, 1.0, 1.0],
            "b": [0.0, 1.0, 1.0, 0.0],
            "c": [1.0, 1.0, 0.0, 0.0],
        }
        assert any(
            "2 of 6 rows do not have a score of every model: a lacks 1; c lacks 1; "
            "left out" in note
            for note in table.notes
        )
        (pairs,) = table.pairs.values()
        sizes = {names: len(x) for names, (x, _) in pairs.items()}
        assert sizes == {("a", "b"): 5, ("a", "c"): 4, ("b", "c"): 5}
        x, y = pairs["b", "c"]
        assert (x.tolist(), y.tolist()) == ([0, 1, 1, 1, 0], [1, 1, 1, 0, 0])

    def test_rows_that_nobody_shares_are_refused(self, write):
        lines = "q,a,b\nx1,1,\nx2,,1\nx3,1,\nx4,,0\n"
        with pytest.raises(TableError, match=r"a score of every model; got none"):
            read.scores(write(lines), item="q", drop_unmatched=True)

    def test_whole_rows_and_runs_stay_as_they_are(self, write):
        whole = "q,a,b\nx1,1,0\nx2,0,1\nx3,1,0\n"
        options = {"item": "q", "drop_unmatched": True}
        assert not read.scores(write(whole), **options).pairs
        runs = write("a,b\n.71,.72\n.73,\n.74,.75\n.72,.77\n")
        (by,) = read.scores(runs, drop_unmatched=True).tasks.values()
        assert [len(x) for x in by.values()] == [4, 3]
