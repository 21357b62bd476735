"""Words in the names of columns: of metrics, splits and hyperparameters."""

import re


def as_words(text: str) -> frozenset[str]:
    """Return the words of a text, in any order."""
    return frozenset(text.split())


# What measures no quality, but what it costs; and names of any score.
_OTHER_METRICS = as_words("""
    fit score scores time seconds minutes hours runtime cost costs latency params
    parameters nparams flops energy memory mem vram tokens
""")
METRICS = _OTHER_METRICS | as_words("""
    acc accuracy auc auroc auprc roc f1 precision recall bleu rouge chrf comet kappa mcc
    ndcg mrr loss losses error err perplexity ppl nll mse mae rmse wer cer reward return
    returns
""")
SPLITS = as_words("""
    train training test testing val valid validation dev eval evaluation holdout
""")
# Names without spaces and punctuation.
HYPERPARAMETERS = as_words("""
    lr learningrate baselr initlr dropoutrate weightdecay batchsize bs wd warmupsteps
    warmupratio trainfraction datafraction trainsize datasetsize samplesize nsamples
    ntrain ndata nlayers numlayers hiddensize hiddendim embeddingdim embeddim nheads
    numheads nunits nepochs numepochs maxepochs maxsteps nsteps topk topp nshots
    numshots noiselevel nestimators ntrees maxdepth nfeatures nneighbors nclusters
    contextlength maxlength seqlen seqlength beamsize clipnorm modelsize imagesize
""")
# Some are also names of models: baseline, dropout, mixup; alpha, beta, gamma.
MAYBE_HYPERPARAMETERS = as_words("""
    temperature temp dropout momentum warmup fraction rank layers depth width dim shots
    threshold noise ratio labelsmoothing alpha beta gamma delta epsilon eps lambda sigma
    tau eta rho mu c k p l1 l2
""")
# Words for those who rate an item, whose ratings are not independent.
RATERS = as_words("""
    rater annotator judge worker assessor evaluator grader reviewer labeler labeller
    coder rating vote voter participant respondent crowdworker turker
""")
# Some also name what they say, in numbers.
RATINGS = frozenset(("rating", "vote"))
# Words for what has several items, which are not independent.
CLUSTERS = as_words("""
    document documents doc passage paragraph article story page book chapter dialogue
    dialog conversation thread speaker patient recording video scene session cluster
""")
# Words for ways to ask for an answer, or to compute it, of which an item has several.
_WAYS = as_words("""
    prompt template version order shuffle shots
""")
# Names of columns of the truth, with which predictions are compared.
TRUTHS = as_words("""
    gold golds goldlabel label labels truth groundtruth ytrue ytest answerkey gt
""")
# Some may also be models, if scores are not whole numbers.
MAYBE_TRUTHS = as_words("""
    target targets reference references actual expected y true answer answers
    correctanswer oracle class human humans annotator annotators annotation annotations
    majority majorityvote rating ratings consensus
""")

# Names of single runs, such as seed0 and run_3.
RUN_NAME = re.compile(
    r"(seed|run|trial|rep|repeat|repetition|replicate|fold|split)[\W_]*\d+", re.I
)


# What a column of tasks may be called.
TASKS = {"task", "dataset", "benchmark", "game", "env", "environment", "corpus"}


def list_words(name: str) -> set[str]:
    """List the words and numbers of a name, without case."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return set(re.findall(r"(?<![a-z])f1(?!\d)|[a-z]+|\d+", spaced.lower()))


def names_clusters(name: str) -> bool:
    """Tell by its name whether a column has clusters of items, such as documents."""
    return bool(list_words(name) & CLUSTERS)


def names_ways(name: str) -> bool:
    """Tell by its name whether a column says how an answer was made, as settings do."""
    words = list_words(name)
    squeezed = re.sub(r"[\W_]", "", name.lower())
    return bool(words & _WAYS) or squeezed in HYPERPARAMETERS | MAYBE_HYPERPARAMETERS


def measures_quality(name: str) -> bool:
    """Tell whether a name is that of a measure of quality, such as an accuracy."""
    return bool(list_words(name) & (METRICS - _OTHER_METRICS))
