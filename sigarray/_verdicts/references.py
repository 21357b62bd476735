"""The papers behind tests and corrections."""

from collections.abc import Mapping

_REFERENCES = {
    "aso": [
        "E. del Barrio, J. A. Cuesta-Albertos, C. Matrán (2018). An optimal "
        "transportation approach for assessing almost stochastic order. "
        "doi:10.1007/978-3-319-73848-2_3",
        "R. Dror, S. Shlomov, R. Reichart (2019). Deep dominance: how to properly "
        "compare deep neural models. doi:10.18653/v1/P19-1266",
    ],
    "permutation": [
        "B. Phipson, G. K. Smyth (2010). Permutation p-values should never be zero. "
        "doi:10.2202/1544-6115.1585",
    ],
    "bootstrap": [
        "B. Efron, R. J. Tibshirani (1993). An introduction to the bootstrap. "
        "doi:10.1201/9780429246593",
    ],
    "mann-whitney": [
        "H. B. Mann, D. R. Whitney (1947). On a test of whether one of two random "
        "variables is stochastically larger than the other. "
        "doi:10.1214/aoms/1177730491",
    ],
    "brunner-munzel": [
        "E. Brunner, U. Munzel (2000). The nonparametric Behrens-Fisher problem: "
        "asymptotic theory and a small-sample approximation. "
        "doi:10.1002/(SICI)1521-4036(200001)42:1<17::AID-BIMJ17>3.0.CO;2-U",
    ],
    "t": [
        "B. L. Welch (1947). The generalization of “Student's” problem when several "
        "different population variances are involved. doi:10.1093/biomet/34.1-2.28",
    ],
    "wilcoxon": [
        "F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics "
        "Bulletin 1, 80-83. doi:10.2307/3001968",
        "J. Demšar (2006). Statistical comparisons of classifiers over multiple data "
        "sets. Journal of Machine Learning Research 7, 1-30.",
    ],
    "margin": [
        "D. J. Schuirmann (1987). A comparison of the two one-sided tests procedure "
        "and the power approach for assessing the equivalence of average "
        "bioavailability. doi:10.1007/BF01068419",
        "J. P. Shaffer (1986). Modified sequentially rejective multiple test "
        "procedures. Journal of the American Statistical Association 81, 826-831.",
    ],
    "score": [
        "T. Tango (1998). Equivalence test and confidence interval for the difference "
        "in proportions for the paired-sample design. "
        "doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B",
        "C. P. Farrington, G. Manning (1990). Test statistics and sample size formulae "
        "for comparative binomial trials with null hypothesis of non-zero risk "
        "difference or non-unity relative risk. doi:10.1002/sim.4780091208",
    ],
    "holm": [
        "S. Holm (1979). A simple sequentially rejective multiple test procedure. "
        "Scandinavian Journal of Statistics 6, 65-70.",
    ],
    "benjamini_hochberg": [
        "Y. Benjamini, Y. Hochberg (1995). Controlling the false discovery rate: a "
        "practical and powerful approach to multiple testing. "
        "doi:10.1111/j.2517-6161.1995.tb02031.x",
    ],
}


def list_references(document: Mapping[str, object]) -> list[str]:
    """List those of the tests and the correction that a document of JSON names."""
    keys = [str(document["test"]), str(document.get("correction"))]
    if document.get("over_tasks"):
        keys.append("wilcoxon")
    if "margin" in document:
        by_score = ["score"] * ("score tests" in str(document["method"]))
        keys = [*keys[:1], *by_score, "margin", *keys[1:]]
    return [line for key in keys for line in _REFERENCES.get(key, ())]
