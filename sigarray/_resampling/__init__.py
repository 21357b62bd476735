"""Resampling: draw samples, evaluate a statistic, and keep the results."""
