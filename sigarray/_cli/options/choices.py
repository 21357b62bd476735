"""Names that options take, so that `--help` does not wait for what has them.

A test compares each of them with its source in the library.
"""

# Of `compare` and `power`.
TESTS_OF_PAIRS = ("bootstrap", "permutation", "mann-whitney", "brunner-munzel", "t")
METHODS_OF_TESTS = (
    "auto",
    "bootstrap",
    "exact",
    "asymptotic",
    "resampling",
    "saddlepoint",
)
THRESHOLD = 0.2
CONFIDENCE_LEVEL = 0.95
ALPHA = 0.05
UNITS = ("run", "item", "cluster", "run,item")
TREATMENTS = ("drop", "worst", "keep")
STATISTICS = (
    "accuracy",
    "bleu",
    "calibration_error",
    "chrf",
    "f1",
    "krippendorff_alpha",
    "macro_f1",
    "matthews_correlation",
    "pearson",
    "perplexity",
    "precision",
    "r2",
    "ratio",
    "recall",
    "rmse",
    "squared_calibration_error",
    "word_error_rate",
)
AGGREGATES = ("iqm", "mean", "median", "improvement")
# Of all commands.
STYLES = ("text", "sentences", "markdown", "latex", "csv", "json")
PICTURES = (".pdf", ".svg", ".png", ".eps", ".jpg")
MAX_RESAMPLES = 2**31 - 1
# Of `correct`.
CORRECTIONS = ("holm", "bonferroni", "benjamini-hochberg", "benjamini-yekutieli")
# Of `responses` and `study`.
METRICS = (
    "wins_mae",
    "wins_mae_all",
    "wins_emd",
    "mae",
    "mse",
    "rmse",
    "max_error",
    "cosine",
    "spearman",
    "emd",
    "emd_all",
    "mean_of_emds",
    "kl_divergence",
    "accuracy",
    "precision",
    "recall",
    "f1",
    "roc_auc",
)
MODELS = ("normal", "likert")
ITEMS = ("all", "bootstrap")
RESPONSES = ("all", "bootstrap", "one", "first", "without_replacement")
ALTERNATIVES = ("two-sided", "greater", "less")
