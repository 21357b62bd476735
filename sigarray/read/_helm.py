"""Files of HELM: statistics of each instance of a run."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sigarray.read._frame import Frame
from sigarray.read._json import tabulate_records

# "mmlu:subject=anatomy,model=openai_gpt2"
_NO_SCORE = re.compile(
    "num_|finish_reason_|inference_|training_|batch_size|prompt_truncated|max_prob"
)
_MODEL = re.compile(r",?\bmodel=([^,]+)")


def read_instances(name: str, document: Sequence[dict[str, Any]]) -> Frame | None:
    """Return the scores of a run by instance, or None for other files.

    Perturbed instances are left out.
    """
    if not all("instance_id" in x and "stats" in x for x in document):
        return None
    rows: list[dict[str, Any]] = []
    metrics: dict[str, None] = {}
    n_perturbed = 0
    for entry in document:
        if entry.get("perturbation") is not None:
            n_perturbed += 1
            continue
        row = {"instance_id": entry["instance_id"]}
        row["train_trial_index"] = entry.get("train_trial_index", 0)
        for stat in entry["stats"]:
            name_of_stat = stat["name"]
            metric = name_of_stat["name"]
            if (
                stat.get("count")
                and "perturbation" not in name_of_stat
                and not _NO_SCORE.match(metric)
            ):
                row[metric] = stat.get("mean")
                metrics[metric] = None
        rows.append(row)
    notes: tuple[str, ...] = ()
    if n_perturbed:
        notes = (f"{n_perturbed} perturbed instances were left out",)
    return tabulate_records(
        "statistics of HELM, by instance",
        name,
        rows,
        list(range(1, len(rows) + 1)),
        "instance",
        roles={"item": "instance_id", "run": "train_trial_index"},
        constants=_read_run(Path(name)),
        metrics=tuple(metrics),
        unit="item",
        notes=notes,
    )


def _read_run(path: Path) -> dict[str, str]:
    """Return model and task, from the specification of a run or its folder's name."""
    run = path.absolute().parent.name
    match = _MODEL.search(run)
    constants = {"task": _MODEL.sub("", run).rstrip(":,")} if match else {}
    if match:
        constants["model"] = match[1]
    specification = path.with_name("run_spec.json")
    if specification.is_file():
        try:
            content = json.loads(specification.read_text("utf-8"))
            constants["model"] = str(content["adapter_spec"]["model"])
            constants["task"] = _MODEL.sub("", content["name"]).rstrip(":,")
        except (ValueError, KeyError, TypeError):
            return constants
    return constants
