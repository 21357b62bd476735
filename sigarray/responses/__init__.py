"""P-values from one test set, where items and responses to them vary."""

from sigarray.responses import metrics
from sigarray.responses._fitting import fit
from sigarray.responses._models import LikertModel, NormalModel
from sigarray.responses._power import power
from sigarray.responses._sampling import resample
from sigarray.responses._significance import response_test, true_p_value
from sigarray.responses._simulation import simulate
from sigarray.responses._study import Study, study
from sigarray.results import ResponseSet, ResponseTestResult

__all__ = [
    "LikertModel",
    "NormalModel",
    "ResponseSet",
    "ResponseTestResult",
    "Study",
    "fit",
    "metrics",
    "power",
    "resample",
    "response_test",
    "simulate",
    "study",
    "true_p_value",
]
