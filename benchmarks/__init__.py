"""Measurements, never run by the tests: `make bench`, or `python -m benchmarks --help`.

Everything runs on an embedded database of its own, with the processes that `manage.py serve` starts. Figures of a
shared machine vary; so what is compared takes turns within one run, and it is the ratios that count.
"""
