"""`sigarray compare` of so many tasks that there is a verdict over all of them."""

import numpy as np


def test_many_tasks_have_a_ranking_over_all_and_on_each(write, run, monkeypatch):
    """Rainbow ahead of DQN in 12 of 12 games is p = 0.0005."""
    monkeypatch.setenv("COLUMNS", "80")
    rng = np.random.default_rng(0)
    rows = [
        f"{model},game{k:02},{seed},{level + 10 * k + rng.normal():.2f}"
        for k in range(12)
        for model, level in (("DQN", 20.0), ("Rainbow", 21.5))
        for seed in range(5)
    ]
    path = write("\n".join(["agent,game,seed,score", *rows, ""]))
    _, text, _ = run("compare", path, "--model", "agent", "--task", "game")
    assert "Rainbow is better than DQN over tasks like these 12." in text.splitlines()
    assert "12 : 0  0.0005  Rainbow" in text
    assert max(map(len, text.partition("Method: ")[0].splitlines())) <= 80
    each = text.partition("Verdict on each task")[2].splitlines()[4:]
    *on_some, on_others = each[: each.index("")]
    assert {x.split(maxsplit=1)[1] for x in on_some} == {"Rainbow > DQN"}
    n = 12 - len(on_some)
    said = f"each of the other {n} tasks no model is shown to be better"
    assert " ".join(on_others.split()) == said
    rows += [x.replace("DQN", "A3C").replace("score", "a") for x in rows if "DQN" in x]
    path = write("\n".join(["agent,game,seed,score", *rows, ""]))
    names = ["--model", "agent", "--task", "game", "--baseline", "DQN"]
    _, text, _ = run("compare", path, *names)
    answer = "Better than DQN over tasks like these 12: Rainbow. Worse: none. "
    answer += "Inconclusive: A3C."
    assert answer in " ".join(text.split())


def test_that_no_single_task_decides_does_not_read_as_the_verdict_over_all(run):
    """The example has a ranking over its tasks, and none on any of them."""
    text = run("compare", "docs/examples/games.csv", "--task", "game")[1]
    assert "Ranking over tasks like these 8: ours, rainbow > dqn" in text
    each = text.partition("Verdict on each task")[2].split("\n")
    assert " ".join(each[4].split()) == (
        "each of the 8 tasks no model is shown to be better"
    )
    assert "No model" not in text
