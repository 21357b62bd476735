"""Predictions and the truth, with a row for each."""

import pytest

from tests.read.asking import refuse


class TestPredictions:
    """A row for each prediction was compared as one for each score."""

    def table(self, classes):
        n = len(classes)
        rows = [
            f"{m},{k},{classes[k % n]},{classes[(k + j) % n]}"
            for j, m in enumerate("ab")
            for k in range(20)
        ]
        return "\n".join(rows)

    @pytest.mark.parametrize("classes", ["012", "01", ("pos", "neg")])
    @pytest.mark.parametrize(
        ("header", "known"),
        [
            ("model,id,gold,pred", "pred"),
            ("model,id,label,prediction", "prediction"),
            ("model,id,y_true,y_pred", "y_pred"),
            ("model,id,target,predicted_label", "predicted_label"),
        ],
    )
    def test_they_are_no_scores(self, write, run, classes, header, known):
        path = write(f"{header}\n{self.table(classes)}\n")
        words = ("predictions, or the truth", "as 1 or 0", f"--score {known}")
        refuse(run("compare", path), *words)
        if "0" in classes:
            refuse(run("compare", path, "--metric", known), *words)
            truth = header.split(",")[2]
            refuse(run("compare", path, "--metric", truth), f"--score {truth}")
            assert run("compare", path, "--score", known)[0] == 0

    def test_of_another_name_they_have_the_classes_of_the_truth(self, write, run):
        path = write(f"model,id,gold,choice\n{self.table('012')}\n")
        refuse(run("compare", path, "--metric", "choice"), "--score choice")

    def test_a_score_beside_them_is_one(self, write, run):
        rows = self.table("012").split("\n")
        rows = [f"{x},{int(x.split(',')[2] == x.split(',')[3])}" for x in rows]
        path = write("\n".join(["model,id,gold,pred,correct", *rows]))
        code, _, err = run("compare", path, "--metric", "correct")
        assert code == 0, err
        path = write(
            "\n".join(["model,id,label,score", *self.table("012").split("\n")])
        )
        assert run("compare", path, "--metric", "score")[0] == 0
