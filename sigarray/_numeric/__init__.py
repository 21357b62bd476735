"""Numbers of samples: special functions, ranks, quantiles, subsets, statistics."""
