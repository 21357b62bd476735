"""Special functions that the array API lacks."""

import math

# Nine reach the last bit for every p from 1e-300 to 0.5.
_NEWTON_STEPS = 10


def normal_quantile(p: float) -> float:
    """Give z with Phi(z) = p, for a probability that is static.

    Newton's method on log Phi(z), which is concave: from a start on the left of the
    root it climbs to it without overshooting. `statistics.NormalDist` has a faster one
    in C, which `torch.compile` cannot trace.
    """
    if p > 0.5:
        return -normal_quantile(1.0 - p)
    z = -math.sqrt(-2.0 * math.log(p))
    for _ in range(_NEWTON_STEPS):
        probability = 0.5 * math.erfc(-z / math.sqrt(2.0))
        density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        z += probability / density * math.log(p / probability)
    return z
