"""What the pages of training loops and of tools say of rates."""

from tests.committed import choose_from


def recipe(name, **by):
    (row,) = choose_from("recipes", recipe=name, **by)
    return 100 * float(row["rate"])


def say_in_training():
    pairs, orders = (
        recipe("an eighth of a deviation", case=x) for x in ("pairs", "aso")
    )
    kept = [recipe("checkpoints", level=x) for x in ("0.005", "0.05")]
    folds = {
        (said, count): recipe("cross-validation", case=f"folds, {said}, {count}")
        for said in ("corrected", "uncorrected")
        for count in ("one", "five")
    }
    items = [
        recipe("cross-validation", case=f"items{x}")
        for x in (", one repetition", ", means of five", " of five, as if others")
    ]
    lost = [recipe("found worse", case=f"worse by {x} points") for x in (0, 2, 3)]
    less = {
        (x, n): recipe("worse by less than a point", case=f"worse by {x} points", n=n)
        for x in (0, 1)
        for n in ("899", "5000")
    }
    network, few, many = (
        recipe("digits", case=f"{x}, found worse")
        for x in ("network", "forest of 10", "forest of 100")
    )
    twice = recipe("digits", case="network, two-sided")
    return [
        f"the paired test found that in {pairs:.0f} % of 400 draws at p <= 0.05, and "
        f"`aso` at eps_min < 0.2 in {orders:.0f} %",
        f"p <= 0.05 in {twice:.0f} % of all pairs of 100 runs",
        f"was kept in {kept[0]:.1f} %, and with a level of 0.05 at each evaluation in "
        f"{kept[1]:.1f} %.",
        f"| items, means of repetitions | {items[0]:.1f} % | {items[1]:.1f} % |",
        f"as if they were others | | {items[2]:.1f} % |",
        f"| folds, with `test_share` | {folds['corrected', 'one']:.1f} % | "
        f"{folds['corrected', 'five']:.1f} % |",
        f"| folds, without | {folds['uncorrected', 'one']:.1f} % | "
        f"{folds['uncorrected', 'five']:.1f} % |",
        f"are equally good: in {lost[0]:.1f} % of test sets of 899 items",
        f"a loss of 2 points in {lost[1]:.0f} % of such sets, of 3 in {lost[2]:.0f} %.",
        f"worse by a point in {less[1, '899']:.1f} % of them",
        f"in {less[0, '899']:.0f} % of sets of 899 items, and in "
        f"{less[0, '5000']:.0f} % of 5000",
        f"failed in {many:.1f} % for forests of 100 trees, in {few:.1f} % for those of "
        f"10, and in {network:.1f} % for networks",
    ]


def say_in_tools():
    looks, returns = (
        [recipe(name, case="equal models", level=x) for x in levels]
        for name, levels in (
            ("stop at a look", ("0.0125", "0.05")),
            ("returns at ten evaluations", ("0.005", "0.05")),
        )
    )
    found, used, at_once = (
        recipe("stop at a look", case=f"better by 3 points{x}")
        for x in ("", ", share of items", ", all items at once")
    )
    return [
        f"4 looks at the samples so far | {looks[0]:.1f} | {looks[1]:.1f} |",
        f"at each of 10 looks | {returns[0]:.1f} | {returns[1]:.1f} |",
        f"better by 3 points is found in {found:.0f} % of evaluations with four looks, "
        f"which use {used:.0f} % of the samples on average, and in {at_once:.0f} % "
        "with one test of all samples.",
    ]
