"""P-values from one test set with variation in items and in responses to them."""

from sigarray._response_results import (
    ResponseReplicates,
    ResponseSet,
    ResponseTestResult,
    Study,
)
from sigarray.responses import metrics
from sigarray.responses._models import LikertModel, NormalModel, fit
from sigarray.responses._significance import (
    resample,
    response_replicates,
    response_test,
)
from sigarray.responses._study import simulate, study, study_records
from sigarray.responses._truth import power, true_p_value, true_replicates

__all__ = [
    "LikertModel",
    "NormalModel",
    "ResponseReplicates",
    "ResponseSet",
    "ResponseTestResult",
    "Study",
    "fit",
    "metrics",
    "power",
    "resample",
    "response_replicates",
    "response_test",
    "simulate",
    "study",
    "study_records",
    "true_p_value",
    "true_replicates",
]
