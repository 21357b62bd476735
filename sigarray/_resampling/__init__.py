"""Resampling: samples are made anew, a statistic is evaluated, and results are kept."""
